"""Kernels of local best response: the equity of a hand against every combo, and how players with packs answer bets."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker._combo_kernels import combo_kernel
from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank_combos_kernel
from hedgehog.runtime.jit import njit
from hedgehog.strategies.betting_tree import ActionKind, NodeKind
from hedgehog.strategies.translation import lower_share


@njit
def add_board_kernel(wins: NDArray[np.int32], ranks: NDArray[np.int32], own: int) -> None:
    """Adds the results of a hand on one river board: 2 for every combo that loses to the hand, 1 for every tie.

    :param wins: (1326,) results by combo, added to.
    :param ranks: (1326,) rank of every combo on the board, negative where the board blocks the combo.
    :param own: combo of the hand, 0..1325, which the board does not block.
    """
    mine = ranks[own]
    for combo in range(len(wins)):
        rank = ranks[combo]
        if 0 <= rank <= mine:
            wins[combo] += 2 if rank < mine else 1


@njit
def hand_equity_kernel(
    equity: NDArray[np.float64],
    wins: NDArray[np.int32],
    ranks: NDArray[np.int32],
    full_board: NDArray[np.uint8],
    known: int,
    low: int,
    high: int,
    tables: EvaluatorTables,
) -> None:
    """Computes the equity of a hand against every combo, over all run-outs that neither of the two hands blocks.

    :param equity: (1326,) output, 0..1, ties count half. Entries of combos that share a card with the hand or the board
        have no meaning.
    :param wins: (1326,) scratch.
    :param ranks: (1326,) scratch.
    :param full_board: (5,) card ids; the first ``known`` cards are on the table, the others are scratch.
    :param known: number of board cards on the table: 3, 4 or 5.
    :param low: card id of the lower card of the hand.
    :param high: card id of the higher card of the hand.
    """
    own = combo_kernel(low, high)
    wins[:] = 0
    if known == 5:
        boards = 1
        rank_combos_kernel(ranks, full_board, tables)
        add_board_kernel(wins, ranks, own)
    else:
        dead = np.zeros(52, dtype=np.bool_)
        dead[low] = True
        dead[high] = True
        for i in range(known):
            dead[full_board[i]] = True
        # 44 cards miss two hands and a turn board, 45 miss two hands and a flop.
        boards = 44 if known == 4 else 990
        # Without a turn to come the loop over its card runs once, over no card.
        for turn in range(52 if known == 3 else 1):
            if known == 3:
                if dead[turn]:
                    continue
                full_board[3] = turn
            for river in range(turn + 1 if known == 3 else 0, 52):
                if dead[river]:
                    continue
                full_board[4] = river
                rank_combos_kernel(ranks, full_board, tables)
                add_board_kernel(wins, ranks, own)
    scale = 0.5 / boards
    for combo in range(len(wins)):
        equity[combo] = wins[combo] * scale


# --- players with strategy packs ----------------------------------------------------------------------------------

_DECISION: Final = int(NodeKind.DECISION)
_FOLD: Final = int(ActionKind.FOLD)
_CHECK: Final = int(ActionKind.CHECK)
_CALL: Final = int(ActionKind.CALL)
_BET: Final = int(ActionKind.BET)
_ALL_IN: Final = int(ActionKind.ALL_IN)
_MAX_ACTIONS: Final = 32
_MAX_NODES: Final = 64
_FOLD_KEY: Final = -1
_CALL_KEY: Final = 0


class TreeArrays(NamedTuple):
    """The arrays of a :class:`hedgehog.strategies.betting_tree.BettingTree` that the kernels need."""

    kind: NDArray[np.int8]
    player: NDArray[np.int8]
    first_child: NDArray[np.int32]
    num_children: NDArray[np.int32]
    action: NDArray[np.int8]
    committed: NDArray[np.int32]
    root_pot: int


class ShadowArrays(NamedTuple):
    """The shadows of a betting line (:mod:`hedgehog.agent.strategy.line_shadows`). S is their number."""

    nodes: NDArray[np.int64]
    """(S,) nodes of the tree."""
    weights: NDArray[np.float64]
    """(S,) weights, which sum to 1."""
    targets: NDArray[np.int64]
    """(S, M) index of the real action for each shadow and child, -1 beyond the last child."""
    means: NDArray[np.float64]
    """(S, M) how often the strategy takes each action."""


class StoredRows(NamedTuple):
    """Where the stored rows of nodes are on a board."""

    rows: NDArray[np.uint8]
    starts: NDArray[np.int64]
    """(N,) index in ``rows`` at which the rows of each node of the tree start."""
    buckets: NDArray[np.int64]
    """(1326,) row of every combo within a node, -1 for blocked combos."""


class Bettor(NamedTuple):
    """What the rules say about a player who is about to bet; all amounts are totals over the hand, in chips."""

    max_spent: int
    """The larger of both players' totals before the bet."""
    min_raise_to: int
    """The smallest legal raise."""
    stack: int


class Rules(NamedTuple):
    """Constants of players with packs; they are described where :mod:`agent` defines them."""

    purify_below: float
    edge_floor: float
    max_shadows: int
    mapping: int


