"""``hedgehog log aivat``: winnings with most of the luck taken out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from agent.specs import PlayerSpec, parse_player_spec
from analysis.histories.hand_files import ACPC, HandFile, open_hand_file
from cli.console import output_console
from cli.log.common import (
    files_argument,
    first_option,
    game_option,
    given_game,
    pairs_option,
    with_progress,
)
from cli.log.published_aivat import score_published
from cli.log.stats import stats_document
from cli.log.tables import add_adjusted_row, adjusted_columns, stats_title
from cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from cli.tools.completion import complete_entrants
from poker.acpc.gamedef import GameDef
from poker.acpc.handlog import LoggedHand
from runtime.errors import InputError, LogError

if TYPE_CHECKING:
    from analysis.aivat.match import MatchAivat
    from analysis.aivat.recorded import RecordedStrategy
    from analysis.stats.log_stats import MatchStats


@click.command(short_help="Score heads-up hold'em logs with most of the luck gone.")
@files_argument
@game_option
@click.option(
    "--player",
    "players",
    metavar="NAME=SPEC",
    multiple=True,
    shell_complete=complete_entrants,
    help="Ask this player for its strategy: default, pack:PATH or a bot (not random). NAME is its name in the log. May "
    "be given twice.",
)
@click.option(
    "--record",
    "records",
    metavar="NAME=FILE",
    multiple=True,
    help="Take the strategy of the player NAME from this record of its decisions; for one log. May be given twice.  "
    "[default: LOG.NAME.decisions beside each log]",
)
@pairs_option
@first_option
@json_option("the numbers")
@overwrite_option
def aivat(
    files: tuple[Path, ...],
    game: str | None,
    players: tuple[str, ...],
    records: tuple[str, ...],
    pairs: bool,
    first: int | None,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Score heads-up hold'em logs by AIVAT: the mean stays the same, most of the luck goes.

    The strategy of at least one player must be known, and be the one it really played. It comes from the record that
    our player has written (match --aivat, match --record, play --record), with any time to think. Without a record,
    --player names a bot, or our player with the same packs and --think-ms 0, which is then asked again.

    From a decision on that a record lacks, a hand counts with the cards that the player held. That is right on average.

    Tables of AIVAT values published for every hand (CSV files of the DeepStack study) are added up as they are.
    """
    from analysis.stats.log_stats import LogStatistics

    claim_outputs(json_file, inputs=[*files, *_record_files(records).values()], overwrite=overwrite)
    if _all_published(files):
        if players or records or pairs:
            raise click.UsageError("published tables hold AIVAT values: leave out --player, --record and --pairs")
        score_published(files, game, first, json_file)
        return
    gamedef = given_game(game)
    known = known_specs(players)
    opened = [open_hand_file(path, ACPC, gamedef) for path in files]
    games = {file.gamedef for file in opened if file.gamedef is not None}
    if len(games) != 1:
        raise InputError("expected logs of one game")
    _verify_names(known, opened)
    played = games.pop()
    scorers = _Scorers(opened, known, _record_files(records), played)
    statistics = LogStatistics(pairs=pairs, first=first, adjust=scorers.score)
    for file in opened:
        scorers.open(file)
        for entry in with_progress(file, file.hands()):
            try:
                statistics.add(file, entry)
            except LogError:
                raise
            except InputError as error:
                if error.source is not None:  # a record of decisions, not the log
                    raise
                raise LogError(error.message, source=str(file.path), line=entry.line) from error
    matches = statistics.results()
    console = output_console()
    for table in aivat_tables(matches, scorers.names):
        console.print(table)
    if note := scorers.missing_note():
        click.echo(note, err=True)
    if json_file is not None:
        names = list(dict.fromkeys(one.name for match in matches for one in match.players))
        write_json(json_file, stats_document(opened, matches, names))


def _all_published(files: Sequence[Path]) -> bool:
    """Tells whether the files are tables of published AIVAT values.

    :raises InputError: if only some are.
    """
    from analysis.aivat.published import is_published_table

    published = [is_published_table(path) for path in files]
    if any(published) and not all(published):
        other = files[published.index(False)]
        raise InputError("is no table of AIVAT values like the others: score it alone", source=str(other))
    return all(published)


def _record_files(texts: Sequence[str]) -> dict[str, Path]:
    """Returns the record of each name, from ``NAME=FILE`` texts.

    :raises InputError: if a text is malformed, or a name is given twice.
    """
    files: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not name or not equals or not file:
            raise InputError(f"expected NAME=FILE for a record, got {text!r}")
        if name in files:
            raise InputError(f"the record of {name!r} is given twice")
        files[name] = Path(file)
    return files


