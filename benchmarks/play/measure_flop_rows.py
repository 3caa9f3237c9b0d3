"""Measures what flop strategies lose to opponents who play exactly: the packs, and refinements on sampled run-outs.

    python -m benchmarks.play.measure_flop_rows LINE [--flops N] [--run-outs N] [--iterations N]

LINE is the betting before the flop, such as ``r250r850r2125c``. On every flop one player's strategy of the flop is
locked and the rest of the hand solved exactly for both players, with the bets of the packs on the flop and those of
``--later`` on turn and river. The loss is what the two unlocked players win together, halved, in percent of the pot;
the value of the unlocked game cancels out. Unlike responses that follow the blueprint on turn and river
(``measure_live_flop``) it does not depend on what the packs play there. The bounds of each value are printed: with too
few iterations they are so far apart that the loss says little.
"""

from __future__ import annotations

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import packs_alone, run
from benchmarks.play.measure_live import Strategies, locks, value
from hedgehog.agent.strategy.hand_view import HandView, view_of
from hedgehog.agent.strategy.live_flop import MOST_BOARDS, SHARE_OF_TIME, FlopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import PackStrategy, purified
from hedgehog.agent.strategy.planning_speed import DEFAULT_SPEED
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.flops.refine import FlopSubtree, flop_subtree
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, line_of
from hedgehog.strategies.betting_tree import BettingTree
from hedgehog.strategies.quantize import SCALE, dequantize_rows

ONE_MS = DEFAULT_SPEED._replace(ns_per_flop=0.0, ns_per_board=SHARE_OF_TIME * 1e6, ns_per_board_decision=0.0)
"""Planned times with which a flop gets one run-out for each millisecond."""


def judged_tree(part: FlopSubtree, later: str) -> BettingTree:
    """Returns the tree of the judge: the flop's lines of the packs, and other sizes on turn and river."""
    own = part.tree
    none, other = (StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in ("/", later))
    before = int(own.committed[0].max())
    config = TreeConfig(
        street=FLOP,
        pot=own.pot(0),
        stack=own.stack - before,
        sizes=(none, other, other),
        add_allin_threshold=1.5,
        force_allin_threshold=0.2,
    )
    taken = [line_of(own, child) for node in part.decisions.tolist() for child in own.children(node)]
    return build_postflop_tree(config, taken)


def from_packs(packs: PackStrategy, part: FlopSubtree, flop: tuple[int, ...]) -> Strategies:
    """Returns float32 (actions, 1326) by flop decision: the strategy of the packs."""
    rows = packs.blueprint.rows
    return {node: (rows(int(part.nodes[node]), flop) / SCALE).astype(np.float32) for node in part.decisions.tolist()}


def refined(solver: FlopLiveSolver, view: HandView, ranges: NDArray[np.float64], number: int) -> Strategies:
    """Returns float32 (actions, 1326) by flop decision after the player's refinement on a number of run-outs.

    :param solver: a solver that plans with :data:`ONE_MS`.
    """
    solved = solver.solve(view, ranges, SolveTime(number + 0.5))
    if solved is None:
        raise click.UsageError("the player does not refine the flops of this line")
    found = {}
    for node, rows in solved.rows.items():
        found[node] = np.zeros((rows.shape[1], NUM_COMBOS), dtype=np.float32)
        found[node][:, solved.live] = rows.T
    return found


@click.command()
@click.argument("line")
@click.option("--flops", type=click.IntRange(2), default=10, show_default=True)
@click.option("--run-outs", type=click.IntRange(1, MOST_BOARDS), multiple=True)
@click.option("--iterations", type=click.IntRange(1), default=40, show_default=True)
@click.option("--later", default="75%,a/a", show_default=True, help="bet sizes of the judge on turn and river")
def main(line: str, flops: int, run_outs: tuple[int, ...], iterations: int, later: str) -> None:
    """Print the loss of each flop strategy, in percent of the pot, and their means with 95 % intervals."""
    packs, gamedef = packs_alone(), load_gamedef()
    source, table = packs.blueprint, packs.blueprint.table
    cards = CardAbstraction.load_or_build(table.config["cards"])
    inferred = LiveStrategy(packs)
    solver = FlopLiveSolver(packs, cards, everywhere=True, least_boards=1, speed=ONE_MS)
    root = source.lines.line(line + "/").shadows[0][0]
    part = flop_subtree(table.tree, root, cards, lambda node: dequantize_rows(table.block(node)))
    tree, rng = judged_tree(part, later), np.random.default_rng(1)
    losses: dict[str, list[float]] = {}
    for _ in range(flops):
        flop = tuple(int(card) for card in rng.permutation(52)[:3])
        view = view_of(line + "/", flop, gamedef)
        ranges = inferred.ranges_now(view, 0)
        rows = {"packs": from_packs(packs, part, flop)}
        for number in run_outs:
            rows[f"{number} run-outs"] = refined(solver, view, ranges, number)
        now = {}
        for name, strategies in rows.items():
            lost, widest = 0.0, 0.0
            played = {
                node: purified(strategy.astype(np.float64)).astype(np.float32) for node, strategy in strategies.items()
            }
            for seat in (0, 1):
                given = locks(part.tree, played, seat)
                middle, half = value(flop, list(ranges.astype(np.float32)), tree, given, iterations)
                lost += middle if seat == 0 else -middle
                widest = max(widest, half)
            now[name] = 50 * lost / tree.root_pot
            click.echo(f"{flop}: {name} {now[name]:.2f} (values within {100 * widest / tree.root_pot:.1f})")
        for name, loss in now.items():
            losses.setdefault(name, []).append(loss)
            if name != "packs":
                losses.setdefault(f"packs less {name}", []).append(now["packs"] - loss)
    for name, lost_by in losses.items():
        click.echo(f"{line} {name}: {format_estimate(mean_estimate(lost_by), 2)} % of the pot, {len(lost_by)} flops")


if __name__ == "__main__":
    run(main)
