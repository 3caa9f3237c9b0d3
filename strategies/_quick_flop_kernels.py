"""Adaptive binary arithmetic coding of flop strategy rows: one block is one decision on one flop.

A row is written as levels, its probabilities in sixteenths. Hand by hand, in combo order: first whether the row is that
of the blueprint (:data:`KEPT`), else action by action the level within what is left: is it nothing, is it all, and if
neither, its bits. The last action takes the rest. Every one of these yes-or-no questions is coded with a probability
that depends on its context (what the blueprint does there, what neighbouring hands do) and adapts as the block goes on.

The coder is a carryless one: the interval [low, high] of 40 bits is split in proportion to the probability, and equal
leading bytes of its ends are shifted out. Past its end a block reads as zeros, so that any bytes whatever decode to
sound rows in bounded time.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runtime.jit import njit

LEVELS: Final = 16
MAX_ACTIONS: Final = 8
"""Most actions of a flop decision."""
MAX_BLOCK_BYTES: Final = 65_535
NUM_REACH_CLASSES: Final = 4
NUM_PRIOR_CLASSES: Final = 9
_NUM_NEAR: Final = 8
_KEPT: Final = 0
_NUM_KEPT: Final = NUM_REACH_CLASSES * 27
_NOTHING: Final = _KEPT + _NUM_KEPT
_ACTION_KINDS: Final = 4
"""Later actions share the contexts of the last of these."""
_NUM_LEVEL: Final = _ACTION_KINDS * NUM_PRIOR_CLASSES * _NUM_NEAR
_ALL: Final = _NOTHING + _NUM_LEVEL
_BITS: Final = _ALL + _NUM_LEVEL
NUM_CONTEXTS: Final = _BITS + _ACTION_KINDS * NUM_PRIOR_CLASSES * LEVELS

DECODE: Final = 0
ENCODE: Final = 1
COUNT: Final = 2

_TOP: Final = 32
_MASK: Final = (1 << 40) - 1
_UNKNOWN: Final = 255
_CONFIDENCE: Final = 16
"""How many observations the probability that a block starts from counts for."""
_MEMORY: Final = 120
"""At most so many observations count."""
_RATE: Final = 65_536 // (np.arange(_MEMORY + 1) + 2)
"""int64 (observations,): share, in 65,536ths, of the way to the answer that a probability goes."""
LEAST: Final = 24
"""No probability is nearer to 0 or 1 than this many 65,536ths."""


class Interval(NamedTuple):
    """Where the coder is; plain numbers, which a kernel keeps in registers."""

    low: int
    high: int
    value: int
    """The next 40 bits, when decoding."""
    position: int
    """Of the next byte."""


@njit(inline="always")
def _code(
    bit: int,
    context: int,
    at: Interval,
    end: int,
    probabilities: NDArray[np.int64],
    out: NDArray[np.uint8],
    data: NDArray[np.uint8],
    mode: int,
) -> tuple[int, Interval]:
    """Codes one answer; returns it and where the coder is then.

    :param probabilities: in 65,536ths, with the number of their observations above.
    :param end: of the block in ``data``.
    """
    packed = probabilities[context]
    p, seen = packed & 0xFFFF, packed >> 16
    if mode == COUNT:
        # Counts of no and yes share the entry.
        probabilities[context] = packed + (1 << (32 * bit))
        return bit, at
    low, high, value, position = at.low, at.high, at.value, at.position
    middle = low + ((high - low) >> 16) * p
    if mode == DECODE:
        bit = 1 if value <= middle else 0
    if bit:
        high = middle
        p += ((65_536 - p) * _RATE[seen]) >> 16
    else:
        low = middle + 1
        p -= (p * _RATE[seen]) >> 16
    probabilities[context] = min(max(p, LEAST), 65_536 - LEAST) | min(seen + 1, _MEMORY) << 16
    while (low ^ high) >> _TOP == 0:
        if mode == DECODE:
            value = (value << 8) & _MASK
            if position < end:
                value |= int(np.int64(data[position]))
        elif position < len(out):
            out[position] = low >> _TOP
        position += 1
        low = (low << 8) & _MASK
        high = ((high << 8) & _MASK) | 255
    return bit, Interval(low, high, value, position)


@njit
def _near_class(total: int, count: int) -> int:
    """Returns the class of the mean of ``count`` levels of neighbouring hands."""
    if count == 0:
        return 0
    if total == 0:
        return 1
    if total == LEVELS * count:
        return 2
    return 3 + min(5 * total // (LEVELS * count), 4)


@njit
def code_block_kernel(
    levels: NDArray[np.uint8],
    kept: NDArray[np.uint8],
    shares: NDArray[np.uint8],
    last_kept: NDArray[np.uint8],
    last_shares: NDArray[np.uint8],
    probabilities: NDArray[np.int64],
    out: NDArray[np.uint8],
    data: NDArray[np.uint8],
    start: int,
    end: int,
    last: int,
    model: NDArray[np.uint16],
    canonical: NDArray[np.int16],
    buckets: NDArray[np.uint8],
    in_range: NDArray[np.bool_],
    prior_levels: NDArray[np.uint8],
    prior_classes: NDArray[np.uint8],
    reach_classes: NDArray[np.uint8],
    combo_cards: NDArray[np.uint8],
    num_actions: int,
    mode: int,
) -> int:
    """Decodes, encodes or counts one block.

    :param levels: (1326, MAX_ACTIONS) rows in sixteenths of canonical hands that are not kept; read or written.
    :param kept: (1326,) 1 where the row is the blueprint's, read or written at canonical hands.
    :param shares: (1326, MAX_ACTIONS) scratch: level as a share of what was left, in sixteenths.
    :param last_kept: (buckets,) scratch: ``kept`` of the last hand of each bucket.
    :param last_shares: (buckets, MAX_ACTIONS) scratch: ``shares`` of the last hand of each bucket.
    :param probabilities: (NUM_CONTEXTS,) scratch; when counting the result: answers no + answers yes * 2^32.
    :param out: (bytes,) the block when encoding.
    :param data: (bytes,) holds the block from ``start`` to ``end`` when decoding.
    :param last: the last combo to be coded.
    :param model: (NUM_CONTEXTS,) probability of the answer yes at the start of a block, in 65,536ths.
    :param canonical: (1326,) canonical hand of each combo, -1 where the flop blocks it.
    :param buckets: (hands,) bucket of each canonical hand in combo order.
    :param in_range: (1326,) combos the acting player can hold here; the others are kept without a word.
    :param prior_levels: (buckets, MAX_ACTIONS) the blueprint's shares of what is left, in sixteenths.
    :param prior_classes: (buckets, MAX_ACTIONS) the same in classes.
    :param reach_classes: (buckets,) how often the blueprint's own actions on the flop lead here, in classes.
    :param combo_cards: (1326, 2) low and high card of each combo.
    :param num_actions: actions of the decision, at most MAX_ACTIONS.
    :param mode: DECODE, ENCODE or COUNT.
    :returns: bytes of the block when encoding; more than there is room for in ``out`` means failure.
    """
    for i in range(NUM_CONTEXTS):
        probabilities[i] = 0 if mode == COUNT else np.int64(model[i]) | _CONFIDENCE << 16
    last_kept[:] = 2
    last_shares[:] = _UNKNOWN
    value, position = 0, start
    if mode == DECODE:
        for _ in range(5):
            value <<= 8
            if position < end:
                value |= int(np.int64(data[position]))
            position += 1
    at = Interval(0, _MASK, value, position)
    hand = -1
    for combo in range(last + 1):
        if canonical[combo] != combo:
            continue
        hand += 1
        bucket = int(buckets[hand])
        if not in_range[combo]:
            kept[combo] = 1
            last_kept[bucket] = 1
            for action in range(num_actions - 1):
                shares[combo, action] = last_shares[bucket, action] = prior_levels[bucket, action]
            continue
        low, high = int(combo_cards[combo, 0]), int(combo_cards[combo, 1])
        # The hand with the high card (both cards of a pair) a rank lower, and one of the same ranks.
        by_rank = by_suit = -1
        if high >> 2 == low >> 2:
            if low >= 4:
                by_rank = int(canonical[(low - 4) * (107 - low) // 2 + high - low - 1])
        elif high - 4 > low:
            by_rank = int(canonical[low * (103 - low) // 2 + high - low - 5])
        elif low >= 4:
            by_rank = int(canonical[(low - 4) * (107 - low) // 2 + high - low + 3])
        if high & 3 and high - 1 > low:
            by_suit = int(canonical[low * (103 - low) // 2 + high - low - 2])
        elif low & 3:
            by_suit = int(canonical[(low - 1) * (104 - low) // 2 + high - low])
        context = int(reach_classes[bucket]) * 3 + int(last_kept[bucket])
        context = context * 3 + (2 if by_rank < 0 else int(kept[by_rank]))
        context = context * 3 + (2 if by_suit < 0 else int(kept[by_suit]))
        as_before, at = _code(int(kept[combo]), _KEPT + context, at, end, probabilities, out, data, mode)
        kept[combo] = last_kept[bucket] = as_before
        left = LEVELS
        for action in range(num_actions - 1):
            share = _UNKNOWN
            if as_before:
                share = int(prior_levels[bucket, action])
            elif left > 0:
                total, count = 0, 0
                if by_rank >= 0 and shares[by_rank, action] != _UNKNOWN:
                    total += int(shares[by_rank, action])
                    count += 1
                if by_suit >= 0 and shares[by_suit, action] != _UNKNOWN:
                    total += int(shares[by_suit, action])
                    count += 1
                if last_shares[bucket, action] != _UNKNOWN:
                    total += 2 * int(last_shares[bucket, action])
                    count += 2
                prior = min(action, _ACTION_KINDS - 1) * NUM_PRIOR_CLASSES + int(prior_classes[bucket, action])
                where = prior * _NUM_NEAR + _near_class(total, count)
                level = int(levels[combo, action])
                nothing, at = _code(int(level == 0), _NOTHING + where, at, end, probabilities, out, data, mode)
                everything = int(left == 1)
                if not nothing and not everything:
                    asked = _ALL + where
                    everything, at = _code(int(level == left), asked, at, end, probabilities, out, data, mode)
                if nothing:
                    level = 0
                elif everything:
                    level = left
                else:
                    found, node = 0, 1
                    for shift in (3, 2, 1, 0):
                        bit = 0
                        if found + (1 << shift) < left:
                            asked = _BITS + prior * LEVELS + node
                            bit, at = _code((level >> shift) & 1, asked, at, end, probabilities, out, data, mode)
                        found += bit << shift
                        node = 2 * node + bit
                    level = found
                share = (level * LEVELS + left // 2) // left
                levels[combo, action] = level
                left -= level
            else:
                levels[combo, action] = 0
            shares[combo, action] = share
            if share != _UNKNOWN:
                last_shares[bucket, action] = share
        levels[combo, num_actions - 1] = left
    if mode != ENCODE:
        return 0
    # The shortest bytes that, followed by zeros, lie in the interval.
    length = at.position
    if at.low > 0:
        if length < len(out):
            out[length] = (at.low >> _TOP) + 1
        length += 1
    while 0 < length <= len(out) and out[length - 1] == 0:
        length -= 1
    return int(length)


@njit
def levels_kernel(row: NDArray[np.uint8], levels: NDArray[np.uint8]) -> None:
    """Turns sixteenths into bytes that sum to 255."""
    total, before = 0, 0
    for action in range(len(row)):
        total += int(levels[action])
        now = (total * 255 + LEVELS // 2) // LEVELS
        row[action] = now - before
        before = now


@njit
def rows_kernel(
    rows: NDArray[np.uint8],
    levels: NDArray[np.uint8],
    kept: NDArray[np.uint8],
    at: NDArray[np.int16],
    canonical: NDArray[np.int16],
    buckets: NDArray[np.uint8],
    prior: NDArray[np.uint8],
) -> None:
    """Turns a decoded block into bytes.

    :param rows: (live combos, actions) result, rows summing to 255.
    :param levels: (1326, MAX_ACTIONS) and ``kept`` (1326,) as :func:`code_block_kernel` leaves them.
    :param at: (1326,) scratch: row of each canonical hand.
    :param canonical: (1326,) canonical hand of each combo, -1 where the flop blocks it.
    :param buckets: (hands,) bucket of each canonical hand in combo order.
    :param prior: (buckets, actions) the blueprint's rows.
    """
    num_actions = rows.shape[1]
    hand, live = -1, -1
    for combo in range(len(canonical)):
        same = int(canonical[combo])
        if same < 0:
            continue
        live += 1
        if same != combo:
            for action in range(num_actions):
                rows[live, action] = rows[at[same], action]
            continue
        hand += 1
        at[combo] = live
        if kept[combo]:
            for action in range(num_actions):
                rows[live, action] = prior[int(buckets[hand]), action]
            continue
        levels_kernel(rows[live], levels[combo])


@njit
def row_kernel(
    row: NDArray[np.uint8],
    combo: int,
    levels: NDArray[np.uint8],
    kept: NDArray[np.uint8],
    canonical: NDArray[np.int16],
    buckets: NDArray[np.uint8],
    prior: NDArray[np.uint8],
) -> None:
    """Turns one row of a block decoded that far into bytes, as :func:`rows_kernel` does all.

    :param row: (actions,) result.
    :param combo: a canonical hand.
    """
    if kept[combo]:
        hand = -1
        for other in range(combo + 1):
            hand += canonical[other] == other
        for action in range(len(row)):
            row[action] = prior[int(buckets[hand]), action]
    else:
        levels_kernel(row, levels[combo])
