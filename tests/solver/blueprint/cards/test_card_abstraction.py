"""Card buckets: suit invariance, equities against brute force, clustering, and the cache file."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from hedgehog.poker.cards import COMBO_CARDS, combo_mask, parse_cards, parse_combo
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, permute_cards
from hedgehog.runtime import jit
from hedgehog.runtime.errors import CardError, InputError
from hedgehog.solver.blueprint.cards import card_tables
from hedgehog.solver.blueprint.cards._clustering_kernels import k_means_kernel, nearest_centre, sort_centres
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.cards.card_tables import SHIPPED
from hedgehog.strategies.pack import default_packs


@pytest.fixture(scope="module")
def abstraction() -> CardAbstraction:
    """The default tables, from this machine's cache or built now."""
    return CardAbstraction.load_or_build(CardConfig())


def test_tables_are_those_of_the_shipped_packs(abstraction: CardAbstraction) -> None:
    # Blueprints are stored by bucket: if this changes, raise VERSION and train anew.
    assert abstraction.digest == "a7af4c57ef69c9fee057180a5fc2a892"


@pytest.mark.parametrize("street", [1, 2, 3])
def test_suits_do_not_matter(abstraction: CardAbstraction, street: int) -> None:
    rng = np.random.default_rng(street)
    for _ in range(10):
        board = rng.choice(52, size=street + 2, replace=False).tolist()
        buckets = abstraction.buckets(street, board)
        for permutation in range(24):
            relabelled = abstraction.buckets(street, permute_cards(board, permutation))
            assert (relabelled[COMBO_PERMUTATIONS[permutation]] == buckets).all()


@pytest.mark.parametrize("street", [0, 1, 2, 3])
def test_buckets_are_in_range_and_blocked_combos_marked(abstraction: CardAbstraction, street: int) -> None:
    board = parse_cards("KsKd7h2c2s")[: (0, 3, 4, 5)[street]]
    buckets = abstraction.buckets(street, board)
    assert buckets.dtype == np.uint16
    live = combo_mask(board)
    assert (buckets[~live] == BLOCKED).all()
    assert buckets[live].max() < abstraction.bucket_counts[street]


def test_board_order_does_not_matter(abstraction: CardAbstraction) -> None:
    board = parse_cards("QhJh2c7d5s")
    for street in (1, 2, 3):
        cards = board[: street + 2]
        assert (abstraction.buckets(street, cards) == abstraction.buckets(street, cards[::-1])).all()


@pytest.mark.parametrize("street", [0, 1, 2, 3])
def test_one_combo_has_its_bucket_among_all(abstraction: CardAbstraction, street: int) -> None:
    rng = np.random.default_rng(street)
    for _ in range(20):
        board = rng.choice(52, size=(0, 3, 4, 5)[street], replace=False).tolist()
        buckets = abstraction.buckets(street, board)
        for combo in rng.choice(np.flatnonzero(buckets != BLOCKED), 100, replace=False).tolist():
            assert abstraction.bucket(street, board, combo) == buckets[combo]


def test_preflop_buckets_are_hand_classes(abstraction: CardAbstraction) -> None:
    assert (abstraction.buckets(0, ()) == HAND_CLASS).all()


