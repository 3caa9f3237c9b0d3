"""Where a real hand stands on an abstract betting tree, as a pure function of the public betting.

Every action moves the weight of each shadow node to the children that stand for it (:func:`translate_action`), in the
proportions of the translation. A node counts as much as the strategy there takes the action on average, so that a line
which may have come about in two ways is mostly followed on the likelier one. Neither cards nor ranges play a part:
whoever asks, before or after the hand, with or without hole cards, gets the same nodes.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from agent.shadow import (
    Choices,
    NearestDecision,
    Shadows,
    Situation,
    fold_share,
    normalise,
    real_action,
    situation_of,
    translate_action,
)
from poker.acpc.gamedef import GameDef
from poker.state import CALL, FOLD, Action, HandState
from runtime.errors import MatchStateError
from strategies.betting_tree import BettingTree

logger = logging.getLogger(__name__)

EDGE_FLOOR: Final = 1e-4
"""Added to every likelihood: an action that the strategy never takes still has to lead somewhere."""
CACHED_LINES: Final = 8192
_LAST_ACTION = re.compile(r"([fc]|r[0-9]+)/*$")


class Folding(NamedTuple):
    """Folds that become calls, because the real bet is smaller than every abstract one."""

    fold: int
    call: int
    """Both by number among :attr:`Line.actions`."""
    kept: float
    """The share of the shadows' folding that stays folding, see :func:`agent.shadow.fold_share`."""


@dataclass(frozen=True, slots=True)
class Line:
    """A betting line at which somebody is to act, with its shadows."""

    state: HandState
    """The real betting; not to be changed."""
    situation: Situation
    shadows: Shadows
    """Nodes of the same street at which the same player acts."""
    actions: list[Action]
    """The legal real actions that the shadows offer, each once."""
    targets: tuple[tuple[int, ...], ...]
    """Per shadow node: for every child the index of its real action."""
    folding: Folding | None
    """None: as the shadows fold."""
    left_tree: str | None
    """The betting at which the hand last left the tree and went on at its nearest decision; None: it is still on it."""


class LineShadows:
    """The shadows of every betting line on one tree."""

    def __init__(
        self,
        gamedef: GameDef,
        tree: BettingTree,
        mean_row: Callable[[int], Sequence[float]],
        nearest: NearestDecision | None = None,
    ) -> None:
        """
        :param tree: a heads-up tree that starts preflop, or on a later street for the lines that have reached it.
        :param mean_row: (node) -> how often its strategy takes each action on average.
        :param nearest: where hands that have left the tree go on; None: nowhere.
        """
        self.choices = Choices(tree)
        self.tree = tree
        self._street = int(tree.street[0])
        self._gamedef = gamedef
        self._mean_row = mean_row
        self._mean_rows: dict[int, Sequence[float]] = {}
        self._nearest = nearest
        self._lines: OrderedDict[str, Line] = OrderedDict()
        self._start = self._line(HandState(gamedef), None, None)

    def shadows(self, betting: str) -> Shadows:
        """Returns the weighted nodes that stand for the decision after ``betting``.

        :param betting: ACPC betting such as ``r250c/cr300`` at which somebody is to act.
        :returns: empty if the hand is over or not on the tree yet, or has left it and goes on nowhere.
        :raises MatchStateError: if the betting is not legal.
        """
        return self.line(betting).shadows

    def line(self, betting: str) -> Line:
        """Returns the line of ``betting``; without shadows as :meth:`shadows` says.

        :raises MatchStateError: if the betting is not legal.
        """
        try:
            self._lines.move_to_end(betting)
            return self._lines[betting]
        except KeyError:
            return self._find(betting)

    def children(self, line: Line, action: Action) -> list[tuple[int, int, float]]:
        """Returns what a real action at ``line`` stands for: (shadow number, child number, weight)."""
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
            for i, share in translate_action(self.choices[node], action, line.situation)
        ]

    def _find(self, betting: str) -> Line:
        """Makes a line from the longest part of it that is known."""
        known, text = self._lines.get(betting), betting
        actions: list[str] = []  # still to be followed, last one first
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
        state = parent.state.copy()
        state.apply(action)
        return self._line(state, parent, action)

    def _line(self, state: HandState, parent: Line | None, action: Action | None) -> Line:
        """Makes the line of ``state``, to which ``action`` led from ``parent``."""
        situation = situation_of(state)
        shadows: Shadows = ()
        left_tree = parent.left_tree if parent is not None else None
        if not state.finished and state.round >= self._street:
            if state.round == self._street and not state.actions[-1]:
                shadows = ((0, 1.0),)
            elif parent is not None and action is not None:
                shadows = self._moved(parent, action, situation)
            if not shadows and self._nearest is not None:
                shadows = self._nearest.shadows(situation)
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
        return Line(state, situation, shadows, actions, tuple(targets), folding, left_tree)

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

    def mean_row(self, node: int) -> Sequence[float]:
        """Returns how often the strategy takes each action of a node on average."""
        found = self._mean_rows.get(node)
        if found is None:
            found = self._mean_rows[node] = self._mean_row(node)
        return found
