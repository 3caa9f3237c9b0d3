"""What the first player wins in the hands of a pair of freeze-outs, in big blinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hedgehog.arena.freeze_out.game import FreezeOutPair
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.poker.state import HandState


class PairResult(NamedTuple):
    """Two games with equal cards, and the chips that the first player has won in their hands."""

    pair: int
    """Number of the pair, from 0."""
    games: FreezeOutPair
    big_blinds: float
    """Sum of the chips won in all hands of both games, each in big blinds of its level."""
    adjusted: float
    """The same, with the average over all boards in place of the chips of an all-in."""

    @property
    def hands(self) -> int:
        """Number of hands of both games together."""
        return self.games.first.hands + self.games.second.hands


class Tally:
    """Adds up what the first player wins, hand by hand."""

    def __init__(self, rules: FreezeOutRules) -> None:
        self._rules = rules
        self.big_blinds = 0.0
        """Chips won, each hand in big blinds of its level."""
        self.adjusted = 0.0
        """The same with all-ins at their expectation."""

    def add(self, number: int, won: float, expected: float) -> None:
        """Adds a hand.

        :param number: number of the hand in its game, from 0, which tells the level.
        :param won: chips won.
        :param expected: chips won on average over all boards, if the hand was an all-in.
        """
        big = self._rules.level(number).big
        self.big_blinds += won / big
        self.adjusted += expected / big


def expected_value(
    state: HandState, hole_cards: Sequence[Sequence[int]], board: Sequence[int], won: float, position: int
) -> float:
    """Returns the chips that a position wins in a heads-up hand, averaged over all boards if it is an all-in.

    :param state: a finished hand of hold'em.
    :param hole_cards: of both positions.
    :param board: all board cards.
    :param won: chips that the position has won.
    """
    if not state.is_showdown or state.actions[-1]:  # the common cases, for speed
        return won
    from hedgehog.poker.evaluation.allin import expected_payoffs  # imports numba
    from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS, matchup_score

    if any(state.actions[1:]):
        return expected_payoffs(state, hole_cards, board)[position]
    score = matchup_score(hole_cards[position], hole_cards[1 - position])
    return (score / MATCHUP_BOARDS - 1) * min(state.spent)
