"""Packs: round trip, atomic replacement, and one clear error for every kind of damage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask, parse_cards
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.betting_tree import betting_token
from hedgehog.strategies.flop_pack import read_flop_lines, row_faults
from hedgehog.strategies.manifest import seal_manifest
from hedgehog.strategies.pack import find_packs, open_pack, read_tree, write_pack

BOARD = tuple(parse_cards("QhJh2c"))


def test_flop_strategies_survive_the_round_trip(flop_pack: Path, flop_probabilities: NDArray[np.float32]) -> None:
    (line,) = read_flop_lines(open_pack(flop_pack))
    solution = line.solution(500, BOARD)
    assert solution is not None
    live = combo_mask(BOARD)
    for block, node in enumerate((0, 2)):
        strategy = solution.strategy(node)
        assert strategy.shape == (2, 1326)
        np.testing.assert_allclose(strategy[:, live].sum(axis=0), 1, atol=1e-6)
        np.testing.assert_allclose(strategy[:, live].T, flop_probabilities[1, block], atol=1 / 255)
        assert not strategy[:, ~live].any()
    assert line.solution(501, BOARD) is None
    assert row_faults(line) == 0


def test_arrays_are_memory_mapped_and_read_only(flop_pack: Path) -> None:
    rows = open_pack(flop_pack).arrays["limped_rows"]
    assert isinstance(rows.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = 1


def test_writing_replaces_a_pack_and_leaves_nothing_else(flop_pack: Path) -> None:
    pack = open_pack(flop_pack)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    with pytest.raises(InputError, match="holds a strategy pack already"):
        write_pack(flop_pack, pack.manifest, arrays)
    write_pack(flop_pack, pack.manifest, arrays, overwrite=True)
    assert open_pack(flop_pack).manifest == pack.manifest
    assert [path.name for path in flop_pack.parent.iterdir()] == ["tiny"]


@pytest.mark.parametrize("planted", ["thesis.txt", "results.npy", "sub/thesis.txt"])
def test_writing_never_touches_a_folder_with_a_users_file(flop_pack: Path, tmp_path: Path, planted: str) -> None:
    """A folder that is no pack, and a pack in which somebody keeps a file of his own."""
    pack = open_pack(flop_pack)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    for folder in (tmp_path / "documents", flop_pack):
        (folder / planted).parent.mkdir(parents=True, exist_ok=True)
        (folder / planted).write_text("precious")
        before = sorted(folder.rglob("*"))
        with pytest.raises(InputError, match=f"holds '{planted}', which is not part of a strategy pack"):
            write_pack(folder, pack.manifest, arrays, overwrite=True)
        assert (folder / planted).read_text() == "precious"
        assert sorted(folder.rglob("*")) == before


def test_the_folder_we_stand_in_is_refused(flop_pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty/deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty/deep")
    with pytest.raises(InputError, match="is the current folder"):
        write_pack(".", open_pack(flop_pack).manifest, {})


def test_find_packs(flop_pack: Path) -> None:
    assert find_packs(flop_pack) == [flop_pack]
    assert find_packs(flop_pack.parent) == [flop_pack]
    with pytest.raises(PackError, match=r"no strategy pack here"):
        find_packs(flop_pack / "nowhere")


def _expect_error(folder: Path, pattern: str) -> None:
    with pytest.raises(PackError, match=pattern) as caught:
        read_flop_lines(open_pack(folder))
    assert "\n" not in str(caught.value)


def test_truncated_array(flop_pack: Path) -> None:
    path = flop_pack / "limped_rows.npy"
    path.write_bytes(path.read_bytes()[:-1])
    _expect_error(flop_pack, r"limped_rows\.npy: is \d+ bytes long, expected \d+: the file is truncated")


def test_flipped_byte(flop_pack: Path) -> None:
    path = flop_pack / "limped_rows.npy"
    data = bytearray(path.read_bytes())
    data[-7] ^= 0x10
    path.write_bytes(data)
    _expect_error(flop_pack, r"limped_rows\.npy: checksum differs")


def test_missing_array_file(flop_pack: Path) -> None:
    (flop_pack / "limped_evs.npy").unlink()
    _expect_error(flop_pack, r"limped_evs\.npy: array 'limped_evs' is missing")


@pytest.mark.parametrize(
    ("old", "new", "pattern"),
    [
        ("format_version: 2", "format_version: 9", "format version 9, this program reads version 2"),
        ("format: hedgehog-strategy-pack", "format: zip", "not a strategy pack"),
        ("kind: flops", "kind: river", "kind: "),
        ("kind: flops", "kind: blueprint", "expected a flops pack"),
        ("pot: 200", "pot: -200", r"lines\.0\.pot"),
        ("file: limped_rows.npy", "file: ../limped_rows.npy", "plain file name"),
        ("file: limped_rows.npy", "file: /etc/passwd", "plain file name"),
        ("dtype: '|u1'", "dtype: '|O'", "dtype"),
        ("name: tiny", "name: !!python/object/apply:os.getcwd []", "constructor"),
        ("name: tiny", "name: [", r"manifest\.yaml:\d+"),
        ("quality: {}", "extra: 1\nquality: {}", "extra"),
    ],
)
def test_bad_manifest(flop_pack: Path, old: str, new: str, pattern: str) -> None:
    path = flop_pack / "manifest.yaml"
    body = path.read_text().rsplit("manifest_sha256", 1)[0]
    assert old in body
    path.write_text(seal_manifest(body.replace(old, new, 1)))
    _expect_error(flop_pack, pattern)


def test_huge_manifest_is_refused_before_parsing(flop_pack: Path) -> None:
    with (flop_pack / "manifest.yaml").open("ab") as file:
        file.truncate(5 << 20)
    _expect_error(flop_pack, r"expected at most")


def test_pickled_array_is_refused(flop_pack: Path) -> None:
    path = flop_pack / "limped_rows.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    _expect_error(flop_pack, r"limped_rows\.npy: not a readable npy file")


def test_a_tree_with_bad_links_is_refused(flop_pack: Path) -> None:
    pack = open_pack(flop_pack)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    for row, node, value in ((4, 0, 0), (4, 2, 6), (3, 3, 5), (5, 0, 7), (0, 0, 9), (2, 0, -1)):
        damaged = {**arrays, "limped_tree": arrays["limped_tree"].copy()}
        damaged["limped_tree"][row, node] = value
        write_pack(flop_pack, pack.manifest, damaged, overwrite=True)
        _expect_error(flop_pack, "tree 'limped' is not a betting tree")


def test_contradicting_shapes_are_refused(flop_pack: Path) -> None:
    pack = open_pack(flop_pack)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    write_pack(flop_pack, pack.manifest, {**arrays, "limped_quality": arrays["limped_quality"][:2]}, overwrite=True)
    _expect_error(flop_pack, "array shapes")
    classes = arrays["limped_classes"]
    for other in (classes[::-1], np.sort(classes[[0, 0, 2]])):
        write_pack(flop_pack, pack.manifest, {**arrays, "limped_classes": other}, overwrite=True)
        _expect_error(flop_pack, "must ascend")


@pytest.mark.parametrize("weights", [[1, 2, 0], [1, -1, 3], [1, np.nan, 3], [np.inf, 2, 3]])
def test_weights_of_flops_are_above_zero_and_finite(flop_pack: Path, weights: list[float]) -> None:
    pack = open_pack(flop_pack)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    sound = {**arrays, "limped_weights": np.array([1, 2, 3], np.float32)}
    write_pack(flop_pack, pack.manifest, sound, overwrite=True)
    (line,) = read_flop_lines(open_pack(flop_pack))
    assert line.weights.tolist() == [1, 2, 3]
    write_pack(flop_pack, pack.manifest, {**sound, "limped_weights": np.array(weights, np.float32)}, overwrite=True)
    _expect_error(flop_pack, "weights must be above 0")


def test_a_tree_of_another_shape_is_refused(flop_pack: Path) -> None:
    pack = open_pack(flop_pack)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    tree, root = arrays["limped_tree"], arrays["limped_root"]
    for name, other in (
        ("tree", tree[:9]),
        ("tree", np.vstack([tree, tree[:1]])),
        ("tree", tree[:, :0]),
        ("root", root[:1]),
    ):
        write_pack(flop_pack, pack.manifest, {**arrays, f"limped_{name}": other}, overwrite=True)
        _expect_error(flop_pack, "tree 'limped' has shape")


def test_tree_round_trip(flop_pack: Path) -> None:
    tree = read_tree(open_pack(flop_pack), "limped")
    assert list(tree.children(2)) == [4, 5]
    assert tree.pot(5) == 400


def test_actions_in_the_notation_of_logs(flop_pack: Path) -> None:
    (line,) = read_flop_lines(open_pack(flop_pack))
    assert [betting_token(line.tree, child) for child in (1, 2, 4, 5)] == ["c", "r100", "f", "c"]
