"""Kernels that read many lines of an ACPC log at once, and that find hands which were read before."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.action_kinds import CALL, CHECK, FOLD, RAISE
from hedgehog.poker.cards import NUM_CARDS, RANKS, SUITS
from hedgehog.runtime._random_kernels import mix_bits
from hedgehog.runtime.jit import njit

SKIPPED: Final = 0
"""Status of a line that is no hand: a comment or a score."""
READ: Final = 1
"""Status of a line whose hand was read."""
UNREAD: Final = 2
"""Status of a line that the kernel does not understand; the slow reader decides about it."""

MOST_ACTIONS: Final = 64
"""Most actions in a betting round, as in :data:`hedgehog.poker.state.MAX_ACTIONS_PER_ROUND`."""
UNKNOWN_CARD: Final = 255

_NEWLINE, _RETURN, _COLON, _SLASH, _BAR, _MINUS, _ZERO = 10, 13, 58, 47, 124, 45, 48
_F, _C, _R, _HASH = 102, 99, 114, 35
_STATE: Final = tuple(b"STATE:")
_SCORE: Final = tuple(b"SCORE:")
_NO_CARD: Final = -NUM_CARDS
_RANKS: Final = np.full(256, _NO_CARD)
"""By letter: the lowest card of a rank."""
_RANKS[list(RANKS.encode())] = range(0, NUM_CARDS, len(SUITS))
_SUITS: Final = np.full(256, _NO_CARD)
"""By letter: the number of a suit."""
_SUITS[list(SUITS.encode())] = range(len(SUITS))

_FNV_START: Final = np.uint64(14695981039346656037)
_FNV_PRIME: Final = np.uint64(1099511628211)


class HandColumns(NamedTuple):
    """The columns of N hands."""

    status: NDArray[np.uint8]
    """(N,) one of the three states above; the row of an unread hand is empty."""
    start: NDArray[np.int64]
    """(N,) first byte of the line."""
    end: NDArray[np.int64]
    """(N,) byte behind the last one of the line, without line end."""
    key: NDArray[np.uint64]
    """(N,) hash of the line and of its match."""
    hand: NDArray[np.uint64]
    """(N,) number of the hand."""
    names: NDArray[np.int64]
    """(N, 2, 2) first byte and byte behind the last one of the name in each position."""
    name_keys: NDArray[np.uint64]
    """(N, 2) hash of each name."""
    net: NDArray[np.float64]
    """(N, 2) chips won by each position."""
    cards: NDArray[np.uint8]
    """(N, 9) hole cards of both positions and board as card ids; 255 where unknown."""
    raises: NDArray[np.uint8]
    """(N, 4) number of bets and raises in each round."""
    rounds: NDArray[np.uint8]
    """(N,) number of rounds with an action."""
    showdown: NDArray[np.bool_]
    """(N,) whether nobody folded."""
    num_actions: NDArray[np.int32]
    """(N,) number of actions."""


class ActionColumns(NamedTuple):
    """The columns of M actions, in the order of the hands."""

    round: NDArray[np.uint8]
    seat: NDArray[np.uint8]
    """0 for the big blind, 1 for the small blind."""
    ordinal: NDArray[np.uint8]
    """Number of bets and raises in the round before this action; the big blind does not count."""
    kind: NDArray[np.uint8]
    """0 fold, 1 check, 2 call, 3 bet or raise."""
    all_in: NDArray[np.bool_]
    """Whether the player has no chips left after the action."""
    size: NDArray[np.int64]
    """Bet or raise: street total to which it goes. Call: chips paid. Else 0."""
    pot: NDArray[np.int64]
    """Chips in the middle before the action."""
    faced: NDArray[np.int64]
    """Street total of the bet faced; before the flop at least the big blind."""
    own: NDArray[np.int64]
    """Street total of the player before the action."""
    behind: NDArray[np.int64]
    """Chips the player has left before the action."""


class Game(NamedTuple):
    """What the kernel needs of the game definition; position 0 is the big blind."""

    stack0: int
    stack1: int
    blind0: int
    blind1: int


@njit(cache=True)
def count_lines_kernel(text: NDArray[np.uint8]) -> tuple[int, int]:
    """Returns the number of lines, and an upper bound for the number of actions.

    :param text: (L,) bytes of whole lines.
    """
    lines = 0
    actions = 0
    for index in range(text.size):
        byte = text[index]
        if byte == _NEWLINE:
            lines += 1
        elif byte in (_F, _C, _R):
            actions += 1
    if text.size and text[text.size - 1] != _NEWLINE:
        lines += 1
    return lines, actions


@njit(cache=True)
def hash_kernel(text: NDArray[np.uint8], start: int, end: int, salt: Any) -> Any:
    """Returns the 64-bit hash of the bytes from ``start`` to ``end``.

    :param text: (L,) bytes.
    :param salt: uint64 that is mixed in.
    """
    value = _FNV_START ^ salt
    for index in range(start, end):
        value = (value ^ np.uint64(text[index])) * _FNV_PRIME
    return mix_bits(value)


@njit(cache=True, inline="always")
def _card(rank: int, suit: int) -> int:
    """Returns a card id; a negative number if one of the two letters is none of a card."""
    return int(_RANKS[rank]) + int(_SUITS[suit])


@njit(cache=True)
def _starts(text: NDArray[np.uint8], start: int, end: int, wanted: tuple[int, ...]) -> bool:
    """Returns True if a line starts with six given bytes."""
    if end - start < 6:
        return False
    same = True
    for index in range(6):
        same = same and text[start + index] == wanted[index]
    return same


@njit(cache=True)
def _number(text: NDArray[np.uint8], at: int, end: int) -> tuple[int, int]:
    """Returns a number without leading zeros and the byte behind it; -1 as number if there is none."""
    if at >= end or not _ZERO <= text[at] <= _ZERO + 9:
        return -1, at
    if text[at] == _ZERO:
        return (0, at + 1) if at + 1 >= end or not _ZERO <= text[at + 1] <= _ZERO + 9 else (-1, at)
    value = 0
    start = at
    while at < end and _ZERO <= text[at] <= _ZERO + 9:
        value = 10 * value + (int(text[at]) - _ZERO)
        at += 1
        if at - start > 10:
            return -1, at
    return value, at


@njit(cache=True)
def _betting(
    actions: ActionColumns,
    raises: NDArray[np.uint8],
    text: NDArray[np.uint8],
    at: int,
    end: int,
    game: Game,
    first: int,
) -> tuple[int, int, int, int, int, int, int]:
    """Replays the betting of one hand by the rules of :class:`hedgehog.poker.state.HandState`.

    :returns: byte behind the betting (-1: not possible), number of actions, rounds with an action, last round, the
        position that folded (-1: nobody), chips that each position has put in.
    """
    bad = (-1, 0, 0, 0, 0, 0, 0)
    stacks = (game.stack0, game.stack1)
    spent0, spent1 = game.blind0, game.blind1
    level = game.blind0
    least = 2 * game.blind0
    base = 0
    able = (1 if spent0 < stacks[0] else 0) + (1 if spent1 < stacks[1] else 0)
    called = 0
    street = 0
    street_actions = 0
    street_raises = 0
    position = 1 if spent1 < stacks[1] else 0
    count = 0
    rounds = 0
    folded = -1
    finished = False
    while not finished:
        if at >= end:
            return bad
        letter = text[at]
        at += 1
        row = first + count
        if row >= actions.kind.size:
            return bad
        spent = spent0 if position == 0 else spent1
        stack = stacks[position]
        actions.round[row] = street
        actions.seat[row] = position
        actions.ordinal[row] = street_raises
        actions.pot[row] = spent0 + spent1
        actions.faced[row] = level - base
        actions.own[row] = spent - base
        actions.behind[row] = stack - spent
        actions.size[row] = 0
        actions.all_in[row] = False
        if letter == _F:
            if spent == level:
                return bad
            actions.kind[row] = FOLD
            folded = position
            finished = True
        else:
            if letter == _R:
                size, at = _number(text, at, end)
                if size <= 0 or able <= 1 or street_actions + 2 > MOST_ACTIONS or stack <= level:
                    return bad
                if size < min(least, stack) or size > stack:
                    return bad
                actions.kind[row] = RAISE
                actions.size[row] = size - base
                least = max(least, 2 * size - level)
                level = size
                street_raises += 1
                called = 0
            elif letter == _C:
                paid = min(level, stack) - spent
                actions.kind[row] = CALL if paid else CHECK
                actions.size[row] = paid
            else:
                return bad
            if level < stack:
                spent = level
                called += 1
            else:
                spent = stack
                able -= 1
                actions.all_in[row] = True
            if position == 0:
                spent0 = spent
            else:
                spent1 = spent
        count += 1
        street_actions += 1
        rounds = street + 1
        if finished:
            raises[street] = street_raises
        elif called >= able:
            raises[street] = street_raises
            if able <= 1 or street == 3:
                finished = True
                while street < 3:
                    if at >= end or text[at] != _SLASH:
                        return bad
                    at += 1
                    street += 1
            else:
                if at >= end or text[at] != _SLASH:
                    return bad
                at += 1
                street += 1
                least = level + game.blind0
                base = level
                called = 0
                street_actions = 0
                street_raises = 0
                position = 0
        else:
            position = 1 - position
            if (spent0 if position == 0 else spent1) >= stacks[position]:
                position = 1 - position
    return at, count, rounds, street, folded, spent0, spent1


@njit(cache=True)
def _line(
    hands: HandColumns,
    actions: ActionColumns,
    row: int,
    first: int,
    text: NDArray[np.uint8],
    start: int,
    end: int,
    game: Game,
) -> bool:
    """Reads one ``STATE:`` line into a row; returns False if it is not understood."""
    number, at = _number(text, start + 6, end)
    if number < 0 or at >= end or text[at] != _COLON:
        return False
    hands.hand[row] = np.uint64(number)
    at, count, rounds, street, folded, spent0, spent1 = _betting(
        actions, hands.raises[row], text, at + 1, end, game, first
    )
    if at < 0 or at >= end or text[at] != _COLON:
        return False
    at += 1
    seen = np.uint64(0)
    for index in range(9):
        hands.cards[row, index] = UNKNOWN_CARD
    known = 4 + (0 if street == 0 else street + 2)
    for index in range(known):
        if index == 2 or index in (4, 7, 8):
            wanted = _BAR if index == 2 else _SLASH
            if at >= end or text[at] != wanted:
                return False
            at += 1
        if at + 1 >= end:
            return False
        card = _card(text[at], text[at + 1])
        if card < 0 or (seen >> np.uint64(card)) & np.uint64(1):
            return False
        seen |= np.uint64(1) << np.uint64(card)
        hands.cards[row, index] = card
        at += 2
    if at >= end or text[at] != _COLON:
        return False
    at += 1
    staked = min(spent0, spent1)
    for position in range(2):
        sign = 1
        if at < end and text[at] == _MINUS:
            sign = -1
            at += 1
        number, at = _number(text, at, end)
        wanted = _BAR if position == 0 else _COLON
        if number < 0 or at >= end or text[at] != wanted:
            return False
        at += 1
        hands.net[row, position] = sign * number
    won = hands.net[row, 0]
    if hands.net[row, 1] != -won:
        return False
    if folded >= 0:
        if won != (-spent0 if folded == 0 else spent1):
            return False
    elif won not in (0, staked, -staked):
        return False
    hands.names[row, 0, 0] = at
    while at < end and text[at] != _BAR:
        at += 1
    if at >= end:
        return False
    hands.names[row, 0, 1] = at
    hands.names[row, 1, 0] = at + 1
    hands.names[row, 1, 1] = end
    for index in range(at + 1, end):
        if text[index] == _BAR:
            return False
    for position in range(2):
        hands.name_keys[row, position] = hash_kernel(
            text, hands.names[row, position, 0], hands.names[row, position, 1], np.uint64(0)
        )
    hands.rounds[row] = rounds
    hands.showdown[row] = folded < 0
    hands.num_actions[row] = count
    return True


@njit(cache=True)
def read_lines_kernel(
    hands: HandColumns, actions: ActionColumns, text: NDArray[np.uint8], game: Game, salt: Any
) -> int:
    """Reads all lines of a text. Returns the number of actions written.

    :param hands: columns with a row for each line.
    :param actions: columns with room for the actions of all lines.
    :param text: (L,) bytes of whole lines.
    :param game: the game.
    :param salt: uint64 hash of the match, mixed into the keys of its hands.
    """
    row = 0
    written = 0
    start = 0
    while start < text.size:
        end = start
        while end < text.size and text[end] != _NEWLINE:
            end += 1
        stop = end - 1 if end > start and text[end - 1] == _RETURN else end
        hands.start[row] = start
        hands.end[row] = stop
        hands.num_actions[row] = 0
        for street in range(4):
            hands.raises[row, street] = 0
        if _starts(text, start, stop, _STATE):
            if _line(hands, actions, row, written, text, start, stop, game):
                hands.status[row] = READ
                hands.key[row] = hash_kernel(text, start, stop, salt)
                written += hands.num_actions[row]
            else:
                hands.status[row] = UNREAD
                hands.num_actions[row] = 0
        elif stop > start and (text[start] == _HASH or _starts(text, start, stop, _SCORE)):
            hands.status[row] = SKIPPED
        else:
            hands.status[row] = UNREAD
        row += 1
        start = end + 1
    return written


@njit(cache=True)
def insert_keys_kernel(fresh: NDArray[np.bool_], table: NDArray[np.uint64], keys: NDArray[np.uint64]) -> int:
    """Puts keys into a hash table. Returns the number of keys that were not in it.

    :param fresh: (N,) becomes True for every key that was not in the table, at its first occurrence.
    :param table: (2^k,) the table, with 0 in free places; at least half of them are free afterwards.
    :param keys: (N,) the keys, none of them 0.
    """
    mask = np.uint64(table.size - 1)
    count = 0
    for index in range(keys.size):
        key = keys[index]
        place = key & mask
        while table[place] != 0 and table[place] != key:
            place = (place + np.uint64(1)) & mask
        fresh[index] = table[place] == 0
        if fresh[index]:
            table[place] = key
            count += 1
    return count
