"""What ``hedgehog pack spot`` does: a spot file with the ranges of a blueprint."""

from __future__ import annotations

from pathlib import Path

import click

from cli.outputs import claim_outputs, write_output
from poker.acpc.betting_line import parse_betting_line
from poker.acpc.gamedef import parse_gamedef
from poker.cards import parse_cards
from runtime.errors import PackError
from solver.blueprint.card_abstraction import CardAbstraction
from solver.packs.blueprint_spot import blueprint_spot, format_spot
from strategies.blueprint_pack import first_blueprint, read_blueprint


def write_spot(path: Path, line: str, board: str, out: Path, *, overwrite: bool) -> None:
    """Writes the spot at the end of a line of the first blueprint at a path.

    :raises HedgehogError: if there is no blueprint, it lacks the line, or the file cannot be written.
    """
    claim_outputs(out, inputs=[path], overwrite=overwrite)
    cards = parse_cards(board)
    opened = first_blueprint(path)
    table = read_blueprint(opened)
    betting = parse_betting_line(line, parse_gamedef(opened.manifest.gamedef, str(opened.folder)))

    def card_tables() -> CardAbstraction:
        if "cards" not in table.config:
            raise PackError("the blueprint's configuration lacks its cards", source=str(opened.folder))
        found = CardAbstraction.load_or_build(table.config["cards"], progress=lambda text: click.echo(text, err=True))
        if table.config.get("card_digest") != found.digest:
            raise PackError(
                "was made with other card tables: it cannot be followed past the flop", source=str(opened.folder)
            )
        return found

    spot = blueprint_spot(table, betting, cards, card_tables)
    write_output(out, format_spot(spot, opened.manifest.name))
