"""The chart and the tables of limit packs: the decisions are those of the game, and shares are over what comes."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from hedgehog.analysis.packs.limit_chart import SPOTS, limit_chart, limit_decisions, limit_tables
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES
from hedgehog.poker.limit_betting import ACTIONS
from tests.agent.limit_pack_fixtures import THREE, TWO, random_limit_table

BUCKETS = (169, 3, 4, 5)


@pytest.mark.parametrize("gamedef", [TWO, THREE], ids=["two", "three"])
def test_the_decisions_are_those_of_the_game(gamedef: GameDef) -> None:
    table = random_limit_table(gamedef, BUCKETS)
    found = limit_decisions(table)
    assert list(found) == list(SPOTS[gamedef.num_players].values())
    for decision in found.values():
        state = parse_betting(decision.betting, gamedef)
        legal = [action for action in ACTIONS if state.can(action)]
        assert [token[0] for token in decision.actions] == [str(action)[0] for action in legal]
        if state.raise_range() is not None:
            assert decision.actions[-1] == f"r{state.max_spent + gamedef.raise_sizes[0]}"
        assert decision.strategy.sum(axis=1) == pytest.approx(1)


def test_shares_are_over_the_hands_that_come_there() -> None:
    table = random_limit_table(TWO, BUCKETS)
    first = table.block(0) / 255
    after = table.block(table.tree.index("rr")) / 255
    row = next(row for row in limit_tables(table)[0].rows if row[1] == "rr")
    weights = HAND_CLASS_SIZES * first[:, 2]  # the button has raised
    assert row[2:] == pytest.approx(weights @ after / weights.sum())
    np.testing.assert_allclose(limit_decisions(table)["Button against a reraise"].reach, first[HAND_CLASS, 2])


def test_unreached_rows_are_counted_by_street() -> None:
    table = random_limit_table(THREE, BUCKETS)
    rows = limit_tables(table)[1].rows
    assert [row[1] for row in rows] == [90, 934, 2018, 4126]
    assert [row[3] for row in rows] == [90 * 169, 934 * 3, 2018 * 4, 4126 * 5]
    assert rows[0][4] == pytest.approx(1 - table.reached[: 90 * 169].mean())


def test_the_chart_is_a_picture_of_all_decisions() -> None:
    text = limit_chart(random_limit_table(THREE, BUCKETS))
    ElementTree.fromstring(text)
    for name in SPOTS[3].values():
        assert name.replace("'", "&#39;") in text or name in text
    assert "for three players" in text
