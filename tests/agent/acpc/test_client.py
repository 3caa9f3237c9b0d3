"""hedgehog.agent.acpc.client against a scripted dealer over TCP."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import struct
import threading
from collections.abc import Mapping

import pytest

from hedgehog.agent.acpc.client import Client
from hedgehog.agent.acpc.connection import verify_dealer_listens
from hedgehog.agent.bots import CallBot
from hedgehog.agent.player import Player
from hedgehog.poker.acpc.gamedef import GameDef, find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import FOLD, Action
from hedgehog.runtime.errors import InputError, MatchError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))

ASK_PREFLOP = b"MATCHSTATE:1:0::|AhKh\r\n"
RIVAL_TO_ACT = b"MATCHSTATE:1:0:c:|AhKh\r\n"
ASK_FLOP = b"MATCHSTATE:1:0:cc/c:|AhKh/2c7dTs\r\n"
FINISHED = b"MATCHSTATE:1:0:cc/r500f:|AhKh/2c7dTs\r\n"
# The other seat of the next hand, ended by the opponent's fold.
NEXT_HAND = b"MATCHSTATE:0:1::5c5d|\r\nMATCHSTATE:0:1:f:5c5d|\r\n"

Script = list[bytes | str | asyncio.Event]
"""Bytes are sent by the dealer; text is the answer it then expects; an event is waited for, then the connection is
reset."""


async def run_script(client: Client, script: Script) -> list[bytes]:
    """Plays ``client`` against a dealer that follows the script; returns the lines the client sent."""
    received: list[bytes] = []

    async def dealer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.readline())
        for step in script:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            elif isinstance(step, asyncio.Event):
                await asyncio.wait_for(step.wait(), 10)
                # Linger 0: the close sends a reset instead of an orderly end.
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                received.append(await asyncio.wait_for(reader.readline(), 10))
                assert received[-1] == step.encode()
        writer.close()

    async with await asyncio.start_server(dealer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await asyncio.wait_for(client.play("127.0.0.1", port), 20)
    return received


def play(player: Player, script: Script, *, hard_limit_ms: int | None = None) -> Client:
    client = Client(player, HUNL, seed=9, hard_limit_ms=hard_limit_ms)
    asyncio.run(run_script(client, script))
    return client


class Recorder(CallBot):
    """Calls, and notes in which order the client uses the interface."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    def warm_up(self) -> None:
        self.calls.append("warm_up")

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        self.calls.append(("new_match", gamedef is HUNL, seed))

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        self.calls.append(("act", matchstate.hand_id, matchstate.state.betting_string()))
        return super().act(matchstate, deadline)

    def observe(self, matchstate: MatchState) -> None:
        self.calls.append(("observe", matchstate.hand_id, matchstate.state.betting_string()))

    def report(self) -> Mapping[str, object]:
        return {"layers": {"recorder": 2}}


@pytest.mark.parametrize(("hard_limit_ms", "linger_s"), [(None, 0.0), (None, 0.001), (5000, 0.0), (5000, 0.001)])
def test_a_match_from_handshake_to_close(hard_limit_ms: int | None, linger_s: float) -> None:
    player = Recorder()
    client = Client(player, HUNL, seed=9, hard_limit_ms=hard_limit_ms, linger_s=linger_s)
    script: Script = [
        b"# welcome\r\n" + ASK_PREFLOP, "MATCHSTATE:1:0::|AhKh:c\r\n",
        RIVAL_TO_ACT + ASK_FLOP[:30], ASK_FLOP[30:], "MATCHSTATE:1:0:cc/c:|AhKh/2c7dTs:c\r\n",
        FINISHED + NEXT_HAND,
    ]  # fmt: skip
    sent = asyncio.run(run_script(client, script))
    assert sent[0] == b"VERSION:2.0.0\r\n"
    assert len(sent) == 3
    report = client.report()  # waits for the player's thread to have observed everything
    assert player.calls == [
        "warm_up",
        ("new_match", True, 9),
        ("act", 0, ""),
        ("observe", 0, "c"),
        ("act", 0, "cc/c"),
        ("observe", 0, "cc/r500f"),
        ("observe", 1, ""),
        ("observe", 1, "f"),
    ]
    assert report["name"] == "call"
    assert (report["hands"], report["decisions"]) == (2, 2)
    assert (report["player_errors"], report["illegal_actions"], report["late_actions"]) == (0, 0, 0)
    assert report["player"] == {"layers": {"recorder": 2}}
    decision_ms = report["decision_ms"]
    assert isinstance(decision_ms, dict)
    assert {street: times["n"] for street, times in decision_ms.items()} == {"preflop": 1, "flop": 1}


class Broken(CallBot):
    """Raises in every method a match can survive."""

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        raise ZeroDivisionError("planted")

    def observe(self, matchstate: MatchState) -> None:
        raise KeyError("planted")

    def report(self) -> Mapping[str, object]:
        raise RuntimeError("planted")


@pytest.mark.parametrize("hard_limit_ms", [None, 5000])
def test_a_broken_player_calls(hard_limit_ms: int | None, caplog: pytest.LogCaptureFixture) -> None:
    script: Script = [ASK_PREFLOP, "MATCHSTATE:1:0::|AhKh:c\r\n", FINISHED]
    client = play(Broken(), script, hard_limit_ms=hard_limit_ms)
    assert client.report()["player"] == {}
    assert client.record.player_errors == 2
    messages = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert any("act() of player call failed" in message and "MATCHSTATE:1:0::|AhKh" in message for message in messages)
    assert any("observe() of player call failed" in message for message in messages)


