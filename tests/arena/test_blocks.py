"""Seatings in blocks of hands: players start afresh, the cards stay, and the files are those of a seating."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hedgehog.agent.bots import CallBot
from hedgehog.agent.decision_record import DecisionRecord
from hedgehog.agent.play_record import PlayRecord
from hedgehog.analysis.stats.match_report import score_match
from hedgehog.arena.bot_table import play_bots
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.arena.launch import PlaySettings
from hedgehog.arena.match import MatchPlan, SeatingState, common_hands, player_seed, seating_states
from hedgehog.arena.play import ReadyMatch, ReadyTournament, ready_match, ready_tournament
from hedgehog.arena.seatings.blocks import join_seating
from hedgehog.arena.tournament import read_progress
from hedgehog.cli.arena.match_view import MatchView
from hedgehog.dealer.answers import read_answers
from hedgehog.dealer.cards import CardDealer
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.runtime.engines.local import Engine, SerialEngine
from hedgehog.runtime.engines.opening import open_engine
from hedgehog.runtime.engines.status import find_status
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.watch import Watch

KUHN = "kuhn.limit.2p"
HOLDEM = "holdem.nolimit.2p.reverse_blinds"


def ready(out: Path, *players: str, block: int | None = 7, game: str = KUHN, **options: Any) -> ReadyMatch:
    settings = PlaySettings(block_hands=block, in_process=options.pop("in_process", True))
    values = {"hands": 20, "seed": 3, **options}
    return ready_match(players or ["call", "checkraise"], out=out, game=game, settings=settings, **values)


def contents(folder: Path) -> dict[str, bytes]:
    """Returns all files of a match or tournament, without times."""
    times = rb'"(seconds|p50|p99|slowest_ms)": [0-9.]+|"histogram": \{[^}]*\}'
    return {
        str(path.relative_to(folder)): re.sub(times, b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@given(st.sampled_from([KUHN, HOLDEM, "kuhn.limit.3p"]), st.integers(0, 2**32 - 1), st.integers(0, 100))
def test_cards_from_the_middle_are_those_of_the_whole(game: str, seed: int, first: int) -> None:
    gamedef = load_gamedef(game)
    whole, part = CardDealer(gamedef, seed), CardDealer(gamedef, seed, first)
    for _ in range(first):
        whole.deal()
    assert [whole.deal() for _ in range(3)] == [part.deal() for _ in range(3)]


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize(("game", "players"), [(KUHN, 2), ("kuhn.limit.3p", 3)])
def test_hands_from_the_middle_are_those_of_the_whole(game: str, players: int, fixed: bool) -> None:
    """In Python and in compiled code, with numbers and positions."""
    gamedef = load_gamedef(game)
    names, kinds = "ABC"[:players], ["call"] * players

    def python(count: int, first: int, logged: list[str]) -> str:
        log = io.BytesIO()
        seats = [Seat(CallBot(), PlayRecord()) for _ in kinds]
        options: dict[str, Any] = {"fixed_seats": fixed, "logged": logged, "first_hand": first}
        play_seating(gamedef, seats, names, num_hands=count, seed=5, log=log, **options)
        return log.getvalue().decode()

    def compiled(count: int, first: int, logged: list[str]) -> str:
        log = io.BytesIO()
        options: dict[str, Any] = {"fixed_seats": fixed, "logged": logged, "first_hand": first}
        play_bots(gamedef, kinds, num_hands=count, seed=5, bot_seeds=[0] * players, names=names, log=log, **options)
        return log.getvalue().decode()

    whole = python(11, 0, []).splitlines()
    for play in (python, compiled):
        part = play(6, 5, []).splitlines()
        assert part[:-1] == whole[5:-1]
        assert play(6, 5, part[:2]).splitlines() == part[2:]


def test_a_plan_has_blocks(tmp_path: Path) -> None:
    plan = ready(tmp_path, block=8).plan
    blocks = plan.parts(2)
    assert [(block.first_hand, block.hands) for block in blocks] == [(0, 8), (8, 8), (16, 4)]
    assert blocks[1].expected_log(2).path == plan.out / "seating_2.blocks" / "8" / "seating_2.log"
    assert all(block.parts(2) == [block] for block in blocks)
    assert ready(tmp_path, block=None).plan.parts(1)[0].hands == 20
    seeds = [player_seed(3, 0, 1, block.first_hand) for block in blocks]
    assert len(set(seeds)) == 3
    assert seeds[0] == player_seed(3, 0, 1)
    assert plan.as_dict()["block_hands"] == 8
    assert "block_hands" not in ready(tmp_path, block=None).plan.as_dict()


@pytest.mark.parametrize("block", [1, 7, 20, 50])
@pytest.mark.parametrize(("game", "players"), [(HOLDEM, ["call", "checkraise"]), (KUHN, ["call", "raise"])])
def test_players_without_memory_leave_the_files_of_one_piece(
    tmp_path: Path, block: int, game: str, players: list[str]
) -> None:
    ready(tmp_path / "whole", *players, block=None, game=game).play()
    ready(tmp_path / "blocks", *players, block=block, game=game).play()
    whole, blocks = contents(tmp_path / "whole"), contents(tmp_path / "blocks")
    assert whole.pop("match.plan") != blocks.pop("match.plan")
    assert whole == blocks


def test_random_players_draw_anew_in_every_block(tmp_path: Path) -> None:
    ready(tmp_path / "whole", "random", "call", block=None).play()
    played = ready(tmp_path / "blocks", "random", "call", block=5).play()
    whole = (tmp_path / "whole" / "seating_1.log").read_text().splitlines()
    blocks = played.logs[0].read_text().splitlines()
    assert whole[:9] == blocks[:9]  # the head and the first block
    assert whole != blocks
    cards = [[line.split(":")[3].split("/")[0] for line in log if line.startswith("STATE")] for log in (whole, blocks)]
    assert cards[0] == cards[1]
    assert not verify_log(played.logs[0]).faults


@pytest.mark.slow
@pytest.mark.process
def test_a_match_in_blocks_is_the_same_on_any_engine(tmp_path: Path) -> None:
    """Also with our player and its record, whose hands are those of the log."""
    players = ["default", "random"]
    values: dict[str, Any] = {"game": HOLDEM, "hands": 12, "block": 5, "record": True}
    ready(tmp_path / "here", *players, **values).play()
    expected = contents(tmp_path / "here")
    ready(tmp_path / "tables", *players, **values).play(jobs=2)
    ways: list[tuple[str, int, str | None]] = [("one", 1, None), ("two", 2, None)]
    if find_spec("distributed") is not None:
        ways.append(("dask", 1, "local:2"))
    for name, workers, dask in ways:
        with open_engine(workers, dask, in_process=True) as engine:
            ready(tmp_path / name, *players, **values).play(engine=engine)
    plain = {name: data for name, data in expected.items() if not name.endswith(".err")}
    for name in ("tables", *(way[0] for way in ways)):
        found = contents(tmp_path / name)
        assert {name: data for name, data in found.items() if not name.endswith(".err")} == plain
    record = DecisionRecord(tmp_path / "here" / "seating_1.default.decisions")
    numbers = [hand.hand_id for hand in record.hands()]
    assert numbers == sorted(numbers)  # without the hands in which it had nothing to decide
    assert {number // 5 for number in numbers} == {0, 1, 2}
    report = json.loads((tmp_path / "here" / "seating_1.default.json").read_bytes())
    assert report["hands"] == 12
    assert sum(report["player"]["layers"].values()) == report["decisions"]
    assert report["player"]["strategy_bb"] == 200


class Stops(Watch):
    """Stops after some hands."""

    def __init__(self, hands: int) -> None:
        self._hands, self._done = hands, 0.0

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self._done = done

    @property
    def stopped(self) -> bool:
        return self._done >= self._hands


def test_an_interrupted_match_goes_on_block_by_block(tmp_path: Path) -> None:
    """On another engine, too; other blocks are refused, and a block with a player that may remember starts anew."""
    ready(tmp_path / "whole", "call", "random").play(engine=SerialEngine())
    out = tmp_path / "out"
    with pytest.raises(StoppedError):
        ready(out, "call", "random").play(engine=SerialEngine(), watch=Stops(21))
    status = find_status(out)
    assert (status.done, status.total, status.unit, status.notes[-1][:5]) == (3, 6, "block", "call ")
    plan = ready(out, "call", "random", resume=True).plan
    assert seating_states(plan)[:3] == [
        SeatingState(1, 7, finished=True), SeatingState(1, 7, finished=True), SeatingState(1, 0)
    ]  # fmt: skip
    block = out / "seating_1.blocks" / "7" / "seating_1.log"
    block.write_bytes(block.read_bytes()[:-40])  # the score and the last hand
    report = out / "seating_1.blocks" / "0" / "seating_1.call.json"
    report.write_text(report.read_text().replace('"player_errors": 0', '"player_errors": 1'))
    with pytest.raises(InputError, match="block_hands is 7 there and 6 here"):
        ready(out, "call", "random", block=6, resume=True)
    with pytest.raises(InputError, match="block_hands is 7 there and null here"):
        ready(out, "call", "random", block=None, resume=True)
    ready(out, "call", "random", resume=True).play()
    found, expected = contents(out), contents(tmp_path / "whole")
    for files in (found, expected):
        for name in ("seating_1.table.err", "seating_2.table.err"):
            files.pop(name, None)
    kept = found.pop("seating_1.call.json")  # of a block that was not played again
    assert kept.replace(b'"player_errors": 1', b'"player_errors": 0') == expected.pop("seating_1.call.json") != kept
    assert found == expected


@pytest.mark.parametrize("joined", [False, True])
def test_the_interim_result_is_over_hands_of_the_same_cards(tmp_path: Path, joined: bool) -> None:
    """Of blocks in any state, and of a seating whose blocks are joined already beside one in blocks."""
    one = ready(tmp_path / "out", "call", "random")
    assert common_hands(one.plan) == []
    with pytest.raises(StoppedError):
        one.play(engine=SerialEngine(), watch=Stops(40 if joined else 34))
    played = ready(tmp_path / "whole", "call", "random").play()
    plan = one.plan
    if joined:
        join_seating(plan, 1)
    blocks = plan.blocks_folder(2)
    half = blocks / "7" / "seating_2.log"
    lines = half.read_bytes().splitlines(keepends=True)
    half.write_bytes(b"".join(lines[:-3]) + lines[-3][:12])  # without two hands, the score, and the end of a line
    shutil.rmtree(blocks / "14")
    hands = common_hands(plan)
    assert hands == [*range(12)]
    logs = [[path for path in plan.unfinished_logs(index) if path.is_file()] for index in (1, 2)]
    names, game = one.players.names, one.players.gamedef
    found = score_match(logs, names, game, hands=hands)
    assert found == score_match(played.logs, names, game, hands=hands)
    assert (found.hands, found.groups) == (24, 12)
    console = Console(file=io.StringIO(), width=120)
    MatchView(one, console, overwritten=False).show_interim()
    assert "hands played. Winnings over 24 hands, 12 duplicate pairs" in " ".join(console.file.getvalue().split())


@pytest.mark.parametrize("engine", [None, SerialEngine()])
def test_a_kill_between_joining_and_cleaning(tmp_path: Path, engine: Engine | None) -> None:
    ready(tmp_path / "out").play()
    expected = contents(tmp_path / "out")
    left = tmp_path / "out" / "seating_2.blocks" / "0"
    left.mkdir(parents=True)
    (left / "seating_2.log").write_text("left")
    ready(tmp_path / "out", resume=True).play(engine=engine)
    assert contents(tmp_path / "out") == expected


@pytest.mark.slow
@pytest.mark.process
def test_blocks_over_tcp_with_a_program(tmp_path: Path) -> None:
    """The program is started anew for every block; the dealer's record of answers covers all."""
    starts = tmp_path / "starts"
    program = tmp_path / "mybot"
    command = f"{sys.executable} -m hedgehog.cli play --player raise --game {KUHN}"
    program.write_text(f'#!/bin/sh\necho started >> {starts}\nexec {command} "$@"\n')
    program.chmod(0o755)
    values: dict[str, Any] = {"in_process": False, "duplicate": False, "hands": 9}
    players = ["call", f"theirs=cmd:{program}"]
    ready(tmp_path / "whole", *players, block=None, **values).play(jobs=1)
    played = ready(tmp_path / "blocks", *players, block=4, **values).play(jobs=2)
    assert len(starts.read_text().splitlines()) == 1 + 3
    assert played.logs[0].read_bytes() == (tmp_path / "whole" / "seating_1.log").read_bytes()
    assert sorted(contents(tmp_path / "blocks")) == sorted(contents(tmp_path / "whole"))
    records = [read_answers(tmp_path / name / "seating_1.answers") for name in ("whole", "blocks")]
    assert [record.hands for record in records] == [9, 9]
    whole, blocks = ([seat.answers for seat in record.seats] for record in records)
    assert whole == blocks


