"""Names of what hole cards make on a board, for all 1,326 combos at once, and filters such as ``top pair+,flush draw``.

**Made hands.** Every combo has exactly one name. Names up to ``set`` say what the hole cards add; a pair or three of a
kind that lies on the board alone counts for nothing. Names from ``straight`` on are those of the best five cards, even
if all five lie on the board. ``NAME+`` in a filter means this name and all names below it in the table, which has the
weakest first:

====================  ================================================================================================
``high card``         nothing, without an ace in the hand
``ace high``          nothing, with an ace in the hand
``underpair``         a pocket pair below every card of the board
``bottom pair``       one hole card pairs the lowest rank of the board, and this rank is not the highest
``middle pair``       one hole card pairs a rank of the board between the highest and the lowest
``pocket pair``       a pocket pair between the highest and the lowest rank of the board
``top pair``          one hole card pairs the highest rank of the board
``overpair``          a pocket pair above every card of the board
``two pair``          both hole cards pair a rank of the board
``trips``             one hole card of a rank that lies on the board twice
``set``               a pocket pair of a rank that lies on the board once
``straight``, ``flush``, ``full house``, ``quads``, ``straight flush``
====================  ================================================================================================

**Draws.** A combo has any number of draws, on the flop and the turn only. A draw needs a hole card. Straight draws
count for hands below a straight, flush draws for hands below a flush. ``DRAW+`` in a filter means this draw and all
draws below it in the table, which has the weakest first:

========================  ============================================================================================
``overcards``             two different hole cards above every card of the board, and no made hand
``backdoor flush draw``   on the flop: three cards of one suit
``gutshot``               one rank makes a straight
``double gutshot``        two or more ranks make a straight, and no four cards in a row are open at both ends
``OESD``                  open-ended straight draw: four cards in a row, and a rank at either end makes a straight
``flush draw``            four cards of one suit
``nut flush draw``        a flush draw with the highest card of the suit that is not on the board; it is also named
                          ``flush draw``
``combo draw``            a flush draw together with a straight draw; both draws are named as well
========================  ============================================================================================

**Filters.** A filter joins names by ``&`` (and), ``,`` (or) and ``!`` (not); ``!`` binds tightest, then ``&``, then
``,``. The filter ``top pair+ & !flush draw, set`` selects sets, and hands of top pair or better without a flush draw.
Case and hyphens do not matter.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.runtime.errors import CardError, InputError

MADE_HANDS: Final = (
    "high card",
    "ace high",
    "underpair",
    "bottom pair",
    "middle pair",
    "pocket pair",
    "top pair",
    "overpair",
    "two pair",
    "trips",
    "set",
    "straight",
    "flush",
    "full house",
    "quads",
    "straight flush",
)
"""Names of made hands, weakest first."""

DRAWS: Final = (
    "overcards",
    "backdoor flush draw",
    "gutshot",
    "double gutshot",
    "OESD",
    "flush draw",
    "nut flush draw",
    "combo draw",
)
"""Names of draws, weakest first."""

_ALIASES: Final = {
    "open ended straight draw": "oesd",
    "open ender": "oesd",
    "fd": "flush draw",
    "nfd": "nut flush draw",
    "bdfd": "backdoor flush draw",
    "four of a kind": "quads",
}
_NUM_RANKS: Final = 13
_ACE: Final = 12
_WHEEL: Final = 0b1_0000_0000_1111
_STRAIGHTS: Final = (_WHEEL, *(0b11111 << low for low in range(9)))
"""Rank masks of the straights, lowest first; bit 12 is the ace."""
_FOURS: Final = tuple(0b1111 << low for low in range(9))
"""Rank masks of four cards in a row that another rank can follow at either end: 2345 to TJQK."""

PerCombo = NDArray[np.bool_]
"""Boolean array of shape (1326,), one value per combo."""


@dataclass(frozen=True, slots=True)
class HandNames:
    """The made hand and the draws of every combo on one board; combos that hold a board card have neither."""

    board: tuple[int, ...]
    made: NDArray[np.int8]
    """int8[1326]: index into :data:`MADE_HANDS`, -1 for combos that hold a board card."""
    draws: NDArray[np.bool_]
    """bool[draws, 1326]: True where a combo has a draw; draws are in the order of :data:`DRAWS`."""

    def describe(self, combo: int) -> str:
        """Returns the names of one combo's hand and draws as one text, for example ``top pair, flush draw``.

        The text is empty if the combo holds a board card.
        """
        if self.made[combo] < 0:
            return ""
        drawn = [name for name, found in zip(DRAWS, self.draws[:, combo].tolist(), strict=True) if found]
        # A stronger name implies the weaker one, which is left out.
        hidden = {"flush draw"} if "nut flush draw" in drawn else set()
        return ", ".join([MADE_HANDS[self.made[combo]], *(name for name in drawn if name not in hidden)])


def name_hands(board: Sequence[int]) -> HandNames:
    """Returns the made hand and the draws of every combo on a board; the module's description defines the names.

    :param board: three to five different card ids.
    :raises CardError: if the board is not three to five different card ids.
    """
    cards = tuple(int(card) for card in board)
    if not 3 <= len(cards) <= 5 or len(set(cards)) != len(cards) or not all(0 <= card < NUM_CARDS for card in cards):
        raise CardError(f"expected a board of three to five different card ids, got {list(cards)}")
    live = combo_mask(cards)
    on_board = _Held(np.array(cards)[None, :])
    held = _Held(np.column_stack([np.broadcast_to(cards, (NUM_COMBOS, len(cards))), COMBO_CARDS]))
    made = np.where(live, _made_hands(held, on_board), -1).astype(np.int8)
    draws = np.zeros((len(DRAWS), NUM_COMBOS), dtype=np.bool_)
    if len(cards) < 5:
        draws = _draws(held, on_board, made) & live
    return HandNames(cards, made, draws)


class _Held:
    """Rank and suit counts of rows of cards.

    :param cards: int[rows, cards] card ids.
    """

    def __init__(self, cards: NDArray[np.int64]) -> None:
        ranks, suits = cards >> 2, cards & 3
        self.ranks = np.zeros((len(cards), _NUM_RANKS), dtype=np.int8)
        """int8[rows, 13]: cards of each rank."""
        self.suits = np.zeros((len(cards), 4), dtype=np.int8)
        """int8[rows, 4]: cards of each suit."""
        self.suit_masks = np.zeros((len(cards), 4), dtype=np.int64)
        """int64[rows, 4]: bits of the ranks held in each suit."""
        rows = np.arange(len(cards))
        for column in range(cards.shape[1]):
            np.add.at(self.ranks, (rows, ranks[:, column]), 1)
            np.add.at(self.suits, (rows, suits[:, column]), 1)
            self.suit_masks[rows, suits[:, column]] |= np.int64(1) << ranks[:, column]
        self.mask: NDArray[np.int64] = np.bitwise_or.reduce(self.suit_masks, axis=1)
        """int64[rows]: bits of the ranks held."""


def _best_straight(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns for rank masks the number of the highest straight they hold, from 1; 0 if none."""
    found = np.zeros(masks.shape, dtype=np.int64)
    for number, straight in enumerate(_STRAIGHTS, start=1):
        found[masks & straight == straight] = number
    return found


