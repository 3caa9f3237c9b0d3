"""Studies of hands as they show themselves in a notebook, checked against the counts behind them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib import pyplot

from hedgehog.analysis import study
from hedgehog.analysis.study.hand_tables import statistics_table
from hedgehog.analysis.study.study import HandStudy
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from tests.analysis.study.hand_fixtures import random_log
from tests.shown import check_shown, parse_html, verify_scalars


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hands") / "hands.log"
    path.write_text(random_log(3, 80))
    return path


@pytest.fixture(scope="module")
def collected(log: Path) -> HandStudy:
    return study.study_hands(study.StudyInput([log]))


def test_a_study_shows_its_sizes(collected: HandStudy) -> None:
    assert re.fullmatch(r"<HandStudy: 80 hands, [\d,]+ actions, [\d,]+ bets and raises>", repr(collected))
    tags, text = check_shown(collected)
    assert tags.count("table") == 3
    assert "Most frequent sizes" in text
    assert collected.table().records() == statistics_table(collected).records()
    axes = collected.plot()
    assert sum(float(bar.get_height()) for bar in axes.patches) == pytest.approx(100)
    pyplot.close("all")


def test_a_menu_has_a_row_per_size_and_no_chart(collected: HandStudy) -> None:
    menu = collected.menu(study.MenuRule(min_count=5))
    _, text = parse_html(menu._repr_html_())
    for key in menu.keys:
        assert menu.text(key) in text
    rows = menu.table().records()
    assert [row["size"] for row in rows if row["menu"] == "preflop" and row["raise"] == 0] == list(
        menu.keys["preflop"][0]
    )
    assert len(rows) == sum(len(level) for levels in menu.keys.values() for level in levels)
    with pytest.raises(InputError, match="StudyMenu has no chart"):
        menu.plot()


def test_coverage_and_trees_show_hands(log: Path) -> None:
    coverage = study.study_coverage(study.StudyInput([log]))
    check_shown(coverage)
    shape = study.parse_shape("4-4-8")
    record = next(one for one in coverage.table().records() if one["tree"] == "4-4-8")
    assert (record["nodes"], record["uncovered"]) == (12_722, coverage.uncovered(shape))
    grown = study.study_tree(study.StudyInput([log]), study.StudyTree())
    assert repr(grown).startswith("<StudyTree: grown with the hands, ")
    check_shown(grown)
    rows = grown.table().records()
    first = [row for row in rows if len(str(row["sequence"])) == 1]
    assert sum(int(row["hands"] or 0) for row in first) == 80
    assert sum(float(row["share"] or 0) for row in first) == pytest.approx(1)
    assert [row["hands"] for row in rows] == sorted((row["hands"] for row in rows), reverse=True)


def test_a_profile_shows_its_frequencies(log: Path) -> None:
    source = study.StudyInput([log])
    profiles, _ = study.study_profiles(source)
    both, seat, _ = list(profiles.profiles(source.players.texts))[:3]
    assert repr(both).startswith(f"<Profile: {both.name}, 80 hands, ")
    assert repr(seat).startswith(f"<Profile: {seat.name}, big blind, ")
    check_shown(both)
    assert both.table().records()[0]["VPIP"] == both.shares[0].share


def test_a_model_has_a_column_per_action(log: Path) -> None:
    sizes = "{oop: '50%', ip: '50%'}"
    spot = parse_spot(
        "spot: s\nboard: Qs Jh 2c\nrange: {oop: random, ip: random}\npot: 100\nstack: 400\n"
        f"sizes: {{flop: {sizes}, turn: {sizes}, river: {sizes}}}\n"
    )
    source = study.StudyInput([log])
    model = study.study_model(source, study.LineModel(build_postflop_tree(spot.tree), 1))
    check_shown(model)
    lines = list(model.lines(1))
    assert lines
    for record, line in zip(model.table().records(), lines, strict=True):
        assert record["line"] == line.line
        for token, count in line.counts.items():
            assert record[token] == count / line.hands
        assert all(record[token] is None for token in record if token not in {"line", "hands", *line.counts})
    for library in ("pandas", "polars"):
        try:
            frame = model.to_frame(library)
        except InputError:
            continue
        verify_scalars(frame)
