"""``hedgehog study hands``: sizes, trees and menus of real hands."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import (
    given_input,
    hand_options,
    paths_argument,
    report_problems,
)
from hedgehog.runtime.documents import json_document


@click.command(cls=OutputCommand, short_help="Show the bet sizes of real hands, and make a menu of them.")
@paths_argument
@hand_options
@click.option("--sizes", type=click.IntRange(1, 10), default=3, show_default=True, help="Most sizes of a menu.")
@click.option(
    "--choose",
    type=click.Choice(["frequent", "medoids"]),
    default="frequent",
    show_default=True,
    help="Take the most frequent sizes, or those with the smallest mean distance to all sizes.",
)
@click.option(
    "--min-share",
    type=click.FloatRange(0, 100),
    default=5.0,
    show_default=True,
    metavar="%",
    help="Share of the bets of a spot that a size needs.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    metavar="N",
    help="A spot with fewer bets has no sizes of its own.",
)
@click.option(
    "--compare",
    multiple=True,
    metavar="MENU",
    help="Measure the distance of this menu, too: own, fcpa, fcpta, fchpda, a preset of blueprints such as standard, a "
    "menu file or a blueprint configuration. May be given again.  [default: own, fcpa, fcpta, fchpda]",
)
@click.option(
    "--situation",
    multiple=True,
    metavar="LINE",
    help="Also measure the error of the menus at the last bet of this betting line, such as r3c/cr: c check or call, r"
    " bet to a size in big blinds. May be given again.",
)
@click.option("--histogram", is_flag=True, help="Show how often each size of the first bet on the flop occurs.")
@output_options(
    menu="the menu as YAML",
    html="pictures of the sizes of every spot",
    json="all tables",
    problems="all hands that cannot be read, with file and line,",
)
def hands(
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    jobs: int,
    dask: str | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    sizes: int,
    choose: str,
    min_share: float,
    min_count: int,
    compare: tuple[str, ...],
    situation: tuple[str, ...],
    histogram: bool,
    outputs: Outputs,
) -> None:
    """Show which bet sizes real hands have in which spot, and make a menu of bet sizes from them.

    FILES are hand histories, zip archives, folders of them, or stores that --store has made. The menu has the key
    "sizes" of spot files and the key "menu" of blueprint configurations.

    Hands that occur twice count once. Hands that cannot be read are named with file and line, and left out.
    """
    from hedgehog.analysis.study.hand_tables import distance_content, error_content, study_tables
    from hedgehog.analysis.study.menu_files import read_menu
    from hedgehog.analysis.study.menus import MenuRule, format_menu_file
    from hedgehog.analysis.study.runs import study_hands
    from hedgehog.analysis.study.situations import SITUATIONS, parse_situation
    from hedgehog.analysis.study.study import ActorFilter, study_content
    from hedgehog.analysis.study.translation import REFERENCES, study_bet_menu

    outputs.claim(*files)
    menus = [read_menu(name) for name in compare or REFERENCES]
    situations = (*SITUATIONS, *(parse_situation(line) for line in situation))
    source = given_input(files, store, game, jobs, dask)
    with terminal_watch() as watch:
        actors = ActorFilter(frozenset(only), frozenset(without))
        study = study_hands(source, actors, watch, situations=situations)
    report_problems(source.tally, outputs)
    menu = study.menu(MenuRule(choose, sizes, min_share / 100, min_count))
    distances = [study.distance(one) for one in (study_bet_menu("this study", menu), *menus)]
    text = format_menu_file(menu, [source.summary()])
    console = output_console()
    console.print(source.summary())
    for table in study_tables(study, distances):
        console.print(table.rich())
    if histogram or "html" in outputs.files:
        from hedgehog.analysis.study.pages.sizes import bar_lines, sizes_page, study_panels

        panels = study_panels(study, menu)
        for line in bar_lines(panels[0]) if histogram else ():
            console.print(line, markup=False)
        outputs.write("html", lambda: sizes_page("Bet sizes", source.summary(), panels))
    if "menu" not in outputs.files:
        console.print(text, markup=False)
    else:
        outputs.write("menu", text)
    document = json_document(
        "hand-study",
        players=source.players.texts,
        tally={
            "duplicates": source.tally.duplicates,
            "bad": source.tally.bad,
            "left_out": source.tally.left_out.document(),
        },
        **study_content(study),
        menu={key: menu.text(key) for key in menu.keys},
        distances=distance_content(distances),
        errors=error_content(study, [one.menu for one in distances]),
    )
    outputs.write_json(document)
