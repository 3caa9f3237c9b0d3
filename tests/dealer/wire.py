"""Matches over the wire format: the dealer's table and clients exchange lines, with and without sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from hedgehog.agent.acpc.client import Client
from hedgehog.agent.acpc.protocol import HANDSHAKE, ClientProtocol, StateEvent, format_answer
from hedgehog.agent.bots import BOTS
from hedgehog.agent.player import Player
from hedgehog.dealer.table import LogLine, MatchOver, Send, Table
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import MatchError
from tests.dealer.scripted import PATIENT, TEST_TIMEOUT_S


class WireMatch(NamedTuple):
    """The log of a match, and the states that its clients saw."""

    log: str
    """Log lines after the header."""
    totals: list[float]
    seen: list[list[StateEvent]]
    """For each seat every state that its client parsed."""


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
    """Plays a match without sockets; a :class:`MatchError` ends the match and its log.

    :param all_look: every client parses every line. False is faster: a client parses only lines that it must answer.
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


class TcpMatch(NamedTuple):
    """The log of a match over TCP."""

    log: str
    """Log lines after the header."""
    clients: list[Client]


def play_tcp(
    gamedef: GameDef,
    players: Sequence[Player],
    names: Sequence[str],
    *,
    num_hands: int,
    seed: int,
    seeds: Sequence[int],
) -> TcpMatch:
    """Plays a match between clients over loopback TCP. The server passes lines to the table and does nothing else."""
    return asyncio.run(asyncio.wait_for(_play_tcp(gamedef, players, names, num_hands, seed, seeds), TEST_TIMEOUT_S))


async def _play_tcp(
    gamedef: GameDef, players: Sequence[Player], names: Sequence[str], num_hands: int, seed: int, seeds: Sequence[int]
) -> TcpMatch:
    table = Table(gamedef, names, num_hands=num_hands, seed=seed, limits=PATIENT)
    clients = [Client(player, gamedef, seed=own) for player, own in zip(players, seeds, strict=True)]
    connected: list[asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]] = []
    listeners = []
    playing = []
    for client in clients:
        arrival = asyncio.get_running_loop().create_future()
        connected.append(arrival)
        listeners.append(
            await asyncio.start_server(lambda *streams, to=arrival: to.set_result(streams), "127.0.0.1", 0)
        )
        port = listeners[-1].sockets[0].getsockname()[1]
        playing.append(asyncio.create_task(client.play("127.0.0.1", port)))
    streams = await asyncio.gather(*connected)
    for reader, _ in streams:
        assert await reader.readline() == HANDSHAKE
    lines = []
    events = table.start(0)
    while True:
        for event in events:
            if isinstance(event, Send):
                streams[event.seat][1].write(event.line.encode())
            elif isinstance(event, LogLine):
                lines.append(event.line + "\n")
            elif isinstance(event, MatchOver):
                lines.append(event.score_line + "\n")
        if isinstance(events[-1], MatchOver):
            break
        events = table.receive((await streams[table.acting_seat][0].readline()).decode(), 0)
    for _, writer in streams:
        writer.close()
    await asyncio.gather(*playing)
    for listener in listeners:
        listener.close()
    return TcpMatch("".join(lines), clients)
