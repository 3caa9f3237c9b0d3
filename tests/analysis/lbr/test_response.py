"""Local best response against players whose best response is known, and against plain enumeration."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.player import ReportsStrategy
from hedgehog.analysis.lbr import response as lbr_module
from hedgehog.analysis.lbr.match import LbrJob, estimate_winnings, make_lbr, play_pairs
from hedgehog.analysis.lbr.opponents import ReportingOpponent
from hedgehog.analysis.lbr.response import HandResult, LbrDecision, LocalBestResponse, Reply, search_bets
from hedgehog.analysis.lbr.settings import parse_lbr_setting
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask, parse_cards
from hedgehog.poker.evaluation.equity import class_equities, equity_vector
from hedgehog.poker.evaluation.evaluator import rank_combos, rank_hand
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.runtime.errors import InputError

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
KUHN = read_gamedef(find_gamedef("kuhn.limit.2p"))
BOARD = tuple(parse_cards("Qh Jh 2c 7c 5s"))
OWN = (parse_cards("Qd Td")[0], parse_cards("Qd Td")[1])


class RulePlayer:
    """Plays a rule that gives the actions and the probabilities of all combos."""

    def __init__(self, rule: Callable[[MatchState], tuple[list[Action], NDArray[np.float64]]]) -> None:
        self.rule = rule
        self.asked: list[str] = []

    def strategy(self, matchstate: MatchState) -> Options:
        self.asked.append(matchstate.state.betting_string())
        actions, probabilities = self.rule(matchstate)
        return Options(actions, probabilities * combo_mask(matchstate.board))


def lbr_against(player: ReportsStrategy, setting: str) -> LocalBestResponse:
    return LocalBestResponse(GAME, parse_lbr_setting(setting), ReportingOpponent(player), class_equities())


def strengths(board: Sequence[int]) -> NDArray[np.float64]:
    """Share of all combos that a combo beats on a river board."""
    ranks = rank_combos(board)
    return np.searchsorted(np.sort(ranks[ranks > 0]), ranks) / np.count_nonzero(ranks > 0)


def river_defence(state: MatchState) -> tuple[list[Action], NDArray[np.float64]]:
    """Checks and calls, but folds weak hands to a river bet, more of them the larger it is; some only sometimes."""
    if len(state.board) < 5 or not state.state.can_fold():
        return [CALL], np.ones((1, NUM_COMBOS))
    ask = state.state.max_spent - min(state.state.spent)
    bar = 0.9 * ask / (ask + sum(state.state.spent))
    folding = np.clip((1.3 * bar - strengths(state.board)) / (0.3 * bar), 0, 1)
    return [FOLD, CALL], np.stack([folding, 1 - folding])


# --- settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("betting", "raised_by"),
    [
        ("r230c/cc/", (163, 327, 498, 1001, 2014, 4051, 6161, 12392)),  # found in published logs after r130c
        ("cc/c", (124, 216, 249, 379, 435, 761, 876, 3080, 8194, 9423)),
    ],
)
def test_sizes_are_those_of_the_published_logs(betting: str, raised_by: tuple[int, ...]) -> None:
    state = parse_betting(betting, GAME)
    totals = parse_lbr_setting("56bets:1-4").rounds[state.round].raise_totals(state)
    assert {state.max_spent + by for by in raised_by} <= set(totals)
    assert totals[-1] == 20000
    assert totals == sorted(set(totals))
    assert totals[0] >= state.min_raise_to


def test_settings_say_what_every_round_allows() -> None:
    assert [r.passive for r in parse_lbr_setting("fcpa").rounds] == [True, True, False, False]
    only_flop = parse_lbr_setting("2r56bets").rounds
    assert [len(r.bets) for r in only_flop] == [0, 55, 0, 0]
    assert [r.fold for r in only_flop] == [False, True, True, True]
    assert [r.all_in for r in parse_lbr_setting("fcpa:1-2").rounds] == [True, True, False, False]
    for text in ("", "fcx", "fcpa:4-3", "fcpa:0", "fcpa:", "56bets:1-5", "fc:1-4:2"):
        with pytest.raises(InputError, match="unknown setting"):
            parse_lbr_setting(text)


# --- players whose loss is known -----------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["fcpa", "56bets", "2r56bets", "fcpa:4"])
def test_always_folding_loses_750(setting: str) -> None:
    lbr = make_lbr(LbrJob("fold", GAME, parse_lbr_setting(setting), 1))
    block = play_pairs(lbr, 5, 0, 8)
    assert (block.pairs[:, :, :2] == [[50, 50], [100, 100]]).all()
    estimate = estimate_winnings([block], 100)
    assert estimate.integrated.mean == estimate.chips.mean == 750
    assert abs(estimate.adjusted.mean - 750) < 3 * estimate.adjusted.half_width  # there is no luck to leave out


def test_nothing_is_won_by_checking_down() -> None:
    """A caller and local best response without bets check every hand down: the second hand undoes the first."""
    lbr = make_lbr(LbrJob("call", GAME, parse_lbr_setting("fc:4"), 1))
    pairs = play_pairs(lbr, 5, 0, 40).pairs
    assert set(np.unique(pairs[:, :, 0])) <= {-100.0, 0.0, 100.0}
    assert (pairs[:, :, 0].sum(axis=1) == 0).all()
    assert (np.abs(pairs[:, :, 1]) <= 100).all()


def test_against_a_caller_the_better_hand_goes_all_in() -> None:
    """With wp > 1/2 every chip more is worth 2 wp - 1, so it is all-in; the rest is checked down."""
    lbr = make_lbr(LbrJob("call", GAME, parse_lbr_setting("fcpa:4"), 1))
    rng = random.Random(3)
    for _ in range(30):
        cards = rng.sample(range(52), 9)
        hands, board = ((cards[0], cards[1]), (cards[2], cards[3])), tuple(cards[4:])
        result = lbr.play_hand(0, 0, hands, board, rng)
        ranks = rank_combos(board)
        others = ranks[combo_mask((*hands[0], *board))]
        wp = (1 + np.sign(ranks[combo_index(*hands[0])] - others)).mean() / 2
        spent = 20000 if wp > 0.5 else 100
        assert result.betting == ("cc/cc/cc/r20000c" if wp > 0.5 else "cc/cc/cc/cc")
        assert result.integrated == pytest.approx(spent * (2 * wp - 1), abs=1e-6)
        assert result.chips in {-spent, 0, spent}


# --- against plain enumeration -------------------------------------------------------------------------------------


def enumerate_utilities(
    state: MatchState, own: tuple[int, int], reach: NDArray[np.float64], totals: list[int], player: RulePlayer
) -> list[float]:
    """The exact value of every action on the river, hand by hand: what local best response wins beyond a fold."""
    betting = state.state
    me = betting.acting_position
    held = [c for c in range(NUM_COMBOS) if reach[c] > 0 and not set(COMBO_CARDS[c]) & {*own, *state.board}]
    mine = rank_hand([*own, *state.board])
    share = {c: (1 + np.sign(mine - rank_hand([*COMBO_CARDS[c], *state.board]))) / 2 for c in held}
    weight = sum(reach[c] for c in held)
    values = []
    for total in [betting.max_spent, *totals]:
        fold = np.zeros(NUM_COMBOS)
        pot_if_folded = sum(betting.spent)
        if total > betting.max_spent:
            after = betting.copy()
            after.apply(Action("r", total))
            actions, probabilities = player.rule(state._replace(state=after))
            fold = probabilities[actions.index(FOLD)] if FOLD in actions else fold
        paid = total - betting.spent[me]
        value = 0.0
        for c in held:
            called = share[c] * 2 * total - paid
            value += reach[c] * (fold[c] * pot_if_folded + (1 - fold[c]) * called)
        values.append(value / weight)
    return values


@pytest.mark.parametrize("betting", ["cc/cc/cc/", "cr300c/cc/cr600c/r900", "cc/cc/cc/r20000"])
@pytest.mark.parametrize("own", ["QdTd", "AdKs", "4d3s", "Jc7d"])
def test_river_choice_is_the_best_response(betting: str, own: str) -> None:
    """On the river nothing comes after the answer to a bet: local best response is a best response to it."""
    player = RulePlayer(river_defence)
    cards = parse_cards(own)
    holding = (cards[0], cards[1])
    state = parse_betting(betting, GAME)
    me = state.acting_position
    rng = np.random.default_rng(7)
    reach = rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.3) * combo_mask((*holding, *BOARD))
    spot = LbrDecision(0, 1 - me, (0, 4), BOARD, state)
    choice = lbr_against(player, "56bets").choose(spot, holding, reach)
    totals = choice.raise_totals
    assert len(totals) in {0, 1} or len(totals) > 25
    view = MatchState(me, 0, ((), ()), BOARD, state)
    expected = enumerate_utilities(view, holding, reach, totals, player)
    np.testing.assert_allclose(choice.utilities, expected, rtol=1e-9, atol=1e-6)
    best = max(expected)
    if state.can_fold() and best <= 0:
        assert choice.action == FOLD
    else:
        taken = 1 + totals.index(choice.action.size) if choice.action.kind == "r" else 0
        assert expected[taken] == pytest.approx(best)


@pytest.mark.parametrize("known", [3, 4, 5])
def test_equity_against_every_hand(known: int) -> None:
    lbr = lbr_against(RulePlayer(river_defence), "fc:2-4")
    board = BOARD[:known]
    state = parse_betting("cc/" + "cc/" * (known - 3), GAME)
    ours = np.zeros(NUM_COMBOS)
    ours[combo_index(*OWN)] = 1
    theirs = equity_vector(ours, board)
    equities: dict[int, NDArray[np.float64]] = {}
    reach = combo_mask((*OWN, *board)).astype(np.float64)
    choice = lbr.choose(LbrDecision(0, 1, (0, 4), BOARD, state), OWN, reach, equities)
    (equity,) = equities.values()
    live = reach > 0
    np.testing.assert_allclose(equity[live], 1 - theirs[live], atol=1e-12)
    assert choice.utilities[0] == pytest.approx(200 * equity[live].mean())


class PureByHand:
    """A pure strategy, different for every hand, that folds, calls and raises."""

    def strategy(self, matchstate: MatchState) -> Options:
        state = matchstate.state
        spread = (np.arange(NUM_COMBOS) * 37 + 11 * len(state.betting_string())) % 10
        rows: list[tuple[Action, NDArray[np.bool_]]] = []
        limits = state.raise_range()
        if state.can_fold():
            rows.append((FOLD, spread < 2))
        rows.append((CALL, spread >= (2 if state.can_fold() else 0)))
        if limits is not None and len(state.actions[-1]) < 2:
            pot = min(max(3 * state.max_spent, limits[0]), limits[1])
            rows[-1] = (CALL, rows[-1][1] & (spread < 7))
            rows.append((Action("r", pot), spread >= 7))
        mask = combo_mask(matchstate.board)
        return Options([a for a, _ in rows], np.stack([r & mask for _, r in rows]).astype(np.float64))


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "position"), [("fcpa:4", 0), ("fcpa:4", 1)])
def test_integrating_hands_out_is_unbiased(setting: str, position: int) -> None:
    """Over all hands the player can be dealt, both results have the same mean exactly."""
    lbr = lbr_against(PureByHand(), setting)
    results = []
    for low, high in combinations(sorted(set(range(52)) - {*OWN, *BOARD}), 2):
        hands = (OWN, (low, high)) if position == 0 else ((low, high), OWN)
        results.append(lbr.play_hand(0, position, hands, BOARD, random.Random(0)))
    assert len(results) == 990
    shown = [hand for hand in results if abs(hand.chips - hand.integrated) > 1e-9]
    assert len(shown) > 100
    check_same_mean(results)


@pytest.mark.slow
def test_integrating_rivers_out_is_unbiased() -> None:
    """An all-in on the turn counts with the average of all rivers: the mean over rivers and hands is the same."""
    few = sorted(set(range(52)) - {*OWN, *BOARD[:4]})[::7]
    range_ = [combo_index(low, high) for low, high in combinations(few, 2)]

    def rule(state: MatchState) -> tuple[list[Action], NDArray[np.float64]]:
        held = np.isin(np.arange(NUM_COMBOS), range_)
        if not state.board and state.state.can_fold():
            return [FOLD, CALL], np.stack([~held, held]).astype(np.float64)
        return [CALL], np.ones((1, NUM_COMBOS))

    lbr = lbr_against(RulePlayer(rule), "fcpa:3-4")
    results = []
    for low, high in combinations(few, 2):
        for river in set(range(52)) - {*OWN, *BOARD[:4], low, high}:
            board = (*BOARD[:4], river)
            results.append(lbr.play_hand(0, 0, (OWN, (low, high)), board, random.Random(0)))
    assert {hand.betting for hand in results} == {"cc/cc/r20000c/"}
    assert np.std([hand.integrated for hand in results]) < 1e-6 * 20000
    check_same_mean(results)


def quarters(state: MatchState) -> tuple[list[Action], NDArray[np.float64]]:
    """Bets the river and folds to bets there, by hand; draws once, in quarters. Checks and calls before the river."""
    if len(state.board) < 5:
        return [CALL], np.ones((1, NUM_COMBOS))
    often = np.floor(4.9 * strengths(state.board)) / 4
    if len(state.state.actions[-1]) > 1:
        often = np.round(often)
    if state.state.can_fold():
        return [FOLD, CALL], np.stack([1 - often, often])
    return [CALL, Action("r", 700)], np.stack([1 - often, often])


@pytest.mark.parametrize("position", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("setting", ["fcpa:4", "fc:1-4"])
@pytest.mark.slow_cases("fcpa:4-0")
def test_leaving_luck_out_is_unbiased(monkeypatch: pytest.MonkeyPatch, setting: str, position: int) -> None:
    """Over all hands, rivers and draws of the player, the three results have the same mean exactly."""
    few = sorted(set(range(52)) - {*OWN, *BOARD[:4]})[::8]
    held = np.isin(np.arange(NUM_COMBOS), [combo_index(*pair) for pair in combinations(few, 2)])
    monkeypatch.setattr(lbr_module, "combo_mask", lambda cards: combo_mask(cards) & held)

    class FromTheTurn(LocalBestResponse):
        """The flop and the turn are always the same here: nothing to average over."""

        def _average_over_cards(self, street: int, *arguments: object) -> float | None:
            return super()._average_over_cards(street, *arguments) if street > 1 else None  # type: ignore[arg-type]

    class Dice(random.Random):
        draw = 0.0

        def random(self) -> float:
            return self.draw

    lbr = FromTheTurn(GAME, parse_lbr_setting(setting), ReportingOpponent(RulePlayer(quarters)), class_equities())
    monkeypatch.setattr(lbr, "_hand_equity", functools.cache(lbr._hand_equity))
    results = []
    dice = Dice()
    for theirs in combinations(few, 2):
        for river in set(range(52)) - {*OWN, *BOARD[:4], *theirs}:
            for dice.draw in (0.125, 0.375, 0.625, 0.875):
                hands = (OWN, theirs) if position == 0 else (theirs, OWN)
                results.append(lbr.play_hand(0, position, hands, (*BOARD[:4], river), dice))
    # The own hole cards are always the same here, too.
    adjusted = np.array([hand.adjusted for hand in results]) + lbr._luck_of_hole_cards(OWN, GAME.big_blind)
    integrated = np.array([hand.integrated for hand in results])
    assert adjusted.mean() == pytest.approx(integrated.mean(), abs=1e-6)
    assert adjusted.std() < 0.7 * integrated.std()
    check_same_mean(results)


def test_hole_cards_are_worth_nothing_on_average() -> None:
    lbr = lbr_against(RulePlayer(river_defence), "fc")
    worths = [lbr._luck_of_hole_cards((low, high), 100) for low, high in combinations(range(52), 2)]
    assert np.mean(worths) == pytest.approx(0, abs=1e-6)
    assert np.std(worths) > 50


@pytest.mark.parametrize("known", [pytest.param(0, marks=pytest.mark.slow), 3, 4])
def test_average_over_cards_to_come(known: int) -> None:
    """What is expected of the next cards is the average of what is found after them."""
    lbr = lbr_against(RulePlayer(river_defence), "fc")
    street = {0: 0, 3: 1, 4: 2}[known]
    draws = np.random.default_rng(known)
    by_class = draws.random(NUM_HAND_CLASSES)[HAND_CLASS]
    reach = (by_class if known == 0 else draws.random(NUM_COMBOS)) * combo_mask((*OWN, *BOARD[:known]))
    average = lbr._average_over_cards(street, OWN, BOARD, reach, {})
    if known == 0:
        ours = np.zeros(NUM_COMBOS)
        ours[combo_index(*OWN)] = 1
        assert average == pytest.approx(reach @ np.nan_to_num(1 - equity_vector(ours, ())) / reach.sum(), abs=1e-9)
        reach[combo_index(*parse_cards("Ac Ad"))] *= 0.9  # not every pair of aces is equally likely
        assert lbr._average_over_cards(street, OWN, BOARD, reach, {}) is None
        return
    mass = found = 0.0
    for card in set(range(52)) - {*OWN, *BOARD[:known]}:
        board = (*BOARD[:known], card, *sorted(set(range(52)) - {*OWN, *BOARD[:known], card})[: 4 - known])
        left = reach * combo_mask([card])
        mass += left.sum()
        found += left.sum() * lbr_module._share(left, lbr._equity(street + 1, OWN, board, {}))
    assert average == pytest.approx(found / mass, abs=1e-12)


def check_same_mean(results: list[HandResult]) -> None:
    chips = np.array([hand.chips for hand in results])
    integrated = np.array([hand.integrated for hand in results])
    assert chips.std() > 0
    assert integrated.mean() == pytest.approx(chips.mean(), abs=1e-6)


# --- how players are asked -----------------------------------------------------------------------------------------


def test_every_state_is_asked_once_and_bets_in_order() -> None:
    player = RulePlayer(river_defence)
    lbr = lbr_against(player, "56bets:4")
    hands = (OWN, (parse_cards("Ac Ad")[0], parse_cards("Ac Ad")[1]))
    result = lbr.play_hand(0, 1, hands[::-1], BOARD, random.Random(1))
    assert result.betting.startswith("cc/cc/cc/c")
    assert len(player.asked) == len(set(player.asked))
    bets = [int(betting.rpartition("r")[2]) for betting in player.asked if "r" in betting]
    assert len(bets) > 30
    assert bets == sorted(bets)


def test_the_search_finds_the_best_bet_of_one_hill() -> None:
    totals = list(range(100, 4100, 100))
    for peak in totals:
        asked: list[int] = []

        def utilities_of(bets: Sequence[int], peak: int = peak, asked: list[int] = asked) -> NDArray[np.float64]:
            asked.extend(bets)
            assert list(bets) == sorted(bets)
            return -np.abs(np.array(bets) - peak) / 100

        found = search_bets(totals, utilities_of)
        assert max(found, key=found.__getitem__) == peak
        assert len(asked) == len(set(asked)) == len(found) <= 12
    assert search_bets([700], lambda bets: np.array([1.0])) == {700: 1.0}


def test_a_search_asks_about_fewer_bets_and_finds_nearly_as_much() -> None:
    hands = (OWN, (parse_cards("Ac Ad")[0], parse_cards("Ac Ad")[1]))
    asked, best = [], []
    for setting in ("56bets:4", "56steps:4"):
        player = RulePlayer(river_defence)
        lbr = lbr_against(player, setting)
        spot = LbrDecision(0, 0, hands[1], BOARD, parse_betting("cc/cc/cc/c", GAME))
        choice = lbr.choose(spot, hands[0], combo_mask((*OWN, *BOARD)).astype(np.float64))
        assert len(choice.utilities) == 1 + len(choice.raise_totals)
        assert choice.raise_totals == sorted(choice.raise_totals)
        asked.append(len(player.asked))
        best.append(choice.utilities.max())
    assert asked[1] <= 12
    assert asked[0] > 30
    assert 0.97 * best[0] <= best[1] <= best[0]


def test_answers_about_earlier_hands_are_not_kept() -> None:
    player = RulePlayer(river_defence)
    lbr = lbr_against(player, "fc:1-4")
    for pair in range(3):
        lbr.play_pair(pair, 1)
        assert isinstance(lbr._opponent, ReportingOpponent)
        assert len({key[:1] for key in lbr._opponent._asked}) == 1
        assert len(lbr._opponent._asked) <= 4


def test_replies_do_not_depend_on_asked_order() -> None:
    player = RulePlayer(river_defence)
    opponent = ReportingOpponent(player)
    state = parse_betting("cc/cc/cc/r300", GAME)
    reply = opponent.reply(LbrDecision(0, 1, (0, 4), BOARD, state))
    assert isinstance(reply, Reply)
    np.testing.assert_array_equal(reply.probabilities, player.strategy(MatchState(1, 0, ((), ()), BOARD, state))[1])


def test_players_that_cannot_be_measured_are_refused() -> None:
    setting = parse_lbr_setting("fcpa")
    with pytest.raises(InputError, match="'random' does not report its strategy"):
        make_lbr(LbrJob("random", GAME, setting, 1))
    with pytest.raises(InputError, match="program of its own"):
        make_lbr(LbrJob("cmd:./bot", GAME, setting, 1))
    with pytest.raises(InputError, match="heads-up hold'em with equal stacks"):
        make_lbr(LbrJob("call", KUHN, setting, 1))


def test_preflop_uses_the_equities_of_the_classes() -> None:
    """The button's first decision: all-in with more than half the pot against the caller's range, else call or fold."""
    table = np.random.default_rng(3).random((NUM_HAND_CLASSES, NUM_HAND_CLASSES))
    lbr = LocalBestResponse(GAME, parse_lbr_setting("fcpa:1"), ReportingOpponent(RulePlayer(river_defence)), table)
    state = parse_betting("", GAME)
    for combo in range(0, NUM_COMBOS, 97):
        own = (int(COMBO_CARDS[combo, 0]), int(COMBO_CARDS[combo, 1]))
        reach = combo_mask(own) * (np.arange(NUM_COMBOS) % 31 == 0).astype(np.float64)
        wp = sum(table[HAND_CLASS[combo], HAND_CLASS[c]] for c in np.flatnonzero(reach)) / reach.sum()
        choice = lbr.choose(LbrDecision(0, 0, (0, 4), BOARD, state), own, reach)
        expected = [wp * 150 - (1 - wp) * 50, wp * 350 - (1 - wp) * 250, wp * 20050 - (1 - wp) * 19950]
        np.testing.assert_allclose(choice.utilities, expected)
        assert choice.action == (Action("r", 20000) if wp > 0.5 else CALL if wp > 0.25 else FOLD)
