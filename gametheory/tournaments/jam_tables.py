"""Strategies of a jam/fold tournament for all stacks as arrays, and the files that keep them.

The arrays hold the equilibrium of the alternating tournament
(:func:`hedgehog.gametheory.tournaments.jam_fold.solve_tournament`), and the strategies and values of the bound
(:func:`hedgehog.gametheory.tournaments.jam_fold.solve_bound`). A player needs the former, and of the latter the replies
to limps and small raises.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from hedgehog.gametheory.tournaments.freeze_out import OPPONENTS, exact_freeze_outs
from hedgehog.gametheory.tournaments.jam_fold import (
    Bound,
    Stage,
    Structure,
    Tournament,
    small_blind_outcomes,
    solve_bound,
    solve_tournament,
)
from hedgehog.gametheory.tournaments.jam_stages import HandTables
from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.errors import GameError
from hedgehog.runtime.input_files import open_input

_STRATEGIES: Final = ("jam", "call", "over_limp", "bound_jam")
_NUMBERS: Final = ("values", "exact", "bound_values")


@dataclass(frozen=True, slots=True)
class JamTables:
    """What a player of the tournament does with every stack and hand class, and what it wins."""

    structure: Structure
    values: Floats
    """float64 (stacks): probability that the player in the small blind with a stack wins."""
    jam: Floats
    """float64 (stacks, classes): probability that the small blind with a stack jams; NaN where it has no decision."""
    call: Floats
    """float64 (stacks, classes): probability that the big blind with a stack calls a jam; NaN without a decision."""
    over_limp: Floats
    """float64 (stacks, classes): probability that the big blind with a stack jams over a limp or a smaller raise; NaN
    where it has no decision."""
    exact: Floats
    """float64 (opponents, 2, stacks): probability to win against each of
    :data:`hedgehog.gametheory.tournaments.freeze_out.OPPONENTS` with the first button and without it, by the player's
    stack."""
    bound_jam: Floats
    """float64 (stacks, classes): probability that the small blind with a stack jams in the bound; NaN where it has no
    decision."""
    bound_values: Floats
    """float64 (2, stacks): probability that the player of the bound wins at least, in the small and in the big blind
    with a stack."""

    def rows(self, small_blind: float, big_blind: float) -> tuple[Floats, Floats, Floats]:
        """Returns the probabilities to jam, to call a jam and to jam over a limp, each float64 (classes).

        A stack between two of the table takes the nearest one with a decision.

        :param small_blind: chips of the player in the small blind before the hand.
        :param big_blind: chips of the player in the big blind before the hand.
        """
        jam, call, over_limp = (
            _nearest(self, rows, stack)
            for rows, stack in ((self.jam, small_blind), (self.call, big_blind), (self.over_limp, big_blind))
        )
        return jam, call, over_limp

    def exact_wins(self, opponent: str, stack: int) -> tuple[float, float] | None:
        """Returns the exact chances against an opponent with and without the first button; None if not known.

        :param opponent: name of the opponent.
        :param stack: the player's chips before the first hand.
        """
        if opponent not in OPPONENTS or stack not in self.structure.stacks:
            return None
        first, second = self.exact[OPPONENTS.index(opponent), :, self.structure.stacks.index(stack)].tolist()
        return first, second

    def tournament(self, hands: HandTables) -> Tournament:
        """Returns the alternating tournament as if it had just been solved.

        :param hands: hand classes (:func:`hedgehog.gametheory.tournaments.jam_stages.hand_tables`).
        """
        stages = {}
        for index, stack in enumerate(self.structure.stacks):
            jam = _decided(self.jam[index])
            call = _decided(self.call[-1 - index])  # of the other stack
            after = small_blind_outcomes(hands, self.structure, stack, jam, call)
            stages[stack] = Stage(float(self.values[index]), jam, call, after)
        return Tournament(self.structure, stages, rounds=0)

    def bound(self) -> Bound:
        """Returns the values and the hero's strategies of the bound, without those of the opponent."""
        small, big = (
            {
                stack: Stage(float(value), _decided(row), None, {})
                for stack, value, row in zip(self.structure.stacks, values, rows, strict=True)
            }
            for values, rows in zip(self.bound_values, (self.bound_jam, self.over_limp), strict=True)
        )
        return Bound(self.structure, small, big, rounds=0)


