"""The curve of strength: snapshots of a small training against each other."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from benchmarks.blueprint import main
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.match import compare_blueprints
from hedgehog.solver.blueprint.snapshots import snapshot_path
from hedgehog.solver.blueprint.table import load_blueprint
from hedgehog.solver.blueprint.training import TrainingConfig, train_blueprint
from tests.solver.blueprint_fixtures import PUSH_FOLD, made_up_abstraction


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> CardAbstraction:
    made_up = made_up_abstraction()
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config: made_up)
    return made_up


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(main, [*map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_curve_of_three_snapshots(cards: CardAbstraction, tmp_path: Path) -> None:
    for number, iterations in ((1, 20), (2, 100), (4, 1_000)):
        blueprint = train_blueprint(TrainingConfig(PUSH_FOLD, iterations=iterations, stack=1_000), cards)
        blueprint.training["seconds"] = 60.0 * number
        blueprint.save(snapshot_path(tmp_path, number))
    data, picture = tmp_path / "curve.json", tmp_path / "curve.svg"
    output = run(tmp_path, "--boards", "40", "--threads", "1", "--json", data, "--svg", picture)
    assert all(f"blueprint-00{number}.npz" in output for number in (1, 2, 4))
    points = json.loads(data.read_text())["points"]
    assert [(p["iterations"], p["seconds"]) for p in points] == [(20, 60.0), (100, 120.0), (1_000, 240.0)]
    one, two, four = (load_blueprint(snapshot_path(tmp_path, number)) for number in (1, 2, 4))
    for point, against in ((points[0], four), (points[1], four)):
        expected = compare_blueprints(load_blueprint(tmp_path / point["file"]), against, cards, 40)
        assert point["against_last"]["mbb_per_hand"] == pytest.approx(expected.mbb_per_hand)
        assert point["against_last"]["mbb_per_hand"] < 0  # more training wins
    assert points[1]["against_previous"]["mbb_per_hand"] == pytest.approx(
        compare_blueprints(two, one, cards, 40).mbb_per_hand
    )
    assert points[2]["against_previous"]["mbb_per_hand"] == -points[1]["against_last"]["mbb_per_hand"]
    assert (points[0]["against_previous"], points[2]["against_last"]) == (None, None)
    assert points[2]["frequencies"]["button folds first in"] == pytest.approx(0.417, abs=0.05)
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_bad_input_is_one_message(cards: CardAbstraction, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least two snapshots"):
        run(tmp_path)
    (tmp_path / "blueprint-001.npz").write_bytes(b"no archive")
    (tmp_path / "blueprint-002.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot be read"):
        run(tmp_path)
