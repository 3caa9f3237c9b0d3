"""How far given strategies are from an equilibrium of a spot, and where the distance comes from.

The exploitability is half the sum of what the two best responses gain. What a player's best response gains is the sum,
over its decisions, of how much a hand loses there: the best action's value less the value of the given strategy, if it
plays a best response afterwards, weighted by how often its given strategy gets there (the performance difference lemma;
Kakade and Langford 2002, Approximately optimal approximate reinforcement learning). So every line has its share, none
is negative, and the shares add up. Decisions on the street of the root count one by one. Those of later streets are
added up per street, for each line that ends the street of the root.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.streets import STREETS
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.packages import require
from hedgehog.runtime.table import Column, Table
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.layout import decision_rows, normalised
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS, run_until
from hedgehog.solver.postflop.node_answers import answer_line, hand_rows
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.queries import view_node
from hedgehog.solver.postflop.responses.given_strategy import (
    GivenStrategy,
    OwnCount,
    place_rows,
    prepare_for_given,
)
from hedgehog.solver.postflop.run import compile_kernels
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.tree import format_line, line_of
from hedgehog.strategies.betting_tree import NodeKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class LineLoss:
    """What the strategy of one player loses at one decision, or on one later street after a line."""

    line: str
    """Action tokens up to the decision; for a later street, up to the card that is dealt."""
    player: int
    """Who loses: 0 is OOP, 1 is IP."""
    street: int
    """Street of the decision, or the later street."""
    chips: float
    """Chips that a best response wins there, per deal of the spot."""


@dataclass(frozen=True, slots=True)
class NodeComparison:
    """One decision of the root's street under the given strategies and under ours."""

    line: str
    player: int
    actions: tuple[str, ...]
    frequency: tuple[float, ...]
    """How often the given strategy takes each action."""
    our_frequency: tuple[float, ...]
    ev: tuple[float, float]
    """EV of OOP and IP from the node on, in chips, if both follow the given strategies; NaN if nobody gets there."""
    our_ev: tuple[float, float]


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
    """Given strategies, measured in the exact game of a spot."""

    spot: PostflopSpot
    given: PostflopSolver
    """The given strategies as a solution; every question about a line can be asked of it."""
    found: Exploitability
    """How far the given strategies are from an equilibrium."""
    ours: PostflopSolver | None
    """Our solve of the spot; None if none was wanted."""
    our_found: Exploitability | None
    losses: tuple[LineLoss, ...]
    """Where the exploitability comes from, largest first. Half their sum is the exploitability."""
    counted: tuple[str, float] | None = None
    """A program that counts dealt cards in its own way, and the exploitability in percent of the pot as it counts."""

    def summary(self) -> str:
        """Returns the exploitability of the given strategies and of ours."""
        ours = "" if self.our_found is None else f"; ours {self.our_found.pct_pot:.4f} %"
        return f"{self.spot.name}: exploitability {self.found.pct_pot:.4f} % of the pot{ours}"

    def table(self) -> Table:
        """Returns a row per decision or later street with a loss: line, player, street, loss, and share of it all."""
        total, pot = math.fsum(loss.chips for loss in self.losses), self.spot.pot
        columns = (
            Column("line", text=_line, left=True), Column("player"), Column("street"),
            Column("loss", text="{:,.4f}".format), Column("loss_pct_pot", "% of pot", "{:.4f}".format),
            Column("share", text="{:.1%}".format),
        )  # fmt: skip
        rows = tuple(
            (loss.line, PLAYERS[loss.player], STREETS[loss.street], loss.chips, 100 * loss.chips / pot,
             loss.chips / total if total > 0 else 0.0)
            for loss in self.losses
            if loss.chips > 0
        )  # fmt: skip
        note = "loss: what a best response wins there, in chips per deal; half the sum is the exploitability."
        return Table("losses", "where the exploitability comes from", columns, rows, note)

    def nodes(self) -> tuple[NodeComparison, ...]:
        """Returns every decision on the street of the root, with frequencies and EVs of the given strategies and ours.

        :raises SpotError: if there is no solve of ours.
        """
        return tuple(self._nodes())

    def node_table(self) -> Table:
        """Returns :meth:`nodes` as a table with a row per decision.

        :raises SpotError: if there is no solve of ours.
        """
        columns = (
            Column("line", text=_line, left=True), Column("player"), Column("given"), Column("ours"),
            Column("ev_oop", "EV oop", _chips), Column("our_ev_oop", "ours", _chips),
            Column("ev_ip", "EV ip", _chips), Column("our_ev_ip", "ours", _chips),
        )  # fmt: skip
        rows = tuple(
            (node.line, PLAYERS[node.player], _frequencies(node.actions, node.frequency),
             _frequencies(node.actions, node.our_frequency), node.ev[0], node.our_ev[0], node.ev[1], node.our_ev[1])
            for node in self.nodes()
        )  # fmt: skip
        note = "EV: chips from the node on, both players on the given strategies, or both on ours."
        return Table("nodes", "frequencies and EVs by decision", columns, rows, note)

    def hand_table(self, line: str = "", *, by_combo: bool = False) -> Table:
        """Returns a row per hand of the player to act: probabilities and EV as given, and ours.

        :param line: action tokens and dealt cards separated by blanks; empty for the root.
        :param by_combo: a row per combo instead of one per hand class.
        :raises SpotError: if the tree has no such decision, or there is no solve of ours.
        """
        given, ours = answer_line(self.given, line), answer_line(self._ours(), line)
        actions = given.view.actions
        columns = [
            Column("hand"), Column("combos"), Column("ev", "EV", _chips),
            Column("our_ev", "ours", _chips),
            *(Column(name, text=_percent) for name in actions),
            *(Column(f"our_{name}", f"ours {name}", _percent) for name in actions),
        ]  # fmt: skip
        by_name = {row.name: row for row in hand_rows(ours, by_combo=by_combo)}
        missing = [math.nan] * len(actions)
        rows = []
        for row in hand_rows(given, by_combo=by_combo):
            other = by_name.get(row.name)
            rows.append(
                (row.name, row.weight, row.ev, math.nan if other is None else other.ev, *row.strategy,
                 *(missing if other is None else other.strategy))
            )  # fmt: skip
        return Table("hands", f"{given.line or 'root'}: {PLAYERS[given.player]} to act", columns, tuple(rows))

    def describe_data(self, lines: tuple[str, ...] = ("",)) -> dict[str, Any]:
        """Returns the content of a JSON document: quality, losses, and with a solve of ours the nodes and hands.

        :param lines: the decisions whose hands are listed.
        :raises SpotError: if the tree lacks a line.
        """
        half = self.spot.pot / 2

        def quality(found: Exploitability) -> dict[str, Any]:
            return {
                "exploitability_pct_pot": found.pct_pot,
                "ev": [value + half for value in found.ev_minus_half_pot],
                "best_response_ev": [value + half for value in found.best_response_ev_minus_half_pot],
            }

        data: dict[str, Any] = {"given": quality(self.found), "losses": self.table().records()}
        if self.counted is not None:
            data["counted"] = {"program": self.counted[0], "exploitability_pct_pot": self.counted[1]}
        if self.ours is not None and self.our_found is not None:
            data["ours"] = {**quality(self.our_found), "iterations": self.ours.iterations}
            data["nodes"] = [
                {
                    "line": node.line, "player": PLAYERS[node.player], "actions": list(node.actions),
                    "frequency": list(node.frequency), "our_frequency": list(node.our_frequency),
                    "ev": list(node.ev), "our_ev": list(node.our_ev),
                }
                for node in self.nodes()
            ]  # fmt: skip
            data["hands"] = [
                {"line": line, "rows": self.hand_table(line, by_combo=True).records()} for line in dict.fromkeys(lines)
            ]
        return data

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the largest losses as bars, in percent of the pot, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        if axes is None:
            axes = require("matplotlib.pyplot", "a chart").subplots(layout="constrained")[1]
        largest = self.losses[:_SHOWN][::-1]
        names = [f"{PLAYERS[one.player]}, {STREETS[one.street]}: {one.line or '(root)'}" for one in largest]
        axes.barh(names, [100 * one.chips / self.spot.pot for one in largest])
        axes.set_xlabel("loss, % of the pot")
        return axes

    def _ours(self) -> PostflopSolver:
        if self.ours is None:
            raise SpotError("there is no solve to compare with: evaluate with compare=True")
        return self.ours

    def _nodes(self) -> Iterator[NodeComparison]:
        ours, tree = self._ours(), self.given.tree
        for node in np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == tree.street[0])).tolist():
            mine, other = view_node(self.given, node, equities=False), view_node(ours, node, equities=False)
            yield NodeComparison(
                line=format_line(line_of(tree, node)),
                player=mine.player,
                actions=mine.actions,
                frequency=tuple(mine.frequency.tolist()),
                our_frequency=tuple(other.frequency.tolist()),
                ev=mine.average(mine.ev),
                our_ev=other.average(other.ev),
            )


