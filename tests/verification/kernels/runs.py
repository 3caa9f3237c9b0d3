"""Small runs of all kernels except those that prepare tables, for :mod:`test_python_kernels`.

A run returns arrays. It is small because the kernels take a thousand times as long without numba.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.bots import _run_out_kernels as run_outs
from hedgehog.agent.limit.bots import _simulation_kernels as simulation
from hedgehog.agent.limit.nearest import Way, rank_candidates
from hedgehog.agent.limit.situation import read_situation
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.analysis.aivat import _range_kernels as range_kernels
from hedgehog.analysis.aivat import values as aivat
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import Judge
from hedgehog.analysis.judging.roll_out import roll_out_boards
from hedgehog.analysis.lbr import _kernels as lbr
from hedgehog.analysis.lbr.opponents import ReportingOpponent
from hedgehog.analysis.lbr.packs import PackOpponent
from hedgehog.analysis.lbr.response import LbrDecision
from hedgehog.analysis.solves.simulation import check_values
from hedgehog.analysis.study import _ingest_kernels as ingest
from hedgehog.analysis.study.batches import ACTION_COLUMNS
from hedgehog.analysis.study.reading import allocate_columns
from hedgehog.analysis.study.trees import _tree_kernels as trees
from hedgehog.analysis.study.trees.betting_tree import allocate_nodes
from hedgehog.analysis.three_players._share_kernels import share_kernel
from hedgehog.arena.bot_table import play_bots
from hedgehog.poker._isomorphism_kernels import board_index_kernel
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.evaluation import _evaluator_kernels as evaluator
from hedgehog.poker.evaluation.allin import expected_payoffs
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.evaluation.evaluator import evaluator_tables, rank_combos, rank_hand, rank_hands
from hedgehog.poker.evaluation.strength import board_strengths, hand_strength
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.poker.isomorphism import BINOMIALS, flop_class, flop_representative
from hedgehog.poker.limit_betting import limit_tree
from hedgehog.runtime._random_kernels import next_random, random_below, random_unit
from hedgehog.solver.abstraction.abstraction import KMEANS, SpotGroups, SpotValues, StreetGroups
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.abstraction.identity import TESTS, group_hands
from hedgehog.solver.blueprint._blueprint_kernels import prepare_board_kernel, respond_kernel, train_kernel, walk_kernel
from hedgehog.solver.blueprint._external_sampling_kernels import external_train_kernel
from hedgehog.solver.blueprint.cards._abstraction_kernels import combo_river_bucket_kernel, river_buckets_kernel
from hedgehog.solver.blueprint.cards._clustering_kernels import k_means_kernel, sort_centres
from hedgehog.solver.blueprint.cards._river_kernels import (
    BLOCKERS,
    NUM_GROUPS,
    NUM_RIVER_FEATURES,
    OCHS,
    river_features_kernel,
    sort_combos_kernel,
)
from hedgehog.solver.blueprint.cards.card_tables import equity_levels
from hedgehog.solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_limit_tree, sampled_tree
from hedgehog.solver.blueprint.match import compare_blueprints
from hedgehog.solver.blueprint.preflop._value_kernels import preflop_values_kernel
from hedgehog.solver.blueprint.preflop.values import PreflopWalk
from hedgehog.solver.blueprint.program import aligned_zeros, allocate_scratch, compile_tree
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.cfr.card_game import BLOCKED, CardGame, CardLevel
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.flops import refine
from hedgehog.solver.flops.response import FlopGame
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.spot import IDENTITIES
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from hedgehog.strategies.blueprint_pack import row_offsets
from tests.agent.pack_fixtures import GAME, random_source
from tests.analysis.judging.judging_fixtures import BETTING, random_hand, worked_hand
from tests.golden import game
from tests.reference.blueprint_foils import foil
from tests.reference.small_games import same_sizes
from tests.solver.blueprint_fixtures import PUSH_FOLD, TINY, made_up_abstraction
from tests.solver.cfr.one_card_tables import leduc_with_twins
from tests.solver.postflop_fixtures import (
    CASES,
    RIVER,
    RIVER_LOCKS,
    games_of,
    river_spot,
    solver_of,
    tree_of,
    weights_of,
)

Arrays = Iterable[Any]
RUNS: dict[str, dict[str, Callable[[], Arrays]]] = {"quick": {}, "slow": {}}
"""Runs by name, in two parts: one takes Python some seconds, the other one more than half a minute."""


def run_of(function: Callable[[], Arrays]) -> Callable[[], Arrays]:
    RUNS["quick"][function.__name__] = function
    return function


def slow_run_of(function: Callable[[], Arrays]) -> Callable[[], Arrays]:
    RUNS["slow"][function.__name__] = function
    return function


@run_of
def random_numbers() -> Arrays:
    state = np.array([7], dtype=np.uint64)
    return [[int(next_random(state)), random_below(1000, state), random_unit(state)] for _ in range(20)]


@run_of
def logs_and_trees_of_hands() -> Arrays:
    lines = (
        "# a comment\nSCORE:0|0:A|B\nSTATE:x\n"
        "STATE:0:r300c/cr600f:2c3d|4h5s/6c7c8c:-300|300:A|B\nSTATE:1:f:QcKc|4d2h:50|-50:B|A\n"
        "STATE:2:r20000c///:2c3d|4h5s/6c7c8c/9c/Tc:0|0:A|B\nSTATE:3:cr300r150f:2c3d|4h5s:-100|100:A|B\n"
        "STATE:4:cc/cc/cc/cr200c:2c3d|Ah5s/6c7d8c/9c/Ts:200|-200:A|B"
    )
    text = np.frombuffer(lines.encode(), np.uint8)
    count, most = ingest.count_lines_kernel(text)
    hands, actions = allocate_columns(count, most)
    written = ingest.read_lines_kernel(hands, actions, text, ingest.Game(20000, 20000, 100, 50), np.uint64(7))
    read = hands.status == ingest.READ
    yield [count, most, written, *hands.status]
    for name in ("hand", "net", "cards", "raises", "rounds", "showdown", "num_actions"):
        yield getattr(hands, name)[read]
    yield (hands.key[read] >> np.uint64(40)).astype(np.int64)
    columns = {name: getattr(actions, name)[:written] for name in ACTION_COLUMNS}
    yield from columns.values()
    fresh = np.empty(4, np.bool_)
    yield [ingest.insert_keys_kernel(fresh, np.zeros(16, np.uint64), np.array([3, 19, 3, 5], np.uint64)), *fresh]
    nodes = allocate_nodes(200)
    yield [trees.build_tree_kernel(nodes, 2, 2, 2)]
    first = np.concatenate([[0], np.cumsum(hands.num_actions[read])]).astype(np.int64)
    for tree, size, grow in ((nodes, 47, False), (allocate_nodes(200), 1, True)):
        node_of_action = np.empty(written, np.int32)
        yield trees.walk_kernel(
            node_of_action, tree, size, first, columns["kind"], columns["round"], columns["seat"], columns["ordinal"],
            columns["pot"] / 100, grow,
        )  # fmt: skip
        yield node_of_action
        yield from (tree.children[:60], tree.hands[:60], tree.pot[:60])


@run_of
def ranks_of_hands() -> Arrays:
    sums, codes = np.zeros((2, 6175), dtype=np.int32)
    assert evaluator.enumerate_rank_sums(sums, codes, evaluator.RANK_KEYS, 5) == 6175
    hands = np.random.default_rng(1).permuted(np.tile(np.arange(52), (200, 1)), axis=1).astype(np.uint8)
    boards = [rank_combos(parse_cards(board)) for board in ("QhJh2c7d5s", "QhJh2h7h5h", "AsAdAhAcKd")]
    return [
        sums,
        codes,
        *boards,
        rank_hands(hands[:, :7]),
        *([rank_hand(hand[:n]) for hand in hands.tolist()] for n in (5, 6)),
    ]


@run_of
def boards_by_number() -> Arrays:
    boards = np.random.default_rng(2).permuted(np.tile(np.arange(52), (50, 1)), axis=1).astype(np.uint8)
    return [[board_index_kernel(board[:size].copy(), BINOMIALS) for board in boards] for size in (3, 4, 5)]


@run_of
def equities() -> Arrays:
    ranges = (np.random.default_rng(3).random((2, NUM_COMBOS)) < 0.01).astype(np.float64)
    yield from range_equity(*ranges, parse_cards("QhJh2c7d5s"))
    yield from range_equity(*ranges, parse_cards("QhJh2c7d"))
    holes = [parse_cards("AhKh"), parse_cards("7c7s")]
    yield expected_payoffs(parse_betting("cc/cc/r20000c/", GAME), holes, parse_cards("QhJh2c7d5s"))


@slow_run_of
def hand_ranks() -> Arrays:
    for board in ("", "KsTs3s", "KsTs5h", "KsTs5h3s", "KsTs5s3s2s"):
        yield np.array(hand_strength(parse_cards("AsKc"), parse_cards(board)))
    yield board_strengths(parse_cards("KsTs5s3s2h")).ihr


@run_of
def nearest_two_player_decisions() -> Arrays:
    situation = read_situation("rcc/rr")
    for way in list(Way)[1:]:
        ranking, count = rank_candidates(way, situation, 0, 20)
        yield [count, *ranking.indices, *ranking.distances]


@run_of
def shares_of_three_players() -> Arrays:
    hands = np.array([parse_cards(text) for text in ("AhKh", "7c7d", "2s3s")], dtype=np.uint8)
    boards = np.array([parse_cards("QsTh7h8d4s"), parse_cards("Qs7h2h3cTd")], dtype=np.uint8)
    for board in ("", "Qs7h2h3c", "Qs7h2h3c9d"):
        shares, cards = np.empty((8, 3)), np.array(parse_cards(board), dtype=np.uint8)
        share_kernel(shares, hands, cards, boards, evaluator_tables())
        yield [shares]


@run_of
def equities_over_run_outs() -> Arrays:
    hand, left = np.array(parse_cards("AsKc"), dtype=np.uint8), np.empty(14, dtype=np.int64)
    tables = evaluator_tables()
    for board in ("KsTs5s3s", "KsTs5s3s2h"):
        cards = np.zeros(5, dtype=np.uint8)
        cards[: len(board) // 2] = parse_cards(board)
        yield [run_outs.late_moment_kernel(hand, cards, len(board) // 2, power, left, tables) for power in (1, 2)]
    out = np.empty(NUM_COMBOS)
    run_outs.late_moments_kernel(out, cards, 5, 2, COMBO_CARDS, tables)
    yield out
    percentiles, weights = np.empty(NUM_COMBOS), combo_mask(cards).astype(np.float64)
    simulation.percentiles_kernel(percentiles, out)
    simulation.weigh_kernel(weights, percentiles, True, 0.1, 0.4)
    simulation.weigh_kernel(weights, percentiles, False, 0.1, 0.4)
    yield from (percentiles, weights)
    state = np.array([3], dtype=np.uint64)
    both = np.stack([weights, weights])
    yield [simulation.pot_share_kernel(both, hand, cards, 3, 20, state, COMBO_CARDS, tables)]


@slow_run_of
def judged_hands() -> Arrays:
    source = random.Random(3)
    hands = [SeatedHand(random_hand(source), 1) for _ in range(2)]
    for result in (Judge(roll_out=True).judge([worked_hand()]), Judge().judge(hands)):
        yield from result.judged
    cards = worked_hand().hand.hole_cards
    yield roll_out_boards(cards, [1.0, 2.0], [1, 0, 0, 0], BETTING, 2, np.random.default_rng(1))


@run_of
def solves() -> Arrays:
    for algorithm in ("dcfr", "cfr+", "pcfr+", "cfr-new", "cgh", "cfr:simultaneous=yes", "pcs", "external", "outcome"):
        solver, _ = river_spot(algorithm)
        solver.run(3)
        yield from _results(solver)


@run_of
def solves_with_merged_cards_locks_halves_and_rake() -> Arrays:
    for name in ("river, merged", "river, raked"):
        solver, _ = games_of(CASES[name])
        solver.run(2)
        yield from _results(solver)
    for options in (
        {"storage": "f16"},
        {"locks": RIVER_LOCKS["both players"]},
        {"locks": RIVER_LOCKS["both players"], "tremble": Tremble(0.1, 5.0)},
    ):
        solver = solver_of(RIVER, threads=1, **options)
        solver.run(3)
        yield from _results(solver)
    yield from (
        (check.simulated.mean, check.computed) for check in check_values(solver, num_hands=60, seed=1, threads=1)
    )


def _results(solver: Any) -> Arrays:
    found = solver.exploitability()
    yield [*found.ev_minus_half_pot, *found.best_response_ev_minus_half_pot]
    for node in np.flatnonzero(solver.tree.kind == NodeKind.DECISION).tolist():
        yield solver.node_strategy(node, ())


def _three_streets() -> tuple[CardGame, BettingTree]:
    """Returns a game of one private card out of five and two board cards."""
    hands = np.arange(5, dtype=np.int32)
    pairs = [(first, second) for first in range(5) for second in range(5) if first != second]
    strengths = np.array([[BLOCKED if hand in pair else (hand + pair[1]) % 5 for hand in hands] for pair in pairs])
    first = np.where(np.eye(5, dtype=np.bool_), BLOCKED, np.zeros((5, 5)))
    levels = (
        CardLevel(np.zeros((1, 5), dtype=np.int32), np.zeros(0, dtype=np.int32), 1.0, ((),)),
        CardLevel(first.astype(np.int32), np.zeros(5, dtype=np.int32), 1 / 3, ((),) * 5),
        CardLevel(strengths.astype(np.int32), np.array([a for a, _ in pairs], dtype=np.int32), 1 / 2, ((),) * 20),
    )
    weights = (np.linspace(0.5, 1, 5, dtype=np.float32), np.ones(5, dtype=np.float32))
    cards = np.stack([hands, hands + 5], axis=1).astype(np.int32)
    deal = CardGame(cards, (hands, hands), weights, levels, np.zeros((0, 5), dtype=np.int32))
    tree = build_postflop_tree(TreeConfig(street=1, pot=2, stack=2, sizes=same_sizes("1c", "1c/a", "a")))
    return deal, tree


@slow_run_of
def groups_of_hands_and_solves_on_them() -> Arrays:
    case = CASES["river, merged"]
    ranges = weights_of(case.oop), weights_of(case.ip)
    spot = prepare_tree(
        tree_of(case.board, case.sizes, case.pot, case.stack), parse_cards(case.board), ranges, merge_cards=False
    )
    values = SpotValues(spot)
    for name in (*map(str, IDENTITIES), KMEANS):
        yield from (street.number_of for side in values.group(name).players for street in side)
    groups = values.group("rank-river")
    side, river = values.values[0], [values.classes.river[0]]
    yield from (group_hands(side, river, "rank", test).number_of for test in TESTS)
    # Groups of three streets: two of the five cards act alike on every board.
    deal, tree = _three_streets()
    three = replace(spot, game=deal, tree=tree, pair_weight=3.75)
    numbers = [np.where(level.strengths >= 0, np.array([0, 0, 1, 2, 3]), -1).astype(np.int32) for level in deal.levels]
    streets = tuple(StreetGroups(number, number.max(axis=1).astype(np.int64) + 1) for number in numbers)
    pair = SpotGroups("pair", (streets, streets))
    solver = GroupSolver(spot, groups, algorithm="cgh", threads=1)
    solver.run(2)
    yield solver.epsilon()
    for algorithm, iterations in (("cfr", 1), ("pcfr+", 2), ("cfr-new", 1), ("cgh", 1)):
        solver = GroupSolver(three, pair, algorithm=algorithm, threads=1)
        solver.run(iterations)
        yield from (solver.root_values(player) for player in (0, 1))


@slow_run_of
def solves_of_three_streets() -> Arrays:
    """Solves a game of one private card out of five and two board cards, then Leduc hold'em with one suit dealt."""
    deal, tree = _three_streets()
    for algorithm, iterations in (("dcfr", 2), ("cfr", 1), ("pcs:cards=2", 1), ("external", 1)):
        solver = CfrSolver(deal, tree, threads=1, algorithm=algorithm)
        solver.step(iterations)
        yield from (solver.root_values(player, best_response=player == 1) for player in (0, 1))
    solver = CfrSolver(deal, tree, threads=1)
    solver.offer(0, np.linspace(-1, 1, 5, dtype=np.float32))
    solver.step(2)
    yield from (solver.root_values(player) for player in (0, 1))
    solver = CfrSolver(deal, tree, threads=1, tremble=Tremble(0.1, 0.5))
    solver.step(2)
    yield from solver.state().values()
    solver = CfrSolver(deal, tree, threads=1)
    model = np.random.default_rng(5).random(solver.layout.sizes[1]).astype(np.float32)
    solver.restrict(1, model, 0.4)
    solver.step(2)
    yield from (solver.values_against_mixture(best_response=best) for best in (False, True))
    yield solver.values_against(model, 0)
    yield from (solver.root_values(player) for player in (0, 1))
    # The boards of the second suit are dealt as those of the first.
    _, twins = leduc_with_twins((1.0, 0.5, 0.75))
    for algorithm in ("dcfr", "dcfr:average=reach", "pcs:cards=3", "outcome"):
        solver = CfrSolver(twins.game, twins.tree, threads=1, algorithm=algorithm)
        solver.step(2)
        yield from (solver.root_values(player, best_response=best) for player in (0, 1) for best in (False, True))
    solver = CfrSolver(twins.game, twins.tree, threads=1, tremble=Tremble(0.1, 0.5))
    solver.step(2)
    yield from solver.state().values()


