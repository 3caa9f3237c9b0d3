"""Shows a tree of betting sequences as text: a line for each node to a given depth, and a footer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hedgehog.analysis.study.pages.sizes import SizePanel, bar_lines, size_bars
from hedgehog.analysis.study.trees.betting_tree import BYTES_PER_NODE, LETTERS, StudyTree
from hedgehog.analysis.study.trees.kinds import count_tree
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError

_SIZES: Final = 4
_SEATS: Final = ("BB", "SB")


def tree_text(tree: StudyTree, line: str = "", depth: int = 2) -> Iterator[str]:
    """Yields the lines of a text that shows the nodes below a node.

    Every line has the action, who takes it, the number of hands and their share of the node above, the mean pot in big
    blinds before the action, and the most frequent sizes of a bet or raise.

    :param line: actions that lead to the first node, such as ``rc/``.
    :param depth: number of actions to show below it.
    :raises InputError: if the tree has no such node.
    """
    start = tree.find(line)
    yield f"{tree.path(start) or 'root'}: {int(tree.nodes.hands[start]):,} hands"
    yield from _below(tree, start, depth, 1)
    yield tree_footer(tree)


def _below(tree: StudyTree, node: int, depth: int, indent: int) -> Iterator[str]:
    if not depth:
        return
    above = int(tree.nodes.hands[node])
    street = int(tree.nodes.round[node])
    for child in tree.children(node):
        hands = int(tree.nodes.hands[child])
        new = int(tree.nodes.round[child])
        opening = f"{STREETS[new]}: " if new != street or node == 0 else ""
        text = f"{'  ' * indent}{opening}{_SEATS[tree.nodes.seat[child]]} {action_name(tree, child)}"
        if tree.hands:
            share = f"{100 * hands / above:.1f} %" if above else ""
            pot = tree.mean_pot(child)
            text = f"{text:<34} {hands:>9,} {share:>7}" + ("" if pot is None else f"  pot {pot:.1f}")
        sizes = tree.named_bins(child)
        total = sum(sizes.values())
        shown = [f"{size} {100 * count / total:.0f}%" for size, count in list(sizes.items())[:_SIZES]]
        yield text + (f"  {', '.join(shown)}" if shown else "")
        yield from _below(tree, child, depth - 1, indent + 1)


def histogram_text(tree: StudyTree, line: str = "") -> Iterator[str]:
    """Yields the lines of a text that shows how often each size of the bet or raise after a line occurs.

    :param line: actions that lead to the decision, such as ``rc/``.
    :raises InputError: if the tree has no such node, or no bet with a size there.
    """
    node = int(tree.nodes.children[tree.find(line), LETTERS.index("r")])
    panel = node_panel(tree, node) if node >= 0 else None
    if panel is None:
        raise InputError(f"no bet with a size is known after {line or 'the start'!r}")
    yield from bar_lines(panel)


def node_panel(tree: StudyTree, node: int) -> SizePanel | None:
    """Returns the sizes of the bet that leads to a node, for a picture; None without sizes, and for the root."""
    if not node:
        return None
    bars = size_bars(tree.bins(node), tree.by_pot(node))
    where = f"{STREETS[int(tree.nodes.round[node])]}: {_SEATS[tree.nodes.seat[node]]} {action_name(tree, node)}"
    return SizePanel(f"{where} after {tree.path(node)[:-1] or 'the blinds'}", bars, ()) if bars else None


def action_name(tree: StudyTree, node: int) -> str:
    """Returns the action that leads to a node in words."""
    letter = LETTERS[tree.nodes.kind[node]]
    raises = int(tree.nodes.round_raises[node])
    first_round = tree.nodes.round[node] == 0
    if letter == "f":
        return "folds"
    if letter == "r":
        return "bets" if raises == 1 and not first_round else "raises"
    parent = int(tree.nodes.parent[node])
    return "checks" if not raises and not (first_round and parent == 0) else "calls"


def tree_footer(tree: StudyTree) -> str:
    """Returns the size of a tree, the memory that its nodes need, and how many hands it contains."""
    sequences = int((tree.nodes.kind[: tree.count] != 0).sum())
    name = str(tree.shape) if tree.shape is not None else "sequences that occurred"
    parts = [f"{name}: {tree.count:,} nodes, {sequences:,} sequences"]
    if tree.shape is not None:
        published = count_tree(tree.shape).nodes
        parts.append(f"{published:,} nodes as published tables count, {BYTES_PER_NODE * published / 1e6:.1f} MB")
    else:
        parts.append(f"{BYTES_PER_NODE * tree.count / 1e6:.1f} MB")
    if tree.hands:
        parts.append(f"{tree.uncovered:,} of {tree.hands:,} hands left out")
    return "; ".join(parts)
