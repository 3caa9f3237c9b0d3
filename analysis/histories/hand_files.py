"""Reads hand-history files of every supported format, hand by hand, and converts them to ACPC logs and PHH.

The formats are told apart by content: ACPC logs, logs of local best response (:mod:`hedgehog.poker.acpc.lbr_log`), PHH
(:mod:`hedgehog.analysis.histories.phh`) and text of poker sites (:mod:`hedgehog.analysis.histories.site_text`). Any of
them may be compressed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hedgehog.analysis.histories.left_out import ForeignHandError, LeftOutError
from hedgehog.analysis.histories.phh import PhhFormatter, format_remark, read_phh
from hedgehog.analysis.histories.phh_text import phh_date
from hedgehog.analysis.histories.real_hands import RealHand, heads_up_game, to_logged, to_played
from hedgehog.analysis.histories.site_text import (
    FOREIGN,
    LOG_READERS,
    dealt_players,
    hand_date,
    hand_name,
    parse_hand,
    site_of,
    split_hands,
    starts_hand,
)
from hedgehog.analysis.histories.sources import Source, read_source
from hedgehog.poker.acpc.chosen_game import text_of_chosen_game
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import (
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
from hedgehog.poker.acpc.lbr_log import GAME_NAMES, is_lbr_hand, parse_lbr_hand, read_lbr_header, verify_lbr_lines
from hedgehog.poker.acpc.matchstate import format_hand_cards
from hedgehog.runtime.errors import InputError, LogError

ACPC: Final = "acpc"
LBR: Final = "lbr"
PHH: Final = "phh"
_OTHERS: Final = (ACPC, LBR, PHH)

_PHH_START: Final = re.compile(r"variant\s*=|\[[^\]]+\]\s*(#|$)")
_LBR_START: Final = ("In config file: ", "Using seed ", "Loading player: ", "Player args: ")
_COMPRESSED: Final = r"\.(?:gz|bz2|xz)$"
_LBR_SIDE: Final = re.compile(r"_[rs][0-9]+(_.*)?$")
_SHOWN: Final = 200
"""Number of characters of a bad line that a message shows."""

_MOST_GAMES: Final = 1000
"""Number of games whose writers are kept while converting."""

_MOST_HAND_ID: Final = 2**32 - 1
"""Largest number of a hand in an ACPC log; hands with larger numbers are numbered anew."""


def formats() -> tuple[str, ...]:
    """Returns the names of all formats that are read; those of other packages are the last."""
    return (*_OTHERS, *LOG_READERS)


OnError = Callable[[LogError, int], None]
"""Called with the error of a hand that is left out, which names file and line, and the first line of the hand."""


@dataclass(frozen=True, slots=True)
class FileHand:
    """One hand of a file."""

    line: int
    """Number of the line on which the hand starts, from 1."""
    hand: LoggedHand
    """The hand as an ACPC log has it. Antes and dead posts are not in its stacks and pot, but in its values."""
    imaginary_value: float | None = None
    """Only in logs of local best response: chips that position 0 wins on average over the hands that the evaluated
    agent could have held."""
    real: RealHand | None = None
    """The hand with antes, dead and short posts, if its source can have them."""
    objection: LogError | None = None
    """Why no ACPC log can hold the hand, or which rule of the ACPC refuses it; None if one can."""
    key: str = ""
    """A text that all copies of the hand share and no other hand; empty if copies cannot be told from other hands."""
    date: str = ""
    """The day on which the hand was played, as ``2024-05-06``; empty if the file does not tell it."""

    @property
    def big_blind(self) -> int:
        """The big blind of the game, in chips."""
        return self.hand.state.gamedef.big_blind if self.real is None else self.real.blinds[0]

    @property
    def dead(self) -> tuple[int, int]:
        """Antes and dead posts of each position of a heads-up hand."""
        return (0, 0) if self.real is None else self.real.dead

    @property
    def gamedef(self) -> GameDef:
        """The game, with the full blinds and stacks."""
        return self.hand.state.gamedef if self.real is None else heads_up_game(self.real.stacks, self.real.blinds)


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
    """One of :func:`formats`."""
    lines: Sequence[str]
    gamedef: GameDef | None
    """The game; None for PHH files and text of poker sites, in which every hand has its game."""
    seed: int | None
    """Seed of the cards if the file states it before its first hand, else None."""
    one_game: bool = False
    """Whether hands of other games than :attr:`gamedef` are left out, whatever game the file names."""

    @property
    def num_hands(self) -> int:
        """Estimated number of hands in the file, for progress displays."""
        if self.format == PHH:
            return sum(line.startswith("actions") for line in self.lines)
        is_hand = {LBR: is_lbr_hand, ACPC: lambda line: line.startswith("STATE:")}.get(self.format, starts_hand)
        return sum(map(is_hand, self.lines))

    @property
    def dealt_players(self) -> tuple[str, ...]:
        """Players whose cards the text of a poker site tells as they are dealt; none for other formats."""
        return dealt_players(self.lines) if self.format in LOG_READERS else ()

    @property
    def stem(self) -> str:
        """File name without its extension (and ``.gz``) and without blanks."""
        name = re.sub(_COMPRESSED, "", self.path.name)
        return re.sub(r"\s", "_", name.removesuffix(Path(name).suffix)) or "log"

    @property
    def label(self) -> str:
        """Name that all files of a match share: for logs of local best response without side, seed and job number."""
        return _LBR_SIDE.sub("", self.stem) if self.format == LBR else ""

    def entries(self, on_error: OnError | None = None, *, hidden_cards: bool = False) -> Iterator[FileHand | Remark]:
        """Yields hands and remarks in the order of the file. LBR logs get an ACPC header and score.

        :param on_error: called for every hand that is left out. None: the first error is raised.
        :param hidden_cards: allow hands of ACPC logs without the hole cards of every position. PHH files may always
            have such hands.
        :raises LogError: if a hand cannot be read; the error names file and line.
        """
        readers: dict[str, Callable[[], Iterator[FileHand | Remark | tuple[LogError, int]]]] = {
            ACPC: lambda: self._acpc_entries(hidden_cards), LBR: self._lbr_entries, PHH: self._phh_entries,
        }  # fmt: skip
        for entry in readers.get(self.format, self._text_entries)():
            if isinstance(entry, FileHand) and self.one_game and entry.gamedef != self.gamedef:
                entry = LeftOutError("another game than the one given", line=entry.line), entry.line
            if not isinstance(entry, tuple):
                yield entry
                continue
            error, line = entry
            error.source, error.line = str(self.path), error.line or line
            if on_error is None:
                raise error
            on_error(error, line)

    def hands(self, *, hidden_cards: bool = False) -> Iterator[FileHand]:
        """Yields the hands of the file.

        :param hidden_cards: allow hands of ACPC logs without the hole cards of every position.
        :raises LogError: at the first hand that cannot be read; the error names file and line.
        """
        for entry in self.entries(hidden_cards=hidden_cards):
            if isinstance(entry, FileHand):
                yield entry

    def _acpc_entries(self, hidden_cards: bool) -> Iterator[FileHand | Remark | tuple[LogError, int]]:
        gamedef: GameDef | None = self.gamedef
        match = ""
        for number, line in enumerate(self.lines, 1):
            try:
                if line.startswith("STATE:"):
                    if gamedef is None:
                        raise LeftOutError("the game definition was not found")
                    hand = parse_log_line(line, gamedef, hidden_cards=hidden_cards)
                    # Without a header, hands with few cards can be equal by chance.
                    key = f"{match} {line}" if match or gamedef.is_holdem else ""
                    yield FileHand(number, hand, key=key)
                elif line.startswith(("#", "SCORE:")):
                    header = parse_header(line)
                    if header is not None:
                        match = f"{header.match} {header.seed}"
                        gamedef = self.gamedef if self.one_game or number == 1 else self.later_game(line)
                    yield Remark(number, line)
                else:
                    raise LogError(f"expected a line starting with #, STATE: or SCORE:, got {line[:_SHOWN]!r}")
            except InputError as error:
                yield error if isinstance(error, LogError) else LogError(error.message), number

    def later_game(self, header: str) -> GameDef | None:
        """Returns the game of the hands after a header of an ACPC log; None if it is given or not found."""
        try:
            return None if self.one_game else find_log_gamedef([header], self.path)
        except LogError:
            return None

    def _lbr_entries(self) -> Iterator[FileHand | Remark | tuple[LogError, int]]:
        assert self.gamedef is not None
        header = read_lbr_header(self.lines, str(self.path))
        match = LogHeader(self.stem, GAME_NAMES[header.game], self.num_hands, header.seed)
        yield Remark(1, format_header(match))
        totals: dict[str, float] = {}
        for number, line in enumerate(self.lines, 1):
            if not is_lbr_hand(line):
                if starts_hand(line):
                    yield ForeignHandError(FOREIGN), number
                continue
            try:
                parsed = parse_lbr_hand(line, self.gamedef)
            except InputError as error:
                yield LogError(error.message), number
                continue
            hand = parsed.hand
            won = list(zip(hand.names.split("|"), map(float, hand.values), strict=True))
            for name, value in reversed(won) if hand.hand_id % 2 else won:  # seat order
                totals[name] = totals.get(name, 0.0) + value
            yield FileHand(number, hand, parsed.imaginary_value, key=f"{header.seed} {header.actions} {line}")
        yield Remark(len(self.lines), format_score_line(totals.values(), totals))

    def _phh_entries(self) -> Iterator[FileHand | Remark | tuple[LogError, int]]:
        for number, content in read_phh(self.lines):
            if isinstance(content, str):
                yield Remark(number, content)
            elif isinstance(content, LogError):
                yield content, number
            elif isinstance(content, LoggedHand):
                yield FileHand(number, content, key=repr(content), date=phh_date(self.lines, number))
            else:
                hand, objection = content
                day = phh_date(self.lines, number)
                yield FileHand(number, to_played(hand), real=hand, objection=objection, key=repr(hand), date=day)

    def _text_entries(self) -> Iterator[FileHand | tuple[LogError, int]]:
        for block in split_hands(self.lines):
            try:
                hand = parse_hand(block)
                played, objection = to_played(hand), None
            except InputError as error:
                if not isinstance(error, LogError):
                    error = LogError(error.message, line=error.line)
                yield error, block.line
                continue
            try:
                played = to_logged(hand)
            except InputError as error:
                objection = error if isinstance(error, LogError) else LogError(error.message, line=error.line)
            first = block.lines[0]
            key, day = hand_name(first), hand_date(first)
            yield FileHand(block.line, played, real=hand, objection=objection, key=key, date=day)


def detect_format(path: Path, lines: Sequence[str]) -> str:
    """Returns the format of a file, from the first line that shows it. Without such a line it is :data:`ACPC`."""
    return _shown_format(path, lines) or ACPC


def source_format(source: Source, head: Sequence[str]) -> str | None:
    """Returns the format of a source, from its name and its first lines; None if it is no hand history."""
    return _shown_format(Path(source.member or source.path.name), head)


def _shown_format(path: Path, lines: Sequence[str]) -> str | None:
    """Returns the format that the name or the first lines of a file show, else the one that a later line shows."""
    if re.sub(_COMPRESSED, "", path.name).endswith((".phh", ".phhs")):
        return PHH
    at_start = True
    later: str | None = None
    for line in lines:
        if line.startswith(("STATE:", "SCORE:")) or _parse_header(line) is not None:
            found: str | None = ACPC
        elif at_start and (line.startswith(_LBR_START) or is_lbr_hand(line)):
            found = LBR
        elif at_start and _PHH_START.match(line):
            found = PHH
        else:
            site = site_of(line)
            found = None if site is None else site.name
        if found is not None and at_start:
            return found
        later = later or found
        at_start = at_start and (not line.strip() or line.startswith("#"))
    return later


def _parse_header(line: str) -> LogHeader | None:
    """Returns the header of an ACPC log in a line; None for any other line, malformed headers included."""
    try:
        return parse_header(line)
    except LogError:
        return None


def open_hand_file(
    path: str | Path | Source, file_format: str | None = None, gamedef: GameDef | None = None
) -> HandFile:
    """Reads a hand-history file and returns it.

    :param path: the file, or a source such as a member of a zip archive.
    :param file_format: one of :func:`formats`; None detects the format.
    :param gamedef: the game, to which hands of other games do not belong; None takes the game that the file names.
    :raises LogError: if the file cannot be read or is empty, or its game is not found.
    """
    if isinstance(path, Source):
        lines, path = read_source(path), Path(path.name)
    else:
        path = Path(path)
        lines = read_log(path)
    if not any(lines):
        raise LogError("expected a hand-history file, got an empty one", source=str(path))
    if file_format is not None and file_format in LOG_READERS:
        LOG_READERS.verify(file_format)
    file_format = file_format or detect_format(path, lines)
    one_game = gamedef is not None
    if gamedef is None and file_format == LBR:
        gamedef = read_lbr_header(lines, str(path)).gamedef()
    elif gamedef is None and file_format == ACPC:
        gamedef = find_log_gamedef(lines, path)
    return HandFile(path, file_format, lines, gamedef, _read_seed(path, file_format, lines), one_game)


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


def verify_hand_file(
    file: HandFile,
    track: Callable[[Iterable[Any]], Iterator[Any]] = iter,
    on_left_out: OnError = lambda error, line: None,
) -> LogReport:
    """Replays and re-scores the hands of a file of any format. Returns the number of hands and the faults.

    :param track: wraps the iteration over lines or hands, for a progress display.
    :param on_left_out: called for every hand that is well-formed but left out; it is neither a hand nor a fault.
    :raises LogError: if the file is not what its format says.
    """
    if file.format == LBR:
        return verify_lbr_lines(file.lines, str(file.path))
    if file.format != ACPC:
        return verify_entries(file, track, on_left_out)
    assert file.gamedef is not None
    return verify_log_lines(track(file.lines), file.gamedef, file.later_game)


def verify_entries(file: HandFile, track: Callable[[Iterable[Any]], Iterator[Any]], on_left_out: OnError) -> LogReport:
    """Reads all hands of a PHH file or of text of sites. Returns their number and the faults.

    A hand of a PHH file is played by the rules of pokerkit and of the ACPC. It is at fault if one of the two refuses
    it, or if it states final stacks that differ from the recomputed ones. A hand in text is at fault if its chips do
    not add up or the rules of the ACPC refuse it. A hand of a format that has no reader is a fault, too.

    :param track: wraps the iteration over entries, for a progress display.
    :param on_left_out: called for every hand that is well-formed but left out.
    """
    faults: list[Fault] = []
    hands = 0

    def on_error(error: LogError, line: int) -> None:
        if isinstance(error, LeftOutError) and not isinstance(error, ForeignHandError):
            on_left_out(error, line)
        else:
            faults.append(Fault(error.line or line, error.message))

    for entry in track(file.entries(on_error)):
        if isinstance(entry, FileHand):
            if entry.objection is None or isinstance(entry.objection, LeftOutError):
                hands += 1
            else:
                faults.append(Fault(entry.objection.line or entry.line, entry.objection.message))
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
        """The game of the hands since the last header, once there was one."""
        self.header: LogHeader | None = None
        """The last ACPC header, once there was one."""
        self.hands = 0
        """Hands converted so far."""

    def _take_header(self, header: LogHeader | None) -> None:
        """Notes a header. Hands after it may have another game if its name says the whole game on every machine."""
        if header is None:
            return
        if self.header is not None and text_of_chosen_game(Path(header.game).name) is not None:
            self.gamedef = None
        self.header = header

    def convert(self, entry: FileHand | Remark) -> str:
        """Returns an entry as text with its line end.

        :raises InputError: if the target format cannot express the entry. The message does not name the file.
        """
        if isinstance(entry, Remark):
            self._take_header(_parse_header(entry.text))
            return (entry.text if self._target == ACPC else format_remark(entry.text)) + "\n"
        if entry.objection is not None:
            raise entry.objection
        hand = entry.hand
        gamedef = hand.state.gamedef
        self.gamedef = self.gamedef or gamedef
        if self._target == ACPC and not self._one_hand and gamedef != self.gamedef:
            raise LeftOutError(
                "other stacks or blinds than the first hand",
                reason=f"hand {hand.hand_id} has other stacks or blinds than the first: a log has one game",
            )
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
