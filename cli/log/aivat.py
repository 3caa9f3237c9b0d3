"""``hedgehog log aivat``: winnings with most of the luck taken out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich import box

from hedgehog.analysis.parts import WHOLE, parse_part
from hedgehog.cli.console import output_console
from hedgehog.cli.dask_option import engine_options, part_option
from hedgehog.cli.given import refuse_options
from hedgehog.cli.log.common import files_argument, first_option, game_option, given_game, named_table, pairs_option
from hedgehog.cli.merging import claim_merged, merge_option
from hedgehog.cli.outputs import Outputs, hold_file, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.outputs import verify_output_file


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
@engine_options
@part_option
@merge_option("Join the results FILES of several machines into --results.")
@click.option(
    "--results",
    "results_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the value of every hand in FILE: the same command goes on where it stopped.",
)
@output_options(json="the numbers")
def aivat(
    files: tuple[Path, ...],
    game: str | None,
    players: tuple[str, ...],
    records: tuple[str, ...],
    pairs: bool,
    first: int | None,
    jobs: int,
    dask: str | None,
    part: str | None,
    merge: bool,
    results_file: Path | None,
    outputs: Outputs,
) -> None:
    """Score hold'em logs by AIVAT: the mean stays the same, most of the luck goes.

    The logs are of heads-up hold'em with equal stacks, or of limit hold'em for three.

    The strategy of at least one player must be known, and be the one it really played. It comes from the record that
    our player has written (match --aivat, match --record, play --record), with any time to think. Without a record,
    --player names a bot, or our player with the same packs and --think-ms 0, which is then asked again.

    From a decision on that a record lacks, a hand counts with the cards that the player held. That is right on average.

    Tables of AIVAT values published for every hand (CSV files of the DeepStack study) are added up as they are.

    With --dask the hands are scored by the workers of a dask cluster. Machines that know nothing of each other score
    --part 1/2 and --part 2/2 of the same logs, each into a --results file of its own; --merge A B --results C makes of
    these the file that one machine would have written, and the same command with --results C prints the tables.
    """
    if merge:
        _merge(files, results_file, outputs)
        return
    if part is not None and results_file is None:
        raise click.UsageError("--part: needs --results FILE for the values of this part")
    share = WHOLE if part is None else parse_part(part)
    from hedgehog.analysis.aivat.logs import AivatLogs
    from hedgehog.analysis.aivat.published import are_published_tables, score_published
    from hedgehog.analysis.aivat.results import AivatResults
    from hedgehog.analysis.aivat.scorers import known_specs, record_files
    from hedgehog.runtime.engines.opening import open_engine

    of_names = record_files(records)
    outputs.claim(results_file, *files, *of_names.values())
    gamedef = given_game(game)
    if are_published_tables(files):
        if players or records or pairs:
            raise click.UsageError("published tables hold AIVAT values: leave out --player, --record and --pairs")
        refuse_options("is for logs: published tables hold AIVAT values", "jobs", "dask", "part", "results_file")
        scores = score_published(files, gamedef, first)
        tables, document = [scores.table()], scores.document()
    else:
        if results_file is not None:
            # What is in it is never replaced, but gone on with.
            verify_output_file(results_file, overwrite=True, inputs=[*files, *of_names.values()])
            hold_file(results_file)
        logs = AivatLogs(files, known_specs(players), records=of_names, gamedef=gamedef, first=first)
        kept = None if results_file is None else AivatResults(results_file, logs.head)
        with open_engine(jobs, dask, in_process=True) as engine, terminal_watch() as watch:
            left = logs.score(engine, part=share, kept=kept, watch=watch)
            if left:
                click.echo(f"{len(logs) - left:,} of {len(logs):,} hands are scored: the other parts are missing")
                outputs.write_json(json_document("aivat-part", hands=len(logs), scored=len(logs) - left))
                return
            found = logs.figures(pairs=pairs, watch=watch)
        tables, document = found.aivat(), found.document()
    console = output_console()
    for table in tables:
        console.print(named_table(table, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)))
    outputs.write_json(document)


def _merge(sources: Sequence[Path], results_file: Path | None, outputs: Outputs) -> None:
    """Joins files of results into one, and says how many hands have a value."""
    from hedgehog.analysis.aivat.results import AivatResults

    results_file = claim_merged(results_file, sources, outputs)
    merged = AivatResults.merged(results_file, sources)
    hold_file(results_file)
    merged.settle()
    hands = merged.head["aivat_of"]
    click.echo(f"{hands - merged.missing:,} of {hands:,} hands are scored")
    outputs.write_json(json_document("aivat-part", hands=hands, scored=hands - merged.missing))
