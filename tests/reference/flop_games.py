"""Small whole games with one board street: preflop, then a flop of one or three cards, then the showdown.

Published values of such games anchor the solver on two streets with full ranges. The button and the big blind have
stacks of 81 big blinds and one pot-size bet per street. Nothing is dealt after the flop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, SUIT_PERMUTATIONS, board_classes
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.cfr.card_game import BLOCKED, CardGame, CardLevel
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.strategies.bet_menus import BlueprintMenu
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

_NONE: tuple[float, ...] = ()
_ONE_POT_BET = BlueprintMenu(
    opens=(3.0,),
    isolations=(3.0,),
    reraises=(_NONE,),
    bets=((1.0,), _NONE, _NONE),
    raises=((_NONE,), (_NONE,), (_NONE,)),
    caps=(1, 1, 0, 0),
    all_in=False,
)


def rank_few_cards(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns int64[N]: the ranks of hands of three or five cards; the higher wins.

    Five cards rank as in poker. Three cards make trips, a pair or a high card, but no straight and no flush.

    :param cards: (N, 3) or (N, 5) card ids.
    """
    ranks = cards >> 2
    counts = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    # Digits of base 16: the ranks, the most frequent first. The sums of the counts ascend with the category: for five
    # cards 5 high card, 7 pair, 9 two pairs, 11 trips, 13 full house, 17 quads.
    digits = -np.sort(-(16 * counts + ranks), axis=1) & 15
    category = 2 * counts.sum(axis=1)
    if cards.shape[1] == 5:
        flush = (cards & 3 == cards[:, :1] & 3).all(axis=1)
        wheel = (digits == (12, 3, 2, 1, 0)).all(axis=1)
        straight = (category == 10) & (wheel | (digits[:, 0] - digits[:, 4] == 4))
        digits[wheel] = (3, 2, 1, 0, 0)
        category = np.select([straight & flush, flush, straight], [40, 24, 23], category)
    key: NDArray[np.int64] = category
    for column in digits.T:
        key = 16 * key + column
    return key


def one_bet_tree(stack: int) -> BettingTree:
    """Returns a betting tree with blinds 50/100, a limp, one pot-size raise and one pot-size bet on the flop.

    The flop is the last street. The streets have the numbers 2 (preflop) and 3 (flop), which
    :mod:`hedgehog.solver.cfr.programs` requires in a game of two streets.

    :param stack: stack in big blinds.
    """
    whole = build_blueprint_tree(_ONE_POT_BET, stack=100 * stack)
    kept = whole.street <= 1
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    ends = kept & (whole.kind == NodeKind.DEAL) & (whole.street == 1)
    return BettingTree(
        kind=np.where(ends, np.int8(NodeKind.SHOWDOWN), whole.kind)[kept],
        street=(whole.street[kept] + 2).astype(np.int8),
        player=whole.player[kept],
        parent=np.where(whole.parent >= 0, number[whole.parent], -1).astype(np.int32)[kept],
        first_child=np.where(ends | (whole.first_child < 0), -1, number[whole.first_child]).astype(np.int32)[kept],
        num_children=np.where(ends, 0, whole.num_children).astype(np.int32)[kept],
        action=whole.action[kept],
        amount=whole.amount[kept],
        committed=whole.committed[kept],
        root_pot=whole.root_pot,
        stack=whole.stack,
    )


def flop_card_game(num_flop_cards: int) -> CardGame:
    """Returns the card game with all hands and all flops; suit-isomorphic flops are dealt once.

    :param num_flop_cards: 1 or 3.
    """
    flops, twins = _one_card_flops() if num_flop_cards == 1 else _three_card_flops()
    strengths = np.full((len(flops), NUM_COMBOS), BLOCKED, dtype=np.int32)
    for row, flop in zip(strengths, flops, strict=True):
        live = combo_mask(flop)
        own = COMBO_CARDS[live].astype(np.int64)
        board = np.broadcast_to(np.array(flop, dtype=np.int64), (len(own), len(flop)))
        hands = np.concatenate([own, board], axis=1)
        row[live] = np.unique(rank_few_cards(hands), return_inverse=True)[1]
    every = np.arange(NUM_COMBOS, dtype=np.int32)
    ones = np.ones(NUM_COMBOS, dtype=np.float32)
    preflop = CardLevel(np.zeros((1, NUM_COMBOS), dtype=np.int32), np.zeros(0, dtype=np.int32), 1.0, ((),))
    chance = 1 / comb(NUM_CARDS - 4, num_flop_cards)
    parents = np.zeros(len(flops), dtype=np.int32)
    return CardGame(
        cards=COMBO_CARDS.astype(np.int32),
        hands=(every, every),
        weights=(ones, ones),
        levels=(preflop, CardLevel(strengths, parents, chance, twins)),
        swaps=COMBO_PERMUTATIONS.astype(np.int32),
    )


def _one_card_flops() -> tuple[list[tuple[int, ...]], tuple[tuple[int, ...], ...]]:
    """Returns the clubs, and per card the suit permutations that map its twins onto it."""
    onto_clubs = [int(np.flatnonzero(SUIT_PERMUTATIONS[:, suit] == 0)[0]) for suit in (1, 2, 3)]
    return [(4 * rank,) for rank in range(13)], (tuple(onto_clubs),) * 13


def _three_card_flops() -> tuple[list[tuple[int, ...]], tuple[tuple[int, ...], ...]]:
    """Returns a representative of each of the 1,755 classes, and the permutations that map its twins onto it."""
    classes = board_classes(3)
    by_class = np.argsort(classes.class_of, kind="stable")
    members = np.split(classes.permutation_of[by_class], np.cumsum(classes.multiplicities)[:-1])
    # The representative is mapped onto itself by permutation 0, which changes nothing.
    twins = tuple(tuple(int(p) for p in np.delete(of_class, int(np.argmin(of_class)))) for of_class in members)
    return [tuple(flop) for flop in classes.representatives.tolist()], twins


@dataclass(frozen=True, slots=True)
class Bracket:
    """Lower and upper bound of what the button wins in equilibrium, in mbb per hand."""

    low: float
    """Winnings of the button's strategy when the big blind plays a best response to it."""
    high: float
    """Winnings of a best response of the button to the big blind's strategy."""

    @property
    def exploitability(self) -> float:
        """Half the width of the bracket."""
        return (self.high - self.low) / 2


def solve_flop_game(num_flop_cards: int, stack: int, checkpoints: Sequence[int]) -> list[Bracket]:
    """Solves a game and returns the bracket of its value at each checkpoint.

    :param num_flop_cards: 1 or 3; three take about 1 GB.
    :param stack: stack in big blinds.
    :param checkpoints: ascending numbers of iterations.
    """
    tree = one_bet_tree(stack)
    solver = CfrSolver(flop_card_game(num_flop_cards), tree)
    deals = comb(NUM_CARDS, 2) * comb(NUM_CARDS - 2, 2)
    per_hand = 1000 / (deals * float(tree.committed[0].max()))
    brackets = []
    for iterations in checkpoints:
        solver.step(iterations - solver.iteration)
        best = [
            float(solver.root_values(player, best_response=True).sum(dtype=np.float64)) * per_hand for player in (0, 1)
        ]
        brackets.append(Bracket(-best[0], best[1]))
    return brackets
