"""MATCHSTATE lines: what one position sees of a hand, as ACPC text.

The format is ``MATCHSTATE:<position>:<hand id>:<betting>:<hole cards>|<hole cards>/<flop>/<turn>/<river>``. The parser
is strict: formatting a parsed line gives the identical line. (:mod:`hedgehog.dealer.response` reads the answers of
clients, with the tolerance of the official dealer.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import CARD_IDS, format_cards
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import MatchStateError

_RAISE = re.compile(r"r([1-9][0-9]{0,9})?")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}")


class MatchState(NamedTuple):
    """One position's view of a hand."""

    position: int
    """The position of the player who sees this state; it rotates from hand to hand."""
    hand_id: int
    """Number of the hand in the match, from 0."""
    hole_cards: tuple[tuple[int, ...], ...]
    """For each position the card ids in dealt order; empty where unknown."""
    board: tuple[int, ...]
    """Board card ids in dealt order, up to the current round."""
    state: HandState
    """The public state after the betting."""


def parse_betting(text: str, gamedef: GameDef) -> HandState:
    """Returns the state of a hand after the actions of a betting string such as ``r300c/cr900``.

    :raises MatchStateError: if an action is malformed or illegal, or a slash is missing or superfluous.
    """
    state = HandState(gamedef)
    _continue_betting(state, text)
    return state


def _continue_betting(state: HandState, text: str) -> None:
    """Plays the actions of a betting string that are not in ``state`` yet.

    :param text: starts with the betting of ``state``.
    """
    at = len(state.betting_string())
    while at < len(text):
        letter = text[at]
        if letter == "c":
            state.apply(CALL)
        elif letter == "f":
            state.apply(FOLD)
        elif match := _RAISE.match(text, at):
            state.apply(Action("r", int(match[1])) if match[1] else LIMIT_RAISE)
            at = match.end() - 1
        elif letter != "/":
            raise MatchStateError(f"expected an action (f, c, r) or / at {text[at:]!r} in betting {text!r}")
        at += 1
    if state.betting_string() != text:
        raise MatchStateError(f"expected betting {state.betting_string()!r}, got {text!r} (rounds are separated by /)")


def format_board(board: Sequence[int], gamedef: GameDef, round_index: int) -> str:
    """Formats the board cards up to round ``round_index`` (0-based), with a slash before every round but the first."""
    text = ""
    dealt = 0
    for index, count in enumerate(gamedef.num_board_cards[: round_index + 1]):
        text += ("/" if index else "") + format_cards(board[dealt : dealt + count])
        dealt += count
    return text


def format_hand_cards(
    hole_cards: Sequence[Sequence[int]], board: Sequence[int], gamedef: GameDef, round_index: int
) -> str:
    """Formats the cards of a ``MATCHSTATE`` or ``STATE`` line: the hole cards of all positions, then the board.

    :param hole_cards: card ids per position; empty where unknown.
    :param board: card ids in dealt order.
    :param round_index: the last betting round (0-based) whose board cards are shown.
    """
    return "|".join(map(format_cards, hole_cards)) + format_board(board, gamedef, round_index)


@lru_cache(1 << 12)  # all pairs of cards
def _parse_exact_cards(text: str) -> tuple[int, ...]:
    """Parses cards written together exactly as they are formatted."""
    try:
        return tuple([CARD_IDS[text[at : at + 2]] for at in range(0, len(text), 2)])
    except KeyError as error:
        raise MatchStateError(f"expected a card such as Qh, got {error.args[0]!r}") from None


