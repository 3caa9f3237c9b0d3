"""Axes to draw on, and one clear line where matplotlib is missing."""

from __future__ import annotations

import sys

import pytest

from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.errors import InputError


def test_a_missing_matplotlib_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r"^charts need matplotlib, which is not .*-m pip install matplotlib$"):
        open_axes(None, 1, 1)


def test_given_axes_are_drawn_on() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.add_subplot()
    assert open_axes(axes, 1, 1) is axes
