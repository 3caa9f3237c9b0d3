"""Any hand of any game, action by action: chips, legality, text and copies stay consistent whatever is played."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, MAX_ACTIONS_PER_ROUND, NOBODY, Action, HandState
from hedgehog.runtime.errors import MatchError, MatchStateError
from tests.verification.gamedefs import Family, gamedefs

Snapshot = tuple[object, ...]


def snapshot(state: HandState) -> Snapshot:
    """Everything a hand state shows, as values."""
    return (
        state.betting_string(),
        tuple(state.spent),
        tuple(state.folded),
        state.num_folded,
        state.round,
        tuple(map(tuple, state.actions)),
        state.max_spent,
        state.min_raise_to,
        state.acting_position,
        state.finished,
        state.raise_range(),
        state.can_fold(),
    )


class HandMachine(RuleBasedStateMachine):
    """One hand; every rule is one action or a look from outside."""

    @initialize(gamedef=gamedefs(Family(chip_free=True)))
    def start(self, gamedef: GameDef) -> None:
        self.gamedef = gamedef
        self.state = HandState(gamedef)
        self.copies: list[tuple[HandState, Snapshot]] = []

    def apply(self, action: Action) -> None:
        """Performs a legal action and checks how the state moved on."""
        state = self.state
        before = state.copy()
        position = before.acting_position
        assert state.can(action)
        state.apply(action)
        assert state.actions[before.round][-1] == (position, action)
        assert state.betting_string().startswith(before.betting_string() + str(action))
        assert state.round >= before.round
        others = [p for p in range(self.gamedef.num_players) if p != position]
        assert [state.spent[p] for p in others] == [before.spent[p] for p in others]
        assert [state.folded[p] for p in others] == [before.folded[p] for p in others]
        assert state.folded[position] == (action == FOLD)
        if action == FOLD:
            assert state.spent == before.spent
        elif action == CALL:
            assert state.spent[position] == min(before.max_spent, self.gamedef.stacks[position])
        elif self.gamedef.no_limit:
            assert state.spent[position] == state.max_spent == action.size > before.max_spent
        if self.gamedef.no_limit:
            assert state.max_spent >= before.max_spent
            if state.round == before.round:
                assert state.min_raise_to >= before.min_raise_to

    @precondition(lambda self: not self.state.finished and self.state.can_fold())
    @rule()
    def fold(self) -> None:
        self.apply(FOLD)

    @precondition(lambda self: not self.state.finished)
    @rule()
    def call(self) -> None:
        self.apply(CALL)

    @precondition(lambda self: self.state.raise_range() is not None)
    @rule(where=st.one_of(st.sampled_from([0.0, 0.0, 1.0]), st.floats(0, 1)))
    def raise_to(self, where: float) -> None:
        smallest, largest = self.state.raise_range() or (0, 0)
        self.apply(Action("r", smallest + round(where * (largest - smallest))))

    @rule(kind=st.sampled_from("fcrx "), size=st.one_of(st.integers(-1, 200), st.integers()))
    def try_anything(self, kind: str, size: int) -> None:
        """An action is performed if it is legal, else refused without a trace."""
        state, action = self.state, Action(kind, size)
        limits = state.raise_range()
        legal = {"f": state.can_fold() and size == 0, "c": not state.finished and size == 0}
        legal["r"] = limits is not None and limits[0] <= size <= limits[1]
        assert state.can(action) == legal.get(kind, False)
        if state.can(action):
            self.apply(action)
            return
        before = snapshot(state)
        with pytest.raises(MatchStateError):
            state.apply(action)
        assert snapshot(state) == before

    @rule(swap=st.booleans())
    def copy(self, swap: bool) -> None:
        """Goes on with a copy or with the original; the other one must never change."""
        other = self.state.copy()
        if swap:
            self.state, other = other, self.state
        self.copies.append((other, snapshot(other)))

    @invariant()
    def copies_stay(self) -> None:
        for state, expected in getattr(self, "copies", []):
            assert snapshot(state) == expected

    @invariant()
    def is_consistent(self) -> None:
        if not hasattr(self, "state"):
            return
        state, gamedef = self.state, self.gamedef
        players = range(gamedef.num_players)
        assert all(0 <= state.spent[p] <= gamedef.stacks[p] for p in players)
        assert state.num_folded == sum(state.folded) < gamedef.num_players
        if gamedef.no_limit or min(gamedef.stacks) == UNLIMITED_STACK:
            assert state.max_spent == max(state.spent)
        if gamedef.no_limit:
            assert state.min_raise_to > state.max_spent
        able = [p for p in players if not state.folded[p] and state.spent[p] < gamedef.stacks[p]]
        assert state.finished == (state.acting_position == NOBODY)
        assert state.finished or state.acting_position in able
        assert len(state.actions) == state.round + 1 == state.betting_string().count("/") + 1
        assert all(len(actions) <= MAX_ACTIONS_PER_ROUND for actions in state.actions)
        for actions, most in zip(state.actions, gamedef.max_raises, strict=False):
            assert sum(action.kind == "r" for _, action in actions) <= most
        assert snapshot(parse_betting(state.betting_string(), gamedef)) == snapshot(state)

    def teardown(self) -> None:
        """Plays the hand to its end and pays it out."""
        if not hasattr(self, "state"):
            return
        state, gamedef = self.state, self.gamedef
        while not state.finished:
            self.call()
        self.is_consistent()
        self.copies_stay()
        rng = random.Random(state.betting_string())
        per_hand, players = gamedef.num_hole_cards, gamedef.num_players
        cards = rng.sample(gamedef.deck(), players * per_hand + gamedef.total_board_cards)
        hole_cards = [cards[p * per_hand :][:per_hand] for p in range(players)]
        if state.is_showdown and not any(state.spent):
            with pytest.raises(MatchError, match="nobody has put in a chip"):
                payoffs(state, hole_cards, cards[players * per_hand :])
            return
        values = payoffs(state, hole_cards, cards[players * per_hand :])
        # Where a short limit raise has lowered the bet, a player may fold more chips than anybody else can win.
        reached = max(spent for spent, folded in zip(state.spent, state.folded, strict=True) if not folded)
        unclaimed = sum(max(0, spent - reached) for spent in state.spent) if state.is_showdown else 0
        assert sum(values) == pytest.approx(-unclaimed, abs=1e-6)
        assert unclaimed == 0 or (not gamedef.no_limit and min(gamedef.stacks) < UNLIMITED_STACK)
        pot = sum(state.spent)
        for value, spent, folded in zip(values, state.spent, state.folded, strict=True):
            assert -spent <= value <= pot - spent
            assert value == -spent or not folded


def run(examples: int) -> None:
    run_state_machine_as_test(
        HandMachine,
        settings=settings(
            max_examples=examples, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def test_hands() -> None:
    run(40)


@pytest.mark.slow
def test_many_hands() -> None:
    run(2_000)
