"""What a limit pack does before the flop, as a chart and as tables, and how much of it its strategy reaches."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.packs.preflop_chart import decision_chart, decision_shares
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.limit_betting import ACTION_LETTERS, NO_CHILD
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.table import Table, Value
from hedgehog.solver.blueprint.report import PreflopDecision
from hedgehog.strategies.limit_pack import LimitTable

SPOTS: Final = {
    2: {
        "": "Button, first in",
        "c": "Big blind after a call",
        "r": "Big blind against a raise",
        "cr": "Button, called, against a raise",
        "rr": "Button against a reraise",
        "rrr": "Big blind against the last raise",
    },
    3: {
        "": "Button, first in",
        "f": "Small blind, first in",
        "c": "Small blind after a call",
        "r": "Small blind against a raise",
        "fr": "Big blind against the small blind's raise",
        "rf": "Big blind against the button's raise",
        "rc": "Big blind against a raise and a call",
        "rr": "Big blind against a raise and a reraise",
        "rrf": "Button against the small blind's reraise",
    },
}
"""Players -> betting -> name of each decision of the chart."""


def limit_decisions(table: LimitTable) -> dict[str, PreflopDecision]:
    """Returns the decisions of the chart by name. Weights are the own reach alone; blockers are left out."""
    return {name: _decision(table, betting) for betting, name in SPOTS[table.tree.gamedef.num_players].items()}


def _decision(table: LimitTable, betting: str) -> PreflopDecision:
    tree = table.tree
    node = 0
    reach = [np.ones(len(HAND_CLASS)) for _ in range(tree.gamedef.num_players)]
    for letter in betting:
        action, player = ACTION_LETTERS.index(letter), int(tree.player[node])
        legal = np.flatnonzero(tree.child[node] != NO_CHILD).tolist()
        reach[player] = reach[player] * _rows(table, node)[HAND_CLASS, legal.index(action)]
        node = int(tree.child[node, action])
    own = reach[int(tree.player[node])]
    highest = int(tree.to_call[node]) + _spent(table, betting, int(tree.player[node]))
    tokens = ("f", "c", f"r{highest + tree.gamedef.raise_sizes[0]}")
    legal = np.flatnonzero(tree.child[node] != NO_CHILD).tolist()
    return PreflopDecision(betting, tuple(tokens[action] for action in legal), _rows(table, node), own, own)


def _spent(table: LimitTable, betting: str, player: int) -> int:
    """Returns the chips that a player has put in before a decision of the first street."""
    tree, node = table.tree, 0
    spent = tree.gamedef.blinds[player]
    for letter in betting:
        action = ACTION_LETTERS.index(letter)
        if int(tree.player[node]) == player and letter != "f":
            spent += int(tree.to_call[node]) + (tree.gamedef.raise_sizes[0] if letter == "r" else 0)
        node = int(tree.child[node, action])
    return spent


def _rows(table: LimitTable, node: int) -> NDArray[np.float64]:
    rows: NDArray[np.float64] = table.block(node).astype(np.float64)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def limit_chart(table: LimitTable) -> str:
    """Returns the preflop chart of a limit strategy as SVG."""
    players = table.tree.gamedef.num_players
    title = f"Before the flop, limit hold'em for {('two', 'three')[players - 2]} players: {table.name}"
    return decision_chart(limit_decisions(table), max(table.tree.pot.tolist()), title)


def limit_tables(table: LimitTable) -> list[Table]:
    """Returns two tables: what is done at the decisions of the chart, and how many rows of a street are reached."""
    spots: list[tuple[Value, ...]] = []
    for name, decision in limit_decisions(table).items():
        shares = dict(zip((action[0] for action in decision.actions), decision_shares(decision).tolist(), strict=True))
        spots.append((name, decision.betting, *(shares.get(letter) for letter in ACTION_LETTERS)))
    streets: list[tuple[Value, ...]] = []
    first, street = table.first_rows, table.tree.street[: table.tree.num_decisions]
    for number, text in enumerate(STREETS):
        nodes = np.flatnonzero(street == number)
        reached = table.reached[int(first[nodes[0]]) : int(first[nodes[-1] + 1])]
        streets.append((text, len(nodes), table.buckets[number], len(reached), float(1 - reached.mean())))
    return [
        Table(
            "spots", "Before the flop, over the hands that come there", ("decision", "betting", *_NAMES), tuple(spots)
        ),
        Table(
            "streets",
            "Rows that the strategy itself hardly ever reaches (NaN)",
            ("street", "decisions", "buckets", "rows", "unreached"),
            tuple(streets),
        ),
    ]


_NAMES: Final = ("fold", "call", "raise")
