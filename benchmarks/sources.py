"""The Python files of the working tree or of a git revision, and the code in them."""

from __future__ import annotations

import ast
import io
import subprocess
import tarfile
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

import click

from hedgehog.runtime.packages import ROOT

WORKING_TREE: Final = "."
_LAYOUT: Final = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip

Sources = Mapping[PurePosixPath, str]
"""The text of Python files by their paths in the repository."""


def read_sources(revision: str = WORKING_TREE) -> Sources:
    """Returns the Python files of a revision, or of the working tree for ``.``, without those that are links.

    :raises click.BadParameter: if git knows no such revision.
    """
    if revision == WORKING_TREE:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
        names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        return {PurePosixPath(name): (ROOT / name).read_text() for name in names if (ROOT / name).is_file()}
    packed = subprocess.run(
        ["git", "archive", "--end-of-options", revision], cwd=ROOT, check=False, capture_output=True
    )
    if packed.returncode:
        raise click.BadParameter(packed.stderr.decode().strip())
    found = {}
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() and member.name.endswith(".py") else None
            if file is not None:
                found[PurePosixPath(member.name)] = file.read().decode()
    return found


def code_tokens(source: str, *, imports: bool = True) -> Iterator[tokenize.TokenInfo]:
    """Yields the tokens of a module, without comments, docstrings, and what only lays out the text.

    :param imports: whether the tokens of import statements are among them.
    """
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        docstring = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if isinstance(node, ast.stmt) and (
            docstring or (isinstance(node, (ast.Import, ast.ImportFrom)) and not imports)
        ):
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT and token.start[0] not in left_out:
            yield token
