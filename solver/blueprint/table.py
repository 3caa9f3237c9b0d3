"""The whole-game blueprint: one strategy for every betting line over card buckets.

:mod:`hedgehog.solver.blueprint.training` trains blueprints and :mod:`hedgehog.solver.blueprint.match` compares two of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.npy_files import header_array, read_npz, write_npz
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig, parse_card_config
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import BlueprintMenu, parse_menu
from hedgehog.strategies.betting_tree import IP, OOP, BettingTree, NodeKind, betting_token
from hedgehog.strategies.blueprint_pack import row_offsets
from hedgehog.strategies.soundness import count_bad_rows, verify_rows

FORMAT: Final = "hedgehog-blueprint-1"
NUM_PAIRS: Final = NUM_COMBOS * 1225
"""Number of ordered pairs of combos that share no card."""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A strategy over card buckets for every decision of a whole-game betting tree."""

    menu: BlueprintMenu
    cards: CardConfig
    tree: BettingTree
    rows: NDArray[np.float32]
    """Probabilities, flat: one block (buckets of the street, actions) per decision in node order. Rows sum to 1."""
    offsets: NDArray[np.int64]
    """(nodes,) start of each decision's block, -1 for other nodes
    (:func:`hedgehog.strategies.blueprint_pack.row_offsets`)."""
    training: dict[str, Any]
    """Facts about the training, such as iterations, seconds, seed and threads."""

    def block(self, node: int) -> NDArray[np.float32]:
        """Returns float32 (buckets, actions): the probabilities at a decision, as a view."""
        count = self.cards.bucket_counts[int(self.tree.street[node])]
        actions = int(self.tree.num_children[node])
        start = int(self.offsets[node])
        return self.rows[start : start + count * actions].reshape(count, actions)

    def strategy(self, node: int, board: Sequence[int], abstraction: CardAbstraction) -> NDArray[np.float32]:
        """Returns float32 (actions, 1326): the probabilities of all combos at a decision.

        Columns sum to 1, or are 0 where the board blocks the combo.

        :param board: ids of the cards dealt up to the street of ``node``.
        :param abstraction: the card buckets that the blueprint was trained with.
        """
        buckets = abstraction.buckets(int(self.tree.street[node]), board)
        live = buckets != BLOCKED
        result = np.zeros((int(self.tree.num_children[node]), NUM_COMBOS), dtype=np.float32)
        result[:, live] = self.block(node)[buckets[live]].T
        return result

    def save(self, path: Path) -> None:
        """Writes the blueprint as a compressed .npz file, atomically."""
        header = {
            "format": FORMAT,
            "menu": self.menu.to_dict(),
            "cards": self.cards.to_dict(),
            "blinds": self.tree.committed[0].tolist(),
            "stack": self.tree.stack,
            "training": self.training,
        }
        write_npz(path, {"header": header_array(header), "rows": self.rows}, compressed=True)


def load_blueprint(path: Path) -> Blueprint:
    """Returns a blueprint from a file that :meth:`Blueprint.save` wrote.

    :raises InputError: if the file is missing, damaged or of another kind.
    """
    header, arrays = read_npz(path, FORMAT, ("rows",))
    try:
        menu = parse_menu(header["menu"], str(path))
        cards = parse_card_config(header["cards"])
        big, small = header["blinds"]
        tree = build_blueprint_tree(menu, (small, big), header["stack"])
        training = dict(header["training"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"is no sound blueprint file: {error}", source=str(path)) from None
    offsets, size = row_offsets(tree, cards.bucket_counts)
    rows = arrays["rows"]
    if rows.shape != (size,) or rows.dtype != np.float32:
        raise InputError(f"expected {size} float32 probabilities, got {rows.dtype} {rows.shape}", source=str(path))
    decisions = np.flatnonzero(offsets >= 0)
    counts = np.array(cards.bucket_counts)[tree.street[decisions]]
    verify_rows(path, "rows", count_bad_rows(rows, counts, tree.num_children[decisions]))
    return Blueprint(menu, cards, tree, rows, offsets, training)


@dataclass(frozen=True, slots=True)
class PreflopLine:
    """A preflop line that leads to the flop, with the pot, the stacks and both ranges there."""

    node: int
    """First decision on the flop."""
    betting: str
    """ACPC betting with raises as totals over the hand, such as ``r250c`` or ``cc``."""
    pot: int
    """Chips in the pot at the flop."""
    stack: int
    """Chips behind, the same for both players."""
    probability: float
    """Probability that a hand takes this line."""
    ranges: NDArray[np.float32]
    """(2, 1326) probability that the own actions of OOP and IP follow the line, by combo."""


def preflop_lines(blueprint: Blueprint) -> list[PreflopLine]:
    """Returns every preflop line that reaches the flop, in node order, with both ranges at the flop."""
    tree = blueprint.tree
    lines: list[PreflopLine] = []
    full = np.ones(NUM_COMBOS, dtype=np.float64)
    todo = [(0, "", (full, full))]
    while todo:
        node, text, ranges = todo.pop()
        if tree.kind[node] == NodeKind.DEAL:
            first = int(tree.first_child[node])
            pot = tree.pot(node)
            lines.append(
                PreflopLine(
                    node=first,
                    betting=text,
                    pot=pot,
                    stack=tree.stack - pot // 2,
                    probability=float(ranges[OOP] @ disjoint_weight(ranges[IP])) / NUM_PAIRS,
                    ranges=np.stack(ranges).astype(np.float32),
                )
            )
        elif tree.kind[node] == NodeKind.DECISION:
            player = int(tree.player[node])
            strategy = blueprint.block(node).astype(np.float64)[HAND_CLASS]
            for action, child in enumerate(tree.children(node)):
                after = list(ranges)
                after[player] = ranges[player] * strategy[:, action]
                todo.append((child, text + betting_token(tree, child), (after[0], after[1])))
    return sorted(lines, key=lambda line: line.node)
