"""Computes AIVAT values of heads-up hold'em hands from logs, for players that report their strategies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from hedgehog.analysis.aivat.definition import Array, HandAverage
from hedgehog.analysis.aivat.range_values import hand_components, shipped_range_values
from hedgehog.analysis.aivat.replay import LoggedDecision, Strategy, replay
from hedgehog.analysis.aivat.suits import verify_suit_symmetry
from hedgehog.analysis.aivat.values import Matchup, ValueTable, dealt_flop, shipped_values, spot_of
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError


class HoldemAivat:
    """Computes the AIVAT values of hands of one game."""

    def __init__(self, gamedef: GameDef, values: ValueTable | None = None) -> None:
        """Prepares the scoring of hands.

        :param gamedef: the game.
        :param values: the value function of single hands, for hands of which one strategy is known; None for the
            shipped one.
        :raises InputError: unless the game is heads-up hold'em with equal stacks.
        """
        verify_game(gamedef)
        self._gamedef = gamedef
        self._values = values or shipped_values()
        self._root_values = cache(self._compute_root_values)

    def score(self, hand: LoggedHand, strategies: Sequence[Strategy | None]) -> float:
        """Returns the AIVAT value of a hand for position 0, in chips.

        A strategy may be unknown at single decisions. From the first such decision on, the hand that the player holds
        counts instead of the average over its hands. The value stays right on average.

        If both strategies are given, the value is averaged over the hands of both players
        (:mod:`hedgehog.analysis.aivat.range_values`).

        :param hand: the finished hand.
        :param strategies: for each position the strategy that it played in this hand; None where it is not known.
        :raises InputError: if no strategy is given, or a player did not play the strategy given for it.
        """
        decisions = replay(hand, strategies)
        known = [position for position in (0, 1) if strategies[position] is not None]
        if not known:
            raise InputError("AIVAT needs the strategy of at least one player")
        if len(known) == 2:
            return hand_components(hand, decisions).value(shipped_range_values())
        (position,) = known
        value = self._side(hand, decisions, position)
        return value if position == 0 else -value

    def _side(self, hand: LoggedHand, decisions: list[LoggedDecision], position: int) -> float:
        """Returns the value for ``position``, averaged over the hands that it could hold."""
        theirs = hand.hole_cards[1 - position]
        matchup = Matchup((theirs[0], theirs[1]))
        average = HandAverage(combo_mask(theirs).astype(np.float64))
        root_mean = self._root_values(position)
        average.deal_opponent(root_mean, self._values.values(spot_of(decisions[0].before, 0), matchup, position))
        street = 0
        revealed = False
        for decision in decisions:
            if decision.street > street:
                street = decision.street
                self._deal(average, matchup, decision.before, hand.board, position, revealed)
            if decision.options is None:
                if decision.position == position and not revealed:
                    # The actions of the player tell nothing about its hand from here on.
                    own = hand.hole_cards[position]
                    before = self._values.values(spot_of(decision.before, street), matchup, position)
                    average.reveal(combo_index(own[0], own[1]), before)
                    revealed = True
                continue
            values = np.array([self._after(child, street, matchup, position) for child in decision.after])
            average.own_action(decision.options.probabilities, values, decision.taken)
        end = hand.state
        if end.is_showdown and street == 0 and not revealed:
            verify_suit_symmetry(average.weights, theirs)
        return average.value(self._after(end, street, matchup, position))

    def _deal(
        self,
        average: HandAverage,
        matchup: Matchup,
        state: HandState,
        board: tuple[int, ...],
        position: int,
        revealed: bool,
    ) -> None:
        """Corrects for the cards of the street on which ``state`` is.

        :param revealed: the player's hand is revealed. Its equity before the flop is then that of its class, which is
            right on average over the combos of the class; before the flop these are equally likely.
        """
        street = state.round
        dealt = board[: self._gamedef.board_cards_by(street)]
        possible = combo_mask(dealt)
        if street == 1:
            # The value is linear in the equity, and the equity before the flop is its mean over all flops. So the mean
            # value follows without dealing them.
            if not revealed:
                verify_suit_symmetry(average.weights, matchup.opponent_cards)
            spot = dealt_flop(state)
            expected = self._values.linear(spot, matchup, position)
            matchup.deal(dealt)
            average.deal(expected, possible, self._values.linear(spot, matchup, position))
            return
        spot = spot_of(state, street)
        expected = self._values.next_card(spot, matchup, position)
        matchup.deal(dealt)
        average.deal(expected, possible, self._values.values(spot, matchup, position))

    def _after(self, state: HandState, street: int, matchup: Matchup, position: int) -> Array:
        """Returns (1326,) the value of a state that was reached by an action on ``street``."""
        if not state.finished:
            return self._values.values(spot_of(state, street), matchup, position)
        if not state.is_showdown:
            lost = min(state.spent)
            return np.full(NUM_COMBOS, float(-lost if state.folded[position] else lost))
        # The equity is already the average over the cards to come.
        return (2 * matchup.equities - 1) * float(min(state.spent))

    def _compute_root_values(self, position: int) -> float:
        """Returns the mean value for ``position`` of the first state of a hand, over all deals."""
        spot = spot_of(HandState(self._gamedef), 0)
        total = 0.0
        for hand_class, combos in enumerate(HAND_CLASS_SIZES):
            cards = COMBO_CARDS[int(np.argmax(hand_class == HAND_CLASS))]
            matchup = Matchup((int(cards[0]), int(cards[1])))
            live = combo_mask(cards)
            total += combos * float(self._values.values(spot, matchup, position)[live].mean())
        return total / NUM_COMBOS


def verify_game(gamedef: GameDef) -> None:
    """Verifies that AIVAT of two players supports a game.

    :raises InputError: unless it is heads-up hold'em with equal stacks.
    """
    if not gamedef.is_holdem or gamedef.num_players != 2 or len(set(gamedef.stacks)) > 1:
        raise InputError("AIVAT is for heads-up hold'em with equal stacks, and for limit hold'em for three players")
