"""Exact results of the jam/fold strategy in a freeze-out against simple opponents, by linear equations over all stacks.

The hero plays the equilibrium of the alternating tournament. In the big blind against a limp it jams the hands of the
bound (:class:`hedgehog.gametheory.tournaments.jam_fold.Bound`) and checks the others, and never bets later.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hedgehog.gametheory.tournaments.jam_fold import Bound, Tournament, add_outcome, outcomes_of_showdowns
from hedgehog.gametheory.tournaments.jam_stages import HandTables
from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.errors import GameError

OPPONENTS: Final = ("jamfold", "allin", "call")
"""Opponents: the same strategy; all-in always; limps, calls everything and checks down."""


class FreezeOut(NamedTuple):
    """What the hero wins from one pair of stacks. The first number is with the first button, the second without it."""

    wins: tuple[float, float]
    """Probability that the hero wins all chips."""
    hands: tuple[float, float]
    """Expected number of hands."""


class FreezeOuts(NamedTuple):
    """What the hero wins from all pairs of stacks; row 0 with the first button, row 1 without it."""

    wins: Floats
    """float64 (2, stacks): probability that the hero wins all chips."""
    hands: Floats
    """float64 (2, stacks): expected number of hands."""


def exact_freeze_out(
    tables: HandTables, tournament: Tournament, opponent: str, stack: int, *, bound: Bound | None = None
) -> FreezeOut:
    """Returns the hero's exact chances against an opponent.

    :param opponent: one of :data:`OPPONENTS`.
    :param stack: the hero's chips before the first hand.
    :param bound: the hero's replies to limps, which the opponent ``call`` needs.
    :raises GameError: if the opponent is unknown, the bound is missing or the stack is not on the lattice.
    """
    tournament.structure.kind(stack)  # checks the stack
    found = exact_freeze_outs(tables, tournament, opponent, bound=bound)
    at = tournament.structure.stacks.index(stack)
    (first, second), (early, late) = found.wins[:, at].tolist(), found.hands[:, at].tolist()
    return FreezeOut((first, second), (early, late))


def exact_freeze_outs(
    tables: HandTables, tournament: Tournament, opponent: str, *, bound: Bound | None = None
) -> FreezeOuts:
    """Returns the hero's exact chances against an opponent from all stacks of the tournament.

    :param opponent: one of :data:`OPPONENTS`.
    :param bound: the hero's replies to limps, which the opponent ``call`` needs.
    :raises GameError: if the opponent is unknown or the bound is missing.
    """
    if opponent not in OPPONENTS:
        raise GameError(f"no opponent {opponent!r}: expected {', '.join(OPPONENTS)}")
    if opponent == "call" and bound is None:
        raise GameError("against the opponent 'call' the replies to limps are needed")
    stacks = list(tournament.structure.stacks)
    number = {one: index for index, one in enumerate(stacks)}
    count = len(stacks)
    stay = np.zeros((2 * count, 2 * count))
    end = np.zeros(2 * count)
    for seat in (0, 1):
        for own in stacks:
            after = (_small if seat == 0 else _big)(tables, tournament, opponent, own, bound)
            for then, chance in after.items():
                if then in number:
                    stay[seat * count + number[own], (1 - seat) * count + number[then]] += chance
                else:
                    end[seat * count + number[own]] += chance * (then > 0)
    found = np.asarray(
        np.linalg.solve(np.eye(2 * count) - stay, np.stack([end, np.ones(2 * count)], axis=1)), np.float64
    )
    return FreezeOuts(found[:, 0].reshape(2, count), found[:, 1].reshape(2, count))


def _small(
    tables: HandTables, tournament: Tournament, opponent: str, stack: int, bound: Bound | None
) -> dict[int, float]:
    """Returns the hero's stacks after a hand in the small blind, and their probabilities."""
    stage = tournament.stages[stack]
    if opponent == "jamfold" or stage.jam is None:
        return stage.after
    shape = tournament.structure
    after = outcomes_of_showdowns(tables, shape, stack, stage.jam[:, None] * tables.dealt)
    add_outcome(after, stack - shape.small, float(tables.weights @ (1 - stage.jam)))
    return after


def _big(
    tables: HandTables, tournament: Tournament, opponent: str, stack: int, bound: Bound | None
) -> dict[int, float]:
    """Returns the hero's stacks after a hand in the big blind, and their probabilities."""
    shape = tournament.structure
    stage = tournament.stages[shape.total - stack]
    if opponent == "jamfold":
        return {shape.total - then: chance for then, chance in stage.after.items()}
    if shape.kind(stack) != "both":
        return outcomes_of_showdowns(tables, shape, stack, tables.dealt)
    if opponent == "allin":
        call: Floats = stage.reply if stage.reply is not None else np.ones(len(tables.weights))
        after = outcomes_of_showdowns(tables, shape, stack, call[:, None] * tables.dealt)
        add_outcome(after, stack - shape.big, float(tables.weights @ (1 - call)))
        return after
    assert bound is not None
    jam = bound.big[stack].jam
    assert jam is not None
    after = outcomes_of_showdowns(tables, shape, stack, jam[:, None] * tables.dealt)
    checked = outcomes_of_showdowns(tables, shape, stack, (1 - jam)[:, None] * tables.dealt, risk=shape.big)
    for then, chance in checked.items():
        add_outcome(after, then, chance)
    return after
