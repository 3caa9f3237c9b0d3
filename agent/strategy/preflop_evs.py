"""What the actions at a real decision before the flop are worth, from the table of preflop values of a blueprint.

The betting is followed on the blueprint's tree as at the table (:mod:`hedgehog.agent.strategy.line_shadows`): real
sizes are translated to those of the tree, at the decision and on the way to it. What the translation makes uncertain is
part of the error.

::

    table = preflop_evs([default_packs()], load_gamedef())
    found = table.at("r300", combo_index(*parse_cards("AhKd")))
    found.best - found.of(CALL).ev
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from math import hypot, inf, isnan, nan, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.line_shadows import Line, LineShadows
from hedgehog.agent.strategy.player_packs import packs_for
from hedgehog.agent.strategy.shadow import Choice, NearestDecision, Situation, real_action, translate_action
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.betting_tree import ActionKind
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.pack_games import find_game_packs
from hedgehog.strategies.preflop_play import with_best_play
from hedgehog.strategies.preflop_values import NodeValues, PreflopValues, preflop_values_beside
from hedgehog.strategies.quantize import SCALE
from hedgehog.strategies.translation import DEFAULT_MAPPING, Translation

KEPT: Final = 1 << 16
"""Answers that are kept: histories come to the same decisions again and again."""


@dataclass(frozen=True, slots=True)
class ActionEv:
    """What one action is worth, in big blinds from the decision on: a fold is worth 0."""

    action: Action
    ev: float
    """NaN where the opponent's strategy never comes to the decision."""
    error: float
    """Uncertainty of the loss, best less ``ev``, as one standard error.

    It holds the error of the sampling, half the difference between the EVs of the two sizes of the tree that a real
    size lies between, and the spread between the decisions of the tree that stand for the betting."""
    frequency: float
    """Probability of the action in the blueprint's strategy; of a size not offered, that of those that stand for
    it."""
    exact: bool
    """The size is one of the tree, or there is no size."""
    translation: float = 0.0
    """The part of ``error`` that comes from a size between two of the tree: half the difference between their EVs."""


@dataclass(frozen=True, slots=True)
class DecisionEvs:
    """What the actions at a decision are worth to one hand."""

    position: int
    """The position of the player to act."""
    actions: tuple[ActionEv, ...]
    """The actions that the blueprint offers, in the chips of the real hand."""
    best: float
    """EV of the best action in big blinds, without the bias of the maximum; NaN where it is not known."""
    mixed: float
    """EV of the blueprint's own mix of actions, in big blinds."""
    share: float
    """The opponent's hands whose actions lead here, as a part of all its hands that this one can meet."""
    taken: ActionEv | None = None
    """The action that was asked for."""
    left_tree: bool = False
    """The blueprint has no such betting, and the values are those of its most similar decision."""

    def of(self, action: Action) -> ActionEv:
        """Returns what one of ``actions`` is worth.

        :raises InputError: if the blueprint does not offer the action here.
        """
        for found in self.actions:
            if found.action == action:
                return found
        raise InputError(f"no action {action}, offered: {' '.join(str(found.action) for found in self.actions)}")


