"""Measures what a perfect opponent wins from a player on turn and river, turn by turn, on any engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hedgehog.agent.player import Player, ReportsStrategy
from hedgehog.agent.spec_files import spec_digest
from hedgehog.agent.specs import parse_player_spec, ready_player
from hedgehog.analysis.endgame.judge import gain_by_line, judge_of, judge_spot, value_of
from hedgehog.analysis.endgame.lines import ResponderSizes, ask_lines
from hedgehog.analysis.endgame.turns import Turn, TurnSample, ranges_at, sample_turns
from hedgehog.analysis.lbr.match import open_player
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.errors import InputError

TURN_SIZES: Final = "33%,150%,a/a"
RIVER_SIZES: Final = "33%,150%,a/a"
VALUE_ITERATIONS: Final = 500
LEAST_SHARE: Final = 1e-4
"""Share of the pot from which on the gain of a line is reported."""


@dataclass(frozen=True, slots=True)
class EndgameJob:
    """Describes a measurement."""

    spec: str
    """Specification of the player under test."""
    gamedef: GameDef
    seed: int
    think_ms: int = 300
    threads: int | None = None
    turn_sizes: str = TURN_SIZES
    """Bet sizes of the responder on the turn beside those of the player (:mod:`hedgehog.poker.betsizes`)."""
    river_sizes: str = RIVER_SIZES
    value_iterations: int = VALUE_ITERATIONS
    """Iterations of the exact solve that gives the value of a turn; 0: no turn is solved."""

    @property
    def sizes(self) -> ResponderSizes:
        """The responder's bet sizes.

        :raises SpotError: if they are malformed.
        """
        return ResponderSizes(parse_bet_sizes(self.turn_sizes), parse_bet_sizes(self.river_sizes))


class SeatResult(NamedTuple):
    """What the best response of one seat wins on a turn from the player in the other seat, in chips per hand there."""

    gain: float
    """More than the player itself wins in this seat."""
    loss: float | None
    """More than the seat would win under exact play of both; None without an exact solve."""
    lines: dict[str, float]
    """The gain by where the best response first leaves the player's own strategy
    (:func:`hedgehog.analysis.endgame.judge.gain_by_line`), the largest first, without very small ones."""


class TurnResult(NamedTuple):
    """The measurement of one turn."""

    hand: int
    """Number of the hand of self-play."""
    betting: str
    board: tuple[int, ...]
    pot: int
    seats: tuple[SeatResult, SeatResult]
    """By the position of the best response."""
    bracket: float | None
    """Chips by which the value of the turn may be off either way."""
    questions: int
    """Decisions at which the player was asked."""
    cpu_seconds: float | None = None
    """CPU time of the measurement; None if it is not known any more."""

    @property
    def share(self) -> float:
        """Mean gain of both seats as a share of the pot.

        The values of the two seats cancel out, whether they are those of self-play or of exact play.
        """
        return sum(seat.gain for seat in self.seats) / 2 / self.pot


def draw_turns(job: EndgameJob, number: int) -> TurnSample:
    """Returns the turns of a measurement, drawn from self-play of the player without thinking time.

    :raises InputError: if the player cannot play the game, or too few hands come to a turn.
    """
    verify_endgame_game(job.gamedef)
    player: Player = ready_player(job.spec, job.gamedef, seed=job.seed)
    return sample_turns(player, job.gamedef, number, job.seed)


def verify_endgame_game(gamedef: GameDef) -> None:
    """Checks that turns of a game can be measured.

    :raises InputError: if it is not heads-up no-limit hold'em.
    """
    if not gamedef.is_holdem or not gamedef.no_limit or gamedef.num_players != 2:
        raise InputError("turns can be measured in heads-up no-limit hold'em only")


def measure_turn(player: ReportsStrategy, job: EndgameJob, turn: Turn) -> TurnResult:
    """Returns what exact best responses of both seats win on a turn.

    :param player: the player under test, ready for the game.
    :raises InputError: if the player never comes to this turn.
    :raises MatchError: if the player fails, or reports no strategy.
    """
    started = time.process_time()
    ranges = ranges_at(player, job.gamedef, turn)
    played = ask_lines(player, job.gamedef, turn, ranges, job.sizes)
    behind = min(job.gamedef.stacks) - parse_betting(turn.betting, job.gamedef).round_start
    spot = judge_spot(turn, behind, played, ranges)
    judge = judge_of(spot, played, job.threads or 1)
    found = judge.exploitability()
    lines = [gain_by_line(judge, seat) for seat in (0, 1)]
    del judge  # the exact solve needs its memory
    value = value_of(spot, job.value_iterations, job.threads or 1) if job.value_iterations else None
    seats = []
    for seat, best in enumerate(found.best_response_ev_minus_half_pot):
        worth = None if value is None else value.chips if seat else -value.chips
        kept = {line: gain for line, gain in lines[seat].items() if gain >= LEAST_SHARE * turn.pot}
        loss = None if worth is None else best - worth
        seats.append(SeatResult(best - found.ev_minus_half_pot[seat], loss, kept))
    return TurnResult(
        hand=turn.hand,
        betting=turn.betting,
        board=turn.board,
        pot=turn.pot,
        seats=(seats[0], seats[1]),
        bracket=None if value is None else value.bracket,
        questions=len(played.rows),
        cpu_seconds=time.process_time() - started,
    )


def measure_turns(
    job: EndgameJob,
    turns: Sequence[Turn],
    engine: Engine | None = None,
    note: Callable[[str], None] = lambda _: None,
    status: Path | None = None,
) -> Iterator[TurnResult]:
    """Measures turns and yields their results, in any order.

    No result depends on the engine or on the number of its workers, unless the player thinks for a time.

    :param engine: measures the turns and stays open; None for this process.
    :param note: called with what a user wants to know of the workers.
    :param status: file of the status for other shells; None for none.
    :raises InputError: if the player does not report its strategy, cannot play the game, or never comes to a turn.
    :raises MatchError: if a class of the user fails.
    :raises ResourceError: if workers keep dying or cannot be reached.
    """
    pieces = tuple(Piece(turn, f"the turn of hand {turn.hand}") for turn in turns)
    yield from do_pieces(Pieces(pieces, _open_turns, _player_digest, (job,), "turn"), engine, note, status=status)


def _open_turns(job: EndgameJob) -> Callable[[Turn], TurnResult]:
    player = open_player(job.spec, job.gamedef, job.seed, job.think_ms, job.threads)
    return lambda turn: measure_turn(player, job, turn)


def _player_digest(job: EndgameJob) -> str:
    return spec_digest(parse_player_spec(job.spec).for_game(job.gamedef))
