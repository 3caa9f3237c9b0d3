"""Measures how far the figures of a weighted subset of flops are from those of all flops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.packs.choose_flops import flop_counts
from hedgehog.analysis.packs.flop_figures import LineFigures
from hedgehog.strategies.flop_subsets import FlopSubset

Floats = NDArray[np.float64]


class SubsetError(NamedTuple):
    """How far the figures of a subset are from those of all flops, on one preflop line."""

    line: str
    subset: str
    flops: int
    """Number of flop classes."""
    equity: float
    """OOP's equity on the subset less that on all flops, in percent of the pot."""
    ev: float
    """OOP's EV on the subset less that on all flops, in percent of the pot; NaN if it is not known."""
    ev_noise: float
    """Standard error of ``ev`` that the sampled run-outs behind the EVs cause; 0 if they are exact."""
    frequency: float
    """Mean absolute difference of the frequencies of all actions on the flop, in percentage points. Decisions count
    as often as they are reached."""
    largest: float
    """Largest absolute difference of a frequency at a decision that at least 1 % of the hands reach."""


def subset_error(line: LineFigures, name: str, places: NDArray[np.int64], weights: Floats) -> SubsetError:
    """Returns the errors of a subset on one line.

    :param line: figures of all flops.
    :param name: name of the subset.
    :param places: (N,) the classes of the subset, as places among the classes of ``line``.
    :param weights: (N,) number of flops that each stands for, in any unit.
    """
    everything = _parts(line, np.arange(len(line.classes)), flop_counts([line]))
    part = _parts(line, places, weights)
    known = not np.isnan(line.ev).any()
    noise = float(np.sqrt(part**2 @ line.ev_error[places] ** 2)) if known else float("nan")
    of_all, of_part = everything @ line.shares, part @ line.shares[places]
    total = weighted = largest = 0.0
    for place, decision in enumerate(line.line.decisions):
        columns = line.columns(place)
        reach, reach_here = float(of_all[columns].sum()), float(of_part[columns].sum())
        if reach <= 0 or reach_here <= 0:
            continue
        difference = np.abs(of_all[columns] / reach - of_part[columns] / reach_here)
        total += reach
        weighted += reach * float(difference.mean())
        if reach >= 0.01 and len(decision.actions) > 1:
            largest = max(largest, float(difference.max()))
    return SubsetError(
        line.line.betting,
        name,
        len(places),
        100 * float(part @ line.equity[places] - everything @ line.equity),
        100 * float(part @ line.ev[places] - everything @ line.ev) if known else float("nan"),
        100 * noise,
        100 * weighted / max(total, 1e-12),
        100 * largest,
    )


def _parts(line: LineFigures, places: NDArray[np.int64], weights: Floats) -> Floats:
    found = weights * line.mass[places]
    return np.asarray(found / found.sum())


def places_of(line: LineFigures, subset: FlopSubset) -> NDArray[np.int64]:
    """Returns the places of a subset's classes among the classes of a line, which must have them all."""
    return np.searchsorted(line.classes, subset.classes)


def random_errors(line: LineFigures, count: int, draws: int, seed: int) -> Iterator[SubsetError]:
    """Yields the errors of random subsets: classes drawn with the probability with which they are dealt.

    A drawn class is weighted by the number of its flops divided by its probability of being drawn, roughly: all classes
    that are drawn count the same.

    :param count: number of classes of a subset.
    :param draws: number of subsets.
    :param seed: seed of the subsets.
    """
    counts = flop_counts([line])
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        places = rng.choice(len(counts), size=count, replace=False, p=counts / counts.sum())
        yield subset_error(line, "random", places, np.ones(count))


def root_mean_square(errors: Sequence[SubsetError]) -> SubsetError:
    """Returns the root mean squares of the errors of several subsets or lines."""

    def over(values: Sequence[float]) -> float:
        return float(np.sqrt(np.mean(np.square(values))))

    first = errors[0]
    return SubsetError(
        first.line,
        first.subset,
        first.flops,
        over([error.equity for error in errors]),
        over([error.ev for error in errors]),
        over([error.ev_noise for error in errors]),
        over([error.frequency for error in errors]),
        over([error.largest for error in errors]),
    )
