"""The strategies of a TexasSolver dump, at the decisions of our betting tree.

A dump is one JSON object: action nodes with ``actions``, ``player`` (1 is OOP), ``strategy`` by hand and
``childrens`` by action, and chance nodes with ``dealcards``. The number of ``BET 50.000000`` and ``RAISE 170.000000``
is the chips that the action adds. Board, pot, stack and ranges are not in it: they are those of the spot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask, format_card, format_cards, format_combo, parse_combo
from hedgehog.poker.streets import RIVER, STREETS, TURN
from hedgehog.runtime.errors import CardError, InputError
from hedgehog.solver.postflop.tree import format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

_TOLERANCE: Final = 0.01


class _MissingStreetError(InputError):
    """A card node of a dump at which no card was dumped."""


_PLAIN: Final = {ActionKind.FOLD: "FOLD", ActionKind.CHECK: "CHECK", ActionKind.CALL: "CALL"}


class TexasDump:
    """The strategies of a dump (:class:`~hedgehog.solver.postflop.responses.given_strategy.GivenStrategy`).

    TexasSolver gives each of the 45 turn cards that two hands leave a weight of 1/47, and each of 44 river cards 1/46.
    So all that happens after a card counts less than it should, in its solve and in the exploitability that it prints.

    :param root: the JSON value of the dump.
    :param tree: the betting tree of the spot.
    :param board: card ids of the root.
    :param ranges: float32[1326] weights of OOP and IP: the hands that must have a strategy.
    :param source: name of the file, for messages.
    :raises InputError: if the dump is none, or holds fewer streets than the tree.
    """

    program: Final = "TexasSolver"
    card_weights: Final = MappingProxyType({TURN: 1 / 47, RIVER: 1 / 46})

    def __init__(
        self,
        root: Any,
        tree: BettingTree,
        board: tuple[int, ...],
        ranges: Sequence[NDArray[np.float32]],
        source: str | None = None,
    ) -> None:
        self._root, self._tree, self._board, self._source = root, tree, board, source
        self._held = [(weights > 0) & combo_mask(board) for weights in ranges]
        if not is_dump(root):
            raise self._fail("expected a dump of TexasSolver: a JSON object with actions, strategy and childrens")
        missing = self._missing_streets()
        if missing:
            rounds = 4 - int(tree.street[0])
            raise self._fail(
                f"the dump lacks the {' and the '.join(missing)}: dump again after 'set_dump_rounds {rounds}'"
            )

    def node_strategy(self, node: int, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        """Returns float32[actions, 1326]: probabilities at a decision. Combos without one have equal probabilities.

        :param dealt: the cards dealt after the root board on the way to the node.
        :raises InputError: if the dump lacks the decision, or it has other actions or hands there.
        """
        found = self._find(node, tuple(int(card) for card in dealt))
        return self._strategy(found, node, tuple(dealt))

    def _find(self, node: int, dealt: tuple[int, ...]) -> Mapping[str, Any]:
        """Returns the action node of the dump for a decision of the tree."""
        tree = self._tree
        path = []
        at = node
        while at > 0:
            path.append(at)
            at = int(tree.parent[at])
        found: Mapping[str, Any] = self._root
        here = 0
        for child in reversed(path):
            if tree.action[child] == ActionKind.DEAL:
                card = dealt[int(tree.street[child]) - int(tree.street[0]) - 1]
                cards = found.get("dealcards")
                if not cards:
                    raise _MissingStreetError(f"the dump ends {self._after(here)}", source=self._source)
                if not isinstance(cards, Mapping) or not isinstance(cards.get(format_card(card)), Mapping):
                    raise self._fail(f"the dump lacks the card {format_card(card)} {self._after(here)}")
                found = cards[format_card(card)]
            else:
                text = self._actions(found, here)[child - int(tree.first_child[here])]
                children = found.get("childrens")
                if not isinstance(children, Mapping) or not isinstance(children.get(text), Mapping):
                    raise self._fail(f"the dump has nothing after {text} {self._after(here)}")
                found = children[text]
            here = child
        return found

    def _actions(self, found: Mapping[str, Any], node: int) -> list[str]:
        """Returns the dump's texts of the actions of a decision, in the order of the tree."""
        tree = self._tree
        theirs = found.get("actions")
        if not isinstance(theirs, list) or not all(isinstance(text, str) for text in theirs):
            raise self._fail(f"the dump has no list of actions {self._after(node)}")
        player = int(tree.player[node])
        if found.get("player") != 1 - player:
            raise self._fail(f"another player acts in the dump {self._after(node)}")
        by_chips: dict[str | int, str] = {}
        for text in theirs:
            name, _, number = text.partition(" ")
            by_chips[_chips(number) if name in ("BET", "RAISE") else name] = text
        wanted = [_wanted(tree, node, child, player) for child in tree.children(node)]
        if set(wanted) != set(by_chips):
            ours = ", ".join(f"adds {one}" if isinstance(one, int) else one for one in wanted)
            raise self._fail(
                f"the trees differ {self._after(node)}: the dump has {', '.join(theirs) or 'no action'}; "
                f"the spot has {ours}. "
                "hedgehog convert makes the spot of a configuration"
            )
        return [by_chips[one] for one in wanted]

    def _strategy(self, found: Mapping[str, Any], node: int, dealt: tuple[int, ...]) -> NDArray[np.float32]:
        texts = self._actions(found, node)
        given = found.get("strategy")
        table = given.get("strategy") if isinstance(given, Mapping) else None
        order = given.get("actions") if isinstance(given, Mapping) else None
        if not isinstance(table, Mapping) or not isinstance(order, list) or sorted(order) != sorted(texts):
            raise self._fail(f"the dump has no strategy {self._after(node, dealt)}")
        try:
            combos = np.array([_combo(hand) for hand in table], dtype=np.int64)
            rows = np.array(list(table.values()), dtype=np.float64).reshape(len(combos), len(texts))
        except (CardError, ValueError, TypeError):
            raise self._fail(
                f"expected hands such as AdAc with {len(texts)} probabilities each {self._after(node, dealt)}"
            ) from None
        sums = rows.sum(axis=1)
        if not ((rows >= 0).all() and (abs(sums - 1) <= _TOLERANCE).all()):
            raise self._fail(f"expected probabilities that sum to 1 {self._after(node, dealt)}")
        strategy = np.full((len(texts), NUM_COMBOS), 1 / len(texts), dtype=np.float32)
        columns = [order.index(text) for text in texts]
        strategy[:, combos] = (rows[:, columns] / sums[:, None]).T
        there = np.zeros(NUM_COMBOS, dtype=np.bool_)
        there[combos] = True
        missing = self._held[int(self._tree.player[node])] & combo_mask(dealt) & ~there
        if missing.any():
            first = format_combo(int(np.argmax(missing)))
            raise self._fail(
                f"the dump lacks {int(missing.sum())} hands of the spot's range, such as {first}, "
                f"{self._after(node, dealt)}"
            )
        return strategy

    def _missing_streets(self) -> list[str]:
        """Returns the names of the streets on which the tree has decisions and the dump has none."""
        tree = self._tree
        cards = [card for card in range(NUM_CARDS) if card not in self._board]
        missing = []
        for street in range(int(tree.street[0]) + 1, len(STREETS)):
            nodes = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == street))
            try:
                if len(nodes):
                    self._find(int(nodes[0]), tuple(cards[: street - int(tree.street[0])]))
            except _MissingStreetError:
                missing.append(STREETS[street])
        return missing

    def _after(self, node: int, dealt: tuple[int, ...] = ()) -> str:
        line = format_line(line_of(self._tree, node)) or "at the root"
        cards = f" on {format_cards(dealt, ' ')}" if dealt else ""
        return f"{'after ' if node else ''}{line}{cards}"

    def _fail(self, message: str) -> InputError:
        return InputError(message, source=self._source)


def is_dump(value: Any) -> bool:
    """Returns whether a JSON value looks like an action node of a dump."""
    return isinstance(value, Mapping) and isinstance(value.get("actions"), list) and "strategy" in value


def _wanted(tree: BettingTree, node: int, child: int, player: int) -> str | int:
    kind = ActionKind(int(tree.action[child]))
    return _PLAIN[kind] if kind in _PLAIN else int(tree.committed[child, player] - tree.committed[node, player])


def _chips(text: str) -> int:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    return int(value) if math.isfinite(value) and value.is_integer() else -1


@lru_cache(maxsize=2 * NUM_COMBOS)
def _combo(hand: str) -> int:
    return parse_combo(hand)
