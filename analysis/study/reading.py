"""Reads hands of any supported format in batches, in bounded memory, and collects what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.hand_files import ACPC, LBR, PHH, FileHand, HandFile, formats, source_format
from hedgehog.analysis.histories.left_out import Block, LeftOutError, LeftOutHands
from hedgehog.analysis.histories.phh_text import parse_phh, split_phh
from hedgehog.analysis.histories.real_hands import RealHand, betting, from_logged, game_objection
from hedgehog.analysis.histories.site_text import hand_name, parse_hand, site_of, split_hands
from hedgehog.analysis.histories.sources import (
    Source,
    SourceStream,
    open_source,
    read_blocks,
    read_head,
    read_text_lines,
)
from hedgehog.analysis.study._ingest_kernels import (
    READ,
    UNREAD,
    ActionColumns,
    Game,
    HandColumns,
    count_lines_kernel,
    hash_kernel,
    insert_keys_kernel,
    read_lines_kernel,
)
from hedgehog.analysis.study.batches import ACTION_COLUMNS, HAND_COLUMNS, RAISES, BatchBuilder, HandBatch, Texts
from hedgehog.analysis.study.hand_columns import columns
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import find_log_gamedef, parse_header, parse_log_line
from hedgehog.poker.acpc.lbr_log import read_lbr_header
from hedgehog.runtime.errors import InputError, LogError

BATCH_HANDS: Final = 1 << 13
"""Hands that are read one by one until a batch is handed on."""
_HEADER: Final = re.compile(rb"^# name/game/hands/seed [^\n]*$", re.MULTILINE)
_STATE: Final = re.compile(rb"^STATE:", re.MULTILINE)
_KEPT_PROBLEMS: Final = 10_000
"""Number of problems that are kept as text; all are counted."""
_FIRST_TABLE: Final = 1 << 16


@dataclass(slots=True)
class Tally:
    """What was read so far."""

    hands: int = 0
    actions: int = 0
    duplicates: int = 0
    bad: int = 0
    """Hands or lines that cannot be read."""
    left_out: LeftOutHands = field(default_factory=LeftOutHands)
    """Well-formed hands of other games, by kind."""
    files: int = 0
    other_files: int = 0
    """Files that are no hand histories."""
    problems: list[str] = field(default_factory=list)
    """Source, line and reason of hands that cannot be read, at most ten thousand."""

    def add_problem(self, error: LogError) -> None:
        """Counts a hand that cannot be read."""
        self.bad += 1
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(str(error))

    def add_sources(self, other: Tally) -> None:
        """Counts what another reader has found in its sources besides the hands, which :meth:`HandReader.fresh`
        counts."""
        self.duplicates += other.duplicates
        self.bad += other.bad
        self.left_out.add_all(other.left_out)
        self.files += other.files
        self.other_files += other.other_files
        self.problems += other.problems[: _KEPT_PROBLEMS - len(self.problems)]


class SeenHands:
    """The keys of all hands read so far: 16 to 32 bytes for each hand."""

    def __init__(self) -> None:
        self._table = np.zeros(_FIRST_TABLE, np.uint64)
        self._count = 0

    def add(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Adds keys. Returns bool[N]: True for each key that was not there, at its first occurrence."""
        if 2 * (self._count + len(keys)) > len(self._table):
            old = self._table[self._table != 0]
            size = len(self._table)
            while size < 4 * (self._count + len(keys)):
                size *= 2
            self._table = np.zeros(size, np.uint64)
            insert_keys_kernel(np.empty(len(old), np.bool_), self._table, old)
        fresh = np.empty(len(keys), np.bool_)
        self._count += insert_keys_kernel(fresh, self._table, np.maximum(keys, np.uint64(1)))
        return fresh


def text_key(text: str) -> int:
    """Returns the 64-bit hash of a text, at least 1."""
    data = np.frombuffer(text.encode("utf-8", "backslashreplace"), np.uint8)
    return max(1, int(hash_kernel(data, 0, len(data), np.uint64(0))))


