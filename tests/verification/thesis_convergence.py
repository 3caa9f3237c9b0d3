"""Prints the convergence of the CFR algorithms on the flop QhJh2c beside the figures of an independent program.

::

    python -m tests.verification.thesis_convergence                          # every row, 400 iterations, about an hour
    python -m tests.verification.thesis_convergence cfr+ cgh:c=2 --iterations 100

A thesis by Voelkel on heads-up no-limit hold'em after the flop compares CFR and CGH. The independent program, which is
not part of this repository, repeated the comparison on this spot with more algorithms and without card abstraction. The
pot is 2 and each stack 49 big blinds. Bets are pot-size or all-in. Both players hold the same 276 combos. Epsilon is
the sum of what both best responses gain, in thousandths of a big blind per deal of two hands in range.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference.small_games import same_sizes

BIG_BLIND = 100
CHECKPOINTS = (10, 60, 100, 130, 150, 200, 300, 400)
TABLE: dict[str, tuple[float, ...]] = {
    "cfr": (6384, 1292, 823, 645, 563, 428, 286, 215),
    "cfr:average=new": (5794, 1580, 1082, 887, 801, 652, 485, 391),
    "cfr-new": (4032, 719, 438, 339, 294, 221, 149, 112),
    "cfr-new:average=new": (3405, 702, 462, 381, 346, 285, 215, 172),
    "cgh:c=0.175": (7950, 1482, 959, 727, 623, 440, 283, 202),
    "cgh:c=0.2,per_action=no": (6066, 928, 459, 326, 282, 187, 108, 72.3),
    "cgh:c=0.5": (6891, 925, 447, 317, 262, 177, 102, 66.4),
    "cgh": (5142, 417, 176, 126, 99.0, 61.3, 36.2, 25.2),
    "cgh:c=2": (5219, 278, 145, 95.3, 73.2, 58.8, 33.7, 22.8),
    "cfr+": (3349, 459, 246, 171, 138, 89.4, 45.7, 28.0),
    "dcfr:gamma=2,reset=no,forget=no,average=reach": (3071, 299, 115, 68.8, 51.5, 28.6, 12.4, 6.9),
    "pcfr+": (3012, 512, 284, 199, 162, 105, 53.0, 31.6),
}
"""Algorithm -> epsilon at the checkpoints, in mbb, as the independent program has computed it."""


def make_solver(algorithm: str) -> PostflopSolver:
    """Returns a solver of the spot on one thread."""
    menus = same_sizes(*["100%,a/100%,a/a"] * 3)
    tree = build_postflop_tree(TreeConfig(1, 2 * BIG_BLIND, 49 * BIG_BLIND, menus, force_allin_threshold=0.49))
    hands = parse_range("A9+,KT+,QT+,JT+,A4s+,K8s+,Q9s+,J9s+,T9s,55+")
    return PostflopSolver(prepare_tree(tree, parse_cards("QhJh2c"), (hands, hands)), threads=1, algorithm=algorithm)


def epsilon(solver: PostflopSolver) -> float:
    """Returns the sum of what both best responses gain, in mbb per deal of two hands in range."""
    return 2000 * solver.exploitability().exploitability / BIG_BLIND


def measure(algorithm: str, iterations: int) -> Iterator[tuple[int, float, float]]:
    """Yields iterations done, epsilon, and CPU seconds per iteration since the last checkpoint."""
    solver = make_solver(algorithm)
    for checkpoint in CHECKPOINTS:
        if checkpoint > iterations:
            return
        count = checkpoint - solver.iterations
        start = time.process_time()
        solver.run(count)
        seconds = (time.process_time() - start) / count
        yield checkpoint, epsilon(solver), seconds


def main() -> None:
    """Runs the algorithms on the command line and prints their epsilon beside :data:`TABLE`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("algorithms", nargs="*", default=list(TABLE))
    parser.add_argument("--iterations", type=int, default=CHECKPOINTS[-1])
    arguments = parser.parse_args()
    for algorithm in arguments.algorithms:
        print(f"{algorithm}: {make_solver(algorithm).memory_bytes / 1e6:.0f} MB", flush=True)
        expected = dict(zip(CHECKPOINTS, TABLE.get(algorithm, ()), strict=False))
        for checkpoint, found, seconds in measure(algorithm, arguments.iterations):
            table = f"table {expected[checkpoint]:8.1f} ({found / expected[checkpoint] - 1:+.1%})" if expected else ""
            print(f"{checkpoint:5} {found:8.1f} mbb  {table}  {seconds:.3f} s per iteration", flush=True)


if __name__ == "__main__":
    main()
