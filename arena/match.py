"""What one match is: its players, its seatings, the files it leaves, and how far an interrupted one is.

A duplicate match plays the same cards in several orders of the seats: two players in both, three in all 6, more in
the n rotations. Cards go to positions and positions rotate in the same way in every seating, so every player once
holds the cards every other player held (in the rotations: of every seat).
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.plans import read_json_object, verify_same_plan
from arena.seating_log import ExpectedLog, count_unfinished_hands, read_finished_log
from runtime.errors import InputError
from runtime.outputs import FolderKind

MATCH_PLAN_FILE: Final = "match.plan"
"""JSON; the files ``*.json`` beside it are the reports of players."""
_MAX_PERMUTED = 3
"""Up to so many players a duplicate match plays all orders of the seats."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One participant of a match."""

    name: str
    """Unique in the match, without ``:`` and ``|``; it stands in logs and file names."""
    command: Callable[[int, Path], Sequence[str]]
    """(seed, report file) -> the command that plays one seating once HOST and PORT are appended."""
    spec: str = ""
    """What the player is, for the plan file: a resumed match must have the same players."""
    resume: Callable[[Path], Sequence[str]] | None = None
    """(log) -> what the command needs besides to go on after the hands of a log. None: the player may remember earlier
    hands, so that a seating is not continued without it."""


TableJob: TypeAlias = "Callable[[MatchPlan, int, bool], str]"
"""(plan, number of the seating from 1, whether to go on after the hands in its log) -> one line that tells
:mod:`arena.table_process` to play a seating and to leave the files that a seating over TCP would leave."""

MATCH_FOLDER: Final = FolderKind(
    "a match",
    (MATCH_PLAN_FILE, *(f"seating_[0-9]*.{ending}" for ending in ("log", "json", "out", "err", "answers"))),
)
"""What a match leaves in its folder."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything a match depends on."""

    entrants: tuple[Entrant, ...]
    game: Path
    """Game definition file; its number of players is the number of entrants."""
    hands: int
    """Hands per seating."""
    seed: int
    """Seed of the cards (0 .. 2**32 - 1); the players' seeds are derived from it."""
    duplicate: bool
    out: Path
    """Existing folder for logs, outputs and reports."""
    dealer_options: tuple[str, ...] = ()
    """Further options of the dealer, for example ``("--t_response", "5000")``."""
    dealer_command: tuple[str, ...] = ()
    """Starts a dealer once the arguments and options of ``hedgehog dealer`` are appended; not needed with ``table``."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """What else decides the play, as plain values for the plan file."""
    table: TableJob | None = None
    """Plays in one process per seating; None: dealer and players are processes that talk over TCP."""

    def seatings(self) -> list[tuple[int, ...]]:
        """Returns the seatings to play; ``seating[s]`` is the index of the entrant in seat ``s``."""
        return seat_orders(len(self.entrants), duplicate=self.duplicate)

    def expected_log(self, index: int) -> ExpectedLog:
        """Returns what the log of seating ``index`` (from 1) says when it is finished."""
        label = f"seating_{index}"
        names = tuple(self.entrants[entrant].name for entrant in self.seatings()[index - 1])
        return ExpectedLog(self.out / f"{label}.log", label, self.game, self.hands, self.seed, names)

    def reports(self, index: int) -> tuple[Path, ...]:
        """Returns the report files of seating ``index`` (from 1), one per entrant."""
        return tuple(self.out / f"seating_{index}.{entrant.name}.json" for entrant in self.entrants)

    def answers(self, index: int) -> Path:
        """Returns where the dealer of seating ``index`` (from 1) records how the seats answer (not at a table)."""
        return self.out / f"seating_{index}.answers"

    def as_dict(self) -> dict[str, Any]:
        """Returns the plan as plain values: all that must be equal for a match to be resumed."""
        return {
            "players": [{"name": entrant.name, "spec": entrant.spec} for entrant in self.entrants],
            "game": self.game.name,
            "game_text": self.game.read_text("latin-1").splitlines(),
            "hands": self.hands,
            "seed": self.seed,
            "duplicate": self.duplicate,
            "dealer_options": list(self.dealer_options),
            **self.settings,
        }


@dataclass(frozen=True, slots=True)
class PlayedSeating:
    """The files one seating has left."""

    log: Path
    """The dealer's log."""
    reports: tuple[Path, ...]
    """Report file per entrant, in the order of the plan; an external player writes none."""
    answers: Path | None = None
    """The dealer's record of the answers (:mod:`dealer.answers`); None: there was no dealer."""


@dataclass(frozen=True, slots=True)
class SeatingState:
    """How far a seating is that an interrupted run has left."""

    hands: int
    """Whole hands in its log."""
    finished: bool = False
    damaged: bool = False
    """The log is not the beginning of the expected one."""
    remembering: tuple[str, ...] = ()
    """Names of the players that may remember earlier hands."""


def verify_resumable(plan: MatchPlan) -> None:
    """Checks that the folder of a match is new or empty, or holds the same match.

    :raises InputError: if it holds another match, or files of one without its plan.
    """
    plan_file = plan.out / MATCH_PLAN_FILE
    if plan_file.exists():
        verify_same_plan(plan.as_dict(), read_json_object(plan_file), plan_file)
    elif plan.out.is_dir() and any(plan.out.iterdir()):
        raise InputError(f"holds files of a match, but not its {MATCH_PLAN_FILE}", source=str(plan.out))


def seating_states(plan: MatchPlan) -> list[SeatingState]:
    """Reads how far the seatings in the folder of a match are."""
    remembering = tuple(entrant.name for entrant in plan.entrants if entrant.resume is None)
    states = []
    for index in range(1, len(plan.seatings()) + 1):
        expected = plan.expected_log(index)
        if read_finished_log(expected) is not None:
            states.append(SeatingState(plan.hands, finished=True))
        else:
            hands = count_unfinished_hands(expected)
            states.append(SeatingState(hands or 0, damaged=hands is None, remembering=remembering))
    return states


def seat_orders(num_players: int, *, duplicate: bool) -> list[tuple[int, ...]]:
    """Returns the orders in which players are seated; ``order[s]`` is the player in seat ``s``."""
    order = tuple(range(num_players))
    if not duplicate:
        return [order]
    if num_players <= _MAX_PERMUTED:
        return list(itertools.permutations(order))
    return [order[first:] + order[:first] for first in order]


def player_seed(match_seed: int, entrant: int, seating: int) -> int:
    """Derives a player's seed (32 bits), different for every entrant and seating.

    With one seed for all, two equal players would draw the same random numbers, and a player the same ones in every
    seating: the seatings would no longer be independent of each other given the cards.
    """
    digest = hashlib.sha256(f"{match_seed}/{entrant}/{seating}".encode()).digest()
    return int.from_bytes(digest[:4], "little")
