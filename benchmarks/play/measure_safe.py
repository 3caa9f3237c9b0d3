"""Measures how exploitable our strategy of turn and river is if the rivers are solved at the table, unsafely or safely.

A turn from self-play is a game of its own: from both ranges at the start of the turn to the end of the hand, with few
bet sizes. Our player follows the packs on the turn (``--turn packs``), or a solution of this game (``--turn live``). On
the river it goes on with the same strategy, or follows the packs, or solves the river anew after every betting line of
the turn and for every river card. An exact best response, which chooses on turn and river, wins more against this whole
strategy than the game is worth. This loss of ours is printed in percent of the pot at the start of the turn. Example:

    python -m benchmarks.play.measure_safe --positions 8
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import packs_alone, run
from benchmarks.play.measure_live import positions
from hedgehog.agent.strategy.hand_view import HandView
from hedgehog.agent.strategy.live import ALGORITHM, START_ITERATION, START_WEIGHT
from hedgehog.agent.strategy.live_strategy import LiveStrategy, range_after
from hedgehog.agent.strategy.pack_prior import betting_lines, pack_prior
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.resolving import Resolving
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.solver.cfr.layout import board_block
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.solver.postflop.warm_start import Prior
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

SIZES = {TURN: "75%/100%/", RIVER: "50%,100%,a/100%,a/a"}
VALUE_ITERATIONS = 200
TURN_ITERATIONS = 30
ALL_COMBOS = np.arange(NUM_COMBOS)[None]
Rows = NDArray[np.float32]


class Turn(NamedTuple):
    """A turn to be measured."""

    spot: PreparedSpot
    us: int
    """Our position."""
    betting: str
    """ACPC betting before the turn."""
    start: int
    """Chips each player had put in before the turn."""
    rows: Callable[[int, int], Rows]
    """(node, number of the board on its street) -> float32 (actions, 1326): our known strategy."""


def tree_of(street: int, pot: int, stack: int) -> BettingTree:
    """Returns the betting tree from a street on."""
    texts = [text for number, text in SIZES.items() if number >= street]
    sizes = tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in texts)
    config = TreeConfig(
        street=street, pot=pot, stack=stack, sizes=sizes, add_allin_threshold=1.5, force_allin_threshold=0.2
    )
    return build_postflop_tree(config)


def rows_of(prior: Prior, spot: PreparedSpot, node: int, board: int) -> Rows:
    """Returns float32 (actions, 1326): the strategy of the packs at a decision."""
    return prior.rows[node].T[:, prior.buckets[int(spot.tree.street[node]) - spot.street][board]]


def turn_of(view: HandView, ranges: LiveStrategy, packs: PackStrategy, live: bool) -> Turn:
    """Returns the turn of a decision, with our strategy on it."""
    us, of_street = view.situation.position, view.street_start()
    start, betting = of_street.situation.max_spent, of_street.betting
    tree = tree_of(TURN, 2 * start, view.situation.stack - start)
    weights = list(ranges.ranges_now(of_street, us).astype(np.float32))
    spot = prepare_tree(tree, view.board_on(TURN), weights, merge_cards=False)
    prior = pack_prior(packs, spot, betting, start)
    if not live:
        return Turn(spot, us, betting, start, lambda node, board: rows_of(prior, spot, node, board))
    solver = PostflopSolver(spot, threads=1, algorithm=ALGORITHM)
    solver.warm_start(prior, START_WEIGHT, START_ITERATION)
    solver.run(TURN_ITERATIONS)
    boards = {street: boards_on(spot.cards.runouts, street) for street in (TURN, RIVER)}

    def rows(node: int, board: int) -> Rows:
        return solver.node_strategy(node, boards[int(tree.street[node])][board][len(spot.board) :])

    return Turn(spot, us, betting, start, rows)


def ranges_at(turn: Turn, deal: int) -> NDArray[np.float64]:
    """Returns (2, 1326): both ranges when the river is dealt at a node, as our player infers them."""
    tree = turn.spot.tree
    path = []
    node = deal
    while node:
        path.append(node)
        node = int(tree.parent[node])
    ranges = np.stack(turn.spot.ranges).astype(np.float64)
    for child in reversed(path):
        parent = int(tree.parent[child])
        player = int(tree.player[parent])
        row = turn.rows(parent, 0)[child - int(tree.first_child[parent])]
        ranges[player] = range_after(ranges[player], row.astype(np.float64), own=player == turn.us)
    return ranges


def river_rows(
    turn: Turn, packs: PackStrategy | None, resolving: Resolving, iterations: int
) -> Iterator[tuple[int, int, Rows]]:
    """Solves every river and yields our strategies: node of the turn's tree, number of the board, (actions, 1326).

    :param packs: the strategies that give the alternative payoffs; None: those of the turn's solution.
    """
    tree = turn.spot.tree
    lines = betting_lines(tree, turn.betting, turn.start)
    boards = boards_on(turn.spot.cards.runouts, RIVER)
    for deal in np.flatnonzero(tree.kind == NodeKind.DEAL).tolist():
        root, put = int(tree.first_child[deal]), int(tree.committed[deal].max())
        if tree.kind[root] != NodeKind.DECISION:
            continue
        ranges = ranges_at(turn, deal)
        river = tree_of(RIVER, int(tree.pot(deal)), tree.stack - put)
        for number, board in enumerate(boards):
            spot = prepare_tree(river, board, list((ranges * combo_mask(board)).astype(np.float32)))
            solver = PostflopSolver(spot, threads=1, algorithm=ALGORITHM)
            nodes = list(_pairs(tree, root, river))
            if resolving != Resolving.UNSAFE:
                if packs is not None:
                    prior = pack_prior(packs, spot, lines[root], turn.start + put)
                else:
                    prior = Prior({mine: turn.rows(theirs, number).T for theirs, mine in nodes}, (ALL_COMBOS,))
                solver.offer_payoffs(1 - turn.us, prior, best_response=resolving == Resolving.SAFE)
            solver.run(iterations)
            for theirs, mine in nodes:
                if river.player[mine] == turn.us:
                    yield theirs, number, solver.node_strategy(mine)


def _pairs(tree: BettingTree, root: int, river: BettingTree) -> Iterator[tuple[int, int]]:
    """Yields the decisions below a node, each with the same decision of a river's own tree."""
    todo = [(root, 0)]
    while todo:
        theirs, mine = todo.pop()
        if river.kind[mine] == NodeKind.DECISION:
            yield theirs, mine
            todo += zip(tree.children(theirs), river.children(mine), strict=True)


