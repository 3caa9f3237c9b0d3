"""Parsers of games, cards, bets, states and answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hedgehog.agent.acpc.protocol import ClientProtocol
from hedgehog.agent.questions import parse_decision
from hedgehog.arena.freeze_out.rules import parse_levels
from hedgehog.arena.launch import read_match_game
from hedgehog.cli.arena.dealer import _parse_ports
from hedgehog.cli.table.table_keys import parse_answer
from hedgehog.dealer.response import answers, read_action, scan_state
from hedgehog.dealer.server import parse_version
from hedgehog.poker.acpc.betting_line import format_betting_line, parse_betting_line
from hedgehog.poker.acpc.chosen_game import parse_stack
from hedgehog.poker.acpc.gamedef import (
    find_gamedef,
    format_gamedef,
    parse_gamedef,
    read_gamedef,
    read_gamedef_text,
    shipped_gamedefs,
)
from hedgehog.poker.acpc.matchstate import (
    MatchState,
    MatchStateReader,
    format_matchstate,
    parse_betting,
    parse_hand_cards,
    parse_matchstate,
    parse_number,
)
from hedgehog.poker.acpc.scanf import scan_integer
from hedgehog.poker.betsizes import (
    format_bet_size,
    format_bet_sizes,
    format_menu,
    parse_bet_size,
    parse_bet_sizes,
    parse_menu,
)
from hedgehog.poker.cards import format_card, format_cards, format_combo, parse_card, parse_cards, parse_combo
from hedgehog.poker.hand_names import parse_hand_filter
from hedgehog.poker.range_texts.forms import format_range_for
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.state import HandState
from hedgehog.poker.textures import parse_textures
from hedgehog.runtime.errors import (
    CardError,
    GamedefError,
    InputError,
    MatchError,
    MatchStateError,
    RangeError,
    SpotError,
)
from tests.golden import HUNL, TRANSCRIPTS, read_transcript
from tests.verification.parsers.entry import ROOT, Parser, as_bytes, back, in_file, same_text
from tests.verification.parsers.examples import GAMES

GAME_TEXTS = tuple(path.read_text() for path in shipped_gamedefs().values())
SENT = [(kind, text) for seat in read_transcript(TRANSCRIPTS[2]).seats for kind, text in seat]
STATES = tuple(text for kind, text in SENT if kind == "S")[:60]
HANDS = [list(group) for _, group in itertools.groupby(STATES, lambda line: line.split(":")[2])]
LONG_HAND = max(HANDS, key=len)
RESPONSES = tuple(text for kind, text in SENT if kind == "C" and text.startswith("MATCH"))[:60]
BETTINGS = ("", "cc/", "r300c/cr900", "r20000c///", "cr9352c/r15096r20000f", "rrcc/c", "ccfr45r300cccc/r724ff/", "f")


def parse_any_betting(text: str) -> HandState:
    """Parses a betting string of any game."""
    for gamedef in GAMES[1:]:
        with suppress(MatchStateError):
            return parse_betting(text, gamedef)
    return parse_betting(text, GAMES[0])


def check_betting_line(_: str, state: HandState) -> None:
    again = parse_betting_line(format_betting_line(state), state.gamedef, by_street=True)
    assert again.betting_string() == state.betting_string()


def parse_hunl_state(text: str) -> MatchState:
    return parse_matchstate(text, GAMES[0])


def check_state_line(text: str, result: Any) -> None:
    assert format_matchstate(result) == text.removesuffix("\n").removesuffix("\r")


def _outcome(parse: Callable[[str], Any], line: str) -> str:
    try:
        return format_matchstate(parse(line))
    except MatchStateError:
        return "refused"


def _row_with(text: str) -> list[str]:
    """Returns the lines of a hand up to some point, then ``text``, then the last line of the hand."""
    return [*LONG_HAND[: len(text) % len(LONG_HAND)], text, LONG_HAND[-1]]


def read_by_continuation(text: str) -> object:
    """Reads the lines of a hand as a client does, each as a continuation of the line before."""
    reader = MatchStateReader(GAMES[0])
    return [_outcome(reader.parse, line) for line in _row_with(text)]


def check_continuation(text: str, result: Any) -> None:
    assert result == [_outcome(parse_hunl_state, line) for line in _row_with(text)]


def scan_response(text: str) -> object:
    """Reads the state and the action of a client's line as the dealer does."""
    actions = []
    for gamedef in GAMES:
        echoed = scan_state(text, gamedef)
        state = HandState(gamedef)
        action, _ = read_action(text, echoed.end if echoed else text.rfind(":"), state)
        assert state.can(action)
        actions.append(action)
        if echoed is not None:
            assert 0 <= echoed.position < gamedef.num_players
            answers(echoed, 0, 0, state, ((1,),) * gamedef.num_players, ())
    return actions


