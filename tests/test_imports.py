"""The layout of the tests: helpers live in modules of their own, and every folder stays small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MODULES = sorted(TESTS.rglob("*.py"))
MOST_FILES = 20


def imported(source: str) -> Iterator[str]:
    """Yields every module that a source text imports, and what it imports from it, as dotted names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "tests." in node.value:
            # Scripts for other processes.
            try:
                yield from imported(node.value)
            except SyntaxError:
                continue


def borrowed(source: str) -> list[str]:
    """Returns the imports from test modules and conftest files."""
    return [
        name
        for name in imported(source)
        if name.startswith("tests.")
        and any(part == "conftest" or part.startswith("test_") for part in name.split(".")[1:])
    ]


def test_what_counts_as_borrowed() -> None:
    text = "from tests.cli.conftest import Run\nfrom tests.golden import game\nrun('import tests.poker.test_state')\n"
    assert borrowed(text) == ["tests.cli.conftest.Run", "tests.poker.test_state"]
    assert borrowed("def f() -> None:\n    from tests.poker import test_state\n") == ["tests.poker.test_state"]


def test_no_test_module_is_imported() -> None:
    assert len(MODULES) > 150
    others = [path for path in MODULES if path != Path(__file__)]
    assert {str(path.relative_to(TESTS)): found for path in others if (found := borrowed(path.read_text()))} == {}


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES}), ids=lambda path: path.name)
def test_folders_are_small(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= MOST_FILES
