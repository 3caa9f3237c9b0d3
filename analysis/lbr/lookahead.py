"""Lookahead local best response: the base policy is the player's own strategy, one own decision is looked ahead.

Local best response values its actions as if the rest were checked and called, which is often wrong: it may lose to a
sound player. Here the responder plays the player's own strategy in its seat, and from a given round on weighs, at each
of its decisions, all actions by what they win against the player's real answers if it goes on well after them:

* on the river by the real answers to all lines, which makes it a best response there;
* on the turn by such best responses on sampled rivers;
* on the flop by a value function, that of AIVAT for single hands.

The player's own strategy wins nothing on average over both seats, and one step of policy improvement never loses. So
the ruler cannot be negative but by noise: of values on turn and flop, where the responder leaves the player's strategy
only for a gain of a given share of the pot. Noise only lowers what it wins; it stays a lower bound, because it is
played.

The responder decides for all its hands at once, so both strategies are known for all hands. The hand is scored by AIVAT
for two known strategies (:mod:`hedgehog.analysis.aivat.range_values`), and from the first decision of the responder on
the river by its exact value.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np

from hedgehog.agent.options import Options
from hedgehog.analysis.aivat.against_range import AgainstRange
from hedgehog.analysis.aivat.definition import Total
from hedgehog.analysis.aivat.range_values import RangeScorer, chips_alone, shipped_range_values
from hedgehog.analysis.aivat.ranges import BoardEquities
from hedgehog.analysis.aivat.replay import LoggedDecision
from hedgehog.analysis.aivat.values import spot_of
from hedgehog.analysis.lbr.response import HandResult, LbrDecision, Reply, deal_pair, draw_action, verify_lbr_game
from hedgehog.analysis.lbr.settings import LbrSetting
from hedgehog.analysis.lbr.street import Array, Place, StreetLines
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import BOARD_CARDS, FLOP, RIVER, TURN
from hedgehog.runtime.errors import InputError

MARGINS: Final = {FLOP: 0.05, TURN: 0.02, RIVER: 0.0}
"""By street: share of the pot from which on a gain makes the responder leave the player's own strategy."""
SAME_SIZE: Final = 0.05
"""A bet of the setting is left out where the player itself considers one that differs by less than this share."""
RIVERS: Final = 12
"""Rivers that are sampled for a decision on the turn, over all lines that lead to the river."""
LEAST_RIVERS: Final = 2
"""Fewest sampled rivers of a line. A line that would get fewer has the value function alone."""
_RIVERS_OF_PAIR: Final = 44
"""Cards that may come on the river if both hands are known."""


class Answers(Protocol):
    """The interface through which lookahead local best response asks the player under test."""

    def answer(self, spot: LbrDecision) -> Reply:
        """Returns the player's strategy in a spot in which it is to act, in either position and on any board."""
        ...


class LookaheadResponse:
    """Plays hands of lookahead local best response against one player."""

    def __init__(self, gamedef: GameDef, setting: LbrSetting, opponent: Answers) -> None:
        """Prepares the play against a player.

        :raises InputError: if the game is not heads-up no-limit hold'em with equal stacks, or the setting does not fit.
        """
        verify_lookahead(gamedef, setting)
        self._gamedef = gamedef
        self._setting = setting
        self._opponent = opponent

    def play_pair(self, pair: int, seed: int) -> tuple[HandResult, HandResult]:
        """Plays the same cards twice and returns both results.

        The responder is in position 0 (big blind) in the first hand and in position 1 in the second.

        :param pair: number of the pair, which with the seed decides the cards.
        """
        rng, hands, board = deal_pair(pair, seed)
        first = _Hand(self._gamedef, self._setting, self._opponent, 2 * pair, 0, board, f"{seed}/{pair}/0")
        second = _Hand(self._gamedef, self._setting, self._opponent, 2 * pair + 1, 1, board, f"{seed}/{pair}/1")
        return first.play(hands, rng), second.play(hands, rng)


