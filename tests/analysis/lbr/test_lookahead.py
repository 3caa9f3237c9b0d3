"""Lookahead local best response: its values against plain enumeration, and players whose loss is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.analysis.aivat.ranges import BoardEquities
from hedgehog.analysis.lbr.lookahead import LookaheadResponse
from hedgehog.analysis.lbr.match import LbrJob, make_lbr, play_pairs
from hedgehog.analysis.lbr.opponents import ReportingOpponent
from hedgehog.analysis.lbr.response import LbrDecision, deal_pair
from hedgehog.analysis.lbr.settings import parse_lbr_setting
from hedgehog.analysis.lbr.street import Place, StreetLines
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask, parse_cards
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.evaluation.evaluator import rank_combos, rank_hand
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError

GAME: Final = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
LIMIT: Final = read_gamedef(find_gamedef("holdem.limit.2p.reverse_blinds"))
BOARD: Final = tuple(parse_cards("Qh Jh 2c 7c 5s"))
Rule = Callable[[HandState, tuple[int, ...]], tuple[list[Action], NDArray[np.float64]]]


class RulePlayer:
    """Plays a rule that gives the actions and the probabilities of all combos."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def strategy(self, matchstate: MatchState) -> Options:
        actions, rows = self.rule(matchstate.state, matchstate.board)
        return Options(actions, rows * combo_mask(matchstate.board))


def strengths(board: Sequence[int]) -> NDArray[np.float64]:
    """Share of all combos that a combo beats on a river board."""
    ranks = rank_combos(board)
    return np.searchsorted(np.sort(ranks[ranks > 0]), ranks) / np.count_nonzero(ranks > 0)


