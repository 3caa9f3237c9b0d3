"""Data frames with the library that is there, and one clear line where none is."""

from __future__ import annotations

import math
import sys
from types import ModuleType
from typing import Any

import pytest

from hedgehog.runtime.display.frames import make_frame
from hedgehog.runtime.errors import InputError
from tests.shown import verify_scalars

COLUMNS = {"name": ["a", "b", "c"], "won": [1, 2.5, None], "hands": [3, 4, 5], "sure": [True, False, True]}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_hold_the_cells(library: str) -> None:
    pytest.importorskip(library)
    frame = make_frame(COLUMNS, library)
    assert type(frame).__module__.partition(".")[0] == library
    assert list(frame.columns) == list(COLUMNS)
    assert frame["name"].to_list() == ["a", "b", "c"]
    assert frame["hands"].to_list() == [3, 4, 5]
    assert frame["sure"].to_list() == [True, False, True]
    assert frame["won"].to_list()[:2] == [1.0, 2.5]
    assert frame["won"].is_null().to_list() == [False, False, True] if library == "polars" else frame["won"].isna()[2]
    verify_scalars(frame)


def test_unknown_numbers_are_null_in_polars() -> None:
    pytest.importorskip("polars")
    assert make_frame({"ev": [1.0, math.nan]}, "polars")["ev"].to_list() == [1.0, None]


class _Frame:
    def __init__(self, cells: dict[str, list[Any]]) -> None:
        self.cells = cells


@pytest.mark.parametrize(("here", "taken"), [(("pandas", "polars"), "pandas"), (("polars",), "polars")])
def test_pandas_is_taken_before_polars(here: tuple[str, ...], taken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        module = ModuleType(name) if name in here else None
        if module is not None:
            module.DataFrame = type(f"{name}Frame", (_Frame,), {})  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    frame = make_frame(COLUMNS)
    assert type(frame).__name__ == f"{taken}Frame"
    assert frame.cells["won"] == [1.0, 2.5, None]


def test_without_a_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"^data frames need polars or pandas, which is not .*-m pip install pandas$"):
        make_frame(COLUMNS)
    with pytest.raises(InputError, match=r"needs polars, which is not installed here: .*-m pip install polars$"):
        make_frame(COLUMNS, "polars")
    with pytest.raises(InputError, match="expected pandas or polars as the library of data frames, got 'excel'"):
        make_frame(COLUMNS, "excel")
