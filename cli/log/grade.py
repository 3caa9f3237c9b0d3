"""``hedgehog grade``: what every decision of a player cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich import box
from rich.table import Table as RichTable

from hedgehog.analysis.parts import parse_part
from hedgehog.cli.console import output_console
from hedgehog.cli.dask_option import engine_options, part_option
from hedgehog.cli.given import refuse_options
from hedgehog.cli.log.common import files_argument, game_option, given_format, given_game, source_option
from hedgehog.cli.merging import merge_option, refuse_unmerged
from hedgehog.cli.outputs import Outputs, hold_folder, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.poker.streets import FLOP, PREFLOP, RIVER, STREETS, TURN
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import verify_output_folder

if TYPE_CHECKING:
    from hedgehog.analysis.grading.graded import GradedHands
    from hedgehog.analysis.grading.hand import HandToGrade
    from hedgehog.runtime.table import Table

_MOST_RAKE_PCT: Final = 50
_GRADED: Final = (PREFLOP, FLOP, TURN, RIVER)
_OUTPUTS: Final = output_options(
    json="the numbers",
    csv="a row per decision",
    parquet="a row per decision as Parquet",
    html="a page with tables and pictures",
)
_STYLE: Final[dict[str, Any]] = {"box": box.SIMPLE_HEAD, "padding": (0, 1, 0, 0), "pad_edge": False}


_spot_option: Final = click.option(
    "--spot",
    default="",
    metavar="WORDS",
    help="Only decisions of the kinds that hold all these words: 'river BB 3-bet'.",
)
_since_option: Final = click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Only hands of this day (2024-05-06) or later; those that tell no day are left out.",
)
_worst_option: Final = click.option(
    "--worst", type=click.IntRange(0, 1000), default=10, show_default=True, help="Costly decisions to show."
)
_min_decisions_option: Final = click.option(
    "--min-decisions",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="Least decisions of a leak.",
)


def _parse_rake(text: str) -> tuple[float, float]:
    """Returns the share of the pot and the most big blinds of a rake such as ``5`` or ``5,3``."""
    try:
        pct, cap = (*map(float, text.split(",")), math.inf)[:2]
    except ValueError:
        pct, cap = math.nan, math.nan
    if text.count(",") > 1 or not (0 < pct <= _MOST_RAKE_PCT and cap > 0):
        expected = f"expected up to {_MOST_RAKE_PCT} percent of the pot and a cap in big blinds, such as 5,3"
        raise InputError(f"{expected}; got {text!r}", source="--rake")
    return pct / 100, cap


class GradeCommand(click.Command):
    """``hedgehog grade FILES`` and, as if it were a subcommand, ``hedgehog grade show STORE``."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Returns the context of the command that the arguments are for."""
        if args[:1] == ["show"]:
            return show.make_context(f"{info_name} show", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(short_help="Tell what every decision of a player cost.", cls=GradeCommand)
@files_argument
@source_option
@game_option
@click.option(
    "--player",
    "players",
    multiple=True,
    metavar="NAME",
    help="Grade this player; twice for both.  [required but for --merge]",
)
@click.option(
    "--depth",
    type=click.Choice(["quick", "normal", "full"]),
    default="normal",
    show_default=True,
    help="quick: fewer bet sizes on turn and river; full: the flop, too, which takes minutes and gigabytes a hand.",
)
@click.option(
    "--packs", type=click.Path(path_type=Path), metavar="DIR", help="Packs of our player.  [default: the shipped ones]"
)
@click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Grade against our player as it plays with this thinking time: its solves at the table are made again.",
)
@click.option(
    "--rake",
    metavar="PCT[,CAP]",
    callback=lambda _context, _option, text: None if text is None else _parse_rake(text),
    help="The house takes PCT % of every pot with a flop, at most CAP big blinds.  [default: none]",
)
@click.option(
    "--street",
    "streets",
    type=click.Choice([STREETS[street] for street in _GRADED]),
    multiple=True,
    help="Grade this street alone.",
)
@_spot_option
@_since_option
@click.option("--hand", "numbers", type=click.IntRange(0), multiple=True, metavar="N", help="Grade and show hand N.")
@click.option("--first", type=click.IntRange(1), metavar="N", help="First N hands of the player only.")
@click.option(
    "--borrow-ranges",
    is_flag=True,
    help="Grade turn and river of hands whose stacks no packs have with the ranges of the nearest packs; they are not "
    "in the totals.",
)
@click.option(
    "--worst-flops",
    type=click.IntRange(1),
    metavar="N",
    help="Solve the flops of the N hands with the largest pots at the end of the flop, in minutes each.",
)
@click.option(
    "--hand-s",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Grade no street of a hand whose solves take more than S seconds, later streets first.",
)
@_worst_option
@_min_decisions_option
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep finished parts in DIR: the same command goes on where it stopped.",
)
@engine_options
@part_option
@merge_option("Join the stores FILES of several machines into --store.")
@click.option("--estimate", is_flag=True, help="Only say how long it takes.")
@_OUTPUTS
def grade(
    files: tuple[Path, ...],
    source: str,
    game: str | None,
    players: tuple[str, ...],
    depth: str,
    packs: Path | None,
    think_ms: int,
    rake: tuple[float, float] | None,
    streets: tuple[str, ...],
    spot: str,
    since: datetime | None,
    numbers: tuple[int, ...],
    first: int | None,
    borrow_ranges: bool,
    worst_flops: int | None,
    hand_s: float | None,
    worst: int,
    min_decisions: int,
    store: Path | None,
    jobs: int,
    dask: str | None,
    part: str | None,
    merge: bool,
    estimate: bool,
    outputs: Outputs,
) -> None:
    """Tell what every decision of a player cost in big blinds, against our player in the other seat.

    Before the flop a table has the values of all actions. The turn and the river are solved for the real hand, with the
    real bets, from the ranges that our player has. The loss of a decision is what the best action wins more than the
    one taken, if the hand then plays best against our player. How often we take an action does not count. Decisions to
    which our player hardly ever comes are not graded, and neither are flops without --depth full or --worst-flops; all
    are counted with their reason.

    In every hand, result = value + not graded + luck of cards + luck of the opponent + seam - losses.

    Hands of other games than heads-up no-limit hold'em are left out and named with their number. Amounts are in big
    blinds; bets and raises are totals on their street. --packs and --think-ms choose another of our players.

    With --player twice both players are graded, one after the other, each against our player. --store then has a folder
    for each, and --json a list.

    hedgehog grade show STORE shows again what a store holds.

    Machines that know nothing of each other grade --part 1/2 and --part 2/2 of the same files, each into a --store of
    its own; --merge A B --store C makes of these the store that one machine would have written, and grade show C shows
    it.
    """
    if merge:
        _merge(files, store, outputs)
        return
    if not players:
        raise click.MissingParameter(param_type="option", param_hint="'--player'")
    from hedgehog.analysis.grading.estimate import estimate_table
    from hedgehog.analysis.grading.grade import grade_files, read_hands
    from hedgehog.analysis.grading.options import NO_RAKE, GradeOptions
    from hedgehog.analysis.grading.parts import KIND, open_our_player
    from hedgehog.solver.cfr.programs import Rake

    if part is not None and store is None and not estimate:
        raise click.UsageError("--part: needs --store DIR for the grades of this part")
    outputs.claim(*files, packs)
    if STREETS[FLOP] in streets and depth != "full" and worst_flops is None:
        raise click.UsageError("--street flop needs --depth full or --worst-flops")
    if worst_flops is not None and (depth == "full" or (streets and STREETS[FLOP] not in streets)):
        why = "--depth full, which solves all flops" if depth == "full" else "--street without flop"
        raise click.UsageError(f"--worst-flops does not go with {why}")
    if (hand_s is not None or borrow_ranges) and set(streets) == {STREETS[PREFLOP]}:
        option = "--borrow-ranges" if borrow_ranges else "--hand-s"
        raise click.UsageError(f"{option} does nothing with --street preflop, of which nothing is solved")
    if len(set(players)) < len(players):
        raise click.UsageError("--player names a player twice")
    if len(players) > 1 and "html" in outputs.files:
        raise click.UsageError("--html shows one player: give --player once")
    several = [
        GradeOptions(
            player=player,
            depth=depth,
            packs=packs,
            think_ms=think_ms,
            rake=NO_RAKE if rake is None else Rake(*rake),
            first=first,
            numbers=numbers,
            streets=tuple(s for s in _GRADED if not streets or STREETS[s] in streets),
            since=None if since is None else since.date(),
            spot=" ".join(spot.split()),
            borrow_ranges=borrow_ranges,
            worst_flops=worst_flops,
            hand_s=hand_s,
            part=None if part is None else parse_part(part),
            jobs=jobs,
            dask=dask,
            store=store if store is None or len(players) == 1 else store / _folder_name(player),
            overwrite=outputs.overwrite,
        )
        for player in players
    ]
    file_format, gamedef = given_format(source), given_game(game)
    if estimate:
        refuse_options(
            "goes with grading, not with --estimate",
            *("depth", "rake", "store", "worst", "min_decisions", "streets", "dask", "part"),
            *("worst_flops", "hand_s"),
        )
        if outputs.files:
            raise InputError("--estimate writes no files")
        hands: list[HandToGrade] = []
        with terminal_watch() as watch:
            for options in several:
                ours = open_our_player(packs, think_ms)
                hands += read_hands(files, options, ours, file_format=file_format, gamedef=gamedef, watch=watch)[0]
        output_console().print(estimate_table(hands, packs, jobs, think_ms, several[0].spot).rich(**_STYLE))
        return
    if numbers and not outputs.files:
        refuse_options("is for all hands: --hand shows single ones", "worst", "min_decisions")
    for options in several:
        if options.store is not None:
            verify_output_folder(options.store, KIND, proceed=True, inputs=files)
            hold_folder(options.store)
    found = []
    for options in several:
        with terminal_watch() as watch:
            found.append(grade_files(files, options, file_format=file_format, gamedef=gamedef, watch=watch))
        _show(found[-1], worst, min_decisions)
    _write(found, outputs, worst, min_decisions, numbers)


