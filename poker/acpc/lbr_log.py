"""Logs of local best response (LBR) playing heads-up no-limit hold'em, as published with the DeepStack study.

A file starts with configuration lines (``In config file: GAME_DEF=...``, ``In config file: ACTIONS_R0=...``, ``Using
seed N.``), goes on with one line per hand, and ends with the sums over its hands. A hand is

``number:names:betting:hole cards|board:values(imaginary value)``

with everything in position order (position 0 has the big blind), for example
``3:BR,Player:0cr300c/r500f:AhKd,7c7s|/2s9dTh:400,-400(400.000000)``. The betting differs from that of ACPC logs:

- it starts with ``0``;
- ``rN`` raises *by* N chips beyond a call, while ACPC's ``rN`` raises *to* N chips over the whole hand;
- once both players are all-in, the rounds left are written as two checks each (``/cc``);
- a tie is written as ``0,-0``.

The imaginary value is what the player of position 0 wins on average over the hands the evaluated agent could have
held (imaginary observations, Bowling et al. 2008): the same mean as the chips won, with less variance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from poker.acpc.gamedef import DEFAULT_GAME, GameDef, load_gamedef
from poker.acpc.handlog import Fault, LoggedHand, LogReport, format_value
from poker.acpc.matchstate import parse_hand_cards, parse_number
from poker.showdown import payoffs
from poker.state import Action, HandState
from runtime.errors import HedgehogError, InputError, LogError

_CONFIG: Final = "In config file: "
_SEED: Final = re.compile(r"Using seed ([0-9]{1,10})\.")
_HAND: Final = re.compile(
    r"(?P<number>[0-9]+):(?P<names>[^:,|]+,[^:,|]+):0(?P<betting>[^:]*):(?P<hands>[^:|]*)\|(?P<board>[^:]*)"
    r":(?P<values>-?[0-9]{1,12},-?[0-9]{1,12})\((?P<imaginary>-?[0-9]{1,12}(?:\.[0-9]{1,12})?)\)"
)
_HAND_START: Final = re.compile(r"[0-9]+:")
_ACTION: Final = re.compile(r"/|[fc]|r(?P<by>[1-9][0-9]{0,9})")
_TOTALS_START: Final = "RAW BR STATS: "
_SUM: Final = r"(-?[0-9]+(?:\.[0-9]+)?)"
_TOTALS: Final = re.compile(rf"{_TOTALS_START}n=([0-9]+), sum={_SUM}, sum_sq={_SUM}, vr_sum={_SUM}, vr_sum_sq={_SUM}")
_SHOWN: Final = 200
"""How much of a bad line a message shows."""

LBR_NAME: Final = "BR"
"""What the logs call local best response; the other player is ``Player``."""

GAME_NAMES: Final = {
    "game_def.fullholdem": f"{DEFAULT_GAME}.game",
    "holdem/game_def.holdem.2p.no_limit.100BB.reverse_blinds": "holdem.nolimit.2p.100bb.reverse_blinds.game",
}
"""Game definitions named in the logs -> file names for an ACPC log (200 and 100 big blinds deep)."""
_CHIPS: Final = dict(zip(GAME_NAMES, ((20000, (100, 50)), (200, (2, 1))), strict=True))
"""Game definitions named in the logs -> (stack, blinds)."""


@dataclass(frozen=True, slots=True)
class LbrHeader:
    """The configuration lines of an LBR log."""

    game: str
    """Game definition as the log names it, a key of :data:`GAME_NAMES`."""
    actions: tuple[str, ...]
    """Per round the actions local best response considered, for example ``F,C,1,A``; bets in pots."""
    seed: int
    """Seed of the cards."""

    def gamedef(self) -> GameDef:
        """Returns the game of the log."""
        stack, blinds = _CHIPS[self.game]
        return replace(load_gamedef(), stacks=(stack, stack), blinds=blinds)


@dataclass(frozen=True, slots=True)
class LbrHand:
    """One hand of an LBR log."""

    hand: LoggedHand
    """The hand as an ACPC log would have it; the first one (number 1) has hand id 0."""
    imaginary_value: float
    """Mean chips won by position 0 over the hands the evaluated agent could have held."""


def read_lbr_header(lines: Iterable[str], source: str | None = None) -> LbrHeader:
    """Reads the configuration lines in front of the first hand of an LBR log.

    :param source: file name for error messages.
    :raises LogError: if game, actions or seed are missing, or the game is not one of :data:`GAME_NAMES`.
    """
    settings: dict[str, str] = {}
    seed = None
    for line in lines:
        if _HAND_START.match(line):
            break
        key, separator, value = line.removeprefix(_CONFIG).partition("=")
        if line.startswith(_CONFIG) and separator:
            settings[key] = value
        match = _SEED.fullmatch(line)
        if match is not None:
            seed = int(match[1])
    game = settings.get("GAME_DEF")
    if game is None or seed is None:
        missing = "'In config file: GAME_DEF=...'" if game is None else "'Using seed N.'"
        raise LogError(f"expected the line {missing} before the first hand of an LBR log", source=source)
    if game not in GAME_NAMES:
        raise LogError(f"expected one of the games {', '.join(GAME_NAMES)}, got {game!r}", source=source)
    actions: list[str] = []
    while f"ACTIONS_R{len(actions)}" in settings:
        actions.append(settings[f"ACTIONS_R{len(actions)}"])
    return LbrHeader(game, tuple(actions), seed)


def is_lbr_hand(line: str) -> bool:
    """Tells whether a line of an LBR log describes a hand."""
    return _HAND_START.match(line) is not None


def parse_lbr_betting(text: str, gamedef: GameDef) -> HandState:
    """Plays the betting of an LBR hand, without its leading ``0``.

    :raises MatchStateError: if an action is illegal.
    :raises LogError: if the text is malformed or describes an unfinished hand.
    """
    state = HandState(gamedef)
    at = 0
    while at < len(text) and not state.finished:
        match = _ACTION.match(text, at)
        if match is None:
            raise LogError(f"expected f, c, rN or / at {text[at:]!r} in betting {text!r}")
        token = match.group()
        if match["by"] is not None:
            state.apply(Action("r", state.max_spent + int(match["by"])))
        elif token != "/":
            state.apply(Action(token))
        at = match.end()
    if not state.finished:
        raise LogError(f"expected a finished hand, but after {text!r} position {state.acting_position} acts")
    if format_lbr_betting(state) != text:
        raise LogError(f"expected betting {format_lbr_betting(state)!r}, got {text!r}")
    return state


def format_lbr_betting(state: HandState) -> str:
    """Formats the betting of a finished heads-up hand as in LBR logs, without the leading ``0``."""
    rounds = []
    bet = state.gamedef.big_blind
    for actions in state.actions:
        text = ""
        for _, action in actions:
            if action.kind == "r":
                text += f"r{action.size - bet}"
                bet = action.size
            else:
                text += action.kind
        rounds.append(text or "cc")
    return "/".join(rounds)


def parse_lbr_hand(line: str, gamedef: GameDef) -> LbrHand:
    """Parses one hand of an LBR log; the betting is replayed, the values are not checked.

    :raises LogError: if the line is malformed.
    :raises MatchStateError: if betting or cards are not those of a finished hand of this game.
    """
    match = _HAND.fullmatch(line)
    if match is None:
        raise LogError(f"expected number:names:betting:cards:values(imaginary value), got {line[:_SHOWN]!r}")
    number = parse_number(match["number"], "hand number")
    if number < 1:
        raise LogError("expected hand numbers from 1, got 0")
    state = parse_lbr_betting(match["betting"], gamedef)
    cards = match["hands"].replace(",", "|") + match["board"]
    hole_cards, board = parse_hand_cards(cards, gamedef, state.round)
    if not all(hole_cards):
        raise LogError(f"expected the hole cards of both players, got {match['hands']!r}")
    values = tuple("0" if value == "-0" else value for value in match["values"].split(","))
    hand = LoggedHand(number - 1, state, hole_cards, board, values, match["names"].replace(",", "|"))
    return LbrHand(hand, float(match["imaginary"]))


def read_lbr_hands(lines: Iterable[str], gamedef: GameDef, source: str | None = None) -> Iterator[tuple[int, LbrHand]]:
    """Yields the hands of an LBR log with their 1-based line numbers; other lines are passed over.

    :param source: file name for error messages.
    :raises LogError: at the first malformed hand, with its line.
    """
    for number, line in enumerate(lines, 1):
        if is_lbr_hand(line):
            try:
                yield number, parse_lbr_hand(line, gamedef)
            except InputError as error:
                raise LogError(error.message, source=source, line=number) from error


def verify_lbr_lines(lines: Sequence[str], source: str | None = None) -> LogReport:
    """Replays and re-scores an LBR log.

    Checked are the betting, the cards, the values and the numbering of all hands, and the sums at the end of the file
    (hands, chips, squared chips and imaginary values of local best response), if the file has them.

    :raises LogError: if the configuration lines are missing.
    """
    gamedef = read_lbr_header(lines, source).gamedef()
    faults: list[Fault] = []
    hands = 0
    chips: list[float] = []
    imaginary: list[float] = []
    for number, line in enumerate(lines, 1):
        if is_lbr_hand(line):
            hands += 1
            try:
                parsed = parse_lbr_hand(line, gamedef)
            except HedgehogError as error:
                faults.append(Fault(number, error.message if isinstance(error, InputError) else str(error)))
                continue
            hand = parsed.hand
            values = payoffs(hand.state, hand.hole_cards, hand.board)
            expected = [format_value(value) for value in values]
            if list(hand.values) != expected:
                faults.append(Fault(number, f"expected values {','.join(expected)}, got {','.join(hand.values)}"))
            if hand.hand_id + 1 != hands:
                faults.append(Fault(number, f"expected hand {hands}, got hand {hand.hand_id + 1}"))
            first = hand.names.startswith(f"{LBR_NAME}|")
            chips.append(values[0 if first else 1])
            imaginary.append(parsed.imaginary_value if first else -parsed.imaginary_value)
        totals = _TOTALS.fullmatch(line)
        if totals is None and line.startswith(_TOTALS_START):
            faults.append(Fault(number, f"expected the number of hands and four sums, got {line[:_SHOWN]!r}"))
        if totals is not None:
            sums = (hands, sum(chips), sum(x * x for x in chips), sum(imaginary), sum(x * x for x in imaginary))
            names = ("n", "sum", "sum_sq", "vr_sum", "vr_sum_sq")
            for name, text, value in zip(names, totals.groups(), sums, strict=True):
                # The imaginary values of the hands are rounded to six decimals, those in the sums are not.
                if not math.isclose(float(text), value, rel_tol=1e-9, abs_tol=1e-6 * hands):
                    faults.append(Fault(number, f"expected {name}={value:.6f}, got {text}"))
    return LogReport(hands, tuple(faults))