@cache
def _drawn_blueprint() -> Blueprint:
    """Returns a blueprint of the menu TINY with rows drawn at random."""
    cards = made_up_abstraction()
    tree = build_blueprint_tree(TINY)
    offsets, size = row_offsets(tree, cards.bucket_counts)
    result = Blueprint(TINY, cards.config, tree, np.zeros(size, dtype=np.float32), offsets, {})
    rng = np.random.default_rng(4)
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        block = result.block(int(node))
        block[:] = rng.dirichlet(np.ones(block.shape[1]), size=len(block))
    return result


@slow_run_of
def blueprint_training() -> Arrays:
    cards, tree = made_up_abstraction(), build_blueprint_tree(PUSH_FOLD, stack=1_000)
    compiled = compile_tree(tree, cards.bucket_counts)
    regrets, sums = aligned_zeros(compiled.table_size), aligned_zeros(compiled.table_size)
    state = np.array([5], dtype=np.uint64)
    train_kernel(regrets, sums, allocate_scratch(compiled.program), compiled.program, cards.tables, 2, 0.01, state)
    yield from (regrets.copy(), sums.copy(), state.copy())
    for menu in (PUSH_FOLD, TINY):
        tree = build_blueprint_tree(menu)
        compiled = compile_tree(tree, cards.bucket_counts)
        regrets, sums = aligned_zeros(compiled.table_size), aligned_zeros(compiled.table_size)
        sampled = sampled_tree(tree, compiled)
        scratch = allocate_sampled_scratch(sampled)
        external_train_kernel(regrets, sums, scratch, sampled, cards.tables, 10, 0.01, 0.0, state)
        yield from (regrets, sums, state.copy())
    tree = build_blueprint_tree(PUSH_FOLD, stack=1_000)
    compiled = compile_tree(tree, cards.bucket_counts)
    regrets, sums = aligned_zeros(compiled.table_size), aligned_zeros(compiled.table_size)
    respond_kernel(regrets, sums, allocate_scratch(compiled.program), compiled.program, cards.tables, 1, 2, state)
    yield from (regrets, sums, state.copy())


