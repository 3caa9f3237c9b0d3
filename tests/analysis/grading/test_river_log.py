"""A log of the example river, played from a solve of it, is graded (A2 of docs/validation/grading.md).

The opponent of the log follows the solve, so the grader is given this solve in place of one from our player's ranges.
Another solve of the same river answers a jam that nobody makes otherwise, and the jam loses another sum by it. Reading,
replaying, losses and adding up are the grader's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.analysis.grading import street as street_module
from hedgehog.analysis.grading.grade import read_hands
from hedgehog.analysis.grading.hand import HandGrader, _Hand
from hedgehog.analysis.grading.options import GradeOptions, Pass
from hedgehog.analysis.grading.parts import open_our_player
from hedgehog.poker.cards import COMBO_CARDS, format_cards
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.streets import RIVER
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.strategies.betting_tree import ActionKind, NodeKind
from tests.analysis.grading.hand_logs import write_log
from tests.solver.postflop.responses.river_play import SPOT, play_hands, strategies

START, STACK = 500, 5000
"""Chips of each player before the river and altogether; the pot of the example is 1,000, and 4,500 are behind."""
SUMS = {0: (186.005114, 72.846792, 260.635535), 1: (105.621208, 56.084097, 85.075663)}
"""What uniform, call and all-in lose on average against the solve, by the program of test_decisions.py."""
WAY = Pass("river", (), 0.01, 40, 0.05)


def hand_line(solver: PostflopSolver, number: int, combos: tuple[int, int], end: int) -> str:
    """Returns a hand as a line of a log, with alice in the big blind."""
    tree, spent, betting = solver.tree, [START, START], ""
    path = [end]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    for node in reversed(path[:-1]):
        actor = int(tree.player[tree.parent[node]])
        spent = [START + int(chips) for chips in tree.committed[node]]
        kind = tree.action[node]
        betting += {ActionKind.FOLD: "f", ActionKind.CHECK: "c", ActionKind.CALL: "c"}.get(kind, f"r{spent[actor]}")
    if tree.kind[end] == NodeKind.FOLD:
        winner = 1 - int(tree.player[end])
        won = spent[1 - winner]
    else:
        ranks = rank_combos(solver.board)[list(combos)]
        winner, won = int(ranks[1] > ranks[0]), min(spent) if ranks[0] != ranks[1] else 0
    values = (won, -won) if winner == 0 else (-won, won)
    board = format_cards(solver.board)
    cards = "|".join(format_cards(COMBO_CARDS[combo].tolist()) for combo in combos)
    boards = f"{board[:6]}/{board[6:8]}/{board[8:]}"
    return f"STATE:{number}:r500c/cc/cc/{betting}:{cards}/{boards}:{values[0]}|{values[1]}:alice|bob"


@dataclass
class Solved:
    """A solve that is done, in the place of :class:`hedgehog.analysis.grading.street.StreetSolver`."""

    single: PostflopSolver

    @property
    def iterations(self) -> int:
        return self.single.iterations


@pytest.fixture(scope="module")
def solver() -> PostflopSolver:
    solver = PostflopSolver(prepare(read_spot(SPOT)), threads=1)
    solver.run(920)
    return solver


def graded_losses(
    solver: PostflopSolver,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    hero: int,
    rows: Mapping[int, NDArray[np.float64]],
    hands: int,
    seed: int,
) -> NDArray[np.float64]:
    """Plays and writes hands, grades the log and returns the loss of every hand in chips."""
    dealt, ends, _ = play_hands(solver, hero, rows, hands, seed)
    lines = [
        hand_line(solver, number, (int(first), int(second)), int(end))
        for number, (first, second, end) in enumerate(zip(*dealt, ends, strict=True))
    ]
    path = write_log(folder, lines, stack=STACK)
    ranges = np.stack([np.asarray(weights, dtype=np.float64) for weights in solver.ranges])
    monkeypatch.setattr(street_module, "StreetSolver", lambda *_: Solved(solver))
    monkeypatch.setattr(LiveStrategy, "ranges_now", lambda *_: ranges)
    monkeypatch.setattr(_Hand, "_comes", lambda *_: True)
    ours = open_our_player(None)
    read, left_out = read_hands([path], GradeOptions(("alice", "bob")[hero]), ours)
    assert (len(read), left_out) == (hands, [])
    grader = HandGrader(ours, {RIVER: (WAY,)})
    graded = [grader.grade(given, "", "") for given in read]
    assert max(abs(hand.terms.remainder) for hand in graded) < 1e-9
    lost = np.zeros(hands)
    for number, hand in enumerate(graded):
        for decision in hand.decisions:
            if decision.street == "river":  # also those that do not count, to which the opponent hardly ever comes
                assert decision.loss_bb is not None
                assert decision.loss_bb >= 0
                lost[number] += 100 * decision.loss_bb
    return lost


def verify_hands(
    solver: PostflopSolver, folder: Path, monkeypatch: pytest.MonkeyPatch, hero: int, hands: int
) -> list[NDArray[np.float64]]:
    """Checks that every hand of three logs loses what it lost when it was played; returns the losses of each log."""
    losses = []
    for number, rows in enumerate(strategies(solver.spot, hero)):
        *_, lost = play_hands(solver, hero, rows, hands, seed=number)
        losses.append(graded_losses(solver, folder, monkeypatch, hero, rows, hands, number))
        assert losses[-1] == pytest.approx(lost, abs=1e-9)
    return losses


@pytest.mark.parametrize("hero", SUMS)
def test_a_hand_of_a_log_loses_what_it_lost_in_play(
    solver: PostflopSolver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hero: int
) -> None:
    assert max(lost.max() for lost in verify_hands(solver, tmp_path, monkeypatch, hero, 12)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("hero", SUMS)
def test_the_hands_of_a_log_lose_on_average_what_the_sum_says(
    solver: PostflopSolver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hero: int
) -> None:
    """20 samples of 20,000 hands, for which a log would be too slow, are in test_decisions.py."""
    found = verify_hands(solver, tmp_path, monkeypatch, hero, 2000)
    for lost, wanted in zip(found, SUMS[hero], strict=True):
        assert lost.mean() == pytest.approx(wanted, abs=4 * lost.std(ddof=1) / np.sqrt(len(lost)))
