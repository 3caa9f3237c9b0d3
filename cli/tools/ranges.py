"""``hedgehog range``: a range in the form of another program."""

from __future__ import annotations

import sys

import click

from hedgehog.poker.range_texts.forms import FORMS
from hedgehog.poker.range_texts.vectors import ORDERS
from hedgehog.poker.range_view import Range


@click.command("range")
@click.argument("text", metavar="RANGE")
@click.option("--to", "form", type=click.Choice(list(FORMS)), help="Print the range in this form alone.")
@click.option("--order", type=click.Choice(list(ORDERS)), help="RANGE is 1,326 numbers in this order of hands.")
def convert_range(text: str, form: str | None, order: str | None) -> None:
    """Convert RANGE to the form of PioSOLVER, GTO+ or GTO Wizard, or to 1,326 numbers; - reads standard input.

    Without --to, say how many combos RANGE has, and print it in all forms of text.

    RANGE is what 'hedgehog equity' and spot files take: 'QQ+,AKs:0.5', '[50]AA,KK[/50],AQs', '15%' or
    'pio-order 0 0 1 ...'. Where entries overlap, the first one decides.
    """
    if text == "-":
        text = sys.stdin.read()
    hands = Range(f"{order}-order {text}" if order is not None else text)
    if form is not None:
        click.echo(hands.as_text(form))
        return
    click.echo(f"{hands.combos:,.6g} combos, {100 * hands.combos / len(hands):.4g} %")
    for name in FORMS:
        if not name.endswith("-vector"):
            click.echo(f"{name + ':':<12} {hands.as_text(name)}")
