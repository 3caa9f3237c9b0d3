"""Interchangeable cards: which there are, and that merging them changes nothing but the work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, parse_cards, parse_combo
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.chance import build_runouts, measure_solve
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.merging import card_classes, count_copies, merged_cards
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.showdown_equity import root_equity
from tests.reference.small_games import same_sizes

FULL = np.ones(NUM_COMBOS, dtype=np.float32)
Range = NDArray[np.float32]


def swap_cards(a: int, b: int) -> NDArray[np.intp]:
    """The combo each combo becomes when two cards, and no others, are swapped."""
    cards = np.arange(52)
    cards[[a, b]] = b, a
    low, high = np.sort(cards[COMBO_CARDS], axis=1).T
    return np.searchsorted(COMBO_CARDS @ [52, 1], low * 52 + high)


def harmless_swaps(board: list[int], ranges: tuple[Range, Range]) -> Iterator[tuple[int, int, bool]]:
    """Yields every pair of live cards and whether swapping them changes nothing, by trying it on every run-out."""
    live = combo_mask(board)
    deck = [card for card in range(52) if card not in board]
    boards = {(): rank_combos(board)} if len(board) == 5 else {(c,): rank_combos([*board, c]) for c in deck}
    held = (ranges[0] > 0) | (ranges[1] > 0)
    for i, a in enumerate(deck):
        for b in deck[:i]:
            permutation = swap_cards(a, b)
            same = all((weights == weights[permutation])[live].all() for weights in ranges)
            for dealt, ranks in boards.items():
                twin = boards[tuple({a: b, b: a}.get(card, card) for card in dealt)]
                same = same and bool((ranks == twin[permutation])[live & held & combo_mask(dealt)].all())
            yield a, b, same


RIVER_BOARDS = {
    "rainbow": "QhJd2c7d5s",
    "flush of hearts": "QhJh2h7d5s",
    "pairs on the board": "QhQd7c7d2s",
    "quads, kicker on the board": "ThTdTcTsAh",
    "royal flush": "AhKhQhJhTh",
}
RANGES = {
    "full": (FULL, FULL),
    "suited apart": (parse_range("22+,A2s+,K2s+,QTo+"), FULL),
    "weighted": (parse_range("22+:0.5,AK:0.25,QJ,T9"), parse_range("22+,AQ:0.3,KQs,J9")),
    "one combo apart": (FULL, np.where(np.arange(NUM_COMBOS) == parse_combo("AsKs"), 0.5, 1).astype(np.float32)),
}


@pytest.mark.parametrize("ranges", RANGES.values(), ids=RANGES)
@pytest.mark.parametrize("board", RIVER_BOARDS.values(), ids=RIVER_BOARDS)
@pytest.mark.quick_cases(every=3)
def test_river_classes_by_trying_every_swap(board: str, ranges: tuple[Range, Range]) -> None:
    cards = parse_cards(board)
    classes = card_classes(cards, ranges)
    assert set(np.flatnonzero(classes < 0)) == set(cards)
    for a, b, same in harmless_swaps(cards, ranges):
        assert (classes[a] == classes[b]) == same, (a, b)


@pytest.mark.parametrize("ranges", RANGES.values(), ids=RANGES)
def test_turn_classes_by_trying_every_swap(ranges: tuple[Range, Range]) -> None:
    cards = parse_cards("QhJh2c7d")
    classes = card_classes(cards, ranges)
    for a, b, same in harmless_swaps(cards, ranges):
        if classes[a] == classes[b]:
            assert same, (a, b)
        elif a >> 2 == b >> 2 and ranges[1] is FULL and ranges[0] is FULL:
            assert not same, (a, b)


def test_classes_of_full_ranges() -> None:
    def num_classes(board: str) -> int:
        return int(card_classes(parse_cards(board), (FULL, FULL)).max()) + 1

    assert num_classes("QhJh2c7d5s") == 13  # no flush: ranks
    assert num_classes("QhJh2h7d5s") == 13 + 10  # and every heart that is not on the board
    assert num_classes("AhKhQhJhTh") == 1  # everybody ties
    assert num_classes("QhJh2c7d") == 13 + 11  # hearts may still come
    assert num_classes("QhJh2c") == 13 + 11 + 12  # hearts and clubs; diamonds and spades are too few
    assert num_classes("9h7d6c") == 49  # only spades are too few, and they have no partner


def test_copies_add_up_to_the_deck() -> None:
    """Every board counts the combos that miss it, and every combo the cards that miss it."""
    runouts = build_runouts(parse_cards("QhJh2c"), (FULL, FULL))
    cards = merged_cards(runouts, (FULL, FULL))
    dealt = cards.runouts
    turns = [(*dealt.board, int(turn)) for turn in dealt.turns]
    copies = count_copies(cards, turns)
    assert (copies.hands.sum(axis=1) == 48 * 47 / 2).all()
    assert (copies.hands >= 0).all()
    # A given card of a hand's class is in 47 live hands, that hand's own included.
    live = (copies.hands > 0).all(axis=0)
    first = cards.hands[:, 0]
    for one in np.unique(first[live]):
        here = copies.with_card * (cards.hands == one) * (copies.hands > 0)[:, :, None]
        left = (cards.classes == one).sum() - (cards.classes[dealt.turns] == one)
        assert (here.sum(axis=(1, 2))[left > 0] == 47).all()
    assert (copies.cards.sum(axis=0) == 47).all()  # turn cards that miss a hand
    assert (np.bincount(runouts.turn_of[runouts.turn_of >= 0]) >= 1).all()
    assert dealt.turn_size.sum() == 49
    assert dealt.river_size.sum() == dealt.num_turns * 48


def solvers(board: str, ranges: tuple[Range, Range], *sizes: str, **options: Any) -> list[PostflopSolver]:
    cards = parse_cards(board)
    tree = build_postflop_tree(TreeConfig(street=len(cards) - 2, pot=100, stack=250, sizes=same_sizes(*sizes)))
    parts = {name: options.pop(name) for name in ("rake", "locks") if name in options}
    return [
        PostflopSolver(prepare_tree(tree, cards, ranges, merge_cards=merge, **parts), threads=1, **options)
        for merge in (True, False)
    ]


DEALT = ([""], ["5c", "5d", "5h", "5s", "Qs", "2d", "Ah"], ["5d3s", "5s5d", "5s3d", "5c5s", "Ah5h", "Qd2d", "2s5d"])
WEIGHTED = (parse_range("99+,AK,KQ:0.5,T9"), parse_range("22-88:0.75,AQ,KJ,98s,98o"))
SPOTS = {
    "river": ("QhJh2c7d5s", (FULL, FULL), "50%,a/a"),
    "river, weights and flushes": ("QhJh2h7d7s", WEIGHTED, "50%/a"),
    "turn": ("QhJh2c7d", (FULL, FULL), "a", "50%/a"),
    "turn, weights and swapped suits": ("QcJcQdJd", WEIGHTED, "a", "75%"),
    "flop": ("QhJh2c", (parse_range("AK,TT"), parse_range("A9,99")), "a", "", "a"),
}


@pytest.mark.parametrize("name", SPOTS)
def test_merged_and_plain_answer_alike(name: str) -> None:
    board, ranges, *sizes = SPOTS[name]
    merged, plain = solvers(board, ranges, *sizes, rake=(0.05, 6.0))
    assert merged.spot.cards.merged
    assert not plain.spot.cards.merged
    # Before the second iteration every regret is that of uniform strategies: no rounding decides anything yet.
    for solver in (merged, plain):
        solver.run(1)
    found, expected = merged.exploitability(), plain.exploitability()
    assert found.best_response_ev_minus_half_pot == pytest.approx(expected.best_response_ev_minus_half_pot, abs=1e-3)
    assert found.ev_minus_half_pot == pytest.approx(expected.ev_minus_half_pot, abs=1e-3)
    np.testing.assert_allclose(merged.ranges, plain.ranges)
    np.testing.assert_allclose(merged.node_values(), plain.node_values(), atol=2e-3)
    np.testing.assert_allclose(root_equity(merged.spot), root_equity(plain.spot), atol=1e-5)
    tree = merged.tree
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        for dealt in DEALT[int(tree.street[node] - tree.street[0])]:
            cards = parse_cards(dealt)
            if set(cards) & set(merged.board):
                continue
            of_merged, of_plain = (solver.node_strategy(node, cards) for solver in (merged, plain))
            np.testing.assert_allclose(of_merged, of_plain, atol=2e-3)
            blocked = ~combo_mask((*merged.board, *cards))
            np.testing.assert_array_equal(of_merged[:, blocked], np.float32(1 / len(of_merged)))
            reach = [solver.node_reach(int(tree.player[node]), node, cards) for solver in (merged, plain)]
            np.testing.assert_allclose(*reach, atol=2e-3)


def test_later_streets_are_worth_the_same() -> None:
    merged, plain = solvers("QhJh2c7d", (FULL, FULL), "a", "50%/a")
    for solver in (merged, plain):
        solver.run(1)
    river = int(np.flatnonzero((merged.tree.kind == NodeKind.DECISION) & (merged.tree.street == 3))[0])
    for card in ("5s", "5c", "9h"):
        values = [solver.node_values(river, parse_cards(card)) for solver in (merged, plain)]
        np.testing.assert_allclose(*values, atol=5e-3)


@pytest.mark.parametrize("storage", ["f32", "f16"])
@pytest.mark.parametrize("algorithm", ["dcfr", "gamma5"])
def test_converges_to_the_same_value(storage: str, algorithm: str) -> None:
    found = []
    for solver in solvers("QhJh2c7d5s", WEIGHTED, "50%,a/a", storage=storage, algorithm=algorithm):
        found.append(solver.solve(0.1, 1000))
        assert found[-1].pct_pot <= 0.1
    # The game value is between what each best response leaves; both are within 0.1 % of the pot of 100.
    assert found[0].ev_minus_half_pot[0] == pytest.approx(found[1].ev_minus_half_pot[0], abs=4 * 0.1)


def test_merged_strategies_in_the_full_game() -> None:
    """The exploitability of the merged game is that of its strategies where every combo is a hand."""
    merged, plain = solvers("QhJh2c7d", WEIGHTED, "a", "50%/a")
    merged.run(40)
    full = plain._cfr
    for level, forest in enumerate(full.layout.forests):
        for index in range(full.game.num_boards(level)):
            board = tuple(int(card) for card in plain.spot.cards.runouts.rivers[index : index + 1]) if level else ()
            for player in (0, 1):
                nodes = [int(n) for n in forest.nodes[forest.row >= 0] if merged.tree.player[n] == player]
                rows = [merged.node_strategy(node, board)[:, plain.spot.combos[player]] for node in nodes]
                full.fill_average(level, index, player, np.concatenate(rows))
    found, expected = merged.exploitability(), plain.exploitability()
    assert found.pct_pot == pytest.approx(expected.pct_pot, abs=1e-3)
    assert found.best_response_ev_minus_half_pot == pytest.approx(expected.best_response_ev_minus_half_pot, abs=1e-3)


@pytest.mark.parametrize(
    ("locks", "num_classes"),
    [
        ([Lock("", {"X": 0.25, "A250": 0.75})], 24),
        # A queen of the three is told apart by the first lock, a river card by the second.
        ([Lock("", {"X": 1}, hands="QdQs,Qc2s"), Lock("X X 5s", {"X": 0.5, "A250": 0.5})], 24 + 1 + 1 + 1),
    ],
    ids=["all hands", "some hands, one card"],
)
def test_locks_tell_cards_apart(locks: list[Lock], num_classes: int) -> None:
    merged, plain = solvers("QhJh2c7d", (FULL, FULL), "a", "a", locks=locks)
    assert merged.spot.cards.classes.max() + 1 == num_classes
    for solver in (merged, plain):
        solver.run(1)
    found, expected = merged.exploitability(), plain.exploitability()
    assert found.ev_minus_half_pot == pytest.approx(expected.ev_minus_half_pot, abs=1e-3)
    assert found.best_response_ev_minus_half_pot == pytest.approx(expected.best_response_ev_minus_half_pot, abs=1e-3)
    root = [solver.node_strategy(0) for solver in (merged, plain)]
    np.testing.assert_allclose(*root, atol=1e-3)
    assert root[0][0, parse_combo("QdQs")] == pytest.approx(float(locks[0].strategy["X"]))


@pytest.mark.parametrize("algorithm", ["external", "pcs"])
def test_sampling_keeps_every_hand(algorithm: str) -> None:
    for solver in solvers("QhJh2c7d5s", (FULL, FULL), "a", algorithm=algorithm):
        assert not solver.spot.cards.merged


def test_size_of_what_is_stored() -> None:
    merged, plain = solvers("QhJh2c7d", (FULL, FULL), "50%,a/a", "50%/a")
    size = measure_solve(merged.tree, merged.spot.cards.runouts, (FULL, FULL), merged.spot.cards.hand_of)
    # 24 classes of cards: pairs of classes, and pairs within the 13 classes of more than one card.
    assert size.hands == (24 * 23 // 2 + 13,) * 2
    assert merged.spot.cards.runouts.num_rivers == 24
    assert merged.spot.runouts.num_rivers == 48
    rows = sum(merged._cfr.layout.sizes) / (-(-289 // 16) * 16)
    assert size.elements == rows * 289
    assert merged.memory_bytes < plain.memory_bytes / 6


def test_merges_nothing_where_nothing_is_gained() -> None:
    board = parse_cards("QhJh2h7d5s")
    uneven = np.random.default_rng(1).random(NUM_COMBOS).astype(np.float32)
    a, b = parse_cards("3c3d")
    even = (uneven + uneven[swap_cards(a, b)]).astype(np.float32)
    for weights, num_classes in ((uneven, 47), (even, 46)):
        assert card_classes(board, (weights, weights)).max() + 1 == num_classes
        cards = merged_cards(build_runouts(board, (weights, weights)), (weights, weights))
        assert not cards.merged
        assert len(cards.hands) == 1081
