"""``hedgehog audit``: compares how often a player folds to bets of every size with what the pot odds allow."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.audit_bets import AuditJob
from hedgehog.analysis.audit_results import AuditResults
from hedgehog.analysis.fold_audit import audit_player, bet_table, make_audited, street_table
from hedgehog.analysis.parts import WHOLE, parse_part
from hedgehog.cli.console import wide_console
from hedgehog.cli.dask_option import engine_options, part_option
from hedgehog.cli.exit_codes import EXIT_FAULT
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.given import refuse_options
from hedgehog.cli.merging import claim_merged, merge_option, only_player
from hedgehog.cli.outputs import Outputs, hold_file, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import seed_option
from hedgehog.cli.tools.completion import complete_players
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, load_gamedef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import table_records

_NOTES = (
    "Moves: c check or call, B the player's own likeliest bet, a number the prober's bet in pots. Reach: how often the "
    "player's own actions lead there if the prober plays the line. Alpha: risk / (pot + risk); where the fold share is "
    "larger, a bluff with any two cards profits at once, by so much per bet (± 1 standard error over the boards) and, "
    "if the prober always plays the line, per hand. Before the river that need not be a fault: hands that call face "
    "further bets, and a bluff gives up what checking would have won."
)


@click.command()
@click.argument("words", metavar="SPEC|FILE...", nargs=-1, required=True, shell_complete=complete_players)
@click.option("--boards", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Random boards per line.")
@seed_option(0, "Seed of the boards.")
@click.option("--think-ms", type=click.IntRange(0), default=0, show_default=True, metavar="MS", help="As for play.")
@click.option(
    "--min-reach",
    type=click.FloatRange(0, 100),
    default=0.5,
    show_default=True,
    metavar="PCT",
    help="Leave out lines the player itself takes more rarely, in per cent of its hands.",
)
@click.option("--top", type=click.IntRange(0), default=20, show_default=True, help="Lines to print.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    metavar="MBB",
    help="Exit with code 1 if a bluff earns more than this per bet, by two standard errors.",
)
@engine_options
@part_option
@merge_option("Join the results FILEs of several machines into --results.")
@click.option(
    "--results",
    "results_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the result of every board in FILE: the same command goes on where it stopped, also with more boards.",
)
@output_options(json="all lines", csv="all lines")
def audit(
    words: tuple[str, ...],
    boards: int,
    seed: int,
    think_ms: int,
    min_reach: float,
    top: int,
    tolerance: float | None,
    jobs: int,
    dask: str | None,
    part: str | None,
    merge: bool,
    results_file: Path | None,
    outputs: Outputs,
) -> int:
    """Audit how often the player SPEC (default, pack:PATH or a bot; see hedgehog match) folds.

    Walks some 900 betting lines, among them check-raises and sizes no betting tree holds, with the whole range of the
    player as it reports it. With --think-ms every turn and river of every line is solved, which takes minutes a board;
    --jobs and --dask spread the boards over processes or a cluster, with the same result if the player does not think.

    Machines that know nothing of each other audit --part 1/2 and --part 2/2 of the same command, each into a --results
    file of its own; --merge A B --results C makes of these the file that one machine would have written, and the same
    command with --results C prints the tables.
    """
    from hedgehog.runtime.engines.opening import open_engine

    if merge:
        _merge([Path(word) for word in words], results_file, outputs)
        return 0
    spec_text = only_player(words)
    if part is not None:
        refuse_options("is for all boards, not for --part", "min_reach", "top", "tolerance", "csv_file")
        if results_file is None:
            raise click.UsageError("--part: needs --results FILE for the boards of this part")
    share = WHOLE if part is None else parse_part(part)
    spec = parse_player_spec(spec_text)
    think_ms = spec.thinking(think_ms)
    player = make_audited(spec, think_ms)
    job = AuditJob(spec, load_gamedef(), seed, think_ms)
    outputs.claim_results(results_file)
    if spec.compiles:
        prepare_first_launch(player)
    results = None if results_file is None else AuditResults(results_file, job)
    with open_engine(jobs, dask, in_process=True) as engine, terminal_watch() as watch:
        found = audit_player(job, boards, engine=engine, part=share, kept=results, watch=watch)
    if part is not None and results is not None:
        audited = sum(number < boards for number in results.boards)
        missing = ": the other parts are missing" if audited < boards else ""
        click.echo(f"{audited:,} of {boards:,} boards are audited{missing}")
        outputs.write_json(json_document("audit-part", boards=boards, audited=audited))
        return 0
    kept = [bet for bet in found if bet.reach >= min_reach / 100]
    over = [] if tolerance is None else [bet for bet in kept if bet.sure_profit_mbb > tolerance]
    bets = bet_table(kept)
    head = json_document(
        "audit",
        game=DEFAULT_GAME,
        seed=seed,
        players=[spec_text],
        player=spec_text,
        boards=boards,
        think_ms=think_ms,
    )
    outputs.write_json(head | table_records([bets]))
    outputs.write("csv", bets.csv)
    console = wide_console()
    streets = street_table(kept)
    console.print(streets.rich(caption=streets.note))
    if top:
        console.print(bet_table(kept[:top]).rich())
    console.print(_NOTES, highlight=False)
    if tolerance is not None:
        console.print(f"{len(over)} of {len(kept)} bets earn a bluff more than {tolerance:g} mbb.", highlight=False)
    return EXIT_FAULT if over else 0


def _merge(sources: list[Path], results_file: Path | None, outputs: Outputs) -> None:
    """Joins files of results into one, and says how many boards it has."""
    results_file = claim_merged(results_file, sources, outputs)
    merged = AuditResults.merged(results_file, sources)
    hold_file(results_file)
    merged.settle()
    click.echo(f"{len(merged.boards):,} boards are audited")
    outputs.write_json(json_document("audit-part", boards=len(merged.boards), audited=len(merged.boards)))
