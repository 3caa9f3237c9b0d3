"""The EV of a range on sampled run-outs, against the matches of :mod:`hedgehog.solver.flops.response`."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS, parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.blueprint.table import preflop_lines
from hedgehog.solver.flops.play import LinePlay, pair_shares
from hedgehog.solver.flops.refine import sample_runouts
from hedgehog.solver.flops.response import FlopGame, blueprint_blocks
from hedgehog.solver.packs.blueprint import blueprint_of_pack
from hedgehog.strategies.betting_tree import NodeKind, subtree
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from tests.solver.blueprint_fixtures import SHIPPED_BUCKETS, made_up_abstraction

FLOP = tuple(parse_cards("Qs Js 2h"))


def test_values_are_those_of_a_match_of_the_strategy_with_itself() -> None:
    cards = made_up_abstraction(*SHIPPED_BUCKETS)
    blueprint = blueprint_of_pack(read_blueprint(open_pack(default_packs() / "blueprint")))
    line = next(line for line in preflop_lines(blueprint) if line.betting == "r250r850r2125c")
    ranges = line.ranges
    tree, nodes = subtree(blueprint.tree, line.node)
    rng = np.random.default_rng(3)
    decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == 1)).tolist()
    rows = [rng.dirichlet([1.0] * int(tree.num_children[node]), size=1176).astype(np.float32) for node in decisions]
    game = FlopGame(tree, FLOP, ranges, cards)
    blocks = blueprint_blocks(blueprint, nodes, FLOP, cards, dict(zip(decisions, rows, strict=True)))
    match = game.match(blocks, blocks, 5, seed=1)
    boards = game._random_boards(5, 1)
    values = LinePlay(blueprint.tree, line.node, cards, blueprint.block).values(FLOP, ranges, rows, boards)
    net = values - pair_shares(game.ranges, boards) / 2
    assert net.mean() * line.pot == pytest.approx(match.seats[0], rel=1e-5)


def test_shares_of_pairs_by_counting_them() -> None:
    ranges = np.stack([parse_range("AA,KQs"), parse_range("QQ:0.5,76s")])
    ranges[:, [set(cards) & set(FLOP) != set() for cards in COMBO_CARDS.tolist()]] = 0
    pairs = [
        (COMBO_CARDS[a].tolist() + COMBO_CARDS[b].tolist(), float(ranges[0, a] * ranges[1, b]))
        for a in np.flatnonzero(ranges[0])
        for b in np.flatnonzero(ranges[1])
        if not set(COMBO_CARDS[a].tolist()) & set(COMBO_CARDS[b].tolist())
    ]
    total = sum(weight for _, weight in pairs)
    boards = sample_runouts(FLOP, 4, seed=1)
    for board, share in zip(boards.tolist(), pair_shares(ranges, boards), strict=True):
        left = sum(weight for cards, weight in pairs if not set(cards) & set(board))
        assert share == pytest.approx(left / total * (49 * 48) / (45 * 44))
    rest = [card for card in range(52) if card not in FLOP]
    everything = np.array([[*FLOP, *cards] for cards in combinations(rest, 2)], dtype=np.uint8)
    assert pair_shares(ranges, everything).mean() == pytest.approx(1)
