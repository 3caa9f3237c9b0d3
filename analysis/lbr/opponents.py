"""Adapts any player that reports its strategy to the interface that local best response needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.reported_strategy import reported_strategy
from hedgehog.analysis.lbr.response import LbrDecision, Reply
from hedgehog.analysis.lbr.settings import raise_to
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import FOLD


class ReportingOpponent:
    """Any player that reports its strategy for all hands. It is asked once per state.

    The player is asked about the states after the bets of a decision, in ascending order of the bets. The answers are
    kept until the next decision at which there are bets to weigh, so that the state after the chosen bet needs no
    further question.
    """

    def __init__(self, player: ReportsStrategy) -> None:
        self._player = player
        self._asked: dict[tuple[int, str, tuple[int, ...]], Reply] = {}
        self._hand: tuple[int, int] | None = None
        self._decision = ""

    def reply(self, spot: LbrDecision) -> Reply:
        """Returns the player's strategy in a spot in which it is to act."""
        self._forget_other_hands(spot)
        board = spot.visible_board
        key = (spot.position, spot.state.betting_string(), board)
        known = self._asked.get(key)
        if known is None:
            known = self._asked[key] = self.answer(spot)
        return known

    def answer(self, spot: LbrDecision) -> Reply:
        """Returns the player's strategy in a spot in which it is to act, without keeping the answer."""
        theirs: tuple[tuple[int, ...], ...] = (spot.hole_cards, ())
        hole_cards = theirs if spot.position == 0 else theirs[::-1]
        state = MatchState(spot.position, spot.hand_id, hole_cards, spot.visible_board, spot.state.copy())
        options = reported_strategy(self._player, state)
        return Reply(options.actions, options.probabilities)

    def fold_masses(
        self, spot: LbrDecision, raise_totals: Sequence[int], reach: NDArray[np.float64], equity: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Returns how much of the player's range folds to each of several bets.

        Parameters and result: :meth:`hedgehog.analysis.lbr.response.Opponent.fold_masses`.
        """
        self._forget_other_decisions(spot)
        masses = np.zeros((len(raise_totals), 2))
        for i, total in enumerate(raise_totals):
            after = spot.state.after(raise_to(spot.state, total))
            actions, probabilities = self.reply(spot._replace(state=after))
            if FOLD in actions:
                folding = reach * probabilities[actions.index(FOLD)]
                masses[i] = folding.sum(), folding @ equity
        return masses

    def _forget_other_hands(self, spot: LbrDecision) -> None:
        """Drops the answers about other hands than that of ``spot``."""
        if (spot.hand_id, spot.position) != self._hand:
            self._asked.clear()
            self._hand = (spot.hand_id, spot.position)
            self._decision = ""

    def _forget_other_decisions(self, spot: LbrDecision) -> None:
        """Drops the answers after the bets of other decisions than ``spot``."""
        self._forget_other_hands(spot)
        decision = spot.state.betting_string()
        if decision != self._decision:
            self._asked.clear()
            self._decision = decision
