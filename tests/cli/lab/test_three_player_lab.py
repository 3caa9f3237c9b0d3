"""``hedgehog lab three-players``: its report, that it goes on where it stopped, and what it refuses."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.three_players.bias import LEAST, OwnFolds, bias_document
from hedgehog.analysis.three_players.laboratory import Laboratory, Settings
from hedgehog.analysis.three_players.mappings import WAYS
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from tests.agent.limit_pack_fixtures import TWO, write_random_limit_pack
from tests.cli.command import Run


@pytest.fixture
def lab(run: Run) -> Run:
    return partial(run, "lab", "three-players")


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packs") / "two"
    write_random_limit_pack(folder, TWO, CardAbstraction.load_or_build({}))
    return folder


@pytest.mark.slow
def test_the_report_and_going_on(lab: Run, tmp_path: Path, pack: Path) -> None:
    out = tmp_path / "out"
    options = ["--hands", "24", "--bias-hands", "40", "--mapping-hands", "12", "--pack", pack, "--out", out]
    code, text, error = lab("--only", "x4,bias,mappings", *options, "--json", tmp_path / "result.json")
    assert code == 0, error
    assert "X4: drawing an action or taking the most likely" in text
    result = json.loads((tmp_path / "result.json").read_text())
    rows = result["tables"]["x4"]
    assert [(row["player"], row["hands"]) for row in rows] == [("hbb5", 24), ("hbb5 argmax", 24)]
    assert rows[0]["published mbb/h"] == pytest.approx(-1966 / 60)
    more = {"frequencies-x4", "classes-x4", "unreached", "reach"}
    assert set(result["tables"]) == {"x4", "bias"} | more | {
        f"{kind}-{way}-x{x}" for kind in ("variance", "distance") for way in ("hbb2", "hbb3", "hbb4") for x in (10, 15)
    }
    bias = json.loads((out / "bias-hbb3.json").read_text())
    assert list(bias["bias"]) == list(HAND_CLASS_NAMES)
    assert 0 < sum(bias["observations"].values()) <= 40
    assert "<svg" in (out / "report.html").read_text()
    assert len(result["warnings"]) == 3
    assert all(f"Warning: {warning}." in (out / "report.html").read_text() for warning in result["warnings"])
    assert list(csv.DictReader((out / "x4.csv").open()))[1]["player"] == "hbb5 argmax"
    classes = list(csv.DictReader((out / "classes-x4.csv").open()))
    assert [row["hand"] for row in classes] == list(HAND_CLASS_NAMES) * 2
    assert "by class of hands" not in text

    logs = {path: path.stat().st_mtime_ns for path in out.glob("matches/*/*.log")}
    kept = {path: path.stat().st_mtime_ns for path in (*out.glob("*.npz"), *out.glob("bias-*.json"))}
    assert (len(logs), len(kept)) == (12, 9)
    assert lab("--only", "x4,bias,mappings", *options)[0] == 0
    assert all(path.stat().st_mtime_ns == before for path, before in (logs | kept).items())
    code, _, error = lab("--only", "x4", *options, "--seed", "2")
    assert code == 2
    assert "this folder holds another plan: seed is 1 there and 2 here" in error


def test_a_pack_of_another_kind_is_refused_before_any_work(lab: Run, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    code, _, error = lab("--pack", tmp_path / "none", "--out", tmp_path / "out")
    assert code == 2
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_an_experiment_has_hands_of_its_own_unless_a_number_is_given() -> None:
    assert Settings().plan()["hands"] == {"x1": 24_000, **dict.fromkeys(("x2", "x3", "x4", "x5", "lines"), 60_000)}
    assert set(Settings(hands=24).plan()["hands"].values()) == {24}


@pytest.mark.parametrize(("seen", "expected"), [(0, "repeat the rows without it"), (100, "bias of 0"), (169, "")])
def test_a_bias_of_few_hand_classes_is_told(tmp_path: Path, seen: int, expected: str) -> None:
    observations = np.where(np.arange(NUM_HAND_CLASSES) < seen, LEAST, LEAST - 1)
    own = OwnFolds(np.full(NUM_HAND_CLASSES, 0.5), observations)
    for way in WAYS:
        document = bias_document(way, own, hands=40, seed=1, pack="")
        (tmp_path / f"bias-{way}.json").write_text(json.dumps(document))
    laboratory = Laboratory(Settings(("x3",), 10, 40, 10, "", 1), tmp_path)
    warnings = laboratory._warnings()
    assert len(warnings) == (len(WAYS) if expected else 0)
    assert all(expected in warning and f"covers {seen} of 169" in warning for warning in warnings)
    table = laboratory._bias_section().tables[0]
    assert [row[2] for row in table.rows] == [seen] * len(WAYS)
    assert all((row[3] is None) == (seen == 0) for row in table.rows)
