"""Preparing a player that joins a match late, after an earlier process of the same player has played some hands.

Most players need no preparation, because their decisions in a hand depend on this hand alone. A player that draws all
its random numbers from one stream is asked all its earlier decisions again. Then the stream is where it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from hedgehog.agent.player import Player
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, parse_log_line
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.runtime.errors import LogError


def catch_up(player: Player, hands: Iterable[str], name: str, gamedef: GameDef) -> None:
    """Puts a player in the condition in which it would be after playing the given hands.

    :param player: a player whose ``new_match`` has been called.
    :param hands: ``STATE:`` lines of a match log; other lines are skipped.
    :param name: the player's name in the log.
    :raises LogError: if a line is malformed, or does not name the player.
    """
    if not player.draws_one_stream:
        return
    for line in hands:
        if line.startswith("STATE:"):
            _ask_again(player, parse_log_line(line, gamedef), name, gamedef)


def _ask_again(player: Player, hand: LoggedHand, name: str, gamedef: GameDef) -> None:
    names = hand.names.split("|")
    if name not in names:
        raise LogError(f"expected a hand of {name!r}, got one of {', '.join(names)}")
    position = names.index(name)
    hole_cards = tuple(cards if at == position else () for at, cards in enumerate(hand.hole_cards))
    for before, _ in hand.state.replay():
        if before.acting_position == position:
            board = hand.board[: gamedef.board_cards_by(before.round)]
            player.act(MatchState(position, hand.hand_id, hole_cards, board, before.copy()), math.inf)
