"""Solves poker games: reads a spot, estimates its solve, solves it, and answers questions about any line.

>>> from hedgehog import solver
>>> spot = solver.prepare(solver.read_spot("docs/examples/spots/river.yaml"))
>>> print(f"{solver.estimate(spot).memory_bytes / 1e6:.1f} MB")
0.2 MB
>>> solution = solver.solve(spot, target_pct=0.5)
>>> solution.exploitability().pct_pot < 0.5
True

A line is a text of actions and dealt cards: X check, B bet, C call, R raise, A all-in, F fold, and cards such as 6d.

>>> answer = solver.answer_line(solution, "X")
>>> for action, frequency in zip(answer.view.actions, answer.frequency):
...     print(f"{action} {frequency:.0%}")
X 54%
B500 27%
B1000 16%
A4500 3%

:mod:`hedgehog.solver.postflop` has the rest of the postflop solver. :mod:`hedgehog.solver.cfr` has the algorithms,
which work on any card game. :mod:`hedgehog.solver.blueprint` trains a strategy for the whole game and
:mod:`hedgehog.solver.flops` refines its flop decisions.
:mod:`hedgehog.solver.packs` builds strategy packs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.solver.abstraction.solving import solve
    from hedgehog.solver.examples import example_spots
    from hedgehog.solver.postflop.estimate import Estimate, estimate
    from hedgehog.solver.postflop.node_answers import HandRow, NodeAnswer, answer_line, hand_rows
    from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
    from hedgehog.solver.postflop.responses.evaluation import Evaluation, evaluate_strategy
    from hedgehog.solver.postflop.solution import PostflopSolution
    from hedgehog.solver.postflop.solution_files import (
        SavedSolve,
        load_state,
        open_solution,
        read_saved_solve,
        save_solve,
    )
    from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
    from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot, read_spot
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "Estimate", "Evaluation", "Exploitability", "HandRow", "NodeAnswer", "PostflopSolution", "PostflopSolver",
    "PostflopSpot", "PreparedSpot", "SavedSolve", "answer_line", "estimate", "evaluate_strategy", "example_spots",
    "hand_rows", "load_state", "open_solution", "parse_spot", "prepare", "read_saved_solve", "read_spot", "save_solve",
    "solve",
]  # fmt: skip