class HandReader:
    """Reads sources one after the other. Numbers of players and files are the same in all batches."""

    def __init__(self, gamedef: GameDef | None = None) -> None:
        """Starts without hands.

        :param gamedef: game of ACPC logs; None takes the game that a log names.
        """
        self.players = Texts()
        self.files = Texts()
        self.seen = SeenHands()
        self.tally = Tally()
        self._gamedef = gamedef
        self._stream: SourceStream | None = None

    def position(self) -> float:
        """Returns how many bytes of the present source have been read, as they lie on disk."""
        return self._stream.position() if self._stream is not None else 0.0

    @contextmanager
    def _open(self, source: Source) -> Iterator[SourceStream]:
        with open_source(source) as self._stream:
            yield self._stream
        self._stream = None

    def read(self, source: Source) -> Iterator[HandBatch]:
        """Yields the hands of a source that were not read before.

        :raises LogError: if the source cannot be read at all. Hands that cannot be read are counted in :attr:`tally`.
        """
        found = source_format(source, read_head(source))
        if found is None:
            self.tally.other_files += 1
            return
        self.tally.files += 1
        file = self.files.code(source.name)
        if found == ACPC:
            batches = self._acpc(source, file)
        elif found == LBR:
            batches = self._lbr(source, file)
        else:
            batches = self._texts(source, file, found)
        yield from self.fresh(batches)

    def fresh(self, batches: Iterable[HandBatch]) -> Iterator[HandBatch]:
        """Yields the hands of batches that were not read before, and counts all."""
        for batch in batches:
            kept = batch.select(self.seen.add(batch.hands["key"]))
            self.tally.duplicates += batch.num_hands - kept.num_hands
            self.tally.hands += kept.num_hands
            self.tally.actions += kept.num_actions
            if kept.num_hands:
                yield kept

    def take(self, source: Source, batches: Iterable[HandBatch], players: Sequence[str]) -> Iterator[HandBatch]:
        """Yields the hands of a source that another reader has read, apart from those that were read before.

        :param batches: the hands; they are changed.
        :param players: the players, whose numbers are in the batches.
        """
        file = self.files.code(source.name)
        codes = np.array([self.players.code(name) for name in players], np.int32)
        for batch in batches:
            batch.hands["file"] = np.full(batch.num_hands, file, np.int32)
            for name in ("player_bb", "player_sb"):
                batch.hands[name] = codes[batch.hands[name]]
        yield from self.fresh(batches)

    def leave_out(self, error: InputError, source: Source, line: int, first_line: str = "") -> None:
        """Counts a hand that is left out: by its kind, or as one that cannot be read.

        :param line: number of the first line of the hand.
        """
        if isinstance(error, LeftOutError):
            self.tally.left_out.add(error, source.name, line, first_line)
        else:
            self.tally.add_problem(LogError(error.message, source=source.name, line=error.line or line))

    def _acpc(self, source: Source, file: int) -> Iterator[HandBatch]:
        log = _AcpcLog(self, source, file)
        with self._open(source) as stream:
            for block in read_blocks(stream, source.name):
                yield from log.read(block)

    def _texts(self, source: Source, file: int, found: str) -> Iterator[HandBatch]:
        """Reads PHH or the text of poker sites, hand by hand."""
        split: Callable[[Iterable[str]], Iterator[Block]] = split_phh if found == PHH else split_hands
        parse: Callable[[Block], RealHand] = parse_phh if found == PHH else parse_hand
        builder = BatchBuilder()
        with self._open(source) as stream:
            for block in split(read_text_lines(stream, source.name)):
                try:
                    hand = parse(block)
                    site = None if found == PHH else site_of(block.lines[0])
                    key = text_key(hand_name(block.lines[0]) if site else hand_text(hand))
                    self.add(builder, hand, key, file, block.line, site.name if site else found)
                except LogError as error:
                    self.leave_out(error, source, block.line, block.lines[0])
                if len(builder) >= BATCH_HANDS:
                    yield builder.take()
        if len(builder):
            yield builder.take()

    def _lbr(self, source: Source, file: int) -> Iterator[HandBatch]:
        with self._open(source) as stream:
            lines = list(read_text_lines(stream, source.name))
        try:
            header = read_lbr_header(lines, source.name)
        except LogError as error:
            self.tally.add_problem(error)
            return
        builder = BatchBuilder()
        log = HandFile(Path(source.name), LBR, lines, header.gamedef(), header.seed)
        for entry in log.entries(lambda error, line: self.leave_out(error, source, line, lines[line - 1])):
            if isinstance(entry, FileHand):
                try:
                    self.add(builder, from_logged(entry.hand), text_key(f"lbr {entry.key}"), file, entry.line, LBR)
                except LogError as error:
                    self.leave_out(error, source, entry.line)
        if len(builder):
            yield builder.take()

    def add(self, builder: BatchBuilder, hand: RealHand, key: int, file: int, line: int, found: str) -> None:
        """Adds a hand to a batch.

        :raises LogError: if the hand is not possible.
        """
        players = self.players.code(hand.names[0]), self.players.code(hand.names[1])
        builder.add(*columns(hand, key, file, line, found, players))


