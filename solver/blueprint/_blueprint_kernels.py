"""Kernels of the blueprint trainer: counterfactual regret minimisation on one sampled board at a time.

The tree is cut into *rounds*: the decisions of one street below one deal. Inside a round a strategy depends on the
bucket alone, so regrets, reach probabilities and values of its nodes are vectors over buckets; single hands
matter only at the leaves of the round (folds, showdowns, the next deal). Two kinds of loops follow:

* over nodes, sixteen *buckets* per vector: regret matching downwards, regrets and averages upwards;
* over hands in order of strength, sixteen *leaves* per vector: the opponent's reach is summed in total and per
  card, which gives every hand's value at a fold or showdown with exact card removal.

Small transpositions lead from one to the other. Vectors may be read past the last bucket or leaf: bucket rows are
padded to a multiple of 16 (no hand has such a bucket) and so are leaves (their payoff is 0).

One iteration deals five cards and walks the tree once per player; the second walk sees the first one's updates.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, rank_combos_kernel
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables, board_buckets_kernel
from hedgehog.solver.blueprint.cards._river_kernels import (
    NUM_OPPONENTS,
    deal_kernel,
    sort_combos_kernel,
    sorted_river_buckets_kernel,
)
from hedgehog.solver.cfr.kernels._simd_kernels import (
    LANES,
    fma,
    load,
    positive,
    splat,
    store,
    transpose,
    transpose_from,
    where_positive,
    zeros,
)

MAX_HANDS: Final = 1328
"""Most hands of a deal, padded to whole vectors: all 1,326 in a game without a board, 1,081 on a river board."""
ALL_CARDS: Final = 52 * LANES
"""Offset in ``by_card`` of the sum over all hands, which follows the sums by card."""


class RoundProgram(NamedTuple):
    """A betting tree compiled into rounds. A *row* is one action of one node; rows are numbered within their round.

    Reach probabilities lie in slots. Slot ``r + 1`` holds the reach of the player who took row ``r``. Slot 0 is for a
    player who has not acted in the round yet.
    """

    round_street: NDArray[np.int64]
    """(R,) street of every round; round 0 is preflop."""
    round_node: NDArray[np.int64]
    """(R + 1,) first decision of every round."""
    round_leaf: NDArray[np.int64]
    """(R + 1,) first leaf of every round, a multiple of 16."""
    round_terminals: NDArray[np.int64]
    """(R,) number of folds and showdowns of every round, which are its first leaves."""
    round_deals: NDArray[np.int64]
    """(R,) number of deals of every round, which are the leaves after folds and showdowns; padding follows them."""
    round_table: NDArray[np.int64]
    """(R + 1,) start of the round's rows in the tables of regrets and sums."""
    node_player: NDArray[np.int64]
    """(N,) acting player."""
    node_slot: NDArray[np.int64]
    """(N,) slot of the acting player's reach probability."""
    node_row: NDArray[np.int64]
    """(N,) the row that led to the node, -1 at the start of a round."""
    node_first_row: NDArray[np.int64]
    """(N,) row of the first action."""
    node_actions: NDArray[np.int64]
    """(N,) number of actions."""
    leaf_slot: NDArray[np.int64]
    """(2, L) slot of either player's reach probability."""
    leaf_row: NDArray[np.int64]
    """(L,) the row that led to the leaf; padding has the number of rows of the round."""
    leaf_stake: NDArray[np.float32]
    """(L,) thousands of chips that the better hand wins at a showdown, 0 elsewhere."""
    leaf_fold: NDArray[np.float32]
    """(2, L) thousands of chips that each player wins at a fold, negative for the player who folded; 0 elsewhere."""
    leaf_round: NDArray[np.int64]
    """(L,) the round that follows a deal, -1 elsewhere."""
    street_rows: NDArray[np.int64]
    """(4,) largest number of rows of a round, by street."""
    street_buckets: NDArray[np.int64]
    """(4,) number of buckets by street, padded to a multiple of 16."""


