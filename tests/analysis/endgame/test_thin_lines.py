"""More time must not make the player worse: what long solves of turns hardly ever do tells next to nothing of hands."""

from __future__ import annotations

import pytest

from hedgehog.agent.options import Options
from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.strategy import live, live_strategy
from hedgehog.agent.strategy.hand_view import view_of_state
from hedgehog.agent.strategy.live import Menu, PostflopLiveSolver, PreparedStreet
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

GAME = load_gamedef()
FEW_BETS = Menu(("75%/100%/", "75%/100%/"), 0)
MORE_BETS = Menu(("33%,75%,150%,a/100%,a/a", "50%,100%,a/100%,a/a"), 0)
RIVERS = Menu(("50%,100%,a/100%,a/a",), 0)
# A lead of 623 that a solution makes once in a million hands, and one of 1,875 that it makes even more rarely.
LEADS = {
    "623": (Turn(0, "r250c/cr415c/", tuple(parse_cards("4sQd5hQh")), 830), FEW_BETS, 600),
    "1875": (Turn(0, "r250c/cr1250c/", tuple(parse_cards("Ah8c9s2d")), 2500), MORE_BETS, 813),
}


class _Solver(PostflopLiveSolver):
    """Solves turns and rivers for given numbers of iterations."""

    def __init__(self, packs: PackStrategy, menu: Menu, iterations: dict[int, int]) -> None:
        super().__init__(1, packs, menus={TURN: (menu,), RIVER: (RIVERS,)})
        self._fixed = iterations

    def iterations(self, street: PreparedStreet, plan_ms: float) -> int:
        return self._fixed[street.spot.street]


class Player:
    """Our player in position 1 with given iterations instead of a time; position 0 only shows what it considers."""

    def __init__(self, packs: PackStrategy, menu: Menu, turn: int) -> None:
        iterations = ({TURN: 20, RIVER: 30}, {TURN: turn, RIVER: 100})
        self._live = [LiveStrategy(packs, [_Solver(packs, menu, each)], 60_000) for each in iterations]

    def strategy(self, matchstate: MatchState) -> Options:
        return self._live[matchstate.position].options(view_of_state(matchstate.state, matchstate.board))[1]


def best_response(packs: PackStrategy, turn: Turn, menu: Menu, iterations: int) -> float:
    """Returns what the best response of position 0 wins, in percent of the pot beyond half of it."""
    player = Player(packs, menu, iterations)
    ranges = ranges_at(player, GAME, turn)
    none = parse_bet_sizes("")
    played = ask_lines(player, GAME, turn, ranges, ResponderSizes(none, none))
    judge = judge_of(judge_spot(turn, 20_000 - turn.pot // 2, played, ranges), played)
    return 100 * judge.exploitability().best_response_ev_minus_half_pot[0] / turn.pot


@pytest.mark.slow
@pytest.mark.parametrize("lead", LEADS)
def test_a_long_solve_of_a_turn_does_not_wreck_the_rivers(lead: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a lead that the solution of the turn hardly ever makes, its ranges alone would be noise."""
    packs = PackPlayer(think_ms=0)
    packs.warm_up()
    assert packs.packs_alone is not None
    turn, menu, iterations = LEADS[lead]
    short = best_response(packs.packs_alone, turn, menu, 41)
    assert best_response(packs.packs_alone, turn, menu, iterations) < short + 1
    if lead == "1875":
        return  # without trembles its rivers are wrecked by chance: by some numbers of iterations and not by others
    monkeypatch.setattr(live, "_trembling", lambda spot, share: spot)
    monkeypatch.setattr(live_strategy, "OPPONENT_TREMBLE", 0.0)
    monkeypatch.setattr(LiveStrategy, "_promise", lambda *_: None)
    assert best_response(packs.packs_alone, turn, menu, iterations) > short + 1