@run_of
def three_player_training() -> Arrays:
    cards, state = made_up_abstraction(), np.array([6], dtype=np.uint64)
    tree = limit_tree(replace(load_gamedef("holdem.limit.3p"), max_raises=(1, 1, 1, 1)), merged=True)
    sampled, size = sampled_limit_tree(tree, cards.bucket_counts)
    regrets, sums = aligned_zeros(size), aligned_zeros(size)
    external_train_kernel(regrets, sums, allocate_sampled_scratch(sampled), sampled, cards.tables, 5, 0.01, 0.5, state)
    yield from (regrets, sums, state.copy())


@slow_run_of
def blueprint_walk_on_all_streets() -> Arrays:
    cards, tree = made_up_abstraction(), build_blueprint_tree(TINY, stack=600)
    compiled = compile_tree(tree, cards.bucket_counts)
    regrets, sums = aligned_zeros(compiled.table_size), aligned_zeros(compiled.table_size)
    scratch = allocate_scratch(compiled.program)
    scratch.reach[0] = 1.0
    hands = prepare_board_kernel(scratch, np.array(parse_cards("9h8h7h6h2s"), dtype=np.uint8), cards.tables)
    for player in (0, 1):
        walk_kernel(regrets, sums, scratch, compiled.program, player, True, 0.01, hands)
        yield scratch.value[0, :hands].copy()
    yield from (regrets, sums)