class RoundScratch(NamedTuple):
    """Working memory of one thread. The leading axis of arrays with two axes is the street."""

    reach: NDArray[np.float32]
    """(4, 2 * MAX_HANDS) reach probabilities of both players at the start of the round."""
    value: NDArray[np.float32]
    """(4, MAX_HANDS) value of every hand at the start of the round."""
    slots: NDArray[np.float32]
    """(4, (rows + 1) * buckets) reach within the round, by slot and bucket."""
    row_values: NDArray[np.float32]
    """(4, (rows + 1) * buckets) values by row and bucket; the last row receives the values of padding."""
    leaf_reach: NDArray[np.float32]
    """(4, 2 * buckets * leaves) reach within the round at the leaves, by player, bucket and leaf."""
    leaf_values: NDArray[np.float32]
    """(4, buckets * leaves) summed values of the hands by bucket and leaf."""
    leaf_at: NDArray[np.int64]
    """(4, leaves / 16 * buckets) offset in ``leaf_values`` of each vector of 16 leaves, by vector and bucket."""
    slot_at: NDArray[np.int64]
    """(leaves,) offset in ``slots`` of each leaf's slot."""
    row_at: NDArray[np.int64]
    """(leaves,) offset in ``row_values`` of each leaf's row."""
    hand_row: NDArray[np.int64]
    """(4, MAX_HANDS) offset in ``leaf_values`` of the bucket of every hand."""
    hand_bucket: NDArray[np.int64]
    """(4, MAX_HANDS) bucket of every hand."""
    hand_combo: NDArray[np.int64]
    """(MAX_HANDS,) combo of every hand."""
    hand_card: NDArray[np.int64]
    """(2, MAX_HANDS) sixteen times the low and the high card of every hand."""
    tie_end: NDArray[np.int64]
    """(MAX_HANDS,) for the first hand of every group of equally strong hands, the end of the group."""
    by_hand: NDArray[np.float32]
    """(16 * MAX_HANDS,) a vector of leaves per hand."""
    value_by_hand: NDArray[np.float32]
    """(16 * MAX_HANDS,) values summed over leaves, still in 16 lanes."""
    by_card: NDArray[np.float32]
    """(16 * 53,) a vector of leaves per card, and one for all cards."""
    tile: NDArray[np.float32]
    """(256,) 16 rows of 16 lanes, for transpositions."""
    tile_at: NDArray[np.int64]
    """(16,) offsets of the rows of ``tile``."""
    hand_at: NDArray[np.int64]
    """(MAX_HANDS,) offsets of the rows of ``value_by_hand``."""
    bucket_weight: NDArray[np.float32]
    """(buckets,) own reach at the start of a round, summed by bucket."""


# --- the board ----------------------------------------------------------------------------------------------------


@njit(nogil=True)
def prepare_board_kernel(scratch: RoundScratch, board: NDArray[np.uint8], cards: AbstractionTables) -> int:
    """Writes the hands of a river board by strength, with their buckets, and returns the number of hands."""
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    buckets = np.empty((4, 1326), dtype=np.uint16)
    rank_combos_kernel(ranks, board, cards.evaluator)
    num_hands = sort_combos_kernel(order, counts, ranks)
    buckets[0] = cards.hand_class
    board_buckets_kernel(buckets[1], board[:3], cards.flop, cards)
    board_buckets_kernel(buckets[2], board[:4], cards.turn, cards)
    sorted_river_buckets_kernel(buckets[3], order, ranks, cards.combo_cards, num_hands, cards.river)
    first = 0
    for h in range(num_hands):
        combo = order[h]
        scratch.hand_combo[h] = combo
        scratch.hand_card[0, h] = LANES * np.int64(cards.combo_cards[combo, 0])
        scratch.hand_card[1, h] = LANES * np.int64(cards.combo_cards[combo, 1])
        for street in range(4):
            scratch.hand_bucket[street, h] = buckets[street, combo]
        if ranks[combo] != ranks[order[first]]:
            scratch.tie_end[first] = h
            first = h
    scratch.tie_end[first] = num_hands
    return num_hands


# --- inside a round, sixteen buckets per vector -------------------------------------------------------------------


