"""Frequencies at the decisions of a spot: single hands by hand, random hands against a walk in plain Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.line_model import LineModel, format_model_file
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.tree import (
    StreetSizes,
    TreeConfig,
    build_postflop_tree,
    format_action,
    format_line,
    line_of,
    node_for_line,
)
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from tests.analysis.study.hand_fixtures import GAME, batch_of, random_line


def tree_from(street: int, *sizes: str, pot: int = 400, stack: int = 19_800) -> BettingTree:
    same = tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in sizes)
    return build_postflop_tree(TreeConfig(street=street, pot=pot, stack=stack, sizes=same))


def counts(model: LineModel) -> dict[str, dict[str, int]]:
    return {line.line: {token: n for token, n in line.counts.items() if n} for line in model.lines(1)}


HANDS = (
    "STATE:0:r200c/cr300f:AhAd|KhKd/2c3d4h:-200|200:Alice|Bob",
    "STATE:1:r200c/cr400c/cc/cr800f:AhAd|KhKd/2c3d4h/5h/6h:-400|400:Bob|Alice",
    "STATE:2:r200c/r300r1200c/cc/cc:AhAd|KhKd/2c3d4h/5h/6h:1200|-1200:Alice|Bob",
    "STATE:3:cc/cr20000c//:AhAd|KhKd/2c3d4h/5h/6h:20000|-20000:Alice|Bob",
)


def hand_batch(tmp_path: Path) -> HandBatch:
    return batch_of(tmp_path, *HANDS)[0]


def test_single_hands(tmp_path: Path) -> None:
    batch = hand_batch(tmp_path)
    everybody = np.ones(batch.num_actions, np.bool_)
    tree = tree_from(1, "50%,100%,a/100%,a", "50%,100%", "50%,100%")
    model = LineModel(tree, 1)
    model.add(batch, everybody)
    assert model.hands == 4
    found = counts(model)
    # Bets of a quarter of the pot, half the pot and all-in after a check; one raise of the bet of a quarter.
    assert found["X"] == {"B200": 2, "A19800": 1}
    assert found["B200"] == {"R1000": 1}
    assert found["X B200 C X"] == {"X": 1}
    other = LineModel(tree, 0, "rc/")
    other.add(batch, everybody)
    assert other.hands == 3
    assert counts(other)[""] == {"X": 2, "B200": 1}
    assert counts(other)["X B200"] == {"F": 1, "C": 1}
    nobody = LineModel(tree, 0, "rr")
    nobody.add(batch, everybody)
    assert (nobody.hands, counts(nobody)) == (0, {})
    silent = LineModel(tree, 0)
    silent.add(batch, ~everybody)
    assert (silent.hands, counts(silent)) == (4, {})
    rivers = LineModel(tree_from(3, "100%"), 1)
    rivers.add(batch, everybody)
    assert rivers.hands == 2
    assert rivers.stopped == 0
    assert counts(rivers)["X"] == {"X": 1, "B400": 1}
    with pytest.raises(InputError, match="f, c, r and /"):
        LineModel(tree, 0, "rx")


def test_random_hands_against_a_plain_walk(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    lines = [random_line(rng, number) for number in range(300)]
    batch, _ = batch_of(tmp_path, *lines)
    tree = tree_from(1, "30%,75%,a/60%,a", "50%/100%", "100%,a/a")
    for player in (0, 1):
        model = LineModel(tree, player)
        model.add(batch, np.ones(batch.num_actions, np.bool_))
        expected, stopped, hands = plain(lines, tree, player)
        assert model.hands == hands
        assert model.stopped == stopped
        assert {line.line: line.counts for line in model.lines(1)} == {
            line: {token: found[token] for token in tokens_of(tree, line)} for line, found in expected.items()
        }
        assert all(line.hands >= 7 for line in model.lines(7))


def tokens_of(tree: BettingTree, line: str) -> list[str]:
    return [format_action(tree, child) for child in tree.children(node_for_line(tree, line.split()))]


def plain(lines: list[str], tree: BettingTree, player: int) -> tuple[dict[str, Counter[str]], int, int]:
    """Counts by replaying every hand with the rules."""
    found: dict[str, Counter[str]] = {}
    stopped = hands = 0
    for line in lines:
        state = parse_log_line(line, GAME).state
        replay = HandState(GAME)
        node, came = 0, False
        for street, actions in enumerate(state.actions):
            for _, action in actions:
                if street >= 1:
                    came = True
                    if node < 0 or tree.kind[node] != NodeKind.DECISION or tree.street[node] != street:
                        stopped += node >= 0
                        node = -1
                        replay.perform(action)
                        continue
                    child = match(tree, node, replay, action)
                    if child < 0:
                        stopped += 1
                    elif tree.player[node] == player:
                        found.setdefault(format_line(line_of(tree, node)), Counter())[format_action(tree, child)] += 1
                    if child >= 0 and tree.kind[child] == NodeKind.DEAL:
                        child = int(tree.first_child[child])
                    node = child
                replay.perform(action)
        hands += came
    return found, stopped, hands


def match(tree: BettingTree, node: int, state: HandState, action: Action) -> int:
    children = list(tree.children(node))
    if action.kind != "r":
        kinds = (ActionKind.FOLD,) if action.kind == "f" else (ActionKind.CHECK, ActionKind.CALL)
        return next((child for child in children if tree.action[child] in kinds), -1)
    raises = [c for c in children if tree.action[c] in (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)]
    if not raises:
        return -1
    if action.size == GAME.stacks[0] and tree.action[raises[-1]] == ActionKind.ALL_IN:
        return raises[-1]
    own = int(tree.player[node])
    other = int(tree.committed[node, 1 - own])
    pot = tree.root_pot + 2 * other
    real = (action.size - state.max_spent) / (2 * state.max_spent)
    return min(raises, key=lambda child: abs((int(tree.committed[child, own]) - other) / pot - real))


def test_the_file_of_a_model(tmp_path: Path) -> None:
    batch = hand_batch(tmp_path)
    model = LineModel(tree_from(3, "100%"), 1)
    model.add(batch, np.ones(batch.num_actions, np.bool_))
    assert format_model_file("ip", list(model.lines(1)), ["two hands"]) == (
        '# two hands\nplayer: ip\nlocks:\n  - {line: "X", strategy: {X: 0.500000, B400: 0.500000}}  # 2 hands\n'
    )
