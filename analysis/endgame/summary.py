"""Measures the turns of a measurement that have no result yet, and says what all of them together tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hedgehog.analysis.endgame.measure import EndgameJob, TurnResult, measure_turns
from hedgehog.analysis.endgame.results import EndgameResults
from hedgehog.analysis.endgame.turns import Turn, TurnSample
from hedgehog.analysis.parts import WHOLE, Part
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.estimate_plot import plot_estimates
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.status import status_file
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import MISSING, Column, Table
from hedgehog.runtime.watch import SILENT, Watch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEATS: Final = ("first to act", "second to act")
"""The positions of a best response on turn and river."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EndgameMeasurement(Shown):
    """What is known of a measurement: what exact best responses win from a player on turns and their rivers."""

    job: EndgameJob
    """What was measured."""
    sample: TurnSample
    """The turns that were drawn."""
    turns: list[TurnResult]
    """The results of the drawn turns that were measured, in their order; a turn drawn twice stands there twice."""
    interrupted: bool
    """Whether the watch, or Ctrl-C, ended it early."""

    @property
    def mbb_per_percent(self) -> float:
        """What one percent of the pot on the turn is in mbb per hand of the whole game."""
        return 10 * self.sample.mean_pot / self.job.gamedef.big_blind

    def percent_of_pot(self, position: int | None = None) -> Estimate:
        """Returns what best responses win more than the player itself would, in percent of the pot on the turn.

        :param position: position of the best response; None for the mean of both.
        :raises InputError: if no turn was measured.
        """
        if not self.turns:
            raise InputError("expected a measurement with at least one turn, got one without any")
        if position is None:
            return mean_estimate([100 * turn.share for turn in self.turns])
        return mean_estimate([100 * turn.seats[position].gain / turn.pot for turn in self.turns])

    def document(self) -> dict[str, Any]:
        """Returns everything as plain data (:func:`describe_endgames`); there must be a turn."""
        return describe_endgames(self.turns, self.sample, self.job.gamedef.big_blind)

    def summary(self) -> str:
        """Returns the player, the turns, and what is won on average."""
        head = f"{self.job.spec}, {len(self.turns)} of {len(self.sample.drawn)} turns"
        if not self.turns:
            return head
        won = self.percent_of_pot()
        mbb = self.mbb_per_percent * won.mean
        return f"{head}, wins {format_estimate(won, 2)} % of the pot, {mbb:+.1f} mbb/hand"

    def table(self) -> Table:
        """Returns a row for each turn: gains of best responses in percent of its pot, for both seats and in each."""
        percent = "{:.2f}".format

        def maybe(value: float | None) -> str:
            return MISSING if value is None else percent(value)

        rows = []
        for turn in self.turns:
            scale = 100 / turn.pot
            gains = [scale * seat.gain for seat in turn.seats]
            losses = [None if seat.loss is None else scale * seat.loss for seat in turn.seats]
            bracket = None if turn.bracket is None else scale * turn.bracket
            place = _place(turn)
            rows.append((turn.hand, *place.values(), 100 * turn.share, *gains, *losses, bracket, turn.questions))
        columns = [
            Column("hand"), Column("betting"), Column("board"), Column("pot"),
            Column("percent_of_pot", "both", percent),
            Column("first_over_self_play", "first", percent), Column("second_over_self_play", "second", percent),
            Column("first_over_exact", "first, exact", maybe), Column("second_over_exact", "second, exact", maybe),
            Column("bracket_percent", "±", maybe), Column("questions"),
        ]  # fmt: skip
        note = "Won by best responses, in % of the pot on the turn; exact: over what exact play of both would win."
        return Table("turns", "Perfect play on turn and river", columns, tuple(rows), note)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the mean gains of best responses with their 95 % intervals, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if no turn was measured, or matplotlib is not installed.
        """
        means = [self.percent_of_pot(position) for position in (None, 0, 1)]
        label = "won by best responses, % of the pot on the turn, with 95 % interval"
        return plot_estimates(("both seats", *SEATS), means, label, axes)


class WorstLine(NamedTuple):
    """The place on a turn at which a best response gains most by leaving the player's own strategy."""

    turn: TurnResult
    position: int
    """Position of the best response."""
    line: str
    share: float
    """The gain as a share of the pot."""


def measure_sample(
    job: EndgameJob,
    sample: TurnSample,
    *,
    engine: Engine | None = None,
    part: Part = WHOLE,
    kept: EndgameResults | None = None,
    watch: Watch = SILENT,
) -> EndgameMeasurement:
    """Measures the drawn turns that have no result yet.

    :param part: the part of the turns to measure.
    :param engine: measures the turns (:func:`hedgehog.runtime.engines.opening.open_engine`); None for this process.
    :param kept: file with results, to which new ones are added; its turns are not measured again. In the end it holds
        what it would hold if they had been measured one after the other.
    :param watch: hears of turns, and can stop the measurement; so can Ctrl-C, which is not raised again.
    :raises InputError: if a kept result is of another turn than the one drawn.
    """
    wanted = {turn.hand: turn for turn in sample.drawn}
    done = {} if kept is None else {hand: turn for hand, turn in kept.turns.items() if hand in wanted}
    for hand, turn in done.items():
        if Turn(hand, turn.betting, turn.board, turn.pot) != wanted[hand]:
            raise InputError(f"the kept result of hand {hand} is of another turn: the player's packs have changed")
    mine = part.pick(list(wanted.values()))
    missing = [turn for turn in spread(list(mine)) if turn.hand not in done]
    before = len(mine) - len(missing)
    interrupted = False
    watch.begin("turns", len(mine), "turns", "starting")
    if before:
        watch.update(before)
    status = None if kept is None else status_file(kept.path)
    try:
        for number, found in enumerate(measure_turns(job, missing, engine, watch.warn, status), before + 1):
            done[found.hand] = found
            if kept is not None:
                kept.add(found)
            watch.update(number, "")
            if watch.stopped:
                interrupted = number < len(mine)
                break
    except KeyboardInterrupt:
        interrupted = True
    if kept is not None:
        kept.settle()
    measured = [done[turn.hand] for turn in sample.drawn if turn.hand in done]
    return EndgameMeasurement(job, sample, measured, interrupted)


