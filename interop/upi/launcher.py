"""Program files that clients of PioSOLVER find, and the files ``NAME.cfr`` for saved solves.

Clients start a program in a folder of their settings, by a name that they make up: ``PioSOLVER3-edge.exe``. A program
named ``jesolver`` answers ``show_children`` in seven lines per child instead of eight. Both files are scripts that
start the Python of this installation, with the compiled kernels of the user who has written them: some clients start
their solver with another home folder, and compiling takes a minute.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hedgehog.interop.upi.saves import ENDING, TreeFile, verify_tree_file, write_tree_file
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path, write_text_file
from hedgehog.runtime.jit import cache_home
from hedgehog.runtime.outputs import make_folder, verify_distinct, verify_output_file
from hedgehog.solver.postflop.solution_files import read_saved_solve

PROGRAMS: Final = {"PioSOLVER3-edge.exe": "", "jesolver.exe": " --children 7"}
"""Name of each program file, and the options that it adds."""
_MARK: Final = "# Written by hedgehog upi --launcher."
_START: Final = "from hedgehog.cli.upi.shell import main; main()"


def write_launchers(folder: Path, solves: Iterable[Path]) -> list[Path]:
    """Writes the program files, and one file ``NAME.cfr`` for each saved solve. Returns what was written.

    Files of an earlier call are replaced.

    :param folder: where to write; it is made if it is missing.
    :param solves: folders of saved solves.
    :raises InputError: if a solve is none, two have the same name, or a file stands there that is not ours.
    :raises ResourceError: if the folder cannot be written.
    """
    trees = {}
    for solve in solves:
        read_saved_solve(solve)
        place = real_path(solve)
        name = folder / f"{place.name}{ENDING}"
        if name in trees:
            raise InputError(f"two solves are called {place.name}", source=str(solve))
        trees[name] = place
        verify_tree_file(name)
    programs = [folder / name for name in PROGRAMS]
    verify_distinct([*programs, *trees])
    for program in programs:
        ours = program.is_file() and _MARK in program.read_text(encoding="utf-8", errors="replace")
        verify_output_file(program, overwrite=ours)
    make_folder(folder)
    for program, options in zip(programs, PROGRAMS.values(), strict=True):
        write_text_file(program, program_text(options))
        program.chmod(program.stat().st_mode | 0o111)
    for name, place in trees.items():
        write_tree_file(name, TreeFile(place))
    return [*programs, *trees]


def program_text(options: str = "", python: str = sys.executable) -> str:
    """Returns the text of a program file.

    :param options: options of ``hedgehog upi`` that it adds, with a blank before them.
    :param python: the Python that Hedgehog is installed for.
    """
    cache = f'HEDGEHOG_CACHE="${{HEDGEHOG_CACHE:-{_in_quotes(os.path.abspath(cache_home()))}}}"'
    # -P: a module of the client's folder is not taken for one of Python's.
    start = f"exec {shlex.quote(os.fspath(python))} -P -c {shlex.quote(_START)}"
    return f'#!/bin/sh\n{_MARK}\n{cache}\nexport HEDGEHOG_CACHE\n{start}{options} "$@"\n'


def _in_quotes(text: str) -> str:
    """Returns a text as it stands inside the double quotes and braces of a shell."""
    return re.sub(r'([\\"$`}])', r"\\\1", text)
