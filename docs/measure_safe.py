"""Measures how exploitable our strategy of turn and river is: packs alone, and with rivers solved at the table.

A turn from self-play is a game of its own: from both ranges at the start of the turn to the end of the hand, with few
bet sizes. Our player follows the packs on the turn. On the river it follows the packs, or it solves the river at the
table, unsafely or safely, after every betting line of the turn and for every river card. An exact best response to this
whole strategy, which chooses on turn and river, wins more than the value of the game. This loss of ours, in percent of
the pot at the start of the turn, is printed for each way of playing the river. Example:

    python docs/measure_safe.py --positions 8
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

from measure_live import positions

from agent.pack_player import PackPlayer
from agent.strategy.live_strategy import OPPONENT_FLOOR, OWN_FLOOR, LiveStrategy, NeverSolves
from agent.strategy.pack_prior import pack_prior
from agent.strategy.pack_strategy import PackStrategy
from poker.acpc.gamedef import load_gamedef
from poker.betsizes import parse_bet_sizes
from poker.cards import combo_mask
from poker.streets import RIVER, TURN
from solver.postflop.cards import boards_on
from solver.postflop.prepared import PreparedSpot, prepare_tree
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from solver.postflop.warm_start import Prior, prior_strategies
from strategies.betting_tree import BettingTree, NodeKind

SIZES = ("75%/100%/", "50%,100%,a/100%,a/a")
VALUE_ITERATIONS = 200
Rows = NDArray[np.float32]


def tree_of(street: int, pot: int, stack: int) -> BettingTree:
    texts = SIZES[street - TURN :]
    sizes = tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in texts)
    return build_postflop_tree(TreeConfig(street=street, pot=pot, stack=stack, sizes=sizes, add_allin_threshold=1.5, force_allin_threshold=0.2))


class Line(NamedTuple):
    deal: int
    pot: int
    stack: int
    betting: str
    ranges: NDArray[np.float64]


def lines(packs, spot, prior, betting, start, floors):
    tree = spot.tree
    buckets = prior.buckets[0][0]
    todo = [(0, betting, np.stack([r.astype(np.float64) for r in spot.ranges]))]
    found = []
    while todo:
        node, text, ranges = todo.pop()
        kind = tree.kind[node]
        if kind == NodeKind.DEAL:
            if tree.kind[tree.first_child[node]] == NodeKind.DECISION:
                put = int(tree.committed[node].max())
                found.append(Line(node, int(tree.pot(node)), tree.stack - put, text + "/", ranges))
        elif kind == NodeKind.DECISION:
            player = int(tree.player[node])
            rows = prior.rows[node].T[:, buckets]
            for number, child in enumerate(tree.children(node)):
                after = ranges.copy()
                average = float(after[player] @ rows[number]) / max(after[player].sum(), 1e-30)
                after[player] *= rows[number] + floors[player] * average
                after[player] /= max(after[player].max(), 1e-30)
                token = "fcc"[tree.action[child]] if tree.action[child] < 3 else f"r{int(tree.committed[child, player]) + start}"
                todo.append((child, text + token, after))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--positions", type=int, default=8)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--variants", default="packs,unsafe,safe,estimate")
    options = parser.parse_args()
    variants = options.variants.split(",")
    player = PackPlayer(think_ms=0)
    player.warm_up()
    packs = player.packs_alone
    ranges_of = LiveStrategy(load_gamedef(), packs, NeverSolves(), 0)
    losses = {name: [] for name in variants}
    for view in positions(packs, TURN, options.positions, options.seed):
        street = view.situation.street
        events = view.events_on(street)
        start = events[0].situation.max_spent if events else view.situation.max_spent
        betting = events[0].betting if events else view.betting
        stack = view.situation.stack
        board = view.board_on(TURN)
        if stack - start <= 0: continue
        us = view.situation.position
        weights = ranges_of.ranges(view, us).astype(np.float32)
        spot = prepare_tree(tree_of(TURN, 2 * start, stack - start), board, list(weights), merge_cards=False)
        t0 = time.time()
        exact = PostflopSolver(spot, threads=1, algorithm="gamma5")
        ex = exact.solve(0.05, VALUE_ITERATIONS)
        value = exact.exploitability().best_response_ev_minus_half_pot
        # value of game for the opponent: between its own (−other BR) and BR
        opp = 1 - us
        game = (value[opp] - value[us]) / 2
        del exact
        prior = pack_prior(packs, spot, betting, start)
        floors = [OPPONENT_FLOOR, OPPONENT_FLOOR]
        floors[us] = OWN_FLOOR
        found = lines(packs, spot, prior, betting, start, floors)
        rivers = boards_on(spot.cards.runouts, RIVER)
        judge = PostflopSolver(spot, threads=1, algorithm="gamma5")
        cfr = judge._cfr
        base = list(prior_strategies(spot, prior))
        forest = spot.layout.forests[1]
        text = []
        for name in variants:
            t1 = time.time()
            for level, slot, rows in base:
                cfr._write(cfr._average, level, slot, rows)
            if name != "packs":
                for number, cards in enumerate(rivers):
                    rows = cfr_rows = None
                    from solver.cfr.layout import board_block, rows_by_hand
                    stored = rows_by_hand(spot.game, board_block(spot.game, spot.layout, cfr._average[us], 1, number, us), us)
                    for line in found:
                        tree = tree_of(RIVER, line.pot, line.stack)
                        live = line.ranges * combo_mask(cards)
                        if live.max(axis=1).min() <= 0: continue
                        river = prepare_tree(tree, cards, list(live.astype(np.float32)))
                        solver = PostflopSolver(river, threads=1, algorithm="gamma5")
                        if name != "unsafe":
                            start_chips = start + int(spot.tree.committed[line.deal].max())
                            own = pack_prior(packs, river, line.betting, start_chips)
                            GADGETS[name](solver, opp, own)
                        solver.run(options.iterations)
                        copy_rows(stored, solver, tree, spot, int(spot.tree.first_child[line.deal]), us)
                    cfr.fill_average(1, number, us, stored)
            judge._root_values = None
            br = judge._root_ev(opp, best_response=True)
            losses[name].append(100 * (br - game) / spot.tree.root_pot)
            text.append(f"{name} {losses[name][-1]:.3f} ({time.time() - t1:.0f} s)")
        print(f"{view.betting} us {us} pot {spot.tree.root_pot} exits {len(found)} rivers {len(rivers)} solved {ex.pct_pot:.3f}: " + ", ".join(text), flush=True)
    for name in variants:
        print(name, np.mean(losses[name]), 1.96 * np.std(losses[name], ddof=1) / len(losses[name]) ** 0.5)
        for other in variants:
            if other != name:
                d = np.array(losses[name]) - np.array(losses[other])
                print(f"   {name} - {other}: {d.mean():.3f} ± {1.96 * d.std(ddof=1) / len(d) ** .5:.3f}")


def safe(solver, opp, prior):
    solver.offer_payoffs(opp, prior)


def estimate(solver, opp, prior):
    solver.offer_payoffs(opp, prior, best_response=False)


GADGETS = {"safe": safe, "estimate": estimate}


def copy_rows(stored, solver, tree, spot, root, us):
    """Copies our river strategy to the rows of the turn game below a node."""
    forest = spot.layout.forests[1]
    hands, combos = spot.hands[us], spot.combos[us]
    todo = [(0, root)]
    while todo:
        mine, theirs = todo.pop()
        if tree.kind[mine] != NodeKind.DECISION:
            continue
        assert tree.num_children[mine] == spot.tree.num_children[theirs]
        if tree.player[mine] == us:
            rows = solver.node_strategy(mine)
            first = int(forest.row[spot.slots[1][theirs]])
            stored[first : first + len(rows), hands] = rows[:, combos]
        todo += zip(tree.children(mine), spot.tree.children(theirs))


if __name__ == "__main__":
    main()
