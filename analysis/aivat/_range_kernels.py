"""Kernels of AIVAT over the ranges of both players: equities of all pairs of hands, and features of two ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank_combos_kernel
from hedgehog.runtime._random_kernels import mix_bits
from hedgehog.runtime.jit import njit

NUM_RANGE_FEATURES = 9
_BLOCKED = -128
"""Class of hands that a board blocks: below all others. There is room for 255; a board has at most 147 (91 pairs of
ranks, and 56 holdings of a suit that make a flush)."""
_NEVER = 127
"""Class above all others."""
_TILE = 64
_BLOCK = 124
"""Boards that are counted at a time: their classes stay in the processor's cache, and the counts fit into 8 bits."""


@njit
def runouts_kernel(runouts: NDArray[np.uint8], board: NDArray[np.uint8], shares: int) -> int:
    """Lists all run-outs of a board, those of its sample first, and returns the number of these.

    The run-out of a flop is in the sample for ``shares`` of the ten ways to see the same five cards as a flop and two
    more cards. So the mean over the samples of all flops is the mean over all boards, with no error at all. The sample
    of a longer board is all its run-outs.

    :param runouts: (B, 2) output: the last two cards of every river board, in the order of dealing.
    :param board: (3..5,) card ids.
    :param shares: 1..10.
    """
    known = len(board)
    dead = np.zeros(52, dtype=np.bool_)
    flop = np.uint64(0)
    for card in board:
        dead[card] = True
        flop |= np.uint64(1) << np.uint64(card)
    if known == 5:
        runouts[0] = board[3:]
        return 1
    row, last = 0, len(runouts)
    for turn in range(52):
        if (known == 4 and turn != board[3]) or (known == 3 and dead[turn]):
            continue
        for river in range(turn + 1 if known == 3 else 0, 52):
            if dead[river]:
                continue
            number = 0
            if known == 3:
                five = flop | np.uint64(1) << np.uint64(turn) | np.uint64(1) << np.uint64(river)
                first, second = 0, 1  # places of turn and river among the five cards
                for card in board:
                    first += card < turn
                    second += card < river
                pair = first * (9 - first) // 2 + second - first - 1
                number = int((np.uint64(pair) + mix_bits(five) % np.uint64(10)) % np.uint64(10))
            if number < shares:
                place = row
                row += 1
            else:
                last -= 1
                place = last
            runouts[place, 0] = turn
            runouts[place, 1] = river
    return row


@njit
def runout_classes_kernel(
    classes: NDArray[np.int8],
    runouts: NDArray[np.uint8],
    board: NDArray[np.uint8],
    hands: NDArray[np.int16],
    tables: EvaluatorTables,
) -> None:
    """Numbers the strengths of hands on run-outs of a board, each river board for itself.

    :param classes: (B, W) output, W >= H: class of every hand on every river board, larger for stronger hands, equal
        for equal ones; -128 where the board blocks the hand and beyond the last hand.
    :param runouts: (B, 2) the last two cards of every river board.
    :param board: (3..5,) card ids.
    :param hands: (H,) combos.
    :param tables: the look-up tables of the evaluator.
    """
    full_board = np.empty(5, dtype=np.uint8)
    full_board[:3] = board[:3]
    ranks = np.empty(1326, dtype=np.int32)
    found = np.zeros(7464, dtype=np.uint8)  # by rank
    eights = found.view(np.uint64)
    numbers = np.empty(7464, dtype=np.int8)
    classes[:] = _BLOCKED
    for row in range(len(runouts)):
        full_board[3:] = runouts[row]
        rank_combos_kernel(ranks, full_board, tables)
        for hand in hands:
            if ranks[hand] >= 0:
                found[ranks[hand]] = 1
        number = _BLOCKED
        for i in range(len(eights)):
            if eights[i] != 0:
                for rank in range(8 * i, 8 * i + 8):
                    if found[rank]:
                        number += 1
                        numbers[rank] = number
                eights[i] = 0
        for i in range(len(hands)):
            rank = ranks[hands[i]]
            if rank >= 0:
                classes[row, i] = numbers[rank]


