"""The misses of a mapping: sums by line, what they say of a strategy that misses nothing, and the bias made of them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.limit.situation import read_situation
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.analysis.three_players.misses import (
    LEAST,
    Misses,
    action_values,
    line_bias_document,
    line_table,
    miss_table,
    self_play,
)
from hedgehog.analysis.three_players.values import NUM_PLAYERS, StrategyValues
from tests.agent.limit_pack_fixtures import THREE, random_limit_table
from tests.solver.blueprint_fixtures import made_up_abstraction


@pytest.fixture(scope="module")
def strategy() -> LimitStrategy:
    cards = made_up_abstraction()
    return LimitStrategy(random_limit_table(THREE, cards.bucket_counts), cards)


def test_self_play_goes_through_legal_decisions(strategy: LimitStrategy) -> None:
    seen = 0
    for hand, one in islice(self_play(strategy, 40, 3), 300):
        situation = read_situation(one.betting)
        assert strategy.index(one.betting) == one.node
        assert len(one.board) == (0, 3, 4, 5)[situation.street]
        assert not set(one.hole_cards) & set(one.board)
        assert one.bucket == strategy.bucket_of(one.node, one.hole_cards, one.board)
        assert sum(one.row) == pytest.approx(1)
        seen = hand
    assert seen > 5
    first = list(self_play(strategy, 5, 3))
    assert first == list(self_play(strategy, 5, 3))


def test_the_value_of_an_action_has_its_cost_taken_off(strategy: LimitStrategy) -> None:
    table = strategy.table
    values = np.full((NUM_PLAYERS, len(table.rows)), 50, dtype=np.float16)
    made_up = StrategyValues(values, values, values, values)
    facing = strategy.index("r")  # the small blind has put in 5 and faces 20
    assert action_values(strategy, made_up, facing, 0).tolist() == [0, 35, 25]
    free = strategy.index("ccc/")
    assert action_values(strategy, made_up, free, 0).tolist() == [0, 50, 40]


def test_lines_that_cost_most_come_first(strategy: LimitStrategy, tmp_path: Path) -> None:
    nodes = strategy.tree.num_decisions
    counts = np.zeros(nodes, dtype=np.int64)
    losses, shifts = np.zeros(nodes), np.zeros((nodes, 3))
    one, other = strategy.index("r"), strategy.index("rcc/")
    counts[[one, other]] = LEAST, LEAST - 1  # the other is too rare to be listed
    losses[[one, other]] = 100.0, 300.0
    shifts[one] = LEAST * np.array([0.3, -0.1, -0.2])
    found = Misses(np.array(10), counts, counts * 0.5, losses, losses**2, shifts)
    rows = line_table("hbb2", strategy, found).rows
    assert [row[0] for row in rows] == ["r"]
    assert rows[0][3] == pytest.approx(100 / LEAST * 100)
    document = line_bias_document("hbb2", strategy, found, seed=1, pack="")
    assert document["lines"] == {"r": [0.3, -0.1, -0.2]}
    total = miss_table(strategy, {"hbb2": found}).rows[-1]
    assert total[:5] == ("hbb2", "all", None, 2 * LEAST - 1, pytest.approx(0.5))
    assert total[-1] == pytest.approx(100 * 400 / 30)
    found.write(tmp_path / "m.npz")
    np.testing.assert_array_equal(Misses.read(tmp_path / "m.npz").shifts, shifts)
