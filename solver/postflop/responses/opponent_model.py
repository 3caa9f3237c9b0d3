"""Models of an opponent on a spot: what somebody is believed to do, for responses to it.

A model is a full strategy of one player. It is the player's strategy in a saved solve of the same board and betting
tree; or it is its equilibrium strategy with some decisions replaced by locks. A model file has these locks in the
grammar of spot files (:mod:`hedgehog.solver.postflop.locks`)::

    player: ip                # whose strategy it is; optional
    locks:
      - {line: X, strategy: {X: 0.7, B500: 0.3}}
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.kernels._block_kernels import impose_rows
from hedgehog.solver.cfr.locks import place_locks
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.responses.given_strategy import given_solution, place_rows, verify_fit, verify_hands
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import is_saved_solve, open_solution, read_saved_solve
from hedgehog.solver.postflop.spot import PLAYERS, LockEntry, PostflopSpot, parse_locks
from hedgehog.solver.postflop.tree import build_postflop_tree


@dataclass(frozen=True, slots=True)
class OpponentModel:
    """What a player is believed to do. Decisions without a lock are those of ``solve``, or the equilibrium's."""

    locks: tuple[Lock, ...] = ()
    solve: PostflopSolution | None = None


class _ModelFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    player: Literal["oop", "ip"] | None = None
    locks: tuple[LockEntry, ...]


def read_model(path: Path, spot: PostflopSpot, player: int) -> OpponentModel:
    """Returns the model of a player: a model file, or the folder of a saved solve.

    :param spot: the spot for which the model is meant.
    :param player: whose model it is, 0 for OOP.
    :raises InputError: if there is no such file or folder, or it does not fit the spot; the message has file and line.
    """
    if path.is_dir():
        if not is_saved_solve(path):
            raise SpotError("expected a model file, or the folder of a saved solve", source=str(path))
        solve = open_solution(read_saved_solve(path))
        with _about_model():
            verify_fit(given_solution(solve), build_postflop_tree(spot.tree), spot.board)
            verify_hands(given_solution(solve), spot.live_range(player), player)
        return OpponentModel(solve=solve)
    config = read_config(path, _ModelFile, SpotError, "a model")
    file = config.model
    if file.player is not None and file.player != PLAYERS[player]:
        raise config.fail(("player",), f"expected a model of {PLAYERS[player]}, got one of {file.player}")
    if not file.locks:
        raise config.fail(("locks",), "expected at least one lock")
    tree = build_postflop_tree(spot.tree)
    ranges = (spot.live_range(0), spot.live_range(1))
    locks = tuple(parse_locks(config, file.locks, tree, spot.board, ranges))
    own = prepare(replace(spot, locks=locks, abstraction="", tremble=None)).locks
    for index, lock in enumerate(own):
        if tree.player[lock.node] != player:
            raise config.fail(("locks", str(index), "line"), f"here acts {PLAYERS[1 - player]}, not {PLAYERS[player]}")
    return OpponentModel(locks)


def prepare_for_model(spot: PostflopSpot, model: OpponentModel) -> tuple[PreparedSpot, PreparedSpot]:
    """Returns the spot in which everybody plays freely, and the same spot with the model's locks.

    Both have the same cards and layout. Suits and cards that the locks treat differently are not merged.

    :raises SpotError: if a lock does not fit the spot, or the spot has a hand abstraction or trembles.
    """
    if spot.abstraction:
        raise SpotError("a response to a model needs a spot without hand abstraction")
    if spot.tremble is not None:
        raise SpotError("a response to a model needs a spot without the key 'tremble'")
    wanted = replace(spot, locks=(*model.locks, *spot.locks))
    locked = prepare(wanted)
    if model.solve is not None and not _same_cards(locked, model.solve.spot):
        # What is merged here may be played differently in the model.
        locked = prepare(wanted, isomorphism=False, merge_cards=False)
    return replace(locked, locks=locked.locks[len(model.locks) :]), replace(
        locked, locks=locked.locks[: len(model.locks)]
    )


def _same_cards(one: PreparedSpot, other: PreparedSpot) -> bool:
    """Returns whether two spots deal the same boards and keep the same hands."""
    a, b = one.cards.runouts, other.cards.runouts
    pairs = ((one.cards.hand_of, other.cards.hand_of), (a.turn_of, b.turn_of), (a.river_of, b.river_of))
    return all(np.array_equal(*pair) for pair in pairs)


def model_rows(
    model: OpponentModel, equilibrium: PostflopSolution, locked: PreparedSpot, player: int
) -> NDArray[np.float32]:
    """Returns the weights of a player's actions in a model, float32, flat in the order of the spot's layout.

    :param equilibrium: the solution of the spot in which everybody plays freely.
    :param locked: the spot with the model's locks (:func:`prepare_for_model`).
    :param player: whose model it is, 0 for OOP.
    :raises SpotError: if the model's solve is of another board or betting tree, or lacks a hand.
    """
    if model.solve is not None:
        with _about_model():
            return place_rows(locked, given_solution(model.solve), player)
    rows = np.ascontiguousarray(equilibrium.averages[player], dtype=np.float32).copy()
    placed = place_locks(locked.game, locked.tree, locked.layout, locked.board_locks)[player]
    if placed.rows.size:
        impose_rows(*placed, rows, rows)
    return rows


@contextmanager
def _about_model() -> Iterator[None]:
    """Says in messages that the model is what does not fit."""
    try:
        yield
    except SpotError as error:
        raise SpotError(f"the model {error.message}") from None
