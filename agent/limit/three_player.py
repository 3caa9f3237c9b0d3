"""The players ``limit3p:hbb1`` to ``limit3p:hbb5``: a two-player limit strategy at a three-player table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.explaining import (
    explain_mapping,
    mapping_buckets,
    mapping_faults,
    three_columns,
    trained_columns,
    trained_triple,
)
from hedgehog.agent.limit.explanation import ExplainsLimit, LimitExplanation, LimitHands
from hedgehog.agent.limit.line_bias import LineBias, add_bias
from hedgehog.agent.limit.mapped_strategy import MappedStrategy, Triple
from hedgehog.agent.limit.options import Mode
from hedgehog.agent.limit.preflop_bias import apply_bias
from hedgehog.agent.limit.situation import THREE_PLAYER_GAME
from hedgehog.agent.options import Options
from hedgehog.agent.player import Player, ReportsStrategy
from hedgehog.agent.random_numbers import drawn, uniform
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.limit_betting import ACTIONS, same_limit_game
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import InputError, MatchStateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hedgehog.agent.limit.strategy import LimitStrategy
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState

STEP_NAMES: Final = ("reached", "other opponent", "next class", "whole street", "unreached")
"""What the steps of :mod:`hedgehog.agent.limit.mapped_strategy` are called in the report."""


class LimitMappingPlayer(Player):
    """Answers decisions of three-player limit hold'em from a two-player strategy, or passes them to a base player."""

    name = "limit3p"

    def __init__(
        self,
        open_strategy: Callable[[], MappedStrategy],
        *,
        mode: Mode = Mode.ALWAYS,
        base: Player | None = None,
        bias: NDArray[np.float64] | LineBias | None = None,
        argmax: bool = False,
        name: str = "limit3p",
        open_trained: Callable[[], LimitStrategy | None] = lambda: None,
    ) -> None:
        """Makes a player without loading anything; :meth:`warm_up` opens the strategy.

        :param open_strategy: opens the two-player strategy with the way that carries decisions to it.
        :param mode: in which decisions the strategy answers.
        :param base: the player for the other decisions; not needed with :attr:`Mode.ALWAYS`.
        :param bias: (169,) what is added to the probability of a fold before the flop, against a bet of three players;
            or a bias by line.
        :param argmax: take the most likely action instead of drawing one.
        :param name: name of the player.
        :param open_trained: opens the strategy trained for three players, with which explanations compare the answer;
            None where there is none.
        """
        assert base is not None or mode is Mode.ALWAYS
        self.name = name
        self.mapped: MappedStrategy
        self._open = open_strategy
        self._mode = mode
        self._base = base
        self._lines = bias if isinstance(bias, LineBias) else None
        self._bias = None if isinstance(bias, LineBias) else bias
        self._argmax = argmax
        self._seed = 0
        self._open_trained = open_trained
        self.draws_one_stream = base is not None and base.draws_one_stream

    def warm_up(self) -> None:
        self.mapped = self._open()
        self.mapped.answer("", (0, 5), ())
        self.mapped.answer("ccc/ccc/ccc/", (0, 5), (10, 20, 30, 40, 50))
        self.mapped.steps[:] = [0] * len(STEP_NAMES)
        if self._base is not None:
            self._base.warm_up()

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Starts a match.

        :raises InputError: if the game is not three-player limit hold'em.
        """
        verify_three_player_limit(gamedef, self.name)
        self._seed = seed
        if self._base is not None:
            self._base.new_match(gamedef, seed)

    def answers(self, state: HandState) -> bool:
        """Tells whether the two-player strategy answers in a state, not the base player."""
        if self._mode is Mode.ALWAYS:
            return True
        if self._mode is Mode.ONE_FOLDED:
            return state.num_folded > 0
        return self._mode is Mode.ONE_FOLDED_PREFLOP and any(action.kind == "f" for _, action in state.actions[0])

    @property
    def tells_all(self) -> bool:
        """Whether :meth:`strategy` answers at every decision: the base player tells its strategy, or is never asked."""
        return self._base is None or self._mode is Mode.ALWAYS or isinstance(self._base, ReportsStrategy)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        if self._base is not None and not self.answers(state):
            return self._base.act(matchstate, deadline)
        triple = self.triple(matchstate)
        if self._argmax:
            fold, call, raising = triple
            return FOLD if fold > max(call, raising) else LIMIT_RAISE if raising > call else CALL
        return drawn(ACTIONS, triple, uniform(self._seed, matchstate.hand_id, sum(map(len, state.actions))))

    def _bias_in(self, state: HandState) -> NDArray[np.float64] | None:
        """Returns the bias if there is one in a state."""
        biased = state.round == 0 and state.num_folded == 0 and state.can_fold()
        return self._bias if biased else None

    def triple(self, matchstate: MatchState) -> Triple:
        """Returns the probabilities of fold, call and raise with the hole cards of a state, drawn or not.

        :param matchstate: a state in which :meth:`answers` is true.
        """
        position, _, hole_cards, board, state = matchstate
        low, high = hole_cards[position]
        if low > high:
            low, high = high, low
        triple = self.mapped.answer(state.betting_string(), (low, high), board)
        if self._lines is not None and (added := self._lines.of(state.betting_string())) is not None:
            triple = add_bias(triple, added)
        bias = self._bias_in(state)
        return triple if bias is None else apply_bias(triple, float(bias[HAND_CLASS[combo_index(low, high)]]))

    def explain_limit(self, matchstate: MatchState) -> LimitExplanation:
        """Returns where the answer comes from, with the hole cards of the player to act.

        The answer is that before ``argmax``.

        :raises MatchStateError: if the base player answers and cannot tell its strategy.
        """
        position, _, hole_cards, board, state = matchstate
        low, high = sorted(hole_cards[position])
        betting = state.betting_string()
        trained = trained_triple(self._open_trained(), betting, (low, high), board)
        if self._base is not None and not self.answers(state):
            if isinstance(self._base, ExplainsLimit):
                return self._base.explain_limit(matchstate)
            options = self.strategy(matchstate)
            rows = [options.row(action) for action in ACTIONS]
            fold, call, raising = (0.0 if row is None else float(row[combo_index(low, high)]) for row in rows)
            return LimitExplanation(self._base.name, None, None, None, (), (fold, call, raising), trained)
        _, bucket, opponents = explain_mapping(self.mapped, betting, (low, high), board)
        return LimitExplanation("mapping", None, bucket, None, opponents, self.triple(matchstate), trained)

    def explain_limit_hands(self, matchstate: MatchState) -> LimitHands:
        """Returns what the player does with every combo, and how well its answers are founded.

        :raises MatchStateError: if the base player answers and cannot tell its strategy.
        """
        state, board = matchstate.state, matchstate.board
        betting = state.betting_string()
        mapped = self._base is None or self.answers(state)
        if not mapped and isinstance(self._base, ExplainsLimit):
            return self._base.explain_limit_hands(matchstate)
        answer = three_columns(self.strategy(matchstate))
        trained = trained_columns(self._open_trained(), betting, board)
        if not mapped:
            assert self._base is not None
            return LimitHands(self._base.name, None, answer, None, None, None, None, trained)
        buckets = mapping_buckets(self.mapped, state.round, board)
        unreached, steps = mapping_faults(self.mapped, betting, buckets)
        return LimitHands("mapping", None, answer, buckets, None, unreached, steps, trained)

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the legal actions and the probabilities with which :meth:`act` takes them, for every combo.

        :raises MatchStateError: if the base player answers and does not report its strategy.
        """
        state = matchstate.state
        if self._base is not None and not self.answers(state):
            if not isinstance(self._base, ReportsStrategy):
                raise MatchStateError(f"the base player {self._base.name} does not report its strategy")
            return self._base.strategy(matchstate)
        free = combo_mask(matchstate.board)
        buckets = mapping_buckets(self.mapped, state.round, matchstate.board)
        betting = state.betting_string()
        columns = np.zeros((3, NUM_COMBOS))
        for bucket in np.unique(buckets[free]).tolist():
            answer = self.mapped.answer_bucket(betting, bucket)
            if self._lines is not None and (added := self._lines.of(betting)) is not None:
                answer = add_bias(answer, added)
            columns[:, buckets == bucket] = np.array(answer)[:, np.newaxis]
        if (biases := self._bias_in(state)) is not None:
            for hand_class, bias in enumerate(biases.tolist()):
                alike = hand_class == HAND_CLASS
                first = int(np.flatnonzero(alike)[0])
                triple = (float(columns[0, first]), float(columns[1, first]), float(columns[2, first]))
                columns[:, alike] = np.array(apply_bias(triple, bias))[:, np.newaxis]
        if self._argmax:
            best = np.where(columns[0] > np.maximum(columns[1], columns[2]), 0, np.where(columns[2] > columns[1], 2, 1))
            columns = (np.arange(3)[:, np.newaxis] == best).astype(np.float64)
        legal = [state.can_fold(), True, state.raise_range() is not None]
        return Options(
            [action for action, allowed in zip(ACTIONS, legal, strict=True) if allowed],
            columns[legal] * free,
        )

    def report(self) -> Mapping[str, object]:
        """Returns under the key ``mappings`` how many mappings each step of the strategy answered."""
        steps = dict(zip(STEP_NAMES, self.mapped.steps, strict=True))
        base = {} if self._base is None else dict(self._base.report())
        return {"mappings": steps, **base}


class ObservingMappingPlayer(LimitMappingPlayer):
    """A :class:`LimitMappingPlayer` whose base player observes the play of the others."""

    def observe(self, matchstate: MatchState) -> None:
        assert self._base is not None
        self._base.observe(matchstate)


def verify_three_player_limit(gamedef: GameDef, name: str) -> None:
    """Verifies that a game is three-player limit hold'em, whatever its chips are worth.

    :raises InputError: if it is another game.
    """
    if not same_limit_game(gamedef, load_gamedef(THREE_PLAYER_GAME)):
        raise InputError(f"the player {name} plays three-player limit hold'em only (game {THREE_PLAYER_GAME})")