class _Hand:
    """One hand of the responder."""

    def __init__(
        self,
        gamedef: GameDef,
        setting: LbrSetting,
        opponent: Answers,
        hand_id: int,
        position: int,
        board: tuple[int, ...],
        seed: str,
    ) -> None:
        """Begins a hand.

        :param position: position of the responder.
        :param board: all five board cards.
        :param seed: decides which rivers are sampled.
        """
        self._setting = setting
        self._opponent = opponent
        self._hand_id = hand_id
        self._position = position
        self._board = board
        self._seed = seed
        self._state = HandState(gamedef)
        self._scorer = RangeScorer(board)
        self._plan: Place | None = None
        """The place in the plan of the river where the hand is."""
        self._scored: tuple[float, float] | None = None

    def play(self, hands: Sequence[tuple[int, int]], rng: random.Random) -> HandResult:
        """Plays the hand to its end and returns its results.

        :param hands: hole cards of each position.
        :param rng: draws the actions of both seats.
        """
        state, combos = self._state, [combo_index(*hand) for hand in hands]
        while not state.finished:
            position, board = state.acting_position, self._board[: BOARD_CARDS[state.round]]
            self._scorer.enter(state)
            options = self._respond(board) if position == self._position else self._answer(board)
            taken = draw_action(options.probabilities[:, combos[position]], rng.random())
            action = options.actions[taken]
            if self._plan is not None:
                self._plan = self._plan.child(action)
            if self._scored is None:
                after = [state.after(option) for option in options.actions]
                decision = LoggedDecision(state.round, position, state.copy(), options, after, taken)
                self._scorer.add(decision)
            state.perform(action)
        if self._scored is None:
            self._score(self._scorer.result(state))
        assert self._scored is not None
        integrated, adjusted = self._scored
        return HandResult(self._won(hands), integrated, adjusted, state.betting_string())

    def _won(self, hands: Sequence[tuple[int, int]]) -> float:
        """Returns the chips that the responder has won at the end."""
        state, mine = self._state, self._position
        lost = float(min(state.spent))
        if state.num_folded:
            return -lost if state.folded[mine] else lost
        theirs = np.zeros(NUM_COMBOS)
        theirs[combo_index(*hands[1 - mine])] = 1.0
        return lost * (2 * float(BoardEquities(self._board).against(theirs).wins[combo_index(*hands[mine])]) - 1)

    def _score(self, result: Total) -> None:
        sign = 1.0 if self._position == 0 else -1.0
        adjusted = self._scorer.components(result).value(shipped_range_values())
        self._scored = sign * self._scorer.mean(result), sign * adjusted

    def _ask(self, state: HandState, board: tuple[int, ...]) -> Options:
        """Returns the player's own strategy in the seat that is to act, on a board that may be imagined."""
        seen = (*board, *self._board[len(board) :])
        found = self._opponent.answer(LbrDecision(self._hand_id, state.acting_position, (), seen, state))
        return Options(list(found.actions), found.probabilities)

    def _answer(self, board: tuple[int, ...]) -> Options:
        """Returns the player's strategy; on a planned river the one that the plan is made for."""
        known = None if self._plan is None else self._plan.answer
        return self._ask(self._state, board) if known is None else known

    def _respond(self, board: tuple[int, ...]) -> Options:
        """Returns the responder's strategy for all its hands."""
        if self._plan is not None:
            return _chosen(self._plan)
        state = self._state
        own = self._ask(state, board)
        if not self._setting.first <= state.round <= self._setting.last:
            return own
        reach = self._scorer.weights(1 - self._position)
        totals = self._totals(own)
        if state.round == RIVER:
            mass, equities = float(reach.sum()), BoardEquities(board)
            lines = StreetLines(self._ask, self._position, board, mass, equities, exact=True)
            self._plan = lines.walk(state.copy(), reach, totals)
            self._score_plan(self._plan.solved())
            return _chosen(self._plan)
        lookahead = self._flop if state.round == FLOP else self._turn
        return _improved(own, lookahead(board, reach, totals))

    def _score_plan(self, values: Array) -> None:
        """Scores the hand by the exact values of the plan of the river."""
        won = float(self._scorer.weights(self._position) @ values)
        self._score(lambda _first, _second: chips_alone(won if self._position == 0 else -won))

    def _totals(self, own: Options) -> list[int]:
        """Returns the bets that are weighed: those that the player considers itself, and those of the setting."""
        found = [action.size for action in own.actions if action.kind == "r"]
        for total in self._setting.rounds[self._state.round].raise_totals(self._state):
            start = self._state.round_start
            if not any(abs(total - other) < SAME_SIZE * (other - start) for other in found):
                found.append(total)
        return found

    def _flop(self, board: tuple[int, ...], reach: Array, totals: list[int]) -> Place:
        """Returns the decision on the flop with the values of its actions, by the value function."""
        values = AgainstRange(board)
        lines = StreetLines(self._ask, self._position, board, float(reach.sum()), values.equities)
        place = lines.walk(self._state.copy(), reach, totals)
        for end in lines.ends:
            end.values = values.values(spot_of(end.state, FLOP), self._position, end.reach)
        return place

    def _turn(self, board: tuple[int, ...], reach: Array, totals: list[int]) -> Place:
        """Returns the decision on the turn with the values of its actions, by sampled rivers."""
        equities = BoardEquities(board)
        lines = StreetLines(self._ask, self._position, board, float(reach.sum()), equities)
        place = lines.walk(self._state.copy(), reach, totals)
        rivers = [card for card in range(NUM_CARDS) if card not in board]
        random.Random(f"{self._seed}/{self._state.betting_string()}").shuffle(rivers)
        values = {card: AgainstRange((*board, card)) for card in rivers} if lines.ends else {}
        masses = [float(end.reach.sum()) for end in lines.ends]
        for end, mass in zip(lines.ends, masses, strict=True):
            count = round(RIVERS * mass / sum(masses)) if self._setting.last == RIVER else 0
            end.values = self._river_values(end, board, values, rivers[: count if count >= LEAST_RIVERS else 0])
        return place

    def _river_values(
        self, end: Place, board: tuple[int, ...], values: dict[int, AgainstRange], sampled: Sequence[int]
    ) -> Array:
        """Returns (1326,) the values where the river is to be dealt.

        The value function says what every river is worth. On the sampled ones a best response says how far off it is.

        :param values: the value function on every river.
        :param sampled: the rivers on which the player is asked.
        """
        spot = spot_of(end.state, RIVER)
        total, off, count = np.zeros((3, len(end.reach)))
        for card, function in values.items():
            river = (*board, card)
            live, reach = combo_mask((card,)), end.reach * combo_mask((card,))
            estimate = function.values(spot, self._position, reach) * live
            total += estimate
            if card in sampled:
                lines = StreetLines(self._ask, self._position, river, float(reach.sum()), function.equities)
                off += lines.walk(end.state, reach).solved() * live - estimate
                count += live
        possible = len(values) - 2
        return np.asarray((total + off * possible / np.maximum(count, 1)) / _RIVERS_OF_PAIR)


