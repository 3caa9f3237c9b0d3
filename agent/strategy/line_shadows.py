"""The shadows of a betting line: the weighted nodes of an abstract betting tree that stand for a real hand.

Every real action moves the weight of each shadow node to the children that stand for the action
(:func:`hedgehog.agent.strategy.shadow.translate_action`), in the proportions of the translation. The weight of a node
is also multiplied by the average probability with which the strategy takes the action there. So if two abstract lines
stand for the real one, the likelier line gets most of the weight. The shadows depend on the public betting alone, not
on cards or ranges.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from hedgehog.agent.strategy.shadow import (
    Choices,
    NearestDecision,
    Shadows,
    Situation,
    fold_share,
    normalise,
    outgrows,
    real_action,
    situation_of,
    translate_action,
)
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import MatchStateError
from hedgehog.strategies.betting_tree import BettingTree
from hedgehog.strategies.translation import DEFAULT_MAPPING, Translation

logger = logging.getLogger(__name__)

EDGE_FLOOR: Final = 1e-4
"""Probability added to every action, so that an action that the strategy never takes still leads to some node."""
CACHED_LINES: Final = 8192
_LAST_ACTION = re.compile(r"([fc]|r[0-9]+)/*$")


class Folding(NamedTuple):
    """Abstract folds that become calls, because the real bet is smaller than every abstract bet."""

    fold: int
    call: int
    """``fold`` and ``call`` are indices of the two actions in :attr:`Line.actions`."""
    kept: float
    """The share of the abstract folds that stay folds (:func:`hedgehog.agent.strategy.shadow.fold_share`)."""


@dataclass(frozen=True, slots=True)
class Line:
    """A betting line at which somebody is to act, with its shadows."""

    state: HandState
    """The state of the real hand; callers must not change it."""
    situation: Situation
    shadows: Shadows
    """Weighted nodes of the tree that stand for the line; they have the same street and acting player.

    There are none if the hand is over, has not reached the street of the tree's root, or has left the tree without
    continuing at another decision."""
    actions: list[Action]
    """The legal real actions that the shadows offer, each once."""
    targets: tuple[tuple[int, ...], ...]
    """For each shadow node and each of its children, the index in ``actions`` of the child's real action."""
    folding: Folding | None
    """The folds that become calls; None: all abstract folds stay folds."""
    left_tree: str | None
    """The betting at which the hand last left the tree and continued at the most similar decision; None: never."""
    outgrown: bool
    """True if a bet was clearly larger than all bets that the tree has in its place."""
    before: tuple[Line, Action] | None
    """The line before the last action, and the action; None: nobody has acted."""

    def way(self) -> Iterator[tuple[Line, Action]]:
        """Yields the actions of the hand, the last one first, each with the line before it."""
        step = self.before
        while step is not None:
            yield step
            step = step[0].before


