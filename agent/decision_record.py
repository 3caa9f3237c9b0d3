"""The record of a player's decisions: for every decision what it sampled from, for all 1,326 hands it could have held.

AIVAT needs these probabilities. A player that thinks with a clock does not play the same twice, so nobody can ask it
again after the match. It writes them down while it plays. The file begins with one line of JSON::

    {"format": "hedgehog.decisions", "version": 1, "game": ..., "seed": ..., "players": [SPEC],
     "game_digest": SHA-256 of the game definition, "think_ms": ...}

Then follow the hands that the player has finished, in the order of play. Each hand is a frame: four little-endian
uint32 numbers (hand number, length of the content, CRC-32 of the content, CRC-32 of these three numbers), and the
content, compressed by zlib. The content is one line of JSON with cards, betting and actions, and for every decision the
different columns of probabilities as float32 and the number of the column of every combo as uint16, both in planes of
bytes. Thus a decision takes at most 4 bytes for each action and combo, and 2 for each combo, before compression.

A file grows by whole frames, so that a killed player leaves all hands that it has finished. The end of a frame that was
cut off is removed when the player goes on. If a hand stands twice in a file, it was played anew, and the last counts.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.poker.acpc.gamedef import GameDef, format_gamedef, shipped_name
from hedgehog.poker.cards import NUM_COMBOS, format_cards, parse_cards
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, MAX_ACTIONS_PER_ROUND, Action
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, ResourceError, one_line
from hedgehog.runtime.folder_lock import try_lock
from hedgehog.runtime.input_files import read_file

KIND: Final = "decisions"
VERSION: Final = 1
_FRAME: Final = struct.Struct("<III")
_HEAD_SIZE: Final = _FRAME.size + 4
_LONGEST_HEADER: Final = 100_000
_MOST_RECORD_BYTES: Final = 16 << 30
_LONGEST_HAND: Final = 1 << 26
"""Largest number of bytes of a hand, before and after compression."""
_RAISE: Final = re.compile("r[1-9][0-9]{0,9}")
_MOST_ACTIONS: Final = 1024
_MOST_DECISIONS: Final = 4 * MAX_ACTIONS_PER_ROUND


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """What all decisions of a record have in common."""

    game: str | None
    """Name of the shipped game definition; None for any other game."""
    game_digest: str
    """SHA-256 of the game definition, as :func:`hedgehog.poker.acpc.gamedef.format_gamedef` writes it."""
    player: str
    """Specification of the player."""
    seed: int
    """Seed of the player's random numbers."""
    think_ms: int
    """Milliseconds that the player was allowed to think."""

    @staticmethod
    def of(gamedef: GameDef, player: str, seed: int, think_ms: int) -> RecordHeader:
        """Returns the header for a player in a match.

        :param player: specification of the player.
        :param seed: seed of the player's random numbers.
        :param think_ms: milliseconds that the player is allowed to think.
        """
        return RecordHeader(shipped_name(gamedef), game_digest(gamedef), player, seed, think_ms)

    def line(self) -> bytes:
        """Returns the header as the first line of a record."""
        values = json_document(
            KIND,
            version=VERSION,
            game=self.game,
            seed=self.seed,
            players=[self.player],
            game_digest=self.game_digest,
            think_ms=self.think_ms,
        )
        return json.dumps(values).encode("ascii") + b"\n"


def game_digest(gamedef: GameDef) -> str:
    """Returns the SHA-256 of a game definition, which does not depend on comments and spaces in its file."""
    return hashlib.sha256(format_gamedef(gamedef).encode()).hexdigest()


class RecordedDecision(NamedTuple):
    """One decision of a recorded hand."""

    actions_before: int
    """Number of actions of both players in the hand before the decision."""
    options: Options
    """What the player sampled from, as float32."""


class RecordedHand(NamedTuple):
    """The decisions of a player in a hand that was played to its end."""

    hand_id: int
    position: int
    """Position of the player."""
    hole_cards: tuple[int, ...]
    """Hole cards of the player."""
    betting: str
    """ACPC betting of the whole hand."""
    decisions: tuple[RecordedDecision, ...]

    def options(self, actions_before: int) -> Options | None:
        """Returns what the player sampled from after a number of actions of both players; None if it is unknown."""
        return next((one.options for one in self.decisions if one.actions_before == actions_before), None)