@njit(nogil=True)
def forward_kernel(
    sums: NDArray[np.float32],
    slots: NDArray[np.float32],
    regrets: NDArray[np.float32],
    bucket_weight: NDArray[np.float32],
    program: RoundProgram,
    this_round: int,
    traverser: int,
    tremble: float,
) -> None:
    """Writes the reach of every slot by regret matching and adds the traverser's strategy to ``sums``.

    :param sums: summed strategies, weighted by own reach; the layout of ``regrets``.
    :param slots: (rows + 1, buckets) output.
    :param regrets: tables of all rounds: (rows, buckets) each.
    :param bucket_weight: (buckets,) the traverser's reach at the start of the round.
    :param traverser: the player whose strategy is added to ``sums``, -1 for neither.
    :param tremble: least probability of every action of the other player.
    """
    width = program.street_buckets[program.round_street[this_round]]
    table = program.round_table[this_round]
    one = splat(np.float32(1.0))
    for b in range(0, width, LANES):
        store(slots, b, one)
    for node in range(program.round_node[this_round], program.round_node[this_round + 1]):
        num_actions = program.node_actions[node]
        first_row = program.node_first_row[node]
        row = table + first_row * width
        source = program.node_slot[node] * width
        target = (first_row + 1) * width
        share = splat(np.float32(1.0 / num_actions))
        averaging = program.node_player[node] == traverser
        floor = np.float32(0.0 if averaging else tremble)
        least = splat(floor)
        rest = splat(np.float32(1.0) - np.float32(num_actions) * floor)
        for b in range(0, width, LANES):
            total = positive(load(regrets, row + b))
            for a in range(1, num_actions):
                total = total + positive(load(regrets, row + a * width + b))
            reach = load(slots, source + b)
            scale = reach / where_positive(total, total, one)
            even = reach * share
            weight = load(bucket_weight, b)
            for a in range(num_actions):
                regret = positive(load(regrets, row + a * width + b))
                probability = fma(rest, where_positive(total, regret * scale, even), least * reach)
                store(slots, target + a * width + b, probability)
                if averaging:
                    at = row + a * width + b
                    store(sums, at, fma(weight, probability, load(sums, at)))


@njit(nogil=True)
def backward_kernel(
    regrets: NDArray[np.float32],
    row_values: NDArray[np.float32],
    program: RoundProgram,
    this_round: int,
    traverser: int,
) -> None:
    """Carries the values of the leaves up to the start of the round and updates the traverser's regrets.

    :param row_values: (rows + 1, buckets) values of the rows that end in leaves; the others are written here.
    """
    width = program.street_buckets[program.round_street[this_round]]
    table = program.round_table[this_round]
    one = splat(np.float32(1.0))
    for node in range(program.round_node[this_round + 1] - 1, program.round_node[this_round] - 1, -1):
        num_actions = program.node_actions[node]
        first_row = program.node_first_row[node]
        values = first_row * width
        target = program.node_row[node] * width
        if program.node_player[node] == traverser:
            row = table + first_row * width
            share = splat(np.float32(1.0 / num_actions))
            for b in range(0, width, LANES):
                total = zeros()
                value = zeros()
                plain = zeros()
                for a in range(num_actions):
                    regret = positive(load(regrets, row + a * width + b))
                    action_value = load(row_values, values + a * width + b)
                    total = total + regret
                    value = fma(regret, action_value, value)
                    plain = plain + action_value
                value = where_positive(total, value / where_positive(total, total, one), plain * share)
                for a in range(num_actions):
                    at = row + a * width + b
                    store(regrets, at, load(regrets, at) + (load(row_values, values + a * width + b) - value))
                if target >= 0:
                    store(row_values, target + b, value)
        elif target >= 0:
            for b in range(0, width, LANES):
                value = load(row_values, values + b)
                for a in range(1, num_actions):
                    value = value + load(row_values, values + a * width + b)
                store(row_values, target + b, value)


# --- leaves, sixteen per vector -----------------------------------------------------------------------------------


