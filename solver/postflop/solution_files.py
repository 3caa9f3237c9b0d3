"""Saved solves: the whole state of a solver, which can be continued, or the average strategies in 8 bits, to look at.

Both kinds are packs (:mod:`hedgehog.strategies.pack`) whose manifest holds the text of the spot file. The kind
``solve`` has all arrays of :meth:`PostflopSolver.state`. The kind ``strategy`` has ``average_oop`` and ``average_ip``
as bytes, which sum to 255 over the actions of a decision and hand. Solves from the flop or turn on also have
``evs_oop`` and
``evs_ip``, the EVs on the root's street (:meth:`PostflopSolution.root_street_evs`), so that no question needs the whole
game in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import InputError, PackError, SpotError
from hedgehog.runtime.outputs import FolderKind
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.cfr.array_types import Stored
from hedgehog.solver.cfr.layout import board_block
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot
from hedgehog.strategies.manifest import FORMAT_VERSION, MANIFEST_NAME, PackManifest, Provenance, read_manifest
from hedgehog.strategies.pack import Parts, StrategyPack, open_pack, update_pack
from hedgehog.strategies.provenance import provenance
from hedgehog.strategies.quantize import SCALE, quantize_rows
from hedgehog.strategies.soundness import verify_finite, verify_rows, verify_weights

_PLAYERS: Final = ("oop", "ip")
_VIEWED: Final = [f"{name}_{player}" for name in ("average", "evs") for player in _PLAYERS]
_BLOCKS_AT_ONCE: Final = 8
Kind = Literal["solve", "strategy"]

SOLVE_FOLDER: Final = FolderKind(
    "a saved solve",
    (
        MANIFEST_NAME,
        *(
            f"{name}_{player}-[ab].npy"
            for name in ("average", "regret", "base", "losses", "evs")
            for player in _PLAYERS
        ),
    ),
)
"""The files that :func:`save_solve` and :func:`save_strategy` write."""


class _Config(BaseModel):
    """The manifest's ``config``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    spot: str
    """Text of the spot file."""
    algorithm: str
    storage: Literal["f32", "f16"]
    iterations: int = Field(ge=0)
    seconds: float = Field(ge=0, allow_inf_nan=False)


