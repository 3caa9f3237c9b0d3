"""``hedgehog judge``: how much of a result was luck, and how much skill."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hedgehog.analysis.histories.hand_files import ACPC, HandFile
from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.log.aivat_scorers import AivatScorers, known_specs, names_in, record_files, verify_names
from hedgehog.cli.log.common import (
    add_hand,
    files_argument,
    first_option,
    game_option,
    given_game,
    open_input,
    report_left_out,
    source_option,
)
from hedgehog.cli.log.judge_outputs import HandRows, judge_document, write_plot
from hedgehog.cli.log.judge_view import hand_tables, session_tables
from hedgehog.cli.outputs import (
    claim_outputs,
    csv_option,
    json_option,
    output_option,
    overwrite_option,
    write_json,
    write_output,
)
from hedgehog.cli.progress import show_progress
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.runtime.errors import InputError, one_line

if TYPE_CHECKING:
    from hedgehog.analysis.judging.hands import SeatedHand
    from hedgehog.analysis.judging.judge import JudgedHands
    from hedgehog.analysis.judging.judgement import HandJudgement
    from hedgehog.analysis.judging.session import SessionReport
    from hedgehog.analysis.judging.sessions import Batch, Sessions

_PLOTS: Final = (".svg", ".png")


@click.command(short_help="Tell luck from skill in the hands of a log.")
@files_argument
@source_option
@game_option
@click.option(
    "--player",
    metavar="NAME",
    help="Judge this player.  [default: whom the file deals cards to, or the first name of the first hand]",
)
@click.option(
    "--hand", "numbers", type=click.IntRange(0), multiple=True, metavar="N", help="Show hand N. May be repeated."
)
@first_option
@click.option("--worst", type=click.IntRange(0, 1000), default=5, show_default=True, help="Costly streets to show.")
@click.option("--roe", is_flag=True, help="Also judge by roll-out equity: later streets are played by the baseline.")
@click.option(
    "--roe-preflop",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Random boards of the roll-out before the flop, with --roe.  [default: all-in equity takes its place]",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random boards.")
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="YAML",
    help="Policies of the baseline.  [default: the published ones]",
)
@click.option(
    "--strategy",
    "strategies",
    metavar="NAME=SPEC",
    multiple=True,
    shell_complete=complete_entrants,
    help="Strategy of a player, for AIVAT: default, pack:PATH or a bot (not random). May be given twice.",
)
@click.option(
    "--record",
    "records",
    metavar="NAME=FILE",
    multiple=True,
    help="Record of a player's decisions, for AIVAT; for one log. May be given twice.  "
    "[default: LOG.NAME.decisions beside each log]",
)
@json_option("the numbers")
@csv_option("a row per hand and street")
@output_option("--html", "html_file", "a page with curves and tables")
@click.option("--plot", "plot_file", type=click.Path(path_type=Path), help="Picture of the curves, .svg or .png.")
@overwrite_option
def judge(
    files: tuple[Path, ...],
    source: str,
    game: str | None,
    player: str | None,
    numbers: tuple[int, ...],
    first: int | None,
    worst: int,
    roe: bool,
    roe_preflop: int | None,
    seed: int,
    settings_file: Path | None,
    strategies: tuple[str, ...],
    records: tuple[str, ...],
    json_file: Path | None,
    csv_file: Path | None,
    html_file: Path | None,
    plot_file: Path | None,
    overwrite: bool,
) -> None:
    """Tell luck from skill in heads-up hold'em logs: per hand, per street and per session.

    \b
    LFAT    luck of the cards: pot times the change of all-in equity
    DIVAT   what the decisions gained against a realistic baseline (limit games)
    EVAT    what they gained against players who see all cards (limit games)
    AIVAT   the result with most of the luck gone, where a strategy is known

    All values are those of one player; those of the opponent are their negatives. In limit games result = luck +
    baseline + DIVAT in every hand, in small bets. The baseline is tuned for bets of fixed size, so logs of no-limit
    games get luck, pot equity and AIVAT, in big blinds.

    Hands with unknown hole cards are counted and left out, and so are hands that cannot be judged, which are named. A
    file named twice counts once. More than two players get a report per pair.
    """
    from hedgehog.analysis.judging.judge import Judge
    from hedgehog.analysis.judging.sessions import Sessions
    from hedgehog.analysis.judging.settings import PUBLISHED, read_divat_settings

    if roe_preflop is not None and not roe:
        raise click.UsageError("--roe-preflop needs --roe")
    if roe_preflop is None:
        refuse_options("goes with --roe-preflop", "seed")
    if numbers and json_file is None and html_file is None:
        refuse_options("is for a session: --hand shows single hands", "worst")
    read = [*files, *filter(None, [settings_file]), *record_files(records).values()]
    claim_outputs(json_file, csv_file, html_file, plot_file, inputs=read, overwrite=overwrite)
    if plot_file is not None and plot_file.suffix.lower() not in _PLOTS:
        raise InputError(f"expected a file name that ends in .svg or .png, got {plot_file.name!r}")
    settings = PUBLISHED if settings_file is None else read_divat_settings(settings_file)
    gamedef = given_game(game)
    reading = open_input(files, source, gamedef)
    opened = reading.files
    scorers = _aivat_scorers(opened, strategies, records)
    judge_hands = Judge(settings, roll_out=roe, preflop_boards=roe_preflop or 0, seed=seed)
    chosen = _Chosen(set(numbers))
    # Sessions and rows are of all hands; without them nothing but the hands asked for is judged.
    whole = not numbers or any(file is not None for file in (json_file, csv_file, html_file, plot_file))
    with HandRows(csv_file) as rows:

        def watch(batch: Batch, judged: JudgedHands) -> None:
            if not judged.limit:
                refuse_options("is for logs of limit games", "roe", "roe_preflop", "settings_file")
            rows.add(batch, judged)
            chosen.add(batch, judged)

        sessions = Sessions(
            judge_hands,
            player=player,
            only=None if whole else set(numbers),
            heroes=[name for file in opened for name in file.dealt_players],
            first=first,
            num_costly=worst,
            roll_out=roe,
            score=None if scorers is None else scorers.score,
            watch=watch,
        )
        with show_progress("judging" if whole else "reading", reading.num_hands, "hands") as progress:
            progress.update(0)
            for file in opened:
                if scorers is not None:
                    scorers.open(file)
                for entry in reading.read(file, hidden_cards=True):
                    add_hand(reading, file, entry, sessions.add)
                    progress.done += 1
        report_left_out(reading)
        reports = _reports(sessions, judged=whole)
    if missing := sorted(set(numbers) - {seated.hand.hand_id for seated, _, _ in chosen.hands}):
        raise InputError(f"no such hand: {', '.join(map(str, missing))}")
    console = output_console()
    shown = [hand_tables(*one) for one in chosen.hands] if numbers else map(session_tables, reports)
    for index, parts in enumerate(shown):
        if index:
            console.print()
        for part in parts:
            console.print(part)
    if scorers is not None and (note := scorers.missing_note()):
        click.echo(one_line(note), err=True)
    if json_file is not None:
        write_json(json_file, judge_document(opened, reports, chosen.hands, settings, reading.left_out))
    if html_file is not None:
        from hedgehog.analysis.judging.page import render_judge_page

        write_output(html_file, render_judge_page(reports, chosen.hands, [file.path.name for file in opened]))
    if plot_file is not None:
        write_plot(plot_file, reports)


def _reports(sessions: Sessions, *, judged: bool) -> list[SessionReport]:
    """Ends the judging and returns the reports of all pairs with a judged hand; the others are named on stderr.

    :param judged: False if single hands were judged, of which there are no reports.
    :raises InputError: if no hand was judged.
    """
    reports: list[SessionReport] = []
    unknown: list[InputError] = []
    finished = sessions.finish()
    if not judged:
        return []
    for session in finished:
        try:
            reports.append(session.report())
        except InputError as error:
            unknown.append(error)
    if not reports:
        raise unknown[0]
    for one in unknown:
        click.echo(f"left out: {one.message}", err=True)
    return reports


class _Chosen:
    """Keeps the hands that the option ``--hand`` names."""

    def __init__(self, numbers: set[int]) -> None:
        self._numbers = numbers
        self.hands: list[tuple[SeatedHand, HandJudgement, str]] = []

    def add(self, batch: Batch, judged: JudgedHands) -> None:
        from hedgehog.analysis.judging.judgement import hand_judgement

        for index, seated in enumerate(batch.hands):
            if seated.hand.hand_id in self._numbers:
                self.hands.append((seated, hand_judgement(judged, index, seated), batch.sources[index]))


def _aivat_scorers(files: Sequence[HandFile], strategies: Sequence[str], records: Sequence[str]) -> AivatScorers | None:
    """Returns what scores hands by AIVAT; None if no strategy is named and a log has no record beside it.

    :raises InputError: if a strategy or a record is named, but the logs are not of one ACPC game.
    """
    from hedgehog.analysis.aivat.recorded import records_of

    known, given = known_specs(strategies), record_files(records)
    asked_for = bool(known or given)
    games = {file.gamedef for file in files}
    if any(file.format != ACPC for file in files) or len(games) != 1:
        if asked_for:
            raise InputError("AIVAT is for ACPC logs of one game: leave out --strategy and --record")
        return None
    if not asked_for and not all(records_of([file.path], names_in([file])) for file in files):
        return None
    verify_names(known, files)
    gamedef = games.pop()
    assert gamedef is not None
    return AivatScorers(files, known, given, gamedef)
