"""Counts what hand-history tools count: VPIP, PFR, 3-bet, continuation bet, aggression, showdown.

Every frequency is a number of times out of a number of opportunities. *Before the flop* means the first betting round
of any game, *after the flop* all later rounds. A bet counts as a *raise*. The definitions are in
docs/hand-histories.md.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Final, NamedTuple

from hedgehog.analysis.histories.action_kinds import CALL, CHECK, FOLD, RAISE
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.state import NOBODY, Action, HandState

_HALF_A_CENT: Final = 0.005
"""Chips by which winnings in logs may be wrong, which are rounded to six decimals; generous."""
_MOST_BETTINGS: Final = 100_000
"""Number of sequences of actions whose tallies are kept in memory."""


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
    faced_continuation: int = 0
    """1 if the player acted on the flop when the only bet was one that continues."""
    folded_to_continuation: int = 0
    """1 if the player then folded."""
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


def count_frequencies(tallies: Counter[HandTally]) -> Frequencies:
    """Returns the frequencies of one player over some hands.

    :param tallies: the tallies of the hands; equal ones are counted, so that this is fast.
    """
    fields_of = range(len(HandTally._fields))
    total = HandTally(*(sum(count * tally[field] for tally, count in tallies.items()) for field in fields_of))
    pairs = frequency_pairs(total)
    shares = {field.name: _frequency(*pairs[field.name]) for field in fields(Frequencies) if field.name in pairs}
    return Frequencies(**shares, aggression_factor=aggression_factor(total))


def frequency_pairs(total: HandTally) -> dict[str, tuple[int, int]]:
    """Returns how often everything was done, and out of how many opportunities, by the names of :class:`Frequencies`.

    :param total: the sum of the tallies of some hands.
    """
    acted_after = total.raises_after + total.calls_after + total.folds_after
    return {
        "vpip": (total.put_in, total.decided),
        "pfr": (total.raised, total.decided),
        "three_bet": (total.three_bet, total.could_three_bet),
        "fold_to_three_bet": (total.folded_to_three_bet, total.faced_three_bet),
        "flop_continuation_bet": (total.continued, total.could_continue),
        "fold_to_continuation_bet": (total.folded_to_continuation, total.faced_continuation),
        "aggression": (total.raises_after, acted_after),
        "went_to_showdown": (total.showdown, total.saw_flop),
        "won_at_showdown": (total.won_showdown, total.showdown),
    }


def aggression_factor(total: HandTally) -> float:
    """Returns bets and raises after the flop per call there; NaN without calls."""
    return total.raises_after / total.calls_after if total.calls_after else math.nan


def _frequency(times: int, opportunities: int) -> Frequency:
    return Frequency(times, opportunities, times / opportunities if opportunities else math.nan)


def tally_hand(hand: LoggedHand, values: Sequence[float]) -> list[HandTally]:
    """Returns what every position did in a finished hand.

    :param hand: the hand.
    :param values: chips won or lost by each position.
    """
    state = hand.state
    tallies = tally_actions(_action_codes(state), state.gamedef.num_players, state.gamedef.num_rounds == 1)
    return [
        tally._replace(won_showdown=1) if tally.showdown and _won_chips(state.spent, position, value) else tally
        for position, (tally, value) in enumerate(zip(tallies, values, strict=True))
    ]


def action_code(position: Any, street: Any, kind: Any, may_raise: Any) -> Any:
    """Returns an action as a number below 2**16, for :func:`tally_actions`. The arguments may be arrays, too.

    :param kind: ``FOLD``, ``CHECK``, ``CALL`` or ``RAISE`` of :mod:`hedgehog.analysis.histories.real_hands`.
    :param may_raise: whether the player could have raised; it counts before the flop after exactly one raise.
    """
    return ((position * 4 + street) * 4 + kind) * 2 + may_raise


def _action_codes(state: HandState) -> bytes:
    """Returns the actions of a finished hand for :func:`tally_actions`."""
    gamedef = state.gamedef
    codes = array("H")
    for street, actions in enumerate(state.actions):
        raises = 0
        for index, (position, (kind, _)) in enumerate(actions):
            paid = raises or (street == 0 and gamedef.blinds[position] < gamedef.big_blind)
            number = {"f": FOLD, "r": RAISE}.get(kind, CALL if paid else CHECK)
            may_raise = street == 0 and raises == 1 and (kind == "r" or _may_raise(gamedef, actions, index))
            codes.append(action_code(position, street, number, may_raise))
            raises += kind == "r"
    return codes.tobytes()


@lru_cache(_MOST_BETTINGS)
def tally_actions(codes: bytes, num_positions: int, one_round: bool = False) -> tuple[HandTally, ...]:
    """Returns what every position did in a finished hand, with who won left open.

    :param codes: :func:`action_code` of every action, two bytes each.
    :param num_positions: number of players.
    :param one_round: whether the game has one betting round, in which everybody sees the flop.
    """
    tallies: list[Counter[str]] = [Counter() for _ in range(num_positions)]
    actions = [(code // 32, code // 8 % 4, code // 2 % 4, code % 2) for code in memoryview(codes).cast("H")]
    first_round = [(position, kind, may_raise) for position, street, kind, may_raise in actions if street == 0]
    _tally_first_round(tallies, first_round)
    last_raiser = next((position for position, kind, _ in reversed(first_round) if kind == RAISE), NOBODY)
    _tally_continuation_bet(tallies, last_raiser, [(one[0], one[2]) for one in actions if one[1] == 1])
    for position, street, kind, _ in actions:
        if street > 0 and kind != CHECK:
            tallies[position][{RAISE: "raises_after", FOLD: "folds_after", CALL: "calls_after"}[kind]] += 1
    folded_first = {position for position, kind, _ in first_round if kind == FOLD}
    folded = {position for position, _, kind, _ in actions if kind == FOLD}
    for position, tally in enumerate(tallies):
        sees = len(folded_first) < num_positions - 1 and position not in folded_first
        tally["saw_flop"] = int(one_round or sees)
        tally["showdown"] = int(len(folded) < num_positions - 1 and position not in folded)
    return tuple(HandTally(**tally) for tally in tallies)


def _tally_first_round(tallies: list[Counter[str]], actions: Sequence[tuple[int, int, int]]) -> None:
    raises = 0
    opener = NOBODY
    for position, kind, may_raise in actions:
        tally = tallies[position]
        tally["decided"] = 1
        if raises == 1 and not tally["could_three_bet"] and may_raise:
            tally["could_three_bet"] = 1
            tally["three_bet"] = int(kind == RAISE)
        elif raises == 2 and position == opener and not tally["faced_three_bet"]:
            tally["faced_three_bet"] = 1
            tally["folded_to_three_bet"] = int(kind == FOLD)
        if kind == RAISE:
            raises += 1
            tally["raised"] = 1
            if raises == 1:
                opener = position
        if kind in (CALL, RAISE):
            tally["put_in"] = 1


def _tally_continuation_bet(tallies: list[Counter[str]], last_raiser: int, flop: Sequence[tuple[int, int]]) -> None:
    continued = False
    for position, kind in flop if last_raiser != NOBODY else ():
        if continued:
            tallies[position]["faced_continuation"] = 1
            tallies[position]["folded_to_continuation"] = int(kind == FOLD)
        elif position == last_raiser:
            tallies[position]["could_continue"] = 1
            tallies[position]["continued"] = int(kind == RAISE)
            continued = kind == RAISE
            if not continued:
                return
            continue
        if kind == RAISE:
            return


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
