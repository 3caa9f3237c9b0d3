"""hedgehog.arena.in_process: a match without sockets gives players the same states and leaves the same files as one
over TCP."""

from __future__ import annotations

import asyncio
import io
import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hedgehog.agent.bots import BOTS, CallBot, RandomBot
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.specs import make_player, parse_player_spec
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.arena.launch import DEALER_COMMAND, PlaySettings, launch_command
from hedgehog.arena.match import Entrant, MatchPlan, PlayedSeating
from hedgehog.arena.runner import run_match
from hedgehog.arena.seatings.local import LocalEntrant, play_plan_seating
from hedgehog.dealer.clock import TimeLimits
from hedgehog.poker.acpc.gamedef import GameDef, find_gamedef, shipped_gamedefs
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError, MatchError
from tests.dealer.wire import make_bots, play_tcp, play_wire
from tests.golden import HUNL, game

NAMES = "ABCDEF"
NO_LIMIT = 10**15


def play_here(
    gamedef: GameDef, players: Sequence[Player], *, num_hands: int, seed: int, **options: Any
) -> tuple[str, list[Seat]]:
    """Returns the log without header, and the seats."""
    log = io.BytesIO()
    seats = [Seat(player, PlayRecord()) for player in players]
    score = play_seating(gamedef, seats, NAMES[: len(players)], num_hands=num_hands, seed=seed, log=log, **options)
    text = log.getvalue().decode()
    assert text.endswith(score.line + "\n")
    return text, seats


# --- what players see -------------------------------------------------------------------------------------------


class Witness(RandomBot):
    """A random bot that notes what it is shown, in words, so that nothing it is given later can change it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[bool, str]] = []

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        assert deadline == math.inf
        self.seen.append((True, in_words(matchstate)))
        return super().act(matchstate, deadline)

    def observe(self, matchstate: MatchState) -> None:
        self.seen.append((False, in_words(matchstate)))


def in_words(matchstate: MatchState) -> str:
    state = matchstate.state
    fields = [getattr(state, name) for name in HandState.__slots__]
    return f"{matchstate.position} {matchstate.hand_id} {matchstate.hole_cards} {matchstate.board} {fields}"


@pytest.mark.parametrize("name", shipped_gamedefs())
def test_players_see_what_clients_parse(name: str) -> None:
    gamedef = game(name)
    seeds = range(gamedef.num_players)
    witnesses = [Witness() for _ in seeds]
    for witness, seed in zip(witnesses, seeds, strict=True):
        witness.new_match(gamedef, seed)
    log, _ = play_here(gamedef, witnesses, num_hands=20, seed=7)
    bots = make_bots(["random"] * len(seeds), gamedef, seeds)
    wire = play_wire(gamedef, bots, NAMES[: len(seeds)], num_hands=20, seed=7)
    assert log == wire.log
    for witness, events in zip(witnesses, wire.seen, strict=True):
        assert witness.seen == [(event.our_turn, in_words(event.matchstate)) for event in events]


def test_fixed_seats() -> None:
    log, _ = play_here(game("kuhn.limit.3p"), [CallBot(), CallBot(), CallBot()], num_hands=2, seed=0, fixed_seats=True)
    assert [line.rsplit(":", 1)[1] for line in log.splitlines()] == ["A|B|C"] * 3
    bots = make_bots(["call"] * 3, game("kuhn.limit.3p"), [0] * 3)
    assert log == play_wire(game("kuhn.limit.3p"), bots, "ABC", num_hands=2, seed=0, fixed=True).log


# --- what players may do wrong ----------------------------------------------------------------------------------


class Faulty(RandomBot):
    """A random bot that now and then does one of the things a player must not do."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.kept: list[MatchState] = []

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        self.calls += 1
        self.kept.append(matchstate)
        faults: dict[int, Callable[[MatchState], Any]] = {
            3: lambda _: 1 / 0,
            5: lambda _: Action("r", 3),
            7: lambda _: Action("x"),
            8: lambda _: Action("c", 8),
            11: lambda _: FOLD,
            13: lambda state: Action("r", (state.state.raise_range() or (0, 0))[0] + 0.75),  # type: ignore[arg-type]
            14: lambda _: ("c", 0),  # legal, but not an action on the wire
            17: self._spoil,
        }
        fault = faults.get(self.calls % 19)
        return super().act(matchstate, deadline) if fault is None else fault(matchstate)

    def _spoil(self, matchstate: MatchState) -> Action:
        while not matchstate.state.finished:
            matchstate.state.apply(CALL)
        return CALL

    def observe(self, matchstate: MatchState) -> None:
        self.calls += 1
        self.kept.append(matchstate)
        if self.calls % 23 == 0:
            raise KeyError("planted")
        if not matchstate.state.finished and self.calls % 5 == 0:
            self._spoil(matchstate)


