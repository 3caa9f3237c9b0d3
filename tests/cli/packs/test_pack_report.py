"""``hedgehog pack report`` and ``hedgehog pack subset`` on a tiny exact pack and on flops of the shipped quick pack."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.isomorphism import flop_class
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.flops.response import FlopGame
from hedgehog.strategies.betting_tree import subtree
from hedgehog.strategies.blueprint_pack import blueprint_beside
from hedgehog.strategies.flop_subsets import parse_flop_subset
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.quick_flops import read_quick_flops
from tests.agent.pack_fixtures import tiny_build
from tests.cli.command import Run
from tests.solver.blueprint_fixtures import SHIPPED_BUCKETS, made_up_abstraction
from tests.tiny_flop_pack import write_tiny_flop_pack

LINE = "r250r850r2125c"


@pytest.fixture(autouse=True)
def own_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps figures in a folder of the test."""
    monkeypatch.setattr("hedgehog.analysis.packs.flop_figures.cache_home", lambda: tmp_path / "cache")


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_tiny_flop_pack(tmp_path)


def test_all_outputs_hold_the_same_figures(run: Run, pack: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    files = [tmp_path / name for name in ("r.json", "r.csv", "r.parquet", "r.html")]
    options = ("--json", "--csv", "--parquet", "--html")
    words = [word for pair in zip(options, files, strict=True) for word in pair]
    code, out, error = run("pack", "report", pack, "--line", "cc/all", "--texture", "trips", *words)
    assert code == 0, error
    assert "less all" in out
    assert "2s 2h 2d" in out
    document = json.loads(files[0].read_text())
    assert (document["format"], document["pack"], document["seed"]) == ("hedgehog.flop-report", "tiny", None)
    rows = list(csv.DictReader(io.StringIO(files[1].read_text())))
    assert [row["decision"] for row in rows] == ["first", "r100", "r200"]
    (flop,) = document["lines"][0]["flops"]
    assert [row["flop"] for row in rows] == [flop["flop"]] * 3
    table = parquet.read_table(files[2]).to_pylist()
    for number, (row, cells) in enumerate(zip(rows, table, strict=True)):
        assert list(row) == list(cells)
        for name, text in row.items():
            assert cells[name] == (None if not text else type(cells[name])(text)), name
        actions = document["lines"][0]["decisions"][number]["actions"]
        assert [float(row[action]) for action in actions] == flop["frequencies"][number]
    assert files[3].read_text().startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_the_ev_of_the_shipped_pack_is_that_of_a_match(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sampled run-outs of two flops, against all run-outs of one of them played here."""
    cards = made_up_abstraction(*SHIPPED_BUCKETS)
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config: cards)
    mine = tmp_path / "mine.txt"
    mine.write_text("2s 2h 2d 1\n7s 6s 5s 3\n")
    code, out, error = run("pack", "report", "--line", LINE, "--flops", mine, "--runouts", 20, "--json", "-")
    assert (code, out[0]) == (0, "{"), error
    document = json.loads(out)
    assert document["game"] == "holdem.nolimit.2p.reverse_blinds"
    (line,) = document["lines"]
    assert [flop["flop"] for flop in line["flops"]] == ["7s 6s 5s", "2s 2h 2d"]
    assert line["all"]["classes"] == 2
    opened = open_pack(default_packs() / "quick-flops")
    quick = read_quick_flops(opened, blueprint_beside(opened))
    found = next(each for each in quick.lines if each.betting == LINE)
    tree, nodes = subtree(quick.blueprint.tree, int(found.nodes[0]))
    flop = parse_cards("2s 2h 2d")
    index = flop_class(flop)[0]
    game = FlopGame(tree, flop, found.ranges, cards)

    def blocks(node: int) -> np.ndarray:
        if tree.street[node] == 1:
            return (quick.block(int(nodes[node]), index) / 255).astype(np.float32)
        return (quick.blueprint.block(int(nodes[node])) / 255).astype(np.float32)

    played = game.match(blocks, blocks)
    reported = line["flops"][1]
    expected = played.seats[0] / line["pot"] + 0.5
    assert abs(reported["oop_ev_pots"] - expected) < 4 * reported["ev_error_pots"] + 1e-3
    first = (quick.block(int(found.nodes[0]), index) / 255).astype(np.float64)
    weights = game.ranges[0, game.combos] * np.array(
        [game.ranges[1][~_shared(int(combo))].sum() for combo in game.combos]
    )
    np.testing.assert_allclose(reported["frequencies"][0], weights @ first / weights.sum(), atol=1e-5)


def _shared(combo: int) -> np.ndarray:
    from hedgehog.poker.cards import COMBO_CARDS

    return np.asarray((COMBO_CARDS[:, :, None] == COMBO_CARDS[combo][None, None, :]).any(axis=(1, 2)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{blueprint}"], "blueprint: is a blueprint pack, expected a flop pack"),
        (["{nothing}"], "no strategy pack here"),
        (["{pack}", "--line", "r250c"], "tiny: the pack has no line 'r250c', it has cc"),
        (["{pack}", "--line", "cc/k"], "there is no decision 'k' on the flop, it has first, r100, r200"),
        (["{pack}", "--texture", "pared"], "unknown texture 'pared', did you mean 'paired'?"),
        (["{pack}", "--texture", "monotone"], "no flop of the pack is monotone"),
        (["{pack}", "--flops", "23"], "23: the pack lacks "),
        (["{pack}", "--flops", "24"], "there is no subset of 24 flop classes"),
    ],
)
def test_bad_input_is_one_line(run: Run, pack: Path, tmp_path: Path, words: list[str], message: str) -> None:
    names = {"pack": pack, "blueprint": default_packs() / "blueprint", "nothing": tmp_path / "nothing"}
    code, out, error = run("pack", "report", *(word.format(**names) for word in words))
    assert (code, out) == (2, "")
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_parquet_without_pyarrow(run: Run, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    code, _, error = run("pack", "report", pack, "--parquet", tmp_path / "x.parquet")
    assert (code, error.strip().splitlines()) == (
        2,
        [f"error: --parquet needs pyarrow, which is not installed here: {sys.executable} -m pip install pyarrow"],
    )
    assert not (tmp_path / "x.parquet").exists()


def test_a_subset_of_a_pack(run: Run, pack: Path) -> None:
    code, out, error = run("pack", "subset", "2", pack)
    assert code == 0, error
    found = parse_flop_subset(out)
    assert len(found) == 2
    assert run("pack", "subset", "2", pack)[1] == out
    code, _, error = run("pack", "subset", "5", pack)
    assert (code, error) == (2, f"error: {pack}: the pack has 4 flops, expected at most as many\n")


@pytest.mark.process
def test_a_build_takes_the_flops_of_a_subset(run: Run, tmp_path: Path) -> None:
    config, mine = tmp_path / "tiny.yaml", tmp_path / "mine.txt"
    config.write_text(tiny_build("Qs Js 2h"))
    mine.write_text("7d 7c 7h 5\n")
    code, _, error = run("pack", "build", config, "--out", tmp_path / "built", "--flops", mine)
    assert code == 0, error
    built = open_pack(tmp_path / "built")
    assert built.arrays["four_bet_classes"].tolist() == [flop_class(parse_cards("7d 7c 7h"))[0]]
    mine.write_text("nonsense\n")
    code, _, error = run("pack", "build", config, "--out", tmp_path / "other", "--flops", mine)
    assert (code, error.splitlines()) == (
        2,
        [f"error: {mine}:1: expected a flop and a weight such as 'Qs Js 2h 31.5', got 'nonsense'"],
    )
    assert not (tmp_path / "other").exists()
