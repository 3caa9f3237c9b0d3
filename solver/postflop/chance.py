"""Board run-outs with suit isomorphism, and how many nodes and numbers a solve over them has.

Two suits are interchangeable on a street if the board of *every* street so far holds the same ranks in both, and if
swapping them changes neither range. Cards of one rank in interchangeable suits lead to the same subgame up to the names
of the suits. So only the card of the lowest suit, the *representative*, is solved, and the values of the others are its
values with the two suits swapped. This merges cards that are dealt; hands stay distinct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask, ordered_combo
from hedgehog.runtime.errors import SpotError
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

Range = NDArray[np.float32]
_SUITS = range(4)


@dataclass(frozen=True, slots=True)
class Runouts:
    """The turn and river cards that a solve deals: ``T`` representative turns, ``R`` representative five-card boards.

    A street that the root board already shows counts as dealt: ``turns`` or ``rivers`` then hold that one card.
    """

    board: tuple[int, ...]
    """The three to five cards of the root."""
    turns: NDArray[np.uint8]
    """(T,) representative turn cards, ascending."""
    turn_size: NDArray[np.int32]
    """(T,) number of turn cards each representative stands for, itself included."""
    rivers: NDArray[np.uint8]
    """(R,) representative river cards, grouped by turn, ascending within a turn."""
    river_size: NDArray[np.int32]
    """(R,) number of river cards each representative stands for on its own turn card."""
    first_river: NDArray[np.int32]
    """(T + 1,) the rivers of turn ``t`` are ``first_river[t] .. first_river[t + 1]``."""
    turn_of: NDArray[np.int32]
    """(52,) index into ``turns`` of the representative of each turn card; -1 for cards that cannot come."""
    turn_swap: NDArray[np.uint8]
    """(52, 2) the two suits whose swap turns a turn card into its representative; equal if it is one itself."""
    river_of: NDArray[np.int32]
    """(T, 52) index into ``rivers`` of the representative of each river card; -1 for cards that cannot come."""
    river_swap: NDArray[np.uint8]
    """(T, 52, 2) per representative turn, the two suits whose swap turns a river card into its representative; equal
    if it is one itself."""

    @property
    def num_turns(self) -> int:
        """Number of representative turn cards."""
        return len(self.turns)

    @property
    def num_rivers(self) -> int:
        """Number of representative (turn, river) pairs."""
        return len(self.rivers)

    def boards_on(self, street: int) -> int:
        """Returns the number of boards that are solved on a street; 0 before the street of the root."""
        if street < len(self.board) - 2:
            return 0
        return (1, self.num_turns, self.num_rivers)[street - 1]


@cache
def combo_permutation(suit_a: int, suit_b: int) -> NDArray[np.int16]:
    """Returns int16[1326]: the combo each combo becomes when the two suits are swapped (its own inverse)."""
    cards = np.arange(NUM_CARDS)
    suits = cards & 3
    swapped = np.where(
        suits == suit_a, cards - suit_a + suit_b, np.where(suits == suit_b, cards - suit_b + suit_a, cards)
    )
    both = np.sort(swapped[COMBO_CARDS], axis=1)
    permutation: NDArray[np.int16] = ordered_combo(both[:, 0], both[:, 1]).astype(np.int16)
    permutation.flags.writeable = False
    return permutation


def build_runouts(
    board: Sequence[int],
    ranges: Sequence[Range],
    *,
    isomorphism: bool = True,
    every_river: bool = False,
    respected: NDArray[np.bool_] | None = None,
) -> Runouts:
    """Returns the turn and river cards to solve below a board of three to five cards.

    :param board: card ids.
    :param ranges: float32[1326] weights of OOP and IP; only combos that miss the board count.
    :param isomorphism: False keeps every card, for checks and for comparison with trees counted in this way.
    :param every_river: keep every river card, and merge turn cards alone.
    :param respected: bool[4, 4], the pairs of suits that locks allow to be swapped
        (:func:`hedgehog.solver.postflop.locks.respected_swaps`); None allows all.
    :raises SpotError: if the board does not have three to five different cards.
    """
    cards = tuple(int(card) for card in board)
    if not 3 <= len(cards) <= 5 or len(set(cards)) != len(cards):
        raise SpotError(f"expected a board of 3 to 5 different cards, got {len(cards)}")
    flop = cards[:3]
    symmetric = _symmetric_suits(cards, ranges) if isomorphism else np.eye(4, dtype=np.bool_)
    if respected is not None:
        symmetric &= respected
    on_flop = symmetric & _equal_suits(flop)

    turn_of = np.full(NUM_CARDS, -1, dtype=np.int32)
    turn_swap = np.zeros((NUM_CARDS, 2), dtype=np.uint8)
    turns = _representatives(flop, cards[3:4], on_flop, turn_of, turn_swap)
    river_of = np.full((len(turns), NUM_CARDS), -1, dtype=np.int32)
    river_swap = np.zeros((len(turns), NUM_CARDS, 2), dtype=np.uint8)
    rivers: list[int] = []
    first_river = [0]
    for index, turn in enumerate(turns):
        four = (*flop, turn)
        on_turn = np.eye(4, dtype=np.bool_) if every_river else on_flop & _equal_suits(four)
        found = _representatives(four, cards[4:5], on_turn, river_of[index], river_swap[index])
        river_of[index, river_of[index] >= 0] += len(rivers)
        rivers += found
        first_river.append(len(rivers))
    return Runouts(
        board=cards,
        turns=np.array(turns, dtype=np.uint8),
        turn_size=np.bincount(turn_of[turn_of >= 0], minlength=len(turns)).astype(np.int32),
        rivers=np.array(rivers, dtype=np.uint8),
        river_size=np.bincount(river_of[river_of >= 0], minlength=len(rivers)).astype(np.int32),
        first_river=np.array(first_river, dtype=np.int32),
        turn_of=turn_of,
        turn_swap=turn_swap,
        river_of=river_of,
        river_swap=river_swap,
    )


def _symmetric_suits(board: tuple[int, ...], ranges: Sequence[Range]) -> NDArray[np.bool_]:
    """Returns bool[4, 4]: whether swapping two suits leaves both ranges as they are."""
    symmetric = np.eye(4, dtype=np.bool_)
    mask = combo_mask(board)
    live = [np.where(mask, weights, 0) for weights in ranges]
    for low in _SUITS:
        for high in range(low + 1, 4):
            permutation = combo_permutation(low, high)
            symmetric[low, high] = all(np.array_equal(weights, weights[permutation]) for weights in live)
            symmetric[high, low] = symmetric[low, high]
    return symmetric


def _equal_suits(board: tuple[int, ...]) -> NDArray[np.bool_]:
    """Returns bool[4, 4]: whether the board holds the same ranks in both suits."""
    ranks = np.array([sum(1 << (card >> 2) for card in board if card & 3 == suit) for suit in _SUITS])
    return np.asarray(ranks[:, None] == ranks)


def _representatives(
    board: tuple[int, ...],
    dealt: tuple[int, ...],
    interchangeable: NDArray[np.bool_],
    index_of: NDArray[np.int32],
    swap: NDArray[np.uint8],
) -> list[int]:
    """Returns the representative next cards, or the card already ``dealt``; fills ``index_of`` and ``swap``."""
    lowest = interchangeable.argmax(axis=1)  # the lowest interchangeable suit of each suit
    found: list[int] = []
    for card in dealt or [card for card in range(NUM_CARDS) if card not in board]:
        suit = card & 3
        # A dealt card is kept as it is: there is nothing to choose from.
        representative = card if dealt else card - suit + int(lowest[suit])
        if representative == card:
            found.append(card)
        # Cards ascend, so the representative, of a lower suit and the same rank, has been seen.
        index_of[card] = found.index(representative)
        swap[card] = suit, representative & 3
    return found


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """Numbers of nodes of the public tree on flop, turn and river, over all boards that are solved."""

    nodes: tuple[int, int, int]
    decision_nodes: tuple[int, int, int]
    terminal_nodes: tuple[int, int, int]


def count_nodes(tree: BettingTree, runouts: Runouts | Sequence[int], *, allin_is_leaf: bool = False) -> NodeCounts:
    """Returns the numbers of nodes of the public tree: every betting line on every board of its street.

    :param runouts: the turn and river cards dealt, or the numbers of boards on flop, turn and river.
    :param allin_is_leaf: count a called all-in as one terminal node on its own street, without the run-outs after it.
    """
    terminal = (tree.kind == NodeKind.FOLD) | (tree.kind == NodeKind.SHOWDOWN)
    counted = np.ones(tree.num_nodes, dtype=np.bool_)
    if allin_is_leaf:
        # Both players are all-in after the call and in every node that the run-out adds.
        all_in = (tree.committed >= tree.stack).all(axis=1)
        counted = ~all_in | (tree.action != ActionKind.DEAL)
        terminal = terminal | all_in
    dealt = [runouts.boards_on(street) for street in (1, 2, 3)] if isinstance(runouts, Runouts) else runouts
    boards = np.array([0, *dealt])

    def per_street(mask: NDArray[np.bool_]) -> tuple[int, int, int]:
        lines = np.bincount(tree.street[mask], minlength=4) * boards
        return int(lines[1]), int(lines[2]), int(lines[3])

    return NodeCounts(
        nodes=per_street(counted),
        decision_nodes=per_street(tree.kind == NodeKind.DECISION),
        terminal_nodes=per_street(counted & terminal),
    )


@dataclass(frozen=True, slots=True)
class SolveSize:
    """How much a solve stores: one regret and one average for each element."""

    hands: tuple[int, int]
    """Hands of OOP and of IP that are kept. They have weight and miss the root board; merged hands count once."""
    infosets: int
    """(decision node, hand) pairs over all boards."""
    elements: int
    """(decision node, action, hand) triples over all boards."""

    @property
    def bytes_f32(self) -> int:
        """Bytes of regrets and averages in single precision, without alignment."""
        return 8 * self.elements

    @property
    def bytes_f16(self) -> int:
        """Bytes of regrets and averages in half precision, without alignment."""
        return 4 * self.elements


def measure_solve(
    tree: BettingTree, runouts: Runouts, ranges: Sequence[Range], hand_of: NDArray[np.int32] | None = None
) -> SolveSize:
    """Returns how much a solve stores. Every board keeps all hands of the root, including those that it blocks.

    :param runouts: the turn and river cards dealt.
    :param ranges: float32[1326] weights of OOP and IP.
    :param hand_of: int32[1326] hand of each combo (:mod:`hedgehog.solver.postflop.merging`); None makes each combo a
        hand.
    """
    mask = combo_mask(runouts.board)
    kept = np.arange(NUM_COMBOS) if hand_of is None else hand_of
    hands = [len(np.unique(kept[mask & (weights > 0)])) for weights in ranges]
    sizes = measure_streets(tree, [runouts.boards_on(street) for street in (1, 2, 3)], hands)
    return SolveSize(
        hands=(hands[0], hands[1]),
        infosets=sum(one.infosets for one in sizes),
        elements=sum(one.actions for one in sizes),
    )


class StreetSize(NamedTuple):
    """Infosets of one street, over all its boards."""

    infosets: int
    """(decision node, hand) pairs."""
    actions: int
    """(decision node, action, hand) triples."""


def measure_streets(tree: BettingTree, boards: Sequence[int], hands: Sequence[int]) -> tuple[StreetSize, ...]:
    """Returns the infosets of flop, turn and river. Every board keeps all hands of the root.

    :param boards: numbers of boards that are dealt on flop, turn and river.
    :param hands: numbers of hands of OOP and of IP.
    """
    found = []
    for street, dealt in zip((1, 2, 3), boards, strict=True):
        infosets = actions = 0
        for player in (0, 1):
            nodes = (tree.kind == NodeKind.DECISION) & (tree.street == street) & (tree.player == player)
            infosets += hands[player] * dealt * int(np.count_nonzero(nodes))
            actions += hands[player] * dealt * int(tree.num_children[nodes].sum())
        found.append(StreetSize(infosets, actions))
    return tuple(found)
