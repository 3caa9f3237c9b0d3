"""External and outcome sampling (Lanctot, Waugh, Zinkevich and Bowling 2009): one deal at a time, no vectors.

A *deal* is one hand for each player, drawn jointly by their weights, and one board per level among the real cards,
twins included: a twin is the representative board with both hands swapped. The betting lines of all levels lie in one
list (:class:`Lines`), and the walks read and write regrets and averages where the vector kernels keep them
(:mod:`hedgehog.solver.cfr.kernels._board_kernels`); both must be float32.

Both walks update the regrets of one player (*own*). At the *other* player's decisions they add to that player's
average: a walk passes such a decision with the probability of its own reach, the weight that an average needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime._random_kernels import next_random, random_below, random_unit
from hedgehog.runtime.jit import njit
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._simd_kernels import LANES

Random = NDArray[np.uint64]
DECISION, FOLD, SHOWDOWN, DEAL = 0, 1, 2, 3
_TRIES = 64


class Lines(NamedTuple):
    """The betting lines of all levels, level by level. A line's children are consecutive."""

    kind: NDArray[np.int64]
    """(lines): decision, fold, showdown or deal, numbered as :class:`hedgehog.strategies.betting_tree.NodeKind`."""
    actor: NDArray[np.int64]
    """(lines): player who acts, or who folded."""
    level: NDArray[np.int64]
    """(lines): level of the line."""
    child: NDArray[np.int64]
    """(lines): the first child of a decision; for a deal, the line that continues it on the next level."""
    actions: NDArray[np.int64]
    """(lines): number of actions of a decision."""
    row: NDArray[np.int64]
    """(lines): 16 * first row of a decision within the rows of its player and level."""
    payoff: NDArray[np.float64]
    """(lines, 3): chips that a player gets if it loses, ties or wins, less half the pot at the root."""
    base: NDArray[np.int64]
    """(levels, 2): first element of a level in each player's regrets."""
    board_size: NDArray[np.int64]
    """(levels, 2): elements of one board in each player's regrets."""
    block_size: NDArray[np.int64]
    """(levels, 2): elements of one block of hands in each player's regrets."""


class Deck(NamedTuple):
    """Hands and boards as they are dealt. ``U`` is the number of hands that either player may hold."""

    running_pairs: NDArray[np.float64]
    """(hands of player 0): running sum of each hand's weight times the weight of the opponent's hands it can meet."""
    running_weight: NDArray[np.float64]
    """(hands of player 1): running sum of weights."""
    hands: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player the hands it may hold, as numbers from 0 to U - 1."""
    slot: NDArray[np.int64]
    """(2, U): the index of a hand in a player's ``hands``, -1 if it cannot hold it."""
    cards: NDArray[np.int32]
    """(U, 2): the removal cards of each hand. Two hands that share one exclude each other."""
    strengths: NDArray[np.int32]
    """(boards of all levels, U): strength of each hand, negative where the board blocks it."""
    first_card: NDArray[np.int64]
    """(boards + 1): ``card_board[first_card[b] : first_card[b + 1]]`` are the cards that can follow board b."""
    card_board: NDArray[np.int64]
    """(cards): the board that stands for the next level's board with that card."""
    card_swap: NDArray[np.int64]
    """(cards): row of ``swaps`` that gives the hand as which each hand plays on ``card_board``."""
    swaps: NDArray[np.int32]
    """(swaps + 1, U): the hand that each hand becomes by a suit swap; the last row changes nothing."""
    level_start: NDArray[np.int64]
    """(levels + 1): first board of each level."""


class Walk(NamedTuple):
    """Buffers of a walk: the deal, and a frame for every own decision on the way down."""

    hand: NDArray[np.int64]
    """(2): hand of each player, after the suit swaps of the levels dealt so far."""
    origin: NDArray[np.int64]
    """(levels, 2): first element of the dealt hand in each player's regrets."""
    line: NDArray[np.int64]
    """(depth): line of each own decision."""
    action: NDArray[np.int64]
    """(depth): the action being tried."""
    strategy: NDArray[np.float64]
    """(depth + 1, actions): strategy at each own decision; the last row is for the other player's decisions."""
    value: NDArray[np.float64]
    """(depth, actions): values of the actions tried so far."""


@njit
def draw_index(running: NDArray[np.float64], rng_state: Random) -> int:
    """Returns a random index, with probabilities proportional to the steps of a running sum."""
    index = np.searchsorted(running, random_unit(rng_state) * running[-1], side="right")
    return int(min(index, running.size - 1))


@njit
def exclude(deck: Deck, a: int, b: int) -> bool:
    """Tells whether two hands share a card."""
    return bool(
        deck.cards[a, 0] == deck.cards[b, 0]
        or deck.cards[a, 0] == deck.cards[b, 1]
        or deck.cards[a, 1] == deck.cards[b, 0]
        or deck.cards[a, 1] == deck.cards[b, 1]
    )


