"""Where strategies come from that meet each other: a solve of the spot, a saved solve, a pack.

A source is written ``[NAME=]SOURCE[?KEY=VALUE&KEY=VALUE]``, as players are:

* ``dcfr?iterations=200``, ``cgh:c=0.175?iterations=50&abstraction=strength-river``: an algorithm of ``hedgehog solve``
  that solves the spot. ``iterations`` and ``target`` (the exploitability in percent of the pot) say when to stop, and
  ``abstraction`` on which groups of hands to solve; ``none`` is every hand for itself. Without them they are those of
  ``hedgehog solve``;
* ``my-solve``: the folder of a saved solve;
* ``pack:DIR?line=r250c``: a blueprint or an exact flop pack, and the betting that leads to the spot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from hedgehog.analysis.solves.meetings.meeting import Contender, meet, verify_room
from hedgehog.analysis.solves.meetings.result import Versus
from hedgehog.poker.cards import format_cards
from hedgehog.poker.streets import FLOP
from hedgehog.runtime.display.progress import usual_watch
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.own_rules import ALGORITHMS
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS
from hedgehog.solver.packs.blueprint_spot import blueprint_strategy
from hedgehog.solver.packs.pack_solution import open_pack_flops
from hedgehog.solver.postflop.responses.given_strategy import GivenStrategy, given_solution, prepare_for_given
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import is_saved_solve, open_solution, read_saved_solve
from hedgehog.solver.postflop.spot import PostflopSpot, read_spot, verify_abstraction
from hedgehog.strategies.manifest import read_manifest

LETTERS: Final = ("A", "B")
"""Names of strategies that have none."""
TARGET_PCT: Final = 0.1
"""Exploitability in percent of the pot at which a solve without number of iterations stops."""
_PACK: Final = "pack:"
_NAME: Final = re.compile(r"[A-Za-z0-9_.+-]{1,24}")
_KEYS: Final = {"algorithm": ("iterations", "target", "abstraction"), "solve": (), "pack": ("line",)}


@dataclass(frozen=True, slots=True)
class Source:
    """Where a strategy comes from."""

    kind: Literal["algorithm", "solve", "pack"]
    argument: str
    """The text of the algorithm, or the folder."""
    options: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    """The name given with ``NAME=SOURCE``; empty for none."""

    @property
    def folder(self) -> Path | None:
        """The folder that is read; None for an algorithm."""
        return None if self.kind == "algorithm" else Path(self.argument)

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm of a source of this kind."""
        return parse_algorithm(self.argument)

    @property
    def iterations(self) -> int | None:
        """Iterations of a solve; None if it stops at a target alone."""
        text = self.options.get("iterations")
        if text is None:
            return None
        if not (re.fullmatch("[0-9]{1,15}", text) and 1 <= int(text) <= MAX_ITERATIONS):
            raise SpotError(f"expected iterations from 1 to {MAX_ITERATIONS:,}, got {text!r}")
        return int(text)

    @property
    def target_pct(self) -> float:
        """Exploitability at which a solve stops, in percent of the pot; 0 for the number of iterations alone."""
        text = self.options.get("target")
        if text is None:
            return TARGET_PCT if self.iterations is None else 0.0
        try:
            found = float(text)
        except ValueError:
            found = 0.0
        if not 0 < found <= 100:
            raise SpotError(f"expected a target in percent of the pot, above 0 and at most 100, got {text!r}")
        return found

    @property
    def abstraction(self) -> str | None:
        """The hand abstraction of a solve; empty for single hands, None for what the spot says."""
        text = self.options.get("abstraction")
        if text is None or text == "none":
            return None if text is None else ""
        verify_abstraction(text)
        return text

    def __str__(self) -> str:
        prefix = _PACK if self.kind == "pack" else ""
        options = "&".join(f"{key}={value}" for key, value in self.options.items())
        named = f"{self.name}=" if self.name else ""
        return f"{named}{prefix}{self.argument}{'?' if options else ''}{options}"


def parse_source(text: str) -> Source:
    """Returns the source of a text such as ``dcfr?iterations=200``; nothing is opened.

    :raises SpotError: if it is malformed; the message says what was expected.
    """
    name, equals, rest = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        name, rest = "", text
    head, mark, given = rest.partition("?")
    options: dict[str, str] = {}
    kind: Literal["algorithm", "solve", "pack"] = "solve"
    if head.startswith(_PACK):
        kind, head = "pack", head.removeprefix(_PACK)
    elif head.partition(":")[0] in ALGORITHMS:
        kind = "algorithm"
        parse_algorithm(head)
    if not head or "\0" in head:
        raise SpotError(f"expected an algorithm, the folder of a saved solve, or pack:DIR?line=LINE, got {text!r}")
    for part in given.split("&") if mark else ():
        key, equals, value = part.partition("=")
        if not (equals and value) or key not in _KEYS[kind] or key in options:
            keys = ", ".join(f"{each}=..." for each in _KEYS[kind]) or "nothing"
            raise SpotError(f"{text!r}: expected {keys} after the question mark, each once, got {part!r}")
        options[key] = value
    source = Source(kind, head, options, name)
    if kind == "pack" and "line" not in options:
        raise SpotError(f"{text!r}: expected the betting that leads to the spot, such as ?line=r250c")
    # Values are checked before anything is solved.
    _ = source.iterations, source.target_pct, source.abstraction
    return source


