"""A match over the wire format without sockets: the dealer's table and clients exchange lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agent.bots import BOTS
from agent.player import Player
from agent.protocol import ClientProtocol, StateEvent, format_answer
from dealer.table import LogLine, MatchOver, Send, Table
from poker.errors import MatchError
from poker.gamedef import GameDef
from tests.dealer.scripted import PATIENT


class WireMatch(NamedTuple):
    """What a match left behind."""

    log: str
    """Log lines after the header."""
    totals: list[float]
    seen: list[list[StateEvent]]
    """Per seat every state its client parsed."""


def make_bots(bots: Sequence[str], gamedef: GameDef, seeds: Sequence[int]) -> list[Player]:
    """Returns new bots that have been told of a new match."""
    players = [BOTS[bot]() for bot in bots]
    for player, seed in zip(players, seeds, strict=True):
        player.new_match(gamedef, seed)
    return players


def play_wire(
    gamedef: GameDef,
    players: Sequence[Player],
    names: Sequence[str],
    *,
    num_hands: int,
    seed: int,
    fixed: bool = False,
    all_look: bool = True,
) -> WireMatch:
    """Plays a match; a :class:`MatchError` ends it, as it ends the log.

    :param all_look: every client parses every line; False: only the lines it has to answer, which is faster.
    """
    table = Table(gamedef, names, num_hands=num_hands, seed=seed, limits=PATIENT, fixed_seats=fixed)
    clients = [ClientProtocol(gamedef) for _ in players]
    seen: list[list[StateEvent]] = [[] for _ in players]
    lines = []
    events = table.start(0)
    while True:
        for event in events:
            if isinstance(event, Send) and (all_look or event.seat == table.acting_seat):
                seen[event.seat] += clients[event.seat].receive(event.line.encode())
            elif isinstance(event, LogLine):
                lines.append(event.line)
            elif isinstance(event, MatchOver):
                lines.append(event.score_line)
        if isinstance(events[-1], MatchOver):
            break
        asked = seen[table.acting_seat][-1]
        assert asked.our_turn
        action = players[table.acting_seat].act(asked.matchstate, 0.0)
        try:
            events = table.receive(format_answer(asked, action).decode(), 0)
        except MatchError:
            break
    return WireMatch("".join(line + "\n" for line in lines), table.totals, seen)
