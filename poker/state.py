"""The betting rules: one hand of any ACPC game, from the blinds to the last action, without cards.

The rules are those of the official ACPC dealer (protocol 2.0.0). Two of them surprise: the size of a no-limit raise
is the *total* number of chips the player has put in over the whole hand, and an all-in raise smaller than a full
raise leaves the smallest next raise where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import MatchStateError

MAX_ACTIONS_PER_ROUND: Final = 64
"""Most actions in a betting round: no raise is legal if one more action of every player would exceed this number."""
NOBODY: Final = -1
"""The value of :attr:`HandState.acting_position` when nobody acts: the hand is finished."""


class Action(NamedTuple):
    """One betting action: a fold, a check or call, or a bet or raise; ``str`` gives its ACPC text, such as ``r300``."""

    kind: str
    """``f`` (fold), ``c`` (check or call) or ``r`` (bet or raise)."""
    size: int = 0
    """For a no-limit raise, the chips the player has put in over the whole hand after it; 0 for any other action."""

    def __str__(self) -> str:
        return f"{self.kind}{self.size}" if self.size else self.kind


FOLD: Final = Action("f")
CALL: Final = Action("c")
LIMIT_RAISE: Final = Action("r")


class HandState:
    """The public state of one hand: the chips that every position has put in, who has folded, and who acts.

    :meth:`apply` and :meth:`perform` change the state; :meth:`copy` returns an independent state to look ahead with.
    """

    __slots__ = (
        "_betting",
        "_num_able",
        "_num_called",
        "acting_position",
        "actions",
        "finished",
        "folded",
        "gamedef",
        "max_spent",
        "min_raise_to",
        "num_folded",
        "num_raises",
        "round",
        "round_start",
        "spent",
    )

    gamedef: GameDef
    spent: list[int]
    """Chips that each position has put in during the whole hand, blinds included."""
    folded: list[bool]
    """For each position, whether it has folded."""
    num_folded: int
    """Number of players who have folded."""
    round: int
    """Current betting round, 0-based; the last round once everybody left is all-in."""
    round_start: int
    """Chips that each player with chips left had put in when the current round began; 0 in the first round, in which
    the blinds count as bets. The size of a no-limit raise less this number is the total on the street."""
    actions: list[list[tuple[int, Action]]]
    """For each round up to the current one, the pairs (position, action) in order."""
    max_spent: int
    """Chips that a caller must have put in over the whole hand."""
    min_raise_to: int
    """Smallest legal no-limit raise (a total over the hand) for a player with enough chips."""
    acting_position: int
    """The position that acts now, or :data:`NOBODY`."""
    finished: bool
    num_raises: int
    """Bets and raises of the current round; blinds are none."""

    def __init__(self, gamedef: GameDef) -> None:
        """Starts a hand: the blinds are posted and nobody has acted."""
        self.gamedef = gamedef
        self.spent = list(gamedef.blinds)
        self.folded = [False] * gamedef.num_players
        self.num_folded = 0
        self.round = self.round_start = 0
        self.actions = [[]]
        self.max_spent = gamedef.big_blind
        self.min_raise_to = max(1, 2 * gamedef.big_blind)
        self.finished = False
        self._betting = ""
        self.num_raises = 0
        self._num_called = 0  # players with chips left who called or made the last raise of this round
        self._num_able = sum(map(int.__lt__, self.spent, gamedef.stacks))  # not folded, chips left
        if self._num_able:
            self.acting_position = self._next_able(gamedef.first_positions[0])
        else:  # the blinds are all chips, and only the cards are dealt
            self._end_round()

    def copy(self) -> HandState:
        """Returns an independent copy of the state."""
        other = HandState.__new__(HandState)
        other.gamedef = self.gamedef
        other.spent = self.spent.copy()
        other.folded = self.folded.copy()
        other.num_folded = self.num_folded
        other.round = self.round
        other.round_start = self.round_start
        other.actions = [actions.copy() for actions in self.actions]
        other.max_spent = self.max_spent
        other.min_raise_to = self.min_raise_to
        other.acting_position = self.acting_position
        other.finished = self.finished
        other._betting = self._betting
        other.num_raises = self.num_raises
        other._num_called = self._num_called
        other._num_able = self._num_able
        return other

    def __repr__(self) -> str:
        return f"<HandState {self._betting!r}, spent {self.spent}, acting {self.acting_position}>"

    def betting_string(self) -> str:
        """Returns all actions so far as ACPC text, for example ``r300c/cr900``; a new round starts with a slash."""
        return self._betting

    @property
    def is_showdown(self) -> bool:
        """Returns True if the hand is over and at least two players compare their cards."""
        return self.finished and self.gamedef.num_players - self.num_folded > 1

    @property
    def raises_exhausted(self) -> bool:
        """Returns True if the game would allow another raise, but the round has too many actions for one."""
        return (
            self.num_raises < self.gamedef.max_raises[self.round]
            and len(self.actions[self.round]) + self.gamedef.num_players > MAX_ACTIONS_PER_ROUND
        )

    def raise_range(self) -> tuple[int, int] | None:
        """Returns the smallest and the largest legal raise size in chips, or None if no raise is legal now.

        No-limit sizes are totals over the whole hand. In a limit game, where a raise has no size, it returns
        ``(0, 0)``.
        """
        gamedef = self.gamedef
        if (
            self.finished
            or self._num_able <= 1
            or self.num_raises >= gamedef.max_raises[self.round]
            or self.raises_exhausted
        ):
            return None
        if not gamedef.no_limit:
            return 0, 0
        stack = gamedef.stacks[self.acting_position]
        if stack <= self.max_spent:
            return None
        return min(self.min_raise_to, stack), stack

    def can_fold(self) -> bool:
        """Returns True if the acting position faces a bet, so that it may fold."""
        return not self.finished and self.spent[self.acting_position] != self.max_spent

    def can(self, action: Action) -> bool:
        """Returns True if ``action`` is legal now."""
        return self._objection(action) is None

    def verify(self, action: Action) -> None:
        """Checks that ``action`` is legal now.

        :raises MatchStateError: if it is not; the message names the action, the betting so far and the legal actions.
        """
        objection = self._objection(action)
        if objection is not None:
            raise MatchStateError(f"illegal action {str(action)!r} after {self._betting!r}: {objection}")

    def _objection(self, action: Action) -> str | None:
        kind, size = action
        if self.finished:
            return "the hand is finished"
        if kind == "r":
            limits = self.raise_range()
            if limits is None:
                return "no raise is possible"
            if not limits[0] <= size <= limits[1]:
                return f"expected a raise to {limits[0]}..{limits[1]}" if limits[1] else "a limit raise has no size"
            return None
        if size:
            return "only a raise has a size"
        if kind == "f":
            return None if self.can_fold() else "there is no bet to fold to"
        return None if kind == "c" else "expected f, c or r"

    def apply(self, action: Action) -> None:
        """Performs ``action`` for the acting position.

        :raises MatchStateError: if the action is not legal.
        """
        self.verify(action)
        self.perform(action)

    def perform(self, action: Action) -> None:
        """Performs ``action`` for the acting position without checking that it is legal."""
        kind, size = action
        position = self.acting_position
        self.actions[-1].append((position, action))
        self._betting += f"{kind}{size}" if size else kind
        if kind == "f":
            self.folded[position] = True
            self.num_folded += 1
            self._num_able -= 1
        else:
            if kind == "r":
                self._raise_bet(position, size)
            stack = self.gamedef.stacks[position]
            if self.max_spent < stack:
                self.spent[position] = self.max_spent
                self._num_called += 1
            else:
                self.spent[position] = stack
                self._num_able -= 1
        if self.num_folded + 1 >= self.gamedef.num_players:
            self.finished = True
            self.acting_position = NOBODY
        elif self._num_called >= self._num_able:
            self._end_round()
        else:
            self.acting_position = self._next_able(position + 1)

    def after(self, action: Action) -> HandState:
        """Returns the state after an action, an independent copy.

        :raises MatchStateError: if the action is not legal.
        """
        state = self.copy()
        state.apply(action)
        return state

    def replay(self) -> Iterator[tuple[HandState, Action]]:
        """Yields every action of the hand so far with the state before it, a single object that moves on."""
        state = HandState(self.gamedef)
        for actions in self.actions:
            for _, action in actions:
                yield state, action
                state.perform(action)

    def run_out(self) -> None:
        """Ends a hand in which all players, or all but one, are all-in by their blinds, so that nobody needs to act."""
        if self._num_able <= 1 and not self.finished:
            self._end_round()

    def _raise_bet(self, position: int, size: int) -> None:
        """Sets what a caller has to match from now on."""
        gamedef = self.gamedef
        if gamedef.no_limit:
            self.min_raise_to = max(self.min_raise_to, 2 * size - self.max_spent)
            self.max_spent = size
        else:
            # A player with less than the full raise "raises" to the own stack, even if that lowers the bet.
            self.max_spent = min(self.max_spent + gamedef.raise_sizes[self.round], gamedef.stacks[position])
        self.num_raises += 1
        self._num_called = 0

    def _end_round(self) -> None:
        """Goes on to the next round, or ends the hand if there is none left to bet in."""
        gamedef = self.gamedef
        last = gamedef.num_rounds - 1
        if self._num_able <= 1 or self.round == last:
            self.finished = True
            self.acting_position = NOBODY
            if self.round < last:
                self.round_start = self.max_spent
            self._betting += "/" * (last - self.round)
            self.actions += [[] for _ in range(last - self.round)]
            self.round = last
        else:
            self.round += 1
            self.round_start = self.max_spent
            self._betting += "/"
            self.actions.append([])
            self.min_raise_to = self.max_spent + max(1, gamedef.big_blind)
            self.num_raises = 0
            self._num_called = 0
            self.acting_position = self._next_able(gamedef.first_positions[self.round])

    def _next_able(self, start: int) -> int:
        """Returns the first position from ``start`` on (inclusive, round the table) that can act."""
        folded, spent, stacks = self.folded, self.spent, self.gamedef.stacks
        count = len(spent)
        for position in range(start, start + count):
            position %= count
            if not folded[position] and spent[position] < stacks[position]:
                return position
        raise AssertionError("a hand that is not finished has somebody who can act")
