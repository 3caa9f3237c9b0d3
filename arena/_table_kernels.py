"""Kernels that play whole matches between benchmark bots: cards, betting, bots, showdown and log text.

Other modules define the same in Python, and the kernels must agree with them to the last bit:
:mod:`hedgehog.dealer.cards` defines the cards, :mod:`hedgehog.poker.state` the betting,
:mod:`hedgehog.poker.evaluation.showdown` the payoffs, :mod:`hedgehog.agent.bots` the bots (whose
random numbers come from Python's :class:`random.Random`), and
:mod:`hedgehog.poker.acpc.handlog` the text. The tests compare all of them.

The random generators are MT19937 states: rows of a uint32 array ``rngs`` of shape (G, 625). A row holds the 624 words
and the index of the next word. numpy and Python export their states in this form. Source: M. Matsumoto and T.
Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998).

The functions that play one action are inlined by numba, because a call with several arrays costs as much as their work.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables
from hedgehog.poker.evaluation._showdown_kernels import pay_showdown, rank_hand_of_any_size
from hedgehog.runtime.jit import njit

FOLD_BOT: Final = 0
CALL_BOT: Final = 1
RAISE_BOT: Final = 2
ALL_IN_BOT: Final = 3
RANDOM_BOT: Final = 4

_FOLD: Final = 0
_CALL: Final = 1
_RAISE: Final = 2

_MAX_ACTIONS_PER_ROUND: Final = (
    64  # as in hedgehog.poker.state, which is no kernel module and so does not key the cache
)
_NO_POT: Final = -1

_ZERO: Final = ord("0")
_MINUS: Final = ord("-")
_POINT: Final = ord(".")
_SLASH: Final = ord("/")
_BAR: Final = ord("|")
_COLON: Final = ord(":")
_LINE_END: Final = ord("\n")
_ACTION_LETTERS: Final = np.frombuffer(b"fcr", dtype=np.uint8)
_LINE_START: Final = np.frombuffer(b"STATE:", dtype=np.uint8)
_RANK_LETTERS: Final = np.frombuffer(b"23456789TJQKA", dtype=np.uint8)
_SUIT_LETTERS: Final = np.frombuffer(b"cdhs", dtype=np.uint8)

# Unsigned throughout, or numba makes signed 64-bit numbers of 32-bit words; see the evaluator's kernels.
_MT_WORDS: Final = 624
_MT_SHIFT: Final = 397
_MT_UPPER: Final = np.uint64(0x80000000)
_MT_LOWER: Final = np.uint64(0x7FFFFFFF)
_MT_MATRIX: Final = np.uint64(0x9908B0DF)
_ONE: Final = np.uint64(1)


class TableGame(NamedTuple):
    """A game definition as arrays for the kernels, for N players and R betting rounds. Amounts are in chips."""

    stacks: NDArray[np.int64]
    """(N,) chips of each position at the start of a hand."""
    blinds: NDArray[np.int64]
    """(N,) forced bet of each position."""
    raise_sizes: NDArray[np.int64]
    """(R,) chips of a limit raise in each round; zeros in no-limit games."""
    first_positions: NDArray[np.int64]
    """(R,) position at which the search for the first player to act in a round starts."""
    max_raises: NDArray[np.int64]
    """(R,) number of raises allowed in each round."""
    board_ends: NDArray[np.int64]
    """(R,) number of board cards on the table in each round."""
    deck: NDArray[np.uint8]
    """(D,) card ids in the order in which they are dealt from."""
    num_hole_cards: int
    no_limit: bool


class LogNames(NamedTuple):
    """The names of the players as they stand in log lines, for every rotation of the seats."""

    text: NDArray[np.uint8]
    """(B,) bytes of the names in position order, joined by ``|``, one rotation after the other."""
    starts: NDArray[np.int64]
    """(rotations + 1,) index in ``text`` at which each rotation starts; the last entry is the end of the text."""


# --- random numbers ---------------------------------------------------------------------------------------------


@njit(inline="always")
def next_word(rngs: NDArray[np.uint32], row: int) -> np.uint64:
    """Returns the next 32-bit word of a random generator.

    The arguments are an array and a row instead of a slice: numba counts references to slices, which costs more than
    drawing the word.

    :param rngs: (G, 625) MT19937 states; ``row`` is updated.
    """
    index = int(np.int64(rngs[row, _MT_WORDS]))
    if index >= _MT_WORDS:
        refill(rngs[row])
        index = 0
    rngs[row, _MT_WORDS] = index + 1
    word = np.uint64(rngs[row, index])
    word ^= word >> np.uint64(11)
    word ^= word << np.uint64(7) & np.uint64(0x9D2C5680)
    word ^= word << np.uint64(15) & np.uint64(0xEFC60000)
    return word ^ word >> np.uint64(18)


@njit
def refill(rng: NDArray[np.uint32]) -> None:
    """Computes the next 624 words of a random generator.

    :param rng: (625,) MT19937 state; its words are replaced, its index is not changed.
    """
    for i in range(_MT_WORDS):
        following = i + 1 if i + 1 < _MT_WORDS else 0
        distant = i + _MT_SHIFT if i + _MT_SHIFT < _MT_WORDS else i + _MT_SHIFT - _MT_WORDS
        word = np.uint64(rng[i]) & _MT_UPPER | np.uint64(rng[following]) & _MT_LOWER
        rng[i] = np.uint64(rng[distant]) ^ word >> _ONE ^ (word & _ONE) * _MT_MATRIX


@njit(inline="always")
def random_unit(rngs: NDArray[np.uint32], row: int) -> float:
    """Returns a float in [0, 1) as ``random.Random.random`` does.

    :param rngs: (G, 625) MT19937 states; ``row`` is updated.
    """
    high = next_word(rngs, row) >> np.uint64(5)
    low = next_word(rngs, row) >> np.uint64(6)
    return (np.float64(high) * 67108864.0 + np.float64(low)) * (1.0 / 9007199254740992.0)


@njit(inline="always")
def random_below(rngs: NDArray[np.uint32], row: int, count: int) -> int:
    """Returns an integer in [0, count) as ``random.Random.randint`` does: draws bits until the number is small enough.

    :param rngs: (G, 625) MT19937 states; ``row`` is updated.
    :param count: 1 .. 2**32 - 1.
    """
    shift = np.uint64(32 - math.frexp(float(count))[1])  # 32 minus the number of bits of count
    while True:
        drawn = int(np.int64(next_word(rngs, row) >> shift))
        if drawn < count:
            return drawn


# --- one hand ---------------------------------------------------------------------------------------------------


@njit
def deal(
    cards: NDArray[np.uint8], deck: NDArray[np.uint8], fresh_deck: NDArray[np.uint8], rngs: NDArray[np.uint32], row: int
) -> None:
    """Deals the cards of a hand, as :meth:`hedgehog.dealer.cards.CardDealer.deal` does.

    :param cards: (C,) output: card ids of the hole cards position by position, then of the whole board.
    :param deck: (D,) scratch.
    :param fresh_deck: (D,) card ids in dealing order.
    :param rngs: (G, 625) MT19937 states; ``row`` is updated.
    """
    for i in range(len(fresh_deck)):
        deck[i] = fresh_deck[i]
    left = np.uint32(len(deck))
    for i in range(len(cards)):
        index = np.uint32(next_word(rngs, row)) % left
        left -= np.uint32(1)
        cards[i] = deck[index]
        deck[index] = deck[left]


@njit(inline="always")
def choose(
    bot: int,
    spent: NDArray[np.int64],
    position: int,
    max_spent: int,
    smallest: int,
    largest: int,
    can_raise: bool,
    no_limit: bool,
    rngs: NDArray[np.uint32],
    row: int,
) -> tuple[int, int]:
    """Returns the action of a benchmark bot and, for a no-limit raise, its size (total chips over the hand), else 0.

    :param bot: kind of bot, for example :data:`CALL_BOT`.
    :param spent: (N,) chips put in by each position.
    :param position: position of the bot.
    :param max_spent: largest entry of ``spent``.
    :param smallest: smallest legal size of a raise; 0 in limit games.
    :param largest: largest legal size of a raise; 0 in limit games.
    :param rngs: (G, 625) MT19937 states; ``row`` is updated by a random bot.
    """
    can_fold = spent[position] != max_spent
    if bot == FOLD_BOT:
        return (_FOLD if can_fold else _CALL), 0
    if bot == RANDOM_BOT:
        # random.choices forms the same cumulative sums, in the order in which the bot lists its options.
        total = 0.47
        below_fold = total
        if can_fold:
            total += 0.06
            below_fold = total
        size = 0
        if can_raise:
            size = smallest + random_below(rngs, row, largest - smallest + 1)
            total += 0.47
        point = random_unit(rngs, row) * total
        if point < 0.47:
            return _CALL, 0
        if point < below_fold:
            return _FOLD, 0
        return (_RAISE, size) if can_raise else (_FOLD if can_fold else _CALL, 0)
    if bot == CALL_BOT or not can_raise:
        return _CALL, 0
    if not no_limit or bot == ALL_IN_BOT:
        return _RAISE, largest
    pot = max_spent - spent[position]
    for amount in spent:
        pot += amount
    return _RAISE, min(max(max_spent + pot, smallest), largest)


@njit(inline="always")
def next_able(folded: NDArray[np.bool_], spent: NDArray[np.int64], stacks: NDArray[np.int64], start: int) -> int:
    """Returns the first position from ``start`` on, round the table, that has chips left and has not folded.

    :param folded: (N,) whether each position has folded.
    :param spent: (N,) chips put in by each position.
    :param stacks: (N,) chips of each position at the start of the hand.
    """
    position = start
    for _ in range(len(stacks)):
        if position >= len(stacks):
            position = 0
        if not folded[position] and spent[position] < stacks[position]:
            break
        position += 1
    return position


@njit
def play_betting(
    spent: NDArray[np.int64],
    folded: NDArray[np.bool_],
    decisions: NDArray[np.int64],
    text: NDArray[np.uint8],
    game: TableGame,
    bots: NDArray[np.int8],
    at: int,
    rotation: int,
    rngs: NDArray[np.uint32],
) -> tuple[int, int, int]:
    """Plays the betting of a hand by the rules of :class:`hedgehog.poker.state.HandState`.

    :param spent: (N,) output: chips put in by each position.
    :param folded: (N,) output: whether each position has folded.
    :param decisions: (N, R) number of decisions per seat and round, added to.
    :param text: (L,) output: the betting string from index ``at`` on; of length 0 if no log is wanted.
    :param bots: (N,) kind of bot per seat.
    :param rotation: seat of position 0.
    :param rngs: (N + 1, 625) MT19937 states; the row of a seat is updated by a random bot.
    :returns: the round reached, the number of players who have folded, and the index after the text.
    """
    stacks = game.stacks
    max_raises = game.max_raises
    raise_sizes = game.raise_sizes
    first_positions = game.first_positions
    no_limit = game.no_limit
    num_players = len(stacks)
    last_round = len(first_positions) - 1
    logged = len(text) > 0
    big_blind = 0
    num_able = 0
    for p in range(num_players):
        spent[p] = game.blinds[p]
        folded[p] = False
        big_blind = max(big_blind, int(spent[p]))
        num_able += spent[p] < stacks[p]
    max_spent = big_blind
    min_raise_to = max(1, 2 * big_blind)
    num_folded = 0
    betting_round = 0
    num_actions = num_raises = num_called = 0  # of this round
    position = next_able(folded, spent, stacks, first_positions[0])
    while True:
        stack = int(stacks[position])
        can_raise = (
            num_raises < max_raises[betting_round]
            and num_actions + num_players <= _MAX_ACTIONS_PER_ROUND
            and num_able > 1
            and not (no_limit and stack <= max_spent)
        )
        smallest = min(min_raise_to, stack) if no_limit else 0
        largest = stack if no_limit else 0
        seat = position + rotation
        if seat >= num_players:
            seat -= num_players
        decisions[seat, betting_round] += 1
        action, size = choose(
            bots[seat], spent, position, max_spent, smallest, largest, can_raise, no_limit, rngs, seat
        )
        num_actions += 1
        if action == _FOLD:
            folded[position] = True
            num_folded += 1
            num_able -= 1
        else:
            if action == _RAISE:
                if no_limit:
                    min_raise_to = max(min_raise_to, 2 * size - max_spent)
                    max_spent = size
                else:
                    max_spent = min(max_spent + int(raise_sizes[betting_round]), stack)
                num_raises += 1
                num_called = 0
            spent[position] = min(max_spent, stack)
            if spent[position] < stack:
                num_called += 1
            else:
                num_able -= 1
        if logged:
            text[at] = _ACTION_LETTERS[action]
            at += 1
            if size:
                at = put_number(text, at, size)
        if num_folded + 1 >= num_players:
            break
        if num_called < num_able:
            position = next_able(folded, spent, stacks, position + 1)
            continue
        if num_able <= 1 or betting_round == last_round:
            for _ in range(last_round - betting_round):
                if logged:
                    text[at] = _SLASH
                    at += 1
            betting_round = last_round
            break
        betting_round += 1
        if logged:
            text[at] = _SLASH
            at += 1
        min_raise_to = max_spent + max(1, big_blind)
        num_actions = num_raises = num_called = 0
        position = next_able(folded, spent, stacks, first_positions[betting_round])
    return betting_round, num_folded, at


# --- text -------------------------------------------------------------------------------------------------------


@njit
def put_number(text: NDArray[np.uint8], at: int, number: int) -> int:
    """Writes a number >= 0 in decimal at index ``at`` of ``text`` (L,). Returns the index after the number."""
    digits = 1
    power = 10
    while number >= power:
        digits += 1
        power *= 10
    for i in range(at + digits - 1, at - 1, -1):
        text[i] = _ZERO + number % 10
        number //= 10
    return at + digits


@njit
def put_value(text: NDArray[np.uint8], at: int, value: float) -> int:
    """Writes chips as :func:`hedgehog.poker.acpc.handlog.format_value` does: six decimals without trailing zeros and
    point.

    :param text: (L,) output from index ``at`` on.
    :param value: chips, of magnitude below 2**53.
    :returns: the index after the text.
    """
    if value < 0:
        text[at] = _MINUS
        at += 1
        value = -value
    whole = int(value)
    millionths = 0
    fraction = value - whole
    if fraction != 0:
        # Rounds fraction * 1e6 exactly, half to even, from the rounded product and its rounding error (Dekker 1971).
        product = fraction * 1e6
        high = fraction * 134217729.0
        high -= high - fraction
        low = fraction - high
        error = high * 1e6 - product + low * 1e6  # 1e6 has 20 bits: both partial products are exact
        millionths = int(product)
        rest = product - millionths
        if rest > 0.5 or (rest == 0.5 and (error > 0 or (error == 0 and millionths & 1))):
            millionths += 1
        if millionths == 1_000_000:
            whole += 1
            millionths = 0
    at = put_number(text, at, whole)
    if millionths:
        text[at] = _POINT
        at += 1
        divisor = 100_000
        while millionths:
            text[at] = _ZERO + millionths // divisor
            at += 1
            millionths %= divisor
            divisor //= 10
    return at


@njit
def put_card(text: NDArray[np.uint8], at: int, card: int) -> int:
    """Writes a card as rank and suit at index ``at`` of ``text`` (L,). Returns the index after the card."""
    text[at] = _RANK_LETTERS[card >> 2]
    text[at + 1] = _SUIT_LETTERS[card & 3]
    return at + 2


@njit
def put_cards(text: NDArray[np.uint8], at: int, cards: NDArray[np.uint8], game: TableGame, betting_round: int) -> int:
    """Writes all hole cards and the board up to a round as :func:`hedgehog.poker.acpc.matchstate.format_hand_cards`
    does.

    :param text: (L,) output from index ``at`` on.
    :param cards: (C,) card ids of the hole cards position by position, then of the board.
    :returns: the index after the text.
    """
    num_hole_cards = game.num_hole_cards
    card = 0
    for position in range(len(game.stacks)):
        if position:
            text[at] = _BAR
            at += 1
        for _ in range(num_hole_cards):
            at = put_card(text, at, cards[card])
            card += 1
    dealt = 0
    for index in range(betting_round + 1):
        if index:
            text[at] = _SLASH
            at += 1
        while dealt < game.board_ends[index]:
            at = put_card(text, at, cards[card + dealt])
            dealt += 1
    return at


# --- the match --------------------------------------------------------------------------------------------------


@njit(nogil=True)
def play_hands(
    totals: NDArray[np.float64],
    decisions: NDArray[np.int64],
    text: NDArray[np.uint8],
    game: TableGame,
    bots: NDArray[np.int8],
    names: LogNames,
    tables: EvaluatorTables,
    first_hand: int,
    end_hand: int,
    line_bytes: int,
    rotates: bool,
    rngs: NDArray[np.uint32],
) -> tuple[int, int]:
    """Plays hands from ``first_hand`` up to ``end_hand``, or until the text has no room for another log line.

    :param totals: (N,) chips won by each seat, added to.
    :param decisions: (N, R) number of decisions per seat and round, added to.
    :param text: (L,) output: bytes of the ``STATE:`` lines; of length 0 if no log is wanted.
    :param bots: (N,) kind of bot per seat.
    :param end_hand: the hand before which to stop.
    :param line_bytes: upper bound of the length of a log line in bytes.
    :param rotates: True: positions move on by one seat from hand to hand.
    :param rngs: (N + 1, 625) MT19937 states, updated: one per seat for random bots, and in the last row the state for
        the cards.
    :returns: the next hand to play, or -1 if a showdown had no pot; and the number of bytes of whole lines in ``text``.
    """
    num_players = len(game.stacks)
    num_board = game.board_ends[-1]
    num_dealt = num_players * game.num_hole_cards
    cards = np.empty(num_dealt + num_board, dtype=np.uint8)
    deck = np.empty(len(game.deck), dtype=np.uint8)
    hand = np.empty(game.num_hole_cards + num_board, dtype=np.uint8)
    spent = np.empty(num_players, dtype=np.int64)
    left = np.empty(num_players, dtype=np.int64)
    folded = np.empty(num_players, dtype=np.bool_)
    ranks = np.empty(num_players, dtype=np.int64)
    values = np.empty(num_players, dtype=np.float64)
    counts = np.empty(13, dtype=np.int8)
    suit_masks = np.empty(4, dtype=np.int64)
    logged = len(text) > 0
    at = 0
    for hand_id in range(first_hand, end_hand):
        if logged and at + line_bytes > len(text):
            return hand_id, at
        line_start = at
        rotation = hand_id % num_players if rotates else 0
        deal(cards, deck, game.deck, rngs, num_players)
        if logged:
            for letter in _LINE_START:
                text[at] = letter
                at += 1
            at = put_number(text, at, hand_id)
            text[at] = _COLON
            at += 1
        betting_round, num_folded, at = play_betting(spent, folded, decisions, text, game, bots, at, rotation, rngs)
        if num_folded + 1 < num_players:
            for i in range(num_board):
                hand[game.num_hole_cards + i] = cards[num_dealt + i]
            for p in range(num_players):
                ranks[p] = -1
                if not folded[p]:
                    for i in range(game.num_hole_cards):
                        hand[i] = cards[p * game.num_hole_cards + i]
                    ranks[p] = rank_hand_of_any_size(hand, counts, suit_masks, tables)
            if not pay_showdown(values, left, spent, folded, ranks):
                return _NO_POT, line_start
        else:
            pot = np.int64(0)
            for p in range(num_players):
                pot += spent[p]
            for p in range(num_players):
                values[p] = -spent[p] if folded[p] else pot - spent[p]
        for p in range(num_players):
            seat = p + rotation
            if seat >= num_players:
                seat -= num_players
            totals[seat] += values[p]
        if logged:
            text[at] = _COLON
            at = put_cards(text, at + 1, cards, game, betting_round)
            for p in range(num_players):
                text[at] = _BAR if p else _COLON
                at = put_value(text, at + 1, values[p])
            text[at] = _COLON
            at += 1
            for i in range(names.starts[rotation], names.starts[rotation + 1]):
                text[at] = names.text[i]
                at += 1
            text[at] = _LINE_END
            at += 1
    return end_hand, at