@pytest.mark.parametrize(
    "name", [HUNL, "leduc.limit.2p", pytest.param("custom.nolimit.6p.sidepots", marks=pytest.mark.slow)]
)
def test_faulty_players_end_up_as_over_tcp(name: str, caplog: pytest.LogCaptureFixture) -> None:
    gamedef = game(name)
    seeds = list(range(50, 50 + gamedef.num_players))
    faulty: list[Player] = [Faulty() for _ in seeds]
    for player, seed in zip(faulty, seeds, strict=True):
        player.new_match(gamedef, seed)
    log, seats = play_here(gamedef, faulty, num_hands=40, seed=9)
    messages = sorted(record.getMessage().replace("b'MATCH", "'MATCH") for record in caplog.records)
    caplog.clear()
    tcp = play_tcp(gamedef, [Faulty() for _ in seeds], NAMES[: len(seeds)], num_hands=40, seed=9, seeds=seeds)
    assert log == tcp.log
    assert messages == sorted(
        record.getMessage().replace("b'MATCH", "'MATCH")
        for record in caplog.records
        if record.name == "hedgehog.agent.acpc.client"
    )
    for seat, client in zip(seats, tcp.clients, strict=True):
        ours, theirs = seat.report(), client.report()
        del ours["decision_ms"], theirs["decision_ms"]
        assert ours == theirs
        assert ours["player_errors"]
        assert ours["illegal_actions"]


def test_records_count_decisions_by_street() -> None:
    gamedef = game(HUNL)
    _, seats = play_here(gamedef, make_bots(["random", "call"], gamedef, [1, 2]), num_hands=60, seed=9)
    tcp = play_tcp(gamedef, [RandomBot(), CallBot()], "AB", num_hands=60, seed=9, seeds=[1, 2])
    for seat, client in zip(seats, tcp.clients, strict=True):
        assert isinstance(seat.record, PlayRecord)
        ours, theirs = seat.record.times, client.record.times
        assert ours.streets() == theirs.streets() == ["preflop", "flop", "turn", "river"]
        assert [ours.count(street) for street in ours.streets()] == [theirs.count(street) for street in ours.streets()]


def test_an_answer_that_is_no_action_ends_the_match() -> None:
    class Mute(CallBot):
        def act(self, matchstate: MatchState, deadline: float) -> Action:
            return None  # type: ignore[return-value]

    with pytest.raises(MatchError, match=r"expected an Action from player .*, got None"):
        play_here(game(HUNL), [CallBot(), Mute()], num_hands=1, seed=0)


def test_a_failing_report_leaves_the_counts() -> None:
    class Silent(CallBot):
        def report(self) -> dict[str, object]:
            raise ValueError("planted")

    _, seats = play_here(game("kuhn.limit.2p"), [Silent(), CallBot()], num_hands=4, seed=0)
    assert seats[0].report() | {"decision_ms": 0} == PlayRecord(4, 4).as_dict() | {
        "name": "call",
        "player": {},
        "decision_ms": 0,
    }


class Slow(CallBot):
    def act(self, matchstate: MatchState, deadline: float) -> Action:
        time.sleep(0.002)
        return CALL


@pytest.mark.parametrize(
    ("limits", "hands_played"),
    [
        (TimeLimits(1000, NO_LIMIT, NO_LIMIT), 0),
        (TimeLimits(NO_LIMIT, 7000, NO_LIMIT), 0),  # four decisions of 2 ms in a hand
        (TimeLimits(NO_LIMIT, NO_LIMIT, 15_000), 1),
    ],
)
def test_a_slow_player_runs_out_of_time(limits: TimeLimits, hands_played: int) -> None:
    log = io.BytesIO()
    seats = [Seat(CallBot(), PlayRecord()), Seat(Slow(), PlayRecord())]
    with pytest.raises(MatchError, match=r"seat 2 ran out of time \(seat 2, B, hand \d: \S+ s .*, \S+ s allowed\)"):
        play_seating(game(HUNL), seats, "AB", num_hands=4, seed=0, limits=limits, log=log)
    assert log.getvalue().count(b"\n") <= hands_played


# --- plans and files --------------------------------------------------------------------------------------------


def make_plan(out: Path, specs: Sequence[str], *, game_name: str = HUNL, hands: int, **options: Any) -> MatchPlan:
    """Returns a plan whose commands play over TCP."""
    path = find_gamedef(game_name)

    def command(text: str) -> Callable[[int, Path], list[str]]:
        spec = parse_player_spec(text)
        return lambda seed, report: launch_command(spec, PlaySettings(), game=path, seed=seed, report=report)

    entrants = tuple(Entrant(f"{text}_{index}", command(text)) for index, text in enumerate(specs))
    out.mkdir()
    options = {"duplicate": True, **options}
    return MatchPlan(entrants, path, hands, 1471220049, out=out, dealer_command=DEALER_COMMAND, **options)