class _Scorers:
    """Scores the hands of several logs, each with the records that belong to it."""

    def __init__(
        self, files: Sequence[HandFile], asked: Mapping[str, PlayerSpec], records: Mapping[str, Path], gamedef: GameDef
    ) -> None:
        """Loads the players that are asked for their strategies.

        :param records: record of each player for the only log; empty: the records lie beside the logs.
        :raises InputError: if no strategy is known in a log, or a player is both asked and recorded.
        """
        from analysis.aivat.match import strategies_of

        if records and len(files) > 1:
            raise InputError("--record is for one log: beside several logs, records are named LOG.NAME.decisions")
        if both := sorted(set(records) & set(asked)):
            raise InputError(f"player {both[0]!r}: expected --player or --record, got both")
        _verify_names(records, files)
        self._asked = strategies_of(asked, gamedef)
        self._records = records
        self._gamedef = gamedef
        self._scorer: MatchAivat
        self._recorded: list[tuple[str, RecordedStrategy]] = []

    @property
    def names(self) -> list[str]:
        """Names of the players whose strategies are known."""
        return list(dict.fromkeys([*self._asked, *(name for name, _ in self._recorded)]))

    def open(self, file: HandFile) -> None:
        """Opens the records that belong to a log, whose hands are scored next."""
        from analysis.aivat.match import MatchAivat
        from analysis.aivat.recorded import RecordedStrategy, recorded_strategies, records_of

        recorded = {name: RecordedStrategy([path], self._gamedef) for name, path in self._records.items()}
        if not recorded:
            names = sorted(_names_in([file]) - set(self._asked))
            recorded = recorded_strategies([file.path], records_of([file.path], names), self._gamedef)
        if not recorded and not self._asked:
            raise InputError(
                "no record of decisions lies beside this log: expected --player NAME=SPEC or --record NAME=FILE",
                source=str(file.path),
            )
        self._recorded += recorded.items()
        self._scorer = MatchAivat(self._asked, self._gamedef, recorded=recorded)

    def score(self, hand: LoggedHand) -> tuple[float, float]:
        """Returns the AIVAT value of a hand for both positions, in chips."""
        return self._scorer.score(hand)

    def missing_note(self) -> str:
        """Returns one line that says what the records lacked; empty if nothing."""
        from analysis.aivat.recorded import missing_note

        return missing_note(self._recorded)


def _names_in(files: Iterable[HandFile]) -> set[str]:
    """Returns the names of all players in some logs."""
    found: set[str] = set()
    for file in files:
        for line in file.lines:
            fields = line.split(":", 5)
            if fields[0] == "STATE" and len(fields) == 6:
                found.update(fields[5].split("|"))
    return found


def _verify_names(known: Iterable[str], files: Sequence[HandFile]) -> None:
    """Checks that the players whose strategies are given are in the logs.

    :raises InputError: if one is not in the logs; the message names the players who are.
    """
    found = _names_in(files)
    for name in known:
        if found and name not in found:
            where = str(files[0].path) if len(files) == 1 else f"these {len(files)} logs"
            raise InputError(f"no player {name!r} in {where}: expected {', '.join(sorted(found))}")


def known_specs(texts: Sequence[str]) -> dict[str, PlayerSpec]:
    """Returns the player specification of each name, from ``NAME=SPEC`` texts.

    :raises InputError: if a text is malformed, or a name is given twice.
    """
    players: dict[str, PlayerSpec] = {}
    for text in texts:
        name, equals, spec = text.partition("=")
        if not name or not equals:
            raise InputError(f"expected NAME=SPEC for a player, got {text!r}")
        if name in players:
            raise InputError(f"player {name!r} is given twice")
        players[name] = parse_player_spec(spec)
    return players


def aivat_tables(matches: Sequence[MatchStats], known: Collection[str]) -> Iterator[Table]:
    """Yields one table per match: the real winnings and the winnings by AIVAT."""
    for match in matches:
        table = Table(title=f"{stats_title(match)}; strategy known: {', '.join(known)}", title_justify="left")
        adjusted_columns(table, "player", "hand" if match.groups is None else "pair")
        for player in match.players:
            assert player.adjusted is not None
            add_adjusted_row(table, player.name, player.mbb_per_hand, player.adjusted)
        yield table
