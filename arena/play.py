"""Plays matches and tournaments: from player specifications to logs, for the command line, the explorer and Python.

::

    played = play_match(["random", "call"], hands=200, seed=1, out="my-match")
    played.logs        # what hedgehog.analysis.stats.score_match reads
    play_tournament(["random", "call", "raise"], hands=200, seed=1, out="my-tournament")
    # ... and hedgehog.analysis.tournament.analyse_tournament("my-tournament")

:func:`ready_match` and :func:`ready_tournament` check everything before the first hand and change nothing. What they
return is then played, with dealer and players as processes on TCP, at tables in processes of their own, or in this
process. All ways leave the same logs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.specs import PlayerSpec, parse_entrant, start_player, unique_names
from hedgehog.arena.in_process import Seat
from hedgehog.arena.launch import (
    PlaySettings,
    read_match_game,
    recorded_names,
)
from hedgehog.arena.log_space import verify_log_space
from hedgehog.arena.match import (
    MATCH_FOLDER,
    MatchPlan,
    PlayedSeating,
    SeatingState,
    seating_states,
    verify_resumable,
)
from hedgehog.arena.match_folder import claim_folder, new_folder, replace_folder
from hedgehog.arena.player_checks import verify_player, verify_players
from hedgehog.arena.records import TOURNAMENT_FILE, TOURNAMENT_FOLDER
from hedgehog.arena.runner import GoOn, another_writer, begin_match, clear_seating, run_match
from hedgehog.arena.seating_log import Progress, read_finished_log
from hedgehog.arena.seatings.blocks import begin_blocks, join_blocks, join_seating, remove_blocks
from hedgehog.arena.seatings.lineup import Lineup
from hedgehog.arena.seatings.local import LocalEntrant, play_plan_seating
from hedgehog.arena.table_process import local_entrant, now_and_then, verify_in_process
from hedgehog.arena.tournament import (
    TournamentPlan,
    TournamentProgress,
    begun_by_first,
    read_progress,
    run_tournament,
    run_tournament_on,
    verify_plan,
)
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, GameDef, find_gamedef
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.errors import InputError, StoppedError, one_line
from hedgehog.runtime.files import real_path
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder, verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch

if TYPE_CHECKING:
    from hedgehog.runtime.engines.local import Engine
    from hedgehog.runtime.engines.watched_status import WatchedStatus

RUNS: Final = Path("runs")
"""Folder for matches whose folder nobody has named."""
_LOOK_EVERY_S: Final = 0.1

T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class PlayedMatch:
    """A finished match: its game, its players and the files that it has left."""

    names: tuple[str, ...]
    """Names of the players, as they stand in the logs."""
    gamedef: GameDef
    seatings: tuple[PlayedSeating, ...]

    @property
    def logs(self) -> list[Path]:
        """One log per seating."""
        return [seating.log for seating in self.seatings]

    def __repr__(self) -> str:
        """Returns the players and the number of seatings in one line."""
        return one_line(f"<PlayedMatch: {', '.join(self.names)}, {len(self.seatings)} seatings>")


@dataclass(slots=True)
class ReadyMatch:
    """A match that can be played: everything is checked, and nothing has changed on the disk."""

    plan: MatchPlan
    """The match. Its folder is made when play begins; if nobody has named it, it has its name from then on."""
    players: Lineup
    warning: str
    """What the user should know before the match; may be empty."""
    resume: bool
    resume_all: bool
    overwrite: bool
    unnamed: bool
    """Whether nobody has named the folder."""
    classes: tuple[type[Player] | None, ...]
    """For each player its class if it was given as one."""

    def play(self, *, jobs: int | None = None, engine: Engine | None = None, watch: Watch = SILENT) -> PlayedMatch:
        """Plays the match and returns its files. Whatever happens, no process is left running.

        :param jobs: number of seatings played at the same time, in processes of their own; the result does not depend
            on it. None: as many as there are cores, or in process one after the other in this process.
        :param engine: plays the seatings in place of this machine, and stays open.
        :param watch: hears of hands and winnings, and can stop the match.
        :raises MatchError: if the match cannot be completed.
        :raises StoppedError: if the watch has stopped it.
        """
        if any(self.classes) and (jobs is not None or engine is not None):
            raise InputError("a class can only play in this process, so without jobs")
        if self.warning:
            watch.warn(self.warning)
        if self.resume and (anew := _starts_anew(seating_states(self.plan), resume_all=self.resume_all)):
            watch.note(anew)
        if self.overwrite:
            replace_folder(self.plan.out, MATCH_FOLDER)
        self.plan = replace(self.plan, out=new_folder(self.plan.out) if self.unnamed else make_folder(self.plan.out))
        self.unnamed = False
        here = self.players.settings.in_process and jobs is None
        jobs = 1 if here else jobs or self.players.settings.default_jobs()
        with _told(watch, self.plan.out, jobs, engine) as told:
            told.begin("", self.plan.hands * len(self.plan.seatings()), "hands", "starting")

            def on_progress(progress: Progress) -> None:
                told.open()
                if progress.hands:  # the time until the first hand says nothing about the others
                    told.update(progress.hands, progress.winnings_text(self.players.gamedef.big_blind))

            if engine is not None:
                return self._played(self._play_on(engine, on_progress, told))
            if here:
                return self._played(self._play_here(on_progress, told))
            run = run_match(
                self.plan, on_progress, jobs=jobs, resume=self.resume, resume_all=self.resume_all, note=told.warn
            )
            return self._played(run_watched(run, told))

    def _played(self, seatings: Iterable[PlayedSeating]) -> PlayedMatch:
        return PlayedMatch(self.players.names, self.players.gamedef, tuple(seatings))

    def _play_here(self, on_progress: Callable[[Progress], None], watch: Watch) -> list[PlayedSeating]:
        """Plays all seatings inside this process, one after the other."""
        plan = self.plan
        progress = Progress(chips=dict.fromkeys(self.players.names, 0.0))
        with self._begun() as go_on:
            on_progress(progress)
            for index in range(1, len(plan.seatings()) + 1):
                chips = None if go_on is GoOn.NEVER else read_finished_log(plan.expected_log(index))
                if chips is not None:
                    progress.add(plan.hands, chips)
                    remove_blocks(plan, index)
                    continue
                for part in begin_blocks(plan, index, progress):
                    self._play_part_here(part, index, go_on, progress, on_progress, watch)
                if plan.block_hands is not None:
                    join_seating(plan, index)
        return [plan.played(index) for index in range(1, len(plan.seatings()) + 1)]

    @contextmanager
    def _begun(self) -> Iterator[GoOn]:
        """Holds the folder of the match, writes the plan, and says when unfinished seatings go on."""
        plan = self.plan
        with locked_folder(plan.out, another_writer(plan.out)):
            if not self.resume:  # another process may have been faster
                verify_output_folder(plan.out, MATCH_FOLDER, proceed=False)
            yield begin_match(plan, resume=self.resume, resume_all=self.resume_all)

    def _play_on(
        self, engine: Engine, on_progress: Callable[[Progress], None], watch: Watch
    ) -> Iterator[PlayedSeating]:
        """Plays all seatings on an engine; yields their files when all have ended."""
        from hedgehog.arena.seatings.engine import count_seating, play_on_engine, unfinished_seatings

        plan = self.plan
        progress = Progress(chips=dict.fromkeys(self.players.names, 0.0))
        with self._begun() as go_on:
            wanted = unfinished_seatings(plan, progress, go_on)
            on_progress(progress)
            ends = play_on_engine(
                self.players,
                wanted,
                engine,
                folder=plan.out,
                watch=watch,
                result=lambda: progress.winnings_text(self.players.gamedef.big_blind),
            )
            for end in ends:
                if end.failure is not None:
                    raise end.failure
                count_seating(end.seating, progress)
                on_progress(progress)
            join_blocks(plan)
        yield from map(plan.played, range(1, len(plan.seatings()) + 1))

    def _play_part_here(
        self,
        plan: MatchPlan,
        index: int,
        go_on: GoOn,
        progress: Progress,
        on_progress: Callable[[Progress], None],
        watch: Watch,
    ) -> None:
        """Plays a seating, or a block of one, unless it is finished."""
        expected = plan.expected_log(index)
        chips = None if go_on is GoOn.NEVER else read_finished_log(expected)
        if chips is not None:
            progress.add(plan.hands, chips)
            return
        follow = progress.follower(expected.names)

        def on_hands(hands: int, won: Sequence[float]) -> None:
            follow(hands, won)
            on_progress(progress)
            if watch.stopped:
                raise StoppedError("the match was stopped")

        goes_on = clear_seating(plan, index, go_on)
        paced = now_and_then(on_hands, plan.hands)
        play_plan_seating(plan, index, self._entrants_here(), paced, go_on=goes_on)

    def _entrants_here(self) -> list[LocalEntrant]:
        """Returns the players of a match inside this process."""
        players, gamedef = self.players, self.players.gamedef
        think_ms, hand_time = players.settings.time_to_think()
        time_and_threads = (think_ms, players.settings.threads, hand_time)
        return [
            local_entrant(replace(spec, name=name), gamedef, *time_and_threads, record=name in players.recorded)
            if player is None
            else LocalEntrant(partial(_seat, player, gamedef))
            for spec, name, player in zip(players.specs, players.names, self.classes, strict=True)
        ]


def ready_match(
    players: Sequence[str | type[Player]],
    *,
    hands: int,
    out: str | Path | None = None,
    seed: int = 0,
    game: str | Path = DEFAULT_GAME,
    duplicate: bool = True,
    settings: PlaySettings,
    record: bool | None = False,
    resume: bool = False,
    resume_all: bool = False,
    overwrite: bool = False,
    beside: Path | None = None,
) -> ReadyMatch:
    """Checks that a match can be played, without changing anything.

    :param players: for each player a specification (:mod:`hedgehog.agent.specs`), with or without ``NAME=``, or a class
        of your own derived from :class:`hedgehog.agent.player.Player`, which is created without arguments.
    :param hands: hands per seating.
    :param out: folder for logs and reports; None for a new folder below ``runs``, named after date and time.
    :param seed: seed of the cards and of the players' random numbers, 0 .. 2**32 - 1.
    :param game: a game definition file or the name of a shipped game.
    :param duplicate: play the same cards in every order of the seats.
    :param settings: thinking time, threads, limits, and whether to play in process.
    :param record: write down the decisions of Hedgehog's own players, for AIVAT
        (:mod:`hedgehog.agent.decision_record`); None: if they think.
    :param resume: go on with the same match in the folder.
    :param resume_all: go on even with unfinished seatings of players that may remember the hands before.
    :param overwrite: replace a match in the folder.
    :param beside: another file that the caller writes; it may lie in the folder.
    :raises InputError: if a specification is malformed, a player cannot play, the number of players does not fit the
        game, or the folder holds anything else.
    :raises PackError: if a pack is missing or damaged.
    :raises ResourceError: if the logs do not fit on the disk.
    """
    classes = tuple(None if isinstance(player, str) else player for player in players)
    specs = tuple(parse_entrant(player) if isinstance(player, str) else _spec_of_class(player) for player in players)
    game_file = find_gamedef(game)
    gamedef = read_match_game(game_file)
    if len(specs) != gamedef.num_players:
        raise InputError(f"the game is for {gamedef.num_players} players, got {len(specs)}", source=str(game_file))
    if any(classes) and not settings.in_process:
        raise InputError("a class can only play in this process")
    names = tuple(unique_names(specs))
    settings.verify_specs(specs)
    recorded = recorded_names(specs, names, gamedef, think_ms=settings.think_ms, record=record)
    lineup = Lineup(specs, names, game_file, gamedef, settings, tuple(recorded))
    if out is not None:
        claim_folder(Path(out), MATCH_FOLDER, resume=resume, overwrite=overwrite, inputs=lineup.inputs, own=beside)
    plan = MatchPlan(hands=hands, seed=seed, duplicate=duplicate, out=real_path(out or RUNS), **lineup.plan_values())
    verify_players([spec for spec, given in zip(specs, classes, strict=True) if given is None], gamedef)
    warning = verify_log_space(plan.out, [plan], gamedef.num_players)
    if resume:
        verify_resumable(plan)
    return ReadyMatch(plan, lineup, warning, resume, resume_all, overwrite, unnamed=out is None, classes=classes)


def play_match(
    players: Sequence[str | type[Player]],
    *,
    hands: int,
    out: str | Path | None = None,
    seed: int = 0,
    game: str | Path = DEFAULT_GAME,
    duplicate: bool = True,
    think_ms: int = 0,
    threads: int | None = None,
    record: bool = False,
    in_process: bool = True,
    resume: bool = False,
    block_hands: int | None = None,
    jobs: int | None = None,
    watch: Watch = SILENT,
) -> PlayedMatch:
    """Plays a match and returns its files.

    Cards, actions and logs are those of ``hedgehog match`` with the same arguments.

    :param players: for each player a specification (:mod:`hedgehog.agent.specs`), with or without ``NAME=``, or a class
        of your own derived from :class:`hedgehog.agent.player.Player`, which is created without arguments.
    :param hands: hands per seating.
    :param out: folder for logs and reports, new or empty unless ``resume``; None for a new folder below ``runs``.
    :param seed: seed of the cards and of the players' random numbers, 0 .. 2**32 - 1.
    :param game: a game definition file or the name of a shipped game.
    :param duplicate: play the same cards in every order of the seats.
    :param think_ms: milliseconds that Hedgehog's own player may think per decision; 0: it plays from its packs alone.
    :param threads: number of threads of Hedgehog's own player; None for its default.
    :param record: write down the decisions of Hedgehog's own players, for AIVAT
        (:mod:`hedgehog.agent.decision_record`).
    :param in_process: play without sockets; otherwise dealer and players are processes, and may be ``cmd:`` programs.
    :param resume: go on with the same match in the folder.
    :param block_hands: start all players of a seating afresh after this many hands, so that ``jobs`` can play the
        blocks of one seating at the same time; None: every seating is played in one piece.
    :param jobs: number of seatings or blocks played at the same time, in processes of their own; the result does not
        depend on it. None: as many as there are cores, or in process one after the other in this process.
    :param watch: hears of hands and winnings, and can stop the match, such as
        :class:`hedgehog.runtime.watch.ProgressLine`.
    :raises InputError: if a player cannot play, a specification is malformed, the number of players does not fit the
        game, or the folder is not empty.
    :raises MatchError: if the match cannot be completed.
    :raises StoppedError: if the watch has stopped it.
    """
    ready = ready_match(
        players,
        hands=hands,
        out=out,
        seed=seed,
        game=game,
        duplicate=duplicate,
        settings=PlaySettings(think_ms, threads=threads, in_process=in_process, block_hands=block_hands),
        record=record,
        resume=resume,
    )
    return ready.play(jobs=jobs, watch=watch)


@dataclass(frozen=True, slots=True)
class ReadyTournament:
    """A tournament that can be played: everything is checked, and nothing has changed on the disk."""

    plan: TournamentPlan
    players: Lineup
    warning: str
    """What the user should know before the tournament; may be empty."""
    overwrite: bool

    def play(
        self,
        *,
        jobs: int | None = None,
        engine: Engine | None = None,
        retry_failed: bool = False,
        resume_all: bool = False,
        watch: Watch = SILENT,
        on_progress: Callable[[TournamentProgress], None] | None = None,
    ) -> TournamentProgress:
        """Plays all matches that are not over yet. Whatever happens, no process is left running.

        :param jobs: number of seatings played at the same time; None for the number of cores.
        :param engine: plays the seatings in place of this machine, and stays open.
        :param retry_failed: play failed matches again.
        :param resume_all: go on even with unfinished seatings of players that may remember the hands before.
        :param watch: hears of hands and winnings, and can stop the tournament.
        :param on_progress: called with the progress just before ``watch`` hears of it, for pictures.
        :raises InputError: if the folder holds another tournament.
        :raises MatchError: if two matches share cards.
        :raises StoppedError: if the watch has stopped it.
        """
        plan = self.plan
        if self.warning:
            watch.warn(self.warning)
        if self.overwrite:
            replace_folder(plan.out, TOURNAMENT_FOLDER)
        elif not resume_all and (elsewhere := _matches_anew(plan)):
            watch.note(
                f"unfinished seatings of {', '.join(elsewhere)} are played anew, because external players may remember "
                "the hands before; --resume-external goes on all the same"
            )
        jobs = jobs or self.players.settings.default_jobs()
        with _told(watch, plan.out, jobs, engine) as told:
            told.begin(plan.name, None, "hands", "starting")

            def tell(progress: TournamentProgress) -> None:
                told.open()
                if on_progress is not None:
                    on_progress(progress)
                if progress.hands:  # the time until the first hand says nothing about the others
                    big_blind = self.players.gamedef.big_blind
                    told.update(progress.hands, progress.text(big_blind), total=progress.total_hands)

            go_on = {"retry_failed": retry_failed, "resume_all": resume_all}
            if engine is not None:
                return run_tournament_on(plan, self.players, engine, tell, watch=told, **go_on)
            return run_watched(run_tournament(plan, tell, jobs=jobs, note=told.warn, **go_on), told)


def _told(watch: Watch, folder: Path, jobs: int, engine: Engine | None) -> AbstractContextManager[WatchedStatus]:
    """Returns a watch that keeps the status of play in a folder for other shells, unless an engine does so."""
    from hedgehog.runtime.engines.watched_status import watched_status  # pydantic takes its time

    name = f"seatings in {jobs} process{'es' if jobs > 1 else ''}"
    return watched_status(watch, folder / STATUS_FILE if engine is None else None, engine=name, workers=jobs)


def _plainly(where: tuple[str, ...], make: Callable[..., T], *arguments: Any) -> T:
    return make(*arguments)


def ready_tournament(
    players: Sequence[str | PlayerSpec],
    *,
    hands: int,
    out: str | Path,
    seed: int = 0,
    game: str | Path = DEFAULT_GAME,
    name: str = "",
    duplicate: bool = True,
    settings: PlaySettings,
    against: str = "",
    record: bool | None = False,
    grows: bool = False,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    at: Callable[..., Any] = _plainly,
) -> ReadyTournament:
    """Checks that a tournament can be played, without changing anything.

    :param players: specifications, at least as many as the game has players.
    :param hands: hands per seating.
    :param out: folder of the tournament. It is new or empty, or holds the same tournament.
    :param seed: seed of the tournament, from which all cards and the players' random numbers follow.
    :param game: a game definition file or the name of a shipped game.
    :param name: name of the tournament; empty: the name of the folder.
    :param duplicate: play the same cards in every order of the seats.
    :param settings: thinking time, threads, limits, and whether to play in process.
    :param against: name of one player: only its matches are played. Empty: all players meet all others.
    :param record: write down the decisions of Hedgehog's own players; None: if they think.
    :param grows: the folder may hold a tournament with fewer agents or hands, which becomes this one: nothing is played
        again (:mod:`hedgehog.arena.growth`).
    :param overwrite: replace a tournament in the folder.
    :param inputs: further files that belong to the caller's input.
    :param at: (keys of a tournament file, function, its arguments) -> what the function returns; adds the place in the
        file to errors (:mod:`hedgehog.arena.tournament_file`).
    :raises InputError: if the tournament cannot be played, or the folder holds anything else.
    :raises PackError: if a pack is missing or damaged.
    :raises ResourceError: if the logs do not fit on the disk.
    """
    places = [("agents", str(index), "player") for index in range(len(players))]
    specs = [parse_entrant(player) if isinstance(player, str) else player for player in players]
    if settings.in_process:
        for place, spec in zip(places, specs, strict=True):
            at(place, verify_in_process, spec)
    game_file = find_gamedef(game)
    gamedef = read_match_game(game_file)
    for place, spec in zip(places, specs, strict=True):
        at(place, _verify_player, spec, gamedef)
    names: list[str] = at(("agents",), unique_names, specs)
    settings.verify_specs(specs)
    recorded = recorded_names(specs, names, gamedef, think_ms=settings.think_ms, record=record)
    lineup = Lineup(tuple(specs), tuple(names), game_file, gamedef, settings, tuple(recorded))
    values = lineup.plan_values()
    values["settings"] |= settings.limits.of_play()
    folder = real_path(out)
    plan = TournamentPlan(
        name=name or folder.name, hands=hands, seed=seed, duplicate=duplicate, out=folder, against=against, **values
    )
    plan = replace(plan, grows=grows, by_first=not overwrite and begun_by_first(plan))
    at(("against",) if against not in ("", *names) else ("agents",), verify_plan, plan)
    warning = verify_log_space(folder, list(map(plan.match_plan, plan.record().matches)), gamedef.num_players)
    claim_folder(folder, TOURNAMENT_FOLDER, resume=True, overwrite=overwrite, inputs=[*inputs, game_file])
    return ReadyTournament(plan, lineup, warning, overwrite)


def play_tournament(
    players: Sequence[str],
    *,
    hands: int,
    out: str | Path,
    seed: int = 0,
    game: str | Path = DEFAULT_GAME,
    duplicate: bool = True,
    think_ms: int = 0,
    threads: int | None = None,
    against: str = "",
    in_process: bool = True,
    jobs: int | None = 1,
    watch: Watch = SILENT,
) -> TournamentProgress:
    """Plays every player against every other one and returns how the matches ended.

    The matches are the same as in ``hedgehog tournament run``. Repeating the call goes on with an interrupted
    tournament. :func:`hedgehog.analysis.tournament.analyse_tournament` reads the result from the folder.

    :param players: specifications (:mod:`hedgehog.agent.specs`) with or without ``NAME=``, at least as many as the game
        has players.
    :param hands: hands per seating.
    :param out: folder of the tournament. It is new or empty, or holds the same tournament. The name of the folder
        becomes the name of the tournament.
    :param seed: seed of the tournament, from which all cards and the players' random numbers follow.
    :param game: a game definition file or the name of a shipped game.
    :param duplicate: play the same cards in every order of the seats.
    :param think_ms: milliseconds that Hedgehog's own player may think per decision; 0: it plays from its packs alone.
    :param threads: number of threads of Hedgehog's own player; None for its default.
    :param against: name of one player: only its matches are played. Empty: all players meet all others.
    :param in_process: play without sockets; otherwise dealer and players are processes, and may be ``cmd:`` programs.
    :param jobs: number of seatings played at the same time, in processes of their own; None for the number of cores.
        The result does not depend on it.
    :param watch: hears of hands and winnings, and can stop the tournament.
    :raises InputError: if the tournament cannot be played, or the folder holds anything else.
    :raises MatchError: if two matches share cards.
    :raises ResourceError: if a file cannot be written.
    :raises StoppedError: if the watch has stopped it.
    """
    ready = ready_tournament(
        players,
        hands=hands,
        out=out,
        seed=seed,
        game=game,
        duplicate=duplicate,
        settings=PlaySettings(think_ms, threads=threads, in_process=in_process),
        against=against,
    )
    return ready.play(jobs=jobs, watch=watch)


def run_watched(run: Coroutine[Any, Any, T], watch: Watch) -> T:
    """Returns the result of a coroutine. It is cancelled, and cleans up, when the watch says stop.

    It also works where an event loop runs already, as in a notebook.

    :raises StoppedError: if the watch has stopped it.
    """
    left = threading.Event()

    async def watched() -> T:
        task = asyncio.ensure_future(run)
        try:
            while not task.done():
                await asyncio.wait([task], timeout=_LOOK_EVERY_S)
                if not task.done() and (watch.stopped or left.is_set()):
                    raise StoppedError("stopped")
        finally:
            task.cancel()
            await asyncio.wait([task])
        return task.result()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(watched())
    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(asyncio.run, watched()).result()
        finally:
            left.set()


def _starts_anew(states: Sequence[SeatingState], *, resume_all: bool) -> str:
    """Returns one line that says which seatings of a resumed match start anew, and why; may be empty."""
    damaged = _numbers(state for state in states if state.damaged)
    anew = [state for state in states if state.hands and not state.finished]
    reasons = []
    if damaged:
        reasons.append(f"seating {damaged}: the log is damaged")
    if anew and not resume_all and (names := anew[0].remembering):
        hands = sum(state.hands for state in anew)
        reasons.append(
            f"seating {_numbers(anew)} ({hands:,} hands): {', '.join(names)} may remember the hands before; "
            "--resume-external goes on all the same"
        )
    return f"played anew: {'; '.join(reasons)}" if reasons else ""


def _numbers(states: Iterable[SeatingState]) -> str:
    """Returns the numbers of the seatings."""
    return ", ".join(map(str, dict.fromkeys(state.index for state in states)))


def _matches_anew(plan: TournamentPlan) -> list[str]:
    """Returns the matches with unfinished seatings that start anew because a player may remember the hands before."""
    if not (plan.out / TOURNAMENT_FILE).exists():
        return []
    _, progress = read_progress(plan.out)
    return [
        match.match.folder
        for match in progress.matches
        if match.record is None
        and any(
            state.hands and not state.finished and state.remembering
            for state in seating_states(plan.match_plan(match.match))
        )
    ]


def _verify_player(spec: PlayerSpec, gamedef: GameDef) -> None:
    """Verifies that an agent can play; the message names the file of a pack that is missing or damaged."""
    try:
        verify_player(spec, gamedef)
    except InputError as error:
        raise InputError(str(error)) from error


def _spec_of_class(player: type[Player]) -> PlayerSpec:
    name = "" if player.name == Player.name else player.name
    return PlayerSpec(f"py:{player.__module__}:{player.__qualname__}", "py", player.__qualname__, name)


def _seat(player: type[Player], gamedef: GameDef, seed: int) -> Seat:
    made = player()
    start_player(made, gamedef, seed)
    return Seat(made, PlayRecord())