def parse_hand_cards(
    text: str, gamedef: GameDef, round_index: int
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Returns the hole cards and the board from the card part of a ``MATCHSTATE`` or ``STATE`` line.

    :param round_index: the current betting round (0-based), which decides how many board cards must be there.
    :returns: card ids of the hole cards per position (empty where unknown), and card ids of the board.
    :raises MatchStateError: if a card is malformed, missing, repeated, or not in the deck of the game.
    """
    private, *later_rounds = text.split("/")
    hands = private.split("|")
    if len(hands) != gamedef.num_players:
        raise MatchStateError(f"expected hole cards of {gamedef.num_players} players separated by |, got {text!r}")
    first_board = ""
    if gamedef.num_board_cards[0]:
        # Board cards of the first round follow the last hand without a separator.
        cut = len(hands[-1]) - 2 * gamedef.num_board_cards[0]
        hands[-1], first_board = hands[-1][: max(0, cut)], hands[-1][max(0, cut) :]
    hole_cards = tuple(map(_parse_exact_cards, hands))
    board_rounds = [_parse_exact_cards(cards) for cards in (first_board, *later_rounds)]
    for hand in hole_cards:
        if hand and len(hand) != gamedef.num_hole_cards:
            raise MatchStateError(f"expected {gamedef.num_hole_cards} hole cards per player, got {text!r}")
    if tuple(map(len, board_rounds)) != gamedef.num_board_cards[: round_index + 1]:
        expected = "/".join(str(count) for count in gamedef.num_board_cards[: round_index + 1])
        raise MatchStateError(f"expected {expected} board cards in round {round_index + 1}, got {text!r}")
    board = tuple(chain.from_iterable(board_rounds))
    seen = [*chain.from_iterable(hole_cards), *board]
    if len(set(seen)) != len(seen):
        raise MatchStateError(f"a card is repeated in {text!r}")
    if not gamedef.deck_set.issuperset(seen):
        raise MatchStateError(f"a card in {text!r} is not in the deck of this game")
    return hole_cards, board


def parse_number(text: str, what: str) -> int:
    """Returns the value of a decimal number written without sign or leading zeros.

    :param what: what the number means, for the error message.
    :raises MatchStateError: if the text is not such a number.
    """
    if _NUMBER.fullmatch(text) is None:
        raise MatchStateError(f"expected a number as {what}, got {text!r}")
    return int(text)


def parse_matchstate(line: str, gamedef: GameDef) -> MatchState:
    """Returns the content of a MATCHSTATE line, which may end in CR LF or LF.

    :raises MatchStateError: if the line is malformed or describes an impossible hand; the message says what was
        expected.
    """
    fields = line.removesuffix("\n").removesuffix("\r").split(":")
    if len(fields) != 5 or fields[0] != "MATCHSTATE":
        raise MatchStateError(f"expected MATCHSTATE:position:hand:betting:cards, got {line!r}")
    position = parse_number(fields[1], "position")
    if position >= gamedef.num_players:
        raise MatchStateError(f"expected a position below {gamedef.num_players}, got {position}")
    hand_id = parse_number(fields[2], "hand id")
    state = parse_betting(fields[3], gamedef)
    hole_cards, board = parse_hand_cards(fields[4], gamedef, state.round)
    if not hole_cards[position]:
        raise MatchStateError(f"expected the hole cards of position {position} in {line!r}")
    return MatchState(position, hand_id, hole_cards, board, state)


class MatchStateReader:
    """Parses the MATCHSTATE lines of one seat faster than :func:`parse_matchstate`, with the same results.

    If a line continues the hand of the last line, only the new part of its betting is replayed.
    """

    def __init__(self, gamedef: GameDef) -> None:
        self._gamedef = gamedef
        self._last: MatchState | None = None
        self._start = ""  # the last line up to its betting
        self._cards = ""  # the card part of the last line

    def parse(self, line: str) -> MatchState:
        """Returns the content of the next line, which may be any MATCHSTATE line of the game.

        :raises MatchStateError: if the line is malformed or describes an impossible hand; the message says what was
            expected.
        """
        text = line.removesuffix("\n").removesuffix("\r")
        matchstate = self._continue(text, self._last) if self._last is not None else None
        if matchstate is None:
            matchstate = parse_matchstate(line, self._gamedef)
            self._start = f"MATCHSTATE:{matchstate.position}:{matchstate.hand_id}:"
            self._cards = text[text.rindex(":") + 1 :]
        self._last = matchstate
        return matchstate

    def _continue(self, line: str, last: MatchState) -> MatchState | None:
        """Parses a line of the same hand; None if it is not a continuation of the last line."""
        known = last.state.betting_string()
        if not line.startswith(self._start + known):
            return None
        start = len(self._start)
        end = line.find(":", start)
        cards = line[end + 1 :]
        if end < 0 or line[start + len(known)].isdigit() or ":" in cards:
            return None
        state = last.state.copy()
        _continue_betting(state, line[start:end])
        hole_cards, board = last.hole_cards, last.board
        if cards != self._cards or state.round != last.state.round:
            hole_cards, board = parse_hand_cards(cards, self._gamedef, state.round)
            if not hole_cards[last.position]:
                raise MatchStateError(f"expected the hole cards of position {last.position} in {line!r}")
            self._cards = cards
        return MatchState(last.position, last.hand_id, hole_cards, board, state)


def format_matchstate(matchstate: MatchState) -> str:
    """Formats a MATCHSTATE line without line end."""
    state = matchstate.state
    cards = format_hand_cards(matchstate.hole_cards, matchstate.board, state.gamedef, state.round)
    return f"MATCHSTATE:{matchstate.position}:{matchstate.hand_id}:{state.betting_string()}:{cards}"
