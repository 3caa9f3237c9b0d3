"""hedgehog.analysis.fold_audit: against players whose folding is known, counted by hand."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from hedgehog.agent.bots import PublicBot
from hedgehog.agent.options import Options
from hedgehog.agent.registered import ALL_BOTS
from hedgehog.analysis.fold_audit import (
    BIG_BLIND_SEAT,
    BUTTON,
    AuditedBet,
    Probe,
    audit_folds,
    default_probes,
    probing_action,
)
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.runtime.errors import InputError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


def bot(name: str) -> PublicBot:
    player = ALL_BOTS[name]()
    assert isinstance(player, PublicBot)
    player.new_match(HUNL, 0)
    return player


def audit_one(player: object, position: int, moves: str, *, boards: int = 1, seed: int = 0) -> AuditedBet | None:
    found = audit_folds(
        player,  # type: ignore[arg-type]
        HUNL,
        boards=boards,
        seed=seed,
        probes=[Probe(position, tuple(moves.split()))],
    )
    assert len(found) <= 1
    return found[0] if found else None


class PairsPlayer:
    """Calls bets with pocket pairs only; bets half the pot of every flop it may open with pairs above tens."""

    def strategy(self, matchstate: MatchState) -> Options:
        state = matchstate.state
        ranks = COMBO_CARDS >> 2
        pair = (ranks[:, 0] == ranks[:, 1]).astype(np.float64)
        if state.can_fold():
            return Options([FOLD, CALL], np.stack([1 - pair, pair]))
        if state.round == 1:
            big = pair * (ranks[:, 0] > 8)
            bet = Action("r", state.max_spent + sum(state.spent) // 2)
            return Options([CALL, bet], np.stack([1 - big, big]))
        return Options([CALL], np.ones((1, NUM_COMBOS)))


def live_pairs(board: tuple[int, ...], above: int = -1) -> int:
    """Counts pocket pairs of ranks above ``above`` that miss a board."""
    combos = [(4 * rank + a, 4 * rank + b) for rank in range(above + 1, 13) for a in range(4) for b in range(a)]
    return sum(not set(combo) & set(board) for combo in combos)


def test_preflop_numbers_by_hand() -> None:
    """Pairs are 78 of 1,326 combos; an open to 250 risks 200 for the blinds of 150."""
    bet = audit_one(PairsPlayer(), BIG_BLIND_SEAT, "r250", boards=3)
    assert bet is not None
    fold = 1248 / 1326
    assert (bet.position, bet.line, bet.bet, bet.is_raise, bet.street) == (0, "", "r250", True, 0)
    assert (bet.boards, bet.reach, bet.standard_error_mbb) == (1, 1.0, 0.0)
    assert bet.fold == pytest.approx(fold)
    assert bet.alpha == pytest.approx(200 / 350)
    assert bet.profit_mbb == pytest.approx(10 * (150 * fold - 200 * (1 - fold)))
    assert bet.leak_mbb_per_hand == bet.profit_mbb


def test_the_range_is_carried_along() -> None:
    """Who calls an open with pairs alone never folds afterwards."""
    bet = audit_one(PairsPlayer(), BIG_BLIND_SEAT, "r250 c c 0.75 c c 1.5")
    assert bet is not None
    assert (bet.line, bet.bet, bet.is_raise, bet.street) == ("r250 c/c 0.75 c/c", "1.5", False, 2)
    assert bet.fold == 0.0
    assert bet.alpha == pytest.approx(0.6)
    assert bet.profit_mbb == pytest.approx(-10 * 1.5 * 1250)  # pot 500, then 375 from both
    assert bet.leak_mbb_per_hand == 0.0


def test_averages_over_boards() -> None:
    """The button checks behind all but big pairs and folds all but small ones to a bet on the turn."""
    boards, seed = 6, 4
    bet = audit_one(PairsPlayer(), BUTTON, "c c c c 0.5", boards=boards, seed=seed)
    # The button had to call the blind, with pairs alone: it goes on with those it has not bet.
    assert bet is not None
    assert bet.fold == 0.0
    deals = random.Random(seed)
    dealt = [tuple(deals.sample(range(52), 5)) for _ in range(boards)]
    reach = [(live_pairs(board[:4]) - live_pairs(board[:4], 8)) / math.comb(48, 2) for board in dealt]
    assert bet.reach == pytest.approx(np.mean(reach))
    # The big blind checked its option with everything, and the flop with all but big pairs.
    bet = audit_one(PairsPlayer(), BIG_BLIND_SEAT, "c c c c c 0.5", boards=boards, seed=seed)
    assert bet is not None
    small, other = np.array(
        [
            (live_pairs(board[:4]) - live_pairs(board[:4], 8), math.comb(48, 2) - live_pairs(board[:4]))
            for board in dealt
        ]
    ).T
    assert bet.boards == boards
    assert bet.reach == pytest.approx(np.mean((small + other) / math.comb(48, 2)))
    assert bet.fold == pytest.approx(other.sum() / (small + other).sum())
    profits = 10 * (200 * other - 100 * small) / (small + other)
    weights = (small + other) / (small + other).sum()
    assert bet.profit_mbb == pytest.approx(weights @ profits)
    spread = (weights * (profits - weights @ profits)) ** 2
    assert bet.standard_error_mbb == pytest.approx(math.sqrt(spread.sum() * boards / (boards - 1)))
    assert bet.standard_error_mbb > 0


def test_check_raise_of_its_own_bet() -> None:
    """Half the pot of 200 is bet, with big pairs alone; the raise to 600 risks 500 for 300."""
    bet = audit_one(PairsPlayer(), BUTTON, "c c c B 1", seed=1)
    assert bet is not None
    assert (bet.line, bet.bet, bet.is_raise) == ("c c/c B", "1", True)
    board = tuple(random.Random(1).sample(range(52), 5))[:3]
    assert bet.reach == pytest.approx(live_pairs(board, 8) / math.comb(49, 2))
    assert bet.alpha == pytest.approx(500 / 800)  # call 100, raise by the pot of 400
    assert bet.fold == 0.0


@pytest.mark.parametrize("name", ["fold", "call", "offtree"])
def test_default_probes_against_bots(name: str) -> None:
    """Bots fold all, nothing, or 20 % (2/7 where no raise is legal) of every hand, wherever they are."""
    found = audit_folds(bot(name), HUNL, boards=1, seed=3)
    assert len({(bet.position, bet.line, bet.bet) for bet in found}) == len(found)
    assert found == sorted(found, key=lambda bet: -bet.profit_mbb)
    expected = {"fold": (1.0,), "call": (0.0,), "offtree": (0.2, 2 / 7)}[name]
    assert len(found) > 20
    for bet in found:
        assert min(abs(bet.fold - share) for share in expected) < 1e-9
        assert 0 < bet.alpha < 1
        assert 0 < bet.reach <= 1
        assert (bet.profit_mbb > 0) == (bet.fold > bet.alpha)
    if name == "fold":
        assert {bet.position for bet in found} == {BIG_BLIND_SEAT}  # the button is never there to be bet at
    if name == "offtree":
        assert len(found) > 0.8 * len(default_probes())  # but for sizes that its own large bets leave no room for
        assert {bet.street for bet in found} == {0, 1, 2, 3}
        assert {round(bet.fold * 7, 6) for bet in found if bet.bet == "all-in"} == {2}


@pytest.mark.parametrize(
    ("move", "betting", "expected"),
    [
        ("c", "r250", CALL),
        ("min", "", Action("r", 200)),
        ("1", "", Action("r", 300)),
        ("0.5", "r250c/", Action("r", 500)),
        ("0.5", "r250c/r500", Action("r", 1000)),  # call 250 into 750, raise by half of 1,000
        ("r700", "", Action("r", 700)),
        ("r199", "", None),
        ("0.1", "r250c/", None),  # less than a big blind
        ("all-in", "r250c/", Action("r", 20000)),
        ("39", "r250c/", Action("r", 19750)),
        ("39.5", "r250c/", None),  # all-in under another name
        ("1", "r20000", None),
    ],
)
def test_probing_actions(move: str, betting: str, expected: Action | None) -> None:
    assert probing_action(move, parse_betting(betting, HUNL)) == expected


def test_other_games_are_refused() -> None:
    with pytest.raises(InputError, match="heads-up no-limit"):
        audit_folds(bot("fold"), read_gamedef(find_gamedef("holdem.limit.2p.reverse_blinds")), boards=1, seed=0)
