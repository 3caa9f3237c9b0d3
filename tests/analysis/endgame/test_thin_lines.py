"""More time must not make the player worse: what long solves of turns hardly ever do tells next to nothing of hands."""

from __future__ import annotations

import pytest

from hedgehog.agent.options import Options
from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.strategy import live_strategy
from hedgehog.agent.strategy.hand_view import view_of_state
from hedgehog.agent.strategy.live import Menu, PostflopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.analysis.endgame.judge import judge_of, judge_spot
from hedgehog.analysis.endgame.lines import ResponderSizes, ask_lines
from hedgehog.analysis.endgame.turns import Turn, ranges_at
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.solver.postflop.prepared import PreparedSpot

GAME = load_gamedef()
THIN = Turn(0, "r250c/cr415c/", tuple(parse_cards("4sQd5hQh")), 830)
MENUS = {TURN: (Menu(("75%/100%/", "75%/100%/"), 0),), RIVER: (Menu(("50%,100%,a/100%,a/a",), 0),)}


class _Solver(PostflopLiveSolver):
    """Solves turns and rivers for given numbers of iterations."""

    def __init__(self, packs: PackStrategy, iterations: dict[int, int]) -> None:
        super().__init__(1, packs, menus=MENUS)
        self._fixed = iterations

    def iterations(self, spot: PreparedSpot, plan_ms: float) -> int:
        return self._fixed[spot.street]


class Player:
    """Our player in position 1 with given iterations instead of a time; position 0 only shows what it considers."""

    def __init__(self, packs: PackStrategy, turn: int, river: int) -> None:
        iterations = ({TURN: 12, RIVER: 30}, {TURN: turn, RIVER: river})
        self._live = [LiveStrategy(packs, [_Solver(packs, each)], 60_000) for each in iterations]

    def strategy(self, matchstate: MatchState) -> Options:
        return self._live[matchstate.position].options(view_of_state(matchstate.state, matchstate.board))[1]


def best_response(packs: PackStrategy, turn: int, river: int) -> float:
    """Returns what the best response of position 0 wins, in percent of the pot beyond half of it."""
    player = Player(packs, turn, river)
    ranges = ranges_at(player, GAME, THIN)
    none = parse_bet_sizes("")
    played = ask_lines(player, GAME, THIN, ranges, ResponderSizes(none, none))
    judge = judge_of(judge_spot(THIN, 20_000 - THIN.pot // 2, played, ranges), played)
    return 100 * judge.exploitability().best_response_ev_minus_half_pot[0] / THIN.pot


@pytest.mark.slow
def test_a_long_solve_of_a_turn_does_not_wreck_the_rivers(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a lead that the solution of the turn makes once in a million hands, its ranges alone would be noise."""
    packs = PackPlayer(think_ms=0)
    packs.warm_up()
    assert packs.packs_alone is not None
    short = best_response(packs.packs_alone, 41, 100)
    assert best_response(packs.packs_alone, 600, 100) < short + 1
    monkeypatch.setattr(live_strategy, "OPPONENT_TREMBLE", 0.0)
    assert best_response(packs.packs_alone, 600, 100) > short + 10
