"""ACPC log files: header comments, one ``STATE:`` line per finished hand, a ``SCORE:`` line at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import format_hand_cards, parse_betting, parse_hand_cards, parse_number
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import GamedefError, HedgehogError, InputError, LogError
from hedgehog.runtime.text_files import read_lines

_HEADER: Final = "# name/game/hands/seed "
_HEADER_FIELDS: Final = re.compile(r"(.*) ([^ ]+) ([0-9]{1,10}) ([0-9]{1,10})")
_VALUE: Final = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?")
_HAND: Final = re.compile(
    r"STATE:([0-9]{1,10}):([fcr0-9/]*):((?:[2-9TJQKA][cdhs]|\|)+)((?:/(?:[2-9TJQKA][cdhs])*)*)"
    rf":({_VALUE.pattern}(?:\|{_VALUE.pattern})*):(.*)"
)
_SHOWN: Final = 200
"""Number of characters of a bad line that an error message shows."""


@dataclass(frozen=True, slots=True)
class LogHeader:
    """The content of the first header line of an ACPC log."""

    match: str
    """Name of the match."""
    game: str
    """The game definition file, as its name was given to the dealer."""
    hands: int
    seed: int


@dataclass(frozen=True, slots=True)
class LoggedHand:
    """One finished hand of a log; all lists are in position order."""

    hand_id: int
    state: HandState
    hole_cards: tuple[tuple[int, ...], ...]
    """Card ids of every position, folded or not."""
    board: tuple[int, ...]
    values: tuple[str, ...]
    """Chips won or lost per position, as the decimal numbers printed in the log."""
    names: str
    """Player names joined by ``|`` (a name may itself contain ``|`` or ``:``, so they are kept together)."""


class ScannedHand(NamedTuple):
    """The fields of a well-formed ``STATE:`` line, whose betting and cards have not been checked against the rules."""

    hand_id: int
    betting: str
    hole_cards: str
    """Hole cards of all positions, separated by ``|``, then any board cards dealt before the first action."""
    board: str
    """Board cards of the later rounds; each round starts with ``/``."""
    values: list[float]
    """Chips won or lost per position."""
    names: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a log."""

    line: int
    """1-based line number."""
    message: str


@dataclass(frozen=True, slots=True)
class LogReport:
    """The number of hands in a log and the faults that :func:`verify_log` found in them."""

    hands: int
    """Number of ``STATE:`` lines, faulty ones included."""
    faults: tuple[Fault, ...]


def format_value(value: float) -> str:
    """Formats chips won or lost with up to six decimals and no trailing zeros, for example ``3491.5``."""
    if value and value % 1 == 0:  # the common case, for speed
        return str(int(value))
    return f"{value:.6f}".rstrip("0").rstrip(".")


def format_values(values: Iterable[float]) -> str:
    """Formats the chips won or lost of several players, joined by ``|``."""
    return "|".join(map(format_value, values))


def format_score_line(totals: Iterable[float], names: Iterable[str]) -> str:
    """Formats the ``SCORE:`` line of a match, without line end.

    :param totals: chips won or lost in the whole match, in seat order.
    :param names: names of the players, in seat order.
    """
    return f"SCORE:{format_values(totals)}:{'|'.join(names)}"


def format_header(header: LogHeader) -> str:
    """Formats the first header line of a log, without line end."""
    return f"{_HEADER}{header.match} {header.game} {header.hands} {header.seed}"


def format_log_head(header: LogHeader, response_ms: int, hand_ms: int, per_hand_ms: int) -> str:
    """Formats all header lines of a log, each with its line end.

    :param response_ms: limit of thinking time per decision, in milliseconds.
    :param hand_ms: limit of thinking time per hand, in milliseconds.
    :param per_hand_ms: limit of the average thinking time per hand of the match, in milliseconds.
    """
    limits = f"#--t_response {response_ms}\n#--t_hand {hand_ms}\n#--t_per_hand {per_hand_ms}\n"
    return f"{format_header(header)}\n{limits}"


def parse_header(line: str) -> LogHeader | None:
    """Returns the content of the first header line of a log; None for any other comment line.

    :raises LogError: if the line starts like the first header line but is malformed.
    """
    if not line.startswith(_HEADER):
        return None
    match = _HEADER_FIELDS.fullmatch(line, len(_HEADER))
    if match is None:
        raise LogError(f"expected '{_HEADER}MATCH GAME HANDS SEED', got {line[:_SHOWN]!r}")
    return LogHeader(match[1], match[2], int(match[3]), int(match[4]))


def format_log_line(
    hand_id: int,
    state: HandState,
    hole_cards: Sequence[Sequence[int]],
    board: Sequence[int],
    values: Iterable[float],
    names: Iterable[str],
) -> str:
    """Formats the ``STATE:`` line of a finished hand, without line end.

    :param state: the state at the end of the hand.
    :param hole_cards: card ids, in position order.
    :param board: card ids in dealt order.
    :param values: chips won or lost, in position order.
    :param names: names of the players, in position order.
    """
    cards = format_hand_cards(hole_cards, board, state.gamedef, state.round)
    return join_log_line(hand_id, state.betting_string(), cards, values, "|".join(names))