def tournament(out: Path, hands: int = 20, *, block: int | None = 5, grows: bool = False) -> ReadyTournament:
    return ready_tournament(
        ["call", "random", "raise"],
        hands=hands,
        out=out,
        seed=3,
        game=KUHN,
        name="t",
        settings=PlaySettings(block_hands=block),
        grows=grows,
    )


@pytest.mark.process
def test_tournaments_in_blocks(tmp_path: Path) -> None:
    """Processes and engines leave the same; hands are added in whole blocks, without playing those before again."""
    tournament(tmp_path / "here").play(jobs=2)
    expected = contents(tmp_path / "here")
    with SerialEngine() as engine:
        progress = tournament(tmp_path / "there").play(engine=engine)
    assert (progress.done, progress.hands) == (3, 120)
    assert contents(tmp_path / "there") == expected
    with SerialEngine() as engine:
        tournament(tmp_path / "there", 30, grows=True).play(engine=engine)
        tournament(tmp_path / "once", 30).play(engine=engine)
    reports = re.compile(r"seating_[0-9]+\..*\.json")  # they cover the last part

    def logs(name: str) -> dict[str, bytes]:
        return {one: data for one, data in contents(tmp_path / name).items() if not reports.search(one)}

    assert logs("there") == logs("once")
    assert read_progress(tmp_path / "there")[1].hands == 180
    with pytest.raises(InputError, match="block_hands is 5 there and 6 here"), SerialEngine() as engine:
        tournament(tmp_path / "there", 30, block=6).play(engine=engine)
    with SerialEngine() as engine:
        tournament(tmp_path / "odd", 7).play(engine=engine)
        with pytest.raises(InputError, match="no hands can be added to 7 in blocks of 5"):
            tournament(tmp_path / "odd", 20, grows=True).play(engine=engine)


def test_unfinished_tournaments_count_the_hands_of_blocks(tmp_path: Path) -> None:
    with pytest.raises(StoppedError), SerialEngine() as engine:
        tournament(tmp_path / "out").play(engine=engine, watch=Stops(10))
    assert read_progress(tmp_path / "out")[1].hands == 10


def test_odd_numbers_in_a_plan(tmp_path: Path) -> None:
    plan = ready(tmp_path).plan
    for value in (0, -1, "7", None, 1.5):
        settings: dict[str, object] = {"block_hands": value}
        assert MatchPlan((), plan.game, 5, 1, True, tmp_path, settings=settings).block_hands is None
