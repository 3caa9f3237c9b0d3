"""Explains the answers of limit players (:mod:`hedgehog.agent.limit.explanation`)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.explanation import AskedCandidate, OpponentAnswer
from hedgehog.agent.limit.mapped_strategy import MappedAnswer, MappedStrategy, Triple
from hedgehog.agent.limit.nearest import Way, rank_candidates
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.options import Options
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.limit_betting import ACTIONS

_ALL: Final = 1 << 13
"""More than all candidates of a street."""


def explain_mapping(
    mapped: MappedStrategy, betting: str, hole_cards: tuple[int, ...], board: tuple[int, ...]
) -> tuple[Triple, int, tuple[OpponentAnswer, ...]]:
    """Returns the answer of a mapping, the bucket of the hand, and what was done for each opponent.

    :param betting: ACPC betting text of the three-player game.
    :raises InputError: if the betting is no decision of three-player limit hold'em.
    """
    street = betting.count("/")
    bucket = mapped.table.bucket(street, hole_cards, board)
    triple, heard = mapped.explain_bucket(betting, bucket)
    return triple, bucket, tuple(_opponent_answer(mapped, one, bucket) for one in heard)


def mapping_buckets(mapped: MappedStrategy, street: int, board: tuple[int, ...]) -> NDArray[np.int64]:
    """Returns int64 (1326,): the bucket of every combo in the two-player strategy, -1 where the board blocks it."""
    return np.where(combo_mask(board), mapped.table.buckets(street, board).astype(np.int64), -1)


def mapping_faults(
    mapped: MappedStrategy, betting: str, buckets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Returns how well the answer of a mapping is founded for every combo.

    :param betting: ACPC betting text of the three-player game.
    :param buckets: those of :func:`mapping_buckets`.
    :returns: float64 (1326,) share of unreached candidates over all opponents, and int64 (1326,) the largest step; 0
        where the board blocks.
    """
    unreached, steps = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS, dtype=np.int64)
    for bucket in np.unique(buckets[buckets >= 0]).tolist():
        _, heard = mapped.explain_bucket(betting, bucket)
        alike = buckets == bucket
        unreached[alike] = sum(one.unreached for one in heard) / sum(one.candidates for one in heard)
        steps[alike] = max(one.step for one in heard)
    return unreached, steps


def three_columns(options: Options) -> NDArray[np.float64]:
    """Returns float64 (3, 1326): the probabilities of fold, call and raise in limit betting."""
    rows = [options.row(action) for action in ACTIONS]
    return np.stack([np.zeros(NUM_COMBOS) if row is None else row for row in rows])


def trained_columns(strategy: LimitStrategy | None, betting: str, board: tuple[int, ...]) -> NDArray[np.float64] | None:
    """Returns float64 (3, 1326): the rows of the three-player strategy at a decision; None without a strategy."""
    return None if strategy is None else strategy.rows(strategy.index(betting), board)


def _opponent_answer(mapped: MappedStrategy, answer: MappedAnswer, bucket: int) -> OpponentAnswer:
    weights = [1 / (1 + used.distance) if mapped.by_distance else 1.0 for used in answer.used]
    total = sum(weights)
    used = tuple(
        _candidate(mapped, one.row, one.distance, weight / total)
        for one, weight in zip(answer.used, weights, strict=True)
    )
    return OpponentAnswer(
        answer.opponent, answer.candidates, answer.unreached, answer.step, used, _nearer(mapped, answer, bucket)
    )


def _nearer(mapped: MappedStrategy, answer: MappedAnswer, bucket: int) -> tuple[AskedCandidate, ...]:
    """Returns the candidates of the filter that were passed over before the last one used."""
    if mapped.way is Way.HBB1:
        return ()
    ranking, _ = rank_candidates(mapped.way, answer.situation, answer.opponent, _ALL)
    rows = mapped.table.first[ranking.indices + mapped.first_candidate(answer.situation.street)] + bucket
    end = len(rows)
    if answer.step == 0:
        end = int(np.flatnonzero(rows == answer.used[-1].row)[0])
    if answer.step == 4:  # the nearest itself answers
        return ()
    left_out = [place for place in range(end) if not mapped.table.reached[rows[place]]]
    return tuple(_candidate(mapped, int(rows[place]), int(ranking.distances[place]), 0.0) for place in left_out)


def _candidate(mapped: MappedStrategy, row: int, distance: int, weight: float) -> AskedCandidate:
    history, seat = mapped.candidate_of(row)
    return AskedCandidate(
        history,
        seat,
        distance,
        weight,
        bool(mapped.table.reached[row]),
        mapped.triple_of(row),
    )


def trained_triple(
    strategy: LimitStrategy | None, betting: str, hole: tuple[int, ...], board: tuple[int, ...]
) -> Triple | None:
    """Returns the row of the three-player strategy at a decision; None without a strategy."""
    if strategy is None:
        return None
    node = strategy.index(betting)
    return strategy.row(node, strategy.bucket_of(node, hole, board))
