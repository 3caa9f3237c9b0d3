"""Settings of local best response: which actions it considers on which betting round, with their published names.

Lisý and Bowling ("Equilibrium Approximation Quality of Current No-Limit Poker Bots", AAAI-17 workshop) let local best
response only check and call before its first round, because waiting for later rounds finds more: early in the hand,
bets reveal less about the agent's range. After its last round it calls or folds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import InputError

SIZES_56: Final = tuple(0.05 * 1.15**k for k in range(55))
"""The first 55 bets of the ``56bets`` setting as fractions of the pot after a call. The 56th is all-in."""
_NUM_ROUNDS: Final = 4
_ROUNDS = re.compile(r"([1-4])(?:-([1-4]))?")


@dataclass(frozen=True, slots=True)
class RoundActions:
    """The actions of local best response on one betting round. Checking and calling are always among them."""

    fold: bool
    """Whether it may fold."""
    bets: tuple[float, ...] = ()
    """Bets and raises as fractions of the pot after a call, ascending."""
    all_in: bool = False
    """Whether it may go all-in."""
    fixed: bool = False
    """Whether it may make the one bet or raise of a limit game."""
    stepwise: bool = False
    """Whether it looks at some of its bets only: at every eighth, and then around the best ones."""

    @property
    def passive(self) -> bool:
        """Tells whether checking and calling are the only actions."""
        return not (self.fold or self.bets or self.all_in or self.fixed)

    def raise_totals(self, state: HandState) -> list[int]:
        """Returns the legal bets and raises as totals over the hand, ascending, without duplicates.

        Sizes are rounded to chips; those below the smallest legal raise are left out.
        """
        limits = state.raise_range() if self.bets or self.all_in or self.fixed else None
        if limits is None:
            return []
        if not state.gamedef.no_limit:
            return [state.max_spent + state.gamedef.raise_sizes[state.round]]
        low, high = limits
        totals = state.max_spent + np.rint(np.array(self.bets) * (2 * state.max_spent)).astype(np.int64)
        legal: list[int] = np.unique(totals[(totals >= low) & (totals < high)]).tolist()
        return [*legal, high] if self.all_in else legal


def raise_to(state: HandState, total: int) -> Action:
    """Returns the bet or raise to a total over the hand, in a limit game the one without a size."""
    return Action("r", total if state.gamedef.no_limit else 0)


_WAIT: Final = RoundActions(fold=False)
_ACTIONS: Final = {
    "fc": RoundActions(fold=True),
    "fcr": RoundActions(fold=True, fixed=True),
    "fcpa": RoundActions(fold=True, bets=(1.0,), all_in=True),
    "56bets": RoundActions(fold=True, bets=SIZES_56, all_in=True),
    "56steps": RoundActions(fold=True, bets=SIZES_56, all_in=True, stepwise=True),
}


@dataclass(frozen=True, slots=True)
class LbrSetting:
    """The actions of all four rounds."""

    name: str
    """Name as it was given, for example ``fcpa`` or ``56bets:3-4``."""
    rounds: tuple[RoundActions, ...]
    first: int
    """The first betting round that the setting is for, 0 preflop to 3 river."""
    last: int
    """The last one."""

    def verify_game(self, gamedef: GameDef) -> None:
        """Checks that the bets are those of a game.

        :raises InputError: if the setting has bet sizes in a limit game, or the fixed bet in a no-limit game.
        """
        sized = any(actions.bets or actions.all_in for actions in self.rounds)
        if sized and not gamedef.no_limit:
            raise InputError(f"the setting {self.name!r} has bet sizes: expected fc or fcr in a limit game")
        if gamedef.no_limit and any(actions.fixed for actions in self.rounds):
            raise InputError(f"the setting {self.name!r} is for limit games")


PUBLISHED: Final = {"fc": "fc:1-4", "fcpa": "fcpa:3-4", "56bets": "56bets:3-4", "2r56bets": "56bets:2"}
"""Name of a published setting -> the setting in the form ACTIONS:ROUNDS."""


def parse_lbr_setting(text: str) -> LbrSetting:
    """Returns the setting with a published name, or of the form ``ACTIONS:ROUNDS`` such as ``fcpa:2-4``.

    ``fc`` folds or calls. ``fcr`` may also bet and raise in a limit game. ``fcpa`` may also bet the pot or all-in.
    ``56bets`` has 55 bet sizes and all-in. ``56steps`` has the same bets and searches for the best one in steps
    (:func:`hedgehog.analysis.lbr.response.search_bets`). Before these rounds local best response checks and calls;
    after them it folds or calls.

    :raises InputError: if the text is no setting.
    """
    actions, _, rounds = PUBLISHED.get(text, text).partition(":")
    match = _ROUNDS.fullmatch(rounds)
    if actions not in _ACTIONS or match is None or int(match[1]) > int(match[2] or match[1]):
        raise InputError(
            f"unknown setting {text!r}: expected {', '.join(PUBLISHED)}, or one of {', '.join(_ACTIONS)} with the "
            "rounds it is for, such as fcpa:2-4"
        )
    first, last = int(match[1]) - 1, int(match[2] or match[1]) - 1
    per_round = [
        _WAIT if street < first else _ACTIONS[actions] if street <= last else _ACTIONS["fc"]
        for street in range(_NUM_ROUNDS)
    ]
    return LbrSetting(text, tuple(per_round), first, last)
