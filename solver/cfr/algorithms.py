"""The algorithms of the solver by name: ``dcfr``, ``gamma5``, ``dcfr:gamma=2,reset=no``.

The text of an algorithm is the name of a rule (:data:`~hedgehog.solver.cfr.own_rules.ALGORITHMS`), optionally followed
by a colon and parameters ``key=value`` separated by commas. Parameters that are not given have their defaults.
Iterations count from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.extending.user_code import user_code_error
from hedgehog.solver.cfr.own_rules import ALGORITHMS
from hedgehog.solver.cfr.reshaping import compile_reshape, reshape_regrets, verify_reshape
from hedgehog.solver.cfr.rules import PLAIN, CfrRule, Value, format_value

_TRIED = 5
"""Iterations whose factors are compared when a rule with a schedule is chosen."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A chosen algorithm with the values of its parameters. ``str()`` gives its shortest text."""

    name: str
    """Key of :data:`~hedgehog.solver.cfr.own_rules.ALGORITHMS`."""
    values: tuple[tuple[str, Value], ...]
    """Every parameter of the algorithm with its value, in the order of its rule."""

    @property
    def rule(self) -> CfrRule:
        """The rule of this name.

        :raises SpotError: if it is not there in this process, or cannot be used.
        """
        return ALGORITHMS.find(self.name)

    def __str__(self) -> str:
        known = self.rule.parameters
        changed = [f"{key}={format_value(value)}" for key, value in self.values if value != known[key].default]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    def __getitem__(self, key: str) -> Value:
        """Returns the value of a parameter or of a fixed setting of this algorithm.

        :raises KeyError: if there is no such setting.
        """
        return {**PLAIN, **self.rule.settings, **dict(self.values)}[key]

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
        return self["sampling"] == "boards"

    @property
    def samples_deals(self) -> bool:
        """Whether the algorithm walks one deal at a time instead of all hands at once."""
        return self["sampling"] == "deals"

    @property
    def default_update(self) -> bool:
        """Whether the tuned kernel of discounted CFR does this algorithm's update."""
        special = ("greedy", "simultaneous", "return_new", "floor", "predict")
        plain = self["average"] == "plain" and self.rule.regrets is None
        return not self.samples_cards and plain and not any(self[key] for key in special)

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
        not matched to the stored regrets, or a rule changes those.
        """
        fixed = self.rule.regrets is None and not self.samples_deals
        return fixed and not any(self[key] for key in ("greedy", "return_new", "simultaneous"))

    @property
    def half_precision(self) -> bool:
        """Whether regrets and averages can be stored as 16-bit floats.

        Only discounts keep regrets small enough, which a schedule may not, and weights by reach would be lost in
        rounding. Greedy strategies need no regrets.
        """
        small = self.rule.schedule is None and self.number("alpha") < math.inf
        return bool(self["greedy"]) or (self.default_update and small)

    def discounts(self, first: int, last: int) -> NDArray[np.float32]:
        """Returns float32[last - first, 3]: the factors of the iterations ``first .. last - 1``.

        The columns are the factors of positive regrets, of negative regrets and of the average. An iteration applies
        them before it adds to the sums. The factor of positive regrets is ``s^alpha / (s^alpha + 1)``, that of negative
        ones ``s^beta / (s^beta + 1)``, where ``s`` is the iteration, or one less if the first pass is to be forgotten.
        Brown and Sandholm 2019 apply these factors after adding, which leads to the same strategies. The factor of the
        average is ``(t / (t + 1)) ^ gamma``, where ``t`` counts from the last power of 4 if the average restarts there.

        For counterfactual greedy hedging the columns are 0 for the first iteration and 1 for the others, the constant
        ``c``, and the number of visits.

        :raises SpotError: if the schedule of a rule of another package fails or returns anything else.
        """
        iteration = np.arange(first, last)
        if self.rule.schedule is not None:
            return self._scheduled(iteration)
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

    def _scheduled(self, iteration: NDArray[np.int64]) -> NDArray[np.float32]:
        assert self.rule.schedule is not None
        what = f"algorithm {str(self)!r}: its schedule"
        with self._calling("its schedule"):
            factors = np.asarray(self.rule.schedule(iteration.copy(), dict(self.values)), dtype=np.float32)
        if factors.shape != (len(iteration), 3):
            raise SpotError(f"{what}: expected numbers of shape ({len(iteration)}, 3), got {factors.shape}")
        if not (np.isfinite(factors).all() and (factors >= 0).all()):
            raise SpotError(f"{what}: expected finite factors of at least 0")
        return factors

    @property
    def reshapes(self) -> bool:
        """Whether the rule changes the stored regrets by a function of its own (:meth:`reshape`)."""
        return self.rule.regrets is not None

    @property
    def compiled(self) -> bool:
        """Whether the function by which the rule changes regrets is compiled by numba; True without one."""
        function = self.rule.regrets
        return function is None or compile_reshape(function, len(self.values))[1]

    def reshape(self, regrets: NDArray[np.floating[Any]], iteration: int) -> None:
        """Lets the rule change stored regrets in place, as it must at the beginning of every iteration.

        :param regrets: float32[n] or float64[n], contiguous.
        :param iteration: number of the iteration that begins.
        :raises SpotError: if the function of a rule of another package fails or returns anything else.
        """
        if self.rule.regrets is not None:
            with self._calling("its function for regrets"):
                reshape_regrets(self.rule.regrets, regrets, iteration, self._numbers())

    def _numbers(self) -> NDArray[np.float64]:
        """Returns float64[parameters]: the values of the parameters as numbers, for functions of rules."""
        known = self.rule.parameters
        return np.array(
            [known[key].choices.index(value) if isinstance(value, str) else float(value) for key, value in self.values]
        )

    @contextmanager
    def _calling(self, what: str) -> Iterator[None]:
        """Turns whatever a function of the rule raises into one error that names the algorithm and the function."""
        try:
            yield
        except SpotError as error:
            raise SpotError(f"algorithm {str(self)!r}: {what}: {error}") from error
        except Exception as error:
            failed = user_code_error(f"algorithm {str(self)!r}: {what} failed", error, None)
            raise SpotError(failed.message, source=failed.source, line=failed.line) from error

    def verify(self) -> None:
        """Checks on a few iterations and numbers that factors depend on the iteration alone, and regrets on themselves.

        :raises SpotError: if they do not, or as :meth:`discounts` and :meth:`reshape`.
        """
        if self.rule.regrets is not None:
            with self._calling("its function for regrets"):
                verify_reshape(self.rule.regrets, self._numbers())
        if self.rule.schedule is not None:
            together = self.discounts(0, _TRIED)
            apart = [self.discounts(number, number + 1)[0] for number in range(_TRIED)]
            if not np.array_equal(together, np.stack(apart)):
                raise SpotError(f"algorithm {str(self)!r}: its schedule depends on more than the iteration")

    def _exponents(self, key: str, iteration: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns the exponent ``alpha``, ``beta`` or ``gamma`` in each of the iterations.

        Hyperparameter schedules let it go from ``alpha`` to ``alpha_end`` in a straight line over ``n`` iterations and
        stay there.
        """
        start = self.number(key)
        end = f"{key}_end"
        if end not in self.rule.parameters:
            return np.full(len(iteration), start)
        done = np.minimum(iteration / self.number("n"), 1)
        return start + done * (self.number(end) - start)


