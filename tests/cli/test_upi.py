"""``hedgehog upi`` as a process: banner, order, lines in pieces, the end of the input, signals."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgehog.cli.upi.shell import LONGEST_LINE, read_lines
from tests.cli.command import Run

COMMAND = (sys.executable, "-P", "-m", "hedgehog.cli", "upi")
BUILD = (
    "set_end_string END", "set_range OOP AA,KQs,JTs,76s", "set_range IP QQ,AJs,T9s", "set_board Td9d6hQc",
    "set_eff_stack 900", "set_pot 0 0 200", "add_line 0 150 375 900", "add_line 120 300 900", "build_tree",
)  # fmt: skip


@contextlib.contextmanager
def _program() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _send(process: subprocess.Popen[str], *commands: str) -> None:
    assert process.stdin is not None
    for command in commands:
        process.stdin.write(f"{command}\n")
    process.stdin.flush()


def _until(process: subprocess.Popen[str], wanted: str) -> list[str]:
    """Reads lines up to one that holds a text."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if wanted in line:
            return lines
    raise AssertionError(f"no {wanted!r} in {lines}")


def test_three_lines_come_before_anything_is_asked() -> None:
    with _program() as process:
        assert process.stdout is not None
        banner = [process.stdout.readline() for _ in range(3)]
        assert all(line.strip() for line in banner)
        _send(process, "set_end_string END")
        assert [process.stdout.readline() for _ in range(2)] == ["set_end_string ok!\n", "END\n"]
        assert not _heavy(process.pid)  # numpy and numba are not loaded for this
        _send(process, "exit")
        assert process.stdout.read() == ""
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def _heavy(process: int) -> list[str]:
    """Returns the libraries of numpy and numba that a process has loaded."""
    maps = Path(f"/proc/{process}/maps").read_text()
    return [line for line in maps.splitlines() if "/numpy" in line or "/llvmlite" in line]


def test_stop_is_heard_while_the_client_waits() -> None:
    with _program() as process:
        _send(process, *BUILD, "go")
        _until(process, "go ok!")
        _until(process, "Exploitable for: ")
        _send(process, "wait_for_solver", "stop", "is_ready")
        said = _until(process, "is_ready ok!")
        end = said.index("SOLVER: stopped (requested)")
        assert said[end:] == [
            "SOLVER: stopped (requested)", "wait_for_solver ok!", "END", "stop ok!", "END", "is_ready ok!"
        ]  # fmt: skip
        _send(process, "exit")
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGHUP))]
)
def test_a_signal_ends_a_solve(number: signal.Signals) -> None:
    with _program() as process:
        _send(process, *BUILD, "go", "wait_for_solver")
        _until(process, "Exploitable for: ")
        process.send_signal(number)
        assert process.wait(60) == 130


def test_the_end_of_the_input_ends_a_solve() -> None:
    with _program() as process:
        _send(process, *BUILD, "go", "wait_for_solver")
        _until(process, "Exploitable for: ")
        assert process.stdin is not None
        process.stdin.close()
        _until(process, "wait_for_solver ok!")
        assert process.wait(60) == 0


def test_lines_come_in_pieces_and_none_is_too_long() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as source:
        os.write(writer, b"one\r\ntw")
        os.write(writer, b"o\n\n\xff three")
        os.close(writer)
        assert list(read_lines(source.fileno())) == ["one\r", "two", "", "\udcff three"]


def test_a_line_without_end_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "long"
    file.write_bytes(b"a" * (LONGEST_LINE + 1) + b"\nis_ready\n" + b"b" * (LONGEST_LINE + 5))
    with file.open("rb") as source:
        first, second, third = read_lines(source.fileno())
    assert first == third
    assert (first[:7], second) == ("command", "is_ready")


def test_solves_go_with_a_launcher(run: Run, tmp_path: Path) -> None:
    code, out, errors = run("upi", tmp_path)
    assert (code, out) == (2, "")
    assert "a SOLVE goes with --launcher" in errors
    code, out, errors = run("upi", "--launcher", tmp_path / "pio", "--children", "7")
    assert (code, out) == (2, "")
    assert "--children does not go with --launcher" in errors
    code, out, errors = run("upi", "--launcher", tmp_path / "pio", tmp_path)
    assert (code, out) == (2, "")
    assert "no saved solve here" in errors
    assert not (tmp_path / "pio").exists()
    code, out, errors = run("upi", "--launcher", tmp_path / "pio")
    assert (code, errors) == (0, "")
    assert out.split("\n")[:-1] == [
        f"wrote {tmp_path / 'pio' / name}" for name in ("PioSOLVER3-edge.exe", "jesolver.exe")
    ]
