"""What a quick pack gains: nothing if it holds the blueprint's rows, less than nothing if it folds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.analysis.packs.flop_gain import FlopGain, GainMeasure, Respond, summarise
from hedgehog.poker.cards import combo_mask, parse_cards
from hedgehog.poker.isomorphism import board_classes, flop_class, flop_representative
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.table import preflop_lines
from hedgehog.solver.packs.blueprint import blueprint_of_pack
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from tests.solver.blueprint_fixtures import SHIPPED_BUCKETS, made_up_abstraction

BETTING = "r250r850r2125c"
FLOP_CLASS = flop_class(parse_cards("7d7c7h"))[0]


def cards() -> CardAbstraction:
    return made_up_abstraction(*SHIPPED_BUCKETS)


@pytest.fixture(scope="module")
def table() -> BlueprintTable:
    return read_blueprint(open_pack(default_packs() / "blueprint"))


@pytest.fixture(scope="module")
def line(table: BlueprintTable) -> Any:
    found = next(line for line in preflop_lines(blueprint_of_pack(table)) if line.betting == BETTING)
    ranges = found.ranges
    return SimpleNamespace(
        betting=BETTING, nodes=np.array([found.node]), ranges=ranges, classes=np.array([3, 7, FLOP_CLASS])
    )


class BlueprintRows:
    """A pack that has refined nothing."""

    def __init__(self, table: BlueprintTable) -> None:
        self.blueprint = table

    def block(self, node: int, number: int) -> NDArray[np.uint8]:
        flop = flop_representative(number)
        return self.blueprint.block(node)[cards().buckets(1, flop)[combo_mask(flop)]]


class FirstAction(BlueprintRows):
    """A pack that folds to every bet and never bets."""

    def block(self, node: int, number: int) -> NDArray[np.uint8]:
        rows = np.zeros_like(super().block(node, number))
        rows[:, 0] = 255
        return rows


def gain(pack: Any, line: Any, respond: Respond | None = None) -> FlopGain:
    return GainMeasure(pack, cards()).measure(line, FLOP_CLASS, 20, 1, respond)


def test_the_blueprints_own_rows_gain_nothing(table: BlueprintTable, line: Any) -> None:
    assert gain(BlueprintRows(table), line).won == pytest.approx(0, abs=1e-4)


@pytest.mark.slow
def test_the_blueprints_own_rows_are_as_exploitable(table: BlueprintTable, line: Any) -> None:
    found = gain(BlueprintRows(table), line, "all")
    assert found.before is not None
    assert found.before > 0
    assert found.after == pytest.approx(found.before)
    assert found.flop_before is not None
    assert found.flop_after == pytest.approx(found.flop_before)
    assert found.flop_before < found.before


def test_folding_loses(table: BlueprintTable, line: Any) -> None:
    assert gain(FirstAction(table), line).won < -5


def test_flops_are_drawn_once_and_as_often_as_dealt(table: BlueprintTable, line: Any) -> None:
    pack: Any = BlueprintRows(table)
    measure = GainMeasure(pack, cards())
    assert measure.sample(line, 10, 1) == [3, 7, FLOP_CLASS]
    firsts = [measure.sample(line, 1, seed)[0] for seed in range(400)]
    weights = board_classes(3).multiplicities[line.classes]
    for number, weight in zip(line.classes.tolist(), weights / weights.sum(), strict=True):
        assert firsts.count(number) / 400 == pytest.approx(weight, abs=0.08)


def test_means_of_a_line() -> None:
    gains = [
        FlopGain("cc", "a", 1.0, 5.0, 4.0, 2.0, 1.0),
        FlopGain("cc", "b", -0.5, 3.0, 3.0, 1.0, 1.0),
        FlopGain("r250c", "a", 1, 1, 1, 1, 1),
    ]
    (found,) = summarise(gains)
    assert (found.line, found.flops, found.ahead) == ("cc", 2, 1)
    assert found.won.mean == 0.25
    assert found.free is not None
    assert (found.free.before.mean, found.free.after.mean, found.free.less.mean) == (4.0, 3.5, 0.5)
    assert found.on_flop is not None
    assert (found.on_flop.before.mean, found.on_flop.after.mean, found.on_flop.less.mean) == (1.5, 1.0, 0.5)
    assert summarise([gain._replace(before=None) for gain in gains])[0].free is None