def _made_hands(held: _Held, on_board: _Held) -> NDArray[np.int64]:
    index = {name: number for number, name in enumerate(MADE_HANDS)}
    low, high = (COMBO_CARDS >> 2).astype(np.int64).T
    of_board = on_board.ranks[0]
    ranks = np.flatnonzero(of_board)
    top, bottom = int(ranks[-1]), int(ranks[0])
    pocket = low == high
    # One hole card, or a pocket pair, by its rank.
    pairs = np.full((2, _NUM_RANKS), -1, dtype=np.int64)
    for rank in range(_NUM_RANKS):
        if of_board[rank] == 1:
            pairs[0, rank] = index["top pair" if rank == top else "bottom pair" if rank == bottom else "middle pair"]
            pairs[1, rank] = index["set"]
        elif of_board[rank] == 2:
            pairs[0, rank] = index["trips"]
        else:
            pairs[1, rank] = index["overpair" if rank > top else "underpair" if rank < bottom else "pocket pair"]
    singles = np.maximum(pairs[0, low], pairs[0, high])
    both = (of_board[low] == 1) & (of_board[high] == 1) & ~pocket
    nothing = np.where(high == _ACE, index["ace high"], index["high card"])
    made = np.where(pocket, pairs[1, high], np.where(both, index["two pair"], np.where(singles >= 0, singles, nothing)))

    most = np.sort(held.ranks, axis=1)
    made[_best_straight(held.mask) > 0] = index["straight"]
    made[held.suits.max(axis=1) >= 5] = index["flush"]
    made[(most[:, -1] >= 3) & (most[:, -2] >= 2)] = index["full house"]
    made[most[:, -1] == 4] = index["quads"]
    made[_best_straight(held.suit_masks).max(axis=1) > 0] = index["straight flush"]
    return np.asarray(made)


