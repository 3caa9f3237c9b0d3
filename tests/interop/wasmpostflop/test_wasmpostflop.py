"""Tree configurations of WASM Postflop (tests/data/wasmpostflop/README.md)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.interop.conversion import Situation, convert_spot
from hedgehog.interop.differences import SAME_TREE, bets_of
from hedgehog.interop.wasmpostflop.exports import (
    CONFIGURATIONS,
    RANGES,
    format_edit,
    format_settings,
    parse_export,
    parse_settings,
)
from hedgehog.interop.wasmpostflop.spots import (
    configuration_of_spot,
    ranges_of_spot,
    settings_of_spot,
    spot_of_settings,
)
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot, read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree

DATA = Path(__file__).parents[2] / "data"
FILE = DATA / "wasmpostflop" / "configurations.json"
TREES = json.loads((DATA / "wasmpostflop" / "trees.json").read_text())
TURN = Situation("Td9d6hQc", "66+,A8s+", "QQ-22,ATo+")
BOARD = "Td9d6hQc2s"


def spot_of(value: Any, cards: int) -> PostflopSpot:
    ranges = parse_range("AA,KK"), parse_range("QQ,JJ")
    board = tuple(parse_cards(BOARD[: 2 * cards]))
    return parse_spot(spot_of_settings(parse_settings(value), "x", board, ranges).text)


def lines_of(tree: BettingTree) -> set[str]:
    nodes = np.flatnonzero((tree.action != ActionKind.DEAL) & (tree.action != ActionKind.ROOT))
    return {" ".join(line_of(tree, node)) for node in nodes.tolist()}


@pytest.mark.parametrize("case", TREES, ids=lambda case: f"{case['cards']}-{len(case['lines'])}")
def test_the_tree_is_the_one_that_postflop_solver_builds(case: Any) -> None:
    """... action by action, with added and removed lines, and again after a way back."""
    spot = spot_of(case["value"], case["cards"])
    assert lines_of(build_postflop_tree(spot.tree)) == set(case["lines"])
    again = format_settings(settings_of_spot(spot))
    assert lines_of(build_postflop_tree(spot_of(again, case["cards"]).tree)) == set(case["lines"])


@pytest.mark.parametrize("file", sorted((DATA / "solver" / "spots").glob("*.yaml")), ids=lambda file: file.stem)
@pytest.mark.slow_cases("B_flop")
def test_benchmark_spots_become_configurations(file: Path, tmp_path: Path) -> None:
    """... and back. Only one has a menu of its own for re-raises, which the program cannot say by sizes."""
    spot = read_spot(file)
    text = configuration_of_spot(spot).text
    ((name, value),) = parse_export(text, CONFIGURATIONS).items()
    assert (name, value["addedLines"]) == (spot.name, "")
    assert bool(value["removedLines"]) == bool(value["expectedBoardLength"]) == (file.stem == "T_flop")
    exported = tmp_path / "x.json"
    exported.write_text(text)
    converted = convert_spot(exported, situation=Situation(BOARD[: 2 * len(spot.board)], "AA", "KK"))
    assert converted.notes[-1].startswith(SAME_TREE)
    again = parse_spot(converted.text)
    assert bets_of(build_postflop_tree(again.tree)) == bets_of(build_postflop_tree(spot.tree))
    assert (again.pot, again.stack, again.rake_rate) == (spot.pot, spot.stack, spot.rake_rate)


def test_a_configuration_gives_sizes_where_they_say_the_tree() -> None:
    situation = Situation(
        "Td9d6hQc", "caller", "opener", DATA / "wasmpostflop" / "ranges.json", "single raised/standard"
    )
    converted = convert_spot(FILE, situation=situation)
    spot = parse_spot(converted.text)
    assert "river:\n    oop: 60%,e,a / 2.5x\n    ip: 60%,e,a / 2.5x\n    donk: 50%\n" in converted.text
    assert (spot.name, spot.rake_rate, spot.rake_cap, spot.tree.merging_threshold) == ("standard", 0.05, 30, 0.1)
    assert np.array_equal(spot.ranges[1], parse_range("QQ-22:0.5,AQs-A2s,ATo+,K5s+,KJo+"))
    assert converted.notes == (SAME_TREE,)


def test_edits_give_exact_lines_and_are_named() -> None:
    converted = convert_spot(FILE, situation=Situation(TURN.board, TURN.oop, TURN.ip, item="single raised/edited"))
    bets = bets_of(build_postflop_tree(parse_spot(converted.text).tree))
    assert ("X", "B40") in bets
    assert ("X", "B40", "R100") in bets
    assert ("B120", "R300") not in bets
    assert converted.notes[0] == "the tree has the 1 added and lacks the 2 removed lines"
    assert converted.notes[1].startswith(f"{SAME_TREE}, as exact lines: with bet sizes the trees differ: only WASM")


def test_what_sizes_of_the_program_cannot_say_becomes_edits() -> None:
    """A second raise of another size, at most two bets, and a smaller first bet of one player after a check."""
    text = """\
