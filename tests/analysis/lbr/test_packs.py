"""The fast way to measure players with packs: the same numbers as asking them state by state."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.pack_strategy import EXACT, QUICK, PackStrategy
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.analysis.lbr.opponents import ReportingOpponent
from hedgehog.analysis.lbr.packs import PackOpponent
from hedgehog.analysis.lbr.response import LbrDecision, LocalBestResponse
from hedgehog.analysis.lbr.settings import parse_lbr_setting
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.poker.isomorphism import flop_representative
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.strategies.flop_pack import FlopLine, read_flop_lines
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.translation import SizeMapping
from tests.agent.pack_fixtures import (
    GAME,
    RandomQuickFlops,
    fearful_table,
    random_source,
    random_table,
    write_exact_pack,
)


class PacksAlone:
    """The player that a strategy of packs makes."""

    def __init__(self, packs: PackStrategy) -> None:
        self.packs = packs

    def strategy(self, matchstate: MatchState) -> Options:
        return self.packs.options(matchstate.state.betting_string(), matchstate.board)[1]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[FlopLine]:
    return read_flop_lines(open_pack(write_exact_pack(tmp_path_factory.mktemp("packs") / "exact", None)))


@pytest.fixture(scope="module", params=list(SizeMapping))
def packs(lines: list[FlopLine], request: pytest.FixtureRequest) -> PackStrategy:
    """Random rows that fold so often that the limit on folds counts; all mappings of bets.

    There are quick packs for a third of the flop classes and exact packs for four flops.
    """
    quick = RandomQuickFlops(random_table().tree, range(0, 1755, 3))
    source = random_source([quick], request.param, fearful_table())
    return PackStrategy(source, ExactFlops(GAME, source.tree, lines, request.param))


def random_hands(
    rng: random.Random, packs: PackStrategy, classes: list[int], hands: int
) -> list[tuple[HandState, tuple[int, ...]]]:
    """Returns the decisions of random hands, many with bets of odd sizes, and their boards; some on exact flops."""
    found = []
    for number in range(hands):
        flop = list(flop_representative(int(rng.choice(classes)))) if number % 3 == 0 else []
        deck = [*flop, *rng.sample([card for card in range(52) if card not in flop], 7)]
        state = HandState(GAME)
        while not state.finished:
            board = tuple(deck[: (0, 3, 4, 5)[state.round]])
            found.append((state.copy(), tuple(deck[:5])))
            options = packs.options(state.betting_string(), board)[1]
            live = int(rng.choice(np.flatnonzero(combo_mask(board))))
            action = rng.choices(options.actions, options.probabilities[:, live].tolist())[0]
            limits = state.raise_range()
            if number % 3 == 0 and state.round == 0:
                action = Action("r", 250) if state.max_spent == 100 else CALL  # the line of the exact solutions
            elif limits is not None and rng.random() < 0.2:
                action = Action("r", min(limits[1], round(limits[0] * rng.uniform(1, 4))))
            elif action.kind == "f":
                action = CALL
            state.apply(action)
    return found


@pytest.mark.quick_cases("2")
def test_replies_and_folds_are_those_the_player_reports(packs: PackStrategy, lines: list[FlopLine]) -> None:
    player = PacksAlone(packs)
    fast, slow = PackOpponent(player, packs), ReportingOpponent(player)
    draws = np.random.default_rng(3)
    setting = parse_lbr_setting("56bets:1-4")
    layers: Counter[str] = Counter()
    streets: Counter[int] = Counter()
    mixed = 0
    for state, board in random_hands(random.Random(9), packs, lines[0].classes.tolist(), 54):
        spot = LbrDecision(0, state.acting_position, (0, 1), board, state)
        layers[packs.place(state.betting_string(), spot.visible_board).layer] += 1
        expected = slow.reply(spot)
        reply = fast.reply(spot)
        assert list(reply.actions) == list(expected.actions)
        np.testing.assert_allclose(reply.probabilities, expected.probabilities, atol=1e-12)

        totals = setting.rounds[state.round].raise_totals(state)[::5]
        if totals:
            streets[state.round] += 1
            spot = spot._replace(position=1 - state.acting_position)
            reach = draws.random(NUM_COMBOS) * combo_mask(spot.visible_board)
            equity = draws.random(NUM_COMBOS)
            folds = fast.fold_masses(spot, totals, reach, equity)
            np.testing.assert_allclose(folds, slow.fold_masses(spot, totals, reach, equity), rtol=1e-9, atol=1e-9)
            mixed += bool((folds[:, 0] > 0).any())
    assert min(layers[EXACT], layers[QUICK], streets[0], streets[1], streets[2], streets[3]) >= 5, (layers, streets)
    assert mixed > 50


@pytest.mark.parametrize("setting", ["fcpa:1-4", "56bets:2", "56bets"])
@pytest.mark.quick_cases(every=3)
def test_hands_are_played_alike(packs: PackStrategy, setting: str) -> None:
    player = PacksAlone(packs)
    equities = np.random.default_rng(1).random((NUM_HAND_CLASSES, NUM_HAND_CLASSES))
    fast, slow = (
        LocalBestResponse(GAME, parse_lbr_setting(setting), opponent, equities)
        for opponent in (PackOpponent(player, packs), ReportingOpponent(player))
    )
    for pair in range(6):
        for one, other in zip(fast.play_pair(pair, 2), slow.play_pair(pair, 2), strict=True):
            assert (one.betting, one.chips) == (other.betting, other.chips)
            assert one.integrated == pytest.approx(other.integrated, abs=1e-6)
            assert one.adjusted == pytest.approx(other.adjusted, abs=1e-6)