@njit
def edges_kernel(edges: NDArray[np.int16], classes: NDArray[np.int8], hand_cards: NDArray[np.uint8]) -> None:
    """Counts on how many boards hands win against others, less those on which they lose.

    :param edges: (H, W) output: edge of the column's hand over the row's, W >= H; 0 for pairs that share a card, and
        beyond the last hand.
    :param classes: (B, W) classes of the hands on all boards (:func:`runout_classes_kernel`).
    :param hand_cards: (H, 2) card ids of the hands.
    """
    boards, width = classes.shape
    count = len(hand_cards)
    high = np.empty((_BLOCK, width), dtype=np.int8)  # blocked hands do not lose here, as they do not win in ``classes``
    points = np.empty(width, dtype=np.int8)
    edges[:] = 0
    for start in range(0, boards, _BLOCK):
        stop = min(boards, start + _BLOCK)
        for board in range(start, stop):
            row = classes[board]
            for j in range(width):
                high[board - start, j] = _NEVER if row[j] == _BLOCKED else row[j]
        for hand in range(count):
            left = hand // _TILE * _TILE  # the other half of the pairs follows from this one
            found, total = points[left:], edges[hand, left:]
            found[:] = 0
            for board in range(start, stop):
                least, most = classes[board, hand], high[board - start, hand]
                lows, highs = classes[board, left:], high[board - start, left:]
                for j in range(len(found)):
                    found[j] += np.int8(most < lows[j]) - np.int8(least > highs[j])
            for j in range(len(found)):
                total[j] += found[j]
    for top in range(0, count, _TILE):
        for left in range(top + _TILE, count, _TILE):  # by tiles, since columns are far apart in memory
            source, target = (
                edges[top : top + _TILE, left : left + _TILE],
                edges[left : left + _TILE, top : top + _TILE],
            )
            for i in range(target.shape[0]):
                for j in range(target.shape[1]):
                    target[i, j] = -source[j, i]
    for card in range(52):
        holders = np.flatnonzero((hand_cards[:, 0] == card) | (hand_cards[:, 1] == card))
        for first in holders:
            for second in holders:
                edges[first, second] = 0
    edges[:, count:] = 0


@njit
def met_kernel(met: NDArray[np.float64], weights: NDArray[np.float64], combo_cards: NDArray[np.uint8]) -> None:
    """Sums, for every combo, the weights of all combos that share no card with it.

    :param met: (1326,) output.
    :param weights: (1326,) weights.
    :param combo_cards: (1326, 2) card ids of every combo.
    """
    card_sums = np.zeros(52)
    total = 0.0
    for hand in range(1326):
        total += weights[hand]
        card_sums[combo_cards[hand, 0]] += weights[hand]
        card_sums[combo_cards[hand, 1]] += weights[hand]
    for hand in range(1326):
        # The combo itself was subtracted with both of its cards.
        met[hand] = total - card_sums[combo_cards[hand, 0]] - card_sums[combo_cards[hand, 1]] + weights[hand]


@njit
def wins_kernel(wins: NDArray[np.float32], weights: NDArray[np.float32], equities: NDArray[np.float32]) -> None:
    """Sums, for every combo, the weights of the combos of the other player times the equity against these.

    :param wins: (1326,) output.
    :param weights: (1326,) weights of the other player's combos.
    :param equities: (1326, 1326) equity of the column's combo against the row's; 0 where they share a card.
    """
    wins[:] = 0.0
    for hand in range(1326):
        weight = weights[hand]
        if weight > 0:
            row = equities[hand]
            for combo in range(1326):
                wins[combo] += weight * row[combo]


@njit
def edge_sums_kernel(sums: NDArray[np.float32], weights: NDArray[np.float32], edges: NDArray[np.int16]) -> None:
    """Sums, for every hand, the weights of the hands of the other player times the edge over these.

    :param sums: (W,) output.
    :param weights: (H,) weights of the other player's hands.
    :param edges: (H, W) edge of the column's hand over the row's, in boards (:func:`edges_kernel`).
    """
    sums[:] = 0.0
    for hand in range(len(weights)):
        weight = weights[hand]
        if weight > 0:
            row = edges[hand]
            for other in range(len(sums)):
                sums[other] += weight * np.float32(row[other])


@njit
def _bounded_equity(wins: float, met: float) -> float:
    """Returns the equity of a hand from the weight it beats and the weight it meets.

    A hand that blocks the whole range of the other player meets nothing but rounding errors, which say nothing.
    """
    return min(max(wins / met, 0.0), 1.0)


