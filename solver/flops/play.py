"""Plays a flop strategy out on sampled run-outs: what a range wins if the blueprint plays turn and river."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.program import CHIPS_PER_UNIT, aligned_zeros, allocate_scratch
from hedgehog.solver.flops._response_kernels import RIVER_CHANCE, TURN_CHANCE, play_kernel
from hedgehog.solver.flops.refine import flop_play
from hedgehog.strategies.betting_tree import OOP, BettingTree, NodeKind

NUM_RUNOUTS: Final = 49 * 48
"""Number of run-outs of a flop: turn card, then river card."""
_PAIR_CHANCE: Final = NUM_RUNOUTS * TURN_CHANCE * RIVER_CHANCE
"""Number of all run-outs for each run-out that a pair of hands can see."""


class LinePlay:
    """The play after one preflop line. Its working memory serves one thread at a time.

    :param tree: the blueprint's tree.
    :param root: node of ``tree``: the first decision on the flop.
    :param abstraction: the card buckets of the blueprint.
    :param block: returns the blueprint's probabilities (buckets, actions) at a decision of ``tree`` on turn or river.
    """

    def __init__(
        self,
        tree: BettingTree,
        root: int,
        abstraction: CardAbstraction,
        block: Callable[[int], NDArray[np.float32]],
    ) -> None:
        self._tree, _, self._compiled, self._tables = flop_play(tree, root, abstraction, block)
        self._abstraction = abstraction
        self._scratch = allocate_scratch(self._compiled.program)

    def values(
        self,
        flop: Sequence[int],
        ranges: NDArray[np.float32],
        rows: Sequence[NDArray[np.float32]],
        boards: NDArray[np.uint8],
    ) -> NDArray[np.float64]:
        """Returns the average share of the pot that OOP gets on each board, with the weight of the pairs of hands.

        A value is scaled so that its mean over all run-outs of the flop is the EV of OOP's range in pots: chips
        received at the end of the hand less chips put in from the flop on, divided by the pot at the flop.

        :param flop: three card ids.
        :param ranges: float32 (2, 1326) weights of OOP and IP that can be dealt together.
        :param rows: probabilities (1176, actions) of the live combos at each flop decision, in node order.
        :param boards: uint8 (n, 5) the flop with a turn and a river card in each row.
        :returns: float64 (n,).
        """
        tree, program = self._tree, self._compiled.program
        decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == FLOP))
        width = int(program.street_buckets[FLOP])
        table = self._tables[: int(program.round_table[1])].reshape(-1, width)
        for node, block in zip(decisions, rows, strict=True):
            first = int(self._compiled.node_start[node]) // width
            table[first : first + block.shape[1], :FLOP_COMBOS] = block.T
        combos = np.flatnonzero(combo_mask(flop))
        hand_of = np.full(NUM_COMBOS, -1, dtype=np.int64)
        hand_of[combos] = np.arange(FLOP_COMBOS)
        live = np.zeros((2, NUM_COMBOS), dtype=np.float32)
        live[:, combos] = ranges[:, combos]
        pairs = float(disjoint_weight(live[1]) @ live[0].astype(np.float64))
        won = np.empty(len(boards), dtype=np.float64)
        play_kernel(
            won, self._tables, aligned_zeros(1), self._scratch, program, self._abstraction.tables, hand_of, live,
            boards, OOP,
        )  # fmt: skip
        net = won * (CHIPS_PER_UNIT * _PAIR_CHANCE / (pairs * tree.pot(0)))
        return net + pair_shares(live, boards) * 0.5


def pair_shares(ranges: NDArray[np.float32], boards: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Returns how much of the weight of all pairs of hands each board leaves, scaled to a mean of 1 over all run-outs.

    :param ranges: float32 (2, 1326) weights of OOP and IP, 0 for combos that hit the flop.
    :param boards: uint8 (n, 5) boards with this flop.
    """
    exact = ranges.astype(np.float64)
    pairs = float(disjoint_weight(exact[1]) @ exact[0])
    shares = np.empty(len(boards))
    for i, board in enumerate(boards):
        dead = np.zeros(NUM_CARDS, dtype=np.bool_)
        dead[board] = True
        left = exact * ~dead[COMBO_CARDS].any(axis=1)
        shares[i] = disjoint_weight(left[1]) @ left[0] * _PAIR_CHANCE / pairs
    return shares
