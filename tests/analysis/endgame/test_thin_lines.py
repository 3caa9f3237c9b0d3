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


class FixedPlayer:
    """Our player with given numbers of iterations instead of a time."""

    def __init__(self, packs: PackStrategy, turn: int, river: int) -> None:
        self._live = LiveStrategy(packs, [_Solver(packs, {TURN: turn, RIVER: river})], 60_000)

    def strategy(self, matchstate: MatchState) -> Options:
        return self._live.options(view_of_state(matchstate.state, matchstate.board))[1]


def losses(turn: Turn, iterations: int, river: int = 400) -> list[float]:
    """Returns by position what the best response wins beyond self-play, in percent of the pot."""
    packs = PackPlayer(think_ms=0)
    packs.warm_up()
    assert packs.packs_alone is not None
    player = FixedPlayer(packs.packs_alone, iterations, river)
    ranges = ranges_at(player, GAME, turn)
    none = parse_bet_sizes("")
    played = ask_lines(player, GAME, turn, ranges, ResponderSizes(none, none))
    found = judge_of(judge_spot(turn, 20_000 - turn.pot // 2, played, ranges), played).exploitability()
    pairs = zip(found.best_response_ev_minus_half_pot, found.ev_minus_half_pot, strict=True)
    return [100 * (best - own) / turn.pot for best, own in pairs]


@pytest.mark.slow
def test_a_long_solve_of_a_turn_does_not_wreck_the_rivers(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = losses(THIN, 41)[0], losses(THIN, 600)[0]
    assert long < short + 2
    monkeypatch.setattr(live_strategy, "OPPONENT_TREMBLE", 0.0)
    assert losses(THIN, 600)[0] > long + 10
