"""One hand of jam or fold with three players, for prizes: solved on dealt hands, and rated.

The button jams or folds; the small blind jams or folds if the button has folded, else calls or folds; the big blind
calls or folds. Prizes after the hand are those of the independent chip model
(:mod:`hedgehog.gametheory.tournaments.icm`).

The game is not zero-sum for any two of its players, so a linear program does not solve it, and different equilibria may
pay differently. Regret matching with weighted averages (CFR+) has no guarantee with three players; how good its answer
is, the gains of deviations tell. Payoffs are means over dealt hands, which are given as arrays: all players' classes
and who beats whom.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.gametheory.tournaments.icm import prizes, verify_payouts
from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.errors import GameError

PLAYERS: Final = ("button", "small blind", "big blind")
DECISIONS: Final = (
    "button jams",
    "small blind jams",
    "small blind calls the button",
    "big blind calls the button",
    "big blind calls the small blind",
    "big blind calls both",
)
ACTORS: Final = (0, 1, 1, 2, 2, 2)
_SHOWDOWNS: Final[tuple[tuple[int, ...], ...]] = ((0, 1, 2), (0, 1), (0, 2), (1, 2))
_ANSWERED: Final[tuple[tuple[int, ...], ...]] = ((0, 2), (1, 2), (0, 1, 2))
"""Who shows down when the big blind calls the button, the small blind, both."""
_ORDERS: Final = 27
"""Codes of the comparisons of three hands; 13 of them can occur."""

Strategy = Floats
"""float64 (6, classes): probability of each of :data:`DECISIONS`."""


class Deals(NamedTuple):
    """Dealt hands."""

    classes: NDArray[np.int64]
    """(3, deals) number of each player's class."""
    order: NDArray[np.int64]
    """(deals) who beats whom, as :func:`order_codes` says."""


def order_codes(ranks: NDArray[np.integer]) -> NDArray[np.int64]:
    """Returns int64 (deals): who beats whom.

    :param ranks: (3, deals) strength of each player's hand, the greater the better.
    """
    signs = [np.sign(ranks[i].astype(np.int64) - ranks[j]) + 1 for i, j in ((0, 1), (0, 2), (1, 2))]
    return np.asarray(9 * signs[0] + 3 * signs[1] + signs[2], dtype=np.int64)


class ThreeHands:
    """A hand of three players for prizes, on dealt hands."""

    def __init__(
        self,
        stacks: Sequence[int],
        blinds: tuple[int, int],
        payouts: Sequence[float],
        deals: Deals,
        classes: int,
    ) -> None:
        """
        :param stacks: chips before the blinds of the button, the small and the big blind.
        :param blinds: small and big blind.
        :param payouts: prizes from the first place on.
        :param deals: the hands over which payoffs are means.
        :param classes: number of hand classes.
        :raises GameError: if a stack is not above the big blind, or blinds or payouts are impossible.
        """
        if len(stacks) != len(PLAYERS) or not 0 < blinds[0] <= blinds[1] < min(stacks):
            raise GameError(
                f"expected three stacks above the big blind and blinds above 0, got {list(stacks)} and {list(blinds)}"
            )
        verify_payouts(payouts, len(PLAYERS))
        self.stacks, self.blinds, self.payouts = tuple(stacks), blinds, tuple(payouts)
        self.classes = classes
        self._hands = deals.classes
        self._walk = self._prize(_moved(self.stacks, {1: blinds[0]}, 2))
        self._steals = [
            self._prize(_moved(self.stacks, {1: blinds[0], 2: blinds[1]}, 0)),
            self._prize(_moved(self.stacks, {2: blinds[1]}, 1)),
        ]
        self._shows = {
            who: np.ascontiguousarray(self._showdowns(who)[deals.order].T) for who in _SHOWDOWNS
        }  # (3, deals) each

    def _prize(self, after: Sequence[float]) -> Floats:
        return prizes(after, self.payouts, self.stacks)

    def _showdowns(self, who: Sequence[int]) -> Floats:
        """Returns float64 (27, 3): the prizes after an all-in of some players, by who beats whom."""
        found = np.zeros((_ORDERS, len(PLAYERS)))
        for ranks in product(range(3), repeat=3):
            code = int(order_codes(np.array(ranks)[:, None])[0])
            found[code] = self._prize(stacks_after(self.stacks, self.blinds, who, ranks))
        return found

    def _gather(self, strategy: Strategy) -> list[Floats]:
        return [strategy[number][self._hands[actor]] for number, actor in enumerate(ACTORS)]

    def values(self, strategy: Strategy) -> tuple[list[Floats], list[Floats], Floats]:
        """Returns what each decision is worth to who takes it, by class, times the chance that it comes up.

        :returns: six float64 (classes) for jamming or calling, six for folding, and float64 (3): the players' expected
            prizes.
        """
        jam, small, call, big_button, big_small, big_both = self._gather(strategy)
        shows = self._shows
        count = len(jam)

        def jammed(player: int) -> tuple[Floats, Floats]:
            """After the button's jam: the small blind calls, or folds."""
            both = big_both * shows[0, 1, 2][player] + (1 - big_both) * shows[0, 1][player]
            alone = big_button * shows[0, 2][player] + (1 - big_button) * self._steals[0][player]
            return both, alone

        def blind(player: int) -> Floats:
            """After the small blind's jam."""
            return np.asarray(big_small * shows[1, 2][player] + (1 - big_small) * self._steals[1][player])

        def mean(actor: int, weight: Floats, worth: Floats | float) -> Floats:
            return np.bincount(self._hands[actor], weight * worth, self.classes) / count

        called, folded = jammed(0)
        ones = np.ones(count)
        walk = self._walk
        open_jam = mean(0, ones, call * called + (1 - call) * folded)
        open_fold = mean(0, ones, small * blind(0) + (1 - small) * walk[0])
        called_1, folded_1 = jammed(1)
        faced = (jam * (1 - call), (1 - jam) * small, jam * call)
        active = [
            open_jam,
            mean(1, 1 - jam, blind(1)),
            mean(1, jam, called_1),
            *(mean(2, w, shows[who][2]) for w, who in zip(faced, _ANSWERED, strict=True)),
        ]
        folds = (self._steals[0][2], self._steals[1][2], shows[0, 1][2])
        passive = [
            open_fold,
            mean(1, 1 - jam, walk[1]),
            mean(1, jam, folded_1),
            *(mean(2, w, worth) for w, worth in zip(faced, folds, strict=True)),
        ]
        played = [float(x @ a + (1 - x) @ b) for x, a, b in zip(strategy, active, passive, strict=True)]
        nobody = float(((1 - jam) * (1 - small)).mean()) * float(walk[2])
        payoffs = np.array([played[0], played[1] + played[2], sum(played[3:]) + nobody])
        return active, passive, payoffs

    def reached(self, strategy: Strategy) -> Floats:
        """Returns float64 (6): the chance that each decision comes up."""
        jam, small, call = self._gather(strategy)[:3]
        weights = (np.ones(len(jam)), 1 - jam, jam, jam * (1 - call), (1 - jam) * small, jam * call)
        return np.array([weight.mean() for weight in weights])

    def gains(self, strategy: Strategy) -> Floats:
        """Returns float64 (3): what each player wins more by the best deviation on these deals.

        The deviation knows the deals, so that the number is a little above the gain on all deals.
        """
        active, passive, _ = self.values(strategy)
        found = np.zeros(len(PLAYERS))
        for number, actor in enumerate(ACTORS):
            x = strategy[number]
            best = np.maximum(active[number], passive[number]).sum()
            found[actor] += best - (x @ active[number] + (1 - x) @ passive[number])
        return found


