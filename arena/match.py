"""Describes one match: its players, its seatings, its files, and how far an interrupted match has come.

A duplicate match plays the same cards in several orders of the seats. Two players play both orders, three players all 6
orders, and n > 3 players the n rotations of one order. Cards are dealt to positions, and positions rotate in the same
way in every seating. So over all seatings every player holds the cards of every seat.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from hedgehog.arena.plans import verify_same_plan
from hedgehog.arena.seating_log import ExpectedLog, count_unfinished_hands, read_finished_log
from hedgehog.poker.acpc.gamedef import read_gamedef_text
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import FolderKind

MATCH_PLAN_FILE: Final = "match.plan"
"""Name of the plan file in the folder of a match. It is JSON; the files ``*.json`` beside it are reports of players."""
RECORD_SUFFIX: Final = ".decisions"
"""Ending of the names of records of decisions (:mod:`hedgehog.agent.decision_record`)."""
_MAX_PERMUTED = 3
"""Largest number of players for which a duplicate match plays all orders of the seats."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One participant of a match."""

    name: str
    """Unique in the match, without ``:`` and ``|``; it stands in logs and file names."""
    command: Callable[[int, Path], Sequence[str]]
    """Returns for a seed and a report file the command that plays one seating; HOST and PORT are appended to it."""
    spec: str = ""
    """Specification of the player for the plan file. A resumed match must have the same players."""
    resume: Callable[[Path], Sequence[str]] | None = None
    """Returns for a log the further arguments with which the command goes on after the hands in that log. None: the
    player may remember earlier hands, so that its unfinished seatings start anew."""


TableJob: TypeAlias = "Callable[[MatchPlan, int, bool], str]"
"""Returns the line that tells a process of :mod:`hedgehog.arena.table_process` to play a seating.

The arguments are the plan of the match, the number of the seating from 1, and whether to go on after the hands in its
log. The process leaves the same files as a seating over TCP."""

