"""A peer for ``hedgehog bench solver --peer``: the slow solver of tests/reference that speaks JSON lines.

``python -m tests.verification.slow_peer`` refuses 16 bits, which shows what a refusal looks like.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from hedgehog.poker.cards import format_cards, format_combo
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from tests.reference.slow_cfr import SlowCfr, SlowGame, exploitability
from tests.reference.small_games import holdem


@cache
def game_of(path: str) -> SlowGame:
    spot = read_spot(path)
    ranges = [spot.live_range(player) for player in (0, 1)]
    hands = [{format_combo(combo): float(weights[combo]) for combo in np.flatnonzero(weights)} for weights in ranges]
    tree = build_postflop_tree(spot.tree)
    return holdem(tree, format_cards(spot.board, " "), hands[0], hands[1], (spot.rake_rate, spot.rake_cap))


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    if request["storage"] != "f32":
        return {"error": "this peer calculates in 64 bits only"}
    game = game_of(request["spot"])
    solver = SlowCfr(game)
    start, cpu = time.perf_counter(), time.process_time()
    if request["task"] == "iterations":
        solver.step(request["iterations"])
        numbers = sum(table.nbytes for table in (*solver.regret.values(), *solver.total.values()))
        return {
            "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu,
            "memory_bytes": numbers,
        }
    reached = []
    for target in request["targets_pct"]:
        while True:
            found = 100 * exploitability(game, solver.average) / game.tree.root_pot
            if found <= target or solver.iteration >= request["most_iterations"]:
                break
            solver.step(request["check_every"])
        seconds = time.perf_counter() - start
        reached.append({"iterations": solver.iteration, "seconds": seconds, "exploitability_pct": found})
    return {"reached": reached}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
