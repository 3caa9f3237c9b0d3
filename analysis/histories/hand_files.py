"""Reads hand-history files of every supported format, hand by hand, and converts them to ACPC logs and PHH.

The formats are told apart by content: ACPC logs, logs of local best response (:mod:`poker.acpc.lbr_log`), PHH
(:mod:`analysis.histories.phh`) and the text of poker sites (:mod:`analysis.histories.site_text`). Any of them may be
gzipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from analysis.histories.phh import PhhFormatter, format_remark, read_phh
from analysis.histories.real_hands import to_logged
from analysis.histories.site_text import SITES, dealt_players, parse_hand, site_of, split_hands
from poker.acpc.gamedef import GameDef
from poker.acpc.handlog import (
    Fault,
    LoggedHand,
    LogHeader,
    LogReport,
    find_log_gamedef,
    format_header,
    format_score_line,
    parse_header,
    parse_log_line,
    read_log,
    verify_log_lines,
)
from poker.acpc.lbr_log import GAME_NAMES, is_lbr_hand, read_lbr_hands, read_lbr_header, verify_lbr_lines
from poker.acpc.matchstate import format_hand_cards
from runtime.errors import InputError, LogError

ACPC: Final = "acpc"
LBR: Final = "lbr"
PHH: Final = "phh"
SITE_FORMATS: Final = tuple(site.name for site in SITES)
FORMATS: Final = (ACPC, LBR, PHH, *SITE_FORMATS)

_PHH_START: Final = re.compile(r"variant\s*=|\[[^\]]+\]\s*(#|$)")
_LBR_START: Final = ("In config file: ", "Using seed ", "Loading player: ", "Player args: ")
_LBR_SIDE: Final = re.compile(r"_[rs][0-9]+(_.*)?$")
_SHOWN: Final = 200
"""Number of characters of a bad line that a message shows."""

_MOST_GAMES: Final = 1000
"""Number of games whose writers are kept while converting."""

_MOST_HAND_ID: Final = 2**32 - 1
"""Largest number of a hand in an ACPC log; hands with larger numbers are numbered anew."""

OnError = Callable[[LogError], None]


@dataclass(frozen=True, slots=True)
class FileHand:
    """One hand of a file."""

    line: int
    """Number of the line on which the hand starts, from 1."""
    hand: LoggedHand
    imaginary_value: float | None = None
    """Only in logs of local best response: chips that position 0 wins on average over the hands that the evaluated
    agent could have held."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of an ACPC log that is not a hand: a header, comment or score."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class HandFile:
    """A hand-history file that has been read and recognised. Its hands are parsed on request."""

    path: Path
    format: str
    """One of :data:`FORMATS`."""
    lines: Sequence[str]
    gamedef: GameDef | None
    """The game; None for PHH files and files of poker sites, in which every hand has its game."""
    seed: int | None
    """Seed of the cards if the file states it before its first hand, else None."""

    @property
    def num_hands(self) -> int:
        """Estimated number of hands in the file, for progress displays."""
        if self.format == PHH:
            return sum(line.startswith("actions") for line in self.lines)
        if self.format in SITE_FORMATS:
            return sum(site_of(line) is not None for line in self.lines)
        is_hand = is_lbr_hand if self.format == LBR else _is_state
        return sum(map(is_hand, self.lines))

    @property
    def dealt_players(self) -> tuple[str, ...]:
        """Players whose cards the text of a poker site tells as they are dealt; none for other formats."""
        return dealt_players(self.lines) if self.format in SITE_FORMATS else ()

    @property
    def stem(self) -> str:
        """File name without its extension (and ``.gz``) and without blanks."""
        name = self.path.name.removesuffix(".gz")
        return re.sub(r"\s", "_", name.removesuffix(Path(name).suffix)) or "log"

    @property
    def label(self) -> str:
        """Name that all files of a match share: for logs of local best response without side, seed and job number."""
        return _LBR_SIDE.sub("", self.stem) if self.format == LBR else ""

    def entries(self, on_error: OnError | None = None, *, hidden_cards: bool = False) -> Iterator[FileHand | Remark]:
        """Yields hands and remarks in the order of the file. LBR logs get an ACPC header and score.

        :param on_error: called with the error of every hand that cannot be read; the hand is left out. None: the first
            error is raised.
        :param hidden_cards: allow hands of ACPC logs without the hole cards of every position. PHH files may always
            have such hands.
        :raises LogError: if a hand cannot be read; the error names file and line.
        """
        if self.format == LBR:
            yield from self._lbr_entries()
        elif self.format == PHH:
            yield from self._phh_entries(on_error)
        elif self.format in SITE_FORMATS:
            yield from self._site_entries(on_error)
        else:
            yield from self._acpc_entries(hidden_cards)

    def hands(self, *, hidden_cards: bool = False) -> Iterator[FileHand]:
        """Yields the hands of the file.

        :param hidden_cards: allow hands of ACPC logs without the hole cards of every position.
        :raises LogError: at the first hand that cannot be read; the error names file and line.
        """
        for entry in self.entries(hidden_cards=hidden_cards):
            if isinstance(entry, FileHand):
                yield entry

    def _acpc_entries(self, hidden_cards: bool) -> Iterator[FileHand | Remark]:
        assert self.gamedef is not None
        for number, line in enumerate(self.lines, 1):
            try:
                if line.startswith("STATE:"):
                    yield FileHand(number, parse_log_line(line, self.gamedef, hidden_cards=hidden_cards))
                elif line.startswith(("#", "SCORE:")):
                    yield Remark(number, line)
                else:
                    raise LogError(f"expected a line starting with #, STATE: or SCORE:, got {line[:_SHOWN]!r}")
            except InputError as error:
                raise LogError(error.message, source=str(self.path), line=number) from error

    def _lbr_entries(self) -> Iterator[FileHand | Remark]:
        assert self.gamedef is not None
        header = read_lbr_header(self.lines, str(self.path))
        match = LogHeader(self.stem, GAME_NAMES[header.game], self.num_hands, header.seed)
        yield Remark(1, format_header(match))
        totals: dict[str, float] = {}
        for number, parsed in read_lbr_hands(self.lines, self.gamedef, str(self.path)):
            hand = parsed.hand
            won = list(zip(hand.names.split("|"), map(float, hand.values), strict=True))
            for name, value in reversed(won) if hand.hand_id % 2 else won:  # seat order
                totals[name] = totals.get(name, 0.0) + value
            yield FileHand(number, hand, parsed.imaginary_value)
        yield Remark(len(self.lines), format_score_line(totals.values(), totals))

    def _phh_entries(self, on_error: OnError | None) -> Iterator[FileHand | Remark]:
        for number, content in read_phh("\n".join(self.lines), str(self.path), on_error):
            if isinstance(content, str):
                yield Remark(number, content)
            elif self.gamedef is not None and content.state.gamedef != self.gamedef:
                error = LogError("this hand is not of the game given", source=str(self.path), line=number)
                if on_error is None:
                    raise error
                on_error(error)
            else:
                yield FileHand(number, content)

    def _site_entries(self, on_error: OnError | None) -> Iterator[FileHand]:
        for block in split_hands(self.lines):
            try:
                hand = to_logged(parse_hand(block))
                if self.gamedef is not None and hand.state.gamedef != self.gamedef:
                    raise LogError("this hand is not of the game given")
            except InputError as error:
                located = LogError(error.message, source=str(self.path), line=error.line or block.line)
                if on_error is None:
                    raise located from error
                on_error(located)
            else:
                yield FileHand(block.line, hand)


