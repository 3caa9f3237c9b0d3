"""Groups of hands by identity: counts of an independent program, the definitions in plain Python, symmetry."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.jit import njit
from hedgehog.solver.abstraction._grouping_kernels import equal_on_boards
from hedgehog.solver.abstraction.abstraction import SpotValues, parse_abstraction
from hedgehog.solver.abstraction.board_classes import exact_classes, relaxed_classes
from hedgehog.solver.abstraction.counts import (
    GroupCounts,
    Spread,
    count_groups,
    count_sample,
    sample_means,
    thesis_size,
)
from hedgehog.solver.abstraction.hand_values import MEASURES, hand_values
from hedgehog.solver.abstraction.identity import TESTS, group_hands
from hedgehog.solver.postflop.chance import build_runouts, combo_permutation
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.spot import IDENTITIES
from tests.solver.postflop_fixtures import tree_of, weights_of

DATA = Path(__file__).parents[2] / "data" / "solver" / "abstraction" / "group_counts.json.gz"
RANGE = parse_range("A9+,KT+,QT+,JT+,A4s+,K8s+,Q9s+,J9s+,T9s,55+")
QUICK = ("QhJh2c", "9c9h4d", "AhAsAc", "9c7c6c")


@cache
def published() -> dict[str, dict[str, Any]]:
    return {row["flop"]: row for row in json.loads(gzip.decompress(DATA.read_bytes()))}


def verify_counts(flop: str) -> None:
    found = count_groups(parse_cards(flop), opponents="uniform", classes="relaxed")
    expected = published()[flop]
    assert (found.turn_classes, found.river_classes) == (expected["turn_classes"], expected["river_classes"])
    for measure in MEASURES:
        numbers, wanted = found.measures[measure], expected[measure]
        assert [numbers.flop[test] for test in TESTS] == wanted["flop"], (flop, measure)
        assert rounded(numbers.turn["river"]) == wanted["turn_river"], (flop, measure)
        assert rounded(numbers.turn["global"]) == wanted["turn_global"], (flop, measure)
        assert rounded(numbers.river) == wanted["river"], (flop, measure)


def rounded(spread: Spread) -> list[float]:
    return [round(spread.mean, 3), spread.least, spread.most]


@pytest.mark.parametrize("flop", QUICK)
@pytest.mark.slow_cases("9c9h4d", "9c7c6c")
def test_published_counts(flop: str) -> None:
    verify_counts(flop)


@pytest.mark.slow
def test_all_published_counts() -> None:
    for flop in published():
        if flop not in QUICK:
            verify_counts(flop)


def test_closed_forms_of_rank_groups() -> None:
    """All hands of one pair of ranks are alike on a rainbow flop; on a two-tone flop suited hands differ."""
    two_tone = 11 * 10 // 2 + 12 * 11 // 2 + 11 * 13 + 91
    for flop, expected in (("Ks8d3c", 3 * 66 + 91), ("Kh8h3c", two_tone)):
        board = parse_cards(flop)
        mask = combo_mask(board)
        values = hand_values(board, np.flatnonzero(mask), mask, mask)
        assert group_hands(values, relaxed_classes(board).flop, "rank", "river").num_groups == expected


@pytest.mark.slow
def test_sample_of_seven_flops_reproduces_the_printed_sizes() -> None:
    sample = count_sample()
    means = {(m, t): sample_means(sample, m, t) for m in MEASURES for t in TESTS}
    expected = {
        "rank": (326.7, 482.9, 325.1, 172.31, 172.09, 87.53, 51.65, 134.1, 12.18, 50.51, 131.2),
        "strength": (871.0, 844.3, 834.1, 323.99, 305.00, 114.08, 68.86, 178.8, 21.56, 66.34, 172.4),
        # The specification has 326.20, the mean of seven means that were rounded to three digits before.
        "opp": (871.4, 871.4, 871.4, 327.58, 326.21, 190.64, 111.76, 290.3, 57.28, 109.54, 284.6),
    }
    for measure in MEASURES:
        river, hier, whole = (means[measure, test] for test in TESTS)
        found = (
            river.flop, hier.flop, whole.flop, river.turn, whole.turn, river.river, river.thesis.infosets / 1e6,
            river.thesis.actions / 1e6, river.thesis.states / 1e9, river.size.infosets / 1e6, river.size.actions / 1e6,
        )  # fmt: skip
        digits = (1, 1, 1, 2, 2, 2, 2, 1, 2, 2, 1)
        for value, wanted, places in zip(found, expected[measure], digits, strict=True):
            assert value == pytest.approx(wanted, abs=0.51 * 10**-places), measure


def test_formula_of_the_printed_sizes() -> None:
    # Mean groups of the thesis's table 4 on the flop and those on turn and river that its table 5 leads to.
    size = thesis_size(327, 172.068, 87.288)
    assert size.infosets == pytest.approx(51_507_024, rel=1e-5)
    assert size.actions == pytest.approx(133_764_370, rel=1e-5)
    assert size.states == pytest.approx(12_113_522_212, rel=1e-4)


def test_groups_in_range() -> None:
    board = parse_cards("QhJh2c")
    found: GroupCounts = count_groups(board, (RANGE, RANGE))
    assert (found.hands, found.turn_classes, found.river_classes) == (237, 36, 1429)
    expected = {
        "rank": ((86, 130, 86), (54.2778, 54.2778), 33.501),
        "strength": ((234, 147, 146), (145.9722, 93.3889), 44.8719),
        "opp": ((237, 151, 151), (227.3889, 107.5278), 69.5927),
    }
    for measure, (flop, turn, river) in expected.items():
        numbers = found.measures[measure]  # type: ignore[index]
        assert tuple(numbers.flop[test] for test in TESTS) == flop
        assert tuple(round(numbers.turn[test].mean, 4) for test in ("river", "global")) == turn
        assert round(numbers.river.mean, 4) == river
    uniform = count_groups(board, (RANGE, RANGE), opponents="uniform", measures=("strength", "opp"))
    assert [round(one.river.mean, 4) for one in uniform.measures.values()] == [38.7852, 48.2484]


# The definitions, hand by hand.

OOP = {
    "AhKh": 1,
    "AdKd": 0.5,
    "AsKs": 1,
    "KdQd": 1,
    "KsQs": 0.25,
    "7d6d": 1,
    "7s6s": 1,
    "JcTc": 1,
    "JdTd": 1,
    "2d2s": 1,
}
IP = {"AcKc": 1, "AdAs": 1, "QdTd": 0.5, "QsTs": 1, "9h8h": 1, "KdKs": 1, "AdKd": 1, "7d6d": 1, "3d3c": 1, "3s3c": 1}
PLAIN_SPOTS = {"river": "Qh Jh 2c 7c 5s", "turn": "Qh Jh 2c 7c", "flop": "Qh Jh 2c"}


def plain_values(
    board: Sequence[int], own: NDArray[np.bool_], met: NDArray[np.bool_]
) -> dict[str, Callable[[int], Hashable]]:
    """Returns per measure the value of a combo on a completed board."""
    ranks = rank_combos(board)

    def disjoint(combo: int, combos: NDArray[np.bool_]) -> list[int]:
        cards = set(COMBO_CARDS[combo].tolist())
        return [int(o) for o in np.flatnonzero(combos & (ranks >= 0)) if not cards & set(COMBO_CARDS[o].tolist())]

    @cache
    def strength(combo: int, theirs: bool) -> int:
        others = disjoint(combo, own if theirs else met)
        return sum(2 * int(ranks[combo] > ranks[o]) + int(ranks[combo] == ranks[o]) for o in others)

    def opp(combo: int) -> Hashable:
        seen = Counter(strength(o, True) for o in disjoint(combo, met))
        return strength(combo, False), frozenset(seen.items())

    return {"rank": lambda combo: int(ranks[combo]), "strength": lambda combo: strength(combo, False), "opp": opp}


@pytest.mark.parametrize("name", PLAIN_SPOTS)
def test_groups_by_their_definitions(name: str) -> None:
    board = parse_cards(PLAIN_SPOTS[name])
    ranges = weights_of(OOP), weights_of(IP)
    mask = combo_mask(board)
    own, met = ((weights > 0) & mask for weights in ranges)
    hands = np.flatnonzero(own)
    values = hand_values(board, hands, own, met)
    classes = exact_classes(build_runouts(board, ranges))
    nodes = {"flop": [classes.flop], "turn": [[one] for one in classes.turn], "river": [[one] for one in classes.river]}
    if name == "flop":
        # One completed board takes plain Python milliseconds: a few turn cards stand for all.
        nodes["flop"] = [classes.flop[:4]]
    plain: dict[tuple[int, ...], dict[str, Callable[[int], Hashable]]] = {}
    for node in nodes[name]:
        rivers = [[frozenset(pair) for pair in part] for part in node]
        for pair in {pair for part in rivers for pair in part}:
            full = (*board[:3], *sorted(pair))
            if full not in plain:
                plain[full] = plain_values(full, own, met)
        for measure in MEASURES:
            table = {
                (pair, int(hand)): (
                    plain[*board[:3], *sorted(pair)][measure](int(hand))
                    if not set(COMBO_CARDS[hand].tolist()) & pair
                    else None
                )
                for part in rivers
                for pair in part
                for hand in hands
            }
            for test in TESTS:
                groups = group_hands(values, node, measure, test).number_of
                for a, b in combinations(range(len(hands)), 2):
                    same = plainly_equal(table, rivers, int(hands[a]), int(hands[b]), test)
                    if same is not None:
                        assert (groups[a] == groups[b]) == same, (measure, test, a, b)


def plainly_equal(
    table: dict[tuple[frozenset[int], int], Hashable], parts: list[list[frozenset[int]]], a: int, b: int, test: str
) -> bool | None:
    """Returns whether two hands are equal; None if one of them is always blocked."""
    every = [pair for part in parts for pair in part]
    for hand in (a, b):
        if all(table[pair, hand] is None for pair in every):
            return None

    def histogram(hand: int, pairs: list[frozenset[int]]) -> frozenset[Any]:
        return frozenset(Counter(table[pair, hand] for pair in pairs if table[pair, hand] is not None).items())

    if test == "global":
        return histogram(a, every) == histogram(b, every)
    if test == "hier":
        return Counter(histogram(a, part) for part in parts) == Counter(histogram(b, part) for part in parts)
    both = [pair for pair in every if table[pair, a] is not None and table[pair, b] is not None]
    rest = [pair for pair in every if (table[pair, a] is None) != (table[pair, b] is None)]
    return all(table[pair, a] == table[pair, b] for pair in both) and histogram(a, rest) == histogram(b, rest)


# Symmetry.


def spot_of(board: str, *, isomorphism: bool = True) -> PreparedSpot:
    hands = parse_range("A9+,KT+,QJ,A4s+,T9s,55+")
    streets = 6 - len(parse_cards(board))
    tree = tree_of(board, ("a", *[""] * (streets - 1)), 100, 100)
    return prepare_tree(tree, parse_cards(board), (hands, hands), merge_cards=False, isomorphism=isomorphism)


@pytest.mark.parametrize(
    "board",
    ["Qh Jh 2c", *(pytest.param(one, marks=pytest.mark.slow) for one in ("9c 9h 4d", "Ah As Ac")), "Qh Qd 7c 7s"],
)
@pytest.mark.slow_cases("Qh Jh 2c")
def test_suit_permutations_map_groups_onto_groups(board: str) -> None:
    solved, every = spot_of(board), spot_of(board, isomorphism=False)
    assert solved.runouts.num_rivers < every.runouts.num_rivers
    values = SpotValues(solved)
    direct = SpotValues(every)
    for chosen in IDENTITIES.values():
        groups = values.group(str(chosen)).players[0]
        # Every board, also those that are not solved: their groups are those of the solved board, with suits renamed.
        turn_or_river = direct.group(str(chosen)).players[0]
        first = len(every.board)
        for level in range(1, len(turn_or_river)):
            deals = [pair[:level] if first == 3 else pair[1:] for pair in boards_of(every, level)]
            for number, dealt in list(enumerate(deals))[:: 1 if level + first == 4 else 7]:
                _, place, permutation = solved.locate_board(dealt)
                stored = by_combo(solved, groups[level].number_of[place])
                wanted = by_combo(every, turn_or_river[level].number_of[number])
                moved = stored if permutation is None else stored[permutation]
                assert same_partition(moved, wanted), (chosen, dealt)
        # Swaps that leave the root board and the ranges as they are.
        for a, b in combinations(range(4), 2):
            swapped = sorted(card - (card & 3) + {a: b, b: a}.get(card & 3, card & 3) for card in solved.board)
            if swapped == sorted(solved.board) and first == 3:
                root = by_combo(solved, groups[0].number_of[0])
                assert same_partition(root[combo_permutation(a, b)], root), (chosen, a, b)


def boards_of(spot: PreparedSpot, level: int) -> list[tuple[int, ...]]:
    runouts = spot.runouts
    if level + len(spot.board) == 4:
        return [(int(turn),) for turn in runouts.turns]
    found = []
    for index, turn in enumerate(runouts.turns.tolist()):
        for river in runouts.rivers[runouts.first_river[index] : runouts.first_river[index + 1]].tolist():
            found.append((turn, river))
    return found


def by_combo(spot: PreparedSpot, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    found = np.full(NUM_COMBOS, -1, dtype=np.int32)
    found[spot.combos[0]] = numbers
    return found


def same_partition(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    if not np.array_equal(one >= 0, other >= 0):
        return False
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


@njit(cache=False)
def count_violations(groups: NDArray[np.int32], values: NDArray[np.uint64], rows: NDArray[np.int64]) -> int:
    """Returns the number of pairs of hands in one group that differ on some board, which transitivity rules out.

    The groups were made by comparing each hand with the first of its group.
    """
    found = 0
    for a in range(len(groups)):
        for b in range(a + 1, len(groups)):
            if groups[a] >= 0 and groups[a] == groups[b] and not equal_on_boards(values, rows, a, b):
                found += 1
    return found


def test_equality_is_transitive_on_the_flop() -> None:
    board = parse_cards("QhJh2c")
    mask = combo_mask(board) & (RANGE > 0)
    values = hand_values(board, np.flatnonzero(mask), mask, mask)
    boards = exact_classes(build_runouts(board, (RANGE, RANGE))).flop
    for measure in MEASURES:
        groups = group_hands(values, boards, measure, "river")
        rows = np.concatenate([values.rows(some) for some in boards])
        assert count_violations(groups.number_of, values.mixed[measure], rows) == 0
        assert count_violations(np.zeros_like(groups.number_of), values.mixed[measure], rows) > 0


def test_classes_of_boards() -> None:
    expected = {"Ks8d3c": (49, 1033), "Kh8h3c": (36, 985), "9c7c6c": (23, 519), "AhAsAc": (49, 1032)}
    for flop, sizes in expected.items():
        classes = relaxed_classes(parse_cards(flop))
        assert (len(classes.turn), len(classes.river)) == sizes
        assert sum(map(len, classes.turn)) == 49 * 48
        dealt = {frozenset(pair) for boards in classes.river for pair in boards}
        assert len(dealt) == (NUM_CARDS - 3) * (NUM_CARDS - 4) // 2


def test_names_of_abstractions() -> None:
    assert [str(parse_abstraction(str(one))) for one in IDENTITIES] == list(IDENTITIES)
    for name in ("", "rank", "rank-turn", "equity-river", "Rank-River"):
        with pytest.raises(SpotError, match="unknown abstraction"):
            parse_abstraction(name)


def test_relaxed_classes_need_a_flop() -> None:
    with pytest.raises(SpotError, match="three cards"):
        count_groups(parse_cards("QhJh2c7d"), classes="relaxed")
