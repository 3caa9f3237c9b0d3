"""A drill on the screen: questions, judgements and grids."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from hedgehog.analysis.drills.question import Grid, Question
from hedgehog.analysis.drills.session import Answered
from hedgehog.cli.table.hand_text import cards_text, drawn_cards, has_suit_symbols
from hedgehog.poker.cards import RANKS, combo_index, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.hand_grid import cell_class


class DrillScreen:
    """Prints questions and reads answers."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._symbols = has_suit_symbols(console)

    @property
    def is_terminal(self) -> bool:
        """Whether a person types the answers."""
        return sys.stdin.isatty()

    def start(self, title: str, seed: int, due: int | None, seconds: float | None) -> None:
        """Prints what is asked about.

        :param due: number of questions that are due; None without a file of progress.
        :param seconds: seconds that an answer may take; None: any time.
        """
        waiting = "" if due is None else f", {due} due"
        clock = "" if seconds is None else f", {seconds:g} s for each answer"
        text = f"Drill: {title}, seed {seed}{waiting}{clock}."
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def read(self, prompt: str = "> ") -> str | None:
        """Returns a line of the input; None at its end."""
        self.console.file.flush()
        try:
            line = input(prompt)
        except EOFError:
            self.console.print()
            return None
        except UnicodeDecodeError:
            line = "\ufffd"
        if not self.is_terminal:
            self.console.print(line, markup=False)
        return line

    def say(self, text: str) -> None:
        """Prints a message."""
        self.console.print(Text(text, style="italic"))

    def show(self, question: Question, number: int) -> None:
        """Prints a question."""
        console = self.console
        console.print()
        console.print(Text(f"{number}. {question.title}: {question.position}, {question.street}", style="bold"))
        for scene in question.story:
            line = Text(f"  {scene.street.capitalize()}".ljust(11))
            if scene.cards:
                line.append_text(cards_text(parse_cards(scene.cards), self._symbols)).append("  ")
            console.print(line.append(scene.text))
        groups = [parse_cards(question.cards), *([parse_cards(question.board)] if question.board else [])]
        notes = [
            f"pot {question.pot:,}{_blinds(question, question.pot)}",
            f"{question.to_call:,} to call" if question.to_call else "nothing to call",
            f"you {question.stack:,}, opponent {question.opponent_stack:,}",
        ]
        for row, note in zip(drawn_cards(groups, self._symbols), notes, strict=True):
            console.print(Text("  ").append_text(row).append(f"   {note}"), no_wrap=True, overflow="ellipsis")
        line = Text(" ")
        for place, choice in enumerate(question.choices, start=1):
            shown = Text.assemble((f" {place}", "bold"), f" {choice.text} ")
            if len(line) > 1 and line.cell_len + shown.cell_len > console.width:  # no choice is broken in two
                console.print(line)
                line = Text(" ")
            line.append_text(shown)
        console.print(line)

    def judge(self, answered: Answered, days: int | None, has_grid: bool) -> None:
        """Prints what an answer was worth.

        :param days: days until the question comes again; None without a file of progress.
        :param has_grid: whether ``g`` shows a grid.
        """
        question = answered.question
        lost = question.amount(question.loss(answered.choice))
        verdict = "Right" if answered.right else f"Late, after {answered.seconds:.1f} s" if answered.late else "Wrong"
        style = "bold green" if answered.right else "bold red"
        text = Text(f"{verdict}: ", style=style)
        text.append(f"loses {lost:.2f} {question.unit} ({answered.loss_pct:.1f} % of the pot)", style="default")
        if answered.last is not None:
            text.append(f"; the time before {answered.last:.1f} %", style="default")
        if question.played:
            then = question.played_loss
            cost = "" if then is None else f", which lost {question.amount(then):.2f} {question.unit}"
            text.append(f". At the table: {question.played}{cost}", style="default")
        if days is not None:
            text.append(f". Box {answered.card.box}, again in {days} day{'s' if days != 1 else ''}", style="default")
        self.console.print(text.append(".", style="default"))
        table = Table(
            Column("action"), Column(f"EV {question.unit}", justify="right"), Column("loses", justify="right"),
            Column("% of pot", justify="right"), Column("strategy", justify="right"), box=None, padding=(0, 2, 0, 0),
        )  # fmt: skip
        for number, choice in enumerate(question.choices):
            mark = "*" if number == answered.choice else " "
            table.add_row(
                Text(f"{mark} {choice.text}", style="bold" if number == question.best else ""),
                f"{round(question.amount(choice.ev), 2) + 0.0:+,.2f}",
                f"{question.amount(question.loss(number)):,.2f}",
                f"{question.loss_pct(number):.1f}",
                f"{100 * choice.frequency:.0f} %",
            )
        self.console.print(table)
        offer = " g shows every hand." if has_grid and self.is_terminal else ""
        self.console.print(Text(f"EVs: {question.values}.{offer}", style="dim"))

    def grid(self, grid: Grid | None, question: Question) -> None:
        """Prints the grid of a question."""
        if grid is None:
            self.say("the grid of this decision is not known")
            return
        if grid.is_strategy:
            names = ", ".join(f"{number} {name}" for number, name in enumerate(grid.names, start=1))
            title = f"most frequent action and its percent: {names}"
        else:
            title = grid.title
        table = Table(
            "", *(Column(rank, justify="right") for rank in RANKS[::-1]),
            title=title, title_justify="left", box=None, padding=(0, 0, 0, 1),
        )  # fmt: skip
        own = int(HAND_CLASS[combo_index(*sorted(parse_cards(question.cards)))])
        for row, rank in enumerate(RANKS[::-1]):
            cells = [Text(rank, style="bold")]
            for column in range(len(RANKS)):
                hand_class = cell_class(row, column)
                style = "bold reverse" if hand_class == own else ""
                cells.append(Text(_cell(grid, grid.cells[hand_class]), style=style))
            table.add_row(*cells)
        self.console.print(table)

    def end(self, lines: Sequence[str]) -> None:
        """Prints the end of a session."""
        self.console.print()
        for line in lines:
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)


def _cell(grid: Grid, numbers: tuple[float, ...] | None) -> str:
    if numbers is None:
        return ""
    if not grid.is_strategy:
        return f"{numbers[0]:.1f}"
    number = max(range(len(numbers)), key=numbers.__getitem__)
    return f"{number + 1}:{100 * numbers[number]:.0f}"


def _blinds(question: Question, chips: int) -> str:
    return f" ({question.amount(chips):.1f} BB)" if question.big_blind else ""