@njit
def features_kernel(
    features: NDArray[np.float64],
    own: NDArray[np.float64],
    own_met: NDArray[np.float64],
    own_wins: NDArray[np.float64],
    other: NDArray[np.float64],
    other_met: NDArray[np.float64],
    other_wins: NDArray[np.float64],
    price: float,
) -> float:
    """Computes the features of two ranges, and returns the sum of the weights of all pairs of hands.

    :param features: (9,) output; 0 if no pair is possible.
    :param own: (1326,) weights of the player to act.
    :param own_met: (1326,) weight of the other player's hands that every own hand can meet.
    :param own_wins: (1326,) the same weight times the equity of the own hand.
    :param other: (1326,) weights of the other player; ``other_met`` and ``other_wins`` as for the own hands.
    :param price: chips that each player has in the pot after a call, divided by those of the player to act; 0 if there
        is no bet to be answered.
    """
    floor, factor = (-1.0, price) if price > 0 else (0.0, 1.0)
    mass = wins = square = best = 0.0
    for hand in range(len(own)):
        if own[hand] > 0 and own_met[hand] > 0:
            met = own[hand] * own_met[hand]
            equity = _bounded_equity(own_wins[hand], own_met[hand])
            won = met * equity
            mass += met
            wins += won
            square += won * equity
            best += max(floor * met, factor * (2 * won - met))
    features[:] = 0.0
    if mass <= 0:
        return 0.0
    other_square = other_best = 0.0
    for hand in range(len(other)):
        if other[hand] > 0 and other_met[hand] > 0:
            met = other[hand] * other_met[hand]
            equity = _bounded_equity(other_wins[hand], other_met[hand])
            other_square += met * equity * equity
            other_best += max(0.0, met * (2 * equity - 1))
    equity = wins / mass
    edge = 2 * equity - 1
    spread = 4 * (square / mass - equity * equity)
    other_spread = 4 * (other_square / mass - (1 - equity) * (1 - equity))
    features[0] = 1.0
    features[1] = edge
    features[2] = edge * edge
    features[3] = spread
    features[4] = other_spread
    features[5] = edge * spread
    features[6] = edge * other_spread
    features[7] = best / mass
    features[8] = other_best / mass
    return mass


@njit
def sweep_kernel(
    wins: NDArray[np.float32],
    targets: NDArray[np.int64],
    classes: NDArray[np.int8],
    weights: NDArray[np.float32],
    places: NDArray[np.int64],
    hand_cards: NDArray[np.uint8],
) -> None:
    """Sums for every hand and both players, on river boards, the weights of the hands it beats, and half of ties.

    On every board the hands are swept by strength. All hands of one class count for half: what is below them before and
    after they are added, divided by two.

    :param wins: (T, N, 2) output for the weights of each player, added to.
    :param targets: (B, C) the rows of ``wins`` to which each board adds; -1: none.
    :param classes: (B, W) class of every hand on every board (:func:`runout_classes_kernel`).
    :param weights: (N, 2) weights of the hands in the ranges of both players.
    :param places: (N,) where the class of each hand is.
    :param hand_cards: (N, 2) card ids of the hands.
    """
    # All that is written in the sweep is made here, so that the compiler knows that nothing overlaps.
    count = len(places)
    ends = np.empty(257, dtype=np.int64)  # by class + 128 and one: where its hands end in the order of strength
    order = np.empty(count, dtype=np.uint16)
    cards = np.empty((count, 2), dtype=np.uint8)
    held = np.empty((count, 2), dtype=np.float32)
    below = np.empty((count, 2), dtype=np.float32)
    by_card = np.empty((52, 2), dtype=np.float32)
    won = np.empty((count, 2), dtype=np.float32)
    half = np.float32(0.5)
    for board in range(len(classes)):
        row = classes[board]
        ends[:] = 0
        for i in range(count):
            ends[np.uint64(np.int64(row[places[i]]) + 129)] += 1
        for number in range(1, len(ends)):
            ends[number] += ends[number - 1]
        start = ends[1]
        for i in range(count):
            own = np.uint64(np.int64(row[places[i]]) + 128)
            place = np.uint64(ends[own])
            ends[own] += 1
            order[place] = i
            cards[place, 0], cards[place, 1] = hand_cards[i, 0], hand_cards[i, 1]
            held[place, 0], held[place, 1] = weights[i, 0], weights[i, 1]
        for k in range(start):  # blocked
            won[order[k], 0] = 0.0
            won[order[k], 1] = 0.0
        by_card[:] = 0.0
        first = second = np.float32(0.0)  # weights of all hands so far
        for number in range(1, len(ends)):
            if start == count:
                break
            stop = ends[number]
            for k in range(start, stop):
                low, high = cards[k, 0], cards[k, 1]
                below[k, 0] = first - by_card[low, 0] - by_card[high, 0]
                below[k, 1] = second - by_card[low, 1] - by_card[high, 1]
            for k in range(start, stop):
                low, high = cards[k, 0], cards[k, 1]
                by_card[low, 0] += held[k, 0]
                by_card[low, 1] += held[k, 1]
                by_card[high, 0] += held[k, 0]
                by_card[high, 1] += held[k, 1]
                first += held[k, 0]
                second += held[k, 1]
            for k in range(start, stop):
                low, high, hand = cards[k, 0], cards[k, 1], order[k]
                # The hand itself was subtracted with both of its cards.
                won[hand, 0] = half * (below[k, 0] + first - by_card[low, 0] - by_card[high, 0] + held[k, 0])
                won[hand, 1] = half * (below[k, 1] + second - by_card[low, 1] - by_card[high, 1] + held[k, 1])
            start = stop
        for target in targets[board]:
            if target >= 0:
                sums = wins[target]
                for i in range(count):
                    sums[i, 0] += won[i, 0]
                    sums[i, 1] += won[i, 1]


