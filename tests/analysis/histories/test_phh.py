"""PHH through pokerkit: golden logs there and back, foreign hands, everything ACPC or PHH cannot express."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import HandHistory

from hedgehog.analysis.histories.hand_files import format_acpc_hand
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.phh import PhhFormatter, format_remark, phh_variant, read_phh
from hedgehog.analysis.histories.phh_text import parse_phh, split_phh
from hedgehog.analysis.histories.real_hands import betting
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef, shipped_gamedefs
from hedgehog.poker.acpc.handlog import LoggedHand, format_value, parse_log_line
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import format_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import GamedefError, InputError, LogError
from tests.golden import HUNL, game, read_golden_log

GOLDEN = {
    "log_hunl2p_s1471220049": HUNL,
    "log_limit2p_s1471220049": "holdem.limit.2p.reverse_blinds",
    "log_limit3p_s1471220049": "holdem.limit.3p",
    "log_nolimit3p_s1471220049": "holdem.nolimit.3p",
}
HAND = """
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ['d dh p1 AhKd', 'd dh p2 ????', 'p2 cbr 300', 'p1 cc', 'd db 2s9dTh', 'p1 cbr 500', 'p2 f']
players = ['Ann', 'Bob']
"""
SHOWDOWN = HAND.replace(
    "'p2 f'", "'p2 cc', 'd db 3c', 'p1 cc', 'p2 cc', 'd db 4c', 'p1 cc', 'p2 cc', 'p1 sm AhKd', 'p2 sm'"
)


def only_hand(text: str) -> LoggedHand:
    ((_, hand),) = read_phh(text.split("\n"))
    if isinstance(hand, tuple):
        hand = hand[1]
    if isinstance(hand, LogError):
        raise hand
    assert isinstance(hand, LoggedHand)
    return hand


def states(name: str, count: int) -> list[str]:
    return [line for line in read_golden_log(name) if line.startswith("STATE:")][:count]


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_hands_come_back_and_replay_in_pokerkit(name: str) -> None:
    gamedef = game(GOLDEN[name])
    formatter = PhhFormatter(gamedef)
    for line in states(name, 15):
        text = formatter.format(parse_log_line(line, gamedef))
        hand = only_hand(text)
        assert format_acpc_hand(hand) == line
        assert hand.state.gamedef == gamedef
        # pokerkit on its own, with its whole odd chips, must end with our stacks up to such a chip.
        history = HandHistory.loads(text)
        *_, state = history
        assert not state.status
        assert history.players == line.split(":")[5].split("|")
        values = [float(value) for value in line.split(":")[4].split("|")]
        stacks = [stack + value for stack, value in zip(gamedef.stacks, values, strict=True)]
        assert list(map(float, history.finishing_stacks or ())) == pytest.approx(stacks)
        assert list(map(float, state.stacks)) == pytest.approx(stacks, abs=0.999)


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN)
def test_whole_golden_logs_come_back(name: str) -> None:
    gamedef = game(GOLDEN[name])
    formatter = PhhFormatter(gamedef)
    lines = states(name, 500)
    text = "\n".join(f"[{n}]\n{formatter.format(parse_log_line(line, gamedef))}\n" for n, line in enumerate(lines))
    assert [format_acpc_hand(hand) for _, hand in read_phh(text.split("\n")) if isinstance(hand, LoggedHand)] == lines


@pytest.mark.slow
@settings(max_examples=300)
@given(data=st.data())
@pytest.mark.parametrize("name", sorted(set(GOLDEN.values())))
def test_no_hand_with_equal_stacks_is_refused(name: str, data: st.DataObject) -> None:
    gamedef = game(name)
    state = HandState(gamedef)
    while not state.finished:
        limits = state.raise_range()
        actions = [CALL] + [FOLD] * state.can_fold()
        if limits is not None:
            sizes = st.sampled_from(limits) | st.integers(*limits)
            actions += [Action("r", data.draw(sizes))] * 2
        state.apply(data.draw(st.sampled_from(actions)))
    needed = 2 * gamedef.num_players + 5
    cards = data.draw(st.lists(st.integers(0, 51), min_size=needed, max_size=needed, unique=True))
    hole_cards = tuple(tuple(cards[2 * p : 2 * p + 2]) for p in range(gamedef.num_players))
    board = tuple(cards[-5:][: gamedef.board_cards_by(state.round)])
    values = tuple(map(format_value, payoffs(state, hole_cards, board)))
    hand = LoggedHand(3, state, hole_cards, board, values, "|".join("ABC"[: gamedef.num_players]))
    assert format_acpc_hand(only_hand(PhhFormatter(gamedef).format(hand))) == format_acpc_hand(hand)


def test_fields_of_a_heads_up_hand() -> None:
    line = "STATE:7:r300c/r800f:AhKd|7c7s/2s9dTh:300|-300:Ann|Bob"
    text = PhhFormatter(game(HUNL)).format(parse_log_line(line, game(HUNL)))
    history = HandHistory.loads(text)
    assert history.blinds_or_straddles == [50, 100]
    assert history.actions == [
        "d dh p1 AhKd", "d dh p2 7c7s", "p2 cbr 300", "p1 cc", "d db 2s9dTh", "p1 cbr 500", "p2 f",
    ]  # fmt: skip
    assert (history.hand, history.players, history.finishing_stacks) == (7, ["Ann", "Bob"], [20300, 19700])


def test_split_pots_keep_their_fractions() -> None:
    # The button limps, the small blind folds; the other two both play the royal flush on the board.
    gamedef = replace(game("holdem.nolimit.3p"), blinds=(25, 100, 0))
    line = "STATE:0:cfc/cc/cc/cc:2c3d|2d3c|2h3s/AsKsQs/Js/Ts:0|0|0:A|B|C"
    with pytest.raises(LogError, match="expected values"):
        PhhFormatter(gamedef).format(parse_log_line(line, gamedef))
    hand = parse_log_line(line.replace(":0|0|0:", ":-25|12.5|12.5:"), gamedef)
    text = PhhFormatter(gamedef).format(hand)
    assert "finishing_stacks = [19975, 20012.5, 20012.5]" in text
    assert only_hand(text).values == ("-25", "12.5", "12.5")


EQUAL_BLINDS = replace(game(HUNL), blinds=(100, 100))


@pytest.mark.parametrize(
    ("gamedef", "line", "blinds", "actions"),
    [
        # Both have chips: the button acts first, as with any other blinds.
        (EQUAL_BLINDS, "cr300f", [-100, 100], ["p2 cc", "p1 cbr 300", "p2 f"]),
        (EQUAL_BLINDS, "r300c/cr700f", [-100, 100], ["p2 cbr 300", "p1 cc", "p1 cc", "p2 cbr 400", "p1 f"]),
        # In this game the big blind acts first.
        (replace(EQUAL_BLINDS, first_positions=(0,) * 4), "cr300f", [100, 100], ["p1 cc", "p2 cbr 300", "p1 f"]),
        # All-in by the blinds: both, the big blind, the button with less than the big blind.
        (replace(EQUAL_BLINDS, stacks=(100, 100)), "///", [-100, 100], []),
        (replace(EQUAL_BLINDS, stacks=(100, 900)), "c///", [-100, 100], []),
        (replace(EQUAL_BLINDS, stacks=(900, 30), blinds=(100, 30)), "c///", [30, 100], []),
        # A short big blind that the button has to complete or leave.
        (replace(EQUAL_BLINDS, stacks=(70, 900), blinds=(70, 50)), "c///", [50, 70], ["p2 cc"]),
        (replace(EQUAL_BLINDS, stacks=(70, 900), blinds=(70, 50)), "f", [50, 70], ["p2 f"]),
    ],
)
def test_equal_and_short_blinds(gamedef: GameDef, line: str, blinds: list[int], actions: list[str]) -> None:
    state = parse_betting(line, gamedef)
    hole_cards, board = ((20, 21), (8, 12)), (0, 4, 17, 34, 51)[: gamedef.board_cards_by(state.round)]
    values = tuple(map(format_value, payoffs(state, hole_cards, board)))
    hand = LoggedHand(5, state, hole_cards, board, values, "Ann|Bob")
    text = PhhFormatter(gamedef).format(hand)
    back = only_hand(text)
    assert format_acpc_hand(back) == format_acpc_hand(hand)
    assert back.state.gamedef == gamedef
    history = HandHistory.loads(text)
    *_, end = history
    assert not end.status
    assert history.blinds_or_straddles == blinds
    assert [a for a in history.actions if not a.startswith("d ") and " sm" not in a] == actions
    assert list(end.stacks) == [stack + int(value) for stack, value in zip(gamedef.stacks, values, strict=True)]


def test_a_short_blind_of_another_source_is_no_fault_but_left_out() -> None:
    text = HAND.replace("[20000, 20000]", "[20000, 30]")
    text = re.sub("'p2 cbr 300'.*", "'d db 2s9dTh', 'd db 3c', 'd db 4c', 'p1 sm AhKd', 'p2 sm AcAs']", text)
    ((_, content),) = read_phh(text.split("\n"))
    assert isinstance(content, tuple)
    real, objection = content
    assert (real.posts, real.blinds, real.net) == ((100, 30), (100, 50), (-30.0, 30.0))
    assert isinstance(objection, LeftOutError)
    assert objection.kind == "an incomplete blind, which no ACPC log can hold"


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "leduc.limit.2p", "custom.nolimit.6p.sidepots"])
def test_games_without_variant(name: str) -> None:
    with pytest.raises(GamedefError, match="no variant for this game: expected the full deck"):
        PhhFormatter(game(name))


def test_variants_of_the_shipped_games() -> None:
    variants = {}
    for name in shipped_gamedefs():
        try:
            variants[name] = phh_variant(game(name))
        except GamedefError:
            variants[name] = ""
    assert {name for name, variant in variants.items() if variant == "NT"} == {
        "custom.nolimit.3p.shortstacks", "holdem.nolimit.3p",
        "holdem.nolimit.2p.10bb", "holdem.nolimit.2p.reverse_blinds",
    }  # fmt: skip
    assert {name for name, variant in variants.items() if variant == "FT"} == {
        "custom.limit.4p.shortstacks", "holdem.limit.2p.reverse_blinds", "holdem.limit.3p",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"num_hole_cards": 3}, "hold'em"),
        ({"num_board_cards": (0, 1, 1, 1)}, "hold'em"),
        ({"blinds": (0, 0)}, "blind"),
        ({"first_positions": (0, 0, 0, 0)}, "act first"),
        ({"max_raises": (4, 4, 4, 4)}, "number of raises"),
        ({"no_limit": False, "raise_sizes": (1, 2, 2, 2), "max_raises": (3, 4, 4, 4)}, "one raise size"),
        ({"no_limit": False, "raise_sizes": (1, 1, 2, 2)}, "raises per round"),
    ],
)
def test_games_that_are_almost_a_variant(changes: dict[str, object], expected: str) -> None:
    with pytest.raises(GamedefError, match=expected):
        phh_variant(replace(game(HUNL), **changes))  # type: ignore[arg-type]


def test_raises_after_a_short_all_in_are_no_phh() -> None:
    gamedef = game("custom.nolimit.3p.shortstacks")
    line = "STATE:2:ccc/r675r700cr1326r1952c//:Jh7c|Kd7d|Kh3h/8d2c9h/Ts/Kc:2200|-700|-1500:P3_ex|P1_mix|P2_bad"
    with pytest.raises(LogError, match="hand 2: PHH cannot express it"):
        PhhFormatter(gamedef).format(parse_log_line(line, gamedef))


def test_names_with_bars_are_refused() -> None:
    line = "STATE:7:r300c/r800f:AhKd|7c7s/2s9dTh:300|-300:Ann|Bob|Jr"
    with pytest.raises(LogError, match="names without"):
        PhhFormatter(game(HUNL)).format(parse_log_line(line, game(HUNL)))


def test_foreign_hand_with_unknown_cards() -> None:
    hand = only_hand(HAND)
    assert format_acpc_hand(hand) == "STATE:0:r300c/r800f:AhKd|/2s9dTh:300|-300:Ann|Bob"


def test_mucked_showdown_needs_the_final_stacks() -> None:
    with pytest.raises(LogError, match="finishing_stacks"):
        only_hand(SHOWDOWN)
    hand = only_hand(SHOWDOWN + "finishing_stacks = [20800, 19200]\n")
    assert (hand.values, hand.hole_cards[1]) == (("800", "-800"), ())


def test_infinite_stacks_are_those_of_limit_games() -> None:
    text = HAND.replace("[20000, 20000]", "[inf, inf]").replace("variant = 'NT'", "variant = 'FT'")
    text = text.replace("min_bet = 100", "small_bet = 100\nbig_bet = 200").replace("cbr 300", "cbr 200")
    hand = only_hand(text.replace("cbr 500", "cbr 100"))
    assert hand.state.gamedef.stacks == (UNLIMITED_STACK, UNLIMITED_STACK)
    assert hand.state.betting_string() == "rc/rf"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("'NT'", "'PO'", "variant NT or FT"),
        ("'NT'", "'XX'", "variant NT or FT, .*'XX'"),
        ("variant = 'NT'", "", "not a PHH hand"),
        ("antes = [0, 0]", "antes = [1, 1]", "no antes"),
        ("[50, 100]", "[0.125, 100]", "at most two decimals"),
        ("[50, 100]", "[50]", "blind"),
        ("[50, 100]", "[50, -100]", "blind"),
        ("min_bet = 100", "min_bet = 200", "smallest bet"),
        ("[20000, 20000]", "[20000]", "2 to 10 players"),
        ("[20000, 20000]", "[99, 20000]", "not smaller than the blinds"),
        ("[20000, 20000]", "['a', 'b']", "expected a number as stack"),
        ("[20000, 20000]", "[99999999999, 20000]", "at most"),
        ("'p2 f'", "'p2 x'", "pokerkit cannot play"),
        ("'p2 f'", "'p1 f'", "pokerkit cannot play"),
        (", 'p2 f'", "", "finished hand"),
        ("AhKd", "Ah??", "both or none of the hole cards of p1"),
        ("2s9dTh", "????Th", "3 known board cards"),
        ("['Ann', 'Bob']", "['Ann']", "names of 2 players"),
        ("['Ann', 'Bob']", "['A|n', 'Bob']", "names without"),
        ("['Ann', 'Bob']", "7", "malformed field"),
        ("antes", "= antes", "not a PHH hand"),
        ("min_bet = 100", "min_bet = 1__0", "not a PHH hand"),
        ("min_bet = 100", "min_bet = 1_0.5", "smallest bet"),
    ],
)
def test_bad_hands(old: str, new: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        only_hand(HAND.replace(old, new))


def test_documents_with_many_hands_and_remarks() -> None:
    text = f"# name/game/hands/seed m g 2 0\n\n[1]{HAND}\n# note\n[2]\n{HAND}hand = 9\n\n# SCORE:600|-600:Ann|Bob\n"
    entries = list(read_phh(text.split("\n")))
    assert [content for _, content in entries if isinstance(content, str)] == [
        "# name/game/hands/seed m g 2 0", "# note", "SCORE:600|-600:Ann|Bob",
    ]  # fmt: skip
    assert [content.hand_id for _, content in entries if isinstance(content, LoggedHand)] == [0, 9]
    assert [line for line, _ in entries] == [1, 3, 12, 13, 24]


def test_bad_hands_lose_only_themselves() -> None:
    text = f"[1]{HAND.replace('[0, 0]', '[1, 1]')}\n[2]{HAND}\n[3]\nvariant = \n[4]{HAND}"
    (_, ante), (line, good), (_, bad), (_, last) = read_phh(text.split("\n"))
    assert isinstance(ante, tuple)
    assert ante[0].dead == (1, 1)
    assert isinstance(ante[1], LeftOutError)
    assert line == 10
    assert isinstance(good, LoggedHand)
    assert isinstance(bad, LogError)
    assert isinstance(last, LoggedHand)


def test_remarks_without_control_characters() -> None:
    assert format_remark("SCORE:1|-1:a|b") == "# SCORE:1|-1:a|b"
    with pytest.raises(LogError, match="control characters"):
        format_remark("# a\rb")


def test_missing_pokerkit_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    with pytest.raises(InputError, match=rf"{re.escape(sys.executable)} -m pip install pokerkit$"):
        PhhFormatter(game(HUNL))
    with pytest.raises(InputError, match=rf"{re.escape(sys.executable)} -m pip install pokerkit$"):
        list(read_phh(HAND.split("\n")))


SHORT_ALL_IN = """variant = 'NT'
antes = [0, 0, 0, 0]
blinds_or_straddles = [1, 2, 0, 0]
min_bet = 2
starting_stacks = [19, 200, 200, 200]
actions = ['d dh p1 AhAd', 'd dh p2 KsKd', 'd dh p3 QsQd', 'd dh p4 7c2c', 'p3 cbr 16', 'p4 cc', 'p1 cbr 19', 'p2 cc',
  'p3 cc', 'p4 f', 'd db 2h5s9c', 'p2 cc', 'p3 cc', 'd db Tc', 'p2 cc', 'p3 cc', 'd db 3d', 'p2 cc', 'p3 cc']
