"""The tournament engine: plays all matches between any number of agents, in parallel, and resumes after interruptions.

A game for k players has one match for every set of k agents, or only the matches with one chosen agent. Every match has
cards and a folder of its own. What is on disk decides what is left to play:

* A match with a record is over and is not played again, unless it failed and failed matches are to be retried.
* Finished seatings of the other matches are kept.
* Unfinished seatings go on after their last hand if no player may remember the hands before.

If an agent crashes, its match fails, and all other matches go on.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hedgehog.arena.deal_check import verify_distinct_seeds, verify_no_reused_deals
from hedgehog.arena.growth import grow
from hedgehog.arena.match import Entrant, MatchPlan, TableJob
from hedgehog.arena.plans import verify_same_plan
from hedgehog.arena.records import (
    FORMAT,
    GAME_FILE,
    MATCH_FILE,
    MATCHES_FOLDER,
    TOURNAMENT_FILE,
    AgentRecord,
    MatchRecord,
    PlannedMatch,
    TournamentRecord,
    read_match_record,
    read_tournament_record,
    write_match_record,
    write_tournament_record,
)
from hedgehog.arena.runner import GoOn, SeatingRunner, all_or_none, another_writer, seating_runner
from hedgehog.arena.seating_log import LogFollower, Progress, format_winnings, read_finished_log
from hedgehog.arena.seatings.blocks import join_blocks
from hedgehog.arena.seatings.tcp import SeatingError, StartError
from hedgehog.poker.acpc.gamedef import GameDef, read_gamedef, read_gamedef_text
from hedgehog.poker.acpc.names import verify_player_names
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder
from hedgehog.runtime.watch import SILENT, Watch

if TYPE_CHECKING:
    from hedgehog.arena.seatings.lineup import Lineup
    from hedgehog.runtime.engines.local import Engine

_CHECKED_HANDS: Final = 1000
"""Number of hands of every match that are dealt before play to verify that no two matches share cards."""
MAX_MATCHES: Final = 100_000
"""Largest number of matches in a tournament."""
_LONGEST_FOLDER_NAME: Final = 120


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Everything that a tournament depends on."""

    name: str
    entrants: tuple[Entrant, ...]
    """The agents: at least as many as the game has players, with unique names."""
    game: Path
    """Game definition file."""
    hands: int
    """Hands per seating."""
    seed: int
    """Seed of the tournament, from which the seeds of all matches are derived."""
    duplicate: bool
    """Whether a match plays the same cards in several orders of the seats."""
    out: Path
    """Folder of the tournament; created if it is missing."""
    dealer_options: tuple[str, ...] = ()
    """Further options of the dealer."""
    dealer_command: tuple[str, ...] = ()
    """Command that starts a dealer, as in :class:`hedgehog.arena.match.MatchPlan`."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Further settings that decide the play, as plain values for the record."""
    table: TableJob | None = None
    """Jobs for processes without sockets, as in :class:`hedgehog.arena.match.MatchPlan`."""
    against: str = ""
    """Name of one agent: only its matches are played. Empty: all agents meet all others."""
    by_first: bool = False
    """Number the matches as tournaments of earlier versions did, which cannot grow."""
    grows: bool = False
    """Whether the folder may hold a tournament of fewer agents or hands, which is kept."""

    def record(self) -> TournamentRecord:
        """Returns the plan in the form of its file, with all matches."""
        names = [entrant.name for entrant in self.entrants]
        pairings = [
            players
            for players in pairings_of(names, read_gamedef(self.game).num_players, by_first=self.by_first)
            if not self.against or self.against in players
        ]
        digits = max(3, len(str(len(pairings)))) if self.by_first else 3
        return TournamentRecord(
            name=self.name,
            game=self.game.name,
            hands=self.hands,
            duplicate=self.duplicate,
            seed=self.seed,
            agents=tuple(AgentRecord(entrant.name, entrant.spec) for entrant in self.entrants),
            matches=tuple(
                PlannedMatch(f"{number:0{digits}}_{'_vs_'.join(players)}"[:_LONGEST_FOLDER_NAME], players, seed)
                for number, (players, seed) in enumerate(
                    zip(pairings, match_seeds(self.seed, len(pairings)), strict=True), 1
                )
            ),
            settings=dict(self.settings),
        )

    def match_plan(self, match: PlannedMatch) -> MatchPlan:
        """Returns the plan of one match of the tournament."""
        by_name = {entrant.name: entrant for entrant in self.entrants}
        entrants, out = tuple(by_name[name] for name in match.players), self.out / MATCHES_FOLDER / match.folder
        same = {field.name: getattr(self, field.name) for field in fields(MatchPlan) if field.name != "first_hand"}
        return MatchPlan(**same | {"entrants": entrants, "seed": match.seed, "out": out})


