"""One hand followed through packs and live solutions: ranges by Bayes' rule, layers, and an answer everywhere."""

from __future__ import annotations

import random
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.hand_view import Event, HandView, view_of
from agent.shadow import Options
from agent.sources import BlueprintSource, FlopPacks, street_start_for_betting
from agent.tracker import BLUEPRINT, LIVE, OPPONENT_FLOOR, HandTracker
from poker.cards import NUM_COMBOS, combo_mask, parse_cards
from poker.errors import SpotError
from poker.gamedef import find_gamedef, read_gamedef
from poker.matchstate import MatchState, parse_matchstate
from poker.state import CALL, Action, HandState
from solver.blueprint_tree import SMALL, build_blueprint_tree
from solver.card_abstraction import CardAbstraction
from strategies.betting_tree import NodeKind
from strategies.blueprint_pack import BlueprintTable, row_offsets
from strategies.quantize import quantize_rows

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
BUCKETS = (5, 7, 6, 4)


class ModuloAbstraction:
    """Buckets that need no tables: the combo's index modulo the number of buckets."""

    def buckets(self, street: int, board: tuple[int, ...]) -> NDArray[np.uint16]:
        buckets = np.arange(NUM_COMBOS) % BUCKETS[street]
        return np.where(combo_mask(board), buckets, 65535).astype(np.uint16)


@pytest.fixture(scope="module")
def blueprint() -> BlueprintSource:
    tree = build_blueprint_tree(SMALL)
    offsets, total = row_offsets(tree, BUCKETS)
    rng = np.random.default_rng(5)
    rows = np.empty(total, dtype=np.uint8)
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        actions, count = int(tree.num_children[node]), BUCKETS[tree.street[node]]
        block = quantize_rows(rng.dirichlet(np.ones(actions), count).astype(np.float32))
        rows[offsets[node] : offsets[node] + block.size] = block.ravel()
    table = BlueprintTable(tree, BUCKETS, rows, offsets, {})
    return BlueprintSource(table, cast(CardAbstraction, ModuloAbstraction()))


def view(text: str) -> HandView:
    return view_of(parse_matchstate(text, GAME), GAME)


def tracker(blueprint: BlueprintSource, draws: random.Random | None = None) -> HandTracker:
    return HandTracker(0, blueprint, FlopPacks(blueprint.tree, []), draws)


def test_preflop_decision_is_the_blueprint_row(blueprint: BlueprintSource) -> None:
    # Position 1 is the button and acts first preflop.
    seen = view("MATCHSTATE:1:0::|AhKh")
    decision = tracker(blueprint).decide(seen, None, 0)
    assert decision.layer == BLUEPRINT
    assert [str(action) for action in decision.options.actions] == ["f", "c", "r250", "r20000"]
    expected = blueprint.strategy(0, ())[:, seen.combo]
    np.testing.assert_allclose(decision.options.probabilities[:, seen.combo], expected, atol=1e-6)


def test_opponents_range_follows_bayes(blueprint: BlueprintSource) -> None:
    follower = tracker(blueprint)
    first = view("MATCHSTATE:0:0:r250:7c7d|")
    follower.acted(follower.decide(first, None, 0), 1)
    flop = view("MATCHSTATE:0:0:r250c/:7c7d|/QhJh2c")
    follower.decide(flop, None, 0)
    row = blueprint.strategy(0, ())[2].astype(np.float64)
    expected = (row + OPPONENT_FLOOR * row.mean()) * combo_mask(flop.board)
    ratio = follower.ranges[1][expected > 0] / expected[expected > 0]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    assert np.all(follower.ranges[1][expected == 0] == 0)


def test_own_range_uses_what_we_really_mixed(blueprint: BlueprintSource) -> None:
    follower = tracker(blueprint)
    decision = follower.decide(view("MATCHSTATE:1:0::|AhKh"), None, 0)
    chosen = decision.options.actions.index(Action("r", 250))
    follower.acted(decision, chosen)
    follower.decide(view("MATCHSTATE:1:0:r250c/c:|AhKh/QdJd2c"), None, 0)
    mixed = decision.options.probabilities[chosen]
    live = combo_mask(parse_cards("QdJd2c"))
    correlation = np.corrcoef(follower.ranges[0 + 1][live], mixed[live])[0, 1]
    assert correlation > 0.999


