"""Flops of an exact flop pack as solutions that answer questions, like saved solves.

::

    from hedgehog.solver.packs.pack_solution import open_pack_flops
    from hedgehog.solver.postflop.node_answers import answer_line

    flop, line = open_pack_flops("my-pack").find("r250c Qh Jh 2c X B165")
    print(answer_line(flop.solution, line).frequency)

A pack holds strategies on the flop and perhaps on the turn, and EVs at the first decision or at all nodes of the flop.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask, format_cards, parse_cards
from hedgehog.poker.isomorphism import (
    COMBO_PERMUTATIONS,
    SUIT_PERMUTATIONS,
    class_name,
    flop_class,
    flop_representative,
)
from hedgehog.poker.streets import FLOP, TURN
from hedgehog.runtime.errors import InputError, PackError, SpotError
from hedgehog.solver.cfr.array_types import Stored
from hedgehog.solver.postflop.chance import Range
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.strategies.betting_tree import NodeKind
from hedgehog.strategies.flop_pack import FlopLine, FlopSolution, read_flop_lines
from hedgehog.strategies.pack import open_pack

_FLOP: Final = re.compile(r"((?:[2-9TJQKA][cdhs]\s*){3})(?:\s|$)(.*)", re.IGNORECASE | re.DOTALL)
_CARDS: Final = re.compile(r"(?:[2-9TJQKA][cdhs]){1,3}", re.IGNORECASE)


class PackSolution(PostflopSolution):
    """The strategies of one real flop of an exact flop pack."""

    def __init__(self, line: FlopLine, flop: tuple[int, ...]) -> None:
        """
        :param line: a preflop line of the pack.
        :param flop: card ids of a flop.
        :raises PackError: if the pack lacks the flop.
        """
        index, self._permutation = flop_class(flop)
        found = line.solution(index, flop_representative(index))
        if found is None:
            raise PackError(f"the line {line.name!r} has no solution of the flop {format_cards(flop, ' ')}")
        tree = line.tree if line.turns is None else line.turns.tree
        super().__init__(prepare_tree(tree, flop, [line.ranges[0], line.ranges[1]]))
        self._line, self._class, self._found = line, index, found
        self._place = int(np.searchsorted(line.classes, index))
        self._small: dict[int, int] | None = None
        if line.turns is not None:  # the tree of the flop alone has other numbers, in the same order
            real = np.ones(line.tree.num_nodes, dtype=np.bool_)
            real[line.tree.first_child[line.tree.kind == NodeKind.DEAL]] = False
            own = np.flatnonzero(real)
            self._small = dict(zip(np.flatnonzero(tree.street == FLOP).tolist(), own.tolist(), strict=True))

    @property
    def found(self) -> FlopSolution:
        """The stored strategies, in the suits of the class representative."""
        return self._found

    @property
    def last_street(self) -> int:
        """The last street on which the pack has strategies: 1 flop, 2 turn."""
        return FLOP if self._line.turns is None else TURN

    @property
    def iterations(self) -> int:
        return int(self._line.quality[self._place, 1])

    def _stored(self, *, current: bool) -> tuple[Stored, Stored]:
        raise SpotError("a flop pack holds no strategies of all streets")

    def _own(self, node: int) -> int:
        """Returns the number of a flop node in the tree of the flop alone."""
        return node if self._small is None else self._small[node]

    def node_strategy(self, node: int, dealt: Sequence[int] = (), *, current: bool = False) -> NDArray[np.float32]:
        if current or self.tree.kind[node] != NodeKind.DECISION:
            raise SpotError(f"node {node} has no average strategy")
        self.spot.locate(node, dealt)
        if not dealt:
            strategy = self._found.strategy(self._own(node))
        else:
            assert self._line.turns is not None
            card = int(dealt[0]) & ~3 | int(SUIT_PERMUTATIONS[self._permutation, int(dealt[0]) & 3])
            strategy = self._line.turns.strategy(self._place, self._class, node, card)
        strategy = strategy[:, COMBO_PERMUTATIONS[self._permutation]]
        strategy[:, ~combo_mask((*self.board, *dealt))] = 1 / len(strategy)
        return strategy

    def node_trained(self, node: int, dealt: Sequence[int] = ()) -> NDArray[np.bool_]:
        # A pack holds a row for every hand, and does not say which of them the solve has learnt.
        self.spot.locate(node, dealt)
        return np.ones(NUM_COMBOS, dtype=np.bool_)

    def knows_values(self, node: int) -> bool:
        return node == 0 or (self._line.node_evs is not None and self.tree.street[node] == FLOP)

    def node_values(self, node: int = 0, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        if not self.knows_values(node):
            raise SpotError(f"the pack holds no EVs at node {node}")
        evs = self._found.evs
        if self._line.node_evs is not None:
            evs = self._line.node_evs[self._place, :, self._own(node)]
        values = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
        values[:, combo_mask(self._found.representative)] = evs.astype(np.float32) * self._line.pot
        return values[:, COMBO_PERMUTATIONS[self._permutation]]


@dataclass(frozen=True, slots=True)
class PackFlop:
    """One flop of a pack, described like a saved solve."""

    name: str
    """The preflop line and the flop."""
    board: tuple[int, ...]
    pot: int
    stack: int
    ranges: tuple[Range, Range]
    """float32[1326] weights of OOP and IP."""
    pct_pot: float
    """Exploitability in percent of the pot."""
    iterations: int
    solution: PackSolution


class PackFlops:
    """The flops of an exact flop pack."""

    def __init__(self, lines: Sequence[FlopLine], source: str) -> None:
        self.lines = tuple(lines)
        self.source = source

    def find(self, text: str) -> tuple[PackFlop, str]:
        """Returns the flop that a line begins with, and the rest of the line: the actions from the flop on.

        :param text: the name or the betting of a preflop line, which may be missing if the pack has only one, then a
            flop, then actions: ``R250 C Qh Jh 2c X B165``, or with the preflop line in ACPC text, ``r250c``.
        :raises InputError: if the pack lacks the preflop line or the flop, or the text names none.
        """
        head, rest = self._parts(text.strip())
        line = next((line for line in self.lines if head == line.name or head.lower() == line.betting), None)
        if line is None and len(self.lines) == 1:
            line, rest = self.lines[0], text.strip()
        names = ", ".join(f"{line.name} ({line.betting})" for line in self.lines)
        if line is None:
            raise InputError(f"expected a preflop line of the pack, {names}, before the flop, got {head!r}")
        match = _FLOP.fullmatch(rest.strip())
        if match is None:
            first = class_name(3, int(line.classes[0])) if len(line.classes) else "Qs Js 2h"
            raise InputError(f"expected a flop after the preflop line, such as '{line.betting} {first}', got {text!r}")
        try:
            flop = tuple(parse_cards(match[1]))
            solution = PackSolution(line, flop)
        except PackError as error:
            raise PackError(error.message, source=self.source) from None
        ranges = (line.ranges[0], line.ranges[1])
        name = f"{line.name} {format_cards(flop, ' ')}"
        reached = solution.found.exploitability_pct_pot
        return PackFlop(name, flop, line.pot, line.stack, ranges, reached, solution.iterations, solution), match[
            2
        ].strip()

    def _parts(self, text: str) -> tuple[str, str]:
        """Returns the preflop line, in ACPC text if it is the betting of one, and what follows it."""
        words = text.split()
        cards = next((i for i, word in enumerate(words) if _CARDS.fullmatch(word)), 0)
        betting = "".join(words[:cards]).lower().replace("x", "c")
        if any(line.betting == betting for line in self.lines):
            return betting, " ".join(words[cards:])
        head, _, rest = text.partition(" ")
        return head, rest


def open_pack_flops(folder: str | Path) -> PackFlops:
    """Returns the flops of the exact flop pack in a folder.

    :raises PackError: if it is damaged or no exact flop pack.
    """
    pack = open_pack(folder)
    return PackFlops(read_flop_lines(pack), str(folder))
