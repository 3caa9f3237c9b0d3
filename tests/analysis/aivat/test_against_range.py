"""Values of all hands against a range: the same as the values against each of its hands, added up."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.analysis.aivat.against_range import AgainstRange
from hedgehog.analysis.aivat.values import Matchup, shipped_values, spot_of
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.streets import FLOP, RIVER, TURN

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
BOARD = tuple(parse_cards("Qs 7h 6h 2c 9h"))


@pytest.mark.parametrize(
    ("betting", "street"),
    [("r250c/cc/", FLOP), ("r250c/cr500c/", TURN), ("r250c/cr500c/cc/", RIVER), ("cc/r200", FLOP)],
)
@pytest.mark.parametrize("position", [0, 1])
def test_a_range_is_worth_what_its_hands_are(betting: str, street: int, position: int) -> None:
    board, rng = BOARD[: street + 2], np.random.default_rng(3)
    spot = spot_of(parse_betting(betting, GAME), street)
    theirs = rng.choice(np.flatnonzero(combo_mask(board)), 12, replace=False)
    weights = np.zeros(NUM_COMBOS)
    weights[theirs] = rng.random(len(theirs)) + 0.1
    expected = np.zeros(NUM_COMBOS)
    for combo in theirs.tolist():
        low, high = COMBO_CARDS[combo].tolist()
        matchup = Matchup((low, high))
        for known in range(3, len(board) + 1):
            matchup.deal(board[:known])
        expected += weights[combo] * shipped_values().values(spot, matchup, position) * combo_mask((low, high))
    found = AgainstRange(board).values(spot, position, weights)
    live = combo_mask(board)
    scale = np.abs(expected[live]).max()
    assert scale > 10
    # Estimates are cut off at the stack hand by hand there and on average here; in these states none is that large.
    assert np.abs(found - expected)[live].max() < 1e-5 * scale