def spread(turns: Sequence[Turn]) -> list[Turn]:
    """Returns the turns in another order, of which the first ones are spread over the whole sequence.

    A measurement that is broken off then has seen turns of all pots. It is the order of the numbers of the turns with
    their binary digits reversed.
    """
    digits = max(len(turns) - 1, 1).bit_length()
    return [turns[i] for i in sorted(range(len(turns)), key=lambda i: f"{i:0{digits}b}"[::-1])]


def _cpu_s(turns: Sequence[TurnResult]) -> float | None:
    """Returns the mean CPU time of a seat of a turn over the turns whose time is known; None if there are none."""
    known = [turn.cpu_seconds for turn in turns if turn.cpu_seconds is not None]
    return sum(known) / (2 * len(known)) if known else None


def worst_line(turns: Sequence[TurnResult]) -> WorstLine | None:
    """Returns where a best response gains the largest share of a pot; None if it gains next to nothing anywhere."""
    lines = [
        WorstLine(turn, position, line, gain / turn.pot)
        for turn in turns
        for position, seat in enumerate(turn.seats)
        for line, gain in seat.lines.items()
    ]
    return max(lines, key=lambda line: line.share, default=None)


def describe_endgames(turns: Sequence[TurnResult], sample: TurnSample, big_blind: int) -> dict[str, Any]:
    """Returns what a measurement tells as plain data. A figure that the turns cannot give is None.

    Shares are in percent of the pot at the start of the turn. In mbb per hand of the whole game the responder follows
    the player up to the turn.

    :param turns: results of drawn turns, at least one.
    """
    per_percent = 10 * sample.mean_pot / big_blind
    mean = mean_estimate([100 * turn.share for turn in turns])
    largest, worst = max(turns, key=lambda turn: turn.share), worst_line(turns)
    brackets = [100 * turn.bracket / turn.pot for turn in turns if turn.bracket is not None]
    return {
        "turns": len(turns),
        "drawn": len(sample.drawn),
        "hands_of_self_play": sample.hands,
        "share_with_turn": sample.turns / sample.hands,
        "mean_pot_chips": sample.mean_pot,
        "mbb_per_percent": per_percent,
        "percent_of_pot": _numbers(mean),
        "mbb_per_hand": _numbers(mean, per_percent),
        "seats": [_describe_seat(turns, position) for position in (0, 1)],
        "bracket_percent": sum(brackets) / len(brackets) if brackets else None,
        "largest": {"percent_of_pot": 100 * largest.share, **_place(largest)},
        "worst_line": None
        if worst is None
        else {
            "percent_of_pot": 100 * worst.share,
            "position": worst.position,
            "line": worst.line,
            **_place(worst.turn),
        },
        "questions": sum(turn.questions for turn in turns),
        "cpu_s_per_turn_and_seat": _cpu_s(turns),
        "results": [_describe_turn(turn) for turn in turns],
    }


def _describe_seat(turns: Sequence[TurnResult], position: int) -> dict[str, Any]:
    seats = [(turn.seats[position], turn.pot) for turn in turns]
    losses = [100 * seat.loss / pot for seat, pot in seats if seat.loss is not None]
    return {
        "position": position,
        "over_self_play": _numbers(mean_estimate([100 * seat.gain / pot for seat, pot in seats])),
        "over_exact_value": _numbers(mean_estimate(losses)) if losses else None,
    }


def _describe_turn(turn: TurnResult) -> dict[str, Any]:
    return {
        "hand": turn.hand,
        **_place(turn),
        "percent_of_pot": 100 * turn.share,
        "over_self_play": [100 * seat.gain / turn.pot for seat in turn.seats],
        "over_exact_value": [None if seat.loss is None else 100 * seat.loss / turn.pot for seat in turn.seats],
        "bracket_percent": None if turn.bracket is None else 100 * turn.bracket / turn.pot,
        "lines": [{line: 100 * gain / turn.pot for line, gain in seat.lines.items()} for seat in turn.seats],
        "questions": turn.questions,
        "cpu_s": turn.cpu_seconds,
    }


def _place(turn: TurnResult) -> dict[str, Any]:
    return {"betting": turn.betting, "board": format_cards(turn.board), "pot": turn.pot}


def _numbers(estimate: Estimate, factor: float = 1.0) -> dict[str, float | None]:
    half = factor * estimate.half_width if estimate.has_interval else None
    return {"mean": factor * estimate.mean, "ci95": half, "sd": factor * estimate.sd if estimate.n > 1 else None}
