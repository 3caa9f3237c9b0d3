"""hedgehog.solver.blueprint.report on strategies set by hand: ranges, blockers, bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.solver.blueprint.report import gate_faults, main_spot_steps, main_spots, preflop_decision
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import SMALL, STANDARD, BlueprintMenu

JAM_OR_FOLD = BlueprintMenu(
    opens=(), isolations=(), reraises=((),), bets=((), (), ()), raises=(((),), ((),), ((),)), limp=False
)


class ByHand:
    """A blueprint before the flop: chosen rows at the main spots, elsewhere a fold or check."""

    def __init__(self, menu: BlueprintMenu, **rows: list[float]) -> None:
        """:param rows: by the first letters of the actions that lead there (``root`` for none): bytes by action."""
        self.tree = build_blueprint_tree(menu)
        steps = {"root": (), "c": (1,), "r": (2,), "rr": (2, 2), "rrr": (2, 2, 2), "a": (-1,)}
        self._rows: dict[int, NDArray[np.uint8]] = {}
        for name, row in rows.items():
            node = 0
            for step in steps[name]:
                node = self.tree.children(node)[step]
            self._rows[node] = np.tile(np.array(row, dtype=np.uint8), (169, 1))

    def block(self, node: int) -> NDArray[np.uint8]:
        default = np.zeros((169, int(self.tree.num_children[node])), dtype=np.uint8)
        default[:, 0] = 255
        return self._rows.get(node, default)


SOUND = {
    "root": [25, 51, 179, 0],
    "r": [89, 127, 39, 0],
    "rr": [120, 115, 20, 0],
    "a": [240, 15],
}


def test_a_sound_strategy_passes() -> None:
    assert gate_faults(ByHand(SMALL, **SOUND)) == []


@pytest.mark.parametrize(
    ("spot", "row", "fault"),
    [
        ("root", [51, 51, 153, 0], "the button folds first in 20.0% of hands, expected 0.0% to 15.0%"),
        ("root", [0, 51, 201, 3], "the button open-jams 1.2%"),
        ("r", [51, 153, 51, 0], "the big blind folds to an open 20.0%"),
        ("r", [153, 51, 51, 0], "the big blind folds to an open 60.0%"),
        ("rr", [170, 85, 0, 0], "the button folds to a 3-bet 66.7% of hands, expected 37.0% to 57.0%"),
        ("rr", [51, 204, 0, 0], "the button folds to a 3-bet 20.0%"),
        ("a", [255, 0], "the big blind calls an open-jam 0.0%"),
    ],
)
def test_every_bound(spot: str, row: list[float], fault: str) -> None:
    faults = gate_faults(ByHand(SMALL, **SOUND | {spot: row}))
    assert len(faults) == 1
    assert faults[0].startswith(fault)


def test_what_nobody_gets_to_is_not_judged() -> None:
    """A button that always limps never meets a 3-bet; a big blind that is never raised still has all its hands."""
    always_limps = ByHand(SMALL, **SOUND | {"root": [0, 255, 0, 0], "rr": [255, 0, 0, 0]})
    assert gate_faults(always_limps) == []


def test_menus_without_some_spots() -> None:
    jams = ByHand(JAM_OR_FOLD, root=[250, 5])
    assert set(main_spots(jams)) == {"button first in", "big blind against an open-jam"}
    assert [fault.split(" of")[0] for fault in gate_faults(jams)] == [
        "the button folds first in 98.0%",
        "the button open-jams 2.0%",
        "the big blind calls an open-jam 0.0%",
    ]


def test_the_smallest_raise_stands_for_all() -> None:
    tree = build_blueprint_tree(STANDARD)
    steps = main_spot_steps(tree)
    assert steps["button against a 3-bet"] == (2, 2)
    assert list(steps) == list(main_spots(ByHand(SMALL)))
    decision = preflop_decision(ByHand(STANDARD), *steps["big blind against a 4-bet"])
    assert decision.betting == "r250r850r2125"
    assert decision.actions == ("f", "c", "r5313", "r20000")


def test_reach_and_blockers() -> None:
    """The button opens aces alone: the big blind cannot hold two of them as often."""
    by_hand = ByHand(SMALL, **SOUND)
    aces = HAND_CLASS_NAMES.index("AA")
    root = np.zeros((169, 4), dtype=np.uint8)
    root[:, 0], root[aces] = 255, (0, 0, 255, 0)
    by_hand._rows[0] = root
    against_open = preflop_decision(by_hand, 2)
    assert against_open.reach == pytest.approx(np.ones(1326))
    # Six pairs of aces; a combo with k aces leaves C(4 - k, 2) of them.
    assert sorted(set(against_open.weights.tolist())) == [1, 3, 6]
    against_three_bet = preflop_decision(by_hand, 2, 2)
    assert against_three_bet.reach.sum() == 6
    assert against_three_bet.strategy[aces] == pytest.approx(np.array([120, 115, 20, 0]) / 255)
