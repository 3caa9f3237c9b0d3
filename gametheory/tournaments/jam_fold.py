"""The jam/fold tournament: two players, winner takes all, the button alternates, and every hand is jammed or folded.

The tournament is a recursive game (Everett 1957). Its states are the stacks of the player in the small blind; the value
of a state is its probability to win. Every hand is a stage (:mod:`hedgehog.gametheory.tournaments.jam_stages`) whose
payoffs are the values of the next states. All stages are solved with the current values, and then the values follow
from one linear system with the strategies fixed; a few rounds converge.

The *bound* restricts the hero to jam or fold in both seats, while the opponent may do anything. What a perfect player
could win more than the hero is then known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from hedgehog.gametheory.tournaments.jam_stages import (
    BigBlindStage,
    HandTables,
    SmallBlindStage,
    solve_big_blind,
    solve_small_blind,
)
from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.errors import GameError

CONVERGED: Final = 1e-13
MOST_ROUNDS: Final = 30
Seat = Literal["small", "big"]
Report = Callable[[int, int, int], None]
"""Called with the round, the number of stages done in it and the number of stages."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Blinds and chips of a tournament of two players."""

    total: int = 8000
    """Chips of both players together."""
    small: int = 300
    big: int = 600
    step: int = 50
    """All stacks are multiples of this."""

    def __post_init__(self) -> None:
        numbers = (self.total, self.small, self.big, self.step)
        if min(numbers) <= 0 or any(number % self.step for number in numbers) or self.big < self.small:
            raise GameError(f"expected positive multiples of {self.step} with small blind <= big blind, got {numbers}")
        if self.big >= self.total:
            raise GameError(f"expected more chips than the big blind, got {self.total}")

    @property
    def stacks(self) -> range:
        """The stacks with which the tournament goes on."""
        return range(self.step, self.total, self.step)

    def kind(self, stack: int) -> str:
        """Returns how a hand is played: ``all-in`` from the blinds, ``one`` decision, or ``both`` players decide.

        :param stack: chips of one of the players before the blinds.
        :raises GameError: if the stack is not on the lattice.
        """
        if stack not in self.stacks:
            raise GameError(
                f"expected a stack of {self.step} to {self.total - self.step} in steps of {self.step}, got {stack}"
            )
        smaller = min(stack, self.total - stack)
        return "all-in" if smaller <= self.small else "one" if smaller <= self.big else "both"


class Stage(NamedTuple):
    """One hand of the tournament in equilibrium, seen by the hero."""

    value: float
    """The hero's probability to win the tournament."""
    jam: Floats | None
    """Probability that the hero jams, per class; None if it has no decision."""
    reply: Floats | None
    """What the opponent does, per class: the probability that it calls a small blind; or (classes, 3) the probabilities
    that it folds, enters and folds, enters and calls against a big blind; None if it has no decision."""
    after: dict[int, float]
    """The hero's stack after the hand -> its probability."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A solved tournament: a stage for every stack of the player in the small blind."""

    structure: Structure
    stages: dict[int, Stage]
    rounds: int
    """Rounds that it took; 0 if the strategies were read from a file."""

    def value(self, stack: int) -> float:
        """Returns the probability that the player in the small blind with this stack wins; 0 and 1 at the ends."""
        return self.stages[stack].value if stack not in (0, self.structure.total) else float(stack > 0)


@dataclass(frozen=True, slots=True)
class Bound:
    """What a player who only jams or folds can guarantee against any opponent."""

    structure: Structure
    small: dict[int, Stage]
    """Hero in the small blind, by its stack."""
    big: dict[int, Stage]
    """Hero in the big blind, by its stack."""
    rounds: int
    """Rounds that it took; 0 if the strategies were read from a file."""

    def loss(self, stack: int) -> float:
        """Returns how much less than a perfect player the hero wins at most, in the small blind with this stack."""
        return 1 - self.small[stack].value - self.big[self.structure.total - stack].value

    def greatest_loss(self) -> tuple[int, float]:
        """Returns the stack with the greatest loss, and this loss."""
        stack = max(self.structure.stacks, key=self.loss)
        return stack, self.loss(stack)


def solve_tournament(
    tables: HandTables, structure: Structure | None = None, *, report: Report | None = None
) -> Tournament:
    """Returns the equilibrium of the tournament in which both players jam or fold.

    :param tables: hand classes (:func:`hedgehog.gametheory.tournaments.jam_stages.hand_tables`).
    :param structure: blinds and chips; 300/600 and 8,000 chips by default.
    :param report: called as the work goes on.
    :raises GameError: if the rounds do not converge.
    """
    shape = structure or Structure()
    values = {stack: stack / shape.total for stack in shape.stacks}
    for number in range(1, MOST_ROUNDS + 1):

        def later(stack: int, known: dict[int, float] = values) -> float:
            """The hero's chances after a hand in the small blind: the opponent has the small blind now."""
            other = shape.total - stack
            return 1 - known[other] if other in known else float(other == 0)

        stages = {}
        for done, stack in enumerate(shape.stacks):
            stages[stack] = small_blind_stage(tables, shape, stack, later)
            if report is not None:
                report(number, done + 1, len(shape.stacks))
        new = _fixed_values(shape, [stages])[0]
        change = max(abs(new[stack] - values[stack]) for stack in shape.stacks)
        values = new
        if change <= CONVERGED:
            return Tournament(shape, {s: stage._replace(value=values[s]) for s, stage in stages.items()}, number)
    raise GameError("the values of the tournament do not converge")


