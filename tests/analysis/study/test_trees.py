"""Action-sequence trees: the published rows, whole trees against counting, coverage against walking."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.files import read_tree, tree_lines, write_tree
from hedgehog.analysis.study.trees.kinds import (
    PRINTED_SLIPS,
    PUBLISHED_HANDS,
    Coverage,
    count_tree,
    frontier,
    parse_shape,
    published_trees,
)
from hedgehog.analysis.study.trees.rows import draw_selection_curve, tree_rows
from hedgehog.analysis.study.trees.text import tree_text
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.pack import open_pack
from tests.analysis.study.hand_fixtures import batch_of, random_log, read


def test_all_published_rows_are_counted() -> None:
    rows = published_trees()
    assert len(rows) == 43
    assert {str(row.shape): count_tree(row.shape).nodes for row in rows} == {str(row.shape): row.nodes for row in rows}
    assert {str(row.shape): count_tree(row.shape).sequences for row in rows} == {
        str(row.shape): row.nodes // 2 for row in rows
    }


def test_the_usual_number_of_betting_sequences() -> None:
    assert count_tree(parse_shape("4-4-inf")).decisions == 6378
    assert count_tree(parse_shape("4-3-inf")).decisions == 2286


def test_printed_shares_that_contradict_the_printed_counts_are_named() -> None:
    rows = {str(row.shape): row.uncovered / PUBLISHED_HANDS for row in published_trees()}
    for name, (printed, computed) in PRINTED_SLIPS.items():
        assert abs(rows[name] - computed) < 1e-15
        assert abs(printed - computed) > 1e-7
    assert [row.note is not None for row in tree_rows([], None)].count(True) == 2


@pytest.mark.parametrize("name", ["1-2-inf", "2-3-2", "3-4-inf", "4-3-inf", "4-inf-3", "4-4-6"])
def test_a_whole_tree_has_the_counted_nodes(name: str) -> None:
    shape = parse_shape(name)
    tree, size = StudyTree(shape), count_tree(shape)
    nodes = tree.nodes
    leaves = (nodes.children < 0).all(axis=1)
    assert tree.count == size.clean_nodes == len(nodes.kind)
    assert int((nodes.kind == 0).sum()) == size.decisions
    assert int((leaves & (nodes.kind != 0)).sum()) == size.showdowns
    assert int((~leaves).sum()) == size.decisions
    per_round, total = shape.limits()
    assert nodes.hand_raises.max() <= total
    assert (nodes.round_raises + (nodes.round == 0)).max() <= per_round


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), rounds=st.integers(1, 4), limit=st.integers(1, 6), total=st.integers(0, 9))
def test_coverage_is_what_walking_the_whole_tree_gives(
    seed: int, rounds: int, limit: int, total: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("logs") / "x.log"
    path.write_text(random_log(seed, 60))
    batch, _ = read(path)
    assert batch is not None
    shape = parse_shape(f"{rounds}-{limit}-{total}")
    tree, coverage = StudyTree(shape), Coverage()
    tree.add(batch, np.ones(batch.num_actions, np.bool_))
    coverage.add(batch)
    assert tree.uncovered == coverage.uncovered(shape)
    assert tree.hands == coverage.hands == 60


@pytest.mark.parametrize("name", ["4-inf-inf", "5-4-4", "4-0-4", "4-4", "4-99-inf", "x"])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        parse_shape(name)


def test_the_frontier_has_no_tree_that_a_smaller_one_beats() -> None:
    shapes = [parse_shape(name) for name in ("4-4-4", "4-4-5", "4-4-6", "4-4-7")]
    assert frontier(zip(shapes, (10, 20, 30, 40), (5, 5, 2, 3), strict=True)) == [shapes[0], shapes[2]]


LINES = (
    "STATE:0:r300c/cr600f:2c3d|4h5s/6c7c8c:-300|300:A|B",
    "STATE:1:r300c/cr600f:2c3d|4h5s/6c7c8c:-300|300:B|A",
    "STATE:2:r250c/cc/cc/cc:2c3d|4h5s/6c7c8c/9c/Tc:0|0:A|B",
    "STATE:3:cr20000f:2c3d|4h5s:100|-100:A|B",
)


def observed(tmp_path: Path) -> StudyTree:
    batch, _ = batch_of(tmp_path, *LINES)
    tree = StudyTree()
    tree.add(batch, np.ones(batch.num_actions, np.bool_))
    return tree


def test_hands_and_sizes_at_the_nodes(tmp_path: Path) -> None:
    tree = observed(tmp_path)
    node = tree.find("rc/cr")
    assert tree.path(node) == "rc/cr"
    assert int(tree.nodes.hands[node]) == 2
    assert tree.named_bins(node) == {"50%": 2}
    assert tree.named_bins(tree.find("r")) == {"3x": 2, "2.5x": 1}
    assert tree.named_bins(tree.find("cr")) == {"a": 1}
    assert tree.mean_pot(node) == 6.0
    assert tree.mean_pot(0) is None  # no action leads to the root
    for wrong in ("rf", "rx"):
        with pytest.raises(InputError):
            tree.find(wrong)


def test_sizes_count_only_for_the_players_asked_for(tmp_path: Path) -> None:
    batch, reader = batch_of(tmp_path, *LINES)
    tree = StudyTree()
    tree.add(batch, batch.actor() == reader.players.find("A"))
    assert tree.named_bins(tree.find("r")) == {"3x": 1}
    assert int(tree.nodes.hands[tree.find("r")]) == 3


def test_a_tree_comes_back_from_its_folder(tmp_path: Path) -> None:
    tree = observed(tmp_path)
    write_tree(tmp_path / "tree", tree)
    again = read_tree(tmp_path / "tree")
    assert list(tree_lines(again)) == list(tree_lines(tree))
    assert list(tree_text(again, depth=9)) == list(tree_text(tree, depth=9))
    pack = open_pack(tmp_path / "tree")
    parent, first = pack.arrays["parent"], pack.arrays["first_child"]
    for node, count in enumerate(pack.arrays["num_children"].tolist()):
        assert (parent[first[node] : first[node] + count] == node).all()
    whole = StudyTree(parse_shape("2-2-2"))
    write_tree(tmp_path / "whole", whole)
    assert str(read_tree(tmp_path / "whole").shape) == "2-2-2"


def test_a_damaged_tree_is_one_error(tmp_path: Path) -> None:
    write_tree(tmp_path / "tree", observed(tmp_path))
    file = tmp_path / "tree" / "parent.npy"
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(PackError):
        read_tree(tmp_path / "tree")


def test_text_of_a_tree(tmp_path: Path) -> None:
    text = "\n".join(tree_text(observed(tmp_path), "rc/", 2))
    assert "flop: BB checks" in text
    assert "SB bets" in text
    assert "50% 100%" in text
    assert text.endswith("0 of 4 hands left out")


@pytest.mark.slow
def test_the_picture_has_the_best_trees(tmp_path: Path) -> None:
    svg, png = draw_selection_curve(tree_rows([], None))
    assert b"<svg" in svg
    assert png.startswith(b"\x89PNG")
    assert draw_selection_curve(tree_rows([], None))[0] == svg
