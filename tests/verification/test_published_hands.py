"""The hand study on the 45,037 public hands of DeepStack against professionals, against tables computed by others.

Hands and tables are not part of this repository; without them beside it the tests are skipped.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.analysis.histories.sources import find_sources
from hedgehog.analysis.study.menus import MenuRule
from hedgehog.analysis.study.reading import HandReader
from hedgehog.analysis.study.situations import SITUATIONS
from hedgehog.analysis.study.sizes import KINDS, RATIOS, ROLES, size_token
from hedgehog.analysis.study.study import FIRST_FLOP_BETS, ActorFilter, HandStudy
from hedgehog.analysis.study.translation import REFERENCES, reference_menu
from hedgehog.analysis.study.trees.kinds import count_tree, parse_shape
from hedgehog.poker.streets import STREETS

SHARED = Path(__file__).parents[3] / "shared"
HANDS = SHARED / "data" / "deepstack_vs_pros.acpc.log"
TABLES = SHARED / "spec" / "abstraction_deepstack45k.json"
ROWS = SHARED / "spec" / "abstraction_appendixA.json"

pytestmark = pytest.mark.skipif(not (HANDS.exists() and TABLES.exists()), reason="the public hands are not here")
FILTERS = {"all": ActorFilter(), "without_DeepStack": ActorFilter(without=frozenset({"DeepStack"}))}


@cache
def tables() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(TABLES.read_text())
    return content


@cache
def study(which: str) -> HandStudy:
    reader, collected = HandReader(), HandStudy(FILTERS[which])
    for source in find_sources([HANDS]):
        for batch in reader.read(source):
            collected.add(batch, reader.players)
    assert (reader.tally.hands, reader.tally.actions, reader.tally.bad) == (45_037, 217_906, 0)
    return collected


def of(table: str, which: str) -> Any:
    found = tables()[table]
    return found.get(which, found.get("all_players"))


def test_rows_of_the_published_trees() -> None:
    for row in json.loads(ROWS.read_text())["rows"]:
        size = count_tree(parse_shape(f"{row['rounds']}-{row['raises_per_round']}-{row['raises_total']}"))
        assert (size.nodes, size.sequences, size.decisions, size.showdowns) == (
            row["nodes"],
            row["sequences"],
            row["decision_nodes"],
            row["showdown_nodes"],
        )


def test_coverage() -> None:
    rows = tables()["coverage"]
    assert len(rows) == 43
    for rounds, per_round, total, uncovered in rows:
        assert study("all").coverage.uncovered(parse_shape(f"{rounds}-{per_round}-{total}")) == uncovered


@pytest.mark.parametrize("which", FILTERS)
def test_size_statistics(which: str) -> None:
    expected, compared = of("size_statistics", which), 0
    for role, name in enumerate(ROLES):
        for street, street_name in enumerate(STREETS):
            for kind in KINDS:
                group = study(which).statistics.group(street, role, kind)
                row = expected[name][street_name].get(kind)
                assert (group is None) == (row is None)
                if group is not None:
                    assert (group.total, group.all_in) == (row["total"], row["all_in"])
                    np.testing.assert_allclose(group[1:5], [row[ratio] for ratio in RATIOS], rtol=0, atol=1e-6)
                    compared += 1
    assert compared > 40


@pytest.mark.parametrize("which", FILTERS)
def test_first_flop_bets(which: str) -> None:
    counts = study(which).histograms.counts(FIRST_FLOP_BETS)
    assert {"a" if number < 0 else f"{number / 20:.2f}": count for number, count in counts.items()} == of(
        "first_flop_bet_histogram", which
    )


@pytest.mark.parametrize("which", FILTERS)
def test_errors_of_the_reference_menus(which: str) -> None:
    for situation, rows in of("error_tables", which).items():
        (line,) = (one for one in SITUATIONS if one.name == situation)
        for menu in REFERENCES:
            found = study(which).situations.errors(reference_menu(menu), line)
            for error, row in zip(found, rows[menu], strict=True):
                assert (error.size, error.bets) == (row["size"], row["count"])
                assert error.rms == (None if row["rms"] is None else pytest.approx(row["rms"], abs=1e-4))


@pytest.mark.parametrize("which", FILTERS)
def test_menus(which: str) -> None:
    menu = study(which).menu(MenuRule())
    assert {key: menu.text(key) for key in menu.keys} == of("menus", which)


def test_nodes_and_their_histograms() -> None:
    tree, facts = study("all").tree, tables()["facts"]
    assert tree.count - 1 == facts["distinct_action_paths_visited_root_excluded"]
    assert int((tree.nodes.kind[: tree.count] == 0).sum()) == facts["of_these_ending_in_a_fold"]
    for path, row in tables()["node_histograms"].items():
        if path != "note":
            node = tree.find(path)
            assert int(tree.nodes.hands[node]) == row["actions"]
            assert dict(list(tree.named_bins(node).items())[:8]) == row["sizes"]
    assert size_token(15, True) == "75%"
