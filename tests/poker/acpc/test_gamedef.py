"""Game definitions: golden error texts of the official dealer, its quirks, round trips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.acpc.gamedef import (
    UNLIMITED_STACK,
    find_gamedef,
    format_gamedef,
    parse_gamedef,
    read_gamedef,
    shipped_gamedefs,
)
from hedgehog.runtime.errors import GamedefError
from tests.golden import HUNL, game, read_scenarios

TINY = """\
nolimit
numPlayers = 2
numRounds = 1
stack = 20 20
blind = 2 1
numSuits = 4
numRanks = 13
numHoleCards = 1
numBoardCards = 0
"""
ERRORS = [s for s in read_scenarios() if s["name"].startswith("gamedef_error:")]
VARIANTS = [s for s in read_scenarios() if s["name"].startswith("gamedef_ok:")]


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "holdem.nolimit.2p.reverse_blinds"])
def test_the_text_is_that_of_the_shipped_file(name: str) -> None:
    lines = [line.strip().lower() for line in find_gamedef(name).read_text().splitlines()]
    assert format_gamedef(game(name)).lower().splitlines() == [line for line in lines if line[:1] not in ("", "#")]


def test_heads_up_no_limit_holdem() -> None:
    gamedef = game(HUNL)
    assert (gamedef.num_players, gamedef.num_rounds, gamedef.no_limit) == (2, 4, True)
    assert (gamedef.stacks, gamedef.blinds, gamedef.first_positions) == ((20000, 20000), (100, 50), (1, 0, 0, 0))
    assert (gamedef.num_board_cards, gamedef.num_hole_cards, len(gamedef.deck())) == ((0, 3, 1, 1), 2, 52)
    assert (gamedef.board_cards_by(0), gamedef.board_cards_by(1), gamedef.total_board_cards) == (0, 3, 5)


def test_limit_games_without_stacks() -> None:
    gamedef = game("holdem.limit.3p")
    assert gamedef.stacks == (UNLIMITED_STACK,) * 3
    assert (gamedef.raise_sizes, gamedef.max_raises) == ((10, 10, 20, 20), (3, 4, 4, 4))


def test_what_is_holdem() -> None:
    for name in (HUNL, "holdem.limit.2p.reverse_blinds", "holdem.nolimit.3p"):
        assert game(name).is_holdem
        assert not replace(game(name), num_hole_cards=3).is_holdem
        assert not replace(game(name), num_ranks=9).is_holdem
        assert not replace(game(name), num_board_cards=(0, 1, 1, 1)).is_holdem
    assert not game("leduc.limit.2p").is_holdem
    assert not game("custom.nolimit.6p.sidepots").is_holdem


def test_deck_is_the_top_of_the_ranks_and_the_last_suits() -> None:
    assert game("kuhn.limit.3p").deck() == [4 * 9 + 3, 4 * 10 + 3, 4 * 11 + 3, 4 * 12 + 3]  # Js Qs Ks As
    assert game("leduc.limit.2p").deck() == [42, 46, 50, 43, 47, 51]  # Qh Kh Ah Qs Ks As


@pytest.mark.parametrize("name", shipped_gamedefs())
def test_shipped_games_format_and_parse_back(name: str) -> None:
    gamedef = game(name)
    assert parse_gamedef(format_gamedef(gamedef)) == gamedef


@pytest.mark.parametrize("scenario", ERRORS, ids=lambda s: s["name"].split(":")[1])
def test_official_error_texts(scenario: dict[str, str]) -> None:
    official = scenario["stderr"].splitlines()[0]
    with pytest.raises(GamedefError) as caught:
        parse_gamedef(scenario["gamedef"], source="scen.game")
    assert str(caught.value) == f"scen.game: {official}"


def test_layout_does_not_matter() -> None:
    games = {parse_gamedef(scenario["gamedef"]) for scenario in VARIANTS}
    assert len(VARIANTS) >= 5
    assert len(games) == 1


@pytest.mark.parametrize(
    ("change", "attribute", "expected"),
    [
        ("numPlayers2", "num_players", 2),
        ("NUMPLAYERS == 2 # two", "num_players", 2),
        ("numPlayers = 258", "num_players", 2),  # 8 bits
        (" numPlayers = 3", "num_players", 2),  # not at the start of the line
        ("stack = 4294967316 30", "stacks", (20, 30)),  # 32 bits
        ("stack = 20 30 40", "stacks", (20, 30)),
        ("blind = 2 2 2 2", "blinds", (2, 2)),
        ("blind = 20 19", "blinds", (20, 19)),
        ("maxRaises = 7", "max_raises", (7,)),
        ("firstPlayer = 2", "first_positions", (1,)),
        ("limit\nraiseSize = 4 5 6", "raise_sizes", (4,)),
    ],
)
def test_quirks_of_the_official_reader(change: str, attribute: str, expected: object) -> None:
    assert getattr(parse_gamedef(TINY + change + "\n"), attribute) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("blind = 21 1", "blind for player 1 is greater than stack size"),
        ("blind = -1 1", "invalid blind: -1"),
        ("numBoardCards = 8", "too many board cards: 8"),
        ("blind = 20 20", "every player is all-in from the blinds"),
        ("numRanks = 14", "invalid number of ranks: 14"),
        ("numBoardCards", "only read 0 board card numbers, need 1"),
        ("numRounds = 5", "invalid number of rounds: 5"),
    ],
)
def test_refused_games(change: str, message: str) -> None:
    with pytest.raises(GamedefError, match=message):
        parse_gamedef(TINY + change + "\n")


@pytest.mark.parametrize(
    ("keyword", "number"),
    [
        ("numPlayers", "players"),
        ("numRounds", "rounds"),
        ("numSuits", "suits"),
        ("numRanks", "ranks"),
        ("numHoleCards", "hole cards"),
    ],
)
def test_numbers_without_a_line_are_zero(keyword: str, number: str) -> None:
    without = [line for line in TINY.splitlines(keepends=True) if not line.startswith(keyword)]
    with pytest.raises(GamedefError, match=f"invalid number of {number}: 0"):
        parse_gamedef("".join(without))


def test_long_lines_continue_as_new_lines() -> None:
    padding = "x" * 4095
    assert parse_gamedef(TINY + padding + "blind = 4 3\n").blinds == (4, 3)
    assert parse_gamedef(TINY + padding[1:] + "blind = 4 3\n").blinds == (2, 1)


def test_find_gamedef(tmp_path: Path) -> None:
    own = tmp_path / "own.game"
    own.write_text(TINY)
    assert find_gamedef(own) == own
    assert find_gamedef(HUNL) == find_gamedef(HUNL + ".game") == shipped_gamedefs()[HUNL]
    with pytest.raises(GamedefError, match=r"shipped games are .*kuhn"):
        find_gamedef("nosuch.game")
    with pytest.raises(GamedefError, match="could not open"):
        read_gamedef(tmp_path)


@given(st.text(alphabet="numplayersrodtackbi =2 13\n#-", max_size=200))
def test_any_text_is_a_game_or_one_clear_error(noise: str) -> None:
    try:
        gamedef = parse_gamedef(TINY + noise)
    except GamedefError:
        return  # one clear error; any other exception fails the test
    assert parse_gamedef(format_gamedef(gamedef)) == gamedef
