"""Measures whether the solve of a flop is shorter if it starts from strategies that are known already.

Run it from the repository's folder on a machine that does nothing else::

    python -m benchmarks.measure_warm_flops strategies/configs/single-raised.yaml

Each flop is solved to the target of the configuration from nothing, from the blueprint's strategies on flop and turn,
and from the flop strategies of a solved flop that differs in the rank of its lowest card, which is what an exact pack
holds. The figures are iterations and CPU seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from benchmarks.common import packs_alone, print_markdown, run
from hedgehog.agent.strategy.pack_prior import pack_prior
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.poker.cards import NUM_COMBOS, parse_cards
from hedgehog.poker.streets import FLOP, RIVER
from hedgehog.solver.packs.exact_config import FlopPackConfig, read_flop_pack_config
from hedgehog.solver.packs.exact_flops import CHECK_EVERY, ExactBuild, open_build
from hedgehog.solver.packs.jobs import Job
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.warm_start import Prior
from hedgehog.strategies.betting_tree import NodeKind

PAIRS = (("Qh Jh 3c", "Qh Jh 2c"), ("As Kd 6c", "As Kd 7c"), ("9h 9d 4c", "9h 9d 5c"), ("Th 7h 3h", "Th 7h 4h"))
BLUEPRINT_WEIGHT = 2.0
NEIGHBOUR_WEIGHT = 5.0
"""Weights of known strategies in iterations: the best of 2 and 5, and of 1, 5 and 25, on the first pair."""


def spot_of(build: ExactBuild, line: str, flop: str) -> PreparedSpot:
    """Returns the spot of a flop in a preflop line."""
    ranges = build.spot(Job(line, 0, Path())).ranges
    return prepare_tree(build.tree(line), parse_cards(flop.replace(" ", "")), ranges)


def flop_prior(solved: PostflopSolver, spot: PreparedSpot) -> Prior:
    """Returns the flop strategies of a solve of another flop; combos that it lacks have uniform strategies."""
    tree = spot.tree
    rows = {}
    for node in np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == FLOP)).tolist():
        found = solved.node_strategy(node).T
        total = found.sum(axis=1, keepdims=True)
        rows[node] = np.where(total > 0, found, np.float32(1 / found.shape[1])).astype(np.float32)
    return Prior(rows, (np.arange(NUM_COMBOS, dtype=np.int64)[None],))


def solve(spot: PreparedSpot, config: FlopPackConfig, prior: Prior | None, weight: float) -> str:
    """Returns the iterations and CPU seconds of a solve until the target, checked every few iterations."""
    started = time.process_time()
    solver = PostflopSolver(spot, threads=1)
    if prior is not None:
        solver.warm_start(prior, weight, round(weight))
    begun = solver.iterations
    solver.solve(config.target_pct, config.max_iterations, check_every=CHECK_EVERY // 4)
    return f"{solver.iterations - begun}, {time.process_time() - started:.1f} s"


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
def main(path: Path) -> None:
    """Print a row for every pair of flops."""
    config = read_flop_pack_config(path)
    build = open_build(config, path.parent, Path("unused"), [(0, 1.0)])
    head = ["flop", "from nothing", "from the blueprint", "from another flop", ""]
    print_markdown(head, _rows(config, build, packs_alone()))


def _rows(config: FlopPackConfig, build: ExactBuild, packs: PackStrategy) -> Iterator[list[str]]:
    line = config.lines[0]
    for first, second in PAIRS:
        spot = spot_of(build, line.name, second)
        prior = pack_prior(packs, spot, f"{line.betting}/", spot.tree.root_pot // 2)
        rows = {node: row for node, row in prior.rows.items() if spot.tree.street[node] < RIVER}
        blueprint = Prior(rows, prior.buckets[:2])
        cells = [solve(spot, config, None, 0), solve(spot, config, blueprint, BLUEPRINT_WEIGHT)]
        known = PostflopSolver(spot_of(build, line.name, first), threads=1)
        known.solve(config.target_pct, config.max_iterations)
        neighbour = flop_prior(known, spot)
        del known
        yield [second, *cells, solve(spot, config, neighbour, NEIGHBOUR_WEIGHT), first]


if __name__ == "__main__":
    run(main)
