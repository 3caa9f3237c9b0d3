"""Whether the grader says of the bot ``random`` before the flop what its known strategy must cost.

    hedgehog match random default --think-ms 0 --hands 2000 --seed 1 --in-process --out DIR
    python -m benchmarks.grading.random_versus DIR/seating_*.log

``random`` folds, calls and raises with 6, 47 and 47 %, rescaled over the legal actions, to any size. What its first
decision wins more than our player's is added up over all its hands, our player's actions before it, and its own. For
each later decision of the log it is added up over its own actions there. Sizes are read at 40 places of their range.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import click
import numpy as np

from benchmarks.common import packs_alone, run
from hedgehog.agent.strategy.pack_strategy import purified_list
from hedgehog.agent.strategy.preflop_evs import PreflopEvs, preflop_evs
from hedgehog.analysis.drills.spots import Place
from hedgehog.analysis.drills.store_source import place_of
from hedgehog.analysis.grading.grade import grade_files
from hedgehog.analysis.grading.options import LEAST_SHARE, GradeOptions
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.poker.streets import PREFLOP
from hedgehog.strategies.pack import default_packs

_PLACES = 40
_OF_CLASS = tuple(int(np.argmax(number == HAND_CLASS)) for number in range(NUM_HAND_CLASSES))


@click.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--player", default="random", show_default=True)
def main(logs: tuple[Path, ...], player: str) -> None:
    """Prints what was graded, and what must come out, in mbb per hand."""
    graded = grade_files(logs, GradeOptions(player, streets=(PREFLOP,)))
    shown = next(d for hand in graded.hands for d in hand.decisions)
    place = place_of(shown)
    table = preflop_evs([default_packs()], place.state.gamedef)
    assert table is not None
    expected = _Expected(table.with_best_play(LEAST_SHARE), place)
    for position, name in ((1, "button"), (0, "big blind")):
        hands = [hand for hand in graded.hands if hand.position == position]
        if not hands:
            continue
        firsts = [sum(1000 * (d.versus_bb or 0) for d in h.decisions[:1] if d.graded) for h in hands]
        wanted = 1000 * expected.first(position)
        found = mean_estimate(firsts)
        click.echo(
            f"{name}, first decision, {len(hands):,} hands: {found.mean:+.1f} ± {found.half_width:.1f},"
            f" enumerated {wanted:+.1f}"
        )
    differences, total = [], []
    for hand in graded.hands:
        known = [d for d in hand.decisions if d.street == "preflop" and d.graded and d.versus_bb is not None]
        total.append(1000 * sum(d.versus_bb or 0.0 for d in known))
        means = [expected.at(d.betting, int(HAND_CLASS[combo_index(*parse_cards(d.cards))])) for d in known]
        differences.append(total[-1] - 1000 * sum(means))
    all_, difference = mean_estimate(total), mean_estimate(differences)
    click.echo(f"all decisions before the flop: {all_.mean:+.1f} ± {all_.half_width:.1f}")
    click.echo(f"less what its strategy costs at each: {difference.mean:+.1f} ± {difference.half_width:.1f}")


class _Expected:
    """What the strategy of ``random`` wins more than ours, in big blinds per decision."""

    def __init__(self, table: PreflopEvs, place: Place) -> None:
        self._table = table
        self._place = place
        self.at = lru_cache(None)(self._at)

    def _at(self, betting: str, hand_class: int) -> float:
        """Returns the mean over its actions at a decision."""
        state = Place(self._place.big_blind, self._place.stack, betting, "").state
        ways: list[tuple[float, list[Action]]] = [(0.47, [CALL])]
        if state.can_fold():
            ways.append((0.06, [FOLD]))
        limits = state.raise_range()
        if limits is not None:
            least, most = limits
            step = (most - least + 1) / _PLACES
            ways.append((0.47, [Action("r", int(least + (n + 0.5) * step)) for n in range(_PLACES)]))
        found = 0.0
        for weight, actions in ways:
            for action in actions:
                known = self._table.at(betting, _OF_CLASS[hand_class], action)
                assert known.taken is not None
                often = purified_list([each.frequency for each in known.actions])
                mixed = sum(freq * each.ev for freq, each in zip(often, known.actions, strict=True))
                found += weight / len(actions) * (known.taken.ev - mixed)
        return found / sum(weight for weight, _ in ways)

    def first(self, position: int) -> float:
        """Returns the mean of its first decision over all hands and our player's actions before it."""
        sizes = np.bincount(HAND_CLASS, minlength=NUM_HAND_CLASSES) / len(HAND_CLASS)
        if position == 1:
            return float(sum(size * self.at("", number) for number, size in enumerate(sizes)))
        total = 0.0
        actions, _ = packs_alone().for_game(self._place.state.gamedef).options("", ())[1]
        for action in actions:
            if action == FOLD:
                continue
            for number, size in enumerate(sizes):
                share = self._table.at(str(action), _OF_CLASS[number]).share
                if share >= LEAST_SHARE:
                    total += size * share * self.at(str(action), number)
        return total


if __name__ == "__main__":
    run(main)
