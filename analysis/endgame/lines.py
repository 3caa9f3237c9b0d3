"""Asks a player about every betting line of a turn and of its rivers: what both seats do, and how they answer bets.

A line counts if at least one seat gets there by its own strategy. This seat is asked: its answers are the strategy that
is measured. The other seat may have left its own strategy on the way; it is the *responder*, who may do what the player
itself considers there and, besides, bet sizes of a menu. Where no seat gets by its own strategy, nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.reported_strategy import reported_strategy
from hedgehog.agent.strategy.shadow import Situation, situation_of
from hedgehog.analysis.endgame.turns import Turn
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.betsizes import BetSizes
from hedgehog.poker.cards import NUM_CARDS, combo_mask
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.solver.postflop.tree import menu_amounts

Line = tuple[str, ...]
"""Action tokens from the start of the turn on, with street totals: ``("X", "B300", "C", "A9000")``."""
Row = NDArray[np.float32]

SAME_SIZE: Final = 0.05
"""A size of the responder's menu is left out where the player itself considers one that differs by less than this."""


class ResponderSizes(NamedTuple):
    """The bet sizes of the responder beside those that the player itself considers."""

    turn: BetSizes
    river: BetSizes


class PlayedLines(NamedTuple):
    """All lines that count, and the player's strategies on them."""

    lines: list[Line]
    """Every line that ends with a bet or raise."""
    rows: dict[tuple[Line, int], dict[str, Row]]
    """By line and river card, -1 on the turn: the (1326,) probabilities of each action."""


def ask_lines(
    player: ReportsStrategy, gamedef: GameDef, turn: Turn, ranges: NDArray[np.float64], sizes: ResponderSizes
) -> PlayedLines:
    """Returns the player's strategies of a turn and all its rivers.

    :param ranges: (2, 1326) weights by position at the start of the turn.
    :param sizes: what the responder may bet besides.
    :raises MatchError: if the player fails, or reports no strategy.
    """
    asker = _Asker(player, sizes)
    start = parse_betting(turn.betting, gamedef)
    asker.walk_street([(turn.board, ranges)], start, ())
    rivers = [(*turn.board, card) for card in range(NUM_CARDS) if card not in turn.board]
    for line, (state, reach) in list(asker.dealt.items()):
        asker.walk_street([(board, reach * combo_mask(board)) for board in rivers], state, line)
    lines = [(*line, token) for line, menu in asker.menus.items() for token in menu if token[0] in "BRA"]
    return PlayedLines(lines, asker.rows)


def token_of(action: Action, situation: Situation, street_start: int) -> str:
    """Returns an action as a token of a line.

    :param street_start: chips each player had put in when the street began.
    """
    if action.kind == "f":
        return "F"
    if action.kind == "c":
        return "C" if situation.facing_bet else "X"
    letter = "A" if action.size >= situation.stack else "R" if situation.facing_bet else "B"
    return f"{letter}{min(action.size, situation.stack) - street_start}"


class _Asker:
    """Walks the betting of a street, on one board after the other, and keeps what the player answers."""

    def __init__(self, player: ReportsStrategy, sizes: ResponderSizes) -> None:
        self._player = player
        self._sizes = {TURN: sizes.turn, RIVER: sizes.river}
        self.rows: dict[tuple[Line, int], dict[str, Row]] = {}
        self.menus: dict[Line, dict[str, Action]] = {}
        self.dealt: dict[Line, tuple[HandState, NDArray[np.float64]]] = {}

    def walk_street(
        self, boards: Iterable[tuple[tuple[int, ...], NDArray[np.float64]]], state: HandState, line: Line
    ) -> None:
        """Walks a street on several boards until all of them have answers to the same bets.

        :param boards: pairs of a board and the (2, 1326) reach of both seats at the start of the street.
        :param state: the start of the street.
        """
        boards = list(boards)
        known = -1
        while known != (known := sum(map(len, self.menus.values()))):
            for board, reach in boards:
                self._walk(state, line, board, reach)

    def _walk(self, state: HandState, line: Line, board: tuple[int, ...], reach: NDArray[np.float64]) -> None:
        situation = situation_of(state)
        seat = situation.position
        own: dict[str, Row] = {}
        actions: dict[str, Action] = {}
        if reach[seat].any():
            own, actions = self._ask(state, situation, line, board)
        menu = self.menus.setdefault(line, {})
        if reach[1 - seat].any():
            menu |= actions | self._more_actions(state, situation, actions)
            actions = menu
        else:
            actions = {token: action for token, action in actions.items() if (reach[seat] * own[token]).any()}
            menu |= actions
        for token, action in list(actions.items()):
            after = reach.copy()
            after[seat] *= own.get(token, 0.0)
            self._go_on(state.after(action), (*line, token), board, after)

    def _go_on(self, state: HandState, line: Line, board: tuple[int, ...], reach: NDArray[np.float64]) -> None:
        """Walks on after an action, unless nobody acts any more or no seat gets there by its own strategy."""
        if state.finished or not reach.any():
            return
        if state.round == len(board) - 2:
            self._walk(state, line, board, reach)
        else:
            self.dealt[line] = (state, reach)

    def _ask(
        self, state: HandState, situation: Situation, line: Line, board: tuple[int, ...]
    ) -> tuple[dict[str, Row], dict[str, Action]]:
        """Returns by token the strategy of the seat to act, and its actions."""
        key = (line, board[-1] if len(board) == RIVER + 2 else -1)
        tokens = {}
        if key not in self.rows:
            found = reported_strategy(self._player, MatchState(situation.position, 0, ((), ()), board, state))
            rows: dict[str, Row] = {}
            for action, row in zip(found.actions, found.probabilities, strict=True):
                token = token_of(action, situation, state.round_start)
                tokens[token] = action
                rows[token] = rows[token] + row.astype(np.float32) if token in rows else row.astype(np.float32)
            self.rows[key] = rows
            self.menus.setdefault(line, {}).update(tokens)
        rows = self.rows[key]
        return rows, {token: self.menus[line][token] for token in rows}

    def _more_actions(self, state: HandState, situation: Situation, own: dict[str, Action]) -> dict[str, Action]:
        """Returns what the responder may do beside the actions that the player considers."""
        start = state.round_start
        found = [CALL, FOLD] if situation.facing_bet else [CALL]
        if situation.raise_range is not None:
            low, high = situation.raise_range
            pot, prev = 2 * situation.max_spent, situation.max_spent - start
            menu = self._sizes[state.round].menu(state.num_raises)
            amounts = menu_amounts(menu, state.round, max(state.num_raises - 1, 0), pot, prev, high - start)
            considered = [action.size - start for action in own.values() if action.kind == "r"]
            for amount in amounts:
                total = min(max(amount + start, low), high)
                if not any(abs(total - start - other) < SAME_SIZE * other for other in considered):
                    found.append(Action("r", total))
                    considered.append(total - start)
        return {token_of(action, situation, start): action for action in found}
