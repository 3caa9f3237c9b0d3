"""Small card abstractions for the blueprint tests: made-up buckets, so that nothing has to be built first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask
from poker.evaluator import evaluator_tables
from poker.hand_classes import HAND_CLASS
from poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, board_classes
from solver.blueprint._abstraction_kernels import AbstractionTables
from solver.blueprint.card_abstraction import CardAbstraction, CardConfig


def made_up_abstraction(flop: int = 20, turn: int = 30, river: int = 40) -> CardAbstraction:
    """Returns an abstraction whose flop and turn buckets depend on the ranks alone; the river is the real one."""

    def table(num_cards: int, count: int) -> NDArray[np.uint8]:
        representatives = board_classes(num_cards).representatives
        buckets = np.empty((len(representatives), NUM_COMBOS), dtype=np.uint8)
        for index, board in enumerate(representatives):
            buckets[index] = np.where(combo_mask(board), (7 * HAND_CLASS.astype(np.int64) + index) % count, 255)
        buckets.flags.writeable = False
        return buckets

    tables = AbstractionTables(
        hand_class=HAND_CLASS,
        flop=table(3, flop),
        turn=table(4, turn),
        flop_classes=board_classes(3),
        turn_classes=board_classes(4),
        combo_permutations=COMBO_PERMUTATIONS,
        binomials=BINOMIALS,
        combo_cards=COMBO_CARDS,
        evaluator=evaluator_tables(),
        num_river=river,
    )
    return CardAbstraction(CardConfig(flop, turn, river), tables, digest="made up")
