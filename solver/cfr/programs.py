"""Compiles a betting tree into the flat programs the kernels run: one per street and updating player.

All payoffs are relative to half the pot at the root, so without rake the game is zero-sum: the winner of a pot gets
``root_pot / 2`` plus the chips that the loser put in, less the rake.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.kernels._game_kernels import Program, Programs
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

_DECISION, _FOLD, _SHOWDOWN, _DEAL = (
    int(kind) for kind in (NodeKind.DECISION, NodeKind.FOLD, NodeKind.SHOWDOWN, NodeKind.DEAL)
)
_NO_INTS: Final = np.zeros(0, dtype=np.int32)
_NO_PROGRAM: Final = Program(
    forward=_NO_INTS,
    backward=_NO_INTS,
    exit_reach=_NO_INTS,
    exit_value=_NO_INTS,
    line_reach=_NO_INTS,
    line_value=_NO_INTS,
    factors=np.zeros(0, dtype=np.float32),
    num_showdown_tiles=0,
    num_roots=0,
    own_base=0,
    own_stride=0,
    opp_base=0,
    opp_stride=0,
    own_forward=_NO_INTS,
    own_exit_reach=_NO_INTS,
    first_weight=0,
)
"""The program of a street that the game does not have."""


@dataclass(frozen=True, slots=True)
class Rake:
    """The rake: the house takes ``min(rate * pot, cap)`` chips from every pot, also if it is won by a fold."""

    rate: float = 0.0
    """Share of the pot, 0 to 1."""
    cap: float = math.inf
    """Most chips that are taken; infinite without a cap."""

    def of(self, pot: float) -> float:
        """Returns the chips that the house takes from a final pot."""
        return min(self.rate * pot, self.cap)


@dataclass(frozen=True, slots=True)
class Forest:
    """The betting lines of one street, numbered as slots, and the rows of their decisions.

    A line has its values at its slot. A row is one action of a decision.
    """

    nodes: NDArray[np.int32]
    """(slots,): tree node of every line. The first ``num_roots`` lines enter from the previous street."""
    first_child: NDArray[np.int32]
    """(slots,): slot of the first child of a decision, -1 elsewhere."""
    row: NDArray[np.int32]
    """(slots,): first row of a decision among the rows of its player, -1 elsewhere."""
    exits: NDArray[np.int32]
    """(exits,): slots of the lines that go on to the next street."""
    num_roots: int
    """Number of lines that enter from the previous street; 1 on the first street."""
    num_rows: tuple[int, int]
    """Number of rows (actions of decisions) of each player."""


def plant_forests(tree: BettingTree, num_levels: int) -> list[Forest]:
    """Returns one forest per street of a betting tree, from the root's street to the river.

    :param num_levels: number of streets; the last one must be street 3 of the tree.
    """
    forests = []
    entering = [0]
    # Plain lists and integers: small spots are set up while a match clock runs.
    kind, street, players = tree.kind.tolist(), tree.street.tolist(), tree.player.tolist()
    first, count = tree.first_child.tolist(), tree.num_children.tolist()
    for level in range(num_levels):
        last = level == num_levels - 1
        nodes = list(entering)
        first_child: list[int] = []
        row: list[int] = []
        exits: list[int] = []
        num_rows = [0, 0]
        slot = 0
        while slot < len(nodes):
            node = nodes[slot]
            first_child.append(-1)
            row.append(-1)
            if kind[node] == _DECISION and street[node] == 4 - num_levels + level:
                player = players[node]
                first_child[slot] = len(nodes)
                row[slot] = num_rows[player]
                num_rows[player] += count[node]
                nodes.extend(range(first[node], first[node] + count[node]))
            elif not last and kind[node] in (_DEAL, _SHOWDOWN):
                exits.append(slot)
            slot += 1
        forests.append(
            Forest(
                np.array(nodes, dtype=np.int32),
                np.array(first_child, dtype=np.int32),
                np.array(row, dtype=np.int32),
                np.array(exits, dtype=np.int32),
                len(entering),
                (num_rows[0], num_rows[1]),
            )
        )
        # A pot that is all-in before the last street goes on without decisions.
        entering = [first[nodes[slot]] if kind[nodes[slot]] == _DEAL else nodes[slot] for slot in exits]
    return forests


def payoffs(root_pot: int, matched: int, rake: Rake) -> tuple[float, float, float]:
    """Returns a player's payoffs in chips if it wins, loses and ties, relative to half the root pot.

    :param matched: chips that each player put in and the other called. Chips beyond them go back to their owner.
    """
    half = root_pot / 2
    taken = rake.of(root_pot + 2 * matched)
    return half + matched - taken, -(half + matched), -taken / 2


def largest_payoff(tree: BettingTree) -> float:
    """Returns the most chips a player can win or lose relative to half the root pot."""
    return tree.root_pot / 2 + float(tree.committed.min(axis=1).max())


class TerminalLines(NamedTuple):
    """Slots of the showdowns and folds of a street as seen by one player."""

    showdowns: list[int]
    """The first of them are those that the player may also fold, in the order of ``own_folds``."""
    folds: list[int]
    """The folds that are not in ``own_folds``."""
    own_folds: list[int]
    """Folds of the player at decisions at which a call leads to a showdown."""

    @property
    def num_tiles(self) -> int:
        """Number of tiles of 16 lines if each of the three lists has tiles of its own."""
        return sum(-(-len(slots) // LANES) for slots in self)


def terminal_lines(tree: BettingTree, forest: Forest, player: int) -> TerminalLines:
    """Returns the showdowns and folds of a street in the order in which a player's tiles hold them."""
    kind, actor = tree.kind[forest.nodes].tolist(), tree.player[forest.nodes].tolist()
    count, first_child = tree.num_children[forest.nodes].tolist(), forest.first_child.tolist()
    exits = set(forest.exits.tolist())
    called: list[int] = []
    own_folds: list[int] = []
    for slot, first in enumerate(first_child):
        if first >= 0 and actor[slot] == player:
            ends = {kind[child]: child for child in range(first, first + count[slot]) if child not in exits}
            if _FOLD in ends and _SHOWDOWN in ends:
                called.append(ends[_SHOWDOWN])
                own_folds.append(ends[_FOLD])
    placed = exits.union(called, own_folds)
    rest = [slot for slot, first in enumerate(first_child) if first < 0 and slot not in placed]
    folds = [slot for slot in rest if kind[slot] == _FOLD]
    return TerminalLines(called + [slot for slot in rest if kind[slot] != _FOLD], folds, own_folds)


