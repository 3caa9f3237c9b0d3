"""Turns above rivers that forget suits which make no flush."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask, parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction._rank_river_kernels import RankRivers, count_wins
from hedgehog.solver.abstraction.rank_river_solver import RankRiverSolver, rank_river_work
from hedgehog.solver.abstraction.rank_rivers import forget_suits, rank_rivers
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.street_values import evaluate_board
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree

EVERYTHING = np.ones(NUM_COMBOS, dtype=np.float32)
WIDE = "22+,A2s+,A9o+,K9s+,KTo+,Q9s+,QTo+,J9s+,JTo,T8s+,97s+,86s+,75s+,65s"
TIGHT = "55+,A8s+,ATo+,KTs+,KQo,QJs,JTs,T9s,98s"


def spot(
    board: str, ranges: tuple[str, str] | None = None, *, single: bool = True, river: str = "75%,a/a"
) -> PreparedSpot:
    """Returns a turn whose cards are dealt one by one, unless they need not be ``single``."""
    turn, later = parse_bet_sizes("75%,a/a"), parse_bet_sizes(river)
    tree = build_postflop_tree(TreeConfig(2, 500, 2000, (StreetSizes(turn, turn), StreetSizes(later, later))))
    weights = (EVERYTHING, EVERYTHING) if ranges is None else tuple(parse_range(text) for text in ranges)
    return prepare_tree(tree, parse_cards(board), weights, merge_cards=not single, isomorphism=not single)


def group_of(rivers: RankRivers, turn: PreparedSpot, river: int, hand: str) -> int:
    place = np.flatnonzero(turn.combos[0] == combo_index(*parse_cards(hand)))[0]
    return int(rivers.group[0][river, turn.hands[0][place]])


def elements(solver: RankRiverSolver) -> int:
    """Returns the number of pairs of an action and a hand or group of both players, padding included."""
    return sum(solver._cfr.layout.sizes)


@pytest.mark.parametrize(
    ("board", "classes", "most"),
    [
        ("QhJs2c5d", 13, 91),  # no flush is possible
        ("QhJh2c5s", 24, 91 + 13 * 13 + 78),  # 13 ranks, and 11 hearts
        ("QhJh2c5c", 35, 91 + 13 * 13 + 78),
        ("QhJh2h5s", 23, 91 + 13 * 13 + 78),  # 10 hearts
        ("QhJh2h5h", 22, 91 + 13 * 13 + 78),
    ],
)
def test_rivers_of_one_rank_are_one_class_unless_a_suit_can_make_a_flush(board: str, classes: int, most: int) -> None:
    turn = spot(board)
    rivers = rank_rivers(turn)
    assert len(rivers.num_groups) == classes
    assert rivers.num_groups.max() <= most
    for player in (0, 1):
        # Every hand sees each of the 46 rivers that it does not hold once.
        held = turn.hands[player]
        np.testing.assert_array_equal(rivers.copies[player][:, held].sum(axis=0), 46)
        np.testing.assert_array_equal(rivers.spread[player][:, held], rivers.copies[player][:, held])


def test_groups_hold_all_their_combos() -> None:
    rivers = rank_rivers(spot("QhJh2c5s"))
    for river, groups in enumerate(rivers.num_groups):
        combos = rivers.counts[river].reshape(-1, 3)[:groups, 0]
        assert combos.sum() == pytest.approx(47 * 46 / 2)  # what five cards leave
        # Two numbers per group count the hands with a given card; over all cards they count every hand twice.
        assert (rivers.tie_ends[river][: rivers.num_ties[river]] > 0).all()
        assert rivers.tie_ends[river][rivers.num_ties[river] - 1] == groups


def test_hands_are_together_that_differ_in_useless_suits_alone() -> None:
    turn = spot("QhJh2c5s")
    rivers = rank_rivers(turn)
    deuce = 0  # the class of the deuces that are no hearts
    hearts = len(rivers.num_groups) - 1  # some rank has hearts of its own; the last class is that of the ace of hearts
    assert group_of(rivers, turn, deuce, "AhKh") == group_of(rivers, turn, deuce, "AsKd")
    assert group_of(rivers, turn, deuce, "AhKh") != group_of(rivers, turn, deuce, "AhQs")
    flush, blocker, none = (group_of(rivers, turn, hearts, hand) for hand in ("Kh8h", "Kh8s", "Ks8d"))
    assert len({flush, blocker, none}) == 3
    assert none == group_of(rivers, turn, hearts, "Kc8c")
    assert flush > none


def hand_of(turn: PreparedSpot, hand: str, player: int = 0) -> int:
    return int(turn.hands[player][turn.combos[player].tolist().index(combo_index(*parse_cards(hand)))])


@pytest.mark.parametrize(
    ("board", "hands"),
    [
        ("QhJs2c5d", 13 + 2 * 78),
        ("QhJh2c5s", 55 + 11 * 13 + 13 + 2 * 78),  # two hearts, one, none
        ("QhJh2c5c", 2 * 55 + 2 * 11 * 13 + 11 * 11 + 13 + 2 * 78),
    ],
)
def test_hands_of_the_turn_differ_in_ranks_and_in_suits_of_flushes(board: str, hands: int) -> None:
    turn = forget_suits(spot(board))
    assert [len(held) for held in turn.game.hands] == [hands, hands]
    for player in (0, 1):
        assert turn.game.total_weights(player).sum() == pytest.approx(turn.ranges[player].sum())
    assert hand_of(turn, "Kd8s") == hand_of(turn, "Ks8d") != hand_of(turn, "Kd8d")


def test_hands_have_the_mean_weight_of_their_combos() -> None:
    turn = forget_suits(spot("QhJh2c5s", ("AcKc,AcKs:0.5,AdKh,9d9c:0.3", WIDE)))
    held = [turn.game.weights[0][hand_of(turn, hand)] for hand in ("AcKc", "AcKs", "AdKh", "9d9c")]
    np.testing.assert_allclose(held, [1 / 3, 0.5 / 6, 1 / 3, 0.1])
    rivers = rank_rivers(turn)
    for player in (0, 1):
        weights, places = turn.ranges[player][turn.combos[player]], turn.hands[player]
        single = rank_rivers(turn.single)
        dealt = weights * single.copies[player][:, turn.single.hands[player]]
        total, sums = np.bincount(places, weights), np.zeros((len(dealt), len(turn.game.hands[player])))
        for river, row in enumerate(dealt):
            sums[river] = np.bincount(places, row)
        count = sums.shape[1]
        np.testing.assert_allclose(rivers.copies[player][:, :count], sums / total, rtol=1e-5)
        np.testing.assert_allclose(rivers.spread[player][:, :count] * turn.game.weights[player], sums, rtol=1e-5)
        assert not rivers.copies[player][:, count:].any()
        for river, groups in enumerate(rivers.group[player][:, :count]):
            live = dealt[river] > 0
            expected = single.group[player][river, turn.single.hands[player]]
            np.testing.assert_array_equal(groups[places[live]], expected[live])


@pytest.mark.parametrize("suits", [True, False])
def test_a_turn_without_flushes_loses_nothing(suits: bool) -> None:
    """All suits are alike then, so hands of the same ranks have the same weights on every river."""
    ranges = (TIGHT.replace("s", "") + ",A8+,KT+,QJ,JT,T9,98", "22+,A2+,K9+,Q9+,J9+,T8+")
    turn = spot("QhJs8c4d", ranges)
    exact = PostflopSolver(spot("QhJs8c4d", ranges, single=False), threads=1)
    grouped = RankRiverSolver(turn if suits else forget_suits(turn), threads=1)
    for iterations, tolerance in ((0, 1e-2), (2, 1e-2), (100, 0.5)):  # rounding soon parts the two, as it parts any two
        for solver in (exact, grouped):
            solver.run(iterations - solver.iterations)
        found, expected = grouped.exploitability(), exact.exploitability()
        np.testing.assert_allclose(found.ev_minus_half_pot, expected.ev_minus_half_pot, atol=tolerance)
        if iterations < 100:
            best = found.best_response_ev_minus_half_pot
            np.testing.assert_allclose(best, expected.best_response_ev_minus_half_pot, atol=tolerance)


def test_opponents_tremble_on_the_turn_as_they_do_with_single_hands() -> None:
    """Rivers are played without trembles, so there are no bets on the rivers of the two solves compared."""
    ranges = (TIGHT.replace("s", "") + ",A8+,KT+,QJ,JT,T9,98", "22+,A2+,K9+,Q9+,J9+,T8+")
    turn = replace(spot("QhJs8c4d", ranges, river=""), tremble=Tremble(0.05, 25.0))
    single, grouped = PostflopSolver(turn, threads=1), RankRiverSolver(turn, threads=1)
    plain = RankRiverSolver(replace(turn, tremble=None), threads=1)
    for solver in (single, grouped, plain):
        solver.run(2)  # rounding soon parts them, as it parts solves without trembles
    parted = different = compared = 0
    for node in single.root_street_strategies():
        found, expected = grouped.node_trembles(node), single.node_trembles(node)
        assert found.sum(axis=0).max() == pytest.approx(0.05, rel=1e-5)
        assert np.mean(np.abs(found - expected) > 1e-3) < 0.1
        rows = [solver.node_strategy(node) for solver in (grouped, single, plain)]
        compared += rows[0].size
        parted += np.count_nonzero(np.abs(rows[0] - rows[1]) > 0.01)
        different += np.count_nonzero(np.abs(rows[0] - rows[2]) > 0.01)
        assert not plain.node_trembles(node).any()
    assert parted < compared / 1000
    assert different > compared / 200


@pytest.mark.parametrize("suits", [True, False])
@pytest.mark.parametrize("board", ["QhJh2c5s", "QhJh2h5s", "QhJh2c5c"])
def test_a_turn_with_flushes_is_worth_nearly_the_same(board: str, suits: bool) -> None:
    exact = PostflopSolver(spot(board, (WIDE, TIGHT), single=False), threads=1)
    turn = spot(board, (WIDE, TIGHT))
    grouped = RankRiverSolver(turn if suits else forget_suits(turn), threads=1)
    values = []
    for solver in (exact, grouped):
        solver.run(100)
        values.append(100 * solver.exploitability().ev_minus_half_pot[0] / solver.tree.root_pot)
    assert values[0] == pytest.approx(values[1], abs=0.6)
    assert grouped.exploitability().pct_pot < 0.5


def test_wins_are_counted_river_by_river() -> None:
    rng = np.random.default_rng(3)
    own, other = (rng.integers(-1, 4, (5, size)).astype(np.int16) for size in (7, 9))
    wins = np.zeros((7, 9), dtype=np.int8)
    count_wins(own, other, wins)
    mine, theirs = own[:, :, None].astype(int), other[:, None].astype(int)
    met = (mine >= 0) & (theirs >= 0)
    np.testing.assert_array_equal(wins, (np.sign(mine - theirs) * met).sum(axis=0))


def test_wins_of_hands_are_those_of_their_combos() -> None:
    turn = spot("QhJh2c5s", (WIDE, TIGHT))
    forgotten = forget_suits(turn)
    single, both = (RankRiverSolver(made, threads=1)._cfr._river_scratch.equity for made in (turn, forgotten))
    for player in (0, 1):
        weights = [made.ranges[made_by][made.combos[made_by]] for made, made_by in ((turn, player), (turn, 1 - player))]
        own, other = forgotten.hands[player], forgotten.hands[1 - player]
        expected = np.zeros([len(forgotten.game.hands[seat]) for seat in (player, 1 - player)])
        wins = single[player][: len(own)] * weights[0][:, None] * weights[1]
        np.add.at(expected, (own[:, None], other[None]), wins)
        expected /= np.bincount(own, weights[0])[:, None] * forgotten.game.weights[1 - player]
        np.testing.assert_allclose(both[player][: len(expected)], expected, atol=1e-5)


def test_an_iteration_is_more_work_than_its_elements() -> None:
    """Adding hands to groups takes time, and so does comparing them where a flush is possible."""
    ratios = []
    for board in ("QhJs2c5d", "QhJh2c5s"):
        turn = spot(board)
        solver = RankRiverSolver(turn, threads=1)
        ratios.append(rank_river_work(turn, solver.rivers) / elements(solver))
    assert 1 < ratios[0] < ratios[1]


def test_single_hands_are_compared_from_an_iteration_on() -> None:
    """Without a flush it makes no difference. With one, the last iterations lead to the game of single hands."""
    turn, flush = spot("QhJs2c5d", (WIDE, TIGHT)), spot("QhJh2h5s", (WIDE, TIGHT))
    always, late = (RankRiverSolver(turn, threads=1, compare_from=first) for first in (0, 3))
    for solver in (always, late):
        solver.run(4)
    np.testing.assert_array_equal(always.averages[0], late.averages[0])
    always, late, never = (
        RankRiverSolver(flush, threads=1, algorithm="gamma5", compare_from=first) for first in (0, 200, 1000)
    )
    for solver in (always, late, never):
        solver.run(200)
    assert np.abs(always.averages[0] - late.averages[0]).max() > 0
    np.testing.assert_array_equal(late.averages[0], never.averages[0])
    for solver in (always, late, never):
        solver.run(60)
    found = [solver.exploitability().pct_pot for solver in (always, late, never)]
    assert found[0] < found[1] < found[2]
    work = [rank_river_work(flush, always.rivers, share) for share in (0.0, 0.5, 1.0)]
    assert work[1] - work[0] == pytest.approx(work[2] - work[1], abs=1)
    assert work[0] < work[1]


def test_threads_change_nothing() -> None:
    turn = forget_suits(spot("QhJh2c5s", (WIDE, TIGHT)))
    solvers = [RankRiverSolver(turn, threads=threads) for threads in (1, 2)]
    for solver in solvers:
        solver.run(5)
    for first, second in zip(solvers[0].averages, solvers[1].averages, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("suits", [True, False])
def test_the_game_is_zero_sum_and_small(suits: bool) -> None:
    single = spot("QhJh2c5s", (WIDE, TIGHT))
    turn = single if suits else forget_suits(single)
    solver = RankRiverSolver(turn, threads=1)
    solver.run(20)
    values = [float(solver.line_values(player)[0] @ turn.game.total_weights(player)) for player in (0, 1)]
    assert values[0] == pytest.approx(-values[1], rel=1e-3)
    assert elements(solver) < sum(single.layout.sizes) / 3
    assert solver.rivers.num_blocks * LANES >= solver.rivers.num_groups.sum()


def test_there_are_no_answers_on_the_river() -> None:
    turn = spot("QhJh2c5s", (WIDE, TIGHT))
    solver = RankRiverSolver(turn, threads=1)
    solver.run(2)
    river = next(node for node in range(turn.tree.num_nodes) if turn.tree.street[node] == 3)
    with pytest.raises(SpotError, match="no strategies on the river"):
        solver.node_strategy(river, (0,))
    with pytest.raises(SpotError, match="without locks and rake"):
        RankRiverSolver(replace(turn, rake=Rake(0.05, 100)), threads=1)
    with pytest.raises(SpotError, match="discounted CFR"):
        RankRiverSolver(turn, threads=1, algorithm="cfr+")


def test_values_of_rivers_without_suits_are_those_with_suits() -> None:
    turn = spot("QhJh2c5s", (WIDE, TIGHT))
    solvers = [RankRiverSolver(made, threads=1, algorithm="gamma5") for made in (turn, forget_suits(turn))]
    for solver in solvers:
        solver.run(100)
    found, expected = (solver.river_values(1) for solver in reversed(solvers))
    for node in found.line_of:
        for card in (20, 50):
            ours, theirs = found.at(node, card), expected.at(node, card)
            assert ours is not None
            assert theirs is not None
            if theirs[1].sum() < 20:
                continue  # after a line that is hardly ever taken, two solves differ
            live = (turn.ranges[1] > 0) & combo_mask((*turn.board, card))
            assert np.corrcoef(ours[0][live], theirs[0][live])[0, 1] > 0.99
            assert ours[1].sum() == pytest.approx(theirs[1].sum(), rel=0.15)


@pytest.mark.parametrize("board", ["QhJs8c4d", "QhJh2c5s"])
def test_values_of_rivers_are_those_of_single_hands(board: str) -> None:
    turn = spot(board, (WIDE, TIGHT))
    grouped, single = RankRiverSolver(turn, threads=1), PostflopSolver(turn, threads=1)
    grouped.run(60)
    grouped.fill(single, averages_only=True)
    for player in (0, 1):
        found = grouped.river_values(player)
        before = grouped.exploitability()
        assert found.at(0, 20) is None
        for node in found.line_of:
            for card in (20, 50):
                at = found.at(node, card)
                assert at is not None
                reaches = single.node_reach(0, node, (card,)), single.node_reach(1, node, (card,))
                np.testing.assert_array_equal(at[1] * combo_mask((*turn.board, card)), reaches[1 - player])
                if reaches[1 - player].sum() < 20:
                    continue  # a mean over groups says little where a few hands are left
                exact = evaluate_board(turn, single.averages, node, (card,), reaches, 1)
                values = exact.values[player][exact.slot_of_node[node], exact.hands[player]]
                assert np.corrcoef(values, at[0][exact.combos[player]])[0, 1] > 0.99
                assert np.abs(values - at[0][exact.combos[player]]).mean() < 0.05 * np.abs(values).mean()
        assert grouped.exploitability() == before


def test_single_hands_get_what_their_groups_have_learnt() -> None:
    """Without flushes groups lose nothing, so what is filled in is what single hands learn, up to rounding."""
    ranges = (TIGHT.replace("s", "") + ",A8+,KT+,QJ,JT,T9,98", "22+,A2+,K9+,Q9+,J9+,T8+")
    turn = spot("QhJs8c4d", ranges)
    grouped, filled, exact = RankRiverSolver(turn, threads=1), *(PostflopSolver(turn, threads=1) for _ in range(2))
    exact.run(2)
    grouped.run(2)
    grouped.fill(filled)
    assert filled.iterations == 2
    found, expected = filled.exploitability(), exact.exploitability()
    np.testing.assert_allclose(found.ev_minus_half_pot, expected.ev_minus_half_pot, atol=1e-2)
    best = found.best_response_ev_minus_half_pot
    np.testing.assert_allclose(best, expected.best_response_ev_minus_half_pot, atol=1e-2)


def test_a_fast_start_is_close_to_the_real_game_and_goes_on_there() -> None:
    turn = spot("QhJh2c5s", (WIDE, TIGHT))
    grouped, single = RankRiverSolver(turn, threads=1), PostflopSolver(turn, threads=1)
    grouped.run(100)
    grouped.fill(single)
    filled = single.exploitability().pct_pot
    assert filled < 1.0
    single.run(40)
    assert single.exploitability().pct_pot < 0.8 * filled
