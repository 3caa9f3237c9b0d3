"""Quick flop packs: what is stored comes back, equal hands stay equal, and damaged packs are one clear error."""

from __future__ import annotations

import hashlib
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask, parse_cards
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_class, flop_representative, permute_cards
from hedgehog.runtime.errors import PackError
from hedgehog.strategies.blueprint_pack import BlueprintTable, blueprint_beside, blueprint_digest, read_blueprint
from hedgehog.strategies.flop_pack import read_flop_lines
from hedgehog.strategies.manifest import FORMAT_VERSION, FlopLineEntry, PackManifest
from hedgehog.strategies.pack import default_packs, open_pack, write_pack
from hedgehog.strategies.quantize import quantize_rows
from hedgehog.strategies.quick_flop_streams import (
    LEVELS,
    MIN_REACH,
    TOLERANCE,
    EncodedLine,
    PackHands,
    canonical_hands,
    compress,
    decompress,
    encode_line,
    level_keys,
    line_decisions,
    rows_of_keys,
)
from hedgehog.strategies.quick_flops import QuickFlops, read_quick_flops
from tests.strategies.provenance import PROVENANCE

BETTING = "r250r850c"
FLOPS = ("7d 7c 7h", "Qh Jh 2c", "Kc 8c 3c", "As Kd 7c")
CLASSES = sorted(flop_class(parse_cards(text))[0] for text in FLOPS)
Rows = list[list[NDArray[np.uint8]]]


@pytest.fixture(scope="module")
def table() -> BlueprintTable:
    return read_blueprint(open_pack(default_packs() / "blueprint"))


@pytest.fixture(scope="module")
def first(table: BlueprintTable) -> int:
    node = 0
    for step in BETTING.replace("r", " r").replace("c", " c").split():
        children = list(table.tree.children(node))
        amounts = [int(table.tree.committed[child, table.tree.player[node]]) for child in children]
        node = children[1] if step == "c" else children[amounts.index(int(step[1:]))]
    return int(table.tree.first_child[node])


