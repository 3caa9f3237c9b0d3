"""Measures whether a solve is shorter if it begins with public-chance sampling, which deals a few cards of each street.

Run it from the repository's folder on a machine that does nothing else::

    python -m benchmarks.measure_coarse_start tests/data/solver/spots/C_flop.yaml

The solve is run from nothing, and then from the regrets that some iterations of `pcs` have left. The figures are the
iterations to 1 and to 0.5 % of the pot and their CPU seconds on one thread, sampling included and checks left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
from numpy.typing import NDArray

from benchmarks.common import print_markdown, run
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import read_spot

SAMPLED: Final = ((0, 0), (4, 200), (8, 100), (8, 300), (16, 60))
"""Cards of each chance node and iterations of `pcs`."""
NEXT_ITERATION: Final = 4
"""Number of the iteration that follows sampling, at which the average starts anew. On spot C it is better than 16."""
TARGETS: Final = (1.0, 0.5)
CHECK_EVERY: Final = 10
MOST_ITERATIONS: Final = 1000


def sampled_regrets(spot: PreparedSpot, cards: int, iterations: int) -> tuple[dict[str, NDArray[Any]], float]:
    """Returns the arrays of a solver after iterations of `pcs`, with empty averages, and the CPU seconds."""
    solver = PostflopSolver(spot, threads=1, algorithm=f"pcs:cards={cards}")
    start = time.process_time()
    solver.run(iterations)
    seconds = time.process_time() - start
    state = solver.state()
    for name in ("average_oop", "average_ip"):
        state[name][:] = 0
    return state, seconds


def measure(spot: PreparedSpot, cards: int, iterations: int) -> list[str]:
    """Returns iterations and CPU seconds to each target."""
    solver = PostflopSolver(spot, threads=1)
    seconds = 0.0
    if iterations:
        regrets, seconds = sampled_regrets(spot, cards, iterations)
        solver.restore(NEXT_ITERATION, regrets)
    begun = solver.iterations
    found: list[str] = []
    while len(found) < len(TARGETS) and solver.iterations < MOST_ITERATIONS:
        start = time.process_time()
        solver.run(CHECK_EVERY)
        seconds += time.process_time() - start
        reached = solver.exploitability().pct_pot
        while len(found) < len(TARGETS) and reached <= TARGETS[len(found)]:
            found.append(f"{solver.iterations - begun}, {seconds:.3g} s")
    return found + ["-"] * (len(TARGETS) - len(found))


@click.command()
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
def main(paths: tuple[Path, ...]) -> None:
    """Print a row for every spot and start."""
    print_markdown(["spot", "sampled first", *(f"{target:g} %" for target in TARGETS)], _rows(paths))


def _rows(paths: Sequence[Path]) -> Iterator[list[str]]:
    for path in paths:
        spot = prepare(read_spot(path), merge_cards=False)
        for algorithm in ("dcfr", "pcs"):
            PostflopSolver(spot, threads=1, algorithm=algorithm).run(1)  # compiles, or loads from the cache
        for cards, iterations in SAMPLED:
            sampled = f"{iterations} iterations on {cards} cards" if iterations else "nothing"
            yield [path.stem, sampled, *measure(spot, cards, iterations)]


if __name__ == "__main__":
    run(main)
