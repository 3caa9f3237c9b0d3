"""Kernels of AIVAT over the ranges of both players: equities of all pairs of hands, and features of two ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank_combos_kernel
from hedgehog.runtime.jit import njit

NUM_RANGE_FEATURES = 9
CARD_SUMS = 56
"""Entries of a row of sums: the weights of the hands with each of the 52 cards, of all hands, and three for padding."""
_ALL = 52
_BLOCKED = -128
"""Class of hands that a board blocks: below all others. There is room for 255; a board has at most 147 (91 pairs of
ranks, and 56 holdings of a suit that make a flush)."""
_BLOCK = 252
"""Boards that are counted at a time: their classes stay in the processor's cache, and the counts fit into 8 bits."""


@njit
def runout_classes_kernel(
    classes: NDArray[np.int8],
    cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    hands: NDArray[np.int16],
    tables: EvaluatorTables,
) -> None:
    """Numbers the strengths of hands on all run-outs of a board, each board for itself.

    :param classes: (B, W) output, W >= H: class of every hand on every river board, larger for stronger hands, equal
        for equal ones; -128 where the board blocks the hand and beyond the last hand.
    :param cards: (B, 2) output: the last two cards of every river board, in the order of dealing.
    :param board: (3..5,) card ids.
    :param hands: (H,) combos.
    :param tables: the look-up tables of the evaluator.
    """
    known = len(board)
    full_board = np.empty(5, dtype=np.uint8)
    full_board[:known] = board
    dead = np.zeros(52, dtype=np.bool_)
    for card in board:
        dead[card] = True
    ranks = np.empty(1326, dtype=np.int32)
    found = np.zeros(7464, dtype=np.uint8)  # by rank
    eights = found.view(np.uint64)
    numbers = np.empty(7464, dtype=np.int8)
    classes[:] = _BLOCKED
    row = 0
    for turn in range(52 if known == 3 else 1):
        if known == 3:
            if dead[turn]:
                continue
            full_board[3] = turn
        for river in range(turn + 1 if known == 3 else 0, 52 if known < 5 else 1):
            if known < 5:
                if dead[river]:
                    continue
                full_board[4] = river
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
            cards[row] = full_board[3:]
            row += 1


@njit
def beats_kernel(beats: NDArray[np.int16], classes: NDArray[np.int8]) -> None:
    """Counts on how many boards every hand beats every other.

    A hand beats hands that the board blocks. That is the same number of boards for all pairs without a common card, so
    that it drops out of the difference of the counts of both hands.

    :param beats: (H, W) output: number of boards on which the row's hand beats the column's.
    :param classes: (B, W) classes of the hands on all boards (:func:`runout_classes_kernel`).
    """
    boards, width = classes.shape
    points = np.empty(width, dtype=np.uint8)
    beats[:] = 0
    for start in range(0, boards, _BLOCK):
        stop = min(boards, start + _BLOCK)
        for hand in range(len(beats)):
            points[:] = 0
            board = start
            while board + 4 <= stop:  # four at a time: the counts are loaded and stored once for all of them
                first, second = classes[board], classes[board + 1]
                third, fourth = classes[board + 2], classes[board + 3]
                own = first[hand], second[hand], third[hand], fourth[hand]
                for j in range(width):
                    points[j] += (
                        np.uint8(own[0] > first[j])
                        + np.uint8(own[1] > second[j])
                        + np.uint8(own[2] > third[j])
                        + np.uint8(own[3] > fourth[j])
                    )
                board += 4
            while board < stop:
                others = classes[board]
                for j in range(width):
                    points[j] += np.uint8(others[hand] > others[j])
                board += 1
            total = beats[hand]
            for j in range(width):
                total[j] += points[j]