class OneActionLive:
    """A live solver that always checks or calls with certainty, and counts how often it is asked."""

    def __init__(self) -> None:
        self.solved: list[list[Event]] = []

    def solve(self, view: HandView, events: list[Event], ranges: NDArray[np.float64], deadline: float) -> Any:
        assert ranges.shape == (2, NUM_COMBOS)
        assert not ranges[:, ~combo_mask(view.board)].any()
        self.solved.append(list(events))
        return self

    def options(self, events: list[Event], view: HandView) -> Options | None:
        known = any(len(events) <= len(solved) or not solved for solved in self.solved)
        return Options([CALL], np.ones((1, NUM_COMBOS)), [[]]) if known else None

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        return None


class FailingLive:
    def solve(self, view: HandView, events: list[Event], ranges: NDArray[np.float64], deadline: float) -> Any:
        raise SpotError("no")


def test_turn_is_solved_live_once_per_street(blueprint: BlueprintSource) -> None:
    follower, live = tracker(blueprint), OneActionLive()
    for text in (
        "MATCHSTATE:0:0:r250:7c7d|",
        "MATCHSTATE:0:0:r250c/:7c7d|/QhJh2c",
        "MATCHSTATE:0:0:r250c/cc/:7c7d|/QhJh2c/5s",
        "MATCHSTATE:0:0:r250c/cc/cr777:7c7d|/QhJh2c/5s",
    ):
        decision = follower.decide(view(text), live, 0)
        follower.acted(decision, decision.options.actions.index(CALL))
    assert decision.layer == LIVE
    assert [len(events) for events in live.solved] == [0]


def test_blueprint_answers_when_there_is_no_live_solution(blueprint: BlueprintSource) -> None:
    decision = tracker(blueprint).decide(view("MATCHSTATE:0:0:r250c/cc/:7c7d|/QhJh2c/5s"), FailingLive(), 0)
    assert decision.layer == BLUEPRINT


@pytest.mark.parametrize("randomised", [False, True])
def test_an_answer_for_every_hand_of_a_wild_opponent(blueprint: BlueprintSource, randomised: bool) -> None:
    """Random bets of any legal size by the opponent; our player samples from its mixed strategy."""
    rng = random.Random(11)
    decisions = 0
    for hand in range(150):
        us = hand % 2
        deck = rng.sample(range(52), 9)
        holes: list[tuple[int, ...]] = [(), ()]
        holes[us] = (deck[0], deck[1])
        state = HandState(GAME)
        follower = tracker(blueprint, random.Random(hand) if randomised else None)
        while not state.finished:
            if state.acting_position == us:
                board = tuple(deck[4:9])[: (0, 3, 4, 5)[state.round]]
                seen = view_of(MatchState(us, hand, (holes[0], holes[1]), board, state.copy()), GAME)
                decision = follower.decide(seen, None, 0)
                column = decision.options.probabilities[:, seen.combo]
                assert decision.layer == BLUEPRINT
                assert column.sum() == pytest.approx(1, abs=1e-5)
                for action in decision.options.actions:
                    state.verify(action)
                chosen = rng.choices(range(len(column)), weights=list(column))[0]
                follower.acted(decision, chosen)
                state.apply(decision.options.actions[chosen])
                decisions += 1
            else:
                limits = state.raise_range()
                if limits is not None and rng.random() < 0.45:
                    low, high = limits
                    size = rng.choice([low, high, rng.randint(low, high), min(high, int(low * rng.uniform(1, 3)))])
                    state.apply(Action("r", size))
                else:
                    state.apply(CALL)
    assert decisions > 200


def test_flop_lines_are_found_in_the_blueprint(blueprint: BlueprintSource) -> None:
    tree = blueprint.tree
    limped = street_start_for_betting(tree, "cc")
    raised = street_start_for_betting(tree, "r250c")
    assert limped is not None
    assert raised is not None
    assert tree.committed[limped].tolist() == [100, 100]
    assert tree.committed[raised].tolist() == [250, 250]
    assert street_start_for_betting(tree, "r260c") is None
    assert street_start_for_betting(tree, "c") is None
