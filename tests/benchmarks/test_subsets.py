"""The errors of weighted subsets of flops, on a tiny pack."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.subsets import main
from hedgehog.strategies.flop_subsets import format_flop_subset
from tests.cli.command import Run
from tests.tiny_flop_pack import CLASSES, write_tiny_flop_pack


def test_a_subset_is_measured_beside_random_ones(run: Run, tmp_path: Path) -> None:
    pack = write_tiny_flop_pack(tmp_path)
    mine, data = tmp_path / "mine.txt", tmp_path / "errors.json"
    mine.write_text(format_flop_subset(CLASSES[:2], (3.0, 1.0), []))
    code, out, error = run(main, mine, "--pack", pack, "--json", data)
    assert code == 0, error
    assert "mine.txt" in out
    errors = json.loads(data.read_text())["errors"]
    assert [(each["subset"], each["flops"]) for each in errors] == [("mine.txt", 2), ("random", 2)]
    code, _, error = run(main, "--pack", pack)
    assert (code, error) == (2, "error: 23: has a flop that the pack lacks\n")