@njit
def draw_opponent(deck: Deck, hand: int, rng_state: Random) -> int:
    """Returns a random hand of player 1 that shares no card with ``hand``, with probability proportional to weight."""
    for _ in range(_TRIES):
        index = draw_index(deck.running_weight, rng_state)
        if not exclude(deck, hand, deck.hands[1][index]):
            return int(deck.hands[1][index])
    # Nearly all of its range is excluded: add up the rest.
    total = 0.0
    for index in range(deck.running_weight.size):
        if not exclude(deck, hand, deck.hands[1][index]):
            total += deck.running_weight[index] - (deck.running_weight[index - 1] if index > 0 else 0.0)
    target = random_unit(rng_state) * total
    chosen = -1
    for index in range(deck.running_weight.size):
        weight = deck.running_weight[index] - (deck.running_weight[index - 1] if index > 0 else 0.0)
        if weight > 0 and not exclude(deck, hand, deck.hands[1][index]):
            chosen = int(deck.hands[1][index])
            target -= weight
            if target < 0:
                break
    return chosen


@njit
def deal_board(walk: Walk, deck: Deck, board: int, rng_state: Random) -> int:
    """Returns the board after a random card that neither hand holds; swaps the suits of both hands accordingly."""
    first = deck.first_card[board]
    count = deck.first_card[board + 1] - first
    while True:
        card = first + random_below(count, rng_state)
        child = deck.card_board[card]
        swap = deck.swaps[deck.card_swap[card]]
        one, two = swap[walk.hand[0]], swap[walk.hand[1]]
        if deck.strengths[child, one] >= 0 and deck.strengths[child, two] >= 0:
            walk.hand[0], walk.hand[1] = one, two
            return int(child)


@njit
def deal(walk: Walk, lines: Lines, deck: Deck, rng_state: Random) -> int:
    """Deals hands and boards and returns 1, 0 or -1 if player 0 wins, ties or loses the showdown."""
    walk.hand[0] = deck.hands[0][draw_index(deck.running_pairs, rng_state)]
    walk.hand[1] = draw_opponent(deck, walk.hand[0], rng_state)
    board = 0
    for level in range(deck.level_start.size - 1):
        if level > 0:
            board = deal_board(walk, deck, board, rng_state)
        place(walk, lines, deck, level, board)
    return int(np.sign(deck.strengths[board, walk.hand[0]] - deck.strengths[board, walk.hand[1]]))


@njit
def place(walk: Walk, lines: Lines, deck: Deck, level: int, board: int) -> None:
    """Writes into ``walk.origin`` where the regrets of the dealt hands lie on a level."""
    for player in range(2):
        hand = deck.slot[player, walk.hand[player]]
        walk.origin[level, player] = (
            lines.base[level, player]
            + (board - deck.level_start[level]) * lines.board_size[level, player]
            + hand // LANES * lines.block_size[level, player]
            + hand % LANES
        )


@njit
def match_regrets(strategy: NDArray[np.float64], regret: Floats, at: int, count: int) -> None:
    """Writes the strategy of regret matching for one hand at one decision."""
    total = 0.0
    for a in range(count):
        strategy[a] = max(regret[at + a * LANES], np.float32(0))
        total += strategy[a]
    for a in range(count):
        strategy[a] = strategy[a] / total if total > 0 else 1.0 / count


@njit
def draw_action(strategy: NDArray[np.float64], count: int, floor: float, rng_state: Random) -> int:
    """Returns a random action, drawn uniformly with probability ``floor`` and by the strategy otherwise."""
    target = random_unit(rng_state)
    if target < floor:
        return random_below(count, rng_state)
    target = (target - floor) / (1.0 - floor)
    chosen = 0
    for a in range(count):
        if strategy[a] > 0:
            chosen = a
            target -= strategy[a]
            if target < 0:
                break
    return chosen


@njit
def payoff(lines: Lines, line: int, own: int, showdown: int) -> float:
    """Returns the chips that player ``own`` gets at a terminal line, less half the pot at the root.

    :param showdown: 1, 0 or -1 if player 0 wins, ties or loses the showdown.
    """
    if lines.kind[line] == FOLD:
        return float(lines.payoff[line, 0 if lines.actor[line] == own else 2])
    return float(lines.payoff[line, 1 + (showdown if own == 0 else -showdown)])


