"""Made-up packs on the real betting tree, with random rows and with buckets that need no card tables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from agent.strategy.sources import BlueprintSource, QuickFlopRows
from poker.acpc.gamedef import find_gamedef, read_gamedef
from poker.cards import NUM_COMBOS, combo_mask
from poker.isomorphism import flop_representative
from poker.streets import FLOP_COMBOS
from solver.blueprint.card_abstraction import CardAbstraction
from solver.blueprint.tree import SMALL, build_blueprint_tree
from strategies.betting_tree import BettingTree, NodeKind
from strategies.blueprint_pack import BlueprintTable, row_offsets
from strategies.quantize import quantize_rows

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
BUCKETS = (5, 7, 6, 4)


class ModuloAbstraction:
    """Buckets that need no tables: the combo's index modulo the number of buckets."""

    def bucket(self, street: int, board: tuple[int, ...], combo: int) -> int:
        return combo % BUCKETS[street]

    def buckets(self, street: int, board: tuple[int, ...]) -> NDArray[np.uint16]:
        buckets = np.arange(NUM_COMBOS) % BUCKETS[street]
        return np.where(combo_mask(board), buckets, 65535).astype(np.uint16)


class RandomQuickFlops:
    """A quick pack with random rows for the flop nodes and classes that ``covers`` says."""

    def __init__(self, tree: BettingTree, classes: Iterable[int]) -> None:
        self._tree = tree
        self._classes = set(classes)

    def covers(self, node: int, flop_class: int) -> bool:
        return flop_class in self._classes and self._tree.street[node] == 1 and node % 3 > 0

    def block(self, node: int, flop_class: int) -> NDArray[np.uint8]:
        rng = np.random.default_rng((node, flop_class))
        actions = int(self._tree.num_children[node])
        return quantize_rows(rng.dirichlet(np.ones(actions), FLOP_COMBOS).astype(np.float32))

    def row(self, node: int, flop_class: int, combo: int) -> NDArray[np.uint8]:
        number = np.count_nonzero(combo_mask(flop_representative(flop_class))[:combo])
        row: NDArray[np.uint8] = self.block(node, flop_class)[number]
        return row


@cache
def random_table() -> BlueprintTable:
    """Returns a SMALL blueprint of random rows."""
    tree = build_blueprint_tree(SMALL)
    offsets, total = row_offsets(tree, BUCKETS)
    rng = np.random.default_rng(5)
    rows = np.empty(total, dtype=np.uint8)
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        actions, count = int(tree.num_children[node]), BUCKETS[tree.street[node]]
        block = quantize_rows(rng.dirichlet(np.ones(actions), count).astype(np.float32))
        rows[offsets[node] : offsets[node] + block.size] = block.ravel()
    return BlueprintTable(tree, BUCKETS, rows, offsets, {})


def random_source(quick: Iterable[QuickFlopRows] = ()) -> BlueprintSource:
    """Returns a blueprint source with the rows of :func:`random_table` and some quick packs."""
    return BlueprintSource(GAME, random_table(), cast(CardAbstraction, ModuloAbstraction()), quick)