def local_entrant(text: str, gamedef: GameDef, *, compiled: bool) -> LocalEntrant:
    """Returns what ``hedgehog play`` would make of a player specification, inside this process."""
    spec = parse_player_spec(text)

    def seat(seed: int) -> Seat:
        player = make_player(spec, seed=seed, think_ms=0, threads=None)
        player.warm_up()
        player.new_match(gamedef, seed)
        return Seat(player, PlayRecord())

    return LocalEntrant(seat, bot=spec.kind if compiled and spec.kind in BOTS else "")


def play_plan(plan: MatchPlan, entrants: Sequence[LocalEntrant]) -> list[PlayedSeating]:
    return [play_plan_seating(plan, index, entrants) for index in range(1, len(plan.seatings()) + 1)]


def report_without_times(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text())
    del report["decision_ms"]
    return report


def assert_same_files(over_tcp: list[PlayedSeating], here: MatchPlan, *, compiled: bool) -> None:
    """Plays a plan inside this process and compares logs byte by byte, and reports but for times."""
    gamedef = game(here.game.name)
    specs = [entrant.name.split("_")[0] for entrant in here.entrants]
    ours = play_plan(here, [local_entrant(spec, gamedef, compiled=compiled) for spec in specs])
    assert len(ours) == len(over_tcp) == len(here.seatings())
    for mine, other in zip(ours, over_tcp, strict=True):
        assert mine.log.read_bytes() == other.log.read_bytes()
        assert mine.log.name == other.log.name
        assert [path.name for path in mine.reports] == [path.name for path in other.reports]
        assert [report_without_times(path) for path in mine.reports] == [
            report_without_times(path) for path in other.reports
        ]


@pytest.mark.process
def test_files_are_those_of_a_match_over_tcp(tmp_path: Path) -> None:
    specs, options = ["random", "raise"], ("--start_timeout=60000", "--t_hand", "5000")
    plans = [make_plan(tmp_path / name, specs, hands=30, dealer_options=options) for name in ("tcp", "fast", "here")]
    over_tcp = asyncio.run(asyncio.wait_for(run_match(plans[0]), 120))
    assert_same_files(over_tcp, plans[1], compiled=True)
    assert_same_files(over_tcp, plans[2], compiled=False)
    header = (tmp_path / "here" / "seating_2.log").read_text().splitlines()[:4]
    assert header == [
        f"# name/game/hands/seed seating_2 {find_gamedef(HUNL)} 30 1471220049",
        "#--t_response 600000",
        "#--t_hand 5000",
        "#--t_per_hand 7000",
    ]


@pytest.mark.slow
def test_our_player_without_thinking_plays_as_over_tcp(tmp_path: Path) -> None:
    plans = [make_plan(tmp_path / name, ["default", "random"], hands=60) for name in ("tcp", "here")]
    over_tcp = asyncio.run(asyncio.wait_for(run_match(plans[0]), 1200))
    assert_same_files(over_tcp, plans[1], compiled=True)  # the bot has no compiled opponent, so it plays in Python


def test_all_seatings_of_three_players(tmp_path: Path) -> None:
    specs = ["random", "raise", "random"]
    gamedef = game("holdem.limit.3p")
    plans = [make_plan(tmp_path / name, specs, game_name="holdem.limit.3p", hands=40) for name in ("a", "b")]
    logs = [
        [
            seating.log.read_bytes()
            for seating in play_plan(plan, [local_entrant(spec, gamedef, compiled=compiled) for spec in specs])
        ]
        for plan, compiled in zip(plans, (True, False), strict=True)
    ]
    assert logs[0] == logs[1]
    assert len({log.split(b"\n", 1)[1] for log in logs[0]}) == 6


@pytest.mark.parametrize(("compiled", "expected"), [(True, [3]), (False, [1, 2, 3])])
def test_progress(tmp_path: Path, compiled: bool, expected: list[int]) -> None:
    plan = make_plan(tmp_path / "a", ["call", "raise"], hands=3, duplicate=False)
    entrants = [local_entrant(spec, game(HUNL), compiled=compiled) for spec in ("call", "raise")]
    seen: list[tuple[int, float]] = []
    played = play_plan_seating(plan, 1, entrants, lambda hands, chips: seen.append((hands, chips[0])))
    assert [hands for hands, _ in seen] == expected
    assert f"SCORE:{seen[-1][1]:.0f}|" in played.log.read_text()


