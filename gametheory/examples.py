"""Shipped games, written as rules: from matching pennies to Leduc hold'em and the jam/fold hand."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.gametheory.rules import ALL, Outcome, RuleGame, Statement, amounts, chance, choose, game, outcome
from hedgehog.runtime.errors import GameError

Play = Generator[Statement, Any, Outcome]


def card_names(count: int) -> tuple[str, ...]:
    """Returns the names of a deck of different ranks, lowest first: J Q K, up to 13 ranks of cards, or numbers.

    :raises GameError: if the deck has fewer than two cards.
    """
    if count < 2:
        raise GameError(f"expected a deck of at least 2 cards, got {count}")
    if count <= 3:
        return ("J", "Q", "K")[:count]
    return tuple("23456789TJQKA"[-count:]) if count <= 13 else tuple(str(card) for card in range(1, count + 1))


def _deal(count: int) -> Generator[Statement, Any, int]:
    """Deals one card each and returns who wins a showdown: 1 for player 1, -1 for player 2."""
    deck = card_names(count)
    mine = yield chance(deck, to="p1")
    theirs = yield chance([card for card in deck if card != mine], to="p2")
    return 1 if deck.index(mine) > deck.index(theirs) else -1


@game(players=("p1", "p2"))
def matching_pennies() -> Play:
    """Two coins: player 1 wins if they show the same side."""
    one = yield choose("p1", ["heads", "tails"], seen_by=())
    other = yield choose("p2", ["heads", "tails"])
    return outcome(1 if one == other else -1)


@game(players=("p1", "p2", "p3"))
def three_coins() -> Play:
    """Three coins: who shows another side than both others pays each of them 1/2; an equilibrium does not protect."""
    sides = []
    for player in ("p1", "p2", "p3"):
        sides.append((yield choose(player, ["heads", "tails"], seen_by=())))
    alone = [sides.count(side) == 1 for side in sides]
    return outcome(*(-1 if one else Fraction(1, 2) if any(alone) else 0 for one in alone))


@game(players=("p1", "p2"))
def rock_paper_scissors() -> Play:
    """Scissors, rock, paper, chosen at the same time."""
    options = ["scissors", "rock", "paper"]
    one = yield choose("p1", options, seen_by=())
    other = yield choose("p2", options)
    return outcome((0, 1, -1)[(options.index(one) - options.index(other)) % 3])


@game(players=("p1", "p2"))
def jqk(n: int = 3, noraise_pays_zero: bool = False) -> Play:
    """One card each, ante 1: player 1 raises by 1 or shows down, player 2 calls or folds."""
    sign = yield from _deal(n)
    if (yield choose("p1", ["raise", "not"])) == "not":
        return outcome(0 if noraise_pays_zero else sign)
    return outcome(2 * sign if (yield choose("p2", ["fold", "call"])) == "call" else 1)


@game(players=("p1", "p2"))
def kuhn(n: int = 3) -> Play:
    """Kuhn poker (1950) with n cards: ante 1, one bet of 1, either player may bet."""
    sign = yield from _deal(n)
    if (yield choose("p1", ["check", "bet"])) == "bet":
        return outcome(2 * sign if (yield choose("p2", ["fold", "call"])) == "call" else 1)
    if (yield choose("p2", ["check", "bet"])) == "check":
        return outcome(sign)
    return outcome(2 * sign if (yield choose("p1", ["fold", "call"])) == "call" else -1)


@game(players=("p1", "p2"))
def one_street(n: int = 5, money: int = 3, step: int = 1) -> Play:
    """One card each, ante 1: player 1 bets any amount that it has or checks, player 2 calls or folds."""
    sign = yield from _deal(n)
    bet = yield choose("p1", amounts(0, money, step))
    if bet == 0:
        return outcome(sign)
    return outcome((1 + bet) * sign if (yield choose("p2", ["fold", "call"])) == "call" else 1)


def _leduc_round(bet: int, paid: list[int]) -> Generator[Statement, Any, int | None]:
    """Plays one round with at most two bets; returns the player who folds, or None. ``paid`` is updated."""
    actor, checks, bets = 0, 0, 0
    while True:
        facing = paid[1 - actor] > paid[actor]
        options = ["fold", "call"] if facing else ["check"]
        options += [] if bets == 2 else ["raise" if facing else "bet"]
        action = yield choose(("p1", "p2")[actor], options)
        if action == "fold":
            return actor
        if action in ("bet", "raise"):
            paid[actor] = paid[1 - actor] + bet
            bets += 1
        else:
            paid[actor] = paid[1 - actor]
            checks += action == "check"
            if action == "call" or checks == 2:
                return None
        actor = 1 - actor


@game(players=("p1", "p2"))
def leduc(ranks: int = 3) -> Play:
    """Leduc hold'em (Southey et al. 2005), dealt by ranks: two cards per rank, two rounds, bets of 2 and 4."""
    deck = card_names(ranks)
    mine = yield chance(deck, to="p1")
    theirs = yield chance({card: Fraction(2 - (card == mine), 2 * ranks - 1) for card in deck}, to="p2")
    paid = [1, 1]
    folded = yield from _leduc_round(2, paid)
    if folded is None:
        left = {card: 2 - (card == mine) - (card == theirs) for card in deck}
        board = yield chance({card: Fraction(c, 2 * ranks - 2) for card, c in left.items() if c}, to=ALL)
        folded = yield from _leduc_round(4, paid)
    if folded is not None:
        return outcome(-paid[0] if folded == 0 else paid[1])
    strength = [deck.index(card) + ranks * (card == board) for card in (mine, theirs)]
    return outcome(paid[0] * ((strength[0] > strength[1]) - (strength[0] < strength[1])))


