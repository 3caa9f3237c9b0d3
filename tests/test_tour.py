"""docs/examples/tour.ipynb: its cells run in order, in any folder, and print what stands in the file."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

TOUR = Path(__file__).parents[1] / "docs" / "examples" / "tour.ipynb"


def shape(text: str) -> str:
    """Returns a text with one digit for each number: the last digits of floats differ between processors."""
    return re.sub(r"[+-]?\d[\d.,]*(e[+-]?\d+)?", "0", text)


def run_cell(source: str, names: dict[str, Any]) -> object:
    """Runs the code of a cell and returns the value of its last line, None if that is no expression."""
    parsed = ast.parse(source)
    last = parsed.body.pop() if isinstance(parsed.body[-1], ast.Expr) else None
    exec(compile(parsed, "cell", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def stored(cell: dict[str, Any], kind: str) -> str:
    """Returns the text of a cell's outputs of a kind, ``stream`` or ``execute_result``."""
    texts = [
        output["text"] if kind == "stream" else output["data"]["text/plain"]
        for output in cell["outputs"]
        if output["output_type"] == kind
    ]
    return "".join("".join(text) for text in texts)


@pytest.mark.slow
def test_the_tour_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {"__name__": "tour"}
    cells = [cell for cell in json.loads(TOUR.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 10
    for cell in cells:
        source = "".join(cell["source"])
        value = run_cell(source, names)
        if expected := stored(cell, "execute_result"):
            # IPython breaks long values into lines.
            assert shape(repr(value)).split() == shape(expected).split(), source
            assert stored(cell, "execute_result").startswith("<") == hasattr(value, "_repr_html_")
        assert shape(capsys.readouterr().out) == shape(stored(cell, "stream")), source