def passive_rows(tree: BettingTree, forest: Forest, player: int) -> NDArray[np.float32]:
    """Returns float32[rows]: a player's strategy of checking and calling on the boards of one level."""
    passive = np.isin(tree.action, (ActionKind.CHECK, ActionKind.CALL))
    rows = np.zeros(forest.num_rows[player], dtype=np.float32)
    for slot in np.flatnonzero(forest.row >= 0):
        node, first = int(forest.nodes[slot]), int(forest.row[slot])
        if tree.player[node] == player:
            rows[first : first + int(tree.num_children[node])] = passive[tree.children(node)]
    return rows


def own_decisions(tree: BettingTree, forest: Forest, player: int) -> list[int]:
    """Returns the slots of a player's decisions on a street, ascending."""
    found: list[int] = np.flatnonzero((forest.row >= 0) & (tree.player[forest.nodes] == player)).tolist()
    return found


def count_tiles(tree: BettingTree, forest: Forest, *, weighed: bool = False) -> int:
    """Returns the number of tiles of 16 lines that the showdowns and folds of a street need for either player.

    :param weighed: count the lines that weigh the opponent's hands at own decisions, too (:func:`compile_program`).
    """
    found = []
    for player in (0, 1):
        lines = terminal_lines(tree, forest, player)
        more = own_decisions(tree, forest, player) if weighed else []
        found.append(lines._replace(folds=lines.folds + more).num_tiles)
    return max(found)


def compile_programs(
    tree: BettingTree,
    forests: Sequence[Forest],
    bases: Sequence[tuple[int, int]],
    rake: Rake,
    scale: float,
    locked: Collection[int] = (),
    *,
    weighed: bool = False,
) -> tuple[Programs, Programs]:
    """Returns the programs of all streets, for each player as the one who is updated.

    :param bases: per street the first element in each player's regrets.
    :param scale: factor of all payoffs.
    :param locked: nodes at which some hands are locked.
    :param weighed: weigh the opponent's hands at own decisions (:func:`compile_program`).
    """
    found: list[list[Program]] = [[], []]
    for forest, starts in zip(forests, bases, strict=True):
        first, second = (
            compile_program(tree, forest, player, starts, rake, scale, locked, weighed=weighed) for player in (0, 1)
        )
        # The walk of a player's own decisions is the opponent's walk of the other player's.
        found[0].append(first._replace(own_forward=second.forward, own_exit_reach=second.exit_reach))
        found[1].append(second._replace(own_forward=first.forward, own_exit_reach=first.exit_reach))
    missing = [_NO_PROGRAM] * (3 - len(found[0]))
    (a, b, c), (d, e, f) = (programs + missing for programs in found)
    return (a, b, c), (d, e, f)


