"""One betting round of three-player limit hold'em played by the baseline of DIVAT, in small bets.

With one opponent left the baseline has the published policies (:mod:`hedgehog.analysis.judging.settings`). With two,
the hand ranks count against both: the immediate hand rank is squared, and in place of the seven-card hand rank stands
the equity against two random hands. It folds if this equity is below what the call costs of the pot after it, plus the
offset. For bets the equity is multiplied by 3/2, so that a fair share counts as one half, as it does with one opponent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging._betting_kernels import MOST_BETS
from hedgehog.analysis.judging.settings import DivatSettings
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, HandState

_ACTIONS: Final = {"f": FOLD, "k": CALL, "c": CALL, "b": LIMIT_RAISE, "r": LIMIT_RAISE}


class Strengths(NamedTuple):
    """How strong the hands of the three players are on one street."""

    immediate: Sequence[float]
    """Immediate hand rank of each player."""
    equity: Sequence[Sequence[float]]
    """[player][n - 1] equity against n random hands."""
    shares: NDArray[np.float64]
    """(8, 3) all-in equity of each player among every set of players, as bit masks."""


class Rules(NamedTuple):
    """What the rounds of a hand have in common."""

    unit: int
    """Chips of a small bet."""
    settings: DivatSettings


def players_left(state: HandState) -> int:
    """Returns the players who have not folded as a bit mask."""
    return sum(1 << player for player, folded in enumerate(state.folded) if not folded)


def action_letter(kind: str, state: HandState) -> str:
    """Returns ``f k c b r`` for fold, check, call, bet and raise.

    :param kind: ``f``, ``c`` or ``r``, as in :class:`~hedgehog.poker.state.Action`.
    :param state: what the action is taken in; a call without a bet is a check, a raise without one is a bet.
    """
    if kind == "c" and not state.can_fold():
        return "k"
    return "b" if kind == "r" and state.num_raises == 0 and state.round > 0 else kind


def baseline_action(state: HandState, strengths: Strengths, rules: Rules) -> str:
    """Returns the letter of the action that the baseline takes."""
    player, policy = state.acting_position, rules.settings.streets[state.round]
    others = players_left(state).bit_count() - 1
    equity = strengths.equity[player][others - 1]
    worth = max(strengths.immediate[player] ** others, equity * (others + 1) / 2)
    bets = sum(threshold <= worth for threshold in policy.make)
    level = state.num_raises + (rules.settings.preflop_level if state.round == 0 else 0)
    if state.can(LIMIT_RAISE) and level < min(bets, MOST_BETS):
        return action_letter("r", state)
    owed = state.max_spent - state.spent[player]
    pot = sum(state.spent) + (owed if others > 1 else 0)
    return action_letter("f" if owed > 0 and equity < owed / pot + policy.fold_offset else "c", state)


def settle(state: HandState, shares: NDArray[np.float64], rules: Rules) -> NDArray[np.float64]:
    """Returns (3,) the pot equities: the shares of the pot less what each player has put in."""
    invested = np.array(state.spent) / rules.unit
    return np.asarray(invested.sum() * shares[players_left(state)] - invested)


def baseline_line(state: HandState, street: int, strengths: Strengths, rules: Rules) -> tuple[str, HandState]:
    """Plays the rest of a street by the baseline; returns the letters of its actions and the state at its end.

    :param state: a state of the street, or the one after its last action; it stays as it is.
    """
    state, line = state.copy(), ""
    while state.round == street and not state.finished:
        letter = baseline_action(state, strengths, rules)
        line += letter
        state.perform(_ACTIONS[letter])
    return line, state
