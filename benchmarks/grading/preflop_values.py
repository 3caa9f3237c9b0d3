"""Checks the preflop values of a blueprint: losses before the flop against a direct match on the same boards.

``python -m benchmarks.grading.preflop_values [PACK] [--boards 40] [--seed 1]``
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from hedgehog.cli.console import output_console
from hedgehog.runtime.table import Column, Table
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.preflop.identity import check_values, preflop_plays
from hedgehog.solver.blueprint.preflop.values import CHUNK, PreflopWalk
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.quantize import dequantize_rows


@click.command()
@click.argument("pack", type=click.Path(path_type=Path), default=default_packs() / "blueprint")
@click.option("--boards", type=int, default=CHUNK, show_default=True, help="Boards, rounded up to fifties.")
@click.option("--seed", type=int, default=1, show_default=True)
def main(pack: Path, boards: int, seed: int) -> None:
    """Prints what simple play before the flop wins from the blueprint PACK, by a match and by its losses."""
    table = read_blueprint(open_pack(pack))
    cards = CardAbstraction.load_or_build(table.config["cards"])

    def block(node: int) -> NDArray[np.float32]:
        return dequantize_rows(table.block(node))

    walk = PreflopWalk(table.tree, block, cards, seed)
    while walk.boards < boards:
        walk.walk()
    rows = []
    for name, strategy in preflop_plays(walk).items():
        found = check_values(walk, block, cards, strategy)
        rows.append((name, found.direct, found.by_losses, found.direct - found.by_losses))
    columns: tuple[Column | str, ...] = (
        "preflop",
        *(Column(name, text="{:.4f}".format) for name in ("direct", "by_losses", "difference")),
    )
    title = f"{pack.name}, {walk.boards} boards, seed {seed}, mbb per hand"
    output_console().print(Table("plays", title, columns, tuple(rows)).rich())


if __name__ == "__main__":
    main()
