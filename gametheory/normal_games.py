"""Games in normal form: payoff tables, maximin strategies by linear programming, pure equilibria."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehog.gametheory.linear_programs import TOLERANCE, minimise, without_dust
from hedgehog.gametheory.tree import ExtensiveGame, Floats
from hedgehog.runtime.errors import GameError

MAX_CELLS: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class NormalForm:
    """A game in normal form. :func:`matrix_game`, :func:`normal_form_game` and :func:`normal_form` make it."""

    players: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    """Names of each player's actions."""
    payoffs: Floats
    """float64[players, actions of player 1, actions of player 2, ...]."""

    @property
    def is_zero_sum(self) -> bool:
        """Whether the payoffs of every cell add up to 0 (to 1e-9 of the largest payoff)."""
        largest = np.abs(self.payoffs).max(initial=0.0) or 1.0
        return bool(np.abs(self.payoffs.sum(axis=0)).max(initial=0.0) <= 1e-9 * largest)

    @property
    def matrix(self) -> Floats:
        """float64[rows, columns]: player 1's payoffs in a game of two players."""
        if len(self.players) != 2:
            raise GameError(f"expected a game of two players, got {len(self.players)}")
        return np.asarray(self.payoffs[0])

    def keep(self, kept: Sequence[Sequence[int]]) -> NormalForm:
        """Returns the game with some of the actions.

        :param kept: numbers of each player's remaining actions.
        """
        actions = tuple(tuple(names[i] for i in rows) for names, rows in zip(self.actions, kept, strict=True))
        return NormalForm(self.players, actions, self.payoffs[np.ix_(range(len(self.players)), *kept)])


class MatrixSolution(NamedTuple):
    """Maximin strategies of both players of a matrix game."""

    value: float
    """Player 1's expected payoff."""
    row: Floats
    """Probabilities of player 1's actions."""
    column: Floats
    """Probabilities of player 2's actions."""
    gap: float
    """Difference between the values of the two players' linear programs."""


def matrix_game(
    payoffs: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    players: tuple[str, str] = ("p1", "p2"),
) -> NormalForm:
    """Returns the zero-sum game of a matrix.

    :param payoffs: (rows, columns) payoffs of player 1, who chooses the row.
    :param rows: names of the rows; numbers from 1 by default.
    :param columns: names of the columns; numbers from 1 by default.
    :raises GameError: if the payoffs are not a matrix of finite numbers.
    """
    matrix = _numbers(payoffs)
    if matrix.ndim != 2:
        raise GameError(f"expected a matrix of payoffs, got {matrix.ndim} dimensions")
    return normal_form_game(np.stack([matrix, -matrix]), [rows, columns], players=players)


def normal_form_game(
    payoffs: ArrayLike, actions: Sequence[Sequence[str] | None] | None = None, *, players: Sequence[str] | None = None
) -> NormalForm:
    """Returns a game of n players.

    :param payoffs: (n, actions of player 1, ..., actions of player n).
    :param actions: names of each player's actions; numbers from 1 by default.
    :param players: names of the players; ``p1``, ``p2``, ... by default.
    :raises GameError: if shapes or names do not fit, or a payoff is not finite.
    """
    table = _numbers(payoffs)
    count = table.shape[0] if table.ndim else 0
    if count < 1 or table.ndim != count + 1 or 0 in table.shape:
        raise GameError(f"expected payoffs of shape (n, actions of each of n players), got {table.shape}")
    names = tuple(players) if players is not None else tuple(f"p{i + 1}" for i in range(count))
    given = actions if actions is not None else [None] * count
    if len(names) != count or len(given) != count:
        raise GameError(f"expected names and actions of {count} players")
    filled = tuple(
        tuple(of_player) if of_player is not None else tuple(str(i + 1) for i in range(size))
        for of_player, size in zip(given, table.shape[1:], strict=True)
    )
    for name, of_player, size in zip(names, filled, table.shape[1:], strict=True):
        if len(of_player) != size or len(set(of_player)) != size:
            raise GameError(f"expected {size} different names of the actions of {name!r}, got {list(of_player)}")
    return NormalForm(names, filled, table)


def _numbers(payoffs: ArrayLike) -> Floats:
    try:
        table = np.array(payoffs, dtype=np.float64)
    except (TypeError, ValueError):
        raise GameError("expected payoffs that are numbers, with rows of equal length") from None
    if not np.isfinite(table).all():
        raise GameError("expected finite payoffs")
    return table


def solve_matrix(game: NormalForm | ArrayLike) -> MatrixSolution:
    """Returns maximin strategies of a zero-sum game of two players, one linear program for each player.

    The value is unique; the strategies need not be.

    :param game: a normal form, or player 1's payoffs.
    :raises GameError: if the game is not zero-sum or has not two players.
    """
    form = game if isinstance(game, NormalForm) else matrix_game(game)
    if not form.is_zero_sum:
        raise GameError(
            "expected a zero-sum game: the maximin strategies of other games are no equilibrium."
            " 'hedgehog game evaluate' rates strategies for them; equilibria may differ in what they pay"
        )
    scale = float(np.abs(form.matrix).max(initial=0.0)) or 1.0
    matrix = form.matrix / scale
    row, low = maximin(matrix)
    column, high = maximin(-matrix.T)
    gap = abs(low + high) * scale
    if gap > TOLERANCE * scale:
        raise GameError(f"the linear programs of the two players differ by {gap:g}")
    return MatrixSolution(low * scale + 0.0, row, column, gap)


