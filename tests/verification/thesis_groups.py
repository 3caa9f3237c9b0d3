"""Prints what group CFR loses if means are passed up the tree, as Voelkel's thesis defines it, beside ours.

::

    python -m tests.verification.thesis_groups --iterations 60      # minutes

The thesis keeps values per group: above a deal, a group's value is the mean of the values that its hands' groups have
below. That is exact only if all hands of the lower group have one value. Our solver carries values and reach by hand,
and adds them up at decisions alone. Both are run here by the slow solver of groups, in double precision, on a turn:
average strategies weighted by reach, and epsilon in the real game and inside the abstraction, both players together, in
percent of the pot.
"""

from __future__ import annotations

import argparse
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index, format_combo, parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference.slow_cfr import Board, best_response_value, expected_value
from tests.reference.slow_groups import SlowGroupCfr, group_response_value
from tests.reference.small_games import holdem, same_sizes

BOARD, POT, STACK = "QhJh2c7d", 200, 700
HANDS = "TT+,ATs+,KTs+,T9s,AQo"
ABSTRACTIONS = ("strength-river", "rank-river")


def make_solver(abstraction: str, name: str, *, means: bool) -> SlowGroupCfr:
    """Returns the slow solver of the spot on groups.

    :param name: ``cfr`` or ``cgh``.
    """
    tree = build_postflop_tree(TreeConfig(2, POT, STACK, same_sizes("100%/a", "100%,a")))
    weights = parse_range(HANDS)
    spot = prepare_tree(tree, parse_cards(BOARD), (weights, weights), isomorphism=False, merge_cards=False)
    groups = SpotValues(spot).group(abstraction)
    hands = {format_combo(int(combo)): 1.0 for combo in spot.combos[0]}
    game = holdem(tree, BOARD, hands, hands)

    @cache
    def group_of(player: int, board: Board) -> NDArray[np.int32]:
        level, number, _ = spot.locate_board(board[len(spot.board) :])
        of_combo = np.full(NUM_COMBOS, -1, dtype=np.int32)
        of_combo[spot.combos[player]] = groups.players[player][level].number_of[number]
        return of_combo[[combo_index(*hole) for hole in game.holes[player]]]

    return SlowGroupCfr(game, name, group_of, means=means, c=0.175)


def epsilons(solver: SlowGroupCfr) -> tuple[float, float]:
    """Returns what best responses gain in the real game and what responses gain inside, in percent of the pot."""
    game, strategy = solver.game, solver.average
    real = inside = 0.0
    for player in (0, 1):
        own = expected_value(game, strategy, player)
        real += best_response_value(game, strategy, player) - own
        inside += group_response_value(game, strategy, player, solver.group_of) - own
    return 100 * real / POT, 100 * inside / POT


def main() -> None:
    """Runs both ways and prints their epsilon."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("abstractions", nargs="*", default=ABSTRACTIONS)
    parser.add_argument("--algorithm", default="cfr", choices=("cfr", "cgh"))
    parser.add_argument("--iterations", type=int, default=60)
    given = parser.parse_args()
    print("epsilon in % of the pot: real, inside")
    for abstraction in given.abstractions:
        for means in (False, True):
            solver = make_solver(abstraction, given.algorithm, means=means)
            for part in range(1, 5):
                solver.step(given.iterations * part // 4 - solver.iteration)
                real, inside = epsilons(solver)
                way = "means" if means else "hands"
                print(f"{abstraction:15} {way} {solver.iteration:5} {real:8.3f} {inside:8.3f}", flush=True)


if __name__ == "__main__":
    main()
