"""hedgehog.analysis.solves.node_page: the page holds what the answers say, and needs nothing else."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from hedgehog.analysis.solves.node_page import NodePart, render_nodes
from hedgehog.analysis.stats.number_text import format_ev
from hedgehog.poker.cards import parse_combo
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import CELL_HEIGHT, CELL_WIDTH, action_styles
from hedgehog.solver.postflop.node_answers import answer_line, count_range, hand_rows
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.queries import view_actions
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot

SPOT = parse_spot("""\
spot: <b>mine</b> & "yours"
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd,KTs", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  river: {oop: "50%,100%,a/a", ip: "50%,a/a"}
""")
_BAR = re.compile(r"M([\d.]+) ([\d.]+)h([\d.]+)v-([\d.]+)h-([\d.]+)z")


@pytest.fixture(scope="module")
def parts() -> list[NodePart]:
    solver = PostflopSolver(prepare(SPOT), threads=1)
    solver.run(20)
    found = []
    for line, percent in (("", None), ("X B50", 50)):
        answer = answer_line(solver, line, percent=percent)
        actions = list(view_actions(solver, answer.view))
        found.append(NodePart(answer, actions, count_range(SPOT, answer.view), 0.5, ["<i>gone</i>"]))
    return found


@pytest.fixture(scope="module")
def page(parts: list[NodePart]) -> str:
    return render_nodes(SPOT.name, "headline", parts)


def test_the_page_asks_nobody_for_anything(page: str) -> None:
    assert "default-src 'none'" in page
    assert not re.search(r'(?:src|href)="(?!data:)|https?://|@import|url\(', page)
    assert "<b>mine" not in page
    assert "<i>gone" not in page


def test_every_tag_is_closed(page: str) -> None:
    open_tags: list[str] = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "link", "input", "br"):
                open_tags.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None:
            pass

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Checker().feed(page)
    assert open_tags == []


def test_the_script_gets_what_the_answers_say(page: str, parts: list[NodePart]) -> None:
    match = re.search(r'<script type="application/json" id="hands">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    for node, part in zip(json.loads(match[1]), parts, strict=True):
        answer = part.answer
        assert node["actions"] == list(answer.view.actions)
        assert node["rounded"] == (answer.rounded is not None)
        shown = [row for combos in node["classes"].values() for row in combos]
        assert sorted(parse_combo(row[0]) for row in shown) == answer.hands().tolist()
        for text, names, weight, equity, ev, strategy, evs, removes, cost in shown:
            combo = parse_combo(text)
            assert HAND_CLASS_NAMES[HAND_CLASS[combo]] in node["classes"]
            assert names == answer.names.describe(combo)
            assert weight == pytest.approx(answer.view.reach[answer.player, combo], abs=1e-4)
            assert equity == pytest.approx(answer.view.equity[answer.player, combo], abs=1e-4)
            assert ev == pytest.approx(answer.view.ev[answer.player, combo], abs=1e-3)
            assert strategy == pytest.approx(answer.strategy[:, combo], abs=1e-4)
            assert [x is None for x in evs] == np.isnan(answer.evs[:, combo]).tolist()
            assert [x or 0 for x in evs] == pytest.approx(np.nan_to_num(answer.evs[:, combo]), abs=1e-3)
            assert removes == pytest.approx(answer.removed(combo), abs=0.01)
            assert cost == pytest.approx(0 if answer.rounded is None else answer.rounded.cost[combo], abs=1e-3)


def test_the_grid_shows_frequencies_and_fields(page: str, parts: list[NodePart]) -> None:
    grids = re.findall(r'<svg class="grid".*?</svg>', page, re.DOTALL)
    assert len(grids) == len(parts)
    for grid, part in zip(grids, parts, strict=True):
        picture = ElementTree.fromstring(grid)
        rows = {row.name: row for row in hand_rows(part.answer, by_combo=False)}
        fields = {field.get("data-hand"): field for field in picture if field.get("class") == "field"}
        assert fields.keys() == rows.keys()
        styles = action_styles(part.answer.view.actions)
        for name, field in fields.items():
            left, top = float(field.get("x", "")), float(field.get("y", ""))
            title = field.findtext("title")
            assert title is not None
            assert title.startswith(f"{name}: ")
            assert f"EV {format_ev(rows[str(name)].ev)}" in title
            for style in set(styles):
                share = sum(x for x, kind in zip(rows[str(name)].strategy, styles, strict=True) if kind == style)
                bars = [
                    float(wide)
                    for path in picture
                    if path.get("class") == style and path.tag == "path"
                    for x, y, wide, _, _ in _BAR.findall(path.get("d", ""))
                    if left - 0.1 <= float(x) < left + CELL_WIDTH - 0.01 and float(y) == top + CELL_HEIGHT
                ]
                assert sum(bars) / CELL_WIDTH == pytest.approx(share, abs=0.01)


def test_styles_of_actions() -> None:
    assert action_styles(["F", "C", "R200", "A900"]) == ["fold", "call", "raise", "jam"]
    assert action_styles(["X", "B1", "B2", "B3", "B4", "B5"])[1:] == ["raise", "large", "larger", "largest", "largest"]


@pytest.mark.parametrize(
    ("chips", "text"), [(0.0, "0.00"), (-0.001, "0.00"), (99.96, "100.0"), (-123.46, "-123.5"), (19800.4, "19,800")]
)
def test_chips(chips: float, text: str) -> None:
    assert format_ev(chips) == text
    assert format_ev(float(np.float32(chips))) == text
