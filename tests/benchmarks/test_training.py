"""The speeds of the trainers, on small sizes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import training
from tests.cli.command import Run


def test_training(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(training, "_BOARDS", 1)
    monkeypatch.setattr(training, "_DEALS", 50)
    data = tmp_path / "training.json"
    code, output, _ = run(training.main, "--json", data)
    assert code == 0
    assert "boards/s" in output
    rows = json.loads(data.read_text())["training"]["rows"]
    assert all(row["value"] > 0 for row in rows)
    assert {row["what"]: row["unit"] for row in rows} == {
        "one board, both players, small tree": "boards/s",
        "one board, both players, medium tree": "boards/s",
        "external sampling, both players, small tree": "k deals/s",
        "buckets and ranks of one board": "us",
        "buckets of all combos on one flop": "us",
        "buckets of all combos on one turn": "us",
        "buckets of all combos on one river": "us",
    }