def evaluate_strategy(
    spot: PostflopSpot,
    strategy: GivenStrategy,
    *,
    compare: bool = True,
    target_pct: float = 0.1,
    max_iterations: int = MAX_ITERATIONS,
    threads: int | None = None,
    algorithm: Algorithm | str = "dcfr",
    watch: Watch = SILENT,
) -> Evaluation:
    """Measures given strategies in the exact game of a spot.

    :param strategy: strategies of both players for the spot's betting tree, such as
        :func:`hedgehog.interop.strategies.read_strategy` reads from a file.
    :param compare: solve the spot, too, and compare.
    :param target_pct: exploitability at which this solve stops, in percent of the pot.
    :param max_iterations: iterations after which it stops in any case.
    :param watch: hears of the progress, and may end the solve early.
    :raises InputError: if the strategies lack a decision or a hand.
    :raises SpotError: if the spot has locks, trembles or a hand abstraction.
    :raises MemoryShortageError: if the game does not fit into memory.
    """
    if spot.locks or spot.abstraction or spot.tremble is not None:
        raise SpotError(
            "strategies are measured in the plain game: expected a spot without locks, abstraction, tremble"
        )
    watch.begin(f"{spot.name}, given strategies", None, "", "reading")
    given = given_solver(prepare_for_given(spot, [strategy]), strategy, threads)
    found = given.exploitability()
    losses = sorted(line_losses(given), key=lambda loss: -loss.chips)
    ours = our_found = None
    if compare:
        ours = PostflopSolver(prepare(spot), threads=threads, algorithm=algorithm)
        watch.begin(f"{spot.name}, our solve", None, "", "compiling")
        compile_kernels(threads, ours.algorithm, "f32")
        our_found = run_until(ours, target_pct, max_iterations, watch=watch)
    own = strategy.own_count
    counted = None if own is None else (own.program, _counted_by(own, given))
    return Evaluation(spot, given, found, ours, our_found, tuple(losses), counted)


