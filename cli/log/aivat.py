"""``hedgehog log aivat``: winnings with most of the luck taken out."""

from __future__ import annotations

from pathlib import Path

import click
from rich import box

from hedgehog.cli.console import output_console
from hedgehog.cli.log.common import files_argument, first_option, game_option, given_game, named_table, pairs_option
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.tools.completion import complete_entrants


@click.command(short_help="Score heads-up hold'em logs with most of the luck gone.")
@files_argument
@game_option
@click.option(
    "--player",
    "players",
    metavar="NAME=SPEC",
    multiple=True,
    shell_complete=complete_entrants,
    help="Ask this player for its strategy: default, pack:PATH or a bot (not random). NAME is its name in the log. May "
    "be given twice.",
)
@click.option(
    "--record",
    "records",
    metavar="NAME=FILE",
    multiple=True,
    help="Take the strategy of the player NAME from this record of its decisions; for one log. May be given twice.  "
    "[default: LOG.NAME.decisions beside each log]",
)
@pairs_option
@first_option
@output_options(json="the numbers")
def aivat(
    files: tuple[Path, ...],
    game: str | None,
    players: tuple[str, ...],
    records: tuple[str, ...],
    pairs: bool,
    first: int | None,
    outputs: Outputs,
) -> None:
    """Score heads-up hold'em logs by AIVAT: the mean stays the same, most of the luck goes.

    The strategy of at least one player must be known, and be the one it really played. It comes from the record that
    our player has written (match --aivat, match --record, play --record), with any time to think. Without a record,
    --player names a bot, or our player with the same packs and --think-ms 0, which is then asked again.

    From a decision on that a record lacks, a hand counts with the cards that the player held. That is right on average.

    Tables of AIVAT values published for every hand (CSV files of the DeepStack study) are added up as they are.
    """
    from hedgehog.analysis.aivat.logs import log_aivat
    from hedgehog.analysis.aivat.published import are_published_tables, score_published
    from hedgehog.analysis.aivat.scorers import known_specs, record_files

    of_names = record_files(records)
    outputs.claim(*files, *of_names.values())
    gamedef = given_game(game)
    if are_published_tables(files):
        if players or records or pairs:
            raise click.UsageError("published tables hold AIVAT values: leave out --player, --record and --pairs")
        scores = score_published(files, gamedef, first)
        tables, document = [scores.table()], scores.document()
    else:
        known = known_specs(players)
        with terminal_watch() as watch:
            found = log_aivat(files, known, records=of_names, gamedef=gamedef, pairs=pairs, first=first, watch=watch)
        tables, document = found.aivat(), found.document()
    console = output_console()
    for table in tables:
        console.print(named_table(table, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)))
    outputs.write_json(document)