@njit
def runout_wins_kernel(
    wins: NDArray[np.float64],
    classes: NDArray[np.int8],
    weights: NDArray[np.float64],
    hands: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    runouts: int,
) -> None:
    """Sums, for every combo, the weights of the combos of the other player times the equity against these.

    :param wins: (1326,) output; 0 for combos that are not in ``hands``.
    :param classes: (B, W) classes of the hands on all river boards (:func:`runout_classes_kernel`).
    :param weights: (1326,) weights of the other player's combos, 0 for combos that are not in ``hands``.
    :param hands: (H,) combos.
    :param combo_cards: (1326, 2) card ids of every combo.
    :param runouts: number of boards that block neither of two given hands.
    """
    count = len(hands)
    theirs = np.zeros((count, 2), dtype=np.float32)
    theirs[:, 0] = weights[hands]
    sums, targets = np.zeros((1, count, 2), dtype=np.float32), np.zeros((len(classes), 1), dtype=np.int64)
    sweep_kernel(sums, targets, classes, theirs, np.arange(count), combo_cards[hands])
    wins[:] = 0.0
    for i in range(count):
        wins[hands[i]] = sums[0, i, 0] / runouts


@njit
def next_card_features_kernel(
    features: NDArray[np.float64],
    known: int,
    classes: NDArray[np.int8],
    runouts: NDArray[np.uint8],
    own: NDArray[np.float64],
    other: NDArray[np.float64],
    hands: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
) -> None:
    """Averages the features of two ranges over the next card, turn or river, as they are after the card.

    :param features: (9,) output.
    :param known: number of cards on the board before the card, 3 or 4.
    :param classes: (B, W) classes of the hands on all river boards (:func:`runout_classes_kernel`).
    :param runouts: (B, 2) the last two cards of these boards.
    :param own: (1326,) weights of the player to act after the card, 0 for combos that are not in ``hands``.
    :param other: (1326,) weights of the other player.
    :param hands: (H,) combos that the board does not block.
    :param combo_cards: (1326, 2) card ids of every combo.
    """
    places = np.flatnonzero(own[hands] + other[hands])
    held = hands[places]
    count = len(held)
    hand_cards = combo_cards[held]
    weights = np.empty((count, 2), dtype=np.float32)
    weights[:, 0], weights[:, 1] = other[held], own[held]
    wins = np.zeros((52, count, 2), dtype=np.float32)  # by card, hand and player who holds it
    dealt = np.zeros(52, dtype=np.bool_)
    # Hands that hold either card are blocked, so the ranges after one of the cards are those after both.
    targets = runouts[:, known - 3 :].astype(np.int64)
    for target in targets.ravel():
        dealt[target] = True
    sweep_kernel(wins, targets, classes, weights, places, hand_cards)
    share = 1.0 / 44.0 if known == 3 else 1.0  # after a turn card, two given hands meet 44 rivers
    after, met, winning = np.zeros((2, 1326)), np.empty((2, 1326)), np.zeros((2, 1326))
    after_card = np.empty(len(features))
    features[:] = 0.0
    total = 0.0
    for card in range(52):
        if not dealt[card]:
            continue
        for i in range(count):
            blocked = hand_cards[i, 0] == card or hand_cards[i, 1] == card
            after[0, held[i]] = 0.0 if blocked else np.float64(weights[i, 1])
            after[1, held[i]] = 0.0 if blocked else np.float64(weights[i, 0])
            for player in range(2):
                winning[player, held[i]] = share * wins[card, i, player]
        met_kernel(met[0], after[1], combo_cards)
        met_kernel(met[1], after[0], combo_cards)
        mass = features_kernel(after_card, after[0], met[0], winning[0], after[1], met[1], winning[1], 0.0)
        total += mass
        features += mass * after_card
    if total > 0:
        features /= total
