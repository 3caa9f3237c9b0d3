"""The dealer over TCP: golden transcripts and scenarios byte for byte, and clients that die, stall or talk rubbish."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
from typing import Any

import pytest

from hedgehog.dealer.cards import propose_ports
from hedgehog.dealer.clock import TimeLimits
from hedgehog.dealer.journal import Journal, MessageStream
from hedgehog.dealer.server import MatchServer, ServerOptions, parse_version
from hedgehog.dealer.table import Table
from hedgehog.poker.acpc.gamedef import GameDef, parse_gamedef
from hedgehog.poker.acpc.handlog import verify_log_lines
from hedgehog.runtime.errors import MatchError
from tests.dealer.scripted import PATIENT, Client, Served, replaying_client, run_client, script_client, serve
from tests.golden import HUNL, TRANSCRIPTS, game, read_golden_log, read_scenarios, read_transcript

VERSION = ("C", "VERSION:2.0.0\r\n")


def kuhn_table(num_hands: int = 3, limits: TimeLimits = PATIENT) -> Table:
    return Table(game("kuhn.limit.2p"), ["A", "B"], num_hands=num_hands, seed=1, limits=limits)


def caller(gamedef: GameDef, num_hands: int) -> Client:
    """A client that always calls."""
    return replaying_client(gamedef, ["c" * 9 for _ in range(num_hands)])


@pytest.mark.parametrize("name", [name for name in TRANSCRIPTS if "hunl2p" in name or "sidepots" in name])
def test_golden_transcripts(name: str) -> None:
    transcript = read_transcript(name)
    table = Table(
        game(transcript.game), transcript.names, num_hands=transcript.hands, seed=transcript.seed, limits=PATIENT
    )
    served = serve(table, [script_client(script) for script in transcript.seats])
    assert served.error is None
    golden = [line for line in transcript.log.splitlines() if not line.startswith("#")]
    assert served.log_lines() == golden
    assert served.message_lines() == [*transcript.warnings, golden[-1]]


def test_golden_log_with_clients_that_replay_it() -> None:
    lines = read_golden_log("log_hunl2p_s1471220049")
    hands = [line for line in lines if line.startswith("STATE:")]
    clients = [replaying_client(game(HUNL), [line.split(":")[2] for line in hands]) for _ in range(2)]
    names = lines[-1].split(":")[2].split("|")
    table = Table(game(HUNL), names, num_hands=len(hands), seed=1471220049, limits=PATIENT)
    served = serve(table, clients)
    assert served.log_lines() == [*hands, lines[-1]]
    assert served.score == lines[-1]


def option(arguments: list[str], name: str, default: int) -> int:
    return int(arguments[arguments.index(name) + 1]) if name in arguments else default


def run_scenario(scenario: dict[str, Any]) -> Served:
    arguments = scenario["argv"]
    gamedef = parse_gamedef(scenario["gamedef"]) if "gamedef" in scenario else game(arguments[2])
    num_hands = int(arguments[3])
    limits = TimeLimits(
        option(arguments, "--t_response", 600000) * 1000,
        option(arguments, "--t_hand", 600000) * 1000,
        option(arguments, "--t_per_hand", 7000) * 1000 * num_hands,
    )
    table = Table(
        gamedef,
        arguments[5 : 5 + gamedef.num_players],
        num_hands=num_hands,
        seed=int(arguments[4]),
        limits=limits,
        fixed_seats="-f" in arguments,
    )
    start_timeout = option(arguments, "--start_timeout", -1)
    return serve(
        table,
        [script_client(client["transcript"]) for client in scenario.get("clients", [])],
        quiet="-q" in arguments,
        start_timeout_s=start_timeout / 1000 if start_timeout >= 0 else 10,
    )


# The other scenarios are about the command line, resuming (both in tests/cli/arena/test_dealer.py) and game definitions
# (tests/poker), or the official dealer hangs in them.
SERVED_SCENARIOS = [
    scenario
    for scenario in read_scenarios()
    if scenario["name"].split(":")[0] in ("version", "time", "conn", "opt", "line", "crash", "nolimit_tlog")
    and "seed_negative" not in scenario["name"]
]


@pytest.mark.parametrize("scenario", SERVED_SCENARIOS, ids=lambda scenario: scenario["name"])
def test_golden_scenarios(scenario: dict[str, Any]) -> None:
    served = run_scenario(scenario)
    stdout = scenario["stdout"].splitlines()
    assert served.score == (stdout[1] if len(stdout) > 1 else None)
    messages = served.message_lines()
    if served.error is not None:
        messages += f"ERROR: {served.error_text()}".splitlines()
    golden = [line for line in scenario["stderr"].splitlines() if not line.startswith("#")]
    if "Assertion" in golden[-1]:  # the official dealer crashes where ours says why it cannot go on
        golden[-1] = "ERROR: nobody has put in a chip before the showdown: the game has no pot to play for"
    assert [re.sub(r" at \d+\.\d{6}", " at <TIME>", line) for line in messages] == golden
    log = scenario["files_after"]["m.log"].splitlines()
    assert served.log_lines() == [line for line in log if not line.startswith("#")]
    if "m.tlog" in scenario["files_after"]:
        stamped = re.sub(r"\d+\.\d{6}", "<TIME>", served.transaction_log.getvalue().decode())
        assert stamped == scenario["files_after"]["m.tlog"]


def test_half_lines_are_put_together() -> None:
    async def slow_talker(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"VERSION:2.0.0\r\n")
        while line := await reader.readline():
            if line == b"MATCHSTATE:0:0::Ks|\r\n":
                for byte in b"MATCHSTATE:0:0::Ks|:c\r\n":
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(0)

    served = serve(kuhn_table(1), [slow_talker, caller(game("kuhn.limit.2p"), 1)])
    assert served.score == "SCORE:-1|1:A|B"


def test_garbage_is_survived_until_the_client_gives_up() -> None:
    async def babbler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"VERSION:2.0.0\r\n" + bytes(range(256)) * 40 + b"\n" * 100)

    served = serve(kuhn_table(), [babbler, caller(game("kuhn.limit.2p"), 3)])
    assert served.error_text().startswith("could not get action from seat 1\n")
    messages = served.message_lines()
    assert len(messages) > 100
    assert set(messages) == {"WARNING: bad state format in response"}
    assert served.log_lines() == []


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is a loopback address on Linux alone")
def test_only_one_client_per_seat() -> None:
    async def run() -> None:
        # An address of its own: on the usual one the closed port may by now be that of another test's match.
        address = "127.0.0.2"
        server = MatchServer(kuhn_table(1), ServerOptions(seed=0, bind=address), Journal(MessageStream(None)))
        ports: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        match = asyncio.create_task(server.run(ports.set_result))
        port = (await ports)[0]
        _, writer = await asyncio.open_connection(address, port)

        async def connect_again() -> None:
            while True:  # until the server has taken the first connection
                _, second = await asyncio.open_connection(address, port)
                second.close()
                await asyncio.sleep(0.01)

        with pytest.raises(OSError, match=r"refused|Connect call failed"):
            await connect_again()
        writer.close()
        match.cancel()
        with pytest.raises(asyncio.CancelledError):
            await match

    asyncio.run(asyncio.wait_for(run(), 30))


def test_fixed_ports_and_ports_in_use() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]
        server = MatchServer(kuhn_table(1), ServerOptions(seed=0, ports=(0, taken)), Journal(MessageStream(None)))
        with pytest.raises(
            MatchError, match=f"could not open a port for seat 2 .port {taken} on 127.0.0.1: Address already in use"
        ):
            asyncio.run(asyncio.wait_for(server.run(lambda ports: None), 30))


def test_a_client_may_connect_before_all_ports_are_open() -> None:
    """The port of seat 1 is known beforehand and its client keeps trying to connect."""
    port = propose_ports(99, 1)[0]
    connected: list[bool] = []

    async def run() -> None:
        async def eager_client() -> None:
            while True:
                try:
                    await run_client(port, caller(game("kuhn.limit.2p"), 1))
                except ConnectionRefusedError:
                    await asyncio.sleep(0)
                else:
                    connected.append(True)
                    return

        def start(ports: list[int]) -> None:
            assert ports[0] == port
            clients.append(asyncio.create_task(run_client(ports[1], caller(game("kuhn.limit.2p"), 1))))

        clients = [asyncio.create_task(eager_client())]
        await asyncio.sleep(0.01)
        server = MatchServer(kuhn_table(1), ServerOptions(seed=99, quiet=True), Journal(MessageStream(None)))
        assert await server.run(start) == "SCORE:-1|1:A|B"
        await asyncio.gather(*clients)

    asyncio.run(asyncio.wait_for(run(), 30))
    assert connected == [True]


def test_a_proposed_port_in_use_is_skipped() -> None:
    proposals = propose_ports(4321, 10)
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", proposals[0]))
        holder.listen()
        served = serve(kuhn_table(1), [caller(game("kuhn.limit.2p"), 1)] * 2, seed=4321)
    assert served.score == "SCORE:-1|1:A|B"
    assert set(served.ports) <= set(proposals[1:])


def test_every_log_our_dealer_writes_verifies() -> None:
    gamedef = game("leduc.limit.2p")
    table = Table(gamedef, ["A", "B"], num_hands=20, seed=3, limits=PATIENT)
    served = serve(table, [caller(gamedef, 20)] * 2)
    assert verify_log_lines(served.log_lines(), gamedef).hands == 20
    assert verify_log_lines(served.log_lines(), gamedef).faults == ()


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("VERSION:2.0.0\r\n", (2, 0, 0)),
        ("VERSION: 2. 00. 7 and more", (2, 0, 7)),
        ("VERSION:2.0", None),
        ("version:2.0.0", None),
        ("# comment", None),
        ("", None),
    ],
)
def test_version_lines(line: str, version: tuple[int, int, int] | None) -> None:
    assert parse_version(line) == version


def test_the_others_are_told_while_the_actor_is_silent() -> None:
    async def play() -> str:
        everybody_told = asyncio.Event()
        table = kuhn_table(1)

        async def actor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(VERSION[1].encode())
            line = await reader.readline()
            await everybody_told.wait()
            writer.write(line.rstrip() + b":c\r\n")
            await reader.read()

        async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(VERSION[1].encode())
            assert await reader.readline() == b"MATCHSTATE:1:0::|As\r\n"
            everybody_told.set()
            line = await reader.readline()
            writer.write(line.rstrip() + b":c\r\n")
            await reader.read()

        tasks: list[asyncio.Task[None]] = []

        def start(ports: list[int]) -> None:
            tasks.extend(asyncio.create_task(run_client(*pair)) for pair in zip(ports, (actor, other), strict=True))

        options = ServerOptions(seed=0, quiet=True, linger_s=0.005)
        score = await MatchServer(table, options, Journal(MessageStream(None))).run(start)
        await asyncio.gather(*tasks)
        return score

    assert asyncio.run(asyncio.wait_for(play(), 30)) == "SCORE:-1|1:A|B"
