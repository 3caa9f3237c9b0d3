"""The strategy of Hedgehog's player from packs alone: a function of betting, board and two hole cards.

On the flop the exact solutions decide if they cover the preflop line and the flop's class, and no bet was clearly
larger than all bets of their tree; else the quick packs if they cover the decision. At all other decisions the
blueprint's buckets decide, on the river with a limit on folds (:mod:`hedgehog.agent.strategy.fold_limit`).
:meth:`PackStrategy.column` returns the strategy of one combo, within microseconds where no folds have a
limit, and :meth:`PackStrategy.options` the strategy of all combos, with the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.explanation import AbstractLine, Translation, abstract_lines, translation
from hedgehog.agent.strategy.fold_limit import folds_within, has_limit, most_folds
from hedgehog.agent.strategy.folds import DEFAULT_FOLDS, Folds
from hedgehog.agent.strategy.hand_view import HandView
from hedgehog.agent.strategy.line_shadows import Folding, Line, LineShadows
from hedgehog.agent.strategy.sources import BlueprintSource, ExactFlops, StrategySource
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.poker.streets import BOARD_CARDS, FLOP
from hedgehog.strategies.betting_tree import depth_of_tree
from hedgehog.strategies.quantize import SCALE

PURIFY_BELOW: Final = 0.02
"""Actions of lower probability are never taken from a pack: they are noise of quantisation and unfinished
convergence."""

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

        :param folds: which hands fold to bets on the river.
        """
        self.blueprint = blueprint
        self._exact = exact
        self._folds = folds

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
        mixed = [0.0] * len(line.actions)
        for (node, weight), targets in zip(line.shadows, line.targets, strict=True):
            for target, byte in zip(targets, source.row(node, board, combo), strict=True):
                mixed[target] += weight * byte
        if line.folding is not None:
            _call_instead(mixed, line.folding)
        probabilities = purified_list(mixed)
        if self.limits_folds(line) and probabilities[line.actions.index(FOLD)] > 0:
            # The whole range says how many of the folds stay.
            probabilities = self.options(betting, board)[1].probabilities[:, combo].tolist()
        return Column(layer, line.actions, probabilities)

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
        return self._folds == Folds.LIMITED and FOLD in line.actions and has_limit(line.situation)

    def with_limit(self, line: Line, board: tuple[int, ...], probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the strategy at a line with the limit on folds, if they have one; the given one is not changed.

        :param board: card ids of the board.
        :param probabilities: (actions of the line, 1326) how often the packs take each action with every combo.
        """
        if not self.limits_folds(line):
            return probabilities
        return self._limited(line, board, probabilities, self.own_range(line, board))

    def share_of_folds(self, betting: str, board: tuple[int, ...]) -> float:
        """Returns the share of the range's folds that the limit on folds leaves at a decision; 1 where it has none.

        :param betting: ACPC betting at which somebody is to act.
        :param board: card ids of the board.
        """
        _, line, _, source = self.place(betting, board)
        if not line.shadows or not self.limits_folds(line):
            return 1.0
        fold, reach = line.actions.index(FOLD), self.own_range(line, board)
        before = self._without_limit(line, source, board)
        folding = float(reach @ before[fold])
        return float(reach @ self._limited(line, board, before, reach)[fold]) / folding if folding > 0 else 1.0

    def _limited(
        self, line: Line, board: tuple[int, ...], probabilities: NDArray[np.float64], reach: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Returns the strategy at a line that has a limit on folds, with it, for a range of (1326,) weights."""
        fold, call = line.actions.index(FOLD), line.actions.index(CALL)
        bettor = next(line.way())[0].situation
        found = probabilities.copy()
        most = most_folds(line.situation, bettor.own_spent)
        found[fold] = folds_within(probabilities[fold], reach, board, most)
        found[call] += probabilities[fold] - found[fold]
        return found

    def own_range(self, line: Line, board: tuple[int, ...]) -> NDArray[np.float64]:
        """Returns (1326,): how likely the player to act was with every combo to act so far as it did.

        It has played this strategy. Combos that the board blocks are 0.

        :param line: a line of the blueprint at which somebody is to act.
        :param board: card ids of the board.
        """
        reach = combo_mask(board).astype(np.float64)
        for before, action in line.way():
            street, position = before.situation.street, before.situation.position
            if position == line.situation.position:
                row = self.likelihood(before.state.betting_string(), board[: BOARD_CARDS[street]], action)
                if row is not None:
                    reach *= np.where(row < PURIFY_BELOW, 0.0, row)
        return reach

    def likelihood(self, betting: str, board: tuple[int, ...], action: Action) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of a real action after ``betting`` for every combo of the acting player.

        The probability of a size between two abstract sizes is the sum of both probabilities, each multiplied by the
        weight with which the abstract size stands for the real one. The limit on folds, after which no betting follows,
        is left out.

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
            found += weight / SCALE * source.action_row(line.shadows[number][0], board, child)
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