@njit
def walk_external(
    regret: Floats,
    opp_average: Floats,
    opp_regret: Floats,
    walk: Walk,
    lines: Lines,
    own: int,
    showdown: int,
    weight: float,
    rng_state: Random,
) -> float:
    """Returns the value of one deal for ``own`` in chips, after walking all own actions and one of the opponent's."""
    depth = 0
    line = 0
    while True:
        kind = lines.kind[line]
        if kind == DEAL:
            line = lines.child[line]
            continue
        if kind == DECISION:
            count = lines.actions[line]
            if lines.actor[line] == own:
                at = walk.origin[lines.level[line], own] + lines.row[line]
                match_regrets(walk.strategy[depth], regret, at, count)
                walk.line[depth] = line
                walk.action[depth] = 0
                depth += 1
                line = lines.child[line]
                continue
            at = walk.origin[lines.level[line], 1 - own] + lines.row[line]
            strategy = walk.strategy[-1]
            match_regrets(strategy, opp_regret, at, count)
            for a in range(count):
                opp_average[at + a * LANES] += np.float32(weight * strategy[a])
            line = lines.child[line] + draw_action(strategy, count, 0.0, rng_state)
            continue
        value = payoff(lines, line, own, showdown)
        # Back to the last own decision with an action left to try.
        while depth > 0:
            here = walk.line[depth - 1]
            action = walk.action[depth - 1]
            values = walk.value[depth - 1]
            values[action] = value
            if action + 1 < lines.actions[here]:
                walk.action[depth - 1] = action + 1
                line = lines.child[here] + action + 1
                break
            depth -= 1
            strategy = walk.strategy[depth]
            value = 0.0
            for a in range(lines.actions[here]):
                value += strategy[a] * values[a]
            at = walk.origin[lines.level[here], own] + lines.row[here]
            for a in range(lines.actions[here]):
                regret[at + a * LANES] += np.float32(weight * (values[a] - value))
        if depth == 0:
            return value


@njit
def walk_outcome(
    regret: Floats,
    opp_average: Floats,
    opp_regret: Floats,
    walk: Walk,
    lines: Lines,
    own: int,
    showdown: int,
    weight: float,
    exploration: float,
    rng_state: Random,
) -> float:
    """Returns an unbiased estimate of the value of one deal for ``own`` in chips, after walking a single line.

    Own actions are drawn with probability ``q = exploration / actions + (1 - exploration) * strategy``, the other
    player's actions by its strategy. The drawn own action counts its value divided by q and the others count 0, so
    that every value is right on average. What a decision adds is divided by the product of all q on the way to it.
    """
    depth = 0
    line = 0
    sampled = 1.0
    while True:
        kind = lines.kind[line]
        if kind == DEAL:
            line = lines.child[line]
            continue
        if kind != DECISION:
            break
        count = lines.actions[line]
        if lines.actor[line] == own:
            at = walk.origin[lines.level[line], own] + lines.row[line]
            strategy = walk.strategy[depth]
            match_regrets(strategy, regret, at, count)
            action = draw_action(strategy, count, exploration, rng_state)
            walk.line[depth] = line
            walk.action[depth] = action
            # What the action adds is divided by the probability of getting here; of the action itself later.
            walk.value[depth, 0] = sampled
            sampled *= exploration / count + (1.0 - exploration) * strategy[action]
            depth += 1
        else:
            at = walk.origin[lines.level[line], 1 - own] + lines.row[line]
            strategy = walk.strategy[-1]
            match_regrets(strategy, opp_regret, at, count)
            for a in range(count):
                opp_average[at + a * LANES] += np.float32(weight / sampled * strategy[a])
            action = draw_action(strategy, count, 0.0, rng_state)
        line = lines.child[line] + action
    value = payoff(lines, line, own, showdown)
    while depth > 0:
        depth -= 1
        here = walk.line[depth]
        action = walk.action[depth]
        strategy = walk.strategy[depth]
        before = walk.value[depth, 0]
        value *= before / sampled
        sampled = before
        at = walk.origin[lines.level[here], own] + lines.row[here]
        mean = strategy[action] * value
        for a in range(lines.actions[here]):
            gain = value - mean if a == action else -mean
            regret[at + a * LANES] += np.float32(weight / before * gain)
        value = mean
    return value


@njit
def seed_iteration(rng_state: Random, seed: int, iteration: int, player: int) -> None:
    """Sets the random state of one player's half of an iteration, so that a continued run draws the same."""
    rng_state[0] = np.uint64(seed)
    rng_state[0] = next_random(rng_state) ^ np.uint64(2 * iteration + player)
    rng_state[0] = next_random(rng_state)


@njit(nogil=True)
def run_deals(
    regret: tuple[Floats, Floats],
    average: tuple[Floats, Floats],
    walk: Walk,
    lines: Lines,
    deck: Deck,
    first: int,
    last: int,
    linear: bool,
    exploration: float,
    seed: int,
    rng_state: Random,
) -> None:
    """Runs the iterations ``first .. last - 1``. Each walks, for each player, as many deals as it has hands.

    :param linear: whether to weight iteration t by ``t + 1``.
    :param exploration: probability of a uniform own action in outcome sampling; negative for external sampling.
    """
    for iteration in range(first, last):
        weight = float(iteration + 1) if linear else 1.0
        for own in range(2):
            seed_iteration(rng_state, seed, iteration, own)
            other = 1 - own
            for _ in range(deck.hands[own].size):
                showdown = deal(walk, lines, deck, rng_state)
                if exploration < 0:
                    walk_external(
                        regret[own], average[other], regret[other], walk, lines, own, showdown, weight, rng_state
                    )
                else:
                    walk_outcome(
                        regret[own], average[other], regret[other], walk, lines, own, showdown, weight, exploration,
                        rng_state
                    )  # fmt: skip
