"""AIVAT over whole logs: what their players won with most of the luck gone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.decision_record import DecisionRecord
from hedgehog.agent.specs import PlayerSpec, parse_player_spec
from hedgehog.analysis.aivat.blocks import (
    HandFaultError,
    HandToScore,
    ScoredHand,
    Scoring,
    players_digests,
    score_hands,
)
from hedgehog.analysis.aivat.match import verify_aivat_game, verify_can_report
from hedgehog.analysis.aivat.recorded import missing_text
from hedgehog.analysis.aivat.results import AivatResults
from hedgehog.analysis.aivat.scorers import log_records, verify_known, verify_names
from hedgehog.analysis.histories.hand_files import ACPC, FileHand, HandFile, format_acpc_hand
from hedgehog.analysis.histories.hand_input import HandInput, located
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.parts import WHOLE, Part
from hedgehog.analysis.stats.figures import LogFigures
from hedgehog.analysis.stats.log_stats import LogStatistics
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.status import status_file
from hedgehog.runtime.errors import InputError, one_line
from hedgehog.runtime.watch import SILENT, Watch

_VERSION: Final = 1
"""Grows when the same hands would get other values. It is part of the digest of the hands."""


class AivatLogs:
    """The hands of heads-up hold'em logs that AIVAT can score, and their values as far as they are known."""

    def __init__(
        self,
        paths: Iterable[str | Path],
        players: Mapping[str, PlayerSpec | str] | None = None,
        *,
        records: Mapping[str, Path] | None = None,
        gamedef: GameDef | None = None,
        first: int | None = None,
    ) -> None:
        """Reads the logs and the records; no player is loaded.

        :param paths: ACPC logs, folders and zip archives.
        :param players: specifications of players who are asked for their strategies, by their names in the logs.
        :param records: records of players' decisions by name, for a single log; empty: those that lie beside the logs.
        :param gamedef: game of the hands; None takes the game that the logs name.
        :param first: largest number of hands to score and count between the same players.
        :raises LogError: if a file cannot be read, or no hand can be counted.
        :raises InputError: if the strategy of nobody is known.
        """
        self._first = first
        self._input = HandInput(map(Path, paths), ACPC, gamedef)
        games = {file.gamedef for file in self._input.files if file.gamedef is not None}
        if len(games) != 1:
            raise InputError("expected logs of one game")
        known = {name: parse_player_spec(one) if isinstance(one, str) else one for name, one in (players or {}).items()}
        self.scoring = Scoring(known, games.pop())
        """The players that are asked, and the game."""
        verify_aivat_game(self.scoring.gamedef)
        verify_names(known, self._input.files)
        verify_known(known, records or {}, self._input.files)
        verify_can_report(known.values(), self.scoring.gamedef)
        self._hands: list[HandToScore] = []
        self._where: list[tuple[HandFile, FileHand]] = []
        self._recorded: dict[str, None] = {}
        self._values: dict[int, ScoredHand] = {}
        self._find_hands(records or {})

    def _find_hands(self, records: Mapping[str, Path]) -> None:
        """Finds the hands to score: those that the statistics would have a value of."""
        of_file: dict[str, tuple[DecisionRecord, ...]] = {}

        def open_file(file: HandFile) -> None:
            nonlocal of_file
            of_file = log_records(file, self.scoring.asked, records, self.scoring.gamedef)
            self._recorded |= dict.fromkeys(of_file)

        def find(file: HandFile, entry: FileHand, hand: LoggedHand) -> tuple[float, ...]:
            if not any(name in self.scoring.asked or name in of_file for name in hand.names.split("|")):
                raise LeftOutError("players whose strategies are not known")
            self._hands.append(HandToScore(hand, of_file))
            self._where.append((file, entry))
            return (0.0,) * self.scoring.gamedef.num_players

        self._visit(self._input.afresh(), find, open_file, SILENT)

    def _visit(
        self,
        found: HandInput,
        value: Callable[[HandFile, FileHand, LoggedHand], tuple[float, ...]],
        begin: Callable[[HandFile], None],
        watch: Watch,
        *,
        pairs: bool = False,
    ) -> LogStatistics:
        """Adds all hands to statistics whose adjusted values a function gives."""
        at: list[tuple[HandFile, FileHand]] = []
        statistics = LogStatistics(pairs=pairs, first=self._first, adjust=lambda hand: value(*at[-1], hand))

        def add(file: HandFile, entry: FileHand) -> None:
            at[:] = [(file, entry)]
            statistics.add(file, entry)

        found.visit(add, watch, begin=begin)
        return statistics

    def __len__(self) -> int:
        """Number of hands to score."""
        return len(self._hands)

    @property
    def head(self) -> dict[str, Any]:
        """What is measured, for a file of results: the same on every machine that has the same logs and players."""
        hands, records = hashlib.sha256(f"{_VERSION} {self.scoring.gamedef}".encode()), hashlib.sha256()
        for one in self._hands:
            hands.update(f"{format_acpc_hand(one.hand)}\n".encode(errors="surrogateescape"))
            for name, found in sorted(one.records.items()):
                parts = b"".join(record.part([one.hand.hand_id]) for record in found)
                records.update(name.encode(errors="surrogateescape") + parts)
        return {
            "aivat_of": len(self),
            "hands": hands.hexdigest(),
            "players": {name: spec.text for name, spec in sorted(self.scoring.asked.items())},
            "packs": players_digests(self.scoring),
            "records": records.hexdigest(),
        }

    def score(
        self,
        engine: Engine | None = None,
        *,
        part: Part = WHOLE,
        kept: AivatResults | None = None,
        watch: Watch = SILENT,
    ) -> int:
        """Scores the hands that have no value yet, and returns the number of hands that are left.

        :param engine: scores the hands (:func:`hedgehog.runtime.engines.opening.open_engine`); None for this process.
        :param part: the part of the hands that is scored here.
        :param kept: file with values, to which new ones are added; its hands are not scored again. In the end it holds
            what it would hold if they had been scored one after the other.
        :param watch: hears of hands.
        :raises LogError: if a player did not play the strategy given for it, with the log and line of the hand.
        """
        if kept is not None:
            if any(len(one.values) != self.scoring.gamedef.num_players for one in kept.hands.values()):
                raise InputError("the values are of another number of players", source=str(kept.path))
            self._values |= kept.hands
        wanted = [number for number in part.of(len(self)) if number not in self._values]
        done = len(part.of(len(self))) - len(wanted)
        watch.begin("AIVAT", done + len(wanted), "hands", "starting")
        if done:
            watch.update(done)
        status = None if kept is None else status_file(kept.path)
        try:
            for first, hands in score_hands(self.scoring, self._hands, wanted, engine, note=watch.warn, status=status):
                if kept is not None and hands:
                    kept.add(first, hands)
                self._values |= dict(enumerate(hands, first))
                done += len(hands)
                watch.update(done, "")
        except HandFaultError as error:
            if error.source is not None:  # a record, not the log
                raise
            raise located(error, *self._where[error.number]) from error
        finally:
            if kept is not None:
                kept.settle()
        return len(self) - len(self._values)

    def figures(self, *, pairs: bool = False, watch: Watch = SILENT) -> LogFigures:
        """Returns what the players won, with the winnings by AIVAT as adjusted values; all hands have been scored.

        :param pairs: count only complete duplicate groups, each as one observation.
        :param watch: hears of hands left out and of what the records lack.
        :raises LogError: if no hand can be counted.
        """
        numbers = {(file.path, entry.line): number for number, (file, entry) in enumerate(self._where)}

        def value(file: HandFile, entry: FileHand, _: LoggedHand) -> tuple[float, ...]:
            number = numbers.get((file.path, entry.line))
            if number is None:
                raise LeftOutError("players whose strategies are not known")
            return self._values[number].values

        found = self._input.afresh()
        statistics = self._visit(found, value, lambda _: None, watch, pairs=pairs)
        if note := self._missing_text():
            watch.note(one_line(note))
        return LogFigures(found, statistics.results(), "AIVAT", [*self.scoring.asked, *self._recorded])

    def _missing_text(self) -> str:
        decisions: Counter[str] = Counter()
        hands: Counter[str] = Counter()
        for number in sorted(self._values):
            for name, count in self._values[number].missing.items():
                decisions[name] += count
                hands[name] += 1
        return missing_text(decisions, hands)