@pytest.mark.parametrize("text", ["QhJh2c7d5s", "AsAdAhAc2d", "9h8h7h6h2s", "TsJsQsKsAs"])
def test_river_levels_are_equities(abstraction: CardAbstraction, text: str) -> None:
    board = parse_cards(text)
    ranks = rank_combos(board)
    buckets = abstraction.buckets(3, board)
    for combo in np.flatnonzero(combo_mask(board))[::37]:
        others = combo_mask([*board, *COMBO_CARDS[combo].tolist()])
        assert np.count_nonzero(others) == 990
        won = np.count_nonzero(ranks[others] < ranks[combo]) * 2 + np.count_nonzero(ranks[others] == ranks[combo])
        assert buckets[combo] == min(199, won * 200 // (2 * 990))


def test_buckets_rise_with_the_equity(abstraction: CardAbstraction) -> None:
    flop = parse_cards("QhJh2c")
    buckets = abstraction.buckets(1, flop)
    hands = ["QsQd", "AsQd", "JsTs", "As3d", "7s4d"]
    order = [int(buckets[parse_combo(hand)]) for hand in hands]
    assert order == sorted(order, reverse=True)
    assert order[0] >= 190
    assert order[-1] < 40


def test_every_board_tells_hands_apart(abstraction: CardAbstraction) -> None:
    """No flop or turn, the deuce of clubs (card 0) on it or not, puts all hands into a few buckets."""
    for table in (abstraction.tables.flop, abstraction.tables.turn):
        assert min(len(np.unique(row)) for row in table) > 10
    buckets = abstraction.buckets(2, parse_cards("AsKhQd2c"))
    assert buckets[parse_combo("AdAc")] != buckets[parse_combo("7h3d")]


def test_every_bucket_is_used(abstraction: CardAbstraction) -> None:
    for table in (abstraction.tables.flop, abstraction.tables.turn):
        assert set(np.unique(table).tolist()) == {*range(200), 255}


@pytest.mark.parametrize(
    ("street", "board"),
    [(1, [1, 2]), (1, [1, 1, 2]), (2, [1, 2, 3]), (3, [0, 1, 2, 3, 52]), (0, [1]), (1, [-1, 2, 3])],
)
def test_wrong_boards_are_refused(abstraction: CardAbstraction, street: int, board: list[int]) -> None:
    with pytest.raises(CardError, match="expected"):
        abstraction.buckets(street, board)


def test_k_means_finds_separate_groups() -> None:
    rng = np.random.default_rng(1)
    middles = np.array([100, 2_000, 4_000])
    group = rng.integers(0, 3, size=3_000)
    sample = (middles[group][:, None] + rng.integers(-50, 51, size=(3_000, 23))).astype(np.int32)
    centres = np.empty((3, 23), dtype=np.int32)
    k_means_kernel(centres, sample, 23, 10, np.array([5], dtype=np.uint64))
    assert sorted(centres[:, 0]) == pytest.approx([100, 2_000, 4_000], abs=5)
    ordered = sort_centres(centres, 23)
    found = [nearest_centre(ordered, row) for row in sample[:200]]
    assert np.argsort(centres[:, 0])[group[:200]].tolist() == found


def test_nearest_centre_is_the_first_of_the_nearest() -> None:
    """The search from the middle against all distances, with many centres at equal distances."""
    rng = np.random.default_rng(2)
    for width, values in ((1, 40), (3, 6), (9, 3), (23, 4_097)):
        centres = rng.integers(0, values, size=(300, width)).astype(np.int32)
        orders = [sort_centres(centres, number) for number in {1, (width + 1) // 2, width}]
        for row in rng.integers(0, values, size=(100, width)).astype(np.int32):
            distances = ((centres.astype(np.int64) - row) ** 2).sum(axis=1)
            assert {nearest_centre(ordered, row) for ordered in orders} == {np.argmin(distances)}


@pytest.fixture
def built(abstraction: CardAbstraction, monkeypatch: pytest.MonkeyPatch) -> list[CardConfig]:
    """Builds that took place, without shipped tables; they take no time."""
    monkeypatch.setattr(card_tables, "SHIPPED", Path(os.devnull))
    found = []

    def build(config: CardConfig, say: object, threads: int) -> np.ndarray:
        found.append(config)
        return np.concatenate([abstraction.tables.flop, abstraction.tables.turn])

    monkeypatch.setattr(card_tables, "_build", build)
    return found


def test_tables_are_built_once(abstraction: CardAbstraction, tmp_path: Path, built: list[CardConfig]) -> None:
    messages: list[str] = []
    first = CardAbstraction.load_or_build({"flop": 200}, messages.append, tmp_path)
    assert (first.digest, len(built), len(messages)) == (abstraction.digest, 1, 1)
    (path,) = tmp_path.glob("*.npy")
    mapped = CardAbstraction.load_or_build(CardConfig(), folder=tmp_path)
    assert mapped.digest == first.digest
    assert len(built) == 1
    # Kernels compiled for the tables that were just built serve every later start.
    assert jit.numba.typeof(first.tables) == jit.numba.typeof(mapped.tables)
    shutil.copy(path, tmp_path / path.name.replace("s1", "s2"))
    CardAbstraction.load_or_build(CardConfig(seed=2), folder=tmp_path)
    assert len(built) == 1


@pytest.mark.parametrize("name", ["blueprint", "limit-2p", "limit-3p"])
def test_the_tables_of_shipped_packs_are_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(card_tables, "_build", None)
    monkeypatch.setattr(card_tables, "_build_river", None)
    config = yaml.safe_load((default_packs() / name / "manifest.yaml").read_text())["config"]
    said: list[str] = []
    for _ in range(2):
        found = CardAbstraction.load_or_build(config["cards"], said.append, tmp_path)
        assert found.digest == config["card_digest"]
        assert not found.tables.turn.flags.writeable
    assert said == []
    assert list(tmp_path.glob("cards-*.npy"))


@pytest.mark.parametrize("damage", ["cut in half", "random", "middle"])
def test_damaged_shipped_tables_are_not_used(
    abstraction: CardAbstraction,
    tmp_path: Path,
    built: list[CardConfig],
    monkeypatch: pytest.MonkeyPatch,
    damage: str,
) -> None:
    (shipped,) = SHIPPED.glob("cards-v2-f200-t200-*.xz")
    (tmp_path / shipped.name).write_bytes(DAMAGES[damage](shipped.read_bytes()))
    monkeypatch.setattr(card_tables, "SHIPPED", tmp_path)
    assert CardAbstraction.load_or_build(CardConfig(), folder=tmp_path / "cache").digest == abstraction.digest
    assert len(built) == 1


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


DAMAGES = {
    "empty": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "a byte short": lambda data: data[:-1],
    "a byte long": lambda data: data + b"x",
    "random": lambda data: np.random.default_rng(1).bytes(len(data)),
    "random data": lambda data: data[:128] + np.random.default_rng(1).bytes(len(data) - 128),
    "first byte": lambda data: flipped(data, 0),
    "type": lambda data: data.replace(b"|u1", b"|i1", 1),
    "order": lambda data: data.replace(b"False", b"True ", 1),
    "header cut off": lambda data: data.replace(b"}", b" ", 1),
    "first number": lambda data: flipped(data, 128),
    "middle": lambda data: flipped(data, len(data) // 2),
    "last number": lambda data: flipped(data, len(data) - 1),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.quick_cases(every=3)
def test_damaged_tables_are_built_anew(
    abstraction: CardAbstraction, tmp_path: Path, built: list[CardConfig], damage: Callable[[bytes], bytes]
) -> None:
    CardAbstraction.load_or_build(CardConfig(), folder=tmp_path)
    (path,) = tmp_path.glob("*.npy")
    data = path.read_bytes()
    path.write_bytes(damage(data))
    again = CardAbstraction.load_or_build(CardConfig(), folder=tmp_path)
    assert len(built) == 2
    assert again.digest == abstraction.digest
    assert (again.tables.turn == abstraction.tables.turn).all()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == data


@pytest.mark.parametrize("place", ["file/cache", "a" * 300, "/proc/none/cache"])
def test_tables_that_cannot_be_stored_are_used_nevertheless(
    abstraction: CardAbstraction,
    tmp_path: Path,
    built: list[CardConfig],
    place: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "file").write_text("")
    assert CardAbstraction.load_or_build(CardConfig(), folder=tmp_path / place).digest == abstraction.digest
    assert len(built) == 1
    (record,) = caplog.records
    assert "HEDGEHOG_CACHE" in record.message
    assert "\n" not in record.message


def test_of_two_processes_one_builds(
    abstraction: CardAbstraction, tmp_path: Path, built: list[CardConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads here; the lock is between descriptors."""
    quick = card_tables._build
    waiting = threading.Event()

    def build(*arguments: Any) -> np.ndarray:
        assert waiting.wait(60)
        return quick(*arguments)

    monkeypatch.setattr(card_tables, "_build", build)
    with ThreadPoolExecutor(2) as pool:
        loads = [
            pool.submit(
                CardAbstraction.load_or_build,
                CardConfig(),
                lambda text: waiting.set() if "waiting" in text else None,
                tmp_path,
            )
            for _ in range(2)
        ]
        assert [load.result(120).digest for load in loads] == [abstraction.digest] * 2
    assert len(built) == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"flop": 0}, "1 to 254 flop"),
        ({"flop": 255}, "1 to 254 flop"),
        ({"turn": 4001}, "1 to 4000 turn"),
        ({"river": 2.5}, "1 to 4000 river"),
        ({"turn_features": "potent"}, "unknown turn features 'potent', expected distribution, potential"),
        ({"river_features": ["ochs"]}, r"unknown river features \['ochs'\], expected equity, ochs, blockers"),
        ({"seed": -1}, "seed"),
        ({"turns": 5}, "unknown card abstraction key 'turns'"),
    ],
)
def test_bad_configurations_are_refused(config: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        CardAbstraction.load_or_build(config, folder=tmp_path)
