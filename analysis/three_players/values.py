"""What the decisions and actions of a three-player limit strategy are worth when all three play it, by bucket.

A table is computed once per machine and strategy, from :data:`DEALS` deals with a seed of its own, and kept in the
cache.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.strategy.pack_strategy import PURIFY_BELOW
from hedgehog.analysis.three_players import _value_kernels as kernels
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.jit import cache_home
from hedgehog.runtime.machine import num_processors
from hedgehog.solver.blueprint.cards.card_tables import StoredTable, load_or_build
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, longest_walk, sampled_limit_tree
from hedgehog.solver.blueprint.program import CHIPS_PER_UNIT
from hedgehog.strategies.limit_pack import LimitTable
from hedgehog.strategies.quantize import SCALE

DEALS: Final = 300_000
NUM_PLAYERS: Final = 3
_PARTS: Final = 2
"""Parts of the deals, each with sums of its own, so that the table does not depend on the number of processors."""
_VERSION: Final = 1
_SEED: Final = 0x3A17
_PRIOR: Final = 1.0
"""Weight of the mean over all buckets in the value of a bucket, and of an equal share in that mean, in observations."""


@dataclass(frozen=True, slots=True)
class StrategyValues:
    """The values of a strategy for three players, ``P`` probabilities in ``R`` rows. Values are chips."""

    actions: NDArray[np.float16]
    """(3, P) what a player wins from an action on, whoever takes it, by its own bucket. It is what comes after the
    action: what the action costs is not in it."""
    rows: NDArray[np.float16]
    """(3, R) what a player wins from a decision on, whoever acts, by its own bucket."""
    action_means: NDArray[np.float16]
    """(3, A) mean of what a player wins from an action on, over its buckets as they come there in self-play."""
    row_means: NDArray[np.float16]
    """(3, D) mean of what a player wins from a decision on."""


def purified_probabilities(table: LimitTable) -> NDArray[np.float32]:
    """Returns float32 (P,): a strategy as it is played, without actions below 2 %."""
    rows = np.asarray(table.rows).astype(np.float32) / np.float32(SCALE)
    for node in range(table.tree.num_decisions):
        start, width = int(table.offsets[node]), int(table.tree.num_actions[node])
        block = rows[start : start + width * table.buckets[int(table.tree.street[node])]].reshape(-1, width)
        block[block < PURIFY_BELOW] = 0
        block /= block.sum(axis=1, keepdims=True)
    return rows


def sum_values(strategy: LimitStrategy, deals: int, seed: int) -> kernels.ValueTables:
    """Returns the sums of the values over random deals.

    :param deals: number of deals, shared among threads; the result does not depend on how many run.
    """
    table = strategy.table
    sampled, _ = sampled_limit_tree(table.tree, table.buckets)
    probabilities = purified_probabilities(table)
    size = longest_walk(sampled)

    def part(number: int) -> kernels.ValueTables:
        tables = kernels.ValueTables(
            table.offsets,
            table.first_rows,
            probabilities,
            np.zeros((NUM_PLAYERS, len(probabilities)), dtype=np.float32),
            np.zeros((NUM_PLAYERS, len(probabilities)), dtype=np.int32),
            np.zeros((NUM_PLAYERS, int(table.first_rows[-1])), dtype=np.float32),
            np.zeros((NUM_PLAYERS, int(table.first_rows[-1])), dtype=np.int32),
        )
        steps = kernels.Steps(
            np.zeros(size, dtype=np.int64),
            np.zeros((size, kernels.MOST_STEPS), dtype=np.int64),
            np.zeros((size, kernels.MOST_STEPS), dtype=np.int64),
        )
        share = deals // _PARTS + (deals % _PARTS > number)
        state = np.array([(seed << 8) + number], dtype=np.uint64)
        scratch = allocate_sampled_scratch(sampled)
        kernels.value_kernel(tables, steps, scratch, sampled, strategy.cards.tables, share, state)
        return tables

    with ThreadPoolExecutor(min(_PARTS, num_processors())) as pool:
        first, *others = pool.map(part, range(_PARTS))
    for other in others:
        first.action_sums[:] += other.action_sums
        first.action_counts[:] += other.action_counts
        first.row_sums[:] += other.row_sums
        first.row_counts[:] += other.row_counts
    return first


def strategy_values(strategy: LimitStrategy, deals: int = DEALS) -> StrategyValues:
    """Returns the values of a three-player limit strategy, from the cache or computed and stored there.

    :raises InputError: if the strategy is for two players.
    """
    if strategy.tree.gamedef.num_players != NUM_PLAYERS:
        raise InputError("expected a strategy for three players")
    return _stored_values(strategy, deals)


@lru_cache(2)
def _stored_values(strategy: LimitStrategy, deals: int) -> StrategyValues:
    table = strategy.table
    nodes = table.tree.num_decisions
    sizes = [len(table.rows), int(table.first_rows[-1]), int(table.tree.num_actions[:nodes].sum()), nodes]
    ends = np.cumsum([NUM_PLAYERS * size for size in sizes])
    digest = hashlib.sha256(np.ascontiguousarray(table.rows).data).hexdigest()[:16]

    def build(say: Callable[[str], None]) -> NDArray[np.float16]:
        say(f"values of the three-player strategy: computing from {deals:,} deals (once per machine)")
        sums = sum_values(strategy, deals, _SEED)
        by_action, by_row = _action_means(table, sums), _row_means(table, sums)
        parts = by_action[0], by_row[0], by_action[1], by_row[1]
        return np.concatenate([part.ravel() for part in parts]).astype(np.float16)

    name = f"limit-values-v{_VERSION}-{digest}-{strategy.cards.digest[:8]}-{deals}"
    kind = StoredTable(name, (int(ends[-1]),), np.float16, build)
    found = load_or_build(kind, cache_home() / "tables", partial(print, file=sys.stderr, flush=True))[0]
    return StrategyValues(*(part.reshape(NUM_PLAYERS, -1) for part in np.split(found, ends[:-1])))


def _action_means(table: LimitTable, sums: kernels.ValueTables) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the mean values of the actions in chips, (3, P) by bucket and (3, A) over all buckets."""
    values, means = np.empty(sums.action_sums.shape), []
    for node in range(table.tree.num_decisions):
        width = int(table.tree.num_actions[node])
        part = slice(int(table.offsets[node]), int(table.offsets[node]) + table.block(node).size)
        total = sums.action_sums[:, part].reshape(NUM_PLAYERS, -1, width)
        count = sums.action_counts[:, part].reshape(NUM_PLAYERS, -1, width)
        by_bucket, mean = _means(total, count, _prior(table, node))
        values[:, part] = by_bucket.reshape(NUM_PLAYERS, -1)
        means.append(mean)
    return values, np.concatenate(means, axis=1)


