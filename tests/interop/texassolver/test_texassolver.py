"""TexasSolver: its configurations, its trees and two dumps of real runs (tests/data/texassolver/README.md)."""

from __future__ import annotations

import json
import lzma
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.interop.conversion import convert_spot
from hedgehog.interop.differences import bets_of
from hedgehog.interop.strategies import parse_strategy, read_strategy
from hedgehog.interop.texassolver.betting import texas_bets
from hedgehog.interop.texassolver.config import parse_texas_config
from hedgehog.interop.texassolver.spots import spot_of_texas, texas_of_spot
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.responses.evaluation import Evaluation, evaluate_strategy
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot
from hedgehog.solver.postflop.tree import build_postflop_tree

DATA = Path(__file__).parents[2] / "data" / "texassolver"
PRINTED = {"river": 0.28436148, "turn": 2.1049404}
BEST = {"river": (-34.294888, 39.982117), "turn": (7.444982, -5.3400416)}


def spot_of(name: str) -> PostflopSpot:
    return parse_spot(convert_spot(DATA / f"{name}.txt").text)


def dump_of(name: str) -> Any:
    return json.loads(lzma.decompress((DATA / f"{name}.json.xz").read_bytes()))


@pytest.fixture(scope="module", params=["river", "turn"])
def evaluated(request: pytest.FixtureRequest) -> tuple[str, Evaluation]:
    name = str(request.param)
    spot = spot_of(name)
    return name, evaluate_strategy(spot, read_strategy(DATA / f"{name}.json.xz", spot), compare=False)


def test_the_exploitability_is_what_texassolver_printed(evaluated: tuple[str, Evaluation]) -> None:
    name, found = evaluated
    assert found.counted is not None
    assert found.counted == ("TexasSolver", pytest.approx(PRINTED[name], rel=1e-5))


def test_a_river_has_the_values_that_texassolver_printed(evaluated: tuple[str, Evaluation]) -> None:
    name, found = evaluated
    if name == "river":
        assert found.found.pct_pot == pytest.approx(PRINTED[name], rel=1e-5)
        assert found.found.best_response_ev_minus_half_pot == pytest.approx(BEST[name], rel=1e-5)
    else:  # after a card TexasSolver counts too little
        assert found.found.pct_pot != pytest.approx(PRINTED[name], rel=1e-4)


def test_the_losses_of_all_lines_add_up(evaluated: tuple[str, Evaluation]) -> None:
    _, found = evaluated
    assert math.fsum(loss.chips for loss in found.losses) / 2 == pytest.approx(found.found.exploitability, rel=1e-4)
    assert all(loss.chips >= 0 for loss in found.losses)


@pytest.mark.parametrize("name", ["river", "turn"])
def test_a_spot_becomes_the_configuration_again(name: str) -> None:
    spot = spot_of(name)
    again = parse_texas_config(texas_of_spot(spot).text)
    given = parse_texas_config((DATA / f"{name}.txt").read_text())
    assert texas_bets(again) == texas_bets(given)
    assert texas_bets(given).legal == bets_of(build_postflop_tree(spot.tree))
    assert (again.board, again.pot, again.stack) == (given.board, given.pot, given.stack)
    for player in (0, 1):
        assert np.array_equal(again.ranges[player], given.ranges[player])


def test_the_actions_of_real_dumps_are_those_of_our_tree() -> None:
    """Every decision of the dump is found, and no other."""
    for name in PRINTED:
        root, spot = dump_of(name), spot_of(name)
        bets = set()
        todo = [(root, ())]
        while todo:
            node, line = todo.pop()
            for text, child in node.get("childrens", {}).items():
                bets |= {(*line, text)} if text[:3] in ("BET", "RAI") else set()
                cards = [one for one in child.get("dealcards", {}).values() if "actions" in one][:1]
                todo += [(one, (*line, text)) for one in (cards or [child]) if "actions" in one]
        assert len(bets) == len(bets_of(build_postflop_tree(spot.tree)))


CONFIG = """\
set_pot 50
set_effective_stack 200
set_board Qs,Jh,2h,7c
set_range_oop AA,KK:0.5,AKs
set_range_ip QQ:0.25,AQ
set_bet_sizes oop,turn,bet,50
set_bet_sizes oop,turn,raise,60
set_bet_sizes ip,turn,bet,50
set_bet_sizes ip,turn,raise,60
set_bet_sizes oop,river,bet,50
set_bet_sizes ip,river,bet,50
set_bet_sizes ip,river,allin
set_allin_threshold 0.67
build_tree
"""


def test_without_donk_sizes_nobody_bets_into_the_last_bettor() -> None:
    converted = spot_of_texas(parse_texas_config(CONFIG), "x")
    bets = bets_of(build_postflop_tree(parse_spot(converted.text).tree))
    assert ("X", "X", "B25") in bets
    assert ("B25", "C", "B50") in bets
    assert not any(line[:3] == ("X", "B25", "C") and len(line) == 4 for line in bets)


def test_the_all_in_threshold_is_a_share_of_the_stack() -> None:
    """25 + 85 + 25 of the pot is more than 0.6 times 200."""
    bets = texas_bets(parse_texas_config(CONFIG.replace("threshold 0.67", "threshold 0.5")))
    assert ("B25", "A200") in bets.legal
    assert ("B25", "R85") not in bets.legal
    assert ("B25", "R85") in texas_bets(parse_texas_config(CONFIG)).legal


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("set_pot 50", "set_pot 50.5", "whole chips"),
        ("set_board Qs,Jh,2h,7c", "set_board  Qs,Jh", "two blanks"),
        ("AA,KK:0.5,AKs", "AA,AhKh", "AhKh"),
        ("AA,KK:0.5,AKs", "AA,AA", "named twice"),
        ("set_pot 50\n", "", "set_effective_stack comes before set_pot"),
        ("set_range_ip QQ:0.25,AQ\n", "", "set_range_ip is missing"),
        ("oop,turn,bet,50", "oop,turn,jam,50", "jam"),
        ("set_pot 50", "set_pot 2", "blinds"),
    ],
)
def test_a_configuration_is_refused_with_the_reason(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        spot_of_texas(parse_texas_config(CONFIG.replace(old, new)), "x")


def test_missing_streets_are_named() -> None:
    root = dump_of("turn")
    spot = spot_of("turn")
    todo = [root]
    while todo:
        for child in todo.pop().get("childrens", {}).values():
            if child["node_type"] == "chance_node":
                child.pop("dealcards", None)
                child["deal_number"] = 0
            else:
                todo.append(child)
    tree = build_postflop_tree(spot.tree)
    with pytest.raises(InputError, match=r"lacks the river: dump again after 'set_dump_rounds 2'"):
        parse_strategy(json.dumps(root).encode(), tree, spot.board, spot.ranges)


def test_another_tree_is_named_with_its_line() -> None:
    spot = spot_of("river")
    other = parse_spot(spot.text.replace("50%", "60%"))
    with pytest.raises(InputError, match=r"the trees differ at the root: the dump has CHECK, BET 500\.000000"):
        evaluate_strategy(other, read_strategy(DATA / "river.json.xz", other), compare=False)


def test_a_hand_that_the_dump_lacks_is_named() -> None:
    spot = spot_of("river")
    wider = parse_spot(spot.text.replace("  oop: ", "  oop: 32o,", 1))
    with pytest.raises(InputError, match="lacks 9 hands of the spot's range, such as 3"):
        evaluate_strategy(wider, read_strategy(DATA / "river.json.xz", wider), compare=False)
