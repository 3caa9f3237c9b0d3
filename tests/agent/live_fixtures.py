"""A made-up live solution of a street, and boards of a turn and a river."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.hand_view import Event
from hedgehog.agent.strategy.live_strategy import Promise
from hedgehog.agent.strategy.shadow import Situation
from hedgehog.poker.cards import NUM_COMBOS, parse_cards
from hedgehog.poker.state import CALL, Action

TURN_BOARD = tuple(parse_cards("QhJh2c5s"))
RIVER_BOARD = tuple(parse_cards("QhJh2c5s9d"))


class RandomStreet:
    """Checks or calls, or bets the least (by chance, differently for every combo); knows the lines it was told."""

    def __init__(self, known: list[Event]) -> None:
        self._known = [event.action for event in known]

    def options(self, events: list[Event], situation: Situation) -> Options | None:
        actions = [event.action for event in events]
        if (
            any(action.kind == "r" for action in actions[len(self._known) :])
            or actions[: len(self._known)] != (self._known[: len(actions)])
        ):
            return None
        rng = np.random.default_rng([situation.street, len(events)])
        share = rng.random(NUM_COMBOS)
        found = [CALL] if situation.raise_range is None else [CALL, Action("r", situation.raise_range[0])]
        return Options(found, np.stack([share, 1 - share])[: len(found)])

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        options = self.options(events[:-1], events[-1].situation)
        if options is None or events[-1].action not in options.actions:
            return None
        row: NDArray[np.float64] = options.probabilities[options.actions.index(events[-1].action)]
        return row

    def tremble(self, events: list[Event]) -> NDArray[np.float64] | None:
        return None

    def promise(self, events: list[Event], card: int) -> Promise | None:
        return None