def log_aivat(
    paths: Iterable[str | Path],
    players: Mapping[str, PlayerSpec | str] | None = None,
    *,
    records: Mapping[str, Path] | None = None,
    gamedef: GameDef | None = None,
    pairs: bool = False,
    first: int | None = None,
    engine: Engine | None = None,
    watch: Watch = SILENT,
) -> LogFigures:
    """Returns what the players of logs won, with the winnings by AIVAT as adjusted values.

    The logs are of heads-up hold'em with equal stacks, or of limit hold'em for three players.

    :param paths: ACPC logs, folders and zip archives.
    :param players: specifications of players who are asked for their strategies, by their names in the logs.
    :param records: records of players' decisions by name, for a single log; empty: those that lie beside the logs.
    :param gamedef: game of the hands; None takes the game that the logs name.
    :param pairs: count only complete duplicate groups, each as one observation.
    :param first: largest number of hands to score and count between the same players.
    :param engine: scores the hands (:func:`hedgehog.runtime.engines.opening.open_engine`); None for this process.
    :param watch: hears of the progress, of hands left out and of what the records lack.
    :raises LogError: if a file cannot be read, or no hand can be counted.
    :raises InputError: if the strategy of nobody is known, or a player did not play its strategy.
    """
    logs = AivatLogs(paths, players, records=records, gamedef=gamedef, first=first)
    logs.score(engine, watch=watch)
    return logs.figures(pairs=pairs, watch=watch)
