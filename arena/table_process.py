"""The program behind ``--in-process``: plays seatings with all players inside one process.

:data:`hedgehog.arena.runner.TABLE_COMMAND` starts it. Every line of its standard input is a job, a seating to play,
made by
:func:`table_job`. It answers on standard output with lines of progress (hands played and chips won per seat), and at
last with ``done`` or ``failed``. Everything else that is printed goes to the error file of the seating.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.specs import PlayerSpec, parse_player_spec, ready_player
from hedgehog.agent.time_manager import HandTime
from hedgehog.arena.in_process import ProgressCallback, Seat
from hedgehog.arena.match import Entrant, MatchPlan, TableJob
from hedgehog.arena.seatings.local import LocalEntrant, play_plan_seating
from hedgehog.poker.acpc.gamedef import GameDef, read_gamedef
from hedgehog.runtime.errors import HedgehogError, InputError
from hedgehog.runtime.files import real_path

if TYPE_CHECKING:
    from hedgehog.agent.decision_record import RecordWriter

COMPILED_BOTS: Final = ("fold", "call", "raise", "allin", "random")
"""Bots that :mod:`hedgehog.arena.bot_table`, which imports numba, plays in compiled code."""
_PROGRESS_EVERY_S: Final = 0.25


def verify_in_process(spec: PlayerSpec) -> None:
    """Verifies that a player can play inside the process of the match.

    :raises InputError: if the player is a separate program.
    """
    if spec.external:
        raise InputError(f"{spec.text!r} is a program of its own: it can only play over TCP, not in one process")


def table_job(
    specs: Sequence[PlayerSpec],
    *,
    think_ms: int,
    threads: int | None,
    hand_time: HandTime | None = None,
    recorded: Collection[str] = (),
) -> TableJob:
    """Returns the value of :attr:`hedgehog.arena.match.MatchPlan.table` for matches without sockets.

    :param specs: all players of the match or tournament.
    :param think_ms: milliseconds that Hedgehog's own player may think per decision; 0: it plays from its packs alone.
    :param threads: number of threads of Hedgehog's own player; None for its default.
    :param hand_time: limits of the thinking time of Hedgehog's own player in its hands; None: no such limits.
    :param recorded: names of the players whose decisions are recorded (:mod:`hedgehog.agent.decision_record`).
    :raises InputError: if a player is a separate program.
    """

    def job(plan: MatchPlan, index: int, go_on: bool) -> str:
        values = {
            "players": [{"name": entrant.name, "spec": entrant.spec} for entrant in plan.entrants],
            "game": str(real_path(plan.game)),
            "hands": plan.hands,
            "first_hand": plan.first_hand,
            "seed": plan.seed,
            "duplicate": plan.duplicate,
            "out": str(plan.out),
            "dealer_options": plan.dealer_options,
            "think_ms": think_ms,
            "threads": threads,
            "hand_time": None if hand_time is None else asdict(hand_time),
            "recorded": [entrant.name for entrant in plan.entrants if entrant.name in recorded],
            "index": index,
            "go_on": go_on,
        }
        return json.dumps(values)

    for spec in specs:
        verify_in_process(spec)
    return job


def play(job: dict[str, Any], say: Callable[[str], None]) -> None:
    """Plays the seating of a job and writes its files.

    :param job: the values of a line that :func:`table_job` has made.
    :param say: called with each line of progress: hands played and chips won per seat.
    :raises HedgehogError: if the seating cannot be played.
    """
    players = [(str(player["name"]), parse_player_spec(player["spec"])) for player in job["players"]]
    gamedef = read_gamedef(job["game"])
    plan = MatchPlan(
        entrants=tuple(Entrant(name, lambda seed, report: (), spec.text) for name, spec in players),
        game=Path(job["game"]),
        hands=job["hands"],
        seed=job["seed"],
        duplicate=job["duplicate"],
        out=Path(job["out"]),
        dealer_options=tuple(job["dealer_options"]),
        first_hand=job["first_hand"],
    )
    hand_time = None if job["hand_time"] is None else HandTime(**job["hand_time"])
    entrants = [
        local_entrant(
            replace(spec, name=name),
            gamedef,
            job["think_ms"],
            job["threads"],
            hand_time,
            record=name in job["recorded"],
        )
        for name, spec in players
    ]

    def on_progress(hands: int, chips: Sequence[float]) -> None:
        say(" ".join([str(hands), *map(repr, map(float, chips))]))

    play_plan_seating(plan, job["index"], entrants, now_and_then(on_progress, plan.hands), go_on=job["go_on"])


def now_and_then(on_progress: ProgressCallback, last: int) -> ProgressCallback:
    """Returns a function that may be called after every hand, and calls ``on_progress`` a few times per second.

    :param last: number of the hand after which ``on_progress`` is called in any case.
    """
    due = time.monotonic() + _PROGRESS_EVERY_S

    def call(hands: int, chips: Sequence[float]) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due or hands == last:
            due = now + _PROGRESS_EVERY_S
            on_progress(hands, chips)

    return call


def local_entrant(
    spec: PlayerSpec,
    gamedef: GameDef,
    think_ms: int,
    threads: int | None,
    hand_time: HandTime | None = None,
    *,
    record: bool = False,
) -> LocalEntrant:
    """Returns the player of a specification as a participant of a match inside this process.

    :param think_ms: milliseconds that Hedgehog's own player may think per decision; 0: it plays from its packs alone.
    :param threads: number of threads of Hedgehog's own player; None for its default.
    :param hand_time: limits of the thinking time of Hedgehog's own player in its hands; None: no such limits.
    :param record: write down the player's decisions (:mod:`hedgehog.agent.decision_record`).
    """

    def recorder(path: Path, seed: int, go_on: bool) -> RecordWriter:
        from hedgehog.agent.decision_record import RecordHeader, RecordWriter  # numpy, which bots do not need

        return RecordWriter(path, RecordHeader.of(gamedef, spec.text, seed, spec.thinking(think_ms)), go_on=go_on)

    def seat(seed: int) -> Seat:
        player = ready_player(spec, gamedef, seed=seed, think_ms=think_ms, threads=threads, hand_time=hand_time)
        return Seat(player, PlayRecord())

    bot = spec.kind if spec.kind in COMPILED_BOTS else ""
    return LocalEntrant(seat=seat, bot=bot, recorder=recorder if record else None)


def main() -> None:
    """Plays one seating for each line of standard input, until standard input ends."""
    replies = os.dup(1)
    for line in sys.stdin:
        job = json.loads(line)
        _send_output_to(Path(job["out"]) / f"seating_{job['index']}.table.err")
        try:
            play(job, lambda progress: _reply(replies, progress))
        except HedgehogError as error:
            print(f"ERROR: {error}", file=sys.stderr, flush=True)
            _reply(replies, "failed")
        else:
            _reply(replies, "done")


def _send_output_to(path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.close(file)


def _reply(descriptor: int, line: str) -> None:
    data = line.encode() + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    main()
