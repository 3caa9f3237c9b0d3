"""Two strategies against each other, beside an oracle that shares no code with the solver."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hedgehog.analysis.solves.meetings import meeting, sources
from hedgehog.analysis.solves.meetings.meeting import Contender, meet
from hedgehog.analysis.solves.meetings.result import Versus
from hedgehog.analysis.solves.meetings.sources import versus
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.runtime.errors import MemoryShortageError, SpotError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.responses.given_strategy import GivenStrategy, given_solution
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot
from hedgehog.solver.postflop.tree import line_of
from hedgehog.strategies.betting_tree import NODE_TYPES, BettingTree, NodeKind
from tests.reference.slow_cfr import SlowGame, Strategy, best_response_value, expected_value
from tests.shown import check_shown
from tests.solver.postflop_fixtures import SMALL_FLOP, combos_of, holdem

RIVER = """\
spot: small river
board: Qh Jh 2c 7c 5s
pot: 100
stack: 230
range: {oop: "AhKh,AdAs:0.5,KdQd:0.8,KsQs:0.8,7d6d,7s6s,JcTc:0.3", ip: "AcKc,AdAs,QdTd:0.6,QsTs:0.6,9h8h,KdKs:0.9"}
sizes:
  river: {oop: "50%,a/100%", ip: "50%,a/100%"}
"""
TURN = """\
spot: small turn
board: Qh Jh 2c 7c
pot: 100
stack: 230
range: {oop: "AhKh,AdAs:0.5,KdQd:0.8,KsQs:0.8,7d6d,7s6s", ip: "AcKc,AdAs,QdTd:0.6,QsTs:0.6,9h8h"}
sizes:
  turn: {oop: "100%", ip: "100%"}
  river: {oop: "a", ip: "a"}
