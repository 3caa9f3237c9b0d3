"""Measurements of players and laboratories as they show themselves in a notebook."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from matplotlib import pyplot

from hedgehog.analysis.endgame.measure import EndgameJob, SeatResult, TurnResult
from hedgehog.analysis.endgame.summary import EndgameMeasurement
from hedgehog.analysis.endgame.turns import Turn, TurnSample
from hedgehog.analysis.lab.report import CURVES, Findings
from hedgehog.analysis.lbr import LbrJob, measure_lbr, parse_lbr_setting
from hedgehog.analysis.lbr.measure import LbrMeasurement, describe_lbr
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import parse_cards
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Table
from tests.shown import check_shown, parse_html


def lbr_job(spec: str) -> LbrJob:
    return LbrJob(spec, load_gamedef(), parse_lbr_setting("fcpa"), seed=1)


def test_local_best_response_shows_what_it_wins() -> None:
    found = measure_lbr(lbr_job("call"), hands=12)
    assert repr(found).startswith("<LbrMeasurement: fcpa against call, 12 hands, wins ")
    _, text = check_shown(found)
    assert "integrated" in text
    described: dict[str, Any] = describe_lbr(found.blocks, "fcpa", found.job.gamedef.big_blind)
    for record in found.table().records():
        numbers = described[str(record["counted"])]
        assert record["mbb_per_hand"] == numbers["mbb_per_hand"] == 10 * (record["bb_per_100"] or 0)
        assert (record["ci95_high"] - record["ci95_low"]) / 2 == pytest.approx(numbers["ci95"])  # type: ignore[operator]
        assert record["sd_pair"] == numbers["sd_pair"]


def test_a_measurement_without_hands_says_so() -> None:
    nothing = LbrMeasurement(lbr_job("call"), [], interrupted=True)
    assert repr(nothing) == "<LbrMeasurement: fcpa against call, 0 hands>"
    parse_html(nothing._repr_html_())
    with pytest.raises(InputError, match="at least one pair"):
        nothing.plot()


@pytest.fixture
def endgame() -> EndgameMeasurement:
    board = tuple(parse_cards("Qs Jh 2c 7d"))
    turns = [
        TurnResult(4, "cc/cc/", board, 200, (SeatResult(10, 8, {"": 10}), SeatResult(20, 16, {"X": 20})), 1.0, 70),
        TurnResult(9, "r300c/cc/", board, 600, (SeatResult(6, None, {}), SeatResult(30, None, {})), None, 50),
    ]
    sample = TurnSample(100, 40, 8000, tuple(Turn(one.hand, one.betting, one.board, one.pot) for one in turns))
    job = EndgameJob("call", load_gamedef("holdem.nolimit.2p.reverse_blinds"), seed=1)
    return EndgameMeasurement(job, sample, turns, interrupted=False)


def test_endgames_show_a_row_per_turn(endgame: EndgameMeasurement) -> None:
    # (7.5 % + 3 %) / 2 of the pot, each percent 10 * 80 / 100 mbb: the mean pot over all hands is 80 chips
    assert endgame.percent_of_pot().mean == pytest.approx(5.25)
    assert repr(endgame).startswith("<EndgameMeasurement: call, 2 of 2 turns, wins +5.25 ± ")
    assert repr(endgame).endswith(" % of the pot, +42.0 mbb/hand>")
    check_shown(endgame)
    first, second = endgame.table().records()
    assert (first["percent_of_pot"], second["percent_of_pot"]) == (7.5, 3.0)
    assert (first["first_over_self_play"], first["second_over_exact"], first["board"]) == (5.0, 8.0, "QsJh2c7d")
    assert second["first_over_exact"] is second["bracket_percent"] is None
    document = endgame.document()
    assert document["percent_of_pot"]["mean"] == pytest.approx(5.25)
    assert document["mbb_per_hand"]["mean"] == pytest.approx(42.0)
    drawn = [line.get_xdata()[0] for line in endgame.plot().lines if len(line.get_xdata()) == 1]
    assert drawn == [pytest.approx(5.25), pytest.approx(3.0), pytest.approx(7.5)]
    pyplot.close("all")


def test_an_endgame_without_turns_says_so(endgame: EndgameMeasurement) -> None:
    nothing = replace(endgame, turns=[])
    assert repr(nothing) == "<EndgameMeasurement: call, 0 of 2 turns>"
    parse_html(nothing._repr_html_())
    with pytest.raises(InputError, match="at least one turn"):
        nothing.plot()


def test_findings_of_a_laboratory_show_their_tables() -> None:
    tables = (
        Table("groups", "Groups", ("abstraction", "groups"), (("a<b", 3), ("none", 5))),
        Table(f"{CURVES}-1", "Curves", ("x", "y"), ((1, 2),)),
    )
    found = Findings(tables, {"format": "hedgehog.abstractions", "game": "river"}, ("a remark",))
    assert repr(found) == "<Findings: hedgehog.abstractions, river, tables groups, curves-1>"
    tags, text = check_shown(found)
    assert tags.count("table") == 1
    assert "a<b" in text
    assert "a remark" in text
    assert found["curves-1"] is tables[1]
    with pytest.raises(InputError, match=r"no table 'x': expected one of groups, curves-1"):
        found["x"]
