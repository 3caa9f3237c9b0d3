"""CSV text: distinct columns, and no number that is none."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest

from hedgehog.runtime.documents import csv_rows, csv_text
from hedgehog.runtime.packages import PACKAGES

ROOT = Path(__file__).parents[2]


def test_numbers_that_are_none_are_empty() -> None:
    none = [None, math.nan, math.inf, -math.inf, np.float32("nan"), np.float64("inf")]
    assert csv_text("abcdef", [none, [1, 0.5, "nan", True, 10**400, np.float32(0.25)]]) == (
        f"a,b,c,d,e,f\n,,,,,\n1,0.5,nan,True,1{'0' * 400},0.25\n"
    )


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="expected names that differ, got a, b, a"):
        csv_text("aba", [])
    for cells in (1, 3):
        with pytest.raises(ValueError, match=f"expected rows of 2 cells, got {cells}"):
            csv_text("ab", [range(cells)])
    assert csv_rows([[1], [2, 3]]) == "1\n2,3\n"


def test_csv_is_written_in_one_place() -> None:
    """Only payoff matrices, whose columns are actions of a game and are checked with it, have a writer of their own."""
    writers = []
    for path in [path for package in (*PACKAGES, "benchmarks") for path in (ROOT / package).rglob("*.py")]:
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        for node in ast.walk(ast.parse(text)) if "riter" in text else ():
            if isinstance(node, ast.Attribute) and node.attr in ("writer", "DictWriter"):
                writers.append(name)
    assert writers == ["runtime/documents.py"]
