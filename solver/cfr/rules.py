"""CFR rules: what an update does with regrets and averages, as numbers and flags that every solver of ours reads.

The poker solver, the solver on groups of hands and the game-theory toolkit run the same rules. Ours are in
:mod:`hedgehog.solver.cfr.own_rules`; those of others are entry points of the group ``hedgehog.cfr_rules``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError

Value = float | int | bool | str
_YES_NO: Final = ("no", "yes")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an algorithm. Its values have the type of its default."""

    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    """The values that a text parameter may have."""
    least: float = 0.0
    most: float = math.inf

    def parse(self, text: str) -> Value:
        """Returns the value that a text stands for.

        :raises SpotError: if the text is no value of this parameter; the message says what was expected.
        """
        if isinstance(self.default, bool):
            if text in _YES_NO:
                return text == "yes"
        elif isinstance(self.default, str):
            if text in self.choices:
                return text
        else:
            try:
                number = type(self.default)(text)
            except ValueError:
                number = math.nan
            if math.isfinite(number) and self.least <= number <= self.most:
                return number
        raise SpotError(f"expected {self.expected()}, got {text!r}")

    def expected(self) -> str:
        """Returns a description of the allowed values, for messages and help texts."""
        if isinstance(self.default, bool):
            return " or ".join(_YES_NO)
        if isinstance(self.default, str):
            return " or ".join(self.choices)
        kind = "an integer" if isinstance(self.default, int) else "a number"
        return f"{kind} {_interval(self.least, self.most)}".rstrip()


def _interval(least: float, most: float) -> str:
    if most < math.inf:
        return f"from {least:g} to {most:g}"
    return f"of at least {least:g}" if least > -math.inf else ""


def format_value(value: Value) -> str:
    """Returns the text of a parameter's value, which :meth:`Parameter.parse` reads."""
    if isinstance(value, bool):
        return _YES_NO[value]
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


PLAIN: Final[Mapping[str, Value]] = MappingProxyType(
    {
        "alpha": math.inf,
        "beta": math.inf,
        "gamma": 0.0,
        "reset": False,
        "forget": False,
        "average": "plain",
        "simultaneous": False,
        "return_new": False,
        "floor": False,
        "predict": 0.0,
        "offset": 1.0,
        "greedy": False,
        "per_action": False,
        "sampling": "no",
    }
)
"""The settings of all rules, with the values of plain CFR.

``alpha``, ``beta``, ``gamma``, ``reset``, ``forget`` and ``offset`` make the discounts
(:meth:`hedgehog.solver.cfr.algorithms.Algorithm.discounts`), ``simultaneous`` updates both players at once, and
``sampling`` is ``no``, ``boards`` or ``deals``. ``_general_kernels.Rule`` describes the others.
"""

_SETS: Final = {
    "average": ("reach", "plain", "new"),
    "sampling": ("no", "boards", "deals"),
}
_SAMPLING: Final = {"no": (), "boards": ("cards", "seed"), "deals": ("seed", "weight")}
"""Parameters that a rule which samples must have."""
_NO_RESHAPE: Final = ("simultaneous", "return_new", "predict", "greedy", "sampling")
"""Settings with which the strategy is not matched to the regrets that are stored, or not all of them are visited."""

Schedule = Callable[[NDArray[np.int64], Mapping[str, Value]], NDArray[Any]]
"""Returns for iterations, int64[n] from 0 on, and the values of the parameters the factors of discounts, float[n, 3].

The columns are the factors of positive regrets, of negative regrets and of the sum of the average, all of at least 0.
An iteration applies them before it adds to the sums. The factors of an iteration depend on its number alone.
"""


Reshape = Callable[[NDArray[Any], int, NDArray[np.float64]], NDArray[Any]]
"""Returns what becomes of some regrets, float[n], at the beginning of an iteration, int from 0 on.

The last argument, float64[parameters], has the values of the rule's parameters in their order: numbers, 0 or 1 for no
and yes, and for a text its place among the choices. What becomes of a regret must depend on nothing but the number
itself, the iteration and these values, and 0 must stay 0. Regrets are in chips (or the game's unit) times the weight of
the opponents' hands.
"""


@dataclass(frozen=True, slots=True)
class CfrRule:
    """A rule as users choose it by name: a summary, its parameters, and what differs from plain CFR."""

    summary: str
    """A line for lists: its name in the literature and the publication."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """What users may change. A parameter with the name of one of :data:`PLAIN` is that setting."""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """Fixed settings of :data:`PLAIN` that differ from plain CFR."""
    schedule: Schedule | None = None
    """Calculates the discounts; None takes those of the settings ``alpha``, ``beta``, ``gamma`` and so on."""
    regrets: Reshape | None = None
    """Changes the regrets of both players at the beginning of every iteration, before the discounts; None leaves them.
    It is compiled by numba if it can be (:mod:`hedgehog.solver.cfr.reshaping`)."""


def verify_rule(name: str, rule: Any) -> None:
    """Checks that a part of another package is a rule that our solvers can run.

    :raises SpotError: if it is not.
    """
    if not isinstance(rule, CfrRule):
        raise SpotError(f"expected a CfrRule, got {type(rule).__name__}")
    for key, value in {**rule.settings, **{key: one.default for key, one in rule.parameters.items()}}.items():
        if key not in PLAIN:
            if key in rule.settings:
                raise SpotError(f"there is no setting {key!r}: expected some of {', '.join(PLAIN)}")
            continue
        likes = (float, int) if type(PLAIN[key]) is float else (type(PLAIN[key]),)
        if type(value) not in likes:
            raise SpotError(f"setting {key!r}: expected a value like {PLAIN[key]!r}, got {value!r}")
        if key in _SETS and value not in _SETS[key]:
            raise SpotError(f"setting {key!r}: expected {' or '.join(_SETS[key])}, got {value!r}")
    if "sampling" in rule.parameters:
        raise SpotError("'sampling' is a setting and cannot be a parameter")
    if twice := rule.settings.keys() & rule.parameters.keys():
        raise SpotError(f"{min(twice)!r} is a setting and a parameter: expected one of both")
    missing = [key for key in _SAMPLING[str(rule.settings.get("sampling", "no"))] if key not in rule.parameters]
    if missing:
        raise SpotError(f"a rule that samples {rule.settings['sampling']} needs the parameter {missing[0]!r}")
    if rule.regrets is not None:
        used = [
            key for key in _NO_RESHAPE if key in rule.parameters or rule.settings.get(key, PLAIN[key]) != PLAIN[key]
        ]
        if used:
            raise SpotError(f"a rule whose regrets change by a function of its own cannot have the setting {used[0]!r}")
    if rule.schedule is not None and rule.settings.get("greedy"):
        raise SpotError("a greedy rule has no schedule, because greedy hedging has no discounts")
