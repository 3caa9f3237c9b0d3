"""Hands as the servers describe them: answers are checked against the rules before our player sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hedgehog.interop.http.tokens import parse_token, parse_tokens
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import format_log_line
from hedgehog.poker.acpc.matchstate import MatchState, format_matchstate
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class RemoteHand:
    """One hand after an answer of the server."""

    remote_id: str
    """How the server calls the hand; empty if it does not."""
    position: int
    """Our position: 0 the big blind, 1 the button."""
    hole_cards: tuple[int, ...]
    opponent_cards: tuple[int, ...]
    """Empty as long as the server does not show them."""
    board: tuple[int, ...]
    state: HandState
    winnings: int | None
    """Chips that we have won; None until the hand is over."""
    aivat: float | None = None
    """The server's AIVAT value for us in chips; None until the hand is over, or if it does not tell."""

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return self.state.finished

    def _cards(self) -> tuple[tuple[int, ...], ...]:
        ours, theirs = self.hole_cards, self.opponent_cards
        return (ours, theirs) if self.position == 0 else (theirs, ours)

    def line(self, number: int) -> str:
        """Returns the hand as our player sees it, as a MATCHSTATE line.

        :param number: number of the hand for our player.
        """
        cards = list(self._cards())
        if not self.state.is_showdown:
            cards[1 - self.position] = ()
        return format_matchstate(MatchState(self.position, number, tuple(cards), self.board, self.state))

    def log_line(self, number: int, ours: str, theirs: str) -> str:
        """Returns the ``STATE:`` line of a hand that is over; hole cards that were not shown are missing.

        :param number: number of the hand in the log.
        :param ours: our name.
        :param theirs: the opponent's name.
        """
        assert self.winnings is not None
        values = [self.winnings, -self.winnings] if self.position == 0 else [-self.winnings, self.winnings]
        names = [ours, theirs] if self.position == 0 else [theirs, ours]
        return format_log_line(number, self.state, self._cards(), self.board, values, names)

    def verify(self, before: RemoteHand | None = None) -> None:
        """Checks that the hand is possible, and that the winnings are those of the rules.

        :param before: the hand after our last action; what was said of it must still hold.
        :raises InputError: if it is not; the message says what was expected.
        """
        gamedef, state = self.state.gamedef, self.state
        cards = [*self.hole_cards, *self.opponent_cards, *self.board]
        if len(set(cards)) < len(cards) or len(self.hole_cards) != 2 or len(self.opponent_cards) not in (0, 2):
            raise InputError("the server's cards cannot be: one is missing or stands twice")
        if len(self.board) != gamedef.board_cards_by(state.round):
            raise InputError(f"expected {gamedef.board_cards_by(state.round)} board cards, got {len(self.board)}")
        if not state.finished and state.acting_position != self.position:
            raise InputError("the server waits for its own action")
        if state.finished and self.winnings is None:
            raise InputError("the hand is over, and the server does not say who has won")
        if not state.finished and self.winnings is not None:
            raise InputError("the server says who has won, and the hand is not over")
        if state.finished and (self.opponent_cards or not state.is_showdown):
            expected = round(payoffs(state, self._cards(), self.board)[self.position])
            if expected != self.winnings:
                raise InputError(f"the server says that we have won {self.winnings}, by the rules it is {expected}")
        if before is not None:
            same = (self.position, set(self.hole_cards)) == (before.position, set(before.hole_cards))
            same = same and self.board[: len(before.board)] == before.board
            if not same or not state.betting_string().startswith(before.state.betting_string()):
                raise InputError("the server's answer is about another hand than the request")


def parse_slumbot_answer(answer: Mapping[str, Any], gamedef: GameDef, before: RemoteHand | None) -> RemoteHand:
    """Returns the hand in an answer of Slumbot's game.

    :param before: the hand before our action, whose position and cards count if the answer lacks them.
    :raises InputError: if the answer is malformed or an error, or the hand is impossible.
    """
    if "error_msg" in answer:
        raise InputError(f"the server says: {str(answer['error_msg'])[:_SHOWN]}")
    state = parse_tokens(_text(answer, "action"), gamedef)
    position = answer.get("client_pos", None if before is None else before.position)
    if position not in (0, 1) or isinstance(position, bool):
        raise InputError(f"expected 0 or 1 as client_pos, got {str(position)[:_SHOWN]!r}")
    own = answer.get("hole_cards")
    winnings = answer.get("winnings")
    return RemoteHand(
        remote_id="" if before is None else before.remote_id,
        position=position,
        hole_cards=before.hole_cards if own is None and before is not None else _card_list(own),
        opponent_cards=_card_list(answer.get("bot_hole_cards") or []),
        board=_card_list(answer.get("board") or []),
        state=state,
        winnings=None if winnings is None else _chips(winnings),
    )


