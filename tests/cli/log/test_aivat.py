"""``hedgehog log aivat`` and ``hedgehog match --aivat``, with bots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Run

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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--player", "caller=fold"], "m.log:2: hand 0: the strategy given never plays c with AhAd after 'r20000'"),
        (["--player", "nobody=call"], "no player 'nobody' in {log}: expected caller, jammer"),
        (["--player", "caller"], "expected NAME=SPEC for a player, got 'caller'"),
        (["--player", "caller=call", "--player", "caller=call"], "player 'caller' is given twice"),
        (["--player", "caller=random"], "player 'random' cannot tell its strategy"),
    ],
)
def test_bad_input(run: Run, log: Path, arguments: list[str], message: str) -> None:
    code, _, error = run("log", "aivat", log, *arguments)
    assert code == 2
    assert message.format(log=log) in error
    assert "Traceback" not in error


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
    assert statistics["aivat_ci95"][0] == pytest.approx([0, 0], abs=1e-6)


def test_match_without_a_known_player(run: Run, tmp_path: Path) -> None:
    code, _, error = run("match", "random", "random", "--hands", "1", "--out", tmp_path / "out", "--aivat")
    assert code == 2
    assert "AIVAT needs a player that can tell its strategy" in error
    assert not (tmp_path / "out").exists()


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
    standings = json.loads((out / "results.json").read_text())["standings"]
    assert sum(one["aivat"]["estimate"]["mean"] for one in standings) == pytest.approx(0, abs=1e-6)
    header, *rows = (out / "standings.csv").read_text().splitlines()
    assert header.endswith("aivat_mbb,aivat_low,aivat_high,aivat_sd_hand_mbb,aivat_sd_reduction")
    assert all(row.split(",")[-5] for row in rows)


def test_tournament_without_a_known_player(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("{hands: 1, agents: [random, {name: r2, player: random}]}")
    code, _, error = run("tournament", "run", file, "--out", tmp_path / "out", "--aivat")
    assert code == 2
    assert "AIVAT needs a player" in error
