"""Every command that reads hands reads the text of every poker site, and counts what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Run

DATA = Path(__file__).parents[2] / "data"
BOARD, GAME = "a second board", "another game than no-limit hold'em"
FILES = {
    "pokerstars/heads-up.txt": (3, {}, {"Nora K.": 73250 / 3, "otto_9": -74500 / 3}),
    "pokerstars/other-forms.txt": (6, {}, {"Nora K.": 3700, "otto_9": -4250}),
    "ggpoker/heads-up.txt": (4, {BOARD: 1}, {"Hero": (1000 + 11920 - 42350 + 2125) / 4, "5a1f0c3e": -7400}),
    "acr/heads-up.txt": (3, {BOARD: 1, GAME: 1}, {"Nora K": (-1000 + 41500 + 10000) / 3, "otto_9": -18000}),
}
"""Of each file: hands, hands left out by kind, and thousandths of a big blind per hand."""
WITHOUT_ANTES = {"ggpoker/heads-up.txt": 3, "acr/heads-up.txt": 2}


def document(run: Run, *arguments: str | Path) -> dict[str, Any]:
    code, out, error = run(*arguments, "--json")
    assert code == 0, error
    result: dict[str, Any] = json.loads(out)
    return result


def left_out_kinds(numbers: dict[str, Any]) -> dict[str, int]:
    return {kind: one["hands"] for kind, one in numbers["left_out"].items()}


def left_out(error: str) -> int:
    """Returns the number of hands that a command says it left out."""
    return sum(int(line.split()[0]) for line in error.splitlines() if " left out, " in line and line[0].isdigit())


@pytest.mark.parametrize("name", FILES)
def test_statistics(run: Run, name: str) -> None:
    hands, kinds, winnings = FILES[name]
    result = document(run, "log", "stats", DATA / name)
    (match,) = result["matches"]
    assert match["hands"] == hands
    assert left_out_kinds(result) == kinds
    means = {player["name"]: player["mbb_per_hand"]["mean"] for player in match["players"]}
    assert {player: means[player] for player in winnings} == pytest.approx(winnings)


@pytest.mark.parametrize("name", FILES)
def test_verification(run: Run, name: str) -> None:
    hands, kinds, _ = FILES[name]
    code, out, error = run("log", "verify", DATA / name)
    assert (code, out) == (0, f"{hands} hands, 0 faults\n")
    assert left_out(error) == sum(kinds.values())


@pytest.mark.parametrize("name", FILES)
def test_conversion(run: Run, name: str, tmp_path: Path) -> None:
    hands, kinds, _ = FILES[name]
    written = WITHOUT_ANTES.get(name, hands)
    code, _, error = run("log", "convert", DATA / name, "--to", "acpc", "--split", "--out", tmp_path / "logs")
    assert code == 0
    assert len(list((tmp_path / "logs").glob("*.log"))) == written
    assert left_out(error) == hands - written + sum(kinds.values())
    assert run("log", "convert", DATA / name, "--to", "phh", "--out", tmp_path / "x.phhs")[0] == 0
    assert run("log", "verify", tmp_path / "x.phhs")[:2] == (0, f"{written} hands, 0 faults\n")


@pytest.mark.parametrize("name", FILES)
def test_judgement(run: Run, name: str) -> None:
    hands, kinds, winnings = FILES[name]
    result = document(run, "judge", DATA / name)
    assert left_out_kinds(result) == kinds
    player = next(iter(winnings))
    assert all(session["player"] == player for session in result["sessions"])
    unknown = 1 if name.startswith("ggpoker") else 0  # a pair whose cards are known in no hand
    assert sum(session["hands"] + session["hidden"] for session in result["sessions"]) == hands - unknown


def test_a_pair_without_known_cards_is_named(run: Run) -> None:
    code, out, error = run("judge", DATA / "ggpoker/heads-up.txt")
    assert (code, "77c3d0a" in out) == (0, False)
    assert "left out: the hole cards of both players are known in none of the 1 hands of Hero and 77c3d0a" in error


@pytest.mark.parametrize("name", FILES)
def test_study(run: Run, name: str) -> None:
    hands, kinds, _ = FILES[name]
    result = document(run, "study", "hands", DATA / name)
    assert (result["hands"], result["tally"]["bad"]) == (hands, 0)
    assert left_out_kinds(result["tally"]) == kinds
