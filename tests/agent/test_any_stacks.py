"""One player for all stacks and blinds of heads-up no-limit hold'em, and what `default` is in other games."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hedgehog.agent.limit.player import LimitPlayer
from hedgehog.agent.options import Options
from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.solved_player import SolvedPlayer
from hedgehog.agent.specs import make_player, parse_player_spec, ready_player
from hedgehog.agent.strategy.player_packs import packs_for
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.pack_games import find_game_packs

GAME = load_gamedef()


@pytest.fixture(scope="module")
def player() -> PackPlayer:
    found = make_player("default", GAME)
    found.warm_up()
    assert isinstance(found, PackPlayer)
    return found


def random_decision(gamedef: GameDef, rng: random.Random, hand_id: int, step: int = 1) -> MatchState | None:
    """Returns a decision that random play leads to, or None if the hand ends before.

    :param step: raises are multiples of this number of chips, or all-in.
    """
    state = HandState(gamedef)
    deck = rng.sample(range(52), 9)
    for _ in range(rng.randrange(12)):
        limits = state.raise_range()
        if limits is not None and rng.random() < 0.4:
            action = Action("r", min(limits[1], -(-int(limits[0] * rng.uniform(1, 3)) // step) * step))
        else:
            action = CALL
        state.apply(action)
        if state.finished:
            return None
    board = tuple(deck[4:])[: BOARD_CARDS[state.round]]
    holes = (tuple(sorted(deck[:2])), tuple(sorted(deck[2:4])))
    return MatchState(state.acting_position, hand_id, holes, board, state)


def _of_kind(options: Options, kind: str) -> NDArray[np.float64]:
    """Returns the probability of all actions of a kind for every combo."""
    found: NDArray[np.float64] = options.probabilities[[each.kind == kind for each in options.actions]].sum(axis=0)
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 3000), st.integers(0, 6000), st.integers(0, 6000), st.integers(1, 1000))
def test_answers_are_legal_with_any_chips(
    player: PackPlayer, seed: int, big: int, first: int, second: int, small: int
) -> None:
    gamedef = replace(GAME, blinds=(big, min(small, big)), stacks=(big + 1 + first, big + 1 + second))
    player.new_match(gamedef, seed % 1000)
    rng = random.Random(seed)
    for hand_id in range(8):
        seen = random_decision(gamedef, rng, hand_id)
        if seen is not None:
            action = player.act(seen, math.inf)
            assert seen.state.can(action), (seen.state, action)
            found = player.strategy(seen)
            assert all(seen.state.can(each) for each in found.actions)
            assert len(set(found.actions)) == len(found.actions)


@pytest.mark.parametrize("unit", [2, 50])
def test_the_same_game_in_other_chips_is_played_alike(player: PackPlayer, unit: int) -> None:
    """What a chip is worth changes actions and probabilities no more than rounding does."""
    scaled = replace(
        GAME, blinds=tuple(unit * b for b in GAME.blinds), stacks=tuple(unit * stack for stack in GAME.stacks)
    )
    rng, compared, different = random.Random(unit), 0, 0
    for hand_id in range(150):
        seen = random_decision(GAME, rng, hand_id, step=200)  # so that no share of the pot is rounded
        if seen is None:
            continue
        state = HandState(scaled)
        for actions in seen.state.actions:
            for _, action in actions:
                state.apply(Action(action.kind, unit * action.size))
        player.new_match(GAME, 7)
        ours, action = player.strategy(seen), player.act(seen, math.inf)
        player.new_match(scaled, 7)
        theirs, answer = player.strategy(seen._replace(state=state)), player.act(seen._replace(state=state), math.inf)
        # Sizes of the tree are rounded to chips: two that are one in the game may be two in the finer one, of which a
        # rare one is left out.
        for kind in "fcr":
            np.testing.assert_allclose(_of_kind(ours, kind), _of_kind(theirs, kind), atol=0.06)
        different += answer.kind != action.kind or abs(answer.size - unit * action.size) > 2 * unit
        compared += 1
    assert compared > 60
    assert different <= 0.02 * compared


def test_the_smaller_stack_counts(player: PackPlayer) -> None:
    """Nobody can win more than the smaller stack, so a hand is the same whatever the larger one is."""
    for stacks in ((4000, 20_000), (20_000, 4000)):
        equal, unequal = (replace(GAME, stacks=each) for each in ((4000, 4000), stacks))
        rng = random.Random(5)
        for hand_id in range(60):
            seen = random_decision(equal, rng, hand_id)
            if seen is None:
                continue
            state = HandState(unequal)
            for actions in seen.state.actions:
                for _, action in actions:
                    state.apply(action)
            player.new_match(equal, 1)
            ours = player.strategy(seen)
            player.new_match(unequal, 1)
            theirs = player.strategy(seen._replace(state=state))
            # By the dealer's rules the larger stack may have to raise by more than the smaller one has left.
            assert ours.actions == [Action(each.kind, min(each.size, 4000)) for each in theirs.actions]
            np.testing.assert_array_equal(ours.probabilities, theirs.probabilities)


@pytest.mark.parametrize("small", [25, 50, 100])
def test_what_a_player_may_do_has_probability_one(player: PackPlayer, small: int) -> None:
    """With equal blinds the button has nothing to call: hands that would fold are checked, and known to be."""
    player.new_match(replace(GAME, blinds=(100, small)), 1)
    packs = player.packs_alone
    assert packs is not None
    actions = packs.options("", ())[1].actions
    assert (actions[0].kind == "f") == (small < 100)
    found = [packs.likelihood("", (), action) for action in actions]
    np.testing.assert_allclose(np.sum([row for row in found if row is not None], axis=0), 1, atol=1e-9)


def test_the_nearest_depth_is_taken() -> None:
    games = find_game_packs([default_packs()])
    deepest = games[-1]
    assert packs_for(games, load_gamedef(chosen_game("1000bb", "1/2"))) == deepest
    for game in games:
        assert packs_for(games, game.gamedef) == game
    depths = {game.depth: game for game in games}
    stacks = (4, 24, 25, 35, 36, 57, 58, 86, 87, 122, 123, 173, 174)
    taken = (5, 20, 30, 30, 50, 50, 75, 75, 100, 100, 150, 150, 200)
    for stack, bb in zip(stacks, taken, strict=True):
        assert packs_for(games, load_gamedef(chosen_game(f"{stack}bb", "1/2"))) == depths[bb]


@pytest.mark.parametrize(
    ("game", "kind"),
    [
        ("holdem.nolimit.2p.1-2.37", PackPlayer),
        ("holdem.limit.2p.reverse_blinds", LimitPlayer),
        ("holdem.limit.3p", LimitPlayer),
        ("kuhn.limit.2p", SolvedPlayer),
        ("kuhn.limit.3p", SolvedPlayer),
        ("leduc.limit.2p", SolvedPlayer),
    ],
)
def test_default_is_the_player_of_the_game(game: str, kind: type) -> None:
    assert type(make_player("default", load_gamedef(game))) is kind


@pytest.mark.parametrize(
    ("spec", "game", "message"),
    [
        ("default", "holdem.nolimit.3p", "heads-up no-limit hold'em, and the game has 3 players"),
        ("default", "custom.nolimit.2p.oneblind.3hole", "the game is dealt from .* 3 hole cards"),
        ("default", "custom.limit.4p.shortstacks", "the limit packs are for 2 and 3 players, and the game has 4"),
        ("default?resolve=safe", "kuhn.limit.2p", "the options of 'default.resolve=safe' are for no-limit hold'em"),
        ("solved", "holdem.limit.2p.reverse_blinds", "the game deals 2 hole cards"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_line(spec: str, game: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ready_player(spec, load_gamedef(game))


def test_games_with_positions_exchanged_are_refused(player: PackPlayer) -> None:
    with pytest.raises(InputError, match="where position 1 should have the big one"):
        player.new_match(replace(GAME, blinds=(50, 100)), 1)
    with pytest.raises(InputError, match="lets position 1 1 1 1 act first"):
        player.new_match(replace(GAME, first_positions=(0, 0, 0, 0)), 1)


def test_the_solved_player_plays_its_equilibrium() -> None:
    game = load_gamedef("kuhn.limit.2p")
    player = ready_player("solved", game, seed=3)
    state = HandState(game)
    seen = MatchState(0, 0, ((51,), ()), (), state)
    assert isinstance(player, SolvedPlayer)
    row = player.row(seen)
    drawn = [player.act(seen._replace(hand_id=hand), math.inf).kind for hand in range(4000)]
    assert drawn.count("r") / 4000 == pytest.approx(row["r"], abs=0.04)
    assert parse_player_spec("solved").forgets
