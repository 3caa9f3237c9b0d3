"""hedgehog.cli.first_launch: what a launch says while it compiles, and that it does so once per machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hedgehog.agent.player import Player
from hedgehog.cli import first_launch
from hedgehog.cli.progress import Progress
from hedgehog.runtime import jit
from hedgehog.runtime.errors import PackError
from tests.processes import until

_COUNT_KERNELS = """
from hedgehog.cli import first_launch
from hedgehog.cli.progress import Progress
from hedgehog.runtime.jit import NUMBA_CACHE
progress = Progress("", None, "", "")
with first_launch._compiler_watched(progress, NUMBA_CACHE), first_launch._second_compiler():
    first_launch._shipped_player().warm_up()
print(round(progress.done))
"""


class _Player(Player):
    name = "test"

    def __init__(self, error: PackError | None = None) -> None:
        self.warmed_up = 0
        self._error = error

    def warm_up(self) -> None:
        self.warmed_up += 1
        if self._error is not None:
            raise self._error

    def act(self, matchstate: object, deadline: float) -> object:  # type: ignore[override]
        raise NotImplementedError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "numba" / "0123"
    monkeypatch.setattr(jit, "NUMBA_CACHE", folder)
    monkeypatch.setattr(first_launch, "_measure_machine", lambda: None)
    monkeypatch.setattr(first_launch, "_shipped_player", _Player)
    return folder


def test_the_first_launch_is_announced_and_the_second_is_silent(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    player = _Player()
    first_launch.prepare_first_launch(player)
    assert capsys.readouterr().err.splitlines()[0] == first_launch.ANNOUNCEMENT
    first_launch.prepare_first_launch(player)
    assert (player.warmed_up, capsys.readouterr().err) == (1, "")


def test_the_mark_stands_for_all_kernels_whoever_came_first(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot or a player without thinking time compiles a part alone; the shipped player compiles the rest."""
    shipped = _Player()
    monkeypatch.setattr(first_launch, "_shipped_player", lambda: shipped)
    first_launch.prepare_first_launch(_Player())
    assert shipped.warmed_up == 1
    assert list(cache.glob("complete-*"))


def test_a_player_that_cannot_be_warmed_up_leaves_no_mark(cache: Path) -> None:
    player = _Player(PackError("damaged"))
    for _ in range(2):
        with pytest.raises(PackError, match="damaged"):
            first_launch.prepare_first_launch(player)
    assert player.warmed_up == 2


def test_the_shipped_player_says_later_what_is_wrong_with_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_launch, "_shipped_player", lambda: _Player(PackError("damaged")))
    first_launch.prepare_first_launch()
    assert not list(cache.parent.glob("*/complete-*"))


@pytest.mark.parametrize("place", ["file", "a" * 300])
def test_where_nothing_can_be_kept_nothing_is_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(jit, "NUMBA_CACHE", tmp_path / place / "numba" / "0123")
    player = _Player()
    first_launch.prepare_first_launch(player)
    assert player.warmed_up == 0


def test_kernels_of_other_processes_count(cache: Path) -> None:
    """A second launch at the same time waits for the first one, and its progress goes on."""
    progress = Progress("", None, "", "")
    with first_launch._compiler_watched(progress, cache):
        cache.mkdir(parents=True)
        (cache / "kernel.nbc").touch()
        until(lambda: progress.done == 1)


@pytest.mark.slow
def test_the_number_of_kernels_is_about_right(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {"HEDGEHOG_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", _COUNT_KERNELS], env=environment, capture_output=True, text=True, check=True, timeout=900
    )
    assert abs(int(done.stdout) - first_launch.NUM_KERNELS) <= 0.1 * first_launch.NUM_KERNELS
