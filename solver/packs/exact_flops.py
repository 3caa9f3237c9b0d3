"""Builds an exact flop pack: one solve for each preflop line and flop class.

A build can be interrupted and resumed (:mod:`hedgehog.solver.packs.jobs`).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.isomorphism import board_classes, class_name, flop_pattern, flop_representative
from hedgehog.poker.streets import FLOP, FLOP_COMBOS, TURN
from hedgehog.runtime.engines.compile_time import compile_seconds
from hedgehog.runtime.engines.jobs import Worker
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.npy_files import read_npz_arrays
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_layout import group_bytes, make_group_layout
from hedgehog.solver.abstraction.group_solver import WRITTEN_OUT_BY, GroupSolver
from hedgehog.solver.blueprint.table import PreflopLine
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.cfr.stopping import run_until
from hedgehog.solver.packs.blueprint import lines_of, normalised_ranges
from hedgehog.solver.packs.build_estimate import Trial
from hedgehog.solver.packs.exact_config import FlopPackConfig, described_config
from hedgehog.solver.packs.jobs import (
    Arrays,
    Job,
    even_order,
    flop_classes,
    load_job,
    npz_bytes,
)
from hedgehog.solver.packs.solve_trial import try_solve
from hedgehog.solver.postflop.chance import measure_solve
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree
from hedgehog.strategies.blueprint_pack import blueprint_digest, read_blueprint
from hedgehog.strategies.flop_pack import NUM_FLOP_CLASSES, flop_street_tree
from hedgehog.strategies.flop_turns import block_offsets, decisions_on, turn_cards
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.quantize import quantize_rows

ALGORITHM: Final = "dcfr"
CHECK_EVERY: Final = 20
"""Iterations between two measurements of the exploitability. A measurement costs about two iterations."""


@dataclass(frozen=True, slots=True)
class SolveNeeds:
    """How much memory the solve of one flop needs, and how large it is."""

    memory_bytes: int
    """Bytes that the solver allocates."""
    elements: int
    """Hands times actions times boards: the numbers that are updated in an iteration."""


@dataclass(frozen=True, slots=True)
class ExactBuild:
    """The build of an exact flop pack: its configuration, inputs and files.

    It is a :class:`~hedgehog.solver.packs.jobs.FlopBuild`.
    """

    config: FlopPackConfig
    starts: Mapping[str, PreflopLine]
    """Pot, stacks and ranges at the flop by the name of the line, from the blueprint."""
    gamedef: str
    """Text of the game definition."""
    blueprint_digest: str
    """Digest of the blueprint that ``starts`` come from."""
    work: Path
    """Folder of the finished solves. Its name is a hash of everything that they depend on (:func:`config_digest`)."""
    classes: tuple[tuple[int, float], ...]
    """The flop classes in the order in which they are solved, each with its weight in averages over flops."""
    sizes: dict[tuple[str, str], SolveNeeds] = field(default_factory=dict, repr=False, compare=False)
    """What a solve needs, by line and pattern of suits and pairs; filled in as it is asked for."""
    unit: ClassVar[str] = "flop"

    def open_worker(self) -> Worker:
        """Returns the function that does a job (:meth:`solve`) and returns the content of its file."""
        return lambda job: npz_bytes(self.solve(job))

    def jobs(self) -> list[Job]:
        """Returns all solves, flop by flop, so that a build that stops early has covered every line."""
        return [
            Job(line.name, index, self.work / f"{line.name}-{index:04d}.npz")
            for index, _ in self.classes
            for line in self.config.lines
        ]

    def flops(self) -> list[str]:
        """Returns the representatives of the flop classes, in order."""
        return [class_name(3, index) for index, _ in self.classes]

    def needs(self, job: Job) -> SolveNeeds:
        """Returns the memory and the size of a solve.

        Flops with the same pattern of suits and pairs need nearly the same, so one flop of each pattern is measured.
        """
        key = (job.line, flop_pattern(flop_representative(job.flop_class)))
        if key not in self.sizes:
            spot = self.spot(job)
            size = measure_solve(spot.tree, spot.runouts, spot.ranges)
            if self.config.abstraction:
                needed = self._grouped_bytes(spot, self.config.abstraction)
            else:
                needed = estimate(spot, storage=self.config.storage, threads=self.config.threads).memory_bytes
            self.sizes[key] = SolveNeeds(needed, size.elements)
        return self.sizes[key]

    def _grouped_bytes(self, spot: PreparedSpot, abstraction: str) -> int:
        """Returns the bytes of a solve on groups of hands, and of the strategies of all hands at its end."""
        groups = SpotValues(spot).group(abstraction)
        layout, algorithm = make_group_layout(spot, groups), parse_algorithm(ALGORITHM)
        written = estimate(spot, threads=self.config.threads, algorithm=WRITTEN_OUT_BY).memory_bytes
        return group_bytes(spot, groups, layout, algorithm, self.config.threads) + written

    def needed_bytes(self, job: Job) -> int:
        """Returns the bytes of memory that a solve allocates."""
        return self.needs(job).memory_bytes

    def cost(self, job: Job) -> float:
        """Returns how many numbers a solve updates in an iteration."""
        return float(self.needs(job).elements)

    def try_job(self, job: Job, seconds: float) -> Trial:
        """Solves a flop for about so many CPU seconds and extrapolates the time until the target is reached."""
        solver = self._solver(self.spot(job))
        return try_solve(solver, self.config.target_pct, self.config.max_iterations, seconds, check_every=CHECK_EVERY)

    def pack_bytes(self) -> int:
        """Returns the bytes of the finished pack, but for the headers of its files and its manifest."""
        total = 0
        for line in self.config.lines:
            small, _ = flop_street_tree(self.tree(line.name))
            evs = small.num_nodes + 1 if self.config.evs == "flop" else 1
            per_class = block_offsets(small, FLOP)[1] + 2 * evs * FLOP_COMBOS * 2 + 2 + 4 + 8
            total += len(self.classes) * per_class + 40 * small.num_nodes + 2 * NUM_COMBOS * 4
            if self.config.depth == "turn":
                total += 40 * flop_street_tree(self.tree(line.name), TURN)[0].num_nodes
        return total + self.turn_bytes()

    def turn_bytes(self) -> int:
        """Returns the bytes of the turn rows in the finished pack."""
        if self.config.depth == "flop":
            return 0
        cards = sum(len(turn_cards(index)) for index, _ in self.classes)
        return sum(block_offsets(self.tree(line.name), TURN)[1] * cards for line in self.config.lines)

    @property
    def inputs_digest(self) -> str:
        """A digest of everything that the solves depend on, apart from the program."""
        return config_digest(self.config, self.starts)

    def tree(self, name: str) -> BettingTree:
        """Returns the postflop betting tree of a preflop line, by the name of the line."""
        line = next(line for line in self.config.lines if line.name == name)
        start = self.starts[name]
        menus = (line.flop, line.turn, line.river)
        return build_postflop_tree(
            TreeConfig(
                street=FLOP,
                pot=start.pot,
                stack=start.stack,
                sizes=tuple(StreetSizes(parse_bet_sizes(menu.oop), parse_bet_sizes(menu.ip)) for menu in menus),
                add_allin_threshold=line.add_allin_threshold,
                force_allin_threshold=line.force_allin_threshold,
                max_bets=line.max_bets,
            )
        )

    def spot(self, job: Job) -> PreparedSpot:
        """Returns the prepared spot of a solve."""
        ranges = list(normalised_ranges(self.starts[job.line].ranges))
        flop, merge = flop_representative(job.flop_class), not self.config.abstraction
        spot = prepare_tree(self.tree(job.line), flop, ranges, merge_cards=merge)
        tremble = self.config.tremble
        return spot if tremble is None else replace(spot, tremble=tremble.of_pot(spot.tree.root_pot))

    def _solver(self, spot: PreparedSpot) -> PostflopSolver | GroupSolver:
        if self.config.abstraction:
            groups = SpotValues(spot).group(self.config.abstraction)
            return GroupSolver(spot, groups, threads=self.config.threads, algorithm=ALGORITHM)
        return PostflopSolver(spot, threads=self.config.threads, storage=self.config.storage, algorithm=ALGORITHM)

    def solve(self, job: Job) -> Arrays:
        """Solves one flop and returns the arrays of its file: ``rows``, ``evs`` and ``quality``.

        :mod:`hedgehog.strategies.flop_pack` describes the arrays. ``quality`` has the CPU seconds without compiling,
        too. With a hand abstraction there is also ``loss``: the part of the exploitability that solving on groups of
        hands does not see, in percent of the pot.
        """
        started, compiled = time.process_time(), compile_seconds()
        spot = self.spot(job)
        solving = self._solver(spot)
        found = run_until(solving, self.config.target_pct, self.config.max_iterations, check_every=CHECK_EVERY)
        solver = solving.written_out() if isinstance(solving, GroupSolver) else solving
        live = combo_mask(spot.board)
        small, originals = flop_street_tree(spot.tree)
        blocks = [
            quantize_rows(solver.node_strategy(int(originals[node]))[:, live].T).ravel()
            for node in decisions_on(small, FLOP)
        ]
        arrays: Arrays = {"rows": np.concatenate(blocks), "evs": self._evs(job, solver, live, [0])[:, 0]}
        if self.config.evs == "flop":
            arrays["node_evs"] = self._evs(job, solver, live, originals.tolist())
        if self.config.depth == "turn":
            arrays["turn_rows"] = np.stack([self._turn_rows(solver, live, card) for card in turn_cards(job.flop_class)])
        if isinstance(solving, GroupSolver):
            arrays["loss"] = np.array([solving.loss_pct()], dtype="<f4")
        quality = [found.pct_pot, solver.iterations, time.process_time() - started - (compile_seconds() - compiled)]
        return {**arrays, "quality": np.array(quality, dtype="<f4")}

    def _evs(
        self, job: Job, solver: PostflopSolver, live: NDArray[np.bool_], nodes: Sequence[int]
    ) -> NDArray[np.float16]:
        """Returns float16 (2, nodes, 1176): EVs in pots at nodes on the flop; NaN at placeholders."""
        found = np.full((2, len(nodes), FLOP_COMBOS), np.nan, dtype="<f2")
        for place, node in enumerate(nodes):
            if solver.tree.street[node] == FLOP:
                found[:, place] = solver.node_values(node)[:, live] / self.starts[job.line].pot
        return found

    def _turn_rows(self, solver: PostflopSolver, live: NDArray[np.bool_], card: int) -> NDArray[np.uint8]:
        """Returns the bytes of all turn decisions after a turn card."""
        blocks = [
            quantize_rows(solver.node_strategy(int(node), (card,))[:, live].T).ravel()
            for node in decisions_on(solver.tree, TURN)
        ]
        return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.uint8)

    def seconds(self, job: Job) -> float | None:
        """Returns the CPU time of a finished solve in seconds, None if the solve is still to be done."""
        found = load_job(job, read_job)
        return None if found is None else float(found["quality"][2])


def open_build(
    config: FlopPackConfig, folder: Path, work: Path, flops: Sequence[tuple[int, float]] | None = None
) -> ExactBuild:
    """Returns the build of a checked configuration, after opening its blueprint.

    :param folder: folder that relative paths in the configuration start from.
    :param work: folder for the work of all builds. This build gets a subfolder.
    :param flops: flop classes to solve with their weights, in order; None takes those of the configuration, each with
        the number of its flops as its weight.
    :raises PackError: if the blueprint is unsound, lacks a line or its configuration is incomplete.
    """
    pack = open_pack(folder / config.blueprint)
    table = read_blueprint(pack)
    found = lines_of(table, [line.betting for line in config.lines])
    starts = {line.name: start for line, start in zip(config.lines, found, strict=True)}
    work = work / config_digest(config, starts)
    if flops is None:
        listed = even_order(range(NUM_FLOP_CLASSES)) if config.flops == "all" else flop_classes(config.flops)
        flops = with_multiplicities(listed)
    classes = tuple(flops)
    return ExactBuild(config, starts, pack.manifest.gamedef, blueprint_digest(table), work, classes)


def with_multiplicities(classes: Sequence[int]) -> list[tuple[int, float]]:
    """Returns flop classes with the number of flops in each class as its weight."""
    counts = board_classes(3).multiplicities
    return [(index, float(counts[index])) for index in classes]


def config_digest(config: FlopPackConfig, starts: Mapping[str, PreflopLine]) -> str:
    """Returns a short hash of everything that the solves of a build depend on, apart from flops and names."""
    digest = hashlib.sha256()
    described = {
        key: value for key, value in described_config(config).items() if key not in ("flops", "name", "blueprint")
    }
    if not config.abstraction:
        del described["abstraction"]  # so that builds from before there were abstractions go on
    digest.update(json.dumps(described, sort_keys=True).encode())
    for name in sorted(starts):
        digest.update(f"{name} {starts[name].pot} {starts[name].stack}".encode())
        digest.update(np.ascontiguousarray(normalised_ranges(starts[name].ranges)).tobytes())
    return digest.hexdigest()[:16]


def read_job(job: Job) -> Arrays:
    """Returns the arrays of a finished solve: ``rows``, ``evs`` and ``quality``.

    :raises InputError: if the file is damaged.
    """
    arrays = read_npz_arrays(job.path, ("rows", "evs", "quality"))
    if arrays["quality"].shape != (3,):
        raise InputError("is not the result of a solve", source=str(job.path))
    return arrays