@njit(nogil=True)
def sum_reach_kernel(
    by_hand: NDArray[np.float32],
    by_card: NDArray[np.float32],
    opponent_reach: NDArray[np.float32],
    reach: NDArray[np.float32],
    hand_row: NDArray[np.int64],
    low_card: NDArray[np.int64],
    high_card: NDArray[np.int64],
    tie_end: NDArray[np.int64],
    num_hands: int,
    first_leaf: int,
) -> None:
    """Sums the opponent's reach at sixteen leaves over the hands in order of strength.

    All sums for a hand leave out the opponent's hands that share a card with it. The value of a fold is its payoff
    times the sum over all hands. The value of a showdown is its stake times the difference of the sums over weaker and
    over stronger hands. With W the sum over weaker hands, E over weaker and equal ones and A over all hands, this
    difference is W + E - A; the share of the hand itself in E and in A cancels.

    :param by_hand: (hands, 16) output: W + E of each hand.
    :param by_card: (53, 16) output: the sum over the hands with each card, then the sum over all hands.
    :param opponent_reach: (buckets, leaves) within the round.
    :param reach: (hands,) the opponent's reach at the start of the round.
    :param hand_row: (hands,) where the bucket of every hand starts in ``opponent_reach``.
    :param first_leaf: first of the sixteen leaves within the round.
    """
    for card in range(0, ALL_CARDS, LANES):
        store(by_card, card, zeros())
    total = zeros()
    first = 0
    while first < num_hands:
        last = tie_end[first]
        for h in range(first, last):
            store(by_hand, h * LANES, total - load(by_card, low_card[h]) - load(by_card, high_card[h]))
        for h in range(first, last):
            x = splat(reach[h]) * load(opponent_reach, hand_row[h] + first_leaf)
            total = total + x
            store(by_card, low_card[h], load(by_card, low_card[h]) + x)
            store(by_card, high_card[h], load(by_card, high_card[h]) + x)
        for h in range(first, last):
            equal = total - load(by_card, low_card[h]) - load(by_card, high_card[h])
            store(by_hand, h * LANES, load(by_hand, h * LANES) + equal)
        first = last
    store(by_card, ALL_CARDS, total)


@njit(nogil=True)
def terminal_kernel(
    leaf_values: NDArray[np.float32],
    value_by_hand: NDArray[np.float32],
    by_hand: NDArray[np.float32],
    by_card: NDArray[np.float32],
    own_reach: NDArray[np.float32],
    opponent_reach: NDArray[np.float32],
    stakes: NDArray[np.float32],
    fold_payoffs: NDArray[np.float32],
    reach: NDArray[np.float32],
    hand_row: NDArray[np.int64],
    low_card: NDArray[np.int64],
    high_card: NDArray[np.int64],
    tie_end: NDArray[np.int64],
    num_hands: int,
    first_leaf: int,
) -> None:
    """Adds the values of sixteen folds or showdowns to the sums by bucket and by hand.

    :param leaf_values: (buckets, leaves) output, added to: values summed by bucket.
    :param value_by_hand: (hands, 16) output, added to: values weighted by own reach within the round.
    :param own_reach: (buckets, leaves) own reach within the round.
    :param opponent_reach: (buckets, leaves).
    :param stakes: (L,) payoffs of the round's showdowns.
    :param fold_payoffs: (L,) payoffs of the round's folds.
    :param reach: (hands,) the opponent's reach at the start of the round.
    :param first_leaf: first of the sixteen leaves within the round.
    """
    sum_reach_kernel(
        by_hand, by_card, opponent_reach, reach, hand_row, low_card, high_card, tie_end, num_hands, first_leaf
    )
    total = load(by_card, ALL_CARDS)
    stake = load(stakes, first_leaf)
    fold_payoff = load(fold_payoffs, first_leaf)
    # Neighbours in strength often share a bucket: its sum stays in a register until the bucket changes.
    row = hand_row[0] + first_leaf
    bucket_sum = load(leaf_values, row)
    for h in range(num_hands):
        if hand_row[h] + first_leaf != row:
            store(leaf_values, row, bucket_sum)
            row = hand_row[h] + first_leaf
            bucket_sum = load(leaf_values, row)
        everything = total - load(by_card, low_card[h]) - load(by_card, high_card[h])
        # The hand itself is in the total once and under both cards, hence added back for the fold.
        disjoint = fma(splat(reach[h]), load(opponent_reach, row), everything)
        value = fma(stake, load(by_hand, h * LANES) - everything, fold_payoff * disjoint)
        bucket_sum = bucket_sum + value
        store(value_by_hand, h * LANES, fma(load(own_reach, row), value, load(value_by_hand, h * LANES)))
    store(leaf_values, row, bucket_sum)


