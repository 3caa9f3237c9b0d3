"""What is asked about one line of a solution and what the answer is: hands, their strategies, and where they went.

A :class:`NodeAnswer` is a node's view together with the EV of every action, the hands that were asked for and, if it
was asked for, the rounded strategy. Tables, JSON, CSV and the HTML page are made of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poker.cards import RANKS, combo_mask, format_cards, format_combo
from poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from poker.hand_names import HandFilter, HandNames, name_hands
from poker.ranges import parse_range
from solver.postflop.queries import NodeView, RoundedStrategy, action_evs, find_node, round_strategy, view_node
from solver.postflop.solution import PostflopSolution
from solver.postflop.spot import PLAYERS, PostflopSpot


@dataclass(frozen=True)
class NodeAnswer:
    """One decision node and the hands that were asked for there."""

    line: str
    view: NodeView
    evs: NDArray[np.float64]
    """float64[actions, 1326]: EV of each action for each combo of the acting player (:func:`action_evs`)."""
    chosen: NDArray[np.bool_]
    """bool[1326]: the combos that were asked for; all of them if nothing was said."""
    rounded: RoundedStrategy | None
    """The strategy in whole steps, if that was asked for."""

    @property
    def player(self) -> int:
        """Who acts."""
        return self.view.player

    @property
    def strategy(self) -> NDArray[np.float64]:
        """float64[actions, 1326]: what is shown, rounded or as it is stored."""
        return self.view.strategy if self.rounded is None else self.rounded.strategy

    @property
    def frequency(self) -> NDArray[np.float64]:
        """float64[actions]: of the strategy that is shown, over all hands that get here."""
        return self.view.frequency if self.rounded is None else self.rounded.frequency

    @cached_property
    def names(self) -> HandNames:
        """What every combo makes on the board."""
        return name_hands(self.view.board)

    @cached_property
    def opponent_weight(self) -> float:
        """Combos of the opponent here, by weight."""
        return float(self.view.reach[1 - self.player].sum(dtype=np.float64))

    def hands(self) -> NDArray[np.int64]:
        """Returns the combos asked for with which the acting player gets here, ascending."""
        combos = self.view.hands()
        return combos[self.chosen[combos]]

    def removed(self, combo: int) -> float:
        """Returns how many combos of the opponent, by weight, cannot be held because of this one."""
        return max(self.opponent_weight - float(self.view.met[self.player, combo]), 0.0)


@dataclass(frozen=True, slots=True)
class HandRow:
    """One hand, or several together, at a node; averages are over the pairs of hands that can meet."""

    name: str
    combos: NDArray[np.int64]
    weight: float
    """Combos, by weight."""
    equity: float
    ev: float
    strategy: list[float]
    evs: list[float]
    """EV of each action, in chips."""
    cost: float
    """Chips that the rounded strategy loses; 0 if nothing is rounded."""


def answer_line(
    solution: PostflopSolution,
    line: str,
    *,
    hands: NDArray[np.bool_] | None = None,
    hand_filter: HandFilter | None = None,
    percent: int | None = None,
) -> NodeAnswer:
    """Answers what is asked about a line.

    :param line: action tokens and dealt cards separated by blanks; empty for the root.
    :param hands: bool[1326] combos asked for; None: all.
    :param hand_filter: of these, the combos that make one of the hands named on the board there; None: all.
    :param percent: show the strategy in steps of so many percent; None: as it is stored.
    :raises SpotError: if the tree has no such decision.
    """
    view = view_node(solution, *find_node(solution, line))
    evs = action_evs(solution, view)
    chosen = np.ones(view.reach.shape[1], dtype=np.bool_) if hands is None else hands.copy()
    if hand_filter is not None:
        chosen &= hand_filter.select(name_hands(view.board))
    return NodeAnswer(line, view, evs, chosen, None if percent is None else round_strategy(view, evs, percent))


def hand_row(name: str, answer: NodeAnswer, combos: NDArray[np.int64]) -> HandRow:
    """Returns several combos together as one row."""
    view, player = answer.view, answer.player
    weights = view.pair_weights[player, combos]
    if weights.sum() <= 0:  # they meet nobody: each counts as often as it is held
        weights = view.reach[player, combos].astype(np.float64)
    shares = weights / weights.sum()
    return HandRow(
        name=name,
        combos=combos,
        weight=float(view.reach[player, combos].sum()),
        equity=float(view.equity[player, combos] @ shares),
        ev=float(view.ev[player, combos] @ shares),
        strategy=(answer.strategy[:, combos] @ shares).tolist(),
        evs=(answer.evs[:, combos] @ shares).tolist(),
        cost=0.0 if answer.rounded is None else float(answer.rounded.cost[combos] @ shares),
    )


def hand_rows(answer: NodeAnswer, *, by_combo: bool) -> Iterator[HandRow]:
    """Yields the hands asked for from aces down: high card, low card, suited before offsuit.

    :param by_combo: one row per combo instead of one per hand class.
    """
    combos = answer.hands()
    for hand_class in sorted(set(HAND_CLASS[combos].tolist()), key=_class_order):
        members = combos[HAND_CLASS[combos] == hand_class]
        if by_combo:
            yield from (hand_row(format_combo(int(combo)), answer, np.array([combo])) for combo in members[::-1])
        else:
            yield hand_row(HAND_CLASS_NAMES[hand_class], answer, members)


def _class_order(hand_class: int) -> tuple[int, int, bool]:
    row, column = divmod(hand_class, len(RANKS))
    return -max(row, column), -min(row, column), row < column


@dataclass(frozen=True, slots=True)
class RangeCounts:
    """Where the combos of the acting player's range in the spot went on the way to a node."""

    combos: int
    """Combos with weight in the spot's range."""
    removed: int
    """Of these, combos that hold a card of the board."""
    elsewhere: int
    """Of the rest, combos that never play to the node."""
    weight: float
    """Combos at the node, by weight."""


def count_range(spot: PostflopSpot, view: NodeView) -> RangeCounts:
    """Returns where the combos of the acting player's range went."""
    held = spot.ranges[view.player] > 0
    live = combo_mask(view.board)
    reach = view.reach[view.player]
    return RangeCounts(
        combos=int(held.sum()),
        removed=int((held & ~live).sum()),
        elsewhere=int((held & live & (reach <= 0)).sum()),
        weight=float(reach.sum(dtype=np.float64)),
    )


def explain_absent_hands(text: str, spot: PostflopSpot, view: NodeView) -> Iterator[str]:
    """Yields a sentence for every entry of a range text that has no combo at a node, with the reason.

    :param text: range notation (:mod:`poker.ranges`), already known to be valid.
    """
    live, who = combo_mask(view.board), PLAYERS[view.player]
    for entry in text.split(","):
        named = parse_range(entry) > 0
        if (view.reach[view.player][named] > 0).any():
            continue
        name = entry.strip().partition(":")[0]
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