@njit
def bluff_limit_kernel(price: float) -> float:
    """Returns the same as :func:`hedgehog.strategies.translation.bluff_limit`."""
    return price / (1.0 - price)


@njit
def purified_kernel(mixed: NDArray[np.float64], num_actions: int, purify_below: float) -> None:
    """Sets small probabilities to 0 and rescales the others to sum to 1, in place.

    :param mixed: (num_actions or more,) weights of the actions; if all are 0, all actions become equally likely.
    :param purify_below: probabilities below this number become 0.
    """
    total = 0.0
    for i in range(num_actions):
        total += mixed[i]
    kept = 0.0
    for i in range(num_actions):
        if mixed[i] < purify_below * total:
            mixed[i] = 0.0
        kept += mixed[i]
    for i in range(num_actions):
        mixed[i] = mixed[i] / kept if kept > 0 else 1.0 / num_actions


@njit
def strategy_kernel(
    probabilities: NDArray[np.float64],
    by_bucket: NDArray[np.float64],
    stored: StoredRows,
    shadows: ShadowArrays,
    fold: int,
    call: int,
    kept: float,
    purify_below: float,
) -> None:
    """Computes the strategy of all combos as the weighted mean of the stored rows at the shadows of a line.

    :param probabilities: (A, 1326) output, 0 for blocked combos.
    :param by_bucket: (B, A) scratch.
    :param fold: index of the fold. Only the share ``kept`` of its probability stays; the rest goes to ``call``.
    """
    num_actions = len(probabilities)
    for b in range(len(by_bucket)):
        mixed = by_bucket[b]
        mixed[:] = 0.0
        for s in range(len(shadows.nodes)):
            num_children = 0
            while num_children < shadows.targets.shape[1] and shadows.targets[s, num_children] >= 0:
                num_children += 1
            start = stored.starts[shadows.nodes[s]] + b * num_children
            for i in range(num_children):
                mixed[shadows.targets[s, i]] += shadows.weights[s] * stored.rows[start + i]
        if kept < 1.0:
            mixed[call] += (1.0 - kept) * mixed[fold]
            mixed[fold] *= kept
        purified_kernel(mixed, num_actions, purify_below)
    for combo in range(len(stored.buckets)):
        bucket = stored.buckets[combo]
        for a in range(num_actions):
            probabilities[a, combo] = by_bucket[bucket, a] if bucket >= 0 else 0.0


lower_share_kernel = njit(lower_share)


@njit
def following_kernel(
    nodes: NDArray[np.int64],
    weights: NDArray[np.float64],
    tree: TreeArrays,
    before_bet: ShadowArrays,
    bettor: Bettor,
    total: int,
    rules: Rules,
) -> int:
    """Finds the shadows after a raise to ``total``, as :class:`hedgehog.agent.strategy.line_shadows.LineShadows` does.

    Returns the number of shadows.

    :param nodes: (_MAX_NODES,) output: the shadows of the next decision, which is on the same street.
    :param weights: (_MAX_NODES,) output: weights of the shadows, which sum to 1.
    :param before_bet: shadows of the decision at which the raise is made.
    """
    sized = np.empty(_MAX_ACTIONS, dtype=np.int64)
    fractions = np.empty(_MAX_ACTIONS)
    chosen = np.empty(2, dtype=np.int64)
    shares = np.empty(2)
    real = (total - bettor.max_spent) / (2 * bettor.max_spent)
    count = 0
    for s in range(len(before_bet.nodes)):
        node = before_bet.nodes[s]
        first = np.int64(tree.first_child[node])
        player = np.int64(tree.player[node])
        before = np.int64(max(tree.committed[node, 0], tree.committed[node, 1]))
        num_sized = 0
        passive = -1
        for i in range(tree.num_children[node]):
            action = tree.action[first + i]
            if action >= _BET and tree.committed[first + i, player] > before:
                sized[num_sized] = i
                fractions[num_sized] = (tree.committed[first + i, player] - before) / (tree.root_pot + 2 * before)
                num_sized += 1
            elif action in (_CHECK, _CALL):
                passive = i
        num_chosen = 1
        shares[0] = 1.0
        last = num_sized - 1
        if num_sized == 0:
            chosen[0] = passive
            num_chosen = 1 if passive >= 0 else 0
        elif (total >= bettor.stack and tree.action[first + sized[last]] == _ALL_IN) or real > fractions[last]:
            chosen[0] = sized[last]
        else:
            above = 0
            while fractions[above] < real:
                above += 1
            chosen[0] = sized[above]
            if above > 0 and fractions[above] != real:
                lower, upper = fractions[above - 1], fractions[above]
                share = lower_share_kernel(lower, upper, real, rules.mapping)
                chosen[0], chosen[1] = sized[above - 1], sized[above]
                shares[0], shares[1] = share, 1.0 - share
                num_chosen = 2
        likelihood = rules.edge_floor
        for j in range(num_chosen):
            likelihood += shares[j] * before_bet.means[s, chosen[j]]
        for j in range(num_chosen):
            child = first + chosen[j]
            if tree.kind[child] != _DECISION or tree.player[child] == player or shares[j] <= 0:
                continue
            weight = before_bet.weights[s] * shares[j] * likelihood
            at = 0
            while at < count and nodes[at] != child:
                at += 1
            if at == count:
                nodes[at] = child
                weights[at] = 0.0
                count += 1
            weights[at] += weight
    # The shadows with the largest weights are kept; shadows of equal weight in their order.
    kept = min(count, rules.max_shadows)
    total_weight = 0.0
    for i in range(kept):
        best = i
        for j in range(i + 1, count):
            if weights[j] > weights[best]:
                best = j
        node, weight = nodes[best], weights[best]
        for j in range(best, i, -1):
            nodes[j], weights[j] = nodes[j - 1], weights[j - 1]
        nodes[i], weights[i] = node, weight
        total_weight += weight
    for i in range(kept):
        weights[i] /= total_weight
    return kept