def hand_text(hand: RealHand) -> str:
    """Returns a text in which two hands differ that are not copies of each other."""
    return repr((hand.hand, hand.names, hand.stacks, hand.blinds, betting(hand), hand.hole_cards, hand.board))


class _AcpcLog:
    """Reads an ACPC log block by block."""

    def __init__(self, reader: HandReader, source: Source, file: int) -> None:
        self._reader = reader
        self._source = source
        self._file = file
        self._line = 1
        self._salt = np.uint64(0)
        self._gamedef: GameDef | None = None
        self._objection: str | None = None
        self._begin(None)

    def _begin(self, header: str | None) -> None:
        """Sets the game and the match of the hands that follow, from a header line or without one."""
        self._gamedef, self._objection, self._salt = self._reader._gamedef, None, np.uint64(0)
        if header is not None:
            try:
                parsed = parse_header(header)
                if parsed is not None:
                    self._salt = np.uint64(text_key(f"{parsed.match} {parsed.seed}"))
            except LogError as error:
                self._reader.leave_out(error, self._source, self._line)
        if self._gamedef is None:
            try:
                self._gamedef = find_log_gamedef([header or ""], self._source.path)
            except LogError as error:
                left_out = LogError(f"{error.message}; its hands are left out")
                self._reader.leave_out(left_out, self._source, self._line)
                self._objection = "the game definition was not found"
                return
        self._objection = game_objection(self._gamedef)

    def read(self, block: bytes) -> Iterator[HandBatch]:
        """Yields the hands of a block of whole lines."""
        start = 0
        for match in _HEADER.finditer(block):
            yield from self._part(block[start : match.start()])
            self._begin(match[0].decode("utf-8", "backslashreplace").rstrip("\r"))
            start = match.start()
        yield from self._part(block[start:])

    def _part(self, data: bytes) -> Iterator[HandBatch]:
        """Yields the hands of whole lines that belong to one match."""
        if not data:
            return
        first_line = self._line
        text = np.frombuffer(data, np.uint8)
        lines, most_actions = count_lines_kernel(text)
        self._line += lines
        if self._objection is not None:
            starts = [match.start() for match in _STATE.finditer(data)]
            if starts:
                number = first_line + data.count(b"\n", 0, starts[0])
                first = data[starts[0] :].split(b"\n", 1)[0].decode("utf-8", "backslashreplace")
                kind = LeftOutError(self._objection)
                self._reader.tally.left_out.add(kind, self._source.name, number, first, len(starts))
            return
        assert self._gamedef is not None
        hands, actions = allocate_columns(lines, most_actions)
        stacks, blinds = self._gamedef.stacks, self._gamedef.blinds
        game = Game(stacks[0], stacks[1], blinds[0], blinds[1])
        written = read_lines_kernel(hands, actions, text, game, self._salt)
        read = hands.status == READ
        if read.any():
            yield self._batch(data, hands, read, actions, written, first_line)
        builder = BatchBuilder()
        for row in np.flatnonzero(hands.status == UNREAD):
            line = data[hands.start[row] : hands.end[row]].decode("utf-8", "backslashreplace")
            try:
                hand = from_logged(parse_log_line(line, self._gamedef, hidden_cards=True))
                key = max(1, int(hash_kernel(text, hands.start[row], hands.end[row], self._salt)))
                self._reader.add(builder, hand, key, self._file, first_line + int(row), ACPC)
            except InputError as error:
                self._reader.leave_out(error, self._source, first_line + int(row))
        if len(builder):
            yield builder.take()

    def _batch(
        self, data: bytes, hands: HandColumns, read: NDArray[np.bool_], actions: ActionColumns, written: int, line: int
    ) -> HandBatch:
        assert self._gamedef is not None
        count = int(read.sum())
        players = self._players(data, hands.name_keys[read], hands.names[read])
        stacks, blinds = self._gamedef.stacks, self._gamedef.blinds
        net, raises = hands.net[read], hands.raises[read]
        values: dict[str, Any] = {
            "key": np.maximum(hands.key[read], np.uint64(1)),
            "hand": hands.hand[read],
            "file": self._file,
            "line": line + np.flatnonzero(read),
            "format": formats().index(ACPC),
            "player_bb": players[:, 0],
            "player_sb": players[:, 1],
            "big_blind": blinds[0],
            "small_blind": blinds[1],
            "dead": 0,
            "stack_bb": stacks[0],
            "stack_sb": stacks[1],
            "net_bb": net[:, 0],
            "net_sb": net[:, 1],
            "rounds": hands.rounds[read],
            **{name: raises[:, street] for street, name in enumerate(RAISES)},
            "showdown": hands.showdown[read],
            "num_actions": hands.num_actions[read],
        }
        columns = {
            name: np.ascontiguousarray(np.broadcast_to(np.asarray(values[name], kind), (count,)))
            for name, kind in HAND_COLUMNS.items()
        }
        columns["cards"] = hands.cards[read]
        return HandBatch(columns, {name: getattr(actions, name)[:written].copy() for name in ACTION_COLUMNS})

    def _players(self, data: bytes, keys: NDArray[np.uint64], names: NDArray[np.int64]) -> NDArray[np.int32]:
        """Returns int32[N, 2]: the numbers of the players in each position."""
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        codes = np.zeros(len(first), np.int32)
        for place in np.argsort(first).tolist():  # in the order of their first hands
            start, end = names.reshape(-1, 2)[first[place]]
            codes[place] = self._reader.players.code(data[start:end].decode("utf-8", "backslashreplace"))
        players: NDArray[np.int32] = codes[inverse].reshape(keys.shape)
        return players


def allocate_columns(lines: int, most_actions: int) -> tuple[HandColumns, ActionColumns]:
    """Returns empty columns for the kernel that reads lines.

    :param lines: number of lines.
    :param most_actions: upper bound for the number of actions.
    """
    hands = HandColumns(
        status=np.empty(lines, np.uint8),
        start=np.empty(lines, np.int64),
        end=np.empty(lines, np.int64),
        key=np.empty(lines, np.uint64),
        hand=np.empty(lines, np.uint64),
        names=np.empty((lines, 2, 2), np.int64),
        name_keys=np.empty((lines, 2), np.uint64),
        net=np.empty((lines, 2)),
        cards=np.empty((lines, 9), np.uint8),
        raises=np.empty((lines, 4), np.uint8),
        rounds=np.empty(lines, np.uint8),
        showdown=np.empty(lines, np.bool_),
        num_actions=np.empty(lines, np.int32),
    )
    return hands, ActionColumns(*(np.empty(most_actions + 1, kind) for kind in ACTION_COLUMNS.values()))
