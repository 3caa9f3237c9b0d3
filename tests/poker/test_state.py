"""Betting rules: the points that are easy to get wrong, and random play. tests/verification compares with OpenSpiel."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.acpc.gamedef import parse_gamedef, shipped_gamedefs
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, MAX_ACTIONS_PER_ROUND, NOBODY, Action, HandState
from hedgehog.runtime.errors import MatchError, MatchStateError
from tests.golden import HUNL, game

GAMES = sorted(shipped_gamedefs())


def after(betting: str, name: str = HUNL) -> HandState:
    return parse_betting(betting, game(name))


def legal_actions(state: HandState) -> list[Action]:
    """Fold and call if legal, and the smallest and largest raise."""
    actions = [action for action in (FOLD, CALL) if state.can(action)]
    limits = state.raise_range()
    return actions + [Action("r", size) for size in sorted(set(limits or ()))]


def test_reverse_blinds() -> None:
    state = after("")
    assert (state.spent, state.acting_position, state.raise_range()) == ([100, 50], 1, (200, 20000))
    assert after("c").acting_position == 0  # the big blind has its option
    assert after("cc/").acting_position == 0  # ... and acts first from the flop on
    assert after("cc/").raise_range() == (200, 20000)


def test_raise_sizes_are_totals_over_the_hand() -> None:
    state = after("r300c/r600")
    assert (state.round, state.spent, state.max_spent) == (1, [600, 300], 600)
    assert state.raise_range() == (900, 20000)
    assert after("r300c/").raise_range() == (400, 20000)


def test_a_short_all_in_does_not_change_the_smallest_raise() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 3\nnumRounds = 1\nstack = 2000 400 2000\nblind = 100 100 0\nfirstPlayer = 3\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0\n"
    )
    state = parse_betting("r300c", gamedef)
    assert state.raise_range() == (400, 400)  # position 1 has 400 in all: less than the full raise to 500
    state.apply(Action("r", 400))
    assert (state.acting_position, state.raise_range()) == (2, (500, 2000))  # who raised before may raise again
    assert not state.can(Action("r", 499))


def test_all_in_call_shows_all_cards_and_adds_the_slashes() -> None:
    state = after("r20000c///")
    assert (state.finished, state.round, state.acting_position, state.is_showdown) == (True, 3, NOBODY, True)
    assert [len(actions) for actions in state.actions] == [2, 0, 0, 0]


def test_folding_ends_the_hand_in_its_round() -> None:
    state = after("cc/r200f")
    assert (state.finished, state.round, state.is_showdown, state.folded) == (True, 1, False, [False, True])
    assert payoffs(state, [(), ()], ()) == [100.0, -100.0]


def test_blinds_are_no_raises_but_raises_are_capped() -> None:
    state = after("rrr", "holdem.limit.2p.reverse_blinds")
    assert (state.spent, state.raise_range()) == ([30, 40], None)
    assert after("cc/rrr", "holdem.limit.2p.reverse_blinds").raise_range() == (0, 0)
    assert after("cc/rrrr", "holdem.limit.2p.reverse_blinds").raise_range() is None


def test_a_short_limit_raise_may_lower_the_bet() -> None:
    # Position 0 has 35 chips in all. Its "raise" of a bet of 50 lowers the bet to 35, as in the official dealer.
    state = after("rrcc" + "c/" + "crrc", "custom.limit.4p.shortstacks")
    assert (state.acting_position, state.spent, state.max_spent) == (0, [30, 40, 50, 50], 50)
    state.apply(LIMIT_RAISE)
    assert (state.acting_position, state.spent, state.max_spent) == (1, [35, 40, 50, 50], 35)


def test_long_rounds_offer_no_more_raises() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 1000 1000\nblind = 1 1\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0\n"
    )
    state = HandState(gamedef)
    while (limits := state.raise_range()) is not None:
        state.apply(Action("r", limits[0]))
    assert len(state.actions[0]) == MAX_ACTIONS_PER_ROUND - 1
    assert state.raises_exhausted
    assert state.can(CALL)
    capped = parse_betting(state.betting_string(), replace(gamedef, max_raises=(len(state.actions[0]),)))
    assert capped.raise_range() is None
    assert not capped.raises_exhausted  # the cap of the game ends the raises first


def test_a_blind_as_large_as_the_stack_is_all_in() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 2\nstack = 10 100\nblind = 10 5\nfirstPlayer = 1 1\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 1\nnumBoardCards = 0 1\n"
    )
    state = HandState(gamedef)
    assert (state.acting_position, legal_actions(state)) == (1, [FOLD, CALL])
    state.apply(CALL)
    assert (state.finished, state.betting_string(), state.spent) == (True, "c/", [10, 10])


@pytest.mark.parametrize(
    ("betting", "action", "message"),
    [
        ("", Action("r", 199), "expected a raise to 200..20000"),
        ("", Action("r", 20001), "expected a raise to 200..20000"),
        ("c", FOLD, "no bet to fold to"),
        ("r20000", Action("r", 20000), "no raise is possible"),
        ("f", CALL, "the hand is finished"),
        ("", Action("c", 100), "only a raise has a size"),
        ("", Action("x"), "expected f, c or r"),
    ],
)
def test_illegal_actions(betting: str, action: Action, message: str) -> None:
    state = after(betting)
    assert not state.can(action)
    with pytest.raises(MatchStateError, match=message):
        state.apply(action)
    assert state.betting_string() == betting  # nothing happened


def test_copies_are_independent() -> None:
    state = after("r300")
    copy = state.copy()
    copy.apply(CALL)
    assert (state.betting_string(), state.spent, state.acting_position) == ("r300", [100, 300], 0)
    assert (copy.betting_string(), copy.spent, copy.acting_position) == ("r300c/", [300, 300], 0)


def test_a_game_without_any_chips_has_no_showdown() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 10 10\nblind = 0 0\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 1\nnumBoardCards = 0\n"
    )
    assert HandState(gamedef).raise_range() == (1, 10)
    with pytest.raises(MatchError, match="nobody has put in a chip"):
        payoffs(parse_betting("cc", gamedef), [(0,), (1,)], ())


@given(st.sampled_from(GAMES), st.randoms(use_true_random=False))
def test_chips_are_conserved_and_text_replays(name: str, rng: random.Random) -> None:
    gamedef = game(name)
    state = HandState(gamedef)
    while not state.finished:
        state.apply(rng.choice(legal_actions(state)))
        assert all(0 <= spent <= stack for spent, stack in zip(state.spent, gamedef.stacks, strict=True))
    replayed = parse_betting(state.betting_string(), gamedef)
    assert (replayed.spent, replayed.folded, replayed.round) == (state.spent, state.folded, state.round)
    cards = rng.sample(gamedef.deck(), gamedef.num_players * gamedef.num_hole_cards + gamedef.total_board_cards)
    hole_cards = [cards[p * gamedef.num_hole_cards :][: gamedef.num_hole_cards] for p in range(gamedef.num_players)]
    values = payoffs(state, hole_cards, cards[gamedef.num_players * gamedef.num_hole_cards :])
    # A raise of a short stack counts in full, so that players who have put in more than it can fold to it. The official
    # dealer then gives what they have put in beyond the players at the showdown to nobody.
    live = max(spent for spent, folded in zip(state.spent, state.folded, strict=True) if not folded)
    unmatched = sum(max(0, spent - live) for spent in state.spent) if state.is_showdown else 0
    assert sum(values) == pytest.approx(-unmatched)
    assert all(value >= -spent for value, spent in zip(values, state.spent, strict=True))
