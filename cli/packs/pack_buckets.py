"""The report of ``hedgehog pack buckets``."""

from __future__ import annotations

from typing import Final

import click

from hedgehog.analysis.packs.bucket_quality import BucketReport
from hedgehog.cli.console import output_console

_NOTES: Final = (
    "Equity SD: of a hand's mean river equity within its bucket, and over all hands. Distance: mean earth mover's "
    "distance (in equity) from the distribution of a hand's river equity to the average of its bucket, and of all "
    "hands. Explained: the share of the variance between buckets. River sizes are estimates. Preflop is lossless."
)


def print_buckets(report: BucketReport) -> None:
    """Prints how good card buckets are."""
    console = output_console()
    for table in report.shown_tables():
        console.print(table.rich())
    console.print(_NOTES, highlight=False)
    seconds = report.seconds
    origin = f"built in {seconds:.0f} s" if report.built else f"from the cache, read and verified in {seconds:.1f} s"
    click.echo(f"Tables: {origin}; digest {report.digest}")
