"""``hedgehog explore``: opens the explorer in the browser."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path

import click

from hedgehog.cli.outputs import hold_file
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import verify_can_make, verify_output_file


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
@click.option(
    "--progress",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the answers of drills in FILE, as hedgehog drill does.  [default: kept nowhere]",
)
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
def explore(paths: tuple[Path, ...], port: int, solves: Path, progress: Path | None, no_browser: bool) -> None:
    """Show strategies in the browser, on this machine alone.

    PATH is a saved solve, a strategy or limit pack, a folder of these, a tournament or match folder, a hand history,
    graded hands (a store or JSON file of hedgehog grade), or a betting tree of hedgehog study. The shipped packs are
    always shown. The address that is printed holds a secret token; the server answers no other address and sends
    nothing out. The browser is started with a file that you alone can read, so that no argument holds the token.
    Ctrl-C ends it.
    """
    if solves.is_file():
        raise InputError("is a file, expected a folder for solves", source=str(solves))
    verify_can_make(solves, solves)
    if progress is not None:
        from hedgehog.analysis.drills.progress import load_progress, lock_of
        from hedgehog.analysis.grading.store_files import ANSWERS

        others = [path for path in paths if progress != path / ANSWERS]  # a store of graded hands may hold its answers
        verify_output_file(progress, overwrite=True, inputs=others)
        load_progress(progress)
        hold_file(lock_of(progress))
    from hedgehog.explorer.library import Library
    from hedgehog.explorer.page_file import page_file
    from hedgehog.explorer.server import serve
    from hedgehog.strategies.pack import default_packs

    library = Library()
    for path in (*paths, default_packs()):
        library.add(path)

    with ExitStack() as until_the_end:

        def ready(address: str) -> None:
            click.echo(f"The explorer is at {address}\nCtrl-C ends it.")
            if no_browser:
                return
            try:
                file = until_the_end.enter_context(page_file(address))
            except OSError as error:
                click.echo(f"No browser is opened, because its page file cannot be written: {error.strerror}", err=True)
                return
            # Some browsers run in the foreground, and their command returns when they are closed.
            threading.Thread(target=_open_browser, args=(file,), daemon=True).start()

        serve(library, port=port, ready=ready, solves=solves, progress=progress)


def _open_browser(file: Path) -> None:
    if not webbrowser.open(file.as_uri()):
        click.echo("No browser could be opened: open the address.", err=True)
