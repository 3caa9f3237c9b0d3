"""Pictures of bet sizes: bars in text, panels of a study, the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.study.menus import MenuRule
from hedgehog.analysis.study.pages.sizes import MOST_BARS, SizePanel, bar_lines, size_bars, sizes_page, study_panels
from hedgehog.analysis.study.sizes import ALL_IN
from hedgehog.analysis.study.study import HandStudy
from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.text import histogram_text
from hedgehog.runtime.errors import InputError
from tests.analysis.study.hand_fixtures import batch_of

LINES = (
    "STATE:0:r200c/cr400f:2c3d|4h5s/6c7c8c:-200|200:A|B",
    "STATE:1:r200c/cr400f:2c3d|4h5s/6c7c8c:-200|200:A|B",
    "STATE:2:r200c/cr600f:2c3d|4h5s/6c7c8c:-200|200:A|B",
    "STATE:3:r200c/cr20000f:2c3d|4h5s/6c7c8c:-200|200:A|B",
)


def test_bars() -> None:
    bars = size_bars({ALL_IN: 1, 15: 2, 10: 1}, True)
    assert [(bar.token, bar.bets, bar.share) for bar in bars] == [("50%", 1, 0.25), ("75%", 2, 0.5), ("a", 1, 0.25)]
    assert [bar.token for bar in size_bars({10: 1}, False)] == ["2.5x"]
    assert size_bars({}, True) == ()
    many = size_bars({ALL_IN: 3} | dict.fromkeys(range(1, 101), 1), True)
    assert len(many) == MOST_BARS + 1
    assert (many[-2].token, many[-2].bets) == (">115%", 77)
    assert sum(bar.bets for bar in many) == 103
    assert sum(bar.share for bar in many) == pytest.approx(1)


def test_text_marks_sizes_of_the_menu() -> None:
    lines = list(bar_lines(SizePanel("x", size_bars({10: 1, 20: 4}, True), ("100%",))))
    assert lines[0] == "x: 5 bets and raises"
    assert lines[1].split()[0] == "50%"
    assert lines[2].split()[0] == "100%*"
    assert lines[1].count("█") == 10
    assert lines[2].count("█") == 40


def test_panels_and_page_of_a_study(tmp_path: Path) -> None:
    batch, reader = batch_of(tmp_path, *LINES)
    study = HandStudy()
    study.add(batch, reader.players)
    panels = study_panels(study, study.menu(MenuRule(min_count=1)))
    assert [panel.name for panel in panels] == ["first bet on the flop", "preflop raise 1", "flop ip bet"]
    assert [(bar.token, bar.bets) for bar in panels[0].bars] == [("50%", 2), ("100%", 1), ("a", 1)]
    assert panels[1].menu == ("2x",)
    page = sizes_page("Bet sizes", "4 hands", panels)
    assert page.count("<svg") == 3
    assert "100% 25.0 %" in page
    assert page == sizes_page("Bet sizes", "4 hands", panels)


def test_sizes_at_a_node(tmp_path: Path) -> None:
    batch, _ = batch_of(tmp_path, *LINES)
    tree = StudyTree()
    tree.add(batch, np.ones(batch.num_actions, np.bool_))
    lines = list(histogram_text(tree, "rc/c"))
    assert lines[0] == "flop: SB bets after rc/c: 4 bets and raises"
    assert [line.split()[0] for line in lines[1:]] == ["50%", "100%", "a"]
    for line in ("rc/", "r"):
        with pytest.raises(InputError, match="no bet with a size"):
            list(histogram_text(tree, line))
