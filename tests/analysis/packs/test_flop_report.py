"""The report on a flop pack: averages by weight, filters, rows and the page."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from hedgehog.analysis.packs.flop_figures import FlopEvaluator
from hedgehog.analysis.packs.flop_lines import FlopPack, flop_pack_of
from hedgehog.analysis.packs.flop_report import (
    FlopReport,
    action_order,
    choose_lines,
    flop_rows,
    report_document,
    report_lines,
    texture_terms,
)
from hedgehog.analysis.packs.flop_report_page import render_report
from hedgehog.poker.hand_grid import action_styles
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.flop_subsets import parse_flop_subset
from hedgehog.strategies.pack import open_pack
from tests.tiny_flop_pack import WEIGHTS, write_tiny_flop_pack


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> FlopPack:
    return flop_pack_of(open_pack(write_tiny_flop_pack(tmp_path_factory.mktemp("pack"))))


@pytest.fixture(scope="module")
def evaluator(pack: FlopPack, tmp_path_factory: pytest.TempPathFactory) -> FlopEvaluator:
    return FlopEvaluator(pack, folder=tmp_path_factory.mktemp("cache"))


def test_averages_count_flops_as_often_as_they_are_dealt(pack: FlopPack, evaluator: FlopEvaluator) -> None:
    (report,) = report_lines(evaluator, choose_lines(pack, ["cc/all"]))
    figures = report.figures
    weights = np.array(WEIGHTS) * figures.mass
    weights /= weights.sum()
    np.testing.assert_allclose(report.weights, weights)
    whole = report.over_all
    assert (whole.flops, whole.share) == (4, pytest.approx(1))
    assert whole.ev == pytest.approx(weights @ figures.ev)
    assert whole.equity == pytest.approx(weights @ figures.equity)
    assert whole.exploitability == pytest.approx(weights @ figures.exploitability)
    # The frequency at a decision counts flops as often as the hand comes to it there.
    reach = figures.shares[:, 3:5].sum(axis=1)
    assert whole.reach[1] == pytest.approx(weights @ reach)
    folds = (weights * reach) @ (figures.shares[:, 3] / reach) / (weights @ reach)
    assert whole.frequencies[1] == pytest.approx((folds, 1 - folds))
    groups = {group.name: group for group in report.groups}
    assert groups["trips"].flops == 1
    assert groups["trips"].ev == pytest.approx(figures.ev[3])
    assert "monotone" not in groups
    assert sum(groups[name].share for name in ("rainbow", "two-tone")) == pytest.approx(1)


def test_filters_list_the_flops_of_any_term(pack: FlopPack, evaluator: FlopEvaluator) -> None:
    terms = texture_terms(["paired,ace-high+two-tone", "trips", "paired"])
    assert [term.text for term in terms] == ["paired", "ace-high+two-tone", "trips"]
    (report,) = report_lines(evaluator, choose_lines(pack, []), terms)
    assert report.listed.tolist() == [True, False, False, True]
    assert [group.name for group in report.groups] == ["paired", "ace-high+two-tone", "trips", "any of these"]
    assert report.groups[-1].share == pytest.approx(report.weights[0] + report.weights[3])


def test_a_subset_has_its_own_flops_and_weights(pack: FlopPack, evaluator: FlopEvaluator) -> None:
    subset = parse_flop_subset("Qs Js 2h 1\nAs Ah Qs 3\n", name="mine")
    (report,) = report_lines(evaluator, choose_lines(pack, []), (), subset)
    figures = report.figures
    assert figures.classes.tolist() == [3, 738]
    weights = np.array([3, 1]) * figures.mass
    np.testing.assert_allclose(report.weights, weights / weights.sum())
    lacking = parse_flop_subset("Ts 9s 2h 1\n", name="other")
    with pytest.raises(InputError, match="other: the pack lacks 1 of its flops in the line cc, such as Ts 9s 2h"):
        report_lines(evaluator, choose_lines(pack, []), (), lacking)


def test_lines_and_decisions(pack: FlopPack) -> None:
    for texts, places in (([], (0,)), (["cc"], (0,)), (["limped/r100"], (1,)), (["cc/", "cc/r200"], (0, 2))):
        ((_, found),) = choose_lines(pack, texts)
        assert found == places
    for texts, places in (
        (["C X"], (0,)),
        (["c x / b100"], (1,)),
        (["C X B100", "ck/r200"], (1, 2)),
        (["C X /", "C X B200"], (0, 2)),
        (["C X / all"], (0, 1, 2)),
    ):
        ((line, found),) = choose_lines(pack, texts)
        assert (line.betting, found) == ("cc", places)
        assert pack.line("C X") is line
    with pytest.raises(InputError, match="the pack has no line 'C X / B100'"):
        pack.line("C X / B100")
    with pytest.raises(InputError, match="line cc: there is no decision 'r150' on the flop, it has first, r100, r200"):
        choose_lines(pack, ["C X B150"])
    with pytest.raises(InputError, match="the pack has no line 'r250c', it has cc"):
        choose_lines(pack, ["r250c"])
    with pytest.raises(InputError, match="line cc: there is no decision 'kr1' on the flop, it has first, r100, r200"):
        choose_lines(pack, ["cc/kr1"])


def test_rows_and_content_agree(pack: FlopPack, evaluator: FlopEvaluator) -> None:
    report = FlopReport(pack, report_lines(evaluator, choose_lines(pack, ["cc/", "cc/r200"])), 0, None)
    rows = flop_rows(report).records()
    assert len(rows) == 8
    assert list(rows[0])[-5:] == ["fold", "check", "call", "bet 50%", "bet 100%"]
    content = report_document(report)
    (line,) = content["lines"]
    for place, flop in enumerate(line["flops"]):
        for number, decision in enumerate(line["decisions"]):
            row = rows[number * 4 + place]
            assert (row["flop"], row["decision"]) == (flop["flop"], decision["decision"])
            assert [row[action] for action in decision["actions"]] == flop["frequencies"][number]
            assert sum(flop["frequencies"][number]) == pytest.approx(1, abs=1e-5)
    assert rows[0]["call"] is None


def test_order_and_styles_of_actions() -> None:
    actions = ["all-in", "raise 300%", "bet 200%", "bet 33%", "call", "bet to 165", "fold", "raise 100%", "check"]
    ordered = sorted(actions, key=action_order)
    assert ordered == [
        "fold", "check", "call", "bet 33%", "bet 200%", "bet to 165", "raise 100%", "raise 300%", "all-in",
    ]  # fmt: skip
    assert action_styles(ordered[:4]) == ["fold", "call", "call", "raise"]
    assert action_styles(["check", *(f"bet {i}%" for i in range(5)), "all-in"]) == [
        "call", "raise", "large", "larger", "largest", "largest", "jam",
    ]  # fmt: skip


def test_the_page_has_the_numbers_of_the_report(pack: FlopPack, evaluator: FlopEvaluator) -> None:
    lines = report_lines(evaluator, choose_lines(pack, ["cc/all"]), texture_terms(["trips"]))
    report = FlopReport(pack, lines, 0, "a <subset>")
    page = render_report(report)
    assert page == render_report(report)
    assert "a &lt;subset&gt;" in page
    assert not re.search(r"(src|href)=\"(?!#|data:)", page)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    (line,) = data["lines"]
    each = report.lines[0]
    assert data["flops"] == ["AsAhQs", "KsJh2d", "QsJs2h", "2s2h2d"]
    assert line["asked"] == [3]
    np.testing.assert_allclose(np.array(line["weight"]) / 1e8, each.weights, atol=1e-8)
    np.testing.assert_allclose(np.array(line["ev"]) / 1e4, each.figures.ev, atol=1e-4)
    assert line["error"] == [0, 0, 0, 0]
    for place, decision in enumerate(line["decisions"]):
        np.testing.assert_allclose(np.array(decision["shares"]).T / 1e3, each.frequencies[place], atol=1e-3)
        np.testing.assert_allclose(np.array(decision["reach"]) / 1e5, each.reach[place], atol=1e-5)
    assert "less all" in page