class PreflopEvs:
    """The table of preflop values of a blueprint for real hands."""

    def __init__(self, values: PreflopValues, gamedef: GameDef, mapping: Translation = DEFAULT_MAPPING) -> None:
        """
        :param gamedef: a heads-up game of no-limit hold'em, best of about the blueprint's depth: values are in big
            blinds and sizes are compared as shares of the pot.
        :param mapping: how a real bet between two sizes of the tree is shared between them.
        """
        tree = values.blueprint.tree
        self._values = values
        self._lines = LineShadows(gamedef, tree, self._mean_row, NearestDecision(tree), mapping)
        self._at = lru_cache(maxsize=KEPT)(self._find)
        self._played: dict[float, PreflopValues] = {}

    def for_game(self, gamedef: GameDef) -> PreflopEvs:
        """Returns the same table for the hands of a game with other chips."""
        found = copy(self)
        found._lines = self._lines.for_game(gamedef)
        found._at = lru_cache(maxsize=KEPT)(found._find)
        return found

    def with_best_play(self, below: float = inf) -> PreflopEvs:
        """Returns the table of a player who takes the best action, before the flop, where a hand hardly comes.

        :param below: see :func:`hedgehog.strategies.preflop_play.with_best_play`.
        """
        if below not in self._played:
            self._played[below] = with_best_play(self._values, below)
        found = copy(self)
        found._values = self._played[below]
        found._played = {}
        found._at = lru_cache(maxsize=KEPT)(found._find)
        return found

    def dealt(self, position: int) -> NDArray[np.float64]:
        """Returns (169,): the big blinds that each hand class wins on average in a hand, before anybody has acted.

        The player takes the best action at its first decision, and follows the blueprint after it.

        :param position: 0 for the big blind, 1 for the small blind.
        """
        tree, nodes = self._values.blueprint.tree, self._values.nodes
        blinds = tree.committed[0] / tree.committed[0].max()
        if int(tree.player[0]) == position:
            return np.asarray(nodes[0].best - blinds[position])
        total, folds = np.zeros(NUM_HAND_CLASSES), np.ones(NUM_HAND_CLASSES)
        for child in tree.children(0):
            if child in nodes:
                share = nodes[child].share
                total += np.where(share > 0, share * (np.nan_to_num(nodes[child].best) - blinds[position]), 0.0)
                folds -= share
        return np.asarray(total + folds * blinds[1 - position])

    def _mean_row(self, node: int) -> list[float]:
        # As in the player's source, so that the same nodes stand for a line as at the table.
        mean: list[float] = (self._values.blueprint.block(node).mean(axis=0) / SCALE).tolist()
        return mean

    def at(self, betting: str, combo: int, taken: Action | None = None) -> DecisionEvs:
        """Returns what the actions after a betting line are worth to the player to act.

        :param betting: ACPC betting before the flop, at which somebody is to act.
        :param combo: its hole cards, 0 to 1325; only their hand class matters.
        :param taken: a legal action to be valued, whatever its size.
        :raises MatchStateError: if the betting is not legal.
        :raises InputError: if the betting ends on a later street, or the hand is over.
        """
        return self._at(betting, int(HAND_CLASS[combo]), taken)

    def _find(self, betting: str, place: int, taken: Action | None) -> DecisionEvs:
        """Returns the answer of :meth:`at` for a hand class."""
        line = self._lines.line(betting)
        if line.state.finished or line.situation.street or not line.shadows:
            raise InputError(f"expected betting at which somebody is to act before the flop, got {betting!r}")
        known = [
            (self._values.nodes[node], weight, targets)
            for (node, weight), targets in zip(line.shadows, line.targets, strict=True)
            if not isnan(self._values.nodes[node].best[place])
        ]
        total = sum(weight for _, weight, _ in known)
        shadows = [(values, weight / total) for values, weight, _ in known]
        # Sizes of the tree that the rules lift to one bet count together.
        often = [0.0] * len(line.actions)
        for values, weight, targets in known:
            for child, target in enumerate(targets):
                often[target] += weight / total * float(values.strategy[place, child])
        offered = [
            self._mix(line, shadows, place, action)._replace(frequency=frequency)
            for action, frequency in zip(line.actions, often, strict=True)
        ]
        share = sum(weight * float(self._values.nodes[node].share[place]) for node, weight in line.shadows)
        if not known:
            unknown = tuple(map(_unknown, line.actions))
            asked = None if taken is None else _unknown(taken)
            return DecisionEvs(line.situation.position, unknown, nan, nan, share, asked, line.left_tree is not None)
        # The action that is best on one half of the boards is valued on the other half.
        halves = [[mix.ev + sign * mix.half_difference for mix in offered] for sign in (1, -1)]
        first, second = (half.index(max(half)) for half in halves)
        best = (halves[1][first] + halves[0][second]) / 2
        top = max(offered, key=lambda mix: mix.ev)
        mixed = sum(weight * float(values.mixed[place]) for values, weight in shadows)
        found = tuple(_rated(mix, top, shadows) for mix in offered)
        asked = None if taken is None else _rated(self._mix(line, shadows, place, taken), top, shadows)
        return DecisionEvs(line.situation.position, found, best, mixed, share, asked, line.left_tree is not None)

    def _mix(self, line: Line, shadows: Sequence[tuple[NodeValues, float]], place: int, action: Action) -> _Mix:
        """Returns what an action is worth on average over the decisions that stand for the real one.

        :param shadows: their values, with weights that sum to one.
        :param place: the hand class.
        """
        evs: list[float] = []
        half_difference = sampling = translation = frequency = 0.0
        exact = True
        for values, weight in shadows:
            choice = self._lines.choices[values.node]
            parts = translate_action(choice, action, line.situation, self._lines.mapping)
            total = sum(part for _, part in parts)
            here, halves, errors = (
                table[place].tolist() for table in (values.ev, values.half_difference, values.error_to_best)
            )
            evs.append(sum(part * here[child] for child, part in parts) / total)
            half_difference += weight * sum(part * halves[child] for child, part in parts) / total
            sampling += weight * sum(part * errors[child] for child, part in parts) / total
            frequency += weight * sum(float(values.strategy[place, child]) for child, _ in parts)
            if action.kind == "r" and not _is_size(choice, parts[0][0], action, line.situation):
                exact = False
                last = parts[-1][0]
                first = parts[0][0] if len(parts) > 1 else last - 1  # a size outside the menu has one neighbour
                translation += weight * abs(here[first] - here[last]) / 2
        ev = sum(weight * each for (_, weight), each in zip(shadows, evs, strict=True))
        return _Mix(action, ev, tuple(evs), half_difference, sampling, translation, frequency, exact)


