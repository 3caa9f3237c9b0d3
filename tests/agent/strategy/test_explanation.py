"""Where our player says its strategy comes from, against the strategy itself and the rules of translation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.bots import CallBot
from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.player import ExplainsStrategy, ReportsStrategy
from hedgehog.agent.strategy.explanation import betting_to
from hedgehog.agent.strategy.hand_view import view_of
from hedgehog.agent.strategy.live_strategy import LIVE, LiveStrategy
from hedgehog.agent.strategy.pack_strategy import BLUEPRINT, EXACT, QUICK, PackStrategy
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.analysis.packs.decision_words import reasons
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_mask, parse_cards
from hedgehog.poker.state import FOLD
from hedgehog.poker.streets import RIVER
from hedgehog.strategies.betting_tree import NodeKind
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.translation import translate_size
from tests.agent.pack_fixtures import GAME, random_source, shipped_digest, write_exact_pack

DRAWN = tuple(parse_cards("QsJh2h5c9d"))
DECISIONS = (
    "",
    "r250",
    "r230",
    "r333r1000",
    "r250c/cr400",
    "r250c/r777",
    "cc/r230c/r500",
    "r230c/cr350c/cr600r1500",
    "r250c/cr400c/cc/r5000",
)


def state_of(betting: str) -> MatchState:
    state = parse_betting(betting, GAME)
    return MatchState(state.acting_position, 0, ((), ()), DRAWN[: (0, 3, 4, 5)[state.round]], state)


@pytest.fixture(scope="module")
def from_packs() -> PackPlayer:
    player = PackPlayer(think_ms=0)
    player.warm_up()
    player.new_match(GAME, 0)
    return player


def test_who_explains(from_packs: PackPlayer) -> None:
    assert isinstance(from_packs, ExplainsStrategy)
    assert not isinstance(CallBot(), ExplainsStrategy)
    assert isinstance(CallBot(), ReportsStrategy)


@pytest.mark.parametrize("betting", DECISIONS)
def test_an_explanation_is_about_the_very_strategy(from_packs: PackPlayer, betting: str) -> None:
    asked = state_of(betting)
    explanation = from_packs.explain(asked)
    options = from_packs.strategy(asked)
    assert explanation.options.actions == options.actions
    np.testing.assert_array_equal(explanation.options.probabilities, options.probabilities)
    assert explanation.layer in (BLUEPRINT, QUICK, EXACT)
    assert explanation.iterations == 0
    assert sum(line.weight for line in explanation.lines) == pytest.approx(1)
    assert explanation.ranges.shape == (2, 1326)
    assert explanation.ranges.max(axis=1) == pytest.approx([1, 1])
    assert not explanation.ranges[:, ~combo_mask(asked.board)].any()
    raises = betting.replace("/", "").replace("c", " ").replace("r", " ").split()
    assert [str(one.event.action)[1:] for one in explanation.translations] == raises
    for one in explanation.translations:
        assert sum(size.weight for size in one.sizes) == pytest.approx(1)


def test_the_layer_is_the_one_that_acts(from_packs: PackPlayer) -> None:
    for betting in DECISIONS:
        from_packs.new_match(GAME, 0)
        asked = state_of(betting)
        hole_cards = [(), ()]
        hole_cards[asked.position] = tuple(parse_cards("AcKd"))
        from_packs.act(asked._replace(hole_cards=tuple(hole_cards)), math.inf)
        (layer,) = from_packs.report()["layers"]
        assert layer.split()[1] == from_packs.explain(asked).layer


def test_bets_are_read_by_the_pseudo_harmonic_mapping(from_packs: PackPlayer) -> None:
    (opening,) = from_packs.explain(state_of("r333")).translations
    lines = from_packs._table.packs.blueprint.lines
    choice = lines.choices[0]
    offered = [choice.fractions[i] for i in choice.sized]
    assert opening.pot_frac == pytest.approx(233 / 200)
    expected = [(offered[i], weight) for i, weight in translate_size(offered, 233 / 200)]
    np.testing.assert_allclose([(size.pot_frac, size.weight) for size in opening.sizes], expected)
    assert len(expected) == 2
    assert [size.action.size for size in opening.sizes] == [100 + round(200 * pot_frac) for pot_frac, _ in expected]
    assert not opening.exact
    (known,) = from_packs.explain(state_of(f"r{opening.sizes[0].action.size}")).translations
    assert known.exact


def test_a_tiny_bet_keeps_part_of_the_folds(from_packs: PackPlayer) -> None:
    kept = from_packs.explain(state_of("cc/r200")).folds_kept
    assert 0 < kept <= 1
    assert from_packs.explain(state_of("r250c/cr350")).folds_kept < 1
    assert from_packs.explain(state_of("r250c/cr750")).folds_kept == pytest.approx(1)


def test_the_limit_on_folds_is_explained(from_packs: PackPlayer) -> None:
    """A bet of half the pot on a river on which much of the range is weak: a bluff breaks even against a third."""
    state = state_of("r250c/cc/cc/cr500")._replace(board=tuple(parse_cards("Ts5h8dTc7h")))
    found = from_packs.explain(state)
    weights = found.ranges[state.state.acting_position]
    folding = weights @ found.options.probabilities[found.options.actions.index(FOLD)]
    assert folding == pytest.approx(weights.sum() / 3, rel=0.02)
    assert 0.3 < found.folds_limited < 0.9
    assert any("a bluff with any hand would win at once" in text for text in reasons(found, GAME, RIVER))
    assert from_packs.explain(state_of("r250c/")).folds_limited == 1


def test_abstract_lines_are_lines_of_the_tree(from_packs: PackPlayer) -> None:
    tree = from_packs._table.packs.blueprint.tree
    for node in np.random.default_rng(0).choice(np.flatnonzero(tree.kind == NodeKind.DECISION), 200):
        state = parse_betting(betting_to(tree, int(node)), GAME)
        assert state.acting_position == tree.player[node]
        assert state.spent == tree.committed[node].tolist()
        assert state.round == tree.street[node]
    for betting in DECISIONS:
        asked = state_of(betting)
        for line in from_packs.explain(asked).lines:
            state = parse_betting(line.betting, GAME)
            assert (state.round, state.acting_position) == (asked.state.round, asked.position)


def test_an_exact_flop_has_sizes_of_its_own(tmp_path: Path) -> None:
    player = PackPlayer([default_packs(), write_exact_pack(tmp_path / "exact", shipped_digest())], think_ms=0)
    player.warm_up()
    player.new_match(GAME, 0)
    state = parse_betting("r230c/cr350", GAME)
    asked = MatchState(0, 0, ((), ()), tuple(parse_cards("AsAh7d")), state)
    explanation = player.explain(asked)
    assert explanation.layer == EXACT
    opening, bet = explanation.translations
    assert (opening.layer, bet.layer) == (BLUEPRINT, EXACT)
    assert {line.betting.split("/")[0] for line in explanation.lines} == {"r250c"}
    for line in explanation.lines:
        assert parse_betting(line.betting, GAME).acting_position == 0


def test_leaving_the_tree_is_said(from_packs: PackPlayer) -> None:
    betting = "r200r300r400r500r600r700r800r900r1000r1100"
    assert from_packs.explain(state_of(betting)).left_tree is not None
    assert from_packs.explain(state_of("r250r850")).left_tree is None


def test_ranges_follow_the_own_strategy() -> None:
    source = random_source()
    packs = PackStrategy(source, ExactFlops(GAME, source.tree, []))
    strategy = LiveStrategy(packs)
    first = strategy.explain(view_of("", (), GAME))
    np.testing.assert_array_equal(first.ranges, np.ones((2, 1326)))
    raised = next(number for number, action in enumerate(first.options.actions) if action.kind == "r")
    betting = str(first.options.actions[raised])
    row = first.options.probabilities[raised]
    seen_by_caller = strategy.explain(view_of(betting, (), GAME)).ranges[1]
    expected = packs.likelihood("", (), first.options.actions[raised])
    assert expected is not None
    floored = expected + 0.02 * expected.mean() + 0.001
    np.testing.assert_allclose(seen_by_caller, floored / floored.max())
    then = strategy.explain(view_of(f"{betting}c/c", DRAWN[:3], GAME))
    assert then.options.probabilities.shape[1] == len(row)
    own = (row + 0.002 * row.mean()) / (row + 0.002 * row.mean()).max()
    np.testing.assert_allclose(then.ranges[1] / then.ranges[1].max(), _masked(own), rtol=1e-6)


def _masked(weights: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    live = weights * combo_mask(DRAWN[:3])
    return np.asarray(live / live.max())


def test_a_river_solved_at_the_table() -> None:
    player = PackPlayer(think_ms=300)
    player.warm_up()
    player.new_match(GAME, 0)
    asked = state_of("r230c/cr350c/cc/r600")
    explanation = player.explain(asked)
    assert explanation.layer == LIVE
    assert explanation.iterations > 0
    assert explanation.lines == ()
    # The river's bet is in the live tree; those before it are read through the packs' sizes, the ranges rest on them.
    assert [str(one.event.action) for one in explanation.translations] == ["r230", "r350"]
    np.testing.assert_array_equal(explanation.options.probabilities, player.strategy(asked).probabilities)
