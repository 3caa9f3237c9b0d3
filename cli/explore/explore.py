"""``hedgehog explore``: opens the explorer in the browser."""

from __future__ import annotations

import importlib.util
import webbrowser
from pathlib import Path

import click

from runtime.errors import InputError
from runtime.outputs import verify_can_make

_NEEDED = ("starlette", "uvicorn")


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="PORT", help="TCP port; 0 takes a free one.")
@click.option(
    "--solves",
    type=click.Path(path_type=Path),
    default=Path("solves"),
    show_default=True,
    metavar="DIR",
    help="Folder for solves that are started on the page, each in a new folder of its name.",
)
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
def explore(paths: tuple[Path, ...], port: int, solves: Path, no_browser: bool) -> None:
    """Show strategies in the browser, on this machine alone.

    PATH is a saved solve, a strategy pack, a folder of these, a tournament or match folder, a hand history, or a
    betting tree of hedgehog study. The shipped packs are always shown. The address that is printed holds a secret
    token; the server answers no other address and sends nothing out. Ctrl-C ends it.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(f"the explorer needs {' and '.join(missing)}: install hedgehog-poker[explore]")
    if solves.is_file():
        raise InputError("is a file, expected a folder for solves", source=str(solves))
    verify_can_make(solves, solves)
    from explorer.library import Library
    from explorer.server import serve
    from strategies.pack import default_packs

    library = Library()
    for path in (*paths, default_packs()):
        library.add(path)

    def ready(address: str) -> None:
        click.echo(f"The explorer is at {address}")
        click.echo("Ctrl-C ends it.")
        if not no_browser:
            webbrowser.open(address)

    serve(library, port=port, ready=ready, solves=solves)
