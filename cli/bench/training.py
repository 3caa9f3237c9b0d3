"""The ``training`` benchmark: boards and deals per second of the blueprint's trainers, and their card buckets."""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgehog.cli.bench.table import BenchRow, BenchTable, best_seconds
from hedgehog.cli.progress import Progress
from hedgehog.poker.cards import parse_cards
from hedgehog.solver.blueprint._blueprint_kernels import prepare_board_kernel, train_kernel
from hedgehog.solver.blueprint._external_sampling_kernels import external_train_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_tree
from hedgehog.solver.blueprint.program import aligned_zeros, allocate_scratch, compile_tree
from hedgehog.solver.blueprint.trainer import TREMBLE
from hedgehog.solver.blueprint.tree import MEDIUM, SMALL, BlueprintMenu, build_blueprint_tree

_BOARDS = 20
_DEALS = 1_000
_MENUS: Final = {"small": SMALL, "medium": MEDIUM}
_RIVER: Final = "QhJh2c7d5s"
_STREETS: Final = {"flop": 3, "turn": 4, "river": 5}


def run(progress: Progress) -> BenchTable:
    """Returns the speeds of the trainers and of the card buckets on one core, in CPU time.

    Training begins at regrets of zero, where the trainers visit the whole tree.
    """
    progress.total = len(_MENUS) + 2 + len(_STREETS)
    progress.update(0, "card tables")
    cards = CardAbstraction.load_or_build(CardConfig())
    rows = []
    for name, menu in _MENUS.items():
        rows.append(BenchRow(f"one board, both players, {name} tree", _board_rate(cards, menu), "boards/s"))
        progress.advance(1, "trainers")
    rows.append(BenchRow("external sampling, both players, small tree", _deal_rate(cards) / 1e3, "k deals/s"))
    progress.advance()
    scratch = allocate_scratch(compile_tree(build_blueprint_tree(SMALL), cards.bucket_counts).program)
    river = np.array(parse_cards(_RIVER), dtype=np.uint8)
    prepared = best_seconds(lambda: prepare_board_kernel(scratch, river, cards.tables))
    rows.append(BenchRow("buckets and ranks of one board", prepared * 1e6, "us"))
    progress.advance(1, "buckets")
    for number, (street, known) in enumerate(_STREETS.items(), 1):
        board = parse_cards(_RIVER)[:known]
        seconds = best_seconds(lambda: cards.buckets(number, board))  # noqa: B023
        rows.append(BenchRow(f"buckets of all combos on one {street}", seconds * 1e6, "us"))
        progress.advance()
    return BenchTable("Training a blueprint, one core, CPU time", rows)


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
