"""Answers questions about one line of a solution: hands, their strategies, and what became of the rest of the range.

A :class:`NodeAnswer` is a node's view together with the EV of every action, the hands that were asked for and, on
request, the rounded strategy. Tables, JSON, CSV and the HTML page are made from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask, format_cards, format_combo
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.hand_names import HandFilter, HandNames, name_hands
from hedgehog.poker.hand_strategy import HandStrategy, ShowsStrategy, class_order, format_percent
from hedgehog.poker.range_view import Range
from hedgehog.poker.ranges import disjoint_weight, range_entries
from hedgehog.runtime.table import Column, Table
from hedgehog.solver.postflop.queries import (
    NodeView,
    RoundedStrategy,
    action_evs,
    average_over,
    find_node,
    round_strategy,
    view_node,
)
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.solver.postflop.tree import format_line, parse_line

_ROUNDING: Final = 1e-9
"""Share of a sum of weights below which a difference from it is an error of rounding."""


class HasRanges(Protocol):
    """A spot, as far as its ranges are asked for."""

    @property
    def ranges(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """float32[1326] weights of OOP and IP."""


@dataclass(frozen=True, repr=False)
class NodeAnswer(ShowsStrategy):
    """One decision node of a solution and the hands that were asked for there."""

    line: str
    """Action tokens and dealt cards separated by blanks; empty for the root."""
    view: NodeView
    evs: NDArray[np.float64]
    """float64[actions, 1326]: EV of each action for each combo of the acting player (:func:`action_evs`)."""
    chosen: NDArray[np.bool_]
    """bool[1326]: the combos that were asked for; all combos by default."""
    rounded: RoundedStrategy | None
    """The strategy in multiples of a step; None if no rounding was asked for."""

    @property
    def player(self) -> int:
        """The acting player: 0 is OOP, 1 is IP."""
        return self.view.player

    @property
    def strategy(self) -> NDArray[np.float64]:
        """float64[actions, 1326]: the rounded strategy, or the stored one if no rounding was asked for."""
        return self.view.strategy if self.rounded is None else self.rounded.strategy

    @property
    def frequency(self) -> NDArray[np.float64]:
        """float64[actions]: how often :attr:`strategy` takes each action, over all hands that reach the node."""
        return self.view.frequency if self.rounded is None else self.rounded.frequency

    @cached_property
    def names(self) -> HandNames:
        """What every combo makes and draws to on the board."""
        return name_hands(self.view.board)

    @cached_property
    def opponent_weight(self) -> float:
        """Sum of the weights with which the opponent's combos reach the node."""
        return float(self.view.reach[1 - self.player].sum(dtype=np.float64))

    def hands(self) -> NDArray[np.int64]:
        """Returns the combos asked for that the acting player holds at the node, ascending."""
        combos = self.view.hands()
        return combos[self.chosen[combos]]

    def removed(self, combo: int) -> float:
        """Returns the weight of the opponent's combos at the node that share a card with ``combo``."""
        removed = self.opponent_weight - float(self.view.met[self.player, combo])
        return removed if removed > _ROUNDING * self.opponent_weight else 0.0

    def range(self, player: int | None = None) -> Range:
        """Returns the range with which a player gets to the node.

        :param player: 0 is OOP, 1 is IP; None is the acting player.
        """
        return Range(np.clip(self.view.reach[self.player if player is None else player], 0, 1))

    def hand_strategy(self) -> HandStrategy:
        """Returns the strategy of the hands asked for, with averages over the pairs of hands that can meet."""
        view, player = self.view, self.player
        asked = np.zeros(len(self.chosen))
        asked[self.hands()] = 1
        line = f"{format_cards(view.board, ' ')}, {PLAYERS[player]} after {self.line or 'nothing'}, pot {view.pot:,}"
        return HandStrategy(
            line, view.actions, self.strategy, view.reach[player] * asked, view.pair_weights[player] * asked
        )

    def summary(self) -> str:
        """Returns the board, the player to act, the line, the pot, and how often each action is taken."""
        return self.hand_strategy().summary()

    def table(self, *, by_combo: bool = False) -> Table:
        """Returns a row per hand class: weight, equity, EV in chips, how often it takes each action, and their EVs.

        The column of an action has the name of its token. That of its EV begins with ``ev_``.

        :param by_combo: a row per combo instead of one per hand class.
        """
        actions, costs = self.view.actions, [Column("rounding_cost")] if self.rounded is not None else []
        columns = [
            Column("hand"), Column("combos"), Column("equity", text=format_percent), Column("ev", "EV"),
            *(Column(action, text=format_percent) for action in actions),
            *(Column(f"ev_{action}", f"EV {action}") for action in actions), *costs,
        ]  # fmt: skip
        rows = (
            (row.name, row.weight, row.equity, row.ev, *row.strategy, *row.evs, *([row.cost] if costs else []))
            for row in hand_rows(self, by_combo=by_combo)
        )
        return Table("strategy", f"{self.line or 'root'}: {PLAYERS[self.player]} to act", columns, tuple(rows))

    def to_frame(self, library: str | None = None, *, by_combo: bool = False) -> Any:
        """Returns :meth:`table` as a data frame.

        :param library: ``pandas`` or ``polars``; None for pandas if it is installed, else polars.
        :param by_combo: a row per combo instead of one per hand class.
        :raises InputError: if the library is not installed; the message says what to install.
        """
        return self.table(by_combo=by_combo).to_frame(library)


