"""Games that are known by their stacks and blinds, without a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.acpc.chosen_game import chosen_game, name_of_stacks, text_of_chosen_game
from hedgehog.poker.acpc.gamedef import (
    chosen_name,
    find_gamedef,
    load_gamedef,
    parse_gamedef,
    read_gamedef,
    shipped_gamedefs,
)
from hedgehog.poker.acpc.handlog import find_log_gamedef
from hedgehog.runtime.errors import GamedefError, InputError


@pytest.mark.parametrize(
    ("stack", "blinds", "stacks", "expected_blinds"),
    [
        (None, "1/2", (400, 400), (2, 1)),
        ("100bb", None, (10_000, 10_000), (100, 50)),
        ("37.5bb", "2/4", (150, 150), (4, 2)),
        ("300,200", "5/5", (300, 200), (5, 5)),
        ("1000", "10/30", (1000, 1000), (30, 10)),
    ],
)
def test_games_by_stack_and_blinds(
    stack: str | None, blinds: str | None, stacks: tuple[int, int], expected_blinds: tuple[int, int]
) -> None:
    found = load_gamedef(chosen_game(stack, blinds))
    assert found == replace(load_gamedef(), stacks=stacks, blinds=expected_blinds)


def test_the_default_game_has_a_name_of_this_kind_too() -> None:
    assert load_gamedef(chosen_game(None, None)) == load_gamedef()


@given(st.integers(1, 500), st.integers(0, 500), st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_name_says_the_whole_game(small: int, more: int, first: int, second: int) -> None:
    big = small + more
    name = chosen_game(f"{big + first},{big + second}", f"{small}/{big}")
    text = text_of_chosen_game(name)
    assert text is not None
    game = parse_gamedef(text)
    assert (game.blinds, game.stacks) == ((big, small), (big + first, big + second))
    assert read_gamedef(find_gamedef(f"{name}.game")) == game


@given(st.integers(1, 30), st.integers(0, 30), st.integers(1, 40), st.integers(1, 40))
def test_who_has_less_than_a_blind_posts_what_he_has(small: int, more: int, first: int, second: int) -> None:
    big = small + more
    name = name_of_stacks(small, big, (first, second))
    game = load_gamedef(name, nobody_acts=True)
    assert game.stacks == (first, second)
    assert game.blinds[0] == min(big, first)
    assert game.blinds[1] == min(small, first, second)
    assert find_log_gamedef([f"# name/game/hands/seed pair_1_1 {name} 1 1"], "pair_1_1.log") == game
    if game.blinds == game.stacks:  # as the official dealer says
        with pytest.raises(GamedefError, match="every player is all-in from the blinds"):
            load_gamedef(name)
    else:
        assert load_gamedef(name) == game


@pytest.mark.parametrize(
    ("stack", "blinds", "message"),
    [
        ("100", None, "above the big blind"),
        ("10b", None, "such as 10000 or 100bb"),
        ("-5", None, "such as 10000 or 100bb"),
        ("1,2,3", "1/2", "at most two|two separated"),
        ("12.5bb", "1/3", "expected whole chips"),
        ("100bb", "2/1", "the small one not above the big one"),
        ("100bb", "0/1", "blinds such as 1/2"),
        ("100bb", "1-2", "blinds such as 1/2"),
        ("9999999999", None, "at most 1,000,000,000 chips"),
    ],
)
def test_bad_stacks_and_blinds_are_refused(stack: str, blinds: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        chosen_game(stack, blinds)


@pytest.mark.parametrize(
    "name", ["holdem.nolimit.2p.2-1.400", "holdem.nolimit.2p.1-2.0", "holdem.nolimit.2p.1-2.", "holdem.nolimit.2p.1-2"]
)
def test_names_of_impossible_games_are_unknown(name: str) -> None:
    assert text_of_chosen_game(name) is None
    with pytest.raises(GamedefError, match="no such game definition"):
        find_gamedef(name)


def test_a_log_from_another_machine_is_read_by_the_name_in_its_header(tmp_path: Path) -> None:
    header = f"# name/game/hands/seed seating_1 /nowhere/{chosen_game('20bb', '1/2')}.game 100 1"
    assert find_log_gamedef([header], tmp_path / "match.log").stacks == (40, 40)


def test_a_file_of_this_name_comes_first(tmp_path: Path) -> None:
    path = tmp_path / f"{chosen_game('20bb', '1/2')}.game"
    path.write_text(find_gamedef("kuhn.limit.2p").read_text())
    assert load_gamedef(path) == load_gamedef("kuhn.limit.2p")


@given(st.integers(1, 500), st.integers(0, 500), st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_name_of_a_game(small: int, more: int, first: int, second: int) -> None:
    big = small + more
    game = replace(load_gamedef(), blinds=(big, small), stacks=(big + first, big + second))
    name = chosen_name(game)
    assert name is not None
    assert load_gamedef(name) == game
    for other in (
        replace(game, first_positions=(0, 0, 0, 0)),
        replace(game, max_raises=(3, 3, 3, 3)),
        replace(game, blinds=(big, big + 1)),
        replace(game, stacks=game.blinds),  # nobody can act
    ):
        assert chosen_name(other) is None


def test_shipped_games_with_such_a_name() -> None:
    named = {name: found for name in shipped_gamedefs() if (found := chosen_name(load_gamedef(name))) is not None}
    assert named == {
        "holdem.nolimit.2p.10bb": "holdem.nolimit.2p.50-100.1000",
        "holdem.nolimit.2p.reverse_blinds": "holdem.nolimit.2p.50-100.20000",
    }
