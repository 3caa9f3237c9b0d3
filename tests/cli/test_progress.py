"""hedgehog.cli.progress: with a clock set by the test, on a screen in memory, and on a pseudo-terminal."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rich.console import Console

from hedgehog.cli.progress import RemainingTime, format_seconds, show_progress, terminal_watch
from hedgehog.runtime.watch import watched

_SCRIPT = """
import time
from hedgehog.cli.progress import show_progress
with show_progress("counting", 4, "sheep") as progress:
    for done in range(4):
        progress.update(done, f"sheep {done}")
        time.sleep(0.2)
print("the result")
"""


class Clock:
    """Stands in for time.monotonic."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr("hedgehog.cli.progress._LOOK_EVERY_S", 60)  # lines come with the updates alone


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.4, "0:59"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_times(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_the_remaining_time_leaves_out_what_was_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, remaining = Clock(monkeypatch), RemainingTime()
    assert remaining.text(0, 100) == "-:--"
    clock.now += 30  # start-up
    remaining.begin(50)
    assert remaining.text(50, 100) == "-:--"
    clock.now += 10
    assert remaining.text(60, 100) == "0:40"
    assert remaining.text(60, None) == "-:--"


def test_a_short_work_says_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock(monkeypatch)
    with show_progress("work", 10) as progress:
        clock.now += 1.9
        progress.update(5)
    assert capsys.readouterr() == ("", "")


def test_lines_come_after_two_seconds_and_then_every_ten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock(monkeypatch)
    with show_progress("work", 200) as progress:
        progress.update(0, "one")
        for now, done in ((1002, 20), (1011, 90), (1012, 100), (1023, 200)):
            clock.now = now
            progress.update(done, "two")
    assert capsys.readouterr().err.splitlines() == [
        "work: 10 %, ETA 0:18, two",
        "work: 50 %, ETA 0:12, two",
        "work: 100 %, ETA 0:00, two",
    ]


def test_without_a_total_the_line_is_the_text_and_then_the_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock(monkeypatch)
    with show_progress("work", None) as progress:
        for now in (1002, 1030):
            clock.now = now
            progress.update(0, "compiling")
    assert capsys.readouterr().err.splitlines() == ["work: compiling", "work: compiling (0:30 so far)"]


def test_a_line_comes_even_if_the_work_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hedgehog.cli.progress._LOOK_EVERY_S", 0.01)
    said = threading.Event()
    echo = "hedgehog.cli.progress.click.echo"
    printed: list[str] = []
    monkeypatch.setattr(echo, lambda text, err: (printed.append(text), said.set()))
    with show_progress("work", 3, "things", first_line_after_s=0.02):
        assert said.wait(60)
    assert printed[0] == "work: 0/3 things, ETA -:--"
    assert not [thread for thread in threading.enumerate() if thread.name == "progress"]


def test_tracked_items_arrive_and_count(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        "hedgehog.cli.progress.Console",
        lambda stderr: Console(file=screen, force_terminal=True, width=80, stderr=stderr),
    )
    with terminal_watch() as watch:
        assert list(watched(watch, range(3), 3, "a.log", "hands")) == [0, 1, 2]
    assert "a.log" in screen.getvalue()
    assert "3/3 hands" in screen.getvalue()


def test_a_terminal_shows_a_bar_and_standard_output_stays_clean(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    result = tmp_path / "result.txt"
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with result.open("wb") as stdout:
        process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT], stdin=terminal, stdout=stdout, stderr=terminal, env=environment
        )
        os.close(terminal)
        screen = b""
        try:
            while chunk := os.read(controller, 4096):
                screen += chunk
        except OSError:  # how Linux says that nobody holds the other end any more
            pass
        os.close(controller)
        assert process.wait(60) == 0
    text = screen.decode()
    for part in ("counting", "━", "3/4 sheep", "ETA 0:0", "sheep 3"):
        assert part in text
    assert result.read_text() == "the result\n"


def test_a_watch_draws_one_bar_after_another_and_keeps_notes(capfd: pytest.CaptureFixture[str]) -> None:
    with terminal_watch(first_line_after_s=0.0) as watch:
        watch.begin("reading", 2, "files")
        watch.update(1, total=4)
        assert watch.bar.total == 4
        watch.note("a note")
        watch.begin("writing", 1, "files")
        watch.warn("a warning")
    said = capfd.readouterr().err
    assert [word for word in ("reading", "a note", "writing", "warning: a warning") if word in said] == [
        "reading", "a note", "writing", "warning: a warning",
    ]  # fmt: skip


def test_the_first_signal_asks_a_task_to_stop_and_the_second_ends_it() -> None:
    with terminal_watch(stoppable=True) as watch:
        assert not watch.stopped
        os.kill(os.getpid(), signal.SIGTERM)
        assert watch.stopped
        assert watch.received == [signal.SIGTERM]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
