"""The words of the HTTP games: street totals, checks and calls apart, and slashes after a called all-in."""

from __future__ import annotations

import random

import pytest

from hedgehog.interop.http.benchmark import history_of
from hedgehog.interop.http.client.remote_hand import _state_of_history
from hedgehog.interop.http.tokens import format_tokens, parse_token, parse_tokens, token_of, verify_http_game
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError

GAMEDEF = load_gamedef()
PAIRS = [
    ("", ""),
    ("b200c/kb400f", "r200c/cr600f"),
    ("b200c/kb200c/b400f", "r200c/cr400c/r800f"),  # recorded at slumbot.com
    ("b400c/kk/b200b400c/kk", "r400c/cc/r600r800c/cc"),  # recorded at slumbot.com
    ("ck/", "cc/"),
    ("b20000c///", "r20000c///"),
    ("b200c/b19800c//", "r200c/r20000c//"),
    ("f", "f"),
]


@pytest.mark.parametrize(("words", "acpc"), PAIRS)
def test_the_words_say_what_acpc_text_says(words: str, acpc: str) -> None:
    state = parse_tokens(words, GAMEDEF)
    assert state.betting_string() == acpc
    assert format_tokens(parse_betting(acpc, GAMEDEF)) == words


@pytest.mark.parametrize(
    ("words", "acpc"), [("b200c", "r200c/"), ("b20000c", "r20000c///"), ("b200c/b19800c", "r200c/r20000c//")]
)
def test_slashes_at_the_end_may_be_missing(words: str, acpc: str) -> None:
    assert parse_tokens(words, GAMEDEF).betting_string() == acpc


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("k", "illegal check"),
        ("ckk", "expected a /"),
        ("ck//", "no street ends"),
        ("c/", "no street ends"),
        ("b200c/c", "illegal call"),
        ("ck/f", "illegal fold"),
        ("b150", "expected 200 to 20000"),
        ("b200c/b20000", "expected 100 to 19800"),
        ("b20001", "expected 200 to 20000"),
        ("b", "expected k, c, f or b"),
        ("x", "expected k, c, f or b"),
        ("b20000c/", "for every street"),
        ("fk", "the hand is over"),
    ],
)
def test_bad_words_are_refused_with_what_was_expected(words: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_tokens(words, GAMEDEF)


def random_state(rng: random.Random) -> HandState:
    """Returns the end of a random hand, or a state on the way."""
    state = HandState(GAMEDEF)
    for _ in range(rng.randrange(30)):
        if state.finished:
            break
        limits = state.raise_range()
        actions = [CALL, *([FOLD] if state.can_fold() and rng.random() < 0.2 else [])]
        if limits is not None and rng.random() < 0.6:
            actions = [Action("r", min(limits[1], round(limits[0] * rng.uniform(1, 3))))]
        state.apply(rng.choice(actions))
    return state


def test_random_hands_come_back_in_both_notations() -> None:
    rng = random.Random(5)
    for _ in range(300):
        state = random_state(rng)
        betting = state.betting_string()
        assert parse_tokens(format_tokens(state), GAMEDEF).betting_string() == betting
        assert _state_of_history(history_of(state), GAMEDEF).betting_string() == betting
        replayed = HandState(GAMEDEF)
        for before, action in state.replay():
            assert parse_token(token_of(action, before), replayed) == action
            replayed.apply(action)


def test_the_smallest_raise_is_the_last_raise() -> None:
    state = parse_tokens("b300b700", GAMEDEF)
    assert parse_token("b1100", state) == Action("r", 1100)
    with pytest.raises(InputError, match="expected 1100 to 20000"):
        parse_token("b1099", state)


@pytest.mark.parametrize("game", ["kuhn.limit.2p", "holdem.limit.2p.reverse_blinds", "holdem.nolimit.3p"])
def test_other_games_are_refused(game: str) -> None:
    with pytest.raises(InputError, match="heads-up no-limit"):
        verify_http_game(load_gamedef(game))


def test_unequal_stacks_are_refused_and_other_depths_are_not() -> None:
    verify_http_game(load_gamedef(chosen_game("100bb", "1/2")))
    with pytest.raises(InputError, match="one stack"):
        verify_http_game(load_gamedef(chosen_game("300,400", "1/2")))