@dataclass(frozen=True, slots=True)
class HandRow:
    """One combo, or the average of several, at a node. Averages are over the pairs of hands that can meet.

    Numbers of combos that meet no hand of the opponent are NaN.
    """

    name: str
    """The combo or hand class, such as ``AhKd`` or ``AKo``."""
    combos: NDArray[np.int64]
    """The combos of the row."""
    weight: float
    """Sum of the weights with which the combos reach the node."""
    equity: float
    """Probability of winning at showdown against the opponent's hands at the node; ties count half."""
    ev: float
    """EV in chips: chips received at the end less chips put in after the node."""
    strategy: list[float]
    """Probability of each action."""
    evs: list[float]
    """EV of each action in chips, counted from the node. For several combos it is the average over those that take the
    action, as often as they take it, and NaN if none does. So the EVs of the actions make the EV of the row."""
    cost: float
    """Chips of EV that rounding the strategy loses; 0 if nothing is rounded."""


def answer_line(
    solution: PostflopSolution,
    line: str,
    *,
    hands: NDArray[np.bool_] | None = None,
    hand_filter: HandFilter | None = None,
    percent: int | None = None,
) -> NodeAnswer:
    """Returns the decision at the end of a line: strategies, EVs and equities of all hands there.

    :param solution: a solver, or a saved solution that :func:`~hedgehog.solver.postflop.solution_files.open_solution`
        returned.
    :param line: action tokens and dealt cards separated by blanks; empty for the root.
    :param hands: bool[1326], the combos asked for; None for all.
    :param hand_filter: keeps the combos that make one of its hands on the board at the node; None keeps all.
    :param percent: round the strategy to multiples of this many percent, a divisor of 100; None does not round.
    :raises SpotError: if the tree has no such decision.
    :raises ValueError: if ``percent`` does not divide 100.
    """
    view = view_node(solution, *find_node(solution, line))
    evs = action_evs(solution, view)
    chosen = np.ones(view.reach.shape[1], dtype=np.bool_) if hands is None else hands.copy()
    if hand_filter is not None:
        chosen &= hand_filter.select(name_hands(view.board))
    return NodeAnswer(
        format_line(parse_line(line)),
        view,
        evs,
        chosen,
        None if percent is None else round_strategy(view, evs, percent),
    )


def hand_row(name: str, answer: NodeAnswer, combos: NDArray[np.int64]) -> HandRow:
    """Returns one row with the averages of several combos at a node.

    :param name: name of the row.
    :param combos: combo numbers.
    """
    view, player = answer.view, answer.player
    weights = view.pair_weights[player, combos]
    strategy = answer.strategy[:, combos]
    taking = weights if len(combos) == 1 else weights * np.nan_to_num(strategy)
    return HandRow(
        name=name,
        combos=combos,
        weight=float(view.reach[player, combos].sum()),
        equity=float(average_over(view.equity[player, combos], weights)),
        ev=float(average_over(view.ev[player, combos], weights)),
        strategy=average_over(strategy, weights).tolist(),
        evs=average_over(answer.evs[:, combos], taking).tolist(),
        cost=0.0 if answer.rounded is None else float(average_over(answer.rounded.cost[combos], weights)),
    )


