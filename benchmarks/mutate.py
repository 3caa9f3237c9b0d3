"""Changes the code of a room a little, many times, and tells which changes its tests do not see.

``make mutate ROOM=dealer``, or ``python -m benchmarks.mutate runtime/outputs.py --sample 40``. Each mutant is one small
change: a comparison, a sum, a number, ``and`` and ``or``, a truth value, a guard that is gone, a text. It is made in a
temporary copy of the tree, where the tests of the room run until one fails. Messages of errors are left as they are.

Of the known tools, mutmut names functions by the path of their file, which here is not the name they are imported by;
cosmic-ray changes the working tree and draws no sample.
"""

from __future__ import annotations

import ast
import difflib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import click

from benchmarks.common import run

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".*", "runs", "build", "dist", "__pycache__", "*.work")
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A piece of a source file, and what stands there instead."""

    path: Path
    start: int
    """Place in the bytes of the file."""
    end: int
    instead: str

    def text(self) -> str:
        source = self.path.read_bytes()
        return (source[: self.start] + self.instead.encode() + source[self.end :]).decode()


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yields a node within ``node`` and the code to put there instead."""
    match node:
        case ast.Compare(left, [op], [right]) if type(op) in COMPARISONS:
            yield node, ast.unparse(ast.Compare(left, [COMPARISONS[type(op)]()], [right]))
        case ast.BinOp(left, op, right) if type(op) in SUMS and not isinstance(left, ast.Constant | ast.JoinedStr):
            yield node, ast.unparse(ast.BinOp(left, SUMS[type(op)](), right))
        case ast.BoolOp(op, values):
            yield node, ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
        case ast.UnaryOp(ast.Not(), operand):
            yield node, ast.unparse(operand)
        case ast.Constant(bool() as value):
            yield node, str(not value)
        case ast.Constant(int() as value):
            yield node, str(value + 1)
        case ast.Constant(str() as value) if value.strip():
            yield node, repr(value + "~")
        case ast.If(_, [ast.Raise() | ast.Return() | ast.Continue() | ast.Break()], []):
            yield node, "pass"


def mutants_of(path: Path) -> list[Mutant]:
    """Returns all mutants of a source file; docstrings, annotations, decorators, f-strings and errors stay."""
    source = path.read_text()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    found = []
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        for place, instead in changes(node):
            assert isinstance(place, ast.expr | ast.stmt)
            assert place.end_lineno is not None
            assert place.end_col_offset is not None
            start = starts[place.lineno - 1] + place.col_offset
            end = starts[place.end_lineno - 1] + place.end_col_offset
            found.append(Mutant(path, start, end, f"({instead})" if isinstance(place, ast.expr) else instead))
        if not isinstance(node, ast.JoinedStr | ast.Raise):
            for name, value in ast.iter_fields(node):
                if name not in ("annotation", "returns", "decorator_list"):
                    waiting += [child for child in (value if isinstance(value, list) else [value]) if _has_code(child)]
    return found


def _has_code(node: object) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.AST) and not is_text


def is_left_out(file: Path) -> bool:
    """Kernels take longer to compile than all tests of a room, an ``__init__`` is a list of names."""
    return file.name == "__init__.py" or fnmatch(file.name, "_*kernels.py")


def is_killed(mutant: Mutant, copy: Path, tests: list[str], limit_s: float) -> bool:
    """Whether a test fails, or runs on for ever, on the copy of the tree that holds the mutant."""
    file = copy / mutant.path.relative_to(ROOT)
    file.write_text(mutant.text())
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=limit_s, check=False)
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        shutil.copyfile(mutant.path, file)


@click.command()
@click.argument("room")
@click.option("--tests", multiple=True, help="Tests to run; may be repeated.  [default: those of the same path]")
@click.option("--sample", "count", type=click.IntRange(1), default=25, show_default=True, help="Mutants to draw.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--limit", type=float, default=300, show_default=True, help="Seconds after which tests count as failed.")
def main(room: str, tests: tuple[str, ...], count: int, seed: int, limit: float) -> None:
    """Change the code of ROOM, such as runtime/outputs.py, and tell which changes its tests do not see."""
    place = ROOT / room
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    every = [mutant for file in files if not is_left_out(file) for mutant in mutants_of(file)]
    sample = random.Random(seed).sample(every, min(count, len(every)))
    same_path = room if place.is_dir() else f"{Path(room).parent}/test_{place.name}"
    run_tests = list(tests) or [f"tests/{same_path}"]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / ROOT.name
        shutil.copytree(ROOT, copy, symlinks=True, ignore=LEFT_OUT)
        nothing = Mutant(files[0], 0, 0, "")
        if is_killed(nothing, copy, run_tests, limit):
            raise click.UsageError(f"{' '.join(run_tests)} fail without any change")
        survived = 0
        for mutant in sample:
            killed = is_killed(mutant, copy, run_tests, limit)
            survived += not killed
            name = mutant.path.relative_to(ROOT)
            line = mutant.path.read_bytes()[: mutant.start].count(b"\n") + 1
            click.echo(f"{'killed  ' if killed else 'SURVIVED'} {name}:{line}")
            if not killed:
                lines = mutant.path.read_text().splitlines(), mutant.text().splitlines()
                click.echo("\n".join(list(difflib.unified_diff(*lines, n=0, lineterm=""))[2:]))
    click.echo(f"{room}: {len(sample)} of {len(every)} mutants, {len(sample) - survived} killed, {survived} survived")


if __name__ == "__main__":
    run(main)