@run_of
def preflop_values() -> Arrays:
    cards, tree = made_up_abstraction(), build_blueprint_tree(PUSH_FOLD, stack=1_000)
    walk = PreflopWalk(tree, lambda node: np.full((NUM_HAND_CLASSES, tree.num_children[node]), 0.5), cards)
    preflop_values_kernel(
        walk.state.sums[0], walk.state.products, walk._preflop, walk._scratch, walk._table, walk.program, cards.tables,
        walk.figures, 1, walk.random_state(0),
    )  # fmt: skip
    yield from (walk.state.sums, walk.state.products)


@run_of
def river_kinds() -> Arrays:
    """Features of all hands on a river board, and the buckets of a few centres among them."""
    board = np.array(parse_cards("KhJh2h7c7s"), dtype=np.uint8)
    for kind in (OCHS, BLOCKERS):
        groups = (np.arange(NUM_COMBOS) % NUM_GROUPS).astype(np.uint8)
        features = np.zeros((NUM_COMBOS, NUM_RIVER_FEATURES), dtype=np.int32)
        river = equity_levels(4)._replace(kind=kind, groups=groups)
        ranks = rank_combos(board.tolist()).astype(np.int32)
        order, counts = np.empty(NUM_COMBOS, dtype=np.int32), np.empty(7_464, dtype=np.int32)
        number = sort_combos_kernel(order, counts, ranks)
        river_features_kernel(features, order, ranks, COMBO_CARDS, number, river)
        centres = np.empty((4, NUM_RIVER_FEATURES), dtype=np.int32)
        k_means_kernel(centres, features[order[:100:5]], 1, 2, np.array([3], dtype=np.uint64))
        river = river._replace(centres=sort_centres(centres, 1))
        tables = made_up_abstraction().tables._replace(river=river)
        buckets = np.zeros(NUM_COMBOS, dtype=np.uint16)
        river_buckets_kernel(buckets, board, tables)
        yield from (features, centres, buckets, [combo_river_bucket_kernel(int(order[0]), ranks, tables)])


