"""Spot files with the betting tree of another program, and where the two trees differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import yaml

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.solver.postflop.tree import build_postflop_tree, format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree

Line = tuple[str, ...]
SAME_TREE: Final = "the betting tree is the same, bet by bet"
_NAMED: Final = 3
_WIDTH: Final = 1 << 30
_MOST_TEXT: Final = 1 << 20
_BETS: Final = (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted file, and what there is to know about it."""

    text: str
    notes: tuple[str, ...]
    """Sentences: what differs, what was left out, and what to type next."""


def spot_with_bets(
    content: Mapping[str, Any], sizes: Mapping[str, Any], bets: frozenset[Line], program: str
) -> Converted:
    """Returns the text of a spot file with the bets of another program: by bet sizes, or else as exact lines.

    :param content: the keys of the spot file without those of the betting tree.
    :param sizes: the keys that say the tree by bet sizes.
    :param bets: the bets that the tree shall have.
    :param program: name of the other program, for the notes.
    :raises InputError: if this is no spot, or its text would be too long.
    """
    by_sizes = _dump({**content, **sizes})
    refused: InputError | None = None
    ours: frozenset[Line] = frozenset()
    try:
        ours = bets_of(build_postflop_tree(parse_spot(by_sizes).tree))
    except ResourceError:
        pass
    except InputError as error:  # sizes that a spot file does not have, or more than the tree is wrong
        refused = error
    if ours == bets and refused is None:
        return Converted(by_sizes, (SAME_TREE,))
    exact = _dump({**content, "lines": [format_line(line) for line in longest_lines(bets)]})
    if len(exact) <= _MOST_TEXT:
        parse_spot(exact)
        why = next(describe_differences(ours, bets, program), "bet sizes give another tree")
        if refused is not None:
            why = refused.message
        return Converted(exact, (f"{SAME_TREE}, as exact lines: with bet sizes {why}",))
    if refused is not None:
        raise refused
    return Converted(by_sizes, tuple(describe_differences(ours, bets, program)))


def _dump(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True, width=_WIDTH)


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
