"""What ``hedgehog pack chart`` and ``hedgehog pack show`` say about a blueprint, and ``hedgehog pack buckets``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from analysis.bucket_quality import bucket_quality
from analysis.preflop_chart import preflop_chart
from cli.tournament_view import table_console
from poker.errors import InputError, PackError
from poker.files import write_text_file
from solver.blueprint import load_blueprint
from solver.blueprint_report import PreflopStrategy, format_shares, gate_faults, main_spots
from solver.card_abstraction import CardAbstraction, CardConfig
from strategies.blueprint_pack import read_blueprint
from strategies.pack import find_packs, open_pack

_SNAPSHOT_SUFFIX = ".npz"


def preflop_lines(blueprint: PreflopStrategy) -> Iterator[str]:
    """Yields the frequencies of the main preflop decisions, one per line, and the verdict of the release gate."""
    for name, spot in main_spots(blueprint).items():
        yield f"{name}: {format_shares(spot)}"
    big_blind = int(blueprint.tree.committed[0].max())
    if blueprint.tree.stack != 200 * big_blind:
        yield f"release gate: for 200 big blinds, not for {blueprint.tree.stack / big_blind:g}"
        return
    faults = gate_faults(blueprint)
    yield f"release gate: {'; '.join(faults) if faults else 'passed'}"


def write_chart(path: Path, out: Path) -> None:
    """Writes the preflop chart of the first blueprint at a path.

    :raises HedgehogError: if there is none, it is damaged, or the file cannot be written.
    """
    name, blueprint = _open_blueprint(path)
    stack = blueprint.tree.stack / int(blueprint.tree.committed[0].max())
    write_text_file(out, preflop_chart(blueprint, f"Before the flop, {stack:g} big blinds: {name}"))


def _open_blueprint(path: Path) -> tuple[str, PreflopStrategy]:
    if path.suffix == _SNAPSHOT_SUFFIX:
        return path.stem, load_blueprint(path)
    for folder in find_packs(path):
        opened = open_pack(folder)
        if opened.manifest.kind == "blueprint":
            return opened.manifest.name, read_blueprint(opened)
    raise PackError("there is no blueprint pack", source=str(path))


def print_buckets(config: CardConfig, json_file: Path | None) -> None:
    """Prints how good card buckets are; builds them if this machine has none of the kind.

    :param json_file: where to write the same as plain data.
    """
    if json_file is not None and not json_file.resolve().parent.is_dir():
        raise InputError(f"there is no folder for {str(json_file)!r}")
    steps: list[str] = []
    start = time.perf_counter()
    abstraction = CardAbstraction.load_or_build(config, progress=steps.append)
    seconds = time.perf_counter() - start
    streets = bucket_quality(abstraction, on_street=lambda street: print(f"measuring: {street}", file=sys.stderr))
    if json_file is not None:
        values = {
            "cards": config.to_dict(),
            "digest": abstraction.digest,
            "built": bool(steps),
            "seconds": round(seconds, 1),
            "streets": [asdict(street) | {"explained": street.explained} for street in streets],
        }
        write_text_file(json_file, json.dumps(values, indent=2) + "\n")
    table = Table(
        "street", "buckets", "hands in smallest", "median", "largest", "sampled", "equity SD", "of all", "explained",
        "distance", "of all",
        title="Card buckets",
    )  # fmt: skip
    for column in table.columns[1:]:
        column.justify = "right"
    for street in streets:
        measured = [f"{value:.4f}" for value in (street.equity_sd, street.equity_sd_all)]
        measured += [f"{street.explained:.2%}", f"{street.distance:.4f}", f"{street.distance_all:.4f}"]
        table.add_row(
            street.street,
            f"{street.buckets:,}",
            *(f"{size:,}" for size in street.sizes),
            f"{street.sampled:,}" if street.sampled else "",
            *(measured if street.sampled else ["lossless"]),
        )
    console = table_console()
    console.print(table)
    console.print(
        "Equity SD: of a hand's mean river equity within its bucket, and over all hands; explained: the share of the "
        "variance between buckets. Distance: mean earth mover's distance (in equity) from the distribution of a hand's "
        "river equity to the average of its bucket, and of all hands. River sizes are estimates.",
        highlight=False,
    )
    origin = f"built in {seconds:.0f} s" if steps else f"from the cache, read and verified in {seconds:.1f} s"
    console.print(f"Tables: {origin}; digest {abstraction.digest}", highlight=False)
