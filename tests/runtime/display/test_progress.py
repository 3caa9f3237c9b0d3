"""The progress of a call that names no watch: a bar in a notebook, a line in a terminal, nothing elsewhere."""

from __future__ import annotations

import io
import sys
from types import ModuleType
from typing import Any

import pytest

from hedgehog.runtime import watch
from hedgehog.runtime.display.progress import NotebookBar, in_notebook, usual_watch
from hedgehog.runtime.watch import SILENT, ProgressLine, Watch


class _Handle:
    def __init__(self, shown: list[list[str]]) -> None:
        self.shown = shown

    def update(self, html: str) -> None:
        self.shown[-1].append(html)


class _Shell:
    kernel = object()


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What a notebook shows: an output per element, each with its versions."""
    shown: list[list[str]] = []

    def display(html: str, **options: Any) -> _Handle:
        shown.append([html])
        return _Handle(shown)

    ipython, of_display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = _Shell  # type: ignore[attr-defined]
    of_display.display, of_display.HTML = display, str  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", of_display)
    monkeypatch.setattr(watch, "_DRAW_EVERY_S", 0.0)
    return shown


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_notebook_shows_one_bar_per_piece_of_work(notebook: list[list[str]]) -> None:
    assert in_notebook()
    with usual_watch() as shown:
        assert isinstance(shown, NotebookBar)
        shown.begin("<solve>", 10, "iterations")
        shown.update(5, "1 < 2")
        shown.update(10)
        shown.note("saved in <here>")
        shown.begin("", None, "hands")
        shown.update(7)
    first, note, second = notebook
    assert len(first) == 2
    assert first[0].startswith('<progress value="0.5000"></progress> &lt;solve&gt;: 50 %')
    assert first[0].endswith("1 &lt; 2")
    assert '<progress value="1.0000"></progress> &lt;solve&gt;: 100 %' in first[1]
    assert note == ["<p>saved in &lt;here&gt;</p>"]
    assert second == ["<progress></progress> 7 hands"]


def test_a_terminal_shows_a_line_that_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(watch, "_DRAW_EVERY_S", 0.0)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with usual_watch() as shown:
        assert type(shown) is ProgressLine
        shown.begin("river", None, "iterations")
        shown.update(20, "0.5 % of the pot")
    assert stream.getvalue() == "\rriver: 20 iterations, 0.5 % of the pot\n"


def test_other_places_are_silent_and_a_given_watch_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with usual_watch() as shown:
        assert shown is SILENT
    own = Watch()
    with usual_watch(own) as shown:
        assert shown is own


def test_the_shell_of_ipython_in_a_terminal_is_no_notebook(
    notebook: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", object)
    assert not in_notebook()
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)
    assert not in_notebook()


def test_a_solve_shows_its_progress_in_a_notebook(notebook: list[list[str]]) -> None:
    from hedgehog.solver.abstraction.solving import solve
    from hedgehog.solver.examples import example_spots
    from hedgehog.solver.postflop.spot import read_spot

    solve(read_spot(example_spots()["river"]), 5, 20, threads=1)
    assert any("river: " in html and "iterations" in html for output in notebook for html in output)