@dataclass(slots=True)
class MatchProgress:
    """How far one match of a running tournament has come."""

    match: PlannedMatch
    total_hands: int
    """Number of hands in all seatings of the match."""
    play: Progress = field(default_factory=Progress)
    """Hands played and chips won so far."""
    record: MatchRecord | None = None
    """The outcome of the match; None until the match is over."""

    @property
    def failed(self) -> bool:
        """True if the match has failed, so that it is not scored."""
        return self.record is not None and bool(self.record.failure)


@dataclass(slots=True, repr=False)
class TournamentProgress:
    """How far a running tournament has come."""

    matches: list[MatchProgress]

    def __repr__(self) -> str:
        """Returns the numbers of matches and hands in one line."""
        return f"<TournamentProgress: {self.done} of {len(self.matches)} matches, {self.hands:,} hands>"

    @property
    def done(self) -> int:
        """Number of matches that are over, failed matches included."""
        return sum(match.record is not None for match in self.matches)

    @property
    def failed(self) -> int:
        """Number of matches that have failed."""
        return sum(match.failed for match in self.matches)

    @property
    def running(self) -> int:
        """Number of matches that are not over but have hands played."""
        return sum(match.record is None and match.play.hands > 0 for match in self.matches)

    @property
    def hands(self) -> int:
        """Number of hands played in matches that have not failed."""
        return sum(match.play.hands for match in self.matches if not match.failed)

    @property
    def total_hands(self) -> int:
        """Number of hands, played or not, of all matches that have not failed."""
        return sum(match.total_hands for match in self.matches if not match.failed)

    def chips_per_hand(self) -> dict[str, float]:
        """Returns the chips that each agent has won per hand so far. Agents without a hand are left out."""
        chips: dict[str, float] = {}
        hands: dict[str, int] = {}
        for match in self.matches:
            if match.failed or not match.play.hands:
                continue
            for name, won in match.play.chips.items():
                chips[name] = chips.get(name, 0.0) + won
                hands[name] = hands.get(name, 0) + match.play.hands
        return {name: won / hands[name] for name, won in chips.items()}

    def mbb_per_hand(self, big_blind: int) -> list[tuple[str, float]]:
        """Returns the agents with their winnings in thousandths of a big blind per hand, best first."""
        winnings = [(name, 1000 * won / big_blind) for name, won in self.chips_per_hand().items()]
        return sorted(winnings, key=lambda item: -item[1])

    def matches_text(self) -> str:
        """Returns how many matches are done, have failed and have begun."""
        failed = f" ({self.failed} failed)" if self.failed else ""
        return f"matches: {self.done}/{len(self.matches)} done{failed}, {self.running} begun"

    def text(self, big_blind: int) -> str:
        """Returns one line with matches and winnings."""
        return "; ".join(filter(None, (self.matches_text(), format_winnings(self.mbb_per_hand(big_blind)))))


def pairings_of(names: Sequence[str], players: int, *, by_first: bool = False) -> list[tuple[str, ...]]:
    """Returns who meets whom, match by match.

    The matches of the last agent stand behind all others. So a further agent changes neither the numbers nor the cards
    of the matches before.

    :param names: names of all agents.
    :param players: players of a match.
    :param by_first: the order of earlier versions: all matches of the first agent come first.
    """
    numbers = itertools.combinations(range(len(names)), players)
    order = numbers if by_first else sorted(numbers, key=lambda match: match[::-1])
    return [tuple(names[number] for number in match) for match in order]


