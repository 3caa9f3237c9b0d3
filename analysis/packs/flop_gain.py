"""What a quick flop pack gains over the blueprint it refines, on a sample of flops.

On each flop the pack's rows play against the blueprint's, turn and river by the blueprint's buckets on both sides, with
every pair of hands and in both seats. Exact best responses say by how much either can be beaten: responses that know
their hand on every street, whose gain is mostly due to the buckets of turn and river, and responses that choose on the
flop alone and go on like the blueprint. A flop is drawn as often as it is dealt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from analysis.stats.estimate import Estimate, mean_estimate
from poker.isomorphism import board_classes, class_name, flop_representative
from poker.streets import FLOP
from solver.blueprint.card_abstraction import CardAbstraction
from solver.blueprint.table import Blueprint
from solver.flops.response import Blocks, FlopGame, blueprint_blocks
from solver.packs.blueprint import blueprint_of_pack
from strategies.betting_tree import BettingTree, NodeKind, subtree
from strategies.quantize import SCALE
from strategies.quick_flops import QuickFlops, QuickLine

Respond = Literal["flop", "all"]
"""Best responses that choose on the flop alone, or these and those that choose on every street."""


class FlopGain(NamedTuple):
    """One line on one flop; all figures in percent of the pot at the flop."""

    line: str
    flop: str
    won: float
    """What the pack's rows win against the blueprint's, per hand."""
    before: float | None
    """Exploitability of the blueprint's rows; None if not computed."""
    after: float | None
    """Exploitability of the pack's."""
    flop_before: float | None
    """``before`` for responses that choose on the flop alone."""
    flop_after: float | None


class Change(NamedTuple):
    """Exploitability of the blueprint's rows and of the pack's."""

    before: Estimate
    after: Estimate
    less: Estimate
    """``before`` less ``after``, flop by flop."""


@dataclass(frozen=True, slots=True)
class LineGain:
    """The mean over the flops of a line, with 95 % intervals."""

    line: str
    flops: int
    ahead: int
    """Flops on which the pack's rows win."""
    won: Estimate
    free: Change | None
    """For responses that choose on every street."""
    on_flop: Change | None
    """For responses that choose on the flop alone."""


class GainMeasure:
    """Measures flops of one pack."""

    def __init__(self, pack: QuickFlops, abstraction: CardAbstraction) -> None:
        """:param abstraction: that of the pack's blueprint."""
        self.pack = pack
        self._abstraction = abstraction

    @cached_property
    def _blueprint(self) -> Blueprint:
        return blueprint_of_pack(self.pack.blueprint)

    def sample(self, line: QuickLine, count: int, seed: int) -> list[int]:
        """Draws different flop classes of a line, the likelier the more flops they stand for."""
        shares = board_classes(3).multiplicities[line.classes].astype(np.float64)
        rng = np.random.default_rng(seed)
        size = min(count, len(line.classes))
        return sorted(int(c) for c in rng.choice(line.classes, size, replace=False, p=shares / shares.sum()))

    def measure(self, line: QuickLine, flop_class: int, runouts: int, seed: int, respond: Respond | None) -> FlopGain:
        """Measures one flop.

        :param runouts: random run-outs of the match.
        :param respond: which exact best responses to compute, half a minute each.
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
        """Measures a sample of flops of each line."""
        for line in lines:
            for flop_class in self.sample(line, count, seed):
                yield self.measure(line, flop_class, runouts, seed, respond)


def summarise(gains: list[FlopGain]) -> list[LineGain]:
    """Returns the means of every line that has two flops or more, in the order of the lines."""
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