@njit
def equities_kernel(
    equities: NDArray[np.float32],
    beats: NDArray[np.int16],
    hands: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    runouts: int,
) -> None:
    """Computes the equity of every hand against every other hand.

    :param equities: (1326, 1326) output: equity of the column's combo, ties counted half; 0 for pairs that share a
        card. Rows and columns of combos that are not in ``hands`` are left alone.
    :param beats: (H, W) number of boards on which each hand beats each other (:func:`beats_kernel`).
    :param hands: (H,) combos.
    :param combo_cards: (1326, 2) card ids of every combo.
    :param runouts: number of boards that block neither of two given hands.
    """
    count, tile = len(hands), 32
    for top in range(0, count, tile):
        for left in range(top, count, tile):  # by tiles, since columns are far apart in memory
            for i in range(top, min(top + tile, count)):
                first = hands[i]
                low, high = combo_cards[first, 0], combo_cards[first, 1]
                for j in range(max(left, i + 1), min(left + tile, count)):
                    second = hands[j]
                    other_low, other_high = combo_cards[second, 0], combo_cards[second, 1]
                    if low in (other_low, other_high) or high in (other_low, other_high):
                        equities[first, second] = 0.0
                        equities[second, first] = 0.0
                        continue
                    edge = np.float32(np.int64(beats[i, j]) - beats[j, i]) / np.float32(2 * runouts)
                    equities[first, second] = np.float32(0.5) - edge
                    equities[second, first] = np.float32(0.5) + edge
    for hand in hands:
        equities[hand, hand] = 0.0


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
            won = own[hand] * own_wins[hand]
            met = own[hand] * own_met[hand]
            mass += met
            wins += won
            square += won * own_wins[hand] / own_met[hand]
            best += max(floor * met, factor * (2 * won - met))
    features[:] = 0.0
    if mass <= 0:
        return 0.0
    other_square = other_best = 0.0
    for hand in range(len(other)):
        if other[hand] > 0 and other_met[hand] > 0:
            won = other[hand] * other_wins[hand]
            other_square += won * other_wins[hand] / other_met[hand]
            other_best += max(0.0, 2 * won - other[hand] * other_met[hand])
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
def class_sums_kernel(
    sums: NDArray[np.float32],
    classes: NDArray[np.int8],
    weights: NDArray[np.float32],
    hand_cards: NDArray[np.uint8],
) -> None:
    """Sums for every class and card the weights of the weaker hands and half of those of equal ones.

    :param sums: (256, P, 56) output by class + 128, range and card held; entry 52 is of all hands.
    :param classes: (H,) class of every hand on one river board, -128 where it is blocked.
    :param weights: (P, H) weights of the hands in each range.
    :param hand_cards: (H, 2) card ids of the hands.
    """
    ranges, count = weights.shape
    last = np.int64(classes.max()) + 128
    sums[1 : last + 1] = 0.0
    for hand in range(count):
        if classes[hand] == _BLOCKED:
            continue
        row = sums[np.int64(classes[hand]) + 128]
        low, high = hand_cards[hand, 0], hand_cards[hand, 1]
        for player in range(ranges):
            weight = weights[player, hand]
            row[player, low] += weight
            row[player, high] += weight
            row[player, _ALL] += weight
    width = ranges * CARD_SUMS
    flat = sums.reshape(256, width)
    below = np.zeros(width, dtype=np.float32)
    half = np.float32(0.5)
    for number in range(1, last + 1):
        row = flat[number]
        for i in range(width):
            own = row[i]
            row[i] = below[i] + half * own
            below[i] += own


