"""A folder of Parquet files that holds hands and actions as columns, grows file by file, and survives interruption.

``hands-00001.parquet`` has a row for each hand and ``actions-00001.parquet`` a row for each action of these hands;
together they are a part. ``store.json`` lists the finished parts and the sources they were read from. A part that it
does not list is unfinished and is written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.hand_files import formats
from hedgehog.analysis.histories.left_out import LeftOut, LeftOutHands
from hedgehog.analysis.histories.sources import Source
from hedgehog.analysis.study.batches import ACTION_COLUMNS, CARDS, HAND_COLUMNS, HandBatch, Texts
from hedgehog.analysis.study.reading import HandReader, Tally
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import replacing, write_text_file
from hedgehog.runtime.input_files import read_input
from hedgehog.runtime.outputs import FolderKind, make_folder
from hedgehog.runtime.packages import require

STORE_FILE: Final = "store.json"
STORE_KIND: Final = FolderKind("a hand store", (STORE_FILE, "hands-*.parquet", "actions-*.parquet", STATUS_FILE))
PART_HANDS: Final = 1 << 18
"""Hands after which a part is written."""
_VERSION: Final = 1
_TEXT_COLUMNS: Final = ("file", "player_bb", "player_sb")
_KEPT_PROBLEMS: Final = 1000
SAVED_COUNTS: Final = ("duplicates", "bad", "files", "other_files")
"""Numbers of a tally that a store keeps as they are."""


def require_pyarrow() -> ModuleType:
    """Returns the module ``pyarrow.parquet``.

    :raises InputError: if pyarrow is not installed; the message names the command that installs it.
    """
    return require("pyarrow.parquet", "a hand store needs")


def is_store(path: Path) -> bool:
    """Returns True if a folder is a hand store."""
    return (path / STORE_FILE).is_file()


@dataclass(slots=True)
class _State:
    """What ``store.json`` says."""

    sources: dict[str, list[int]] = field(default_factory=dict)
    """Size, time of the last change and checksum of every source that was read to its end, by name."""
    parts: list[dict[str, int]] = field(default_factory=list)
    """Number of hands and of actions of every part."""
    unfinished: dict[str, Any] | None = None
    """Name of the source that was being read, and the number of its hands in the parts."""
    tally: dict[str, Any] = field(default_factory=dict)
    """What was counted before the unfinished source."""


class HandStore:
    """A hand store that is open for reading, and for writing while its folder is locked."""

    def __init__(self, folder: Path) -> None:
        """Opens a store; a folder without one is an empty store.

        :raises InputError: if ``store.json`` is damaged or of a version that this program does not read.
        """
        self.folder = folder
        self._parquet = require_pyarrow()
        self._state = _read_state(folder / STORE_FILE)
        self._waiting: list[HandBatch] = []
        self._waiting_hands = 0
        self._source_hands = 0

    @property
    def num_hands(self) -> int:
        """Number of hands in finished parts."""
        return sum(part["hands"] for part in self._state.parts)

    def tally(self) -> Tally:
        """Returns what was counted while the store was filled, up to the last finished source."""
        saved = self._state.tally
        tally = Tally()
        for name in SAVED_COUNTS:
            setattr(tally, name, int(saved.get(name, 0)))
        tally.left_out = LeftOutHands({str(kind): _left_out(one) for kind, one in saved.get("left_out", {}).items()})
        tally.problems = [str(problem) for problem in saved.get("problems", [])]
        tally.hands, tally.actions = self.num_hands, sum(part["actions"] for part in self._state.parts)
        return tally

    def resume(self, reader: HandReader) -> None:
        """Lets a reader know the hands that are in the store, so that it reads only new ones.

        The folder is locked by then. What another process has added since the store was opened counts, too.
        """
        self._state = _read_state(self.folder / STORE_FILE)
        reader.tally = self.tally()
        for number in range(1, len(self._state.parts) + 1):
            keys = self._parquet.read_table(self._file("hands", number), columns=["key"])["key"].to_numpy()
            reader.seen.add(keys.astype(np.uint64))
        if self._state.unfinished is not None:
            # Its hands are read again and found to be known: they are no duplicates.
            reader.tally.duplicates -= int(self._state.unfinished["hands"])

    def is_done(self, source: Source) -> bool:
        """Returns True if a source was read to its end and has not changed since."""
        return self._state.sources.get(source.name) == _stamp(source)

    def begin(self, source: Source, tally: Tally) -> None:
        """Notes that the hands added from now on come from a source."""
        unfinished = self._state.unfinished
        again = unfinished is not None and unfinished["name"] == source.name
        self._source_hands = int(unfinished["hands"]) if again and unfinished is not None else 0
        if not again:
            self._state.tally = _saved_tally(tally)
        self._state.unfinished = {"name": source.name, "hands": self._source_hands}

    def add(self, batch: HandBatch, reader: HandReader) -> None:
        """Adds hands, and writes a part if there are enough."""
        self._waiting.append(batch)
        self._waiting_hands += batch.num_hands
        self._source_hands += batch.num_hands
        if self._waiting_hands >= PART_HANDS:
            self.flush(reader)

    def finish(self, source: Source, tally: Tally) -> None:
        """Notes that a source was read to its end; :meth:`flush` makes it last."""
        self._state.sources[source.name] = _stamp(source)
        self._state.unfinished = None
        self._state.tally = _saved_tally(tally)

    def flush(self, reader: HandReader) -> None:
        """Writes the hands that wait as a part, and ``store.json``."""
        make_folder(self.folder)
        if self._waiting:
            number = len(self._state.parts) + 1
            batch = HandBatch.join(self._waiting)
            self._write(batch, number, reader)
            self._state.parts.append({"hands": batch.num_hands, "actions": batch.num_actions})
            self._waiting, self._waiting_hands = [], 0
        if self._state.unfinished is not None:
            self._state.unfinished["hands"] = self._source_hands
        state = self._state
        document = json_document(
            "hand-store",
            version=_VERSION,
            formats=list(formats()),
            parts=state.parts,
            sources=state.sources,
            unfinished=state.unfinished,
            tally=state.tally,
        )
        write_text_file(self.folder / STORE_FILE, json.dumps(document, indent=1) + "\n")

    def _file(self, kind: str, number: int) -> Path:
        return self.folder / f"{kind}-{number:05}.parquet"

    def _write(self, batch: HandBatch, number: int, reader: HandReader) -> None:
        import pyarrow as pa

        texts = {"file": reader.files.texts, "player_bb": reader.players.texts, "player_sb": reader.players.texts}
        columns: dict[str, Any] = {}
        for name, column in batch.hands.items():
            if name == "cards":
                data = pa.py_buffer(np.ascontiguousarray(column))
                columns[name] = pa.FixedSizeBinaryArray.from_buffers(pa.binary(CARDS), len(column), [None, data])
            elif name in _TEXT_COLUMNS:
                columns[name] = _dictionary(pa, column, texts[name])
            else:
                columns[name] = pa.array(column)
        actions = {"hand": pa.array(batch.hand_of_action().astype(np.uint32))}
        actions |= {name: pa.array(column) for name, column in batch.actions.items()}
        for kind, table in (("hands", pa.table(columns)), ("actions", pa.table(actions))):
            with replacing(self._file(kind, number)) as file:
                self._parquet.write_table(table, file, compression="zstd")

    def batches(self, players: Texts, files: Texts) -> Iterator[HandBatch]:
        """Yields the hands of all finished parts.

        :param players: gets the names of the players, whose numbers are in the batches.
        :param files: gets the names of the sources.
        :raises InputError: if a part is missing or damaged.
        """
        for number, part in enumerate(self._state.parts, 1):
            batch = self._read(number, players, files)
            if (batch.num_hands, batch.num_actions) != (part["hands"], part["actions"]):
                raise InputError("expected as many hands and actions as store.json says", source=self._name(number))
            yield batch

    def _name(self, number: int) -> str:
        return str(self._file("hands", number))

    def _read(self, number: int, players: Texts, files: Texts) -> HandBatch:
        import pyarrow as pa

        try:
            hands = self._parquet.read_table(self._file("hands", number))
            actions = self._parquet.read_table(self._file("actions", number))
            columns = {
                name: _codes(hands[name], files if name == "file" else players)
                if name in _TEXT_COLUMNS
                else hands[name].to_numpy().astype(kind, copy=False)
                for name, kind in HAND_COLUMNS.items()
            }
            cards = hands["cards"].combine_chunks()
            data = np.frombuffer(cards.buffers()[1], np.uint8) if len(cards) else np.zeros(0, np.uint8)
            columns["cards"] = data[: CARDS * len(cards)].reshape(-1, CARDS)
            rows = {name: actions[name].to_numpy().astype(kind, copy=False) for name, kind in ACTION_COLUMNS.items()}
        except (OSError, KeyError, TypeError, ValueError, pa.ArrowException) as error:
            raise InputError(f"expected a part of a hand store: {error}", source=self._name(number)) from error
        batch = HandBatch(columns, rows)
        if int(columns["num_actions"].sum()) != batch.num_actions:
            raise InputError("hands and actions of this part do not belong together", source=self._name(number))
        return batch


def _dictionary(pa: ModuleType, codes: NDArray[np.int32], texts: Sequence[str]) -> Any:
    """Returns a column of texts as an Arrow dictionary of the texts that occur."""
    found, places = np.unique(codes, return_inverse=True)
    names = pa.array([texts[code].encode("utf-8", "surrogateescape").decode("utf-8", "replace") for code in found])
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), names)


def _codes(column: Any, texts: Texts) -> NDArray[np.int32]:
    """Returns the numbers of the texts of an Arrow column."""
    encoded = column.combine_chunks()
    if not hasattr(encoded, "dictionary"):
        encoded = encoded.dictionary_encode()
    numbers = np.array([texts.code(text) for text in encoded.dictionary.to_pylist()], np.int32)
    codes: NDArray[np.int32] = numbers[encoded.indices.to_numpy()]
    return codes


def _stamp(source: Source) -> list[int]:
    return [source.size, source.changed_ns, source.checksum]


def _left_out(saved: Any) -> LeftOut:
    """Returns the hands of one kind that were left out; older stores hold their number alone."""
    if isinstance(saved, int):
        return LeftOut(saved, "", "", "")
    return LeftOut(int(saved["count"]), *(str(saved[name]) for name in ("place", "first_line", "reason")))


def _saved_tally(tally: Tally) -> dict[str, Any]:
    return {
        **{name: getattr(tally, name) for name in SAVED_COUNTS},
        "left_out": {kind: asdict(one) for kind, one in tally.left_out.kinds.items()},
        "problems": tally.problems[:_KEPT_PROBLEMS],
    }


def _read_state(path: Path) -> _State:
    """Returns the content of ``store.json``; an empty state if there is no such file.

    :raises InputError: if the file is damaged.
    """
    try:
        text = read_input(path).decode()
    except FileNotFoundError:
        return _State()
    except (OSError, ValueError) as error:
        raise InputError(f"could not read it ({error})", source=str(path)) from error
    try:
        document = json.loads(text)
        if document["format"] != "hedgehog.hand-store" or document["version"] != _VERSION:
            raise InputError(f"expected a hand store of version {_VERSION}", source=str(path))
        known = [str(name) for name in document["formats"]]
        if known != list(formats())[: len(known)]:
            missing = ", ".join(name for name in known if name not in formats()) or "none, but in another order"
            raise InputError(
                f"the store numbers the formats {', '.join(known)}, which other log readers than those here have made; "
                f"not here: {missing}",
                source=str(path),
            )
        parts = [{"hands": int(part["hands"]), "actions": int(part["actions"])} for part in document["parts"]]
        sources = {str(name): [int(number) for number in stamp] for name, stamp in document["sources"].items()}
        unfinished = document["unfinished"]
        if unfinished is not None:
            unfinished = {"name": str(unfinished["name"]), "hands": int(unfinished["hands"])}
        tally = dict(document["tally"])
        state = _State(sources, parts, unfinished, tally)
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"expected the contents of a hand store ({error})", source=str(path)) from error
    return state