def _chosen(place: Place) -> Options:
    """Returns the best response in a place where the responder acts."""
    best = place.best()
    return Options(place.actions, (best == np.arange(len(place.actions))[:, None]).astype(np.float64))


def _improved(own: Options, place: Place) -> Options:
    """Returns the player's own strategy, left by hands for which another action is clearly better."""
    values = place.action_values()
    rows = np.zeros(values.shape)
    for action, row in zip(own.actions, own.probabilities, strict=True):
        rows[place.actions.index(action)] += row
    gain = values.max(axis=0) - (rows * values).sum(axis=0)
    state = place.state
    least = MARGINS[state.round] * sum(state.spent) * disjoint_weight(place.reach)
    return Options(place.actions, np.where(gain > least, _chosen(place).probabilities, rows))


def verify_lookahead(gamedef: GameDef, setting: LbrSetting) -> None:
    """Verifies that lookahead local best response can be played.

    :raises InputError: unless the game is heads-up no-limit hold'em with equal stacks, and the setting is for it and
        begins on the flop or later.
    """
    verify_lbr_game(gamedef)
    if not gamedef.no_limit:
        raise InputError("local best response over the player's own strategy plays no-limit games only")
    setting.verify_game(gamedef)
    if setting.first < FLOP:
        raise InputError(
            f"the setting {setting.name!r} begins before the flop: over the player's own strategy expected rounds from "
            "2 on, such as fcpa:2-4"
        )