def _decided(row: Floats) -> Floats | None:
    return None if np.isnan(row[0]) else row


def _nearest(tables: JamTables, rows: Floats, stack: float) -> Floats:
    stacks = np.asarray(tables.structure.stacks)
    known = np.flatnonzero(~np.isnan(rows[:, 0]))
    return np.asarray(rows[known[np.abs(stacks[known] - stack).argmin()]])


def solve_jam_tables(
    tables: HandTables, structure: Structure, *, report: Callable[[str, int, int, int], None] | None = None
) -> JamTables:
    """Returns the strategies of a tournament, which takes a minute or two with 160 stacks.

    :param report: called with the name of the model, the round, the stages done in it and their number.
    :raises GameError: if the models do not converge.
    """

    def tell(model: str) -> Callable[[int, int, int], None] | None:
        return None if report is None else lambda number, done, count: report(model, number, done, count)

    tournament = solve_tournament(tables, structure, report=tell("alternating"))
    bound = solve_bound(tables, structure, report=tell("bound"))
    stacks, total = structure.stacks, structure.total

    def rows(stages: Callable[[int], Stage], reply: bool = False) -> Floats:
        nothing = np.full(len(tables.weights), np.nan)
        found = [one.reply if reply else one.jam for one in map(stages, stacks)]
        return np.stack([nothing if one is None else one for one in found])

    return JamTables(
        structure,
        np.array([tournament.value(stack) for stack in stacks]),
        rows(tournament.stages.__getitem__),
        rows(lambda own: tournament.stages[total - own], reply=True),
        rows(bound.big.__getitem__),
        np.clip([exact_freeze_outs(tables, tournament, one, bound=bound).wins for one in OPPONENTS], 0.0, 1.0),
        rows(bound.small.__getitem__),
        np.array([[seat[stack].value for stack in stacks] for seat in (bound.small, bound.big)]),
    )


def write_jam_tables(file: BinaryIO, tables: JamTables) -> None:
    """Writes strategies to a file that :func:`read_jam_tables` reads."""
    shape = tables.structure
    np.savez_compressed(
        file,
        structure=np.array([shape.total, shape.small, shape.big, shape.step], dtype=np.int64),
        **{name: getattr(tables, name) for name in (*_NUMBERS, *_STRATEGIES)},
    )


def read_jam_tables(path: Path) -> JamTables:
    """Returns the strategies of a file.

    :raises GameError: if the file is missing, damaged or of another kind.
    """
    try:
        with open_input(path) as file, np.load(file, allow_pickle=False) as found:
            arrays: dict[str, Any] = {name: found[name] for name in ("structure", *_NUMBERS, *_STRATEGIES)}
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise GameError(f"is no table of jam/fold strategies ({error})", source=str(path)) from error
    if arrays["structure"].shape != (4,) or arrays["structure"].dtype != np.int64:
        raise GameError("is no table of jam/fold strategies", source=str(path))
    structure = Structure(*arrays.pop("structure").tolist())
    count = len(structure.stacks)
    classes = arrays["jam"].shape[-1] if arrays["jam"].ndim else 0
    shapes = {"values": (count,), "exact": (len(OPPONENTS), 2, count), "bound_values": (2, count)}
    for name, array in arrays.items():
        valid = (array >= 0) & (array <= 1) | (np.isnan(array).all(axis=-1, keepdims=True) & (name in _STRATEGIES))
        if array.shape != shapes.get(name, (count, classes)) or array.dtype != np.float64 or not valid.all():
            raise GameError(f"is no table of jam/fold strategies: {name!r} is damaged", source=str(path))
    return JamTables(structure, **arrays)
