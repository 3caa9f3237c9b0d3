"""Grades the decisions before the flop of one hand by a table of preflop values.

Q of an action is its EV if the player takes its best actions before the flop after it and follows the blueprint from
the flop on; V is the EV of the best action. The table is of hand classes, so nothing is solved. Real bet sizes are read
as mixes of the sizes of the blueprint's menu.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Final, NamedTuple

import numpy as np

from hedgehog.agent.strategy.hand_view import Event
from hedgehog.agent.strategy.pack_strategy import purified_list
from hedgehog.agent.strategy.preflop_evs import DecisionEvs, PreflopEvs
from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.options import ACCUSED, LEAST_SHARE, NOT_GRADED, TRIVIAL, verdict_of
from hedgehog.analysis.grading.reasons import LEFT_TREE, NEVER_HERE
from hedgehog.analysis.grading.terms import Terms
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.runtime.errors import InputError

SOURCE: Final = "preflop table"
GRID_FROM: Final = 0.25
"""Least lower end of a loss, in big blinds, from which on the other hand classes are kept with the decision."""
_CLASS_COMBOS: Final = tuple(int(np.flatnonzero(hand == HAND_CLASS)[0]) for hand in range(NUM_HAND_CLASSES))
"""A combo of each hand class."""
_CLASS_SIZES: Final = np.bincount(HAND_CLASS, minlength=NUM_HAND_CLASSES)


class Followed(NamedTuple):
    """What a hand is worth after the betting before the flop, in big blinds won."""

    worth: float
    complete: bool
    """Whether all decisions were graded; if not, ``worth`` is that before the first one that was not."""


class PreflopGrader:
    """Grades betting before the flop by a table.

    :param table: the table, for the game that is graded.
    """

    def __init__(self, table: PreflopEvs) -> None:
        self._best = table.with_best_play()
        # Where our player never comes with a hand, nothing was learnt of it, and its best action counts as its own.
        self._ours = table.with_best_play(LEAST_SHARE)

    def grade(
        self, position: int, combo: int, events: Sequence[Event], own: Sequence[Decision], unit: int, terms: Terms
    ) -> Followed:
        """Writes into a player's decisions before the flop what they cost, and adds the terms of the betting there.

        :param position: the player's position.
        :param combo: the player's cards.
        :param events: all actions before the flop.
        :param own: the player's decisions there, in order; none if the opponent folds at once.
        :param unit: chips of a big blind.
        """
        dealt = self._best.dealt(position)
        terms.value += float(dealt @ _CLASS_SIZES / _CLASS_SIZES.sum())
        now = float(dealt[HAND_CLASS[combo]])
        terms.luck_cards += now - terms.value
        mine = [event for event in events if event.situation.position == position]
        complete = True
        for decision, event in zip(own, mine, strict=True):
            self._judge(combo, event, decision)
            complete = complete and decision.graded
            if complete and decision.loss_bb is not None and decision.ev_taken_bb is not None:
                taken = decision.ev_taken_bb - event.situation.own_spent / unit
                terms.luck_opponent += taken + decision.loss_bb - now
                terms.losses += decision.loss_bb
                now = taken
        return Followed(now, complete)

    def _judge(self, combo: int, event: Event, decision: Decision) -> None:
        """Writes what the table says into a decision."""
        try:
            found = self._best.at(event.betting, combo, event.action)
            ours = self._ours.at(event.betting, combo, event.action)
        except InputError:
            decision.reason = LEFT_TREE
            return
        taken, our_taken = found.taken, ours.taken
        assert taken is not None
        assert our_taken is not None
        decision.share, decision.source_of_values = found.share, SOURCE
        decision.translated = not taken.exact
        decision.translation_bb = taken.translation if decision.translated else None
        if isnan(found.best) or isnan(taken.ev):
            decision.verdict, decision.reason = NOT_GRADED, NEVER_HERE
            return
        pot, loss = decision.pot_bb, _loss(found, taken.ev)
        often = np.array(purified_list([each.frequency for each in ours.actions]))  # as our player plays at the table
        lost = np.array([_loss(found, each.ev) for each in found.actions])
        best = max(range(len(found.actions)), key=lambda number: found.actions[number].ev)
        decision.actions = {
            str(each.action): (each.ev, float(freq)) for each, freq in zip(found.actions, often, strict=True)
        }
        if str(taken.action) not in decision.actions:
            decision.actions[str(taken.action)] = (taken.ev, 0.0)  # our player takes the sizes of the menu alone
        decision.best_action = str(found.actions[best].action)
        decision.loss_bb, decision.error_bb, decision.loss_pct_pot = loss, taken.error, 100 * loss / pot
        decision.versus_bb = our_taken.ev - float(often @ [each.ev for each in ours.actions])
        decision.baseline_bb = float(often @ lost)
        decision.freq = decision.actions[str(taken.action)][1] if taken.exact else our_taken.frequency
        decision.best_freq = float(often[best])
        decision.ev_best_bb, decision.ev_taken_bb = taken.ev + loss, taken.ev
        decision.trivial = bool(lost.max() < TRIVIAL / 100 * pot)
        if found.left_tree:
            decision.verdict, decision.reason = NOT_GRADED, LEFT_TREE
        elif found.share < LEAST_SHARE:
            decision.verdict, decision.reason = NOT_GRADED, NEVER_HERE
        else:
            decision.verdict, decision.reason = verdict_of(loss, taken.error, pot), ""
        if decision.verdict in ACCUSED and loss - taken.error >= GRID_FROM:
            decision.grid = [self._cell(event, other) for other in _CLASS_COMBOS]

    def _cell(self, event: Event, combo: int) -> list[float | None]:
        """Returns what an action loses with a hand class in big blinds, and how often our player takes it."""
        found, ours = (table.at(event.betting, combo, event.action) for table in (self._best, self._ours))
        if found.taken is None or ours.taken is None or isnan(found.best) or isnan(found.taken.ev):
            return [None, None]
        return [round(_loss(found, found.taken.ev), 3), round(ours.taken.frequency, 3)]


def _loss(found: DecisionEvs, ev: float) -> float:
    return max(0.0, found.best - ev)
