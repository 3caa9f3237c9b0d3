"""``hedgehog lab menus``: its tables, its JSON, and what it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from hedgehog.analysis.lab import menus
from tests.cli.command import Run
from tests.cli.lab.river_spot import SPOT


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "lab", "menus")


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


def test_tables_and_json_say_the_same(run: Run, spot_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    code, output, _ = run(spot_file, "--player", "ip", "--most", "1", "--threads", "1", "--json", file)
    assert code == 0
    found = json.loads(file.read_text())
    assert found["format"] == "hedgehog.menus"
    assert {value["sizes"] for value in found["values"]} == {"", "50%", "a", "50%,a"}
    for value in found["values"]:
        assert value["low"] <= value["ev"] + 1e-3
        assert value["ev"] <= value["high"] + 1e-3
        assert value["high"] - value["low"] <= 100 * 2 * 0.0005 + 1e-3
    assert [row["sizes"] for row in found["tables"]["menus"]] == [0, 1, 2]
    assert "The price of leaving one size out" in output


def test_the_estimate_solves_nothing(run: Run, spot_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(menus, "solve", None)
    code, output, _ = run(spot_file, "--player", "ip", "--sizes", "25%,50%,75%,100%,a", "--most", "1", "--estimate")
    assert code == 0
    # no bet, five single sizes, five without one, all
    assert "Up to 12 menus" in output
    small, large = (next(line for line in output.splitlines() if word in line).split() for word in ("no bet", "75%"))
    assert 0 < int(small[2]) < int(large[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sizes", "50q"], "--sizes: expected a bet size"),
        (["--sizes", "2x"], "multiple of a bet"),
        (["--street", "turn"], "the spot has no turn"),
        (["--player", "both"], "is not one of 'oop', 'ip'"),
    ],
)
def test_refusals(run: Run, spot_file: Path, options: list[str], message: str) -> None:
    code, _, errors = run(spot_file, *options)
    assert code == 2
    assert message in errors
    assert "Traceback" not in errors
