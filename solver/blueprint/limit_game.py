"""Limit games as the blueprint trainers take them: a menu of fixed sizes for two players, merged betting for three."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.limit_betting import LimitTree, verify_limit_game
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.bet_menus import BlueprintMenu
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

STACK_BB: Final = 1000
"""Stack of the no-limit tree that stands for a limit game, in big blinds: more than any hand can cost."""


_LIMIT_ACTION: Final = {
    ActionKind.FOLD: 0,
    ActionKind.CHECK: 1,
    ActionKind.CALL: 1,
    ActionKind.BET: 2,
    ActionKind.RAISE: 2,
}
"""Column of ``LimitTree.child`` of each action."""


def limit_menu(gamedef: GameDef) -> BlueprintMenu:
    """Returns the menu of a two-player limit game: one size for every bet and raise, and no all-in.

    :raises InputError: if the game is none that :func:`verify_limit_game` accepts, or is for three players.
    """
    verify_limit_game(gamedef)
    if gamedef.num_players != 2:
        raise InputError("expected a two-player game")
    preflop, flop, turn, river = ((f"{size}c",) for size in gamedef.raise_sizes)  # on top of the bet faced
    return BlueprintMenu(
        opens=preflop,
        isolations=preflop,
        reraises=(preflop,),
        bets=(flop, turn, river),
        raises=((flop,), (turn,), (river,)),
        caps=(gamedef.max_raises[0], gamedef.max_raises[1], gamedef.max_raises[2], gamedef.max_raises[3]),
        max_raises=sum(gamedef.max_raises),
        all_in_share=1.0,
        all_in=False,
    )


def limit_stack(gamedef: GameDef) -> int:
    """Returns the stack in chips of the no-limit tree that stands for a two-player limit game."""
    return STACK_BB * gamedef.big_blind


def decision_nodes(limit: LimitTree, tree: BettingTree) -> NDArray[np.int64]:
    """Returns int64 (D,): for each decision of a two-player limit game the node of the tree of :func:`limit_menu`."""
    nodes = np.full(limit.num_decisions, -1, dtype=np.int64)
    place = np.zeros(tree.num_nodes, dtype=np.int64)  # the number of each node in the limit game
    for node in range(1, tree.num_nodes):  # parents come first
        before, kind = place[tree.parent[node]], ActionKind(tree.action[node])
        place[node] = before if kind == ActionKind.DEAL else limit.child[before, _LIMIT_ACTION[kind]]
    decisions = np.flatnonzero(tree.kind == NodeKind.DECISION)
    nodes[place[decisions]] = decisions
    return nodes
