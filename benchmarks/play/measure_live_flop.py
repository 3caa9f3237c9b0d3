"""Measures what refining the flop at the table gains: exact responses on the flop, packs against live.

    python -m benchmarks.play.measure_live_flop LINE [--flops N] [--think-ms MS]

LINE is the betting before the flop, such as ``r250r1750c``. On every flop the best response of each player to the packs
and to the refined strategy is computed. It chooses on the flop and follows the blueprint on turn and river. The clock
does not end the refinement, so that a busy machine gives the same figures.
"""

from __future__ import annotations

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import packs_alone, run
from hedgehog.agent.strategy.hand_view import view_of
from hedgehog.agent.strategy.live_flop import FlopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import purified
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.flops.response import FlopGame
from hedgehog.strategies.betting_tree import subtree
from hedgehog.strategies.quantize import dequantize_rows


@click.command()
@click.argument("line")
@click.option("--flops", type=click.IntRange(2), default=20, show_default=True)
@click.option("--think-ms", type=int, default=1500, show_default=True)
def main(line: str, flops: int, think_ms: int) -> None:
    """Print the mean gain of best responses by position, in percent of the pot, with 95 % intervals."""
    packs, gamedef = packs_alone(), load_gamedef()
    source, table = packs.blueprint, packs.blueprint.table
    cards = CardAbstraction.load_or_build(table.config["cards"])
    inferred = LiveStrategy(packs)
    solver = FlopLiveSolver(packs, cards, everywhere=True, least_boards=1)
    tree, nodes = subtree(table.tree, source.lines.line(line + "/").shadows[0][0])
    rng = np.random.default_rng(1)
    found = []
    for _ in range(flops):
        flop = tuple(int(card) for card in rng.permutation(52)[:3])
        view = view_of(line + "/", flop, gamedef)
        ranges = inferred.ranges_now(view, 0)
        solved = solver.solve(view, ranges, SolveTime(think_ms))
        if solved is None:
            raise click.UsageError("too little time for one run-out")
        rows = solved.rows
        live = combo_mask(flop)

        def from_packs(node: int, flop: tuple[int, ...] = flop, live: NDArray[np.bool_] = live) -> Floats:
            if tree.street[node] != FLOP:
                return dequantize_rows(table.block(int(nodes[node])))
            kept = purified(source.rows(int(nodes[node]), flop)[:, live])
            return np.ascontiguousarray(kept.T, dtype=np.float32)

        def from_table(node: int, rows: dict[int, Floats] = rows) -> Floats:
            if node not in rows:
                return dequantize_rows(table.block(int(nodes[node])))
            return np.ascontiguousarray(purified(rows[node].T.astype(np.float64)).T, dtype=np.float32)

        game = FlopGame(tree, flop, ranges.astype(np.float32), cards)
        gains = [
            game.exploitability(blocks, flop_only=True).best_response_ev_minus_half_pot
            for blocks in (from_packs, from_table)
        ]
        found.append(100 * np.array(gains)[:, ::-1] / tree.pot(0))
    for position, name in enumerate(("out of position", "in position")):
        of_packs, of_live = np.array(found)[:, :, position].T
        change = of_live - of_packs
        text = format_estimate(mean_estimate(change), 2)
        click.echo(f"{line} {name}: packs {of_packs.mean():.2f}, live - packs {text} % pot")


if __name__ == "__main__":
    run(main)