@pytest.fixture(scope="module")
def ranges() -> NDArray[np.float32]:
    """Of every player a third of all hands is out of range; the weights do not depend on suits."""
    low, high = np.triu_indices(52, 1)
    kind = (low // 4 * 13 + high // 4) % 3
    return np.stack([np.where(kind == player, 0, 1.0) for player in range(2)]).astype(np.float32)


@pytest.fixture(scope="module")
def buckets() -> list[NDArray[np.uint8]]:
    return [(np.arange(num_hands(index)) * 7 % 200).astype(np.uint8) for index in CLASSES]


def own_hands(index: int) -> NDArray[np.int64]:
    return np.flatnonzero(canonical_hands(index) == np.arange(NUM_COMBOS))


def num_hands(index: int) -> int:
    return len(own_hands(index))


@pytest.fixture(scope="module")
def rows(table: BlueprintTable, first: int, buckets: list[NDArray[np.uint8]]) -> Rows:
    """Half of the rows are the blueprint's, half are drawn."""
    rng = np.random.default_rng(3)
    result: Rows = []
    for of_class in buckets:
        blocks = []
        for node in line_decisions(table.tree, first):
            given = table.block(int(node))[of_class].copy()
            drawn = rng.random(len(given)) < 0.5
            given[drawn] = quantize_rows(rng.dirichlet([0.4] * given.shape[1], size=int(drawn.sum())))
            blocks.append(given)
        result.append(blocks)
    return result


@pytest.fixture(scope="module")
def encoded(
    table: BlueprintTable, first: int, ranges: NDArray[np.float32], rows: Rows, buckets: list[NDArray[np.uint8]]
) -> EncodedLine:
    return encode_line(table, first, ranges, PackHands(CLASSES, np.concatenate(buckets)), np.array(CLASSES), rows)


def manifest_and_arrays(
    table: BlueprintTable, first: int, encoded: EncodedLine, buckets: list[NDArray[np.uint8]]
) -> tuple[PackManifest, dict[str, NDArray[Any]]]:
    manifest = PackManifest(
        format="hedgehog-strategy-pack",
        format_version=FORMAT_VERSION,
        kind="flops",
        name="tiny",
        tier="quick",
        gamedef="GAMEDEF\nEND GAMEDEF\n",
        provenance=PROVENANCE,
        config={"blueprint_digest": blueprint_digest(table), "figures": ["boards"], "quick_version": 2},
        quality={},
        lines=[FlopLineEntry(name="three_bet", betting=BETTING, pot=1700, stack=19_150)],
        arrays={},
    )
    arrays: dict[str, NDArray[Any]] = {f"three_bet_{name}": array for name, array in encoded.arrays.items()}
    arrays["three_bet_quality"] = np.full((len(CLASSES), 1), 5, dtype="<f4")
    arrays["quick_classes"] = np.array(CLASSES, dtype="<i2")
    arrays["quick_buckets"] = np.concatenate(buckets)
    return manifest, arrays


@pytest.fixture
def quick(
    tmp_path: Path, table: BlueprintTable, first: int, encoded: EncodedLine, buckets: list[NDArray[np.uint8]]
) -> QuickFlops:
    write_pack(tmp_path / "tiny", *manifest_and_arrays(table, first, encoded, buckets))
    return read_quick_flops(open_pack(tmp_path / "tiny"), table)


@pytest.mark.parametrize("text", FLOPS)
def test_canonical_hands_are_the_orbits_of_the_suit_symmetries(text: str) -> None:
    index, _ = flop_class(parse_cards(text))
    flop = flop_representative(index)
    canonical = canonical_hands(index)
    assert np.array_equal(canonical >= 0, combo_mask(flop))
    for suits in permutations(range(4)):
        if {card & ~3 | suits[card & 3] for card in flop} != set(flop):
            continue
        for low in range(52):
            for high in range(low + 1, 52):
                moved = combo_index(low & ~3 | suits[low & 3], high & ~3 | suits[high & 3])
                assert canonical[combo_index(low, high)] == canonical[moved]
    orbits = {
        frozenset(int(COMBO_PERMUTATIONS[p, combo]) for p in range(24) if set(permute_cards(flop, p)) == set(flop))
        for combo in np.flatnonzero(canonical >= 0)
    }
    assert num_hands(index) == len(orbits)


def test_stored_rows_come_back_and_the_others_are_the_blueprints(
    quick: QuickFlops,
    table: BlueprintTable,
    first: int,
    ranges: NDArray[np.float32],
    rows: Rows,
    buckets: list[NDArray[np.uint8]],
) -> None:
    stored = 0
    for index, refined_rows, of_class in zip(CLASSES, rows, buckets, strict=True):
        canonical = canonical_hands(index)
        live = np.flatnonzero(canonical >= 0)
        own = own_hands(index)
        reach = {first: ranges[:, own]}
        for node, refined in zip(line_decisions(table.tree, first), refined_rows, strict=True):
            assert quick.covers(int(node), index)
            block = quick.block(int(node), index)
            assert block.shape == (1176, refined.shape[1])
            assert np.all(block.sum(axis=1, dtype=np.int64) == 255)
            # Equal hands have equal rows.
            mine = block[np.searchsorted(live, own)]
            np.testing.assert_array_equal(block, mine[np.searchsorted(own, canonical[live])])
            player = int(table.tree.player[node])
            prior = table.block(int(node))[of_class]
            kept = (mine == prior).all(axis=1)
            off = np.abs(mine / 255 - refined / 255).max(axis=1)
            assert np.all(kept[reach[int(node)][player] < MIN_REACH - 1e-6])
            reached = reach[int(node)][player] >= MIN_REACH + 1e-6
            assert np.all(off[kept & reached] <= TOLERANCE + 1 / LEVELS + 1 / 255)
            assert np.all(off[~kept] <= 1 / LEVELS + 1 / 255)
            stored += int(np.count_nonzero(~kept))
            for action, child in enumerate(table.tree.children(int(node))):
                after = reach[int(node)].copy()
                after[player] = after[player] * mine[:, action] / 255
                reach[child] = after
            for number in (0, 1, 700, 1175):
                np.testing.assert_array_equal(quick.row(int(node), index, int(live[number])), block[number])
    assert stored > 1000
    assert quick.row_faults() == 0
    assert not quick.covers(0, CLASSES[0])
    assert not quick.covers(first, CLASSES[0] + 1)
    with pytest.raises(KeyError):
        quick.block(first, CLASSES[0] + 1)


def test_the_figures_of_the_encoder_are_true(encoded: EncodedLine, quick: QuickFlops) -> None:
    assert 0 < encoded.error < 1 / LEVELS
    assert 0.05 < encoded.stored < 0.6
    assert len(encoded.arrays["data"]) == encoded.arrays["lengths"].sum(dtype=np.int64)
    assert quick.figures == ("boards",)


def codes_and_rows(draw: st.DrawFn) -> tuple[NDArray[np.int64], int]:
    num_rows = draw(st.integers(1, 1000))
    codes = draw(st.lists(st.integers(0, num_rows - 1), max_size=300))
    return np.array(codes, dtype=np.int64), num_rows


@settings(max_examples=100, deadline=None)
@given(st.composite(codes_and_rows)())
def test_codes_come_back_from_a_stream(given_codes: tuple[NDArray[np.int64], int]) -> None:
    codes, num_rows = given_codes
    stream = np.frombuffer(compress(codes, num_rows), dtype=np.uint8)
    np.testing.assert_array_equal(decompress(stream, len(codes), num_rows), codes)
    for data in (stream[:-1], np.append(stream, np.uint8(0))):
        with pytest.raises(ValueError, match="expected"):
            decompress(data, len(codes), num_rows)
    with pytest.raises(ValueError, match=f"expected {(len(codes) + 1) * (1 + (num_rows > 256))} bytes"):
        decompress(stream, len(codes) + 1, num_rows)
    if len(codes) and codes.max() < 256:
        small = np.frombuffer(compress(codes, 256), dtype=np.uint8)
        with pytest.raises(ValueError, match="expected codes below"):
            decompress(small, len(codes), int(codes.max()))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 400), st.integers(1, 1000))
