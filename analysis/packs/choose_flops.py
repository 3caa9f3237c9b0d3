"""Chooses weighted subsets of flop classes, and orders classes so that an interrupted build is already useful.

Flops are points in a space of features: their textures, and for every preflop line OOP's equity and the probability of
every action on the flop. The textures, each equity and the actions of each line have the same total variance. EVs are
no features, so that their error on a subset is an honest one. The chosen flops are the medoids of a weighted k-medoids
clustering with squared distances (the algorithm FasterPAM of Schubert and Rousseeuw, 2021). The first weight of a
medoid is the number of flops in its cluster. The weights are then moved as little as needed for the weighted figures of
the subset to come close to those of all flops (calibration, as in survey sampling).

Classes are ordered greedily: next is the class that brings all flops closest to the classes before it and itself. So
the first classes stand for many flops and differ from each other.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from hedgehog.analysis.packs.flop_figures import LineFigures, pack_figures
from hedgehog.poker.isomorphism import board_classes
from hedgehog.poker.textures import TEXTURES, texture_table
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.strategies.flop_subsets import format_flop_subset

Floats = NDArray[np.float64]

STIFFNESS: Final = 0.05
"""Price of moving a weight away from the number of flops in its cluster; the less, the further weights move."""
LEAST_WEIGHT: Final = 0.25
"""A calibrated weight is at least this part of the number of flops in its cluster."""
_TEXTURES: Final = 2.0
"""How much more the textures count in the calibration than the equity of a line."""
_SUM_WEIGHT: Final = 100.0
"""Weight of the equation that keeps the sum of all weights."""
_PASSES: Final = 100


class ChosenFlops(NamedTuple):
    """A subset of flops, with weights by which it stands for all flops."""

    places: NDArray[np.int64]
    """(N,) chosen flops, as places in the given classes, in the order of a build."""
    weights: Floats
    """(N,) number of flops that each stands for."""


def choose_pack_flops(
    path: str | os.PathLike[str],
    count: int,
    lines: Sequence[str] = (),
    *,
    threads: int | None = None,
    watch: Watch = SILENT,
) -> str:
    """Returns the text of a subset file with flops of a pack that stand for all of them, in the order of a build.

    :param path: folder of the pack.
    :param count: number of flop classes to choose.
    :param lines: bettings of the lines whose figures count; empty for all lines.
    :param threads: number of threads; None for all processors.
    :raises InputError: if the pack has fewer flops or lacks a line, or its lines have different flops.
    """
    figures = pack_figures(path, lines, runouts=0, threads=threads, watch=watch)
    if count > len(figures[0].classes):
        raise InputError(f"the pack has {len(figures[0].classes):,} flops, expected at most as many", source=str(path))
    found = choose_flops(figures, count)
    options = "".join(f" --line {each.line.betting}" for each in figures) if lines else ""
    comments = [
        f"{count:,} flop classes that stand for all flops, in the order of a build. The weight of a flop is the number",
        "of flops it stands for. Edit as you like: only the ratios of the weights count.",
        f"Made by: hedgehog pack subset {count}{options}",
    ]
    return format_flop_subset(figures[0].classes[found.places], found.weights, comments)


def flop_features(lines: Sequence[LineFigures]) -> Floats:
    """Returns float64 (C, features): the flops as points.

    :param lines: figures of lines with the same flop classes.
    """
    counts = flop_counts(lines)
    blocks = [texture_table()[lines[0].classes].astype(np.float64)]
    for line in lines:
        blocks += [line.equity[:, None], line.shares]
    return np.concatenate([scaled_block(block, counts) for block in blocks], axis=1)


def scaled_block(block: Floats, counts: Floats) -> Floats:
    """Returns columns with mean 0 and with variances that add up to 1 over all columns.

    :param block: (C, columns) figures of flops.
    :param counts: (C,) number of flops in each class.
    """
    apart = block - counts @ block / counts.sum()
    variance = float((counts @ apart**2).sum() / counts.sum())
    return np.asarray(apart / np.sqrt(max(variance, 1e-12)))


def flop_counts(lines: Sequence[LineFigures]) -> Floats:
    """Returns float64 (C,): the number of flops in each class.

    :raises ValueError: if the lines have different classes.
    """
    classes = lines[0].classes
    if not all(np.array_equal(classes, line.classes) for line in lines):
        raise ValueError("the lines have different flop classes")
    return board_classes(3).multiplicities[classes].astype(np.float64)


def choose_flops(lines: Sequence[LineFigures], count: int) -> ChosenFlops:
    """Returns a weighted subset of flop classes. The same figures give the same subset.

    :param lines: figures of lines with the same flop classes.
    :param count: number of classes to choose; all classes keep their numbers of flops as weights.
    """
    counts = flop_counts(lines)
    distances = squared_distances(flop_features(lines))
    if count >= len(counts):
        order = build_order(distances, counts, np.arange(len(counts)))
        return ChosenFlops(order, counts[order])
    medoids = k_medoids(distances, counts, count)
    places = build_order(distances, counts, medoids)
    nearest = np.argmin(distances[:, places], axis=1)
    start = np.bincount(nearest, weights=counts, minlength=count).astype(np.float64)
    return ChosenFlops(places, calibrate(lines, places, start))


def squared_distances(points: Floats) -> Floats:
    """Returns float64 (C, C): squared distances between points (C, features)."""
    squares = (points**2).sum(axis=1)
    return np.asarray(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0))


def build_order(
    distances: Floats, counts: Floats, candidates: NDArray[np.int64], count: int | None = None
) -> NDArray[np.int64]:
    """Returns the candidates in greedy order: each brings the flops closest to the candidates up to it.

    :param distances: (C, C) distances between flops.
    :param counts: (C,) how much each flop counts.
    :param candidates: (N,) places of the flops to order.
    :param count: return only this number of them; None for all.
    """
    nearest = np.full(len(counts), distances.max() + 1.0)
    # A gain only shrinks while flops are added, so an old gain is an upper bound (lazy greedy search).
    heap = [(-np.inf, int(place)) for place in np.sort(candidates)]
    order: list[int] = []
    while heap and (count is None or len(order) < count):
        _, place = heapq.heappop(heap)
        gain = float(counts @ np.maximum(nearest - distances[place], 0.0))
        if heap and (-gain, place) > heap[0]:
            heapq.heappush(heap, (-gain, place))
            continue
        order.append(place)
        nearest = np.minimum(nearest, distances[place])
    return np.array(order, dtype=np.int64)


def k_medoids(distances: Floats, counts: Floats, count: int) -> NDArray[np.int64]:
    """Returns int64 (count,): flops such that all flops are close to one of them, by swaps from a greedy start.

    :param distances: (C, C) distances between flops.
    :param counts: (C,) how much each flop counts.
    """
    medoids = build_order(distances, counts, np.arange(len(counts)), count)
    nearest, second, owner = _assign(distances, medoids)
    for _ in range(_PASSES):
        swapped = False
        for candidate in range(len(counts)):
            if candidate in medoids:
                continue
            to_candidate = distances[candidate]
            # Every flop may move to the candidate; the flops of a removed medoid move to their second nearest.
            gain = float(counts @ np.maximum(nearest - to_candidate, 0.0))
            losses = counts * (np.minimum(second, to_candidate) - np.minimum(nearest, to_candidate))
            changes = gain - np.bincount(owner, weights=losses, minlength=count)
            best = int(np.argmax(changes))
            if changes[best] > 1e-9 * float(counts @ nearest):
                medoids[best] = candidate
                nearest, second, owner = _assign(distances, medoids)
                swapped = True
        if not swapped:
            break
    return np.sort(medoids)


def _assign(distances: Floats, medoids: NDArray[np.int64]) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Returns for every flop the distances to its nearest and second nearest medoid, and which one is nearest."""
    to_medoids = distances[:, medoids]
    owner = np.argmin(to_medoids, axis=1)
    rows = np.arange(len(distances))
    nearest = to_medoids[rows, owner]
    to_medoids[rows, owner] = np.inf
    # Without a second medoid any distance is as good: the only medoid is never kept beside its replacement.
    second = to_medoids.min(axis=1) if len(medoids) > 1 else np.full(len(distances), distances.max() + 1.0)
    return nearest, second, owner