def solve_bound(tables: HandTables, structure: Structure | None = None, *, report: Report | None = None) -> Bound:
    """Returns the strategy that only jams or folds and guarantees most against an opponent who may do anything.

    The hero gives up the big blind to a limp or raise that it does not jam over; it never checks.

    :param tables: hand classes (:func:`hedgehog.gametheory.tournaments.jam_stages.hand_tables`).
    :param structure: blinds and chips; 300/600 and 8,000 chips by default.
    :param report: called as the work goes on.
    :raises GameError: if the rounds do not converge.
    """
    shape = structure or Structure()
    values = [{stack: stack / shape.total for stack in shape.stacks} for _ in range(2)]
    for number in range(1, MOST_ROUNDS + 1):
        # The hero changes seats after every hand.
        after_big, after_small = (_later(known) for known in values)
        small, big = {}, {}
        for done, stack in enumerate(shape.stacks):
            small[stack] = small_blind_stage(tables, shape, stack, after_small)
            big[stack] = big_blind_stage(tables, shape, stack, after_big)
            if report is not None:
                report(number, done + 1, len(shape.stacks))
        new = _fixed_values(shape, [small, big])
        change = max(abs(new[i][s] - values[i][s]) for i in (0, 1) for s in shape.stacks)
        values = new
        if change <= CONVERGED:
            first, second = (
                {s: stage._replace(value=known[s]) for s, stage in stages.items()}
                for known, stages in zip(values, (small, big), strict=True)
            )
            return Bound(shape, first, second, number)
    raise GameError("the values of the bound do not converge")


def _later(known: dict[int, float]) -> Callable[[int], float]:
    """Returns the hero's chances by its stack: the known values, and 0 and 1 at the ends."""
    return lambda stack: known.get(stack, float(stack > 0))


def _fixed_values(structure: Structure, seats: Sequence[dict[int, Stage]]) -> list[dict[int, float]]:
    """Returns the values of all states if every hand is played as in the given stages.

    With one seat, the player after the hand is the opponent in the same seat; with two, the hero changes seats.
    """
    stacks = list(structure.stacks)
    count = len(stacks)
    number = {stack: index for index, stack in enumerate(stacks)}
    matrix = np.eye(count * len(seats))
    right = np.zeros(count * len(seats))
    for seat, stages in enumerate(seats):
        for stack, stage in stages.items():
            row = seat * count + number[stack]
            for after, chance in stage.after.items():
                if len(seats) == 1:  # 1 minus the value of the opponent, who has the small blind now
                    other = structure.total - after
                    right[row] += chance * (other != structure.total)
                    if other in number:
                        matrix[row, number[other]] += chance
                else:
                    right[row] += chance * (after == structure.total)
                    if after in number:
                        matrix[row, (1 - seat) * count + number[after]] -= chance
    found = np.linalg.solve(matrix, right)
    return [dict(zip(stacks, found[i * count : (i + 1) * count].tolist(), strict=True)) for i in range(len(seats))]


def small_blind_stage(tables: HandTables, structure: Structure, stack: int, later: Callable[[int], float]) -> Stage:
    """Returns a hand with the hero in the small blind.

    :param stack: the hero's chips before the blinds.
    :param later: the hero's chances with a stack after the hand.
    :raises GameError: if the stack is not on the lattice.
    """
    kind = structure.kind(stack)
    if kind == "all-in":
        return _forced(tables, structure, stack, later)
    fold, steal = stack - structure.small, stack + structure.big
    showdown = _showdown(tables, structure, stack, later)
    if kind == "one":
        jam = ((tables.dealt * (showdown - later(fold))).sum(axis=1) > 0).astype(np.float64)
        after = small_blind_outcomes(tables, structure, stack, jam, None)
        return Stage(_mean(after, later), jam, None, after)
    found: SmallBlindStage = solve_small_blind(tables, fold=later(fold), steal=later(steal), showdown=showdown)
    after = small_blind_outcomes(tables, structure, stack, found.jam, found.call)
    return Stage(found.value, found.jam, found.call, after)


