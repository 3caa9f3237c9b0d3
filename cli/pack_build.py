"""What ``hedgehog pack build`` does: trains or solves with progress, and writes the pack."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from cli.provenance import provenance
from poker.gamedef import find_gamedef, read_gamedef
from solver import flop_pack_build
from solver.blueprint_pack_build import read_blueprint_pack_config, train, write_blueprint_pack
from solver.blueprint_training import TrainingProgress
from solver.card_abstraction import CardAbstraction
from strategies.blueprint_pack import read_blueprint
from strategies.pack import open_pack

GAME: Final = "holdem.nolimit.2p.reverse_blinds"
_PLAIN_PROGRESS_EVERY_S: Final = 30.0


class _Update(Protocol):
    def __call__(self, completed: float, text: str) -> None: ...


@contextmanager
def _show_progress(total: float) -> Iterator[_Update]:
    """Shows progress with the remaining time on stderr: a bar on a terminal, else a line now and then."""
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=total)
        started = shown = time.monotonic()
        first: float | None = None

        def update(completed: float, text: str) -> None:
            nonlocal shown, first
            bar.update(task, completed=completed, description=text)
            first = completed if first is None else first  # what a resumed build did before is not our speed
            now = time.monotonic()
            if console.is_terminal or now < shown + _PLAIN_PROGRESS_EVERY_S:
                return
            shown = now
            done = completed - first
            left = datetime.timedelta(seconds=round((now - started) * (total - completed) / done)) if done else "?"
            click.echo(f"{100 * completed / total:.0f} %, ETA {left}, {text}", err=True)

        yield update


def build_blueprint(config_path: Path, out: Path, work: Path, threads: int) -> None:
    """Trains the blueprint of a configuration, from its checkpoint if there is one, and writes the pack."""
    config = read_blueprint_pack_config(config_path)
    gamedef = read_gamedef(find_gamedef(GAME))
    cards = CardAbstraction.load_or_build(config.cards, progress=lambda text: click.echo(text, err=True))
    by_time = config.seconds is not None
    with _show_progress(float(config.seconds or config.iterations or 0)) as update:

        def progress(now: TrainingProgress) -> None:
            shares = ", ".join(f"{action} {100 * share:.1f} %" for action, share in now.button.items())
            update(
                now.seconds if by_time else now.iterations,
                f"{now.iterations:,} boards, {now.iterations_per_second:.1f}/s, button: {shares}",
            )

        blueprint = train(config, cards, gamedef, work / "checkpoint.npz", threads, progress)
    write_blueprint_pack(blueprint, cards.digest, config.name, gamedef, provenance(), out)
    click.echo(f"wrote {out}")


def build_flops(config_path: Path, out: Path, work: Path, threads: int) -> None:
    """Does the solves of a configuration that are not yet in ``work``, and writes the pack."""
    config = flop_pack_build.read_flop_pack_config(config_path)
    blueprint = open_pack(config_path.parent / config.blueprint)
    starts = flop_pack_build.preflop_lines(config, read_blueprint(blueprint))
    work = work / flop_pack_build.config_digest(config, starts)
    with _show_progress(len(flop_pack_build.plan_jobs(config))) as update:

        def progress(done: int, total: int, job: flop_pack_build.Job, iterations: int, pct: float) -> None:
            state = f"{iterations} iterations, {pct:.2f} % of the pot" if iterations else "setting up"
            update(done, f"{done} of {total} solved, {job}: {state}")

        flop_pack_build.solve_all(config, starts, work, threads, progress)
    flop_pack_build.assemble(config, starts, blueprint.manifest.gamedef, provenance(), work, out)
    click.echo(f"wrote {out}")