_SEATING_FILES: Final = tuple(f"seating_[0-9]*.{one}" for one in ("log", "json", "out", "err", "answers", "decisions"))
MATCH_FOLDER: Final = FolderKind(
    "a match",
    (
        MATCH_PLAN_FILE,
        STATUS_FILE,
        *_SEATING_FILES,
        *(f"seating_[0-9]*.blocks/[0-9]*/{pattern}" for pattern in _SEATING_FILES),
    ),
)
"""The files that a match leaves in its folder."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that a match depends on."""

    entrants: tuple[Entrant, ...]
    game: Path
    """Game definition file; its number of players is the number of entrants."""
    hands: int
    """Hands per seating."""
    seed: int
    """Seed of the cards (0 .. 2**32 - 1); the players' seeds are derived from it."""
    duplicate: bool
    """Whether the same cards are played in several orders of the seats."""
    out: Path
    """Existing folder for logs, outputs and reports."""
    dealer_options: tuple[str, ...] = ()
    """Further options of the dealer, for example ``("--t_response", "5000")``."""
    dealer_command: tuple[str, ...] = ()
    """Command that starts a dealer; the arguments of ``hedgehog dealer`` are appended. Not needed with ``table``."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Further settings that decide the play, as plain values for the plan file."""
    table: TableJob | None = None
    """Jobs for processes in which all players of a seating sit; None: dealer and players are processes on TCP."""
    first_hand: int = 0
    """Number of the first hand; more than 0 in blocks alone."""

    @property
    def block_hands(self) -> int | None:
        """Number of hands of a block; None: every seating is played in one piece."""
        found = self.settings.get("block_hands")
        return found if isinstance(found, int) and found > 0 else None

    def seatings(self) -> list[tuple[int, ...]]:
        """Returns the seatings to play; ``seating[s]`` is the index of the entrant in seat ``s``."""
        return seat_orders(len(self.entrants), duplicate=self.duplicate)

    def expected_log(self, index: int) -> ExpectedLog:
        """Returns what the finished log of seating ``index`` (from 1) must say."""
        label = f"seating_{index}"
        names = tuple(self.entrants[entrant].name for entrant in self.seatings()[index - 1])
        return ExpectedLog(self.out / f"{label}.log", label, self.game, self.hands, self.seed, names, self.first_hand)

    def parts(self, index: int) -> list[MatchPlan]:
        """Returns what is played of seating ``index`` (from 1): the match itself, or a match for each block of hands.

        A block has the cards, positions and hand numbers of its hands in the seating, and a folder of its own. Its
        players start afresh. Hands that stand in the log of the seating already are in no block.
        """
        size = self.block_hands
        if size is None:
            return [self]
        joined = count_unfinished_hands(self.expected_log(index)) or 0
        return [
            replace(
                self,
                hands=min(size, self.hands - first),
                first_hand=first,
                out=self.blocks_folder(index) / str(first),
                settings={key: value for key, value in self.settings.items() if key != "block_hands"},
            )
            for first in range(0 if joined % size or joined >= self.hands else joined, self.hands, size)
        ]

    def unfinished_logs(self, index: int) -> list[Path]:
        """Returns the logs that hold the hands of seating ``index`` (from 1) as long as it is played, in order."""
        whole = self.expected_log(index).path
        if self.block_hands is None or read_finished_log(self.expected_log(index)) is not None:
            return [whole]
        parts = self.parts(index)
        earlier = [whole] if parts[0].first_hand else []
        return [*earlier, *(part.expected_log(index).path for part in parts)]

    def blocks_folder(self, index: int) -> Path:
        """Returns the folder of the blocks of seating ``index`` (from 1), which is there until they are joined."""
        return self.out / f"seating_{index}.blocks"

    def reports(self, index: int) -> tuple[Path, ...]:
        """Returns the report files of seating ``index`` (from 1), one per entrant."""
        return tuple(self.out / f"seating_{index}.{entrant.name}.json" for entrant in self.entrants)

    def records(self, index: int) -> tuple[Path, ...]:
        """Returns the records of decisions of seating ``index`` (from 1), one per entrant. Not all of them need exist.

        :mod:`hedgehog.agent.decision_record` describes them."""
        log = self.expected_log(index).path
        return tuple(record_path(log, entrant.name) for entrant in self.entrants)

    def answers(self, index: int) -> Path:
        """Returns the file in which the dealer of seating ``index`` (from 1) records the answers. Only TCP has one."""
        return self.out / f"seating_{index}.answers"

    def played(self, index: int) -> PlayedSeating:
        """Returns the files of seating ``index`` (from 1), which was played to its end."""
        answers = self.answers(index) if self.table is None else None
        return PlayedSeating(self.expected_log(index).path, self.reports(index), answers)

    def as_dict(self) -> dict[str, Any]:
        """Returns as plain values everything in the plan that must be equal for a match to be resumed."""
        return {
            "players": [{"name": entrant.name, "spec": entrant.spec} for entrant in self.entrants],
            "game": self.game.name,
            "game_text": read_gamedef_text(self.game).splitlines(),
            "hands": self.hands,
            "seed": self.seed,
            "duplicate": self.duplicate,
            "dealer_options": list(self.dealer_options),
            **self.settings,
        }


@dataclass(frozen=True, slots=True)
class PlayedSeating:
    """The files that one seating has left."""

    log: Path
    """The match log."""
    reports: tuple[Path, ...]
    """Report file of each entrant, in the order of the plan. The file of an external player does not exist."""
    answers: Path | None = None
    """The dealer's record of the answers (:mod:`hedgehog.dealer.answers`); None: the seating was played without a
    dealer."""


@dataclass(frozen=True, slots=True)
class SeatingState:
    """How far a seating of an interrupted match, or a block of it, has come."""

    index: int
    """Number of the seating, from 1."""
    hands: int
    """Number of whole hands in its log."""
    finished: bool = False
    """True if the log is complete."""
    damaged: bool = False
    """True if the log is not the beginning of the log that it should be."""
    remembering: tuple[str, ...] = ()
    """Names of the players that may remember earlier hands; empty for a finished seating."""


