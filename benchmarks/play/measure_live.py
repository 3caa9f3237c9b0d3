"""Measures what our strategy of a turn or river loses, solved at the table and from packs alone, on the same decisions.

The referee solves the street with more bet sizes, exact hands and one player's strategy of the street locked; later
streets are solved freely. The loss is what the two unlocked players win together, halved, in percent of the pot at the
start of the street; the value of the unlocked game cancels out. Sizes that the locked strategy lacks get probability 0,
and decisions that it lacks are solved freely. Example:

    python -m benchmarks.play.measure_live turn --positions 30 --think-ms 300

``--resolve unsafe --resolve safe`` compares ways of solving the street (:mod:`hedgehog.agent.strategy.resolving`). Each
player's strategy then comes from a solve made for this player. ``--abstraction opp-river --abstraction rank-river``
compares solving on groups of hands (:mod:`hedgehog.solver.abstraction`). ``--menu-iterations 24 --menu-iterations 64``
compares the richest menus of bet sizes that leave so many iterations in the time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import packs_alone, run
from hedgehog.agent.strategy.hand_view import HandView, view_of
from hedgehog.agent.strategy.live import LEAST_ITERATIONS, MENUS, Menu, PostflopLiveSolver, PreparedStreet
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_prior import pack_prior
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.resolving import Resolving
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import combo_index
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import BOARD_CARDS, RIVER, TURN
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import ABSTRACTIONS
from hedgehog.solver.postflop.tree import (
    StreetSizes,
    TreeConfig,
    build_postflop_tree,
    format_action,
    format_line,
    line_of,
)
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

STREETS = {"turn": TURN, "river": RIVER}
# Every menu of the player is a part of these.
REFEREE = {
    TURN: ("33%,50%,75%,100%,150%/100%/100%/", "50%,75%,100%,150%/100%/"),
    RIVER: ("25%,33%,50%,75%,100%,150%,a/50%,75%,100%,a/100%,a/a",),
}
ITERATIONS = {TURN: 40, RIVER: 100}
Strategies = Mapping[int, NDArray[np.float32]]


def positions(packs: PackStrategy, street: int, number: int, seed: int = 13) -> Iterator[HandView]:
    """Yields half of the first decisions of both players on a street, from self-play of the packs."""
    gamedef, rng = load_gamedef(), random.Random(seed)
    while number:
        deck = rng.sample(range(52), 9)
        state, seen = HandState(gamedef), set()
        while not state.finished:
            board, position = tuple(deck[4 : 4 + BOARD_CARDS[state.round]]), state.acting_position
            betting = state.betting_string()
            if state.round == street and position not in seen:
                seen.add(position)
                if number and rng.random() < 0.5:
                    number -= 1
                    yield view_of(betting, board, gamedef)
            low, high = sorted(deck[2 * position : 2 * position + 2])
            found = packs.column(betting, board, combo_index(low, high))
            state.apply(rng.choices(found.actions, found.probabilities)[0])


def rich_tree(street: PreparedStreet, number: int) -> BettingTree:
    """Returns the tree of the referee: more sizes, and every line of the street's own tree."""
    tree = street.spot.tree
    sizes = tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in REFEREE[number])
    here = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == number)).tolist()
    config = TreeConfig(
        street=number,
        pot=tree.root_pot,
        stack=tree.stack,
        sizes=sizes,
        add_allin_threshold=1.5,
        force_allin_threshold=0.2,
    )
    return build_postflop_tree(config, [line_of(tree, node) for node in here if node])


def locks(tree: BettingTree, strategies: Strategies, player: int) -> list[Lock]:
    """Returns the strategies of a player on a tree as locks."""
    return [
        Lock(
            format_line(line_of(tree, node)),
            {format_action(tree, child): strategy[i] for i, child in enumerate(tree.children(node))},
        )
        for node, strategy in strategies.items()
        if tree.player[node] == player
    ]


