"""Trees on disk: saved solves, and the files ``NAME.cfr`` that name one, because some clients take nothing else.

::

    Hedgehog saved solve
    river.solve
    #Type#NoLimit

The second line is the folder of the saved solve, from the folder of the file on. Lines of ``add_info_line`` may follow.
A save of PioSOLVER has the same ending and another beginning; Hedgehog cannot read it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.input_files import open_input
from hedgehog.runtime.outputs import verify_output_file, verify_output_folder
from hedgehog.solver.postflop.saving import exclusive_folder
from hedgehog.solver.postflop.solution_files import SOLVE_FOLDER, is_saved_solve, save_solve
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot

FIRST_LINE: Final = "Hedgehog saved solve"
ENDING: Final = ".cfr"
_FOLDER_ENDING: Final = ".solve"
_MOST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A saved solve on disk, as a client of the protocol sees it: a tree with its lines of information."""

    folder: Path
    """The folder of the saved solve."""
    info: tuple[str, ...] = ()
    """Lines ``#Key#Value`` that a client has given to the tree."""


def find_tree(path: str | Path) -> TreeFile:
    """Returns the saved solve that a path names: its folder, or a file that names it.

    :raises InputError: if the path does not exist or is neither.
    """
    place = Path(path)
    try:
        if place.is_dir():
            if not is_saved_solve(place):
                raise InputError("no saved solve here, expected a folder of hedgehog solve --save", source=str(path))
            return TreeFile(place)
        with open_input(place) as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        text = problem.strerror if isinstance(problem, OSError) else "not a file name"
        raise InputError(f"cannot read it: {text}", source=str(path)) from None
    found = parse_tree_file(data, str(path))
    return TreeFile(place.parent / found.folder, found.info)


def parse_tree_file(data: bytes, source: str) -> TreeFile:
    """Returns what the bytes of a file ``NAME.cfr`` say. The folder is as the file has it, perhaps relative.

    :param source: name of the file, for messages.
    :raises InputError: if the file does not name a saved solve.
    """
    lines = data.split(b"\n")
    if lines[0].rstrip(b"\r") != FIRST_LINE.encode() or len(data) > _MOST_BYTES:
        raise InputError(
            "is no file of Hedgehog's; if it is a save of PioSOLVER, Hedgehog cannot read it", source=source
        )
    text = [os.fsdecode(line.rstrip(b"\r")) for line in lines[1:]]
    if not text or not text[0].strip() or "\0" in text[0]:
        raise InputError("expected the folder of a saved solve", source=source, line=2)
    for number, line in enumerate(text[1:], 3):
        if line.strip() and not (line.startswith("#") and line.count("#") == 2):
            raise InputError(f"expected #Key#Value, got {line[:40]!r}", source=source, line=number)
    return TreeFile(Path(text[0]), tuple(line for line in text[1:] if line.strip()))


def format_tree_file(found: TreeFile) -> str:
    """Returns the text of a file ``NAME.cfr``; :func:`parse_tree_file` reads it back."""
    return "\n".join([FIRST_LINE, str(found.folder), *found.info, ""])


def write_tree_file(path: Path, found: TreeFile) -> None:
    """Writes a file ``NAME.cfr`` that names a saved solve.

    :raises InputError: if another file stands there, or the folder has a name that a line of text cannot hold.
    :raises ResourceError: if it cannot be written.
    """
    verify_tree_file(path)
    if "\n" in str(found.folder) or "\r" in str(found.folder):
        raise InputError("the name of the folder has a line end", source=str(found.folder))
    with replacing(path) as file:
        file.write(os.fsencode(format_tree_file(found)))


def verify_tree_file(path: Path) -> None:
    """Checks that a file ``NAME.cfr`` may be written: it is new, or names a saved solve already.

    :raises InputError: if it may not.
    :raises ResourceError: if it cannot be written.
    """
    ours = False
    if path.is_file() and path.stat().st_size:
        with open_input(path) as file:
            ours = file.read(len(FIRST_LINE) + 1).rstrip(b"\r\n") == FIRST_LINE.encode()
    verify_output_file(path, overwrite=ours)


def dump_tree(
    path: Path, solver: PostflopSolver, spot: PostflopSpot, found: Exploitability | None, info: Iterable[str]
) -> None:
    """Saves a solve: the folder ``NAME.solve``, then the file ``NAME.cfr`` that names it.

    A solve that stands in the folder already is replaced, as PioSOLVER replaces its files.

    :param path: the file; an ending that it lacks is not added.
    :param spot: the spot, from a spot file.
    :param info: lines ``#Key#Value`` of the tree.
    :raises InputError: if something else stands there.
    :raises ResourceError: if it cannot be written.
    """
    verify_tree_file(path)
    folder = path.with_name(path.name.removesuffix(ENDING) + _FOLDER_ENDING)
    verify_output_folder(folder, SOLVE_FOLDER, proceed=True)
    with exclusive_folder(folder):
        save_solve(folder, solver, spot, found)
    write_tree_file(path, TreeFile(Path(folder.name), tuple(info)))
