"""Plays seatings of matches and tournaments on any engine, such as the workers of a cluster.

A worker plays a seating in a temporary folder of its own, with dealer and players as processes beside it or at a table
in its process, and returns the files. So it needs nothing of the client's folders. An unfinished seating travels with
its log and its records, and goes on after its last whole hand. The files are those of a seating that is played here;
the clock of the players is that of the worker.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from hedgehog.agent.spec_files import spec_digest
from hedgehog.arena.match import MatchPlan
from hedgehog.arena.player_checks import verify_players
from hedgehog.arena.runner import GoOn, clear_seating, seating_runner
from hedgehog.arena.seating_log import Progress, read_finished_log
from hedgehog.arena.seatings.blocks import begin_blocks
from hedgehog.arena.seatings.tcp import SeatingError, StartError
from hedgehog.arena.table_process import play as play_at_table
from hedgehog.poker.acpc.gamedef import read_gamedef_text
from hedgehog.poker.acpc.handlog import format_header, parse_header
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.engines.running import RunProgress
from hedgehog.runtime.engines.status import status_file
from hedgehog.runtime.engines.tasks import worker_name
from hedgehog.runtime.errors import HedgehogError, InputError, MatchError, StoppedError
from hedgehog.runtime.files import real_path, replacing
from hedgehog.runtime.watch import Watch

if TYPE_CHECKING:
    from hedgehog.arena.seatings.lineup import Lineup

_WORDS: Final = (".err", ".out")
"""Endings of files in which processes say something, perhaps with the names of the worker's folders."""


@dataclass(frozen=True, slots=True)
class SeatingToPlay:
    """A seating of a match, or a block of one."""

    match: MatchPlan
    """The match."""
    plan: MatchPlan
    """What is played of it: the match, or the block (:meth:`hedgehog.arena.match.MatchPlan.parts`)."""
    index: int
    """Number of the seating, from 1."""
    goes_on: bool
    """Go on after the hands in its log."""


@dataclass(frozen=True, slots=True)
class SeatingEnd:
    """How a seating ended whose files are there."""

    seating: SeatingToPlay
    failure: SeatingError | None
    """Why it could not be played to its end."""
    seconds: float
    """How long it took."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A seating as it travels; it can be hashed."""

    number: int
    players: tuple[str, ...]
    seed: int
    index: int
    hands: int
    first_hand: int
    folder: str
    """Folder of the match at the client, for messages."""
    goes_on: bool
    files: tuple[tuple[str, bytes], ...]
    """Names and contents of the files that an unfinished seating goes on with."""


@dataclass(frozen=True, slots=True)
class _Series:
    """What all seatings of a match or tournament have in common."""

    lineup: Lineup
    game_text: str
    duplicate: bool


@dataclass(slots=True)
class _Played:
    """What a worker returns."""

    number: int
    files: dict[str, bytes]
    seconds: float
    failure: tuple[str, tuple[str, ...]] | None = None
    """The message, and the players at fault."""


def play_on_engine(
    lineup: Lineup,
    seatings: Sequence[SeatingToPlay],
    engine: Engine,
    *,
    folder: Path,
    watch: Watch,
    result: Callable[[], str],
) -> Iterator[SeatingEnd]:
    """Plays seatings of one game, or blocks of them, and yields each one as it ends, in any order.

    Its files are then in the folder of its match or block, as if it had been played here.

    :param lineup: all players, and how they play.
    :param seatings: the seatings.
    :param engine: plays them and stays open.
    :param folder: where the status is kept for other shells.
    :param watch: hears of the workers, and can stop the play.
    :param result: tells what was won so far, for the status.
    :raises InputError: if a worker lacks a player's program or class, or has other packs.
    :raises ResourceError: if workers keep dying or cannot be reached, or a file cannot be written.
    :raises StoppedError: if the watch has stopped it.
    """
    if not seatings:
        return
    plan = seatings[0].match
    in_one_piece = replace(lineup, game=real_path(lineup.game), settings=replace(lineup.settings, block_hands=None))
    series = _Series(in_one_piece, read_gamedef_text(plan.game), plan.duplicate)
    pieces = tuple(
        Piece(_task(number, one), _name(one), cost=float(one.plan.hands)) for number, one in enumerate(seatings)
    )

    def look(now: RunProgress | None = None) -> None:
        if watch.stopped and (now is None or now.job is None):  # the result of a job that has ended is kept
            raise StoppedError("stopped")

    unit = "seating" if plan.block_hands is None else "block"
    work = Pieces(pieces, _open_seatings, _players_digest, (series,), unit)
    for played in do_pieces(work, engine, watch.warn, status=status_file(folder), progress=look, result=result):
        one = seatings[played.number]
        for name, content in sorted(played.files.items(), key=lambda item: item[0].endswith(".log")):
            with replacing(one.plan.out / name) as file:
                file.write(content)
        failure = None if played.failure is None else SeatingError(*played.failure)
        yield SeatingEnd(one, failure, played.seconds)
        look()


def unfinished_seatings(plan: MatchPlan, progress: Progress, go_on: GoOn) -> list[SeatingToPlay]:
    """Returns the seatings or blocks of a match that are to be played, and clears what cannot be gone on with.

    The blocks come by their hands, so that there are groups of the same cards early.

    :param progress: how far the match is; finished seatings and blocks are added to it.
    :param go_on: when to go on with unfinished seatings.
    """
    found = []
    for index in range(1, len(plan.seatings()) + 1):
        if count_seating(SeatingToPlay(plan, plan, index, False), progress):
            continue
        for part in begin_blocks(plan, index, progress):
            if part is plan or not count_seating(SeatingToPlay(plan, part, index, False), progress):
                found.append(SeatingToPlay(plan, part, index, clear_seating(part, index, go_on)))
    return sorted(found, key=lambda one: one.plan.first_hand)


