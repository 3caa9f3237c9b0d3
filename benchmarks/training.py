"""Boards and deals per second of the blueprint's trainers, and the times of their card buckets, on one core."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import click
import numpy as np

from benchmarks.common import run
from hedgehog.analysis.speed.figures import BenchRow, BenchTable, best_seconds, run_steps
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.poker.cards import parse_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.blueprint._blueprint_kernels import prepare_board_kernel, train_kernel
from hedgehog.solver.blueprint._external_sampling_kernels import external_train_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_tree
from hedgehog.solver.blueprint.program import aligned_zeros, allocate_scratch, compile_tree
from hedgehog.solver.blueprint.trainer import TREMBLE
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import MEDIUM, SMALL, BlueprintMenu

_BOARDS = 20
_DEALS = 1_000
_MENUS: Final = {"small": SMALL, "medium": MEDIUM}
_RIVER: Final = "QhJh2c7d5s"
_STREETS: Final = {"flop": 3, "turn": 4, "river": 5}


def measure_training(*, watch: Watch = SILENT) -> BenchTable:
    """Returns the speeds of the trainers and of the card buckets on one core, in CPU time.

    Training begins at regrets of zero, where the trainers visit the whole tree.
    """
    cards = CardAbstraction.load_or_build(CardConfig())
    figures: list[tuple[str, Callable[[], float], str]] = [
        (f"one board, both players, {name} tree", partial(_board_rate, cards, menu), "boards/s")
        for name, menu in _MENUS.items()
    ]
    figures.append(("external sampling, both players, small tree", lambda: _deal_rate(cards) / 1e3, "k deals/s"))
    figures.append(("buckets and ranks of one board", lambda: _preparation_us(cards), "us"))
    for number, (street, known) in enumerate(_STREETS.items(), 1):
        find = partial(cards.buckets, number, parse_cards(_RIVER)[:known])
        figures.append((f"buckets of all combos on one {street}", partial(_microseconds, find), "us"))
    steps = [(what, partial(_row, what, measure, unit)) for what, measure, unit in figures]
    return BenchTable("Training a blueprint, one core, CPU time", run_steps("training", steps, watch))


def _row(what: str, measure: Callable[[], float], unit: str) -> list[BenchRow]:
    return [BenchRow(what, measure(), unit)]


def _microseconds(work: Callable[[], object]) -> float:
    return best_seconds(work) * 1e6


def _preparation_us(cards: CardAbstraction) -> float:
    scratch = allocate_scratch(compile_tree(build_blueprint_tree(SMALL), cards.bucket_counts).program)
    river = np.array(parse_cards(_RIVER), dtype=np.uint8)
    return _microseconds(lambda: prepare_board_kernel(scratch, river, cards.tables))


def _board_rate(cards: CardAbstraction, menu: BlueprintMenu) -> float:
    """Returns boards per second of public-chance-sampled CFR."""
    compiled = compile_tree(build_blueprint_tree(menu), cards.bucket_counts)
    regrets, totals = (aligned_zeros(compiled.table_size) for _ in range(2))
    scratch, program = allocate_scratch(compiled.program), compiled.program
    rng_state = np.array([1], dtype=np.uint64)

    def train() -> None:
        train_kernel(regrets, totals, scratch, program, cards.tables, 1, TREMBLE, rng_state)

    return 1 / best_seconds(train, _BOARDS)


def _deal_rate(cards: CardAbstraction) -> float:
    """Returns deals per second of external sampling."""
    tree = build_blueprint_tree(SMALL)
    compiled = compile_tree(tree, cards.bucket_counts)
    regrets, totals = (aligned_zeros(compiled.table_size) for _ in range(2))
    sampled = sampled_tree(tree, compiled)
    scratch = allocate_sampled_scratch(sampled)
    rng_state = np.array([1], dtype=np.uint64)

    def train() -> None:
        external_train_kernel(regrets, totals, scratch, sampled, cards.tables, _DEALS, TREMBLE, 0.0, rng_state)

    return _DEALS / best_seconds(train, _BOARDS)


@click.command()
@output_options(json="all figures")
def main(outputs: Outputs) -> None:
    """Measure the trainers of the blueprint and their card buckets."""
    outputs.claim()
    with terminal_watch() as watch:
        found = measure_training(watch=watch)
    output_console().print(found.table("training").rich())
    outputs.write_json(json_document("bench") | {"training": found.document("training")})


if __name__ == "__main__":
    run(main)
