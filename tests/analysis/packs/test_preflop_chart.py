"""hedgehog.analysis.packs.preflop_chart: the areas of the picture are the frequencies."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from hedgehog.analysis.packs.preflop_chart import action_kinds, preflop_chart
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.solver.blueprint.report import main_spot_steps, preflop_decision
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack

_SVG = "{http://www.w3.org/2000/svg}"
_BAR = re.compile(r"M([\d.]+) ([\d.]+)h([\d.]+)v-([\d.]+)h-([\d.]+)z")


@pytest.fixture(scope="module")
def blueprint() -> BlueprintTable:
    return read_blueprint(open_pack(default_packs() / "blueprint"))


@pytest.fixture(scope="module")
def picture(blueprint: BlueprintTable) -> ElementTree.Element:
    return ElementTree.fromstring(preflop_chart(blueprint, "a < b & c"))


def test_every_hand_has_a_label_in_every_grid(picture: ElementTree.Element) -> None:
    grids = [group for group in picture.iter(f"{_SVG}g") if group.get("class") == "ink hand"]
    assert len(grids) == 6
    for grid in grids:
        places = {text.text: (float(text.get("x", "")), float(text.get("y", ""))) for text in grid}
        assert sorted(map(str, places)) == sorted(HAND_CLASS_NAMES)
        assert places["AKs"][0] > places["AA"][0]  # suited hands right of the diagonal
        assert places["AKs"][1] == places["AA"][1]
        assert places["AKo"] == (places["AA"][0], places["KK"][1])
        assert places["22"] == (max(x for x, _ in places.values()), max(y for _, y in places.values()))
    assert picture.findtext(f"{_SVG}title") == "a < b & c"


def test_bars_are_reach_times_probability(picture: ElementTree.Element, blueprint: BlueprintTable) -> None:
    """The bars of each grid, found by their place, against the strategy."""
    labels = [group for group in picture.iter(f"{_SVG}g") if group.get("class") == "ink hand"]
    areas: dict[tuple[int, str, str | None], float] = defaultdict(float)
    cells = {}
    for number, grid in enumerate(labels):
        for text in grid:
            cells[float(text.get("x", "")), float(text.get("y", ""))] = (number, str(text.text))
    columns = sorted({x for x, _ in cells})
    rows = sorted({y for _, y in cells})
    for path in picture.iter(f"{_SVG}path"):
        for left, bottom, wide, tall, back in _BAR.findall(path.get("d", "")):
            assert wide == back
            x = min(columns, key=lambda middle: abs(middle - float(left) - float(wide) / 2))
            y = min(rows, key=lambda base: abs(base - float(bottom) + 7.5))
            number, hand = cells[x, y]
            areas[number, hand, path.get("class")] += float(wide) * float(tall) / (27 * 22)
    seen: set[str] = set()
    for number, (name, steps) in enumerate(main_spot_steps(blueprint.tree).items()):
        decision = preflop_decision(blueprint, *steps)
        kinds = action_kinds(decision.actions, blueprint.tree.stack)
        for index, hand in enumerate(HAND_CLASS_NAMES):
            reach = decision.reach[_combo_of(index)]
            for kind in set(kinds):
                share = sum(decision.strategy[index, i] for i, found in enumerate(kinds) if found == kind)
                assert areas[number, hand, kind] == pytest.approx(reach * share, abs=0.012), (name, hand, kind)
                seen |= {kind} if share > 0.5 else set()
    assert seen >= {"fold", "call", "raise"}  # each fills most of some cell


def _combo_of(hand_class: int) -> int:
    return int(np.flatnonzero(hand_class == HAND_CLASS)[0])


def test_the_picture_of_the_documentation(blueprint: BlueprintTable) -> None:
    """Byte for byte: ``hedgehog pack chart --out docs/preflop.svg`` has made it."""
    picture = preflop_chart(blueprint, "Before the flop, 200 big blinds: default-blueprint")
    assert picture == (Path(__file__).parents[3] / "docs/preflop.svg").read_text(encoding="utf-8")


def test_kinds_of_actions() -> None:
    assert action_kinds(("f", "c", "r250", "r700", "r20000"), 20000) == ["fold", "call", "raise", "large", "jam"]
    assert action_kinds(("c", "r20000"), 20000) == ["call", "jam"]
