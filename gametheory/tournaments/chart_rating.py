"""Rates a jam/fold chart in the tournament of two players: what it wins, what it can lose, and at which hands.

Three opponents are asked. The *equilibrium* of the tournament shows where the chart loses: by the performance
difference lemma (Kakade and Langford 2002, lemma 6.1) the chart's loss is the sum over all hands of the tournament of
what each decision gives away if the equilibrium goes on. The *best jam/fold opponent* knows the chart and jams, calls
and folds against it. The *unrestricted opponent* may also limp or raise less; what it leaves is what the chart
guarantees, and a perfect player has at most what the bound (:class:`hedgehog.gametheory.tournaments.jam_fold.Bound`)
leaves it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.gametheory.tournaments.jam_fold import (
    Structure,
    Tournament,
    add_outcome,
    outcomes_of_showdowns,
    small_blind_outcomes,
)
from hedgehog.gametheory.tournaments.jam_stages import HandTables
from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.errors import GameError

SMALL: Final = 0
BIG: Final = 1
_MOST_ROUNDS: Final = 100
_SAME: Final = 1e-13

Reply = Callable[[int, int, Floats, Floats], dict[int, float]]
"""What an opponent does: (seat, hero's stack, hero's values in the small and in the big blind by stack, ends included)
-> the hero's stacks after the hand and their probabilities."""


@dataclass(frozen=True, slots=True)
class JamChart:
    """What a player does with every stack of a tournament. Where it has no decision the rows are not used."""

    jam: Floats
    """float64 (stacks, classes): probability that it jams in the small blind, by its stack."""
    call: Floats
    """float64 (stacks, classes): probability that it calls a jam in the big blind, by its stack."""
    over_limp: Floats
    """float64 (stacks, classes): probability to jam over a limp or a smaller raise; else it gives up the blind."""


class HandLoss(NamedTuple):
    """What a chart gives away with one hand class at one of the two decisions, over a whole tournament."""

    seat: int
    """:data:`SMALL`: to jam or fold. :data:`BIG`: to call a jam or fold."""
    hand: int
    """Number of the class."""
    taken: float
    """How often the chart jams or calls, where the decision comes up."""
    best: float
    """How often jamming or calling is better than folding, where the decision comes up."""
    loss: float
    """Win probability lost per tournament."""


class ChartRating(NamedTuple):
    """How good a chart is. The first of two numbers is with the first button, the second without it."""

    wins: tuple[float, float]
    """Probability to win the tournament against the equilibrium."""
    best_jam_fold: tuple[float, float]
    """The same against the best opponent who jams or folds."""
    guaranteed: tuple[float, float]
    """The same at least, against any opponent."""
    equilibrium: tuple[float, float]
    """What the equilibrium wins against itself."""
    perfect: tuple[float, float]
    """What a perfect player wins at most."""
    hands: tuple[HandLoss, ...]
    """All hands at which something is lost against the equilibrium, the costliest first; tournaments with and without
    the first button count alike. The losses add up to what ``wins`` is below ``equilibrium`` on average."""


def rate_chart(
    tables: HandTables, tournament: Tournament, bound_values: Floats, chart: JamChart, stack: int
) -> ChartRating:
    """Rates a chart in the tournament with an alternating button.

    :param bound_values: float64 (2, stacks): what the bound guarantees in the small and in the big blind, by stack.
    :param stack: the chart player's chips before the first hand.
    :raises GameError: if the stack is not on the lattice, or the chart has another shape.
    """
    shape = tournament.structure
    shape.kind(stack)  # checks the stack
    expected = (len(shape.stacks), len(tables.weights))
    for rows in (chart.jam, chart.call, chart.over_limp):
        if rows.shape != expected or not ((rows >= 0) & (rows <= 1)).all():
            raise GameError(f"expected probabilities of shape {expected}, got shape {rows.shape}")
    at, across = shape.stacks.index(stack), shape.stacks.index(shape.total - stack)
    spots = _Spots(tables, shape, chart)
    values, moves = _evaluate(shape, lambda seat, own, _small, _big: _equilibrium(spots, tournament, seat, own))
    best = _worst_case(shape, spots.best_jam_fold)
    least = _worst_case(shape, spots.unrestricted)

    def pair(found: Floats) -> tuple[float, float]:
        return float(found[SMALL, at]), float(found[BIG, at])

    return ChartRating(
        pair(values),
        pair(best),
        pair(least),
        (tournament.value(stack), 1 - tournament.value(shape.total - stack)),
        (1 - float(bound_values[BIG, across]), 1 - float(bound_values[SMALL, across])),
        _losses(spots, tournament, moves, at),
    )


def _equilibrium(spots: _Spots, tournament: Tournament, seat: int, own: int) -> dict[int, float]:
    stage = tournament.stages[own if seat == SMALL else spots.shape.total - own]
    return spots.after_small(own, stage.reply) if seat == SMALL else spots.after_big(own, stage.jam)


