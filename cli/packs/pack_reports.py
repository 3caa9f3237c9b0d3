"""The reports on a blueprint in ``hedgehog pack chart``, ``hedgehog pack show`` and ``hedgehog pack buckets``."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from hedgehog.analysis.packs.bucket_quality import StreetQuality, bucket_quality
from hedgehog.analysis.packs.preflop_chart import preflop_chart
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import write_csv, write_json
from hedgehog.cli.progress import show_progress
from hedgehog.runtime.documents import json_document
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.report import PreflopStrategy, format_shares, gate_faults, main_spots
from hedgehog.solver.blueprint.table import load_blueprint
from hedgehog.strategies.blueprint_pack import first_blueprint, read_blueprint

_SNAPSHOT_SUFFIX = ".npz"
_MEASURED: Final = ("flop", "turn", "river")
_NOTES: Final = (
    "Equity SD: of a hand's mean river equity within its bucket, and over all hands; explained: the share of the "
    "variance between buckets. Distance: mean earth mover's distance (in equity) from the distribution of a hand's "
    "river equity to the average of its bucket, and of all hands. River sizes are estimates."
)


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


def draw_chart(path: Path) -> str:
    """Returns the preflop chart of the first blueprint at a path, as SVG.

    :raises HedgehogError: if there is no blueprint at the path, or it is damaged.
    """
    name, blueprint = _open_blueprint(path)
    stack = blueprint.tree.stack / int(blueprint.tree.committed[0].max())
    return preflop_chart(blueprint, f"Before the flop, {stack:g} big blinds: {name}")


def _open_blueprint(path: Path) -> tuple[str, PreflopStrategy]:
    if path.suffix == _SNAPSHOT_SUFFIX:
        return path.stem, load_blueprint(path)
    opened = first_blueprint(path)
    return opened.manifest.name, read_blueprint(opened)


def print_buckets(config: CardConfig, json_file: Path | None, csv_file: Path | None) -> None:
    """Prints how good card buckets are, and builds them first if this machine does not have them.

    :param json_file: JSON file to write the figures to; None writes none.
    :param csv_file: CSV file to write the figures to, one row per street; None writes none.
    """
    steps: list[str] = []
    start = time.perf_counter()
    abstraction = CardAbstraction.load_or_build(config, progress=steps.append)
    seconds = time.perf_counter() - start
    with show_progress("measuring", len(_MEASURED), "streets") as progress:

        def on_street(street: str) -> None:
            progress.update(_MEASURED.index(street), street)

        streets = bucket_quality(abstraction, on_street=on_street)
    rows = [asdict(street) | {"explained": street.explained} for street in streets]
    console = output_console()
    for table in (_bucket_table(streets), _quality_table(streets)):
        for column in table.columns[1:]:
            column.justify = "right"
        console.print(table)
    console.print(_NOTES, highlight=False)
    origin = f"built in {seconds:.0f} s" if steps else f"from the cache, read and verified in {seconds:.1f} s"
    click.echo(f"Tables: {origin}; digest {abstraction.digest}")
    if json_file is not None:
        document = json_document(
            "buckets",
            seed=config.seed,
            cards=config.to_dict(),
            digest=abstraction.digest,
            built=bool(steps),
            seconds=round(seconds, 1),
            streets=rows,
        )
        write_json(json_file, document)
    if csv_file is not None:
        write_csv(csv_file, [_flat(row) for row in rows])


def _flat(row: dict[str, Any]) -> dict[str, object]:
    """Returns a row in which each of the three sizes has a column of its own."""
    smallest, median, largest = row["sizes"]
    rest = {key: value for key, value in row.items() if key not in ("street", "buckets", "sizes")}
    sizes = {"smallest": smallest, "median": median, "largest": largest}
    return {"street": row["street"], "buckets": row["buckets"], **sizes, **rest}


def _bucket_table(streets: Sequence[StreetQuality]) -> Table:
    table = Table("street", "buckets", "smallest", "median", "largest", title="Hands per bucket", title_justify="left")
    for street in streets:
        table.add_row(street.street, f"{street.buckets:,}", *(f"{size:,}" for size in street.sizes))
    return table


def _quality_table(streets: Sequence[StreetQuality]) -> Table:
    columns = ("street", "sampled", "equity SD", "of all", "explained", "distance", "of all")
    table = Table(*columns, title="How alike the hands of a bucket are", title_justify="left")
    for street in streets:
        if not street.sampled:
            table.add_row(street.street, "", "lossless")
            continue
        table.add_row(
            street.street,
            f"{street.sampled:,}",
            f"{street.equity_sd:.4f}",
            f"{street.equity_sd_all:.4f}",
            f"{street.explained:.2%}",
            f"{street.distance:.4f}",
            f"{street.distance_all:.4f}",
        )
    return table
