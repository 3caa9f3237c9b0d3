"""The strategies on the turn of an exact flop pack that was built with ``depth: turn``.

For T turn cards of all C classes together and B bytes per turn card, a preflop line called ``NAME`` has these arrays:

* ``NAME_turn_tree``, ``NAME_turn_root``: the betting tree of flop and turn. A DEAL node at the end of the turn keeps
  one terminal child.
* ``NAME_turn_counts``: ``<i4`` (C,) number of turn cards of each class. Cards that the suit symmetries of the flop make
  equal are stored once, as the lowest of them.
* ``NAME_turn_cards``: ``|u1`` (T,) the card ids, class by class, ascending in each, in the suits of the class
  representative.
* ``NAME_turn_rows``: ``|u1`` (T * B,): for every turn decision node, in node order, a block [1,176 combos that miss the
  flop][actions] in which each row sums to 255. Combos that hold the turn card have rows, too, which mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_representative, permute_cards
from hedgehog.poker.streets import FLOP_COMBOS, TURN
from hedgehog.runtime.errors import PackError
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from hedgehog.strategies.pack import StrategyPack, read_tree
from hedgehog.strategies.quantize import dequantize_rows
from hedgehog.strategies.soundness import count_bad_rows, verify_rows


@cache
def turn_symmetry(flop_class: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns for every card the card that stands for it on the turn, and the suit permutation that leads there.

    :param flop_class: class 0..1754; the cards are on its representative.
    :returns: two tuples by card id; the stand-in is -1 for the cards of the flop.
    """
    flop = flop_representative(flop_class)
    same = [i for i in range(len(COMBO_PERMUTATIONS)) if sorted(permute_cards(flop, i)) == sorted(flop)]
    stand_in, permutation = [], []
    for card in range(NUM_CARDS):
        lowest, how = min((permute_cards((card,), i)[0], i) for i in same)
        stand_in.append(-1 if card in flop else int(lowest))
        permutation.append(how)
    return tuple(stand_in), tuple(permutation)


def turn_cards(flop_class: int) -> list[int]:
    """Returns the turn cards of a class that are stored, ascending."""
    return sorted({card for card in turn_symmetry(flop_class)[0] if card >= 0})


def decisions_on(tree: BettingTree, street: int) -> NDArray[np.int64]:
    """Returns the decision nodes of a tree that are on a street, ascending: the order of the stored blocks."""
    return np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == street))


def block_offsets(tree: BettingTree, street: int) -> tuple[dict[int, int], int]:
    """Returns the byte offset of the block of every decision node on a street, by node, and the bytes of all blocks.

    The blocks are those of one flop class or one turn card.
    """
    nodes = decisions_on(tree, street)
    starts = np.cumsum([0, *(FLOP_COMBOS * tree.num_children[nodes]).tolist()])
    return dict(zip(nodes.tolist(), starts[:-1].tolist(), strict=True)), int(starts[-1])


@dataclass(frozen=True, slots=True)
class TurnRows:
    """The turn strategies of one preflop line; the module's description explains the arrays."""

    name: str
    tree: BettingTree
    offsets: dict[int, int]
    counts: NDArray[np.int32]
    cards: NDArray[np.uint8]
    rows: NDArray[np.uint8]
    """(T, B)."""
    source: str = ""
    """The pack's folder, for messages."""

    def block(self, place: int, flop_class: int, node: int, card: int) -> tuple[NDArray[np.uint8], int]:
        """Returns the rows of a node after a turn card: uint8 (1176, actions), and a suit permutation.

        Combo ``c`` of the class representative has the row of the combo ``COMBO_PERMUTATIONS[permutation, c]``.

        :param place: index of the class in the line.
        :param node: a turn decision of :attr:`tree`.
        :param card: the turn card, in the suits of the class representative.
        :raises PackError: if a row does not sum to one.
        """
        stand_in, permutation = turn_symmetry(flop_class)
        at = int(self.counts[:place].sum()) + turn_cards(flop_class).index(stand_in[card])
        start, actions = self.offsets[node], int(self.tree.num_children[node])
        stored = self.rows[at, start : start + FLOP_COMBOS * actions]
        faults = count_bad_rows(stored, np.array([FLOP_COMBOS]), np.array([actions]))
        verify_rows(self.source, f"{self.name}_turn_rows, flop class {flop_class}", faults)
        return stored.reshape(FLOP_COMBOS, actions), permutation[card]

    def strategy(self, place: int, flop_class: int, node: int, card: int) -> NDArray[np.float32]:
        """Returns float32 (actions, 1326): the probabilities of :meth:`block`, zeros for combos that the flop blocks.

        Combos are in the suits of the class representative.
        """
        block, permutation = self.block(place, flop_class, node, card)
        found = np.zeros((block.shape[1], NUM_COMBOS), dtype=np.float32)
        found[:, combo_mask(flop_representative(flop_class))] = dequantize_rows(block).T
        return found[:, COMBO_PERMUTATIONS[permutation]]

    def verify(self, classes: NDArray[np.int64], flop_tree: BettingTree, source: str) -> None:
        """Checks that the turn cards are those of the classes, and the trees agree on the flop.

        :param source: the pack's folder, for messages.
        :raises PackError: if they do not.
        """
        expected = [turn_cards(index) for index in classes.tolist()]
        wanted = [card for cards in expected for card in cards]
        flops = [
            tree.num_children[(tree.kind == NodeKind.DECISION) & (tree.street < TURN)]
            for tree in (self.tree, flop_tree)
        ]
        sound = self.counts.tolist() == [len(cards) for cards in expected] and self.cards.tolist() == wanted
        if not (sound and len(self.rows) == len(wanted) and np.array_equal(*flops)):
            raise PackError(f"line {self.name!r}: the turn cards or the turn tree do not fit the flops", source=source)

    def row_faults(self) -> int:
        """Returns the number of strategy rows that do not sum to 255; 0 in a sound pack."""
        actions = self.tree.num_children[list(self.offsets)]
        counts = np.full(len(actions), FLOP_COMBOS)
        return sum(count_bad_rows(rows, counts, actions) for rows in self.rows)


def read_turn_rows(pack: StrategyPack, name: str) -> TurnRows | None:
    """Returns the turn strategies of a preflop line, None if the pack has none.

    :raises PackError: if the shapes of the arrays do not fit together.
    """
    if f"{name}_turn_rows" not in pack.arrays:
        return None
    tree = read_tree(pack, f"{name}_turn")
    offsets, size = block_offsets(tree, TURN)
    counts = pack.array(f"{name}_turn_counts", dtype="<i4", ndim=1)
    cards = pack.array(f"{name}_turn_cards", dtype="|u1", ndim=1)
    rows = pack.array(f"{name}_turn_rows", dtype="|u1", ndim=1)
    if len(rows) != len(cards) * size:
        needed = f"{len(cards)} turn cards need {len(cards) * size}"
        raise pack.error(f"line {name!r}: turn_rows has {len(rows)} bytes, {needed}")
    return TurnRows(name, tree, offsets, counts, cards, rows.reshape(len(cards), size), str(pack.folder))
