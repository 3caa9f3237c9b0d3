"""Measures freeze-outs between two players, winner takes all, on any engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.play_record import describe_failures
from hedgehog.agent.registered import JAM_FOLD
from hedgehog.agent.specs import PlayerSpec, parse_entrant, unique_names
from hedgehog.analysis.games.jam_fold import tell_rounds
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate, ratio_estimate
from hedgehog.arena.freeze_out.batch import Faults, FreezeOutTask, play_freeze_outs
from hedgehog.arena.freeze_out.logs import FreezeOutFolder
from hedgehog.arena.freeze_out.players import tournament_tables, verify_freeze_out_players
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.arena.freeze_out.tally import PairResult
from hedgehog.arena.jam_tables import Report, structure_of
from hedgehog.gametheory.tournaments.jam_tables import JamTables
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.opening import open_engine
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder
from hedgehog.runtime.table import Table
from hedgehog.runtime.watch import SILENT, Watch, watched

_SEATS: Final = ("all games", "with the first button", "without it")
_CHIPS: Final = ("chips", "all-in adjusted")
_MBB: Final = 1000


@dataclass(frozen=True, slots=True)
class FreezeOutResult:
    """What a player has won in freeze-outs."""

    games: int
    """Number of games; every two have equal cards."""
    hands_per_game: float
    wins: Table
    """What the first player wins: in all games, with and without the first button."""
    chips: Table
    """What the first player wins per hand, in mbb: in chips, and with all-ins at their expectation."""
    remarks: tuple[str, ...]
    """Sentences about decisions that failed."""
    document: dict[str, Any]
    """All results, as ``hedgehog game freezeout --json`` writes them."""
    interrupted: bool = False
    """Whether the watch, or Ctrl-C, ended the games early."""


@dataclass(frozen=True, slots=True)
class ReadyFreezeOuts:
    """Freeze-outs that can be played: everything is checked, and nothing has changed on the disk."""

    specs: tuple[PlayerSpec, PlayerSpec]
    names: tuple[str, str]
    rules: FreezeOutRules
    pairs: int
    """Number of pairs of games."""
    seed: int
    think_ms: int
    folder: FreezeOutFolder | None

    @property
    def compiles(self) -> bool:
        """Whether a player needs kernels to be compiled at the first start on a machine."""
        return any(spec.compiles for spec in self.specs)

    @property
    def inputs(self) -> list[Path]:
        """Files and folders that the players read."""
        return _inputs(self.specs)

    def play(self, *, engine: Engine | None = None, watch: Watch = SILENT) -> FreezeOutResult | None:
        """Plays all games and returns what the first player wins; None if not even one pair was played.

        :param engine: plays the games (:func:`hedgehog.runtime.engines.opening.open_engine`); None for this process.
            The result does not depend on it.
        :param watch: hears of games, and can stop them; so can Ctrl-C, which is not raised again.
        :raises GameError: if jam or fold cannot be solved for the chips and blinds.
        :raises InputError: if another process plays into the folder, or a worker cannot play.
        :raises MatchError: if a class of the user fails.
        :raises ResourceError: if a log cannot be written, or workers keep dying or cannot be reached.
        """
        tables = freeze_out_tables(self.specs, self.rules, watch)
        task = FreezeOutTask(self.specs, self.names, self.rules, self.seed, self.think_ms, tables, self.folder)
        if self.folder is None:
            return self._play(task, engine, watch)
        path = make_folder(self.folder.path)
        with locked_folder(path, InputError("another process plays into this folder", source=str(path))):
            self.folder.begin()
            return self._play(task, engine, watch)

    def _play(self, task: FreezeOutTask, engine: Engine | None, watch: Watch) -> FreezeOutResult | None:
        played, missing = self._kept(watch)
        faults = (Faults(), Faults())
        interrupted = False
        watch.begin("playing", 2 * self.pairs, "games")
        watch.update(2 * len(played))
        try:
            for block in play_freeze_outs(task, missing, engine, watch.warn):
                played += block.pairs
                for known, found in zip(faults, block.faults, strict=True):
                    known.add(found)
                watch.update(2 * len(played))
                if watch.stopped:
                    interrupted = len(played) < self.pairs
                    break
        except KeyboardInterrupt:
            interrupted = True
        if not played:
            return None
        return self._result(sorted(played), faults, task.tables, interrupted=interrupted)

    def _kept(self, watch: Watch) -> tuple[list[PairResult], list[int]]:
        """Returns the results of the pairs in the folder, and the numbers of the others."""
        folder = self.folder
        if folder is None or not folder.resume:
            return [], list(range(self.pairs))
        pairs = watched(watch, range(self.pairs), self.pairs, "reading the logs", "pairs")
        found = [folder.read(pair, self.rules, self.names) for pair in pairs]
        missing = [pair for pair, result in enumerate(found) if result is None]
        return [result for result in found if result is not None], missing

    def _result(
        self, played: Sequence[PairResult], faults: Sequence[Faults], tables: JamTables | None, *, interrupted: bool
    ) -> FreezeOutResult:
        wins = _wins(played)
        chips = _chips(played)
        games, hands = 2 * len(played), sum(pair.hands for pair in played)
        exact = _exact(self.specs, self.rules, tables)
        rows = [
            (label, f"{one.mean:.4f}", _interval(one, 4), *([f"{exact[label]:.6f}"] if exact else []))
            for label, one in wins.items()
        ]
        columns = (f"{self.names[0]} wins", "share", "95 % interval", *(["exactly"] if exact else []))
        remarks = []
        for name, fault in zip(self.names, faults, strict=True):
            if fault.count:
                remarks.append(f"{name}: {fault.count:,} decisions failed or were illegal, and a call was played")
                remarks.append(f"{name}: {describe_failures(fault.failures)}")
        content: dict[str, Any] = {
            "games": games, "stacks": list(self.rules.stacks), "blinds": list(self.rules.blinds),
            "levels": self.rules.levels_text, "think_ms": self.think_ms,
            "wins": {label: {"share": e.mean, "ci95": [e.low, e.high]} for label, e in wins.items()},
            "exact": exact or None,
            "hands_per_game": hands / games,
            "mbb_per_hand": {label: {"mean": e.mean, "ci95": [e.low, e.high]} for label, e in chips.items()},
        }  # fmt: skip
        return FreezeOutResult(
            games,
            hands / games,
            Table("wins", "", columns, tuple(rows)),
            Table(
                "chips",
                "",
                (f"{self.names[0]} wins per hand", "mbb", "95 % interval"),
                tuple((label, f"{one.mean:.1f}", _interval(one, 1)) for label, one in chips.items()),
            ),
            tuple(remarks),
            json_document("freeze-out", game="hold'em", seed=self.seed, players=list(self.names), **content),
            interrupted,
        )


def ready_freeze_outs(
    first: str,
    second: str,
    rules: FreezeOutRules,
    *,
    games: int = 1000,
    seed: int = 1,
    think_ms: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
) -> ReadyFreezeOuts:
    """Checks that freeze-outs can be played, without changing anything.

    :param first: specification of a player that plays in process, with or without ``NAME=``.
    :param second: specification of the other player.
    :param games: number of games; an odd number is rounded up.
    :param seed: seed of cards and players.
    :param think_ms: most thinking time of our player per decision, in milliseconds.
    :param out: folder for a log of every game; None: no logs are written.
    :param resume: go on with the same freeze-outs in the folder.
    :param overwrite: replace freeze-outs in the folder.
    :raises InputError: if a player is a separate program or cannot play, or the folder holds anything else.
    :raises PackError: if a strategy pack is missing or damaged.
    :raises GameError: if jam or fold cannot be solved for the chips and blinds.
    """
    specs = parse_entrant(first), parse_entrant(second)
    names = unique_names(specs)
    verify_freeze_out_players(specs, rules)
    task = {
        "players": [spec.text for spec in specs],
        "names": names,
        "stacks": list(rules.stacks),
        "levels": rules.levels_text,
        "seed": seed,
        "think_ms": think_ms,
    }
    inputs = _inputs(specs)
    folder = None
    if out is not None:
        folder = FreezeOutFolder(Path(out), task, resume=resume, overwrite=overwrite, inputs=inputs)
    return ReadyFreezeOuts(specs, (names[0], names[1]), rules, (games + 1) // 2, seed, think_ms, folder)


def measure_freeze_outs(
    first: str,
    second: str,
    rules: FreezeOutRules,
    *,
    games: int = 1000,
    seed: int = 1,
    think_ms: int = 0,
    jobs: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    watch: Watch = SILENT,
) -> FreezeOutResult:
    """Plays freeze-outs in pairs with equal cards, and returns what the first player wins.

    The parameters are those of :func:`ready_freeze_outs` and :meth:`ReadyFreezeOuts.play`, and so are the errors.

    :param jobs: processes that play; the result does not depend on it.
    :raises StoppedError: if it was stopped before the first pair was played.
    """
    ready = ready_freeze_outs(
        first, second, rules, games=games, seed=seed, think_ms=think_ms, out=out, resume=resume, overwrite=overwrite
    )
    with open_engine(jobs, in_process=True) as engine:
        found = ready.play(engine=engine, watch=watch)
    if found is None:
        raise StoppedError
    return found


def _inputs(specs: Sequence[PlayerSpec]) -> list[Path]:
    return [Path(spec.argument) for spec in specs if spec.kind == "pack"]


def _wins(played: Sequence[PairResult]) -> dict[str, Estimate]:
    """Returns what the first player wins: on average over each pair, with and without the first button."""
    with_button = [pair.games.first.share for pair in played]
    without = [pair.games.second.share for pair in played]
    both = [(one + other) / 2 for one, other in zip(with_button, without, strict=True)]
    return {label: mean_estimate(shares) for label, shares in zip(_SEATS, (both, with_button, without), strict=True)}


def _chips(played: Sequence[PairResult]) -> dict[str, Estimate]:
    """Returns what the first player wins per hand in mbb: all chips of all hands by the number of hands."""
    hands = [pair.hands for pair in played]
    won = ([_MBB * pair.big_blinds for pair in played], [_MBB * pair.adjusted for pair in played])
    return {label: ratio_estimate(values, hands) for label, values in zip(_CHIPS, won, strict=True)}


def freeze_out_tables(specs: Sequence[PlayerSpec], rules: FreezeOutRules, watch: Watch) -> JamTables | None:
    """Returns the strategies of the tournament for ``jamfold``, and tells the watch if they have to be solved.

    :returns: None if ``jamfold`` does not play, or plays every hand for chips.
    :raises GameError: if they cannot be solved.
    """

    @cache
    def begun() -> Report:
        stacks = len(structure_of(rules.total, rules.blinds).stacks)
        return tell_rounds(watch, stacks, ("alternating", "bound"))

    def report(model: str, number: int, done: int, count: int) -> None:
        begun()(model, number, done, count)  # only now, because tables that are there need no work

    return tournament_tables(specs, rules, report)


def _exact(specs: Sequence[PlayerSpec], rules: FreezeOutRules, tables: JamTables | None) -> dict[str, float]:
    """Returns the exact chances of the first player; nothing if they are not known."""
    if tables is None:
        return {}
    swapped = specs[0].kind != JAM_FOLD
    hero, opponent = reversed(specs) if swapped else specs
    found = tables.exact_wins(opponent.kind, rules.stacks[1] if swapped else rules.stacks[0])
    if found is None or hero.kind != JAM_FOLD:
        return {}
    first, second = (1 - found[1], 1 - found[0]) if swapped else found
    return dict(zip(_SEATS, ((first + second) / 2, first, second), strict=True))


def _interval(estimate: Estimate, decimals: int) -> str:
    if estimate.has_interval:
        return f"{estimate.low:.{decimals}f} .. {estimate.high:.{decimals}f}"
    return "one value gives none" if estimate.n == 1 else "equal values give none"