# --- a round ------------------------------------------------------------------------------------------------------


@njit(nogil=True)
def spread_reach_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    this_round: int,
    learner: int,
    tremble: float,
) -> None:
    """Walks down one round and writes both players' reach within it at its leaves, by bucket.

    :param learner: the player whose strategy is added to ``sums``, with the weights of ``scratch.bucket_weight``; -1
        for neither.
    :param tremble: least probability of every action of the other player.
    """
    street = program.round_street[this_round]
    width = program.street_buckets[street]
    first_leaf = program.round_leaf[this_round]
    stride = program.round_leaf[this_round + 1] - first_leaf
    num_blocks = stride // LANES
    slots = scratch.slots[street]
    forward_kernel(sums, slots, regrets, scratch.bucket_weight, program, this_round, learner, tremble)

    # Bring the reach of the leaves from [slot][bucket] to [bucket][leaf].
    leaf_at = scratch.leaf_at[street]
    for block in range(num_blocks):
        for b in range(width):
            leaf_at[block * width + b] = b * stride + block * LANES
    size = width * stride
    leaf_reach = scratch.leaf_reach[street]
    for player in range(2):
        target = leaf_reach[player * size : (player + 1) * size]
        for i in range(stride):
            scratch.slot_at[i] = program.leaf_slot[player, first_leaf + i] * width
        for block in range(num_blocks):
            for b in range(0, width, LANES):
                transpose_from(target, leaf_at, block * width + b, slots, b, scratch.slot_at, block * LANES)


@njit(nogil=True)
def round_terminals_kernel(
    scratch: RoundScratch, program: RoundProgram, this_round: int, traverser: int, num_hands: int
) -> None:
    """Evaluates the folds and showdowns of a round for the traverser, once the reach at its leaves is known.

    Their values are written by bucket into ``scratch.leaf_values``, where all other leaves of the round get 0, and by
    hand and lane into ``scratch.value_by_hand``.
    """
    street = program.round_street[this_round]
    first_leaf = program.round_leaf[this_round]
    stride = program.round_leaf[this_round + 1] - first_leaf
    size = program.street_buckets[street] * stride
    opponent = 1 - traverser
    bucket = scratch.hand_bucket[street]
    leaf_reach = scratch.leaf_reach[street]
    leaf_values = scratch.leaf_values[street]
    leaf_values[:size] = 0.0
    hand_row = scratch.hand_row[street]
    for h in range(num_hands):
        hand_row[h] = bucket[h] * stride
    scratch.value_by_hand[: (num_hands + LANES) * LANES] = 0.0
    own_reach = leaf_reach[traverser * size : (traverser + 1) * size]
    opponent_reach = leaf_reach[opponent * size : (opponent + 1) * size]
    root_reach = scratch.reach[street][opponent * MAX_HANDS : (opponent + 1) * MAX_HANDS]
    stakes = program.leaf_stake[first_leaf : first_leaf + stride]
    fold_payoffs = program.leaf_fold[traverser, first_leaf : first_leaf + stride]
    for leaf in range(0, program.round_terminals[this_round], LANES):
        terminal_kernel(
            leaf_values, scratch.value_by_hand, scratch.by_hand, scratch.by_card, own_reach, opponent_reach, stakes,
            fold_payoffs, root_reach, hand_row, scratch.hand_card[0], scratch.hand_card[1], scratch.tie_end, num_hands,
            leaf,
        )  # fmt: skip


@njit(nogil=True)
def sum_lanes_kernel(
    values: NDArray[np.float32], first: int, by_lane: NDArray[np.float32], scratch: RoundScratch, num_hands: int
) -> None:
    """Sums the lanes of every hand, sixteen hands at a time.

    :param values: output from ``first`` on, where hand ``h`` is ``values[first + h]``.
    :param by_lane: lane ``i`` of hand ``h`` is ``by_lane[16 * (first + h) + i]``; zeros follow the last hand.
    :param scratch: its ``tile`` is working memory.
    """
    for h in range(0, num_hands, LANES):
        transpose_from(scratch.tile, scratch.tile_at, 0, by_lane, first * LANES, scratch.hand_at, h)
        lanes = load(scratch.tile, 0)
        for i in range(LANES, LANES * LANES, LANES):
            lanes = lanes + load(scratch.tile, i)
        store(values, first + h, lanes)


