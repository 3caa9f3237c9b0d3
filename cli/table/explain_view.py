"""Prints how a player decides, for ``hedgehog ask`` and the hints of ``hedgehog play-here``."""

from __future__ import annotations

from math import isnan
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.table import Column, Table
from rich.text import Text

from hedgehog.agent.options import Options
from hedgehog.agent.questions import Answer
from hedgehog.analysis.histories.hand_words import action_text
from hedgehog.poker.cards import RANKS, combo_mask, format_combo
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.poker.hand_grid import cell_class

_LEAST_HELD: Final = 1e-3
"""Share of its combos above which a class of hands appears in the grid."""
_COLOURS: Final = {"f": "bright_blue", "c": "green", "r": "bright_red"}


def strategy_table(answer: Answer) -> Table:
    """Returns a table of how often each action is taken with the hand, if one is given, and with the whole range."""
    options, combo, state = answer.options, answer.decision.combo, answer.decision.state
    columns = [Column("action"), Column("in ACPC text")]
    if combo is not None:
        columns.append(Column(format_combo(combo), justify="right"))
    columns.append(Column("whole range", justify="right"))
    if answer.evs is not None:
        columns.append(Column("EV in BB", justify="right"))
    table = Table(*columns)
    average = answer.range_strategy()
    for number, action in enumerate(options.actions):
        cells = [Text(action_text(action, state), style=_COLOURS[action.kind]), Text(str(action))]
        if combo is not None:
            cells.append(Text(f"{100 * options.probabilities[number, combo]:.1f} %"))
        cells.append(Text(f"{100 * average[number]:.1f} %"))
        if answer.evs is not None:
            found = answer.evs.of(action)
            cells.append(Text("" if isnan(found.ev) else f"{found.ev:.2f} ± {found.error:.2f}"))
        table.add_row(*cells)
    return table


def grid_table(answer: Answer, action: str) -> Table:
    """Returns a 13 x 13 table of the range, suited hands above the diagonal; hands that are not held are blank.

    :param action: ``f``, ``c``, ``r`` or a raise such as ``r600``, whose frequency in percent fills the cells. If it is
        empty, every cell shows the most frequent kind of action and its frequency.
    """
    options, weights, live = answer.options, answer.weights, combo_mask(answer.decision.board)
    held = np.bincount(HAND_CLASS, weights * live, NUM_HAND_CLASSES)
    combos = np.bincount(HAND_CLASS, live, NUM_HAND_CLASSES)
    chances = {
        name: np.bincount(HAND_CLASS, weights * _chance(options, name), NUM_HAND_CLASSES)
        for name in ([action] if action else ["f", "c", "r"])
    }
    title = f"{action} in %" if action else "most frequent action in %: f fold, c check or call, r bet or raise"
    columns = [Column(rank, justify="right") for rank in RANKS[::-1]]
    table = Table("", *columns, title=title, title_justify="left", box=None, padding=(0, 0, 0, 1))
    for row, rank in enumerate(RANKS[::-1]):
        cells = [Text(rank, style="bold")]
        for column in range(len(RANKS)):
            hands = cell_class(row, column)
            if held[hands] <= _LEAST_HELD * combos[hands]:
                cells.append(Text())
                continue
            name = max(chances, key=lambda name: float(chances[name][hands]))
            percent = f"{100 * chances[name][hands] / held[hands]:.0f}"
            cells.append(Text(percent if action else f"{name}{percent:>3}", style=_COLOURS[name[0]]))
        table.add_row(*cells)
    return table


def _chance(options: Options, name: str) -> NDArray[np.float64]:
    """Returns float64[1326]: per combo the probability of all actions of a kind, or of one action."""
    taken = [action.kind == name or str(action) == name for action in options.actions]
    return np.asarray(options.probabilities[taken].sum(axis=0))


def class_name(combo: int) -> str:
    """Returns the class of a combo (0 to 1325), such as ``AKs``."""
    return str(HAND_CLASS_NAMES[HAND_CLASS[combo]])
