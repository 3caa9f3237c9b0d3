"""One set of rows in every form: terminal, CSV, JSON, HTML and data frame."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console

from hedgehog.runtime.table import MISSING, Column, Table, format_value, table_of, table_records

TABLE = Table(
    "players",
    "Players [all]",
    ["player", "hands", Column("mbb", "mbb/h", data=False, text=lambda cell: f"{cell[0]:+.1f} ± {cell[1]:.1f}"),
     Column("mean", shown=False), Column("seen", shown=False)],
    (("<Ann>", 1_234, (12.34, 5.0), 12.34, True), ("Bob [b]", 7, (-3.0, 1.0), math.nan, None)),
    sections=(1,),
)  # fmt: skip


def test_people_see_rounded_cells_and_no_hidden_columns() -> None:
    assert TABLE.headings() == ["player", "hands", "mbb/h"]
    assert TABLE.texts() == [["<Ann>", "1,234", "+12.3 ± 5.0"], ["Bob [b]", "7", "-3.0 ± 1.0"]]


def test_data_is_complete_and_holds_no_nan() -> None:
    assert TABLE.records() == [
        {"player": "<Ann>", "hands": 1_234, "mean": 12.34, "seen": True},
        {"player": "Bob [b]", "hands": 7, "mean": None, "seen": None},
    ]
    assert TABLE.csv() == "player,hands,mean,seen\n<Ann>,1234,12.34,True\nBob [b],7,,\n"
    assert table_records([TABLE]) == {"players": TABLE.records()}


def test_a_table_of_items_has_a_row_for_each() -> None:
    table = table_of("words", "Words", ["a", "bcd"], {"word": str.upper, "letters": len}, "note")
    assert table == Table("words", "Words", ["word", "letters"], (("A", 1), ("BCD", 3)), "note")


def test_html_and_terminal_escape_what_looks_like_markup() -> None:
    assert '<th>player</th><th class="number">hands</th>' in TABLE.html()
    assert "<td>&lt;Ann&gt;</td>" in TABLE.html()
    console = Console(width=60, file=io.StringIO(), record=True)
    console.print(TABLE.rich())
    text = console.export_text()
    assert "Players [all]" in text
    assert "│ Bob [b] │     7 │" in text
    assert text.count("├") == 1  # above the second section


def test_a_data_frame_holds_the_data() -> None:
    frame = pytest.importorskip("pandas") and TABLE.frame()
    assert list(frame.columns) == ["player", "hands", "mean", "seen"]
    assert frame["hands"].tolist() == [1_234, 7]


def test_columns_of_one_name_and_short_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="names that differ"):
        Table("twice", "", ["a", "a"], ())
    with pytest.raises(ValueError, match="rows of 2 cells"):
        Table("short", "", ["a", "b"], ((1,),))


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, MISSING), (math.inf, MISSING), (True, "yes"), (999_999, "999,999"), (1_500_000, "1.5M"),
     (2_000_000_000, "2.0G"), (1234.5, "1,234"), (3.0, "3"), (123.45, "123.5"), (1.234, "1.23"), (0.1234, "0.123"),
     ("text", "text")],
)  # fmt: skip
def test_numbers_are_rounded_for_people(value: str | float | None, text: str) -> None:
    assert format_value(value) == text