def join_log_line(hand_id: int, betting: str, cards: str, values: Iterable[float], names: str) -> str:
    """Joins the fields of a finished hand to its ``STATE:`` line, without line end.

    :param betting: betting in ACPC notation.
    :param cards: the card field of the line: hole cards and board.
    :param values: chips won or lost, in position order.
    :param names: names of the players in position order, joined by ``|``.
    """
    return f"STATE:{hand_id}:{betting}:{cards}:{format_values(values)}:{names}"


def scan_log_line(line: str) -> ScannedHand:
    """Returns the fields of a ``STATE:`` line without replaying the hand.

    It is several times as fast as :func:`parse_log_line`.

    :raises LogError: if a field is missing or malformed.
    """
    match = _HAND.fullmatch(line)
    if match is None:
        raise LogError(f"expected STATE:hand:betting:cards:values:names, got {line[:_SHOWN]!r}")
    hand_id, betting, hole_cards, board, values, names = match.groups()
    return ScannedHand(int(hand_id), betting, hole_cards, board, list(map(float, values.split("|"))), names)


def parse_log_line(line: str, gamedef: GameDef, *, hidden_cards: bool = False) -> LoggedHand:
    """Returns a hand of a log from its ``STATE:`` line; the betting is replayed, and the values are not checked.

    :param hidden_cards: allow positions without hole cards, whose cards are then empty.
    :raises LogError: if a field is missing or malformed.
    :raises MatchStateError: if the betting or the cards are not possible in a finished hand of this game.
    """
    fields = line.split(":", 5)
    if len(fields) != 6 or fields[0] != "STATE":
        raise LogError(f"expected STATE:hand:betting:cards:values:names, got {line[:_SHOWN]!r}")
    hand_id = parse_number(fields[1], "hand id")
    state = parse_betting(fields[2], gamedef)
    if not state.finished:
        raise LogError(
            f"expected a finished hand, but after {fields[2][:_SHOWN]!r} position {state.acting_position} acts"
        )
    hole_cards, board = parse_hand_cards(fields[3], gamedef, state.round)
    if not hidden_cards and not all(hole_cards):
        raise LogError(f"expected the hole cards of every position, got {fields[3]!r}")
    values = tuple(fields[4].split("|"))
    if not all(map(_VALUE.fullmatch, values)):
        raise LogError(f"expected the chips won or lost by every player separated by |, got {fields[4][:_SHOWN]!r}")
    for what, count in (("values", len(values)), ("names", fields[5].count("|") + 1)):
        if count < gamedef.num_players or (what == "values" and count > gamedef.num_players):
            raise LogError(f"expected {gamedef.num_players} {what}, got {count} in {line[:_SHOWN]!r}")
    return LoggedHand(hand_id, state, hole_cards, board, values, fields[5])


def rotated_names(seat_names: str, num_players: int, hand_id: int) -> str | None:
    """Returns the names of the players in the position order of a hand, joined by ``|``; None if a name contains ``|``.

    :param seat_names: names in seat order, joined by ``|``.
    :param num_players: number of players.
    :param hand_id: number of the hand in the match, from 0.
    """
    names = seat_names.split("|")
    if len(names) != num_players:
        return None
    return "|".join(names[(position + hand_id) % num_players] for position in range(num_players))


FindGame = Callable[[str], GameDef | None]