def small_blind_outcomes(
    tables: HandTables, structure: Structure, stack: int, jam: Floats | None, call: Floats | None
) -> dict[int, float]:
    """Returns the hero's stacks after a hand in the small blind, and their probabilities.

    :param stack: the hero's chips before the blinds.
    :param jam: the hero's strategy as in :class:`Stage`; None if it has no decision.
    :param call: the opponent's strategy as in :class:`Stage`; None if it has no decision.
    """
    if jam is None:
        return outcomes_of_showdowns(tables, structure, stack, tables.dealt)
    jammed = jam[:, None] * tables.dealt
    after = outcomes_of_showdowns(tables, structure, stack, jammed if call is None else jammed * call[None, :])
    add_outcome(after, stack - structure.small, float(tables.weights @ (1 - jam)))
    if call is not None:
        add_outcome(after, stack + structure.big, float(jam @ tables.dealt @ (1 - call)))
    return after


def big_blind_stage(tables: HandTables, structure: Structure, stack: int, later: Callable[[int], float]) -> Stage:
    """Returns a hand with the hero in the big blind against an opponent who may do anything.

    :param stack: the hero's chips before the blinds.
    :param later: the hero's chances with a stack after the hand.
    :raises GameError: if the stack is not on the lattice.
    """
    kind = structure.kind(stack)
    if kind == "all-in":
        return _forced(tables, structure, stack, later)
    walk, give_up, steal = stack + structure.small, stack - structure.big, stack + structure.big
    showdown = _showdown(tables, structure, stack, later)
    if kind == "one":  # one of the players is all-in with a call, so the opponent folds or there is a showdown
        enters = ((tables.dealt * (showdown - later(walk))).sum(axis=0) < 0).astype(np.float64)
        after = outcomes_of_showdowns(tables, structure, stack, tables.dealt * enters[None, :])
        add_outcome(after, walk, float(tables.weights @ (1 - enters)))
        reply = np.stack([1 - enters, np.zeros_like(enters), enters], axis=1)
        return Stage(_mean(after, later), None, reply, after)
    found: BigBlindStage = solve_big_blind(
        tables, walk=later(walk), give_up=later(give_up), steal=later(steal), showdown=showdown
    )
    folds, enters_folds, enters_calls = found.opponent.T
    after = outcomes_of_showdowns(tables, structure, stack, found.jam[:, None] * tables.dealt * enters_calls[None, :])
    add_outcome(after, walk, float(tables.weights @ folds))
    add_outcome(after, give_up, float((1 - found.jam) @ tables.dealt @ (enters_folds + enters_calls)))
    add_outcome(after, steal, float(found.jam @ tables.dealt @ enters_folds))
    return Stage(found.value, found.jam, found.opponent, after)


def _showdown(tables: HandTables, structure: Structure, stack: int, later: Callable[[int], float]) -> Floats:
    risk = min(stack, structure.total - stack)
    return tables.showdown(later(stack + risk), later(stack), later(stack - risk))


def _forced(tables: HandTables, structure: Structure, stack: int, later: Callable[[int], float]) -> Stage:
    after = outcomes_of_showdowns(tables, structure, stack, tables.dealt)
    return Stage(_mean(after, later), None, None, after)


def outcomes_of_showdowns(
    tables: HandTables, structure: Structure, stack: int, meet: Floats, *, risk: int | None = None
) -> dict[int, float]:
    """Returns the hero's stacks after showdowns, and their probabilities.

    :param stack: the hero's chips before the hand.
    :param meet: (classes, classes) probability that both players have these classes and show down.
    :param risk: chips that each player has put in; the smaller stack by default.
    """
    if risk is None:
        risk = min(stack, structure.total - stack)
    return {
        stack + risk: float((meet * tables.win).sum()),
        stack: float((meet * tables.tie).sum()),
        stack - risk: float((meet * tables.win.T).sum()),
    }


def add_outcome(after: dict[int, float], stack: int, chance: float) -> None:
    """Adds to the probability of a stack after the hand."""
    after[stack] = after.get(stack, 0.0) + chance


def _mean(after: dict[int, float], later: Callable[[int], float]) -> float:
    return sum(chance * later(stack) for stack, chance in after.items())


def verify_chip_stage(structure: Structure, stack: int) -> None:
    """Checks that both players have a decision in one hand for chips, which needs no tables.

    :raises GameError: if one of them is all-in with the blind.
    """
    if structure.kind(stack) != "both":
        raise GameError(f"with {stack} chips of {structure.total} a player is all-in with the blind")


def chip_stage(tables: HandTables, structure: Structure, stack: int) -> SmallBlindStage:
    """Returns the equilibrium of one hand for chips; in a tournament with a random button it is optimal, too.

    :param stack: chips of the player in the small blind; the smaller stack of the two counts.
    :raises GameError: if one of the players has no decision.
    """
    verify_chip_stage(structure, stack)
    risk = float(min(stack, structure.total - stack))
    return solve_small_blind(
        tables,
        fold=-float(structure.small),
        steal=float(structure.big),
        showdown=tables.showdown(risk, 0.0, -risk),
    )
