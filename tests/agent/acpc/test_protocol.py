"""hedgehog.agent.acpc.protocol: framing, who is asked, answers, ends of stream."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.agent.acpc.protocol import MAX_LINE_BYTES, ClientProtocol, LineSplitter, StateEvent, format_answer
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.runtime.errors import MatchError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))

# One hand as position 1 (the button) sees it: it acts first before the flop, second afterwards.
HAND = [
    (b"MATCHSTATE:1:7::|AhKh", True),
    (b"MATCHSTATE:1:7:r300:|AhKh", False),
    (b"MATCHSTATE:1:7:r300c/:|AhKh/2c7dTs", False),
    (b"MATCHSTATE:1:7:r300c/r600:|AhKh/2c7dTs", True),
    (b"MATCHSTATE:1:7:r300c/r600f:|AhKh/2c7dTs", False),
]


def lines_and_turns(events: list[StateEvent]) -> list[tuple[bytes, bool]]:
    return [(event.line, event.our_turn) for event in events]


def chunks(data: bytes, cuts: list[int]) -> list[bytes]:
    ends = sorted(cut % (len(data) + 1) for cut in cuts)
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]


@given(
    cuts=st.lists(st.integers(0, 10_000)),
    line_ends=st.lists(st.sampled_from([b"\r\n", b"\n"]), min_size=len(HAND), max_size=len(HAND)),
    comments=st.lists(st.sampled_from([b"", b"# hello\r\n", b";\n", b"#\n# MATCHSTATE:0\n"]), min_size=5, max_size=5),
)
def test_chunking_line_ends_and_comments_do_not_matter(
    cuts: list[int], line_ends: list[bytes], comments: list[bytes]
) -> None:
    data = b"".join(comment + line + end for (line, _), end, comment in zip(HAND, line_ends, comments, strict=True))
    protocol = ClientProtocol(HUNL)
    events = [event for chunk in chunks(data, cuts) for event in protocol.receive(chunk)]
    assert lines_and_turns(events) == HAND
    protocol.end_of_stream()


@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300)))
def test_splitter_loses_no_byte(data: bytes, cuts: list[int]) -> None:
    splitter = LineSplitter()
    lines = [line for chunk in chunks(data, cuts) for line in splitter.feed(chunk)]
    expected = data.split(b"\n")
    assert splitter.rest == expected[-1]
    assert lines == [line.removesuffix(b"\r") for line in expected[:-1]]


@given(data=st.binary(max_size=200))
def test_garbage_raises_match_errors_only(data: bytes) -> None:
    only_comments = all(line[:1] in {b"#", b";"} for line in data.split(b"\n"))
    with nullcontext() if only_comments else pytest.raises(MatchError) as caught:
        assert ClientProtocol(HUNL).receive(data + b"\n") == []
    assert caught is None or "\n" not in str(caught.value)  # one line for the user


def test_the_longest_line_is_accepted_and_one_byte_more_is_not() -> None:
    assert LineSplitter().feed(b"x" * MAX_LINE_BYTES + b"\r\n") == [b"x" * MAX_LINE_BYTES]
    for chunk in (b"x" * (MAX_LINE_BYTES + 1) + b"\n", b"x" * (MAX_LINE_BYTES + 2)):
        with pytest.raises(MatchError, match="more than 4096 bytes"):
            LineSplitter().feed(chunk)
    splitter = LineSplitter()
    assert splitter.feed(b"x" * MAX_LINE_BYTES + b"\r") == []  # the CR does not count
    assert splitter.feed(b"\n") == [b"x" * MAX_LINE_BYTES]


@pytest.mark.parametrize(
    ("action", "text"), [(FOLD, b"f"), (CALL, b"c"), (Action("r", 20000), b"r20000"), (Action("r"), b"r")]
)
def test_answer_repeats_the_line(action: Action, text: bytes) -> None:
    (event,) = ClientProtocol(HUNL).receive(b"MATCHSTATE:1:7::|AhKh\r\n")
    assert format_answer(event, action) == b"MATCHSTATE:1:7::|AhKh:" + text + b"\r\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"ERROR: go away", "expected MATCHSTATE"),
        (b"", "expected MATCHSTATE"),
        (b"MATCHSTATE:1:7:x:|AhKh", "expected an action"),
        (b"MATCHSTATE:1:7:r1:|AhKh", "expected a raise to 200..20000"),
        (b"MATCHSTATE:2:7::|AhKh", "expected a position below 2"),
        ("MATCHSTATE:1:7::|ÄhKh".encode(), "ascii"),
    ],
)
def test_what_is_no_state_is_one_clear_error(line: bytes, reason: str) -> None:
    with pytest.raises(MatchError, match=f"no state of this game.*{reason}"):
        ClientProtocol(HUNL).receive(line + b"\r\n")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "before the first hand"),
        (b"# only a comment\r\n", "before the first hand"),
        (b"MATCHSTATE:1:7::|AhKh\r\n", "in the middle of hand 7"),
        (b"MATCHSTATE:1:7:f:|AhKh\r\nMATCHST", "in the middle of a line: b'MATCHST'"),
    ],
)
def test_an_early_end_is_an_error(data: bytes, reason: str) -> None:
    protocol = ClientProtocol(HUNL)
    protocol.receive(data)
    with pytest.raises(MatchError, match=reason):
        protocol.end_of_stream()


def test_three_players_each_answer_their_own_states() -> None:
    game = read_gamedef(find_gamedef("kuhn.limit.3p"))
    for position in range(3):
        hands = ["", "", ""]
        hands[position] = "Js"
        asked = [
            ClientProtocol(game).receive(f"MATCHSTATE:{position}:0:{betting}:{'|'.join(hands)}\n".encode())[0].our_turn
            for betting in ("", "c", "cc")
        ]
        assert asked == [position == actor for actor in range(3)]
