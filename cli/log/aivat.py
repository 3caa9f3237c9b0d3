"""``hedgehog log aivat``: winnings with most of the luck taken out."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
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
from cli.log.stats import stats_document
from cli.log.tables import format_estimate, stats_title
from cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from cli.tools.completion import complete_entrants
from runtime.errors import InputError, LogError

if TYPE_CHECKING:
    from analysis.stats.log_stats import MatchStats


@click.command(short_help="Score heads-up hold'em logs with most of the luck gone.")
@files_argument
@game_option
@click.option(
    "--player",
    "players",
    metavar="NAME=SPEC",
    multiple=True,
    required=True,
    shell_complete=complete_entrants,
    help="Who the player NAME of the log was: default, pack:PATH or a bot (not random). May be given twice.",
)
@pairs_option
@first_option
@json_option("the numbers")
@overwrite_option
def aivat(
    files: tuple[Path, ...],
    game: str | None,
    players: tuple[str, ...],
    pairs: bool,
    first: int | None,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Score heads-up hold'em logs by AIVAT: the mean stays the same, most of the luck goes.

    The strategy of at least one player must be known, and be the one it really played: bots, and our player with the
    same packs and --think-ms 0. (With time to think our player depends on the clock.) Every hand is replayed with it.
    """
    from analysis.aivat.match import MatchAivat, strategies_of
    from analysis.stats.log_stats import LogStatistics

    claim_outputs(json_file, inputs=files, overwrite=overwrite)
    gamedef = given_game(game)
    known = known_specs(players)
    opened = [open_hand_file(path, ACPC, gamedef) for path in files]
    games = {file.gamedef for file in opened if file.gamedef is not None}
    if len(games) != 1:
        raise InputError("expected logs of one game")
    _verify_names(known, opened)
    played = games.pop()
    scorer = MatchAivat(strategies_of(known, played), played)
    statistics = LogStatistics(pairs=pairs, first=first, adjust=scorer.score)
    for file in opened:
        for entry in with_progress(file, file.hands()):
            try:
                statistics.add(file, entry)
            except LogError:
                raise
            except InputError as error:
                raise LogError(error.message, source=str(file.path), line=entry.line) from error
    matches = statistics.results()
    console = output_console()
    for table in aivat_tables(matches, known):
        console.print(table)
    if json_file is not None:
        names = list(dict.fromkeys(one.name for match in matches for one in match.players))
        write_json(json_file, stats_document(opened, matches, names))


def _verify_names(known: Iterable[str], files: Sequence[HandFile]) -> None:
    """Checks that the players whose strategies are given are in the logs.

    :raises InputError: if one is not in the logs; the message names the players who are.
    """
    found: set[str] = set()
    for file in files:
        for line in file.lines:
            fields = line.split(":", 5)
            if fields[0] == "STATE" and len(fields) == 6:
                found.update(fields[5].split("|"))
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
        table.add_column("player")
        unit = "hand" if match.groups is None else "pair"
        for column in ("mbb/h ± 95 %", f"SD per {unit}", "AIVAT mbb/h ± 95 %", f"SD per {unit}", "reduction"):
            table.add_column(column, justify="right")
        for player in match.players:
            raw, adjusted = player.mbb_per_hand, player.adjusted
            assert adjusted is not None
            table.add_row(
                player.name,
                format_estimate(raw),
                f"{raw.sd:.0f}" if raw.n > 1 else "",
                format_estimate(adjusted),
                f"{adjusted.sd:.0f}" if raw.n > 1 else "",
                f"{1 - adjusted.sd / raw.sd:.1%}" if raw.sd > 0 and math.isfinite(raw.sd) else "",
            )
        yield table