def parse_benchmark_answer(answer: Mapping[str, Any], gamedef: GameDef, before: RemoteHand | None) -> RemoteHand:
    """Returns the hand in an answer of the benchmark's game.

    :param before: the hand before our action: where both hands are shown, it tells which is ours.
    :raises InputError: if the answer is malformed, of another game, or the hand is impossible.
    """
    try:
        return _benchmark_hand(answer, gamedef, before)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"not an answer of the benchmark ({type(error).__name__}: {error})") from error


def _benchmark_hand(answer: Mapping[str, Any], gamedef: GameDef, before: RemoteHand | None) -> RemoteHand:
    game, found = answer["game"], answer["game_state"]
    blinds = sorted(_chips(blind) for blind in game["blinds"])
    if blinds != sorted(gamedef.blinds) or _chips(game["starting_stack"]) != gamedef.stacks[0]:
        raise InputError(
            f"the server plays blinds {blinds} with {game['starting_stack']} chips: see --stack and --blinds"
        )
    seats = {_seat(player["position"]): player for player in found["players"]}
    if seats.keys() != {0, 1}:
        raise InputError("expected a player in the big blind and one in the small blind")
    shown = {seat: tuple(parse_cards(player["hole_cards"] or "")) for seat, player in seats.items()}
    ours = [seat for seat, cards in shown.items() if cards]
    if before is not None:
        ours = [before.position]
    if len(ours) != 1:
        raise InputError("expected to see one hand, ours")
    state = _state_of_history(found["action_history"], gamedef)
    if bool(found["is_hand_over"]) != state.finished:
        raise InputError("the server and the rules do not agree whether the hand is over")
    winnings, aivat = found["winnings"], found["aivat_score"]
    return RemoteHand(
        remote_id=str(int(answer["hand_id"])),
        position=ours[0],
        hole_cards=shown[ours[0]] or (before.hole_cards if before is not None else ()),
        opponent_cards=shown[1 - ours[0]],
        board=tuple(parse_cards(found["board_cards"] or "")),
        state=state,
        winnings=None if winnings is None else _chips(winnings),
        aivat=None if aivat is None else _number(aivat),
    )


def _state_of_history(words: object, gamedef: GameDef) -> HandState:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError("expected a list of words as action_history")
    state, rounds = HandState(gamedef), 0
    for word in words:
        if word == "_":
            rounds += 1
            if rounds > state.round and not state.finished:
                raise InputError("the action_history ends a round that is not over")
            continue
        if rounds < state.round and not state.finished:
            raise InputError("the action_history lacks the end of a round")
        whole = word[:-2] if word.startswith("b") and word.endswith(".0") else word
        state.apply(parse_token(whole, state))
    return state


def _seat(text: object) -> int:
    return {"BB": 0, "SB": 1}.get(str(text).upper(), -1)


def _text(answer: Mapping[str, Any], key: str) -> str:
    found = answer.get(key)
    if not isinstance(found, str) or len(found) > 10_000:
        raise InputError(f"expected a text as {key}, got {str(found)[:_SHOWN]!r}")
    return found


def _card_list(found: object) -> tuple[int, ...]:
    if not isinstance(found, list) or not all(isinstance(card, str) for card in found) or len(found) > 5:
        raise InputError(f"expected a list of cards, got {str(found)[:_SHOWN]!r}")
    return tuple(parse_cards("".join(found)))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise InputError(f"expected a number, got {str(value)[:_SHOWN]!r}")
    return float(value)


def _chips(value: object) -> int:
    number = _number(value)
    if not number.is_integer():
        raise InputError(f"expected a whole number of chips, got {value!r}")
    return int(number)