def _is_state(line: str) -> bool:
    return line.startswith("STATE:")


def detect_format(path: Path, lines: Sequence[str]) -> str:
    """Returns the format of a file, from the first line that shows it. Without such a line it is :data:`ACPC`."""
    if path.name.removesuffix(".gz").endswith((".phh", ".phhs")):
        return PHH
    for raw in lines:
        line = raw.removeprefix("\ufeff")
        if line.startswith(("STATE:", "SCORE:")) or _parse_header(line) is not None:
            return ACPC
        if line.startswith(_LBR_START) or is_lbr_hand(line):
            return LBR
        if _PHH_START.match(line):
            return PHH
        if site := site_of(line):
            return site.name
        if line.strip() and not line.startswith("#"):
            break
    return ACPC


def _parse_header(line: str) -> LogHeader | None:
    """Returns the header of an ACPC log in a line; None for any other line, malformed headers included."""
    try:
        return parse_header(line)
    except LogError:
        return None


def open_hand_file(path: str | Path, file_format: str | None = None, gamedef: GameDef | None = None) -> HandFile:
    """Reads a hand-history file and returns it.

    :param file_format: one of :data:`FORMATS`; None detects the format.
    :param gamedef: the game; None takes the game that the file names.
    :raises LogError: if the file cannot be read or is empty, or its game is not found.
    """
    path = Path(path)
    lines = read_log(path)
    if not any(lines):
        raise LogError("expected a hand-history file, got an empty one", source=str(path))
    file_format = file_format or detect_format(path, lines)
    if gamedef is None and file_format == LBR:
        gamedef = read_lbr_header(lines, str(path)).gamedef()
    elif gamedef is None and file_format == ACPC:
        gamedef = find_log_gamedef(lines, path)
    return HandFile(path, file_format, lines, gamedef, _read_seed(path, file_format, lines))


