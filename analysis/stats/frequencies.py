"""Counts what hand-history tools count: VPIP, PFR, 3-bet, continuation bet, aggression, showdown.

Every frequency is a number of times out of a number of opportunities. *Before the flop* means the first betting round
of any game, *after the flop* all later rounds. A bet counts as a *raise*. The definitions are in
docs/hand-histories.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.state import NOBODY, Action, HandState

_HALF_A_CENT: Final = 0.005
"""Chips by which winnings in logs may be wrong, which are rounded to six decimals; generous."""
_MOST_BETTINGS: Final = 100_000
"""Number of betting strings whose tallies are kept in memory."""


class HandTally(NamedTuple):
    """What the player in one position did in one hand, as numbers that can be added up."""

    decided: int = 0
    """1 if the player acted before the flop."""
    put_in: int = 0
    """1 if the player called or raised before the flop; checking the blind is neither."""
    raised: int = 0
    """1 if the player raised before the flop."""
    could_three_bet: int = 0
    """1 if before the flop the player acted after exactly one raise and was allowed to raise."""
    three_bet: int = 0
    """1 if the player then raised."""
    faced_three_bet: int = 0
    """1 if before the flop the player made the first raise and acted after exactly one more."""
    folded_to_three_bet: int = 0
    """1 if the player then folded."""
    could_continue: int = 0
    """1 if the player made the last raise before the flop and acted on the flop before anybody had bet."""
    continued: int = 0
    """1 if the player then bet."""
    raises_after: int = 0
    """Number of bets and raises after the flop."""
    calls_after: int = 0
    """Number of calls after the flop; a check is no call."""
    folds_after: int = 0
    """1 if the player folded after the flop."""
    saw_flop: int = 0
    """1 if the player had not folded when the second betting round began; in games of one round always 1."""
    showdown: int = 0
    """1 if the player came to a showdown."""
    won_showdown: int = 0
    """1 if the player came to a showdown and won chips of others there, or a share of them in a split pot."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often something was done."""

    times: int
    opportunities: int
    share: float
    """``times`` divided by ``opportunities``; NaN without opportunities."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The frequencies of one player."""

    vpip: Frequency
    """Hands in which the player voluntarily put chips into the pot before the flop."""
    pfr: Frequency
    """Hands in which the player raised before the flop."""
    three_bet: Frequency
    """Second raises before the flop, out of the hands in which the player could make one."""
    fold_to_three_bet: Frequency
    """Folds to a second raise before the flop, after making the first."""
    flop_continuation_bet: Frequency
    """First bets on the flop, out of the hands in which the last raiser before the flop acted before any bet."""
    aggression: Frequency
    """Bets and raises after the flop, out of all actions after the flop other than checks."""
    went_to_showdown: Frequency
    """Showdowns, out of the hands in which the player saw the flop."""
    won_at_showdown: Frequency
    """Showdowns at which the player won chips, out of all showdowns of the player."""
    aggression_factor: float
    """Bets and raises after the flop, divided by the calls after the flop; NaN without calls."""


class FrequencyCount:
    """Adds up the tallies of one player. Equal tallies are stored once, so that counting is fast."""

    def __init__(self) -> None:
        self._tallies: Counter[HandTally] = Counter()

    def add(self, tally: HandTally) -> None:
        """Adds the tally of one hand."""
        self._tallies[tally] += 1

    def result(self) -> Frequencies:
        """Returns the frequencies over all hands added."""
        total = HandTally(
            *(
                sum(count * values[field] for values, count in self._tallies.items())
                for field in range(len(HandTally._fields))
            )
        )
        calls, raises = total.calls_after, total.raises_after
        return Frequencies(
            vpip=_frequency(total.put_in, total.decided),
            pfr=_frequency(total.raised, total.decided),
            three_bet=_frequency(total.three_bet, total.could_three_bet),
            fold_to_three_bet=_frequency(total.folded_to_three_bet, total.faced_three_bet),
            flop_continuation_bet=_frequency(total.continued, total.could_continue),
            aggression=_frequency(raises, raises + calls + total.folds_after),
            went_to_showdown=_frequency(total.showdown, total.saw_flop),
            won_at_showdown=_frequency(total.won_showdown, total.showdown),
            aggression_factor=raises / calls if calls else math.nan,
        )


def _frequency(times: int, opportunities: int) -> Frequency:
    return Frequency(times, opportunities, times / opportunities if opportunities else math.nan)


