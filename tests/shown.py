"""Checks that every object which shows itself must pass (:class:`hedgehog.runtime.display.shown.Shown`)."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import matplotlib
import matplotlib.axes
import matplotlib.pyplot

_VOID = {"br", "hr", "img", "input", "meta"}


class _Balanced(HTMLParser):
    """Collects the tags and the texts of HTML, and checks that every element is closed where it must be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.texts.append(data)


def parse_html(text: str) -> tuple[list[str], str]:
    """Returns the tags and the text of a notebook's HTML after checking that it is well-formed and harmless."""
    parser = _Balanced()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert not {"script", "iframe", "object"} & set(parser.tags)
    return parser.tags, "".join(parser.texts)


def check_shown(one: Any, *, frames: bool = True) -> tuple[list[str], str]:
    """Checks the short text, the HTML, the data frames and the chart of an object; returns the tags and text of HTML.

    :param frames: whether to make the data frames whose libraries are installed.
    """
    text = repr(one)
    assert "\n" not in text
    assert text.startswith(f"<{type(one).__name__}")
    assert text.endswith(">")
    assert len(text) <= 160
    parsed = parse_html(one._repr_html_())
    for library in ("pandas", "polars") if frames else ():
        try:
            __import__(library)
        except ImportError:
            continue
        verify_scalars(one.to_frame(library))
    with matplotlib.rc_context({"backend": "Agg"}):
        axes = one.plot()
        assert isinstance(axes, matplotlib.axes.Axes)
        assert axes.has_data() or axes.patches
        assert one.plot(axes) is axes
        matplotlib.pyplot.close(axes.figure)
    return parsed


def verify_scalars(frame: Any) -> None:
    """Checks that every cell of a data frame is a text, a number, a boolean or nothing."""
    assert len(frame.columns)
    for name in frame.columns:
        for cell in frame[name].to_list() if hasattr(frame[name], "to_list") else list(frame[name]):
            assert cell is None or isinstance(cell, str | int | float | bool), f"{name}: {cell!r}"