def known_rows(turn: Turn, street: int, rows: Callable[[int, int], Rows]) -> Iterator[tuple[int, int, Rows]]:
    """Yields our given strategies on a street: node, number of the board, (actions, 1326)."""
    tree = turn.spot.tree
    ours = (tree.kind == NodeKind.DECISION) & (tree.player == turn.us) & (tree.street == street)
    for node in np.flatnonzero(ours).tolist():
        for board in range(len(boards_on(turn.spot.cards.runouts, street))):
            yield node, board, rows(node, board)


def write(judge: PostflopSolver, node: int, board: int, rows: Rows) -> None:
    """Writes our strategy at a decision into the averages of a solver."""
    spot, player = judge.spot, int(judge.tree.player[node])
    level = int(judge.tree.street[node]) - spot.street
    block = board_block(spot.game, spot.layout, judge.averages[player], level, board, player)
    padded = np.zeros((len(rows), block.shape[0] * block.shape[2]), dtype=np.float32)
    padded[:, spot.hands[player]] = rows[:, spot.combos[player]]
    first = int(spot.layout.forests[level].row[spot.slots[level][node]])
    block[:, first : first + len(rows)] = padded.reshape(len(rows), block.shape[0], -1).transpose(1, 0, 2)


def losses_of(turn: Turn, packs: PackStrategy, iterations: int, *, live: bool) -> dict[str, float]:
    """Returns our loss by the way of playing the river, in percent of the pot."""
    exact = PostflopSolver(turn.spot, threads=1, algorithm=ALGORITHM)
    exact.run(VALUE_ITERATIONS)
    bounds = exact.exploitability().best_response_ev_minus_half_pot
    value = (bounds[1 - turn.us] - bounds[turn.us]) / 2
    judge = PostflopSolver(turn.spot, threads=1)
    for given in known_rows(turn, TURN, turn.rows):
        write(judge, *given)
    prior = pack_prior(packs, turn.spot, turn.betting, turn.start)
    ways = {"packs": known_rows(turn, RIVER, lambda node, board: rows_of(prior, turn.spot, node, board))}
    if live:
        ways["turn goes on"] = known_rows(turn, RIVER, turn.rows)
    for resolving in Resolving:
        ways[resolving] = river_rows(turn, packs, resolving, iterations)
        if live and resolving != Resolving.UNSAFE:
            ways[f"{resolving} by the turn"] = river_rows(turn, None, resolving, iterations)
    found = {}
    for name, rows in ways.items():
        for given in rows:
            write(judge, *given)
        won = judge.exploitability().best_response_ev_minus_half_pot[1 - turn.us]
        found[str(name)] = 100 * (won - value) / turn.spot.tree.root_pot
    return found


@click.command()
@click.option("--positions", "count", type=click.IntRange(1), default=8, show_default=True)
@click.option("--turn", "played_by", type=click.Choice(["packs", "live"]), default="packs", show_default=True)
@click.option("--iterations", type=click.IntRange(1), default=100, show_default=True, help="Iterations of each river.")
@click.option("--seed", type=int, default=13, show_default=True)
def main(count: int, played_by: str, iterations: int, seed: int) -> None:
    """Print the losses in each position, their means, and the differences to unsafe solves, with 95 % intervals."""
    packs, live = packs_alone(), played_by == "live"
    ranges = LiveStrategy(packs)
    found: dict[str, list[float]] = {}
    for view in positions(packs, TURN, count, seed):
        turn = turn_of(view, ranges, packs, live)
        losses = losses_of(turn, packs, iterations, live=live)
        for name, loss in losses.items():
            found.setdefault(name, []).append(loss)
        text = ", ".join(f"{name} {loss:.2f}" for name, loss in losses.items())
        click.echo(f"{view.betting} ({len(turn.spot.board)} cards, position {turn.us}): {text}")
    for name, values in found.items():
        more = [value - unsafe for value, unsafe in zip(values, found["unsafe"], strict=True)]
        mean, less = (format_estimate(mean_estimate(each), 2) for each in (values, more))
        click.echo(f"{name}: {mean} % of the pot; less unsafe {less}; {len(values)} turns")


if __name__ == "__main__":
    run(main)
