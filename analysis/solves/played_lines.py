"""Plays the betting lines of a tree by the rules of poker: who acts, when the hand is over, and who is paid what.

The betting is public: no card changes what an action does. So every line is played once with the rules of
:class:`hedgehog.poker.state.HandState`, and every simulated hand looks up the result. Only actions and street totals
are taken from the tree. The rules decide whose turn it is, when a street or the hand ends, what has been put in, and
how it is paid out (:func:`hedgehog.poker.evaluation.showdown.payoffs`).

A spot starts in the middle of a hand. To put its pot on the table, the game has no blinds, and in a first round one
player bets half the pot and the other calls. The smallest bet afterwards is one chip. All amounts are doubled
internally, so that half of an odd pot is a whole number.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.solves._simulation_kernels import NOBODY, Lines
from hedgehog.poker.acpc.gamedef import UNLIMITED_RAISES, GameDef
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import MatchStateError, SpotError
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.postflop.tree import format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

_UNIT: Final = 2
"""Chips in :class:`hedgehog.poker.state.HandState` per chip of the spot."""
_BOARD: Final = parse_cards("2c3d7h9sJc")
# Hole cards of both players with which player 0 has the weaker, an equal and the stronger hand on that board.
_OUTCOMES: Final = tuple(
    (parse_cards(first), parse_cards(second))
    for first, second in (("KdKs", "AdAs"), ("AdKs", "AsKd"), ("AdAs", "KdKs"))
)


def play_lines(tree: BettingTree, rake: Rake | None = None) -> Lines:
    """Returns the results of every betting line of a tree, played by the rules.

    :param rake: the rake; None without one. The house takes it from the pot without the chips that nobody called. The
        winner pays; players who split a pot share the loss.
    :raises SpotError: if a line breaks the rules, or ends where the rules do not end it.
    """
    count = tree.num_nodes
    lines = Lines(
        actor=np.full(count, NOBODY, dtype=np.int8),
        street=tree.street,
        first_child=tree.first_child,
        num_children=tree.num_children,
        after_deals=np.arange(count, dtype=np.int32),
        shown=np.zeros(count, dtype=np.bool_),
        payoff=np.zeros((count, 3, 2)),
    )
    for node in range(count - 1, -1, -1):
        if tree.kind[node] == NodeKind.DEAL:
            lines.after_deals[node] = lines.after_deals[tree.first_child[node]]
    waiting = {int(lines.after_deals[0]): _start(tree)}  # per node to be visited: the hand there
    while waiting:
        node, state = waiting.popitem()
        _verify_node(tree, node, state)
        if state.finished:
            lines.shown[node] = state.is_showdown
            lines.payoff[node] = _settle(state, rake or Rake())
            continue
        lines.actor[node] = state.acting_position
        for child in tree.children(node):
            try:
                after = state.after(_action(tree, child, state.round_start))
            except MatchStateError as error:
                raise _broken(tree, child, str(error)) from None
            waiting[int(lines.after_deals[child])] = after
    return lines


def _start(tree: BettingTree) -> HandState:
    """Returns the state of the hand at the root of the tree: the pot is on the table and the first street begins."""
    rounds = 5 - int(tree.street[0])
    half = _UNIT * tree.root_pot // 2
    state = HandState(
        GameDef(
            num_players=2,
            num_rounds=rounds,
            stacks=(half + _UNIT * tree.stack,) * 2,
            blinds=(0, 0),
            first_positions=(0,) * rounds,
            max_raises=(UNLIMITED_RAISES,) * rounds,
            num_board_cards=(0, int(tree.street[0]) + 2, *(1,) * (rounds - 2)),
        )
    )
    state.apply(Action("r", half))
    state.apply(CALL)
    return state


def _action(tree: BettingTree, node: int, street_start: int) -> Action:
    """Returns the action that leads to a node. The size of a raise is a total over the whole hand."""
    match ActionKind(tree.action[node]):
        case ActionKind.FOLD:
            return FOLD
        case ActionKind.CHECK | ActionKind.CALL:
            return CALL
    return Action("r", street_start + _UNIT * int(tree.amount[node]))


def _verify_node(tree: BettingTree, node: int, state: HandState) -> None:
    if state.finished:
        if tree.kind[node] != (NodeKind.SHOWDOWN if state.is_showdown else NodeKind.FOLD):
            raise _broken(tree, node, "by the rules the hand is over")
    elif tree.kind[node] != NodeKind.DECISION or tree.player[node] != state.acting_position:
        raise _broken(tree, node, f"by the rules player {state.acting_position} acts")
    elif tree.street[node] != state.round - 1 + int(tree.street[0]):
        raise _broken(tree, node, f"by the rules betting round {state.round} goes on")


def _broken(tree: BettingTree, node: int, why: str) -> SpotError:
    return SpotError(f"the line {format_line(line_of(tree, node))!r} breaks the rules of poker: {why}")


def _settle(state: HandState, rake: Rake) -> NDArray[np.float64]:
    """Returns float64[3, 2]: chips won by each player after rake, for the three outcomes of :class:`Lines`."""
    taken = rake.of(2 * min(state.spent) / _UNIT)
    won = np.array([payoffs(state, hole_cards, _BOARD) for hole_cards in _OUTCOMES]) / _UNIT
    winners = won >= 0 if state.is_showdown else np.tile(~np.array(state.folded), (len(_OUTCOMES), 1))
    return np.asarray(won - taken * winners / winners.sum(axis=1, keepdims=True))
