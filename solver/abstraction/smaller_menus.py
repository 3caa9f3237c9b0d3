"""Plays the strategies of a smaller betting tree in a larger one, to see what its bet sizes cost there.

Both trees begin at the same decision. On lines that both have, the strategies are copied. A bet that the smaller tree
lacks is answered as the size of it that stands for the bet by the pseudo-harmonic mapping
(:mod:`hedgehog.strategies.translation`), the likelier of two; the sizes of the answer are those of the larger tree that
stand for the sizes of the smaller one. Where the betting of the smaller tree has ended, players check and call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import Layout
from hedgehog.solver.cfr.programs import passive_rows
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from hedgehog.strategies.translation import translate_size

ALGORITHM: Final = "cgh"
"""Algorithm of the solver that judges: it stores one number for each hand and action."""
_AGGRESSIVE: Final = (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)


class TranslatedTree:
    """Which decision of the smaller tree stands for each decision of the larger one, and with which actions.

    :param large: the betting tree of the real game.
    :param small: the betting tree that was solved.
    """

    def __init__(self, large: BettingTree, small: BettingTree) -> None:
        self.large = large
        self.small = small
        self.node_of: NDArray[np.int32] = np.full(large.num_nodes, -1, dtype=np.int32)
        """Per node of the larger tree the node of the smaller one that stands for it, -1 if there is none."""
        self.action_of: dict[int, list[int]] = {}
        """Per decision of the larger tree that has a stand-in: for each action of the stand-in, the number of the
        action that is taken in its place."""
        self.node_of[0] = 0
        for node in range(large.num_nodes):
            if self.node_of[node] >= 0:
                self._match_children(node, int(self.node_of[node]))

    def _match_children(self, node: int, stand_in: int) -> None:
        large, small = self.large, self.small
        if large.kind[node] != small.kind[stand_in]:
            self.node_of[node] = -1
            return
        if large.kind[node] == NodeKind.DEAL:
            self.node_of[large.first_child[node]] = small.first_child[stand_in]
        if large.kind[node] != NodeKind.DECISION:
            return
        ours, theirs = large.children(node), small.children(stand_in)
        taken = [self._closest(small, child, large, ours) for child in theirs]
        self.action_of[node] = [ours.index(child) for child in taken]
        for child in ours:
            back = [other for other, chosen in zip(theirs, taken, strict=True) if chosen == child]
            # Of several actions of the smaller tree that become one, the nearest is the one that was meant.
            found = self._nearest(large, child, small, back or theirs)
            self.node_of[child] = -1 if found is None else found

    def _closest(self, tree: BettingTree, child: int, other: BettingTree, children: Sequence[int]) -> int:
        """Returns the action of another tree that is taken for an action; a call or check for a bet without one."""
        found = self._nearest(tree, child, other, children)
        if found is None:
            found = next(c for c in children if other.action[c] in (ActionKind.CHECK, ActionKind.CALL))
        return found

    @staticmethod
    def _nearest(tree: BettingTree, child: int, other: BettingTree, children: Sequence[int]) -> int | None:
        """Returns the child that stands for the child of another tree, None for a bet where there is no bet."""
        action = tree.action[child]
        if action not in _AGGRESSIVE:
            return next((c for c in children if other.action[c] == action), None)
        bets = [c for c in children if other.action[c] in _AGGRESSIVE]
        if not bets:
            return None
        if action == ActionKind.ALL_IN and other.action[bets[-1]] == ActionKind.ALL_IN:
            return bets[-1]
        chosen = translate_size([_fraction(other, bet) for bet in bets], _fraction(tree, child))
        return bets[max(chosen, key=lambda one: one[1])[0]]


def same_tree(first: BettingTree, second: BettingTree) -> bool:
    """Returns whether two betting trees offer the same actions everywhere."""
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in ("parent", "action", "amount"))


def _fraction(tree: BettingTree, child: int) -> float:
    """Returns the size of a bet or raise as a fraction of the pot after a call of the bet before it."""
    node = int(tree.parent[child])
    player = int(tree.player[node])
    theirs = int(tree.committed[node, 1 - player])
    return float((int(tree.committed[child, player]) - theirs) / (tree.root_pot + 2 * theirs))


class MenuJudge:
    """Judges strategies of a smaller betting tree in the real game.

    :param real: the real game.
    :param small: the same cards with the smaller betting tree.
    :raises SpotError: if the two do not keep the same hands and boards.
    """

    def __init__(self, real: PreparedSpot, small: PreparedSpot) -> None:
        if real.board != small.board or not np.array_equal(real.cards.hand_of, small.cards.hand_of):
            raise SpotError("two betting trees are compared on the same cards")
        self.real = real
        self.small = small
        self.translated = TranslatedTree(real.tree, small.tree)

    def exploitability(self, solver: PostflopSolver, judge: PostflopSolver) -> float:
        """Returns the exploitability in the real game of a solver's strategies, in chips.

        :param solver: solver of the smaller game in f32.
        :param judge: solver of the real game with the algorithm :data:`ALGORITHM`; its strategies are replaced.
        """
        found = solver.state()
        averages = []
        for player, name in enumerate(("average_oop", "average_ip")):
            stored = np.zeros(self.real.layout.sizes[player], dtype=np.float32)
            for level in range(len(self.real.game.levels)):
                rows = self._rows(self.real, stored, level, player)
                self._write(rows, self._rows(self.small, found[name], level, player), level, player)
            averages.append(stored)
        judge.replace_averages(averages[0], averages[1])
        return judge.exploitability().exploitability

    @staticmethod
    def _rows(spot: PreparedSpot, stored: NDArray[np.float32], level: int, player: int) -> NDArray[np.float32]:
        """Returns a view of a player's numbers on a level, shape (boards times blocks of hands, rows, 16)."""
        layout, game = spot.layout, spot.game
        blocks = game.num_boards(level) * game.num_blocks(player)
        rows = layout.forests[level].num_rows[player]
        start = layout.bases[level][player]
        return stored[start : start + blocks * rows * LANES].reshape(blocks, rows, LANES)

    def _write(self, real: NDArray[np.float32], small: NDArray[np.float32], level: int, player: int) -> None:
        passive = passive_rows(self.real.tree, self.real.layout.forests[level], player)
        for first, count, stand_in, actions in self._decisions(level, player):
            if stand_in < 0:
                real[:, first : first + count] = passive[first : first + count, None]
                continue
            for number, action in enumerate(actions):
                real[:, first + action] += small[:, stand_in + number]

    def _decisions(self, level: int, player: int) -> Iterator[tuple[int, int, int, list[int]]]:
        """Yields per decision of a player its first row, its number of actions, the first row of its stand-in (-1 if
        it has none), and the action for each action of the stand-in.
        """
        large, translated = self.real.tree, self.translated
        rows_of_small = _rows_of_nodes(self.small.tree, self.small.layout, level)
        forest = self.real.layout.forests[level]
        for node, row in zip(forest.nodes.tolist(), forest.row.tolist(), strict=True):
            if row >= 0 and large.player[node] == player:
                actions = translated.action_of.get(node)
                stand_in = -1 if actions is None else rows_of_small[int(translated.node_of[node])]
                yield row, int(large.num_children[node]), stand_in, actions or []


def _rows_of_nodes(tree: BettingTree, layout: Layout, level: int) -> dict[int, int]:
    """Returns node -> first row of its decision in the forest of a level."""
    forest = layout.forests[level]
    return {node: row for node, row in zip(forest.nodes.tolist(), forest.row.tolist(), strict=True) if row >= 0}
