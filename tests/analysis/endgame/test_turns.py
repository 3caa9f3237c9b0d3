"""Turns are drawn in proportion to their pots, and the same for everybody."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hedgehog.agent.bots import BOTS
from hedgehog.analysis.endgame.summary import spread
from hedgehog.analysis.endgame.turns import Turn, draw_by_pot, play_to_turn, ranges_at, sample_turns
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import combo_mask
from hedgehog.runtime.errors import InputError

GAME = load_gamedef()


def test_a_turn_is_drawn_as_often_as_its_pot_is_large() -> None:
    turns = [Turn(hand, "cc/cc/", (0, 1, 2, 3), pot) for hand, pot in enumerate((500, 100, 100, 300, 1000))]
    starts = (np.arange(2000) + 0.5) / 2000
    counts = Counter(turn.hand for start in starts for turn in draw_by_pot(turns, 3, start))
    expected = {turn.hand: 3 * 2000 * turn.pot / 2000 for turn in turns}
    assert sum(counts.values()) == 3 * 2000
    assert all(abs(counts[hand] - number) <= 3 for hand, number in expected.items())
    for start in (0.0, 0.3, 0.999):
        pots = [turn.pot for turn in draw_by_pot(turns, 7, start)]
        assert pots == sorted(pots)
        assert len(pots) == 7


def test_hands_of_a_caller_come_to_the_turn_with_small_pots() -> None:
    sample = sample_turns(BOTS["call"](), GAME, 3, seed=5)
    assert sample.hands == sample.turns == 2000
    assert sample.mean_pot == 200
    assert len({turn.hand for turn in sample.drawn}) == 3
    assert {turn.betting for turn in sample.drawn} == {"cc/cc/"}
    again = play_to_turn(BOTS["call"](), GAME, sample.drawn[1].hand, seed=5)
    assert again == sample.drawn[1]
    board = sample.drawn[0].board
    assert np.array_equal(ranges_at(BOTS["call"](), GAME, sample.drawn[0]), [combo_mask(board)] * 2)  # type: ignore[arg-type]


def test_a_player_who_never_gets_there_has_no_turns() -> None:
    with pytest.raises(InputError, match="in none of 2000 hands"):
        sample_turns(BOTS["fold"](), GAME, 3, seed=5)
    turn = Turn(0, "r300c/cc/", (0, 5, 10, 15), 600)
    with pytest.raises(InputError, match="never plays 'r300c/cc/'"):
        ranges_at(BOTS["call"](), GAME, turn)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [1, 2, 5, 8, 40])
def test_an_order_that_is_spread_has_every_turn_once(number: int) -> None:
    turns = [Turn(hand, "", (), hand) for hand in range(number)]
    found = spread(turns)
    assert sorted(found) == turns
    if number == 8:
        assert [turn.hand for turn in found] == [0, 4, 2, 6, 1, 5, 3, 7]
