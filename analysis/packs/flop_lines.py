"""The preflop lines of a flop pack of either tier, with their strategies on the flop and the names of the decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.betting_line import format_betting_line, has_spot_actions, parse_betting_line
from hedgehog.poker.acpc.gamedef import parse_gamedef
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.isomorphism import flop_representative
from hedgehog.runtime.errors import InputError, MatchStateError
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind, subtree
from hedgehog.strategies.blueprint_pack import blueprint_beside
from hedgehog.strategies.flop_pack import QUICK_TIER, FlopLine, class_weights, flop_street_tree, read_flop_lines
from hedgehog.strategies.pack import StrategyPack
from hedgehog.strategies.quantize import dequantize_rows
from hedgehog.strategies.quick_flops import QuickFlops, QuickLine, read_quick_flops

FIRST: Final = "first"
"""Name of the first decision on the flop, which no action precedes."""
_LETTERS: Final = {ActionKind.FOLD: "f", ActionKind.CHECK: "k", ActionKind.CALL: "c"}


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision on the flop."""

    name: str
    """The flop betting before it, such as ``kr165`` (``k`` is a check, a size is a total on the street), or
    :data:`FIRST`."""
    node: int
    """Node of the line's tree."""
    player: int
    """0 OOP, 1 IP."""
    actions: tuple[str, ...]
    """Names of the actions, such as ``check``, ``bet 33%`` or ``all-in``."""
    totals: tuple[int, ...]
    """Chips of the acting player on the street after each action; 0 for fold, check and call."""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One preflop line of a flop pack."""

    name: str
    betting: str
    pot: int
    """Chips in the pot at the flop."""
    stack: int
    """Chips behind at the flop."""
    tree: BettingTree
    """The betting on the flop, from the first decision on."""
    decisions: tuple[Decision, ...]
    """All decisions on the flop, in node order."""
    classes: NDArray[np.int64]
    """(C,) ascending flop classes."""
    weights: NDArray[np.float64]
    """(C,) number of flops that each class stands for: those in it, or the weight that the pack has for it."""
    ranges: NDArray[np.float32]
    """(2, 1326) weights of OOP and IP before the flop."""
    rows: Callable[[int], list[NDArray[np.float32]]]
    """Returns the probabilities (1176, actions) of the live combos at every decision, for a flop class."""
    evs: NDArray[np.float64] | None
    """(C, 2, 1176) EV in pots of OOP and IP by live combo; None if the pack does not hold them."""
    exploitability: NDArray[np.float64] | None
    """(C,) percent of the pot; None if the pack does not hold it."""
    first: int
    """Node of the blueprint's tree where the line begins on the flop; -1 if the tree is the pack's own."""


@dataclass(frozen=True, slots=True)
class FlopPack:
    """A flop pack that can be reported on."""

    pack: StrategyPack
    lines: tuple[ReportLine, ...]
    quick: QuickFlops | None
    """The quick pack; None for an exact pack."""

    def line(self, text: str) -> ReportLine:
        """Returns a preflop line by its name, or by its betting in any notation of
        :mod:`hedgehog.poker.acpc.betting_line`.

        :raises InputError: if there is none.
        """
        betting, flop = self.split(text)
        for line in self.lines:
            if betting in (line.betting, line.name) and not flop:
                return line
        known = ", ".join(line.betting for line in self.lines)
        raise InputError(f"the pack has no line {text!r}, it has {known}", source=str(self.pack.folder))

    def split(self, text: str) -> tuple[str, str]:
        """Returns the preflop betting of a line in ACPC text, and its betting on the flop as decisions are named.

        :param text: a line in any notation of :mod:`hedgehog.poker.acpc.betting_line`, all of whose sizes are totals
            on their street. A text that is no line, such as the name of one, is returned as it is up to a slash.
        """
        preflop, _, flop = text.partition("/")
        if any(preflop in (line.betting, line.name) for line in self.lines) and not has_spot_actions(flop):
            return preflop, flop
        gamedef = parse_gamedef(self.pack.manifest.gamedef, str(self.pack.folder))
        try:
            state = parse_betting_line(text, gamedef, by_street=True)
        except MatchStateError:
            return preflop, flop
        return state.betting_string().partition("/")[0], format_betting_line(state).partition("/")[2]


def flop_pack_of(pack: StrategyPack) -> FlopPack:
    """Returns the lines of an open flop pack of either tier.

    :raises PackError: if it is another kind of pack, or unsound.
    """
    manifest = pack.manifest
    if manifest.kind != "flops":
        what = "a saved solve" if manifest.kind in ("solve", "strategy") else f"a {manifest.kind} pack"
        raise pack.error(f"is {what}, expected a flop pack")
    if manifest.tier == QUICK_TIER:
        quick = read_quick_flops(pack, blueprint_beside(pack))
        return FlopPack(pack, tuple(_quick_line(pack, quick, line) for line in quick.lines), quick)
    return FlopPack(pack, tuple(_exact_line(pack, line) for line in read_flop_lines(pack)), None)


def _class_weights(pack: StrategyPack, name: str, classes: NDArray[np.int16]) -> NDArray[np.float64]:
    """Returns float64 (C,): the weights of a line's flop classes."""
    weights = class_weights(pack, name).astype(np.float64)
    if len(weights) != len(classes):
        raise pack.error(f"array '{name}_weights': expected {len(classes)} weights, got {len(weights)}")
    return weights