def maximin(matrix: Floats) -> tuple[Floats, float]:
    """Returns the mixture of rows with the highest guaranteed payoff, and that payoff."""
    rows, columns = matrix.shape
    cost = np.append(np.zeros(rows), -1.0)
    at_most = np.hstack([-matrix.T, np.ones((columns, 1))])
    equal = np.append(np.ones(rows), 0.0)[None]
    found, cost_found = minimise(
        cost, at_most=(at_most, np.zeros(columns)), equal=(equal, np.ones(1)), free=slice(rows, None)
    )
    mixture = without_dust(found[:rows])
    return mixture / mixture.sum(), -cost_found


def pure_equilibria(game: NormalForm) -> list[tuple[int, ...]]:
    """Returns the cells from which no player gains by another action, as numbers of the actions."""
    best = np.ones(game.payoffs.shape[1:], dtype=np.bool_)
    for player, payoffs in enumerate(game.payoffs):
        best &= payoffs >= payoffs.max(axis=player, keepdims=True) - TOLERANCE
    return [tuple(int(i) for i in cell) for cell in np.argwhere(best)]


def count_pure_strategies(game: ExtensiveGame, player: int, *, reduced: bool = True) -> int:
    """Returns how many strategies :func:`pure_strategies` would list, without listing them."""
    side = game.sequences[player]
    actions = [len(game.infosets[number].actions) for number in side.infosets]
    if not reduced:
        return prod(actions)
    behind = [1] * side.number  # sequence -> ways to choose at the information sets that follow it
    for row in reversed(range(len(actions))):
        first = int(side.first[row])
        behind[int(side.incoming[row])] *= sum(behind[first : first + actions[row]])
    return behind[0]


def pure_strategies(
    game: ExtensiveGame, player: int, *, reduced: bool = True
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Returns the pure strategies of a player: int64[strategies, sequences] realisation weights, and their names.

    :param reduced: True leaves out choices at information sets that the player's own earlier actions exclude; False
        lists every combination of choices.
    :raises GameError: if there are more than 40 million divided by the number of the player's sequences.
    """
    _count_listed(game, player, reduced)
    side = game.sequences[player]
    found: list[tuple[list[int], list[str]]] = [([0], [])]
    for row, number in enumerate(side.infosets):
        infoset = game.infosets[number]
        first = int(side.first[row])
        grown = []
        for ones, names in found:
            reached = int(side.incoming[row]) in ones
            if reached or not reduced:
                for index, action in enumerate(infoset.actions):
                    grown.append((ones + [first + index] * reached, [*names, f"{infoset.name}: {action}"]))
            else:
                grown.append((ones, names))
        found = grown
    weights = np.zeros((len(found), side.number), dtype=np.int64)
    for line, (ones, _) in zip(weights, found, strict=True):
        line[ones] = 1
    return weights, tuple(", ".join(names) or "(nothing)" for _, names in found)


def _count_listed(game: ExtensiveGame, player: int, reduced: bool) -> int:
    """Returns the number of a player's pure strategies; GameError if they are too many to list."""
    count = count_pure_strategies(game, player, reduced=reduced)
    if count * game.sequences[player].number > 20 * MAX_CELLS:
        raise GameError(f"game {game.name!r}: {game.players[player]!r} has too many pure strategies to list")
    return count


def normal_form(game: ExtensiveGame, *, reduced: bool = True) -> NormalForm:
    """Returns the normal form of an extensive game. A cell is the expectation over chance.

    :param reduced: whether choices that own earlier actions exclude are left out of pure strategies.
    :raises GameError: if the table would have more than two million cells.
    """
    shape = tuple(_count_listed(game, player, reduced) for player in range(len(game.players)))
    if prod(shape) > MAX_CELLS:
        size = " x ".join(map(str, shape))
        raise GameError(f"game {game.name!r}: a normal form of {size} cells is too large; use the sequence form")
    listed = [pure_strategies(game, player, reduced=reduced) for player in range(len(game.players))]
    payoffs = np.zeros((len(game.players), *shape))
    if len(game.players) == 2:
        for player in (0, 1):
            table = np.zeros((game.sequences[0].number, game.sequences[1].number))
            np.add.at(table, tuple(game.leaf_sequence), game.leaf_chance * game.payoffs[:, player])
            payoffs[player] = listed[0][0] @ table @ listed[1][0].T
    else:
        for leaf, chance in enumerate(game.leaf_chance):
            reach = np.ones(())
            for player, (weights, _) in enumerate(listed):
                reach = np.multiply.outer(reach, weights[:, game.leaf_sequence[player, leaf]])
            payoffs += chance * np.multiply.outer(game.payoffs[leaf], reach)
    actions = tuple(_different(names) for _, names in listed)
    return NormalForm(game.players, actions, payoffs)


def _different(names: tuple[str, ...]) -> tuple[str, ...]:
    return names if len(set(names)) == len(names) else tuple(f"{name} ({i + 1})" for i, name in enumerate(names))
