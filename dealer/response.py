"""Reads the lines of clients as leniently as the official ACPC dealer, and repairs illegal actions as it does.

A client answers with the state line it received, a colon and an action. The official dealer forgives many faults in
the state part and repairs nearly every fault in the action part. Clients written for the official dealer may depend on
this, so both are reproduced here. The strict parser of state lines is :mod:`hedgehog.poker.acpc.matchstate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.scanf import scan_integer
from hedgehog.poker.cards import RANKS, SUITS
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState

_KINDS: Final = {**dict.fromkeys("fF", "f"), **dict.fromkeys("cCkK", "c"), **dict.fromkeys("rRbB", "r")}
_SIZELESS: Final = {"f": FOLD, "c": CALL, "r": LIMIT_RAISE}
_CARDS: Final = {
    written_rank + written_suit: 4 * rank + suit
    for rank, rank_letter in enumerate(RANKS)
    for suit, suit_letter in enumerate(SUITS)
    for written_rank in {rank_letter, rank_letter.lower()}
    for written_suit in {suit_letter, suit_letter.upper()}
}

BAD_STATE: Final = "bad state format in response"
UNREQUESTED: Final = "ignoring un-requested response"
BAD_ACTION_FORMAT: Final = "bad action format in response, changed to call"
INVALID_ACTION: Final = "invalid action, changed to call"
ROUND_TOO_LONG: Final = "#actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold"


@dataclass(frozen=True, slots=True)
class EchoedState:
    """The state part of a client's line, as the dealer understood it."""

    position: int
    """Position of the client in the hand, from 0."""
    hand_id: int
    """Number of the hand, from 0."""
    betting: str
    """The actions so far in ACPC notation, for example ``cr300/``."""
    hole_cards: tuple[tuple[int, ...], ...]
    """Card ids of the hole cards, one tuple per position; empty where the line has none."""
    board: tuple[int, ...]
    """Card ids of the board."""
    end: int
    """Index in the line of the first character after the state."""


def _scan_action(text: str, at: int, no_limit: bool) -> tuple[Action | None, int] | None:
    """Reads one action.

    :returns: the action (None if the letter is unknown) and the index after it; None if a no-limit raise has no size.
    """
    kind = _KINDS.get(text[at : at + 1])
    at += 1
    if kind == "r" and no_limit:
        scanned = scan_integer(text, at, 32, signed=True)
        return None if scanned is None else (Action("r", scanned[0]), scanned[1])
    return (None if kind is None else _SIZELESS[kind]), at


def _scan_betting(text: str, at: int, gamedef: GameDef) -> tuple[HandState, int] | None:
    """Reads actions up to the next colon; slashes are skipped wherever they are, illegal actions are refused."""
    state = HandState(gamedef)
    while at < len(text) and text[at] != ":":
        if text[at] == "/":
            at += 1
            continue
        scanned = _scan_action(text, at, gamedef.no_limit)
        if scanned is None or scanned[0] is None or not state.can(scanned[0]):
            return None
        state.apply(scanned[0])
        at = scanned[1]
    return state, at


def _scan_cards(text: str, at: int, most: int) -> tuple[int, ...]:
    """Reads up to ``most`` cards; stops at the first thing that is not a card."""
    cards: list[int] = []
    while len(cards) < most and (card := _CARDS.get(text[at : at + 2])) is not None:
        cards.append(card)
        at += 2
    return tuple(cards)


def scan_state(line: str, gamedef: GameDef) -> EchoedState | None:
    """Returns the state part of a client's line, or None if the official ACPC dealer would not accept it either."""
    line = line.split("\0", 1)[0]  # a C string ends here
    if not line.startswith("MATCHSTATE:"):
        return None
    scanned = scan_integer(line, len("MATCHSTATE:"), 8)
    if scanned is None or scanned[0] >= gamedef.num_players or line[scanned[1] : scanned[1] + 1] != ":":
        return None
    position, at = scanned
    scanned = scan_integer(line, at + 1, 32)
    if scanned is None or line[scanned[1] : scanned[1] + 1] != ":":
        return None
    hand_id, at = scanned
    betting = _scan_betting(line, at + 1, gamedef)
    if betting is None or line[betting[1] : betting[1] + 1] != ":":
        return None
    state, at = betting
    at += 1
    hole_cards = []
    for index in range(gamedef.num_players):
        at += index > 0 and line[at : at + 1] == "|"
        hand = _scan_cards(line, at, gamedef.num_hole_cards)
        if len(hand) not in (0, gamedef.num_hole_cards):
            return None
        hole_cards.append(hand)
        at += 2 * len(hand)
    board: tuple[int, ...] = ()
    for index, count in enumerate(gamedef.num_board_cards[: state.round + 1]):
        at += index > 0 and line[at : at + 1] == "/"
        cards = _scan_cards(line, at, count)
        if len(cards) != count:
            return None
        board += cards
        at += 2 * len(cards)
    return EchoedState(position, hand_id, state.betting_string(), tuple(hole_cards), board, at)


def answers(
    echoed: EchoedState,
    position: int,
    hand_id: int,
    state: HandState,
    hole_cards: Sequence[tuple[int, ...]],
    board: tuple[int, ...],
) -> bool:
    """Tells whether the state in a client's line is the state about which the client was asked.

    The cards of other players in the line do not matter.

    :param echoed: the state in the client's line.
    :param position: the position that was asked.
    :param hand_id: number of the hand, from 0.
    :param state: the state of the hand.
    :param hole_cards: card ids of the hole cards, one tuple per position.
    :param board: card ids of the board cards of the rounds reached.
    """
    return (
        echoed.position == position
        and echoed.hand_id == hand_id
        and echoed.betting == state.betting_string()
        and echoed.board == board
        and echoed.hole_cards[position] == hole_cards[position]
    )


def read_action(line: str, at: int, state: HandState) -> tuple[Action, list[str]]:
    """Returns the action at the end of a client's line, made legal, and the warnings to print.

    A raise of a size out of range becomes the nearest legal raise. Everything else that is not a legal action becomes a
    call.

    :param line: the client's line.
    :param at: index of the colon before the action.
    :param state: the state of the hand before the action.
    """
    if line[at : at + 1] != ":":
        return CALL, [BAD_ACTION_FORMAT]
    kind = _KINDS.get(line[at + 1 : at + 2])
    if kind == "c":
        return CALL, []
    if kind == "f" and state.can_fold():
        return FOLD, []
    if kind != "r":
        return CALL, [INVALID_ACTION]
    size = 0
    if state.gamedef.no_limit:
        scanned = scan_integer(line, at + 2, 32, signed=True)
        if scanned is None:
            return CALL, [BAD_ACTION_FORMAT]
        size = scanned[0]
    limits = state.raise_range()
    if limits is None:
        return CALL, [ROUND_TOO_LONG, INVALID_ACTION] if state.raises_exhausted else [INVALID_ACTION]
    smallest, largest = limits
    if size < smallest:
        return Action("r", smallest), [f"raise of {size} increased to {smallest}"]
    if size > largest:
        return Action("r", largest), [f"raise of {size} decreased to {largest}"]
    return Action("r", size), []