def _read_seed(path: Path, file_format: str, lines: Sequence[str]) -> int | None:
    if file_format == LBR:
        return read_lbr_header(lines, str(path)).seed
    for line in lines:
        header = _parse_header(line)
        if header is not None:
            return header.seed
        if line[:1] not in ("#", ""):
            break
    return None


def format_acpc_hand(hand: LoggedHand) -> str:
    """Returns a hand as the ``STATE:`` line of an ACPC log, without line end. Unknown hole cards are left out."""
    state = hand.state
    cards = format_hand_cards(hand.hole_cards, hand.board, state.gamedef, state.round)
    return f"STATE:{hand.hand_id}:{state.betting_string()}:{cards}:{'|'.join(hand.values)}:{hand.names}"


def verify_hand_file(file: HandFile, track: Callable[[Iterable[Any]], Iterator[Any]] = iter) -> LogReport:
    """Replays and re-scores the hands of a file of any format. Returns the number of hands and the faults.

    :param track: wraps the iteration over lines or hands, for a progress display.
    :raises LogError: if the file is not what its format says.
    """
    if file.format == LBR:
        return verify_lbr_lines(file.lines, str(file.path))
    if file.format in (PHH, *SITE_FORMATS):
        return verify_entries(file, track)
    assert file.gamedef is not None
    return verify_log_lines(track(file.lines), file.gamedef)


def verify_entries(file: HandFile, track: Callable[[Iterable[Any]], Iterator[Any]] = iter) -> LogReport:
    """Reads all hands of a PHH file or a file of a poker site. Returns their number and the faults.

    A hand of a PHH file is played by the rules of pokerkit and of the ACPC. It is at fault if one of the two refuses
    it, or if it states final stacks that differ from the recomputed ones. A hand of a site is at fault if
    its chips do not add up or the rules of the ACPC refuse it.

    :param track: wraps the iteration over entries, for a progress display.
    """
    faults: list[Fault] = []
    hands = 0
    for entry in track(file.entries(lambda error: faults.append(Fault(error.line or 1, error.message)))):
        hands += isinstance(entry, FileHand)
    return LogReport(hands + len(faults), tuple(faults))


class Converter:
    """Writes the entries of one file in another format, as text.

    :param target: :data:`ACPC` or :data:`PHH`.
    :param one_hand: every hand goes to a file of its own: a ``.phh`` document instead of a part of a ``.phhs``
        document, or hand 0 of an ACPC log of its own.
    """

    def __init__(self, target: str, *, one_hand: bool = False) -> None:
        self._target = target
        self._one_hand = one_hand
        self._formatters: dict[GameDef, PhhFormatter] = {}
        self.gamedef: GameDef | None = None
        """The game of the hands, once there was one."""
        self.header: LogHeader | None = None
        """The last ACPC header, once there was one."""
        self.hands = 0
        """Hands converted so far."""

    def convert(self, entry: FileHand | Remark) -> str:
        """Returns an entry as text with its line end.

        :raises InputError: if the target format cannot express the entry. The message does not name the file.
        """
        if isinstance(entry, Remark):
            self.header = _parse_header(entry.text) or self.header
            return (entry.text if self._target == ACPC else format_remark(entry.text)) + "\n"
        hand = entry.hand
        gamedef = hand.state.gamedef
        self.gamedef = self.gamedef or gamedef
        if self._target == ACPC and not self._one_hand and gamedef != self.gamedef:
            raise LogError(f"hand {hand.hand_id} has other stacks or blinds than the first: a log has one game")
        if self._target == ACPC:
            if self._one_hand or hand.hand_id > _MOST_HAND_ID:
                hand = replace(hand, hand_id=0 if self._one_hand else self.hands)
            text = format_acpc_hand(hand) + "\n"
        else:
            if gamedef not in self._formatters:
                if len(self._formatters) >= _MOST_GAMES:
                    self._formatters.clear()
                self._formatters[gamedef] = PhhFormatter(gamedef)
            table = "" if self._one_hand else f"[{self.hands + 1}]\n"
            text = f"{table}{self._formatters[gamedef].format(hand)}\n" + ("" if self._one_hand else "\n")
        self.hands += 1
        return text
