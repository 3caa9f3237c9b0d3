"""Where the betting tree of a spot file differs from that of another program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Final

import numpy as np

from hedgehog.solver.postflop.tree import format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree

Line = tuple[str, ...]
_NAMED: Final = 3
_BETS: Final = (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)


def bets_of(tree: BettingTree) -> frozenset[Line]:
    """Returns the bets and raises of a tree, each as the tokens of the line that ends with it."""
    nodes = np.flatnonzero(np.isin(tree.action, [int(kind) for kind in _BETS]))
    return frozenset(tuple(line_of(tree, node)) for node in nodes.tolist())


def longest_lines(bets: Set[Line]) -> list[Line]:
    """Returns the lines of bets that no other one goes on with: the key ``lines`` of a spot file."""
    inner = {line[:end] for line in bets for end in range(1, len(line))}
    return sorted(line for line in bets if line not in inner)


def describe_differences(ours: Set[Line], theirs: Set[Line], program: str) -> Iterator[str]:
    """Yields a sentence for bets that one of two trees has alone, naming the first ones.

    :param program: name of the other program.
    """
    for alone, text in (
        (theirs - ours, f"only {program} has"),
        (ours - theirs, f"{program} does not have"),
    ):
        # What comes after a bet that is named goes without saying.
        first = sorted((line for line in alone if not any(line[:end] in alone for end in range(1, len(line)))), key=len)
        if first:
            yield f"the trees differ: {text} {len(alone):,} bets, such as {_names(first)}"


def _names(lines: Iterable[Line]) -> str:
    listed = list(lines)
    names = ", ".join(repr(format_line(line)) for line in listed[:_NAMED])
    return names + (", ..." if len(listed) > _NAMED else "")
