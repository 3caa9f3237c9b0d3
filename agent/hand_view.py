"""A match state seen as a heads-up player sees it: who did what, in which situation, and what is possible now."""

from __future__ import annotations

from typing import NamedTuple

from agent.shadow import Situation
from poker.cards import combo_index
from poker.errors import MatchStateError
from poker.gamedef import GameDef
from poker.matchstate import MatchState
from poker.state import Action, HandState


class Event(NamedTuple):
    """One action of the hand so far."""

    situation: Situation
    """The rules' view just before the action."""
    action: Action
    closes_street: bool
    """Whether the next street began after it."""


class HandView(NamedTuple):
    """Everything a player's strategy depends on."""

    hand_id: int
    position: int
    combo: int
    """Our hole cards, 0..1325."""
    board: tuple[int, ...]
    events: list[Event]
    situation: Situation
    """Now, with us to act."""

    def board_on(self, street: int) -> tuple[int, ...]:
        """Returns the board as it was on ``street`` (0 preflop .. 3 river)."""
        return self.board[: (0, 3, 4, 5)[street]]


def situation_of(state: HandState) -> Situation:
    """Returns what the rules allow the acting position."""
    position = state.acting_position
    return Situation(
        street=state.round,
        position=position,
        max_spent=state.max_spent,
        own_spent=state.spent[position],
        stack=min(state.gamedef.stacks),
        facing_bet=state.can_fold(),
        raise_range=state.raise_range(),
    )


def view_of(match_state: MatchState, gamedef: GameDef) -> HandView:
    """Replays a heads-up match state in which we are to act.

    :raises MatchStateError: if it is not our turn or our hole cards are not shown.
    """
    state = match_state.state
    position = match_state.position
    own = match_state.hole_cards[position]
    if state.finished or state.acting_position != position or len(own) != 2:
        raise MatchStateError(f"expected a state with position {position} to act and its two hole cards")
    replay = HandState(gamedef)
    events = []
    for actions in state.actions:
        for _, action in actions:
            situation = situation_of(replay)
            replay.apply(action)
            events.append(Event(situation, action, replay.round != situation.street))
    return HandView(
        hand_id=match_state.hand_id,
        position=position,
        combo=combo_index(own[0], own[1]),
        board=match_state.board,
        events=events,
        situation=situation_of(replay),
    )
