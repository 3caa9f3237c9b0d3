"""Values of our strategies in turn and river endgames, by the rules and payoffs of OpenSpiel's ``universal_poker``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyspiel
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index, format_cards, parse_card, parse_cards
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

STACK = 20_000
_HOLE = re.compile(r"P([01]) Cards: (\S{4})")
_CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]

Array = NDArray[np.float64]
States = NDArray[np.object_]
Strategy = Callable[[int, Sequence[int]], NDArray[np.float32]]
"""(node, cards dealt after the root) -> float32[actions, 1326]: probability of each action of the node per combo."""


@dataclass(frozen=True)
class SpielEndgame:
    """An endgame with folds, calls, pot-size bets and all-in. Every deal of two hands is a state of OpenSpiel."""

    tree: BettingTree
    """Our betting tree with the same bets."""
    combos: tuple[list[int], list[int]]
    states: States
    """(hands 0, hands 1): state of OpenSpiel after the deal; None where two hands share a card."""
    chances: Array
    """float64[hands 0, hands 1]: probabilities of the deals."""

    def value(self, strategy: Strategy, player: int, *, best_response: bool) -> float:
        """Returns what a player wins in chips per deal, and checks on the way that both games have the same actions."""
        weights = self.chances if player == 0 else self.chances.T
        states = self.states if player == 0 else self.states.T

        def walk(node: int, dealt: tuple[int, ...], states: States, weights: Array) -> Array:
            kind = self.tree.kind[node]
            some: pyspiel.State = next(state for state in states.flat if state is not None)
            if kind == NodeKind.DEAL:
                return self._deal(node, dealt, states, weights, walk)
            assert some.is_terminal() == (kind != NodeKind.DECISION)
            if kind != NodeKind.DECISION:
                payoffs = [0.0 if state is None else state.returns()[player] for state in states.flat]
                return np.asarray((np.reshape(payoffs, states.shape) * weights).sum(axis=1))
            actor = int(self.tree.player[node])
            assert some.current_player() == actor
            children = list(self.tree.children(node))
            actions = some.legal_actions()
            assert len(actions) == len(children)
            values = []
            rows = strategy(node, dealt)[:, self.combos[actor]].astype(np.float64)
            for child, action, row in zip(children, actions, rows, strict=True):
                after = np.array([None if s is None else s.child(action) for s in states.flat], dtype=object)
                carried = weights if actor == player else weights * row
                values.append(walk(child, dealt, after.reshape(states.shape), carried))
            if actor != player:
                return np.asarray(np.sum(values, axis=0))
            return np.asarray(np.max(values, axis=0) if best_response else (rows * values).sum(axis=0))

        return float(walk(0, (), states, weights).sum())

    def _deal(
        self,
        node: int,
        dealt: tuple[int, ...],
        states: States,
        weights: Array,
        walk: Callable[[int, tuple[int, ...], States, Array], Array],
    ) -> Array:
        """Returns values over all cards that may be dealt; OpenSpiel also deals cards after a called all-in."""
        outcomes = [None if s is None else dict(s.chance_outcomes()) for s in states.flat]
        total = np.zeros(len(states))
        for card in sorted({card for found in outcomes if found is not None for card in found}):
            chance = [0.0 if found is None else found.get(card, 0.0) for found in outcomes]
            pairs = zip(states.flat, chance, strict=True)
            after = np.array([s.child(card) if p > 0 else None for s, p in pairs], dtype=object)
            shown = next(s for s in after if s is not None).to_string()
            (new,) = set(_board(shown)) - set(_board(next(s for s in states.flat if s is not None).to_string()))
            dealing = weights * np.reshape(chance, states.shape)
            total += walk(int(self.tree.first_child[node]), (*dealt, new), after.reshape(states.shape), dealing)
        return total


def _board(text: str) -> list[int]:
    match = re.search(r"BoardCards (\S*)", text)
    assert match is not None
    return parse_cards(match[1])


def load_endgame(tree: BettingTree, board: Sequence[int], ranges: Sequence[NDArray[np.float32]]) -> SpielEndgame:
    """Returns an endgame loaded into OpenSpiel.

    :param tree: betting tree that starts on the turn or river; every menu is ``100%,a/100%,a``.
    :param ranges: float32[1326] for each player; only a few combos may have a weight above 0.
    """
    ids = [parse_card(card) for card in _CARDS]
    order = [combo_index(*sorted((ids[i], ids[j]))) for i in range(52) for j in range(i + 1, 52)]
    reach = " ".join(str(float(weights[combo])) for weights in ranges for combo in order)
    # OpenSpiel 2.0 takes a check for a call of the big blind, so the blinds must be what is in the pot.
    half = tree.root_pot // 2
    game = pyspiel.load_game(
        f"universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind={half} {half},firstPlayer=2 1 1 1,"
        f"numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack={STACK} {STACK},bettingAbstraction=fcpa,"
        f"potSize={tree.root_pot},boardCards={format_cards(board)},handReaches={reach})"
    )
    root = game.new_initial_state()
    combos = tuple(np.flatnonzero(weights > 0).tolist() for weights in ranges)
    states = np.full((len(combos[0]), len(combos[1])), None, dtype=object)
    chances = np.zeros(states.shape)
    column = [{combo: i for i, combo in enumerate(side)} for side in combos]
    for outcome, chance in root.chance_outcomes():
        if chance > 0:
            state = root.child(outcome)
            holes = dict(_HOLE.findall(state.to_string()))
            place = tuple(column[p][combo_index(*sorted(parse_cards(holes[str(p)])))] for p in (0, 1))
            states[place], chances[place] = state, chance
    assert len(order) == NUM_COMBOS
    return SpielEndgame(tree, (combos[0], combos[1]), states, chances)
