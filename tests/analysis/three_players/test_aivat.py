"""AIVAT of three-player limit hold'em: the means over cards are those of an enumeration, and all chips are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.options import Options
from hedgehog.analysis.aivat.replay import replay
from hedgehog.analysis.three_players.aivat import ThreePlayerAivat, _Hand, is_three_player_limit
from hedgehog.analysis.three_players.values import NUM_PLAYERS, StrategyValues
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand, parse_log_line
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, combo_mask, parse_combo
from hedgehog.poker.limit_betting import ACTIONS
from hedgehog.runtime.errors import InputError
from tests.agent.limit_pack_fixtures import THREE, random_limit_table
from tests.solver.blueprint_fixtures import made_up_abstraction

LINE = "STATE:7:rcc/rrcc/crfc/crc:AhKh|7c7d|2s3s/Qs7h2h/3c/9d:{}:a|b|c"


@pytest.fixture(scope="module")
def strategy() -> LimitStrategy:
    cards = made_up_abstraction()
    return LimitStrategy(random_limit_table(THREE, cards.bucket_counts), cards)


@pytest.fixture(scope="module")
def aivat(strategy: LimitStrategy) -> ThreePlayerAivat:
    """Scores with made-up values."""
    found = ThreePlayerAivat(THREE, strategy)
    table, rng = strategy.table, np.random.default_rng(5)
    nodes = table.tree.num_decisions
    sizes = len(table.rows), int(table.first_rows[-1]), int(table.tree.num_actions[:nodes].sum()), nodes
    found.__dict__["values"] = StrategyValues(
        *(rng.uniform(0, 90, (NUM_PLAYERS, size)).astype(np.float16) for size in sizes)
    )
    return found


def logged(line: str = LINE) -> LoggedHand:
    betting = line.split(":")[2]
    assert betting == "rcc/rrcc/crfc/crc"
    return parse_log_line(line.format("-80|120|-40"), THREE)


def played(strategy: LimitStrategy) -> Callable[[MatchState], Options]:
    def options(matchstate: MatchState) -> Options:
        rows = strategy.rows(strategy.index(matchstate.state.betting_string()), matchstate.board)
        rows = np.maximum(rows, 0.01)  # so that any line was possible
        legal = [number for number, action in enumerate(ACTIONS) if matchstate.state.can(action)]
        rows = rows[legal] / rows[legal].sum(axis=0)
        return Options([ACTIONS[number] for number in legal], rows * combo_mask(matchstate.board))

    return options


@pytest.mark.parametrize(
    ("position", "street", "hand"),
    [
        pytest.param(1, 1, "Ac Kd", marks=pytest.mark.slow),
        (0, 2, "Ac Kd"),
        (2, 2, "5c 5d"),
        (0, 3, "5c 5d"),
        (1, 3, "Ac Kd"),
    ],
)
def test_the_mean_over_cards_is_that_of_an_enumeration(
    aivat: ThreePlayerAivat, position: int, street: int, hand: str
) -> None:
    log = logged()
    scored = _Hand(aivat, log, replay(log, [None] * NUM_PLAYERS))
    others = [other for other in range(NUM_PLAYERS) if other != position]
    at = next(number for number, one in enumerate(scored.decisions) if one.street == street)
    node, before = scored.nodes[at], scored.decisions[at].before
    mean = scored._flop_mean if street == 1 else scored._card_mean
    found = mean(node, before, position, others)
    combo, board = parse_combo(hand), () if street == 1 else log.board[: 1 + street]
    gone = {*board, *COMBO_CARDS[combo].tolist(), *(card for other in others for card in log.hole_cards[other])}
    left = [card for card in range(NUM_CARDS) if card not in gone]
    bucket, row = aivat.strategy.cards.bucket, scored._row(node, position)
    rivals = [(scored.combos[other], scored._better(node, other)) for other in others if not before.folded[other]]
    values = []
    for cards in combinations(left, 3 if street == 1 else 1):
        after = (*board, *cards)
        values.append(
            row[bucket(street, after, combo)] + sum(better[bucket(street, after, rival)] for rival, better in rivals)
        )
    assert found[combo] == pytest.approx(float(np.mean(values)), rel=1e-9)


def test_values_of_zero_leave_the_result_of_the_hand_that_was_held(aivat: ThreePlayerAivat) -> None:
    """Without values and without known strategies nothing is corrected but the deal."""
    plain = ThreePlayerAivat(THREE, aivat.strategy)
    values = aivat.values
    plain.__dict__["values"] = StrategyValues(
        *(np.zeros_like(one) for one in (values.actions, values.rows, values.action_means, values.row_means))
    )
    assert plain.score(logged(), [None] * NUM_PLAYERS) == pytest.approx((-80, 120, -40))


def test_known_strategies_are_averaged_over_their_hands(aivat: ThreePlayerAivat, strategy: LimitStrategy) -> None:
    hand = logged()
    known = aivat.score(hand, [played(strategy)] * NUM_PLAYERS)
    held = aivat.score(hand, [None] * NUM_PLAYERS)
    assert len(known) == NUM_PLAYERS
    assert np.abs(np.subtract(known, held)).min() > 1e-6


def test_what_others_are_worth_counts_by_its_share(aivat: ThreePlayerAivat) -> None:
    alone = ThreePlayerAivat(THREE, aivat.strategy, others_share=0.0)
    alone.__dict__["values"] = aivat.values
    assert alone.score(logged(), [None] * 3) != pytest.approx(aivat.score(logged(), [None] * 3))


def test_hidden_cards_and_other_games_are_refused(aivat: ThreePlayerAivat) -> None:
    assert is_three_player_limit(THREE)
    assert not is_three_player_limit(load_gamedef("holdem.nolimit.3p"))
    with pytest.raises(InputError, match="limit hold'em alone"):
        ThreePlayerAivat(load_gamedef("holdem.nolimit.3p"))
    hidden = replace(logged(), hole_cards=((), *logged().hole_cards[1:]))
    with pytest.raises(InputError, match="the cards of all players"):
        aivat.score(hidden, [None] * NUM_PLAYERS)
