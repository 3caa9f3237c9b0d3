"""A turn whose rivers are solved again one by one, as a strategy of the whole game for one player."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.solver.postflop.warm_start import Prior
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.slow_cfr import Array, Board, SlowGame, Strategy

FLOOR = 0.02
"""Share of the chooser's average reach that every hand has at least; a hand without weight would keep no promise."""


def deals(trunk: PostflopSolution) -> list[int]:
    """Returns the nodes of a turn tree at which a river with decisions is dealt."""
    tree = trunk.tree
    found = np.flatnonzero(tree.kind == NodeKind.DEAL).tolist()
    return [node for node in found if tree.kind[tree.first_child[node]] == NodeKind.DECISION]


def below(tree: BettingTree, root: int, river: BettingTree) -> dict[int, int]:
    """Returns the node of a river tree by the node of the whole tree below ``root``, which has the same lines."""
    found = {}
    todo = [(root, 0)]
    while todo:
        theirs, mine = todo.pop()
        found[theirs] = mine
        if tree.kind[theirs] == NodeKind.DECISION:
            todo += zip(tree.children(theirs), river.children(mine), strict=True)
    return found


def river_strategies(
    trunk: PostflopSolution,
    believed: PostflopSolution,
    sizes: StreetSizes,
    chooser: int,
    iterations: int,
    best_response: bool | None,
) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Solves every river of a turn again and yields the solving player's strategies: node, card, [actions, 1326].

    :param trunk: the known strategies of turn and river.
    :param believed: the strategies of the turn from which the chooser's ranges on the river are inferred.
    :param sizes: bet sizes of the river.
    :param chooser: the player who is not solved for.
    :param best_response: the kind of alternative payoffs of :meth:`PostflopSolver.offer_payoffs`; None: unsafe solves.
    """
    tree = trunk.tree
    for deal in deals(trunk):
        root, put = int(tree.first_child[deal]), int(tree.committed[deal].max())
        config = TreeConfig(street=3, pot=int(tree.pot(deal)), stack=tree.stack - put, sizes=(sizes,))
        river = build_postflop_tree(config)
        nodes = below(tree, root, river)
        known = (trunk, believed) if chooser == 1 else (believed, trunk)
        ranges = [known[player].node_reach(player, deal).astype(np.float64) for player in (0, 1)]
        ranges[chooser] += FLOOR * trunk.spot.ranges[chooser] * ranges[chooser].sum() / trunk.spot.ranges[chooser].sum()
        for card in range(52):
            board = (*trunk.spot.board, card)
            live = [np.asarray(weights * combo_mask(board), dtype=np.float32) for weights in ranges]
            if card in trunk.spot.board or min(weights.max() for weights in live) <= 0:
                continue
            solver = PostflopSolver(prepare_tree(river, board, live), threads=1, algorithm="gamma5")
            decisions = {theirs: mine for theirs, mine in nodes.items() if river.kind[mine] == NodeKind.DECISION}
            if best_response is not None:
                rows = {mine: trunk.node_strategy(theirs, (card,)).T for theirs, mine in decisions.items()}
                buckets = np.arange(NUM_COMBOS)[None]
                solver.offer_payoffs(chooser, Prior(rows, (buckets,)), best_response=best_response)
            solver.run(iterations)
            for theirs, mine in decisions.items():
                if tree.player[theirs] != chooser:
                    yield theirs, card, solver.node_strategy(mine)


def as_strategy(
    game: SlowGame, trunk: PostflopSolution, rivers: Iterator[tuple[int, int, NDArray[np.float32]]]
) -> Strategy:
    """Returns the known strategies of the turn with the given ones of the river, as the slow solver takes them."""
    combos = [[combo_index(*sorted(hole)) for hole in holes] for holes in game.holes]
    found = {(node, card): rows for node, card, rows in rivers}

    def strategy(node: int, board: Board) -> Array:
        dealt = board[len(trunk.spot.board) :]
        rows = found.get((node, dealt[0])) if dealt else None
        if rows is None:
            rows = trunk.node_strategy(node, dealt)
        return np.asarray(rows[:, combos[int(trunk.tree.player[node])]], dtype=np.float64)

    return strategy