def count_seating(seating: SeatingToPlay, progress: Progress) -> bool:
    """Adds a seating or block to the progress of its match if it is finished, and returns whether it is."""
    chips = read_finished_log(seating.plan.expected_log(seating.index))
    if chips is not None:
        progress.add(seating.plan.hands, chips)
    return chips is not None


def _name(one: SeatingToPlay) -> str:
    block = "" if one.plan is one.match else f" from hand {one.plan.first_hand}"
    return f"{one.match.out.name} seating {one.index}{block}"


def _task(number: int, one: SeatingToPlay) -> _Task:
    plan, index = one.plan, one.index
    kept = (plan.expected_log(index).path, plan.answers(index), *plan.records(index)) if one.goes_on else ()
    return _Task(
        number,
        tuple(entrant.name for entrant in plan.entrants),
        plan.seed,
        index,
        plan.hands,
        plan.first_hand,
        str(plan.out),
        one.goes_on,
        tuple((path.name, path.read_bytes()) for path in kept if path.is_file()),
    )


def _players_digest(series: _Series) -> str:
    lineup = series.lineup
    found = "\0".join(spec_digest(spec.for_game(lineup.gamedef)) for spec in lineup.specs)
    return hashlib.sha256(found.encode()).hexdigest()


def _open_seatings(series: _Series) -> Callable[[_Task], _Played]:
    lineup = series.lineup
    try:
        verify_players(lineup.specs, lineup.gamedef)
    except InputError as error:
        raise InputError(f"the worker {worker_name()} cannot play: {error}") from error
    return lambda task: _play(series, task)


def _play(series: _Series, task: _Task) -> _Played:
    started = time.monotonic()
    with TemporaryDirectory(prefix="hedgehog-seating-") as name:
        place = real_path(Path(name))
        out, game = place / "match", place / series.lineup.game.name
        out.mkdir()
        game.write_text(series.game_text, "latin-1")
        for file, content in task.files:
            (out / file).write_bytes(_with_game(content, game) if file.endswith(".log") else content)
        lineup = replace(series.lineup, game=game)
        values = lineup.plan_values()
        entrants = {entrant.name: entrant for entrant in values.pop("entrants")}
        plan = MatchPlan(
            entrants=tuple(entrants[player] for player in task.players),
            hands=task.hands,
            first_hand=task.first_hand,
            seed=task.seed,
            duplicate=series.duplicate,
            out=out,
            **values,
        )
        go_on = GoOn.ALWAYS if task.goes_on else GoOn.NEVER
        failure: tuple[str, tuple[str, ...]] | None = None
        try:
            if plan.table is None:
                asyncio.run(_play_over_tcp(plan, task.index, go_on))
            else:
                _play_here(plan, task.index, go_on)
        except (SeatingError, StartError) as error:
            failure = str(error).replace(str(out), task.folder), tuple(error.culprits)
        files = {path.name: path.read_bytes() for path in sorted(out.iterdir()) if path.is_file()}
        for file, content in files.items():
            if file.endswith(".log"):
                files[file] = _with_game(content, series.lineup.game)
            elif file.endswith(_WORDS):
                files[file] = content.replace(os.fsencode(out), os.fsencode(task.folder))
    return _Played(task.number, files, time.monotonic() - started, failure)


def _with_game(log: bytes, game: Path) -> bytes:
    """Returns a log that names another file of its game."""
    first, end, rest = log.partition(b"\n")
    header = parse_header(os.fsdecode(first)) if end else None
    if header is None:
        return log
    return os.fsencode(format_header(replace(header, game=str(game)))) + end + rest


async def _play_over_tcp(plan: MatchPlan, index: int, go_on: GoOn) -> None:
    progress = Progress(chips={entrant.name: 0.0 for entrant in plan.entrants})
    async with seating_runner(plan.out, 1) as runner:
        await runner.play_seating(plan, index, progress, lambda: None, keep_finished=False, go_on=go_on)


def _play_here(plan: MatchPlan, index: int, go_on: GoOn) -> None:
    """Plays a seating in this process.

    :raises SeatingError: if it cannot be played.
    """
    assert plan.table is not None
    expected = plan.expected_log(index)
    output = expected.path.with_suffix(".table.err")
    job = json.loads(plan.table(plan, index, clear_seating(plan, index, go_on)))
    with _output_to(output):
        try:
            play_at_table(job, lambda progress: None)
        except MatchError as error:
            print(f"ERROR: {error}", file=sys.stderr, flush=True)
            culprits = [name for seat, name in enumerate(expected.names, 1) if str(error).startswith(f"seat {seat}:")]
            raise SeatingError(f"{error} (see {output})", culprits) from error
        except HedgehogError as error:
            raise SeatingError(f"{error} (see {output})") from error


@contextmanager
def _output_to(path: Path) -> Iterator[None]:
    """Sends what this process prints to a file for a while."""
    sys.stdout.flush()
    sys.stderr.flush()
    before = [os.dup(stream) for stream in (1, 2)]
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        for stream in (1, 2):
            os.dup2(file, stream)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, kept in zip((1, 2), before, strict=True):
            os.dup2(kept, stream)
            os.close(kept)
        os.close(file)