def open_source(
    source: Source, spot: PostflopSpot, *, threads: int | None = None, watch: Watch = SILENT
) -> tuple[GivenStrategy, str]:
    """Returns the strategy of a source, which solves the spot if it is an algorithm, and what it is in a few words.

    :param spot: the spot on which the strategy is to meet another one.
    :param threads: number of threads of a solve.
    :param watch: hears of the progress of a solve.
    :raises HedgehogError: if there is no such strategy, or the spot cannot be solved so.
    """
    if source.kind == "algorithm":
        return _solve(source, spot, threads, watch)
    folder = Path(source.argument)
    if source.kind == "pack":
        return _open_pack(source, spot)
    if not is_saved_solve(folder):
        expected = "expected an algorithm, the folder of a saved solve, or pack:DIR?line=LINE"
        raise SpotError(f"{expected}, got {source.argument!r}")
    saved = read_saved_solve(folder)
    text = f"{folder}: {saved.spot.name}, {saved.algorithm}, {saved.iterations:,} iterations"
    return given_solution(open_solution(saved)), text


def _solve(source: Source, spot: PostflopSpot, threads: int | None, watch: Watch) -> tuple[GivenStrategy, str]:
    abstraction = spot.abstraction if source.abstraction is None else source.abstraction
    solution = solve(
        replace(spot, abstraction=abstraction), source.target_pct, source.iterations or MAX_ITERATIONS,
        threads=threads, algorithm=source.algorithm, watch=watch,
    )  # fmt: skip
    groups = f" on groups of hands, {abstraction}" if abstraction else ""
    return given_solution(solution), f"{source.algorithm}, {solution.iterations:,} iterations{groups}"


def _open_pack(source: Source, spot: PostflopSpot) -> tuple[GivenStrategy, str]:
    folder, line = Path(source.argument), source.options["line"]
    if not is_saved_solve(folder) or read_manifest(folder).kind != "flops":
        return blueprint_strategy(folder, line, spot.board), f"the blueprint of {folder} after {line}"
    if spot.street != FLOP:
        raise SpotError("a flop pack plays from the flop on: expected a spot with a board of three cards")
    found, _ = open_pack_flops(folder).find(f"{line} {format_cards(spot.board, ' ')}")
    text = f"{folder}: {found.name}, {found.iterations:,} iterations"
    return given_solution(found.solution, found.solution.last_street), text


def read_meeting_spot(path: str | Path) -> PostflopSpot:
    """Returns the spot of a spot file, or of the folder of a saved solve.

    :raises InputError: if there is none.
    """
    return read_saved_solve(path).spot if Path(path).is_dir() else read_spot(path)


def versus(
    spot: PostflopSpot | str | Path,
    first: str | Path | PostflopSolution | GivenStrategy | Contender,
    second: str | Path | PostflopSolution | GivenStrategy | Contender,
    *,
    hands: int = 1_000_000,
    seed: int = 0,
    fill: bool = False,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Versus:
    """Lets two strategies for a spot meet in both seats, as ``hedgehog versus`` does, and returns the result.

    :param spot: a spot, a spot file, or the folder of a saved solve. Its ranges and betting tree hold.
    :param first: a source such as ``dcfr?iterations=200`` (:mod:`hedgehog.analysis.solves.meetings.sources`), the
        folder of a saved solve, a solution, or a strategy as rows at the nodes of a tree, with a name or without.
    :param second: the same.
    :param hands: hands to be played with each strategy in each seat; 0 plays none.
    :param seed: seed of the random numbers.
    :param fill: streets that one strategy lacks are played as the other one plays them.
    :param threads: number of threads.
    :param watch: hears of the progress. None shows a bar in a notebook, a line in a terminal, and nothing elsewhere.
    :raises SpotError: if a source is malformed, or a strategy is of another board or betting tree, or lacks hands or a
        street.
    :raises InputError: if there is no such spot or strategy.
    :raises ResourceError: if it needs more memory than is free.
    """
    asked = spot if isinstance(spot, PostflopSpot) else read_meeting_spot(spot)
    sources = [parse_source(str(each)) if isinstance(each, str | Path) else each for each in (first, second)]
    names = [getattr(each, "name", "") or letter for each, letter in zip(sources, LETTERS, strict=True)]
    if names[0] == names[1]:
        raise InputError(f"both strategies are called {names[0]!r}: expected two names")
    verify_room(prepare_for_given(asked, ()))  # before anything is solved
    contenders = []
    with usual_watch(watch) as shown:
        for name, each in zip(names, sources, strict=True):
            given, text = _open(each, asked, threads, shown)
            contenders.append(Contender(name, text, given))
        return meet(asked, *contenders, hands=hands, seed=seed, fill=fill, threads=threads, watch=shown)


def _open(
    one: Source | PostflopSolution | GivenStrategy | Contender, spot: PostflopSpot, threads: int | None, watch: Watch
) -> tuple[GivenStrategy, str]:
    match one:
        case Source():
            return open_source(one, spot, threads=threads, watch=watch)
        case PostflopSolution():
            return given_solution(one), f"a solution, {one.iterations:,} iterations"
        case Contender():
            return one.given, one.text
    return one, "a strategy"
