"""Logs of local best response (LBR) playing heads-up no-limit hold'em.

The authors of DeepStack (Moravčík et al. 2017) published logs in this format. A file starts with configuration lines
(``In config file: GAME_DEF=...``, ``In config file: ACTIONS_R0=...``, ``Using seed N.``). Then comes one line per hand,
and at the end the sums over all hands. The line of a hand is

``number:names:betting:hole cards|board:values(imaginary value)``

with everything in position order (position 0 has the big blind), for example
``3:BR,Player:0cr300c/r500f:AhKd,7c7s|/2s9dTh:400,-400(400.000000)``. The betting differs from that of ACPC logs:

- it starts with ``0``;
- ``rN`` raises *by* N chips beyond a call, while ACPC's ``rN`` raises *to* N chips over the whole hand;
- once both players are all-in, the rounds left are written as two checks each (``/cc``);
- a tie is written as ``0,-0``.

The imaginary value is what the player of position 0 wins on average over the hands the evaluated agent could have
held (imaginary observations, Bowling et al. 2008). It has the same mean as the chips won, and less variance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, GameDef, load_gamedef
from hedgehog.poker.acpc.handlog import Fault, LoggedHand, LogReport, format_value
from hedgehog.poker.acpc.matchstate import parse_hand_cards, parse_number
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import HedgehogError, InputError, LogError

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
"""Number of characters of a bad line that an error message shows."""

LBR_NAME: Final = "BR"
"""The name of local best response in the logs; the other player is called ``Player``."""

GAME_NAMES: Final = {
    "game_def.fullholdem": f"{DEFAULT_GAME}.game",
    "holdem/game_def.holdem.2p.no_limit.100BB.reverse_blinds": "holdem.nolimit.2p.100bb.reverse_blinds.game",
}
"""File name of the ACPC game definition by the name a log uses (200 and 100 big blinds deep)."""
_CHIPS: Final = dict(zip(GAME_NAMES, ((20000, (100, 50)), (200, (2, 1))), strict=True))
"""Stack and blinds in chips, by the name of the game definition in a log."""


@dataclass(frozen=True, slots=True)
class LbrHeader:
    """The configuration lines of an LBR log."""

    game: str
    """Name of the game definition in the log, a key of :data:`GAME_NAMES`."""
    actions: tuple[str, ...]
    """For each betting round the actions that local best response considered, for example ``F,C,1,A``.

    ``F`` folds, ``C`` checks or calls, ``A`` goes all-in, and a number is a bet in multiples of the pot."""
    seed: int
    """Seed of the random cards."""

    def gamedef(self) -> GameDef:
        """Returns the definition of the game that the log was played in."""
        stack, blinds = _CHIPS[self.game]
        return replace(load_gamedef(), stacks=(stack, stack), blinds=blinds)


@dataclass(frozen=True, slots=True)
class LbrHand:
    """One hand of an LBR log."""

    hand: LoggedHand
    """The hand with actions and values as in an ACPC log; hand number 1 of the file has hand id 0."""
    imaginary_value: float
    """Mean chips won by position 0 over the hands the evaluated agent could have held."""


def read_lbr_header(lines: Iterable[str], source: str | None = None) -> LbrHeader:
    """Returns the configuration of an LBR log, from the lines in front of its first hand.

    :param source: file name for error messages.
    :raises LogError: if the game, the actions or the seed are missing, or the game is not a key of :data:`GAME_NAMES`.
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
    """Returns True if a line of an LBR log describes a hand."""
    return _HAND_START.match(line) is not None


def parse_lbr_betting(text: str, gamedef: GameDef) -> HandState:
    """Returns the state at the end of an LBR hand.

    :param text: the betting in LBR notation, without its leading ``0``.
    :param gamedef: the game of the log.
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
    """Formats the betting of a finished heads-up hand in LBR notation, without the leading ``0``."""
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
    """Returns a hand of an LBR log from its line; the betting is replayed, and the values are not checked.

    :raises LogError: if the line is malformed.
    :raises MatchStateError: if the betting or the cards are not possible in a finished hand of this game.
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
    """Yields the 1-based line number and the content of every hand of an LBR log; other lines are skipped.

    :param source: file name for error messages.
    :raises LogError: with the line number, at the first malformed hand.
    """
    for number, line in enumerate(lines, 1):
        if is_lbr_hand(line):
            try:
                yield number, parse_lbr_hand(line, gamedef)
            except InputError as error:
                raise LogError(error.message, source=source, line=number) from error


def verify_lbr_lines(lines: Sequence[str], source: str | None = None) -> LogReport:
    """Returns the number of hands of an LBR log and all faults found by replaying and re-scoring it.

    It checks the betting, the cards, the values and the numbering of all hands. If the file ends with sums (hands,
    chips, squared chips and imaginary values of local best response), it checks these too.

    :param lines: the lines of the log, without line ends.
    :param source: file name for error messages.
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
                # The imaginary value of a hand is rounded to six decimals; the sum in the file adds unrounded values.
                if not math.isclose(float(text), value, rel_tol=1e-9, abs_tol=1e-6 * hands):
                    faults.append(Fault(number, f"expected {name}={value:.6f}, got {text}"))
    return LogReport(hands, tuple(faults))