def compile_program(
    tree: BettingTree,
    forest: Forest,
    player: int,
    bases: tuple[int, int],
    rake: Rake,
    scale: float,
    locked: Collection[int] = (),
    *,
    weighed: bool = False,
) -> Program:
    """Returns the program of one street for one updating player.

    ``own_forward`` and ``own_exit_reach`` are left empty, because they come from the opponent's program.

    :param player: the player who is updated.
    :param bases: first element of the street in each player's regrets.
    :param scale: factor of all payoffs.
    :param locked: nodes at which some hands are locked.
    :param weighed: let every own decision have one line more, whose value for a hand is the weight of the opponent's
        hands that it can meet there. Trembles need it. The lines lie with the folds, and their values behind the slots.
    """
    opponent = 1 - player
    slots = len(forest.nodes)
    kind, actor = tree.kind[forest.nodes].tolist(), tree.player[forest.nodes].tolist()
    count = tree.num_children[forest.nodes].tolist()
    matched = tree.committed[forest.nodes].min(axis=1).tolist()
    reach_slot = list(range(forest.num_roots)) + [0] * (slots - forest.num_roots)
    num_reach = forest.num_roots
    forward: list[int] = []
    backward: list[list[int]] = []
    for slot, (first, row) in enumerate(zip(forest.first_child.tolist(), forest.row.tolist(), strict=True)):
        if first >= 0:
            actions, here = count[slot], reach_slot[slot]
            own = actor[slot] == player
            kind_of_decision = 0 if not own else 2 if int(forest.nodes[slot]) in locked else 1
            backward.append([kind_of_decision, slot * LANES, first * LANES, actions, row * LANES])
            if own:
                reach_slot[first : first + actions] = [here] * actions
            else:
                forward += [here * LANES, num_reach * LANES, actions, row * LANES]
                reach_slot[first : first + actions] = range(num_reach, num_reach + actions)
                num_reach += actions

    terminals = terminal_lines(tree, forest, player)
    # One more slot is for padding.
    weighing = {slots + 1 + k: slot for k, slot in enumerate(own_decisions(tree, forest, player) if weighed else [])}
    for line, slot in weighing.items():
        terminals.folds.append(line)
        reach_slot += [0] * (line + 1 - len(reach_slot))
        reach_slot[line] = reach_slot[slot]
    showdown_tiles = -(-len(terminals.showdowns) // LANES)
    reached_tiles = showdown_tiles - (-len(terminals.folds) // LANES)
    tiles = terminals.num_tiles
    # Padding lanes read the first reach slot, weigh it by zero and write to a slot behind the last.
    line_reach = np.zeros(tiles * LANES, dtype=np.int32)
    line_value = np.full(tiles * LANES, slots * LANES, dtype=np.int32)
    factors = np.zeros((tiles, LANES, 4), dtype=np.float32)
    for first_tile, lines in zip((0, showdown_tiles, reached_tiles), terminals, strict=True):
        start = first_tile * LANES
        line_reach[start : start + len(lines)] = [reach_slot[slot] * LANES for slot in lines]
        line_value[start : start + len(lines)] = [slot * LANES for slot in lines]
        by_line = factors.reshape(-1, 4)
        for line, slot in enumerate(lines, start):
            if slot in weighing:
                by_line[line, 2] = 1
                continue
            win, lose, tie = payoffs(tree.root_pot, matched[slot], rake)
            if kind[slot] == _FOLD:
                by_line[line, 2] = scale * (lose if actor[slot] == player else win)
            else:
                by_line[line] = scale * (win - tie), scale * (tie - lose), scale * lose, scale * tie
    return Program(
        forward=np.array(forward, dtype=np.int32),
        backward=np.array(backward[::-1], dtype=np.int32).reshape(-1),
        exit_reach=np.array([reach_slot[slot] * LANES for slot in forest.exits], dtype=np.int32),
        exit_value=forest.exits * np.int32(LANES),
        line_reach=line_reach[: reached_tiles * LANES],
        line_value=line_value,
        factors=factors.transpose(0, 2, 1).reshape(-1),
        num_showdown_tiles=showdown_tiles,
        num_roots=forest.num_roots,
        own_base=bases[player],
        own_stride=forest.num_rows[player] * LANES,
        opp_base=bases[opponent],
        opp_stride=forest.num_rows[opponent] * LANES,
        own_forward=_NO_INTS,
        own_exit_reach=_NO_INTS,
        first_weight=(slots + 1) * LANES if weighed else 0,
    )
