"""Node ids of UPI and the nodes of a betting tree.

``r`` is the root, ``r:0`` the first decision. After it stands one token for each action or dealt card: ``c`` check or
call, ``f`` fold, ``b45`` a bet or raise after which the player has put in 45 chips since the root, ``As`` a card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hedgehog.poker.cards import CARD_IDS, NUM_CARDS, format_card
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.tree import format_action, format_line
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

ROOT: Final = "r"
FIRST: Final = "r:0"
_BETS: Final = (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a betting tree on one board."""

    node: int
    dealt: tuple[int, ...] = ()
    """The cards dealt after the board of the root."""
    name: str = FIRST
    """The node id of UPI."""

    @property
    def key(self) -> tuple[int, tuple[int, ...]]:
        """What tells this place from others; the root and the first decision share it."""
        return self.node, self.dealt


class Places:
    """The node ids of one tree.

    :param board: card ids of the root.
    """

    def __init__(self, tree: BettingTree, board: Sequence[int]) -> None:
        self.tree = tree
        self.board = tuple(board)

    def find(self, name: str) -> Place:
        """Returns the place that a node id names.

        :raises InputError: if there is none.
        """
        if name == ROOT:
            return Place(0, (), ROOT)
        tokens = name.split(":")
        if tokens[:2] != ["r", "0"]:
            raise InputError(f"no such node {name[:200]}: expected r, r:0 or r:0:...")
        place = Place(0)
        for token in tokens[2:]:
            following = self._step(place, token)
            if following is None:
                offered = " ".join(token for token, _ in self.children(place)[:8]) or "nothing"
                raise InputError(f"no such node {name[:200]}: after {place.name} comes {offered}, not {token[:20]!r}")
            place = following
        return place

    def _step(self, place: Place, token: str) -> Place | None:
        if self.deals(place):
            card = CARD_IDS.get(token)
            return None if card is None or card in (*self.board, *place.dealt) else self._deal(place, card)
        return next((child for each, child in self._actions(place) if each == token), None)

    def deals(self, place: Place) -> bool:
        """Whether a card comes at a place and somebody decides after it. A called all-in ends the hand in UPI."""
        tree = self.tree
        return bool(tree.kind[place.node] == NodeKind.DEAL and tree.kind[tree.first_child[place.node]] == 0)

    def decides(self, place: Place) -> bool:
        """Whether a player acts at a place."""
        return bool(self.tree.kind[place.node] == NodeKind.DECISION)

    def children(self, place: Place) -> list[tuple[str, Place]]:
        """Returns tokens and places in the order of ``show_children``.

        Bets and raises come from the largest to the smallest, then check or call, then fold; cards from As to 2c.
        """
        if place.name == ROOT:
            return [("0", Place(0))]
        if not self.deals(place):
            return self._actions(place)
        taken = (*self.board, *place.dealt)
        cards = [card for card in range(NUM_CARDS - 1, -1, -1) if card not in taken]
        return [(format_card(card), self._deal(place, card)) for card in cards]

    def _actions(self, place: Place) -> list[tuple[str, Place]]:
        if not self.decides(place):
            return []
        nodes = self.rows(place.node)
        return [(token := self._token(node), Place(node, place.dealt, f"{place.name}:{token}")) for node in nodes]

    def rows(self, node: int) -> list[int]:
        """Returns the children of a decision in the order of ``show_children`` and of strategies in UPI."""
        tree = self.tree
        weight = {ActionKind.FOLD: -2, ActionKind.CHECK: -1, ActionKind.CALL: -1}
        return sorted(
            tree.children(node),
            key=lambda child: weight.get(ActionKind(int(tree.action[child])), int(tree.amount[child])),
            reverse=True,
        )

    def _token(self, child: int) -> str:
        tree = self.tree
        kind = ActionKind(int(tree.action[child]))
        if kind in _BETS:
            return f"b{int(tree.committed[child].max())}"
        return "f" if kind == ActionKind.FOLD else "c"

    def _deal(self, place: Place, card: int) -> Place:
        child = int(self.tree.first_child[place.node])
        return Place(child, (*place.dealt, card), f"{place.name}:{format_card(card)}")

    def parent(self, place: Place) -> Place | None:
        """Returns the place before an action; None at the root and after a card."""
        parent = int(self.tree.parent[place.node])
        if parent < 0 or self.tree.kind[parent] != NodeKind.DECISION:
            return None
        return Place(parent, place.dealt, place.name.rpartition(":")[0])

    def describe(self, place: Place) -> list[str]:
        """Returns the six lines of ``show_node``, without the empty line after them."""
        tree = self.tree
        cards = "".join(f"{format_card(card)} " for card in (*self.board, *place.dealt))
        oop, ip = tree.committed[place.node].tolist()
        kind = "END_NODE"
        if place.name == ROOT:
            kind = "ROOT"
        elif self.deals(place):
            kind = "SPLIT_NODE"
        elif self.decides(place):
            kind = ("OOP_DEC", "IP_DEC")[int(tree.player[place.node])]
        flags = "PIO_ALG " if kind.endswith("_DEC") else ""
        count = NUM_CARDS - len(self.board) - len(place.dealt) if kind == "SPLIT_NODE" else len(self.children(place))
        return [place.name, kind, cards, f"{oop} {ip} {tree.root_pot}", f"{count} children", f"flags: {flags}"]

    def all_lines(self) -> Iterator[str]:
        """Yields every betting line without its cards, depth first, as ``show_all_lines`` does."""
        yield ROOT
        stack = [(0, FIRST)]
        while stack:
            node, name = stack.pop()
            yield name
            while self.tree.kind[node] == NodeKind.DEAL:
                node = int(self.tree.first_child[node])
            if self.tree.kind[node] == NodeKind.DECISION:
                stack += [(child, f"{name}:{self._token(child)}") for child in self.rows(node)]

    def line(self, place: Place) -> str:
        """Returns the line of a place in Hedgehog's own notation, ``X B200 C 7d``."""
        tokens: list[str] = []
        node, cards = place.node, list(place.dealt)
        while node > 0:
            if self.tree.action[node] == ActionKind.DEAL:
                tokens.append(format_card(cards.pop()))
            else:
                tokens.append(format_action(self.tree, node))
            node = int(self.tree.parent[node])
        return format_line(reversed(tokens))
