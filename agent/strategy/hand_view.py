"""The public part of a heads-up hand: its actions, the situation before each of them, and what the rules allow now."""

from __future__ import annotations

from typing import NamedTuple

from hedgehog.agent.strategy.shadow import Situation, situation_of
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.state import Action, HandState
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import MatchStateError


class Event(NamedTuple):
    """One action of the hand so far."""

    betting: str
    """The betting before the action."""
    situation: Situation
    """What the rules allowed just before the action."""
    action: Action


class HandView(NamedTuple):
    """A decision of a heads-up hand as both players see it, without hole cards."""

    betting: str
    board: tuple[int, ...]
    events: tuple[Event, ...]
    situation: Situation
    """What the rules allow now, before the next action."""

    def board_on(self, street: int) -> tuple[int, ...]:
        """Returns the board as it was on ``street`` (0 preflop .. 3 river)."""
        return self.board[: BOARD_CARDS[street]]

    def events_on(self, street: int) -> list[Event]:
        """Returns the actions of one street (0 preflop .. 3 river) in order."""
        return [event for event in self.events if event.situation.street == street]

    def actions_of(self, position: int, street: int) -> list[int]:
        """Returns the indices, in :attr:`events`, of the actions of one player on one street (0 preflop .. 3 river)."""
        return [
            number
            for number, (_, situation, _) in enumerate(self.events)
            if situation.street == street and situation.position == position
        ]

    def before(self, event: int) -> HandView:
        """Returns the decision just before the action with index ``event`` in :attr:`events`."""
        betting, situation, _ = self.events[event]
        return HandView(betting, self.board_on(situation.street), self.events[:event], situation)

    def street_start(self) -> HandView:
        """Returns the first decision of the current street."""
        return self._after(len(self.events) - len(self.events_on(self.situation.street)))

    def after_own_action(self) -> HandView:
        """Returns the decision that follows the last action of the player to act on the current street.

        If it has not acted on this street, it is the first decision of the street.
        """
        own = self.actions_of(self.situation.position, self.situation.street)
        return self._after(own[-1] + 1) if own else self.street_start()

    def _after(self, number: int) -> HandView:
        """Returns the decision after the first ``number`` actions."""
        return self.before(number) if number < len(self.events) else self


def view_of(betting: str, board: tuple[int, ...], gamedef: GameDef) -> HandView:
    """Returns a decision of a heads-up hand from its text.

    :param betting: ACPC betting at which somebody is to act.
    :param board: card ids of the board.
    :raises MatchStateError: if the betting is not legal or the hand is over.
    """
    return view_of_state(parse_betting(betting, gamedef), board)


def view_of_state(state: HandState, board: tuple[int, ...]) -> HandView:
    """Returns a decision of a heads-up hand by replaying the hand.

    :param state: the hand, in which somebody is to act.
    :param board: card ids of the board.
    :raises MatchStateError: if the hand is over.
    """
    betting = state.betting_string()
    if state.finished:
        raise MatchStateError(f"expected betting after which somebody is to act, got {betting!r}")
    events = [Event(before.betting_string(), situation_of(before), action) for before, action in state.replay()]
    return HandView(betting, board, tuple(events), situation_of(state))