def receive_at_once(text: str) -> object:
    """Returns the events of a client's protocol that receives all bytes of a dealer at once."""
    protocol = ClientProtocol(GAMES[0])
    events = protocol.receive(as_bytes(text))
    protocol.end_of_stream()
    return events


def check_range(_: str, weights: Any) -> None:
    assert ((weights >= 0) & (weights <= 1)).all()
    for form in ("hedgehog", "pio", "gto+"):
        assert (parse_range(format_range_for(form, weights)) == weights).all()


PARSERS = (
    Parser(
        "hedgehog.poker.acpc.gamedef.parse_gamedef",
        parse_gamedef,
        GAME_TEXTS,
        (GamedefError,),
        back(parse_gamedef, format_gamedef),
    ),
    Parser("hedgehog.poker.acpc.gamedef.read_gamedef", in_file(read_gamedef), GAME_TEXTS, (GamedefError,)),
    Parser(
        "hedgehog.poker.acpc.chosen_game.parse_stack",
        lambda text: parse_stack(text, 100),
        ("10000", "100bb", "37.5bb", "0.01bb"),
        (InputError,),
    ),
    Parser(
        "hedgehog.arena.freeze_out.rules.parse_levels",
        parse_levels,
        ("10/20x10,15/30x10,25/50", "1/2", "50/50x1, 100/200"),
        (InputError,),
    ),
    Parser(
        "hedgehog.poker.acpc.gamedef.read_gamedef_text",
        lambda name: parse_gamedef(read_gamedef_text(find_gamedef(name))),
        (HUNL, "holdem.nolimit.2p.50-100.10000", "holdem.nolimit.2p.1-2.300-200.game"),
        (GamedefError,),
    ),
    Parser(
        "hedgehog.poker.acpc.gamedef.find_gamedef",
        find_gamedef,
        (HUNL, "kuhn.limit.2p.game", str(ROOT / "a.game")),
        (GamedefError,),
    ),
    Parser("hedgehog.arena.launch.read_match_game", in_file(read_match_game), GAME_TEXTS, (InputError,)),
    Parser(
        "hedgehog.poker.cards.parse_card", parse_card, ("Qh", "2c", "tS"), (CardError,), back(parse_card, format_card)
    ),
    Parser(
        "hedgehog.poker.cards.parse_cards",
        parse_cards,
        ("QhJh2c", "Qh Jh, 2c", "", "AsKsQsJsTs9s8s"),
        (CardError,),
        back(parse_cards, format_cards),
    ),
    Parser(
        "hedgehog.poker.cards.parse_combo",
        parse_combo,
        ("AhKh", "2c 2d"),
        (CardError,),
        back(parse_combo, format_combo),
    ),
    Parser(
        "hedgehog.poker.acpc.scanf.scan_integer",
        lambda text: scan_integer(text, 0, 32, signed=True),
        ("12", " -7x", "+0009"),
    ),
    Parser(
        "hedgehog.poker.acpc.matchstate.parse_betting",
        parse_any_betting,
        BETTINGS,
        (MatchStateError,),
        same_text(HandState.betting_string),
    ),
    Parser(
        "hedgehog.poker.acpc.betting_line.parse_betting_line",
        lambda text: parse_betting_line(text, GAMES[0]),
        ("r250c/kr300", "r250c/cr550", "ck/kk/kk/", "r20000c", " r250 c / k r300 c"),
        (MatchStateError,),
        check_betting_line,
    ),
    Parser(
        "hedgehog.agent.questions.parse_decision",
        lambda text: parse_decision(*(text.split("|") + [""] * 3)[:3], gamedef=GAMES[0]),
        ("r250c/kr300|Qs Jh 2h|AhKd", "||2c 2s", "ck/kk/|QsJh2h5c|AsKs", "r250c/cr550c/cc/|Qs,Jh,2h,5c,6d|7c7d"),
        (MatchStateError, CardError),
    ),
    Parser(
        "hedgehog.cli.table.table_keys.parse_answer",
        lambda text: parse_answer(text, parse_betting("r250c/r600", GAMES[0])),
        ("f", "c", "r 900", "raise to 1,000", "900", "p", "?", "all-in"),
        (InputError,),
    ),
    Parser(
        "hedgehog.poker.acpc.matchstate.parse_hand_cards",
        lambda text: parse_hand_cards(text, GAMES[0], text.count("/") % 4),
        ("AsKd|", "|QhJh/2c3c4c", "AsKd|QhJh/2c3c4c/5d/6d"),
        (MatchStateError,),
    ),
    Parser(
        "hedgehog.poker.acpc.matchstate.parse_number",
        lambda text: parse_number(text, "number"),
        ("0", "17", "4294967295"),
        (MatchStateError,),
        same_text(str),
    ),
    Parser(
        "hedgehog.poker.acpc.matchstate.parse_matchstate",
        parse_hunl_state,
        STATES,
        (MatchStateError,),
        check_state_line,
    ),
    Parser(
        "hedgehog.poker.acpc.matchstate.MatchStateReader.parse",
        read_by_continuation,
        tuple(LONG_HAND),
        (),
        check_continuation,
    ),
    Parser(
        "hedgehog.poker.betsizes.parse_bet_size",
        parse_bet_size,
        ("50%", "2.5x", "100c", "20c3r", "e", "2e", "3e200%", "a"),
        (SpotError,),
        back(parse_bet_size, format_bet_size),
    ),
    Parser(
        "hedgehog.poker.betsizes.parse_menu",
        parse_menu,
        ("50%,100c,a", "", "2.5x, e"),
        (SpotError,),
        back(parse_menu, format_menu),
    ),
    Parser(
        "hedgehog.poker.betsizes.parse_bet_sizes",
        parse_bet_sizes,
        ("50%,a / 2.5x,a", "/", "33%,2e / 100% / a"),
        (SpotError,),
        back(parse_bet_sizes, format_bet_sizes),
    ),
    Parser(
        "hedgehog.poker.hand_names.parse_hand_filter",
        parse_hand_filter,
        ("top pair+,flush draw", "set & !nut flush draw, OESD+", "Two-Pair+ & fd , ! high_card"),
        (InputError,),
    ),
    Parser(
        "hedgehog.poker.textures.parse_textures",
        parse_textures,
        ("paired,ace-high+rainbow", "Monotone", " low + connected , trips"),
        (InputError,),
        lambda _, terms: [term.classes() for term in terms],
    ),
    Parser(
        "hedgehog.poker.ranges.parse_range hedgehog.poker.range_texts.vectors.parse_named_vector",
        parse_range,
        (
            "66+,A8s+,KTo+,A5s-A4s,76s:0.5,AhKh",
            "random",
            "QQ-77:0.25",
            "AhKh:0.5,AKs",
            "AA KK:50%, 15%:0.5",
            "AA-TT,[77.0]22,AhKh[/77.0],[5]75s[/5]",
            "pio-order" + " 0.5" * 1326,
        ),
        (RangeError,),
        check_range,
    ),
    Parser(
        "hedgehog.dealer.response.scan_state hedgehog.dealer.response.read_action",
        scan_response,
        (*RESPONSES, "MATCHSTATE:0:0::|:c"),
    ),
    Parser(
        "hedgehog.agent.acpc.protocol.ClientProtocol",
        receive_at_once,
        tuple(map("".join, itertools.accumulate((state,) for state in STATES[:20]))),
        (MatchError,),
    ),
    Parser(
        "hedgehog.dealer.server.parse_version",
        parse_version,
        ("VERSION:2.0.0\r\n", "VERSION: 2.0.17 x", "VERSION:1.0.0"),
    ),
    Parser("hedgehog.cli.arena.dealer._parse_ports", _parse_ports, ("0,0", "1024,65535", "20000"), (InputError,)),
)


KEPT: tuple[tuple[str, str], ...] = (
    ("hedgehog.poker.acpc.gamedef.find_gamedef", "holdem." * 60),
    ("hedgehog.poker.acpc.matchstate.MatchStateReader.parse", "MATCHSTATE:0:4::5s4c|\r\r\n"),
)
