"""The bias of a line: what is added to the probabilities of fold, call and raise at a decision, from a JSON file.

Lines are the decisions of merged three-player betting (:mod:`hedgehog.poker.limit_betting`): betting that leads to the
same players and pot at the start of a street is one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.preflop_bias import bias_document, read_bias
from hedgehog.agent.limit.situation import THREE_PLAYER_GAME
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.limit_betting import NO_CHILD, LimitTree, limit_tree
from hedgehog.runtime.errors import InputError, MatchStateError

KIND: Final = "line-bias"
LINES: Final = "lines"
_KEPT: Final = 1 << 16

Triple = tuple[float, float, float]


class LineBias:
    """What is added to the probabilities at single decisions."""

    def __init__(self, by_node: Mapping[int, Triple]) -> None:
        """:param by_node: decision of :func:`merged_tree` -> what is added to fold, call and raise."""
        self.by_node = dict(by_node)
        self._node = lru_cache(_KEPT)(merged_tree().index)

    def of(self, betting: str) -> Triple | None:
        """Returns the bias at a decision; None if it has none."""
        return self.by_node.get(self._node(betting))


def merged_tree() -> LimitTree:
    """Returns the merged betting of three-player limit hold'em."""
    return limit_tree(load_gamedef(THREE_PLAYER_GAME), merged=True)


def add_bias(triple: Triple, bias: Triple) -> Triple:
    """Returns probabilities of fold, call and raise with a bias: sums below 0 are cut, and the rest is scaled to 1.

    Actions of probability 0 whose bias is 0 keep it, so what is not legal stays so.
    """
    fold, call, raising = (max(0.0, one + added) for one, added in zip(triple, bias, strict=True))
    total = fold + call + raising
    return triple if total <= 0 else (fold / total, call / total, raising / total)


def read_line_bias(path: Path) -> LineBias:
    """Returns the bias of a file.

    :param path: a JSON file whose key ``lines`` maps betting texts, such as ``rcc/r``, to three numbers from -1 to 1.
    :raises InputError: if the file cannot be read or has no such numbers, a text is no decision, or an action that is
        not legal has a bias.
    """
    table = _document(path).get(LINES)
    if not isinstance(table, Mapping):
        raise InputError(f"expected a JSON object with the key {LINES!r}", source=str(path))
    found: dict[int, Triple] = {}
    tree = merged_tree()
    for line, values in table.items():
        if (
            not isinstance(values, list)
            or len(values) != 3
            or not all(isinstance(one, int | float) and not isinstance(one, bool) and -1 <= one <= 1 for one in values)
        ):
            raise InputError(f"expected three numbers from -1 to 1 for {line!r}, got {values!r}", source=str(path))
        try:
            node = tree.index(line)
        except MatchStateError as error:
            raise InputError(error.message, source=str(path)) from None
        if any(tree.child[node, action] == NO_CHILD and value for action, value in enumerate(values)):
            raise InputError(
                f"expected 0 for actions that are not legal after {line!r}, got {values}", source=str(path)
            )
        fold, call, raising = map(float, values)
        found[node] = fold, call, raising
    return LineBias(found)


def read_any_bias(path: Path) -> NDArray[np.float64] | LineBias:
    """Returns the bias of a file, by line if it has the key ``lines``, else that of hand classes before the flop.

    :raises InputError: if the file cannot be read or holds no bias.
    """
    return read_line_bias(path) if LINES in _document(path) else read_bias(path)


def _document(path: Path) -> Mapping[str, Any]:
    values = bias_document(path)
    if not isinstance(values, Mapping):
        raise InputError(f"expected a JSON object with the key {LINES!r} or 'bias'", source=str(path))
    return values
