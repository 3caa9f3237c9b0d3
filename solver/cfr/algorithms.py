"""The algorithms of the solver by name: ``dcfr``, ``gamma5``, ``dcfr:gamma=2,reset=no``.

The text of an algorithm is a name from :data:`ALGORITHMS`, optionally followed by a colon and parameters ``key=value``
separated by commas. Parameters that are not given have their defaults. Iterations count from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

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


@dataclass(frozen=True, slots=True)
class Description:
    """An algorithm as users choose it: a summary and its parameters."""

    summary: str
    parameters: Mapping[str, Parameter]
    settings: Mapping[str, Value] = field(default_factory=dict)
    """Fixed settings of the algorithm that users cannot change and that differ from plain CFR."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A chosen algorithm with the values of its parameters. ``str()`` gives its shortest text."""

    name: str
    """Key of :data:`ALGORITHMS`."""
    values: tuple[tuple[str, Value], ...]
    """Every parameter of the algorithm with its value, in the order of :data:`ALGORITHMS`."""

    def __str__(self) -> str:
        known = ALGORITHMS[self.name].parameters
        changed = [f"{key}={_format(value)}" for key, value in self.values if value != known[key].default]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    def __getitem__(self, key: str) -> Value:
        """Returns the value of a parameter or of a fixed setting of this algorithm.

        :raises KeyError: if there is no such setting.
        """
        return {**_PLAIN, **ALGORITHMS[self.name].settings, **dict(self.values)}[key]

    def number(self, key: str) -> float:
        """Returns the value of a numeric parameter."""
        return float(self[key])

    @property
    def samples_cards(self) -> bool:
        """Whether the algorithm draws cards at random, which needs every card and every hand unmerged."""
        return self.samples_boards or self.samples_deals

    @property
    def samples_boards(self) -> bool:
        """Whether an iteration walks some of the boards instead of all."""
        return self.name == "pcs"

    @property
    def samples_deals(self) -> bool:
        """Whether the algorithm walks one deal at a time instead of all hands at once."""
        return self.name in ("external", "outcome")

    @property
    def default_update(self) -> bool:
        """Whether the tuned kernel of discounted CFR does this algorithm's update."""
        special = ("greedy", "simultaneous", "return_new", "floor", "predict")
        return not self.samples_cards and self["average"] == "plain" and not any(self[key] for key in special)

    @property
    def weighs_by_reach(self) -> bool:
        """Whether the strategies in the average are weighted by own reach."""
        return self["average"] == "reach"

    @property
    def num_arrays(self) -> tuple[int, int]:
        """How many numbers are stored per hand and action, for OOP and for IP."""
        if self["greedy"]:
            return 1, 1
        return 2 + int(bool(self["predict"] or self["simultaneous"])), 2 + int(bool(self["predict"]))

    @property
    def keeps_locks(self) -> bool:
        """Whether strategies can be locked.

        They cannot if deals are sampled, or if the strategy that is played or whose values are passed up the tree is
        not matched to the stored regrets.
        """
        return not self.samples_deals and not any(self[key] for key in ("greedy", "return_new", "simultaneous"))

    @property
    def half_precision(self) -> bool:
        """Whether regrets and averages can be stored as 16-bit floats.

        Only discounts keep regrets small enough, and weights by reach would be lost in rounding. Greedy strategies need
        no regrets.
        """
        return bool(self["greedy"]) or (self.default_update and self.number("alpha") < math.inf)

    def discounts(self, first: int, last: int) -> NDArray[np.float32]:
        """Returns float32[last - first, 3]: the factors of the iterations ``first .. last - 1``.

        The columns are the factors of positive regrets, of negative regrets and of the average. An iteration applies
        them before it adds to the sums. The factor of positive regrets is ``s^alpha / (s^alpha + 1)``, that of negative
        ones ``s^beta / (s^beta + 1)``, where ``s`` is the iteration, or one less if the first pass is to be forgotten.
        Brown and Sandholm 2019 apply these factors after adding, which leads to the same strategies. The factor of the
        average is ``(t / (t + 1)) ^ gamma``, where ``t`` counts from the last power of 4 if the average restarts there.

        For counterfactual greedy hedging the columns are 0 for the first iteration and 1 for the others, the constant
        ``c``, and the number of visits.
        """
        iteration = np.arange(first, last)
        if self["greedy"]:
            constant = np.full(len(iteration), self.number("c"))
            return np.stack([iteration > 0, constant, iteration + 1], axis=1).astype(np.float32)
        pace = np.maximum(iteration - 1, 0) if self["forget"] else iteration
        clock = iteration
        if self["reset"]:
            # The exponent of the largest power of 4 up to t is half the index of the highest bit of t.
            highest_bit = np.frexp(np.maximum(iteration, 1))[1] - 1
            clock = iteration - np.where(iteration > 0, 4 ** (highest_bit // 2), 0)
        kept = (clock / (clock + 1.0)) ** self._exponents("gamma", iteration)
        offset = self.number("offset")
        columns = [_discount(pace, self._exponents(key, iteration), offset) for key in ("alpha", "beta")]
        return np.stack([*columns, kept], axis=1).astype(np.float32)

    def schedule(self, first: int, last: int) -> NDArray[np.float32]:
        """Returns float32[last - first, 5]: what the kernels read in the iterations ``first .. last - 1``.

        The columns are those of :meth:`discounts`, the number of the iteration, and the factor of the regrets in a
        prediction, which is the discount of the next iteration.
        """
        factors = self.discounts(first, last + 1)
        numbers = np.arange(first, last, dtype=np.float32)
        return np.column_stack((factors[:-1], numbers, factors[1:, 0]))

    def _exponents(self, key: str, iteration: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns the exponent ``alpha``, ``beta`` or ``gamma`` in each of the iterations.

        Hyperparameter schedules let it go from ``alpha`` to ``alpha_end`` in a straight line over ``n`` iterations and
        stay there.
        """
        start = self.number(key)
        end = f"{key}_end"
        if end not in ALGORITHMS[self.name].parameters:
            return np.full(len(iteration), start)
        done = np.minimum(iteration / self.number("n"), 1)
        return start + done * (self.number(end) - start)


def _discount(pace: NDArray[np.int64], exponents: NDArray[np.float64], offset: float) -> NDArray[np.float64]:
    """Returns ``s^exponent / (s^exponent + offset)``: 1 for an infinite exponent, 0 for one of minus infinity."""
    with np.errstate(divide="ignore"):
        factor: NDArray[np.float64] = 1 / (1 + offset * pace.astype(np.float64) ** -exponents)
    return np.where(np.isinf(exponents), exponents > 0, factor)


def _format(value: Value) -> str:
    if isinstance(value, bool):
        return _YES_NO[value]
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


_PLAIN: Final[Mapping[str, Value]] = MappingProxyType(
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
    }
)
"""Settings of plain CFR. :meth:`Algorithm.discounts` and ``_general_kernels.Rule`` say what each one does."""


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

ALGORITHMS: Final[Mapping[str, Description]] = MappingProxyType(
    {
        "dcfr": Description("discounted CFR, Brown and Sandholm 2019; the default", _DCFR),
        "gamma5": Description("dcfr with gamma=5,reset=no", _GAMMA5),
        "dcfr+": Description(
            "discounted CFR+, Xu et al. 2024: negative regrets become zero",
            {
                "alpha": Parameter(1.5, "exponent of the discount of regrets", most=20.0),
                "offset": Parameter(1.5, "what the discount of regrets has instead of 1 in its denominator"),
                "gamma": _gamma(4.0),
                "average": _average("plain"),
            },
            {"beta": -math.inf},
        ),
        "hs-dcfr": Description(
            "dcfr with hyperparameter schedules, Zhang et al. 2024: the exponents change over n iterations",
            _HS_DCFR,
        ),
        "linear": Description(
            "linear CFR, Brown and Sandholm 2019: iteration t counts t times",
            {"average": _average("reach")},
            {"alpha": 1.0, "beta": 1.0, "gamma": 1.0},
        ),
        "cfr": Description(
            "vanilla CFR, Zinkevich et al. 2007",
            _VANILLA,
        ),
        "cfr-new": Description(
            "vanilla CFR that passes the value of the new strategy up the tree; no proof of convergence",
            _VANILLA,
            {"return_new": True},
        ),
        "cfr+": Description(
            "CFR+, Tammelin 2014: negative regrets become zero",
            {"gamma": _gamma(1.0), "average": _average("reach")},
            {"floor": True},
        ),
        "pcfr+": Description(
            "predictive CFR+, Farina, Kroer and Sandholm 2021; half as much memory again",
            {"gamma": _gamma(2.0), "average": _average("reach")},
            {"floor": True, "predict": 1.0},
        ),
        "apcfr+": Description(
            "asymmetric predictive CFR+, Meng et al. 2025: pcfr+ that predicts a part of the last gain",
            {
                "gamma": _gamma(2.0),
                "average": _average("reach"),
                "predict": Parameter(1 / 3, "share of the last gain in the prediction", most=1.0),
            },
            {"floor": True},
        ),
        "pdcfr+": Description(
            "predictive discounted CFR+, Xu et al. 2024",
            {
                "alpha": Parameter(2.3, "exponent of the discount of regrets", most=20.0),
                "gamma": _gamma(5.0),
                "average": _average("plain"),
            },
            {"floor": True, "predict": 1.0},
        ),
        "hs-pcfr+": Description(
            "pcfr+ with a hyperparameter schedule, Zhang et al. 2024: gamma changes over n iterations",
            {"n": _PLANNED, **_ends("gamma", 30.0, 25.0), "average": _average("plain")},
            {"floor": True, "predict": 1.0},
        ),
        "cgh": Description(
            "counterfactual greedy hedging: one strategy, no regrets, no average; half the memory, no proof",
            {
                "c": Parameter(1.0, "what the actions that are not best lose, over the number of the iteration"),
                "per_action": Parameter(True, "divide c by the number of actions"),
            },
            {"greedy": True},
        ),
        "pcs": Description(
            "public-chance sampling, Johanson et al. 2012: dcfr on a few cards per chance node, one thread",
            {
                "cards": Parameter(4, "cards drawn at every chance node", least=1, most=52),
                "seed": _SEED,
                **_discounted(3.0, False),
            },
        ),
        "external": Description(
            "external sampling, Lanctot et al. 2009: as many deals as hands, one action of the other player each",
            {"seed": _SEED, "weight": _WEIGHT},
        ),
        "outcome": Description(
            "outcome sampling, Lanctot et al. 2009: as many deals as hands, one line each",
            {
                "seed": _SEED,
                "weight": _WEIGHT,
                "exploration": Parameter(0.6, "probability of a uniform action instead", least=0.01, most=1.0),
            },
        ),
    }
)
"""All algorithms by name, each with its summary and its parameters."""


def parse_algorithm(text: Algorithm | str) -> Algorithm:
    """Returns the algorithm of a text ``name`` or ``name:key=value,key=value``; an algorithm is returned as it is.

    :raises SpotError: if the name, a parameter or a value is wrong; the message lists the choices.
    """
    if isinstance(text, Algorithm):
        return text
    name, colon, rest = text.partition(":")
    if name not in ALGORITHMS:
        raise SpotError(f"unknown algorithm {name!r}: expected {', '.join(ALGORITHMS)}")
    known = ALGORITHMS[name].parameters
    values = {key: parameter.default for key, parameter in known.items()}
    given: set[str] = set()
    for item in rest.split(",") if colon else ():
        key, equals, value = item.partition("=")
        if not equals or key not in known:
            possible = ", ".join(f"{k}={_format(p.default)}" for k, p in known.items())
            raise SpotError(f"algorithm {text!r}: no parameter {item!r}: expected some of {possible}")
        if key in given:
            raise SpotError(f"algorithm {text!r}: {key!r} is given twice")
        given.add(key)
        try:
            values[key] = known[key].parse(value)
        except SpotError as error:
            raise SpotError(f"algorithm {text!r}: {key!r}: {error.message}") from error
    return Algorithm(name, tuple(values.items()))


def describe_algorithms() -> Iterator[str]:
    """Yields one line of text per algorithm, each followed by one line per parameter of the algorithm."""
    for name, description in ALGORITHMS.items():
        yield f"{name}: {description.summary}"
        for key, parameter in description.parameters.items():
            yield f"  {key}={_format(parameter.default)}: {parameter.meaning} ({parameter.expected()})"