"""


@pytest.mark.parametrize(
    "shown",
    ["", ", 'p3 sm QsQd', 'p1 sm AhAd', 'p2 sm KsKd'", ", 'p3 sm QsQd', 'p1 sm AhAd', 'p2 sm'"],
)
def test_hole_cards_that_were_dealt_openly_are_known_at_the_showdown(shown: str) -> None:
    hand = only_hand(SHORT_ALL_IN.replace("'p3 cc']", f"'p3 cc'{shown}]"))
    assert hand.values == ("54", "-19", "-19", "-16")
    assert format_cards(hand.hole_cards[1]) == "KsKd"


CENTS = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [0.50, 1]
min_bet = 1
starting_stacks = [100, 80.25]
actions = ['d dh p1 AhKd', 'd dh p2 7c7d', 'p2 cbr 2.50 # a remark', 'p1 cc', 'd db 2s9dTh', 'p1 cbr 5', 'p2 cc',
  'd db Ac', 'p1 cc', 'p2 cc', 'd db 4c', 'p1 cc', 'p2 cc']
finishing_stacks = [107.50, 72.75]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("0.50", "0.5"),
        ("min_bet = 1", "min_bet = 1.00"),
        ("cbr 5'", "cbr 5.00'"),
        ("finishing_stacks = [107.50, 72.75]\n", ""),
    ],
)
def test_amounts_with_decimals_are_read_in_cents(old: str, new: str) -> None:
    text = CENTS.replace(old, new, 1)
    hand = only_hand(text)
    assert (hand.state.gamedef.stacks, hand.state.gamedef.blinds) == ((10000, 8025), (100, 50))
    assert (hand.state.betting_string(), hand.values) == ("r250c/r750c/cc/cc", ("750", "-750"))
    (block,) = split_phh(text.split("\n"))
    real = parse_phh(block)
    assert (real.stacks, real.net, betting(real)) == ((10000, 8025), (750, -750), "r250c/r750c/cc/cc")


SPLIT = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [20, 20, 20]
actions = ['d dh p1 7h2d', 'd dh p2 KsKd', 'd dh p3 KhKc', 'p3 cbr 20', 'p1 f', 'p2 cc', 'd db 2h5s9c', 'd db Tc',
  'd db 3d']
finishing_stacks = [19, 20.5, 20.5]
"""


def test_fractions_of_final_stacks_make_no_cents() -> None:
    hand = only_hand(SPLIT)
    assert (hand.state.gamedef.stacks, hand.values) == ((20, 20, 20), ("-1", "0.5", "0.5"))
