"""DIVAT of single decisions: the worked hand, and sums that hold for every hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hedgehog.analysis.judging.decisions import judged_decisions
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import Judge
from hedgehog.analysis.judging.judgement import hand_judgement
from hedgehog.analysis.judging.settings import PUBLISHED
from hedgehog.poker.acpc.gamedef import load_gamedef, parse_gamedef
from hedgehog.runtime.errors import InputError
from tests.analysis.judging.judging_fixtures import LIMIT, random_hand, worked_hand

SHORT = parse_gamedef(
    "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 4\nstack = 95 130\nblind = 10 5\nraiseSize = 10 10 20 20\n"
    "firstPlayer = 2 1 1 1\nmaxRaises = 3 4 4 4\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 2\n"
    "numBoardCards = 0 3 1 1\nEND GAMEDEF\n"
)


def test_the_worked_hand() -> None:
    one = worked_hand()
    found = list(judged_decisions(Judge().judge([one]), 0, one, PUBLISHED))
    shown = [(one.street, "AB"[one.player], one.action, one.baseline, round(one.divat, 4)) for one in found]
    assert shown == [
        (0, "B", "r", "c", 0.2073),
        (0, "A", "r", "r", 0.0),
        (0, "B", "c", "c", 0.0),
        (1, "A", "k", "b", -0.5273),
        (1, "B", "b", "k", 1.0545),
        (1, "A", "r", "r", 0.0),
        (1, "B", "c", "c", 0.0),
        (2, "A", "b", "b", 0.0),
        (2, "B", "c", "f", 0.7273),
        (3, "A", "b", "b", 0.0),
        (3, "B", "r", "r", 0.0),
        (3, "A", "c", "c", 0.0),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_decisions_add_up_to_the_streets(seed: int) -> None:
    rng = random.Random(seed)
    hands = [SeatedHand(random_hand(rng, game), position) for game in (LIMIT, SHORT) for position in (0, 1) * 15]
    judged = Judge().judge(hands)
    for index, one in enumerate(hands):
        sums = np.zeros(4)
        for decision in judged_decisions(judged, index, one, PUBLISHED):
            sums[decision.street] += decision.divat
            if decision.action == decision.baseline:
                assert decision.divat == pytest.approx(0, abs=1e-12)
        streets = hand_judgement(judged, index, one).streets
        for street, found in enumerate(streets):
            assert found.divat is not None
            assert sums[street] == pytest.approx(found.divat, abs=1e-9)


def test_no_limit_hands_are_refused() -> None:
    one = SeatedHand(random_hand(random.Random(1), load_gamedef("holdem.nolimit.2p.reverse_blinds")), 0)
    with pytest.raises(InputError, match="limit games only"):
        list(judged_decisions(Judge().judge([one]), 0, one, PUBLISHED))
