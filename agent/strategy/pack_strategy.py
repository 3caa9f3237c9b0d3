"""The strategy of Hedgehog's player from packs alone: a function of betting, board and two hole cards.

On the flop the exact solutions decide if they cover the preflop line and the flop's class, and no bet was clearly
larger than all bets of their tree; else the quick packs if they cover the decision. At all other decisions the
blueprint's buckets decide, on turn and river with a limit on folds (:mod:`hedgehog.agent.strategy.fold_limit`).
:meth:`PackStrategy.column` returns the strategy of one combo, within microseconds where no folds have a
limit, and :meth:`PackStrategy.options` the strategy of all combos, with the same numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.explanation import AbstractLine, Translation, abstract_lines, translation
from hedgehog.agent.strategy.fold_limit import DEFAULT_FOLDS, Folds, folds_within, has_limit, most_folds
from hedgehog.agent.strategy.hand_view import HandView, view_of_state
from hedgehog.agent.strategy.line_shadows import Folding, Line, LineShadows
from hedgehog.agent.strategy.sources import BlueprintSource, ExactFlops, StrategySource
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.poker.streets import FLOP
from hedgehog.strategies.betting_tree import depth_of_tree
from hedgehog.strategies.quantize import SCALE

PURIFY_BELOW: Final = 0.02
"""Actions of lower probability are never taken from a pack: they are noise of quantisation and unfinished
convergence."""

KEPT_RANGES: Final = 64

BLUEPRINT: Final = "blueprint"
QUICK: Final = "quick"
EXACT: Final = "exact"
FALLBACK: Final = "fallback"


class Place(NamedTuple):
    """What decides after a betting line: the layer, the line with its shadows, and the source of strategy rows."""

    layer: str
    line: Line
    lines: LineShadows
    source: StrategySource


class Column(NamedTuple):
    """The mixed strategy of one combo."""

    layer: str
    actions: list[Action]
    probabilities: list[float]
    """Probability of each action; they sum to one."""


class PackStrategy:
    """Blueprint and flop packs as one strategy."""

    def __init__(self, blueprint: BlueprintSource, exact: ExactFlops, folds: Folds = DEFAULT_FOLDS) -> None:
        """Makes a strategy of opened packs.

        :param folds: which hands fold to bets on turn and river.
        """
        self.blueprint = blueprint
        self._exact = exact
        self._folds = folds
        self._ranges: OrderedDict[tuple[str, Action, tuple[int, ...]], NDArray[np.float64]] = OrderedDict()

    @property
    def depth(self) -> float:
        """Stacks, in big blinds, for which the packs were made."""
        return depth_of_tree(self.blueprint.tree)

    def for_game(self, gamedef: GameDef) -> PackStrategy:
        """Returns the same strategy for the hands of a game with other chips; the packs are shared."""
        return PackStrategy(self.blueprint.for_game(gamedef), self._exact.for_game(gamedef), self._folds)

    def place(self, betting: str, board: tuple[int, ...]) -> Place:
        """Returns the finest layer that covers the decision after ``betting``, with its line and source.

        :param betting: ACPC betting at which somebody is to act.
        :param board: card ids of the board.
        :raises MatchStateError: if the betting is not legal.
        """
        lines = self.blueprint.lines
        line = lines.line(betting)
        layer = BLUEPRINT
        if not line.shadows:
            layer = FALLBACK
        elif line.situation.street == FLOP:
            start = lines.line(betting[: betting.index("/") + 1]).shadows
            exact = self._exact.find(start[0][0], board) if start else None
            if exact is not None and (own := exact.lines.line(betting)).shadows and not own.outgrown:
                return Place(EXACT, own, exact.lines, exact)
            if self.blueprint.quick_pack(line.shadows[0][0], board) is not None:
                layer = QUICK
        return Place(layer, line, lines, self.blueprint)

    def column(self, betting: str, board: tuple[int, ...], combo: int) -> Column:
        """Returns the strategy of one combo at a decision; actions below :data:`PURIFY_BELOW` are removed.

        :param betting: ACPC betting at which somebody is to act.
        :param board: card ids of the board.
        :param combo: a combo 0..1325 that shares no card with the board.
        """
        layer, line, _, source = self.place(betting, board)
        if not line.shadows:
            return Column(layer, [CALL], [1.0])
        if self.limits_folds(line):
            options = self.options(betting, board)[1]
            return Column(layer, options.actions, options.probabilities[:, combo].tolist())
        mixed = [0.0] * len(line.actions)
        for (node, weight), targets in zip(line.shadows, line.targets, strict=True):
            for target, byte in zip(targets, source.row(node, board, combo), strict=True):
                mixed[target] += weight * byte
        if line.folding is not None:
            _call_instead(mixed, line.folding)
        return Column(layer, line.actions, purified_list(mixed))

    def options(self, betting: str, board: tuple[int, ...]) -> tuple[str, Options]:
        """Returns the layer that decides and the strategy of all combos.

        Actions below :data:`PURIFY_BELOW` are removed. Columns of blocked combos are zero.

        :param betting: ACPC betting at which somebody is to act.
        :param board: card ids of the board.
        """
        layer, line, _, source = self.place(betting, board)
        if not line.shadows:
            return layer, Options([CALL], combo_mask(board)[None].astype(np.float64))
        return layer, Options(line.actions, self.with_limit(line, board, self._without_limit(line, source, board)))

    def _without_limit(self, line: Line, source: StrategySource, board: tuple[int, ...]) -> NDArray[np.float64]:
        """Returns (actions, 1326): the strategy of all combos at a line with shadows, without the limit on folds."""
        mixed = np.zeros((len(line.actions), NUM_COMBOS))
        for (node, weight), targets in zip(line.shadows, line.targets, strict=True):
            for target, row in zip(targets, source.rows(node, board), strict=True):
                mixed[target] += weight * row
        if line.folding is not None:
            _call_instead(mixed, line.folding)
        return purified(mixed) * combo_mask(board)

    def limits_folds(self, line: Line) -> bool:
        """Tells whether the folds at a line have a limit (:mod:`hedgehog.agent.strategy.fold_limit`)."""
        return self._folds == Folds.LIMITED and has_limit(line.situation)

    def with_limit(self, line: Line, board: tuple[int, ...], probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the strategy at a line with the limit on folds, if they have one; the given one is not changed.

        :param board: card ids of the board.
        :param probabilities: (actions of the line, 1326) how often the packs take each action with every combo.
        """
        if not self.limits_folds(line) or FOLD not in line.actions:
            return probabilities
        view = view_of_state(line.state, board)
        found = probabilities.copy()
        fold, call = line.actions.index(FOLD), line.actions.index(CALL)
        reach = self.own_range(view, view.situation.position)
        found[fold] = folds_within(probabilities[fold], reach, board, most_folds(view))
        found[call] += probabilities[fold] - found[fold]
        return found

    def share_of_folds(self, view: HandView) -> float:
        """Returns the share of the range's folds that the limit on folds leaves at a decision; 1 where it has none."""
        _, line, _, source = self.place(view.betting, view.board)
        if not line.shadows or not self.limits_folds(line) or FOLD not in line.actions:
            return 1.0
        fold, reach = line.actions.index(FOLD), self.own_range(view, view.situation.position)
        before = self._without_limit(line, source, view.board)
        folding = float(reach @ before[fold])
        return float(reach @ self.with_limit(line, view.board, before)[fold]) / folding if folding > 0 else 1.0

    def own_range(self, view: HandView, position: int) -> NDArray[np.float64]:
        """Returns (1326,): how likely a player was with every combo to act so far as it did; 0 for blocked combos.

        :param view: a decision of the hand.
        :param position: the player, who has played this strategy.
        """
        number = max((n for n, event in enumerate(view.events) if event.situation.position == position), default=-1)
        if number < 0:
            return combo_mask(view.board).astype(np.float64)
        betting, situation, action = view.events[number]
        key = (betting, action, view.board)
        if key not in self._ranges:
            board = view.board_on(situation.street)
            row = self.options(betting, board)[1].row(action)
            if row is None:
                row = self.likelihood(betting, board, action)
            before = self.own_range(view.before(number), position) * combo_mask(view.board)
            self._ranges[key] = before if row is None else before * row
            if len(self._ranges) > KEPT_RANGES:
                self._ranges.popitem(last=False)
        return self._ranges[key]

    def likelihood(self, betting: str, board: tuple[int, ...], action: Action) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of a real action after ``betting`` for every combo of the acting player.

        The probability of a size between two abstract sizes is the sum of both probabilities, each multiplied by the
        weight with which the abstract size stands for the real one.

        :param betting: ACPC betting before the action.
        :param board: card ids of the board.
        :param action: the real action.
        :returns: None if no abstract action stands for the real one.
        """
        _, line, lines, source = self.place(betting, board)
        children = lines.children(line, action)
        if not children:
            return None
        found = np.zeros(NUM_COMBOS)
        for number, child, weight in children:
            found += weight / SCALE * source.rows(line.shadows[number][0], board)[child]
        return found

    def translations(self, view: HandView) -> list[Translation]:
        """Returns for each bet and raise before a decision the abstract actions that stand for it, in order."""
        place = self.place(view.betting, view.board)
        found = []
        for event in view.events:
            if event.action.kind == "r":
                own_tree = place.layer == EXACT and event.situation.street == FLOP
                lines, layer = (place.lines, EXACT) if own_tree else (self.blueprint.lines, BLUEPRINT)
                found.append(translation(lines, lines.line(event.betting), event, layer))
        return found

    def translation(self, view: HandView, number: int) -> Translation:
        """Returns the abstract actions that stand for one bet or raise of a hand.

        :param view: a decision of the hand.
        :param number: number of the bet or raise among the events of ``view``.
        """
        event = view.events[number]
        layer, line, lines, _ = self.place(event.betting, view.board_on(event.situation.street))
        return translation(lines, line, event, EXACT if layer == EXACT else BLUEPRINT)

    def abstract_lines(self, place: Place) -> tuple[AbstractLine, ...]:
        """Returns the abstract decisions whose strategies are mixed at a place, with their weights."""
        before = ""
        if place.layer == EXACT:
            betting = place.line.state.betting_string()
            start = self.blueprint.lines.line(betting[: betting.index("/") + 1]).shadows
            before = abstract_lines(self.blueprint.tree, start[:1])[0].betting
        return abstract_lines(place.lines.tree, place.line.shadows, before)


def _call_instead(mixed: Any, folding: Folding) -> None:
    """Moves folds to calls, in place; ``mixed`` is a number or an array per action."""
    fold, call, kept = folding
    mixed[call] += (1 - kept) * mixed[fold]
    mixed[fold] *= kept


def purified(probabilities: NDArray[np.float64], below: float = PURIFY_BELOW) -> NDArray[np.float64]:
    """Returns probabilities without actions that are less likely than ``below``; every column sums to one.

    :param probabilities: (actions, hands) non-negative weights. In a column of zeros all actions become equally likely.
    """
    kept = np.where(probabilities >= below * probabilities.sum(axis=0), probabilities, 0.0)
    total = kept.sum(axis=0)
    return np.where(total > 0, kept / np.where(total > 0, total, 1.0), 1 / len(probabilities))


def purified_list(weights: Sequence[float]) -> list[float]:
    """Returns :func:`purified` probabilities of one hand, rounded as there."""
    total = 0.0
    for weight in weights:
        total += weight
    least = PURIFY_BELOW * total
    kept_total = 0.0
    for weight in weights:
        if weight >= least:
            kept_total += weight
    if kept_total <= 0:
        return [1 / len(weights)] * len(weights)
    return [weight / kept_total if weight >= least else 0.0 for weight in weights]
