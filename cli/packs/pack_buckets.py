"""What ``hedgehog pack buckets`` shows."""

from __future__ import annotations

from typing import Final

import click

from hedgehog.analysis.packs.bucket_quality import BucketReport
from hedgehog.cli.console import output_console
from hedgehog.runtime.table import Column, Table

_NOTES: Final = (
    "Equity SD: of a hand's mean river equity within its bucket, and over all hands; explained: the share of the "
    "variance between buckets. Distance: mean earth mover's distance (in equity) from the distribution of a hand's "
    "river equity to the average of its bucket, and of all hands. River sizes are estimates."
)


def print_buckets(report: BucketReport) -> None:
    """Prints how good card buckets are."""
    console = output_console()
    rows = [(street.street, street.buckets, *street.sizes) for street in report.streets]
    columns = [Column(name, text=_count) for name in ("buckets", "smallest", "median", "largest")]
    console.print(Table("sizes", "Hands per bucket", ["street", *columns], tuple(rows)).rich())
    console.print(_quality_table(report).rich())
    console.print(_NOTES, highlight=False)
    built = f"built in {report.seconds:.0f} s"
    origin = built if report.built else f"from the cache, read and verified in {report.seconds:.1f} s"
    click.echo(f"Tables: {origin}; digest {report.digest}")


def _quality_table(report: BucketReport) -> Table:
    columns = (
        "street",
        Column("sampled", text=lambda number: f"{number:,}" if number else ""),
        Column("equity_sd", "equity SD", text=lambda value: "lossless" if value is None else f"{value:.4f}"),
        Column("equity_sd_all", "of all", text=_figure),
        Column("explained", text=lambda share: "" if share is None else f"{share:.2%}"),
        Column("distance", text=_figure),
        Column("distance_all", "of all", text=_figure),
    )
    rows = []
    for street in report.streets:
        names = ("equity_sd", "equity_sd_all", "explained", "distance", "distance_all")
        figures = [getattr(street, name) if street.sampled else None for name in names]
        rows.append((street.street, street.sampled, *figures))
    return Table("quality", "How alike the hands of a bucket are", columns, tuple(rows))


def _count(number: int) -> str:
    return f"{number:,}"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
