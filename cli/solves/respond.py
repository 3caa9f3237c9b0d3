"""``hedgehog solve --respond``: answers to a model of the opponent, with a guard against its being wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import write_json, write_output
from hedgehog.cli.progress import terminal_watch
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.table import Column, Table
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.responses.opponent_model import OpponentModel, read_model
from hedgehog.solver.postflop.responses.respond import Responses, respond
from hedgehog.solver.postflop.saving import exclusive_folder, verify_replaceable
from hedgehog.solver.postflop.solution_files import save_strategy
from hedgehog.solver.postflop.solution_json import describe_node, describe_spot
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.strategies.provenance import provenance

DEFAULT_SHARES: Final = "0,0.25,0.5,0.75,0.9,0.95,1"


class SharesType(click.ParamType[tuple[float, ...]]):
    """The click type of probabilities separated by commas, ascending and different."""

    name = "probabilities"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            shares = tuple(sorted({float(part) for part in str(value).split(",")}))
        except ValueError:
            self.fail(f"expected probabilities separated by commas, got {value!r}", param, ctx)
        if not all(0 <= share <= 1 for share in shares):
            self.fail(f"expected probabilities from 0 to 1, got {value!r}", param, ctx)
        return shares


def respond_to_model(
    spot: PostflopSpot,
    player: int,
    model_path: Path,
    shares: Sequence[float],
    *,
    target_pct: float,
    iterations: int | None,
    threads: int | None,
    algorithm: Algorithm,
    lines: Sequence[str],
    json_file: Path | None,
    svg_file: Path | None,
    strategy_folder: Path | None,
) -> None:
    """Solves the spot, then the responses to a model, prints a table and writes the files.

    :param player: the player who responds, 0 for OOP.
    :param shares: probabilities with which the opponent follows the model, ascending.
    :param lines: nodes that the JSON describes besides the root.
    :raises InputError: if the model does not fit the spot.
    """
    if strategy_folder is not None:
        if len(shares) != 1:
            raise InputError("--save-strategy with --respond needs a single probability, such as --p 0.9")
        verify_replaceable(strategy_folder)
    model = read_model(model_path, spot, 1 - player)
    prepared = prepare(spot)
    for line in lines:
        find_node(prepared, line)
    with terminal_watch(stoppable=True) as watch:
        found = respond(
            spot, player, model, shares,
            target_pct=target_pct, max_iterations=iterations or MAX_ITERATIONS, threads=threads, algorithm=algorithm,
            watch=watch,
        )  # fmt: skip
    pot, points = spot.pot, found.points
    table = _table(spot, found)
    _print(spot, player, model, found, table)
    if strategy_folder is not None and points:
        with exclusive_folder(strategy_folder):
            save_strategy(strategy_folder, points[0].solver, spot, points[0].found, found.seconds, provenance())
    if json_file is not None:
        write_json(json_file, _document(spot, player, model_path, found, table, lines))
    if svg_file is not None and points:
        from hedgehog.analysis.solves.response_chart import CurvePoint, response_chart

        curve = [CurvePoint(point.share, 100 * point.gain / pot, 100 * point.price / pot) for point in points]
        write_output(svg_file, response_chart(curve)[0].decode())
    if watch.stopped:
        raise StoppedError


def _table(spot: PostflopSpot, found: Responses) -> Table:
    value, half = found.value, spot.pot / 2
    columns = (
        Column("p", text="{:g}".format),
        Column("ev_against_model", "EV against the model", "{:,.3f}".format),
        Column("gain", text="{:+,.3f}".format),
        Column("ev_at_worst", "EV at worst", "{:,.3f}".format),
        Column("price", text="{:,.3f}".format),
        Column("objective", shown=False),
        Column("exploitability_pct_pot", "exploit. %", "{:.3f}".format),
        Column("iterations", shown=False),
    )
    rows = [
        (
            point.share, point.gain + value + half, point.gain, value - point.price + half, point.price,
            point.objective + half, point.found.pct_pot, point.iterations,
        )
        for point in found.points
    ]  # fmt: skip
    note = (
        "p: probability with which the opponent is taken to follow the model. EV at worst: against a best response."
        " exploit.: distance from an equilibrium of the game with the model, of the pot."
    )
    return Table("points", "", columns, tuple(rows), note)


def _print(spot: PostflopSpot, player: int, model: OpponentModel, found: Responses, table: Table) -> None:
    source = f"{len(model.locks):,} locked decisions" if model.solve is None else "a saved solve"
    console = output_console()
    console.print(
        f"{spot.name}: {PLAYERS[player]} responds to a model of {PLAYERS[1 - player]} ({source}). In equilibrium"
        f" {PLAYERS[player]} has {found.value + spot.pot / 2:,.3f} of a pot of {spot.pot:,}"
        f" (exploitability {found.found.pct_pot:.3f} % of the pot).",
        markup=False,
    )
    console.print(table.rich())
    console.print(table.note, markup=False)


def _document(
    spot: PostflopSpot, player: int, model_path: Path, found: Responses, table: Table, lines: Sequence[str]
) -> dict[str, Any]:
    described = list(dict.fromkeys(["", *lines]))
    content: dict[str, Any] = {
        "responds": PLAYERS[player],
        "model": str(model_path),
        "value": found.value + spot.pot / 2,
        "value_exploitability_pct_pot": found.found.pct_pot,
        "seconds": found.seconds,
        "points": [
            {**record, "nodes_data": [describe_node(point.solver, line) for line in described]}
            for record, point in zip(table.records(), found.points, strict=True)
        ],
    }
    counts = found.base.spot.counts
    return json_document("response", game=spot.name, players=PLAYERS, **describe_spot(spot, counts), **content)
