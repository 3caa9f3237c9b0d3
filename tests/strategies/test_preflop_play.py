"""Best own play before the flop: the backward sums against forward ones over the player's decisions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.preflop_play import with_best_play
from hedgehog.strategies.preflop_values import Floats, PreflopValues, preflop_reach, preflop_values_beside


@cache
def values(name: str, *, halves: bool = True) -> PreflopValues:
    """Returns a shipped table, if asked for without what tells its two halves of boards apart."""
    folder = default_packs() / name
    found = preflop_values_beside(folder, read_blueprint(open_pack(folder)))
    assert found is not None
    if halves:
        return found
    nodes = {node: replace(one, half_difference=np.zeros_like(one.ev)) for node, one in found.nodes.items()}
    return replace(found, nodes=nodes)


def strategies(of: PreflopValues) -> dict[int, Floats]:
    return {node: one.strategy for node, one in of.nodes.items()}


@pytest.mark.parametrize("name", ["blueprint-20bb", "blueprint"])
@pytest.mark.parametrize("below", [0.01, np.inf])
def test_gains_add_up_forward(name: str, below: float) -> None:
    """What a player gains by other play is the sum, over his decisions, of what it gains there by the old values.

    A decision counts as often as his new play and the opponent's old one lead to it (the lemma of Kakade and Langford).
    """
    old = values(name, halves=False)
    new = with_best_play(old, below)
    tree, mine = old.blueprint.tree, preflop_reach(old.blueprint.tree, strategies(new))
    total = np.zeros(NUM_HAND_CLASSES)
    for node, one in old.nodes.items():
        if int(tree.player[node]) == int(tree.player[0]):
            gain = (new.nodes[node].strategy * one.ev).sum(axis=1) - one.mixed
            total += np.nan_to_num(mine[node][int(tree.player[node])] * one.share * gain)
    assert new.nodes[0].mixed - old.nodes[0].mixed == pytest.approx(total, abs=1e-9)
    assert (total > -1e-9).all() if below == np.inf else True


def test_nothing_changes_where_no_decision_is_replaced() -> None:
    old = values("blueprint")
    new = with_best_play(old, 0.0)
    for node, one in old.nodes.items():
        assert new.nodes[node].ev == pytest.approx(one.ev, nan_ok=True, abs=1e-12)
        assert (new.nodes[node].strategy == one.strategy).all()


def test_hands_that_never_get_there_do_no_harm() -> None:
    """Our player never opens J2o, and has learnt nothing of what to do with it against a re-raise."""
    old = values("blueprint")
    new = with_best_play(old)
    place = HAND_CLASS_NAMES.index("J2o")
    opens = 2  # fold, limp, open
    assert old.nodes[0].strategy[place, opens] < 0.01
    assert new.nodes[0].ev[place, opens] > old.nodes[0].ev[place, opens] + 0.5
    # Hands that are played well already gain next to nothing.
    aces = HAND_CLASS_NAMES.index("AA")
    assert new.nodes[0].ev[aces, opens] == pytest.approx(old.nodes[0].ev[aces, opens], abs=0.2)
