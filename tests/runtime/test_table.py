"""One set of rows in every form: terminal, CSV, JSON, HTML and data frame."""

from __future__ import annotations

import io
import math

import pytest
from matplotlib import pyplot
from rich.console import Console

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import MISSING, Column, Table, format_value, table_of, table_records
from tests.shown import check_shown, parse_html

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


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_holds_the_data(library: str) -> None:
    pytest.importorskip(library)
    frame = TABLE.to_frame(library)
    assert list(frame.columns) == ["player", "hands", "mean", "seen"]
    assert frame["hands"].to_list() == [1_234, 7]


def test_a_table_shows_itself() -> None:
    assert repr(TABLE) == "<Table 'players': 2 rows, 5 columns>"
    assert "│ Bob [b] │     7 │" in str(TABLE)
    tags, text = check_shown(TABLE)
    assert tags.count("tr") == 3
    assert "Players [all]" in text
    assert "<Ann>" in text


def test_a_notebook_shows_the_first_rows_of_a_long_table() -> None:
    table = Table("long", "", ["number"], tuple((number,) for number in range(1_100)))
    tags, text = parse_html(table._repr_html_())
    assert tags.count("tr") == 42
    assert "and 1,060 more rows" in text
    assert table.html().count("<tr>") == 1_101


def test_a_chart_has_a_bar_per_number() -> None:
    axes = TABLE.plot(column="mean")
    assert [patch.get_width() for patch in axes.patches] == [12.34]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["<Ann>", "Bob [b]"]
    pyplot.close("all")
    with pytest.raises(InputError, match=r"got 'player'; columns with numbers: hands, mean$"):
        TABLE.plot(column="player")


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
