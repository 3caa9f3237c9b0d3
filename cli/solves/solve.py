"""``hedgehog solve``: solves the spot of a file, or estimates what the solve needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal, get_args

import click
import numpy as np

from hedgehog.cli.exit_codes import EXIT_INTERRUPTED
from hedgehog.cli.given import refuse_options
from hedgehog.cli.listing import ListingCommand
from hedgehog.cli.outputs import (
    claim_outputs,
    output_option,
    write_output,
)
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.evaluate import evaluate
from hedgehog.cli.solves.examples import example_option
from hedgehog.cli.solves.lines import expand_lines, line_files
from hedgehog.cli.solves.respond import (
    DEFAULT_SHARES,
    SharesType,
    respond_to_model,
)
from hedgehog.cli.solves.solver_options import PositiveNumber, iterations_option, threads_option
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.machine import format_bytes
from hedgehog.runtime.outputs import FolderKind, verify_distinct, verify_output_file, verify_output_folder
from hedgehog.runtime.watch import Watch
from hedgehog.solver.abstraction.abstraction import SpotGroups, SpotValues
from hedgehog.solver.abstraction.group_layout import group_bytes, make_group_layout, measure_groups
from hedgehog.solver.abstraction.solving import GroupRun, SaveTo, open_run, verify_groups
from hedgehog.solver.cfr.algorithms import Algorithm, describe_algorithms, parse_algorithm
from hedgehog.solver.cfr.memory import Storage, num_threads
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS
from hedgehog.solver.postflop.chance import build_runouts, count_nodes, measure_solve
from hedgehog.solver.postflop.estimate import describe_needs
from hedgehog.solver.postflop.locks import count_locked
from hedgehog.solver.postflop.node_answers import answer_line
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.run import SolveRun
from hedgehog.solver.postflop.saving import exclusive_folder, verify_replaceable
from hedgehog.solver.postflop.solution_csv import format_csv
from hedgehog.solver.postflop.solution_files import SOLVE_FOLDER, save_strategy
from hedgehog.solver.postflop.solution_json import describe_node, describe_result, describe_spot, format_solution
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot, read_spot
from hedgehog.solver.postflop.tree import format_action, format_line, line_of
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from hedgehog.strategies.provenance import provenance

RESULT_FOLDER: Final = FolderKind("results of hedgehog solve", ("*.json",))
"""What ``--out`` writes: a JSON file per spot."""
DEFAULT_TARGET_PCT = 0.1


class _AlgorithmType(click.ParamType[Algorithm]):
    """The click type of an algorithm: text such as ``name:key=value,...``."""

    name = "algorithm"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Algorithm:
        try:
            return parse_algorithm(value)
        except InputError as error:
            self.fail(str(error), param, ctx)


def _list_algorithms() -> list[str]:
    return ["Algorithms, with their parameters and defaults:", *describe_algorithms()]


@click.command(cls=ListingCommand, listing=_list_algorithms)
@click.argument("spot_file", metavar="SPOT.yaml", type=click.Path(path_type=Path))
@example_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for SPOT.json with every decision on the street of the board.",
)
@output_option("--json", "json_file", "the result, with the root and the nodes of --lines, as JSON")
@output_option("--csv", "csv_file", "the nodes of --lines, or the root, hand by hand as CSV")
@click.option(
    "--lines",
    multiple=True,
    metavar="LINES",
    help="More nodes for --json and --csv, separated by commas: 'X, B200, X B200 C 7d'. May be repeated; @FILE reads "
    "one line per row.",
)
@iterations_option()
@click.option(
    "--target-pct",
    type=PositiveNumber(),
    metavar="P",
    help="Stop at an exploitability of P % of the pot; with an abstraction, inside it.  "
    f"[default: {DEFAULT_TARGET_PCT} without --iterations]",
)
@threads_option
@click.option(
    "--algorithm",
    type=_AlgorithmType(),
    default="dcfr",
    show_default=True,
    metavar="NAME[:KEY=VALUE,...]",
    help="One of those below; for example dcfr:gamma=2,reset=no.",
)
@click.option(
    "--storage",
    type=click.Choice(("auto", *get_args(Storage))),
    default="auto",
    show_default=True,
    help="Precision of what is stored; auto is f32 if it fits into memory, else f16.",
)
@click.option(
    "--save",
    "save_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Save the whole solve in DIR, now and then and at the end; the same command goes on from there.",
)
@click.option(
    "--save-every",
    type=PositiveNumber(),
    default=10,
    show_default=True,
    metavar="MINUTES",
    help="Time between two saves.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Replace result files and strategies that exist, and a solve of something else in --save; a solve that can go "
    "on goes on.",
)
@click.option(
    "--save-strategy",
    "strategy_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Save the average strategies alone in DIR, a byte per hand and action, for hedgehog query.",
)
@click.option(
    "--respond",
    type=click.Choice(PLAYERS),
    help="Solve this player's restricted Nash responses to a model of the other player.",
)
@click.option(
    "--model",
    "model_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --respond: a model file with locks, or the folder of a saved solve.",
)
@click.option(
    "--p",
    "shares",
    type=SharesType(),
    default=DEFAULT_SHARES,
    show_default=True,
    metavar="P,P,...",
    help="With --respond: probabilities with which the other player follows the model.",
)
@output_option("--svg", "svg_file", "with --respond, a picture of gain over price")
@click.option(
    "--evaluate",
    "strategy_path",
    type=click.Path(path_type=Path),
    metavar="STRATEGY",
    help="Measure somebody's strategies, and compare them with the solve: a saved solve, a JSON file of hedgehog "
    "solve, or a dump of TexasSolver.",
)
@click.option(
    "--estimate",
    is_flag=True,
    help="Print nodes, infosets, and the memory that each storage and algorithm needs, and stop.",
)
def solve(
    spot_file: Path,
    out: Path | None,
    json_file: Path | None,
    csv_file: Path | None,
    lines: tuple[str, ...],
    iterations: int | None,
    target_pct: float | None,
    threads: int | None,
    algorithm: Algorithm,
    storage: Literal["auto", "f32", "f16"],
    save_folder: Path | None,
    save_every: float,
    overwrite: bool,
    strategy_folder: Path | None,
    respond: str | None,
    model_path: Path | None,
    shares: tuple[float, ...],
    svg_file: Path | None,
    strategy_path: Path | None,
    estimate: bool,
) -> None:
    """Solve the postflop spot of a YAML file to a Nash equilibrium.

    Stops at the target exploitability or the number of iterations, whichever comes first. Ctrl-C stops too, writes
    what there is and exits with code 130. A solve with --save goes on with the same command, also after kill -9:
    from the last save on, and to the same result as without a break.

    With --respond the other player follows a model with probability p and plays freely otherwise. A table says for
    each p what the response wins against the model, and what it loses at most if the model is wrong.

    With --evaluate nothing is saved: tables say how far the strategies are from equilibrium in the exact game, which
    lines it comes from, and how frequencies and EVs differ from those of the solve.
    """
    if estimate:
        refuse_options(
            "does not go with --estimate, which solves nothing and writes no file",
            "out", "json_file", "csv_file", "svg_file", "save_folder", "strategy_folder",
            "lines", "iterations", "target_pct",
        )  # fmt: skip
    inputs = [spot_file, *line_files(lines), *(path for path in (model_path, strategy_path) if path is not None)]
    if (respond is None) != (model_path is None):
        raise click.UsageError("--respond and --model go together")
    _refuse_ignored(
        respond=respond is not None, evaluate=strategy_path is not None, storage=storage, save=save_folder is not None,
        described=any(place is not None for place in (json_file, csv_file, out, strategy_path)),
    )  # fmt: skip
    claim_outputs(json_file, csv_file, svg_file, inputs=inputs, overwrite=overwrite)
    for folder, proceed in ((save_folder, True), (strategy_folder, overwrite)):
        if folder is not None:
            verify_output_folder(folder, SOLVE_FOLDER, proceed=proceed, inputs=inputs)
    target = (DEFAULT_TARGET_PCT if iterations is None else 0.0) if target_pct is None else target_pct
    spot = read_spot(spot_file)
    out_file = None if out is None else out / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', spot.name)}.json"
    _claim_folder(out, out_file, (json_file, csv_file), inputs, overwrite=overwrite)
    _verify_apart((json_file, csv_file, out_file), (save_folder, strategy_folder))
    if respond is not None and model_path is not None:
        respond_to_model(
            spot, PLAYERS.index(respond), model_path, shares,
            target_pct=target, iterations=iterations, threads=threads, algorithm=algorithm,
            lines=[line for line in expand_lines(lines) if line],
            json_file=json_file, svg_file=svg_file, strategy_folder=strategy_folder,
        )  # fmt: skip
        return
    if strategy_path is not None:
        evaluate(
            spot, strategy_path, lines=[line for line in expand_lines(lines) if line], target_pct=target,
            iterations=iterations, threads=threads, algorithm=algorithm, json_file=json_file,
        )  # fmt: skip
        return
    base = prepare(spot)
    prepared = base.for_algorithm(algorithm)
    groups = None
    if spot.abstraction:
        verify_groups(algorithm, storage, save_folder)
        groups = SpotValues(base).group(spot.abstraction)
    _print_rows(_describe_size(spot, prepared, algorithm))
    if groups is not None:
        _print_rows(_describe_groups(base, groups, algorithm, threads))
    if prepared.locks:
        decisions, hands = count_locked(prepared.locks)
        _print_rows(iter([("locked", f"{decisions:,} decisions, {hands:,} hands")]))
    if prepared.tremble is not None:
        heat = 100 * prepared.tremble.temperature / spot.pot
        _print_rows(
            iter(
                [
                    ("trembles", f"share {prepared.tremble.share:g}, temperature {heat:g} % of the pot;"),
                    ("", "strategies and exploitability are those of the plain game"),
                ]
            )
        )
    if estimate:
        _print_rows(describe_needs(base, str(algorithm), threads) if groups is None else iter(()))
        return

    extra_lines = [line for line in expand_lines(lines) if line]
    with ExitStack() as held:
        if strategy_folder is not None:
            held.enter_context(exclusive_folder(strategy_folder))
            verify_replaceable(strategy_folder)
        run = held.enter_context(
            open_run(
                spot, base, threads=threads, storage=storage, algorithm=algorithm, groups=groups,
                save=save_folder and SaveTo(save_folder, 60 * save_every, overwrite, str(spot_file)),
            )
        )  # fmt: skip
        for line in extra_lines:
            find_node(base, line)
        if run.continued is not None:
            saved = run.continued
            place = f"{saved.folder}: iteration {saved.iterations:,} after {saved.seconds:.1f} s"
            _print_rows(iter([("continued", place)]))
        with terminal_watch(stoppable=True) as watch:
            run.run(target, iterations or MAX_ITERATIONS, watch=watch)
        solver = run.solution()
        if strategy_folder is not None:
            save_strategy(strategy_folder, solver, spot, run.found, run.seconds, provenance())

    words = (f"hedgehog {version('hedgehog-poker')}", solver.storage, str(algorithm), spot.abstraction)
    files = ((json_file, extra_lines), (out_file, _root_street_lines(prepared.tree)))
    _write_results(solver, run, spot, ", ".join(filter(None, words)), files)
    if csv_file is not None:
        write_output(csv_file, format_csv([answer_line(solver, line) for line in extra_lines or [""]]))
    _print_rows(_describe_result(solver, run))
    _conclude(run, watch)


def _conclude(run: SolveRun | GroupRun, watch: Watch) -> None:
    """Ends the command after its results are written.

    :raises ResourceError: if the solve could not be saved.
    """
    if watch.stopped:
        click.echo("interrupted", err=True)
    if run.save_error is not None:
        raise run.save_error
    if watch.stopped:
        raise SystemExit(EXIT_INTERRUPTED)


def _refuse_ignored(*, respond: bool, evaluate: bool, storage: str, save: bool, described: bool) -> None:
    """Refuses options that would do nothing.

    :param described: nodes are described in a file or a table.
    """
    if evaluate:
        refuse_options(
            "does not go with --evaluate, which saves nothing",
            "out", "csv_file", "save_folder", "strategy_folder", "respond", "model_path", "estimate", "storage",
        )  # fmt: skip
    if respond:
        refuse_options("does not go with --respond", "out", "csv_file", "save_folder", "estimate")
        if storage == "f16":
            raise click.UsageError("--storage f16 does not go with --respond")
    else:
        refuse_options("goes with --respond", "svg_file", "shares")
    if not save:
        refuse_options("goes with --save", "save_every")
    if not described:
        refuse_options("names nodes for --json, --out and --csv: expected one of them", "lines")


def _claim_folder(
    out: Path | None, out_file: Path | None, files: Sequence[Path | None], inputs: Sequence[Path], *, overwrite: bool
) -> None:
    """Checks the folder of ``--out`` and the file in it.

    :raises InputError: if the folder holds something else, or the file exists or is also one of ``files``.
    """
    if out is not None and out_file is not None:
        verify_output_folder(out, RESULT_FOLDER, proceed=True, inputs=inputs)
        verify_distinct(file for file in (*files, out_file) if file is not None)
        verify_output_file(out_file, overwrite=overwrite, inputs=inputs)


def _write_results(
    solver: PostflopSolver,
    run: SolveRun | GroupRun,
    spot: PostflopSpot,
    name: str,
    files: Iterable[tuple[Path | None, list[str]]],
) -> None:
    """Writes the JSON files of a solve.

    :param name: program, storage, algorithm and abstraction, as the files name them.
    :param files: each file with the lines that it describes; None for a file that the user did not ask for.
    """
    header = json_document("solution", game=spot.name, players=PLAYERS, **describe_spot(spot, solver.spot.counts))
    for file, described in files:
        if file is not None:
            write_output(
                file, format_solution(header, describe_result(solver, run.found, run.seconds, name, described))
            )


def _verify_apart(files: Iterable[Path | None], folders: Iterable[Path | None]) -> None:
    """Checks that no result file lies in a folder of saved strategies; the solve there could then not be continued.

    :raises InputError: if one does.
    """
    for folder in folders:
        for file in files:
            if file is not None and folder is not None and real_path(file).is_relative_to(real_path(folder)):
                raise InputError(
                    f"lies in the folder of a saved solve ({folder}): expected another place", source=str(file)
                )


def _root_street_lines(tree: BettingTree) -> list[str]:
    decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == tree.street[0]))
    return [format_line(line_of(tree, int(node))) for node in decisions]


def _describe_size(spot: PostflopSpot, prepared: PreparedSpot, algorithm: Algorithm) -> Iterator[tuple[str, str]]:
    tree, runouts, cards, kept, counts = prepared.tree, prepared.runouts, prepared.cards, prepared.size, prepared.counts
    size = measure_solve(tree, runouts, spot.ranges)
    every_board = build_runouts(spot.board, spot.ranges, isomorphism=False)
    full = count_nodes(tree, every_board)
    short = count_nodes(tree, every_board, allin_is_leaf=True)
    yield "spot", f"{spot.name}: {format_cards(spot.board, ' ')}, pot {spot.pot:,}, stack {spot.stack:,}"
    yield "hands", f"{size.hands[0]:,} oop, {size.hands[1]:,} ip"
    yield "betting lines", f"{tree.num_nodes:,}"
    yield "boards", f"{runouts.num_turns:,} turns, {runouts.num_rivers:,} rivers after suit isomorphism"
    yield "nodes", _per_street(counts.nodes)
    yield "decision nodes", _per_street(counts.decision_nodes)
    yield "terminal nodes", _per_street(counts.terminal_nodes)
    unmerged = measure_solve(tree, every_board, spot.ranges)
    yield "all boards", f"{sum(full.nodes):,} nodes; {sum(short.nodes):,} if a called all-in is one leaf"
    yield "", f"{unmerged.infosets:,} infosets with {unmerged.elements:,} actions"
    yield "infosets", f"{size.infosets:,} with {size.elements:,} actions"
    if cards.merged:
        yield "merged hands", f"{kept.hands[0]:,} oop, {kept.hands[1]:,} ip"
        yield "merged boards", f"{cards.runouts.num_turns:,} turns, {cards.runouts.num_rivers:,} rivers"
        yield "merged infosets", f"{kept.infosets:,} with {kept.elements:,} actions"
    if spot.abstraction:
        return
    # bytes_f32 and bytes_f16 count two numbers per hand and action: regret and average.
    numbers = sum(algorithm.num_arrays) / 4
    half = f", {round(numbers * kept.bytes_f16):,} in f16" if algorithm.half_precision else ""
    yield "bytes", f"{round(numbers * kept.bytes_f32):,} in f32{half}"


def _describe_groups(
    prepared: PreparedSpot, groups: SpotGroups, algorithm: Algorithm, threads: int | None
) -> Iterator[tuple[str, str]]:
    size, without = measure_groups(prepared, groups), measure_groups(prepared, None)
    yield "abstraction", f"{groups.name}: {size.infosets:,} infosets with {size.entries:,} actions"
    yield "", f"{100 * size.entries / without.entries:.1f} % of those of single hands"
    workers = num_threads(prepared.solver_threads(threads))
    layout = make_group_layout(prepared, groups)
    yield "memory", format_bytes(group_bytes(prepared, groups, layout, algorithm, workers))


def _per_street(counts: tuple[int, int, int]) -> str:
    flop, turn, river = counts
    return f"{sum(counts):,} (flop {flop:,}, turn {turn:,}, river {river:,})"


def _describe_result(solver: PostflopSolver, run: SolveRun | GroupRun) -> Iterator[tuple[str, str]]:
    tree, found = solver.tree, run.found
    evs = [value + tree.root_pot / 2 for value in found.ev_minus_half_pot]
    frequencies = describe_node(solver, "")["freq"]
    actions = (format_action(tree, child) for child in tree.children(0))
    yield "iterations", f"{solver.iterations:,} in {run.seconds:.2f} s"
    yield "exploitability", f"{found.pct_pot:.4f} % of the pot"
    yield "EV", f"{evs[0]:,.3f} oop, {evs[1]:,.3f} ip (chips, of a pot of {tree.root_pot:,})"
    yield "first action", ", ".join(f"{a} {100 * f:.1f} %" for a, f in zip(actions, frequencies, strict=True))
    if found.abstract_pct_pot is not None:
        loss, inside = found.pct_pot - found.abstract_pct_pot, found.abstract_pct_pot
        yield "loss", f"{loss:.4f} % of the pot; inside the abstraction the exploitability is {inside:.4f} %"


def _print_rows(rows: Iterator[tuple[str, str]]) -> None:
    for label, text in rows:
        click.echo(f"{label:<16}{text}")