def match_seeds(seed: int, count: int) -> list[int]:
    """Returns ``count`` different seeds of cards, one per match, derived from the seed of the tournament."""
    seeds: dict[int, None] = {}
    for number in range(1, count + 1):
        for attempt in itertools.count():
            digest = hashlib.sha256(f"tournament/{seed}/{number}/{attempt}".encode()).digest()
            match_seed = int.from_bytes(digest[:4], "little")
            if match_seed not in seeds:
                break
        seeds[match_seed] = None
    return list(seeds)


def verify_plan(plan: TournamentPlan) -> GameDef:
    """Verifies that a plan can be played, and returns its game.

    :raises InputError: if the game cannot be read, there are too few agents or too many matches, or names are repeated
        or unfit for logs and file names.
    """
    gamedef = read_gamedef(plan.game)
    names = [entrant.name for entrant in plan.entrants]
    if len(names) < gamedef.num_players:
        raise InputError(f"{plan.game.name} is for {gamedef.num_players} players, got {len(names)} agents")
    verify_player_names(names)
    if plan.against and plan.against not in names:
        raise InputError(f"expected the name of an agent to play against, got {plan.against!r}")
    together = (len(names) - 1, gamedef.num_players - 1) if plan.against else (len(names), gamedef.num_players)
    matches = math.comb(*together)
    if matches > MAX_MATCHES:
        raise InputError(f"{len(names)} agents make {matches:,} matches, expected at most {MAX_MATCHES:,}")
    return gamedef


