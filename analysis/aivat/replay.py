"""The decisions of a logged hand, with the strategies that the players sampled from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hedgehog.agent.options import Options
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import combo_index, format_cards
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError

Strategy = Callable[[MatchState], Options | None]
"""Type of :meth:`hedgehog.agent.player.ReportsStrategy.strategy`: a state -> the actions and their probabilities by
combo.

The result is None for a decision that is missing in the record of a player."""


class LoggedDecision(NamedTuple):
    """One action of a hand."""

    street: int
    position: int
    before: HandState
    options: Options | None
    """The strategy of the player to act; None if it is not known, at all or at this decision."""
    after: list[HandState]
    """The hand after every action of the strategy. If the strategy is not known: after the action taken, alone."""
    taken: int


def replay(hand: LoggedHand, strategies: Sequence[Strategy | None]) -> list[LoggedDecision]:
    """Returns the decisions of a finished hand.

    :param hand: the hand.
    :param strategies: for each position the strategy that it played in this hand; None where it is not known.
    :raises InputError: if a player did not play the strategy given for it.
    """
    gamedef = hand.state.gamedef
    decisions = []
    for state, action in hand.state.replay():
        before, street, position = state.copy(), state.round, state.acting_position
        strategy, own = strategies[position], hand.hole_cards[position]
        hidden = tuple(own if seat == position else () for seat in range(gamedef.num_players))
        board = hand.board[: gamedef.board_cards_by(street)]
        options = strategy(MatchState(position, hand.hand_id, hidden, board, before)) if strategy else None
        if options is None:
            taken = before.copy()
            taken.perform(action)
            decisions.append(LoggedDecision(street, position, before, None, [taken], 0))
            continue
        combo = combo_index(own[0], own[1])
        if action not in options.actions or not (options.probabilities[options.actions.index(action), combo] > 0):
            raise InputError(
                f"hand {hand.hand_id}: the strategy given never plays {action} with {format_cards(own)} after "
                f"{before.betting_string()!r}: this is not the player of the log, or it had time to think"
            )
        after = [before.after(option) for option in options.actions]
        decisions.append(LoggedDecision(street, position, before, options, after, options.actions.index(action)))
    return decisions