def given_solver(spot: PreparedSpot, strategy: GivenStrategy, threads: int | None = None) -> PostflopSolver:
    """Returns a solver whose average strategies are given ones.

    :param spot: the spot, from :func:`~hedgehog.solver.postflop.responses.given_strategy.prepare_for_given`.
    :raises InputError: if the strategies lack a decision.
    :raises MemoryShortageError: if the game does not fit into memory.
    """
    solver = PostflopSolver(spot, threads=threads)
    solver.replace_averages(place_rows(spot, strategy, 0), place_rows(spot, strategy, 1))
    return solver


def line_losses(solver: PostflopSolver) -> Iterator[LineLoss]:
    """Yields what each player's average strategy loses against the other's, line by line.

    Half the sum is the exploitability.
    """
    spot, tree = solver.spot, solver.tree
    levels = len(spot.layout.forests)
    averages = tuple(np.array(array, dtype=np.float32) for array in solver.averages)
    other = PostflopSolver(spot, threads=solver.threads)
    for player in (0, 1):
        best = solver.best_response_table(player).weights
        by_street = []
        # The given strategy on the first streets, the best response from a street on: from the last to the first.
        for level in range(levels, -1, -1):
            mixed = list(averages)
            mixed[player] = averages[player].copy()
            start = spot.layout.bases[level][player] if level < levels else len(best)
            mixed[player][start:] = best[start:]
            other.replace_averages(mixed[0], mixed[1])
            by_street.append(other.root_street_values(player))
        by_street.reverse()
        reaches = _own_reaches(solver, player)
        forest = spot.layout.forests[0]
        for slot, node in enumerate(forest.nodes.tolist()):
            line, reach = format_line(line_of(tree, node)), reaches[slot]
            if forest.first_child[slot] >= 0 and int(tree.player[node]) == player:
                first = int(forest.first_child[slot])
                rows = _rows_of(solver, slot, node)
                values = by_street[0][first : first + len(rows)].astype(np.float64)
                lost = values.max(axis=0) - (rows * values).sum(axis=0)
                yield LineLoss(line, player, spot.street, _per_deal(solver, reach * lost))
            elif tree.kind[node] == NodeKind.DEAL:
                for level in range(1, levels):
                    lost = by_street[level][slot].astype(np.float64) - by_street[level + 1][slot]
                    yield LineLoss(line, player, spot.street + level, _per_deal(solver, reach * lost))