def _quick_line(pack: StrategyPack, quick: QuickFlops, line: QuickLine) -> ReportLine:
    first = int(line.nodes[0])
    part, nodes = subtree(quick.blueprint.tree, first)
    tree, kept = flop_street_tree(part)
    decisions = name_decisions(tree)
    blueprint_nodes = [int(nodes[kept[decision.node]]) for decision in decisions]

    def rows(flop_class: int) -> list[NDArray[np.float32]]:
        return [dequantize_rows(quick.block(node, flop_class)) for node in blueprint_nodes]

    return ReportLine(
        line.name,
        line.betting,
        line.pot,
        quick.blueprint.tree.stack - line.pot // 2,
        tree,
        decisions,
        line.classes.astype(np.int64),
        _class_weights(pack, line.name, line.classes),
        line.ranges,
        rows,
        None,
        None,
        first,
    )


def _exact_line(pack: StrategyPack, line: FlopLine) -> ReportLine:
    decisions = name_decisions(line.tree)

    def rows(flop_class: int) -> list[NDArray[np.float32]]:
        flop = flop_representative(flop_class)
        solution = line.solution(flop_class, flop)
        assert solution is not None
        live = combo_mask(flop)
        return [np.ascontiguousarray(solution.strategy(decision.node)[:, live].T) for decision in decisions]

    return ReportLine(
        line.name,
        line.betting,
        line.pot,
        line.stack,
        line.tree,
        decisions,
        line.classes.astype(np.int64),
        _class_weights(pack, line.name, line.classes),
        line.ranges,
        rows,
        line.evs.astype(np.float64),
        line.quality[:, 0].astype(np.float64),
        -1,
    )


def name_decisions(tree: BettingTree) -> tuple[Decision, ...]:
    """Returns all decisions of a betting tree of the flop street, in node order."""
    names = {0: ""}
    found = []
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        children = list(tree.children(node))
        for child in children:
            names[child] = names[node] + _letter(tree, child)
        found.append(
            Decision(
                names[node] or FIRST,
                node,
                int(tree.player[node]),
                _action_names(tree, node),
                tuple(int(tree.amount[child]) if tree.action[child] >= ActionKind.BET else 0 for child in children),
            )
        )
    return tuple(found)


def _letter(tree: BettingTree, child: int) -> str:
    kind = ActionKind(int(tree.action[child]))
    return _LETTERS.get(kind) or f"r{tree.amount[child]}"


def _action_names(tree: BettingTree, node: int) -> tuple[str, ...]:
    """Returns the names of the actions at a decision; sizes that round to the same percentage are given in chips."""
    names = []
    before = int(tree.committed[node].max())
    pot = tree.root_pot + 2 * before
    children = list(tree.children(node))
    for child in children:
        kind = ActionKind(int(tree.action[child]))
        name = kind.name.lower().replace("_", "-")
        if kind in (ActionKind.BET, ActionKind.RAISE):
            after = int(tree.committed[child, tree.player[node]])
            name = f"{name} {100 * (after - before) / pot:.0f}%"
        names.append(name)
    return tuple(
        name if names.count(name) == 1 else f"{name.split()[0]} to {tree.amount[child]}"
        for name, child in zip(names, children, strict=True)
    )
