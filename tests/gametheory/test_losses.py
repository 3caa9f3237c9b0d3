"""Losses of decisions and luck add up to the result, and their expectations to what OpenSpiel says."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pyspiel
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedgehog.gametheory.examples import EXAMPLES
from hedgehog.gametheory.losses import LossLine, decision_values, expected_loss, loss_lines
from hedgehog.gametheory.strategies import best_response, expected_payoffs, realisation_weights, uniform_profile
from hedgehog.gametheory.tree import CHANCE, LEAF, ExtensiveGame, Floats
from hedgehog.runtime.errors import GameError
from tests.gametheory.random_games import GAMES


def behaviour(game: ExtensiveGame, player: int, chances: dict[str, float] | None = None, **first: str) -> Floats:
    """Returns a strategy: the last action named in ``first`` that an information set has, or given chances of it."""
    found = np.zeros(game.sequences[player].number)
    found[0] = 1
    side = game.sequences[player]
    for row, number in enumerate(side.infosets):
        infoset = game.infosets[number]
        start = int(side.first[row])
        if chances is not None:
            p = chances[infoset.name]  # of the last action
            found[start : start + 2] = 1 - p, p
        else:
            order = [a for a in first["order"].split() if a in infoset.actions]
            found[start + infoset.actions.index(order[0])] = 1
    return found


def kuhn_equilibrium(game: ExtensiveGame, alpha: float) -> tuple[Floats, Floats]:
    first = {"J": alpha, "Q": 0, "K": 3 * alpha, "J check bet": 0, "Q check bet": alpha + 1 / 3, "K check bet": 1}
    second = {"J check": 1 / 3, "Q check": 0, "K check": 1, "J bet": 0, "Q bet": 1 / 3, "K bet": 1}
    return behaviour(game, 0, first), behaviour(game, 1, second)


# Hero, alpha, value of the best response, winnings of s1, sum of its losses for uniform, call and bet: from a program
# that shares no code with Hedgehog.
KUHN = [
    (0, 0.2, -0.055556, (-0.166667, -0.222222, -0.111111), (0.111111, 0.166667, 0.055556)),
    (1, 0.2, 0.055556, (-0.122222, -0.133333, -0.111111), (0.177778, 0.188889, 0.166667)),
    (1, 0.0, 0.055556, (-0.055556, 0.0, -0.111111), (0.111111, 0.055556, 0.166667)),
    (1, 1 / 3, 0.055556, (-0.166667, -0.222222, -0.111111), (0.222222, 0.277778, 0.166667)),
    (0, math.nan, 0.5, (0.125, 0.0, 0.5), (0.375, 0.5, 0.0)),
]


@pytest.mark.parametrize(("hero", "alpha", "best", "wins", "losses"), KUHN)
def test_kuhn(
    hero: int, alpha: float, best: float, wins: tuple[float, float, float], losses: tuple[float, float, float]
) -> None:
    game = EXAMPLES["kuhn"].build()
    uniform = uniform_profile(game)
    profile = list(uniform if math.isnan(alpha) else kuhn_equilibrium(game, alpha))
    values = decision_values(game, profile, hero)
    assert values.value == pytest.approx(best, abs=1e-6)
    strategies = [
        uniform[hero],
        behaviour(game, hero, order="call check"),
        behaviour(game, hero, order="bet call"),
    ]
    for strategy, won, lost in zip(strategies, wins, losses, strict=True):
        played = [strategy if p == hero else own for p, own in enumerate(profile)]
        assert expected_payoffs(game, played)[hero] == pytest.approx(won, abs=1e-6)
        assert expected_loss(game, values, strategy) == pytest.approx(lost, abs=1e-6)


def test_an_equilibrium_loses_nothing_and_its_own_continuation_gives_signed_losses() -> None:
    game = EXAMPLES["kuhn"].build()
    own = kuhn_equilibrium(game, 0.2)
    for hero in (0, 1):
        assert expected_loss(game, decision_values(game, own, hero), own[hero]) == pytest.approx(0, abs=1e-12)
    uniform = uniform_profile(game)
    signed = decision_values(game, uniform, 0, continuation=own[0])
    strategies = [uniform[0], behaviour(game, 0, order="call check"), behaviour(game, 0, order="bet call")]
    for strategy, lost in zip(strategies, (-0.002778, 0.122222, -0.377778), strict=True):
        assert expected_loss(game, signed, strategy) == pytest.approx(lost, abs=1e-6)


def test_what_the_others_never_lead_to_has_no_value() -> None:
    """With alpha 0 player 1 never bets, so the answers of player 2 to a bet have none: 0.5 decisions of a play."""
    game = EXAMPLES["kuhn"].build()
    values = decision_values(game, kuhn_equilibrium(game, 0.0), 1)
    side = game.sequences[1]
    unknown = {
        game.infosets[n].name for row, n in enumerate(side.infosets) if np.isnan(values.losses[int(side.first[row])])
    }
    assert unknown == {"J bet", "Q bet", "K bet"}
    lines = loss_lines(game, values)
    assert sum(math.isnan(line.loss) for line in lines) == 12  # six deals, fold or call


# Hero, value of the best response, then winnings, losses and standard deviations of chips and loss for uniform, call,
# raise and the strategy of s2 itself, against OpenSpiel's CFR+ after 200 iterations.
LEDUC = {
    0: (-0.082164, [
        (-0.845445, 0.763281, 4.57, 1.76), (-0.761742, 0.679577, 4.16, 1.31),
        (-0.496189, 0.414025, 6.21, 1.05), (-0.085360, 0.003196, 3.51, 0.049),
    ]),
    1: (0.092090, [
        (-0.590707, 0.682797, 4.16, 1.56), (-0.510704, 0.602794, 3.30, 1.13),
        (-0.185262, 0.277352, 7.17, 0.70), (0.085360, 0.006730, 3.51, 0.060),
    ]),
}  # fmt: skip


@cache
def spiel_leduc() -> tuple[float, tuple[Floats, Floats]]:
    """Returns OpenSpiel's NashConv of its CFR+, and the strategies on our tree."""
    theirs = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    game = EXAMPLES["leduc"].build()
    found = uniform_profile(game)

    def walk(node: int, state: pyspiel.State) -> None:
        mover = int(game.mover[node])
        if mover == LEAF:
            index = int(np.searchsorted(game.leaves, node))
            assert state.returns() == pytest.approx(game.payoffs[index].tolist())
            return
        chances = {} if mover == CHANCE else policy.action_probabilities(state)
        for child in game.child_lists[node]:
            label = game.labels[child]
            if mover == CHANCE:  # the other card of the rank is worth the same
                ranks = {"J": (0, 1), "Q": (2, 3), "K": (4, 5)}[label]
                action = next(action for action in state.legal_actions() if action in ranks)
            else:
                action = {"fold": 0, "check": 1, "call": 1, "bet": 2, "raise": 2}[label]
                found[mover][int(game.node_sequence[mover, child])] = chances[action]
            walk(child, state.child(action))

    walk(0, theirs.new_initial_state())
    return float(pyspiel.nash_conv(theirs, policy)), (found[0], found[1])


