"""``hedgehog upi``: PioSOLVER's line protocol on standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.given import refuse_options
from hedgehog.cli.upi.shell import CHILDREN, serve


@click.command()
@click.argument("solves", metavar="[SOLVE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--launcher",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write program files that clients find into DIR, and a file NAME.cfr for each SOLVE, and stop.",
)
@click.option(
    "--children",
    type=click.Choice(CHILDREN),
    default=CHILDREN[0],
    show_default=True,
    help="Lines that show_children prints per child: PioSOLVER's 8, or jesolver's 7.",
)
def upi(solves: tuple[Path, ...], launcher: Path | None, children: str) -> None:
    """Speak PioSOLVER's line protocol (UPI), so that scripts made for PioSOLVER drive Hedgehog.

    Commands come on standard input, one per line; answers go to standard output. Trees are saved solves of hedgehog
    solve --save, or are built, solved, locked and saved by the client. docs/upi.md has the commands and the clients.

    Clients look for a program file with a name of their own: hedgehog upi --launcher DIR my-solve writes
    DIR/PioSOLVER3-edge.exe, DIR/jesolver.exe (7 lines per child) and DIR/my-solve.cfr, which names the folder my-solve.
    """
    if launcher is None:
        if solves:
            raise click.UsageError("a SOLVE goes with --launcher; a client opens it by load_tree")
        serve(blank_lines=children == CHILDREN[0])
        return
    refuse_options("does not go with --launcher, which writes a program file for each", "children")
    from hedgehog.interop.upi.launcher import write_launchers

    for path in write_launchers(launcher, solves):
        click.echo(f"wrote {path}")
