"""``hedgehog lab``: laboratories, one module per command."""

from __future__ import annotations

import click

from hedgehog.cli.lab.abstractions import abstractions
from hedgehog.cli.lab.counts import counts
from hedgehog.cli.lab.losses import losses
from hedgehog.cli.lab.menus import menus
from hedgehog.cli.lab.three_players import three_players


@click.group()
def lab() -> None:
    """Run the laboratories, which measure what simplifying the game costs."""


lab.add_command(abstractions)
lab.add_command(counts)
lab.add_command(losses)
lab.add_command(menus)
lab.add_command(three_players)
