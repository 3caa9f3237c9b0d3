"""Records of decisions: what is written is read again, whatever happens to the file."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.decision_record import (
    DecisionRecord,
    RecordedDecision,
    RecordedHand,
    RecordHeader,
    RecordWriter,
    format_hand,
    parse_hand,
)
from hedgehog.agent.options import Options
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.runtime.errors import InputError, ResourceError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
HEADER = RecordHeader.of(HUNL, "default", 7, 300)
HOLE_CARDS = tuple(parse_cards("AhKd"))
BOARD = tuple(parse_cards("Qs7h6h"))


def mixed(seed: int, actions: list[Action]) -> Options:
    rows = np.random.default_rng(seed).dirichlet(np.ones(len(actions)), NUM_COMBOS).T
    return Options(actions, rows * combo_mask(BOARD))


def hand(hand_id: int, seed: int = 0) -> RecordedHand:
    decisions = (
        RecordedDecision(0, mixed(seed, [CALL, Action("r", 300)])),
        RecordedDecision(3, mixed(seed + 1, [FOLD, CALL, Action("r", 900), Action("r", 20000)])),
    )
    return RecordedHand(hand_id, 1, HOLE_CARDS, "cc/r200c/cc/cc", decisions)


def write(path: Path, *hands: RecordedHand, go_on: bool = False) -> None:
    writer = RecordWriter(path, HEADER, go_on=go_on)
    for one in hands:
        writer.write(one)
    writer.close()


def assert_same(found: RecordedHand | None, expected: RecordedHand) -> None:
    assert found is not None
    assert found[:4] == expected[:4]
    for one, other in zip(found.decisions, expected.decisions, strict=True):
        assert one.actions_before == other.actions_before
        assert one.options.actions == other.options.actions
        assert np.array_equal(one.options.probabilities, other.options.probabilities.astype(np.float32))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.decisions"
    write(path, hand(0), hand(5, 9))
    record = DecisionRecord(path)
    assert record.header == HEADER
    assert len(record) == 2
    assert_same(record.hand(0), hand(0))
    assert_same(record.hand(5), hand(5, 9))
    assert record.hand(4) is None
    assert [one.hand_id for one in record.hands()] == [0, 5]
    found = record.hand(5)
    assert found is not None
    assert found.options(1) is None
    assert found.options(3) is found.decisions[1].options


def test_equal_columns_are_stored_once() -> None:
    rows = np.zeros((3, NUM_COMBOS))
    rows[0] = 1
    one = RecordedHand(0, 0, HOLE_CARDS, "c", (RecordedDecision(0, Options([FOLD, CALL, Action("r", 300)], rows)),))
    assert len(format_hand(one)) < 300 < len(format_hand(hand(0)))


def test_a_record_goes_on(tmp_path: Path) -> None:
    """Also after a frame that was cut off at any place. A hand that was played again counts as the last time."""
    path = tmp_path / "x.decisions"
    write(path, hand(0), hand(1))
    whole = path.read_bytes()
    write(path, hand(2), go_on=True)
    end = len(path.read_bytes())
    for cut in (len(whole), len(whole) + 1, len(whole) + 15, len(whole) + 16, end - 1):
        path.write_bytes((whole + path.read_bytes()[len(whole) :])[:cut])
        assert len(DecisionRecord(path)) == 2
        write(path, hand(1, 4), hand(2), go_on=True)
        record = DecisionRecord(path)
        assert path.read_bytes()[: len(whole)] == whole
        assert_same(record.hand(0), hand(0))
        assert_same(record.hand(1), hand(1, 4))
        assert_same(record.hand(2), hand(2))
    write(tmp_path / "new.decisions", hand(3), go_on=True)
    assert len(DecisionRecord(tmp_path / "new.decisions")) == 1


@pytest.mark.parametrize("field", ["player", "seed", "think_ms", "game_digest"])
def test_another_record_does_not_go_on(tmp_path: Path, field: str) -> None:
    path = tmp_path / "x.decisions"
    write(path, hand(0))
    before = path.read_bytes()
    values = {"game": HEADER.game, "game_digest": HEADER.game_digest, "player": "default", "seed": 7, "think_ms": 300}
    other = RecordHeader(**{**values, field: 8 if field in ("seed", "think_ms") else "other"})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"x\.decisions: this is the record of another player, game or seed"):
        RecordWriter(path, other, go_on=True)
    assert path.read_bytes() == before


def test_damage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.decisions"
    write(path, hand(0), hand(1), hand(2))
    whole = path.read_bytes()
    second = len(whole) - 2 * (len(whole) - whole.index(b"\n") - 1) // 3
    path.write_bytes(whole[: second + 200] + b"!" + whole[second + 201 :])
    record = DecisionRecord(path)
    assert_same(record.hand(2), hand(2))
    with pytest.raises(InputError, match=r"x\.decisions: hand 1 of the record is damaged"):
        record.hand(1)
    start = whole.index(b"\n") + 1
    path.write_bytes(whole[:start] + b"!" + whole[start + 1 :])
    with pytest.raises(InputError, match=r"x\.decisions: the record is damaged before the first hand"):
        DecisionRecord(path)
    for content in (b"", b"\n", b"{}\n", whole[:20], whole.replace(b'"version": 1', b'"version": 2')):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"x\.decisions: expected a record of decisions"):
            DecisionRecord(path)
    with pytest.raises(InputError, match=r"y\.decisions: cannot read it: No such file"):
        DecisionRecord(tmp_path / "y.decisions")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-1], "lacks combos|longer|reshape"),
        (lambda data: data + b"0", "longer than its decisions"),
        (lambda data: data.replace(b'"r900"', b'"r9x0"'), "expected an action, got 'r9x0'"),
        (lambda data: data.replace(b'"r900"', b'"c"   '), "impossible actions"),
        (lambda data: data.replace(b"AhKd", b"AhKx"), "Kx"),
        (lambda data: data.partition(b"\n")[0] + b"\n" + b"\x3f" * len(data.partition(b"\n")[2]), "lacks combos|sum"),
        (lambda data: b"[]\n", "not a recorded hand"),
    ],
)
def test_malformed_hands(change, message: str) -> None:  # type: ignore[no-untyped-def]
    data = zlib.decompress(format_hand(hand(0)))
    with pytest.raises(InputError, match=message):
        parse_hand(zlib.compress(change(data)))


def test_a_hand_is_not_unpacked_without_limit() -> None:
    with pytest.raises(InputError, match="does not end where it should"):
        parse_hand(zlib.compress(bytes((1 << 26) + 1)))


def test_a_full_disk_leaves_whole_hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.decisions"
    writer = RecordWriter(path, HEADER)
    writer.write(hand(0))

    class Full:
        """A file on a disk that takes 100 bytes more."""

        def __init__(self) -> None:
            self.room = 100

        def write(self, data: bytes) -> int:
            if not self.room:
                raise OSError(28, "No space left on device")
            written, self.room = file.write(data[: self.room]), 0
            return written

        def __getattr__(self, name: str) -> object:
            return getattr(file, name)

    file = writer._file
    monkeypatch.setattr(writer, "_file", Full())
    with pytest.raises(ResourceError, match=r"x\.decisions: No space left"):
        writer.write(hand(1))
    writer.close()
    assert len(DecisionRecord(path)) == 1
    assert path.stat().st_size == DecisionRecord(path).size
