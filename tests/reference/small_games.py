"""Small games with known values, in the form of :class:`tests.reference.slow_cfr.SlowGame`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import COMBO_CARDS, combo_index, parse_cards, parse_combo
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree
from tests.reference.slow_cfr import Array, Board, Hole, SlowGame


def same_sizes(*streets: str) -> tuple[StreetSizes, ...]:
    """Returns bet sizes that both players share, one text per street."""
    return tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in streets)


def kuhn_tree() -> BettingTree:
    """Returns the betting tree of Kuhn poker: an ante each, one bet of one chip, no raise."""
    return build_postflop_tree(TreeConfig(street=3, pot=2, stack=1, sizes=same_sizes("a")))


def leduc_tree() -> BettingTree:
    """Returns the betting tree of Leduc hold'em: an ante each, two streets with bets of 2 and 4, one raise each."""
    config = TreeConfig(street=2, pot=2, stack=12, sizes=same_sizes("2c/2c", "4c/4c"), max_bets=2)
    return build_postflop_tree(config)


def kuhn() -> SlowGame:
    """Returns Kuhn poker (1950): three cards, value -1/18 for the first player."""
    holes = [(0,), (1,), (2,)]
    return SlowGame(
        kuhn_tree(), (holes, holes), (np.ones(3), np.ones(3)), rank=lambda hands, _: np.ravel(hands), deck=3
    )


def leduc() -> SlowGame:
    """Returns Leduc hold'em (Southey et al. 2005): cards 0 .. 5, two of each rank; a pair with the board wins."""
    holes = [(card,) for card in range(6)]
    return SlowGame(leduc_tree(), (holes, holes), (np.ones(6), np.ones(6)), rank=leduc_rank, deck=6)


def leduc_rank(hands: Sequence[Hole], board: Board) -> Array:
    """Returns the strength of each card: its rank, or more than any rank if it pairs the board."""
    ranks = np.ravel(hands) // 2
    return np.where(ranks == board[0] // 2, ranks + 3, ranks).astype(np.float64)


def holdem(
    tree: BettingTree,
    board: str,
    oop: dict[str, float],
    ip: dict[str, float],
    rake: tuple[float, float] = (0.0, 0.0),
) -> SlowGame:
    """Returns a hold'em game; the ranges name combos such as ``AhKh`` with their weights."""
    ranges = []
    for hands in (oop, ip):
        combos = sorted((parse_combo(name), weight) for name, weight in hands.items())
        holes = [(int(COMBO_CARDS[combo, 0]), int(COMBO_CARDS[combo, 1])) for combo, _ in combos]
        ranges.append((holes, np.array([weight for _, weight in combos])))

    def rank(hands: Sequence[Hole], cards: Board) -> Array:
        return rank_combos(cards)[[combo_index(*hole) for hole in hands]].astype(np.float64)

    return SlowGame(
        tree,
        (ranges[0][0], ranges[1][0]),
        (ranges[0][1], ranges[1][1]),
        rank=rank,
        board=tuple(parse_cards(board)),
        rake_rate=rake[0],
        rake_cap=rake[1],
    )
