"""The ``player`` benchmark: decisions per second of our player from its packs alone."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from agent.play_record import PlayRecord
from agent.player import Player
from agent.specs import make_player, parse_player_spec
from arena.in_process import Seat, play_seating
from cli.bench.table import BenchRow, BenchTable
from cli.first_launch import prepare_first_launch
from cli.progress import Progress
from poker.acpc.gamedef import GameDef, load_gamedef
from poker.acpc.matchstate import MatchState
from poker.state import Action

_HANDS = 1_000
_ROUNDS = 4
_ASKED_DECISIONS = 20_000
_OPPONENTS = ("default", "call", "offtree", "random")


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


def run(progress: Progress) -> BenchTable:
    """Returns the speeds of ``act`` and of the whole table on one core, in CPU time.

    The player has not seen the hands before.
    """
    gamedef = load_gamedef()
    prepare_first_launch()
    measured, scout = (_ready("default", gamedef, seed) for seed in range(2))
    rows: list[BenchRow] = []
    progress.total = len(_OPPONENTS)
    for opponent in _OPPONENTS:
        progress.update(len(rows) // 2, f"against {opponent}")
        decisions, hands = _speeds(gamedef, measured, scout, _ready(opponent, gamedef, 2))
        rows.append(BenchRow(f"decisions against {opponent}", decisions / 1e3, "k/s", "target", _ASKED_DECISIONS / 1e3))
        rows.append(BenchRow(f"hands against {opponent}, table and both players", hands / 1e3, "k/s"))
    notes = [
        "one core, CPU time, best of several runs over new hands; --think-ms 0: no live solving",
        "offtree bets sizes the strategies lack, random any size: lines that have not come up before cost more",
    ]
    return BenchTable("Our player from packs alone, in process", rows, notes)


def _ready(spec: str, gamedef: GameDef, seed: int) -> Player:
    player = make_player(parse_player_spec(spec), seed=seed, think_ms=0, threads=1)
    player.warm_up()
    player.new_match(gamedef, seed)
    return player


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
