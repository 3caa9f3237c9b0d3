"""Measures answers to lines that nobody takes: of plain solves, trembles and locks, against the hands that would come.

Run it from the repository's folder, with the lines of a spot that no hand takes::

    python -m benchmarks.measure_trembles docs/examples/spots/river.yaml --line A4500 --line B1000

The hands that would come are those of ``hedgehog query --as-if`` after a plain solve: 1 % of the range, the hands that
lose least by the line. The loss of an answer is what a best response to these hands wins beyond it, in percent of the
pot at the root for every time that they come. The exploitability is that of the plain game. For a lock that makes every
hand take the line with 1 % it is that of the player who answers, as the player who enters plays what it would not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import print_markdown, run
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.responses.as_if import AsIf, solve_as_if
from hedgehog.solver.postflop.solution import PostflopSolution, met_weight
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, parse_temperature, read_spot
from hedgehog.solver.postflop.tree import format_action
from hedgehog.strategies.betting_tree import subtree

ALGORITHM: Final = "gamma5"
LOCKED_SHARE: Final = 0.01


@dataclass(frozen=True)
class Line:
    """A line that nobody takes, and the hands that would come."""

    text: str
    node: int
    """The node after the line, a decision."""
    assumed: AsIf


def find_lines(solution: PostflopSolution, texts: Sequence[str]) -> list[Line]:
    """Returns the lines with the hands that would come after a plain solve.

    :raises SpotError: if a line is taken, or ends with other than the rare action.
    """
    found = []
    for text in texts:
        node, _ = find_node(solution, text)
        assumed = solve_as_if(solution, text)
        if assumed.line:
            raise click.UsageError(f"expected a line that ends with the action nobody takes, {assumed.action!r}")
        found.append(Line(text, node, assumed))
    return found


def answer_loss(solution: PostflopSolution, line: Line) -> float:
    """Returns what the answer of a solution loses to the hands that would come, in percent of the pot at the root.

    The player who enters plays as in the game after the line, solved as if it came.
    """
    there, entered = line.assumed.solution, line.assumed.player
    _, nodes = subtree(solution.tree, line.node)
    sources: list[tuple[PostflopSolution, NDArray[Any]]]
    sources = [(there, np.arange(there.tree.num_nodes)), (solution, nodes)]
    best, own = (_values(there.spot, sources if entered == 0 else sources[::-1], 1 - entered, best) for best in (1, 0))
    combos = there.spot.combos[1 - entered]
    met = met_weight(there.ranges[entered], there.board)[combos]
    pairs = float(there.ranges[1 - entered][combos].astype(np.float64) @ met)
    return 100 * (best - own) / pairs / solution.tree.root_pot


def _values(
    spot: PreparedSpot, sources: Sequence[tuple[PostflopSolution, NDArray[Any]]], player: int, best: int
) -> float:
    """Returns the sum over all deals of a player's values at the root of a spot under given strategies.

    :param sources: per player a solution that has its strategy, and its node for each node of the spot.
    :param best: 1 lets the player play the best response to the other one's strategy.
    """
    judge = CfrSolver(spot.game, spot.tree, rake=spot.rake, threads=1, layout=spot.layout)
    values = judge.values_of(player, _rows(spot, sources), best_response=bool(best)).astype(np.float64)
    return float(values @ spot.game.total_weights(player))


def _rows(
    spot: PreparedSpot, sources: Sequence[tuple[PostflopSolution, NDArray[Any]]]
) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Yields the strategies at all decisions of a spot, as the solver takes them."""
    tree = spot.tree
    for level, forest in enumerate(spot.layout.forests):
        boards = boards_on(spot.cards.runouts, spot.street + level)
        for slot in np.flatnonzero(forest.row >= 0).tolist():
            node = int(forest.nodes[slot])
            player = int(tree.player[node])
            solution, nodes = sources[player]
            rows = np.zeros(
                (int(tree.num_children[node]), len(boards), LANES * spot.game.num_blocks(player)), np.float32
            )
            for number, board in enumerate(boards):
                known = solution.node_strategy(int(nodes[node]), board[len(solution.board) :])
                rows[:, number][:, spot.hands[player]] = known[:, spot.combos[player]]
            yield level, slot, rows