def _distribution(game: ExtensiveGame, profile: list[Floats]) -> Floats:
    """Returns the probability of each leaf."""
    reach = game.leaf_chance.copy()
    for player, own in enumerate(profile):
        reach *= realisation_weights(game, player, own)[game.leaf_sequence[player]]
    return reach


def _sd(values: list[float], chances: Floats) -> float:
    numbers = np.nan_to_num(np.array(values))
    return float(np.sqrt(chances @ numbers**2 - (chances @ numbers) ** 2))


@pytest.mark.parametrize("hero", [0, 1])
@pytest.mark.slow
def test_leduc(hero: int) -> None:
    game = EXAMPLES["leduc"].build()
    _, solved = spiel_leduc()
    values = decision_values(game, solved, hero)
    best, rows = LEDUC[hero]
    assert values.value == pytest.approx(best, abs=1e-6)
    lines = loss_lines(game, values)
    strategies = [
        uniform_profile(game)[hero],
        behaviour(game, hero, order="call check"),
        behaviour(game, hero, order="raise bet call"),
        solved[hero],
    ]
    for strategy, (won, lost, sd_chips, sd_loss) in zip(strategies, rows, strict=True):
        profile = [strategy if p == hero else own for p, own in enumerate(solved)]
        assert expected_payoffs(game, profile)[hero] == pytest.approx(won, abs=1e-6)
        assert expected_loss(game, values, strategy) == pytest.approx(lost, abs=1e-6)
        chances = _distribution(game, profile)
        assert chances @ [line.loss for line in lines] == pytest.approx(lost, abs=1e-6)
        assert chances @ [line.luck for line in lines] == pytest.approx(0, abs=1e-12)
        assert _sd([line.result for line in lines], chances) == pytest.approx(sd_chips, abs=0.006)
        assert _sd([line.loss for line in lines], chances) == pytest.approx(sd_loss, abs=0.006)


def test_own_losses_add_up_to_nash_conv() -> None:
    game = EXAMPLES["leduc"].build()
    nash_conv, solved = spiel_leduc()
    own = [expected_loss(game, decision_values(game, solved, hero), solved[hero]) for hero in (0, 1)]
    assert nash_conv == pytest.approx(0.009926259, abs=1e-9)
    assert sum(own) == pytest.approx(nash_conv, abs=1e-9)


def _adds_up(line: LossLine) -> bool:
    return abs(line.result - line.value - line.luck + line.loss) < 1e-9


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(GAMES, st.integers(0, 1), st.integers(0, 2**32 - 1))
def test_every_play_adds_up(game: ExtensiveGame, hero: int, seed: int) -> None:
    """In any game, against any strategies, for any continuation; losses against a best response are never negative."""
    rng = np.random.default_rng(seed)
    profile = list(uniform_profile(game))
    for side, own in zip(game.sequences, profile, strict=True):
        for start, size in zip(side.first, side.size, strict=True):
            own[start : start + size] = rng.dirichlet(np.ones(size))
    hero %= len(game.players)
    best = decision_values(game, profile, hero)
    assert best.value == pytest.approx(best_response(game, profile, hero).value, abs=1e-9)
    assert (best.losses >= -1e-12).all()
    signed = decision_values(game, profile, hero, continuation=profile[hero])
    for values in (best, signed):
        assert all(map(_adds_up, loss_lines(game, values)))
        expected = values.value - expected_payoffs(game, profile)[hero]
        assert expected_loss(game, values, profile[hero]) == pytest.approx(expected, abs=1e-9)


def test_a_strategy_that_does_not_fit_is_refused() -> None:
    game = EXAMPLES["kuhn"].build()
    values = decision_values(game, uniform_profile(game), 0)
    with pytest.raises(GameError, match="expected 13 probabilities"):
        expected_loss(game, values, np.ones(3))
    with pytest.raises(GameError, match="expected 13 probabilities"):
        decision_values(game, uniform_profile(game), 0, continuation=np.ones(3))