def _discount(pace: NDArray[np.int64], exponents: NDArray[np.float64], offset: float) -> NDArray[np.float64]:
    """Returns ``s^exponent / (s^exponent + offset)``: 1 for an infinite exponent, 0 for one of minus infinity."""
    with np.errstate(divide="ignore"):
        factor: NDArray[np.float64] = 1 / (1 + offset * pace.astype(np.float64) ** -exponents)
    return np.where(np.isinf(exponents), exponents > 0, factor)


def parse_algorithm(text: Algorithm | str) -> Algorithm:
    """Returns the algorithm of a text ``name`` or ``name:key=value,key=value``; an algorithm is returned as it is.

    :raises SpotError: if the name, a parameter or a value is wrong; the message lists the choices.
    """
    if isinstance(text, Algorithm):
        return text
    name, colon, rest = text.partition(":")
    known = ALGORITHMS.find(name).parameters
    values = {key: parameter.default for key, parameter in known.items()}
    given: set[str] = set()
    for item in rest.split(",") if colon else ():
        key, equals, value = item.partition("=")
        if not equals or key not in known:
            possible = ", ".join(f"{k}={format_value(p.default)}" for k, p in known.items())
            raise SpotError(f"algorithm {text!r}: no parameter {item!r}: expected some of {possible}")
        if key in given:
            raise SpotError(f"algorithm {text!r}: {key!r} is given twice")
        given.add(key)
        try:
            values[key] = known[key].parse(value)
        except SpotError as error:
            raise SpotError(f"algorithm {text!r}: {key!r}: {error.message}") from error
    chosen = Algorithm(name, tuple(values.items()))
    chosen.verify()
    return chosen


def describe_algorithms() -> Iterator[str]:
    """Yields one line of text per algorithm, each followed by one line per parameter of the algorithm."""
    usable = dict(ALGORITHMS.usable())
    for name in ALGORITHMS:
        yield f"{name}: {ALGORITHMS.describe(name, lambda rule: rule.summary)}"
        for key, parameter in usable[name].parameters.items() if name in usable else ():
            yield f"  {key}={format_value(parameter.default)}: {parameter.meaning} ({parameter.expected()})"