def locked_solve(
    spot: PostflopSpot, plain: PostflopSolver, line: Line, iterations: int
) -> tuple[PostflopSolver, float]:
    """Returns a solve in which every hand takes the line with 1 %, and the exploitability of the answering player.

    That is what a best response to its whole strategy wins beyond the value of the plain game.
    """
    tree, rare, entered = plain.tree, int(plain.tree.parent[line.node]), line.assumed.player
    kept = plain.node_strategy(rare) * np.float32(1 - LOCKED_SHARE)
    kept[line.node - int(tree.first_child[rare])] += np.float32(LOCKED_SHARE)
    actions = [format_action(tree, child) for child in tree.children(rare)]
    lock = Lock(" ".join(line.text.split()[:-1]), dict(zip(actions, kept, strict=True)))
    locked = PostflopSolver(prepare(replace(spot, locks=(lock,))), threads=1, algorithm=ALGORITHM)
    locked.run(iterations)
    every = np.arange(tree.num_nodes)
    best = _values(plain.spot, [(locked, every)] * 2, entered, 1) / plain.spot.pair_weight
    price = 100 * (best - plain.exploitability().ev_minus_half_pot[entered]) / tree.root_pot
    return locked, price


def measure(
    path: Path, texts: Sequence[str], trembles: Sequence[tuple[float, str]], looks: Sequence[int], reference: int
) -> Iterator[list[str]]:
    """Yields the rows of a spot: name, way, iterations, exploitability, loss at each line, CPU seconds.

    :param trembles: shares with their temperatures.
    :param looks: ascending numbers of iterations.
    :param reference: iterations of the plain solve from which the hands that would come are found.
    """
    spot = replace(read_spot(path), tremble=None)
    prepared = prepare(spot)
    plain = PostflopSolver(prepared, threads=1, algorithm=ALGORITHM)
    plain.run(reference)
    start = time.process_time()
    lines = find_lines(plain, texts)
    spent = time.process_time() - start
    own = [f"{answer_loss(line.assumed.solution, replace(line, node=0)):.2f}" for line in lines]
    yield [path.stem, "as if", "", "", *own, f"{spent:.1f}"]
    subsidies = [f"{100 * line.assumed.subsidy / spot.pot:.2f}" for line in lines]
    yield [path.stem, "subsidy of that", "", "", *subsidies, ""]
    yield _row(path, "plain", plain, lines, 0.0)
    ways: list[tuple[str, Tremble | None]] = [("plain", None)]
    for share, temperature in trembles:
        chips = parse_temperature(temperature) * spot.pot
        ways.append((f"trembles {share:g}, {temperature}", Tremble(share, chips)))
    for name, tremble in ways:
        solver = PostflopSolver(replace(prepared, tremble=tremble), threads=1, algorithm=ALGORITHM)
        seconds = 0.0
        for look in looks:
            start = time.process_time()
            solver.run(look - solver.iterations)
            seconds += time.process_time() - start
            yield _row(path, name, solver, lines, seconds)
    for line in lines:
        locked, price = locked_solve(spot, plain, line, max(looks))
        losses = [f"{answer_loss(locked, each):.2f}" if each is line else "" for each in lines]
        yield [path.stem, f"lock at {line.text}", str(locked.iterations), f"{price:.3f}", *losses, ""]


def _row(path: Path, name: str, solver: PostflopSolver, lines: Sequence[Line], seconds: float) -> list[str]:
    losses = [f"{answer_loss(solver, line):.2f}" for line in lines]
    spent = f"{seconds:.1f}" if seconds else ""
    return [path.stem, name, str(solver.iterations), f"{solver.exploitability().pct_pot:.4f}", *losses, spent]


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--line", "texts", multiple=True, required=True, help="A line that nobody takes; may be repeated.")
@click.option("--tremble", "shown", multiple=True, help="SHARE,TEMPERATURE; may be repeated.", default=("0.001,5%",))
@click.option("--iterations", "looks", default="40,150,1000", show_default=True)
@click.option("--reference", type=int, default=3000, show_default=True, help="Iterations of the plain solve.")
def main(path: Path, texts: tuple[str, ...], shown: tuple[str, ...], looks: str, reference: int) -> None:
    """Print the loss of the answers to lines that nobody takes."""
    trembles = [(float(share), temperature) for share, _, temperature in (text.partition(",") for text in shown)]
    head = ["spot", "way", "iterations", "exploitability", *texts, "CPU s"]
    print_markdown(head, measure(path, texts, trembles, [int(look) for look in looks.split(",")], reference))


if __name__ == "__main__":
    run(main)
