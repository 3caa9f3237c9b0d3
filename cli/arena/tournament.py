"""``hedgehog tournament``: play a round robin from a YAML file, see how far it is, report its results."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.arena.play import ReadyTournament
from hedgehog.arena.records import TOURNAMENT_FILE
from hedgehog.arena.seating_log import format_winnings
from hedgehog.arena.tournament import TournamentProgress, read_progress
from hedgehog.arena.tournament_file import read_tournament
from hedgehog.cli.arena.running import (
    aivat_option,
    jobs_option,
    record_option,
    resume_external_option,
    stoppable,
)
from hedgehog.cli.arena.tournament_view import (
    draw_winnings,
    status_document,
    status_line,
    status_table,
    tournament_tables,
)
from hedgehog.cli.console import wide_console
from hedgehog.cli.dask_option import cluster_of, engine_options, spread_over
from hedgehog.cli.exit_codes import EXIT_FAULT
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.runtime.folder_lock import is_locked


@click.group()
def tournament() -> None:
    """Play round robins, or all against one, between any number of players and report their results."""


@tournament.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder of the tournament.  [default: runs/<name of the tournament>]",
)
@spread_over(jobs_option)
@click.option(
    "--add",
    "added",
    multiple=True,
    metavar="SPEC",
    shell_complete=complete_entrants,
    help="A further agent (SPEC or NAME=SPEC) behind those of FILE, also in a tournament that is over: only its "
    "matches are played. May be given several times.",
)
@click.option(
    "--hands",
    type=click.IntRange(1, 2**32 - 1),
    metavar="N",
    help="Hands per seating in place of those of FILE; a tournament with fewer goes on after its last hands.",
)
@click.option("--retry-failed", is_flag=True, help="Play matches again in which a player has crashed.")
@resume_external_option
@click.option("--overwrite", is_flag=True, help="Replace the tournament in DIR (never anything else).")
@aivat_option
@record_option
def run(
    file: Path,
    out: Path | None,
    jobs: int | None,
    dask: str | None,
    added: tuple[str, ...],
    hands: int | None,
    retry_failed: bool,
    resume_external: bool,
    overwrite: bool,
    aivat: bool,
    record: bool,
) -> int:
    """Play the tournament of the YAML file FILE, print its tables and write its reports.

    Every agent meets every other one (in games for k players: all groups of k) in a duplicate match with cards of its
    own. The same command goes on with an interrupted tournament: matches that are over are never played again, the
    others go on after their last hand. A match in which a player crashes fails, nobody is scored for it, and the
    others go on; the exit code is then 1.

    A tournament grows by --add and --hands: what was played is kept. With --dask its seatings are played by the workers
    of a dask cluster, each of which needs the programs of cmd: players.

    \b
    name: example               # default: name of the file
    game: kuhn.limit.2p         # default: heads-up no-limit hold'em
    # stack: 100bb              # in place of game: heads-up no-limit hold'em with this stack (N, NNbb or N,N) ...
    # blinds: 1/2               # ... and these blinds; default: 200bb and 50/100
    hands: 500                  # per seating
    seed: 1
    duplicate: true
    think_ms: 200               # our player: most time per decision; threads: N
    think_hand_ms: 7000         # our player: most time per hand on average
    in_process: false           # true: without sockets, our players only
    t_response: 600000          # dealer: most ms for one answer; the limits shown here are the defaults
    t_hand: 600000              # dealer: most ms of a player in a hand
    t_per_hand: 7000            # dealer: most ms of a player per hand on average over a seating
    t_start: 1800000            # dealer: most ms until the players of a seating have loaded and connected
    t_version: 60000            # dealer: most ms until the version lines of connected players have come
    against: mine               # play only the matches of this agent; default: all
    agents:
      - call                    # a player as in hedgehog match, also NAME=SPEC
      - {name: mine, player: "cmd:./mybot --fast"}
    """
    if overwrite:
        refuse_options(
            "does not go with --overwrite, which keeps nothing to go on with", "retry_failed", "resume_external"
        )
    recorded = True if record else None if aivat else False
    ready = read_tournament(file, out, record=recorded, overwrite=overwrite, add=added, hands=hands)
    players = ready.players
    if aivat:
        from hedgehog.analysis.aivat.match import known_players

        known_players(players.names, players.specs, players.gamedef, players.settings.think_ms, players.recorded)
    if players.compiles:
        prepare_first_launch()
    with (
        stoppable(lambda: _show_interim(ready, overwritten=overwrite)) as watch,
        cluster_of(dask) as engine,
    ):
        progress = ready.play(
            jobs=jobs,
            engine=engine,
            retry_failed=retry_failed,
            resume_all=resume_external,
            watch=watch,
            on_progress=lambda found: draw_winnings(watch, found, players.gamedef.big_blind),
        )
    plan = ready.plan
    if any(match.record is not None and not match.failed for match in progress.matches):
        _report(plan.out, aivat, jobs or 1, dask)
    return _conclude(plan.out, progress)


@tournament.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@output_options(json="the state")
def status(folder: Path, outputs: Outputs) -> None:
    """Show how far the tournament in FOLDER is."""
    outputs.claim(folder)
    record, progress = read_progress(folder)
    running = is_locked(folder)
    outputs.write_json(status_document(record, progress, running=running))
    console = wide_console()
    console.print(status_line(record, progress, running=running), soft_wrap=True, highlight=False)
    console.print(status_table(progress))


@tournament.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@aivat_option
@engine_options
@output_options(json="the result")
def report(folder: Path, aivat: bool, jobs: int, dask: str | None, outputs: Outputs) -> None:
    """Print the tables of the tournament in FOLDER and write its reports (JSON, CSV, HTML) there.

    With --jobs or --dask the hands are scored by AIVAT in several processes or on a cluster, with the same results.
    """
    if not aivat:
        refuse_options("goes with --aivat", "jobs", "dask")
    outputs.claim(folder)
    _report(folder, aivat, jobs, dask, outputs)


def _report(folder: Path, aivat: bool, jobs: int, dask: str | None, outputs: Outputs | None = None) -> None:
    """Writes the reports of a tournament and prints its tables.

    :param jobs: number of processes that score by AIVAT.
    :param dask: address of a dask scheduler whose workers score in their place.
    """
    from hedgehog.analysis.tournament.report import result_values, write_reports
    from hedgehog.analysis.tournament.scoring import analyse_tournament
    from hedgehog.runtime.engines.opening import open_engine

    if aivat:
        with open_engine(jobs, dask, in_process=True) as engine, terminal_watch() as watch:
            result = analyse_tournament(folder, aivat=True, engine=engine, watch=watch)
    else:
        result = analyse_tournament(folder)
    if result.aivat_note:
        click.echo(result.aivat_note, err=True)
    if outputs is not None:
        outputs.write_json(lambda: result_values(result))
    written = write_reports(result, folder)  # first, in case nobody reads the tables to their end
    console = wide_console()
    for table in tournament_tables(result):
        console.print(table)
    console.print(f"Written: {', '.join(path.name for path in written)}", soft_wrap=True, highlight=False)


def _show_interim(ready: ReadyTournament, *, overwritten: bool) -> None:
    """Says how far an interrupted tournament is, what was won so far, and how to go on.

    :param overwritten: the option ``--overwrite`` was given.
    """
    folder = ready.plan.out
    if (folder / TOURNAMENT_FILE).exists():
        record, progress = read_progress(folder)
        click.echo(f"interim: {status_line(record, progress, running=False)}", err=True)
        if winnings := format_winnings(progress.mbb_per_hand(ready.players.gamedef.big_blind)):
            click.echo(f"interim: {winnings}", err=True)
        click.echo(f"interim tables of the finished matches: hedgehog tournament report {folder}", err=True)
    click.echo("to go on: the same command again" + (", without --overwrite" if overwritten else ""), err=True)


def _conclude(folder: Path, progress: TournamentProgress) -> int:
    """Prints where the logs are and which matches have failed; returns the exit code."""
    click.echo(f"Logs: {folder}")
    if not progress.failed:
        return 0
    click.echo(f"{progress.failed} of {len(progress.matches)} matches have failed:", err=True)
    for match in progress.matches:
        if match.record is not None and match.failed:
            click.echo(f"  {match.match.folder}: {match.record.failure}", err=True)
            if not match.record.culprits:
                click.echo("    (no player is known to be at fault: the same command goes on)", err=True)
    return EXIT_FAULT
