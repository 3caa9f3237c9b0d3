"""``hedgehog study``: what real hands say about bet sizes, betting trees and players, one module per command."""

from __future__ import annotations

import click

from hedgehog.cli.study.hands import hands
from hedgehog.cli.study.menu import menu
from hedgehog.cli.study.model import model
from hedgehog.cli.study.profile import profile
from hedgehog.cli.study.tree import tree
from hedgehog.cli.study.trees import trees


@click.group()
def study() -> None:
    """Study real hands: which bets people make, and which betting tree covers them.

    Hands are read from ACPC logs, logs of local best response (LBR), PHH and the text of PokerStars, GGPoker and ACR,
    gzipped, zipped or in folders. Counted are hands of no-limit hold'em with exactly two players.
    """


for command in (hands, menu, trees, tree, profile, model):
    study.add_command(command)