def test_any_bytes_are_sound_codes_or_refused(data: bytes, count: int, num_rows: int) -> None:
    try:
        codes = decompress(np.frombuffer(data, dtype=np.uint8), count, num_rows)
    except ValueError:
        return
    assert codes.shape == (count,)
    assert not count or codes.max() < num_rows


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 8), st.integers(0, 1 << 31))
def test_rows_in_sixteenths_come_back_from_their_keys(actions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    levels = quantize_rows(rng.dirichlet([0.3] * actions, size=50), LEVELS)
    keys = level_keys(levels)
    assert keys.min() > 0
    rows = rows_of_keys(keys, actions)
    assert np.all(rows.sum(axis=1, dtype=np.int64) == 255)
    assert np.abs(rows / 255 - levels / LEVELS).max() <= 1 / 255
    assert len(np.unique(keys)) == len(np.unique(levels, axis=0)) == len(np.unique(rows, axis=0))


def test_a_damaged_stream_is_one_message(
    tmp_path: Path, table: BlueprintTable, first: int, encoded: EncodedLine, buckets: list[NDArray[np.uint8]]
) -> None:
    manifest, arrays = manifest_and_arrays(table, first, encoded, buckets)
    arrays["three_bet_data"] = arrays["three_bet_data"].copy()
    arrays["three_bet_data"][10:40] = 255
    write_pack(tmp_path / "tiny", manifest, arrays)
    quick = read_quick_flops(open_pack(tmp_path / "tiny"), table)
    message = rf"tiny: line 'three_bet': the stream of node {first}, group 0, is damaged: "
    with pytest.raises(PackError, match=message):
        quick.block(first, CLASSES[0])
    with pytest.raises(PackError, match=message):
        quick.row_faults()


def test_a_reader_keeps_a_bounded_number_of_bytes(quick: QuickFlops, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = quick.lines[0].nodes.tolist()
    unbounded = [quick.block(node, CLASSES[0]) for node in nodes]
    assert len(quick._streams) == len(nodes)
    bound = 3 * max(codes.nbytes for codes in quick._streams.values())
    quick._streams.clear()
    quick._cached_bytes = 0
    monkeypatch.setattr("hedgehog.strategies.quick_flops.CACHED_BYTES", bound)
    for node, expected in [*zip(nodes, unbounded, strict=True)] * 2:
        np.testing.assert_array_equal(quick.block(node, CLASSES[0]), expected)
        assert sum(codes.nbytes for codes in quick._streams.values()) == quick._cached_bytes <= bound
    kept = list(quick._streams)
    quick.row(kept[0][0], CLASSES[0], int(np.flatnonzero(canonical_hands(CLASSES[0]) >= 0)[0]))
    assert list(quick._streams) == [*kept[1:], kept[0]]


def test_the_shipped_rows_are_the_refined_ones() -> None:
    """The rows were read from the pack when it was made; another format must give the same."""
    pack = open_pack(default_packs() / "quick-flops")
    quick = read_quick_flops(pack, blueprint_beside(pack))
    samples = json.loads((Path(__file__).parents[1] / "data" / "quick_flop_rows.json").read_text())
    assert {sample["line"] for sample in samples} == {line.betting for line in quick.lines}
    for sample in samples:
        node, index = sample["node"], sample["flop_class"]
        assert hashlib.sha256(quick.block(node, index).tobytes()).hexdigest() == sample["sha256"]
        for combo, row in sample["rows"].items():
            assert quick.row(node, index, int(combo)).tolist() == row


def change(name: str, at: Any, value: int) -> Any:
    def apply(manifest: PackManifest, arrays: dict[str, NDArray[Any]]) -> PackManifest:
        arrays[name] = arrays[name].copy()
        arrays[name][at] = value
        return manifest

    return apply


def shorten(name: str) -> Any:
    def apply(manifest: PackManifest, arrays: dict[str, NDArray[Any]]) -> PackManifest:
        arrays[name] = arrays[name][:-1]
        return manifest

    return apply


def update(**fields: Any) -> Any:
    return lambda manifest, arrays: manifest.model_copy(update=fields)


def of_version_1(manifest: PackManifest, arrays: dict[str, NDArray[Any]]) -> PackManifest:
    config = {name: value for name, value in manifest.config.items() if name != "quick_version"}
    return manifest.model_copy(update={"config": config})


def remove(name: str) -> Any:
    def apply(manifest: PackManifest, arrays: dict[str, NDArray[Any]]) -> PackManifest:
        del arrays[name]
        return manifest

    return apply


LINE = FlopLineEntry(name="three_bet", betting=BETTING, pot=1700, stack=19_150)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (update(tier="exact"), "expected a flops pack of tier quick"),
        (update(config={"figures": []}), "does not record the blueprint"),
        (update(config={"figures": [], "blueprint_digest": "0"}), "belongs to another blueprint"),
        (update(lines=[LINE, LINE]), "is there twice"),
        (update(lines=[LINE.model_copy(update={"betting": "cc"})]), "is not where cc leads"),
        (update(lines=[LINE.model_copy(update={"pot": 500})]), "the pot is 500"),
        (
            of_version_1,
            "quick flops of version 1, this program reads version 2: build the pack again",
        ),
        (remove("three_bet_rows"), "'three_bet_rows' is missing"),
        (shorten("three_bet_nodes"), "nodes are not the flop decisions"),
        (change("three_bet_nodes", 0, 1), "is not where r250r850c leads"),
        (change("three_bet_nodes", 0, -1), "has no first node in the blueprint"),
        (change("three_bet_nodes", 1, 3), "nodes are not the flop decisions"),
        (change("three_bet_classes", 0, -1), "must ascend within"),
        (change("three_bet_classes", -1, 1754), "a class has no buckets"),
        (change("quick_classes", -1, 1755), "must ascend within"),
        (shorten("quick_buckets"), "quick_buckets has"),
        (change("quick_buckets", 0, 200), "quick_buckets must be below 200"),
        (shorten("three_bet_row_counts"), "array shapes"),
        (shorten("three_bet_rows"), "bytes of rows"),
        (change("three_bet_rows", 0, 254), "a row does not sum to 255"),
        (change("three_bet_row_counts", 0, -1), "bytes of rows"),
        (change("three_bet_lengths", 0, -1), "the lengths add up to"),
        (shorten("three_bet_quality"), "array shapes"),
        (shorten("three_bet_data"), "the lengths add up to"),
        (change("three_bet_lengths", (0, 0), 65_535), "the lengths add up to"),
    ],
)
def test_a_damaged_pack_is_one_message(
    tmp_path: Path,
    table: BlueprintTable,
    first: int,
    encoded: EncodedLine,
    buckets: list[NDArray[np.uint8]],
    damage: Any,
    message: str,
) -> None:
    manifest, arrays = manifest_and_arrays(table, first, encoded, buckets)
    manifest = damage(manifest, arrays)
    write_pack(tmp_path / "tiny", manifest, arrays)
    with pytest.raises(PackError, match=message):
        read_quick_flops(open_pack(tmp_path / "tiny"), table)


def test_the_tiers_are_not_mixed_up(quick: QuickFlops, tmp_path: Path) -> None:
    pack = open_pack(tmp_path / "tiny")
    with pytest.raises(PackError, match="expected a flops pack of the exact tier"):
        read_flop_lines(pack)
    assert blueprint_digest(blueprint_beside(pack)) == blueprint_digest(quick.blueprint)
