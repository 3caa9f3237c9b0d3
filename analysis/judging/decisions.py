"""DIVAT of every single decision: what an action changed if the baseline plays the rest of the street.

The street is worth what the baseline makes of it from where it stands. A decision gains what the player's action is
worth more than the baseline's action there, with the baseline for both players afterwards. The gains of a street add up
to its DIVAT difference, because each decision starts where the one before has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from hedgehog.analysis.judging._betting_kernels import MOST_BETS, NOBODY, Betting, settle, worth_in_bets
from hedgehog.analysis.judging.hands import SeatedHand, limit_betting
from hedgehog.analysis.judging.judge import JudgedHands
from hedgehog.analysis.judging.judgement import hand_judgement
from hedgehog.analysis.judging.sessions import SessionBatch
from hedgehog.analysis.judging.settings import DivatSettings
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.documents import csv_rows, csv_text
from hedgehog.runtime.errors import InputError

_BLINDS: Final = "sl"
_COLUMNS: Final = ("source", "hand", "player", "opponent", "street", "actor", "before", "action", "baseline", "divat")


class Decision(NamedTuple):
    """One decision of a judged hand."""

    street: int
    player: int
    """0 for A, 1 for B."""
    before: str
    """Betting of the street before it, blinds included, as in the reports."""
    action: str
    """``f k c b r`` for fold, check, call, bet and raise."""
    baseline: str
    """What the baseline does there."""
    divat: float
    """What the action gained for A against the baseline's action, in small bets."""


class _Round(NamedTuple):
    """A betting round while it is played."""

    invested: tuple[float, float]
    actor: int
    raises: int
    level: int
    acted: int
    folder: int = NOBODY
    over: bool = False


def judged_decisions(
    judged: JudgedHands, index: int, seated: SeatedHand, settings: DivatSettings
) -> Iterator[Decision]:
    """Yields the decisions of one hand of a limit game.

    Dead money that only one player has posted is in the DIVAT difference of the first street, and in no decision.

    :param judged: the batch of judged hands.
    :param index: number of the hand in the batch.
    :param settings: the policies of the baseline with which the hands were judged.
    :raises InputError: if the hands are of a no-limit game.
    """
    if not judged.limit:
        raise InputError("decisions are judged in limit games only: the baseline has no bet sizes of its own")
    betting = limit_betting(seated.hand.state.gamedef, settings)
    for street, found in enumerate(hand_judgement(judged, index, seated).streets):
        start = judged.hands.invested[index, street]
        state = _Round(
            (float(start[0]), float(start[1])), int(judged.hands.first[index, street]), 0,
            betting.preflop_level if street == 0 else 0, 0,
        )  # fmt: skip
        strengths = judged.judged.strengths[index, street]
        value = _baseline_value(state, strengths, found.aie, street, betting)
        for place, letter in enumerate(found.actual):
            action = letter.lower()
            if street == 0 and place < len(_BLINDS) and action in _BLINDS:
                continue
            baseline = _baseline_action(state, strengths, street, betting)
            after = _act(state, action, street, betting)
            worth = _baseline_value(after, strengths, found.aie, street, betting)
            yield Decision(street, state.actor, found.actual[:place], action, baseline, worth - value)
            state, value = after, worth


def _baseline_action(state: _Round, strengths: np.ndarray, street: int, betting: Betting) -> str:
    """Returns the letter of the baseline's action (:func:`_betting_kernels.play_baseline` plays whole rounds)."""
    player = state.actor
    high = max(state.invested)
    owed = high - state.invested[player]
    worth = worth_in_bets(max(strengths[player, 0], strengths[player, 1]), betting.make[street])
    may_raise = state.raises < betting.max_raises[street] and state.level < MOST_BETS and high < betting.cap
    if may_raise and state.level < worth:
        return "b" if state.raises == 0 and street > 0 else "r"
    if owed > 0:
        odds = owed / sum(state.invested) + betting.offsets[street]
        return "f" if strengths[player, 1] < odds else "c"
    return "k"


def _act(state: _Round, action: str, street: int, betting: Betting) -> _Round:
    """Returns the round after an action."""
    player = state.actor
    invested = list(state.invested)
    high = max(invested)
    raises, level, over, folder = state.raises, state.level, False, NOBODY
    if action in "br":
        invested[player] = min(high + float(betting.bets[street]), betting.cap)
        raises, level = raises + 1, level + 1
    elif action == "f":
        over, folder = True, player
    else:
        invested[player] = high
        over = state.acted > 0 or (action == "c" and high >= betting.cap)
    return _Round((invested[0], invested[1]), 1 - player, raises, level, state.acted + 1, folder, over)


def _baseline_value(state: _Round, strengths: np.ndarray, aie: float, street: int, betting: Betting) -> float:
    """Returns A's pot equity if the baseline plays the rest of the round."""
    if not state.acted and state.invested[0] == state.invested[1] and max(state.invested) >= betting.cap:
        state = state._replace(over=True)
    while not state.over:
        state = _act(state, _baseline_action(state, strengths, street, betting), street, betting)
    return settle(np.array(state.invested), state.folder, aie)


def decision_csv(
    batch: SessionBatch | None = None, judged: JudgedHands | None = None, settings: DivatSettings | None = None
) -> str:
    """Returns a CSV row for every decision of a batch of judged hands, without a header; without a batch the header.

    :raises InputError: if the hands are of a no-limit game.
    """
    if batch is None or judged is None or settings is None:
        return csv_text(_COLUMNS, [])
    rows: list[tuple[object, ...]] = []
    for index, seated in enumerate(batch.hands):
        names = seated.hand.names.split("|")
        players = (names[seated.position], names[1 - seated.position])
        for one in judged_decisions(judged, index, seated, settings):
            head = (batch.sources[index], seated.hand.hand_id, *players)
            street = STREETS[one.street]
            rows.append((*head, street, players[one.player], one.before, one.action, one.baseline, one.divat))
    return csv_rows(rows, len(_COLUMNS))
