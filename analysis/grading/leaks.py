"""Where a player's losses come from: kinds of decisions, with intervals over hands and a limit on false discoveries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.hand import GradedHand
from hedgehog.analysis.grading.spots import kinds_of, places_of
from hedgehog.runtime.table import Column, Table

RESAMPLES: Final = 2000
SEED: Final = 1
FALSE_DISCOVERIES: Final = 0.05
MIN_DECISIONS: Final = 30
CONFIDENCE: Final = 0.95
_ROUNDING: Final = 1e-9
_CELLS: Final = 20_000_000
"""Most numbers of a block of resamples."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A kind of decisions, and what it costs beyond what the grader charges our own player there."""

    kind: str
    decisions: int
    mbb_per_hand: float
    """Loss less that of our player's mixture at the same decisions, per hand of the player. For an action, only what
    either loses by this action is counted."""
    low: float
    """Lower end of the 95 % interval (BCa bootstrap over hands), in mbb per hand."""
    high: float
    mbb_without_largest: float
    """Without the largest hundredth of its decisions."""
    bb_per_decision: float
    p_value: float
    """Of the hypothesis that nothing is lost, one-sided: the larger of two. One is that of the bootstrap; the other,
    which few decisions do not mislead, says how often our player's own mixture would lose as much at all of them."""
    found: bool
    """Whether it counts as found, at 5 % of false discoveries (Benjamini and Hochberg 1995)."""


def costs_of(decision: Decision) -> dict[str, float]:
    """Returns by kind what a graded decision costs beyond what our player's mixture does there, in big blinds.

    Actions that were not taken have costs below 0: those with which our player would have been charged. So a player who
    plays as ours costs nothing on average, whatever the kind.
    """
    loss = decision.loss_bb or 0.0
    found: dict[str, float] = {}
    for place in places_of(decision):
        found[place] = loss - (decision.baseline_bb or 0.0)
        found[f"{place}: {decision.action}"] = loss
        for kind, often, lost in _mixture(decision, place):
            found[kind] = found.get(kind, 0.0) - often * lost
    return found


def _mixture(decision: Decision, place: str) -> list[tuple[str, float, float]]:
    """Returns kind, probability and loss of each action in our player's mixture, which loses the baseline on average;
    none if it loses nothing.

    :param place: one of :func:`places_of`.
    """
    best = max((ev for ev, _ in decision.actions.values()), default=0.0)
    whole = sum(often * (best - ev) for ev, often in decision.actions.values())
    scale = (decision.baseline_bb or 0.0) / whole if whole > 0 else 0.0
    if scale <= 0:
        return []
    return [
        (f"{place}: {decision.kind_of(name)}", often, scale * (best - ev))
        for name, (ev, often) in decision.actions.items()
    ]