@run_of
def blueprint_match() -> Arrays:
    cards, tree = made_up_abstraction(), build_blueprint_tree(PUSH_FOLD)
    offsets, size = row_offsets(tree, cards.bucket_counts)
    plain = Blueprint(PUSH_FOLD, cards.config, tree, np.zeros(size, dtype=np.float32), offsets, {})
    found = compare_blueprints(foil("random", plain), foil("all-in", plain), cards, 2)
    return [[found.mbb_per_hand, found.standard_error]]


@slow_run_of
def refined_flop() -> Arrays:
    context = refine.line_context(_drawn_blueprint(), made_up_abstraction(), "cr350r1050r2625c")
    number = flop_class(parse_cards("7s7h7d"))[0]

    def draw(histogram: NDArray[np.float32], *_: object) -> None:
        histogram[:] = np.random.default_rng(10).dirichlet(np.ones(4), size=len(histogram))

    # To count the equities on all run-outs takes a minute in Python.
    with mock.patch.object(refine, "histogram_kernel", draw):
        found = refine.refine_flop(context, number, seed=1, config=refine.RefineConfig(boards=1, bins=4))
    return [*found.rows, found.evs]


@slow_run_of
def best_response_on_a_flop() -> Arrays:
    context = refine.line_context(_drawn_blueprint(), made_up_abstraction(), "cr350r1050r2625c")
    ranges = context.line.ranges
    flop = FlopGame(context.tree, flop_representative(700), ranges, context.abstraction)
    rng = np.random.default_rng(6)

    @cache
    def blocks(node: int) -> NDArray[np.float32]:
        shape = (flop.bucket_counts[int(flop.tree.street[node])], int(flop.tree.num_children[node]))
        return rng.dirichlet(np.ones(shape[1]), size=shape[0]).astype(np.float32)

    table = flop.table(blocks)
    # Two rivers of one turn card.
    dealing = flop._dealing(flop._runouts([blocks]))
    dealing = dealing._replace(
        turns=dealing.turns[:1],
        turn_swaps=dealing.turn_swaps[:1],
        first_river=np.array([0, 2]),
        rivers=dealing.rivers[:2],
        river_swaps=dealing.river_swaps[:2],
    )
    yield flop._respond(table, dealing, 0, following=False)
    found = flop.match(blocks, blocks, runouts=2)
    yield [found.chips, *found.seats]


