"""The ``player`` benchmark: decisions per second from packs alone, and the time of solves at the table."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from functools import partial

import numpy as np

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.specs import make_player, parse_player_spec
from hedgehog.agent.strategy.hand_view import HandView, view_of_state
from hedgehog.agent.strategy.live import PostflopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.analysis.speed.figures import BenchRow, BenchTable, run_steps
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import Action
from hedgehog.poker.streets import RIVER, STREETS, TURN
from hedgehog.runtime.watch import SILENT, Watch

_HANDS = 1_000
_ROUNDS = 4
_ASKED_DECISIONS = 20_000
_OPPONENTS = ("default", "call", "offtree", "random")
_SPOTS = 200
_THREADS = 2
_TARGET_PCT = 1.0
_THINK_MS = {TURN: 1_500, RIVER: 150}
_MOST_ITERATIONS = 2_000
_STEP = 8


class _Recorded(Player):
    """A wrapper of a player that records the states in which the player has to act."""

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self.states: list[MatchState] = []
        self._player = player

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        self.states.append(matchstate)
        return self._player.act(matchstate, deadline)

    def observe(self, matchstate: MatchState) -> None:
        self._player.observe(matchstate)

    def report(self) -> Mapping[str, object]:
        return self._player.report()


def measure_player(*, watch: Watch = SILENT) -> BenchTable:
    """Returns the speeds of ``act`` and of the whole table on one core, in CPU time.

    The player has not seen the hands before.
    """
    gamedef = load_gamedef()
    measured, scout = (_ready("default", gamedef, seed) for seed in range(2))
    steps = [(f"against {name}", partial(_speed_rows, gamedef, measured, scout, name)) for name in _OPPONENTS]
    rows = run_steps("player", steps, watch)
    rows += _solves(gamedef, scout, watch)
    notes = [
        "one core, CPU time, best of several runs over new hands; --think-ms 0: no live solving",
        "offtree bets sizes the strategies lack, random any size: lines that have not come up before cost more",
        f"turns and rivers: the first {_SPOTS} decisions on each in self-play from packs alone, with the ranges that "
        f"the player infers and the bet sizes that it takes for --think-ms {_THINK_MS[TURN]} and {_THINK_MS[RIVER]}, "
        f"solved to {_TARGET_PCT:g} % of the pot on {_THREADS} threads (rivers use one)",
        "times of solves: wall time from the ranges on, and processor time, which a busy machine changes less, of all "
        f"threads together; without computing the exploitability, which is done every {_STEP} iterations",
    ]
    return BenchTable("Our player in process", rows, notes)


def _ready(spec: str, gamedef: GameDef, seed: int) -> Player:
    player = make_player(parse_player_spec(spec), gamedef, seed=seed, think_ms=0, threads=1)
    player.warm_up()
    player.new_match(gamedef, seed)
    return player


def _speed_rows(gamedef: GameDef, measured: Player, scout: Player, opponent: str) -> list[BenchRow]:
    decisions, hands = _speeds(gamedef, measured, scout, _ready(opponent, gamedef, 2))
    return [
        BenchRow(f"decisions against {opponent}", decisions / 1e3, "k/s", "target", _ASKED_DECISIONS / 1e3),
        BenchRow(f"hands against {opponent}, table and both players", hands / 1e3, "k/s"),
    ]


def _speeds(gamedef: GameDef, measured: Player, scout: Player, opponent: Player) -> tuple[float, float]:
    """Returns decisions and hands per second, the best of several runs.

    ``scout``, a player like ``measured``, plays the hands. Then ``measured`` decides in the same states, which it has
    not seen before.
    """
    decisions = hands = 0.0
    for seed in range(_ROUNDS):
        recorded = _Recorded(scout)
        seats = [Seat(recorded, PlayRecord()), Seat(opponent, PlayRecord())]
        started = time.process_time()
        play_seating(gamedef, seats, ("A", "B"), num_hands=_HANDS, seed=seed)
        hands = max(hands, _HANDS / (time.process_time() - started))
        started = time.process_time()
        for state in recorded.states:
            measured.act(state, math.inf)
        decisions = max(decisions, len(recorded.states) / (time.process_time() - started))
    return decisions, hands


def _solves(gamedef: GameDef, player: Player, watch: Watch) -> list[BenchRow]:
    """Returns figures of the times that solves of turns and rivers take, in wall time.

    :param player: a player from packs alone, whose self-play gives the spots.
    """
    assert isinstance(player, PackPlayer)
    packs = player.packs_alone
    assert packs is not None
    recorded = _Recorded(player)
    views: dict[int, list[HandView]] = {TURN: [], RIVER: []}
    seed = 0
    while min(map(len, views.values())) < _SPOTS:
        recorded.states.clear()
        seats = [Seat(recorded, PlayRecord()), Seat(_ready("default", gamedef, seed + 3), PlayRecord())]
        play_seating(gamedef, seats, ("A", "B"), num_hands=2 * _SPOTS, seed=_ROUNDS + seed)
        seed += 1
        for state in recorded.states:
            if state.state.round >= TURN:
                views[state.state.round].append(view_of_state(state.state, state.board))
    strategy = LiveStrategy(packs)
    solver = PostflopLiveSolver(_THREADS, packs)
    rows = []
    watch.begin("measuring solves at the table", 2 * _SPOTS, "decisions")
    watch.update(0)
    done = 0
    for street, found in views.items():
        times = []
        for view in found[:_SPOTS]:
            times.append(_seconds_to_target(solver, strategy, view))
            done += 1
            watch.update(done, f"{STREETS[street]} at the table")
        starts, solves, worked = np.array(times).T
        name, limit = f"{STREETS[street]} at the table", _THINK_MS[street] / 1000
        rows.append(BenchRow(f"{name}, before the first iteration, median", float(np.median(starts)), "s"))
        for what, share in (("median", 0.5), ("9 of 10 within", 0.9), ("longest", 1.0)):
            rows.append(BenchRow(f"{name}, {what}", float(np.quantile(solves, share)), "s", "target", limit))
        rows.append(BenchRow(f"{name}, processor time, median", float(np.median(worked)), "s"))
        rows.append(BenchRow(f"{name}, processor time, 9 of 10 within", float(np.quantile(worked, 0.9)), "s"))
        rows.append(BenchRow(f"{name}, within {limit:g} s", 100 * float(np.mean(solves <= limit)), "%"))
    return rows


def _seconds_to_target(
    solver: PostflopLiveSolver, strategy: LiveStrategy, view: HandView
) -> tuple[float, float, float]:
    """Returns the seconds from a decision to the first iteration and to its solution, and the processor time of all.

    The times include neither the inference of the ranges nor the computation of the exploitability.
    """
    ranges = strategy.ranges_now(solver.root(view), view.situation.position)
    clock = _Clock()
    with clock:
        running = solver.start(solver.prepare(view, ranges, _THINK_MS[view.situation.street]))
    before, first = clock.seconds, running.iterations
    while running.iterations - first < _MOST_ITERATIONS:
        with clock:
            running.run(_STEP)
        if running.exploitability().pct_pot <= _TARGET_PCT:
            break
    return before, clock.seconds, clock.processor_seconds


class _Clock:
    """Adds up the time spent in its ``with`` blocks."""

    def __init__(self) -> None:
        self.seconds = self.processor_seconds = 0.0

    def __enter__(self) -> None:
        self._started = time.perf_counter(), time.process_time()

    def __exit__(self, *error: object) -> None:
        started, worked = self._started
        self.seconds += time.perf_counter() - started
        self.processor_seconds += time.process_time() - worked
