"""16-bit storage: how sums are rounded to halves, and that long solves of deep stacks do not stall on it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.jit import njit
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, dither_word, load, store_dithered
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree


@njit(cache=False)
def store_often(out: NDArray[np.uint16], values: NDArray[np.float32]) -> None:
    """Row ``i`` of ``out`` (rows of 16 halves) becomes ``values``, rounded in iteration ``i % 512``."""
    for i in range(out.size // LANES):
        word = dither_word(i // 512 * LANES, i % 512)
        store_dithered(out, i * LANES, load(values, 0), word)


def rounded(values: list[float], times: int = 20_000) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns the values as float32[16] and as float32[times, 16] that went through halves."""
    row = np.zeros(LANES, dtype=np.float32)
    row[: len(values)] = values
    out = np.zeros(times * LANES, dtype=np.uint16)
    store_often(out, row)
    return row, out.view(np.float16).astype(np.float32).reshape(times, LANES)


def test_rounds_to_a_neighbour_without_bias() -> None:
    values, found = rounded([1.0003, -1.0003, 1.0001, 2047.3, -0.77777, 1e-3, 3.3e-4, 100.07, -5000.9])
    values = values[:9]
    step = np.spacing(np.abs(values).astype(np.float16)).astype(np.float32)
    assert (np.abs(found[:, :9] - values) < step).all()
    assert (found[:, :9].std(axis=0) > 0).all()
    # The error of one rounding is at most one step: its mean over 20000 has a deviation of at most 0.5 / sqrt(20000).
    assert np.abs((found[:, :9].mean(axis=0, dtype=np.float64) - values) / step).max() < 0.02


def test_keeps_what_a_half_can_hold_and_saturates() -> None:
    exact = [0.0, -0.0, 1.0, -1.5, 65504.0, -65504.0, 2.0**-14, 1025.0]
    values, found = rounded([*exact, 1e6, -1e6], times=512)
    assert (found[:, : len(exact)] == values[: len(exact)]).all()
    assert (found[:, len(exact)] == 65504).all()
    assert (found[:, len(exact) + 1] == -65504).all()


@pytest.mark.parametrize(
    ("sizes", "bound"),
    # Rounding to the nearest half stalls at 0.099 and 0.115 % of the pot; float32 reaches 0.0013 and 0.024 %.
    [("50%/100%", 0.01), ("100%,a/100%,a", 0.06)],
)
@pytest.mark.parametrize("storage", ["f32", "f16"])
def test_deep_stacks_converge_in_long_runs(sizes: str, bound: float, storage: Storage) -> None:
    menu = parse_bet_sizes(sizes)
    tree = build_postflop_tree(TreeConfig(street=3, pot=400, stack=19800, sizes=(StreetSizes(menu, menu),)))
    hands = parse_range("A9+,KT+,QT+,JT,A4s+,K8s+,Q9s+,J9s+,T9s,55+")
    solver = PostflopSolver(prepare_tree(tree, parse_cards("QhJh2c7d5s"), (hands, hands)), storage=storage)
    solver.run(2000)
    assert solver.exploitability().pct_pot < bound
