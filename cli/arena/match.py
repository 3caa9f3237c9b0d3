"""``hedgehog match``: a duplicate match between players over TCP, with its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hedgehog.agent.specs import PlayerSpec
from hedgehog.analysis.stats.match_document import match_document
from hedgehog.arena.launch import DealerLimits, PlaySettings
from hedgehog.arena.play import PlayedMatch, ready_match
from hedgehog.cli.arena.match_view import MatchView
from hedgehog.cli.arena.running import (
    aivat_option,
    dealer_limit_options,
    jobs_option,
    record_option,
    resume_external_option,
    stoppable,
)
from hedgehog.cli.console import output_console
from hedgehog.cli.dask_option import cluster_of, spread_over
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import claim_outputs, output_option, write_json
from hedgehog.cli.player_options import game_option, player_threads_option, think_hand_option, think_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.runtime.errors import HedgehogError, MatchError

if TYPE_CHECKING:
    from hedgehog.analysis.stats.match_report import MatchResult


@click.command()
@click.argument("spec_texts", metavar="SPEC SPEC [SPEC...]", nargs=-1, required=True, shell_complete=complete_entrants)
@click.option("--hands", type=click.IntRange(1), default=1000, show_default=True, help="Hands per seating.")
@click.option(
    "--block-hands",
    type=click.IntRange(1),
    metavar="N",
    help="Start all players of a seating afresh after every N hands, so that --jobs and --dask play its blocks at the "
    "same time.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Seed of cards and players."
)
@game_option
@click.option(
    "--duplicate/--no-duplicate",
    default=True,
    show_default=True,
    help="Play the same cards in every order of the seats (more than 3 players: in every rotation).",
)
@think_option
@think_hand_option
@player_threads_option
@click.option(
    "--in-process",
    is_flag=True,
    help="Play each seating inside one process, without sockets (no cmd: players; the logs are the same).",
)
@dealer_limit_options
@spread_over(jobs_option)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for logs and reports.  [default: runs/<date and time>]",
)
@aivat_option
@record_option
@click.option("--resume", is_flag=True, help="Go on with the interrupted run of the same match in --out DIR.")
@resume_external_option
@click.option(
    "--overwrite", is_flag=True, help="Replace the match in --out DIR, and the --json FILE (nothing else, ever)."
)
@output_option("--json", "json_file", "the result as JSON")
def match(
    spec_texts: tuple[str, ...],
    hands: int,
    block_hands: int | None,
    seed: int,
    game: str,
    duplicate: bool,
    think_ms: int,
    think_hand_ms: int,
    threads: int | None,
    in_process: bool,
    limits: DealerLimits,
    jobs: int | None,
    dask: str | None,
    out: Path | None,
    aivat: bool,
    record: bool,
    resume: bool,
    resume_external: bool,
    overwrite: bool,
    json_file: Path | None,
) -> None:
    """Play a match between players, each in a process of its own, and print what they have won.

    A SPEC is default (our player: heads-up no-limit hold'em of any stacks and blinds, limit hold'em for two or three
    players, Kuhn, Leduc), pack:PATH (our player with no-limit packs of yours), limit or limit:PATH (with limit packs),
    cmd:COMMAND (any ACPC client; HOST and PORT are appended), py:MODULE:CLASS (a Python class of yours, from the
    current folder or PYTHONPATH; also py:FILE.py:CLASS), openspiel:NAME (a bot of OpenSpiel, or what a function in
    FILE.py:FUNCTION returns), or a bot: fold, call, raise (by the pot), allin, random, checkraise (raises every flop
    bet), minbet (bets and raises the least), offtree (odd sizes from 5 % to 109 pots). jamfold goes all-in or folds
    before the flop, in games of at most 15 big blinds; solved plays small limit games in equilibrium; potodds and mcsim
    look at their cards, and limit3p:hbb1 to hbb5 bring a two-player limit strategy to a table of three.
    "default?translation=NAME" (harmonic, geometric, nearest) says how our player's packs read bets between two sizes,
    "default?resolve=NAME" (unsafe, safe, estimate) how it solves turns and rivers at the table,
    "default?abstraction=NAME" on which groups of hands (none unless it is given), "default?tremble=0.001" how often
    opponents take any action while it solves (never unless it is given), "default?folds=packs" that folds from packs
    alone have no limit, and "default?think_ms=300" how long this player thinks, in place of --think-ms; & joins
    options.
    NAME=SPEC gives a player the name that stands in tables and logs: hedgehog match me=py:mybot:Bot house=default

    With --duplicate the cards are played again with the seats exchanged and all processes restarted; the confidence
    interval is over these pairs of hands (three players: groups of six; N > 3 players: groups of N).

    If a player crashes, goes silent or exceeds a limit of the dealer (--t-...), its match ends and nobody is scored.
    The message says which player it was, and why.

    A folder that holds a match is never touched without --resume or --overwrite, one that holds anything else never.
    --resume keeps the finished seatings of an interrupted run and goes on after the last hand of the others.
    Players cmd: and py: may remember hands: their seatings start anew unless --resume-external is given.

    With --block-hands a seating is as many short matches as it has blocks, each with new players; a player that learns
    from its opponent learns within a block alone. Its logs are one, with the same cards as without blocks.

    Our player keeps --think-ms, --think-hand-ms and the dealer's limits. Time that it does not need in a hand is kept
    for later hands; when little is left, it thinks less, and in the end it plays from its packs.

    Answers that were illegal, corrected or slow are counted; slow is longer than --t-per-hand.
    """
    _verify_options(resume=resume, overwrite=overwrite, out=out, in_process=in_process)
    ready = ready_match(
        spec_texts,
        hands=hands,
        out=out,
        seed=seed,
        game=game,
        duplicate=duplicate,
        settings=PlaySettings(think_ms, think_hand_ms, threads, in_process, limits, block_hands),
        record=True if record else None if aivat else False,
        resume=resume,
        resume_all=resume_external,
        overwrite=overwrite,
        beside=json_file,
    )
    claim_outputs(json_file, inputs=ready.players.inputs, overwrite=overwrite)
    players = ready.players
    names, gamedef, recorded = players.names, players.gamedef, players.recorded
    asked = {}
    if aivat:
        from hedgehog.analysis.aivat.match import known_players

        asked = known_players(names, players.specs, gamedef, think_ms, recorded)
    if players.compiles:
        from hedgehog.cli.first_launch import prepare_first_launch

        prepare_first_launch()
    view = MatchView(ready, output_console(), overwritten=overwrite)
    try:
        with stoppable(view.show_interim) as watch, cluster_of(dask) as engine:
            played = ready.play(jobs=jobs or players.settings.default_jobs(), engine=engine, watch=watch)
    except MatchError:
        view.show_interim()
        raise
    from hedgehog.analysis.stats.match_report import score_match  # the match need not wait for it
    from hedgehog.analysis.stats.play_statistics import read_play_statistics, summarise

    result = score_match(played.logs, names, gamedef)
    statistics = read_play_statistics(names, played.seatings)
    if aivat:
        try:
            result = _score_by_aivat(played, asked, recorded, jobs or 1, dask)
        except HedgehogError:
            view.show(result, (), statistics)
            raise
    if json_file is not None:
        answers = [summarise(name, one) for name, one in statistics.items()]
        title = ready.plan.game.name.removesuffix(".game")
        document = match_document(
            spec_texts, names, result, answers, played.logs, game=title, seed=seed, duplicate=duplicate
        )
        write_json(json_file, document)
    view.show(result, [name for name in names if name in asked or name in recorded], statistics)


def _verify_options(*, resume: bool, overwrite: bool, out: Path | None, in_process: bool) -> None:
    """Checks which options are given together.

    :raises click.UsageError: if they do not go together, or one would do nothing.
    """
    if resume and overwrite:
        raise click.UsageError("--resume goes on with a match and --overwrite replaces it: choose one")
    if resume and out is None:
        raise click.UsageError("--resume needs --out: the folder of the run to go on with")
    if not resume:
        refuse_options("goes with --resume", "resume_external")
    if in_process:
        refuse_options("is for players in processes of their own: leave out --in-process", "t_start")


def _score_by_aivat(
    played: PlayedMatch, asked: Mapping[str, PlayerSpec], recorded: Sequence[str], jobs: int, dask: str | None
) -> MatchResult:
    """Returns the result of a match with AIVAT values, shows how far it is, and says what the records lacked.

    :param asked: players that are asked for their strategies.
    :param recorded: names of the players whose records tell them.
    :param jobs: number of processes that score.
    :param dask: address of a dask scheduler whose workers score in their place.
    """
    from hedgehog.analysis.aivat.scorers import SpreadAivat, match_records
    from hedgehog.analysis.stats.match_report import score_match
    from hedgehog.runtime.engines.opening import open_engine

    logs, gamedef = played.logs, played.gamedef
    scorer = SpreadAivat(asked, gamedef)
    scorer.use_records(match_records(logs, recorded, gamedef))
    score_match(logs, played.names, gamedef, scorer.score)
    with open_engine(jobs, dask, in_process=True) as engine, terminal_watch() as watch:
        scorer.run(engine, watch)
    result = score_match(logs, played.names, gamedef, scorer.score)
    if note := scorer.missing_note():
        click.echo(note, err=True)
    return result