def stacks_after(
    stacks: Sequence[int], blinds: tuple[int, int], who: Sequence[int], ranks: Sequence[int]
) -> tuple[float, ...]:
    """Returns the players' chips after an all-in, with side pots.

    :param stacks: chips before the blinds of the button, the small and the big blind.
    :param who: the players who are all-in.
    :param ranks: strength of each player's hand, the greater the better; equal ones split.
    """
    paid = [stacks[p] if p in who else (0, *blinds)[p] for p in range(len(stacks))]
    left = [float(stack - own) for stack, own in zip(stacks, paid, strict=True)]
    low = 0
    for high in sorted({paid[p] for p in who}):
        pot = sum(max(0, min(own, high) - low) for own in paid)
        in_pot = [p for p in who if paid[p] >= high]
        winners = [p for p in in_pot if ranks[p] == max(ranks[q] for q in in_pot)]
        for winner in winners:
            left[winner] += pot / len(winners)
        low = high
    return tuple(left)


def _moved(stacks: Sequence[int], paid: dict[int, int], winner: int) -> tuple[float, ...]:
    return tuple(
        float(stack - paid.get(p, 0) + (sum(paid.values()) if p == winner else 0)) for p, stack in enumerate(stacks)
    )


@dataclass(frozen=True, slots=True)
class ThreeHandsSolution:
    """Strategies of a hand with three players."""

    strategy: Strategy
    gains: Floats
    """float64 (3): what deviating wins at most, on the deals that the strategies were learnt from."""
    iterations: int


def solve_three_hands(
    game: ThreeHands, iterations: int, *, target: float, report: Callable[[int, float], bool] | None = None
) -> ThreeHandsSolution:
    """Returns strategies from which nobody gains much by deviating: CFR+ with linearly weighted averages.

    :param iterations: at most so many.
    :param target: stop when no player gains more.
    :param report: called with the iterations done and the largest gain; True stops.
    """
    regrets = np.zeros((2, len(DECISIONS), game.classes))
    total = np.zeros((len(DECISIONS), game.classes))
    average = np.full_like(total, 0.5)
    largest, done = np.inf, 0
    for done in range(1, iterations + 1):
        weight = regrets.sum(axis=0)
        current = np.where(weight > 0, regrets[0] / np.where(weight > 0, weight, 1), 0.5)
        active, passive, _ = game.values(current)
        for number in range(len(DECISIONS)):
            worth = current[number] * active[number] + (1 - current[number]) * passive[number]
            regrets[0, number] += active[number] - worth
            regrets[1, number] += passive[number] - worth
        np.maximum(regrets, 0.0, out=regrets)
        total += done * current
        average = total / (done * (done + 1) / 2)
        if done % 10 == 0 or done == iterations:
            largest = float(game.gains(average).max())
            if largest <= target or (report is not None and report(done, largest)):
                break
    active, passive, _ = game.values(average)
    # Where a class never comes up, nothing has been learnt: it folds.
    average = np.where((np.array(active) == 0) & (np.array(passive) == 0), 0.0, average)
    return ThreeHandsSolution(average, game.gains(average), done)
