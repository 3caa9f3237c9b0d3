"""A CFR rule of your own: discounted CFR whose average leaves out the first iterations.

Run it as a script, or install it with a package, and ``hedgehog solve --algorithm late:wait=20`` knows it::

    [project.entry-points."hedgehog.cfr_rules"]
    late = "my_package.cfr_rule:RULE"
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

import hedgehog as hh
from hedgehog.gametheory import EXAMPLES, GameCfr
from hedgehog.solver import cfr


def late(iterations: NDArray[np.int64], values: Mapping[str, float | int | bool | str]) -> NDArray[np.float64]:
    """Returns the factors of positive regrets, of negative ones and of the average, a row for each iteration."""
    pace = np.maximum(iterations - 1.0, 0) ** 1.5
    counted = np.maximum(iterations - float(values["wait"]), 0)
    average = (counted / (counted + 1)) ** float(values["gamma"])
    return np.stack([pace / (pace + 1), np.full(len(iterations), 0.5), average], axis=1)


RULE = cfr.CfrRule(
    "discounted CFR whose average leaves out the first iterations",
    {
        "wait": cfr.Parameter(10, "iterations that the average leaves out", most=1000),
        "gamma": cfr.Parameter(3.0, "exponent of the weight of the iteration in the average", most=20.0),
    },
    schedule=late,
)

if __name__ == "__main__":
    cfr.ALGORITHMS.register("late", RULE)
    river = hh.read_spot(hh.example_spots()["river"])
    print("algorithm  Leduc poker, 100 iterations  a river, 20 iterations")
    for name in ("dcfr", "late"):
        leduc = GameCfr(EXAMPLES["leduc"].build(), name)
        leduc.step(100)
        found = hh.solve(river, 0.001, 20, algorithm=name).exploitability()
        print(f"{name:<9}  {leduc.exploitability():>27.4f}  {found.pct_pot:>15.3f} % pot")
