"""Play on turn and river that both players keep to, as the endings below a flop that the kernels evaluate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.streets import RIVER, TURN
from hedgehog.solver.blueprint._blueprint_kernels import MAX_HANDS, RoundProgram, RoundScratch
from hedgehog.solver.blueprint.program import CompiledTree, aligned_zeros
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.flops._ending_kernels import (
    PAIR,
    Endings,
    EndingScratch,
    Payoffs,
    count_endings_kernel,
    write_endings_kernel,
)


def fixed_endings(compiled: CompiledTree, tables: NDArray[np.float32], scratch: RoundScratch) -> Endings:
    """Returns the endings below the flop of strategies that are fixed on turn and river.

    They take 2 bytes per player, bucket and ending: 23 MB after a raise and a call of the shipped blueprint.

    :param compiled: a tree from the first decision on the flop on.
    :param tables: float32 probabilities on turn and river in the layout of ``compiled``.
    :param scratch: working memory of ``compiled``.
    """
    program = compiled.program
    first_block = np.zeros(int(program.round_deals[0]) + 1, dtype=np.int64)
    count_endings_kernel(first_block, program)
    blocks = int(first_block[-1])
    endings = Endings(
        first_block=first_block,
        leaf=np.zeros(blocks * LANES, dtype=np.int64),
        turn=np.zeros(blocks * PAIR * int(program.street_buckets[TURN]), dtype=np.uint16),
        river=np.zeros(blocks * PAIR * int(program.street_buckets[RIVER]), dtype=np.uint16),
    )
    write_endings_kernel(endings, tables, aligned_zeros(LANES), scratch, program)
    return endings


def payoffs_of(endings: Endings, program: RoundProgram) -> Payoffs:
    """Returns what endings pay with the chips of a program, whose betting is that of the endings."""
    stake, fold = (
        np.where(endings.leaf >= 0, payoff[endings.leaf], np.float32(0.0))
        for payoff in (program.leaf_stake, program.leaf_fold[0])
    )
    return Payoffs(stake, fold)


def allocate_ending_scratch() -> EndingScratch:
    """Returns empty working memory of one thread for the endings on a board."""
    return EndingScratch(
        reach=aligned_zeros(2 * MAX_HANDS),
        value=aligned_zeros(2 * MAX_HANDS),
        turn_row=np.zeros(MAX_HANDS, dtype=np.int64),
        river_row=np.zeros(MAX_HANDS, dtype=np.int64),
        low_card=np.zeros(MAX_HANDS, dtype=np.int64),
        high_card=np.zeros(MAX_HANDS, dtype=np.int64),
        factor=aligned_zeros(PAIR * MAX_HANDS),
        ahead=aligned_zeros(PAIR * MAX_HANDS),
        by_lane=aligned_zeros(PAIR * MAX_HANDS),
        by_card=aligned_zeros(PAIR * 52),
    )
