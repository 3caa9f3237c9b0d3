"""Fits AIVAT's value function of ranges to hands. The shipped value function was made with this program.

It is run as ``python -m hedgehog.analysis.aivat.fit_ranges OUT LOG...``. The strategies of a log come from records
beside it; a player without records is our player, playing from its packs alone. The AIVAT value of a hand is linear in
the coefficients, and its mean is the same for all of them. So those are taken for which the sum of the squares is
least, by one ridge regression over all hands. A row's coefficients are those of its group (all rows of one street and
kind) and its own differences from them. The ridge draws the group towards the value of a hand in which nobody bets any
more, and the differences towards 0. Matches whose logs were used here must not be scored by AIVAT.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.aivat.definition import Array
from hedgehog.analysis.aivat.fit import logged_hands
from hedgehog.analysis.aivat.match import strategies_of
from hedgehog.analysis.aivat.range_values import HandComponents, hand_components
from hedgehog.analysis.aivat.ranges import CALLS, EDGE, NUM_FEATURES
from hedgehog.analysis.aivat.recorded import recorded_strategies, records_of
from hedgehog.analysis.aivat.replay import Strategy, replay
from hedgehog.analysis.aivat.values import NUM_ROWS, Kind, group_of, write_coefficients

GROUP_RIDGE: Final = 1e6
"""Weight of the square of a group's coefficient, in chips²."""
ROW_RIDGE: Final = 1e9
"""Weight of the square of a row's difference from its group, in chips²."""
_BATCH: Final = 256
_GROUPS: Final = np.array([group_of(row) for row in range(NUM_ROWS)])


def prior_coefficients() -> Array:
    """Returns (rows, 9) the value if nobody bets any more: the edge, or the value of a call with the right hands."""
    prior = np.zeros((NUM_ROWS, NUM_FEATURES))
    facing = _GROUPS % len(Kind) == Kind.FACING
    prior[facing, CALLS] = 1.0
    prior[~facing, EDGE] = 1.0
    return prior


class RangeFit:
    """Collects hands as normal equations, and solves them for the coefficients."""

    def __init__(self, group_ridge: float = GROUP_RIDGE, row_ridge: float = ROW_RIDGE) -> None:
        """Begins without hands.

        :param group_ridge: weight of the square of a group's coefficient, in chips².
        :param row_ridge: weight of the square of a row's difference from its group, in chips².
        """
        size = (NUM_ROWS + int(_GROUPS.max()) + 1) * NUM_FEATURES
        self.hands = 0
        self._ridge = np.full(size, row_ridge)
        self._ridge[NUM_ROWS * NUM_FEATURES :] = group_ridge
        self._squares = np.zeros((size, size))
        self._products = np.zeros(size)
        self._rows: list[Array] = []
        self._values: list[float] = []

    def add(self, components: HandComponents) -> None:
        """Adds a hand."""
        self.hands += 1
        groups = np.zeros((int(_GROUPS.max()) + 1, NUM_FEATURES))
        np.add.at(groups, _GROUPS, components.corrections)
        self._rows.append(np.concatenate([components.corrections.ravel(), groups.ravel()]))
        self._values.append(components.value(prior_coefficients()))
        if len(self._rows) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            rows = np.array(self._rows)
            self._squares += rows.T @ rows
            self._products += rows.T @ np.array(self._values)
            self._rows.clear()
            self._values.clear()

    def solve(self) -> Array:
        """Returns the coefficients, (rows, 9)."""
        self._flush()
        found = np.linalg.solve(self._squares + np.diag(self._ridge), -self._products).reshape(-1, NUM_FEATURES)
        return np.asarray(prior_coefficients() + found[:NUM_ROWS] + found[NUM_ROWS + _GROUPS])


def scored_hands(log: Path) -> Iterator[HandComponents]:
    """Yields the components of all hands of a log, by records beside it or by asking our player.

    :raises InputError: if a file is malformed, or the strategies did not play these hands.
    """
    ours: Strategy | None = None
    recorded: dict[str, Strategy] = {}
    for hand in logged_hands([log]):
        names = hand.names.split("|")
        if not recorded:
            recorded.update(recorded_strategies([log], records_of([log], names), hand.state.gamedef))
            if ours is None and len(recorded) < len(names):
                ours = strategies_of({"default": parse_player_spec("default")}, hand.state.gamedef)["default"]
        yield hand_components(hand, replay(hand, [recorded.get(name, ours) for name in names]))


def main(arguments: Sequence[str]) -> None:
    """Fits the value function to logs and writes its file.

    :param arguments: path of the output file, then paths of the logs.
    """
    out, *logs = arguments
    fit = RangeFit()
    for log in logs:
        for components in scored_hands(Path(log)):
            fit.add(components)
            if fit.hands % 1000 == 0:
                print(f"{fit.hands:,} hands", file=sys.stderr, flush=True)
    about = f"AIVAT's value function of ranges, made by python -m {__spec__.name} from {fit.hands} hands."
    write_coefficients(Path(out), about, fit.solve())


if __name__ == "__main__":
    main(sys.argv[1:])
