"""One betting round of three-player limit hold'em played by the baseline of DIVAT, in small bets.

With one opponent left the baseline has the published policies (:mod:`hedgehog.analysis.judging.settings`). With two,
the hand ranks count against both: the immediate hand rank is squared, and in place of the seven-card hand rank stands
the equity against two random hands. It folds if this equity is below what the call costs of the pot after it, plus the
offset. For bets the equity is multiplied by 3/2, so that a fair share counts as one half, as it does with one opponent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging._betting_kernels import MOST_BETS
from hedgehog.analysis.judging.settings import DivatSettings
from hedgehog.analysis.three_players._share_kernels import PLAYERS


class Strengths(NamedTuple):
    """How strong the hands of the three players are on one street."""

    immediate: Sequence[float]
    """Immediate hand rank of each player."""
    equity: Sequence[Sequence[float]]
    """[player][n - 1] equity against n random hands."""
    shares: NDArray[np.float64]
    """(8, 3) all-in equity of each player among every set of players, as bit masks."""


class Round(NamedTuple):
    """A betting round while it is played."""

    street: int
    invested: tuple[float, ...]
    """Small bets that each player has put into the pot."""
    left: int
    """Bit mask of the players who have not folded."""
    actor: int
    waiting: int
    """Number of players who are still to act if nobody raises."""
    raises: int
    """Bets and raises of the round; blinds are none."""
    level: int
    """The same as the baseline counts them."""

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        return not self.waiting or not self.left & (self.left - 1)


class Rules(NamedTuple):
    """What the rounds of a hand have in common."""

    bets: tuple[float, ...]
    """Size of a bet or raise on every street, in small bets."""
    max_raises: tuple[int, ...]
    settings: DivatSettings


def start_round(street: int, invested: Sequence[float], left: int, first: int, settings: DivatSettings) -> Round:
    """Returns a betting round before anybody acts."""
    level = settings.preflop_level if street == 0 else 0
    return Round(street, tuple(invested), left, _next(left, first), left.bit_count(), 0, level)


def _next(left: int, start: int) -> int:
    """Returns the first player from ``start`` on who has not folded."""
    return next(player % PLAYERS for player in range(start, start + PLAYERS) if left >> player % PLAYERS & 1)


def act(now: Round, letter: str, rules: Rules) -> Round:
    """Returns the round after an action: ``f k c b r`` for fold, check, call, bet and raise."""
    invested, left = list(now.invested), now.left
    waiting, raises, level = now.waiting - 1, now.raises, now.level
    if letter == "f":
        left &= ~(1 << now.actor)
    elif letter in "br":
        invested[now.actor] = max(invested) + rules.bets[now.street]
        waiting, raises, level = left.bit_count() - 1, raises + 1, level + 1
    else:
        invested[now.actor] = max(invested)
    return now._replace(
        invested=tuple(invested), left=left, actor=_next(left, now.actor + 1), waiting=waiting, raises=raises,
        level=level,
    )  # fmt: skip


def baseline_action(now: Round, strengths: Strengths, rules: Rules) -> str:
    """Returns the letter of the action that the baseline takes."""
    player, policy = now.actor, rules.settings.streets[now.street]
    others = now.left.bit_count() - 1
    equity = strengths.equity[player][others - 1]
    owed = max(now.invested) - now.invested[player]
    worth = max(strengths.immediate[player] ** others, equity * (others + 1) / 2)
    bets = sum(threshold <= worth for threshold in policy.make)
    if now.raises < rules.max_raises[now.street] and now.level < min(bets, MOST_BETS):
        return "b" if now.raises == 0 and now.street > 0 else "r"
    if owed > 0:
        pot = sum(now.invested) + (owed if others > 1 else 0)
        return "f" if equity < owed / pot + policy.fold_offset else "c"
    return "k"


def settle(now: Round, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns (3,) the pot equities at the end of a round: the shares of the pot less what each player has put in."""
    return np.asarray(sum(now.invested) * shares[now.left] - np.array(now.invested))


def baseline_line(now: Round, strengths: Strengths, rules: Rules) -> tuple[str, Round]:
    """Plays the rest of a round by the baseline; returns the letters of its actions and the round at its end."""
    line = ""
    while not now.over:
        letter = baseline_action(now, strengths, rules)
        line += letter
        now = act(now, letter, rules)
    return line, now
