"""A hand abstraction of your own: groups of equally many hands by their mean strength on the boards to come.

Run it as a script, or install it with a package, and ``abstraction: tenths`` in a spot file, ``hedgehog lab
abstractions`` and the player ``default?abstraction=tenths`` know it::

    [project.entry-points."hedgehog.abstractions"]
    tenths = "my_package.hand_abstraction:tenths"
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import hedgehog as hh
from hedgehog.solver.abstraction.board_classes import Boards
from hedgehog.solver.abstraction.hand_values import HandValues
from hedgehog.solver.postflop.spot import ABSTRACTIONS

GROUPS = 10


def tenths(values: HandValues, boards: Sequence[Boards]) -> NDArray[np.int64]:
    """Ten groups of equally many hands by their mean strength on the boards to come."""
    rows = np.concatenate([values.rows(some) for some in boards])
    strength = np.ma.masked_less(values.strength[rows], 0)  # -1 where the board blocks the hand
    mean = strength.mean(axis=0).filled(-1.0)
    cuts = np.quantile(mean[mean >= 0], np.arange(1, GROUPS) / GROUPS)
    return np.searchsorted(cuts, mean, side="right")


if __name__ == "__main__":
    ABSTRACTIONS.register("tenths", tenths)
    text = hh.example_spots()["river"].read_text()
    print("abstraction   exploitability after 200 iterations, % of the pot")
    for name in ("", "rank-river", "tenths"):
        spot = hh.parse_spot(text + (f"\nabstraction: {name}\n" if name else ""))
        found = hh.solve(spot, 0.001, 200).exploitability()
        print(f"{name or 'every hand':<13} {found.pct_pot:.3f}")
