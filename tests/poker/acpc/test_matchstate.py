"""MATCHSTATE lines: golden lines round-trip, everything else is one clear error."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hedgehog.poker.acpc.gamedef import parse_gamedef
from hedgehog.poker.acpc.matchstate import (
    MatchState,
    MatchStateReader,
    format_matchstate,
    parse_betting,
    parse_matchstate,
)
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import MatchStateError
from tests.golden import HUNL, TRANSCRIPTS, game, read_transcript

LINE = "MATCHSTATE:1:3:r300c/cr900:|AsKd/2c8h9d"


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_golden_lines_round_trip(name: str) -> None:
    transcript = read_transcript(name)
    gamedef = game(transcript.game)
    lines = [text for seat in transcript.seats for kind, text in seat if kind == "S"]
    assert len(lines) > 300
    for line in lines:
        assert format_matchstate(parse_matchstate(line, gamedef)) + "\r\n" == line


def outcome(parse: Callable[[str], MatchState], line: str) -> object:
    """Everything about a parsed line, or the error."""
    try:
        view = parse(line)
    except MatchStateError as error:
        return error.message
    state = {name: getattr(view.state, name) for name in HandState.__slots__}
    return view.position, view.hand_id, view.hole_cards, view.board, state


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_reading_line_after_line_is_parsing_every_line(name: str) -> None:
    transcript = read_transcript(name)
    gamedef = game(transcript.game)
    for seat in transcript.seats:
        reader = MatchStateReader(gamedef)
        views = []
        lines = [text for kind, text in seat if kind == "S"]
        for line in lines:
            assert outcome(reader.parse, line) == outcome(lambda text: parse_matchstate(text, gamedef), line)
            views.append(reader.parse(line))  # the same line again is fine, too
        for view, line in zip(views, lines, strict=True):  # what was handed out has not changed since
            assert format_matchstate(view) + "\r\n" == line


@given(
    st.lists(
        st.builds(
            "MATCHSTATE:{}:{}:{}:{}".format,
            st.sampled_from(["0", "1", "2", "01"]),
            st.sampled_from(["3", "3", "4", "x"]),
            st.text("fcr/", max_size=4)
            | st.sampled_from(["r300", "r3000", "r300c", "r300c/", "r300c/c", "cc/cc/", "cc", "r20000c///", "r20000"]),
            st.sampled_from(["|AsKd", "AsKd|", "|AsKd/2c8h9d", "|AsKd/2c8h9d/3d", "|AsKd/2c8h9d:c", "|AsAs", "", "|"]),
        )
    )
)
def test_whatever_comes_reading_is_parsing(lines: list[str]) -> None:
    gamedef = game(HUNL)
    reader = MatchStateReader(gamedef)
    for line in lines:
        assert outcome(reader.parse, line) == outcome(lambda text: parse_matchstate(text, gamedef), line)


def test_fields() -> None:
    view = parse_matchstate(LINE, game(HUNL))
    assert (view.position, view.hand_id) == (1, 3)
    assert view.hole_cards == ((), tuple(parse_cards("AsKd")))
    assert view.board == tuple(parse_cards("2c8h9d"))
    assert (view.state.acting_position, view.state.spent, view.state.raise_range()) == (0, [300, 900], (1500, 20000))


def test_board_cards_in_the_first_round_follow_the_last_hand() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 2\nstack = 9 9\nblind = 2 1\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 1 2\n"
    )
    for line in ("MATCHSTATE:0:0::8s2h|7h", "MATCHSTATE:1:0::|Kd5c7h", "MATCHSTATE:1:0:cc/:|Kd5c7h/AsAd"):
        view = parse_matchstate(line, gamedef)
        assert view.board[0] == parse_cards("7h")[0]
        assert format_matchstate(view) == line


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected MATCHSTATE:position:hand:betting:cards"),
        ("MATCHSTATE:1:3:r300c/cr900", "expected MATCHSTATE:position"),
        (LINE + ":c", "expected MATCHSTATE:position"),
        (LINE.replace("MATCH", "match"), "expected MATCHSTATE:position"),
        (LINE.replace(":1:3:", ":2:3:"), "expected a position below 2"),
        (LINE.replace(":1:3:", ":01:3:"), "expected a number as position, got '01'"),
        (LINE.replace(":1:3:", ":1:-3:"), "expected a number as hand id"),
        (LINE.replace("r900", "r0900"), "illegal action 'r' after 'r300c/c'"),
        (LINE.replace("r900", "r"), "illegal action 'r'"),
        (LINE.replace("r900", "r399"), "expected a raise to 400..20000"),
        (LINE.replace("c/c", "cc"), "expected betting 'r300c/cr900'"),
        (LINE.replace("c/c", "c//c"), "expected betting 'r300c/cr900'"),
        (LINE.replace("cr900", "k"), "expected an action"),
        (LINE.replace("|", ""), "hole cards of 2 players separated by"),
        (LINE.replace("|AsKd", "AsKd|"), "expected the hole cards of position 1"),
        (LINE.replace("AsKd", "As"), "expected 2 hole cards per player"),
        (LINE.replace("AsKd", "AsK"), "expected a card such as Qh, got 'K'"),
        (LINE.replace("AsKd", "asKd"), "expected a card such as Qh, got 'as'"),
        (LINE.replace("AsKd", "AsXd"), "expected a card such as Qh, got 'Xd'"),
        (LINE.replace("AsKd", "As8h"), "a card is repeated"),
        (LINE.replace("/2c8h9d", ""), "expected 0/3 board cards in round 2"),
        (LINE + "/Ts", "expected 0/3 board cards in round 2"),
        (LINE.replace("9d", ""), "expected 0/3 board cards in round 2"),
    ],
)
def test_malformed_lines(line: str, message: str) -> None:
    with pytest.raises(MatchStateError, match=message):
        parse_matchstate(line, game(HUNL))


def test_cards_outside_the_deck() -> None:
    with pytest.raises(MatchStateError, match="not in the deck"):
        parse_matchstate("MATCHSTATE:0:0::Js|", game("kuhn.limit.2p"))


def test_limit_raises_have_no_size() -> None:
    assert parse_betting("rc/", game("holdem.limit.2p.reverse_blinds")).spent == [20, 20]
    with pytest.raises(MatchStateError, match="a limit raise has no size"):
        parse_betting("r20", game("holdem.limit.2p.reverse_blinds"))


@given(st.integers(0, len(LINE)), st.integers(0, 3), st.text(alphabet="MS:0139rcf/|AskKd2 \r\n-\0é", max_size=4))
@example(len(LINE), 0, "\r\n")
@example(len(LINE), 0, "\n")
def test_mutated_lines_round_trip_or_raise(at: int, removed: int, inserted: str) -> None:
    line = LINE[:at] + inserted + LINE[at + removed :]
    try:
        view = parse_matchstate(line, game(HUNL))
    except MatchStateError:
        return
    assert format_matchstate(view) == line.removesuffix("\n").removesuffix("\r")