class _Quality(BaseModel):
    """The manifest's ``quality``; see :class:`~hedgehog.solver.postflop.solver.Exploitability`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    exploitability_chips: float
    exploitability_pct_pot: float
    best_response_ev_minus_half_pot: tuple[float, float]
    ev_minus_half_pot: tuple[float, float]
    abstract_exploitability_pct_pot: float | None = None


@dataclass(frozen=True, slots=True)
class SavedSolve:
    """The manifest of a saved solve. Its arrays have not been read."""

    folder: Path
    """Folder of the saved solve."""
    kind: Kind
    """``solve`` for the whole state, ``strategy`` for average strategies in 8 bits."""
    spot: PostflopSpot
    """The spot that was solved."""
    algorithm: str
    """Text of the algorithm (:mod:`hedgehog.solver.cfr.algorithms`)."""
    storage: Storage
    """Precision of regrets and averages in the solver, ``f32`` or ``f16``."""
    iterations: int
    """Number of iterations so far."""
    seconds: float
    """Time of all iterations so far, in seconds."""
    found: Exploitability
    """Exploitability of the saved strategies."""
    made_by: Provenance
    """The program and machine that saved it."""


class StoredSolution(PostflopSolution):
    """Average strategies on disk. They answer the same questions as a solver without its memory."""

    def __init__(
        self,
        spot: PreparedSpot,
        averages: tuple[Stored, Stored],
        evs: Sequence[NDArray[np.float32]],
        iterations: int,
    ) -> None:
        """Makes a solution of arrays in the spot's layout.

        :param spot: the spot, with cards merged as in the solver.
        :param averages: averages of OOP and IP, flat.
        :param evs: float32[lines, hands] EVs of OOP and IP on the root's street; empty for a spot on the river, whose
            EVs are quickly computed.
        :param iterations: number of iterations that led to the averages.
        :raises SpotError: if an array has another shape than the spot's layout.
        """
        super().__init__(spot)
        self._averages = averages
        self._root_evs = evs
        self._iterations = iterations
        lines = len(spot.layout.forests[0].nodes)
        shapes = [*((size,) for size in spot.layout.sizes), *((lines, len(hands)) for hands in spot.game.hands)]
        for name, array, expected in zip(_VIEWED, (*averages, *evs), shapes, strict=False):
            if array.shape != expected:
                raise SpotError(f"{name!r} has the shape {list(array.shape)}, the spot needs {list(expected)}")

    @property
    def iterations(self) -> int:
        return self._iterations

    def _stored(self, *, current: bool) -> tuple[Stored, Stored]:
        if current:
            raise SpotError("only average strategies can be asked for on disk")
        return self._averages

    def node_values(self, node: int = 0, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        level, _, _ = self.spot.locate(node, dealt)
        if level > 0 or not self._root_evs:
            return super().node_values(node, dealt)
        slot = int(self.spot.slots[0][node])
        values = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
        for player in (0, 1):
            values[player, self.spot.combos[player]] = self._root_evs[player][slot, self.spot.hands[player]]
        return values


def save_solve(
    folder: str | Path,
    solver: PostflopSolver,
    spot: PostflopSpot,
    found: Exploitability | None = None,
    seconds: float = 0.0,
    made: Provenance | None = None,
) -> None:
    """Writes the whole state of a solve into a folder, replacing an older saved solve there.

    The older solve stays valid until the new one is complete.

    :param folder: where to write; it is created, or holds an older saved solve.
    :param solver: the solver with its regrets, from which the solve can go on.
    :param spot: the spot being solved, read from a spot file.
    :param found: exploitability of the present strategies; None computes it.
    :param seconds: time of all iterations so far.
    :param made: the program and machine that made the solve; None describes this process.
    :raises SpotError: if the spot is not from a spot file.
    :raises ResourceError: if the solve cannot be written.
    """
    _write(folder, "solve", solver, spot, found, seconds, made, solver.state())


def save_strategy(
    folder: str | Path,
    solver: PostflopSolver,
    spot: PostflopSpot,
    found: Exploitability | None = None,
    seconds: float = 0.0,
    made: Provenance | None = None,
) -> None:
    """Writes the average strategies of a solve in 8 bits per action into a folder.

    An older saved solve there is replaced, and stays valid until the new one is complete.

    :param spot: the spot being solved, read from a spot file.
    :param found: exploitability of the present strategies; None computes it.
    :param seconds: time of all iterations so far.
    :param made: the program and machine that made the solve; None describes this process.
    :raises SpotError: if the spot is not from a spot file.
    :raises ResourceError: if the strategies cannot be written.
    """
    sizes = solver.spot.layout.sizes
    arrays = {
        f"average_{name}": Parts("|u1", sizes[player], _quantized(solver, player))
        for player, name in enumerate(_PLAYERS)
    }
    _write(folder, "strategy", solver, spot, found, seconds, made, arrays)


def state_bytes(solver: PostflopSolver) -> int:
    """Returns the size in bytes of the arrays of a solver's state, most of what :func:`save_solve` writes."""
    return sum(array.nbytes for array in solver.state().values())


def _write(
    folder: str | Path,
    kind: Kind,
    solver: PostflopSolver,
    spot: PostflopSpot,
    found: Exploitability | None,
    seconds: float,
    made: Provenance | None,
    arrays: dict[str, Any],
) -> None:
    if not spot.text:
        raise SpotError("only a spot that was read from a spot file can be saved")
    found = solver.exploitability() if found is None else found
    config: dict[str, Any] = {
        "spot": spot.text,
        "algorithm": str(solver.algorithm),
        "storage": solver.storage,
        "iterations": solver.iterations,
        "seconds": float(seconds),
    }
    quality = {
        "exploitability_chips": float(found.exploitability),
        "exploitability_pct_pot": float(found.pct_pot),
        "best_response_ev_minus_half_pot": [float(value) for value in found.best_response_ev_minus_half_pot],
        "ev_minus_half_pot": [float(value) for value in found.ev_minus_half_pot],
    }
    if found.abstract_pct_pot is not None:
        quality["abstract_exploitability_pct_pot"] = float(found.abstract_pct_pot)
    manifest = PackManifest(
        format="hedgehog-strategy-pack",
        format_version=FORMAT_VERSION,
        kind=kind,
        name=re.sub(r"[^A-Za-z0-9_.-]", "_", spot.name)[:80] or "spot",
        tier="u8" if kind == "strategy" else solver.storage,
        gamedef="",
        provenance=made or provenance(),
        config=config,
        quality=quality,
        arrays={},
    )
    if solver.tree.street[0] < RIVER:
        for player, evs in zip(_PLAYERS, solver.root_street_evs(), strict=True):
            arrays = arrays | {f"evs_{player}": evs.astype("<f4")}
    update_pack(folder, manifest, arrays)


