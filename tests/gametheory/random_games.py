"""Random extensive games with imperfect information, written as rules."""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from hedgehog.gametheory.rules import Outcome, RuleGame, Statement, chance, choose, outcome
from hedgehog.gametheory.tree import ExtensiveGame


@dataclass(frozen=True)
class Round:
    """One move of a random game."""

    mover: int
    """0 and 1 are the players, 2 is chance."""
    options: int
    seen_by: tuple[str, ...]
    ends: bool
    """Whether the first option ends the game."""


ROUNDS = st.lists(
    st.builds(
        Round,
        mover=st.sampled_from((0, 1, 2)),
        options=st.integers(2, 3),
        seen_by=st.sampled_from(((), ("p1",), ("p2",), ("p1", "p2"))),
        ends=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


def random_game(rounds: list[Round], seed: int) -> ExtensiveGame:
    """Returns the game of a list of rounds; payoffs are small integers that depend on the whole history."""

    def rules() -> Generator[Statement, Any, Outcome]:
        history: tuple[int, ...] = ()
        for one in rounds:
            if one.mover == 2:
                move = yield chance(range(one.options), to=one.seen_by)
            else:
                move = yield choose(f"p{one.mover + 1}", range(one.options), seen_by=one.seen_by)
            history += (move,)
            if one.ends and move == 0:
                break
        return outcome(random.Random(f"{seed} {history}").randint(-6, 6))

    return RuleGame("random", ("p1", "p2"), rules).build()


GAMES = st.builds(random_game, ROUNDS, st.integers(0, 10**6))
