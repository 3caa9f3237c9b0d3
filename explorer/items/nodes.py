"""The JSON of one place in a betting tree: the way to it, its hands, strategies and values.

A *place* is the end of a line: a decision, a card that is dealt next, or the end of the hand. Lines are action tokens
and dealt cards separated by blanks, such as ``X B150 C 6d``, as ``hedgehog query`` has them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.explorer.numbers import draw_bits, number, numbers
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask, format_card, parse_card
from hedgehog.poker.hand_names import name_hands
from hedgehog.poker.ranges import round_weights
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.node_answers import HasRanges, count_range, explain_missing_numbers, reached
from hedgehog.solver.postflop.queries import action_evs, average_over, node_equities, view_actions, view_node
from hedgehog.solver.postflop.responses.as_if import AsIf
from hedgehog.solver.postflop.responses.standing import UNTAKEN, standing_of
from hedgehog.solver.postflop.solution import PostflopSolution, met_weight
from hedgehog.solver.postflop.tree import format_action
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

_KINDS = {
    ActionKind.FOLD: "fold",
    ActionKind.CHECK: "check",
    ActionKind.CALL: "call",
    ActionKind.BET: "bet",
    ActionKind.RAISE: "raise",
    ActionKind.ALL_IN: "all-in",
}
_PLACES = {NodeKind.DECISION: "decision", NodeKind.DEAL: "card", NodeKind.FOLD: "fold", NodeKind.SHOWDOWN: "showdown"}


@dataclass(slots=True)
class Step:
    """One decision or dealt card on the way to a place."""

    node: int
    line: str
    """The line before the step."""
    chosen: int | None = None
    """Place of the chosen action among the children of a decision, or the dealt card; None at the end of the line."""


@dataclass(slots=True)
class Place:
    """The end of a line."""

    node: int
    dealt: list[int] = field(default_factory=list)
    """Cards dealt after the board of the root."""
    steps: list[Step] = field(default_factory=list)
    """The way from the root, the place itself included unless the hand is over."""

    def kind(self, tree: BettingTree) -> str:
        """Returns ``decision``, ``card``, ``fold`` or ``showdown``."""
        return _PLACES[NodeKind(int(tree.kind[self.node]))]


def find_place(tree: BettingTree, board: tuple[int, ...], line: str) -> Place:
    """Returns the place at the end of a line, and every decision and dealt card on the way.

    After a call of an all-in bet no cards are dealt: the place is a showdown.

    :raises SpotError: if the tree has no such line, or a card cannot be dealt.
    """
    place = Place(0)
    tokens = line.split()
    for number_of_token in range(len(tokens) + 1):
        node = place.node
        if tree.kind[node] == NodeKind.DEAL and tree.kind[int(tree.first_child[node])] != NodeKind.DECISION:
            while tree.kind[place.node] == NodeKind.DEAL:
                place.node = int(tree.first_child[place.node])
        before = " ".join(tokens[:number_of_token])
        if number_of_token == len(tokens):
            if tree.kind[place.node] in (NodeKind.DECISION, NodeKind.DEAL):
                place.steps.append(Step(place.node, before))
            break
        token = tokens[number_of_token]
        kind = tree.kind[place.node]
        if kind == NodeKind.DECISION:
            names = [format_action(tree, child) for child in tree.children(place.node)]
            if token not in names:
                raise SpotError(f"no action {token!r} after {before!r}, offered: {' '.join(names)}")
            place.steps.append(Step(place.node, before, names.index(token)))
            place.node = int(tree.first_child[place.node]) + names.index(token)
        elif kind == NodeKind.DEAL:
            card = parse_card(token)
            if card in board or card in place.dealt:
                raise SpotError(f"the card {token!r} of the line {line!r} is already on the board")
            place.steps.append(Step(place.node, before, card))
            place.dealt.append(card)
            place.node = int(tree.first_child[place.node])
        else:
            raise SpotError(f"the hand is over before {token!r} in the line {line!r}")
    return place


def action_labels(tree: BettingTree, node: int) -> list[dict[str, Any]]:
    """Returns token, kind and size of every action at a decision.

    ``size`` is the share of the pot after calling by which a bet or raise goes beyond a call; None for other actions.
    """
    player = int(tree.player[node])
    facing = int(tree.committed[node, 1 - player]) - int(tree.committed[node, player])
    pot = tree.pot(node) + facing
    found = []
    for child in tree.children(node):
        kind = ActionKind(int(tree.action[child]))
        more = int(tree.committed[child, player]) - int(tree.committed[node, 1 - player])
        sized = kind >= ActionKind.BET
        found.append(
            {
                "token": format_action(tree, child),
                "kind": _KINDS[kind],
                "amount": int(tree.amount[child]),
                "size": round(more / pot, 4) if sized and pot else None,
            }
        )
    return found


def describe_place(
    solution: PostflopSolution, line: str, spot: HasRanges | None = None, assumed: AsIf | None = None
) -> dict[str, Any]:
    """Returns the JSON of a place without equities, which :func:`describe_equities` gives.

    :param spot: the ranges as the spot has them, combos that hit its board included; None takes those of the solution.
    :param assumed: the game that answers for the decision at the end of the line, if the line is one that nobody takes;
        its ``line`` is the rest of this line.
    :raises SpotError: if the tree has no such line.
    """
    tree = solution.tree
    place = find_place(tree, solution.board, line)
    board = (*solution.board, *place.dealt)
    node = place.node
    stacks = [tree.stack - int(tree.committed[node, player]) for player in (0, 1)]
    pot = tree.pot(node)
    content: dict[str, Any] = {
        "line": " ".join(line.split()),
        "kind": place.kind(tree),
        "street": int(tree.street[node]) + (place.kind(tree) == "card"),
        "board": [format_card(card) for card in board],
        "pot": pot,
        "stacks": stacks,
        "spr": number(min(stacks) / pot, 3),
        "player": int(tree.player[node]) if tree.player[node] >= 0 else None,
        "path": _path(solution, place),
    }
    if content["kind"] == "decision" and assumed is not None:
        there = find_place(assumed.solution.tree, assumed.solution.board, assumed.line)
        content |= _describe_decision(assumed.solution, there, spot or solution)
        content["as_if"] = assumed.describe_data()
    elif content["kind"] == "decision":
        content |= _describe_decision(solution, place, spot or solution)
    if content["kind"] == "decision":
        content["path"][-1]["freq"] = [action["freq"] for action in content["actions"]]
    elif content["kind"] == "card":
        taken = {*solution.board, *place.dealt}
        content["cards"] = _next_cards(solution, place, [card for card in range(NUM_CARDS) if card not in taken])
    return content


def _path(solution: PostflopSolution, place: Place) -> list[dict[str, Any]]:
    """Returns the decisions and cards on the way to a place, with the frequencies of all actions."""
    tree = solution.tree
    board = list(solution.board)
    reach = [np.where(combo_mask(board), solution.ranges[player], np.float32(0)) for player in (0, 1)]
    own = [1.0, 1.0]  # how often each player's own actions lead here
    found: list[dict[str, Any]] = []
    for step in place.steps:
        street = int(tree.street[step.node])
        if tree.kind[step.node] == NodeKind.DEAL:
            card = step.chosen
            shown = {"kind": "card", "line": step.line, "street": street + 1, "pot": tree.pot(step.node)}
            found.append({**shown, "card": None if card is None else format_card(card)})
            if card is not None:
                board.append(card)
                reach = [np.where(combo_mask(board), weights, np.float32(0)) for weights in reach]
            continue
        player = int(tree.player[step.node])
        strategy = solution.node_strategy(step.node, board[len(solution.board) :])
        weights = reach[player] * met_weight(reach[1 - player], tuple(board))
        shares = average_over(strategy, weights)
        if own[player] < UNTAKEN:
            shares = np.full_like(shares, np.nan)
        found.append(
            {
                "kind": "decision",
                "line": step.line,
                "street": street,
                "player": player,
                "pot": tree.pot(step.node),
                "actions": action_labels(tree, step.node),
                "freq": numbers(shares, 6),
                "chosen": step.chosen,
            }
        )
        if step.chosen is not None:
            before = float(reach[player].sum(dtype=np.float64))
            reach[player] = reach[player] * strategy[step.chosen]
            own[player] *= float(reach[player].sum(dtype=np.float64)) / before if before > 0 else 1.0
    return found


def _describe_decision(solution: PostflopSolution, place: Place, spot: HasRanges) -> dict[str, Any]:
    view = view_node(solution, place.node, place.dealt, equities=False)
    known = solution.knows_values(place.node) and all(
        solution.knows_values(child) for child in solution.tree.children(place.node)
    )
    evs = action_evs(solution, view) if known else None
    actions = action_labels(solution.tree, place.node)
    for action, each in zip(actions, view_actions(solution, view), strict=True):
        action |= {
            "freq": number(each.frequency, 6),
            "ev": [number(value, 4) for value in each.ev] if known and each.frequency > 0 else None,
            "leads_to": each.leads_to,
        }
    names = name_hands(view.board)
    bits = draw_bits(names)
    players = []
    for player in (0, 1):
        combos = np.flatnonzero(view.reach[player] > 0)
        counts = count_range(spot, view, player)
        opponent = float(view.reach[1 - player].sum(dtype=np.float64))
        players.append(
            {
                "combos": combos.tolist(),
                "weight": round_weights(view.reach[player, combos], 6).tolist(),
                "ev": numbers(view.ev[player, combos], 4),
                "made": names.made[combos].tolist(),
                "draws": bits[combos].tolist(),
                "removes": numbers(np.maximum(opponent - view.met[player, combos], 0), 4),
                "met": round_weights(view.met[player, combos], 6).tolist(),
                "counts": {
                    "combos": counts.combos,
                    "removed": counts.removed,
                    "elsewhere": counts.elsewhere,
                    "weight": number(counts.weight, 4),
                },
            }
        )
    own = np.array(players[view.player]["combos"], dtype=np.int64)
    return {
        "actions": actions,
        "note": explain_missing_numbers(view),
        "rare": view.standing.rare is not None,
        "reached": number(reached(solution, view), 8),
        "avg_ev": [number(value, 4) for value in view.average(view.ev)],
        "players": players,
        "strategy": numbers(view.strategy[:, own], 5),
        "action_evs": None if evs is None else numbers(evs[:, own], 4),
    }


def describe_equities(solution: PostflopSolution, line: str) -> dict[str, Any]:
    """Returns the equities of both players' combos at a decision, in the order of :func:`describe_place`.

    :raises SpotError: if the tree has no such decision.
    """
    place = find_place(solution.tree, solution.board, line)
    if place.kind(solution.tree) != "decision":
        raise SpotError(f"no player acts after the line {line!r}")
    board = (*solution.board, *place.dealt)
    reach = np.stack([solution.node_reach(player, place.node, place.dealt) for player in (0, 1)])
    met = np.stack([met_weight(reach[1 - player], board) for player in (0, 1)])
    equity = node_equities(reach, met, board)
    if standing_of(solution, place.node, place.dealt, reach).is_untaken:
        equity = np.full_like(equity, np.nan)
    return {
        "line": " ".join(line.split()),
        "avg_equity": numbers(average_over(equity, reach * met), 6),
        "equity": [numbers(equity[player, reach[player] > 0], 5) for player in (0, 1)],
    }


def _next_cards(solution: PostflopSolution, place: Place, cards: list[int]) -> list[dict[str, str]]:
    """Returns the cards that can be dealt, each with the first card that leads to the same game but for suits."""
    child = int(solution.tree.first_child[place.node])
    first: dict[int, str] = {}
    found = []
    for card in cards:
        _, board, _ = solution.spot.locate(child, (*place.dealt, card))
        like = first.setdefault(board, format_card(card))
        found.append({"card": format_card(card), "like": like})
    return found


def describe_cards(solution: PostflopSolution, line: str, cards: list[int], what: set[str]) -> dict[str, Any]:
    """Returns what happens after some cards that can be dealt at the end of a line.

    :param cards: card ids.
    :param what: figures to compute besides the frequencies of the first decision's actions: ``ev``, ``equity``.
    :raises SpotError: if no card is dealt at the end of the line, or a card cannot be.
    """
    tree = solution.tree
    place = find_place(tree, solution.board, line)
    if place.kind(tree) != "card":
        raise SpotError(f"no card is dealt after the line {line!r}")
    child = int(tree.first_child[place.node])
    rows: dict[str, Any] = {}
    for card in cards:
        if card in (*solution.board, *place.dealt):
            raise SpotError(f"the card {format_card(card)!r} is already on the board")
        dealt = (*place.dealt, card)
        row = _card_row(solution, child, dealt, what)
        rows[format_card(card)] = row
    return {"line": " ".join(line.split()), "actions": action_labels(tree, child), "cards": rows}


def _card_row(solution: PostflopSolution, node: int, dealt: tuple[int, ...], what: set[str]) -> dict[str, Any]:
    board = (*solution.board, *dealt)
    player = int(solution.tree.player[node])
    reach = np.stack([solution.node_reach(each, node, dealt) for each in (0, 1)])
    met = np.stack([met_weight(reach[1 - each], board) for each in (0, 1)])
    weights = reach * met
    total = float(weights[0].sum())
    row: dict[str, Any] = {"weight": number(total, 6)}
    strategy = solution.node_strategy(node, dealt)
    standing = standing_of(solution, node, dealt, reach)
    hidden = standing.is_untaken and standing.player == player
    row["freq"] = numbers(average_over(strategy, weights[player]), 6) if total > 0 and not hidden else None
    missing = np.full((2, NUM_COMBOS), np.nan)
    if "equity" in what:
        equity = missing if standing.is_untaken else node_equities(reach, met, board)
        row["equity"] = numbers(average_over(equity, weights), 6)
    if "ev" in what and solution.knows_values(node):
        evs = missing if standing.is_untaken else solution.node_values(node, dealt)
        row["ev"] = numbers(average_over(evs, weights), 6)
    return row


def node_range(solution: PostflopSolution, line: str, player: int, action: int | None) -> NDArray[np.float32]:
    """Returns float32[1326]: the weights with which a player's combos reach a decision.

    :param action: count only hands that take this action of the acting player, by its place; None for all.
    :raises SpotError: if the tree has no such decision or action.
    """
    place = find_place(solution.tree, solution.board, line)
    tree = solution.tree
    weights = solution.node_reach(player, place.node, place.dealt)
    if action is None:
        return weights
    if place.kind(tree) != "decision" or int(tree.player[place.node]) != player:
        raise SpotError(f"the player takes no action after the line {line!r}")
    strategy = solution.node_strategy(place.node, place.dealt)
    if not 0 <= action < len(strategy):
        raise SpotError(f"expected an action from 0 to {len(strategy) - 1}, got {action}")
    return np.asarray(weights * strategy[action])
