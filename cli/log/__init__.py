"""``hedgehog log``: hand-history files of every format, one module per command."""

from __future__ import annotations

import click

from hedgehog.cli.log.aivat import aivat
from hedgehog.cli.log.all_in_ev import all_in_ev
from hedgehog.cli.log.convert import convert
from hedgehog.cli.log.show import show
from hedgehog.cli.log.stats import stats
from hedgehog.cli.log.verify import verify


@click.group()
def log() -> None:
    """Work with hand histories: ACPC logs, logs of local best response (LBR), PHH, text of PokerStars, GGPoker and ACR.

    The format of a file is told by its content; files may be gzipped. An ACPC log without header is taken as heads-up
    no-limit hold'em (reverse blinds) unless --game says otherwise. PHH needs the package pokerkit.
    """


for command in (verify, show, stats, convert, aivat, all_in_ev):
    log.add_command(command)