def by_strength(state: HandState, board: tuple[int, ...]) -> tuple[list[Action], NDArray[np.float64]]:
    """Checks and calls before the river. There the player bets, raises, calls and folds by strength, never mixed."""
    if len(board) < 5:
        return [CALL], np.ones((1, NUM_COMBOS))
    strong, pot = strengths(board), sum(state.spent)
    raises, limits = sum(action.kind == "r" for _, action in state.actions[3]), state.raise_range()
    bar = 0.97 if raises else 0.75
    total = 0 if limits is None else min(max(state.max_spent + pot // (3 - raises), limits[0]), limits[1])
    weak = (strong < 0.02) if raises else (strong < 0.1)
    bets = np.zeros(NUM_COMBOS, dtype=bool) if limits is None or raises > 1 else (strong >= bar) | weak
    gives_up = (strong < 0.4) & ~bets if state.can_fold() else np.zeros(NUM_COMBOS, dtype=bool)
    rows = {CALL: ~bets & ~gives_up, FOLD: gives_up, Action("r", total): bets}
    taken = {action: row for action, row in rows.items() if row.any()}
    return list(taken), np.array(list(taken.values()), dtype=np.float64)


def lines_of(player: RulePlayer, position: int, board: tuple[int, ...], reach: NDArray[np.float64]) -> StreetLines:
    opponent = ReportingOpponent(player)

    def ask(state: HandState, seen: tuple[int, ...]) -> Options:
        found = opponent.answer(LbrDecision(0, state.acting_position, (), seen, state))
        return Options(list(found.actions), found.probabilities)

    return StreetLines(ask, position, board, float(reach.sum()), BoardEquities(board))


def best_by_hand(rule: Rule, state: HandState, own: int, theirs: dict[int, float], mine: int) -> float:
    """Returns what the best line wins with one hand, from the cards of every pair of hands; only known bets count."""
    if state.finished:
        lost = float(min(state.spent))
        if state.num_folded:
            return sum(theirs.values()) * (-lost if state.folded[mine] else lost)
        rank = rank_hand([*BOARD, *COMBO_CARDS[own].tolist()])
        ranks = {combo: rank_hand([*BOARD, *COMBO_CARDS[combo].tolist()]) for combo in theirs}
        return sum(lost * weight * (int(rank > ranks[c]) - int(rank < ranks[c])) for c, weight in theirs.items())
    actions, rows = rule(state, BOARD)
    if state.acting_position == mine:
        found = [CALL, *(a for a in actions if a.kind == "r"), *([FOLD] if state.can_fold() else [])]
        return max(best_by_hand(rule, state.after(action), own, theirs, mine) for action in found)
    won = 0.0
    for action, row in zip(actions, rows, strict=True):
        left = {combo: weight * float(row[combo]) for combo, weight in theirs.items() if row[combo] > 0}
        if left:
            won += best_by_hand(rule, state.after(action), own, left, mine)
    return won


@pytest.mark.parametrize("position", [0, 1])
def test_the_river_is_a_best_response(position: int) -> None:
    """The values of every hand, and what is won by following the plan against every hand, one by one."""
    reach = np.random.default_rng(5).random(NUM_COMBOS) * combo_mask(BOARD)
    reach[reach < 0.93] = 0.0
    state = parse_betting("r300c/cc/cc/" if position == 0 else "r300c/cc/cc/c", GAME)
    assert state.acting_position == position
    player = RulePlayer(by_strength)
    place = lines_of(player, position, BOARD, reach).walk(state, reach, [500, 600, 20000])
    values = place.solved()
    for own in np.random.default_rng(6).choice(np.flatnonzero(combo_mask(BOARD)), 8, replace=False).tolist():
        cards = set(COMBO_CARDS[own].tolist())
        theirs = {
            combo: float(reach[combo])
            for combo in np.flatnonzero(reach).tolist()
            if not cards & set(COMBO_CARDS[combo].tolist())
        }
        least = best_by_hand(by_strength, state, own, theirs, position)
        assert values[own] >= least - 1e-6 * abs(least)  # bets that the player does not know come on top
        won = sum(weight * followed(place, position, own, combo) for combo, weight in theirs.items())
        assert won == pytest.approx(values[own], rel=1e-6, abs=1e-3)


def test_a_plan_to_be_played_asks_in_the_thinnest_lines() -> None:
    """One hand in 5,000 raises: estimates take its line for a call after the next bet, a plan asks what it does."""
    thin = combo_index(*parse_cards("As Ah"))

    def rarely_raises(state: HandState, _: tuple[int, ...]) -> tuple[list[Action], NDArray[np.float64]]:
        rows = np.ones((1, NUM_COMBOS))
        if state.can_fold() and state.max_spent == 900:
            return [CALL, Action("r", 3000)], np.stack([rows[0] - np.eye(NUM_COMBOS)[thin], np.eye(NUM_COMBOS)[thin]])
        return [FOLD if state.max_spent == 20_000 else CALL], rows

    reach = combo_mask(BOARD).astype(np.float64)
    reach[thin] = 1e-3
    state = parse_betting("r300c/cc/cc/", GAME)
    player = RulePlayer(rarely_raises)
    for exact, after in ((True, FOLD), (False, CALL)):
        lines = lines_of(player, 0, BOARD, reach)
        if exact:
            lines = StreetLines(lines._ask, 0, BOARD, float(reach.sum()), BoardEquities(BOARD), exact=True)
        place = lines.walk(state, reach, [900])
        raised = place.child(Action("r", 900)).child(Action("r", 3000))
        assert raised.own
        assert Action("r", 20_000) not in raised.actions  # with so little at stake it is not raised again
        deeper = lines.walk(raised.state.after(Action("r", 20_000)), raised.reach)
        assert deeper.actions == [after]


def followed(place: Place, position: int, own: int, combo: int) -> float:
    """Returns what the responder wins with a hand against a hand of the player, who never mixes."""
    while not place.state.finished:
        if place.own:
            place = place.children[int(place.best()[own])]
        else:
            actions, rows = by_strength(place.state, BOARD)
            place = place.child(actions[int(np.argmax(rows[:, combo]))])
    lost = float(min(place.state.spent))
    if place.state.num_folded:
        return -lost if place.state.folded[position] else lost
    first, second = (rank_hand([*BOARD, *COMBO_CARDS[c].tolist()]) for c in (own, combo))
    return lost * (int(first > second) - int(first < second))


def test_a_caller_is_bet_into_with_the_better_half() -> None:
    """Every hand with more than half the pot goes all-in on the river; the others check and call nothing."""
    lbr = make_lbr(LbrJob("call", GAME, parse_lbr_setting("fcpa:4"), 1, base="self"))
    pairs = play_pairs(lbr, 5, 0, 3).pairs
    for pair in range(3):
        _, hands, board = deal_pair(pair, 5)
        live = combo_mask(board)
        edge = 2 * np.nan_to_num(equity_vector(live.astype(np.float64), board)) - 1
        expected = float(np.where(edge > 0, 20_000 * edge, 100 * edge)[live].mean())
        assert pairs[pair, :, 1] == pytest.approx([expected] * 2, rel=1e-5)
        ranks = [rank_hand([*board, *hand]) for hand in hands]
        for position in (0, 1):
            won = int(ranks[position] > ranks[1 - position]) - int(ranks[position] < ranks[1 - position])
            bets = edge[combo_index(*hands[position])] > 0
            assert pairs[pair, position, 0] == won * (20_000 if bets else 100)


def test_who_always_folds_gives_back_what_it_takes() -> None:
    """Before its first round the responder plays the player's own strategy, which folds before the flop."""
    lbr = make_lbr(LbrJob("fold", GAME, parse_lbr_setting("fcpa:2-4"), 1, base="self"))
    pairs = play_pairs(lbr, 5, 0, 4).pairs
    assert (pairs[:, :, 0] == [50, -50]).all()
    assert (pairs[:, :, 1] == [50, -50]).all()


@pytest.mark.parametrize(("street", "setting"), [(1, "fcpa:2-4"), (2, "fcpa:3-4"), (3, "fcpa:4")])
def test_who_folds_to_every_bet_is_bet_into(street: int, setting: str) -> None:
    """From the street on where the player folds, every pot is won, with whatever hand."""

    def folds(state: HandState, _: tuple[int, ...]) -> tuple[list[Action], NDArray[np.float64]]:
        return [FOLD if state.round >= street and state.can_fold() else CALL], np.ones((1, NUM_COMBOS))

    lbr = LookaheadResponse(GAME, parse_lbr_setting(setting), ReportingOpponent(RulePlayer(folds)))
    for pair in range(2):
        for hand in lbr.play_pair(pair, 5):
            assert (hand.chips, hand.betting[-1]) == (100, "f"), hand
            assert hand.integrated == pytest.approx(100)


def test_the_own_strategy_wins_nothing() -> None:
    """A setting whose only round nobody reaches is self-play: the results of both seats are exactly opposite."""

    def all_in(state: HandState, _: tuple[int, ...]) -> tuple[list[Action], NDArray[np.float64]]:
        return [Action("r", 20_000) if state.raise_range() else CALL], np.ones((1, NUM_COMBOS))

    lbr = LookaheadResponse(GAME, parse_lbr_setting("fcpa:2-4"), ReportingOpponent(RulePlayer(all_in)))
    for pair in range(3):
        first, second = lbr.play_pair(pair, 5)
        assert abs(first.chips) in (0, 20_000)
        assert first.chips == -second.chips
        assert first.integrated == pytest.approx(0, abs=0.01)  # of 20,000: equities are 32-bit numbers
        assert first.adjusted == pytest.approx(-second.adjusted, abs=0.05)


def test_what_cannot_be_played_is_refused() -> None:
    for game, setting, message in (
        (GAME, "fc", "'fc' begins before the flop: .* expected rounds from 2 on"),
        (GAME, "fcr:2-4", "'fcr:2-4' is for limit games"),
        (LIMIT, "fcr:2-4", "no-limit games only"),
    ):
        with pytest.raises(InputError, match=message):
            make_lbr(LbrJob("call", game, parse_lbr_setting(setting), 1, base="self"))
