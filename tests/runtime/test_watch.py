"""What a long task tells, drawn on one line."""

from __future__ import annotations

import io

import pytest

from hedgehog.runtime import watch as module
from hedgehog.runtime.watch import SILENT, ProgressLine, watched


def test_a_silent_watch_never_stops_a_task() -> None:
    SILENT.begin("work", 3, "things")
    SILENT.update(1, "text", total=4)
    SILENT.note("a note")
    SILENT.warn("a warning")
    assert not SILENT.stopped
    assert list(watched(SILENT, "abc", 3, "letters")) == ["a", "b", "c"]


def test_a_line_is_written_over_and_ends_before_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    line = ProgressLine(stream)
    line.begin("solving", 10, "iterations")
    line.update(1)
    assert stream.getvalue() == ""  # too early to draw
    now[0] = 2.0
    line.update(5, "1.5 % of the pot")
    line.warn("not saved")
    now[0] = 4.0
    line.update(10)
    assert stream.getvalue() == (
        "\rsolving: 50 %, 2 s left, 1.5 % of the pot\nwarning: not saved\n\rsolving: 100 %, 1.5 % of the pot"
    )


def test_work_without_a_total_shows_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    line = ProgressLine(stream)
    line.begin("", None, "boards")
    now[0] = 1.0
    line.update(1234)
    assert stream.getvalue() == "\r1,234 boards"
