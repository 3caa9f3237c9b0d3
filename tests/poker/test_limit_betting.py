"""The betting trees of limit hold'em against published counts, the rules of a hand, and plain counting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.limit_betting import ACTIONS, NO_CHILD, limit_histories, limit_tree
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError, MatchStateError
from tests.poker.limit_histories import count_histories, count_paths

TWO = load_gamedef("holdem.limit.2p.reverse_blinds")
THREE = load_gamedef("holdem.limit.3p")


def test_two_players_have_6378_histories() -> None:
    tree = limit_tree(TWO)
    decisions = tree.num_decisions
    assert np.bincount(tree.street[:decisions]).tolist() == [8, 70, 630, 5670]
    actions = tree.num_actions[:decisions]
    assert [int(actions[tree.street[:decisions] == street].sum()) for street in range(4)] == [21, 182, 1638, 14742]
    ends = tree.active[decisions:]
    assert (np.count_nonzero(ends == 0b11), np.count_nonzero(ends != 0b11)) == (5103, 5103)


def test_a_lower_cap_leaves_2286_histories() -> None:
    assert limit_tree(replace(TWO, max_raises=(2, 3, 3, 3))).num_decisions == 2286
    assert count_histories(2, (2, 3, 3, 3)) == 2286


def test_histories_come_by_street_and_then_depth_first_with_calls_before_raises() -> None:
    tree = limit_tree(TWO)
    assert tree.histories[:10] == ("", "c", "cr", "crr", "crrr", "r", "rr", "rrr", "cc/", "cc/c")
    key = str.maketrans("cr", "01")
    assert list(tree.histories) == sorted(tree.histories, key=lambda text: (text.count("/"), text.translate(key)))
    assert limit_histories(TWO)["r"] == tree.index("r") == 5


def test_three_players_have_7168_merged_decisions_for_9711806_histories() -> None:
    tree = limit_tree(THREE, merged=True)
    decisions = tree.num_decisions
    assert np.bincount(tree.street[:decisions]).tolist() == [90, 934, 2018, 4126]
    assert int(tree.num_actions.sum()) == 17849
    starts = [text for text in tree.histories if text.endswith("/") or not text]
    assert np.bincount([text.count("/") for text in starts]).tolist() == [1, 29, 73, 155]
    assert sum(count_paths(tree)) == count_histories(3) == 9_711_806


def test_free_folds_and_the_published_slip_are_reproduced() -> None:
    assert count_histories(3, free_folds=True) == 10_611_306
    assert count_histories(3, free_folds=True, min_street_length=3) == 12_827_520
    assert count_histories(2) == count_histories(2, free_folds=True) == 6378


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_node_agrees_with_the_rules_of_the_hand(data: st.DataObject) -> None:
    gamedef, merged = data.draw(st.sampled_from([(TWO, False), (TWO, True), (THREE, True)]))
    tree = limit_tree(gamedef, merged=merged)
    state, node = HandState(gamedef), 0
    while not state.finished:
        assert tree.index(state.betting_string()) == node < tree.num_decisions
        assert tree.street[node] == state.round
        assert tree.player[node] == state.acting_position
        assert tree.to_call[node] == state.max_spent - state.spent[state.acting_position]
        legal = [number for number, action in enumerate(ACTIONS) if state.can(action)]
        assert np.flatnonzero(tree.child[node] != NO_CHILD).tolist() == legal
        action = data.draw(st.sampled_from(legal))
        state.perform(ACTIONS[action])
        node = int(tree.child[node, action])
        assert tree.pot[node] == sum(state.spent)
        assert [bool(tree.active[node] >> seat & 1) for seat in range(gamedef.num_players)] == [
            not folded for folded in state.folded
        ]
    assert node >= tree.num_decisions
    assert tree.player[node] == -1


@pytest.mark.parametrize("history", ["rrrrr", "f", "cc/f", "x", "cc/cc/cc/cc", "fc"])
def test_betting_that_is_no_decision_is_refused(history: str) -> None:
    with pytest.raises(MatchStateError):
        limit_tree(TWO).index(history)


def test_histories_are_the_bettings_of_acpc_logs() -> None:
    for history in limit_tree(TWO).histories[::97]:
        assert parse_betting(history, TWO).betting_string() == history


@pytest.mark.parametrize(
    "game", ["holdem.nolimit.2p.reverse_blinds", "custom.limit.4p.shortstacks", "holdem.nolimit.3p"]
)
def test_games_without_a_tree_are_refused(game: str) -> None:
    with pytest.raises(InputError):
        limit_tree(load_gamedef(game))