class _Verifier:
    """Checks a log line by line and collects the faults instead of raising them."""

    def __init__(self, gamedef: GameDef, find_game: FindGame) -> None:
        self.gamedef = gamedef
        self.find_game = find_game
        self.faults: list[Fault] = []
        self.hands = 0
        self.header: LogHeader | None = None
        self.at_header = False
        """No hand has come since the last header."""
        self.next_hand_id = 0
        """Not checked in a log without header, whose hands may be a selection."""
        self.hands_since_score: list[tuple[int, int, str, list[float]]] = []
        """(line number, hand id, names, values) of the hands that the next SCORE line adds up."""

    def fault(self, number: int, message: str) -> None:
        self.faults.append(Fault(number, message))

    def check(self, number: int, line: str) -> None:
        try:
            if line.startswith("#"):
                self._check_comment(line)
            elif line.startswith("STATE:"):
                self.hands += 1
                self._check_hand(number, parse_log_line(line, self.gamedef))
            elif line.startswith("SCORE:"):
                self._check_score(number, line)
            else:
                self.fault(number, f"expected a line starting with #, STATE: or SCORE:, got {line[:_SHOWN]!r}")
        except HedgehogError as error:
            self.fault(number, error.message if isinstance(error, InputError) else str(error))

    def _check_comment(self, line: str) -> None:
        header = parse_header(line)
        if header is not None:
            self.gamedef = self.find_game(line) or self.gamedef
            self.header = header
            self.at_header = True

    def _check_hand(self, number: int, hand: LoggedHand) -> None:
        values = payoffs(hand.state, hand.hole_cards, hand.board)
        printed = "|".join(hand.values)
        if printed != format_values(values):
            self.fault(number, f"expected values {format_values(values)}, got {printed}")
        if self.at_header and hand.hand_id == 0:
            # A later header belongs to a resumed match (its hands go on) or to an appended one (it starts anew).
            self.next_hand_id = 0
            self.hands_since_score = []
        self.at_header = False
        if self.header is not None and hand.hand_id != self.next_hand_id:
            self.fault(number, f"expected hand {self.next_hand_id}, got hand {hand.hand_id}")
        self.next_hand_id = hand.hand_id + 1
        self.hands_since_score.append((number, hand.hand_id, hand.names, values))

    def _check_score(self, number: int, line: str) -> None:
        fields = line.split(":", 2)
        players = self.gamedef.num_players
        if len(fields) != 3 or fields[1].count("|") != players - 1:
            raise LogError(f"expected SCORE:values:names of {players} players, got {line[:_SHOWN]!r}")
        hands, self.hands_since_score = self.hands_since_score, []
        seat_names = fields[2]
        fixed_seats = all(names == seat_names for _, _, names, _ in hands)
        totals = _seat_totals(hands, players, turning=not fixed_seats)
        if fixed_seats and rotated_names(seat_names, players, 1) == seat_names:
            # Players of one name: the names do not tell whether they change seats, so that either sum is right.
            turned = _seat_totals(hands, players, turning=True)
            totals = turned if fields[1] == format_values(turned) else totals
        for hand_line, hand_id, names, _ in () if fixed_seats else hands:
            expected = rotated_names(seat_names, players, hand_id)
            if expected is not None and names != expected:
                self.fault(hand_line, f"expected names {expected}, got {names}")
        if fields[1] != format_values(totals):
            self.fault(number, f"expected score {format_values(totals)}, got {fields[1]}")
        if self.header is not None and len(hands) != self.header.hands:
            self.fault(number, f"expected {self.header.hands} hands before the score, got {len(hands)}")


def _seat_totals(hands: Iterable[tuple[int, int, str, list[float]]], players: int, *, turning: bool) -> list[float]:
    """Returns the chips that every seat has won.

    :param hands: line number, hand id, names and values of every hand.
    :param turning: whether the seats change their positions from hand to hand.
    """
    totals = [0.0] * players
    for _, hand_id, _, values in hands:
        for position, value in enumerate(values):
            totals[(position + (hand_id if turning else 0)) % players] += value
    return totals


def verify_log_lines(lines: Iterable[str], gamedef: GameDef, find_game: FindGame = lambda header: None) -> LogReport:
    """Returns the number of hands in the lines of a log and all faults found by replaying and re-scoring them.

    It checks the betting, the cards and the values of every hand. If the log has a header and a score line, it also
    checks the hand numbers, the rotation of the names and the sum. A log that ends after a whole hand without a score
    line has no fault: the official dealer leaves such logs when a match fails.

    :param gamedef: the game of the hands up to the first header.
    :param find_game: returns the game of the hands after a header line; None: the game stays the same.
    """
    verifier = _Verifier(gamedef, find_game)
    for number, line in enumerate(lines, 1):
        verifier.check(number, line)
    return LogReport(verifier.hands, tuple(verifier.faults))


def read_log(path: str | Path) -> list[str]:
    """Returns the lines of a log file, compressed or not, without line ends.

    :raises LogError: if the file cannot be read.
    """
    return read_lines(path, LogError, "log file")


def find_log_gamedef(lines: Sequence[str], path: str | Path) -> GameDef:
    """Returns the game named in the header of a log, or heads-up no-limit hold'em if there is no header.

    The game file is looked for at the path in the header, then beside the log, then among the shipped games. A log of
    hands with changing stacks or blinds, such as a freeze-out, has a header before every hand of another game.

    :param lines: the lines of the log, without line ends.
    :param path: the log file.
    :raises LogError: if the header is malformed or its game is not found.
    """
    try:
        header = parse_header(lines[0])
    except LogError as error:
        raise LogError(error.message, source=str(path), line=1) from error
    if header is None:
        return load_gamedef()
    file_name = Path(header.game).name
    for candidate in (header.game, Path(path).parent / file_name, file_name):
        try:
            return load_gamedef(candidate, nobody_acts=True)
        except GamedefError:
            continue
    raise LogError(f"the game definition {header.game!r} of this log was not found", source=str(path), line=1)


def verify_log(path: str | Path, gamedef: GameDef | None = None) -> LogReport:
    """Returns the number of hands in a log file and all faults found by replaying and re-scoring them.

    :func:`verify_log_lines` lists what is checked.

    :param path: the log file, compressed or not.
    :param gamedef: the game; by default every header names the game of the hands that follow.
    :raises LogError: if the file cannot be read, contains no log lines, or its game is not found.
    """
    lines = read_log(path)
    if not lines:
        raise LogError("expected an ACPC log, got an empty file", source=str(path))

    def later_game(header: str) -> GameDef | None:
        try:
            return find_log_gamedef([header], path) if gamedef is None else None
        except LogError:
            return None

    return verify_log_lines(lines, gamedef or find_log_gamedef(lines, path), later_game)
