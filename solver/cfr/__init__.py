"""Counterfactual regret minimisation on any two-player card game. Nothing here knows poker.

An algorithm is written as a name with parameters, as on the command line (``hedgehog solve --algorithm``).

>>> from hedgehog.solver import cfr
>>> str(cfr.parse_algorithm("dcfr:gamma=2"))
'dcfr:gamma=2'
>>> "cfr+" in cfr.ALGORITHMS
True

:class:`CfrSolver` takes a :class:`CardGame` (hands, boards, weights, results of showdowns) and a betting tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.solver.cfr.algorithms import Algorithm, describe_algorithms, parse_algorithm
    from hedgehog.solver.cfr.card_game import CardGame, CardLevel
    from hedgehog.solver.cfr.own_rules import ALGORITHMS
    from hedgehog.solver.cfr.programs import Rake
    from hedgehog.solver.cfr.rules import CfrRule, Parameter
    from hedgehog.solver.cfr.solver import CfrSolver
    from hedgehog.solver.cfr.stopping import forecast_iterations, iterations_until_check
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "ALGORITHMS", "Algorithm", "CardGame", "CardLevel", "CfrRule", "CfrSolver", "Parameter", "Rake",
    "describe_algorithms", "forecast_iterations", "iterations_until_check", "parse_algorithm",
]  # fmt: skip
