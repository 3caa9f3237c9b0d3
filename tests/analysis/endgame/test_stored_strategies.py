"""Strategies that are known in full: the ruler must find what the solver, or plain arithmetic, says of them."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.agent.bots import BOTS
from hedgehog.agent.options import Options
from hedgehog.agent.strategy.shadow import exact_action, situation_of
from hedgehog.analysis.endgame.judge import gain_by_line, judge_of, judge_spot, value_of
from hedgehog.analysis.endgame.lines import ResponderSizes, ask_lines, token_of
from hedgehog.analysis.endgame.turns import Turn
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, node_for_line

GAME = load_gamedef("holdem.nolimit.2p.10bb")
BOARD = tuple(parse_cards("Td9d6hQc"))
NOTHING = parse_bet_sizes("")
ALONE = ResponderSizes(NOTHING, NOTHING)
OOP = "TT,AQs,KQs,JTs,98s,76s,A5s"
IP = "99,AQo,QJs,T9s,87s,A8s,K7s"


class StoredPlayer:
    """Plays the averages of a solve of a turn, in both seats."""

    def __init__(self, solver: PostflopSolver) -> None:
        self._solver = solver

    def strategy(self, matchstate: MatchState) -> Options:
        state, tree = matchstate.state, self._solver.tree
        tokens = []
        for before, action in state.replay():
            if before.round >= 2:
                tokens.append(token_of(action, situation_of(before), before.round_start))
        node = node_for_line(tree, tokens)
        situation = situation_of(state)
        actions = [exact_action(tree, child, situation) for child in tree.children(node)]
        rows = self._solver.node_strategy(node, matchstate.board[4:]).astype(np.float64)
        return Options(actions, rows * combo_mask(matchstate.board))


def _turn_of(gamedef: GameDef, betting: str) -> tuple[Turn, int]:
    state = parse_betting(betting, gamedef)
    return Turn(0, betting, BOARD, sum(state.spent)), min(gamedef.stacks) - state.round_start


@pytest.mark.parametrize(
    ("sizes", "iterations"),
    [pytest.param("75%", 3, marks=pytest.mark.slow), pytest.param("75%", 40, marks=pytest.mark.slow), ("50%,a/a", 40)],
)
def test_a_stored_strategy_has_the_exploitability_that_the_solver_says(iterations: int, sizes: str) -> None:
    turn, behind = _turn_of(GAME, "cc/cc/")
    menu = StreetSizes(parse_bet_sizes(sizes), parse_bet_sizes(sizes))
    tree = build_postflop_tree(TreeConfig(2, turn.pot, behind, (menu, menu), 1.5, 0.2))
    ranges = np.stack([parse_range(OOP), parse_range(IP)]).astype(np.float64) * combo_mask(BOARD)
    solver = PostflopSolver(prepare_tree(tree, BOARD, list(ranges.astype(np.float32))), threads=1)
    solver.run(iterations)
    said = solver.exploitability()
    played = ask_lines(StoredPlayer(solver), GAME, turn, ranges, ALONE)
    spot = judge_spot(turn, behind, played, ranges)
    judge = judge_of(spot, played)
    found = judge.exploitability()
    assert said.pct_pot > 0.1
    assert found.exploitability == pytest.approx(said.exploitability, abs=1e-6 * turn.pot)
    for seat in (0, 1):
        best, own = found.best_response_ev_minus_half_pot[seat], found.ev_minus_half_pot[seat]
        assert best == pytest.approx(said.best_response_ev_minus_half_pot[seat], abs=1e-6 * turn.pot)
        assert own == pytest.approx(said.ev_minus_half_pot[seat], abs=1e-6 * turn.pot)
        gains = gain_by_line(judge, seat)
        assert min(gains.values()) >= -1e-6 * turn.pot
        assert sum(gains.values()) == pytest.approx(best - own, abs=1e-5 * turn.pot)
    assert judge.exploitability() == found  # the split leaves the strategies as they were
    value = value_of(spot, 300)
    assert 0 <= value.bracket < 0.01 * turn.pot
    for seat, worth in enumerate((-value.chips, value.chips)):
        assert found.best_response_ev_minus_half_pot[seat] >= worth - value.bracket


def test_a_caller_loses_what_plain_arithmetic_says() -> None:
    """Against a player who always calls, every hand takes the best of two stakes on every river, and on the turn."""
    turn, behind = _turn_of(GAME, "cc/cc/")
    ranges = np.stack([parse_range(OOP), parse_range(IP)]).astype(np.float64) * combo_mask(BOARD)
    all_in = ResponderSizes(parse_bet_sizes("a/"), parse_bet_sizes("a/"))
    caller = BOTS["call"]()
    played = ask_lines(caller, GAME, turn, ranges, all_in)  # type: ignore[arg-type]
    judge = judge_of(judge_spot(turn, behind, played, ranges), played)
    found = judge.exploitability()
    half, everything = turn.pot / 2, turn.pot / 2 + behind
    for seat in (0, 1):
        won = dealt = 0.0
        own, theirs = ranges[seat], ranges[1 - seat]
        for combo in np.flatnonzero(own):
            hand = np.zeros(NUM_COMBOS, dtype=np.float32)
            hand[combo] = 1
            on_turn = on_river = weight = 0.0
            for card in range(52):
                board = (*BOARD, card)
                if card in BOARD or not combo_mask(board)[combo]:
                    continue
                against = (theirs * combo_mask(board)).astype(np.float32)
                result = range_equity(hand, against, board)
                edge = 2 * result.equity - 1
                share = _met(combo, against)
                on_turn += share * edge * everything
                on_river += share * max(edge * half, edge * everything)
                weight += share
            won += max(on_turn, on_river)
            dealt += weight
        assert found.best_response_ev_minus_half_pot[seat] == pytest.approx(won / dealt, abs=1e-4 * turn.pot)


def _met(combo: int, weights: np.ndarray) -> float:
    """Returns the weight of the combos that share no card with a combo."""
    from hedgehog.poker.cards import COMBO_CARDS

    cards = set(COMBO_CARDS[combo].tolist())
    return float(sum(weights[i] for i in np.flatnonzero(weights) if not cards & set(COMBO_CARDS[i].tolist())))