@slow_run_of
def local_best_response() -> Arrays:
    equity, wins, ranks = np.zeros(NUM_COMBOS), *np.zeros((2, NUM_COMBOS), dtype=np.int32)
    board = np.array(parse_cards("QhJh2c7d5s"), dtype=np.uint8)
    for known in (5, 4):
        lbr.hand_equity_kernel(equity, wins, ranks, board, known, 0, 51, evaluator_tables())
        yield equity.copy()
    source = random_source()
    packs = PackStrategy(source, ExactFlops(GAME, source.tree, []))

    class Player:
        def strategy(self, matchstate: Any) -> Any:
            return packs.options(matchstate.state.betting_string(), matchstate.board)[1]

    player = Player()
    fast = PackOpponent(player, packs)
    assert isinstance(fast, ReportingOpponent)
    rng = np.random.default_rng(8)
    for betting in ("", "r250c/", "r250c/cr700", "cc/cc/cr300"):
        state = parse_betting(betting, GAME)
        spot = LbrDecision(0, state.acting_position, (0, 1), tuple(board.tolist()), state)
        yield fast.reply(spot).probabilities
        reach = rng.random(NUM_COMBOS) * combo_mask(spot.visible_board)
        bets = [state.min_raise_to, 2 * state.min_raise_to, 20_000]
        opponent = spot._replace(position=1 - state.acting_position)
        yield fast.fold_masses(opponent, bets, reach, rng.random(NUM_COMBOS))


