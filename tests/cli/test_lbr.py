"""``hedgehog lbr`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import lbr as lbr_module
from tests.cli.conftest import Run


def test_several_settings_in_one_table(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "lbr.json"
    code, output, _ = run("lbr", "fold", "--setting", "fcpa", "--setting", "56bets:4", "--hands", 11, "--json", file)
    assert code == 0
    rows = [line.split() for line in output.splitlines()[3:]]
    assert [[*row[:2], *row[5:]][:8] for row in rows] == [
        ["fcpa", "12", "750.0", "±", "0.0", "750.0", "±", "0.0"],
        ["56bets:4", "12", "750.0", "±", "0.0", "750.0", "±", "0.0"],
    ]
    document = json.loads(file.read_text())
    assert (document["player"], document["seed"], document["think_ms"]) == ("fold", 1, 0)
    assert document["provenance"]["command"].startswith("hedgehog")
    row = document["settings"][0]
    assert (row["hands"], row["pairs"]) == (12, 6)
    assert row["chips"] == row["integrated"] == {"mbb_per_hand": 750.0, "ci95": 0.0, "sd_pair": 0.0}


def test_processes_do_not_change_the_result(run: Run, tmp_path: Path) -> None:
    results = []
    for jobs in (1, 2):
        file = tmp_path / f"{jobs}.json"
        assert run("lbr", "call", "--hands", 120, "--seed", 4, "--jobs", jobs, "--json", file)[0] == 0
        (row,) = json.loads(file.read_text())["settings"]
        del row["cpu_ms_per_hand"]
        results.append(row)
    assert results[0] == results[1]
    assert results[0]["chips"]["mbb_per_hand"] > 10_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",), "'random' does not report its strategy"),
        (("nobody",), "unknown player 'nobody'"),
        (("fold", "--setting", "fcpa:9"), "unknown setting 'fcpa:9'"),
        (("fold", "--hands", 1), "--hands"),
        (("fold", "--game", "kuhn.limit.2p"), "heads-up no-limit hold'em"),
        (("fold", "--json", "/no/such/folder/x.json"), "no folder"),
    ],
)
def test_bad_input_is_one_message(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, output, error = run("lbr", *arguments)
    assert code == 2
    assert output == ""
    assert message in error
    assert "Traceback" not in error


def test_an_interruption_prints_what_is_known(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play = lbr_module.play_lbr

    def interrupted(*arguments: object) -> object:
        blocks = play(*arguments)  # type: ignore[arg-type]
        yield next(blocks)
        raise KeyboardInterrupt

    monkeypatch.setattr(lbr_module, "play_lbr", interrupted)
    file = tmp_path / "lbr.json"
    code, output, error = run("lbr", "fold", "--hands", 1000, "--setting", "fcpa", "--json", file)
    assert code == 130
    assert output.splitlines()[-1].split()[:2] == ["fcpa", "50"]
    assert error.strip().splitlines()[-1] == "interrupted"
    assert json.loads(file.read_text())["settings"][0]["hands"] == 50
