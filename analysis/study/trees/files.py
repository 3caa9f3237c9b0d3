"""Writes trees of betting sequences to folders and JSON lines, and reads the folders.

A folder is a strategy pack of the kind ``tree``: a manifest and an ``.npy`` file for each array, nodes breadth-first,
so that the children of a node are neighbours. docs/hand-study.md lists the arrays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.study.trees._tree_kernels import ROOT_KIND
from hedgehog.analysis.study.trees.betting_tree import LETTERS, MOST_NODES, StudyTree, allocate_nodes
from hedgehog.analysis.study.trees.kinds import parse_shape
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.manifest import MANIFEST_NAME, PackManifest
from hedgehog.strategies.pack import StrategyPack, open_pack, write_pack
from hedgehog.strategies.provenance import provenance

MOST_JSON_NODES: Final = 100_000
TREE_KIND: Final = "tree"
_NODE_ARRAYS: Final = ("kind", "round", "seat", "round_raises", "hand_raises")
_MOST_BIN: Final = 2**31 - 1


def is_tree_folder(path: Path) -> bool:
    """Returns True if a folder may be one that :func:`write_tree` has made."""
    return (path / MANIFEST_NAME).is_file()


def write_tree(folder: Path, tree: StudyTree, *, overwrite: bool = False) -> None:
    """Writes a tree to a folder.

    :param overwrite: replace a tree that is already in the folder.
    :raises InputError: if the folder holds anything else.
    :raises ResourceError: if the folder cannot be written.
    """
    order, place_of = tree.order()
    nodes = tree.nodes
    parent = nodes.parent[order]
    parent[1:] = place_of[parent[1:]]
    num_children = (nodes.children[order] >= 0).sum(axis=1)
    first_child = 1 + np.concatenate([[0], np.cumsum(num_children)[:-1]])
    first_child[num_children == 0] = -1
    group, number, counts = tree.sizes.arrays()
    group = place_of[group]
    by_node = np.lexsort((number, group))
    start = np.searchsorted(group[by_node], np.arange(tree.count + 1))
    arrays: dict[str, NDArray[Any]] = {
        "parent": parent.astype(np.int32),
        "first_child": first_child.astype(np.int32),
        "num_children": num_children.astype(np.uint8),
        **{name: getattr(nodes, name)[order] for name in _NODE_ARRAYS},
        "hands": nodes.hands[order],
        "pot": nodes.pot[order],
        "size_start": start.astype(np.int64),
        "size_bin": np.minimum(number[by_node], _MOST_BIN).astype(np.int32),
        "size_count": counts[by_node].astype(np.uint32),
    }
    config = {"tree": str(tree.shape) if tree.shape is not None else None, "hands": tree.hands}
    manifest = PackManifest(
        kind=TREE_KIND,
        name="betting-tree",
        tier="study",
        gamedef="",
        provenance=provenance(),
        config=config,
        quality={"uncovered_hands": tree.uncovered},
        arrays={},
    )
    write_pack(folder, manifest, arrays, overwrite=overwrite)


def read_tree(folder: Path) -> StudyTree:
    """Returns the tree in a folder.

    :raises PackError: if the folder holds no tree, or a damaged one.
    """
    pack = open_pack(folder)
    if pack.manifest.kind != TREE_KIND:
        raise PackError(f"is a {pack.manifest.kind} pack, expected a betting tree", source=str(folder))
    try:
        return _tree(pack)
    except InputError as error:
        if isinstance(error, PackError):
            raise
        raise PackError(error.message, source=str(folder)) from error


def _tree(pack: StrategyPack) -> StudyTree:
    parent = pack.array("parent", dtype="<i4", ndim=1).astype(np.int64)
    count = len(parent)
    columns = {name: pack.array(name, dtype="|u1", ndim=1) for name in _NODE_ARRAYS}
    hands = pack.array("hands", dtype="<u4", ndim=1)
    pot = pack.array("pot", dtype="<f8", ndim=1)
    start = pack.array("size_start", dtype="<i8", ndim=1)
    number = pack.array("size_bin", dtype="<i4", ndim=1).astype(np.int64)
    counts = pack.array("size_count", dtype="<u4", ndim=1).astype(np.int64)
    if not 0 < count <= MOST_NODES or any(len(column) != count for column in (*columns.values(), hands, pot)):
        raise InputError("the arrays of the nodes differ in length")
    if (
        (parent[1:] < 0).any()
        or (parent[1:] >= np.arange(1, count)).any()
        or (columns["kind"][1:] >= len(LETTERS)).any()
    ):
        raise InputError("expected every node behind its parent")
    if len(start) != count + 1 or start[0] != 0 or start[-1] != len(number) or len(number) != len(counts):
        raise InputError("the arrays of the sizes differ in length")
    if (np.diff(start) < 0).any() or (number < -1).any():
        raise InputError("expected the sizes in the order of the nodes")
    name = pack.manifest.config.get("tree")
    tree = StudyTree()
    tree.shape = parse_shape(name) if isinstance(name, str) else None
    tree.nodes = allocate_nodes(count)
    tree.unit_sum = np.zeros(count)  # not in the folder
    tree.count = count
    tree.nodes.parent[1:] = parent[1:]
    tree.nodes.children[parent[1:], columns["kind"][1:]] = np.arange(1, count)
    for name_, column in columns.items():
        getattr(tree.nodes, name_)[:] = column
    tree.nodes.kind[0] = ROOT_KIND
    tree.nodes.hands[:] = hands
    tree.nodes.pot[:] = pot
    tree.hands = int(hands[0])
    uncovered = pack.manifest.quality.get("uncovered_hands")
    tree.uncovered = uncovered if isinstance(uncovered, int) else 0
    tree.sizes.set(np.repeat(np.arange(count), np.diff(start)), number, counts)
    return tree


def tree_lines(tree: StudyTree) -> Iterator[str]:
    """Yields the nodes of a tree as JSON, one line for each, breadth-first.

    :raises InputError: if the tree has more than :data:`MOST_JSON_NODES` nodes.
    """
    if tree.count > MOST_JSON_NODES:
        raise InputError(f"expected a tree of at most {MOST_JSON_NODES:,} nodes for JSON lines, got {tree.count:,}")
    order, place_of = tree.order()
    for place, node in enumerate(order.tolist()):
        yield json.dumps(
            {
                "node": place,
                "parent": int(place_of[tree.nodes.parent[node]]) if place else None,
                "path": tree.path(node),
                "action": LETTERS[tree.nodes.kind[node]] if place else None,
                "round": int(tree.nodes.round[node]),
                "seat": ("bb", "sb")[tree.nodes.seat[node]] if place else None,
                "round_raises": int(tree.nodes.round_raises[node]),
                "hand_raises": int(tree.nodes.hand_raises[node]),
                "hands": int(tree.nodes.hands[node]),
                "mean_pot_bb": tree.mean_pot(node),
                "sizes": tree.named_bins(node),
            }
        )
