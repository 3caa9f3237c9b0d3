"""How often a player folds, calls and raises at three-player limit tables, by street, players left and hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.situation import NUM_PLAYERS, THREE_PLAYER_GAME
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand, parse_log_line, read_log
from hedgehog.poker.cards import combo_index
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.poker.limit_betting import ACTION_LETTERS
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.table import Table, Value

_REFERENCE: Final = "reference bot (published)"
_PUBLISHED: Final = {
    2: ((0.139, 0.511, 0.349), (0.085, 0.511, 0.403), (0.084, 0.565, 0.349), (0.083, 0.556, 0.359)),
    3: ((0.545, 0.107, 0.347), (0.150, 0.543, 0.305), (0.156, 0.516, 0.327), (0.190, 0.529, 0.280)),
}
"""Players left -> street -> shares of fold, call and raise of the reference bot in the thesis (its table 7)."""


class ActionCounts:
    """Counts the actions of one player."""

    def __init__(self) -> None:
        self.by_street = np.zeros((NUM_PLAYERS + 1, len(STREETS), 3), dtype=np.int64)
        """(players left, street, action) number of fold, call and raise."""
        self.by_class = np.zeros((NUM_HAND_CLASSES, 3), dtype=np.int64)
        """(169, action) the same before the flop with three players left and a bet to call, by class of hands."""

    def add(self, hand: LoggedHand, name: str) -> None:
        """Counts the actions of a player in a hand; nothing if it is not in it."""
        names = hand.names.split("|")
        if name not in names:
            return
        position = names.index(name)
        for state, action in hand.state.replay():
            if state.acting_position != position:
                continue
            left, number = NUM_PLAYERS - state.num_folded, ACTION_LETTERS.index(action.kind)
            self.by_street[left, state.round, number] += 1
            cards = hand.hole_cards[position]
            if state.round == 0 and left == NUM_PLAYERS and state.can_fold() and len(cards) == 2:
                self.by_class[HAND_CLASS[combo_index(*sorted(cards))], number] += 1


def count_actions(logs: Iterable[Path], name: str) -> ActionCounts:
    """Returns the counted actions of a player in logs of three-player limit hold'em.

    :raises LogError: if a log cannot be read, or is malformed.
    """
    counts, gamedef = ActionCounts(), load_gamedef(THREE_PLAYER_GAME)
    for path in logs:
        for line in read_log(path):
            if line.startswith("STATE:"):
                counts.add(parse_log_line(line, gamedef), name)
    return counts


def frequency_table(table: str, counted: Mapping[str, ActionCounts]) -> Table:
    """Returns the shares of the actions of players by street and players left, after those of the published bot.

    :param table: name of the table.
    :param counted: what a player is called in the table -> its actions.
    """
    rows: list[tuple[Value, ...]] = [
        (_REFERENCE, left, STREETS[street], None, *shares)
        for left in (3, 2)
        for street, shares in enumerate(_PUBLISHED[left])
    ]
    for shown, counts in counted.items():
        for left in (3, 2):
            for street, text in enumerate(STREETS):
                rows.append((shown, left, text, *_shares(counts.by_street[left, street])))
    return Table(
        table,
        "How often each player folds, calls or checks, and raises",
        ("player", "players", "street", "decisions", "fold", "call", "raise"),
        tuple(rows),
    )


def class_table(table: str, counted: Mapping[str, ActionCounts]) -> Table:
    """Returns the shares of players' actions before the flop against a bet of three players, by class of hands.

    :param table: name of the table.
    :param counted: what a player is called in the table -> its actions.
    """
    rows = tuple(
        (shown, text, *_shares(counts.by_class[number]))
        for shown, counts in counted.items()
        for number, text in enumerate(HAND_CLASS_NAMES)
    )
    columns = ("player", "hand", "decisions", "fold", "call", "raise")
    return Table(table, "Before the flop against a bet, three players left, by class of hands", columns, rows)


def _shares(counts: NDArray[np.int64]) -> tuple[Value, ...]:
    total = int(counts.sum())
    if not total:
        return 0, None, None, None
    fold, call, raising = (counts / total).tolist()
    return total, fold, call, raising
