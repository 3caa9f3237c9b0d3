"""Small menus and card abstractions for the blueprint tests: made-up buckets, so that nothing has to be built first."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, board_classes
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.cards.card_tables import equity_levels
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.solver.blueprint.training import BlueprintTrainer, TrainingConfig
from hedgehog.strategies.bet_menus import BlueprintMenu

TINY = BlueprintMenu(
    opens=(2.5,),
    isolations=(3.5,),
    reraises=((3.0,), (2.5,)),
    bets=((1.0,), (1.0,), (1.0,)),
    raises=(((),), ((),), ((),)),
    caps=(3, 1, 1, 1),
)
PUSH_FOLD = BlueprintMenu(
    opens=(), isolations=(), reraises=((),), bets=((), (), ()), raises=(((),), ((),), ((),)), limp=False
)

TINY_CONFIG = """\
kind: blueprint
name: tiny
menu: {preset: small, preflop: 2x, flop: "", turn: "", river: ""}
stack: 400
flop_buckets: 20
turn_buckets: 30
river_buckets: 40
iterations: 20
threads: 1
"""
"""A blueprint of 4 big blinds in the form of a file, with the buckets of :func:`made_up_abstraction`."""

SHIPPED_BUCKETS = (200, 1000, 900)
"""Numbers of flop, turn and river buckets of the shipped blueprint."""


def _made_up_buckets(num_cards: int, count: int, dtype: type) -> NDArray[np.unsignedinteger]:
    boards = board_classes(num_cards).representatives
    of_class = (7 * HAND_CLASS.astype(np.uint16)) % count
    of_board = (np.arange(len(boards)) % count).astype(np.uint16)
    buckets: NDArray[np.unsignedinteger] = ((of_class + of_board[:, None]) % count).astype(dtype)
    holders = np.zeros((NUM_CARDS, NUM_COMBOS), dtype=np.bool_)
    holders[COMBO_CARDS, np.arange(NUM_COMBOS)[:, None]] = True
    for cards in boards.T:
        buckets[holders[cards]] = np.iinfo(dtype).max
    buckets.flags.writeable = False
    return buckets


@cache
def made_up_abstraction(flop: int = 20, turn: int = 30, river: int = 40) -> CardAbstraction:
    """Returns an abstraction whose flop and turn buckets depend on the ranks alone; the river is the real one."""
    dtype = np.uint8 if turn < 255 else np.uint16
    tables = AbstractionTables(
        hand_class=HAND_CLASS,
        flop=_made_up_buckets(3, flop, dtype),
        turn=_made_up_buckets(4, turn, dtype),
        flop_classes=board_classes(3),
        turn_classes=board_classes(4),
        combo_permutations=COMBO_PERMUTATIONS,
        binomials=BINOMIALS,
        combo_cards=COMBO_CARDS,
        evaluator=evaluator_tables(),
        river=equity_levels(river),
    )
    return CardAbstraction(CardConfig(flop, turn, river), tables, digest="made up")


def of_checkpoint(path: Path, config: TrainingConfig, abstraction: CardAbstraction) -> Blueprint:
    """Returns the average strategy of a checkpoint of a training."""
    trainer = BlueprintTrainer(config, abstraction)
    trainer.restore(path)
    return trainer.blueprint()