@pytest.mark.parametrize("illegal", [FOLD, Action("r", 500), Action("x")])
def test_an_illegal_action_becomes_a_call(illegal: Action) -> None:
    class Cheat(CallBot):
        def act(self, matchstate: MatchState, deadline: float) -> Action:
            return illegal

    # After an all-in call nothing is left to fold or raise: check the flop that nobody has bet on.
    ask = b"MATCHSTATE:0:0:r19950c/:5c5d|/2c7dTs\r\n"
    end = b"MATCHSTATE:0:0:r19950c/cr20000f:5c5d|/2c7dTs\r\n"
    client = play(Cheat(), [ask, "MATCHSTATE:0:0:r19950c/:5c5d|/2c7dTs:c\r\n", end])
    assert client.record.illegal_actions == 1
    assert client.record.player_errors == 0


def test_a_late_player_calls_in_time_and_the_match_goes_on() -> None:
    release = threading.Event()
    deadlines = []

    class Sleeper(CallBot):
        def act(self, matchstate: MatchState, deadline: float) -> Action:
            deadlines.append(deadline)
            release.wait(30)
            return FOLD

    script: Script = [
        ASK_PREFLOP, "MATCHSTATE:1:0::|AhKh:c\r\n",
        RIVAL_TO_ACT + ASK_FLOP, "MATCHSTATE:1:0:cc/c:|AhKh/2c7dTs:c\r\n",
        FINISHED,
    ]  # fmt: skip
    try:
        client = play(Sleeper(), script, hard_limit_ms=100)
    finally:
        release.set()
    assert client.record.late_actions == client.record.decisions == 2
    assert len(deadlines) == 1  # the second decision waited behind the first and was never started
    assert deadlines[0] < math.inf


def test_no_dealer_is_one_clear_error() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        port = unused.getsockname()[1]
        with pytest.raises(MatchError, match=f"cannot connect to 127.0.0.1 port {port}: Connection refused"):
            asyncio.run(Client(CallBot(), HUNL).play("127.0.0.1", port))


def test_a_dealer_that_comes_later_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        client = Client(CallBot(), HUNL, patience_s=60)

        async def meet() -> None:
            playing = asyncio.create_task(client.play("127.0.0.1", port))
            while "waiting 60 s at most for a dealer" not in caplog.text:
                await asyncio.sleep(0.01)
            listener.listen()
            listener.setblocking(False)
            player, _ = await asyncio.get_running_loop().sock_accept(listener)
            with player:
                await asyncio.get_running_loop().sock_sendall(player, FINISHED)
            await playing

        asyncio.run(meet())
    assert client.record.hands == 1


def test_waiting_for_a_dealer_ends() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        message = f"cannot connect to 127.0.0.1 port {port}: Connection refused .0.1 s waited"
        with pytest.raises(MatchError, match=message):
            asyncio.run(Client(CallBot(), HUNL, patience_s=0.1).play("127.0.0.1", port))


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_looking_for_a_dealer_takes_no_seat(host: str) -> None:
    with socket.create_server((host, 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        verify_dealer_listens("127.0.0.1", port)
        with pytest.raises(BlockingIOError):
            listener.accept()
        with socket.create_connection(("127.0.0.1", port)):  # the dealer has not suffered
            pass
    for name in ("127.0.0.1", "localhost"):
        with pytest.raises(MatchError, match=f"cannot connect to {name} port {port}: Connection refused"):
            verify_dealer_listens(name, port)


def test_about_other_machines_nothing_is_known_before_the_match() -> None:
    verify_dealer_listens("192.0.2.1", 5001)  # an address for documentation, which no machine has


def test_a_player_that_refuses_the_game_never_connects() -> None:
    class HoldemOnly(CallBot):
        def new_match(self, gamedef: GameDef, seed: int) -> None:
            raise InputError("this player plays something else")

    with pytest.raises(InputError, match="something else"):
        asyncio.run(Client(HoldemOnly(), HUNL).play("127.0.0.1", 1))  # nothing listens there: it must not try


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ([b"HTTP/1.1 400 Bad Request\r\n"], "no state of this game: b'HTTP/1.1 400 Bad Request'"),
        ([b"x" * 5000], "more than 4096 bytes"),
        ([], "before the first hand"),
        ([RIVAL_TO_ACT], "in the middle of hand 0"),
        ([FINISHED[:20]], "in the middle of a line"),
    ],
)
def test_a_dealer_that_fails_is_one_clear_error(script: Script, reason: str) -> None:
    with pytest.raises(MatchError, match=reason):
        play(CallBot(), script)


class Signaller(CallBot):
    """Sets an event when it observes a state."""

    def __init__(self) -> None:
        self.observed = asyncio.Event()

    def observe(self, matchstate: MatchState) -> None:
        self.observed.set()


def test_a_reset_between_two_hands_is_a_clean_end() -> None:
    # The official dealer resets the connection if bytes of the client are unread when it exits.
    player = Signaller()
    assert play(player, [FINISHED, player.observed]).record.hands == 1


def test_a_reset_in_the_middle_of_a_hand_is_an_error() -> None:
    player = Signaller()
    with pytest.raises(MatchError, match="in the middle of hand 0"):
        play(player, [RIVAL_TO_ACT, player.observed])