@slow_run_of
def aivat_values() -> Arrays:
    equities = np.random.default_rng(9).random((NUM_HAND_CLASSES, NUM_HAND_CLASSES))
    with mock.patch.object(aivat, "class_equities", return_value=equities):
        matchup = aivat.Matchup((3, 17))
    for board in ("QhJh2c7d", "QhJh2c7d5s"):
        matchup.deal(tuple(parse_cards(board)))
        yield matchup.basis
        if len(parse_cards(board)) == 4:
            yield matchup.next_card(np.linspace(-1, 1, aivat.NUM_FEATURES), 2.0, True)


@slow_run_of
def aivat_ranges() -> Arrays:
    rng = np.random.default_rng(11)
    # Many hands on one river board, then a few hands on all rivers of a turn.
    for text, count in (("QhJh2c7d5s", 132), ("QhJh2c7d", 12)):
        board = np.array(parse_cards(text), dtype=np.uint8)
        live = np.flatnonzero(combo_mask(board.tolist()))
        hands = np.sort(rng.choice(live, count, replace=False)).astype(np.int16)
        cards = np.empty((1 if len(board) == 5 else 48, 2), dtype=np.uint8)
        range_kernels.runouts_kernel(cards, board, 2)
        width = -(-count // 64) * 64
        classes = np.empty((len(cards), width), dtype=np.int8)
        range_kernels.runout_classes_kernel(classes, cards, board, hands, evaluator_tables())
        edges = np.empty((count, width), dtype=np.int16)
        range_kernels.edges_kernel(edges, classes, COMBO_CARDS[hands])
        yield from (classes, cards, edges)
    flop = np.empty((1176, 2), dtype=np.uint8)
    yield np.array([range_kernels.runouts_kernel(flop, board[:3], 2)])
    yield flop
    weights, met = np.zeros((2, NUM_COMBOS)), np.empty((2, NUM_COMBOS))
    weights[0, hands[:8]], weights[1, hands[4:]] = rng.random((2, 8))
    wins = np.zeros((2, NUM_COMBOS), dtype=np.float32)
    few = np.zeros((2, width), dtype=np.float32)
    few[:, :count] = weights[:, hands]
    sums = np.empty(width, dtype=np.float32)
    equities = np.zeros((NUM_COMBOS, NUM_COMBOS), dtype=np.float32)
    equities[np.ix_(hands, hands)] = rng.random((count, count))
    for side in (0, 1):
        range_kernels.met_kernel(met[side], weights[1 - side], COMBO_CARDS)
        range_kernels.wins_kernel(wins[side], weights[1 - side].astype(np.float32), equities)
        range_kernels.edge_sums_kernel(sums, few[1 - side, :count], edges)
        yield sums.copy()
    features = np.empty(range_kernels.NUM_RANGE_FEATURES)
    sides = [one for side in (0, 1) for one in (weights[side], met[side], wins[side])]
    for price in (0.0, 3.0):
        yield np.array([range_kernels.features_kernel(features, *sides, price), *features])
    both, swept = few[:, :count].T.copy(), np.zeros((2, count, 2), dtype=np.float32)
    targets = np.array([[1, -1], [0, 1]])
    range_kernels.sweep_kernel(swept, targets, classes[:2], both, np.arange(count), COMBO_CARDS[hands])
    yield swept
    added = np.empty(NUM_COMBOS)
    range_kernels.runout_wins_kernel(added, classes, weights[0], hands, COMBO_CARDS, 44)
    yield added
    range_kernels.next_card_features_kernel(features, len(board), classes, cards, *weights, hands, COMBO_CARDS)
    yield features


@run_of
def matches_of_bots() -> Arrays:
    for name, bots in (
        ("holdem.nolimit.2p.reverse_blinds", ("random", "call")),
        ("holdem.limit.3p", ("random", "raise", "fold")),
        ("leduc.limit.2p", ("random", "random")),
    ):
        log = io.BytesIO()
        found = play_bots(game(name), bots, num_hands=12, seed=1, bot_seeds=range(len(bots)), log=log)
        yield np.frombuffer(log.getvalue(), dtype=np.uint8)
        yield from (found.totals, found.decisions)
