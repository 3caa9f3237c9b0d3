"""``hedgehog solve --evaluate``: somebody's strategies in the exact game of a spot, beside our solve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click
import numpy as np

from hedgehog.cli.console import wide_console
from hedgehog.cli.outputs import write_output
from hedgehog.cli.progress import terminal_watch
from hedgehog.interop.strategies import read_strategy
from hedgehog.runtime.documents import json_document, json_text
from hedgehog.runtime.errors import StoppedError
from hedgehog.runtime.table import Table
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.responses.evaluation import Evaluation, evaluate_strategy
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot

_MOST_ROWS: Final = 20


def evaluate(
    spot: PostflopSpot,
    path: Path,
    *,
    lines: Sequence[str],
    target_pct: float,
    iterations: int | None,
    threads: int | None,
    algorithm: Algorithm,
    json_file: Path | None,
) -> None:
    """Measures the strategies of a file or folder, solves the spot, prints tables and writes the JSON file.

    :param lines: decisions whose hands are listed besides the root's.
    :raises InputError: if the strategies do not fit the spot, or the tree lacks a line.
    :raises StoppedError: if the solve was interrupted; what there is has been printed and written.
    """
    prepared = prepare(spot)
    for line in lines:
        find_node(prepared, line)
    strategy = read_strategy(path, spot)
    with terminal_watch(stoppable=True) as watch:
        found = evaluate_strategy(
            spot, strategy, target_pct=target_pct, max_iterations=iterations or MAX_ITERATIONS,
            threads=threads, algorithm=algorithm, watch=watch,
        )  # fmt: skip
    described = ("", *lines)
    if json_file is not None:
        document = json_document(
            "evaluation", game=spot.name, players=PLAYERS, strategy=str(path), **found.describe_data(described)
        )
        write_output(json_file, json_text(document))
    for label, text in _rows(found):
        click.echo(f"{label:<16}{text}")
    console = wide_console()
    hands = (_most_different(found.hand_table(line)) for line in described)
    for table in (found.table(), found.node_table(), *hands):
        first = Table(table.name, table.title, table.columns, table.rows[:_MOST_ROWS])
        console.print(first.rich())
        left = len(table.rows) - _MOST_ROWS
        note = f"{table.note} {left:,} more rows: --json has all." if left > 0 else table.note
        if note:
            console.print(note.strip(), markup=False)
    if watch.stopped:
        raise StoppedError


def _most_different(table: Table) -> Table:
    """Returns a table of hands with those first whose EVs differ most, weighted by how often they are held."""
    rows = sorted(table.rows, key=lambda row: -abs(float(np.nan_to_num(row[1] * (row[2] - row[3])))))
    title = f"{table.title}, the largest differences of EV first"
    return Table(table.name, title, table.columns, tuple(rows), table.note)


def _rows(found: Evaluation) -> Iterator[tuple[str, str]]:
    half = found.spot.pot / 2
    named = [("given", found.found), *([("ours", found.our_found)] if found.our_found is not None else [])]
    for name, quality in named:
        yield name, f"exploitability {quality.pct_pot:.4f} % of the pot"
        evs = (value + half for value in quality.ev_minus_half_pot)
        best = (value + half for value in quality.best_response_ev_minus_half_pot)
        texts = (
            f"{player} {ev:,.3f} (best response {most:,.3f})"
            for player, ev, most in zip(PLAYERS, evs, best, strict=True)
        )
        yield "", f"EV {', '.join(texts)}, of a pot of {found.spot.pot:,}"
    if found.counted is not None:
        program, percent = found.counted
        yield "", f"the exploitability of the given strategies is {percent:.6f} % as {program} weighs dealt cards"
