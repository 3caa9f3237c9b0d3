"""Our CFR rules, and the registry of all (:mod:`hedgehog.solver.cfr.rules`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.extending.registry import Registry
from hedgehog.solver.cfr.rules import CfrRule, Parameter, verify_rule


def _gamma(default: float) -> Parameter:
    return Parameter(default, "exponent of the weight of the iteration in the average", most=20.0)


def _average(default: str) -> Parameter:
    return Parameter(default, "weigh strategies by own reach, or not", choices=("reach", "plain"))


_VANILLA: Final = {
    "average": Parameter(
        "reach", "weigh strategies by own reach, or not, or sum the new ones", choices=("reach", "plain", "new")
    ),
    "simultaneous": Parameter(False, "update both players against the strategies of the iteration before"),
}


def _discounted(gamma: float, reset: bool) -> Mapping[str, Parameter]:
    return {
        "alpha": Parameter(1.5, "exponent of the discount of positive regrets", most=20.0),
        "beta": Parameter(0.0, "exponent of the discount of negative regrets", least=-20.0, most=20.0),
        "gamma": _gamma(gamma),
        "reset": Parameter(reset, "restart the average at powers of 4"),
        "forget": Parameter(True, "forget the positive regrets of the first pass"),
    }


_DCFR: Final = {**_discounted(3.0, True), "average": _average("plain")}
_GAMMA5: Final = {**_discounted(5.0, False), "average": _average("plain")}


def _ends(key: str, start: float, end: float) -> Mapping[str, Parameter]:
    """Returns the parameters of an exponent that changes over the run."""
    low = 0.0 if key == "gamma" else -20.0
    most = 50.0 if key == "gamma" else 20.0
    return {
        key: Parameter(start, f"{key} of dcfr in the first iteration", least=low, most=most),
        f"{key}_end": Parameter(end, f"{key} of dcfr from iteration n on", least=low, most=most),
    }


_PLANNED: Final = Parameter(400, "iterations in which the exponents change in a straight line", least=1, most=1e9)
_HS_DCFR: Final = {
    "n": _PLANNED,
    **_ends("alpha", 1.0, 4.0),
    **_ends("beta", -1.0, -3.0),
    **_ends("gamma", 30.0, 25.0),
    "forget": Parameter(False, "forget the positive regrets of the first pass"),
    "reset": Parameter(False, "restart the average at powers of 4"),
}
_SEED: Final = Parameter(0, "of the random numbers; the same seed gives the same strategies", most=1e9)
_WEIGHT: Final = Parameter("linear", "let iteration t count t times, or once", choices=("linear", "plain"))

_OWN: Final[Mapping[str, CfrRule]] = {
    "dcfr": CfrRule("discounted CFR, Brown and Sandholm 2019; the default", _DCFR),
    "gamma5": CfrRule("dcfr with gamma=5,reset=no", _GAMMA5),
    "dcfr+": CfrRule(
        "discounted CFR+, Xu et al. 2024: negative regrets become zero",
        {
            "alpha": Parameter(1.5, "exponent of the discount of regrets", most=20.0),
            "offset": Parameter(1.5, "what the discount of regrets has instead of 1 in its denominator"),
            "gamma": _gamma(4.0),
            "average": _average("plain"),
        },
        {"beta": -math.inf},
    ),
    "hs-dcfr": CfrRule(
        "dcfr with hyperparameter schedules, Zhang et al. 2024: the exponents change over n iterations",
        _HS_DCFR,
    ),
    "linear": CfrRule(
        "linear CFR, Brown and Sandholm 2019: iteration t counts t times",
        {"average": _average("reach")},
        {"alpha": 1.0, "beta": 1.0, "gamma": 1.0},
    ),
    "cfr": CfrRule(
        "vanilla CFR, Zinkevich et al. 2007",
        _VANILLA,
    ),
    "cfr-new": CfrRule(
        "vanilla CFR that passes the value of the new strategy up the tree; no proof of convergence",
        _VANILLA,
        {"return_new": True},
    ),
    "cfr+": CfrRule(
        "CFR+, Tammelin 2014: negative regrets become zero",
        {"gamma": _gamma(1.0), "average": _average("reach")},
        {"floor": True},
    ),
    "pcfr+": CfrRule(
        "predictive CFR+, Farina, Kroer and Sandholm 2021; half as much memory again",
        {"gamma": _gamma(2.0), "average": _average("reach")},
        {"floor": True, "predict": 1.0},
    ),
    "apcfr+": CfrRule(
        "asymmetric predictive CFR+, Meng et al. 2025: pcfr+ that predicts a part of the last gain",
        {
            "gamma": _gamma(2.0),
            "average": _average("reach"),
            "predict": Parameter(1 / 3, "share of the last gain in the prediction", most=1.0),
        },
        {"floor": True},
    ),
    "pdcfr+": CfrRule(
        "predictive discounted CFR+, Xu et al. 2024",
        {
            "alpha": Parameter(2.3, "exponent of the discount of regrets", most=20.0),
            "gamma": _gamma(5.0),
            "average": _average("plain"),
        },
        {"floor": True, "predict": 1.0},
    ),
    "hs-pcfr+": CfrRule(
        "pcfr+ with a hyperparameter schedule, Zhang et al. 2024: gamma changes over n iterations",
        {"n": _PLANNED, **_ends("gamma", 30.0, 25.0), "average": _average("plain")},
        {"floor": True, "predict": 1.0},
    ),
    "cgh": CfrRule(
        "counterfactual greedy hedging: one strategy, no regrets, no average; half the memory, no proof",
        {
            "c": Parameter(1.0, "what the actions that are not best lose, over the number of the iteration"),
            "per_action": Parameter(True, "divide c by the number of actions"),
        },
        {"greedy": True},
    ),
    "pcs": CfrRule(
        "public-chance sampling, Johanson et al. 2012: dcfr on a few cards per chance node, one thread",
        {
            "cards": Parameter(4, "cards drawn at every chance node", least=1, most=52),
            "seed": _SEED,
            **_discounted(3.0, False),
        },
        {"sampling": "boards"},
    ),
    "external": CfrRule(
        "external sampling, Lanctot et al. 2009: as many deals as hands, one action of the other player each",
        {"seed": _SEED, "weight": _WEIGHT},
        {"sampling": "deals"},
    ),
    "outcome": CfrRule(
        "outcome sampling, Lanctot et al. 2009: as many deals as hands, one line each",
        {
            "seed": _SEED,
            "weight": _WEIGHT,
            "exploration": Parameter(0.6, "probability of a uniform action instead", least=0.01, most=1.0),
        },
        {"sampling": "deals"},
    ),
}
ALGORITHMS: Final = Registry(
    "hedgehog.cfr_rules",
    "algorithm",
    _OWN,
    verify=verify_rule,
    error=SpotError,
)
"""All algorithms by name, ours and those of other packages."""
