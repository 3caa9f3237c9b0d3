"""The command ``range``: a range in the form of another program."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from hedgehog.cli.main import main
from hedgehog.poker.ranges import parse_range


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exit_info:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(exit_info.value.code or 0), captured.out, captured.err


def test_all_forms_of_text(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "range", "[50]AA,KK[/50] AQs")
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["10", "combos,", "0.7541", "%"],
        ["hedgehog:", "KK+:0.5,AQs"],
        ["pio:", "AA:0.5,KK:0.5,AQs"],
        ["gto+:", "AQs,[50]AA-KK[/50]"],
        ["gto-wizard:", "AA:0.5,KK:0.5,AQs"],
    ]


def test_a_vector_there_and_back(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, vector, _ = run(capsys, "range", "AhKh:0.3,QQ", "--to", "pio-vector")
    assert (code, len(vector.split())) == (0, 1326)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(vector.encode())))
    code, out, _ = run(capsys, "range", "-", "--order", "pio", "--to", "gto+")
    assert (code, out) == (0, "QQ,[30]AhKh[/30]\n")
    assert np.array_equal(parse_range(out), parse_range("AhKh:0.3,QQ"))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["AA,KZ"], "range entry 'KZ' at column 4"),
        (["[50]AA"], "not closed, expected [/50]"),
        (["AA", "--order", "pio"], "expected 1326 numbers, got 1"),
        (["1 " * 1326], "write pio-order or hedgehog-order before them"),
    ],
)
def test_faults_are_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str) -> None:
    code, out, error = run(capsys, "range", *arguments)
    assert (code, out) == (2, "")
    assert complaint in error
    assert len(error.splitlines()) == 1
