"""hedgehog.arena.log_space: an estimate that holds for real logs, a warning and a refusal before the first hand."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from hedgehog.arena import log_space
from tests.cli.command import Run

_Usage = namedtuple("_Usage", "total used free")


def set_free(monkeypatch: pytest.MonkeyPatch, free: float) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: _Usage(0, 0, free))


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
@pytest.mark.parametrize(
    ("players", "game"),
    [
        (("random", "random"), "holdem.nolimit.2p.reverse_blinds"),
        (("random", "random", "random"), "holdem.nolimit.3p"),
        (("call", "call"), "leduc.limit.2p"),
    ],
)
def test_the_estimate_is_no_less_than_a_real_log_and_not_far_above(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, players: tuple[str, ...], game: str
) -> None:
    told: list[float] = []
    monkeypatch.setattr(log_space, "format_bytes", lambda count: told.append(count) or str(count))
    set_free(monkeypatch, 20_000)  # so that it warns and tells
    done = run("match", *players, "--game", game, "--in-process", "--no-duplicate", "--hands", 200, "--out", tmp_path)
    assert done[0] == 0, done[2]
    size = (tmp_path / "seating_1.log").stat().st_size
    assert 0.9 * size <= told[0] <= 4 * size


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_a_match_that_may_fill_the_disk_is_warned_about(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_free(monkeypatch, 1_200)
    code, _, error = run("match", "call", "call", "--in-process", "--jobs", 1, "--hands", 5, "--out", tmp_path)
    assert code == 0
    assert "warning: the logs of 10 hands take about 0.0 MB, 0.0 MB are free in" in error


def test_a_match_that_does_not_fit_is_refused(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    set_free(monkeypatch, 1e9)
    out = tmp_path / "new" / "match"
    code, _, error = run("match", "call", "call", "--in-process", "--hands", 100_000_000, "--out", out)
    assert code == 2
    assert error.startswith("error: the logs of 200,000,000 hands take about 22.00 GB, 1.00 GB are free in ")
    assert not list(tmp_path.rglob("*.log"))


def test_a_tournament_counts_all_its_matches(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    set_free(monkeypatch, 1e9)
    config = tmp_path / "cup.yaml"
    config.write_text("agents: [call, fold, raise]\nhands: 10000000\nin_process: true\n")
    code, _, error = run("tournament", "run", config, "--out", tmp_path / "out")
    assert code == 2
    assert "the logs of 60,000,000 hands take about 6.60 GB" in error
    assert not (tmp_path / "out").exists()
