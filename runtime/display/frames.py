"""Data frames of pandas or polars, whichever is installed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.packages import require

LIBRARIES: Final = ("pandas", "polars")
"""The libraries of data frames that are known, the one that is taken first in front."""


def make_frame(columns: Mapping[str, Sequence[Any]], library: str | None = None) -> Any:
    """Returns a data frame with the given columns.

    A column of whole numbers and fractions becomes one of fractions, and what is unknown in it is NaN in pandas and
    null in polars.

    :param columns: name -> cells, all of one length: texts, numbers, booleans or None.
    :param library: ``pandas`` or ``polars``; None for pandas if it is installed, else polars.
    :returns: a ``pandas.DataFrame`` or a ``polars.DataFrame``.
    :raises InputError: if the library is not installed, or is another one.
    """
    if library is None:
        library = next((name for name in LIBRARIES if _installed(name)), None)
        found = require("pandas", "data frames need polars or") if library is None else require(library, "frames need")
    elif library in LIBRARIES:
        found = require(library, "this data frame needs")
    else:
        raise InputError(f"expected pandas or polars as the library of data frames, got {library!r}")
    cells = {name: _one_kind(column) for name, column in columns.items()}
    if library == "pandas":
        return found.DataFrame(cells)
    return found.DataFrame({name: list(map(_null, column)) for name, column in cells.items()})


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # a module that was put into sys.modules without a specification
        return True
    except ImportError:
        return False


def _null(cell: Any) -> Any:
    """Returns None in place of NaN, which polars would count as a number."""
    return None if isinstance(cell, float) and math.isnan(cell) else cell


def _one_kind(column: Sequence[Any]) -> list[Any]:
    """Returns the cells with whole numbers as fractions if there are fractions among them."""
    if any(isinstance(cell, float) for cell in column):
        return [float(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell for cell in column]
    return list(column)
