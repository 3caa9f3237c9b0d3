"""The matches of the experiments, and their tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.three_players.experiments import NUM_SEATINGS, TABLES, cells, result_table


@pytest.mark.parametrize(("table", "count"), zip(TABLES, (15, 15, 6, 2, 16), strict=True))
def test_every_experiment_has_its_players(table: str, count: int) -> None:
    found = cells(table, pack="packs/two", bias={way: Path(f"{way}.json") for way in ("hbb2", "hbb3", "hbb4")})
    assert len(found) == len({cell.folder for cell in found}) == count
    for cell in found:
        specs = [parse_player_spec(text) for text in cell.players]
        assert specs[0].carried is not None
        assert specs[0].carried.pack == "packs/two"
        assert {spec.text for spec in specs[1:]} == {"potodds"} or specs[1].text == "mcsim"


def test_published_results_are_in_mbb_per_hand() -> None:
    by_name = {cell.name: cell.published for cell in cells("x5")}
    assert by_name["hbb2 always"] == pytest.approx(-28.8, abs=0.05)
    assert by_name["hbb2 one_folded"] == pytest.approx(20.0, abs=0.05)
    assert by_name["never"] == pytest.approx(-1.4, abs=0.05)


def test_differences_are_paired() -> None:
    first, second = cells("x4")
    won = np.array([100.0, -300.0, 500.0, 0.0])
    table = result_table("x4", [(first, won), (second, won + 7)])
    assert table.rows[0][1:4] == pytest.approx((4 * NUM_SEATINGS, 75.0, table.rows[0][3]))
    assert table.rows[0][4:6] == (None, None)
    assert table.rows[1][4:6] == (pytest.approx(7.0), None)  # equal differences say nothing about their spread
    different = result_table("x4", [(first, won), (second, won + np.array([7, 8, 7, 8]))])
    assert different.rows[1][5] == pytest.approx(mean_estimate([7, 8, 7, 8]).half_width)