class _Mix(NamedTuple):
    """What an action is worth over several decisions of the tree."""

    action: Action
    ev: float
    evs: tuple[float, ...]
    """The EV at each decision."""
    half_difference: float
    sampling: float
    translation: float
    frequency: float
    exact: bool


def _rated(mix: _Mix, top: _Mix, shadows: Sequence[tuple[NodeValues, float]]) -> ActionEv:
    """Returns an action with the uncertainty of its loss.

    :param top: the action with the best EV.
    """
    loss = top.ev - mix.ev
    pairs = zip(shadows, top.evs, mix.evs, strict=True)
    spread = sqrt(sum(weight * (best - ev - loss) ** 2 for (_, weight), best, ev in pairs))
    error = hypot(mix.sampling, mix.translation, spread)
    return ActionEv(mix.action, mix.ev, error, mix.frequency, mix.exact, mix.translation)


def _unknown(action: Action) -> ActionEv:
    return ActionEv(action, nan, nan, 0.0, exact=False)


def _is_size(choice: Choice, child: int, action: Action, situation: Situation) -> bool:
    """Tells whether a real raise is a size of the tree, in the chips of the real hand."""
    if choice.kinds[child] == ActionKind.ALL_IN and action.size >= situation.stack:
        return True
    return real_action(choice.kinds[child], choice.fractions[child], situation) == action


def preflop_evs(paths: Iterable[str | os.PathLike[str]], gamedef: GameDef) -> PreflopEvs | None:
    """Returns the table that belongs to the packs with which a game is played; None if there is none.

    :param paths: packs, or folders of packs, with a blueprint among them.
    :param gamedef: a heads-up game of no-limit hold'em.
    :raises InputError: if the game is another one.
    :raises PackError: if there is no blueprint, or a pack is damaged.
    """
    folder = packs_for(find_game_packs(paths), gamedef).blueprint
    values = preflop_values_beside(folder, read_blueprint(open_pack(folder)))
    return None if values is None else PreflopEvs(values, gamedef)