def hand_rows(answer: NodeAnswer, *, by_combo: bool) -> Iterator[HandRow]:
    """Yields one row per hand class, or per combo, of the hands asked for, from aces down.

    Hands are ordered by high card, then by low card, suited before offsuit.

    :param answer: a decision that :func:`answer_line` returned.
    :param by_combo: yield one row per combo instead of one per hand class.
    """
    combos = answer.hands()
    for hand_class in sorted(set(HAND_CLASS[combos].tolist()), key=class_order):
        members = combos[HAND_CLASS[combos] == hand_class]
        if by_combo:
            yield from (hand_row(format_combo(int(combo)), answer, np.array([combo])) for combo in members[::-1])
        else:
            yield hand_row(HAND_CLASS_NAMES[hand_class], answer, members)


def reached(solution: PostflopSolution, view: NodeView) -> float:
    """Returns the probability that the betting reaches a node, given its board; NaN if the board leaves no hands."""
    oop, ip = (np.where(combo_mask(view.board), weights, np.float32(0)) for weights in solution.ranges)
    pairs = float(disjoint_weight(ip) @ oop)
    return view.pair_weight / pairs if pairs > 0 else math.nan


@dataclass(frozen=True, slots=True)
class RangeCounts:
    """How many combos of a player's range reach a node, and why the others do not."""

    combos: int
    """Number of combos with weight in the spot's range, those that hit its board included."""
    removed: int
    """Number of these combos that hold a card of the board at the node."""
    elsewhere: int
    """Number of the other combos that never play to the node."""
    weight: float
    """Sum of the weights with which combos reach the node."""


def count_range(spot: HasRanges, view: NodeView, player: int | None = None) -> RangeCounts:
    """Returns how many combos of a player's range reach a node, and why the others do not.

    :param player: 0 is OOP, 1 is IP; None is the acting player.
    """
    player = view.player if player is None else player
    held = spot.ranges[player] > 0
    live = combo_mask(view.board)
    reach = view.reach[player]
    return RangeCounts(
        combos=int(held.sum()),
        removed=int((held & ~live).sum()),
        elsewhere=int((held & live & (reach <= 0)).sum()),
        weight=float(reach.sum(dtype=np.float64)),
    )


def explain_missing_numbers(view: NodeView) -> str | None:
    """Returns one sentence on why hands at a node have no numbers, or on how little they mean.

    None if all hands that get there have them, and the line is taken often enough.
    """
    sentences = (_explain_absence(view), view.remark, None if view.trained else "not trained")
    found = [sentence for sentence in sentences if sentence is not None]
    return ". ".join(found) or None


def _explain_absence(view: NodeView) -> str | None:
    """Returns one sentence on hands that get together nowhere; None if all do."""
    who, other = PLAYERS[view.player], PLAYERS[1 - view.player]
    empty = [PLAYERS[player] for player in (0, 1) if not (view.reach[player] > 0).any()]
    if len(empty) == 2:
        return "neither player gets here, so there are no frequencies, EVs and equities"
    if empty:
        return f"{empty[0]} never gets here, so there are no frequencies, EVs and equities"
    if not view.is_reached:
        return "the hands that get here exclude each other, so there are no frequencies, EVs and equities"
    alone = view.hands()
    alone = alone[view.met[view.player, alone] <= 0]
    if not len(alone):
        return None
    names = ", ".join(format_combo(int(combo)) for combo in alone[:3]) + (", ..." if len(alone) > 3 else "")
    return f"{len(alone)} combos of {who} exclude all hands of {other} here and have no numbers: {names}"


def explain_absent_hands(text: str, spot: HasRanges, view: NodeView) -> Iterator[str]:
    """Yields a sentence for every entry of a range text that has no combo at a node, with the reason.

    :param text: range notation (:mod:`hedgehog.poker.ranges`), already known to be valid.
    """
    live, who = combo_mask(view.board), PLAYERS[view.player]
    for entry in range_entries(text):
        named = entry.combos
        if (view.reach[view.player][named] > 0).any():
            continue
        name = entry.text.partition(":")[0].strip()
        left = named & live
        if not left.any():
            yield f"{name} cannot be held: the board {format_cards(view.board, ' ')} takes it"
        elif not (spot.ranges[view.player][left] > 0).any():
            yield f"{name} is not in the range of {who}" + (
                f" (the board takes {int((named & ~live).sum())} of {int(named.sum())} combos)"
                if (named & ~live & (spot.ranges[view.player] > 0)).any()
                else ""
            )
        else:
            yield f"{name} is in the range of {who} but never plays to this decision"