def _evaluate(shape: Structure, reply: Reply, values: Floats | None = None) -> tuple[Floats, Floats]:
    """Returns the hero's values if the opponent plays as it would with the given values, and the moves of the stacks.

    :returns: float64 (2, stacks) values, and float64 (2 stacks, 2 stacks) probabilities to go from seat and stack to
        the next ones.
    """
    count = len(shape.stacks)
    known = np.tile(np.array([s / shape.total for s in shape.stacks]), (2, 1)) if values is None else values
    small, big = (np.concatenate([[0.0], row, [1.0]]) for row in known)
    moves, ends = np.zeros((2 * count, 2 * count)), np.zeros(2 * count)
    for seat in (SMALL, BIG):
        for index, own in enumerate(shape.stacks):
            for then, chance in reply(seat, own, small, big).items():
                if 0 < then < shape.total:
                    moves[seat * count + index, (1 - seat) * count + shape.stacks.index(then)] += chance
                else:
                    ends[seat * count + index] += chance * (then > 0)
    # The seats alternate, so that half of the equations are enough.
    onward, back = moves[:count, count:], moves[count:, :count]
    first = np.linalg.solve(np.eye(count) - onward @ back, ends[:count] + onward @ ends[count:])
    return np.stack([first, ends[count:] + back @ first]), moves


def _worst_case(shape: Structure, reply: Reply) -> Floats:
    """Returns the hero's values against an opponent who knows what it does: policy iteration."""
    values, _ = _evaluate(shape, reply)
    for _round in range(_MOST_ROUNDS):
        better, _ = _evaluate(shape, reply, values)
        if float(np.abs(better - values).max()) <= _SAME:
            return better
        values = better
    raise GameError("the best response to the chart does not converge")


