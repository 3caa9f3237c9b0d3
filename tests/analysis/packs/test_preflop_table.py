"""The table of ``hedgehog pack evs``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hedgehog.analysis.packs.preflop_table import preflop_ev_table
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.runtime.errors import HedgehogError, PackError
from hedgehog.strategies.pack import default_packs


def test_rows_are_hands_and_columns_actions() -> None:
    table = preflop_ev_table(default_packs(), "r200", depth=10)
    assert [row["hand"] for row in table.records()] == list(HAND_CLASS_NAMES)
    found = table.records()[HAND_CLASS_NAMES.index("AA")]
    assert found["ev_f"] == pytest.approx(0, abs=1e-3)
    assert found["frequency_f"] == 0
    assert found["ev_r1000"] > found["ev_f"]
    assert table.headings() == ["hand", "f", "c", "r500", "r1000", "best", "mixed", "share"]


def test_a_blueprint_without_a_table_says_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(default_packs() / "blueprint-5bb", tmp_path / "blueprint")
    with pytest.raises(PackError, match="no table of preflop values beside it: see hedgehog pack values"):
        preflop_ev_table(tmp_path)
    (tmp_path / "values").mkdir()
    (tmp_path / "values" / "manifest.yaml").write_text("nonsense")
    with pytest.raises(HedgehogError):
        preflop_ev_table(tmp_path / "blueprint")
