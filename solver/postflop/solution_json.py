"""The JSON file of a solved spot: the spot, the quality of the solve, and strategies and values at chosen nodes.

Layout::

    spot, board, pot, stack, range [oop, ip], sizes {oop [flop, turn, river], ip, turn_donk, river_donk},
    add_allin_threshold, force_allin_threshold, merging_threshold, max_bets, rake_rate,
    rake_cap (null: none),
    locks [{line, hands (null: all), strategy}]   if there are any; exploitability is then that of the locked game,
    abstraction     if there is one,
    solver, iterations, exploitability_pct_pot, solve_seconds,
    abstract_exploitability_pct_pot   with an abstraction: the exploitability inside it,
    ev, best_response_ev [oop, ip]   at the root,
    ev_minus_half_pot, best_response_ev_minus_half_pot [oop, ip]   the same less half the pot: sums to 0 without rake,
    nodes, decision_nodes, terminal_nodes   on flop, turn and river, isomorphic boards counted once,
    hands           per player one text, four characters per hand ("AsAh", high card first), combos ascending,
    nodes_data      one object per node.

Exploitability is half the sum of what both best responses gain, in percent of the pot at the root. EV is chips received
at the end of the hand less chips put in after the node (docs/solver.md, section EV). A node is named by its ``line``:
action tokens and dealt cards separated by blanks, such as ``X B200 C 7d``. A node's object holds for each hand of the
acting player

* ``weight``: range weight times the player's average probabilities on the way to the node; 0 if the board takes the
  hand;
* ``equity``: equity against the opponent's hands at the node, over all run-outs; ties count half;
* ``ev_pot``: EV in units of the pot at the root;
* ``strategy``: one row per action but the last, whose probability is what is missing to 1;
* ``stored_strategy``: the same of every hand as the solve holds it, in full precision and also where nobody gets. A
  best response may get there, so this is what :func:`hedgehog.interop.strategies.read_strategy` reads.

At the root the first three are given for both players, with the suffix ``_0`` for OOP and ``_1`` for IP. Over all hands
the object holds ``pair_weight``, ``avg_ev``, ``avg_equity`` and ``freq``. Hands that
are not at the node or meet no hand of the opponent there have null instead of numbers, and so have averages and
frequencies where nobody gets.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.betsizes import format_bet_sizes, format_menu
from hedgehog.poker.cards import format_cards, format_combo
from hedgehog.poker.ranges import format_range, round_weights
from hedgehog.poker.streets import STREETS
from hedgehog.solver.postflop.chance import NodeCounts
from hedgehog.solver.postflop.locks import describe_lock
from hedgehog.solver.postflop.queries import find_node, view_node
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot
from hedgehog.solver.postflop.tree import format_line, parse_line

_DECIMALS = 4


def describe_spot(spot: PostflopSpot, counts: NodeCounts) -> dict[str, Any]:
    """Returns the part of the JSON object that is known before the solve.

    :param counts: nodes of the spot's public tree.
    """
    locks = [describe_lock(lock) for lock in spot.locks]
    return {
        "spot": spot.name,
        "board": format_cards(spot.board),
        "pot": spot.pot,
        "stack": spot.stack,
        "range": [format_range(spot.ranges[0]), format_range(spot.ranges[1])],
        "sizes": _sizes(spot),
        **({"lines": [format_line(line) for line in spot.tree.lines]} if spot.tree.lines else {}),
        "add_allin_threshold": spot.tree.add_allin_threshold,
        "force_allin_threshold": spot.tree.force_allin_threshold,
        "merging_threshold": spot.tree.merging_threshold,
        "max_bets": spot.tree.max_bets,
        "rake_rate": spot.rake_rate,
        "rake_cap": spot.rake_cap if math.isfinite(spot.rake_cap) else None,
        **({"locks": locks} if locks else {}),
        **({"abstraction": spot.abstraction} if spot.abstraction else {}),
        **(
            {"tremble": {"share": spot.tremble.share, "temperature_chips": spot.tremble.temperature}}
            if spot.tremble is not None
            else {}
        ),
        "nodes": list(counts.nodes),
        "decision_nodes": list(counts.decision_nodes),
        "terminal_nodes": list(counts.terminal_nodes),
        "hands": [
            "".join(format_combo(int(combo)) for combo in np.flatnonzero(spot.live_range(player))) for player in (0, 1)
        ],
    }


def describe_result(
    solver: PostflopSolver, found: Exploitability, seconds: float, name: str, lines: Iterable[str]
) -> dict[str, Any]:
    """Returns the part of the JSON object that the solve adds.

    :param found: exploitability of the solver's present strategies.
    :param seconds: time the solve took.
    :param name: description of the solver: program, version, precision, algorithm.
    :param lines: lines of the nodes to describe besides the root.
    :raises SpotError: if a line is not in the tree.
    """
    half = solver.tree.root_pot / 2
    wanted = dict.fromkeys(["", *(format_line(parse_line(line)) for line in lines)])
    return {
        "solver": name,
        "iterations": solver.iterations,
        "exploitability_pct_pot": _round(found.pct_pot, 5),
        **(
            {}
            if found.abstract_pct_pot is None
            else {"abstract_exploitability_pct_pot": _round(found.abstract_pct_pot, 5)}
        ),
        "ev": [_round(value + half, 5) for value in found.ev_minus_half_pot],
        "best_response_ev": [_round(value + half, 5) for value in found.best_response_ev_minus_half_pot],
        "ev_minus_half_pot": [_round(value, 5) for value in found.ev_minus_half_pot],
        "best_response_ev_minus_half_pot": [_round(value, 5) for value in found.best_response_ev_minus_half_pot],
        "solve_seconds": _round(seconds, 3),
        "nodes_data": [describe_node(solver, line) for line in wanted],
    }


def describe_node(solver: PostflopSolution, line: str) -> dict[str, Any]:
    """Returns the JSON object of one decision node, whose keys :mod:`hedgehog.solver.postflop.solution_json` describes.

    :param line: action tokens and dealt cards separated by blanks; empty for the root.
    :raises SpotError: if the tree has no such node, or no player acts there.
    """
    view = view_node(solver, *find_node(solver, line))
    player = view.player
    data: dict[str, Any] = {
        "line": line,
        "player": player,
        "actions": list(view.actions),
        "total_bet": solver.tree.committed[view.node].tolist(),
        "pair_weight": _round(view.pair_weight, 6),
        "avg_equity": [_round(value, 6) for value in view.average(view.equity)],
        "avg_ev": [_round(value, 6) for value in view.average(view.ev)],
    }
    for p in (0, 1) if view.node == 0 else (player,):
        hands = np.flatnonzero(solver.ranges[p])
        suffix = f"_{p}" if view.node == 0 else ""
        data["weight" + suffix] = round_weights(view.reach[p][hands]).tolist()
        data["equity" + suffix] = _round_list(view.equity[p][hands])
        data["ev_pot" + suffix] = _round_list(view.ev[p][hands] / solver.tree.root_pot)
    data["freq"] = [_round(value, 6) for value in view.frequency]
    hands = np.flatnonzero(solver.ranges[player])
    data["strategy"] = [_round_list(row) for row in view.strategy[:-1, hands]]
    stored = solver.node_strategy(view.node, view.dealt)[:-1, hands].astype(np.float64)
    data["stored_strategy"] = [[float(f"{value:.9g}") for value in row] for row in stored.tolist()]
    return data


def format_solution(*parts: dict[str, Any]) -> str:
    """Returns the text of one JSON object with the keys of all parts."""
    merged = {key: value for part in parts for key, value in part.items()}
    return json.dumps(merged, separators=(",", ":")) + "\n"


def _sizes(spot: PostflopSpot) -> dict[str, Any]:
    by_street = dict(zip(range(spot.street, len(STREETS)), spot.tree.sizes, strict=True))
    donks = {street: sizes.donk for street, sizes in by_street.items() if sizes.donk is not None}
    return {
        "oop": [format_bet_sizes(by_street[street].oop) if street in by_street else "" for street in (1, 2, 3)],
        "ip": [format_bet_sizes(by_street[street].ip) if street in by_street else "" for street in (1, 2, 3)],
        "turn_donk": format_menu(donks[2]) if 2 in donks else "",
        "river_donk": format_menu(donks[3]) if 3 in donks else "",
    }


def _round(value: float, decimals: int) -> float | None:
    return None if math.isnan(value) else round(float(value), decimals)


def _round_list(values: NDArray[Any]) -> list[float | None]:
    return [_round(value, _DECIMALS) for value in values.astype(np.float64).tolist()]