class LineShadows:
    """The shadows of betting lines on one betting tree, found when they are needed and then kept."""

    def __init__(
        self,
        gamedef: GameDef,
        tree: BettingTree,
        mean_row: Callable[[int], Sequence[float]],
        nearest: NearestDecision | None = None,
        mapping: Translation = DEFAULT_MAPPING,
    ) -> None:
        """Makes an object that knows no line yet.

        :param gamedef: the game of the real hands.
        :param tree: a heads-up tree that starts preflop, or on a later street for lines that have reached it.
        :param mean_row: function of a node that returns the average probability of each action of its strategy.
        :param nearest: finds the decision at which a hand that has left the tree continues; None: such a hand has no
            shadows.
        :param mapping: how a bet between two sizes of the tree is shared between them.
        """
        self.choices = Choices(tree)
        self.mapping = mapping
        self.tree = tree
        self._street = int(tree.street[0])
        self._gamedef = gamedef
        self.mean_row = cache(mean_row)
        """Returns the average probability, over all hands, with which the strategy takes each action of a node."""
        self._nearest = nearest
        self._begin()

    def _begin(self) -> None:
        self._lines: OrderedDict[str, Line] = OrderedDict()
        self._start = self._line(HandState(self._gamedef), None, None)

    def for_game(self, gamedef: GameDef) -> LineShadows:
        """Returns the shadows of another game's lines on the same tree; what is known of the tree is shared."""
        found = copy(self)
        found._gamedef = gamedef
        found._begin()
        return found

    def line(self, betting: str) -> Line:
        """Returns the line of ``betting`` with its shadows.

        :param betting: ACPC betting such as ``r250c/cr300``.
        :raises MatchStateError: if the betting is not legal.
        """
        try:
            self._lines.move_to_end(betting)
            return self._lines[betting]
        except KeyError:
            return self._find(betting)

    def children(self, line: Line, action: Action) -> list[tuple[int, int, float]]:
        """Returns the abstract actions that stand for a real action at a line.

        :returns: triples (index of the shadow node, number of its child, weight).
        """
        found = self._translated(line, action)
        if line.folding is None or action.kind == "r":
            return found
        kept = line.folding.kept
        if action.kind == "f":
            return [(k, i, weight * kept) for k, i, weight in found]
        return found + [(k, i, weight * (1 - kept)) for k, i, weight in self._translated(line, FOLD)]

    def _translated(self, line: Line, action: Action) -> list[tuple[int, int, float]]:
        return [
            (k, i, weight * share)
            for k, (node, weight) in enumerate(line.shadows)
            for i, share in translate_action(self.choices[node], action, line.situation, self.mapping)
        ]

    def _find(self, betting: str) -> Line:
        """Makes a line from the longest part of it that is known."""
        known, text = self._lines.get(betting), betting
        actions: list[str] = []  # actions still to be followed, the last one first
        while known is None:
            last = _LAST_ACTION.search(text)
            if last is None:
                known = self._start
                break
            actions.append(last[1])
            text = text[: last.start()]
            known = self._lines.get(text)
        for word in reversed(actions):
            known = self._follow(known, Action(word[0], int(word[1:] or 0)))
            self._lines[known.state.betting_string()] = known
            if len(self._lines) > CACHED_LINES:
                self._lines.popitem(last=False)
        if known.state.betting_string() != betting:
            raise MatchStateError(f"expected betting {known.state.betting_string()!r}, got {betting!r}")
        return known

    def _follow(self, parent: Line, action: Action) -> Line:
        return self._line(parent.state.after(action), parent, action)

    def _line(self, state: HandState, parent: Line | None, action: Action | None) -> Line:
        """Makes the line of ``state``, to which ``action`` led from ``parent``."""
        situation = situation_of(state)
        shadows: Shadows = ()
        left_tree = parent.left_tree if parent is not None else None
        outgrown = parent is not None and (parent.outgrown or self._outgrown(parent, action))
        if not state.finished and state.round >= self._street:
            if state.round == self._street and not state.actions[-1]:
                shadows = ((0, 1.0),)
            elif parent is not None and action is not None:
                shadows = self._moved(parent, action, situation)
            if not shadows and self._nearest is not None:
                shadows = self._nearest.shadows(situation, self._gamedef.big_blind)
                left_tree = state.betting_string()
                logger.debug("off the tree after %s, going on at its nearest decision", state.betting_string())
        actions: list[Action] = []
        targets = []
        for node, _ in shadows:
            choice = self.choices[node]
            offered = [real_action(*child, situation) for child in zip(choice.kinds, choice.fractions, strict=True)]
            actions += [found for found in dict.fromkeys(offered) if found not in actions]
            targets.append(tuple(actions.index(found) for found in offered))
        kept = fold_share(situation, [(self.choices[node], weight) for node, weight in shadows])
        folding = Folding(actions.index(FOLD), actions.index(CALL), kept) if kept < 1 else None
        before = None if parent is None or action is None else (parent, action)
        return Line(state, situation, shadows, actions, tuple(targets), folding, left_tree, outgrown, before)

    def _outgrown(self, parent: Line, action: Action | None) -> bool:
        if action is None or not parent.shadows:
            return False
        return all(outgrows(self.choices[node], action, parent.situation) for node, _ in parent.shadows)

    def _moved(self, parent: Line, action: Action, situation: Situation) -> Shadows:
        new_street = situation.street != parent.situation.street
        children = self.children(parent, action)
        likelihoods = [EDGE_FLOOR] * len(parent.shadows)
        for k, i, weight in children:
            node, node_weight = parent.shadows[k]
            likelihoods[k] += weight / node_weight * self.mean_row(node)[i]
        weights: dict[int, float] = {}
        for k, i, weight in children:
            choice = self.choices[parent.shadows[k][0]]
            following = choice.next_street[i] if new_street else choice.next_here[i]
            if following >= 0 and self.choices[following].player == situation.position:
                weights[following] = weights.get(following, 0.0) + weight * likelihoods[k]
        return normalise(weights)
