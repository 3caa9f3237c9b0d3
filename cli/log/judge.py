"""``hedgehog judge``: how much of a result was luck, and how much skill."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hedgehog.cli.dask_option import engine_options
from hedgehog.cli.given import refuse_options
from hedgehog.cli.listing import ListingCommand
from hedgehog.cli.log.common import files_argument, first_option, game_option, given_format, given_game, source_option
from hedgehog.cli.outputs import Outputs, open_output, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.analysis.judging.judge import JudgedHands
    from hedgehog.analysis.judging.sessions import SessionBatch

_PLOTS: Final = (".svg", ".png")
_THREE: Final = 3


def _list_judges() -> list[str]:
    from hedgehog.analysis.judging.judges import JUDGES

    names = JUDGES.foreign_names()
    lines = [f"{name}: {JUDGES.describe(name, lambda judge: judge.title)}" for name in names]
    return ["Judges of other packages, for --judge:", *lines] if lines else []


@click.command(cls=ListingCommand, listing=_list_judges, short_help="Tell luck from skill in the hands of a log.")
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
@click.option(
    "--worst", type=click.IntRange(0, 1000), default=5, show_default=True, help="Costly streets of limit games to show."
)
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
    "--judge",
    "judges",
    metavar="NAME",
    multiple=True,
    help="Also judge by a judge of another package. May be repeated.",
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
@engine_options
@output_options(
    json="the numbers",
    csv="a row per hand and street",
    decisions_csv="a row per decision of limit games, with its DIVAT",
    html="a page with curves and tables",
    plot=click.option(
        "--plot", "plot_file", type=click.Path(path_type=Path), help="Picture of the curves, .svg or .png."
    ),
)
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
    judges: tuple[str, ...],
    strategies: tuple[str, ...],
    records: tuple[str, ...],
    jobs: int,
    dask: str | None,
    outputs: Outputs,
) -> None:
    """Tell luck from skill in hold'em logs: per hand, per street and per session.

    \b
    LFAT    luck of the cards: pot times the change of all-in equity
    DIVAT   what the decisions gained against a realistic baseline (limit games)
    EVAT    what they gained against players who see all cards (limit games)
    AIVAT   the result with most of the luck gone, where a strategy is known

    All values are those of one player; those of the opponent are their negatives. In limit games result = luck +
    baseline + DIVAT in every hand, in small bets. The baseline is tuned for bets of fixed size, so logs of no-limit
    games get luck, pot equity and AIVAT, in big blinds.

    Logs of limit hold'em for three have a report on every player: result = luck + baseline + own decisions + decisions
    of the others. --roe, --judge, --html, --plot, --jobs and --dask are for two players.

    Hands with unknown hole cards are counted and left out, and so are hands that cannot be judged, which are named. A
    file named twice counts once. More than two names get a report per pair, or per three.

    With --jobs or --dask the AIVAT values are computed in several processes or on a cluster, with the same results.
    """
    from hedgehog.analysis.aivat.scorers import known_specs, record_files
    from hedgehog.analysis.histories.hand_input import HandInput
    from hedgehog.analysis.judging.decisions import decision_csv
    from hedgehog.analysis.judging.logs import judge_logs
    from hedgehog.analysis.judging.records import judge_csv
    from hedgehog.analysis.judging.sessions import JudgeOptions
    from hedgehog.analysis.judging.settings import PUBLISHED, read_divat_settings
    from hedgehog.cli.log.judge_view import hand_report, print_reports, session_report
    from hedgehog.runtime.engines.opening import open_engine

    if roe_preflop is not None and not roe:
        raise click.UsageError("--roe-preflop needs --roe")
    if roe_preflop is None:
        refuse_options("goes with --roe-preflop", "seed")
    if numbers and not {"json", "html"} & outputs.files.keys():
        refuse_options("is for a session: --hand shows single hands", "worst", "judges")
    of_names = record_files(records)
    outputs.claim(*files, settings_file, *of_names.values())
    plot_file = outputs.files.get("plot")
    if plot_file is not None and plot_file.suffix.lower() not in _PLOTS:
        raise InputError(f"expected a file name that ends in .svg or .png, got {plot_file.name!r}")
    policies = PUBLISHED if settings_file is None else read_divat_settings(settings_file)
    read = HandInput(files, given_format(source), given_game(game))
    if all(file.gamedef is not None and file.gamedef.num_players == _THREE for file in read.files):
        from hedgehog.analysis.three_players.judged_logs import TableOptions
        from hedgehog.cli.log.judge_tables import judge_three, refuse_two_player_options

        refuse_two_player_options(outputs)
        three = TableOptions(player, numbers, not numbers or bool(outputs.files), first, worst, policies)
        judge_three(read, three, outputs, known_specs(strategies), of_names)
        return
    with ExitStack() as stack:
        rows, decisions = (
            stack.enter_context(open_output(outputs.files[name])) if name in outputs.files else None
            for name in ("csv", "decisions_csv")
        )
        if rows is not None:
            rows.write(judge_csv().encode())
        if decisions is not None:
            decisions.write(decision_csv().encode())

        def on_batch(batch: SessionBatch, judged: JudgedHands) -> None:
            if not judged.limit:
                refuse_options("is for logs of limit games", "roe", "roe_preflop", "settings_file", "worst")
                if decisions is not None:
                    raise click.UsageError("--decisions-csv is for logs of limit games")
            if rows is not None:
                rows.write(judge_csv(batch, judged).encode(errors="backslashreplace"))
            if decisions is not None:
                decisions.write(decision_csv(batch, judged, policies).encode(errors="backslashreplace"))

        options = JudgeOptions(
            player=player,
            numbers=numbers,
            sessions=not numbers or bool(outputs.files),
            first=first,
            num_costly=worst,
            roll_out=roe,
            preflop_boards=roe_preflop or 0,
            seed=seed,
            settings=policies,
            judges=judges,
            engine=None if jobs == 1 and dask is None else partial(open_engine, jobs, dask),
        )
        found = judge_logs(
            read,
            options,
            strategies=known_specs(strategies),
            records=of_names,
            on_batch=on_batch,
            watch=stack.enter_context(terminal_watch()),
        )
    print_reports([hand_report(*one) for one in found.hands] if numbers else map(session_report, found.reports))
    outputs.write_json(found.document)
    outputs.write("html", found.page)
    if plot_file is not None:
        from hedgehog.analysis.judging.plots import draw_sessions

        svg, png = draw_sessions(found.reports)
        outputs.write("plot", png if plot_file.suffix.lower() == ".png" else svg)