class _Spots:
    """The hands of a tournament in which the hero plays a chart."""

    def __init__(self, tables: HandTables, shape: Structure, chart: JamChart) -> None:
        self.tables = tables
        self.shape = shape
        self.chart = chart

    def row(self, rows: Floats, own: int) -> Floats:
        """Returns the hero's probabilities with a stack."""
        return np.asarray(rows[self.shape.stacks.index(own)])

    def value(self, known: Floats, stack: int) -> float:
        """Returns the value of a stack.

        :param known: values of all stacks, 0 and all chips included.
        """
        return float(known[stack // self.shape.step])

    def showdown(self, known: Floats, own: int) -> Floats:
        """Returns float64 (classes, classes): the hero's value after an all-in with its stack."""
        risk = min(own, self.shape.total - own)
        return self.tables.showdown(*(self.value(known, own + risk * sign) for sign in (1, 0, -1)))

    def after_small(self, own: int, call: Floats | None) -> dict[int, float]:
        """Returns the hero's stacks after a hand in the small blind."""
        kind = self.shape.kind(own)
        jam = None if kind == "all-in" else self.row(self.chart.jam, own)
        return small_blind_outcomes(self.tables, self.shape, own, jam, call if kind == "both" else None)

    def after_big(self, own: int, jam: Floats | None) -> dict[int, float]:
        """Returns the hero's stacks after a hand in the big blind against an opponent who jams or folds."""
        tables, shape = self.tables, self.shape
        kind = shape.kind(own)
        if kind == "all-in" or jam is None:
            return outcomes_of_showdowns(tables, shape, own, tables.dealt)
        call = self.row(self.chart.call, own) if kind == "both" else np.ones(len(tables.weights))
        after = outcomes_of_showdowns(tables, shape, own, call[:, None] * tables.dealt * jam[None, :])
        add_outcome(after, own + shape.small, float(tables.weights @ (1 - jam)))
        add_outcome(after, own - shape.big, float((1 - call) @ tables.dealt @ jam))
        return after

    def best_jam_fold(self, seat: int, own: int, small: Floats, big: Floats) -> dict[int, float]:
        """The opponent who jams or folds, and calls or folds, as is best against the chart."""
        kind = self.shape.kind(own)
        if seat == SMALL:
            return self.after_small(own, self._best_call(own, big) if kind == "both" else None)
        if kind == "all-in":
            return self.after_big(own, None)
        walk, jammed = self._against_jam(own, small, self.row(self.chart.call, own) if kind == "both" else None)
        return self.after_big(own, (jammed < walk).astype(np.float64))

    def unrestricted(self, seat: int, own: int, small: Floats, big: Floats) -> dict[int, float]:
        """The opponent who may also limp or raise less, and then call or fold against a jam."""
        shape, tables = self.shape, self.tables
        if seat == SMALL or shape.kind(own) != "both":
            return self.best_jam_fold(seat, own, small, big)
        jam, call = self.row(self.chart.over_limp, own), self.row(self.chart.call, own)
        give_up, steal = (self.value(small, own + change) for change in (-shape.big, shape.big))
        showdown, dealt = self.showdown(small, own), tables.dealt
        walk, jammed = self._against_jam(own, small, call)
        given = give_up * ((1 - jam) @ dealt)
        options = np.stack([walk, given + steal * (jam @ dealt), given + (dealt * showdown).T @ jam, jammed])
        folds, enters_folds, enters_calls, jams = (
            (options.argmin(axis=0) == number).astype(np.float64) for number in range(4)
        )
        meet = jam[:, None] * dealt * enters_calls[None, :] + call[:, None] * dealt * jams[None, :]
        after = outcomes_of_showdowns(tables, shape, own, meet)
        add_outcome(after, own + shape.small, float(tables.weights @ folds))
        add_outcome(after, own + shape.big, float(jam @ dealt @ enters_folds))
        lost = (1 - jam) @ dealt @ (enters_folds + enters_calls) + (1 - call) @ dealt @ jams
        add_outcome(after, own - shape.big, float(lost))
        return after

    def _best_call(self, own: int, big: Floats) -> Floats:
        """Returns the calls of a big blind that leave the least to the hero, who jams by the chart."""
        jam = self.row(self.chart.jam, own)
        called = (self.tables.dealt * self.showdown(big, own)).T @ jam
        folded = self.value(big, own + self.shape.big) * (jam @ self.tables.dealt)
        return np.asarray((called < folded).astype(np.float64))

    def _against_jam(self, own: int, small: Floats, call: Floats | None) -> tuple[Floats, Floats]:
        """Returns what the hero has left against each class of a small blind that folds, and that jams.

        :param call: the hero's calls; None if it is all-in or committed.
        """
        tables = self.tables
        taken = np.ones(len(tables.weights)) if call is None else call
        walk = self.value(small, own + self.shape.small) * tables.weights
        jammed = (tables.dealt * self.showdown(small, own)).T @ taken
        if call is not None:
            jammed = jammed + self.value(small, own - self.shape.big) * ((1 - taken) @ tables.dealt)
        return walk, np.asarray(jammed)

    def choices(self, seat: int, own: int, tournament: Tournament) -> tuple[Floats, Floats, Floats] | None:
        """Returns a decision against the equilibrium, which also goes on; None if there is no decision.

        :returns: float64 (classes) each: the probability of the decision with each class, and times it what it is worth
            to jam or call, and to fold.
        """
        shape, tables = self.shape, self.tables
        kind = shape.kind(own)
        values = np.array([tournament.value(s) for s in range(0, shape.total + 1, shape.step)])
        if kind == "all-in" or (seat == BIG and kind == "one"):
            return None
        if seat == SMALL:
            big = 1 - values[::-1]
            call = tournament.stages[own].reply
            showdown, folded = self.showdown(big, own), self.value(big, own - shape.small) * tables.weights
            if call is None:
                return tables.weights, (tables.dealt * showdown).sum(axis=1), folded
            steal = self.value(big, own + shape.big)
            jammed = (tables.dealt * (steal * (1 - call)[None, :] + showdown * call[None, :])).sum(axis=1)
            return tables.weights, jammed, folded
        jam = tournament.stages[shape.total - own].jam
        assert jam is not None
        faced = tables.dealt @ jam
        return faced, (tables.dealt * self.showdown(values, own)) @ jam, self.value(values, own - shape.big) * faced


def _losses(spots: _Spots, tournament: Tournament, moves: Floats, at: int) -> tuple[HandLoss, ...]:
    """Returns what the chart gives away by hand, over tournaments that start in either seat."""
    count, classes = len(spots.shape.stacks), len(spots.tables.weights)
    start = np.zeros(2 * count)
    start[[at, count + at]] = 0.5
    visits = np.linalg.solve(np.eye(2 * count) - moves.T, start).reshape(2, count)
    faced, taken, best, lost = (np.zeros((2, classes)) for _ in range(4))
    for seat, rows in ((SMALL, spots.chart.jam), (BIG, spots.chart.call)):
        for index, own in enumerate(spots.shape.stacks):
            found = spots.choices(seat, own, tournament)
            if found is None:
                continue
            chance, active, passive = found
            own_row: NDArray[np.float64] = rows[index]
            played = own_row * active + (1 - own_row) * passive
            faced[seat] += visits[seat, index] * chance
            taken[seat] += visits[seat, index] * chance * own_row
            best[seat] += visits[seat, index] * chance * (active > passive)
            lost[seat] += visits[seat, index] * (np.maximum(active, passive) - played)
    rows_found = [
        HandLoss(seat, hand, float(taken[seat, hand] / reached), float(best[seat, hand] / reached), loss)
        for seat in (SMALL, BIG)
        for hand in range(classes)
        if (reached := float(faced[seat, hand])) > 0 and (loss := float(lost[seat, hand])) > _SAME
    ]
    return tuple(sorted(rows_found, key=lambda row: -row.loss))
