"""``hedgehog drill``: questions about decisions whose EVs are known, with a schedule of repetition."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, hold_file, output_options
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import STDOUT, verify_output_file
from hedgehog.strategies.manifest import MANIFEST_NAME

if TYPE_CHECKING:
    from hedgehog.analysis.drills.progress import Progress
    from hedgehog.analysis.drills.session import Session
    from hedgehog.cli.table.drill_screen import DrillScreen

_KINDS: Final = ("same", "hands", "boards")


@click.command(short_help="Practise decisions: own faults, a solve, or random hands.")
@click.argument("source", required=False, default="default", metavar="[SOURCE]")
@click.option(
    "--kind",
    type=click.Choice(_KINDS),
    default="same",
    show_default=True,
    help="With graded hands: the faults themselves, other hands there, or other boards.",
)
@click.option("--spot", default="", metavar="WORDS", help="With graded hands: kinds of decisions with all these words.")
@click.option("--street", "streets", type=click.Choice(STREETS), multiple=True, help="Ask about this street.")
@click.option(
    "--stack",
    metavar="N|NNbb",
    help="Stacks of random hands, in chips or big blinds, with blinds of 50/100.  [default: 200bb]",
)
@click.option(
    "--packs", type=click.Path(path_type=Path), metavar="DIR", help="Packs of our player.  [default: the shipped ones]"
)
@click.option("--count", type=click.IntRange(1), metavar="N", help="Most questions of the session.")
@click.option("--new", "most_new", type=click.IntRange(0), metavar="N", help="Most new questions.  [default: 10]")
@click.option("--due", is_flag=True, help="Only what is due in the file of --progress.")
@click.option(
    "--progress",
    "progress_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the answers in FILE, so that questions come again when they are due.  [default: drill.json in a store "
    "of graded hands, else nowhere]",
)
@click.option(
    "--against-clock",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="An answer that takes more than S seconds is not right.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Seed of random questions.  [default: random]")
@output_options(json="the answers")
def drill(
    source: str,
    kind: str,
    spot: str,
    streets: tuple[str, ...],
    stack: str | None,
    packs: Path | None,
    count: int | None,
    most_new: int | None,
    due: bool,
    progress_file: Path | None,
    seconds: float | None,
    seed: int | None,
    outputs: Outputs,
) -> None:
    """Practise decisions whose EVs are known.

    SOURCE is a folder of hedgehog grade --store, whose faults are asked about; a folder of hedgehog solve --save; a
    folder of packs; or default, random hands of our player preflop and on turn and river; with --street flop on the
    flop, which takes minutes to solve and is then asked about with ten hands.

    An answer is right if its loss, less the error of the loss, is below 0.5 % of the pot, however rarely it is taken.
    Answer with the number of a choice, or f fold, c call or check, a all-in, r 600 bet or raise to 600. g shows the
    grid of the last question where there is one, q quits. Lines from a pipe or a file are read the same way.

    With --progress, and with graded hands, a right answer moves a question to the next of five boxes, a wrong one to
    the first; it is due again after 1, 3, 7, 16 or 35 days. Every answer is on the disk before the next question.
    """
    from hedgehog.analysis.drills.opening import open_source
    from hedgehog.analysis.drills.progress import Progress, load_progress, lock_of
    from hedgehog.analysis.drills.session import DEFAULT_NEW, Session
    from hedgehog.analysis.drills.sources import SourceOptions, is_store
    from hedgehog.analysis.grading.store_files import ANSWERS
    from hedgehog.cli.table.drill_screen import DrillScreen

    folder = None if source == "default" else Path(source)
    graded = folder is not None and is_store(folder)
    if due and progress_file is None and not graded:
        raise click.UsageError("--due goes with --progress")
    if due and most_new is not None:
        raise click.UsageError("--new does not go with --due, which asks nothing new")
    if not graded:
        refuse_options("goes with a store of hedgehog grade", "kind", "spot")
    if graded or (folder is not None and (folder / MANIFEST_NAME).is_file()):
        refuse_options("goes with random hands of our player", "stack")
    if folder is not None and not graded:
        refuse_options("goes with graded hands and with our player", "packs")
    if graded and kind == "same":
        refuse_options("does nothing with graded hands, whose faults come in a fixed order", "seed")
        refuse_options("goes with --kind hands and boards: the store has the EVs of its faults", "packs")
    if progress_file == STDOUT:
        raise InputError("--progress needs a file: standard output is for the questions")
    outputs.claim(folder, packs)
    progress = Progress()
    inputs = [path for path in (folder, packs) if path is not None]
    if folder is not None and graded and (progress_file is None or progress_file == folder / ANSWERS):
        progress_file = folder / ANSWERS
        inputs.remove(folder)
    if progress_file is not None:
        verify_output_file(progress_file, overwrite=True, inputs=inputs)
        if progress_file in outputs.files.values():
            raise InputError(f"{progress_file} is named twice as an output")
        load_progress(progress_file)
        hold_file(lock_of(progress_file))
        progress = load_progress(progress_file)  # as it is now that nobody else writes it
    options = SourceOptions(
        kind=kind,
        spot=spot,
        streets=tuple(sorted(STREETS.index(street) for street in streets)),
        packs=packs,
        stack=stack,
    )
    if not graded or kind != "same":
        prepare_first_launch()
    seed = int.from_bytes(os.urandom(4), "little") if seed is None else seed
    if most_new is None:
        most_new = 0 if due else count or DEFAULT_NEW
    session = Session(open_source(source, options), progress, seed, count, most_new, seconds)
    _ask(session, DrillScreen(output_console()), progress)
    outputs.write_json(session.document)


def _ask(session: Session, screen: DrillScreen, progress: Progress) -> None:
    """Asks until the session or the input ends."""
    from hedgehog.analysis.drills.keys import GRID, QUIT, parse_choice
    from hedgehog.analysis.drills.progress import DAY_S

    waiting = len(progress.due(session.source.identity, session.clock()))
    due = waiting if progress.path is not None else None
    screen.start(session.source.title, session.seed, due, session.seconds)
    last = None
    while (question := session.next()) is not None:
        screen.show(question, len(session.answered) + 1)
        while True:
            text = screen.read()
            if text is None:
                return screen.end(session.summary())
            try:
                choice = parse_choice(text, question)
            except InputError as error:
                screen.say(str(error))
                continue
            if choice == QUIT:
                return screen.end(session.summary())
            if choice == GRID:
                if last is None:
                    screen.say("the grid is that of the last question: answer one first")
                elif not session.source.has_grid(last):
                    screen.say("the store keeps no grid of the last question")
                else:
                    screen.grid(session.source.grid(last), last)
                continue
            break
        assert isinstance(choice, int)
        answered = session.answer(question, choice)
        days = (answered.card.due - session.clock()) / DAY_S
        has_grid = session.source.has_grid(question)
        screen.judge(answered, round(days) if progress.path is not None else None, has_grid)
        last = question
    while last is not None and screen.is_terminal and session.source.has_grid(last):
        text = screen.read("g grid, Enter ends > ")
        if text is None or text.strip().lower() not in ("g", "grid"):
            break
        screen.grid(session.source.grid(last), last)
    return screen.end(session.summary())
