"""Random valid game definitions, for seeded runs and as a hypothesis strategy."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from hedgehog.poker.acpc.gamedef import (
    MAX_BOARD_CARDS,
    MAX_HOLE_CARDS,
    MAX_PLAYERS,
    MAX_ROUNDS,
    UNLIMITED_RAISES,
    UNLIMITED_STACK,
    GameDef,
)

Draw = Callable[[int, int], int]
"""Draws an integer from an inclusive range."""


@dataclass(frozen=True)
class Family:
    """Bounds on what random games may contain."""

    max_players: int = MAX_PLAYERS
    max_stack: int = 3000
    """Largest finite stack in chips."""
    blinds_up_to_stack: bool = True
    """A blind may put a player all-in before the first action."""
    limit_stacks: bool = True
    """Limit games may have finite stacks, with which a short raise lowers the bet."""
    max_board_first_round: int = MAX_BOARD_CARDS
    """Board cards in the first round; the official parser cannot read state lines of games that have any."""
    chip_free: bool = False
    """All blinds may be 0."""


def build_gamedef(draw: Draw, family: Family) -> GameDef:
    """Returns a game made from draws; the lowest draws give the simplest game."""
    no_limit = draw(0, 1) == 0
    num_players = draw(2, family.max_players)
    num_rounds = draw(1, MAX_ROUNDS)
    num_suits = draw(1, 4)
    num_ranks = draw(-(-num_players // num_suits), 13)
    spare = num_suits * num_ranks - num_players
    num_hole_cards = 1 + draw(0, min(MAX_HOLE_CARDS - 1, spare // num_players))
    spare = min(num_suits * num_ranks - num_players * num_hole_cards, MAX_BOARD_CARDS)
    board = []
    for index in range(num_rounds):
        board.append(draw(0, min(spare, family.max_board_first_round) if index == 0 else spare))
        spare -= board[-1]

    unit = (1, 2, 5, 10, 50, 100)[draw(0, 5)]
    blinds = [unit, *[(0, unit // 2, unit, 2 * unit, 3 * unit - 1)[draw(0, 4)] for _ in range(num_players - 1)]]
    for position in range(num_players - 1):  # any position may hold the first blind
        other = draw(position, num_players - 1)
        blinds[position], blinds[other] = blinds[other], blinds[position]
    if family.chip_free and draw(0, 3) == 3:
        blinds = [0] * num_players
    if no_limit or (family.limit_stacks and draw(0, 1)):
        top = (5 * unit, 30 * unit, family.max_stack)[draw(0, 2)]
        stacks = [draw(max(1, blind), max(blind + 1, min(top, family.max_stack))) for blind in blinds]
        if not family.blinds_up_to_stack:
            stacks = [max(stack, blind + 1) for stack, blind in zip(stacks, blinds, strict=True)]
        elif all(stack == blind for stack, blind in zip(stacks, blinds, strict=True)):
            stacks[draw(0, num_players - 1)] += 1
    else:
        stacks = [UNLIMITED_STACK] * num_players
    capped = draw(0, 1)
    return GameDef(
        num_players=num_players,
        num_rounds=num_rounds,
        no_limit=no_limit,
        stacks=tuple(stacks),
        blinds=tuple(blinds),
        raise_sizes=() if no_limit else tuple(draw(1, 4 * unit) for _ in range(num_rounds)),
        first_positions=tuple(draw(0, num_players - 1) for _ in range(num_rounds)),
        max_raises=tuple(draw(0, 5) if capped else UNLIMITED_RAISES for _ in range(num_rounds)),
        num_suits=num_suits,
        num_ranks=num_ranks,
        num_hole_cards=num_hole_cards,
        num_board_cards=tuple(board),
    )


def random_gamedef(rng: random.Random, family: Family | None = None) -> GameDef:
    """Returns a random game; equal generators give equal games."""
    return build_gamedef(rng.randint, family or Family())


@st.composite
def gamedefs(draw: st.DrawFn, family: Family | None = None) -> GameDef:
    """A hypothesis strategy that draws valid games."""
    return build_gamedef(lambda low, high: draw(st.integers(low, high)), family or Family())