async def run_tournament(
    plan: TournamentPlan,
    on_progress: Callable[[TournamentProgress], None] | None = None,
    *,
    jobs: int = 1,
    retry_failed: bool = False,
    resume_all: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> TournamentProgress:
    """Plays all matches of a tournament that are not over yet. Whatever happens, no process is left running.

    :param plan: the tournament.
    :param on_progress: called as soon as the folder is held, and then a few times per second, with the progress, an
        object that is updated in place.
    :param jobs: number of seatings, of all matches together, played at the same time. The result does not depend on it.
    :param retry_failed: play failed matches again; their unfinished seatings start anew.
    :param resume_all: go on with unfinished seatings even if players may remember the hands before.
    :param note: called with a line on every process that was killed and replaced.
    :returns: all matches with their records. The record of a match that failed through no agent's fault is not written
        to disk, so that the match is played again the next time.
    :raises InputError: if the plan cannot be played, or the folder holds another tournament.
    :raises MatchError: if matches share cards.
    :raises ResourceError: if a file cannot be written.
    """
    gamedef = verify_plan(plan)
    make_folder(plan.out)
    async with seating_runner(plan.out, jobs, note) as runner:
        progress = _begin(plan, gamedef, resume_all)
        tell = on_progress or (lambda _: None)
        tell(progress)
        run = _Run(plan, progress, tell, retry_failed, resume_all)
        await all_or_none(run.play(match, runner) for match in progress.matches)
        verify_no_reused_deals(finished_logs(plan.out, progress), gamedef)
    return progress


def run_tournament_on(
    plan: TournamentPlan,
    lineup: Lineup,
    engine: Engine,
    on_progress: Callable[[TournamentProgress], None] | None = None,
    *,
    retry_failed: bool = False,
    resume_all: bool = False,
    watch: Watch = SILENT,
) -> TournamentProgress:
    """Plays all matches of a tournament that are not over yet, seating by seating on an engine.

    :param plan: the tournament.
    :param lineup: the players of the tournament.
    :param engine: plays the seatings and stays open.
    :param watch: hears of the workers, and can stop the tournament.

    The other parameters, what it returns, and most errors are those of :func:`run_tournament`.

    :raises StoppedError: if the watch has stopped it.
    """
    gamedef = verify_plan(plan)
    make_folder(plan.out)
    with locked_folder(plan.out, another_writer(plan.out)):
        progress = _begin(plan, gamedef, resume_all)
        _Run(plan, progress, on_progress or (lambda _: None), retry_failed, resume_all).play_on(engine, lineup, watch)
        verify_no_reused_deals(finished_logs(plan.out, progress), gamedef)
    return progress


def _begin(plan: TournamentPlan, gamedef: GameDef, resume_all: bool) -> TournamentProgress:
    """Makes the folder of a tournament ready for play, and returns how far the tournament has come."""
    record = plan.record()
    seeds = {match.folder: match.seed for match in record.matches}
    verify_distinct_seeds(seeds, gamedef, min(plan.hands, _CHECKED_HANDS))
    if plan.grows and (plan.out / TOURNAMENT_FILE).exists():
        afresh = resume_all or "block_hands" in plan.settings
        grow(plan.out, record, remembering=[] if afresh else [e.name for e in plan.entrants if e.resume is None])
    _write_or_compare(plan, record)
    return load_progress(plan, record)


def load_progress(
    tournament: TournamentPlan, record: TournamentRecord, *, unfinished: bool = False
) -> TournamentProgress:
    """Returns how far a tournament has come, from the records of its matches and from their logs.

    :param tournament: the plan of the tournament.
    :param record: the plan in the form of its file.
    :param unfinished: count the hands of matches that are not over, too.
    :raises InputError: if a record, or the log of a finished match, is damaged.
    """
    matches = []
    for match in record.matches:
        plan = tournament.match_plan(match)
        seatings = range(1, len(plan.seatings()) + 1)
        state = MatchProgress(match, len(seatings) * plan.hands, Progress(chips=dict.fromkeys(match.players, 0.0)))
        state.record = read_match_record(plan.out)
        for index in seatings:
            expected = plan.expected_log(index)
            if state.record is None and unfinished:
                for path in plan.unfinished_logs(index):
                    LogFollower(path, state.play).read()
            elif state.record is not None and not state.failed:
                chips = read_finished_log(expected)
                if chips is None:
                    raise InputError("the log of a finished match is missing or damaged", source=str(expected.path))
                state.play.add(plan.hands, chips)
        matches.append(state)
    return TournamentProgress(matches)


def read_progress(folder: Path) -> tuple[TournamentRecord, TournamentProgress]:
    """Returns the plan of the tournament in ``folder`` and how far the tournament has come.

    :raises InputError: if there is no tournament, or one of its files is damaged.
    """
    record = read_tournament_record(folder)
    agents = tuple(Entrant(agent.name, lambda seed, report: (), agent.spec) for agent in record.agents)
    # Enough for reading the logs. It cannot be played: the agents have no commands.
    plan = TournamentPlan(
        record.name,
        agents,
        Path(record.game),
        record.hands,
        record.seed,
        record.duplicate,
        out=folder,
        settings=record.settings,
    )
    return record, load_progress(plan, record, unfinished=True)


def begun_by_first(plan: TournamentPlan) -> bool:
    """Tells whether the folder of a tournament holds one with the order of matches of earlier versions.

    :raises InputError: if there is a plan, and it is damaged.
    """
    if not (plan.out / TOURNAMENT_FILE).exists():
        return False
    matches = read_tournament_record(plan.out).matches
    return matches != plan.record().matches and matches == replace(plan, by_first=True).record().matches


def finished_logs(folder: Path, progress: TournamentProgress) -> dict[str, list[Path]]:
    """Returns the logs of every match that was played to its end: name of its folder -> logs."""
    return {
        state.match.folder: [folder / MATCHES_FOLDER / state.match.folder / log for log in state.record.logs]
        for state in progress.matches
        if state.record is not None and not state.failed
    }


class _Run:
    """One run over the matches of a tournament."""

    def __init__(
        self,
        plan: TournamentPlan,
        progress: TournamentProgress,
        on_progress: Callable[[TournamentProgress], None],
        retry_failed: bool,
        resume_all: bool,
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._on_progress = on_progress
        self._retry_failed = retry_failed
        self._go_on = GoOn.ALWAYS if resume_all else GoOn.WITHOUT_MEMORY

    async def play(self, state: MatchProgress, runner: SeatingRunner) -> None:
        """Plays one match here unless it is over, and writes its record."""
        go_on = self._open(state)
        if go_on is None:
            return
        plan = self._plan.match_plan(state.match)
        try:
            seatings = await runner.play(
                plan, state.play, lambda _: self._on_progress(self._progress), keep_finished=True, go_on=go_on
            )
        except (SeatingError, StartError) as error:
            self._fail(state, error)
        else:
            self._finish(state, tuple(seating.log.name for seating in seatings))

    def play_on(self, engine: Engine, lineup: Lineup, watch: Watch) -> None:
        """Plays the seatings of all matches that are not over on an engine, and writes the records of the matches."""
        # The engine is for those who use it: other commands start faster without.
        from hedgehog.arena.seatings.engine import SeatingToPlay, count_seating, play_on_engine, unfinished_seatings

        wanted: list[SeatingToPlay] = []
        states: dict[Path, MatchProgress] = {}
        left: dict[Path, int] = {}
        for state in self._progress.matches:
            go_on = self._open(state)
            if go_on is None:
                continue
            plan = self._plan.match_plan(state.match)
            states[plan.out] = state
            mine = unfinished_seatings(plan, state.play, go_on)
            left[plan.out] = len(mine)
            wanted += mine
            if not mine:
                join_blocks(plan)
                self._finish(state, _logs_of(plan))
        big_blind = lineup.gamedef.big_blind
        ends = play_on_engine(
            lineup,
            wanted,
            engine,
            folder=self._plan.out,
            watch=watch,
            result=lambda: self._progress.text(big_blind) if self._progress.hands else "",
        )
        for end in ends:
            plan, state = end.seating.match, states[end.seating.match.out]
            left[plan.out] -= 1
            state.play.started = min(state.play.started or math.inf, time.monotonic() - end.seconds)
            if state.record is not None:  # another seating of the match has failed
                continue
            if end.failure is not None:
                self._fail(state, end.failure)
                continue
            count_seating(end.seating, state.play)
            if left[plan.out]:
                self._on_progress(self._progress)
            else:
                join_blocks(plan)
                self._finish(state, _logs_of(plan))

    def _open(self, state: MatchProgress) -> GoOn | None:
        """Makes the folder of a match, and tells when its unfinished seatings go on; None if the match is over."""
        folder = self._plan.match_plan(state.match).out
        go_on = self._go_on
        if state.record is not None:
            if not (state.failed and self._retry_failed):
                return None
            (folder / MATCH_FILE).unlink()
            state.record = None
            go_on = GoOn.NEVER
        make_folder(folder)
        return go_on

    def _fail(self, state: MatchProgress, error: SeatingError | StartError) -> None:
        state.record = MatchRecord((), str(error), error.culprits, _seconds(state.play))
        if error.culprits:
            self._write(state)

    def _finish(self, state: MatchProgress, logs: tuple[str, ...]) -> None:
        state.record = MatchRecord(logs, seconds=_seconds(state.play))
        self._write(state)

    def _write(self, state: MatchProgress) -> None:
        assert state.record is not None
        write_match_record(self._plan.match_plan(state.match).out, state.record)
        self._on_progress(self._progress)


def _logs_of(plan: MatchPlan) -> tuple[str, ...]:
    return tuple(plan.expected_log(index).path.name for index in range(1, len(plan.seatings()) + 1))


def _seconds(play: Progress) -> float:
    return 0.0 if play.started is None else round(time.monotonic() - play.started, 3)


def _write_or_compare(plan: TournamentPlan, record: TournamentRecord) -> None:
    """Writes the plan into an empty folder, or compares it with the plan that is there.

    :raises InputError: if the folder holds another tournament, or other things.
    """
    path, game_path = plan.out / TOURNAMENT_FILE, plan.out / GAME_FILE
    game_text = read_gamedef_text(plan.game)
    if path.exists():
        verify_same_plan({"format": FORMAT, **asdict(record)}, path)
        if game_path.read_text("latin-1") != game_text:
            raise InputError(f"this tournament was begun with another text of {plan.game.name}", source=str(game_path))
        return
    if (plan.out / MATCHES_FOLDER).exists():
        raise InputError(f"there are matches but no {TOURNAMENT_FILE}", source=str(plan.out))
    write_text_file(game_path, game_text)
    write_tournament_record(plan.out, record)
