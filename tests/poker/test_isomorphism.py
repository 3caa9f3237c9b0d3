"""Suit isomorphism: class counts, multiplicities, and the direction of the permutations."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_index, combo_mask, format_cards, parse_cards
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.isomorphism import (
    COMBO_PERMUTATIONS,
    INVERSE_PERMUTATIONS,
    NUM_BOARD_CLASSES,
    SUIT_PERMUTATIONS,
    board_class,
    board_classes,
    board_index,
    class_name,
    flop_class,
    flop_pattern,
    flop_representative,
    permute_cards,
    permute_combos,
)
from hedgehog.runtime.errors import CardError

decks = st.permutations(range(NUM_CARDS))
board_sizes = st.integers(3, 5)
permutations_24 = st.integers(0, 23)


@pytest.mark.parametrize(("num_cards", "num_classes"), [(3, 1755), (4, 16_432), (5, 134_459)])
def test_class_counts(num_cards: int, num_classes: int) -> None:
    classes = board_classes(num_cards)
    assert NUM_BOARD_CLASSES[num_cards] == num_classes
    assert np.array_equal(np.bincount(classes.class_of), classes.multiplicities)
    assert len(classes.multiplicities) == num_classes
    assert classes.multiplicities.sum() == comb(NUM_CARDS, num_cards)
    assert classes.permutation_of.max() < 24
    # The representative is a member of its own class, and already in place.
    indices = [board_index(board) for board in classes.representatives[:: num_classes // 1000].tolist()]
    assert np.array_equal(classes.class_of[indices], np.arange(0, num_classes, num_classes // 1000))
    assert not classes.permutation_of[indices].any()


def test_flop_patterns_and_multiplicities() -> None:
    classes = board_classes(3)
    flops = [flop_representative(index) for index in range(1755)]
    assert classes.representatives.tolist() == [list(flop) for flop in flops]
    assert Counter(
        (flop_pattern(flop), int(count)) for flop, count in zip(flops, classes.multiplicities, strict=True)
    ) == {
        ("rainbow", 24): 286,
        ("two-tone", 12): 858,
        ("monotone", 4): 286,
        ("paired rainbow", 12): 156,
        ("paired two-tone", 12): 156,
        ("trips", 4): 13,
    }


@pytest.mark.parametrize("num_cards", [3, 4, 5])
def test_board_index_numbers_all_sets(num_cards: int) -> None:
    # Sets of the lowest n cards fill the lowest indices.
    sets = list(combinations(range(9), num_cards))
    assert sorted(board_index(cards[::-1]) for cards in sets) == list(range(len(sets)))
    highest = list(range(NUM_CARDS - num_cards, NUM_CARDS))
    assert board_index(highest) == comb(NUM_CARDS, num_cards) - 1


@given(decks, board_sizes, permutations_24)
def test_class_is_invariant_under_relabelling(deck: list[int], size: int, permutation: int) -> None:
    board = deck[:size]
    assert board_class(permute_cards(board, permutation))[0] == board_class(board)[0]


@given(decks, board_sizes)
def test_all_relabellings_of_a_board_are_its_whole_class(deck: list[int], size: int) -> None:
    board = deck[:size]
    images = {frozenset(permute_cards(board, permutation)) for permutation in range(24)}
    assert len(images) == board_classes(size).multiplicities[board_class(board)[0]]


@given(decks, board_sizes)
def test_permutation_maps_board_onto_representative(deck: list[int], size: int) -> None:
    board = deck[:size]
    index, permutation = board_class(board)
    representative = board_classes(size).representatives[index].tolist()
    assert sorted(permute_cards(board, permutation), reverse=True) == representative
    assert class_name(size, index) == format_cards(representative, " ")


@given(decks)
def test_values_of_the_representative_serve_the_real_hands(deck: list[int]) -> None:
    """The look-up rule of the module's description, on hand ranks: with the inverse it would fail."""
    board = deck[:5]
    index, permutation = board_class(board)
    table = rank_combos(board_classes(5).representatives[index].tolist())
    assert np.array_equal(table[COMBO_PERMUTATIONS[permutation]], rank_combos(board))
    assert np.array_equal(permute_combos(rank_combos(board), permutation), table)


def test_permutation_tables() -> None:
    assert SUIT_PERMUTATIONS.shape == (24, 4)
    assert len({tuple(row) for row in SUIT_PERMUTATIONS.tolist()}) == 24
    assert SUIT_PERMUTATIONS[0].tolist() == [0, 1, 2, 3]
    for permutation in range(24):
        inverse = int(INVERSE_PERMUTATIONS[permutation])
        assert permute_cards(permute_cards(range(NUM_CARDS), permutation), inverse) == list(range(NUM_CARDS))
        moved = [combo_index(*permute_cards(cards, permutation)) for cards in COMBO_CARDS.tolist()]
        assert COMBO_PERMUTATIONS[permutation].tolist() == moved


@given(permutations_24)
def test_permute_combos_and_back(permutation: int) -> None:
    values = np.arange(2 * NUM_COMBOS).reshape(2, NUM_COMBOS)
    moved = permute_combos(values, permutation)
    assert np.array_equal(moved[:, COMBO_PERMUTATIONS[permutation]], values)
    assert np.array_equal(permute_combos(moved, int(INVERSE_PERMUTATIONS[permutation])), values)


def test_permuted_mask_blocks_the_permuted_board() -> None:
    board = parse_cards("QhJh2c")
    _, permutation = flop_class(board)
    assert np.array_equal(permute_combos(combo_mask(board), permutation), combo_mask(permute_cards(board, permutation)))


def test_flop_class_names() -> None:
    names = {class_name(3, flop_class(parse_cards(text))[0]) for text in ("QhJh2c", "2dQcJc", "JsQs2h")}
    assert names == {"Qs Js 2h"}


@pytest.mark.parametrize("board", [[0, 1], [0, 1, 1], [0, 1, 52], [-1, 3, 7], list(range(6))])
def test_bad_boards_are_rejected(board: list[int]) -> None:
    with pytest.raises(CardError):
        board_class(board)


def test_flop_class_wants_three_cards() -> None:
    with pytest.raises(CardError, match="three cards"):
        flop_class([0, 1, 2, 3])
    with pytest.raises(ValueError, match="shape"):
        permute_combos(np.zeros(5), 0)
