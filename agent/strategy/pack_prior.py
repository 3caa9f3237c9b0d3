"""The strategies of the blueprint on the betting tree of a live solve, as a start for the solver."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.line_shadows import Line
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.shadow import Choice, Choices, Situation, translate_action
from hedgehog.poker.state import CALL, Action
from hedgehog.runtime.errors import MatchStateError
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.warm_start import Prior, dealt_boards
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

OVERBET: Final = 1.5
"""A bet above this share of the pot is an overbet: it is larger than all sizes in the menus of live solves.

Where a tree has nothing but overbets, a bet of the blueprint counts as a check or a call. The opponent of the start
would otherwise make the overbet with all hands that bet, and the answer that is learnt from it calls far too much."""
_TOKENS = "fcc"  # fold, check, call, by ActionKind


def betting_lines(tree: BettingTree, start: str, street_start: int) -> dict[int, str]:
    """Returns the ACPC betting that leads to each decision of a tree.

    :param tree: betting lines from the turn or the river on.
    :param start: ACPC betting that leads to the root.
    :param street_start: chips each player had put in at the root.
    """
    found = {}
    todo = [(0, start)]
    # Plain lists and integers: this runs while a match clock runs.
    kinds, players, actions = tree.kind.tolist(), tree.player.tolist(), tree.action.tolist()
    first, count, committed = tree.first_child.tolist(), tree.num_children.tolist(), tree.committed.tolist()
    decision, deal = int(NodeKind.DECISION), int(NodeKind.DEAL)
    while todo:
        node, betting = todo.pop()
        if kinds[node] == decision:
            found[node] = betting
            for child in range(first[node], first[node] + count[node]):
                action, total = actions[child], committed[child][players[node]] + street_start
                todo.append((child, betting + (_TOKENS[action] if action < len(_TOKENS) else f"r{total}")))
        elif kinds[node] == deal:
            todo.append((first[node], betting + "/"))
    return found


def pack_prior(packs: PackStrategy, spot: PreparedSpot, start: str, street_start: int) -> Prior:
    """Returns the blueprint's strategies at the decisions of a spot on the turn or the river.

    An action of the blueprint stands for the actions of the spot's tree to which its size is translated.

    :param packs: the packs of the player.
    :param spot: the spot that is to be solved.
    :param start: ACPC betting that leads to the root of the spot.
    :param street_start: chips each player had put in at the root.
    """
    source = packs.blueprint
    choices = Choices(spot.tree)
    rows = {}
    for node, betting in betting_lines(spot.tree, start, street_start).items():
        try:
            line = source.lines.line(betting)
        except MatchStateError:  # the tree of the solver rounds some sizes to chips that the rules do not allow
            continue
        if line.shadows:
            rows[node] = _rows(packs, line, choices, node)
    return Prior(rows, tuple(source.buckets_of_boards(of_street) for of_street in dealt_boards(spot)))


def _rows(packs: PackStrategy, line: Line, choices: Choices, node: int) -> NDArray[np.float32]:
    """Returns float32 (buckets, actions): the blueprint's strategy at a line on the actions of ``node``."""
    num_children = int(choices.tree.num_children[node])
    targets = np.zeros((len(line.actions), num_children))
    for number, action in enumerate(line.actions):
        for child, share in _translate(choices[node], action, line.situation):
            targets[number, child] += share
    if line.folding is not None:
        fold, call, kept = line.folding
        targets[fold] = kept * targets[fold] + (1 - kept) * targets[call]
    mixed: NDArray[np.float64] | float = 0.0
    for (shadow, weight), places in zip(line.shadows, line.targets, strict=True):
        mixed = mixed + weight * packs.blueprint.table.block(shadow) @ targets[list(places)]
    total = np.sum(mixed, axis=1, keepdims=True)
    return np.where(total > 0, mixed / np.where(total > 0, total, 1), 1 / num_children).astype(np.float32)


def _translate(choice: Choice, action: Action, situation: Situation) -> list[tuple[int, float]]:
    """Returns what :func:`translate_action` does, but no overbet where there is nothing else."""
    if action.kind == "r" and choice.sized and choice.fractions[choice.sized[0]] > OVERBET:
        return translate_action(choice, CALL, situation)
    return translate_action(choice, action, situation)