def format_hand(hand: RecordedHand) -> bytes:
    """Returns the compressed content of the frame of a hand."""
    heads, blocks = [], []
    for decision in hand.decisions:
        table = np.ascontiguousarray(decision.options.probabilities, dtype="<f4")
        columns, index = np.unique(table, axis=1, return_inverse=True)
        heads.append(
            {
                "actions_before": decision.actions_before,
                "actions": list(map(str, decision.options.actions)),
                "columns": columns.shape[1],
            }
        )
        blocks += [_planes(columns), _planes(index.reshape(-1).astype("<u2"))]
    values = {
        "hand": hand.hand_id,
        "position": hand.position,
        "hole_cards": format_cards(hand.hole_cards),
        "betting": hand.betting,
        "decisions": heads,
    }
    return zlib.compress(b"".join([json.dumps(values).encode("ascii"), b"\n", *blocks]))


def parse_hand(content: bytes) -> RecordedHand:
    """Returns the hand of a frame.

    :param content: the compressed content of the frame.
    :raises InputError: if it is malformed.
    """
    try:
        decompressor = zlib.decompressobj()
        data = decompressor.decompress(content, _LONGEST_HAND)
        if not decompressor.eof:
            raise InputError("the hand does not end where it should")
        line, _, rest = data.partition(b"\n")
        return _read_hand(json.loads(line), memoryview(rest))
    except InputError:
        raise
    except (zlib.error, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise InputError(f"not a recorded hand ({one_line(str(error))[:100]})") from error


def _read_hand(values: dict[str, Any], blocks: memoryview) -> RecordedHand:
    decisions = []
    if len(values["decisions"]) > _MOST_DECISIONS:
        raise InputError("the hand has too many decisions")
    for head in values["decisions"]:
        actions = list(map(_parse_action, head["actions"]))
        count = int(head["columns"])
        if not 0 < len(actions) <= _MOST_ACTIONS or len(set(actions)) < len(actions) or not 0 < count <= NUM_COMBOS:
            raise InputError("a decision has impossible actions or columns")
        size = 4 * len(actions) * count
        columns = _from_planes(blocks[:size], "<f4").reshape(len(actions), count)
        index = _from_planes(blocks[size : size + 2 * NUM_COMBOS], "<u2")
        blocks = blocks[size + 2 * NUM_COMBOS :]
        if len(index) != NUM_COMBOS or index.max() >= count:
            raise InputError("a decision lacks combos")
        sums = columns.sum(axis=0)
        # A column of zeros belongs to the combos that the board blocks.
        if not (np.all(columns >= 0) and np.all((np.abs(sums - 1) < 1e-4) | (sums == 0))):
            raise InputError("the probabilities of a decision do not sum to one")
        options = Options(actions, columns[:, index].astype(np.float64))
        decisions.append(RecordedDecision(int(head["actions_before"]), options))
    if len(blocks):
        raise InputError("the hand is longer than its decisions")
    cards = tuple(parse_cards(str(values["hole_cards"])))
    return RecordedHand(int(values["hand"]), int(values["position"]), cards, str(values["betting"]), tuple(decisions))


def _parse_action(text: str) -> Action:
    for action in (FOLD, CALL, LIMIT_RAISE):
        if text == str(action):
            return action
    if isinstance(text, str) and _RAISE.fullmatch(text):
        return Action("r", int(text[1:]))
    raise InputError(f"expected an action, got {str(text)[:20]!r}")


def _planes(values: NDArray[Any]) -> bytes:
    """Returns numbers as bytes: first the lowest byte of every number, then the next, which compresses better."""
    return np.ascontiguousarray(values.reshape(-1).view(np.uint8).reshape(-1, values.itemsize).T).tobytes()


def _from_planes(data: memoryview, dtype: str) -> NDArray[Any]:
    size = np.dtype(dtype).itemsize
    planes = np.frombuffer(data, dtype=np.uint8).reshape(size, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype)


class DecisionRecord:
    """A record that has been read. Hands are decompressed on request, so that memory does not grow with them."""

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """Reads the header and the places of all hands.

        :param data: content of the file, such as :meth:`part` returns; None: the file is read.
        :raises InputError: if the file cannot be read, or is damaged; the message names the hand.
        """
        self.path = path
        self._data = read_file(path, _MOST_RECORD_BYTES) if data is None else data
        end = self._data.find(b"\n", 0, _LONGEST_HEADER) + 1
        self.header = _parse_header(self._data[:end], path)
        self._places: dict[int, tuple[int, int, int]] = {}
        self.size = end
        """Number of bytes up to the end of the last whole hand."""
        for hand_id, start, length, checksum in self._frames(end):
            self._places[hand_id] = (start, length, checksum)
            self.size = start + length
        self._kept: RecordedHand | None = None

    def _frames(self, start: int) -> Iterator[tuple[int, int, int, int]]:
        last = "before the first hand"
        while start + _HEAD_SIZE <= len(self._data):
            head = self._data[start : start + _FRAME.size]
            hand_id, length, checksum = _FRAME.unpack(head)
            if zlib.crc32(head) != int.from_bytes(self._data[start + _FRAME.size : start + _HEAD_SIZE], "little"):
                raise InputError(f"the record is damaged {last}", source=str(self.path))
            if length > _LONGEST_HAND:
                raise InputError(f"hand {hand_id} is longer than any hand can be", source=str(self.path))
            start += _HEAD_SIZE
            if start + length > len(self._data):
                return
            yield hand_id, start, length, checksum
            start += length
            last = f"after hand {hand_id}"

    def __len__(self) -> int:
        return len(self._places)

    def hand(self, hand_id: int) -> RecordedHand | None:
        """Returns a hand; None if the record lacks it.

        :raises InputError: if the hand is damaged; the message names file and hand.
        """
        if self._kept is not None and self._kept.hand_id == hand_id:
            return self._kept
        place = self._places.get(hand_id)
        if place is None:
            return None
        start, length, checksum = place
        content = self._data[start : start + length]
        if zlib.crc32(content) != checksum:
            raise InputError(f"hand {hand_id} of the record is damaged", source=str(self.path))
        try:
            self._kept = parse_hand(content)
        except InputError as error:
            raise InputError(f"hand {hand_id}: {error.message}", source=str(self.path)) from error
        if self._kept.hand_id != hand_id:
            raise InputError(f"hand {hand_id} of the record is damaged", source=str(self.path))
        return self._kept

    def part(self, hand_ids: Iterable[int]) -> bytes:
        """Returns a record with some of the hands alone, as bytes. Hands that the record lacks are left out."""
        parts = [self.header.line()]
        for place in filter(None, map(self._places.get, hand_ids)):
            start, length, _ = place
            parts.append(self._data[start - _HEAD_SIZE : start + length])
        return b"".join(parts)

    def hands(self) -> Iterator[RecordedHand]:
        """Yields all hands in the order of their numbers.

        :raises InputError: if a hand is damaged.
        """
        for hand_id in sorted(self._places):
            hand = self.hand(hand_id)
            assert hand is not None
            yield hand


def _parse_header(line: bytes, path: Path) -> RecordHeader:
    try:
        values = json.loads(line)
        if values["format"] != f"hedgehog.{KIND}" or values["version"] != VERSION:
            raise ValueError
        (player,) = values["players"]
        game = values["game"]
        return RecordHeader(
            None if game is None else str(game),
            str(values["game_digest"]),
            str(player),
            int(values["seed"]),
            int(values["think_ms"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        message = f"expected a record of decisions (format hedgehog.{KIND}, version {VERSION})"
        raise InputError(message, source=str(path)) from error


class RecordWriter:
    """Writes a record. The file grows by whole hands."""

    def __init__(self, path: Path, header: RecordHeader, *, go_on: bool = False) -> None:
        """Begins a record, in place of what the file holds, or goes on with the record in the file.

        :param go_on: keep the hands of a record with the same header. A missing or empty file begins anew.
        :raises InputError: if the file to go on with is damaged, or is the record of another player, game or seed, or
            if another process writes to the file.
        :raises ResourceError: if the file cannot be written.
        """
        self._path = path
        self._file: BinaryIO
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666), "r+b", buffering=0)
        except OSError as error:
            raise ResourceError(f"cannot write {path}: {error.strerror or error}") from error
        kept = 0
        try:
            if not try_lock(self._file.fileno()):
                raise InputError("another process is writing this record", source=str(path))
            if go_on and path.stat().st_size:
                record = DecisionRecord(path)
                if record.header != header:
                    raise InputError("this is the record of another player, game or seed", source=str(path))
                kept = record.size
            self._file.truncate(kept)
            self._file.seek(kept)
        except OSError as error:
            self._file.close()
            raise ResourceError(f"cannot write {path}: {error.strerror or error}") from error
        except InputError:
            self._file.close()
            raise
        self._size = kept
        if not kept:
            self._append(header.line())

    def write(self, hand: RecordedHand) -> None:
        """Adds a hand.

        :raises ResourceError: if it cannot be written. The file then ends with the hand before.
        """
        content = format_hand(hand)
        head = _FRAME.pack(hand.hand_id, len(content), zlib.crc32(content))
        self._append(head + zlib.crc32(head).to_bytes(4, "little") + content)

    def _append(self, data: bytes) -> None:
        try:
            written = 0
            while written < len(data):  # the disk is nearly full: the next write says so
                written += self._file.write(data[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(self._size)
                self._file.seek(self._size)
            raise ResourceError(f"cannot write {self._path}: {error.strerror or error}") from error
        self._size += len(data)

    def close(self) -> None:
        """Waits until all hands are on the disk, and closes the file."""
        with contextlib.suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()
