"""How often a player folds, calls and raises at three-player limit tables, by street, players left and hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from hedgehog.agent.limit.situation import NUM_PLAYERS, THREE_PLAYER_GAME
from hedgehog.analysis.stats.action_counts import BY_STREET, SHARES, ActionCounts, action_shares, counted_actions
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import parse_log_line, read_log
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.table import Table, Value

_REFERENCE: Final = "reference bot (published)"
_PUBLISHED: Final = {
    2: ((0.139, 0.511, 0.349), (0.085, 0.511, 0.403), (0.084, 0.565, 0.349), (0.083, 0.556, 0.359)),
    3: ((0.545, 0.107, 0.347), (0.150, 0.543, 0.305), (0.156, 0.516, 0.327), (0.190, 0.529, 0.280)),
}
"""Players left -> street -> shares of fold, call and raise of the reference bot in the thesis (its table 7)."""


def count_actions(logs: Iterable[Path], name: str) -> ActionCounts:
    """Returns the counted actions of a player in logs of three-player limit hold'em.

    :raises LogError: if a log cannot be read, or is malformed.
    """
    counts, gamedef = ActionCounts(), load_gamedef(THREE_PLAYER_GAME)
    for path in logs:
        for line in read_log(path):
            if line.startswith("STATE:"):
                hand = parse_log_line(line, gamedef)
                names = hand.names.split("|")
                if name in names:
                    counts.add(counted_actions(hand)[names.index(name)])
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
                rows.append((shown, left, text, *action_shares(counts.by_street(left, street))))
    return Table(
        table,
        "How often each player folds, calls or checks, and raises",
        ("player", *BY_STREET),
        tuple(rows),
    )


def class_table(table: str, counted: Mapping[str, ActionCounts]) -> Table:
    """Returns the shares of players' actions before the flop against a bet of three players, by class of hands.

    :param table: name of the table.
    :param counted: what a player is called in the table -> its actions.
    """
    rows = tuple(
        (shown, text, *action_shares(counts.by_class(NUM_PLAYERS, number)))
        for shown, counts in counted.items()
        for number, text in enumerate(HAND_CLASS_NAMES)
    )
    columns = ("player", "hand", *SHARES)
    return Table(table, "Before the flop against a bet, three players left, by class of hands", columns, rows)