"""
RAKE = "rake: {rate: 0.05, cap: 9}\n"
SPOTS = {"river": RIVER, "raked river": RIVER + RAKE, "turn": TURN, "raked turn": TURN + RAKE}
EVERYWHERE = frozenset(range(10_000))


def random_strategy(spot: PostflopSpot, seed: int) -> GivenStrategy:
    """Returns a strategy that mixes at random and treats all suits differently."""
    prepared = prepare(spot)
    tree = prepared.tree

    @cache
    def rows(node: int, dealt: tuple[int, ...]) -> NDArray[np.float32]:
        drawn = np.random.default_rng([seed, node, *dealt]).random((int(tree.num_children[node]), NUM_COMBOS)) ** 2
        return (drawn / drawn.sum(axis=0)).astype(np.float32)

    return GivenStrategy(tree, prepared.board, prepared.ranges, rows)


def slow_game(text: str) -> SlowGame:
    """Returns a spot of this module as a slow game."""
    spot = parse_spot(text)
    hands = [
        dict(part.split(":") if ":" in part else (part, "1") for part in line.split(","))
        for line in (text.split(f'{name}: "')[1].split('"', maxsplit=1)[0] for name in ("oop", "ip"))
    ]
    named = [{name: float(weight) for name, weight in one.items()} for one in hands]
    board = text.split("board: ")[1].split("\n", maxsplit=1)[0]
    return holdem(prepare(spot).tree, board, named[0], named[1], (spot.rake_rate, min(spot.rake_cap, 9.0)))


def seated(game: SlowGame, oop: GivenStrategy, ip: GivenStrategy) -> Strategy:
    """Returns the play of two strategies in the form of the slow game."""
    return mixed(game, (oop, oop), (ip, ip), EVERYWHERE)


def mixed(
    game: SlowGame,
    oop: tuple[GivenStrategy, GivenStrategy],
    ip: tuple[GivenStrategy, GivenStrategy],
    firsts: frozenset[int],
) -> Strategy:
    """Returns play in which each player follows his first strategy at some nodes and his second elsewhere."""
    combos = [combos_of(game, player) for player in (0, 1)]

    def strategy(node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        player = int(game.tree.player[node])
        given = (oop, ip)[player][0 if node in firsts else 1]
        return given.rows(node, board[len(game.board) :])[:, combos[player]].astype(np.float64)

    return strategy


def pair(text: str) -> tuple[PostflopSpot, GivenStrategy, GivenStrategy]:
    spot = parse_spot(text)
    return spot, random_strategy(spot, 1), random_strategy(spot, 2)


def met(spot: PostflopSpot, one: GivenStrategy, other: GivenStrategy, **options: Any) -> Versus:
    return meet(spot, Contender("A", "one", one), Contender("B", "other", other), **{"hands": 0, **options})


@pytest.mark.parametrize("text", SPOTS.values(), ids=SPOTS)
def test_values_are_those_of_the_oracle(text: str) -> None:
    spot, *both = pair(text)
    found, game = met(spot, *both), slow_game(text)
    for i, oop in enumerate(both):
        for j, ip in enumerate(both):
            play = seated(game, oop, ip)
            values = [expected_value(game, play, seat) + 50 for seat in (0, 1)]
            assert found.evs[i, j] == pytest.approx(values, abs=1e-3)
    for number, own in enumerate(both):
        play = seated(game, own, own)
        best = [best_response_value(game, play, seat) for seat in (0, 1)]
        assert found.found[number].best_response_ev_minus_half_pot == pytest.approx(best, abs=1e-3)
        if not spot.rake_rate:
            assert found.least[number] == pytest.approx([50 - best[1], 50 - best[0]], abs=1e-3)


def gain_of_oracle(game: SlowGame, ours: GivenStrategy, theirs: GivenStrategy, seat: int, node: int) -> float:
    """Returns what acting at a node as ``ours`` wins, after coming there so, if all else is played as ``theirs``."""
    before, above = set(), int(game.tree.parent[node])
    while above >= 0:
        before.add(above)
        above = int(game.tree.parent[above])
    values = []
    for firsts in (frozenset(before), frozenset({*before, node})):
        sides = [(theirs, theirs), (theirs, theirs)]
        sides[seat] = (ours, theirs)
        values.append(expected_value(game, mixed(game, sides[0], sides[1], firsts), seat))
    return values[1] - values[0]


@pytest.mark.parametrize("text", [RIVER, TURN + RAKE], ids=["river", "raked turn"])
def test_gains_of_every_decision_are_those_of_the_oracle(text: str) -> None:
    spot, one, other = pair(text)
    found, game = met(spot, one, other), slow_game(text)
    decisions = np.flatnonzero(found.tree.kind == NodeKind.DECISION)
    for node in decisions[:: 1 if spot.street == 3 else 4].tolist():
        seat = int(found.tree.player[node])
        assert found.gains[seat, node] == pytest.approx(gain_of_oracle(game, one, other, seat, node), abs=1e-3)
        assert found.losses[seat, node] == pytest.approx(-gain_of_oracle(game, other, one, seat, node), abs=1e-3)
        assert found.gains[1 - seat, node] == found.losses[1 - seat, node] == 0
    assert not found.gains[:, found.tree.kind != NodeKind.DECISION].any()


def check_sums(found: Versus) -> None:
    """Checks what holds for any two strategies."""
    evs, pot = found.evs, found.spot.pot
    assert (evs.sum(axis=2) <= (1 + 1e-4) * pot).all()
    if not found.spot.rake_rate:
        assert evs.sum(axis=2) == pytest.approx(np.full((2, 2), pot), abs=1e-4 * pot)
        assert sum(found.edge) == pytest.approx(0, abs=1e-4 * pot)
    for seat in (0, 1):
        cross = [evs[found._seated(own, seat)] for own in (0, 1)]
        alone = [evs[own, own, seat] for own in (0, 1)]
        assert found.gains[seat].sum() == pytest.approx(cross[0] - alone[1], abs=1e-4 * pot)
        assert found.losses[seat].sum() == pytest.approx(alone[0] - cross[1], abs=1e-4 * pot)
        best = found.found[1].best_response_ev_minus_half_pot[seat] + pot / 2
        assert found.least[0, seat] - 1e-4 * pot <= cross[0] <= best + 1e-4 * pot


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**20), st.integers(0, 2**20), st.sampled_from(["", RAKE]))
def test_sums_and_antisymmetry(one: int, other: int, rake: str) -> None:
    spot = parse_spot(RIVER + rake)
    first, second = random_strategy(spot, one), random_strategy(spot, other)
    there, back = met(spot, first, second), met(spot, second, first)
    check_sums(there)
    assert there.edge == pytest.approx(back.edge[::-1], abs=1e-3)
    assert there.evs == pytest.approx(back.evs[::-1, ::-1], abs=1e-3)
    assert there.gains == pytest.approx(-back.losses, abs=1e-3)


@cache
def solved(text: str, iterations: int, algorithm: str = "dcfr") -> PostflopSolver:
    return solve(parse_spot(text), 0.0, iterations, algorithm=algorithm, threads=1)


@pytest.mark.parametrize(
    "text", [RIVER + RAKE, TURN, pytest.param(SMALL_FLOP, marks=pytest.mark.slow)], ids=["river", "turn", "flop"]
)
def test_a_solve_against_itself_has_its_own_value(text: str) -> None:
    solver = solved(text, 5)
    alone, half = solver.exploitability(), parse_spot(text).pot / 2
    found = versus(parse_spot(text), solver, solver, hands=0)
    assert found.edge[0] == pytest.approx(sum(found.evs[0, 0]) / 2 - half, abs=1e-4)
    assert found.evs - half == pytest.approx(np.broadcast_to(alone.ev_minus_half_pot, (2, 2, 2)), abs=1e-3)
    assert found.found[0].exploitability == pytest.approx(alone.exploitability, abs=1e-3)
    assert np.abs(found.gains).max() < 1e-3
    check_sums(found)


@pytest.mark.parametrize("text", [TURN, pytest.param(SMALL_FLOP, marks=pytest.mark.slow)], ids=["turn", "flop"])
def test_interchangeable_suits_change_nothing(text: str) -> None:
    one, other = solved(text, 4), solved(text, 2, "cgh")
    found = versus(parse_spot(text), one, other, hands=0)
    assert prepare(parse_spot(text)).runouts.num_rivers < 1980  # some suits are interchangeable
    check_sums(found)
    # Asked for node by node, nobody knows that suits are interchangeable.
    plain = [replace(given_solution(solver), solution=None) for solver in (one, other)]
    slow = versus(parse_spot(text), *plain, hands=0)
    assert slow.evs == pytest.approx(found.evs, abs=2e-3)
    assert slow.least == pytest.approx(found.least, abs=2e-3)
    assert slow.gains == pytest.approx(found.gains, abs=2e-3)
    assert slow.losses == pytest.approx(found.losses, abs=2e-3)
    assert np.abs(found.gains).max() > 0.1


@pytest.mark.parametrize(
    "text", [RIVER + RAKE, pytest.param(SMALL_FLOP, marks=pytest.mark.slow)], ids=["river", "flop"]
)
def test_hands_that_are_played_agree(text: str) -> None:
    found = versus(parse_spot(text), solved(text, 4), solved(text, 2, "cgh"), hands=300_000, seed=5)
    assert found.agrees
    for each in found.played():
        assert abs(each.mean - each.exact) < 4 * each.standard_error < 4
        assert each.exact == found.evs[(0, 1, 0) if each.seat == 0 else (1, 0, 1)]
    hands, won = found.course()
    assert (hands[0], won[0]) == (0, 0)
    assert (np.diff(hands) > 0).all()
    assert hands[-1] == 300_000
    total = sum(each.mean - 50 for each in found.played()) * 300_000
    assert won[-1] == pytest.approx(total, rel=1e-6, abs=1e-3)
    again = versus(parse_spot(text), solved(text, 4), solved(text, 2, "cgh"), hands=300_000, seed=6)
    assert not np.array_equal(again.course()[1], won)
    # A wrong exact value does not go unnoticed.
    assert not replace(found, evs=found.evs + 3).agrees


def renumbered(tree: BettingTree) -> tuple[BettingTree, NDArray[np.int64]]:
    """Returns the tree with its nodes in the order of their depth, and the old number of each."""
    depth = np.zeros(tree.num_nodes, dtype=np.int64)
    for node in range(1, tree.num_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    old = np.argsort(depth, kind="stable")
    new = np.full(tree.num_nodes + 1, -1, dtype=np.int32)
    new[old] = np.arange(len(old))
    nodes: dict[str, Any] = {name: getattr(tree, name)[old] for name in (*NODE_TYPES, "committed")}
    return replace(tree, **nodes | {name: new[nodes[name]] for name in ("parent", "first_child")}), old


@pytest.mark.parametrize("text", [RIVER, TURN], ids=["river", "turn"])
def test_nodes_may_have_other_numbers(text: str) -> None:
    spot, one, other = pair(text)
    tree, old = renumbered(one.tree)
    assert not np.array_equal(old, np.arange(len(old)))
    moved = replace(one, tree=tree, rows=lambda node, dealt: one.rows(int(old[node]), dealt))
    assert np.array_equal(met(spot, moved, other).evs, met(spot, one, other).evs)


def test_missing_streets_are_filled_or_refused() -> None:
    spot, one, other = pair(TURN)

    def on_turn(node: int, dealt: tuple[int, ...]) -> NDArray[np.float32]:
        assert not dealt
        return one.rows(node, dealt)

    def both(node: int, dealt: tuple[int, ...]) -> NDArray[np.float32]:
        return (other if dealt else one).rows(node, dealt)

    short = replace(one, rows=on_turn, last_street=2)
    with pytest.raises(SpotError, match="one has no strategy on the river"):
        met(spot, short, other)
    for order in (1, -1):
        filled = met(spot, *(short, other)[::order], fill=True)
        assert np.array_equal(filled.evs, met(spot, *(replace(one, rows=both), other)[::order]).evs)
        river = filled.tree.street == 3
        assert np.abs(filled.gains[:, ~river]).max() > 0.1
        assert np.abs(filled.gains[:, river]).max() < 1e-3
    with pytest.raises(SpotError, match="both strategies end with the turn"):
        met(spot, short, short, fill=True)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("7c 5s", "7c 6s"), "one is of the board Qh Jh 2c 7c 6s, the spot of Qh Jh 2c 7c 5s"),
        (("pot: 100", "pot: 120"), "one has 120 in the pot and 230 behind, the spot 100 and 230"),
        (("stack: 230", "stack: 240"), "one has 100 in the pot and 240 behind, the spot 100 and 230"),
        (('ip: "50%,a', 'ip: "a'), "is of another betting tree: after 'X' it has X A230, the spot X B50 A230"),
        (('oop: "50%,a/', 'oop: "50%/'), "at the first decision it has X B50, the spot X B50 A230"),
        (("AdAs:0.5,", ""), "one lacks 1 of the spot's hands of oop, such as AsAd"),
    ],
)
def test_strategies_of_another_game_are_refused(changed: tuple[str, str], message: str) -> None:
    spot, _, other = pair(RIVER)
    assert changed[0] in RIVER
    foreign = random_strategy(parse_spot(RIVER.replace(*changed)), 1)
    with pytest.raises(SpotError) as caught:
        met(spot, foreign, other)
    assert message in str(caught.value)


def test_more_hands_than_the_spot_has_do_no_harm() -> None:
    spot, one, other = pair(RIVER.replace("AdAs:0.5,", ""))
    wide = random_strategy(parse_spot(RIVER), 1)
    assert np.array_equal(met(spot, wide, other).evs, met(spot, one, other).evs)


def test_it_shows_itself() -> None:
    spot, one, other = pair(TURN)
    for hands in (0, 50_000):
        found = met(spot, one, other, hands=hands)
        _, text = check_shown(found)
        assert "A at worst" in text
        assert repr(found).startswith("<Versus: small turn, A against B: A wins ")
    records = found.streets().records()
    assert [(row["seat"], row["street"]) for row in records] == [
        ("oop", "turn"), ("oop", "river"), ("ip", "turn"), ("ip", "river"), ("both", "all")
    ]  # fmt: skip
    for key in ("won", "wins", "loses"):
        parts = [float(row[key] or 0) for row in records]
        assert parts[-1] == pytest.approx(sum(parts[:-1]))
        assert parts[-1] == pytest.approx(2 * found.edge[0], abs=1e-3)
        lines = [float(row[key] or 0) for row in found.lines().records()]
        assert sum(lines) == pytest.approx(parts[-1], abs=1e-6)
    won = [abs(float(row["won"] or 0)) for row in found.lines().records()]
    assert won == sorted(won, reverse=True)
    assert len(found.lines(3).rows) == 3
    tokens = {" ".join(line_of(found.tree, node)) or "root" for node in range(found.tree.num_nodes)}
    assert {row["line"] for row in found.lines().records()} <= tokens


def test_too_little_memory_is_said_before_anything_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing may be solved")

    monkeypatch.setattr(meeting, "available_memory", lambda: 10_000)
    monkeypatch.setattr(sources, "solve", never)
    with pytest.raises(MemoryShortageError):
        versus(parse_spot(TURN), "dcfr?iterations=2", "cfr?iterations=2", hands=0)


def test_there_must_be_a_street_to_fill() -> None:
    spot, one, other = pair(RIVER)
    with pytest.raises(SpotError, match="both strategies have all streets"):
        met(spot, one, other, fill=True)
