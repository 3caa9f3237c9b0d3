"""The players whose strategies AIVAT knows: those named by ``NAME=SPEC``, and those with records beside a log."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path

from hedgehog.agent.decision_record import DecisionRecord
from hedgehog.agent.specs import PlayerSpec, parse_player_spec
from hedgehog.analysis.aivat.blocks import HandFaultError, HandToScore, ScoredHand, Scoring, score_hands
from hedgehog.analysis.aivat.match import verify_aivat_game, verify_can_report
from hedgehog.analysis.aivat.recorded import missing_text, records_of, verify_record_game
from hedgehog.analysis.histories.hand_files import ACPC, HandFile
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.watch import SILENT, Watch


class SpreadAivat:
    """Scores hands by AIVAT on any engine, whatever reads them.

    What reads the hands does so twice. The first time :meth:`score` collects them. Then :meth:`run` scores all of them,
    and the second time :meth:`score` returns their values, in the same order.
    """

    def __init__(self, asked: Mapping[str, PlayerSpec], gamedef: GameDef) -> None:
        """Loads no player.

        :param asked: players that are asked for their strategies, by their names in the logs.
        :param gamedef: the game of all hands.
        :raises InputError: if AIVAT does not support the game, or a player cannot report its strategy.
        """
        verify_aivat_game(gamedef)
        verify_can_report(asked.values(), gamedef)
        self.gamedef = gamedef
        self._scoring = Scoring(asked, gamedef)
        self._records: Mapping[str, tuple[DecisionRecord, ...]] = {}
        self._hands: list[HandToScore] = []
        self._values: dict[int, ScoredHand] | None = None
        self._fault: HandFaultError | None = None
        self._turn = 0
        self._missing: dict[str, tuple[int, int]] = {}

    @property
    def asked(self) -> Mapping[str, PlayerSpec]:
        """The players that are asked for their strategies, by name."""
        return self._scoring.asked

    def __len__(self) -> int:
        """Number of hands that were collected."""
        return len(self._hands)

    def use_records(self, records: Mapping[str, tuple[DecisionRecord, ...]]) -> None:
        """Goes over to the records of another match, whose hands are read next.

        :param records: what players have recorded in the match, by name. They go before a strategy that is asked for.
        """
        self._records = records
        for name in records:
            self._missing.setdefault(name, (0, 0))

    def knows(self, names: Iterable[str]) -> bool:
        """Tells whether the strategy of at least one of the players is known."""
        return any(name in self.asked or name in self._records for name in names)

    def score(self, hand: LoggedHand) -> tuple[float, ...]:
        """Returns the AIVAT value of a hand for every position, in chips; before :meth:`run` zeros.

        :raises InputError: if no player is known, or one did not play its strategy.
        """
        if self._values is None:
            self._hands.append(HandToScore(hand, self._records))
            return (0.0,) * self.gamedef.num_players
        return self.next_values()

    def next_values(self) -> tuple[float, ...]:
        """Returns the AIVAT values of the next collected hand for every position, in chips, once :meth:`run` is over.

        :raises InputError: if a player did not play its strategy in this hand.
        """
        assert self._values is not None
        number, self._turn = self._turn, self._turn + 1
        if self._fault is not None and number == self._fault.number:
            raise InputError(self._fault.message, source=self._fault.source)
        found = self._values[number]
        for name, count in found.missing.items():
            decisions, hands = self._missing[name]
            self._missing[name] = decisions + count, hands + 1
        return found.values

    def run(self, engine: Engine | None = None, watch: Watch = SILENT) -> None:
        """Scores the hands that were collected. No value depends on the engine or on the number of its workers.

        :param engine: scores the hands and stays open; None for this process.
        :param watch: hears of hands and of the workers.
        :raises InputError: if a record is damaged, or a player cannot be asked. The fault of a hand is raised when its
            turn comes.
        :raises PackError: if the packs of a player are missing or damaged.
        :raises ResourceError: if workers keep dying or cannot be reached.
        """
        self._values = {}
        end = len(self._hands)
        watch.begin("AIVAT", end, "hands", "starting")
        while end > len(self._values):  # the first fault counts, whatever comes first
            wanted = [number for number in range(end) if number not in self._values]
            try:
                for first, hands in score_hands(self._scoring, self._hands, wanted, engine, note=watch.warn):
                    self._values |= dict(enumerate(hands, first))
                    watch.update(len(self._values), "")
            except HandFaultError as error:
                self._fault, end = error, error.number
                self._values = {number: one for number, one in self._values.items() if number < end}
        self._hands = []

    def missing_note(self) -> str:
        """Returns one line that says what the records lacked for the hands so far; empty if nothing."""
        decisions = {name: decisions for name, (decisions, _) in self._missing.items()}
        return missing_text(decisions, {name: hands for name, (_, hands) in self._missing.items()})


class AivatScorers(SpreadAivat):
    """Scores the hands of several logs, each with the records that belong to it."""

    def __init__(
        self, files: Sequence[HandFile], asked: Mapping[str, PlayerSpec], records: Mapping[str, Path], gamedef: GameDef
    ) -> None:
        """Loads no player.

        :param records: record of each player for the only log; empty: the records lie beside the logs.
        :raises InputError: if no strategy is known in a log, or a player is both asked and recorded.
        """
        verify_known(asked, records, files)
        super().__init__(asked, gamedef)
        self._given = records

    def open(self, file: HandFile) -> None:
        """Opens the records that belong to a log, whose hands are scored next."""
        self.use_records(log_records(file, self.asked, self._given, self.gamedef))

    def score(self, hand: LoggedHand) -> tuple[float, ...]:
        """Returns the AIVAT value of a hand for every position, in chips.

        :raises LeftOutError: if the hand is of other players than those whose strategies are known.
        :raises InputError: if a player did not play its strategy.
        """
        if not self.knows(hand.names.split("|")):
            raise LeftOutError("players whose strategies are not known")
        return super().score(hand)


def aivat_scorers(
    files: Sequence[HandFile], asked: Mapping[str, PlayerSpec], records: Mapping[str, Path]
) -> AivatScorers | None:
    """Returns what scores hands by AIVAT; None if no strategy is named and a log has no record beside it.

    :param asked: players that are asked for their strategies, by their names in the logs.
    :param records: record of each player for the only log; empty: the records lie beside the logs.
    :raises InputError: if a strategy or a record is named, but the logs are not of one ACPC game.
    """
    named = bool(asked or records)
    games = {file.gamedef for file in files}
    gamedef = next(iter(games), None)
    if gamedef is None or len(games) != 1 or any(file.format != ACPC for file in files):
        if named:
            raise InputError("AIVAT is for ACPC logs of one game: leave out --strategy and --record")
        return None
    if not named and not all(records_of([file.path], names_in([file])) for file in files):
        return None
    verify_names(asked, files)
    return AivatScorers(files, asked, records, gamedef)


def verify_known(asked: Container[str], records: Mapping[str, Path], files: Sequence[HandFile]) -> None:
    """Checks which records of players are given together with logs and with players that are asked.

    :raises InputError: if they do not go together.
    """
    if records and len(files) > 1:
        raise InputError("--record is for one log: beside several logs, records are named LOG.NAME.decisions")
    if both := sorted(name for name in records if name in asked):
        raise InputError(f"player {both[0]!r}: expected a specification or a record, got both")
    verify_names(records, files)


def log_records(
    file: HandFile, asked: Collection[str], records: Mapping[str, Path], gamedef: GameDef
) -> dict[str, tuple[DecisionRecord, ...]]:
    """Returns the records of players' decisions that belong to a log, by name.

    :param asked: names of players that are asked for their strategies, whose records are not used.
    :param records: the records that are given; empty: those that lie beside the log.
    :raises InputError: if a record cannot be read, is damaged or of another game, or no strategy is known.
    """
    paths = dict(records)
    if not paths:
        beside = records_of([file.path], sorted(names_in([file]) - set(asked)))
        paths = {name: path for name, (path,) in beside.items()}
    if not paths and not asked:
        raise InputError(
            "no record of decisions lies beside this log: expected --player NAME=SPEC or --record NAME=FILE",
            source=str(file.path),
        )
    return _opened({name: [path] for name, path in paths.items()}, gamedef)


def match_records(
    logs: Iterable[Path], names: Iterable[str], gamedef: GameDef
) -> dict[str, tuple[DecisionRecord, ...]]:
    """Returns the records of players' decisions in all seatings of a match, by name; none for a player without any.

    :param logs: the logs of all seatings. The records lie beside them.
    :raises InputError: if a record cannot be read, is damaged or of another game.
    """
    names = list(names)
    found = records_of(logs, names)
    return _opened({name: found.get(name, []) for name in names}, gamedef)


def _opened(paths: Mapping[str, Iterable[Path]], gamedef: GameDef) -> dict[str, tuple[DecisionRecord, ...]]:
    found = {name: tuple(map(DecisionRecord, files)) for name, files in paths.items()}
    for records in found.values():
        for record in records:
            verify_record_game(record, gamedef)
    return found


def names_in(files: Iterable[HandFile]) -> set[str]:
    """Returns the names of all players in some logs."""
    found: set[str] = set()
    for file in files:
        for line in file.lines:
            fields = line.split(":", 5)
            if fields[0] == "STATE" and len(fields) == 6:
                found.update(fields[5].split("|"))
    return found


def verify_names(known: Iterable[str], files: Sequence[HandFile]) -> None:
    """Checks that the players whose strategies are given are in the logs.

    :raises InputError: if one is not in the logs; the message names the players who are.
    """
    found = names_in(files)
    for name in known:
        if found and name not in found:
            where = str(files[0].path) if len(files) == 1 else f"these {len(files)} logs"
            raise InputError(f"no player {name!r} in {where}: expected {', '.join(sorted(found))}")


def known_specs(texts: Sequence[str]) -> dict[str, PlayerSpec]:
    """Returns the player specification of each name, from ``NAME=SPEC`` texts.

    :raises InputError: if a text is malformed, or a name is given twice.
    """
    named = _named(texts, "SPEC for a player", "player {!r} is given twice")
    return {name: parse_player_spec(spec) for name, spec in named.items()}


def record_files(texts: Sequence[str]) -> dict[str, Path]:
    """Returns the record of each name, from ``NAME=FILE`` texts.

    :raises InputError: if a text is malformed, or a name is given twice.
    """
    named = _named(texts, "FILE for a record", "the record of {!r} is given twice")
    return {name: Path(file) for name, file in named.items()}


def _named(texts: Sequence[str], what: str, twice: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value:
            raise InputError(f"expected NAME={what}, got {text!r}")
        if name in values:
            raise InputError(twice.format(name))
        values[name] = value
    return values
