"""EVs of real decisions before the flop: sizes of the tree have the table's, others lie between their neighbours'."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import hypot, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.agent.strategy.preflop_evs import PreflopEvs, preflop_evs
from hedgehog.agent.strategy.shadow import situation_of
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.preflop_values import PreflopValues, preflop_values_beside

FOLDER = default_packs() / "blueprint-20bb"
GAME = load_gamedef(chosen_game("20bb", None))


def combo(text: str) -> int:
    return combo_index(*parse_cards(text))


@cache
def values() -> PreflopValues:
    found = preflop_values_beside(FOLDER, read_blueprint(open_pack(FOLDER)))
    assert found is not None
    return found


@cache
def table(game: GameDef = GAME) -> PreflopEvs:
    found = preflop_evs([default_packs()], game)
    assert found is not None
    return found


@pytest.mark.parametrize("hand", ["AhAs", "Td9d", "7d2c"])
def test_sizes_of_the_tree_have_the_values_of_the_table(hand: str) -> None:
    found, root = table().at("", combo(hand)), values().nodes[0]
    place = int(HAND_CLASS[combo(hand)])
    assert found.position == 1
    assert [each.ev for each in found.actions] == pytest.approx(root.ev[place].tolist())
    assert [each.error for each in found.actions] == pytest.approx(root.error_to_best[place].tolist())
    assert [each.frequency for each in found.actions] == pytest.approx(root.strategy[place].tolist())
    assert (found.best, found.mixed, found.share) == pytest.approx(
        (float(root.best[place]), float(root.mixed[place]), 1.0)
    )
    assert all(each.exact for each in found.actions)
    assert found.of(FOLD).ev == pytest.approx(0, abs=1e-3)
    mixed = sum(each.frequency * (each.ev - found.mixed) for each in found.actions)
    assert mixed == pytest.approx(0, abs=1e-3)


def test_a_size_between_two_lies_between_their_values_and_says_so() -> None:
    hand = combo("Td9d")
    offered = [each for each in table().at("", hand).actions if each.action.kind == "r"]
    low, high = offered[0], offered[1]
    size = (low.action.size + high.action.size) // 2
    found = table().at("", hand, Action("r", size)).taken
    assert found is not None
    assert not found.exact
    assert min(low.ev, high.ev) < found.ev < max(low.ev, high.ev)
    assert found.error >= abs(low.ev - high.ev) / 2
    assert found.error <= hypot(max(low.error, high.error), abs(low.ev - high.ev) / 2) + 1e-9
    assert found.frequency == pytest.approx(low.frequency + high.frequency)


def test_a_raise_below_the_menu_is_as_unsure_as_the_way_to_a_call() -> None:
    game = load_gamedef()  # 200 big blinds; the least open of the blueprint is 2.5 big blinds
    found = table(game).at("", combo("9c9d"), Action("r", 200))
    assert found.taken is not None
    smallest = found.of(Action("r", 250))
    assert found.taken.ev == smallest.ev
    assert found.taken.error >= abs(smallest.ev - found.of(CALL).ev) / 2


def test_chips_do_not_matter_only_big_blinds() -> None:
    game = replace(GAME, blinds=(20, 10), stacks=(400, 400))
    hand = combo("AsKd")
    for small, large in (("", ""), ("c", "c"), ("r40", "r200")):
        mine, theirs = table().for_game(game).at(small, hand), table().at(large, hand)
        assert mine.best == theirs.best
        assert [each.ev for each in mine.actions] == [each.ev for each in theirs.actions]


@given(st.data())
def test_every_line_before_the_flop_has_a_finite_answer(data: st.DataObject) -> None:
    state = HandState(GAME)
    hand = data.draw(st.integers(0, 1325))
    while not state.finished and state.round == 0:
        limits = state.raise_range()
        legal = [CALL] + [FOLD] * state.can_fold()
        if limits is not None:
            legal.append(Action("r", data.draw(st.integers(*limits))))
        action = data.draw(st.sampled_from(legal))
        found = table().at(state.betting_string(), hand, action)
        assert found.position == state.acting_position
        assert found.taken is not None
        assert 0 <= found.share <= 1 + 1e-9
        evs = [each.ev for each in found.actions]
        if isnan(found.best):
            assert all(map(isnan, evs))
        else:
            assert found.best <= max(evs) + 1e-6
            assert found.taken.error >= 0
            assert abs(found.taken.ev) <= 2 * situation_of(state).stack / GAME.big_blind
        state.perform(action)


def test_the_decision_must_be_before_the_flop() -> None:
    for betting in ("cc/", "f"):
        with pytest.raises(InputError, match="before the flop"):
            table().at(betting, 0)
    with pytest.raises(InputError, match="no action r201, offered: f c r"):
        table().at("", 0).of(Action("r", 201))


def test_decisions_that_nobody_reaches_have_no_value() -> None:
    nodes = {
        node: replace(found, share=0 * found.share, ev=np.nan * found.ev) for node, found in values().nodes.items()
    }
    found = PreflopEvs(replace(values(), nodes=nodes), GAME).at("", 0, CALL)
    assert found.share == 0
    assert found.taken is not None
    assert isnan(found.best)
    assert isnan(found.taken.ev)
    assert all(isnan(each.ev) for each in found.actions)
