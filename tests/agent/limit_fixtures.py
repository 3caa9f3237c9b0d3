"""A made-up two-player limit strategy for tests: hands are played by the place of their bucket among all buckets."""

from __future__ import annotations

import contextlib
import random
from functools import cache

import numpy as np

from hedgehog.agent.limit.candidates import TWO_PLAYER_GAME
from hedgehog.agent.limit.hand_buckets import HandBuckets
from hedgehog.agent.limit.situation import read_situation
from hedgehog.agent.limit.triples import FULL, TripleTable
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.limit_betting import limit_tree
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction


@cache
def made_up_table(unreached: float = 0.3, seed: int = 0) -> TripleTable:
    """Returns a table over the default card buckets, in which some rows are not reached.

    :param unreached: share of the rows that are not reached.
    """
    cards = CardAbstraction.load_or_build({})
    tree = limit_tree(load_gamedef(TWO_PLAYER_GAME))
    decisions = tree.num_decisions
    counts = np.array(cards.bucket_counts)[tree.street[:decisions]]
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    total = int(counts.sum())
    rng = np.random.default_rng(seed)
    place = (np.arange(total) - np.repeat(first, counts)) / np.repeat(counts, counts)
    weights = np.stack([(1 - place) ** 3, np.full(total, 0.4), place**2], axis=1) + 0.02 * rng.random((total, 3))
    weights *= np.repeat(tree.child[:decisions] >= 0, counts, axis=0)
    rows = np.floor(FULL * weights / weights.sum(axis=1, keepdims=True)).astype(np.uint8)
    rows[:, 1] += (FULL - rows.sum(axis=1, dtype=np.int64)).astype(np.uint8)
    return TripleTable(
        first,
        rows,
        rng.random(total) >= unreached,
        HandBuckets(cards).bucket,
        cards.buckets,
    )


def random_betting(rng: random.Random, last_street: int = 3) -> str:
    """Returns a decision of three-player limit hold'em after random actions, folds where checking is free included.

    :param last_street: the hand goes on to this street at most.
    """
    while True:
        text = ""
        for _ in range(rng.randrange(1, 30)):
            for letter in (rng.choices("fcr", (10, 50, 40))[0], "c"):
                found = _legal(text + letter)
                if found is not None:
                    break
            if found is None or found.count("/") > last_street:
                break
            text = found
        return text


def _legal(text: str) -> str | None:
    for line in (text, text + "/"):
        with contextlib.suppress(InputError):
            read_situation(line)
            return line
    return None