def _quantized(solver: PostflopSolver, player: int) -> Iterator[NDArray[np.uint8]]:
    """Yields a player's averages board by board as bytes that sum to 255 per decision and hand."""
    tree, layout, game = solver.tree, solver.spot.layout, solver.spot.game
    for level, forest in enumerate(layout.forests):
        slots = np.flatnonzero((forest.row >= 0) & (tree.player[forest.nodes] == player))
        counts = tree.num_children[forest.nodes[slots]]
        # Decisions with equally many actions go together: (decisions, actions) row numbers.
        groups = [forest.row[slots[counts == k]][:, None] + np.arange(k) for k in np.unique(counts)]
        for board in range(game.num_boards(level)):
            block = board_block(game, layout, solver.averages[player], level, board, player)
            found = np.empty(block.shape, dtype=np.uint8)
            # A few blocks of hands at a time: rounding takes many times the memory of what is rounded.
            for start in range(0, len(block), _BLOCKS_AT_ONCE):
                part = block[start : start + _BLOCKS_AT_ONCE]
                for rows in groups:
                    by_action = np.moveaxis(part[:, rows], 2, 3).astype(np.float32)
                    rounded = quantize_rows(np.maximum(by_action, 0))
                    found[start : start + len(part), rows] = np.moveaxis(rounded, 3, 2)
            yield found


def is_saved_solve(folder: Path) -> bool:
    """Returns whether a folder holds a pack manifest. Its kind and contents are not checked."""
    try:
        return (folder / MANIFEST_NAME).is_file()
    except (OSError, ValueError):  # the name is too long, or holds a null character
        return False


def read_saved_solve(folder: str | Path) -> SavedSolve:
    """Returns the contents of a saved solve's manifest. The arrays are not read.

    :param folder: the folder in which :func:`save_solve` wrote.
    :raises PackError: if the folder holds no saved solve, or its manifest is damaged, edited or of another version.
    """
    folder = Path(folder)
    if not is_saved_solve(folder):
        raise PackError(f"no saved solve here: {MANIFEST_NAME} is missing", source=str(folder))
    manifest = read_manifest(folder)
    source = str(folder / MANIFEST_NAME)
    if manifest.kind not in ("solve", "strategy"):
        raise PackError(f"is a {manifest.kind} pack, expected a solve", source=source)
    try:
        config = _Config.model_validate(manifest.config)
        quality = _Quality.model_validate(manifest.quality, strict=False)
        parse_algorithm(config.algorithm)
        spot = parse_spot(config.spot, solved=True)
    except ValidationError as error:
        first = error.errors()[0]
        raise PackError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", source=source) from None
    except InputError as error:
        raise PackError(f"config: {error}", source=source) from None
    if spot.rake_rate and sum(quality.ev_minus_half_pot) == 0:
        # The EVs make up the whole pot: an older version, which took no rake without a cap, has made this solve.
        spot = replace(spot, rake_rate=0.0)
    return SavedSolve(
        folder=folder,
        kind=manifest.kind,
        spot=spot,
        algorithm=config.algorithm,
        storage=config.storage,
        iterations=config.iterations,
        seconds=config.seconds,
        found=Exploitability(
            quality.exploitability_chips,
            quality.exploitability_pct_pot,
            quality.best_response_ev_minus_half_pot,
            quality.ev_minus_half_pot,
            quality.abstract_exploitability_pct_pot,
        ),
        made_by=manifest.provenance,
    )