@njit
def fold_masses_kernel(
    masses: NDArray[np.float64],
    bucket_masses: NDArray[np.float64],
    tree: TreeArrays,
    stored: StoredRows,
    before_bet: ShadowArrays,
    reach: NDArray[np.float64],
    equity: NDArray[np.float64],
    totals: NDArray[np.int64],
    bettor: Bettor,
    rules: Rules,
) -> None:
    """Computes how much of a range folds to each of several bets.

    :param masses: (K, 2) output: the sum of ``reach`` and of ``reach * equity`` over the part of the range that folds;
        NaN for bets that lead off the tree.
    :param bucket_masses: (B, 2) scratch.
    :param before_bet: shadows of the bettor's decision.
    :param reach: (1326,) weight of every combo in the range.
    :param equity: (1326,) equity of the bettor's hand against every combo, 0..1.
    :param totals: (K,) the bets as totals over the hand, in chips.
    """
    nodes = np.empty(_MAX_NODES, dtype=np.int64)
    weights = np.empty(_MAX_NODES)
    targets = np.empty((_MAX_NODES, _MAX_ACTIONS), dtype=np.int64)
    keys = np.empty(_MAX_NODES * _MAX_ACTIONS, dtype=np.int64)
    mixed = np.empty(_MAX_NODES * _MAX_ACTIONS)
    buckets, max_spent, stack = stored.buckets, bettor.max_spent, bettor.stack
    bucket_masses[:] = 0.0
    for combo in range(len(buckets)):
        if buckets[combo] >= 0 and reach[combo] > 0:
            bucket_masses[buckets[combo], 0] += reach[combo]
            bucket_masses[buckets[combo], 1] += reach[combo] * equity[combo]
    for k in range(len(totals)):
        total = totals[k]
        count = following_kernel(nodes, weights, tree, before_bet, bettor, total, rules)
        masses[k] = np.nan if count == 0 else 0.0
        low = min(max(bettor.min_raise_to, 2 * total - max_spent), stack)
        num_keys = 0
        fold = -1
        call = -1
        limit = 0.0
        for s in range(count):
            first = np.int64(tree.first_child[nodes[s]])
            player = np.int64(tree.player[nodes[s]])
            before = np.int64(max(tree.committed[nodes[s], 0], tree.committed[nodes[s], 1]))
            limit += weights[s] * bluff_limit_kernel(
                (before - tree.committed[nodes[s], player]) / (tree.root_pot + 2 * before)
            )
            for i in range(tree.num_children[nodes[s]]):
                action = tree.action[first + i]
                key = np.int64(_CALL_KEY)
                if action == _FOLD:
                    key = np.int64(_FOLD_KEY)
                elif action >= _BET and total < stack:
                    # An all-in raise is the largest legal one.
                    fraction = (tree.committed[first + i, player] - before) / (tree.root_pot + 2 * before)
                    size = stack if action == _ALL_IN else total + np.int64(np.rint(fraction * 2 * total))
                    key = np.int64(min(max(size, low), stack))
                at = 0
                while at < num_keys and keys[at] != key:
                    at += 1
                if at == num_keys:
                    keys[at] = key
                    num_keys += 1
                    if key == _FOLD_KEY:
                        fold = at
                    elif key == _CALL_KEY:
                        call = at
                targets[s, i] = at
        if fold < 0:
            continue
        # The same as hedgehog.agent.strategy.shadow.fold_share.
        kept = min(1.0, bluff_limit_kernel((total - max_spent) / (2 * total)) / limit)
        for b in range(len(bucket_masses)):
            if bucket_masses[b, 0] == 0:
                continue
            mixed[:num_keys] = 0.0
            for s in range(count):
                num_children = np.int64(tree.num_children[nodes[s]])
                start = stored.starts[nodes[s]] + b * num_children
                for i in range(num_children):
                    mixed[targets[s, i]] += weights[s] * stored.rows[start + i]
            if kept < 1.0:
                mixed[call] += (1.0 - kept) * mixed[fold]
                mixed[fold] *= kept
            purified_kernel(mixed, num_keys, rules.purify_below)
            masses[k, 0] += mixed[fold] * bucket_masses[b, 0]
            masses[k, 1] += mixed[fold] * bucket_masses[b, 1]