def _row_means(table: LimitTable, sums: kernels.ValueTables) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the mean values of the decisions in chips, (3, R) by bucket and (3, D) over all buckets."""
    values, means = np.empty(sums.row_sums.shape), []
    for node in range(table.tree.num_decisions):
        part = slice(int(table.first_rows[node]), int(table.first_rows[node + 1]))
        total, count = sums.row_sums[:, part, np.newaxis], sums.row_counts[:, part, np.newaxis]
        by_bucket, mean = _means(total, count, _prior(table, node))
        values[:, part] = by_bucket[:, :, 0]
        means.append(mean)
    return values, np.concatenate(means, axis=1)


def _means(
    total: NDArray[np.float32], count: NDArray[np.int32], prior: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns means in chips of (players, buckets, N) sums, each drawn towards the mean over its buckets, and those."""
    mean = (total.sum(axis=1, dtype=np.float64) + _PRIOR * prior) / (count.sum(axis=1) + _PRIOR)
    by_bucket = (total + _PRIOR * mean[:, np.newaxis]) / (count + _PRIOR)
    return by_bucket * CHIPS_PER_UNIT, mean * CHIPS_PER_UNIT


def _prior(table: LimitTable, node: int) -> float:
    """Returns an equal share of the pot, in thousands of chips."""
    return float(table.tree.pot[node]) / CHIPS_PER_UNIT / int(table.tree.active[node]).bit_count()
