"""A state of OpenSpiel that shows nothing of the cards which one player may not see."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

HIDDEN = -1_000_000
"""What stands in the place of a card."""


class HiddenState:
    """A ``pyspiel.State`` without its text, in whose history the hole cards of all other players are no cards."""

    def __init__(self, state: Any, player: int, hole_cards: int = 2) -> None:
        self._state = state
        self._seat = state.player_to_seat(player) if hasattr(state, "player_to_seat") else player
        self._dealt, self._each = hole_cards * state.num_players(), hole_cards

    def __str__(self) -> NoReturn:
        raise AssertionError("the text of a state holds the cards of all players")

    def full_history(self) -> list[Any]:
        moves = [SimpleNamespace(player=move.player, action=move.action) for move in self._state.full_history()]
        row = 0
        for index, move in enumerate(moves):
            row = row + 1 if move.player < 0 else 0
            deal_ends = row >= self._dealt and (index + 1 == len(moves) or moves[index + 1].player >= 0)
            if deal_ends:
                first = index + 1 - self._dealt
                for at in range(first, index + 1):
                    if (at - first) // self._each != self._seat:
                        moves[at].action = HIDDEN
        return moves

    def history(self) -> list[int]:
        return [move.action for move in self.full_history()]

    def __getattr__(self, name: str) -> Any:
        allowed = {
            "get_game", "current_player", "num_players", "is_terminal", "player_to_seat", "seat_to_player", "stacks",
            "big_blind_seat", "small_blind_seat", "big_blind", "small_blind",
        }  # fmt: skip
        if name not in allowed:
            raise AssertionError(f"state.{name} may hold the cards of all players")
        return getattr(self._state, name)
