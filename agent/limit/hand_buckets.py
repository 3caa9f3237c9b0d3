"""The card bucket of single hands: ``CardAbstraction.bucket`` of :mod:`hedgehog.solver.blueprint.cards`, made fast."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from hedgehog.poker.cards import combo_index
from hedgehog.poker.evaluation._strength_kernels import beaten_kernel
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.isomorphism import BINOMIALS
from hedgehog.poker.streets import BOARD_CARDS, RIVER
from hedgehog.solver.blueprint.cards._river_kernels import NUM_OPPONENTS
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import RIVER_FEATURES

_MOST_KEPT: Final = 100_000


class HandBuckets:
    """Looks up the buckets of hands and keeps them.

    Calling the kernels of the card tables takes longer than their work, because they take many arrays. So flops and
    turns are looked up here, and the river is computed by a smaller kernel where its buckets are levels of equity.
    """

    def __init__(self, cards: CardAbstraction) -> None:
        self._cards = cards
        self._by_equity = cards.config.river_features == RIVER_FEATURES[0]
        self._left = np.empty(14, dtype=np.int64)
        self._binomials = BINOMIALS.tolist()
        self.bucket = lru_cache(_MOST_KEPT)(self._look_up)
        """Returns the bucket of a hand, given the street 0 to 3, two card ids, the lower first, and those of the board,
        as many as the street has."""

    def _look_up(self, street: int, hole_cards: tuple[int, ...], board: tuple[int, ...]) -> int:
        assert len(board) == BOARD_CARDS[street]
        low, high = hole_cards
        combo = combo_index(low, high)
        if street == RIVER and self._by_equity:
            hand, cards = np.array(hole_cards, dtype=np.uint8), np.array(board, dtype=np.uint8)
            points = int(beaten_kernel(hand, cards, self._left, evaluator_tables()))
            levels = self._cards.config.river
            return min(points * levels // (2 * NUM_OPPONENTS), levels - 1)
        if street in (0, RIVER):
            return self._cards.bucket(street, board, combo)
        tables = self._cards.tables
        classes, table = (tables.flop_classes, tables.flop) if len(board) == 3 else (tables.turn_classes, tables.turn)
        index = 0
        for place, card in enumerate(sorted(board), 1):
            index += self._binomials[card][place]
        permuted = tables.combo_permutations[classes.permutation_of[index], combo]
        return int(table[classes.class_of[index], permuted])
