"""``hedgehog log aivat``: winnings with most of the luck taken out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape
from rich.table import Table

from hedgehog.analysis.histories.hand_files import ACPC
from hedgehog.cli.console import output_console
from hedgehog.cli.log.aivat_scorers import AivatScorers, known_specs, record_files, verify_names
from hedgehog.cli.log.common import (
    add_hand,
    files_argument,
    first_option,
    game_option,
    given_game,
    open_input,
    pairs_option,
    report_left_out,
    with_progress,
)
from hedgehog.cli.log.published_aivat import score_published
from hedgehog.cli.log.stats import stats_document
from hedgehog.cli.log.tables import add_adjusted_row, adjusted_columns, stats_title
from hedgehog.cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.runtime.errors import InputError, one_line

if TYPE_CHECKING:
    from hedgehog.analysis.stats.log_stats import MatchStats


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
@json_option("the numbers")
@overwrite_option
def aivat(
    files: tuple[Path, ...],
    game: str | None,
    players: tuple[str, ...],
    records: tuple[str, ...],
    pairs: bool,
    first: int | None,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Score heads-up hold'em logs by AIVAT: the mean stays the same, most of the luck goes.

    The strategy of at least one player must be known, and be the one it really played. It comes from the record that
    our player has written (match --aivat, match --record, play --record), with any time to think. Without a record,
    --player names a bot, or our player with the same packs and --think-ms 0, which is then asked again.

    From a decision on that a record lacks, a hand counts with the cards that the player held. That is right on average.

    Tables of AIVAT values published for every hand (CSV files of the DeepStack study) are added up as they are.
    """
    from hedgehog.analysis.stats.log_stats import LogStatistics

    claim_outputs(json_file, inputs=[*files, *record_files(records).values()], overwrite=overwrite)
    if _all_published(files):
        if players or records or pairs:
            raise click.UsageError("published tables hold AIVAT values: leave out --player, --record and --pairs")
        score_published(files, game, first, json_file)
        return
    gamedef = given_game(game)
    known = known_specs(players)
    reading = open_input(files, ACPC, gamedef)
    opened = reading.files
    games = {file.gamedef for file in opened if file.gamedef is not None}
    if len(games) != 1:
        raise InputError("expected logs of one game")
    verify_names(known, opened)
    played = games.pop()
    scorers = AivatScorers(opened, known, record_files(records), played)
    statistics = LogStatistics(pairs=pairs, first=first, adjust=scorers.score)
    for file in opened:
        scorers.open(file)
        for entry in with_progress(file, reading.read(file)):
            add_hand(reading, file, entry, statistics.add)
    report_left_out(reading)
    matches = statistics.results()
    console = output_console()
    for table in aivat_tables(matches, scorers.names):
        console.print(table)
    if note := scorers.missing_note():
        click.echo(one_line(note), err=True)
    if json_file is not None:
        names = list(dict.fromkeys(one.name for match in matches for one in match.players))
        write_json(json_file, stats_document(opened, matches, names, reading.left_out))


def _all_published(files: Sequence[Path]) -> bool:
    """Tells whether the files are tables of published AIVAT values.

    :raises InputError: if only some are.
    """
    from hedgehog.analysis.aivat.published import is_published_table

    published = [is_published_table(path) for path in files]
    if any(published) and not all(published):
        other = files[published.index(False)]
        raise InputError("is no table of AIVAT values like the others: score it alone", source=str(other))
    return all(published)


def aivat_tables(matches: Sequence[MatchStats], known: Collection[str]) -> Iterator[Table]:
    """Yields one table per match: the real winnings and the winnings by AIVAT."""
    for match in matches:
        table = Table(title=escape(f"{stats_title(match)}; strategy known: {', '.join(known)}"), title_justify="left")
        adjusted_columns(table, "player", "hand" if match.groups is None else "pair")
        for player in match.players:
            assert player.adjusted is not None
            add_adjusted_row(table, player.name, player.mbb_per_hand, player.adjusted)
        yield table
