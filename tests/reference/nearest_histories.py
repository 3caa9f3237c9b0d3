"""The nearest two-player decisions by comparing all of them, step by step, with exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from hedgehog.agent.limit.nearest import PREFERRED_SEATS, Way
from hedgehog.agent.limit.situation import ThreePlayerSituation
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.limit_betting import limit_tree
from hedgehog.poker.state import HandState

GAME = load_gamedef("holdem.limit.2p.reverse_blinds")


@cache
def decisions(street: int) -> list[HandState]:
    """Returns all two-player decisions of a street in the order of the tree."""
    histories = limit_tree(GAME).histories
    return [parse_betting(text, GAME) for text in histories if text.count("/") == street]


def distance(state: HandState, real: ThreePlayerSituation, opponent: int) -> int:
    """Returns the distance of the actions, the hero in the seat that is to act."""
    total = 0
    for street, actions in enumerate(state.actions):
        for mine, real_actions in (
            (True, real.own[real.hero][street]),
            (False, real.own[opponent][street]),
        ):
            listed = [action.kind for position, action in actions if (position == state.acting_position) == mine]
            total += sum(a != b for a, b in zip(listed, real_actions, strict=False))
            total += abs(len(listed) - len(real_actions))
    return total


def nearest(way: Way, real: ThreePlayerSituation, opponent: int) -> list[int]:
    """Returns the indices of the candidates that the filter lets through, nearest first."""
    states = decisions(real.street)
    facts: list[dict[str, Any]] = []
    for index, state in enumerate(states):
        pot = Fraction(sum(state.spent), 5)
        to_call = Fraction(state.max_spent - state.spent[state.acting_position], 5)
        facts.append(
            {
                "index": index,
                "pot": abs(pot - real.pot),
                "odds": _odds_difference(pot, to_call, real),
                "distance": distance(state, real, opponent),
                "raise": (state.raise_range() is not None) != real.can_raise,
                "seat": _other_seat(state, real, opponent),
            }
        )
    if way is Way.HBB3:
        facts = _least(facts, "pot")
    if way is Way.HBB4:
        facts = _least(facts, "odds")
    order = {
        Way.HBB2: ("distance",),
        Way.HBB3: ("distance",),
        Way.HBB4: ("raise", "seat", "distance"),
        Way.HBB5: ("odds", "pot", "raise", "seat", "distance"),
    }[way]
    return [fact["index"] for fact in sorted(facts, key=lambda fact: tuple(fact[key] for key in order))]


def _odds_difference(pot: Fraction, to_call: Fraction, real: ThreePlayerSituation) -> Fraction:
    if (to_call == 0) != (real.to_call == 0):
        return Fraction(10**9)
    return Fraction(0) if to_call == 0 else abs(pot / to_call - Fraction(real.pot, real.to_call))


def _other_seat(state: HandState, real: ThreePlayerSituation, opponent: int) -> bool:
    preferred = PREFERRED_SEATS.get((real.hero, opponent))
    seat = 1 - state.acting_position  # the button, who pays the small blind, has position 1
    return preferred is not None and seat != preferred


def _least(facts: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    least = min(fact[key] for fact in facts)
    return [fact for fact in facts if fact[key] == least]