@njit(nogil=True)
def enter_round_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    this_round: int,
    traverser: int,
    learning: bool,
    tremble: float,
    num_hands: int,
) -> None:
    """Walks down one round and evaluates its folds and showdowns."""
    street = program.round_street[this_round]
    weight = scratch.bucket_weight
    weight[: program.street_buckets[street]] = 0.0
    for h in range(num_hands):
        weight[scratch.hand_bucket[street, h]] += scratch.reach[street, traverser * MAX_HANDS + h]
    spread_reach_kernel(regrets, sums, scratch, program, this_round, traverser if learning else -1, tremble)
    round_terminals_kernel(scratch, program, this_round, traverser, num_hands)

    sum_lanes_kernel(scratch.value[street], 0, scratch.value_by_hand, scratch, num_hands)


@njit(nogil=True)
def leave_round_kernel(
    regrets: NDArray[np.float32], scratch: RoundScratch, program: RoundProgram, this_round: int, traverser: int
) -> None:
    """Walks up one round once the values of all its leaves are known."""
    street = program.round_street[this_round]
    width = program.street_buckets[street]
    first_leaf = program.round_leaf[this_round]
    stride = program.round_leaf[this_round + 1] - first_leaf
    row_at = scratch.row_at
    for i in range(stride):
        row_at[i] = program.leaf_row[first_leaf + i] * width
    row_values = scratch.row_values[street]
    leaf_at = scratch.leaf_at[street]
    leaf_values = scratch.leaf_values[street]
    for block in range(stride // LANES):
        for b in range(0, width, LANES):
            transpose(row_values, b, row_at, block * LANES, leaf_values, leaf_at, block * width + b)
    backward_kernel(regrets, row_values, program, this_round, traverser)


@njit(nogil=True)
def enter_deal_kernel(
    scratch: RoundScratch, program: RoundProgram, this_round: int, deal: int, traverser: int, num_hands: int
) -> bool:
    """Writes both players' reach at the start of the round after a deal.

    :returns: False if the opponent's reach there is zero for every hand.
    """
    street = program.round_street[this_round]
    leaf = program.round_terminals[this_round] + deal
    size = program.street_buckets[street] * (program.round_leaf[this_round + 1] - program.round_leaf[this_round])
    hand_row = scratch.hand_row[street]
    reach = scratch.reach[street]
    next_reach = scratch.reach[street + 1]
    largest = np.float32(0.0)
    for player in range(2):
        leaf_reach = scratch.leaf_reach[street][player * size : (player + 1) * size]
        start = player * MAX_HANDS
        for h in range(num_hands):
            x = reach[start + h] * leaf_reach[hand_row[h] + leaf]
            next_reach[start + h] = x
            if player != traverser:
                largest = max(largest, x)
    return bool(largest > 0.0)


@njit(nogil=True)
def leave_deal_kernel(
    scratch: RoundScratch, program: RoundProgram, this_round: int, deal: int, traverser: int, num_hands: int
) -> None:
    """Adds the values at the start of the round after a deal to the deal's leaf."""
    street = program.round_street[this_round]
    leaf = program.round_terminals[this_round] + deal
    size = program.street_buckets[street] * (program.round_leaf[this_round + 1] - program.round_leaf[this_round])
    hand_row = scratch.hand_row[street]
    own_reach = scratch.leaf_reach[street][traverser * size : (traverser + 1) * size]
    leaf_values = scratch.leaf_values[street]
    value = scratch.value[street]
    next_value = scratch.value[street + 1]
    for h in range(num_hands):
        row = hand_row[h] + leaf
        leaf_values[row] += next_value[h]
        value[h] += own_reach[row] * next_value[h]


@njit(nogil=True)
def walk_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    traverser: int,
    learning: bool,
    tremble: float,
    num_hands: int,
) -> None:
    """Writes the value of every hand of the traverser at the root into ``scratch.value`` of the root's street.

    The walk is depth-first over the rounds, and ``scratch`` holds one open round per street. The caller sets both
    players' reach at the root in ``scratch.reach`` of the root's street.

    :param learning: whether to update the traverser's regrets and summed strategies.
    :param tremble: least probability of every action of the other player; 0 if ``learning`` is off.
    """
    open_round = np.zeros(4, dtype=np.int64)
    next_deal = np.zeros(4, dtype=np.int64)
    root = program.round_street[0]
    street = root
    enter_round_kernel(regrets, sums, scratch, program, 0, traverser, learning, tremble, num_hands)
    while street >= root:
        this_round = open_round[street]
        deal = next_deal[street]
        if deal < program.round_deals[this_round]:
            next_deal[street] += 1
            if enter_deal_kernel(scratch, program, this_round, deal, traverser, num_hands):
                leaf = program.round_leaf[this_round] + program.round_terminals[this_round] + deal
                street += 1
                open_round[street] = program.leaf_round[leaf]
                next_deal[street] = 0
                enter_round_kernel(
                    regrets, sums, scratch, program, open_round[street], traverser, learning, tremble, num_hands
                )
        else:
            if learning:
                leave_round_kernel(regrets, scratch, program, this_round, traverser)
            street -= 1
            if street >= root:
                leave_deal_kernel(scratch, program, open_round[street], next_deal[street] - 1, traverser, num_hands)


