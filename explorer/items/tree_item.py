"""Betting trees of ``hedgehog study tree`` in the explorer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from hedgehog.analysis.study.trees.betting_tree import LETTERS, StudyTree
from hedgehog.analysis.study.trees.files import read_tree
from hedgehog.analysis.study.trees.text import action_name, node_panel, tree_footer, tree_text
from hedgehog.explorer.items.item import Item, Params, Question, disk_state
from hedgehog.explorer.numbers import number
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest

MOST_TEXT_LINES: Final = 5000
_SIZES: Final = 6


class TreeItem(Item):
    """A folder that ``hedgehog study tree --out`` has written."""

    kind = "tree"

    def __init__(self, folder: Path) -> None:
        """
        :raises PackError: if the folder holds no tree.
        """
        read_manifest(folder)
        super().__init__(real_path(folder), real_path(folder).name)
        self._state: tuple[object, ...] = ()
        self._tree: StudyTree | None = None

    def _read(self) -> StudyTree:
        state = disk_state([self.path / MANIFEST_NAME], self.path)
        if self._tree is None or state != self._state:
            self._tree, self._state = None, state
            self._tree = read_tree(self.path)
        return self._tree

    def describe(self) -> dict[str, Any]:
        tree = self._read()
        return {
            "shape": None if tree.shape is None else str(tree.shape),
            "nodes": tree.count,
            "hands": tree.hands,
            "uncovered": tree.uncovered,
            "footer": tree_footer(tree),
            "root": _node(tree, 0),
        }

    def _children(self, params: Params) -> dict[str, Any]:
        """Returns the nodes below the node of ``path``."""
        tree = self._read()
        node = tree.find(params.get("path", ""))
        return {"children": [_node(tree, child) for child in tree.children(node)]}

    def _text(self, params: Params) -> dict[str, Any]:
        """Returns the text of ``hedgehog study tree`` below ``path`` to a ``depth``."""
        depth = params.get("depth", "3")
        if depth not in [str(depth) for depth in range(1, 21)]:
            raise InputError(f"expected a depth from 1 to 20, got {depth!r}")
        lines = []
        for line in tree_text(self._read(), params.get("path", ""), int(depth)):
            lines.append(line)
            if len(lines) >= MOST_TEXT_LINES:
                lines.append("...")
                break
        return {"text": "\n".join(lines) + "\n"}

    def _histogram(self, params: Params) -> dict[str, Any]:
        """Returns how often each size of the bet that leads to the node of ``path`` occurs, smallest first."""
        tree = self._read()
        panel = node_panel(tree, tree.find(params.get("path", "")))
        if panel is None:
            return {"name": "", "bets": 0, "bars": []}
        bars = [[bar.token, bar.bets, number(bar.share, 5)] for bar in panel.bars]
        return {"name": panel.name, "bets": panel.bets, "bars": bars}

    questions: ClassVar[Mapping[str, Question]] = {"children": _children, "text": _text, "histogram": _histogram}


def _node(tree: StudyTree, node: int) -> dict[str, Any]:
    sizes = tree.named_bins(node)
    total = sum(sizes.values())
    pot = tree.mean_pot(node)
    return {
        "path": tree.path(node),
        "action": LETTERS[tree.nodes.kind[node]] if node else None,
        "name": action_name(tree, node) if node else "root",
        "street": STREETS[int(tree.nodes.round[node])],
        "seat": ("BB", "SB")[tree.nodes.seat[node]] if node else None,
        "hands": int(tree.nodes.hands[node]),
        "pot": None if pot is None else number(pot, 3),
        "sizes": [[size, round(count / total, 4)] for size, count in list(sizes.items())[:_SIZES]] if total else [],
        "children": sum(1 for _ in tree.children(node)),
    }