def _counted_by(own: OwnCount, given: PostflopSolver) -> float:
    """Returns the exploitability in percent of the pot with a program's own weights of dealt cards."""
    game = given.spot.game
    levels = tuple(
        replace(level, weight=own.card_weights[given.spot.street + number]) if number else level
        for number, level in enumerate(game.levels)
    )
    solver = PostflopSolver(replace(given.spot, game=replace(game, levels=levels)), threads=given.threads)
    solver.replace_averages(*given.averages)
    return solver.exploitability().pct_pot


def _rows_of(solver: PostflopSolver, slot: int, node: int) -> NDArray[np.float32]:
    """Returns float32[actions, hands] of the acting player at a decision of the root's street."""
    spot = solver.spot
    return normalised(decision_rows(spot.game, solver.tree, spot.layout, solver.averages, 0, 0, slot))


def _own_reaches(solver: PostflopSolver, player: int) -> list[NDArray[np.float64]]:
    """Returns per slot of the root's street float64[hands]: a player's weight times its own probabilities."""
    forest, tree = solver.spot.layout.forests[0], solver.tree
    found = [solver.spot.game.total_weights(player)] * len(forest.nodes)
    # Parents precede their children.
    for slot, node in enumerate(forest.nodes.tolist()):
        first = int(forest.first_child[slot])
        if first < 0:
            continue
        own = int(tree.player[node]) == player
        rows = _rows_of(solver, slot, node) if own else None
        for action in range(int(tree.num_children[node])):
            found[first + action] = found[slot] if rows is None else found[slot] * rows[action]
    return found


def _per_deal(solver: PostflopSolver, values: NDArray[np.float64]) -> float:
    # A best response loses nothing but for rounding.
    return max(float(values.sum()) / solver.spot.pair_weight, 0.0)


def _chips(value: float) -> str:
    return "" if math.isnan(value) else f"{value:,.3f}"


def _percent(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1%}"


def _line(line: str) -> str:
    return line or "(root)"


def _frequencies(actions: tuple[str, ...], shares: tuple[float, ...]) -> str:
    shown = ((name, share) for name, share in zip(actions, shares, strict=True) if not math.isnan(share))
    return " ".join(f"{name} {100 * share:.1f}%" for name, share in shown)