spot: mine
board: Td 9d 6h Qc 2s
pot: 100
stack: 900
range: {oop: random, ip: "AA,KK:0.5,AhKh:0.25"}
sizes: {river: {oop: "50%,a / 2.5x / a", ip: "33% / 3x / a"}}
max_bets: 2
"""
    spot = parse_spot(text)
    settings = settings_of_spot(spot)
    assert settings.removed
    assert settings.board_length == 5
    again = spot_of(format_settings(settings), 5)
    assert bets_of(build_postflop_tree(again.tree)) == bets_of(build_postflop_tree(spot.tree))
    exact = parse_spot(text[: text.index("sizes")] + 'lines: ["X B77 R300", "B50 A900"]')
    assert [format_edit(line) for line in settings_of_spot(exact).added] == ["B50", "B50-A900", "X-B77", "X-B77-R300"]


def test_ranges_are_written_as_the_program_reads_them() -> None:
    """Its pattern for an entry, hand by hand; it does not know the word random."""
    spot = read_spot(DATA / "solver" / "spots" / "D4_turn.yaml")
    items = parse_export(ranges_of_spot(spot).text, RANGES)
    assert list(items) == [f"{spot.name} OOP", f"{spot.name} IP"]
    rank, weight = "[AKQJT2-9]", r"(?:[01](?:\.\d*)?|\.\d+)"
    combo = f"(?:{rank}{{2}}[os]?|(?:{rank}[cdhs]){{2}})"
    for player, text in enumerate(items.values()):
        for entry in text.split(","):
            assert re.fullmatch(rf"{combo}(?:\+|-{combo})?(?::{weight})?", entry)
        assert np.array_equal(parse_range(text), spot.ranges[player])


def test_lines_have_a_bar_between_streets() -> None:
    assert format_edit(["X", "X", "X", "B50", "C", "B100"]) == "X-X|X-B50-C|B100"
    assert format_edit(["B50", "C", "X", "X", "A900"]) == "B50-C|X-X|A900"


def changed(**values: Any) -> Any:
    return {**TREES[0]["value"], "expectedBoardLength": 0, "addedLines": "", "removedLines": "", **values}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"oopRiverBet": "50, 2.5x"}, "oopRiverBet: expected a size such as 50, 100c, e, 2e, 3e200 or a, got '2.5x'"),
        ({"ipRiverRaise": "1x"}, "ipRiverRaise: .* got '1x'"),
        ({"startingPot": 12.5}, "startingPot: expected whole chips, at least 1, got 12.5"),
        ({"effectiveStack": "100"}, "effectiveStack: expected a number of at least 0, got '100'"),
        ({"rakeCapp": 1}, "unknown key 'rakeCapp'"),
        ({"expectedBoardLength": 5}, "'expectedBoardLength' with added or removed lines, 0 without, got 5"),
        ({"expectedBoardLength": 4, "addedLines": "X-B3"}, "edited for a board of 4 cards, the given board has 5"),
        ({"expectedBoardLength": 5, "removedLines": "X"}, "'X' takes away a fold, check or call"),
        ({"expectedBoardLength": 5, "removedLines": "B7777"}, "removedLines: no action 'B7777'"),
        ({"expectedBoardLength": 5, "addedLines": "B99999"}, "addedLines: illegal action 'B99999'"),
        ({"expectedBoardLength": 5, "addedLines": "(Root)"}, "addedLines: expected an action such as"),
        ({"rakePercent": 60, "rakeCap": 5}, "rate"),
    ],
)
def test_a_configuration_is_refused_with_the_reason(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        spot_of(changed(**values), 5)


def test_values_that_a_spot_file_does_not_have_become_lines() -> None:
    """Ten streets, and a threshold above 1,000 %: the tree is that of the program all the same."""
    for values in ({"oopRiverBet": "10e"}, {"addAllInThreshold": 2000}):
        found = spot_of_settings(
            parse_settings(changed(**values)), "x", tuple(parse_cards(BOARD)), (parse_range("AA"), parse_range("KK"))
        )
        assert "as exact lines" in found.notes[0]
        assert parse_spot(found.text).tree.lines
    without_rake = spot_of(changed(rakePercent=5, rakeCap=0), 5)
    assert without_rake.rake_rate == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("locks: [{line: '', strategy: {X: 1}}]", "nothing like the key 'locks'"),
        ("abstraction: strength-river", "nothing like the key 'abstraction'"),
    ],
)
def test_a_spot_is_refused_with_the_reason(line: str, message: str) -> None:
    text = (DATA / "solver" / "spots" / "D1_river.yaml").read_text()
    with pytest.raises(InputError, match=message):
        settings_of_spot(parse_spot(f"{text}\n{line}\n"))
    with pytest.raises(InputError, match="at most 30,000 chips"):
        settings_of_spot(parse_spot(text.replace("pot: ", "pot: 9999")))