def verify_same_spot(saved: SavedSolve, spot: PostflopSpot, source: str) -> None:
    """Checks that a spot file describes the spot of a saved solve. Layout and comments may differ.

    :param spot: the spot read from the file.
    :param source: name of the file, for the message.
    :raises SpotError: if a value differs; the message names the first key.
    """
    key = _first_difference(*(yaml.load(each.text, Loader=yaml.BaseLoader) for each in (saved.spot, spot)))
    if key is not None:
        raise SpotError(
            f"{key!r} differs from the solve saved in {saved.folder}: save to another folder, or overwrite it",
            source=source,
        )


def _first_difference(one: Any, other: Any, key: str = "") -> str | None:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys([*one, *other]):
            found = _first_difference(one.get(name), other.get(name), f"{key}.{name}" if key else str(name))
            if found is not None:
                return found
        return None
    return None if one == other else key


def verify_state(pack: StrategyPack) -> None:
    """Checks the numbers in the open arrays of a solver's state: averages are weights, all others are finite.

    :raises PackError: if a number is not; the message names the array.
    """
    for name, array in pack.arrays.items():
        if name.startswith("average_"):
            verify_weights(pack.folder, name, array)
        elif not name.startswith("evs_"):  # which are unknown where no hand gets
            verify_finite(pack.folder, name, array)


def load_state(saved: SavedSolve, solver: PostflopSolver) -> None:
    """Loads the state of a saved solve into a new solver of the same spot, storage and algorithm.

    :raises PackError: if the arrays are damaged or do not fit the solver.
    """
    pack = open_pack(saved.folder, solver.state())
    verify_state(pack)
    try:
        solver.restore(saved.iterations, pack.arrays)
    except SpotError as error:
        raise PackError(error.message, source=str(saved.folder)) from None


def open_solution(saved: SavedSolve, *, checksums: bool = True) -> StoredSolution:
    """Returns the strategies of a saved solve, ready for questions. The arrays stay on disk.

    :param saved: what :func:`read_saved_solve` returned.
    :param checksums: False leaves out the checksums and numbers of the arrays, for :func:`verify_solution` to check.
    :raises PackError: if the arrays are damaged, do not fit the spot or hold numbers that are no strategies.
    """
    pack = open_pack(saved.folder, _VIEWED, checksums=checksums)
    stored = "|u1" if saved.kind == "strategy" else {"f32": "<f4", "f16": "<u2"}[saved.storage]
    averages = [pack.array(f"average_{name}", dtype=stored, ndim=1) for name in _PLAYERS]
    named = _VIEWED[2:] if saved.spot.street < RIVER else []
    evs = [pack.array(name, dtype="<f4", ndim=2) for name in named]
    try:
        spot = prepare(saved.spot).for_algorithm(parse_algorithm(saved.algorithm))
        solution = StoredSolution(spot, (averages[0], averages[1]), evs, saved.iterations)
    except SpotError as error:
        raise PackError(error.message, source=str(saved.folder)) from None
    if checksums:
        for player, name in enumerate(_PLAYERS):
            if saved.kind == "solve":
                verify_weights(saved.folder, f"average_{name}", averages[player])
            else:
                verify_rows(saved.folder, f"average_{name}", _bad_rows(solution, player))
    return solution


def _bad_rows(solution: StoredSolution, player: int) -> int:
    """Returns the number of rows (one per decision, board and hand) of a strategy in bytes that do not sum to 255."""
    layout, game, tree = solution.spot.layout, solution.spot.game, solution.tree
    faults = 0
    for level, forest in enumerate(layout.forests):
        slots = np.flatnonzero((forest.row >= 0) & (tree.player[forest.nodes] == player))
        first, counts = forest.row[slots], tree.num_children[forest.nodes[slots]]
        for board in range(game.num_boards(level) if len(slots) else 0):
            block = board_block(game, layout, solution.averages[player], level, board, player)
            sums = block[:, first].astype(np.uint16)
            for action in range(1, int(counts.max())):
                longer = counts > action
                sums[:, longer] += block[:, first[longer] + action]
            faults += int(np.count_nonzero(sums != SCALE))
    return faults


def verify_solution(saved: SavedSolve) -> None:
    """Checks the checksums and the numbers of the arrays that :func:`open_solution` opens.

    :raises PackError: if a file is missing or damaged, or holds numbers that are no strategies; the message names it.
    """
    open_solution(saved)
