"""Counted actions by street, players left and hand; unreached candidates by step; and how often rows are reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.analysis.three_players.frequencies import class_table, count_actions, frequency_table
from hedgehog.analysis.three_players.mappings import MappingLog
from hedgehog.analysis.three_players.reach import own_reach, reach_table, unreached_table
from hedgehog.strategies.limit_pack import LimitTable
from tests.agent.limit_pack_fixtures import TWO, random_limit_table
from tests.solver.blueprint_fixtures import made_up_abstraction

LINES = (
    "STATE:0:rcc/rrcc/crfc/crc:AhKh|7c7d|2s3s/Qs7h2h/3c/9d:-80|120|-40:a|b|c",
    "STATE:1:rff:2c7d|8h3s|AsAd:-5|-10|15:b|c|a",
)


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    path = tmp_path / "one.log"
    path.write_text("# a comment\n" + "\n".join(LINES) + "\n")
    return [path]


def test_shares_stand_beside_the_published_ones(logs: list[Path]) -> None:
    rows = frequency_table("f", {"ours": count_actions(logs, "b")}).rows
    assert rows[0][:4] == ("reference bot (published)", 3, "preflop", None)
    ours = {row[1:3]: row[3:] for row in rows if row[0] == "ours"}
    assert ours[2, "preflop"] == (0, None, None, None)
    assert ours[3, "preflop"] == (2, pytest.approx(0.5), pytest.approx(0.5), 0.0)
    by_class = {row[:2]: row[2:] for row in class_table("c", {"ours": count_actions(logs, "b")}).rows}
    assert len(by_class) == 169
    assert by_class["ours", "AA"] == (0, None, None, None)
    assert by_class["ours", "72o"] == (1, 1.0, 0.0, 0.0)


def test_unreached_candidates_are_counted_with_the_step_that_answered() -> None:
    columns = np.array([[0, 0, 1, 3, 1, 10, 4, 0], [0, 0, 1, 3, 2, 10, 10, 1], [1, 0, 3, 2, 1, 20, 20, 3]])
    empty = np.zeros((3, 3))
    log = MappingLog(columns.astype(np.int32), empty, empty, np.array([0]), np.array([0]), np.zeros((1, 3)))
    rows = unreached_table({"hbb3": log}).rows
    assert rows[0][:8] == ("hbb3", "flop", 3, 2, 10.0, pytest.approx(0.7), 1, 0.5)
    assert rows[0][8:] == (1, 0, 0, 0)
    assert rows[-1][1:8] == ("all", None, 3, pytest.approx(40 / 3), pytest.approx(34 / 40), 2, pytest.approx(2 / 3))
    assert rows[-1][8:] == (1, 0, 1, 0)


def test_the_reach_of_a_row_is_the_product_of_its_own_actions() -> None:
    cards = made_up_abstraction()
    table: LimitTable = random_limit_table(TWO, cards.bucket_counts)
    strategy = LimitStrategy(table, cards)
    reach, counts = own_reach(strategy, deals=60, seed=2)
    first = table.first_rows
    assert counts[: int(first[1])].sum() == 60
    assert set(reach[: int(first[1])][counts[: int(first[1])] > 0].tolist()) == {1.0}  # the first decision of all
    node, after = strategy.index("r"), strategy.index("rr")
    seen = np.flatnonzero(counts[int(first[after]) : int(first[after + 1])])
    expected = [strategy.row(0, bucket)[2] for bucket in seen.tolist()]  # the button has raised before the flop
    np.testing.assert_allclose(reach[int(first[after]) + seen], expected)
    free = np.flatnonzero(counts[int(first[node]) : int(first[node + 1])])
    assert set(reach[int(first[node]) + free].tolist()) == {1.0}  # the big blind has not acted yet
    rows = reach_table(strategy, reach, counts).rows
    assert [row[1] for row in rows] == [8, 70, 630, 5670]
    for row in rows:
        shares = [float(value) for value in row[2:7] if value is not None]
        assert shares == sorted(shares, reverse=True)