def _draws(held: _Held, on_board: _Held, made: NDArray[np.int8]) -> NDArray[np.bool_]:
    low, high = (COMBO_CARDS >> 2).astype(np.int64).T
    top = int(np.flatnonzero(on_board.ranks[0])[-1])
    drawn = dict.fromkeys(DRAWS, np.zeros(NUM_COMBOS, dtype=np.bool_))

    of_hand = held.suits - on_board.suits
    to_flush = (of_hand > 0) & (made < MADE_HANDS.index("flush"))[:, None]
    four = (held.suits == 4) & to_flush
    # The highest card of each suit that is not on the board.
    free = ~on_board.suit_masks[0] & ((1 << _NUM_RANKS) - 1)
    highest = np.array([1 << int(mask).bit_length() - 1 for mask in free])
    drawn["flush draw"] = four.any(axis=1)
    drawn["nut flush draw"] = (four & (held.suit_masks & highest != 0)).any(axis=1)
    if int(on_board.suits.sum()) == 3:
        drawn["backdoor flush draw"] = ((held.suits == 3) & to_flush).any(axis=1)

    bits = np.int64(1) << np.arange(_NUM_RANKS)
    helps = _best_straight(held.mask[:, None] | bits) > _best_straight(on_board.mask[0] | bits)
    helps &= (made < MADE_HANDS.index("straight"))[:, None] & (held.mask[:, None] & bits == 0)
    outs = helps.sum(axis=1)
    open_ended = np.zeros(NUM_COMBOS, dtype=np.bool_)
    for start, run in enumerate(_FOURS):
        below = _ACE if start == 0 else start - 1
        open_ended |= (held.mask & run == run) & helps[:, below] & helps[:, start + 4]
    drawn["gutshot"] = outs == 1
    drawn["OESD"] = open_ended
    drawn["double gutshot"] = (outs >= 2) & ~open_ended

    drawn["combo draw"] = drawn["flush draw"] & (outs >= 1)
    nothing = (made >= 0) & (made <= MADE_HANDS.index("ace high"))
    drawn["overcards"] = nothing & (low > top) & (low != high)
    return np.stack([drawn[name] for name in DRAWS])


@dataclass(frozen=True, slots=True)
class HandFilter:
    """A filter of combos by their made hands and draws; :func:`parse_hand_filter` makes it from text."""

    text: str
    alternatives: tuple[tuple[_Term, ...], ...]
    """A combo passes if it fits every term of one of the alternatives."""

    def select(self, names: HandNames) -> PerCombo:
        """Returns bool[1326]: True for the combos that pass on a board; combos that hold a board card never pass."""
        found = np.zeros(NUM_COMBOS, dtype=np.bool_)
        for terms in self.alternatives:
            found |= np.logical_and.reduce([term.select(names) for term in terms])
        return found & (names.made >= 0)


@dataclass(frozen=True, slots=True)
class _Term:
    """One name of a filter."""

    name: str
    """In lower case."""
    or_better: bool
    negated: bool

    def select(self, names: HandNames) -> PerCombo:
        made = [name.lower() for name in MADE_HANDS]
        if self.name in made:
            index = made.index(self.name)
            found = names.made >= index if self.or_better else names.made == index
        else:
            first = [name.lower() for name in DRAWS].index(self.name)
            found = names.draws[first : None if self.or_better else first + 1].any(axis=0)
        return ~found if self.negated else found


def parse_hand_filter(text: str) -> HandFilter:
    """Parses a filter such as ``top pair+ & !flush draw, set``; the module's description explains the notation.

    :raises InputError: if a name is unknown or missing; the message names the most similar known name.
    """
    alternatives = tuple(tuple(map(_parse_term, part.split("&"))) for part in text.split(","))
    return HandFilter(text, alternatives)


def _parse_term(text: str) -> _Term:
    name = " ".join(text.lower().replace("-", " ").replace("_", " ").split())
    negated = name.startswith("!")
    or_better = name.endswith("+")
    name = name.removeprefix("!").removesuffix("+").strip()
    name = _ALIASES.get(name, name)
    known = [each.lower() for each in (*MADE_HANDS, *DRAWS)]
    if name not in known:
        near = difflib.get_close_matches(name[:100], [*known, *_ALIASES], 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join((*MADE_HANDS, *DRAWS))}"
        raise InputError(f"no hand or draw has the name {text.strip()[:100]!r}: {hint}")
    return _Term(name, or_better, negated)
