"""``hedgehog tournament``: play a round robin from a YAML file, see how far it is, report its results."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import click
from pydantic import BaseModel, ConfigDict, Field, field_validator

from hedgehog.agent.specs import PlayerSpec, parse_entrant, unique_names
from hedgehog.agent.time_manager import HAND_AVERAGE_MS
from hedgehog.arena.match import seating_states
from hedgehog.arena.records import TOURNAMENT_FILE, TOURNAMENT_FOLDER
from hedgehog.arena.table_process import table_job, verify_in_process
from hedgehog.arena.tournament import TournamentPlan, TournamentProgress, read_progress, run_tournament, verify_plan
from hedgehog.cli.arena.log_space import verify_log_space
from hedgehog.cli.arena.match_folder import claim_folder, replace_folder
from hedgehog.cli.arena.player_checks import verify_player
from hedgehog.cli.arena.running import (
    DEALER_COMMAND,
    START_TIMEOUT_MS,
    aivat_option,
    default_jobs,
    format_dealer_options,
    jobs_option,
    make_entrants,
    on_interruption,
    play_settings,
    read_match_game,
    record_option,
    recorded_names,
    resume_external_option,
    run_interruptible,
    time_to_think,
)
from hedgehog.cli.arena.tournament_view import (
    show_tournament_progress,
    status_document,
    status_line,
    status_table,
    tournament_tables,
    winnings_line,
)
from hedgehog.cli.console import wide_console
from hedgehog.cli.exit_codes import EXIT_FAULT
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from hedgehog.cli.player_options import DEFAULT_THINK_MS
from hedgehog.cli.progress import show_progress
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, GameDef, find_gamedef
from hedgehog.poker.acpc.names import verify_player_names
from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.errors import GamedefError, InputError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.folder_lock import is_locked

_NOT_IN_A_FOLDER_NAME = re.compile(r"[^A-Za-z0-9_.+-]+")

Milliseconds = Annotated[int, Field(ge=0)]


class AgentConfig(BaseModel):
    """One participant of a tournament: a player specification, with or without a name."""

    model_config = ConfigDict(extra="forbid")

    player: str
    name: str | None = None


class TournamentConfig(BaseModel):
    """The content of a tournament file."""

    model_config = ConfigDict(extra="forbid")

    agents: list[AgentConfig] = Field(min_length=2)
    name: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """Name of the tournament; by default the name of the file."""
    game: str = DEFAULT_GAME
    """Name of a shipped game, or a file beside the tournament file or in the current folder."""
    hands: int = Field(default=1000, ge=1, lt=2**32)
    """Hands per seating."""
    seed: int = Field(default=0, ge=0, lt=2**64)
    duplicate: bool = True
    think_ms: Milliseconds = DEFAULT_THINK_MS
    """Most thinking time of our player per decision."""
    think_hand_ms: Milliseconds = HAND_AVERAGE_MS
    """Most thinking time of our player per hand, on average over a seating."""
    threads: Annotated[int, Field(ge=1)] | None = None
    in_process: bool = False
    against: str | None = None
    """Name of the only agent whose matches are played."""
    t_response: Milliseconds | None = None
    t_hand: Milliseconds | None = None
    t_per_hand: Milliseconds | None = None
    t_start: Annotated[int, Field(ge=1)] = START_TIMEOUT_MS
    """Time for the players of a seating to load and connect."""
    t_version: Milliseconds | None = None
    """Time for the version lines of the players, once all have connected."""

    @field_validator("agents", mode="before")
    @classmethod
    def _name_is_optional(cls, agents: Any) -> Any:
        if not isinstance(agents, list):
            return agents
        return [{"player": agent} if isinstance(agent, str) else agent for agent in agents]


@click.group()
def tournament() -> None:
    """Play round robins, or all against one, between any number of players and report their results."""


@tournament.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    metavar="DIR",
    help="Folder of the tournament.  [default: runs/<name of the tournament>]",
)
@jobs_option
@click.option("--retry-failed", is_flag=True, help="Play matches again in which a player has crashed.")
@resume_external_option
@click.option("--overwrite", is_flag=True, help="Replace the tournament in DIR (never anything else).")
@aivat_option
@record_option
def run(
    file: Path,
    out: Path | None,
    jobs: int | None,
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

    \b
    name: example               # default: name of the file
    game: kuhn.limit.2p         # default: heads-up no-limit hold'em
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
    plan, jobs_by_default = _read_plan(file, out, aivat=aivat, record=record)
    claim_folder(plan.out, TOURNAMENT_FOLDER, resume=True, overwrite=overwrite, inputs=[file, plan.game])
    if overwrite:
        replace_folder(plan.out, TOURNAMENT_FOLDER)
    elsewhere = [] if overwrite else _not_gone_on_with(plan, resume_external)
    if elsewhere:
        click.echo(
            f"unfinished seatings of {', '.join(elsewhere)} are played anew, because external players may remember the "
            "hands before; --resume-external goes on all the same",
            err=True,
        )
    gone_on = "to go on: the same command again" + (", without --overwrite" if overwrite else "")
    big_blind = read_match_game(plan.game).big_blind
    with (
        on_interruption(lambda: _show_interim(plan, gone_on)),
        show_tournament_progress(plan.name, big_blind) as on_progress,
    ):
        progress = run_interruptible(
            lambda: run_tournament(
                plan,
                on_progress,
                jobs=jobs or jobs_by_default,
                retry_failed=retry_failed,
                resume_all=resume_external,
            )
        )
    if any(match.record is not None and not match.failed for match in progress.matches):
        _report(plan.out, aivat)
    return _conclude(plan.out, progress)


@tournament.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@json_option("the state")
@overwrite_option
def status(folder: Path, json_file: Path | None, overwrite: bool) -> None:
    """Show how far the tournament in FOLDER is."""
    claim_outputs(json_file, inputs=[folder], overwrite=overwrite)
    record, progress = read_progress(folder)
    running = is_locked(folder)
    if json_file is not None:
        write_json(json_file, status_document(record, progress, running=running))
    console = wide_console()
    console.print(status_line(record, progress, running=running), soft_wrap=True, highlight=False)
    console.print(status_table(progress))


@tournament.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@aivat_option
@json_option("the result")
@overwrite_option
def report(folder: Path, aivat: bool, json_file: Path | None, overwrite: bool) -> None:
    """Print the tables of the tournament in FOLDER and write its reports (JSON, CSV, HTML) there."""
    claim_outputs(json_file, inputs=[folder], overwrite=overwrite)
    _report(folder, aivat, json_file)


def _read_plan(
    file: Path, out: Path | None, *, aivat: bool = False, record: bool = False
) -> tuple[TournamentPlan, int]:
    """Reads a tournament file; returns the plan and the number of jobs to use by default.

    :param aivat: the tournament is scored by AIVAT.
    :param record: the decisions of our players are recorded.

    :raises InputError: with file and line, if anything in it cannot be played.
    """
    config = read_config(file, TournamentConfig, InputError, "a tournament")
    model = config.model
    specs = [
        config.at(("agents", str(index), "player"), _parse_agent, agent) for index, agent in enumerate(model.agents)
    ]
    for index, spec in enumerate(specs):
        if model.in_process:
            config.at(("agents", str(index), "player"), verify_in_process, spec)
    game = config.at(("game",), _find_game, model.game, file)
    gamedef = read_match_game(game)
    for index, spec in enumerate(specs):
        config.at(("agents", str(index), "player"), _verify_player, spec, gamedef)
    names = config.at(("agents",), unique_names, specs)
    recorded = recorded_names(specs, names, think_ms=model.think_ms, aivat=aivat, record=record)
    if aivat:
        from hedgehog.analysis.aivat.match import known_players

        known_players(names, specs, gamedef, model.think_ms, recorded)
    title = model.name or file.stem
    limits = {
        "t_response": model.t_response,
        "t_hand": model.t_hand,
        "t_per_hand": model.t_per_hand,
    }
    think_ms, hand_time = time_to_think(model.think_ms, model.think_hand_ms, limits)
    plan = TournamentPlan(
        name=title,
        entrants=make_entrants(
            specs,
            names,
            game=game,
            think_ms=think_ms,
            hand_time=hand_time,
            threads=model.threads,
            recorded=recorded,
        ),
        game=game,
        hands=model.hands,
        seed=model.seed,
        duplicate=model.duplicate,
        out=real_path(out or Path("runs") / _NOT_IN_A_FOLDER_NAME.sub("_", title)),
        dealer_options=format_dealer_options(
            limits, start_timeout_ms=model.t_start, version_timeout_ms=model.t_version
        ),
        dealer_command=DEALER_COMMAND,
        settings=play_settings(
            think_ms=model.think_ms,
            think_hand_ms=model.think_hand_ms,
            threads=model.threads,
            in_process=model.in_process,
        )
        | limits,
        table=table_job(specs, think_ms=think_ms, threads=model.threads, hand_time=hand_time, recorded=recorded)
        if model.in_process
        else None,
        against=model.against or "",
    )
    config.at(("against",) if plan.against not in ("", *names) else ("agents",), verify_plan, plan)
    verify_log_space(plan.out, list(map(plan.match_plan, plan.record().matches)), read_match_game(game).num_players)
    if any(spec.compiles for spec in specs):
        prepare_first_launch()
    return plan, default_jobs(model.threads)


def _find_game(name: str, file: Path) -> Path:
    """Returns the file of a game: beside the tournament file, at the path as given, or among the shipped games."""
    try:
        game = find_gamedef(file.parent / name)
    except GamedefError:
        game = find_gamedef(name)
    read_match_game(game)
    return game


def _verify_player(spec: PlayerSpec, gamedef: GameDef) -> None:
    """Verifies that an agent can play; the message names the file of a pack that is missing or damaged."""
    try:
        verify_player(spec, gamedef)
    except InputError as error:
        raise InputError(str(error)) from error


def _parse_agent(agent: AgentConfig) -> PlayerSpec:
    """Parses an agent's player; its name comes from ``name:`` or from ``NAME=SPEC``.

    :raises InputError: if the specification is malformed, or names the agent a second time.
    """
    spec = parse_entrant(agent.player)
    if agent.name is None:
        return spec
    verify_player_names([agent.name])
    if spec.name:
        raise InputError(f"the agent {agent.name!r} is given a second name in {agent.player!r}")
    return replace(spec, name=agent.name)


def _report(folder: Path, aivat: bool, json_file: Path | None = None) -> None:
    """Writes the reports of a tournament and prints its tables."""
    from hedgehog.analysis.tournament.report import result_values, write_reports
    from hedgehog.analysis.tournament.scoring import analyse_tournament, num_logged_hands

    if aivat:
        with show_progress("AIVAT", num_logged_hands(folder), "hands") as progress:
            result = analyse_tournament(folder, aivat=True, on_hand=progress.advance)
    else:
        result = analyse_tournament(folder)
    if result.aivat_note:
        click.echo(result.aivat_note, err=True)
    if json_file is not None:
        write_json(json_file, result_values(result))
    written = write_reports(result, folder)  # first, in case nobody reads the tables to their end
    console = wide_console()
    for table in tournament_tables(result):
        console.print(table)
    console.print(f"Written: {', '.join(path.name for path in written)}", soft_wrap=True, highlight=False)


def _not_gone_on_with(plan: TournamentPlan, resume_external: bool) -> list[str]:
    """Returns the matches with unfinished seatings that start anew because a player may remember the hands before."""
    if resume_external or not (plan.out / TOURNAMENT_FILE).exists():
        return []
    _, progress = read_progress(plan.out)
    return [
        match.match.folder
        for match in progress.matches
        if match.record is None
        and any(
            state.hands and not state.finished and state.remembering
            for state in seating_states(plan.match_plan(match.match))
        )
    ]


def _show_interim(plan: TournamentPlan, how_to_go_on: str) -> None:
    """Says how far an interrupted tournament is, what was won so far, and how to go on."""
    if (plan.out / TOURNAMENT_FILE).exists():
        record, progress = read_progress(plan.out)
        click.echo(f"interim: {status_line(record, progress, running=False)}", err=True)
        if winnings := winnings_line(progress, read_match_game(plan.game).big_blind):
            click.echo(f"interim: {winnings}", err=True)
        click.echo(f"interim tables of the finished matches: hedgehog tournament report {plan.out}", err=True)
    click.echo(how_to_go_on, err=True)


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
