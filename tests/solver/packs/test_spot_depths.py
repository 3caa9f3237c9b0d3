"""Spots of any stacks and blinds: ranges of the nearest depth, true pot and stacks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.runtime.errors import PackError, SpotError
from hedgehog.solver.packs.blueprint import normalised_ranges
from hedgehog.solver.packs.blueprint_spot import BlueprintSpot, blueprint_spot, likely_lines, spot_text
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from tests.solver.depth_packs import write_depths

GAME = load_gamedef()
BOARD = "Qh Jh 2c"
CARDS = parse_cards(BOARD)


@cache
def table() -> BlueprintTable:
    return read_blueprint(open_pack(default_packs() / "blueprint"))


def spot_after(state: HandState) -> BlueprintSpot:
    def no_tables() -> None:
        raise AssertionError("a flop needs no card tables")

    return blueprint_spot(table(), state, CARDS, no_tables)  # type: ignore[arg-type]


def comment_and_spot(text: str) -> tuple[str, PostflopSpot]:
    return text.splitlines()[2], parse_spot(text)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 400), st.sampled_from(["cc", "cr375c", "r250c", "r250r850c", "r250r850r2125c"]))
def test_other_chips_change_the_chips_alone(unit: int, line: str) -> None:
    scaled = replace(GAME, blinds=tuple(unit * b for b in GAME.blinds), stacks=tuple(unit * s for s in GAME.stacks))
    own, other = HandState(GAME), HandState(scaled)
    for state, by in ((own, 1), (other, unit)):
        for kind, size in re.findall("([cr])([0-9]*)", line):
            state.apply(Action(kind, int(size or 0) * by))
    ours, theirs = spot_after(own), spot_after(other)
    assert (theirs.pot, theirs.stack) == (unit * ours.pot, unit * ours.stack)
    np.testing.assert_array_equal(ours.ranges, theirs.ranges)
    assert ours.probability == theirs.probability


@cache
def player() -> PackPlayer:
    found = PackPlayer([default_packs() / "blueprint"], think_ms=0)
    found.warm_up()
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([(50, 100), (25, 50), (10, 30), (60, 100), (1000, 3000), (280, 300)]),
    st.integers(12, 600),
    st.integers(0, 4),
    st.data(),
)
def test_the_ranges_are_those_of_the_player(
    blinds: tuple[int, int], depth: int, more: int, data: st.DataObject
) -> None:
    """The player at the table finds its way through the tree by other code, and weighs every action by Bayes' rule."""
    small, big = blinds
    stacks = (depth * big, (depth + more) * big)
    gamedef = replace(GAME, blinds=(big, small), stacks=stacks)
    player().new_match(gamedef, 0)
    packs = player().packs_alone
    assert packs is not None
    state, ranges = HandState(gamedef), np.ones((2, NUM_COMBOS))
    while state.round == 0 and not state.finished:
        betting = state.betting_string()
        offered = packs.options(betting, ())[1].actions
        action = data.draw(st.sampled_from([each for each in offered if each.kind != "f"]))
        chances = packs.likelihood(betting, (), action)
        assert chances is not None
        ranges[state.acting_position] *= chances
        state.apply(action)
    expected = normalised_ranges(ranges.astype(np.float32))
    if state.finished:
        with pytest.raises((SpotError, PackError), match=r"nothing left to decide|never takes"):
            spot_after(state)
        return
    if not (expected[:, combo_mask(CARDS)] > 0).any(axis=1).all():
        with pytest.raises(PackError, match="never takes"):
            spot_after(state)
        return
    spot = spot_after(state)
    # Where sizes are rounded to chips, the player at the table hears a little of the size beside at every raise.
    np.testing.assert_allclose(spot.ranges, expected, atol=1e-5 if big % 100 == 0 else 0.06)
    assert spot.pot == sum(state.spent)
    assert spot.stack == min(stacks) - state.max_spent


def test_nobody_folds_for_nothing() -> None:
    """With equal blinds the button checks with the hands that fold for half a blind in the strategy's own game."""
    gamedef = replace(GAME, blinds=(100, 100))
    player().new_match(gamedef, 0)
    packs = player().packs_alone
    assert packs is not None
    state = HandState(gamedef)
    checks = packs.options("", ())[1].row(CALL)
    assert checks is not None
    for _ in range(2):
        state.apply(CALL)
    spot = spot_after(state)
    np.testing.assert_allclose(spot.ranges[1], checks / checks.max(), atol=0.025)  # the player leaves out rare actions
    assert spot.pot == 200


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_depths(tmp_path_factory.mktemp("packs"), 20, 50, 200)


def game(stack: str, blinds: str | None = None) -> GameDef:
    return load_gamedef(chosen_game(stack, blinds))


def test_the_exact_depth_is_that_of_its_pack(packs: Path) -> None:
    comment, spot = comment_and_spot(spot_text(packs, "r250c", BOARD, gamedef=game("50bb")))
    own_comment, own = comment_and_spot(spot_text(packs / "50bb", "r250c", BOARD))
    assert comment == own_comment == "# The ranges come from the strategy for 50 big blinds."
    assert (spot.pot, spot.stack) == (own.pot, own.stack) == (500, 4750)
    np.testing.assert_array_equal(spot.ranges, own.ranges)
    comment, spot = comment_and_spot(spot_text(packs, "r5c", BOARD, gamedef=game("50bb", "1/2")))
    assert comment == own_comment
    assert (spot.pot, spot.stack) == (10, 95)
    np.testing.assert_array_equal(spot.ranges, own.ranges)


def test_between_the_depths_the_nearest_one_is_named(packs: Path) -> None:
    _, own = comment_and_spot(spot_text(packs / "50bb", "r250c", BOARD))
    for stack, chips in (("37.5bb", 3500), ("75bb", 7250), ("3300,9000", 3050)):
        comment, spot = comment_and_spot(spot_text(packs, "r250c", BOARD, gamedef=game(stack)))
        bb = f"{(chips + 250) / 100:g}"
        assert comment == (
            f"# The ranges come from the strategy for 50 big blinds, the nearest depth to {bb}; pot and stack are those"
            f" of {bb}."
        )
        assert (spot.pot, spot.stack) == (500, chips)
        np.testing.assert_array_equal(spot.ranges, own.ranges)
    text = spot_text(packs, "r250c", BOARD)  # without a game: nearest to the default one
    assert text.splitlines()[2] == "# The ranges come from the strategy for 200 big blinds."


def test_sizes_that_the_strategy_lacks_are_refused_in_real_chips(packs: Path) -> None:
    with pytest.raises(PackError, match=r"'r6c': the blueprint has no r6 at the start, it has f, c, r5, r150 .totals"):
        spot_text(packs, "r6c", BOARD, gamedef=game("75bb", "1/2"))
    with pytest.raises(SpotError, match="nothing left to decide"):
        spot_text(packs, "r150c", BOARD, gamedef=game("75bb", "1/2"))


def test_likely_lines_are_those_of_the_game_asked_for(packs: Path) -> None:
    lines = likely_lines(packs, game("75bb", "1/2"))
    assert {"cc", "r5c"} <= {line for line, _ in lines}
    assert [share for _, share in lines] == sorted((share for _, share in lines), reverse=True)
    for line, share in lines:
        text = spot_text(packs, line, BOARD, gamedef=game("75bb", "1/2"))
        found = re.search("plays there with ([0-9.e-]+) of all", text)
        assert found is not None
        assert float(found[1]) == pytest.approx(share, rel=0.5, abs=1e-3)
