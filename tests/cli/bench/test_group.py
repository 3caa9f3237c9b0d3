"""The frame of ``hedgehog bench``: its tables and its files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hedgehog.analysis.speed import evaluator, player
from hedgehog.analysis.speed.figures import BenchRow, BenchTable
from hedgehog.cli.bench import group
from hedgehog.cli.main import main


def test_bench_prints_the_table_of_a_benchmark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = BenchTable("A title", [BenchRow("some work", 12.0, "M/s", "a peer", 4.0)], notes=["a note"])
    monkeypatch.setattr(evaluator, "measure_evaluator", lambda watch: table)
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "evaluator"])
    assert not exit_info.value.code
    out = capsys.readouterr().out
    for text in ("A title", "some work", "12 M/s", "a peer", "4 M/s", "a note"):
        assert text in out
    assert out.split("4 M/s")[1].split()[1:4:2] == ["3", "3"]


def test_unknown_benchmark_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "nonsense"])
    assert exit_info.value.code == 2
    assert "nonsense" in capsys.readouterr().err


def test_eighty_columns_are_enough(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        BenchRow("D2 river, f32, cards merged: iteration", 1234.0, "ms", "postflop-solver, recorded", 1205.0),
        BenchRow("random - random over TCP, C clients: CPU", 123.0, "us/action", "official, other machine", 3594.0),
    ]
    monkeypatch.setattr(evaluator, "measure_evaluator", lambda watch: BenchTable("A title", rows))
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["bench", "evaluator"])
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out


def test_json_and_csv_have_every_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = BenchTable("Decisions", [BenchRow("one", 2.0, "k/s", "a peer", 1.0), BenchRow("two", 3.0, "ms")])
    monkeypatch.setattr(group, "prepare_first_launch", lambda: None)
    monkeypatch.setattr(player, "measure_player", lambda watch: table)
    other = BenchTable("Hands", [BenchRow("three", 4.0, "us")], ["a note"])
    monkeypatch.setattr(evaluator, "measure_evaluator", lambda watch: other)
    files = ["--json", str(tmp_path / "all.json"), "--csv", str(tmp_path / "all.csv")]
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "player", "evaluator", *files])
    assert not exit_info.value.code
    document = json.loads((tmp_path / "all.json").read_text())
    assert document["player"]["rows"][0]["times_faster"] == 2.0
    assert document["evaluator"] == {
        "title": "Hands",
        "rows": [
            {
                "what": "three",
                "value": 4.0,
                "unit": "us",
                "peer": "",
                "peer_value": None,
                "times_faster": None,
                "ratio": None,
            }
        ],
        "notes": ["a note"],
    }
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["benchmark"], row["what"]) for row in rows] == [
        ("player", "one"),
        ("player", "two"),
        ("evaluator", "three"),
    ]
