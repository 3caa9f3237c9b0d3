"""``hedgehog convert`` with tree configurations of WASM Postflop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hedgehog.solver.postflop.spot import read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from tests.cli.command import Run

DATA = Path(__file__).parents[2] / "data"
FILE = DATA / "wasmpostflop" / "configurations.json"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [FILE],
            "the file has 2 configurations: say which one (--item), of 'single raised/standard', 'single",
        ),
        ([FILE, "--item", "x"], "there is no item 'x' among the configurations"),
        ([FILE, "--item", "single raised/edited", "--oop", "AA"], "no board and no ranges: give --board, --ip"),
        ([FILE.with_name("ranges.json"), "--oop", "AA"], "expected exported configurations"),
        ([DATA / "texassolver" / "river.txt", "--oop", "AA"], "other files have a board and ranges of their own"),
    ],
)
def test_the_command_line_says_what_is_missing(run: Run, arguments: list[Any], message: str) -> None:
    code, out, err = run("convert", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_the_command_line_goes_both_ways(run: Run, tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine.yaml", tmp_path / "theirs.json"
    item = ("--item", "single raised/edited", "--board", "Td9d6hQc", "--oop", "66+,A8s+", "--ip", "QQ-22,ATo+")
    assert run("convert", FILE, *item, "--out", mine)[0] == 0
    assert run("convert", mine, "--to", "wasm-postflop", "--out", theirs)[0] == 0
    again = tmp_path / "again.yaml"
    assert run("convert", theirs, *item[2:], "--out", again)[0] == 0
    first, second = (build_postflop_tree(read_spot(file).tree) for file in (mine, again))
    assert len(first.kind) == len(second.kind) > 100
    assert first.amount.tolist() == second.amount.tolist()