def _merge(sources: Sequence[Path], store: Path | None, outputs: Outputs) -> None:
    """Joins stores of parts into one, or into one for each player, and says how many hands it has."""
    from hedgehog.analysis.grading.merging import MergedStore, stores_in
    from hedgehog.analysis.grading.parts import KIND

    refuse_unmerged("store")
    if store is None:
        raise click.UsageError("--merge: needs --store DIR for what the stores hold together")
    names = stores_in(sources[0])
    for name in names:
        verify_output_folder(store / name, KIND, proceed=True, inputs=sources)
    for source in sources:
        if stores_in(source) != names:
            raise InputError(f"has stores of other players than {sources[0]}", source=str(source))
    merged = {store / name: MergedStore.of([source / name for source in sources]) for name in names}
    for folder, found in merged.items():
        hold_folder(folder)
        found.write(folder, overwrite=outputs.overwrite)
        click.echo(f"{found.settings.player}: {len(found.hands):,} hands are graded")


def _folder_name(player: str) -> str:
    """Returns the name of a player's folder in a store of several.

    :raises InputError: if it cannot be one.
    """
    if player in ("", ".", "..") or "/" in player or "\\" in player:
        raise InputError(f"--store with several players has a folder for each: {player!r} cannot name one")
    return player


@click.command(short_help="Show what a store of graded hands holds.")
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "--by",
    "fields",
    metavar="FIELDS",
    default="",
    help="Add the losses up by some of street, position, pot_type, role, facing, action, hand_kind, opponent, verdict, "
    "source, betting, texture, spr, month, with commas.",
)
@_spot_option
@_since_option
@_worst_option
@_min_decisions_option
@_OUTPUTS
def show(
    store: Path, fields: str, spot: str, since: datetime | None, worst: int, min_decisions: int, outputs: Outputs
) -> None:
    """Show what a store of hedgehog grade holds: totals, costliest decisions and leaks; with --by other sums.

    Nothing is graded. A store that is not finished shows the hands that are.
    """
    from hedgehog.analysis.grading.graded import GROUPS
    from hedgehog.analysis.grading.parts import read_store

    outputs.claim(store)
    names = [name.strip() for name in fields.split(",")] if fields else []
    for name in names:
        if name not in GROUPS:
            raise InputError(f"expected some of {', '.join(GROUPS)}, got {name!r}", source="--by")
    if names:
        refuse_options("is for the report without --by", "worst")
    graded, _ = read_store(store)
    if since is not None:
        graded = graded.since_day(since.date())
    if spot.split():
        graded = graded.at_spot(" ".join(spot.split()))
    for line in graded.left_out:
        click.echo(line, err=True)
    if names:
        output_console().print(graded.by(names, min_decisions).rich(**_STYLE))
    else:
        _show(graded, worst, min_decisions)
    _write([graded], outputs, worst, min_decisions)


