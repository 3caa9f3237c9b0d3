"""Computes AIVAT values of heads-up hold'em hands from logs, for players that report their strategies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from agent.strategy.shadow import Options
from analysis.aivat.definition import Array, HandAverage
from analysis.aivat.values import Matchup, ValueTable, dealt_flop, shipped_values, spot_of
from poker.acpc.gamedef import GameDef
from poker.acpc.handlog import LoggedHand
from poker.acpc.matchstate import MatchState
from poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask, format_cards
from poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES
from poker.state import HandState
from runtime.errors import InputError

Strategy = Callable[[MatchState], Options | None]
"""Type of :meth:`agent.player.ReportsStrategy.strategy`: a state -> the actions and their probabilities by combo.

The result is None for a decision that is missing in the record of a player."""

_SUIT_TOLERANCE: Final = 1e-6


class _Decision(NamedTuple):
    """One action of a hand."""

    street: int
    position: int
    before: HandState
    options: Options | None
    """The strategy of the player to act; None if it is not known, at all or at this decision."""
    after: list[HandState]
    """The hand after every action of the strategy. If the strategy is not known: after the action taken, alone."""
    taken: int


class HoldemAivat:
    """Computes the AIVAT values of hands of one game."""

    def __init__(self, gamedef: GameDef, values: ValueTable | None = None) -> None:
        """Prepares the scoring of hands.

        :param gamedef: the game.
        :param values: the value function; None for the shipped value function.
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

        If both strategies are known, it is the mean of two values, one seen from the side of each player. Each of the
        two contains the corrections for the actions of both players.

        :param hand: the finished hand.
        :param strategies: for each position the strategy that it played in this hand; None where it is not known.
        :raises InputError: if no strategy is given, or a player did not play the strategy given for it.
        """
        decisions = self._replay(hand, strategies)
        sides = [position for position in (0, 1) if strategies[position] is not None]
        if not sides:
            raise InputError("AIVAT needs the strategy of at least one player")
        values = [self._side(hand, decisions, position) for position in sides]
        return sum(value if position == 0 else -value for position, value in zip(sides, values, strict=True)) / len(
            values
        )

    def score_from(self, hand: LoggedHand, strategies: Sequence[Strategy | None], position: int) -> float:
        """Returns the AIVAT value of a hand in chips, seen only from the side of the player in ``position``.

        :param hand: the finished hand.
        :param strategies: for each position the strategy that it played in this hand; None where it is not known. The
            strategy of ``position`` must be known.
        :param position: 0 or 1.
        :raises InputError: if a player did not play the strategy given for it.
        """
        return self._side(hand, self._replay(hand, strategies), position)

    def _replay(self, hand: LoggedHand, strategies: Sequence[Strategy | None]) -> list[_Decision]:
        state = HandState(self._gamedef)
        decisions = []
        for street, actions in enumerate(hand.state.actions):
            board = hand.board[: self._gamedef.board_cards_by(street)]
            for position, action in actions:
                strategy = strategies[position]
                before = state.copy()
                state.perform(action)
                own = hand.hole_cards[position]
                hidden = tuple(own if seat == position else () for seat in range(2))
                options = strategy(MatchState(position, hand.hand_id, hidden, board, before)) if strategy else None
                if options is None:
                    decisions.append(_Decision(street, position, before, None, [state.copy()], 0))
                    continue
                combo = combo_index(own[0], own[1])
                if action not in options.actions or not (
                    options.probabilities[options.actions.index(action), combo] > 0
                ):
                    raise InputError(
                        f"hand {hand.hand_id}: the strategy given never plays {action} with {format_cards(own)} after "
                        f"{before.betting_string()!r}: this is not the player of the log, or it had time to think"
                    )
                after = []
                for option in options.actions:
                    child = before.copy()
                    child.apply(option)
                    after.append(child)
                decisions.append(_Decision(street, position, before, options, after, options.actions.index(action)))
        return decisions

    def _side(self, hand: LoggedHand, decisions: list[_Decision], position: int) -> float:
        """Returns the value for ``position``, averaged over the hands that it could hold."""
        theirs = hand.hole_cards[1 - position]
        matchup = Matchup((theirs[0], theirs[1]))
        opponent = combo_index(theirs[0], theirs[1])
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
            probabilities = decision.options.probabilities
            if decision.position == position:
                average.own_action(probabilities, values, decision.taken)
            else:
                average.opponent_action(probabilities[:, opponent], values, decision.taken)
        end = hand.state
        if end.is_showdown and street == 0 and not revealed:
            _verify_suit_symmetry(average.weights, theirs)
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
                _verify_suit_symmetry(average.weights, matchup.opponent_cards)
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
    """Verifies that AIVAT supports a game.

    :raises InputError: unless it is heads-up hold'em with equal stacks.
    """
    if not gamedef.is_holdem or gamedef.num_players != 2 or len(set(gamedef.stacks)) > 1:
        raise InputError("AIVAT is for heads-up hold'em with equal stacks")


def _verify_suit_symmetry(weights: Array, opponent: Sequence[int]) -> None:
    """Verifies that all combos of a hand class are equally likely before the flop. Averages over flops assume this.

    :param weights: (1326,) probability of every combo.
    :param opponent: the opponent's hole cards, which block combos.
    :raises InputError: if the strategy tells suits apart.
    """
    live = combo_mask(opponent)
    counts = np.bincount(HAND_CLASS[live], minlength=len(HAND_CLASS_SIZES))
    sums = np.bincount(HAND_CLASS, weights=weights, minlength=len(HAND_CLASS_SIZES))
    means = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)[HAND_CLASS]
    if np.abs(weights - means)[live].max() > _SUIT_TOLERANCE * weights.max():
        raise InputError("AIVAT needs a strategy that does not tell suits apart before the flop")
