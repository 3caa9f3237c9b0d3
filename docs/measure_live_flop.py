"""Measures what refining the flop at the table gains: exact responses on the flop, packs against live.

usage: .venv/bin/python docs/measure_live_flop.py LINE [--flops N] [--think-ms MS]

LINE is the betting before the flop, such as ``r250r1750c``. On every flop the best response of each player to the packs
and to the refined strategy is computed. It chooses on the flop and follows the blueprint on turn and river. The clock
does not end the refinement, so that a busy machine gives the same figures.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.hand_view import view_of
from hedgehog.agent.strategy.live_flop import FlopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveStrategy, NeverSolves
from hedgehog.agent.strategy.pack_strategy import PackStrategy, purified
from hedgehog.agent.strategy.player_packs import open_player_packs
from hedgehog.agent.strategy.sources import BlueprintSource, ExactFlops
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.flops.response import Floats, FlopGame
from hedgehog.strategies.betting_tree import subtree
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.quantize import dequantize_rows


def main() -> None:
    """Prints the mean gain of best responses by position, in percent of the pot, with 95 % intervals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("line")
    parser.add_argument("--flops", type=int, default=20, help="2 or more")
    parser.add_argument("--think-ms", type=int, default=1500)
    options = parser.parse_args()
    if options.flops < 2:
        parser.error("an interval needs two flops")
    opened = open_player_packs([default_packs()])
    table = opened.blueprint
    cards = CardAbstraction.load_or_build(table.config["cards"])
    source = BlueprintSource(opened.gamedef, table, cards, opened.quick)
    packs = PackStrategy(source, ExactFlops(opened.gamedef, table.tree, opened.lines))
    inferred = LiveStrategy(packs, NeverSolves(), 0)
    solver = FlopLiveSolver(packs, cards, everywhere=True, least_boards=1)
    tree, nodes = subtree(table.tree, source.lines.shadows(options.line + "/")[0][0])
    rng = np.random.default_rng(1)
    found = []
    for _ in range(options.flops):
        flop = tuple(int(card) for card in rng.permutation(52)[:3])
        view = view_of(options.line + "/", flop, opened.gamedef)
        ranges = inferred.ranges(view, 0)
        solved = solver.solve(view, ranges, SolveTime(options.think_ms))
        if solved is None:
            raise SystemExit("too little time for one run-out")
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
        error = 1.96 * change.std(ddof=1) / len(change) ** 0.5
        print(
            f"{options.line} {name}: packs {of_packs.mean():.2f}, live - packs {change.mean():+.2f} ± {error:.2f} % pot"
        )


if __name__ == "__main__":
    main()
