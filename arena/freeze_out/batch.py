"""Plays many pairs of freeze-outs, also in several processes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

from hedgehog.agent.play_record import PlayRecord, starting
from hedgehog.agent.specs import PlayerSpec
from hedgehog.arena.freeze_out.game import PlayedHand, card_seed, play_pair
from hedgehog.arena.freeze_out.logs import FreezeOutFolder, GameLog
from hedgehog.arena.freeze_out.players import make_freeze_out_player
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.arena.freeze_out.tally import PairResult, Tally, expected_value
from hedgehog.arena.in_process import Seat
from hedgehog.arena.worker_pool import leave_signals_to_the_parent, play_parts
from hedgehog.gametheory.tournaments.jam_tables import JamTables

_PAIRS_PER_TASK: Final = 25


@dataclass(frozen=True, slots=True)
class FreezeOutTask:
    """Freeze-outs between two players; the pairs of games are numbered from 0."""

    specs: tuple[PlayerSpec, PlayerSpec]
    names: tuple[str, str]
    """Names of the players in the logs."""
    rules: FreezeOutRules
    seed: int
    think_ms: int = 0
    """Most milliseconds of thinking of our player per decision; 0 plays from the packs alone."""
    tables: JamTables | None = None
    """Strategies of the player ``jamfold``; None: it plays every hand for chips."""
    folder: FreezeOutFolder | None = None
    """Where the logs go; None: none are written."""

    def seats(self) -> list[Seat]:
        """Returns the players, loaded and compiled.

        :raises InputError: if a player cannot be made.
        :raises PackError: if a strategy pack is missing or damaged.
        """
        made = [make_freeze_out_player(spec, self.rules, self.tables, think_ms=self.think_ms) for spec in self.specs]
        for player in made:
            with starting():
                player.warm_up()
        return [Seat(player, PlayRecord()) for player in made]


@dataclass(slots=True)
class Faults:
    """Decisions of a player that failed."""

    count: int = 0
    """Errors and illegal actions; a call was played instead."""
    failures: dict[str, int] = field(default_factory=dict)
    """What went wrong -> how often (:attr:`hedgehog.agent.play_record.PlayRecord.failures`)."""

    def add(self, other: Faults) -> None:
        """Adds the faults of other games."""
        self.count += other.count
        for text, times in other.failures.items():
            self.failures[text] = self.failures.get(text, 0) + times


class Block(NamedTuple):
    """The results of some pairs."""

    pairs: list[PairResult]
    faults: tuple[Faults, Faults]
    """What went wrong inside each player."""


def play_freeze_outs(task: FreezeOutTask, pairs: Sequence[int], jobs: int = 1) -> Iterator[Block]:
    """Plays pairs of games and yields their results in blocks, in any order.

    No result depends on the number of processes. Pairs whose block was not yielded may have left logs, too.

    :param pairs: numbers of the pairs.
    :param jobs: number of processes; with 1, this process plays.
    :raises InputError: if a player cannot play.
    :raises PackError: if a strategy pack is missing or damaged.
    :raises MatchError: if a class of the user fails, or a process is killed.
    :raises ResourceError: if a log cannot be written.
    """
    if jobs == 1:
        seats = task.seats()
        for pair in pairs:
            yield _play_block(task, seats, [pair])
        return
    size = 1 if task.think_ms else _PAIRS_PER_TASK
    parts = [pairs[at : at + size] for at in range(0, len(pairs), size)]
    yield from play_parts(jobs, _start_worker, (task,), _play_part, [(part,) for part in parts])


class _Worker:
    """The state of a worker process."""

    task: FreezeOutTask
    seats: Callable[[], list[Seat]]
    """Returns the players, which the first call makes, or raises what prevents it."""


def _start_worker(task: FreezeOutTask) -> None:
    leave_signals_to_the_parent()
    logging.getLogger("hedgehog.agent.pack_player").setLevel(logging.ERROR)  # every process would warn of the depth
    _Worker.task = task
    _Worker.seats = cache(task.seats)


def _play_part(pairs: Sequence[int]) -> Block:
    return _play_block(_Worker.task, _Worker.seats(), pairs)


def _play_block(task: FreezeOutTask, seats: Sequence[Seat], pairs: Sequence[int]) -> Block:
    """Plays pairs of games with players that are ready, and writes their logs."""
    fresh = [Seat(seat.player, PlayRecord()) for seat in seats]
    results = [_play_pair(task, fresh, pair) for pair in pairs]
    first, second = (
        Faults(seat.record.player_errors + seat.record.illegal_actions, seat.record.failures) for seat in fresh
    )
    return Block(results, (first, second))


def _play_pair(task: FreezeOutTask, seats: Sequence[Seat], pair: int) -> PairResult:
    tally = Tally(task.rules)
    logs = [GameLog(task.rules, task.names) for _ in range(2)]

    def on_hand(game: int, hand: PlayedHand) -> None:
        position = hand.order.index(0)
        won = hand.values[position]
        tally.add(hand.number, won, expected_value(hand.state, hand.deal.hole_cards, hand.deal.board, won, position))
        if task.folder is not None:
            logs[game].add(hand)

    games = play_pair(task.rules, seats, task.seed, pair, on_hand)
    if task.folder is not None:
        for game, log in enumerate(logs):
            task.folder.write(pair, game, log, card_seed(task.seed, pair))
    return PairResult(pair, games, tally.big_blinds, tally.adjusted)