@game(players=("p1", "p2"))
def nim(heaps: Sequence[int] = (1, 2, 3)) -> Play:
    """Nim: in turn take any number from one heap; who takes the last wins 1."""
    left = list(heaps)
    if not left or not all(isinstance(heap, int) and heap >= 0 for heap in left) or not any(left):
        raise GameError(f"expected heaps of at least one object in all, got {list(heaps)}")
    actor = 0
    while True:
        moves = {f"{take} from {heap + 1}": (heap, take) for heap, n in enumerate(left) for take in range(1, n + 1)}
        heap, take = moves[(yield choose(("p1", "p2")[actor], moves))]
        left[heap] -= take
        if not any(left):
            return outcome(1 - 2 * actor)
        actor = 1 - actor


@game(players=("p1", "p2"))
def backward() -> Play:
    """Perfect information with chance: the first lesson of backward induction, value 2.75."""
    if (yield choose("p1", ["L", "R"])) == "L":
        return outcome(2)
    answer = yield choose("p2", ["l", "r", "m"])
    if answer != "m":
        return outcome(3 if answer == "l" else 5)
    if (yield chance({"quarter": Fraction(1, 4), "rest": Fraction(3, 4)}, to=ALL)) == "rest":
        return outcome(1)
    return outcome(8 if (yield choose("p1", ["up", "down"])) == "up" else 1)


def jam_fold_hand(
    names: Sequence[str],
    pairs: NDArray[np.integer],
    equity: NDArray[np.floating],
    *,
    blinds: tuple[int, int] = (300, 600),
) -> RuleGame:
    """Returns the game of one hand of hold'em in which the small blind jams or folds and the big blind calls or folds.

    Its parameter ``stack`` is the number of chips of both players before the blinds. Payoffs are chips.

    :param names: names of the hand classes.
    :param pairs: (classes, classes) numbers of pairs of combos without a common card.
    :param equity: (classes, classes) equity of the row's class against the column's, ties half.
    :param blinds: small and big blind in chips.
    """
    small, big = blinds
    weights = np.asarray(pairs, dtype=np.float64)
    first = dict(zip(names, (weights.sum(axis=1) / weights.sum()).tolist(), strict=True))
    second = {
        name: {other: share for other, share in zip(names, (row / row.sum()).tolist(), strict=True) if share}
        for name, row in zip(names, weights, strict=True)
    }
    number = {name: index for index, name in enumerate(names)}
    showdown = (2 * np.asarray(equity, dtype=np.float64) - 1).tolist()
    deal = chance(first, to="SB")
    replies = {name: chance(row, to="BB") for name, row in second.items()}

    @game(players=("SB", "BB"), name="jam-fold-hand")
    def rules(stack: int = 4000) -> Play:
        """One hand of hold'em before the flop: the small blind jams or folds, the big blind calls or folds."""
        if stack <= big:
            raise GameError(f"expected a stack above the big blind of {big}, got {stack}")
        mine = yield deal
        theirs = yield replies[mine]
        if (yield choose("SB", ["fold", "jam"])) == "fold":
            return outcome(-small)
        if (yield choose("BB", ["fold", "call"])) == "fold":
            return outcome(big)
        return outcome(stack * showdown[number[mine]][number[theirs]])

    return rules


EXAMPLES: Final[dict[str, RuleGame]] = {
    one.name: one
    for one in (matching_pennies, three_coins, rock_paper_scissors, jqk, kuhn, one_street, leduc, nim, backward)
}
"""The shipped games by name. :func:`jam_fold_hand` needs tables of hold'em, so it is not among them."""
