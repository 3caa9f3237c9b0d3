"""Betting lines as people type them, against ACPC text."""

from __future__ import annotations

import random

import pytest

from hedgehog.poker.acpc.betting_line import (
    describe_reading,
    format_betting_line,
    format_spot_actions,
    has_spot_actions,
    parse_betting_line,
)
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import MatchStateError

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


@pytest.mark.parametrize(
    ("line", "betting"),
    [
        ("r250c/kr300", "r250c/cr550"),
        ("r250c/cr550", "r250c/cr550"),
        (" r250 c / k r300 c / ", "r250c/cr550c/"),
        ("r250c/kr300c", "r250c/cr550c/"),
        ("ck/kk/kk/", "cc/cc/cc/"),
        ("ck/r100r300c/kr19600", "cc/r200r400c/cr20000"),
        ("r20000c", "r20000c///"),
        ("r20000c/", "r20000c///"),
        ("R250 C / X B300", "r250c/cr550"),
        ("r250 c x b300", "r250c/cr550"),
        ("R250 C X B300 C X X B400 R900", "r250c/cr550c/cc/r950r1450"),
        ("C X / X X / X B100 R19900", "cc/cc/cr200r20000"),
        ("C R300 C / X A", "cr300c/cr20000"),
        ("R250 C X A19750 C", "r250c/cr20000c//"),
        ("A", "r20000"),
        ("f", "f"),
        ("", ""),
    ],
)
def test_a_line_and_its_acpc_text(line: str, betting: str) -> None:
    assert parse_betting_line(line, GAME).betting_string() == betting


def test_sizes_are_what_the_caller_says_they_are() -> None:
    assert parse_betting_line("r250c/r400", GAME).betting_string() == "r250c/r400"
    assert parse_betting_line("r250c/r400", GAME, by_street=True).betting_string() == "r250c/r650"
    assert parse_betting_line("r250c/kr400", GAME, by_street=False).betting_string() == "r250c/cr400"
    with pytest.raises(MatchStateError, match="their sizes are totals on their street"):
        parse_betting_line("R250 C X B400", GAME, by_street=False)


def test_a_line_for_people() -> None:
    state = parse_betting_line("cc/cr200r500c/cc/r20000c", GAME)
    assert format_spot_actions(state) == "C X / X B100 R400 C / X X / A19500 C"
    assert format_spot_actions(HandState(GAME)) == ""


@pytest.mark.parametrize("name", ["holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.3p", "leduc.limit.2p"])
def test_every_betting_comes_back(name: str) -> None:
    game = read_gamedef(find_gamedef(name))
    rng = random.Random(4)
    for _ in range(150):
        state = HandState(game)
        while not state.finished and rng.random() < 0.9:
            limits = state.raise_range()
            choices = [CALL, CALL] + ([FOLD] if state.can_fold() and rng.random() < 0.3 else [])
            if limits is not None:
                size = min(limits[1], int(limits[0] * rng.uniform(1, 3)))
                choices.append(Action("r", size) if limits[1] else LIMIT_RAISE)
            state.apply(rng.choice(choices))
        betting = state.betting_string()
        assert parse_betting_line(format_betting_line(state), game, by_street=True).betting_string() == betting
        assert parse_betting_line(betting, game, by_street=False).betting_string() == betting
        for_people = format_spot_actions(state)
        assert for_people.upper() == for_people
        if has_spot_actions(for_people) or set(for_people) <= set("RCF 0123456789"):
            assert parse_betting_line(for_people, game).betting_string() == betting
        if not state.finished and state.actions[-1] == [] and state.round:
            assert state.round_start == state.max_spent


def test_a_street_starts_where_the_last_one_ended() -> None:
    assert parse_betting("r250", GAME).round_start == 0
    assert parse_betting("r250c/cr550", GAME).round_start == 250
    assert parse_betting("r250c/cr550c/r900r2000", GAME).round_start == 550


@pytest.mark.parametrize(
    ("line", "by_street", "notation"),
    [
        ("R250 C X B300", None, "actions, sizes on their street"),
        ("r250c/kr300", None, "letters with k, sizes on their street"),
        ("r250c/cr300", True, "letters with k, sizes on their street"),
        ("r250c/cr550", None, "ACPC text, sizes over the hand"),
    ],
)
def test_how_a_line_was_read_is_said(line: str, by_street: bool | None, notation: str) -> None:
    state = parse_betting_line(line, GAME, by_street=by_street)
    assert describe_reading(line, state, by_street=by_street) == f"R250 C / X B300, read from {notation}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y", r"expected an action \(f, c, k or r with its size\) or /"),
        ("X", r"illegal 'X' after '': there is a bet to call \(C\)"),
        ("R250 C C X", r"there is no bet to call \(X checks\)"),
        ("R250 C / B300 C / C X", r"illegal 'C' .*: there is no bet to call \(X checks\)"),
        ("B250", "a raise is R"),
        ("R250 C X R300", "the first bet of a street is B"),
        ("R250 C X B300 B900", "a raise is R"),
        ("R250 C X B50", "expected a raise to 100..19750 on this street"),
        ("R250 C X A1000", "all-in is A19750"),
        ("R250 C / X k", r"expected an action \(X, C, F, or B, R, A with its size\) or /"),
        ("R250 C QsJh2h X B300", r"expected an action \(X, C, F, or B, R, A with its size\) or /"),
        ("R250 C X / B300", "no street ends at the /"),
        ("r9999999999", r"expected an action \(f, c, k or r with its size\) or /"),
        ("k", "there is a bet to call"),
        ("r250c/kr50", "expected a raise to 100..19750 on this street"),
        ("r250c/cr300", "expected a raise to 350..20000 over the hand"),
        ("r", "expected a raise to 200..20000"),
        ("r250ckr300", "a new street begins"),
        ("r250/c", "no street ends at the /"),
        ("/", "no street ends at the /"),
        ("r250c//k", "no street ends at the /"),
        ("fc", "the hand is finished"),
        ("ck/f", "there is no bet to fold to"),
    ],
)
def test_what_is_wrong_with_a_line(line: str, message: str) -> None:
    with pytest.raises(MatchStateError, match=message):
        parse_betting_line(line, GAME)
