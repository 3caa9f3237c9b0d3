"""The sequence form: extensive games of two players with constant sum, solved by linear programs of the tree's size.

The method is that of Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees"
(1994). Exact solutions are accepted only if the values of both players' programs agree and the best responses gain
nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array, hstack
from scipy.sparse.linalg import spsolve

from hedgehog.gametheory.linear_programs import TOLERANCE, minimise, without_dust
from hedgehog.gametheory.strategies import behaviour_of, gains
from hedgehog.gametheory.tree import ExtensiveGame, Floats
from hedgehog.runtime.errors import GameError, MemoryShortageError
from hedgehog.runtime.machine import available_memory

BEST_RESPONSE_TOLERANCE: Final = 1e-8
_BYTES_PER_ENTRY: Final = 1_500
"""Assumed memory of scipy and HiGHS per entry of the program: a generous guess that has not been measured."""


class SequenceFormSolution(NamedTuple):
    """An equilibrium of a game of two players with constant sum."""

    value: float
    """Player 1's expected payoff in equilibrium."""
    profile: tuple[Floats, Floats]
    """Behaviour strategies of both players (:mod:`hedgehog.gametheory.strategies`)."""
    gap: float
    """Difference between the values of the two players' linear programs."""
    gains: tuple[float, float]
    """What each player gains by a best response."""


def payoff_matrix(game: ExtensiveGame) -> csr_array:
    """Returns (sequences of player 1, of player 2): chance probability times player 1's payoff, summed over leaves.

    :raises GameError: if the game has not two players.
    """
    if len(game.players) != 2:
        raise GameError(f"game {game.name!r} has {len(game.players)} players: expected two")
    shape = (game.sequences[0].number, game.sequences[1].number)
    return csr_array((game.leaf_chance * game.payoffs[:, 0], tuple(game.leaf_sequence)), shape=shape)


def plan_constraints(game: ExtensiveGame, player: int) -> tuple[csr_array, Floats]:
    """Returns the equations of a player's realisation plans: a matrix (information sets + 1, sequences), right side."""
    side = game.sequences[player]
    number = np.arange(len(side.first))
    rows = np.concatenate([[0], 1 + np.repeat(number, side.size), 1 + number])
    columns = np.concatenate([[0], np.arange(1, side.number), side.incoming])
    data = np.concatenate([np.ones(side.number), -np.ones(len(number))])
    right = np.zeros(len(number) + 1)
    right[0] = 1.0
    return csr_array((data, (rows, columns)), shape=(len(right), side.number)), right


def estimate_bytes(game: ExtensiveGame) -> int:
    """Returns the memory that :func:`solve_sequence_form` needs, in bytes, from the numbers of leaves and sequences."""
    return _BYTES_PER_ENTRY * (len(game.leaves) + 4 * sum(side.number for side in game.sequences))


def solve_sequence_form(game: ExtensiveGame, *, tremble: float = 0.0) -> SequenceFormSolution:
    """Returns an equilibrium by one linear program for each player.

    :param tremble: least probability of every action; the value then moves by as much as the tremble allows.
    :raises GameError: if the game has not two players with a constant sum, the tremble is too large, or the solutions
        are not exact enough.
    :raises MemoryShortageError: if the programs need more memory than is free.
    """
    total = game.constant_sum()
    if len(game.players) != 2 or total is None:
        what = f"{len(game.players)} players" if len(game.players) != 2 else "no constant sum"
        raise GameError(
            f"game {game.name!r} has {what}: linear programs solve games of two players with a constant sum alone."
            " --method cfr tries (no guarantee), --method induction needs perfect information, and"
            " 'hedgehog game evaluate' rates strategies; equilibria may differ in what they pay"
        )
    matrix = payoff_matrix(game)
    most = max((int(side.size.max(initial=1)) for side in game.sequences), default=1)
    if not 0 <= tremble * most <= 1:
        raise GameError(f"expected a tremble from 0 to {1 / most:g}, got {tremble:g}")
    if (needed := estimate_bytes(game)) > (free := available_memory()):
        raise MemoryShortageError(needed, free)
    # A constant in every payoff changes nothing but the value; without it duality is exact to rounding.
    scale = game.scale
    first, own = plan_constraints(game, 0)
    second, other = plan_constraints(game, 1)
    one, two = _floor(game, 0, tremble), _floor(game, 1, tremble)
    reduced = csr_array(one.T @ (matrix / scale) @ two)
    plan, low = _maximin(reduced, first @ one, own, second @ two, other)
    reply, high = _maximin(csr_array(-reduced.T), second @ two, other, first @ one, own)
    profile = (
        behaviour_of(game, 0, without_dust(one @ plan)),
        behaviour_of(game, 1, without_dust(two @ reply)),
    )
    gained = gains(game, profile)
    gap = abs(low + high) * scale
    if gap > TOLERANCE * scale or (tremble == 0 and gained.max() > BEST_RESPONSE_TOLERANCE * scale):
        raise GameError(
            f"game {game.name!r}: the linear programs are not exact enough: their values differ by {gap:g}, best"
            f" responses gain {gained.max():g}"
        )
    return SequenceFormSolution(low * scale + 0.0, profile, gap, (float(gained[0]), float(gained[1])))


def _floor(game: ExtensiveGame, player: int, tremble: float) -> csr_array:
    """Returns the matrix T with x = T z, where x(sa) = z(sa) + tremble x(s) for every sequence sa."""
    side = game.sequences[player]
    if tremble == 0:
        return csr_array(eye_array(side.number))
    number = np.arange(1, side.number)
    step = csc_array((np.ones(len(number)), (number, side.parent[1:])), shape=(side.number, side.number))
    identity = csc_array(eye_array(side.number))
    return csr_array(spsolve(csc_array(identity - tremble * step), identity))


def _maximin(
    payoffs: csr_array, own: csr_array, own_right: Floats, other: csr_array, other_right: Floats
) -> tuple[Floats, float]:
    """Returns the plan with the highest guaranteed payoff: max f'q with E x = e and F'q <= A'x."""
    count, duals = payoffs.shape[0], len(other_right)
    at_most = hstack([-payoffs.T, other.T])
    equal = hstack([own, csr_array((len(own_right), duals))])
    cost = np.concatenate([np.zeros(count), -other_right])
    found, least = minimise(
        cost,
        at_most=(at_most, np.zeros(at_most.shape[0])),
        equal=(equal, own_right),
        free=slice(count, None),
    )
    return found[:count], -least
