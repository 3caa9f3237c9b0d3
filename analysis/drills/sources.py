"""Where the questions of a drill come from: a store of graded hands, a saved solve, or our player."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from hedgehog.analysis.drills.question import Grid, Question
from hedgehog.poker.streets import PREFLOP, RIVER, TURN
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest

KINDS: Final = ("same", "hands", "boards")
"""What is asked about a graded decision: itself, other hands at it, or its betting on other boards."""
PLAYER_STREETS: Final = (PREFLOP, TURN, RIVER)
"""Streets of random hands of our player. No flop: its packs have no EVs, and solving one takes a minute."""
OUR_PLAYER: Final = "default"
STORE_SETTINGS: Final = "grading.json"
"""The file of a store that says what it holds (:mod:`hedgehog.analysis.grading.parts`)."""
MOST_TRIES: Final = 2000
"""A source gives up after so many hands that make no question one after the other."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What is asked about."""

    kind: str = "same"
    """One of :data:`KINDS`, for graded hands."""
    spot: str = ""
    """Words that all stand in the kind of a graded decision, such as ``river BB 3-bet``."""
    streets: tuple[int, ...] = ()
    """Streets that are asked about; empty: all."""
    packs: Path | None = None
    """Packs of our player; None: the shipped ones."""
    stack: str | None = None
    """Stacks of random hands of our player, such as ``100bb``; None: those of the deepest packs."""


class Source(Protocol):
    """Makes questions. The same source and seed make the same questions."""

    @property
    def title(self) -> str:
        """What it asks about, for people."""
        ...

    @property
    def identity(self) -> str:
        """Tells sources apart whose EVs differ."""
        ...

    def questions(self, random: random.Random) -> Iterator[Question]:
        """Yields questions, the ones that matter most first.

        :raises InputError: if there are none; also PackError and SpotError.
        """
        ...

    def grid(self, question: Question) -> Grid | None:
        """Returns the decision of a question by hand class; None if it is not known.

        :raises InputError: if it cannot be found again; also PackError and SpotError.
        """
        ...


def open_source(path: str | Path, options: SourceOptions = SourceOptions()) -> Source:
    """Returns the source of questions at a path.

    :param path: a store of ``hedgehog grade``, a folder of ``hedgehog solve --save``, a folder of packs, or ``default``
        for our player with the shipped packs.
    :raises InputError: if there is nothing to be asked about, or an option does not go with it.
    """
    from hedgehog.analysis.drills.player_source import PlayerSource
    from hedgehog.analysis.drills.solve_source import SolveSource
    from hedgehog.analysis.drills.store_source import StoreSource

    if str(path) == OUR_PLAYER:
        _refuse_graded_options(options)
        return PlayerSource(options)
    folder = Path(path)
    if not folder.exists():
        raise InputError("no such folder", source=str(path))
    if is_store(folder):
        if options.stack is not None:
            raise InputError("graded hands have their own stacks: no stacks can be chosen", source=str(path))
        return StoreSource(folder, options)
    _refuse_graded_options(options)
    if (folder / MANIFEST_NAME).is_file() and read_manifest(folder).kind in ("solve", "strategy"):
        if options.packs is not None or options.stack is not None:
            raise InputError("a saved solve has its own stacks, and needs no packs", source=str(path))
        return SolveSource(folder, options)
    if folder.is_dir() and any(folder.glob(f"*/{MANIFEST_NAME}")):
        if options.packs is not None:
            raise InputError("is a folder of packs: expected no other packs", source=str(path))
        return PlayerSource(SourceOptions(streets=options.streets, packs=folder, stack=options.stack))
    raise InputError("expected a store of hedgehog grade, a saved solve, or a folder of packs", source=str(path))


def is_store(folder: Path) -> bool:
    """Tells whether a folder is a store of graded hands."""
    return (folder / STORE_SETTINGS).is_file()


def _refuse_graded_options(options: SourceOptions) -> None:
    """Refuses options that go with graded hands.

    :raises InputError: if one is given.
    """
    if options.kind != "same" or options.spot:
        raise InputError("kind and spot go with a store of hedgehog grade")


def files_digest(*files: Path) -> str:
    """Returns what tells the contents of files apart.

    :raises InputError: if one cannot be read.
    """
    found = hashlib.sha256()
    try:
        for file in files:
            found.update(file.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(error.filename)) from error
    return found.hexdigest()[:16]