def verify_resumable(plan: MatchPlan) -> None:
    """Verifies that the folder of a match is new or empty, or holds the same match.

    :raises InputError: if the folder holds another match, or files without a plan.
    """
    plan_file = plan.out / MATCH_PLAN_FILE
    if plan_file.exists():
        verify_same_plan(plan.as_dict(), plan_file)
    elif plan.out.is_dir() and any(plan.out.iterdir()):
        raise InputError(f"holds files of a match, but not its {MATCH_PLAN_FILE}", source=str(plan.out))


def seating_states(plan: MatchPlan) -> list[SeatingState]:
    """Returns how far each seating, or each block of it, in the folder of a match has come, in order."""
    remembering = tuple(entrant.name for entrant in plan.entrants if entrant.resume is None)
    states = []
    for index in range(1, len(plan.seatings()) + 1):
        if read_finished_log(plan.expected_log(index)) is not None:
            states.append(SeatingState(index, plan.hands, finished=True))
            continue
        parts = plan.parts(index)
        if parts[0].first_hand:  # the blocks before were joined when the match had fewer hands
            states.append(SeatingState(index, parts[0].first_hand, finished=True))
        for part in parts:
            expected = part.expected_log(index)
            if part is not plan and read_finished_log(expected) is not None:
                states.append(SeatingState(index, part.hands, finished=True))
                continue
            hands = count_unfinished_hands(expected)
            states.append(SeatingState(index, hands or 0, damaged=hands is None, remembering=remembering))
    return states


def common_hands(plan: MatchPlan) -> list[int]:
    """Returns the numbers of the hands that all seatings in the folder of a match hold so far, in order.

    They are groups of hands with the same cards, and stand in the logs that :meth:`MatchPlan.unfinished_logs` names.
    """
    common: set[int] | None = None
    for index in range(1, len(plan.seatings()) + 1):
        hands: set[int] = set()
        if read_finished_log(plan.expected_log(index)) is not None:
            hands.update(range(plan.hands))
        else:
            parts = plan.parts(index)
            hands.update(range(parts[0].first_hand))
            for part in parts:
                expected = part.expected_log(index)
                finished = part is not plan and read_finished_log(expected) is not None
                whole = part.hands if finished else count_unfinished_hands(expected) or 0
                hands.update(range(part.first_hand, part.first_hand + whole))
        common = hands if common is None else common & hands
    return sorted(common or ())


def seat_orders(num_players: int, *, duplicate: bool) -> list[tuple[int, ...]]:
    """Returns the orders in which the players of a match are seated; ``order[s]`` is the player in seat ``s``."""
    order = tuple(range(num_players))
    if not duplicate:
        return [order]
    if num_players <= _MAX_PERMUTED:
        return list(itertools.permutations(order))
    return [order[first:] + order[:first] for first in order]


def player_seed(match_seed: int, entrant: int, seating: int, first_hand: int = 0) -> int:
    """Returns the seed (32 bits) of a player in a seating, or in a block of one, derived from the seed of the match.

    Every player gets another seed in every seating. With one seed for all, two equal players would draw the same random
    numbers, and a player would draw the same numbers in every seating. The seatings would then no longer be independent
    of each other given the cards. The same holds for blocks.
    """
    block = f"/{first_hand}" if first_hand else ""
    digest = hashlib.sha256(f"{match_seed}/{entrant}/{seating}{block}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


def record_path(log: Path, name: str) -> Path:
    """Returns the path of a player's record beside the log of a match: ``LOG.NAME.decisions``, without ``.log``.

    :param log: the match log.
    :param name: the player's name in the log.
    """
    return log.with_name(f"{log.name.removesuffix('.log')}.{name}{RECORD_SUFFIX}")