@njit
def board_wins_kernel(
    wins: NDArray[np.float32],
    sums: NDArray[np.float32],
    classes: NDArray[np.int8],
    weights: NDArray[np.float32],
    hand_cards: NDArray[np.uint8],
) -> None:
    """Sums for every hand, on one river board, the weights of the hands it beats, and half of those it ties with.

    :param wins: (P, H) output for each of the other player's ranges; 0 for hands that the board blocks.
    :param sums: (256, P, 56) scratch.
    :param classes: (H,) class of every hand on the board (:func:`runout_classes_kernel`).
    :param weights: (P, H) weights of the hands in each range of the other player.
    :param hand_cards: (H, 2) card ids of the hands.
    """
    ranges, count = weights.shape
    class_sums_kernel(sums, classes, weights, hand_cards)
    half = np.float32(0.5)
    for hand in range(count):
        number = classes[hand]
        row = sums[np.int64(number) + 128]
        low, high = hand_cards[hand, 0], hand_cards[hand, 1]
        for player in range(ranges):
            found = np.float32(0.0)
            if number != _BLOCKED:
                # The hand itself was subtracted with both of its cards.
                found = row[player, _ALL] - row[player, low] - row[player, high] + half * weights[player, hand]
            wins[player, hand] = found


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
    :param weights: (1326,) weights of the other player's combos.
    :param hands: (H,) combos that the board does not block.
    :param combo_cards: (1326, 2) card ids of every combo.
    :param runouts: number of boards that block neither of two given hands.
    """
    count = len(hands)
    hand_cards = np.empty((count, 2), dtype=np.uint8)
    theirs = np.empty((1, count), dtype=np.float32)
    for i in range(count):
        hand_cards[i] = combo_cards[hands[i]]
        theirs[0, i] = weights[hands[i]]
    sums = np.empty((256, 1, CARD_SUMS), dtype=np.float32)
    won = np.empty((1, count), dtype=np.float32)
    wins[:] = 0.0
    for board in range(len(classes)):
        board_wins_kernel(won, sums, classes[board, :count], theirs, hand_cards)
        for i in range(count):
            wins[hands[i]] += won[0, i]
    wins /= runouts


@njit
def next_card_features_kernel(
    features: NDArray[np.float64],
    known: int,
    classes: NDArray[np.int8],
    cards: NDArray[np.uint8],
    own: NDArray[np.float64],
    other: NDArray[np.float64],
    hands: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
) -> None:
    """Averages the features of two ranges over the next card, turn or river, as they are after the card.

    :param features: (9,) output.
    :param known: number of cards on the board before the card, 3 or 4.
    :param classes: (B, W) classes of the hands on all river boards (:func:`runout_classes_kernel`).
    :param cards: (B, 2) the last two cards of these boards.
    :param own: (1326,) weights of the player to act after the card, 0 where the board blocks a combo.
    :param other: (1326,) weights of the other player.
    :param hands: (H,) combos that the board does not block.
    :param combo_cards: (1326, 2) card ids of every combo.
    """
    count = len(hands)
    hand_cards = np.empty((count, 2), dtype=np.uint8)
    weights = np.empty((2, count), dtype=np.float32)
    for i in range(count):
        hand_cards[i] = combo_cards[hands[i]]
        weights[0, i], weights[1, i] = own[hands[i]], other[hands[i]]
    wins = np.zeros((52, 2, count), dtype=np.float32)  # by card and range of the other player
    dealt = np.zeros(52, dtype=np.bool_)
    sums = np.empty((256, 2, CARD_SUMS), dtype=np.float32)
    won = np.empty((2, count), dtype=np.float32)
    for board in range(len(classes)):
        board_wins_kernel(won, sums, classes[board, :count], weights, hand_cards)
        # Hands that hold either card are blocked, so the ranges after one of the cards are those after both.
        for place in range(known - 3, 2):
            card = cards[board, place]
            dealt[card] = True
            found = wins[card]
            for player in range(2):
                for i in range(count):
                    found[player, i] += won[player, i]
    share = 1.0 / 44.0 if known == 3 else 1.0  # after a turn card, two given hands meet 44 rivers
    after, met, winning = np.zeros((2, 1326)), np.empty((2, 1326)), np.zeros((2, 1326))
    after_card = np.empty(len(features))
    features[:] = 0.0
    total = 0.0
    for card in range(52):
        if not dealt[card]:
            continue
        for i in range(count):
            held = hand_cards[i, 0] == card or hand_cards[i, 1] == card
            for player in range(2):
                after[player, hands[i]] = 0.0 if held else np.float64(weights[player, i])
                winning[player, hands[i]] = share * wins[card, 1 - player, i]
        met_kernel(met[0], after[1], combo_cards)
        met_kernel(met[1], after[0], combo_cards)
        mass = features_kernel(after_card, after[0], met[0], winning[0], after[1], met[1], winning[1], 0.0)
        total += mass
        features += mass * after_card
    if total > 0:
        features /= total