def calibrate(lines: Sequence[LineFigures], places: NDArray[np.int64], start: Floats) -> Floats:
    """Returns weights near given ones with which a subset has nearly the figures of all flops.

    The figures are the share of every texture and, for every line, the mass, the equity and the shares of all actions.

    :param lines: figures of lines with the same flop classes.
    :param places: (N,) the chosen flops.
    :param start: (N,) weights to start from.
    :returns: float64 (N,) positive weights with the sum of the number of flops in all classes.
    """
    counts = flop_counts(lines)
    total = float(counts.sum())
    blocks = [texture_table()[lines[0].classes].astype(np.float64)]
    for line in lines:
        mass = line.mass / float(counts @ line.mass / total)
        blocks += [mass[:, None], (mass * line.equity)[:, None], mass[:, None] * line.shares]
    scaled = [scaled_block(block, counts) for block in blocks]
    figures = np.concatenate([_TEXTURES * scaled[0], *scaled[1:]], axis=1)
    wanted = counts @ figures / total
    # The unknowns are the weights divided by those to start from.
    matrix = (figures[places] * (start / total)[:, None]).T
    stiff = np.sqrt(STIFFNESS * start / total)
    system = np.concatenate([matrix, np.diag(stiff), _SUM_WEIGHT * (start / total)[None]])
    target = np.concatenate([wanted, stiff, [_SUM_WEIGHT]])
    found = lsq_linear(system, target, bounds=(LEAST_WEIGHT, np.inf), method="bvls").x
    weights = found * start
    return np.asarray(weights * (total / weights.sum()))


def texture_shares(classes: NDArray[np.int64], weights: Floats) -> dict[str, float]:
    """Returns the share of the weight that every texture has, by name."""
    found = weights @ texture_table()[classes] / weights.sum()
    return dict(zip(TEXTURES, found.tolist(), strict=True))