@njit(nogil=True)
def train_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    cards: AbstractionTables,
    num_iterations: int,
    tremble: float,
    rng_state: NDArray[np.uint64],
) -> None:
    """Runs iterations, each of which deals a board and updates player 0 and then player 1.

    :param regrets: tables of all rounds. Other threads may add to them at the same time; a lost update is noise.
    :param sums: tables of summed strategies, which other threads may add to as well.
    :param tremble: least probability of every action of the player who does not learn.
    :param rng_state: (1,) state of SplitMix64.
    """
    board = np.empty(5, dtype=np.uint8)
    scratch.reach[0, :] = 1.0
    for _ in range(num_iterations):
        deal_kernel(board, rng_state)
        num_hands = prepare_board_kernel(scratch, board, cards)
        for traverser in range(2):
            walk_kernel(regrets, sums, scratch, program, traverser, True, tremble, num_hands)


@njit(nogil=True)
def compare_kernel(
    results: NDArray[np.float64],
    tables: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    cards: AbstractionTables,
    rng_state: NDArray[np.uint64],
) -> None:
    """Writes what strategy A wins against strategy B on random boards, averaged over both seats and all pairs of hands.

    :param results: (B,) output: thousands of chips per hand, one entry per board.
    :param tables: (2, table size) strategies in the layout of the regrets. The first has A's decisions for player 0 and
        B's for player 1, the second B's for player 0 and A's for player 1.
    :param sums: any array; it is not changed.
    """
    board = np.empty(5, dtype=np.uint8)
    scratch.reach[0, :] = 1.0
    for i in range(len(results)):
        deal_kernel(board, rng_state)
        num_hands = prepare_board_kernel(scratch, board, cards)
        total = 0.0
        for seat in range(2):
            walk_kernel(tables[seat], sums, scratch, program, seat, False, 0.0, num_hands)
            for h in range(num_hands):
                total += scratch.value[0, h]
        results[i] = total / (2.0 * num_hands * NUM_OPPONENTS)


@njit(nogil=True)
def respond_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    cards: AbstractionTables,
    player: int,
    num_iterations: int,
    rng_state: NDArray[np.uint64],
) -> None:
    """Runs iterations that update one player alone, against an opponent who never changes.

    :param regrets: table in which the opponent's rows hold its strategy, which regret matching gives back.
    :param sums: table of summed strategies.
    :param rng_state: (1,) state of SplitMix64.
    """
    board = np.empty(5, dtype=np.uint8)
    scratch.reach[0, :] = 1.0
    for _ in range(num_iterations):
        deal_kernel(board, rng_state)
        num_hands = prepare_board_kernel(scratch, board, cards)
        walk_kernel(regrets, sums, scratch, program, player, True, 0.0, num_hands)