def value(
    board: tuple[int, ...],
    ranges: Sequence[NDArray[np.float32]],
    tree: BettingTree,
    given: list[Lock],
    iterations: int,
) -> tuple[float, float]:
    """Returns the second player's value of the game with locks, in chips: the middle of its two bounds, and half their
    distance."""
    spot = prepare_tree(tree, board, ranges, locks=given)
    solver = PostflopSolver(spot, threads=1, algorithm="gamma5")
    solver.run(iterations)
    first, second = solver.exploitability().best_response_ev_minus_half_pot
    return (second - first) / 2, (first + second) / 2


def solved_for(solver: PostflopLiveSolver, street: PreparedStreet, player: int, think_ms: float) -> Strategies | None:
    """Returns a player's strategies of the street from a solve made for this player; None if there is too little time.

    All planned iterations are run.
    """
    planned, tree = solver.iterations(street, think_ms), street.spot.tree
    if planned < LEAST_ITERATIONS[street.spot.street]:
        return None
    running = solver.start(street._replace(position=player))
    running.run(planned)
    return {node: rows for node, rows in running.root_street_strategies().items() if tree.player[node] == player}


@click.command()
@click.argument("street", type=click.Choice(list(STREETS)))
@click.option("--positions", "count", type=click.IntRange(2), default=30, show_default=True)
@click.option("--think-ms", type=float, default=300, show_default=True)
@click.option("--resolve", type=click.Choice([way.value for way in Resolving]), multiple=True, default=["unsafe"])
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--menu-iterations", type=click.IntRange(1), multiple=True)
@click.option("--abstraction", type=click.Choice(tuple(ABSTRACTIONS)), multiple=True)
def main(
    street: str,
    count: int,
    think_ms: float,
    resolve: tuple[str, ...],
    threads: int,
    menu_iterations: tuple[int, ...],
    abstraction: tuple[str, ...],
) -> None:
    """Print the losses of each decision and their means with 95 % intervals."""
    number, packs = STREETS[street], packs_alone()
    ranges = LiveStrategy(packs)
    solvers = {way: PostflopLiveSolver(threads, packs, resolving=Resolving(way)) for way in resolve}
    solvers |= {name: PostflopLiveSolver(threads, packs, abstraction=name) for name in abstraction}
    for least in menu_iterations:
        menus = {on: [Menu(menu.sizes, least) for menu in own] for on, own in MENUS.items()}
        solvers[f"{least} iterations"] = PostflopLiveSolver(threads, packs, menus=menus)
    losses: dict[str, list[float]] = {}
    for view in positions(packs, number, count):
        weights = ranges.ranges_now(view.street_start(), view.situation.position)
        # Groups of hands take longer, so that a smaller menu may have to do. All ways of solving have the same menu.
        streets = {
            name: solver.prepare(view, weights, think_ms) for name, solver in solvers.items() if name not in resolve[1:]
        }
        largest = max(streets.values(), key=lambda street: street.spot.tree.num_nodes)
        prior = pack_prior(packs, largest.spot, largest.betting, largest.street_start)
        own = {
            node: rows.T[:, prior.buckets[0][0]]
            for node, rows in prior.rows.items()
            if largest.spot.tree.street[node] == number
        }
        rich, iterations = rich_tree(largest, number), ITERATIONS[number]
        tree = largest.spot.tree
        now = {}
        for name in ("packs", *solvers):
            lost = 0.0
            for seat in (0, 1):
                mine = streets.get(name, streets[resolve[0]])
                found = None if name == "packs" else solved_for(solvers[name], mine, seat, think_ms)
                given = locks(tree, own, seat) if found is None else locks(mine.spot.tree, found, seat)
                second = value(largest.spot.board, largest.spot.ranges, rich, given, iterations)[0]
                lost += second if seat == 0 else -second
            now[name] = 50 * lost / tree.root_pot
        click.echo(f"{view.betting}: " + ", ".join(f"{name} {lost:.2f}" for name, lost in now.items()))
        for name, lost in now.items():
            losses.setdefault(name, []).append(lost)
            for other in list(now)[: list(now).index(name)]:
                losses.setdefault(f"{other} less {name}", []).append(now[other] - lost)
    for name, lost_by in losses.items():
        click.echo(f"{name}: {format_estimate(mean_estimate(lost_by), 2)} % of the pot, {len(lost_by)} decisions")


if __name__ == "__main__":
    run(main)
