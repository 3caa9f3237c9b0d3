"""The players whose strategies AIVAT knows: those named by ``NAME=SPEC``, and those with records beside a log."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path

from hedgehog.agent.decision_record import DecisionRecord
from hedgehog.agent.specs import PlayerSpec, parse_player_spec
from hedgehog.analysis.aivat.match import MatchAivat, strategies_of
from hedgehog.analysis.aivat.recorded import RecordedStrategy, records_of, verify_record_game
from hedgehog.analysis.histories.hand_files import ACPC, HandFile
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.runtime.errors import InputError


class AivatScorers(MatchAivat):
    """Scores the hands of several logs, each with the records that belong to it."""

    def __init__(
        self, files: Sequence[HandFile], asked: Mapping[str, PlayerSpec], records: Mapping[str, Path], gamedef: GameDef
    ) -> None:
        """Loads the players that are asked for their strategies.

        :param records: record of each player for the only log; empty: the records lie beside the logs.
        :raises InputError: if no strategy is known in a log, or a player is both asked and recorded.
        """
        verify_known(asked, records, files)
        super().__init__(strategies_of(asked, gamedef), gamedef)
        self._records = records

    def open(self, file: HandFile) -> None:
        """Opens the records that belong to a log, whose hands are scored next."""
        found = log_records(file, self.asked, self._records, self.gamedef)
        self.use_records({name: RecordedStrategy([record], self.gamedef) for name, record in found.items()})

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
) -> dict[str, DecisionRecord]:
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
    found = {name: DecisionRecord(path) for name, path in paths.items()}
    for record in found.values():
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
