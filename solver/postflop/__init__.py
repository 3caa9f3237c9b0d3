"""Exact solving of a flop, turn or river: spots, betting trees, run-outs, locks, solutions, queries.

:mod:`solver` exports what most programs need. This package adds betting trees without a spot file, views of single
nodes, and saved solves.

>>> from hedgehog.solver import postflop, prepare, read_spot, solve
>>> solution = solve(prepare(read_spot("docs/examples/spots/river.yaml")), target_pct=0.5)
>>> node, dealt = postflop.find_node(solution, "X B500")
>>> view = postflop.view_node(solution, node, dealt)
>>> view.player, view.pot, view.actions
(0, 1500, ('F', 'C', 'R2500', 'A4500'))
>>> for action in postflop.view_actions(solution, view):
...     print(action.action, action.leads_to)
F fold
C showdown
R2500 decision
A4500 decision
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.solver.postflop.chance import (
        NodeCounts,
        Runouts,
        SolveSize,
        build_runouts,
        count_nodes,
        measure_solve,
    )
    from hedgehog.solver.postflop.locks import Lock
    from hedgehog.solver.postflop.node_answers import (
        HandRow,
        NodeAnswer,
        RangeCounts,
        answer_line,
        count_range,
        hand_rows,
    )
    from hedgehog.solver.postflop.prepared import PreparedSpot, prepare, prepare_tree
    from hedgehog.solver.postflop.queries import (
        ActionView,
        NodeView,
        RoundedStrategy,
        action_evs,
        find_node,
        round_strategy,
        view_actions,
        view_node,
    )
    from hedgehog.solver.postflop.responses.as_if import AsIf, solve_as_if
    from hedgehog.solver.postflop.responses.given_strategy import GivenStrategy, given_solution
    from hedgehog.solver.postflop.solution import PostflopSolution
    from hedgehog.solver.postflop.solution_csv import format_csv
    from hedgehog.solver.postflop.solution_files import (
        SavedSolve,
        load_state,
        open_solution,
        read_saved_solve,
        save_solve,
        save_strategy,
    )
    from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
    from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot, parse_spot, read_spot
    from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, format_line, parse_line
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "PLAYERS", "ActionView", "AsIf", "Exploitability", "GivenStrategy", "HandRow", "Lock", "NodeAnswer", "NodeCounts",
    "NodeView", "PostflopSolution", "PostflopSolver", "PostflopSpot", "PreparedSpot", "RangeCounts", "RoundedStrategy",
    "Runouts", "SavedSolve", "SolveSize", "StreetSizes", "TreeConfig", "action_evs", "answer_line",
    "build_postflop_tree", "build_runouts", "count_nodes", "count_range", "find_node", "format_csv", "format_line",
    "given_solution", "hand_rows", "load_state", "measure_solve", "open_solution", "parse_line", "parse_spot",
    "prepare", "prepare_tree", "read_saved_solve", "read_spot", "round_strategy", "save_solve", "save_strategy",
    "solve_as_if", "view_actions", "view_node",
]  # fmt: skip
