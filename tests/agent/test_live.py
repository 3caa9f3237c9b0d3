"""Live re-solving: real bet sizes are in the tree, real actions come out, and the time allowed is kept."""

from __future__ import annotations

import time

import numpy as np
import pytest

from agent.hand_view import HandView, view_of
from agent.live import PostflopLiveSolver, SolvedStreet
from poker.cards import NUM_COMBOS, combo_mask
from poker.gamedef import find_gamedef, read_gamedef
from poker.matchstate import parse_matchstate
from poker.state import Action, HandState

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


def view(text: str) -> HandView:
    return view_of(parse_matchstate(text, GAME), GAME)


def solved(seen: HandView, think_ms: int = 100) -> SolvedStreet:
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    events = [event for event in seen.events if event.situation.street == seen.situation.street]
    return PostflopLiveSolver(think_ms, 1).solve(seen, events, ranges, time.monotonic() + 60)


def state_of(text: str) -> HandState:
    return parse_matchstate(text, GAME).state


@pytest.mark.parametrize(
    "text",
    [
        "MATCHSTATE:0:0:r250c/cc/cr600c/:7c7d|/QhJh2c/5s/9d",
        "MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d",  # an odd bet
        "MATCHSTATE:0:0:r250c/cc/cr600c/r1437r3333:7c7d|/QhJh2c/5s/9d",  # an odd raise of our own bet
        "MATCHSTATE:1:0:r250c/cc/cr600c/r700r800r900r1000r1100r1200r1300:|7c7d/QhJh2c/5s/9d",  # a raising war
        "MATCHSTATE:1:0:r250c/cc/cr600c/r20000:|7c7d/QhJh2c/5s/9d",  # all-in
        "MATCHSTATE:1:0:r250c/cc/cr600c/r19999:|7c7d/QhJh2c/5s/9d",  # one chip short of all-in
        "MATCHSTATE:1:0:r250c/cc/r350:|7c7d/QhJh2c/5s",  # the smallest turn bet
        "MATCHSTATE:0:0:r19900c/cc/:7c7d|/QhJh2c/5s",  # a hundred chips behind
    ],
)
def test_options_are_legal_and_sum_to_one(text: str) -> None:

    seen, state = view(text), state_of(text)
    solution = solved(seen)
    events = [event for event in seen.events if event.situation.street == seen.situation.street]
    found = solution.options(events, seen)
    assert found is not None
    for action in found.actions:
        state.verify(action)
    live = combo_mask(seen.board)
    np.testing.assert_allclose(found.probabilities[:, live].sum(axis=0), 1, atol=1e-4)


def test_the_likelihood_of_a_real_bet_comes_from_the_tree() -> None:
    seen = view("MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d")
    solution = solved(seen, 300)
    events = seen.events[-1:]
    row = solution.likelihood(events)
    assert row is not None
    assert row.shape == (NUM_COMBOS,)
    assert np.all((row >= 0) & (row <= 1 + 1e-6))
    checked = [events[0]._replace(action=Action("c"))]
    other = solution.likelihood(checked)
    assert other is not None
    assert np.all(row + other <= 1 + 1e-5)
    # A bet the tree was not told about is not in it.
    assert solution.likelihood([events[0]._replace(action=Action("r", 1438))]) is None


def test_the_time_allowed_is_kept() -> None:
    seen = view("MATCHSTATE:0:0:r250c/cc/:7c7d|/QhJh2c/5s")
    solved(seen, 50)  # compiles
    iterations = [solved(seen, think_ms).solver.iterations for think_ms in (1, 400)]
    assert iterations[0] >= 1
    assert iterations[0] < iterations[1]
    # A deadline in the past still gives an answer.
    solution = PostflopLiveSolver(1000, 1).solve(seen, [], np.ones((2, NUM_COMBOS)), time.monotonic() - 1)
    assert solution.solver.iterations >= 1
    assert solution.options([], seen) is not None


def test_nuts_bet_or_raise_and_never_fold() -> None:
    # Queens full of jacks with the board paired: nobody can beat QQ but quads.
    text = "MATCHSTATE:1:0:r250c/cc/cr600c/r1200:|QdQs/QhJhJd/5s/9d"
    seen = view(text)
    solution = solved(seen, 400)
    found = solution.options(seen.events[-1:], seen)
    assert found is not None
    fold = found.actions.index(Action("f"))
    assert found.probabilities[fold, seen.combo] < 0.01