def find_leaks(hands: Sequence[GradedHand], min_decisions: int = MIN_DECISIONS) -> list[Leak]:
    """Returns the kinds of decisions, the one with the highest lower end first.

    :param hands: the hands that count.
    :param min_decisions: kinds with fewer decisions are left out.
    """
    found: dict[str, list[tuple[int, float]]] = {}
    taken: Counter[str] = Counter()
    counted: list[Decision] = []
    for number, hand in enumerate(hands):
        for decision in hand.decisions:
            if decision.loss_bb is not None and decision.baseline_bb is not None and decision.graded:
                counted.append(decision)
                taken.update(kinds_of(decision))
                for kind, cost in costs_of(decision).items():
                    found.setdefault(kind, []).append((number, cost))
    kept = {kind: costs for kind, costs in sorted(found.items()) if taken[kind] >= min_decisions}
    if not kept:
        return []
    sums = np.zeros((len(hands), len(kept)))
    for column, costs in enumerate(kept.values()):
        np.add.at(sums[:, column], [number for number, _ in costs], [cost for _, cost in costs])
    low, high, p_values = bootstrap_means(sums)
    p_values = np.maximum(p_values, mixture_p_values(counted, dict(zip(kept, sums.sum(axis=0), strict=True))))
    discovered = discoveries(p_values)
    leaks = []
    for column, (kind, costs) in enumerate(kept.items()):
        amounts = sorted(cost for _, cost in costs)
        trimmed = sum(amounts[: len(amounts) - max(1, len(amounts) // 100)])
        leaks.append(
            Leak(
                kind,
                taken[kind],
                1000 * float(sums[:, column].mean()),
                1000 * float(low[column]),
                1000 * float(high[column]),
                1000 * trimmed / len(hands),
                sum(amounts) / taken[kind],
                float(p_values[column]),
                bool(discovered[column]),
            )
        )
    return sorted(leaks, key=lambda leak: (-leak.low, leak.kind))


def bootstrap_means(
    values: NDArray[np.float64], resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Returns the ends of 95 % intervals of column means, and one-sided p-values of their being at most 0.

    The intervals are bias-corrected and accelerated (Efron, "Better bootstrap confidence intervals", 1987).

    :param values: (hands, columns).
    :returns: three arrays (columns,).
    """
    from scipy.special import ndtr, ndtri

    hands, columns = values.shape
    mean = values.mean(axis=0)
    rng = np.random.default_rng(seed)
    boots = np.empty((resamples, columns))
    step = max(1, _CELLS // hands)
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        counts = np.stack([np.bincount(rng.integers(0, hands, hands), minlength=hands) for _ in range(many)])
        boots[start : start + many] = counts @ values / hands
    below = ((boots < mean).sum(axis=0) + (boots == mean).sum(axis=0) / 2) / resamples
    bias = ndtri(np.clip(below, 0.5 / resamples, 1 - 0.5 / resamples))
    # By the jackknife, each value moves the mean in proportion to its distance from it.
    beyond = values - mean
    spread = (beyond**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = np.where(spread > 0, (beyond**3).sum(axis=0) / (6 * spread**1.5), 0.0)
    ends = []
    for tail in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2):
        moved = bias + ndtri(tail)
        places = ndtr(bias + moved / (1 - acceleration * moved))
        ends.append(np.array([np.quantile(boots[:, c], places[c]) for c in range(columns)]))
    return ends[0], ends[1], ((boots <= 0).sum(axis=0) + 1) / (resamples + 1)


def mixture_p_values(
    decisions: Sequence[Decision], lost: Mapping[str, float], draws: int = RESAMPLES, seed: int = SEED
) -> NDArray[np.float64]:
    """Returns how often our player's own mixture would lose as much by each kind at the same decisions, by simulation.

    :param decisions: graded decisions.
    :param lost: by kind, what the decisions cost beyond our player's mixture, in big blinds.
    :returns: (kinds,).
    """
    rng = np.random.default_rng(seed)
    totals = {kind: np.zeros(draws) for kind in lost}
    for decision in decisions:
        places = places_of(decision)
        mixture = _mixture(decision, places[0])
        if not mixture:
            continue
        often, losses = (np.array([row[column] for row in mixture]) for column in (1, 2))
        ends = np.cumsum(often)
        chosen = np.minimum(np.searchsorted(ends, ends[-1] * rng.random(draws), side="right"), len(ends) - 1)
        for place in places:
            rows = [kind for kind, *_ in _mixture(decision, place)]
            for kind in {place, *rows} & totals.keys():
                counts = losses if kind == place else np.where([row == kind for row in rows], losses, 0.0)
                totals[kind] += counts[chosen] - often @ counts
    found = [(totals[kind] >= cost - _ROUNDING).sum() + 1 for kind, cost in lost.items()]
    return np.array(found) / (draws + 1)


def discoveries(p_values: NDArray[np.float64], rate: float = FALSE_DISCOVERIES) -> NDArray[np.bool_]:
    """Returns which hypotheses are rejected at a rate of false discoveries (Benjamini and Hochberg 1995)."""
    order = np.argsort(p_values, kind="stable")
    fits = np.flatnonzero(p_values[order] <= rate * np.arange(1, len(p_values) + 1) / len(p_values))
    found = np.zeros(len(p_values), dtype=np.bool_)
    if len(fits):
        found[order[: fits[-1] + 1]] = True
    return found


def leak_table(leaks: Sequence[Leak]) -> Table:
    """Returns leaks as a table."""

    def signed(value: float) -> str:
        return f"{round(value, 1) + 0.0:+.1f}"

    columns = [
        Column("kind"), Column("decisions"), Column("mbb_per_hand", "mbb/hand", text=signed),
        Column("ci95_low", "from", text=signed), Column("ci95_high", "to", text=signed),
        Column("mbb_without_largest", shown=False),
        Column("bb_per_decision", "BB each", text=lambda value: f"{round(value, 2) + 0.0:+.2f}"),
        Column("p_value", shown=False), Column("found"),
    ]  # fmt: skip
    rows = tuple(
        (one.kind, one.decisions, one.mbb_per_hand, one.low, one.high, one.mbb_without_largest, one.bb_per_decision,
         one.p_value, one.found)
        for one in leaks
    )  # fmt: skip
    note = (
        "loss less what the grader charges our player at the same decisions, lower end of the interval first; "
        "found: at 5 % of false discoveries"
    )
    return Table("leaks", "Leaks", columns, rows, note)
