"""Sources of questions for the tests of drills: a store, a saved river, and fixed questions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hedgehog.analysis.drills.question import Choice, Grid, Question, Scene
from hedgehog.analysis.grading.hand import GradedHand
from hedgehog.analysis.grading.parts import part_text
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution_files import save_solve
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot
from tests.analysis.grading.graded_hands import graded_hand

RIVER = """\
spot: small river
board: Qh Jh 2c 7d 5s
pot: 1000
stack: 4500
range: {oop: "66+,A8s+,KQo,QTs+,JTs,T9s,96s+", ip: "55+,A2s+,ATo+,K9s+,QJo,T8s+,97s+"}
sizes: {river: {oop: "50%,a / a", ip: "50%,100% / a"}}
"""


def question(key: str, losses: tuple[float, ...] = (0.0, 0.4, 60.0), pot: int = 1000) -> Question:
    """Returns a question whose choices lose some chips."""
    names = ("fold", "call 100", "raise to 600", "all-in")
    choices = tuple(Choice(names[n], 50.0 - loss, 0.25) for n, loss in enumerate(losses))
    story = (Scene("river", "QhJh2c7d5s", "button bets 100"),)
    return Question(
        key, {"line": key}, "a test", "river", "big blind", story, "QhJh2c7d5s", "AsKs", pot, 100, 5000, 4900, 100,
        choices, "a test",
    )  # fmt: skip


@dataclass
class Fixed:
    """Asks the questions of a list."""

    asked: list[Question]
    identity: str = "fixed"
    title: str = "fixed questions"

    def questions(self, random: random.Random) -> Iterator[Question]:
        """Yields the questions."""
        yield from self.asked

    def has_grid(self, question: Question) -> bool:
        """Returns False: there are no grids."""
        return False

    def grid(self, question: Question) -> Grid | None:
        """Returns nothing."""
        return None


def write_store(folder: Path, losses: tuple[float, ...] = (1.0, 3.0, 0.0), *, gridless: tuple[int, ...] = ()) -> Path:
    """Writes a store of hands with one river decision each, which lose so many big blinds, and returns its folder.

    :param gridless: numbers of the hands whose decisions have no grid.
    """
    hands: list[GradedHand] = []
    for number, loss in enumerate(losses):
        hand = graded_hand(number, "checked to" if number else "first", loss, 0.0)
        decisions = [
            replace(d, betting="r500c/cc/cc/", big_blind=100, actions={"X": (5.0 - loss, 0.5), "B500": (5.0, 0.5)})
            for d in hand.decisions
        ]
        if number in gridless:
            decisions = [replace(d, grid=[]) for d in decisions]
        hands.append(replace(hand, decisions=decisions))
    folder.mkdir(parents=True)
    settings = {"format": "hedgehog.graded-hands", "version": 1, "digest": "d" * 64, "player": "alice"}
    (folder / "grading.json").write_text(json.dumps({**settings, "depth": "quick"}))
    (folder / "part-000000.json").write_text(part_text(hands))
    return folder


def write_solve(folder: Path) -> Path:
    """Saves a small river and returns its folder."""
    spot = parse_spot(RIVER)
    solver = PostflopSolver(prepare(spot), threads=1)
    solver.run(200)
    save_solve(folder, solver, spot)
    return folder