class HandTallier:
    """Tallies the hands of one game. What depends on the betting alone is computed once per betting string."""

    def __init__(self) -> None:
        self._known: dict[str, list[HandTally]] = {}

    def tally(self, hand: LoggedHand, values: Sequence[float]) -> list[HandTally]:
        """Returns what every position did in a finished hand.

        :param hand: the hand.
        :param values: chips won or lost by each position.
        """
        state = hand.state
        betting = state.betting_string()
        tallies = self._known.get(betting)
        if tallies is None:
            if len(self._known) >= _MOST_BETTINGS:
                self._known.clear()
            tallies = self._known[betting] = tally_betting(state)
        if not state.is_showdown:
            return tallies
        return [
            tally._replace(won_showdown=1) if tally.showdown and _won_chips(state.spent, position, value) else tally
            for position, (tally, value) in enumerate(zip(tallies, values, strict=True))
        ]


def tally_betting(state: HandState) -> list[HandTally]:
    """Returns what every position did in a finished hand; who won is left open."""
    gamedef, first_round, later = state.gamedef, state.actions[0], state.actions[1:]
    tallies: list[Counter[str]] = [Counter() for _ in range(gamedef.num_players)]
    _tally_first_round(tallies, gamedef, first_round)
    if later:
        _tally_continuation_bet(tallies, first_round, later[0])
    for actions in later:
        _tally_later_round(tallies, actions)
    folded_first = {position for position, action in first_round if action.kind == "f"}
    for position, tally in enumerate(tallies):
        tally["saw_flop"] = gamedef.num_rounds == 1 or (state.round > 0 and position not in folded_first)
        tally["showdown"] = state.is_showdown and not state.folded[position]
    return [HandTally(**tally) for tally in tallies]


def _tally_first_round(tallies: list[Counter[str]], gamedef: GameDef, actions: Sequence[tuple[int, Action]]) -> None:
    raises = 0
    opener = NOBODY
    for index, (position, action) in enumerate(actions):
        tally, kind = tallies[position], action.kind
        tally["decided"] = 1
        if raises == 1 and not tally["could_three_bet"] and _may_raise(gamedef, actions, index):
            tally["could_three_bet"] = 1
            tally["three_bet"] = int(kind == "r")
        elif raises == 2 and position == opener and not tally["faced_three_bet"]:
            tally["faced_three_bet"] = 1
            tally["folded_to_three_bet"] = int(kind == "f")
        if kind == "r":
            raises += 1
            tally["put_in"] = tally["raised"] = 1
            if raises == 1:
                opener = position
        elif kind == "c" and (raises or gamedef.blinds[position] < gamedef.big_blind):
            tally["put_in"] = 1


def _tally_continuation_bet(
    tallies: list[Counter[str]], first_round: Sequence[tuple[int, Action]], flop: Sequence[tuple[int, Action]]
) -> None:
    raisers = [position for position, action in first_round if action.kind == "r"]
    for position, action in flop if raisers else ():
        if position == raisers[-1]:
            tallies[position]["could_continue"] = 1
            tallies[position]["continued"] = int(action.kind == "r")
        if position == raisers[-1] or action.kind == "r":
            return


def _tally_later_round(tallies: list[Counter[str]], actions: Sequence[tuple[int, Action]]) -> None:
    bet = False
    for position, action in actions:
        if action.kind == "r":
            bet = True
            tallies[position]["raises_after"] += 1
        elif action.kind == "f":
            tallies[position]["folds_after"] += 1
        elif bet:
            tallies[position]["calls_after"] += 1


def _may_raise(gamedef: GameDef, actions: Sequence[tuple[int, Action]], index: int) -> bool:
    """Tells whether a raise was allowed at action ``index`` of the first round, given one raise before it."""
    if gamedef.max_raises[0] < 2:
        return False
    sizes = [action.size for _, action in actions[:index]]
    raised_to = max(sizes) if gamedef.no_limit else gamedef.big_blind + gamedef.raise_sizes[0]
    if raised_to < min(gamedef.stacks):  # nobody is all-in
        return True
    state = HandState(gamedef)
    for _, action in actions[:index]:
        state.perform(action)
    return state.raise_range() is not None


def _won_chips(spent: Sequence[int], position: int, value: float) -> bool:
    """Tells whether a position got more out of the pot than its own chips that nobody could match."""
    others = max(chips for other, chips in enumerate(spent) if other != position)
    return value > -min(spent[position], others) + _HALF_A_CENT
