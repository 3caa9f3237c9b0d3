"""Rules and vocabulary of poker: cards, ranges, hand ranks, equities, bet sizes, the state of a hand.

>>> from hedgehog import poker
>>> board = poker.parse_cards("Qh Jh 2c")
>>> poker.format_cards(board, " ")
'Qh Jh 2c'

A hand of five to seven cards has a rank from 1 to 7,462, the higher the better.

>>> rank = poker.rank_hand([*board, *poker.parse_cards("Ah Kh 3h")])
>>> rank, poker.hand_category(rank)
(7134, 'flush')

A range is an array of 1,326 weights, one per pair of hole cards.

>>> strong = poker.parse_range("QQ+,AKs,AhKd:0.5")
>>> float(strong[poker.combo_index(*poker.parse_cards("Ah Kd"))])
0.5
>>> found = poker.range_equity(strong, poker.parse_range("random"), board)
>>> print(f"{found.equity:.4f}")
0.8137
>>> poker.name_hands(board).describe(poker.parse_combo("AhKh"))
'ace high, overcards, gutshot, nut flush draw, combo draw'

Texts of the Annual Computer Poker Competition (games, match states, logs) are in :mod:`hedgehog.poker.acpc`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.poker.betsizes import BetSizes, format_bet_sizes, parse_bet_sizes
    from hedgehog.poker.cards import (
        COMBO_CARDS,
        NUM_CARDS,
        NUM_COMBOS,
        combo_index,
        combo_mask,
        format_card,
        format_cards,
        format_combo,
        parse_card,
        parse_cards,
        parse_combo,
    )
    from hedgehog.poker.evaluation.allin import expected_payoffs, is_all_in
    from hedgehog.poker.evaluation.equity import Equity, class_equities, class_outcomes, equity_vector, range_equity
    from hedgehog.poker.evaluation.evaluator import hand_category, rank_combos, rank_hand, rank_hands
    from hedgehog.poker.evaluation.showdown import payoffs
    from hedgehog.poker.evaluation.strength import BoardStrengths, HandStrength, board_strengths, hand_strength
    from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
    from hedgehog.poker.hand_names import HandFilter, HandNames, name_hands, parse_hand_filter
    from hedgehog.poker.hand_strategy import HandStrategy
    from hedgehog.poker.range_view import Range
    from hedgehog.poker.ranges import format_range, parse_range
    from hedgehog.poker.state import CALL, FOLD, Action, HandState
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "CALL", "COMBO_CARDS", "FOLD", "HAND_CLASS", "HAND_CLASS_NAMES", "NUM_CARDS", "NUM_COMBOS", "Action", "BetSizes",
    "BoardStrengths", "Equity", "HandFilter", "HandNames", "HandState", "HandStrategy", "HandStrength", "Range",
    "board_strengths",
    "class_equities", "class_outcomes", "combo_index", "combo_mask", "equity_vector", "expected_payoffs",
    "format_bet_sizes", "format_card", "format_cards", "format_combo", "format_range", "hand_category",
    "hand_strength", "is_all_in", "name_hands", "parse_bet_sizes", "parse_card", "parse_cards", "parse_combo",
    "parse_hand_filter", "parse_range", "payoffs", "range_equity", "rank_combos", "rank_hand", "rank_hands",
]  # fmt: skip
