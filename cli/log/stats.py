"""``hedgehog log stats``: winnings of players, and frequencies of their actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgehog.analysis.histories.hand_files import HandFile
from hedgehog.analysis.histories.left_out import LeftOutHands
from hedgehog.cli.console import output_console
from hedgehog.cli.log.common import (
    add_hand,
    files_argument,
    first_option,
    game_option,
    given_game,
    open_input,
    pairs_option,
    report_left_out,
    source_option,
    with_progress,
)
from hedgehog.cli.log.tables import stats_tables
from hedgehog.cli.outputs import (
    claim_outputs,
    csv_option,
    json_option,
    overwrite_option,
    write_csv,
    write_json,
)
from hedgehog.poker.acpc.gamedef import shipped_name
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.analysis.stats.estimate import Estimate
    from hedgehog.analysis.stats.frequencies import Frequency
    from hedgehog.analysis.stats.log_stats import MatchStats


@click.command(short_help="Show what players won, and how often they do what.")
@files_argument
@source_option
@game_option
@click.option("--player", metavar="NAME", help="Show only this player.")
@pairs_option
@first_option
@click.option("--all-in-ev", is_flag=True, help="Also score all-ins by their expectation over the missing cards.")
@json_option("the numbers")
@csv_option("a row per player and position")
@overwrite_option
def stats(
    files: tuple[Path, ...],
    source: str,
    game: str | None,
    player: str | None,
    pairs: bool,
    first: int | None,
    all_in_ev: bool,
    json_file: Path | None,
    csv_file: Path | None,
    overwrite: bool,
) -> None:
    """Show what every player has won, with 95 % confidence intervals, and how often it does what.

    Winnings are in milli-big-blinds per hand (mbb/h). Logs of local best response are scored per agent and setting,
    and also by their imaginary-observation values. Hands that cannot be counted are left out and named with their
    number; a file named twice counts once. Duplicate groups (--pairs) are hands with the same cards, seed,
    number and players in all seatings, in whichever files they are.

    \b
    VPIP   put chips in before the flop (calls and raises; not a checked blind)
    PFR    raised before the flop
    3-bet  raised again after the first raise before the flop, if that was possible
    fold to 3-bet   folded when its own first raise was raised again
    c-bet flop      bet the flop, as last raiser before it, if nobody had bet
    AFq    bets and raises after the flop, out of all actions there but checks
    AF     bets and raises per call after the flop
    WTSD   came to a showdown, out of the hands in which it saw the flop
    W$SD   won chips at showdowns, split pots included
    """
    from hedgehog.analysis.stats.log_stats import LogStatistics
    from hedgehog.poker.evaluation.allin import expected_values

    claim_outputs(json_file, csv_file, inputs=files, overwrite=overwrite)
    gamedef = given_game(game)
    statistics = LogStatistics(pairs=pairs, first=first, adjust=expected_values if all_in_ev else None)
    reading = open_input(files, source, gamedef)
    for file in reading.files:
        for entry in with_progress(file, reading.read(file, hidden_cards=True)):
            add_hand(reading, file, entry, statistics.add)
    report_left_out(reading)
    matches = statistics.results()
    names = list(dict.fromkeys(one.name for match in matches for one in match.players))
    if player is not None and player not in names:
        raise InputError(f"expected one of the players {', '.join(sorted(names))}, got {player!r}")
    console = output_console()
    for table in stats_tables(matches, player, "all-in" if all_in_ev else "imaginary"):
        console.print(table)
    if player is not None:
        matches, names = _only(matches, player), [player]
    if json_file is not None:
        write_json(json_file, stats_document(reading.files, matches, names, reading.left_out))
    if csv_file is not None:
        write_csv(csv_file, _csv_rows(matches))


def _only(matches: Sequence[MatchStats], player: str) -> list[MatchStats]:
    """Returns the matches in which a player takes part, without the other players."""
    kept = [replace(match, players=tuple(one for one in match.players if one.name == player)) for match in matches]
    return [match for match in kept if match.players]


def stats_document(
    files: Sequence[HandFile], matches: Sequence[MatchStats], names: Sequence[str], left_out: LeftOutHands
) -> dict[str, Any]:
    """Returns the statistics as a JSON document. ``game`` and ``seed`` are null unless all files agree on them."""
    games = {None if file.gamedef is None else shipped_name(file.gamedef) for file in files}
    seeds = {file.seed for file in files}
    return json_document(
        "log-stats",
        game=games.pop() if len(games) == 1 else None,
        seed=seeds.pop() if len(seeds) == 1 else None,
        players=names,
        matches=[asdict(match) for match in matches],
        left_out=left_out.document(),
    )


def _csv_rows(matches: Sequence[MatchStats]) -> list[dict[str, object]]:
    """Returns one row per player, with an empty position, and one per position. Only players have frequencies."""

    from hedgehog.analysis.stats.frequencies import Frequencies

    frequency_names = [field.name for field in fields(Frequencies)]
    rows = []
    for match in matches:
        for player in match.players:
            head = {"match": match.label, "player": player.name}
            row: dict[str, object] = {**head, "position": "", "hands": player.hands}
            row |= _interval("", player.mbb_per_hand) | _interval("adjusted_", player.adjusted)
            row |= {"sd_big_blinds": player.sd_big_blinds, "showdown_share": player.showdown_share}
            for name in frequency_names:
                row |= _frequency(name, getattr(player.frequencies, name))
            rows.append(row)
            for one in player.positions:
                values = {**head, "position": one.position, "hands": one.hands} | _interval("", one.mbb_per_hand)
                rows.append(dict.fromkeys(row) | values)
    return rows


def _interval(prefix: str, estimate: Estimate | None) -> dict[str, object]:
    mean, low, high = (None,) * 3 if estimate is None else (estimate.mean, estimate.low, estimate.high)
    names = (f"{prefix}mbb_per_hand", f"{prefix}ci95_low", f"{prefix}ci95_high")
    return dict(zip(names, (mean, low, high), strict=True))


def _frequency(name: str, value: Frequency | float) -> dict[str, object]:
    if isinstance(value, float):
        return {name: value}
    return {name: value.share, f"{name}_opportunities": value.opportunities}
