"""Lines of whole hands as the page writes them: actions in ACPC text and dealt cards, ``r250 c QsJh2h c r415``.

Raises are totals over the hand, as in ACPC logs, and ``r`` alone in limit games. Cards stand where they are dealt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hedgehog.analysis.histories.hand_words import action_words
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import NUM_CARDS, format_card, format_cards, parse_cards
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import CardError, InputError


@dataclass(slots=True)
class PlayStep:
    """One decision, or the cards of one street, on the way to a place."""

    line: str
    """The line before the step."""
    state: HandState
    action: Action | None = None
    """The action that is taken; None at the end of the line, and for cards."""
    cards: tuple[int, ...] | None = None
    """The cards that are dealt; empty if they are still to be chosen, None for a decision."""


@dataclass(slots=True)
class PlayPlace:
    """The end of a line."""

    state: HandState
    board: tuple[int, ...] = ()
    steps: list[PlayStep] = field(default_factory=list)

    @property
    def lacking(self) -> int:
        """Number of board cards that are dealt next; 0 if a player acts or the hand is over."""
        if self.state.finished:
            return 0
        return self.state.gamedef.board_cards_by(self.state.round) - len(self.board)

    @property
    def kind(self) -> str:
        """``decision``, ``card``, ``fold`` or ``showdown``."""
        if self.state.finished:
            return "showdown" if self.state.is_showdown else "fold"
        return "card" if self.lacking else "decision"

    @property
    def actor(self) -> int | None:
        """Position of the player who acts, or has folded; None where neither is."""
        if self.kind == "decision":
            return self.state.acting_position
        if self.kind == "fold":
            return next(step.state.acting_position for step in reversed(self.steps) if step.action is not None)
        return None

    def card_choices(self) -> dict[str, Any]:
        """Returns for the page how many cards are dealt next, and which ones may be; nothing where none is."""
        if self.kind != "card":
            return {}
        cards = [format_card(card) for card in range(NUM_CARDS) if card not in self.board]
        return {"deal": self.lacking, "cards": [{"card": card, "like": card} for card in cards]}


def find_play_place(line: str, gamedef: GameDef) -> PlayPlace:
    """Returns the place at the end of a line.

    :raises InputError: if an action is illegal, or cards are malformed, repeated, or not dealt where they stand.
    """
    place = PlayPlace(HandState(gamedef))
    tokens = line.split()
    for number, token in enumerate(tokens):
        before = " ".join(tokens[:number])
        if place.kind in ("fold", "showdown"):
            raise InputError(f"the hand is over before {token!r}")
        if place.kind == "card":
            place.steps.append(PlayStep(before, place.state.copy(), cards=(cards := _cards(token, place))))
            place.board = (*place.board, *cards)
            continue
        action = _action(token, place.state)
        place.steps.append(PlayStep(before, place.state.copy(), action=action))
        place.state.apply(action)
    if place.kind in ("decision", "card"):
        dealt = () if place.kind == "card" else None
        place.steps.append(PlayStep(" ".join(tokens), place.state.copy(), cards=dealt))
    return place


def _cards(token: str, place: PlayPlace) -> tuple[int, ...]:
    cards = tuple(parse_cards(token))
    if len(cards) != place.lacking:
        raise CardError(f"expected {place.lacking} dealt card{'s' if place.lacking > 1 else ''}, got {token!r}")
    repeated = set(cards) & set(place.board)
    if repeated:
        raise CardError(f"{format_cards(sorted(repeated))} is already on the board")
    return cards


def _action(token: str, state: HandState) -> Action:
    if token == "f":
        action = FOLD
    elif token == "c":
        action = CALL
    elif token == "r" and not state.gamedef.no_limit:
        action = LIMIT_RAISE
    elif token[:1] == "r" and token[1:].isascii() and token[1:].isdigit() and len(token) <= 10:
        action = Action("r", int(token[1:]))
    else:
        raise InputError(f"expected f, c or r with a size, got {token!r}")
    state.verify(action)
    return action


def line_of_state(state: HandState, board: tuple[int, ...]) -> str:
    """Returns the line of a state with its board, for the page."""
    tokens: list[str] = []
    for street, actions in enumerate(state.actions):
        dealt = board[state.gamedef.board_cards_by(street - 1) if street else 0 : state.gamedef.board_cards_by(street)]
        if dealt:
            tokens.append(format_cards(dealt))
        tokens += [str(action) for _, action in actions]
    return " ".join(tokens)


def play_labels(state: HandState, actions: list[Action]) -> list[dict[str, Any]]:
    """Returns token, kind and size of actions, as :func:`hedgehog.explorer.items.nodes.action_labels` does."""
    return [_label(state, action) for action in actions]


def _label(state: HandState, action: Action) -> dict[str, Any]:
    words = action_words(action, state)
    raises = action.kind == "r" and state.gamedef.no_limit  # raises of a limit game have one size
    kind = "all-in" if raises and words.all_in else words.verb
    size = round((action.size - state.max_spent) / (2 * state.max_spent), 4) if raises else None
    label = {"token": str(action), "kind": kind, "amount": words.chips, "size": size}
    return label | {"to": action.size} if raises and state.round == 0 and kind == "raise" else label
