"""Local best response in limit hold'em: against always folding and always calling, and the settings it accepts."""

from __future__ import annotations

import pytest

from hedgehog.analysis.lbr.match import LbrJob, estimate_winnings, make_lbr, play_pairs
from hedgehog.analysis.lbr.settings import parse_lbr_setting
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.runtime.errors import InputError

GAME = load_gamedef("holdem.limit.2p.reverse_blinds")


def test_always_folding_loses_750() -> None:
    block = play_pairs(make_lbr(LbrJob("fold", GAME, parse_lbr_setting("fcr:1-4"), 1)), 1, 0, 20)
    estimate = estimate_winnings([block], GAME.big_blind)
    # It never folds to nothing, so the big blind is won by a raise and the small blind by a bet or raise, too.
    assert estimate.chips.mean == pytest.approx(750)


@pytest.mark.slow
def test_always_calling_is_bet_whenever_that_is_worth_more() -> None:
    block = play_pairs(make_lbr(LbrJob("call", GAME, parse_lbr_setting("fcr:1-4"), 1)), 1, 0, 250)
    estimate = estimate_winnings([block], GAME.big_blind)
    # The exact best response wins 1,170 mbb per hand.
    assert abs(estimate.adjusted.mean - 1170) < 2.5 * estimate.adjusted.half_width
    assert estimate.adjusted.half_width < 160


@pytest.mark.parametrize("setting", ["fcpa", "56bets:1-4"])
def test_bet_sizes_are_refused_in_limit_games(setting: str) -> None:
    with pytest.raises(InputError, match="expected fc or fcr in a limit game"):
        make_lbr(LbrJob("call", GAME, parse_lbr_setting(setting), 1))


def test_the_fixed_bet_is_refused_in_no_limit_games() -> None:
    no_limit = load_gamedef("holdem.nolimit.2p.reverse_blinds")
    with pytest.raises(InputError, match="is for limit games"):
        make_lbr(LbrJob("call", no_limit, parse_lbr_setting("fcr:1-4"), 1))


@pytest.mark.parametrize("game", ["holdem.limit.3p", "leduc.limit.2p"])
def test_other_games_are_refused(game: str) -> None:
    with pytest.raises(InputError, match="heads-up hold'em"):
        make_lbr(LbrJob("call", load_gamedef(game), parse_lbr_setting("fc:1-4"), 1))
