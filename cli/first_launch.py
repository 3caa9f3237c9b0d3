"""Prepares the first launch on a machine: compiles our player's kernels and unpacks its card tables, with progress.

A mark beside the compiled kernels records that this is done. Later launches find the mark and do nothing here.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hedgehog.cli.progress import Progress, show_progress
from hedgehog.runtime.errors import HedgehogError

if TYPE_CHECKING:
    from hedgehog.agent.player import Player

NUM_KERNELS: Final = 131
"""Approximate number of kernels that are compiled, for the progress bar. A test compares it with the true number."""
ANNOUNCEMENT: Final = (
    "first launch on this machine: compiling takes about 100 s of processor time, on two cores; later launches take "
    "seconds"
)
_COUNT_EVERY_S: Final = 0.5
_SMALL_RIVER: Final = """
spot: first launch
board: Qh Jh 2c 7d 5s
pot: 100
stack: 100
range: {oop: "AA,KK", ip: "AA,KK"}
sizes: {river: {oop: "a", ip: "a"}}
"""


def prepare_first_launch(player: Player | None = None) -> None:
    """Compiles the kernels that our player needs, with progress on stderr, unless this machine has done so before.

    :param player: the player to warm up. None warms up the shipped player; if that fails, nothing is said here, because
        the player reports the fault when it is used.
    :raises HedgehogError: if the given player cannot be warmed up.
    """
    from hedgehog.runtime.jit import NUMBA_CACHE  # imports numba, which the benchmark bots do not need

    mark = _mark(NUMBA_CACHE)
    try:
        if mark.exists() or not _can_be_written(NUMBA_CACHE):
            return
    except OSError:  # no folder can have this name; the first kernel says so
        return
    click.echo(ANNOUNCEMENT, err=True)
    with (
        show_progress("compiling", NUM_KERNELS, "kernels") as progress,
        _compiler_watched(progress, NUMBA_CACHE),
        _second_compiler(),
    ):
        progress.update(0)
        try:
            (player or _shipped_player()).warm_up()
            if player is not None and not _thinks(player):  # then it has not compiled all that the mark stands for
                _shipped_player().warm_up()
            progress.text = "measuring this machine"
            _measure_machine()
        except HedgehogError:
            if player is not None:
                raise
            return
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:  # then the next launch looks again
        pass


def _measure_machine() -> None:
    """Measures how fast this machine solves, from which live solves at the table are planned."""
    from hedgehog.agent.strategy.planning_speed import keep_speed, measure_speed

    keep_speed(measure_speed())


def _thinks(player: Player) -> bool:
    """Tells whether a player that is warmed up is ours and solves hands at the table."""
    from hedgehog.agent.pack_player import PackPlayer

    return isinstance(player, PackPlayer) and player.packs_alone is None


def _shipped_player() -> Player:
    from hedgehog.agent.pack_player import REHEARSAL_THINK_MS, PackPlayer

    return PackPlayer(think_ms=REHEARSAL_THINK_MS)


def _mark(cache: Path) -> Path:
    """Returns the mark: a file that exists when this Python and numba have compiled all kernels on this machine."""
    from hedgehog.runtime.jit import COMPLETE

    made_by = (platform.node(), platform.python_version(), importlib.metadata.version("numba"))
    return cache / f"{COMPLETE}-{'-'.join(made_by)}"


def _can_be_written(folder: Path) -> bool:
    """Tells whether compiled kernels can be kept in a folder. If not, every process must compile for itself."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def compile_solver() -> None:
    """Compiles the kernels of the solver, by solving a small river."""
    from hedgehog.runtime.watch import SILENT
    from hedgehog.solver.abstraction.solving import solve
    from hedgehog.solver.postflop.spot import parse_spot

    solve(parse_spot(_SMALL_RIVER), 1, watch=SILENT)


@contextmanager
def _second_compiler() -> Iterator[None]:
    """Compiles the solver in another process while the block runs: a third of all work, and the player needs it last.

    Whoever needs a kernel that another process compiles waits for it (:mod:`hedgehog.runtime.kernel_cache`).
    """
    command = [sys.executable, "-P", "-c", "from hedgehog.cli.first_launch import compile_solver; compile_solver()"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.kill()


@contextmanager
def _compiler_watched(progress: Progress, cache: Path) -> Iterator[None]:
    """Counts the kernels in the cache while the block runs, and names the one that this process compiles.

    The count goes on while another process compiles and this one waits for it.

    :param cache: the folder in which every process keeps the kernels that it compiles.
    """
    import hedgehog.runtime.jit  # noqa: F401  (configures numba before anybody else imports it)

    event: Any = importlib.import_module("numba.core.event")  # its types are incomplete

    class Watcher(event.Listener):  # type: ignore[misc]
        def on_start(self, found: Any) -> None:
            function = found.data["dispatcher"].py_func
            if function.__module__.startswith("hedgehog."):
                progress.text = function.__name__

        def on_end(self, found: Any) -> None:
            progress.text = ""

    ended = threading.Event()

    def count() -> None:
        while not ended.wait(_COUNT_EVERY_S):
            progress.update(sum(1 for _ in cache.rglob("*.nbc")))

    watcher = Watcher()
    counter = threading.Thread(target=count, daemon=True, name="kernel counter")
    event.register("numba:compile", watcher)
    counter.start()
    try:
        yield
    finally:
        event.unregister("numba:compile", watcher)
        ended.set()
        counter.join()
        progress.update(sum(1 for _ in cache.rglob("*.nbc")))
