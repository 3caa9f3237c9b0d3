"""How often a two-player limit strategy plays towards its own decisions, and which mappings find none that it reaches.

A row that the strategy hardly ever reaches says nothing (NaN), and a mapping passes it over. How many rows that are
depends on the threshold, so shares are given for several.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.hand_buckets import HandBuckets
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.limit.three_player import STEP_NAMES
from hedgehog.analysis.three_players.mappings import MappingLog
from hedgehog.poker.cards import NUM_CARDS
from hedgehog.poker.limit_betting import NO_CHILD
from hedgehog.poker.streets import BOARD_CARDS, STREETS
from hedgehog.runtime.table import Table, Value
from hedgehog.strategies.quantize import SCALE

THRESHOLDS: Final = (1e-2, 1e-3, 1e-4, 1e-5)
DEALS: Final = 4_000
_BATCH: Final = 2_000
_STEPS: Final = tuple(f"by {name}" for name in STEP_NAMES[1:])


def own_reach(
    strategy: LimitStrategy, deals: int = DEALS, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Returns how often a two-player strategy plays towards its decisions, measured on random hands.

    :returns: float64 (R,) mean probability with which the player to act takes its own actions before, by row of the
        strategy, and int64 (R,) number of hands behind it.
    """
    table, tree = strategy.table, strategy.tree
    sums, counts = np.zeros(int(table.first_rows[-1])), np.zeros(int(table.first_rows[-1]), dtype=np.int64)
    bucket = HandBuckets(strategy.cards).bucket
    rng = np.random.default_rng(seed)
    for start in range(0, deals, _BATCH):
        cards = np.stack([rng.permutation(NUM_CARDS)[:7] for _ in range(min(_BATCH, deals - start))]).tolist()
        groups = np.array(
            [
                [bucket(street, tuple(sorted(deal[:2])), tuple(deal[2 : 2 + shown])) for deal in cards]
                for street, shown in enumerate(BOARD_CARDS)
            ]
        )
        reach = np.ones((tree.num_decisions, 2, len(cards)))
        for node in range(tree.num_decisions):  # parents come first
            buckets, player = groups[int(tree.street[node])], int(tree.player[node])
            rows = int(table.first_rows[node]) + buckets
            np.add.at(sums, rows, reach[node, player])
            np.add.at(counts, rows, 1)
            block = table.block(node)
            legal = np.flatnonzero(tree.child[node] != NO_CHILD).tolist()
            for column, action in enumerate(legal):
                child = int(tree.child[node, action])
                if child < tree.num_decisions:
                    reach[child] = reach[node]
                    reach[child, player] *= block[buckets, column] / SCALE
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0), counts


def reach_table(strategy: LimitStrategy, reach: NDArray[np.float64], counts: NDArray[np.int64]) -> Table:
    """Returns for each street the share of the rows that are reached less often than each threshold, and never.

    Rows count by how often a hand has their bucket.
    """
    first, street = strategy.table.first_rows, strategy.tree.street
    rows: list[tuple[Value, ...]] = []
    for number, name in enumerate(STREETS):
        nodes = np.flatnonzero(street[: strategy.tree.num_decisions] == number)
        part = slice(int(first[nodes[0]]), int(first[nodes[-1] + 1]))
        weights, own = counts[part] / counts[part].sum(), reach[part]
        below = [float(weights[own < threshold].sum()) for threshold in THRESHOLDS]
        rows.append((name, len(nodes), *below, float(weights[own == 0].sum()), _marked(strategy, part, weights)))
    names = (f"below {threshold:g}" for threshold in THRESHOLDS)
    return Table(
        "reach",
        "Share of the two-player strategy's rows by how often it plays towards them itself",
        ("street", "decisions", *names, "never", "marked in the pack"),
        tuple(rows),
        "A mapping of hbb2 and hbb5 compares with all decisions of the street, so these shares are those of its "
        "candidates. The pack marks rows below 0.001.",
    )


def _marked(strategy: LimitStrategy, part: slice, weights: NDArray[np.float64]) -> float:
    return float(weights[~strategy.table.reached[part]].sum())


def unreached_table(logs: Mapping[str, MappingLog]) -> Table:
    """Returns for each way, street and number of players how many candidates are unreached, and what answered then."""
    rows: list[tuple[Value, ...]] = []
    for way, log in logs.items():
        _, _, street, players, _, candidates, unreached, step = log.columns.T
        for number, name in enumerate((*STREETS, "all")):
            for left in (3, 2) if name != "all" else (0,):
                chosen = (street == number) & (players == left) if left else np.full(len(street), True)
                count, total = int(chosen.sum()), int(candidates[chosen].sum())
                if count:
                    share = int(unreached[chosen].sum()) / total
                    none = int((unreached[chosen] == candidates[chosen]).sum())
                    steps = np.bincount(step[chosen], minlength=len(STEP_NAMES))[1:].tolist()
                    rows.append((way, name, left or None, count, total / count, share, none, none / count, *steps))
    columns = ("way", "street", "players", "mappings", "candidates", "unreached", "none valid", "share", *_STEPS)
    return Table(
        "unreached",
        "Candidates that the two-player strategy hardly ever reaches (NaN), and mappings without a valid one",
        columns,
        tuple(rows),
        "unreached: share of the candidates that the filter lets through. none valid: mappings in which all are "
        "unreached; the last four columns count the steps that answered these.",
    )
