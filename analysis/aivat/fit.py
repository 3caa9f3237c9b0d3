"""Fits the value function of AIVAT to logs of self-play. The shipped value function was made with this program.

It is run as ``python -m hedgehog.analysis.aivat.fit OUT LOG...``. It is a ridge regression of the result of every hand
on the features of every state of the hand, from the side of the player to act. All-ins count with their expectation.
Rows of the same kind and street are first fitted together. The fit of each single row is then drawn towards their
common fit; the pull is stronger the fewer observations the row has. Matches whose logs were used here must not be
scored by AIVAT.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from hedgehog.analysis.aivat.definition import Array
from hedgehog.analysis.aivat.holdem import verify_game
from hedgehog.analysis.aivat.values import (
    EQUITY_FEATURE,
    NUM_FEATURES,
    NUM_ROWS,
    Matchup,
    ValuedState,
    dealt_flop,
    group_of,
    spot_of,
    write_coefficients,
)
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, find_log_gamedef, parse_log_line, read_log
from hedgehog.poker.cards import combo_index
from hedgehog.poker.evaluation.allin import expected_values

GROUP_RIDGE: Final = 1.0
ROW_RIDGE: Final = 30.0
"""Weight of the group's fit in the fit of a single row, in average observations."""


class ValueFit:
    """Collects observations as normal equations of every row, and solves them for the coefficients."""

    def __init__(self) -> None:
        self.hands = 0
        self._squares = np.zeros((NUM_ROWS, NUM_FEATURES, NUM_FEATURES))
        self._products = np.zeros((NUM_ROWS, NUM_FEATURES))

    def add(self, hand: LoggedHand) -> None:
        """Adds an observation for every state of a hand."""
        self.hands += 1
        won = expected_values(hand)
        for spot, features in states_of(hand):
            self.observe(spot.row, features, won[spot.actor] / spot.scale)

    def observe(self, row: int, features: Array, value: float) -> None:
        """Adds one observation.

        :param row: row of the state.
        :param features: (12,) features of the state.
        :param value: what the state was worth to the player to act, as a multiple of ``ValuedState.scale``.
        """
        self._squares[row] += np.outer(features, features)
        self._products[row] += features * value

    def solve(self) -> Array:
        """Returns the fitted coefficients of all rows, (rows, 12)."""
        groups = np.array([group_of(row) for row in range(NUM_ROWS)])
        coefficients = np.zeros((NUM_ROWS, NUM_FEATURES))
        for group in range(groups.max() + 1):
            members = np.flatnonzero(groups == group)
            squares = self._squares[members].sum(axis=0)
            # Without any data the value is 2 * equity - 1.
            prior = np.zeros(NUM_FEATURES)
            prior[[0, EQUITY_FEATURE]] = -1, 2
            used = squares.diagonal() > 0
            shared = _ridge(squares, self._products[members].sum(axis=0), prior, GROUP_RIDGE, used)
            for row in members:
                coefficients[row] = _ridge(self._squares[row], self._products[row], shared, ROW_RIDGE, used)
        return coefficients


def _ridge(squares: Array, products: Array, prior: Array, weight: float, used: Array) -> Array:
    """Returns the coefficients that minimise squared error + ``weight`` * |difference from ``prior``|².

    Features that are not ``used`` have coefficient 0.
    """
    found = prior.copy()
    if used.any():
        matrix = squares[np.ix_(used, used)] + weight * np.eye(int(used.sum()))
        found[used] = np.linalg.solve(matrix, products[used] + weight * prior[used])
    return found


def states_of(hand: LoggedHand) -> Iterator[tuple[ValuedState, Array]]:
    """Yields every state of a hand whose value AIVAT may need, with its features (12,) seen by the player to act."""
    own = combo_index(*hand.hole_cards[0])
    matchup = Matchup((hand.hole_cards[1][0], hand.hole_cards[1][1]))
    street = 0
    for state, _ in hand.state.replay():
        yield _seen(spot_of(state, street), matchup, own)
        if state.round > street:
            street = state.round
            matchup.deal(hand.board[: state.gamedef.board_cards_by(street)])
            if street == 1:
                spot, features = _seen(dealt_flop(state), matchup, own)
                linear = np.zeros(NUM_FEATURES)
                linear[[0, EQUITY_FEATURE]] = features[[0, EQUITY_FEATURE]]
                yield spot, linear
            yield _seen(spot_of(state, street), matchup, own)


def _seen(spot: ValuedState, matchup: Matchup, own: int) -> tuple[ValuedState, Array]:
    return spot, matchup.basis[spot.actor, :, own].copy()


def logged_hands(paths: Iterable[Path]) -> Iterator[LoggedHand]:
    """Yields the hands of all given ACPC logs.

    :raises LogError: if a log is malformed.
    """
    for path in paths:
        lines = read_log(path)
        gamedef: GameDef = find_log_gamedef(lines, path)
        verify_game(gamedef)
        for line in lines:
            if line.startswith("STATE:"):
                yield parse_log_line(line, gamedef)


def main(arguments: Sequence[str]) -> None:
    """Fits the value function to logs and writes its file.

    :param arguments: path of the output file, then paths of the logs.
    """
    out, *logs = arguments
    fit = ValueFit()
    for hand in logged_hands(map(Path, logs)):
        fit.add(hand)
    about = (
        f"Value function of AIVAT, made by python -m hedgehog.analysis.aivat.fit from {fit.hands} hands of self-play."
    )
    write_coefficients(Path(out), about, fit.solve())


if __name__ == "__main__":
    main(sys.argv[1:])
