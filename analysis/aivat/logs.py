"""AIVAT over whole logs: what their players won with most of the luck gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hedgehog.agent.specs import PlayerSpec, parse_player_spec
from hedgehog.analysis.aivat.scorers import AivatScorers, verify_names
from hedgehog.analysis.histories.hand_files import ACPC
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.stats.figures import LogFigures
from hedgehog.analysis.stats.log_stats import LogStatistics
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import InputError, one_line
from hedgehog.runtime.watch import SILENT, Watch


def log_aivat(
    paths: Iterable[str | Path],
    players: Mapping[str, PlayerSpec | str] | None = None,
    *,
    records: Mapping[str, Path] | None = None,
    gamedef: GameDef | None = None,
    pairs: bool = False,
    first: int | None = None,
    watch: Watch = SILENT,
) -> LogFigures:
    """Returns what the players of heads-up hold'em logs won, with the winnings by AIVAT as adjusted values.

    :param paths: ACPC logs, folders and zip archives.
    :param players: specifications of players who are asked for their strategies, by their names in the logs.
    :param records: records of players' decisions by name, for a single log; empty: those that lie beside the logs.
    :param gamedef: game of the hands; None takes the game that the logs name.
    :param pairs: count only complete duplicate groups, each as one observation.
    :param first: largest number of hands to count between the same players.
    :param watch: hears of the progress, of hands left out and of what the records lack.
    :raises LogError: if a file cannot be read, or no hand can be counted.
    :raises InputError: if the strategy of nobody is known, or a player did not play its strategy.
    """
    hands = HandInput(map(Path, paths), ACPC, gamedef)
    games = {file.gamedef for file in hands.files if file.gamedef is not None}
    if len(games) != 1:
        raise InputError("expected logs of one game")
    known = {name: parse_player_spec(one) if isinstance(one, str) else one for name, one in (players or {}).items()}
    verify_names(known, hands.files)
    scorers = AivatScorers(hands.files, known, records or {}, games.pop())
    statistics = LogStatistics(pairs=pairs, first=first, adjust=scorers.score)
    hands.visit(statistics.add, watch, begin=scorers.open)
    found = LogFigures(hands, statistics.results(), "AIVAT", scorers.names)
    if note := scorers.missing_note():
        watch.note(one_line(note))
    return found
