"""Where the questions of a drill come from: a store of graded hands, a saved solve, or our player."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from hedgehog.analysis.drills.question import Grid, Question
from hedgehog.analysis.grading.store_files import SETTINGS
from hedgehog.poker.streets import PREFLOP, RIVER, TURN
from hedgehog.runtime.errors import InputError

KINDS: Final = ("same", "hands", "boards")
"""What is asked about a graded decision: itself, other hands at it, or its betting on other boards."""
PLAYER_STREETS: Final = (PREFLOP, TURN, RIVER)
"""Streets of random hands of our player unless others are asked for: a flop takes minutes to solve."""
MOST_TRIES: Final = 2000
"""A source gives up after so many hands that make no question one after the other."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Which decisions a drill asks about."""

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

    def has_grid(self, question: Question) -> bool:
        """Tells whether the decision of a question is known by hand class, without computing it."""
        ...

    def grid(self, question: Question) -> Grid | None:
        """Returns the decision of a question by hand class; None if it is not known.

        :raises InputError: if it cannot be found again; also PackError and SpotError.
        """
        ...


def is_store(folder: Path) -> bool:
    """Tells whether a folder is a store of graded hands."""
    return (folder / SETTINGS).is_file()


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
