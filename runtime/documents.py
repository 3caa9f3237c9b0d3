"""What all JSON documents and CSV files of Hedgehog have in common."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any


def json_document(
    kind: str,
    *,
    version: int = 1,
    game: str | None = None,
    seed: int | None = None,
    players: Sequence[str] | None = None,
    **content: object,
) -> dict[str, Any]:
    """Returns a JSON document: ``content`` behind the keys that every JSON document of Hedgehog starts with.

    :param kind: what the document holds; its key ``format`` becomes ``hedgehog.KIND``.
    :param version: version of this format; it grows when a program that reads the format must change.
    :param game: name of the game definition or of the spot.
    :param seed: seed of all random numbers behind the content; None: nothing in it is random.
    :param players: names of the players, in the order of all lists with one value per player.
    """
    head = {"format": f"hedgehog.{kind}", "version": version, "game": game, "seed": seed}
    return {**head, "players": list(players) if players is not None else None, **content}


def json_text(document: object) -> str:
    """Returns a JSON document as text; NaN and infinities, which JSON does not have, become null."""
    return json.dumps(finite(document), indent=2) + "\n"


def finite(value: Any) -> Any:
    """Returns a JSON value with None in place of NaN and infinities."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a table as the text of a CSV file. None, NaN and infinities become empty cells.

    :raises ValueError: if two columns have one name, or a row has not a cell for every column.
    """
    verify_distinct_names(header)
    return csv_rows([header]) + csv_rows(rows, len(header))


def csv_rows(rows: Iterable[Sequence[object]], columns: int | None = None) -> str:
    """Returns rows as the text of a CSV file whose header is already written. None, NaN and infinities become empty.

    :param columns: number of cells that each row has; None: any.
    :raises ValueError: if a row has another number of cells.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        if columns is not None and len(row) != columns:
            raise ValueError(f"expected rows of {columns} cells, got {len(row)}")
        writer.writerow(["" if _has_no_digits(cell) else cell for cell in row])
    return text.getvalue()


def _has_no_digits(cell: object) -> bool:
    return isinstance(cell, Real) and not isinstance(cell, int) and not math.isfinite(cell)


def verify_distinct_names(names: Sequence[str]) -> None:
    """Verifies that the columns of a table, or the tables of a document, have names of their own.

    :raises ValueError: if a name stands twice: in JSON, and for most readers of CSV, one of the two is lost.
    """
    if len(set(names)) < len(names):
        raise ValueError(f"expected names that differ, got {', '.join(names)}")
