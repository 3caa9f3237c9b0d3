"""``hedgehog log aivat`` and ``hedgehog match --aivat``, with bots."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.agent.decision_record import DecisionRecord
from hedgehog.analysis.aivat import logs
from hedgehog.analysis.aivat.blocks import HandToScore, ScoredHand, Scoring, score_hands
from hedgehog.analysis.aivat.logs import log_aivat
from hedgehog.arena.play import play_match
from hedgehog.runtime.errors import InputError
from tests.cli.command import Run
from tests.dask_cluster import wait_for

TABLES = Path(__file__).parents[2] / "data" / "aivat"
WHOLE_STUDY = os.environ.get("HEDGEHOG_DEEPSTACK_TABLES", "")
"""Folder with all 33 tables of the DeepStack study, results.*.csv; they are not shipped."""

HANDS = [
    "# name/game/hands/seed x holdem.nolimit.2p.reverse_blinds 2 1",
    "STATE:0:r20000c///:AhAd|KhKd/2c7dTs/3c/4s:20000|-20000:caller|jammer",
    "STATE:1:cr20000c///:7c2d|AcKc/2s7dTs/3c/4s:20000|-20000:jammer|caller",
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "m.log"
    path.write_text("\n".join(HANDS) + "\n")
    return path


def test_log(run: Run, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.json"
    code, text, _ = run("log", "aivat", log, "--player", "caller=call", "--json", out)
    assert code == 0
    assert "strategy known: caller" in text
    players = {player["name"]: player for player in json.loads(out.read_text())["matches"][0]["players"]}
    caller, jammer = players["caller"], players["jammer"]
    assert caller["adjusted"]["mean"] == pytest.approx(-jammer["adjusted"]["mean"])
    assert abs(caller["adjusted"]["mean"]) < 60_000 < abs(players["caller"]["mbb_per_hand"]["sd"])


def test_hands_after_the_first_ones_are_not_scored(run: Run, tmp_path: Path) -> None:
    """In the second hand the jammer calls, which its strategy never does."""
    log, out = tmp_path / "m.log", tmp_path / "a.json"
    log.write_text("\n".join([*HANDS[:2], "STATE:1:cc/cc/cc/cc:7c2d|AcKc/2s7dTs/3c/4s:100|-100:jammer|caller"]) + "\n")
    words = ("log", "aivat", log, "--player", "jammer=allin", "--json", out)
    code, _, error = run(*words)
    assert (code, "m.log:3: hand 1: the strategy given never plays c" in error) == (2, True)
    assert run(*words, "--first", 1)[0] == 0
    [match] = json.loads(out.read_text())["matches"]
    assert (match["hands"], match["left_out"]) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--player", "caller=fold"], "m.log:2: hand 0: the strategy given never plays c with AhAd after 'r20000'"),
        (["--player", "nobody=call"], "no player 'nobody' in {log}: expected caller, jammer"),
        (["--player", "caller"], "expected NAME=SPEC for a player, got 'caller'"),
        (["--player", "caller=call", "--player", "caller=call"], "player 'caller' is given twice"),
        (["--player", "caller=random"], "player 'random' cannot tell its strategy"),
        ([], "{log}: no record of decisions lies beside this log: expected --player NAME=SPEC or --record NAME=FILE"),
        (["--record", "caller"], "expected NAME=FILE for a record, got 'caller'"),
        (["--record", "caller=x", "--record", "caller=y"], "the record of 'caller' is given twice"),
        (["--record", "caller=x", "--player", "caller=call"], "player 'caller': expected a specification or a record"),
        (["--record", "caller={log}"], "{log}: expected a record of decisions (format hedgehog.decisions, version 1)"),
        (["--record", "nobody={log}"], "no player 'nobody' in {log}"),
    ],
)
def test_bad_input(run: Run, log: Path, arguments: list[str], message: str) -> None:
    code, _, error = run("log", "aivat", log, *(text.format(log=log) for text in arguments))
    assert code == 2
    assert message.format(log=log) in error
    assert "Traceback" not in error


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_match(run: Run, tmp_path: Path) -> None:
    """Both bots are known and ignore their cards, and the pairs exchange the seats: nothing is left to luck."""
    result = tmp_path / "r.json"
    options = ["--hands", 20, "--seed", 3, "--in-process", "--jobs", 1, "--out", tmp_path / "out", "--json", result]
    code, text, _ = run("match", "call", "allin", *map(str, options), "--aivat")
    assert code == 0
    assert "AIVAT, strategy known: call, allin" in text
    statistics = json.loads(result.read_text())["statistics"]
    assert statistics["aivat"][0] == pytest.approx(-statistics["aivat"][1])
    assert statistics["aivat_sd_reduction"][0] > 0.5
    assert statistics["aivat"] == pytest.approx([0, 0], abs=1e-6)
    assert statistics["aivat_ci95"] == [None, None]  # equal values say nothing about their spread


def test_the_winnings_are_shown_when_aivat_fails(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise InputError("the record is damaged")

    monkeypatch.setattr("hedgehog.analysis.aivat.scorers.SpreadAivat.score", fail)
    out, result = tmp_path / "out", tmp_path / "r.json"
    options = ["--hands", 4, "--in-process", "--jobs", 1, "--out", out, "--json", result, "--aivat"]
    code, text, error = run("match", "call", "allin", *map(str, options))
    assert code == 2
    assert error.strip().splitlines()[-1].startswith("error: ")
    assert error.strip().endswith("the record is damaged")
    assert "Winnings over 8 hands" in text
    assert f"Logs: {out}" in text
    assert "AIVAT" not in text
    assert not result.exists()


def test_match_without_a_known_player(run: Run, tmp_path: Path) -> None:
    code, _, error = run("match", "random", "random", "--hands", "1", "--out", tmp_path / "out", "--aivat")
    assert code == 2
    assert "AIVAT needs a player that can tell its strategy" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_tournament(run: Run, tmp_path: Path) -> None:
    """An agent has a score by AIVAT if all its matches have a player of known strategy: here all but two randoms."""
    file, out = tmp_path / "t.yaml", tmp_path / "out"
    agents = "[call, allin, {name: r1, player: random}]"
    file.write_text(f"{{hands: 10, seed: 3, in_process: true, think_ms: 0, agents: {agents}}}")
    code, text, _ = run("tournament", "run", file, "--out", out, "--jobs", "1")
    assert code == 0
    assert "AIVAT" not in text
    code, text, _ = run("tournament", "report", out, "--aivat")
    assert code == 0
    assert "AIVAT" in text
    assert "SD of a hand by AIVAT" in (out / "report.html").read_text()
    results = (out / "results.json").read_bytes()
    again = run("tournament", "report", out, "--aivat", "--jobs", "2")
    assert (again[0], again[1]) == (0, text)
    assert (out / "results.json").read_bytes() == results
    code, _, error = run("tournament", "report", out, "--jobs", "2")
    assert (code, "--jobs goes with --aivat" in error) == (2, True)
    standings = json.loads((out / "results.json").read_text())["standings"]
    assert sum(one["aivat"]["estimate"]["mean"] for one in standings) == pytest.approx(0, abs=1e-6)
    header, *rows = (out / "standings.csv").read_text().splitlines()
    assert header.endswith("aivat_mbb,aivat_low,aivat_high,aivat_sd_hand_mbb,aivat_sd_reduction,outside")
    assert all(row.split(",")[-5] for row in rows)


def test_tournament_without_a_known_player(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("{hands: 1, agents: [random, {name: r2, player: random}]}")
    code, _, error = run("tournament", "run", file, "--out", tmp_path / "out", "--aivat")
    assert code == 2
    assert "AIVAT needs a player" in error


def published(run: Run, files: list[Path], out: Path, *options: object) -> tuple[str, list[dict[str, Any]]]:
    code, text, error = run("log", "aivat", *files, "--json", out, *options)
    assert code == 0, error
    return text, json.loads(out.read_text())["matches"]


def test_published_tables(run: Run, tmp_path: Path) -> None:
    """Two participants of the DeepStack study: the numbers are those of the columns, with the sign turned."""
    files = sorted(TABLES.glob("results.*.csv"))
    text, matches = published(run, files, tmp_path / "a.json")
    assert "39 hands of Deepstack, AIVAT as published" in text
    assert [(one["against"], one["hands"]) for one in matches] == [
        ("pastor.juan_manuel", 7),
        ("phan.mike", 32),
        ("all", 39),
    ]
    rows = np.concatenate([np.loadtxt(file, delimiter=",", skiprows=1, usecols=(0, 1)) for file in files])
    for key, column in (("adjusted", 0), ("mbb_per_hand", 1)):
        assert matches[-1][key]["mean"] == pytest.approx(-10 * rows[:, column].mean())
        assert matches[-1][key]["sd"] == pytest.approx(10 * rows[:, column].std(ddof=1))
    _, matches = published(run, files, tmp_path / "b.json", "--first", 10)
    assert [one["hands"] for one in matches] == [7, 10, 17]


@pytest.mark.slow
@pytest.mark.skipif(not WHOLE_STUDY, reason="HEDGEHOG_DEEPSTACK_TABLES names no folder")
def test_published_result_of_deepstack(run: Run, tmp_path: Path) -> None:
    """The first 3,000 hands of every participant: the result of the study."""
    files = sorted(Path(WHOLE_STUDY).glob("results.*.csv"))
    _, matches = published(run, files, tmp_path / "a.json", "--first", 3000)
    assert (len(files), matches[-1]["hands"]) == (33, 44_852)
    won, adjusted = matches[-1]["mbb_per_hand"], matches[-1]["adjusted"]
    assert (round(won["mean"], 1), round(adjusted["mean"], 1)) == (491.5, 485.7)
    assert (round(won["sd"] / 1000, 2), round(adjusted["sd"] / 1000, 3)) == (23.80, 4.364)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1.0, x, 3", "t.csv:3: expected five numbers at the start of the line, got '1.0, x, 3'"),
        ("1.0, 2.0, 3.0, 0.0, 0.0,", "t.csv:3: the AIVAT value 1.0 is not the all-hands value less both corrections"),
        ("", "t.csv:3: expected five numbers"),
    ],
)
def test_malformed_published_table(run: Run, tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "t.csv"
    head, first, *_ = (TABLES / "results.phan.mike.csv").read_text().splitlines()
    file.write_text(f"{head}\n{first}\n{line}\n{first}\n")
    code, _, error = run("log", "aivat", file)
    assert code == 2
    assert message in error
    assert "Traceback" not in error


def test_published_tables_stand_alone(run: Run, log: Path) -> None:
    table = TABLES / "results.phan.mike.csv"
    code, _, error = run("log", "aivat", table, log)
    assert code == 2
    assert f"{log}: is no table of AIVAT values like the others" in error
    code, _, error = run("log", "aivat", table, "--player", "caller=call")
    assert code == 2
    assert "leave out --player" in error


@pytest.mark.slow
def test_thinking_player_over_tcp(run: Run, tmp_path: Path) -> None:
    """A match that is interrupted and gone on with has all its decisions in the record."""
    out, options = tmp_path / "out", ["--hands", "6", "--seed", "3", "--think-ms", "40", "--no-duplicate", "--aivat"]
    code, text, error = run("match", "default", "minbet", *options, "--out", out)
    assert code == 0, error
    assert "AIVAT, strategy known: default, minbet" in text
    assert "missing" not in error
    record = out / "seating_1.default.decisions"
    whole = record.read_bytes()
    log = out / "seating_1.log"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:7]))  # four lines of the header and three hands
    record.write_bytes(whole[:-100])  # the last hand is cut off
    code, text, error = run("match", "default", "minbet", *options, "--out", out, "--resume")
    assert code == 0, error
    assert "missing" not in error
    assert len(DecisionRecord(record)) >= 5
    code, text, _ = run("log", "aivat", log)
    assert code == 0
    assert "strategy known: default" in text
    moved = tmp_path / "moved.decisions"
    record.rename(moved)
    code, again, _ = run("log", "aivat", log, "--record", f"default={moved}")
    assert (code, again) == (0, text)
    content = moved.read_bytes()
    moved.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    code, _, error = run("log", "aivat", log, "--record", f"default={moved}")
    assert code == 2
    assert f"{moved}: hand 5 of the record is damaged" in error


@pytest.mark.slow
def test_tournament_of_thinking_players(run: Run, tmp_path: Path) -> None:
    file, out = tmp_path / "t.yaml", tmp_path / "out"
    file.write_text("{hands: 3, seed: 3, in_process: true, think_ms: 30, agents: [default, random]}")
    code, text, error = run("tournament", "run", file, "--out", out, "--jobs", "1", "--aivat")
    assert code == 0, error
    assert "AIVAT" in text
    assert "missing" not in error
    record = next(out.glob("matches/*/seating_2.default.decisions"))
    record.unlink()
    code, text, error = run("tournament", "report", out, "--aivat")
    assert code == 0
    assert "missing in the records (default: " in error
    assert "missing in the records" in json.loads((out / "results.json").read_text())["aivat_note"]


def played_log(folder: Path, hands: int = 60) -> Path:
    played = play_match(["call", "random"], hands=hands, out=folder, seed=1, duplicate=False)
    return played.logs[0]


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("cluster", [False, True])
def test_the_same_bytes_on_any_engine_and_from_several_machines(run: Run, tmp_path: Path, cluster: bool) -> None:
    """One process, two processes, a cluster of two, and two machines whose files are merged, in either order."""
    command = ("log", "aivat", played_log(tmp_path / "match"), "--player", "call=call")
    ways: dict[str, tuple[object, ...]] = {"one": (), "two": ("--jobs", 2)}
    if cluster and find_spec("distributed") is not None:
        ways["dask"] = ("--dask", "local:2")
    found, tables = {}, []
    for name, options in ways.items():
        found[name] = tmp_path / f"{name}.jsonl"
        code, text, _ = run(*command, *options, "--results", found[name])
        assert code == 0
        tables.append(text)
    parts = [tmp_path / "part-1.jsonl", tmp_path / "part-2.jsonl"]
    for part, file in enumerate(parts, 1):
        code, text, _ = run(*command, "--part", f"{part}/2", "--results", file)
        assert (code, text) == (0, "30 of 60 hands are scored: the other parts are missing\n")
    for order in (parts, parts[::-1]):
        found[str(order)] = tmp_path / f"merged-{len(found)}.jsonl"
        code, text, _ = run("log", "aivat", "--merge", *order, "--results", found[str(order)])
        assert (code, text) == (0, "60 of 60 hands are scored\n")
    code, text, _ = run(*command, "--results", found[str(parts)])
    tables.append(text)
    whole = found["one"].read_bytes()
    assert {name: file.read_bytes() for name, file in found.items()} == dict.fromkeys(found, whole)
    assert set(tables) == {tables[0]}
    assert run(*command)[1] == tables[0]  # without a file of results
    assert len(whole.splitlines()) == 1 + 3
    assert not list(tmp_path.glob("*.status"))


def test_the_folder_of_a_match_is_its_logs(run: Run, tmp_path: Path) -> None:
    """Reports, plan and what processes have said are no logs."""
    played = play_match(["call", "random"], hands=5, out=tmp_path / "m", seed=1)
    (tmp_path / "m" / "seating_1.table.err").touch()
    (tmp_path / "m" / "empty.txt").touch()
    code, text, error = run("log", "aivat", tmp_path / "m", "--player", "call=call")
    assert code == 0, error
    assert [line for line in error.splitlines() if "no hand history" in line] == [
        f"{tmp_path / 'm' / 'empty.txt'} is no hand history"
    ]
    assert "left out" not in error
    assert text == run("log", "aivat", *played.logs, "--player", "call=call")[1]


@pytest.mark.slow
@pytest.mark.process
def test_aivat_in_commands_is_the_same_on_any_engine(run: Run, tmp_path: Path) -> None:
    """Of a match, of a tournament and of its report."""
    (tmp_path / "t.yaml").write_text("{hands: 15, seed: 3, in_process: true, agents: [call, random, raise]}")
    match = ("match", "call", "random", "--hands", 20, "--in-process", "--aivat")
    commands: dict[str, tuple[object, ...]] = {
        "match": match,
        "blocks": (*match, "--block-hands", 6),
        "tournament": ("tournament", "run", tmp_path / "t.yaml", "--aivat"),
    }
    ways: dict[str, tuple[object, ...]] = {"one": ("--jobs", 1), "two": ("--jobs", 2)}
    if find_spec("distributed") is not None:
        ways["dask"] = ("--dask", "local:2")
    for name, command in commands.items():
        found = set()
        for way, options in ways.items():
            out = tmp_path / name / way
            code, text, error = run(*command, *options, "--out", out)
            assert code == 0, error
            if name == "tournament":
                text = (out / "results.json").read_text()
                report = (out / "report.html").read_bytes()
                assert run("tournament", "report", out, "--aivat", *options)[0] == 0
                assert (out / "report.html").read_bytes() == report
            found.add(re.sub(r'"seconds": [0-9.]+', "", text.replace(str(out), "OUT")))
        assert len(found) == 1
        assert "AIVAT" in next(iter(found)) or "aivat" in next(iter(found))


def test_a_measurement_goes_on_where_it_was_killed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("log", "aivat", played_log(tmp_path / "match"), "--player", "call=call")
    results = tmp_path / "values.jsonl"
    assert run(*command, "--results", results)[0] == 0
    whole = results.read_bytes()
    lines = whole.splitlines(keepends=True)
    results.write_bytes(lines[0] + lines[2] + lines[1][:-20])  # blocks end in any order
    scored: list[int] = []

    def watched(
        scoring: Scoring, hands: Sequence[HandToScore], wanted: Sequence[int], *others: Any, **more: Any
    ) -> Iterator[tuple[int, list[ScoredHand]]]:
        scored.extend(wanted)
        return score_hands(scoring, hands, wanted, *others, **more)

    monkeypatch.setattr(logs, "score_hands", watched)
    assert run(*command, "--results", results)[0] == 0
    assert scored == [*range(25), *range(50, 60)]
    assert results.read_bytes() == whole


@pytest.mark.slow
def test_a_killed_measurement_is_seen_and_gone_on_with(run: Run, tmp_path: Path) -> None:
    """The client of two processes is killed by SIGKILL after its first block."""
    command = ["log", "aivat", str(played_log(tmp_path / "match", 200)), "--player", "call=call"]
    results, whole = tmp_path / "values.jsonl", tmp_path / "whole.jsonl"
    words = [sys.executable, "-m", "hedgehog.cli", *command, "--jobs", "2", "--results", str(results)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: results.exists() and results.read_bytes().count(b"\n") >= 2)
    process.kill()
    process.wait()
    code, text, _ = run("status", results)
    assert code == 0
    assert text.startswith(f"{results}: killed: the same command goes on\n")
    assert 0 < results.read_bytes().count(b"\n") < 9
    assert run(*command, "--jobs", 2, "--results", results)[0] == 0
    assert run(*command, "--results", whole)[0] == 0
    assert results.read_bytes() == whole.read_bytes()
    assert run("status", results)[0] == 2  # it is finished


def test_values_of_another_measurement_are_refused(run: Run, tmp_path: Path) -> None:
    log, other = played_log(tmp_path / "match", 4), played_log(tmp_path / "other", 5)
    results, out = tmp_path / "values.jsonl", tmp_path / "out.jsonl"
    assert run("log", "aivat", log, "--player", "call=call", "--results", results)[0] == 0

    def refused(*words: object) -> str:
        code, text, error = run("log", "aivat", *words)
        assert (code, text, out.exists()) == (2, "", False)
        return error

    another = f"{results}:1: these are results of another measurement: "
    assert f"{another}aivat_of is 4 there and 5 here" in refused(other, "--player", "call=call", "--results", results)
    assert "--part: needs --results FILE" in refused(log, "--player", "call=call", "--part", "1/2")
    assert "--merge: needs --results FILE" in refused("--merge", results)
    assert "--player does not go with --merge" in refused("--merge", results, "--results", out, "--player", "a=call")
    assert "no results of AIVAT" in refused("--merge", log, "--results", out)
    assert "--jobs does not go with --dask" in refused(log, "--dask", "local:2", "--jobs", 2)
    changed = tmp_path / "changed.jsonl"
    head, line = results.read_text().splitlines()
    block = json.loads(line)
    block["chips"][3] += 1
    changed.write_text(f"{head}\n{json.dumps(block)}\n")
    assert f"{changed}: hand 3 has another value" in refused("--merge", results, changed, "--results", out)


def test_parts_of_records_travel_with_their_hands(tmp_path: Path) -> None:
    """The blocks of two logs with the same hand numbers, whose records a worker does not see."""
    played = play_match(["me=default", "call"], hands=3, out=tmp_path / "match", seed=3, record=True)
    expected = log_aivat(played.logs, {"me": "default"}).document()["matches"]
    asked = log_aivat(played.logs)  # by the records
    for there, here in zip(expected[0]["players"], asked.document()["matches"][0]["players"], strict=True):
        assert here["adjusted"]["mean"] == pytest.approx(there["adjusted"]["mean"], rel=1e-5)
    assert list(asked.known) == ["me"]
    record = tmp_path / "match" / "seating_1.me.decisions"
    kept = DecisionRecord(record).part([0, 2, 7])
    assert [hand.hand_id for hand in DecisionRecord(record, kept).hands()] == [0, 2]
