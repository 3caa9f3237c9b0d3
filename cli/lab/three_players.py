"""``hedgehog lab three-players``: how far a two-player strategy gets at a three-player table."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.three_players.bias import HANDS as BIAS_HANDS
from hedgehog.analysis.three_players.laboratory import (
    MAPPING_HANDS,
    MATCH_HANDS,
    PARTS,
    Settings,
    measure_three_players,
)
from hedgehog.cli.arena.running import jobs_option, stoppable
from hedgehog.cli.console import output_console
from hedgehog.cli.lab.options import NameList
from hedgehog.cli.lab.views import print_findings
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.runtime.files import real_path


@click.command("three-players")
@click.option(
    "--only",
    type=NameList(PARTS),
    default=",".join(PARTS),
    show_default=True,
    metavar="A,B,...",
    help="Experiments x1 to x5; bias: preflop folds; mappings: variance and distance of candidates; misses: how far "
    "mappings are from the strategy trained for three players; lines: a bias by line learnt from it.",
)
@click.option(
    "--hands",
    type=click.IntRange(12),
    metavar="N",
    help="Hands of each match of x1 to x5 and lines, over six seatings.  [default: "
    f"{MATCH_HANDS['x1']} for x1, {MATCH_HANDS['x2']} for the others]",
)
@click.option(
    "--bias-hands",
    type=click.IntRange(1),
    default=BIAS_HANDS,
    show_default=True,
    metavar="N",
    help="Hands from which preflop folds are measured.",
)
@click.option(
    "--mapping-hands",
    type=click.IntRange(6),
    default=MAPPING_HANDS,
    show_default=True,
    metavar="N",
    help="Hands whose mappings are logged, and hands of self-play for misses.",
)
@click.option("--pack", default="", metavar="PATH", help="Two-player strategy.  [default: the shipped one]")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of all cards.")
@jobs_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs/three-players"),
    show_default=True,
    metavar="DIR",
    help="Folder for report.html, results.json, CSV files and logs; the same command goes on.",
)
@output_options(json="the result")
def three_players(
    only: tuple[str, ...],
    hands: int | None,
    bias_hands: int,
    mapping_hands: int,
    pack: str,
    seed: int,
    jobs: int | None,
    out: Path,
    outputs: Outputs,
) -> None:
    """Carry a two-player limit strategy to the three-player table and measure what it wins there.

    Five published ways (hbb1 to hbb5) find the two-player decisions that stand for a three-player decision. x1 and x2
    average more and more of them, x3 corrects folds before the flop, x4 takes the most likely action, x5 leaves some
    decisions to another player. All players of an experiment meet the same opponents on the same cards.
    """
    outputs.claim(Path(pack) if pack else None)
    settings = Settings(only, hands, bias_hands, mapping_hands, pack, seed)
    with stoppable(lambda: click.echo("interrupted; to go on: the same command", err=True)) as watch:
        found = measure_three_players(settings, out, jobs=jobs, overwrite=outputs.overwrite, watch=watch)
    outputs.write_json(found.document)
    console = output_console()
    print_findings(console, found)
    console.print(f"Written: {real_path(out)}", soft_wrap=True, highlight=False)
