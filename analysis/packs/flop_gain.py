"""Measures what a quick flop pack gains over the blueprint that it refines, on a sample of flops.

On each flop the pack's rows play against the blueprint's rows, with every pair of hands and in both seats. On turn and
river both sides play by the blueprint's buckets. Exact best responses say by how much either side can be beaten. There
are two kinds: responses that know their hand on every street, whose gain is mostly due to the buckets of turn and
river, and responses that choose on the flop alone and then play like the blueprint. Flops are drawn with the
probability with which they are dealt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.poker.isomorphism import board_classes, class_name, flop_representative
from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.solver.flops.response import Blocks, FlopGame, blueprint_blocks
from hedgehog.solver.packs.blueprint import blueprint_of_pack
from hedgehog.strategies.betting_tree import BettingTree, NodeKind, subtree
from hedgehog.strategies.quantize import SCALE
from hedgehog.strategies.quick_flops import QuickFlops, QuickLine

Respond = Literal["flop", "all"]
"""``flop``: only best responses that choose on the flop alone. ``all``: also those that choose on every street."""


class FlopGain(NamedTuple):
    """The gain on one line and one flop. All figures are percentages of the pot at the flop."""

    line: str
    flop: str
    won: float
    """What the pack's rows win per hand against the blueprint's rows."""
    before: float | None
    """Exploitability of the blueprint's rows; None if not computed."""
    after: float | None
    """Exploitability of the pack's rows; None if not computed."""
    flop_before: float | None
    """Exploitability of the blueprint's rows by responses that choose on the flop alone; None if not computed."""
    flop_after: float | None
    """Exploitability of the pack's rows by responses that choose on the flop alone; None if not computed."""


class Change(NamedTuple):
    """Exploitability of the blueprint's rows and of the pack's rows."""

    before: Estimate
    after: Estimate
    less: Estimate
    """Mean of ``before`` less ``after``, with the difference taken flop by flop."""


@dataclass(frozen=True, slots=True)
class LineGain:
    """The mean gains over the flops of a line, with 95 % intervals."""

    line: str
    flops: int
    ahead: int
    """Number of flops on which the pack's rows win."""
    won: Estimate
    free: Change | None
    """Exploitability by responses that choose on every street; None if not computed."""
    on_flop: Change | None
    """Exploitability by responses that choose on the flop alone; None if not computed."""


class GainMeasure:
    """Measures the gain of one quick flop pack, flop by flop."""

    def __init__(self, pack: QuickFlops, abstraction: CardAbstraction) -> None:
        """Prepares the measurement.

        :param pack: the quick flop pack.
        :param abstraction: the card abstraction of the pack's blueprint.
        """
        self.pack = pack
        self._abstraction = abstraction

    @cached_property
    def _blueprint(self) -> Blueprint:
        return blueprint_of_pack(self.pack.blueprint)

    def sample(self, line: QuickLine, count: int, seed: int) -> list[int]:
        """Returns ``count`` different flop classes of a line, or all if there are fewer, drawn at random.

        The probability of a class is proportional to the number of flops in it.
        """
        shares = board_classes(3).multiplicities[line.classes].astype(np.float64)
        rng = np.random.default_rng(seed)
        size = min(count, len(line.classes))
        return sorted(int(c) for c in rng.choice(line.classes, size, replace=False, p=shares / shares.sum()))

    def measure(self, line: QuickLine, flop_class: int, runouts: int, seed: int, respond: Respond | None) -> FlopGain:
        """Returns the gain on one flop of a line.

        :param runouts: number of random run-outs of the match.
        :param respond: which exact best responses to compute. Each takes about half a minute.
        """
        tree, nodes = subtree(self._blueprint.tree, int(line.nodes[0]))
        flop = flop_representative(flop_class)
        game = FlopGame(tree, flop, line.ranges, self._abstraction)
        given = {}
        for node in _flop_decisions(tree):
            rows = self.pack.block(int(nodes[node]), flop_class)
            given[node] = rows.astype(np.float32) / np.float32(SCALE)
        strategies: list[Blocks] = [
            blueprint_blocks(self._blueprint, nodes, flop, self._abstraction, rows) for rows in ({}, given)
        ]
        plain, refined = strategies
        won = game.match(refined, plain, runouts, seed).pct_pot
        found = [
            game.exploitability(blocks, flop_only=flop_only).pct_pot if respond in wanted else None
            for flop_only, wanted in ((False, ("all",)), (True, ("all", "flop")))
            for blocks in (plain, refined)
        ]
        return FlopGain(line.betting, class_name(3, flop_class), won, *found)

    def run(
        self, lines: list[QuickLine], count: int, runouts: int, seed: int, respond: Respond | None
    ) -> Iterator[FlopGain]:
        """Yields the gains on a sample of ``count`` flops of each line."""
        for line in lines:
            for flop_class in self.sample(line, count, seed):
                yield self.measure(line, flop_class, runouts, seed, respond)


def summarise(gains: list[FlopGain]) -> list[LineGain]:
    """Returns the mean gains of every line that has two flops or more, in the order of the lines."""
    found = []
    for line in dict.fromkeys(gain.line for gain in gains):
        of_line = [gain for gain in gains if gain.line == line]
        if len(of_line) < 2:
            continue
        found.append(
            LineGain(
                line,
                len(of_line),
                sum(gain.won > 0 for gain in of_line),
                mean_estimate(np.array([gain.won for gain in of_line])),
                _change([(gain.before, gain.after) for gain in of_line]),
                _change([(gain.flop_before, gain.flop_after) for gain in of_line]),
            )
        )
    return found


def _change(pairs: list[tuple[float | None, float | None]]) -> Change | None:
    known = np.array([pair for pair in pairs if None not in pair], dtype=np.float64)
    if len(known) < 2:
        return None
    return Change(mean_estimate(known[:, 0]), mean_estimate(known[:, 1]), mean_estimate(known[:, 0] - known[:, 1]))


def _flop_decisions(tree: BettingTree) -> list[int]:
    decisions = (tree.kind == NodeKind.DECISION) & (tree.street == FLOP)
    return [int(node) for node in np.flatnonzero(decisions)]
