"""Measures how many verdicts of ``hedgehog grade`` on rivers change if they are solved finer.

    python -m benchmarks.grading.measure_grading FILES --player NAME [--spots N] [--depth quick]

On every river of the player the solve of the grader is run on to a finer target. At each decision every hand and
action has a verdict from where the grader would end. It counts as often as a player gets there who follows the solve in
85 % of the decisions and takes all actions equally often in the others.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import run
from hedgehog.agent.strategy.hand_view import Event, HandView
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.shadow import situation_of
from hedgehog.analysis.grading.grade import read_hands
from hedgehog.analysis.grading.hand import HandToGrade
from hedgehog.analysis.grading.options import (
    FINE,
    LEAST_SHARE,
    MISTAKE,
    PASSES,
    VERDICTS,
    GradeOptions,
    Pass,
    verdict_of,
)
from hedgehog.analysis.grading.parts import open_our_player
from hedgehog.analysis.grading.street import StreetSolver, check_points, is_settled, nodes_of, street_of
from hedgehog.poker.cards import combo_index
from hedgehog.poker.streets import RIVER
from hedgehog.solver.postflop.responses.decisions import StreetDecisions

_LEAST_REACH = 1e-3
"""Hands with less weight than this at a decision are left out: our player does not hold them."""
_UNIFORM = 0.15
Changes = defaultdict[tuple[str, str], float]
_WORSE = VERDICTS.index(MISTAKE)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--player", required=True)
@click.option("--spots", type=click.IntRange(1), default=20, show_default=True)
@click.option("--depth", type=click.Choice(list(PASSES)), default="normal", show_default=True)
@click.option("--target", type=float, default=0.002, show_default=True, help="Target of the fine solve, in percent.")
@click.option("--most", type=int, default=61440, show_default=True, help="Most iterations of the fine solve.")
def main(files: tuple[Path, ...], player: str, spots: int, depth: str, target: float, most: int) -> None:
    """Print the share of verdicts that change, and the mean loss and its error in percent of the pot."""
    if most < PASSES[depth][RIVER][0].most_iterations:
        raise click.BadParameter(f"expected at least the {PASSES[depth][RIVER][0].most_iterations:,} of {depth}")
    ours = open_our_player(None)
    hands, _ = read_hands(files, GradeOptions(player), ours)
    rivers = [given for given in hands if _acts_on_the_river(given)]
    chosen = rivers[:: max(1, len(rivers) // spots)][:spots]
    changes: Changes = defaultdict(float)
    sums = np.zeros(3)
    for number, given in enumerate(chosen):
        live = LiveStrategy(ours.packs_for_game(given.hand.state.gamedef))
        found = _compare(given, live, depth, target, most, changes)
        sums += found
        click.echo(f"{number + 1}: hand {given.hand.hand_id}", err=True)
    whole = sum(changes.values())
    changed = sum(n for (before, after), n in changes.items() if before != after)
    accused = sum(n for (b, a), n in changes.items() if b in ("best", FINE, "unsure") and VERDICTS.index(a) >= _WORSE)
    falsely = sum(n for (b, a), n in changes.items() if a in ("best", FINE) and b in VERDICTS[_WORSE : _WORSE + 2])
    click.echo(f"{len(chosen)} rivers: {100 * changed / whole:.2f} % of verdicts change")
    click.echo(f"mistake or worse that a fine solve calls fine: {100 * falsely / whole:.3f} %")
    click.echo(f"fine or unsure that a fine solve calls mistake or worse: {100 * accused / whole:.3f} %")
    click.echo(f"mean loss {sums[0] / whole:.4f} % of the pot, mean error {sums[1] / whole:.4f} %")
    click.echo(f"{sums[2] / whole:.0f} iterations on average")
    for (before, after), n in sorted(changes.items(), key=lambda item: -item[1]):
        if before != after:
            click.echo(f"  {before} -> {after}: {100 * n / whole:.3f} %")


def _acts_on_the_river(given: HandToGrade) -> bool:
    states = given.hand.state.replay()
    return any(state.round == RIVER and state.acting_position == given.position for state, _ in states)


def _compare(
    given: HandToGrade,
    live: LiveStrategy,
    depth: str,
    target: float,
    most: int,
    changes: Changes,
) -> NDArray[np.float64]:
    """Counts the verdicts before and after on one river; returns weighted sums of loss, error and iterations."""
    position, way = given.position, PASSES[depth][RIVER][0]
    events = tuple(Event(s.betting_string(), situation_of(s), a) for s, a in given.hand.state.replay())
    end = HandView("", tuple(given.hand.board), events, events[-1].situation)
    first = next(i for i, event in enumerate(events) if event.situation.street == RIVER)
    ranges = live.ranges_now(end.before(first), 1 - position)
    street = street_of(end, RIVER, given.big_blind, ranges)
    solver = StreetSolver(street, way, position)
    tree = solver.single.tree
    nodes = nodes_of(tree, street.tokens)
    own = [nodes[number] for number, actor in enumerate(street.actors) if actor == position]
    history: dict[int, list[NDArray[np.float64]]] = {}
    reached: dict[int, float] = {}
    for iterations in check_points(most):
        solver.run_to(iterations)
        values = StreetDecisions(solver.single, position)
        history[iterations] = [values.all_losses(node) for node in own]
        reached[iterations] = solver.pct_pot()
        if reached[iterations] <= target and iterations >= way.most_iterations:
            break
    values = StreetDecisions(solver.single, position)
    sums = np.array([0.0, 0.0, 0.0])
    for index, node in enumerate(own):
        if values.share(node, combo_index(*sorted(given.hand.hole_cards[position]))) < LEAST_SHARE:
            continue
        pot, exact = tree.pot(node), values.all_losses(node)
        reach, strategy = values.range_at(node), values.strategy_at(node)
        unit = given.big_blind
        for combo in np.flatnonzero((reach > _LEAST_REACH) & ~np.isnan(exact).any(axis=0)):
            mixed = (1 - _UNIFORM) * strategy[:, combo] + _UNIFORM / len(strategy)
            for action, often in enumerate(mixed):
                losses = {n: found[index][:, combo] for n, found in history.items()}
                ended = _end(losses, action, reached, way, pot, unit)
                loss, noise = losses[ended][action], abs(losses[ended][action] - losses[ended // 2][action])
                error = float(np.hypot(noise, way.systematic_pct / 100 * pot))
                weight = float(reach[combo] * often)
                verdicts = [verdict_of(x / unit, error / unit, pot / unit) for x in (loss, exact[action, combo])]
                changes[verdicts[0], verdicts[1]] += weight
                lost = 100 / pot * np.array([exact[action, combo], abs(loss - exact[action, combo])])
                sums += weight * np.array([*lost, ended])
    return sums


def _end(
    losses: dict[int, NDArray[np.float64]], action: int, reached: dict[int, float], way: Pass, pot: int, unit: int
) -> int:
    """Returns after how many iterations the grader ends if an action is the only one of the street.

    :param losses: by number of iterations, the chips that each action of the decision loses.
    :param reached: by number of iterations, the exploitability in percent of the pot.
    """
    ends = [number for number in check_points(way.most_iterations) if number // 2 in losses]
    for number in ends:
        until = {n: found for n, found in losses.items() if n <= number}
        if reached[number] <= way.target_pct:
            return number
        if reached[number] <= way.settled_pct and is_settled(until, action, way, pot, unit):
            return number
    return ends[-1]


if __name__ == "__main__":
    run(main)
