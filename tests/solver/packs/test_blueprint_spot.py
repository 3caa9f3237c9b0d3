"""From a blueprint to a spot: the ranges are those of the flop builder, and later streets follow the strategy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.acpc.betting_line import parse_betting_line
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, parse_cards
from hedgehog.runtime.errors import PackError, SpotError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.table import Blueprint, preflop_lines
from hedgehog.solver.packs.blueprint import blueprint_of_pack, normalised_ranges
from hedgehog.solver.packs.blueprint_spot import bet_lines, blueprint_spot, format_spot, strategy_after
from hedgehog.solver.postflop.responses.given_strategy import verify_fit
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.betting_tree import NodeKind, betting_token, subtree
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from tests.solver.blueprint_fixtures import SHIPPED_BUCKETS, made_up_abstraction

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


@pytest.fixture(scope="module")
def table() -> BlueprintTable:
    return read_blueprint(open_pack(default_packs() / "blueprint"))


@pytest.fixture(scope="module")
def blueprint(table: BlueprintTable) -> Blueprint:
    return blueprint_of_pack(table)


@pytest.fixture(scope="module")
def abstraction() -> CardAbstraction:
    return made_up_abstraction(*SHIPPED_BUCKETS)


def no_tables() -> CardAbstraction:
    raise AssertionError("a flop needs no card tables")


def test_flops_are_what_the_flop_builder_takes(table: BlueprintTable, blueprint: Blueprint) -> None:
    board = parse_cards("Qh Jh 2c")
    lines = [line for line in preflop_lines(blueprint) if line.probability > 1e-4 and line.stack > 0]
    assert len(lines) > 5
    for line in lines:
        spot = blueprint_spot(table, parse_betting_line(line.betting, GAME), board, no_tables)
        assert (spot.betting, spot.pot, spot.stack) == (line.betting, line.pot, line.stack)
        assert np.array_equal(spot.ranges, normalised_ranges(line.ranges))
        assert spot.probability == pytest.approx(line.probability, rel=0.5)


def walked(
    blueprint: Blueprint, abstraction: CardAbstraction, line: str, board: list[int]
) -> tuple[NDArray[np.float64], int]:
    """Returns the ranges after a line, given by its tokens between blanks, and the node."""
    tree, node = blueprint.tree, 0
    ranges = np.ones((2, NUM_COMBOS))
    for token in line.split():
        street = int(tree.street[node])
        strategy = blueprint.strategy(node, board[: (0, 3, 4, 5)[street]], abstraction)
        index = [betting_token(tree, child) for child in tree.children(node)].index(token)
        ranges[int(tree.player[node])] *= strategy[index]
        node = tree.children(node)[index]
        if tree.kind[node] == NodeKind.DEAL:
            node = int(tree.first_child[node])
    return ranges, node


@pytest.mark.parametrize(
    ("line", "same", "board", "tokens"),
    [
        ("r250c/kr165c", "r250c/cr415c/", "Qh Jh 2c 7d", "r250 c c r415 c"),
        ("cc/kk", "cc/cc", "Qh Jh 2c 7d", "c c c c"),
        ("r250c/kk/kk", "r250 c/c c/c c/", "Qh Jh 2c 7d 2s", "r250 c c c c c"),
    ],
)
def test_later_streets_follow_the_strategy(
    table: BlueprintTable,
    blueprint: Blueprint,
    abstraction: CardAbstraction,
    line: str,
    same: str,
    board: str,
    tokens: str,
) -> None:
    cards = parse_cards(board)
    spot = blueprint_spot(table, parse_betting_line(line, GAME), cards, lambda: abstraction)
    ranges, node = walked(blueprint, abstraction, tokens, cards)
    assert (spot.pot, spot.stack) == (table.tree.pot(node), 20_000 - table.tree.pot(node) // 2)
    live = combo_mask(cards)
    expected = ranges / ranges.max(axis=1, keepdims=True)
    assert spot.ranges == pytest.approx(np.where(expected < 0.005, 0, expected), abs=1e-5)
    again = blueprint_spot(table, parse_betting_line(same, GAME), cards, lambda: abstraction)
    assert np.array_equal(again.ranges, spot.ranges)
    apart = ~(COMBO_CARDS[:, None, :, None] == COMBO_CARDS[None, :, None, :]).any(axis=(2, 3))
    pairs = apart & np.outer(live, live)
    assert spot.probability == pytest.approx((np.outer(*ranges) * pairs).sum() / pairs.sum(), rel=1e-5)


@pytest.mark.parametrize(("line", "board"), [("r250c", "Qh Jh 2c"), ("cc/kk", "QhJh2c7d"), ("cc/kk/kk", "QhJh2c7d5s")])
def test_the_text_is_a_spot_file(table: BlueprintTable, abstraction: CardAbstraction, line: str, board: str) -> None:
    spot = blueprint_spot(table, parse_betting_line(line, GAME), parse_cards(board), lambda: abstraction)
    parsed = parse_spot(format_spot(spot, "my-blueprint"))
    assert (parsed.board, parsed.pot, parsed.stack) == (spot.board, spot.pot, spot.stack)
    assert np.stack(parsed.ranges) == pytest.approx(spot.ranges, rel=5.1e-4, abs=0)


@pytest.mark.parametrize(("line", "board"), [("r250c", "Qh Jh 2c"), ("cc/kk", "QhJh2c7d"), ("cc/kk/kk", "QhJh2c7d5s")])
@pytest.mark.quick_cases("cc/kk/kk-QhJh2c7d5s")
def test_the_blueprint_plays_on_its_own_tree(
    table: BlueprintTable, blueprint: Blueprint, abstraction: CardAbstraction, line: str, board: str
) -> None:
    cards, betting = parse_cards(board), parse_betting_line(line, GAME)
    spot = blueprint_spot(table, betting, cards, lambda: abstraction)
    tree, old = subtree(table.tree, spot.node)
    parsed = parse_spot(format_spot(spot, "my-blueprint", bets=bet_lines(tree)))
    own = build_postflop_tree(parsed.tree)
    given = strategy_after(table, betting, cards, lambda: abstraction)
    nodes = verify_fit(given, own, cards)  # the same lines, or an error
    assert set(np.flatnonzero(tree.kind == NodeKind.DECISION).tolist()) <= set(nodes.tolist())
    decisions = np.flatnonzero(own.kind == NodeKind.DECISION)
    for node in decisions[:: max(len(decisions) // 40, 1)].tolist():
        dealt = tuple(parse_cards("3d 4d"))[: int(own.street[node]) - parsed.street]
        rows = given.rows(int(nodes[node]), dealt)
        shown = [*cards, *dealt]
        expected = blueprint.strategy(int(old[nodes[node]]), shown, abstraction)
        live = combo_mask(shown)
        assert rows[:, live] == pytest.approx(np.asarray(expected)[:, live], abs=1e-6)


@pytest.mark.parametrize(
    ("line", "board", "message"),
    [
        ("", "Qh Jh 2c", "ends within the betting of the preflop"),
        ("r250", "Qh Jh 2c", "ends within the betting of the preflop"),
        ("r250c/c", "Qh Jh 2c 7d", "ends within the betting of the flop"),
        ("r250c/", "Qh Jh 2c 7d", "leads to the flop, 3 cards; 4 cards are on the board"),
        ("r250c/kk", "Qh Jh 2c", "leads to the turn"),
        ("f", "Qh Jh 2c", "ends in a fold"),
        ("r20000c", "Qh Jh 2c", "nothing left to decide"),
        ("r300c", "Qh Jh 2c", "line 'r300c': the blueprint has no r300 at the start, it has f, c, r250"),
        ("r250c/kr333c", "Qh Jh 2c 7d", "no r583 after 'r250cc', it has c, r415"),
        ("r250c", "Qh Jh", "3, 4 or 5 cards"),
    ],
)
def test_lines_that_lead_nowhere(
    table: BlueprintTable, abstraction: CardAbstraction, line: str, board: str, message: str
) -> None:
    with pytest.raises((SpotError, PackError), match=message):
        blueprint_spot(table, parse_betting_line(line, GAME), parse_cards(board), lambda: abstraction)