@pytest.mark.parametrize("compiled", [True, False])
def test_a_match_that_breaks_off_leaves_whole_hands(tmp_path: Path, compiled: bool) -> None:
    path = tmp_path / "free.game"
    path.write_text(
        "nolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 9 9\nblind = 0 0\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0\n"
    )
    plan = make_plan(tmp_path / "out", ["call", "call"], game_name=str(path), hands=3)
    (plan.out / "seating_1.log").write_text("an old one")
    entrants = [local_entrant("call", game(str(path)), compiled=compiled)] * 2
    with pytest.raises(MatchError, match="nobody has put in a chip"):
        play_plan(plan, entrants)
    assert [path.name for path in plan.out.iterdir()] == ["seating_1.log"]  # as over TCP; here without a hand
    lines = (plan.out / "seating_1.log").read_text().splitlines()
    assert len(lines) == 4
    assert all(line.startswith("#") for line in lines)


def test_a_player_that_cannot_be_seated_is_named(tmp_path: Path) -> None:
    plan = make_plan(tmp_path / "out", ["call", "fold"], hands=1)
    lame = local_entrant(f"pack:{tmp_path}/none", game(HUNL), compiled=True)
    with pytest.raises(MatchError, match=r"seat 2: player fold_1: .*/none: no strategy pack here"):
        play_plan(plan, [local_entrant("call", game(HUNL), compiled=True), lame])


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("name", "specs"), [(HUNL, ["random", "raise"]), ("holdem.limit.3p", ["random", "call", "random"])]
)
def test_a_match_goes_on_after_the_hands_in_its_log(
    tmp_path: Path, compiled: bool, name: str, specs: list[str]
) -> None:
    """Wherever the log was cut: in the header's last line end, in a hand, before its line end, before the score."""
    plan = make_plan(tmp_path / "out", specs, game_name=name, hands=40, duplicate=False)
    entrants = [local_entrant(spec, game(name), compiled=compiled) for spec in specs]
    log = play_plan(plan, entrants)[0].log
    whole = log.read_bytes()
    report = [report_without_times(path) for path in plan.reports(1)]
    lines = whole.splitlines(keepends=True)
    head = sum(map(len, lines[:4]))
    for cut in (head, head + 7, head + len(lines[4]) - 1, *(sum(map(len, lines[:n])) + 3 for n in (5, 23, 43, 44))):
        log.write_bytes(whole[:cut])
        play_plan_seating(plan, 1, entrants, go_on=True)
        assert log.read_bytes() == whole
        if compiled:  # which plays the first hands again
            assert [report_without_times(path) for path in plan.reports(1)] == report


@pytest.mark.parametrize("compiled", [True, False])
def test_a_match_does_not_go_on_after_hands_of_another_one(tmp_path: Path, compiled: bool) -> None:
    plan = make_plan(tmp_path / "out", ["call", "fold"], hands=3, duplicate=False)
    entrants = [local_entrant(spec, game(HUNL), compiled=compiled) for spec in ("call", "fold")]
    log = play_plan(plan, entrants)[0].log
    text = log.read_text()
    for old, new, message in (
        ("STATE:2:f:", "STATE:2:cf:", "in the match log"),
        (":100|-100:", ":60|-60:", "in the match log (is|are) not"),
        ("seating_1 ", "seating_2 ", "not the log of this match"),
    ):
        assert old in text
        spoiled = text.replace(old, new, 1)
        log.write_text(spoiled[: spoiled.index("SCORE")])
        with pytest.raises((MatchError, InputError), match=message):
            play_plan_seating(plan, 1, entrants, go_on=True)
        assert log.read_text() == spoiled[: spoiled.index("SCORE")]


@pytest.mark.parametrize("options", [("--t_hand", "soon"), ("--t_hand=-1",), ("--t_response",), ("-T",), ("-p", "1,2")])
def test_dealer_options_without_meaning_here(tmp_path: Path, options: tuple[str, ...]) -> None:
    plan = make_plan(tmp_path / "out", ["call", "call"], hands=1, dealer_options=options)
    entrants = [local_entrant("call", game(HUNL), compiled=True)] * 2
    with pytest.raises(InputError, match="dealer option"):
        play_plan(plan, entrants)


def test_fixed_seats_from_the_dealer_options(tmp_path: Path) -> None:
    for compiled in (True, False):
        plan = make_plan(
            tmp_path / str(compiled), ["call", "fold"], hands=3, duplicate=False, dealer_options=("-f", "--t_hand=9")
        )
        entrants = [local_entrant(spec, game(HUNL), compiled=compiled) for spec in ("call", "fold")]
        log = play_plan(plan, entrants)[0].log.read_text().splitlines()[4:]
        assert [line.rsplit(":", 1)[1] for line in log] == ["call_0|fold_1"] * 4
