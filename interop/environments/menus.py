"""The numbered actions of an environment: every size of a raise, or a small menu of sizes."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.bots import pot_raise_to
from hedgehog.agent.openspiel.games import (
    LIMIT_RAISE_NUMBER,
    action_of_number,
    number_of_action,
    verify_distinct_raises,
)  # fmt: skip
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.betsizes import (
    AllIn,
    BetSize,
    ChipAmount,
    PotFraction,
    PreviousBetMultiple,
    format_bet_size,
    parse_menu,
)  # fmt: skip
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError

MOST_SIZES: Final = 1_000_000
"""Largest stack, in chips, of a game in which every size of a raise is an action."""
MenuMask = NDArray[np.int8]


class ActionMenu(Protocol):
    """Which actions have numbers. 0 folds, 1 checks or calls."""

    count: int
    """Number of actions."""

    def names(self) -> list[str]:
        """Returns what each action is, in the order of the numbers; a menu of every size names the first two alone."""
        ...

    def legal(self, number: int, state: HandState) -> Action | None:
        """Returns the legal action with a number; None if there is none."""
        ...

    def action(self, number: int, state: HandState) -> Action:
        """Returns the action that a number below :attr:`count` asks for, which may be illegal."""
        ...

    def number(self, action: Action, state: HandState) -> int:
        """Returns the number of a legal action.

        :raises InputError: if the menu does not have it.
        """
        ...

    def mask(self, state: HandState) -> MenuMask:
        """Returns int8[count]: 1 for every legal action."""
        ...


class EverySize:
    """Actions as in OpenSpiel: N > 1 raises to N chips over the whole hand; the raise of a limit game is 2."""

    def __init__(self, gamedef: GameDef) -> None:
        """Checks the game.

        :raises InputError: if there are too many sizes, or a raise to one chip is legal.
        """
        verify_distinct_raises(gamedef)
        most = max(gamedef.stacks)
        if gamedef.no_limit and most > MOST_SIZES:
            stack = "no stacks" if most == UNLIMITED_STACK else f"stacks of {most:,} chips"
            raise InputError(f"a game with {stack} has too many sizes of raises: give some, such as sizes='50%,100%,a'")
        self.count = most + 1 if gamedef.no_limit else LIMIT_RAISE_NUMBER + 1
        self._gamedef = gamedef

    def names(self) -> list[str]:
        return ["fold", "call"] if self._gamedef.no_limit else ["fold", "call", "raise"]

    def legal(self, number: int, state: HandState) -> Action | None:
        if not 0 <= number < self.count:
            return None
        action = self.action(number, state)
        return action if state.can(action) else None

    def action(self, number: int, state: HandState) -> Action:
        return action_of_number(number, self._gamedef)

    def number(self, action: Action, state: HandState) -> int:
        return number_of_action(action)

    def mask(self, state: HandState) -> MenuMask:
        mask = np.zeros(self.count, np.int8)
        if state.finished:
            return mask
        mask[0], mask[1] = state.can_fold(), 1
        limits = state.raise_range()
        if limits is not None:
            smallest, largest = limits if self._gamedef.no_limit else (LIMIT_RAISE_NUMBER, LIMIT_RAISE_NUMBER)
            mask[smallest : largest + 1] = 1
        return mask


class SizeMenu:
    """Actions from 2 on raise by the sizes of a menu such as ``50%,100%,a``.

    A size below the smallest legal raise becomes the smallest, one above the stack all-in. Of sizes that are equal in a
    state the first alone is legal.
    """

    def __init__(self, gamedef: GameDef, text: str) -> None:
        """Reads the menu.

        :param text: sizes as in spot files (:mod:`hedgehog.poker.betsizes`): ``50%``, ``2.5x``, ``100c`` and ``a``.
        :raises InputError: if it is no menu, or the game has limit betting.
        """
        if not gamedef.no_limit:
            raise InputError("a limit game has one size: leave out the sizes")
        self._sizes = parse_menu(text)
        if not self._sizes:
            raise InputError("expected sizes such as 50%,100%,a, got none")
        for size in self._sizes:
            counts = isinstance(size, ChipAmount) and size.max_raises is not None
            if counts or not isinstance(size, PotFraction | PreviousBetMultiple | ChipAmount | AllIn):
                raise InputError(f"expected sizes such as 50%, 2.5x, 100c or a, got {format_bet_size(size)!r}")
        self.count = 2 + len(self._sizes)

    def names(self) -> list[str]:
        return ["fold", "call", *map(format_bet_size, self._sizes)]

    def legal(self, number: int, state: HandState) -> Action | None:
        return self._numbers(state).get(number)

    def _numbers(self, state: HandState) -> dict[int, Action]:
        """Returns the legal actions of a state by their numbers, ascending."""
        if state.finished:
            return {}
        found = {0: FOLD} if state.can_fold() else {}
        found[1] = CALL
        for number in range(2, self.count):
            action = self.action(number, state)
            if action.size and action not in found.values():
                found[number] = action
        return found

    def action(self, number: int, state: HandState) -> Action:
        """Returns the action that a number asks for; a raise of size 0 where the size does not exist."""
        if number < 2:
            return action_of_number(number, state.gamedef)
        limits = state.raise_range()
        size = _raise_to(self._sizes[number - 2], state)
        return Action("r", min(max(size, limits[0]), limits[1]) if limits and size else 0)

    def number(self, action: Action, state: HandState) -> int:
        for number, known in self._numbers(state).items():
            if known == action:
                return number
        raise InputError(f"the menu {','.join(self.names()[2:])} does not have {action} here")

    def mask(self, state: HandState) -> MenuMask:
        mask = np.zeros(self.count, np.int8)
        mask[list(self._numbers(state))] = 1
        return mask


def _raise_to(size: BetSize, state: HandState) -> int:
    """Returns the chips that the acting player has put in over the hand after a raise of a size; 0 if there is none."""
    match size:
        case PotFraction(fraction):
            return pot_raise_to(state, fraction)
        case PreviousBetMultiple(factor):
            faced = state.max_spent - state.round_start
            return state.round_start + round(factor * faced) if faced else 0
        case ChipAmount(chips):
            return state.max_spent + chips
    return state.gamedef.stacks[state.acting_position]


def menu_of(gamedef: GameDef, sizes: str | None) -> ActionMenu:
    """Returns the actions of an environment.

    :param sizes: a menu such as ``50%,100%,a``; None: every size of a raise.
    :raises InputError: if the text is no menu, or the game does not fit it.
    """
    return EverySize(gamedef) if sizes is None else SizeMenu(gamedef, sizes)
