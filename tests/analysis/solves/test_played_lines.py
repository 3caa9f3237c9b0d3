"""Payoffs and turns that the rules core gives the lines of a betting tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hedgehog.analysis.solves._simulation_kernels import NOBODY
from hedgehog.analysis.solves.played_lines import play_lines
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree, node_for_line, parse_line
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.small_games import holdem, same_sizes


def tree_of(street: int, *sizes: str, pot: int = 101, stack: int = 230, **options: float) -> BettingTree:
    return build_postflop_tree(TreeConfig(street=street, pot=pot, stack=stack, sizes=same_sizes(*sizes), **options))


@pytest.mark.parametrize("rake", [(0.0, 0.0), (0.05, 9.0)])
@pytest.mark.parametrize(
    "tree",
    [
        tree_of(3, "1c,33%,75%,a/2x,50%,a"),
        tree_of(2, "100%,a/a", "50%/50%,a", pot=100),
        tree_of(1, "100%/a", "", "50%,a", stack=9500, force_allin_threshold=0.3),
        tree_of(3, "1c/1c", pot=2, stack=49),
    ],
    ids=["river", "turn", "flop", "minimum bets"],
)
def test_payoffs_are_those_of_the_oracle(tree: BettingTree, rake: tuple[float, float]) -> None:
    lines = play_lines(tree, Rake(*rake))
    # One hand each that wins, loses and ties whatever comes, so that the board does not matter.
    boards = {1: "Qh Jh 2c", 2: "Qh Jh 2c 7c", 3: "Qh Jh 2c 7c 5s"}
    game = holdem(tree, boards[int(tree.street[0])], {"8s6s": 1}, {"8d6d": 1}, rake)
    reached = 0
    for node in range(tree.num_nodes):
        decides = tree.kind[node] == NodeKind.DECISION
        assert lines.actor[node] == (tree.player[node] if decides else NOBODY)
        if tree.kind[node] not in (NodeKind.FOLD, NodeKind.SHOWDOWN):
            continue
        reached += 1
        for outcome in range(3):
            game._signs[game.board] = np.array([[outcome - 1]])
            game._payoffs.clear()
            expected = [game.payoffs(node, game.board, player).item() for player in (0, 1)]
            assert lines.payoff[node, outcome] == pytest.approx(expected, abs=1e-9)
        assert lines.shown[node] == (tree.kind[node] == NodeKind.SHOWDOWN)
    assert reached > 3


def test_deals_are_passed_through() -> None:
    tree = tree_of(1, "a", "", "")
    lines = play_lines(tree)
    checked = [child for child in tree.children(1) if tree.kind[child] == NodeKind.DEAL]
    assert lines.after_deals[checked].tolist() == [node_for_line(tree, ["X", "X"])]
    called = lines.after_deals[node_for_line(tree, parse_line("A230 C"))]
    assert tree.kind[called] == NodeKind.SHOWDOWN
    assert lines.payoff[called].tolist() == [[-280.5, 280.5], [0, 0], [280.5, -280.5]]


def test_trees_that_break_the_rules_are_refused() -> None:
    tree = tree_of(3, "50c/150c")
    bet, shove = node_for_line(tree, ["B50"]), node_for_line(tree, ["B50", "R200"])
    assert play_lines(tree).actor[bet] == 1
    for node, amount in ((bet, 1000), (shove, 80)):
        changed = tree.amount.copy()
        changed[node] = amount
        with pytest.raises(SpotError, match="breaks the rules"):
            play_lines(replace(tree, amount=changed))
    players = tree.player.copy()
    players[bet] = 0
    with pytest.raises(SpotError, match="player 1 acts"):
        play_lines(replace(tree, player=players))
    kind = tree.kind.copy()
    kind[node_for_line(tree, ["X", "X"])] = NodeKind.FOLD
    with pytest.raises(SpotError, match="the hand is over"):
        play_lines(replace(tree, kind=kind))


def test_pot_that_no_player_called_pays_no_rake() -> None:
    tree = tree_of(3, "a", pot=100, stack=1000)
    folded = node_for_line(tree, parse_line("A1000 F"))
    # 10 % of the pot of 100; the bet of 1000 goes back.
    assert play_lines(tree, Rake(0.1, 1e9)).payoff[folded, 0].tolist() == [40, -50]
    assert play_lines(tree, Rake(0.1, 3)).payoff[folded, 0].tolist() == [47, -50]
