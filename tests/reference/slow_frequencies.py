"""Counts VPIP, PFR and other frequencies hand by hand; pokerkit decides which actions were possible."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import Any, NamedTuple

from pokerkit import Automation, ChipsPushing, FixedLimitTexasHoldem, Mode, NoLimitTexasHoldem

from hedgehog.poker.acpc.gamedef import GameDef

_AUTOMATIONS = tuple(
    automation
    for automation in Automation
    if automation not in (Automation.HOLE_DEALING, Automation.BOARD_DEALING, Automation.CARD_BURNING)
)


class _Event(NamedTuple):
    street: int
    player: int
    kind: str
    may_raise: bool
    to_call: int


def count_hands(lines: list[str], gamedef: GameDef) -> dict[str, Counter[str]]:
    """Returns name of player -> name of count -> number, for the ``STATE:`` lines of a hold'em log."""
    totals: dict[str, Counter[str]] = {}
    for line in lines:
        _, _, betting, cards, _, names = line.split(":")
        events, state = _play(betting, cards, gamedef)
        for player, name in enumerate(names.split("|")):
            totals.setdefault(name, Counter()).update(_count(player, events, state))
    return totals


def _play(betting: str, cards: str, gamedef: GameDef) -> tuple[list[_Event], Any]:
    holes, *streets = cards.split("/")
    board = iter(streets)
    blinds = gamedef.blinds[::-1] if gamedef.num_players == 2 else gamedef.blinds
    if gamedef.no_limit:
        state: Any = NoLimitTexasHoldem.create_state(
            _AUTOMATIONS, True, 0, blinds, max(blinds), gamedef.stacks, gamedef.num_players, mode=Mode.CASH_GAME
        )
    else:
        small, _, big, _ = gamedef.raise_sizes
        state = FixedLimitTexasHoldem.create_state(
            _AUTOMATIONS, True, 0, blinds, small, big, gamedef.stacks, gamedef.num_players, mode=Mode.CASH_GAME
        )
    start = list(gamedef.stacks)
    events = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for hole in holes.split("|"):
            state.deal_hole(hole)
        for street, text in enumerate(betting.split("/")):
            if street:
                state.burn_card("??")
                state.deal_board(next(board))
            for kind, size in re.findall(r"([fcr])([0-9]*)", text):
                player = state.actor_index
                may_raise = state.can_complete_bet_or_raise_to()
                events.append(_Event(street, player, kind, may_raise, state.checking_or_calling_amount))
                if kind == "f":
                    state.fold()
                elif kind == "c":
                    state.check_or_call()
                elif size:
                    earlier = start[player] - state.stacks[player] - state.bets[player]
                    state.complete_bet_or_raise_to(int(size) - earlier)
                else:
                    state.complete_bet_or_raise_to()
    assert not state.status
    return events, state


def _raises_before(events: list[_Event], index: int) -> int:
    return sum(event.kind == "r" for event in events[:index])


def _count(player: int, events: list[_Event], state: Any) -> Counter[str]:
    preflop = [event for event in events if event.street == 0]
    flop = [event for event in events if event.street == 1]
    raisers = [event.player for event in preflop if event.kind == "r"]
    mine = [(index, event) for index, event in enumerate(preflop) if event.player == player]
    after = [event for event in events if event.street > 0 and event.player == player]
    count: Counter[str] = Counter()

    count["vpip_of"] = count["pfr_of"] = int(bool(mine))
    count["vpip"] = int(any(event.kind == "r" or (event.kind == "c" and event.to_call > 0) for _, event in mine))
    count["pfr"] = int(player in raisers)

    chances = [event for index, event in mine if _raises_before(preflop, index) == 1 and event.may_raise]
    count["three_bet_of"] = len(chances)
    count["three_bet"] = sum(event.kind == "r" for event in chances)

    if raisers[:1] == [player]:
        answers = [event for index, event in mine if _raises_before(preflop, index) == 2]
        count["fold_to_three_bet_of"] = len(answers)
        count["fold_to_three_bet"] = sum(event.kind == "f" for event in answers)

    if raisers[-1:] == [player]:
        decisions = [(index, event) for index, event in enumerate(flop) if event.player == player]
        if decisions and _raises_before(flop, decisions[0][0]) == 0:
            count["flop_continuation_bet_of"] = 1
            count["flop_continuation_bet"] = int(decisions[0][1].kind == "r")

    bets = sum(event.kind == "r" for event in after)
    calls = sum(event.kind == "c" and event.to_call > 0 for event in after)
    count["aggression"] = bets
    count["aggression_of"] = bets + calls + sum(event.kind == "f" for event in after)
    count["calls"] = calls

    folded_early = any(event.kind == "f" for _, event in mine)
    folded = any(event.kind == "f" and event.player == player for event in events)
    others_left = len({event.player for event in events if event.kind == "f"}) < state.player_count - 1
    count["went_to_showdown_of"] = int(bool(state.board_cards) and not folded_early)
    count["went_to_showdown"] = count["won_at_showdown_of"] = int(others_left and not folded)
    if count["went_to_showdown"]:
        pushes = [operation for operation in state.operations if isinstance(operation, ChipsPushing)]
        count["won_at_showdown"] = int(any(push.amounts[player] > 0 for push in pushes))
    return count
