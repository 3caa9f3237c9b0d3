"""Checks the preflop values of a blueprint: losses before the flop against a direct match on the same boards.

``python -m benchmarks.preflop_values [PACK] [--boards 40] [--seed 1]``
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hedgehog.cli.console import output_console
from hedgehog.runtime.table import Column, Table
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.preflop.identity import check_values, preflop_plays
from hedgehog.solver.blueprint.preflop.values import CHUNK, PreflopWalk
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.quantize import dequantize_rows


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path, nargs="?", default=default_packs() / "blueprint")
    parser.add_argument("--boards", type=int, default=CHUNK)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    table = read_blueprint(open_pack(wanted.pack))
    cards = CardAbstraction.load_or_build(table.config["cards"])

    def block(node: int):  # type: ignore[no-untyped-def]
        return dequantize_rows(table.block(node))

    walk = PreflopWalk(table.tree, block, cards, wanted.seed)
    while walk.boards < wanted.boards:
        walk.walk()
    rows = []
    for name, strategy in preflop_plays(walk).items():
        found = check_values(walk, block, cards, strategy)
        rows.append((name, found.direct, found.by_losses, found.direct - found.by_losses))
    columns: tuple[Column | str, ...] = (
        "preflop",
        *(Column(name, text="{:.4f}".format) for name in ("direct", "by_losses", "difference")),
    )
    title = f"{wanted.pack.name}, {walk.boards} boards, seed {wanted.seed}, mbb per hand"
    output_console().print(Table("plays", title, columns, tuple(rows)).rich())


if __name__ == "__main__":
    main()
