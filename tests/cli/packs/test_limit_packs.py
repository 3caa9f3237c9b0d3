"""Limit packs on the command line: estimate, build, continue, status, verify; matches over TCP and in one process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgehog.cli.main import main
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.pack import open_pack
from tests.agent.limit_pack_fixtures import THREE, TWO, write_random_limit_pack
from tests.cli.command import Run
from tests.solver.blueprint_fixtures import made_up_abstraction

CONFIG = "kind: limit-blueprint\nname: tiny\ngame: {game}\nthreads: 1\niterations: {iterations}\n"
CONFIGS = Path(__file__).parents[3] / "strategies" / "configs"


def config(folder: Path, iterations: int, game: str = "holdem.limit.3p") -> Path:
    file = folder / "tiny.yaml"
    buckets = "flop_buckets: 20\nturn_buckets: 30\nriver_buckets: 40\n"
    file.write_text(CONFIG.format(game=game, iterations=iterations) + buckets)
    return file


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("limit-blueprint", ["6,378", "16,583", "infosets 1,275,352, probabilities 3,315,949"]),
        ("limit-blueprint-3p", ["7,168", "17,849", "probabilities 3,563,011"]),
    ],
)
def test_estimates(run: Run, name: str, parts: list[str]) -> None:
    code, out, _ = run("pack", "build", CONFIGS / f"{name}.yaml", "--estimate")
    assert code == 0
    assert [part for part in parts if part not in out] == []


@pytest.mark.slow
def test_a_build_is_continued_and_verified(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda *_, **__: made_up_abstraction())
    out, work = tmp_path / "pack", tmp_path / "pack.work"
    code, text, _ = run("pack", "build", config(tmp_path, 20_000), "--out", out)
    assert (code, text) == (0, f"wrote {out}\n")
    code, text, _ = run("pack", "status", out, "--json", tmp_path / "status.json")
    assert code == 0
    assert f"{work}: not running" in text
    assert "20,000 deals in" in text
    (training,) = json.loads((tmp_path / "status.json").read_text())["trainings"]
    assert (training["iterations"], training["alive"]) == (20_000, False)
    code, _, _ = run("pack", "build", config(tmp_path, 40_000), "--out", out, "--overwrite")
    assert code == 0
    manifest = open_pack(out).manifest
    assert (manifest.kind, manifest.config["training"]["iterations"]) == ("limit-blueprint", 40_000)
    assert sum(manifest.quality["first_in"].values()) == pytest.approx(1, abs=2e-4)
    shares = list(manifest.quality["unreached_share"].values())
    assert shares == sorted(shares, reverse=True)
    assert run("pack", "verify", out)[:2] == (0, "1 packs, 0 faults\n")
    shown = " ".join(run("pack", "show", out)[1].split())
    assert "3 players, 7,168 merged decisions, buckets 169/20/30/40" in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game: holdem.nolimit.3p\niterations: 1\n", "tiny.yaml:3: 'game': expected limit hold'em for two or three"),
        ("game: nowhere\niterations: 1\n", "tiny.yaml:3: 'game': no such game definition"),
        ("game: holdem.limit.3p\n", "expected a limit: 'seconds' or 'iterations'"),
        ("game: holdem.limit.3p\nalgorithm: pcs\nseconds: 1\n", "tiny.yaml:4: three players are trained by external"),
        ("game: holdem.limit.3p\nturn_buckets: 9999\nseconds: 1\n", "tiny.yaml:4: 'turn_buckets'"),
    ],
)
def test_wrong_configurations_are_refused(run: Run, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text("kind: limit-blueprint\nname: tiny\n" + text)
    code, _, err = run("pack", "build", file, "--out", tmp_path / "pack")
    assert code == 2
    assert message in err


def test_flop_options_are_refused(run: Run, tmp_path: Path) -> None:
    for option in (["--flops", "23"], ["--partial"], ["--dask", "local:1"]):
        assert run("pack", "build", config(tmp_path, 1), "--out", tmp_path / "pack", *option)[0] == 2


def test_a_folder_without_a_build_is_refused(run: Run, tmp_path: Path) -> None:
    code, _, err = run("pack", "status", tmp_path)
    assert code == 2
    assert "no build of a pack here" in err


def test_responses_are_for_two_players(run: Run, tmp_path: Path) -> None:
    write_random_limit_pack(tmp_path / "three", THREE, made_up_abstraction())
    code, _, err = run("pack", "exploit", tmp_path / "three")
    assert code == 2
    assert "is for three players" in err


@pytest.mark.slow
def test_responses_win_from_random_rows(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda *_, **__: made_up_abstraction())
    write_random_limit_pack(tmp_path / "two", TWO, made_up_abstraction())
    file = tmp_path / "found.json"
    code, out, _ = run("pack", "exploit", tmp_path / "two", "--boards", 40, "--fresh", 20, "--json", file)
    assert code == 0
    assert "mbb/h" in out
    points = json.loads(file.read_text())["points"]
    assert [point["boards"] for point in points] == [20, 20, 20, 40]
    assert points[-1]["mbb_per_hand"] > 500  # a bot that plays at random loses more than one that folds


@pytest.mark.parametrize("text", ["10", "0x", "x", "-2x", "2.5x", "٣x"])
def test_numbers_of_buckets_are_times(run: Run, tmp_path: Path, text: str) -> None:
    code, _, err = run("pack", "exploit", tmp_path, "--buckets", text)
    assert code == 2
    assert "expected how many times as many buckets, such as 10x" in err


def test_buckets_cannot_be_cut_into_too_many_parts(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda *_, **__: made_up_abstraction())
    write_random_limit_pack(tmp_path / "two", TWO, made_up_abstraction())
    code, _, err = run("pack", "exploit", tmp_path / "two", "--buckets", "2000x")
    assert code == 2
    assert "expected 2 to 1638 parts of every bucket, got 2000" in err


@pytest.mark.slow
@pytest.mark.process
def test_a_three_player_match_has_the_same_logs_over_tcp_and_in_process(tmp_path: Path) -> None:
    cards = CardAbstraction.load_or_build({})
    write_random_limit_pack(tmp_path / "packs" / "two", TWO, cards)
    write_random_limit_pack(tmp_path / "packs" / "three", THREE, cards)
    packs = tmp_path / "packs"
    players = [f"limit:{packs}", f"limit:{packs / 'three'}?heads-up={packs / 'two'}", "call"]
    logs = []
    for way in ([], ["--in-process"]):
        out = tmp_path / f"match{len(way)}"
        rules = ["--game", "holdem.limit.3p", "--hands", "30", "--no-duplicate"]
        with pytest.raises(SystemExit) as ended:
            main(["match", *players, *rules, "--out", str(out), *way])
        assert ended.value.code == 0
        (file,) = out.glob("*.log")
        assert verify_log(file).faults == ()
        logs.append([line for line in file.read_text().splitlines() if line.startswith(("STATE", "SCORE"))])
        assert len(logs[-1]) == 31
    assert logs[0] == logs[1]


def test_a_limit_pack_shows_and_draws_what_it_does_before_the_flop(run: Run, tmp_path: Path) -> None:
    pack = tmp_path / "three"
    write_random_limit_pack(pack, THREE, CardAbstraction.load_or_build({}))
    code, text, _ = run("pack", "show", pack)
    assert code == 0
    assert "Small blind against a raise" in text
    assert "Rows that the strategy itself hardly ever reaches (NaN)" in text
    assert run("pack", "chart", pack, "--out", tmp_path / "chart.svg")[0] == 0
    assert "Small blind against a raise" in (tmp_path / "chart.svg").read_text()
    code, _, error = run("pack", "chart", pack, "--stack", "100bb", "--out", tmp_path / "other.svg")
    assert code == 2
    assert "limit packs have none" in error
