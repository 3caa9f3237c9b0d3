"""Solves a spot and then the responses to a model of the opponent, for several probabilities of the model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS, run_until
from hedgehog.solver.postflop.responses.opponent_model import OpponentModel, model_rows, prepare_for_model
from hedgehog.solver.postflop.responses.response import ResponsePoint, ResponseSolver, response_curve
from hedgehog.solver.postflop.run import compile_kernels
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot


@dataclass(frozen=True, slots=True)
class Responses:
    """The responses of a player to a model of the other one."""

    base: PostflopSolver
    """The spot without the model, solved."""
    found: Exploitability
    """Exploitability of the spot without the model."""
    value: float
    """The responding player's EV there in chips, less half the pot."""
    points: list[ResponsePoint]
    """The responses, in the order of the probabilities; fewer if the watch has ended the work early."""
    seconds: float


def respond(
    spot: PostflopSpot,
    player: int,
    model: OpponentModel,
    shares: Sequence[float],
    *,
    target_pct: float = 0.1,
    max_iterations: int = MAX_ITERATIONS,
    threads: int | None = None,
    algorithm: Algorithm,
    watch: Watch = SILENT,
) -> Responses:
    """Solves a spot, then the responses to a model.

    :param player: the player who responds, 0 for OOP.
    :param shares: probabilities with which the opponent follows the model, ascending.
    :param target_pct: exploitability at which each solve stops, in percent of the pot at the root.
    :param max_iterations: iterations after which each solve stops in any case.
    :param watch: hears of the progress, and may end the work early.
    :raises SpotError: if the model does not fit the spot, or the algorithm cannot respond to a model.
    """
    start = time.perf_counter()
    free, locked = prepare_for_model(spot, model)
    base = PostflopSolver(free, threads=threads, algorithm=algorithm)
    watch.begin(f"{spot.name}, equilibrium", None, "", "compiling")
    compile_kernels(threads, algorithm, "f32")
    found = run_until(base, target_pct, max_iterations, watch=watch)
    value = found.ev_minus_half_pot[player]
    points: list[ResponsePoint] = []

    def solve(solver: ResponseSolver) -> Exploitability:
        watch.begin(f"{spot.name}, p = {solver.share:g}")
        return run_until(solver, target_pct, max_iterations, watch=watch)

    if not watch.stopped:
        rows = model_rows(model, base, locked, 1 - player)
        for point in response_curve(free, player, rows, value, shares, solve, threads=threads, algorithm=algorithm):
            points.append(point)
            if watch.stopped:
                break
    return Responses(base, found, value, points, time.perf_counter() - start)
