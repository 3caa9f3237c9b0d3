"""Measures how many verdicts of ``hedgehog grade`` on rivers change if they are solved finer.

    python -m benchmarks.grading.measure_grading FILES --player NAME [--spots N] [--depth quick]

On every river of the player the solve of the grader is run on to a finer target. At each of its decisions every hand
and action has a verdict; it counts as often as a player gets there who follows the solve in 85 % of its decisions and
takes all actions equally often in the others.
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
from hedgehog.analysis.grading.options import FINE, MISTAKE, PASSES, VERDICTS, GradeOptions, verdict_of
from hedgehog.analysis.grading.parts import open_our_player
from hedgehog.analysis.grading.street import check_points, nodes_of, street_of, street_solver
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
@click.option("--most", type=int, default=8000, show_default=True, help="Most iterations of the fine solve.")
def main(files: tuple[Path, ...], player: str, spots: int, depth: str, target: float, most: int) -> None:
    """Print the share of verdicts that change, and the mean loss and its error in percent of the pot."""
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
        click.echo(f"{number + 1}: hand {given.hand.hand_id}, {int(found[2])} iterations", err=True)
    whole = sum(changes.values())
    changed = sum(n for (before, after), n in changes.items() if before != after)
    accused = sum(n for (b, a), n in changes.items() if b in ("best", FINE, "unsure") and VERDICTS.index(a) >= _WORSE)
    falsely = sum(n for (b, a), n in changes.items() if a in ("best", FINE) and b in VERDICTS[_WORSE : _WORSE + 2])
    click.echo(f"{len(chosen)} rivers: {100 * changed / whole:.2f} % of verdicts change")
    click.echo(f"mistake or worse that a fine solve calls fine: {100 * falsely / whole:.3f} %")
    click.echo(f"fine or unsure that a fine solve calls mistake or worse: {100 * accused / whole:.3f} %")
    click.echo(f"mean loss {sums[0] / whole:.4f} % of the pot, mean error {sums[1] / whole:.4f} %")
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
    """Counts the verdicts before and after on one river; returns sums of loss and error, and the iterations."""
    position, way = given.position, PASSES[depth][RIVER][0]
    events = tuple(Event(s.betting_string(), situation_of(s), a) for s, a in given.hand.state.replay())
    end = HandView("", tuple(given.hand.board), events, events[-1].situation)
    first = next(i for i, event in enumerate(events) if event.situation.street == RIVER)
    street = street_of(end, RIVER, live.ranges_now(end.before(first), 1 - position))
    solver = street_solver(street, way, position)
    nodes = nodes_of(solver.tree, street.tokens)
    own = [nodes[number] for number, actor in enumerate(street.actors) if actor == position]
    history: dict[int, list[NDArray[np.float64]]] = {}
    for iterations in check_points(way.most_iterations):
        solver.run(iterations - solver.iterations)
        values = StreetDecisions(solver, position)
        history[iterations] = [values.all_losses(node) for node in own]
        if solver.exploitability().pct_pot <= way.target_pct:
            break
    coarse, half = history[solver.iterations], history.get(solver.iterations // 2)
    ended = solver.iterations
    for iterations in (n for n in check_points(most) if n > ended):
        solver.run(iterations - solver.iterations)
        if solver.exploitability().pct_pot <= target:
            break
    values = StreetDecisions(solver, position)
    sums = np.array([0.0, 0.0, ended])
    for index, node in enumerate(own):
        pot, exact = solver.tree.pot(node), values.all_losses(node)
        before = half[index] if half is not None else np.zeros_like(exact)
        reach, strategy = values.range_at(node), values.strategy_at(node)
        for combo in np.flatnonzero((reach > _LEAST_REACH) & ~np.isnan(exact).any(axis=0)):
            mixed = (1 - _UNIFORM) * strategy[:, combo] + _UNIFORM / len(strategy)
            for action, often in enumerate(mixed):
                loss, noise = coarse[index][action, combo], abs(coarse[index][action, combo] - before[action, combo])
                error = float(np.hypot(noise, way.systematic_pct / 100 * pot))
                weight = float(reach[combo] * often)
                unit = given.big_blind
                verdicts = [verdict_of(x / unit, error / unit, pot / unit) for x in (loss, exact[action, combo])]
                changes[verdicts[0], verdicts[1]] += weight
                sums[:2] += weight * 100 / pot * np.array([exact[action, combo], abs(loss - exact[action, combo])])
    return sums


if __name__ == "__main__":
    run(main)