def _write(
    found: Sequence[GradedHands], outputs: Outputs, worst: int, min_decisions: int, numbers: tuple[int, ...] = ()
) -> None:
    """Writes the files that the user wants."""
    documents = [
        graded.document(worst=worst, numbers=numbers, min_decisions=min_decisions)
        for graded in found
        if "json" in outputs.files
    ]
    outputs.write_json(lambda: documents[0] if len(documents) == 1 else json_document("gradings", gradings=documents))
    rows = [row for graded in found for row in graded.rows()]
    outputs.write_csv(rows)
    outputs.write_parquet(lambda: rows)
    if "html" in outputs.files:
        from hedgehog.analysis.grading.page import grading_page

        outputs.write("html", grading_page(found[0], worst=max(worst, 20), min_decisions=min_decisions))


def _unwrapped(table: Table, *names: str) -> RichTable:
    """Returns a table for the terminal, some of whose columns are not wrapped."""
    shown = table.rich(**_STYLE)
    visible = [column.name for column in table.columns if column.shown]
    for name in names:
        shown.columns[visible.index(name)].no_wrap = True
    return shown


def _show(graded: GradedHands, worst: int, min_decisions: int) -> None:
    from hedgehog.analysis.grading.graded import action_lines, hand_table, terms_text
    from hedgehog.analysis.grading.leaks import leak_table

    console = output_console()
    if graded.options.numbers:
        for hand in graded.hands:
            console.print(_unwrapped(hand_table(hand), "street", "loss", "best", "share", "verdict"))
            for line in action_lines(hand):
                console.print(line, soft_wrap=True)
            console.print(terms_text(hand.terms), soft_wrap=True)
        return
    if not graded.hands:
        console.print(f"none of the hands of {graded.options.player} can be graded")
        return
    totals = graded.table()
    if totals.rows:
        console.print(_unwrapped(totals, "street"))
    else:
        console.print(f"{graded.summary()}: no decision is graded", soft_wrap=True)
    if graded.has_totals and totals.rows:
        for line in graded.versus_lines():
            console.print(line)
        console.print(graded.terms_line(), soft_wrap=True)
    elif not graded.has_totals:
        console.print(graded.why_no_totals)
    if borrowed := graded.borrowed_line():
        console.print(borrowed, soft_wrap=True)
    reasons = graded.not_graded()
    if reasons:
        texts = ", ".join(f"{n:,} {reason}" for reason, n, _ in reasons)
        naive = sum(mbb for _, _, mbb in reasons)
        console.print(f"not graded: {texts}; naive {naive:+,.1f} mbb/hand", soft_wrap=True)
    translated, raises, left_open = graded.translated()
    if translated:
        console.print(
            f"sizes before the flop: {translated:,} of {raises:,} raises are not in the table and are read as two that "
            f"are, which leaves {left_open:,.1f} mbb/hand of the loss open",
            soft_wrap=True,
        )
    if worst and graded.worst(1):
        console.print(_unwrapped(graded.worst_table(worst), "street", "best", "verdict"))
    leaks = graded.leaks(min_decisions)
    if leaks:
        console.print(leak_table(leaks[:10]).rich(**_STYLE))
