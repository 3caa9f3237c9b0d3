"""The layout: folders stay small, modules import each other in no circle, and tests borrow from no other test."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

import hedgehog

TESTS = Path(__file__).parent
HOUSE = Path(hedgehog.__file__).parent
MODULES = sorted(TESTS.rglob("*.py"))
PACKAGES = sorted(path for path in HOUSE.iterdir() if path.is_dir() and path.name[0] != "_")
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


@pytest.mark.parametrize("top", [TESTS, *PACKAGES], ids=lambda path: path.name)
def test_folders_are_small(top: Path) -> None:
    counts = Counter(path.parent for path in top.rglob("*.py"))
    assert counts
    assert {str(folder.relative_to(top)): count for folder, count in counts.items() if count > MOST_FILES} == {}


def circle(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Returns modules of which each one imports the next one or is imported by it, in a circle; none: an empty list.

    :param imports: module -> modules that it imports.
    """
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def named_modules(source: str) -> set[str]:
    """Returns the texts in a source text that are nothing but a name: modules that are imported by name are such."""
    tree = ast.walk(ast.parse(source))
    texts = {node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if re.fullmatch(r"hedgehog(\.\w+)+", text)}


def test_what_counts_as_circle() -> None:
    assert circle({"a": ["b"], "b": ["c"], "c": []}) == []
    assert sorted(set(circle({"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": [], "e": ["a"]}))) == ["a", "b", "c"]
    assert named_modules("'''see hedgehog.poker'''\nload('hedgehog.agent')\n") == {"hedgehog.agent"}


def test_modules_import_each_other_in_no_circle() -> None:
    """Imports inside functions count, and so do modules that are imported by their names, as commands are."""
    graph = grimp.build_graph("hedgehog", cache_dir=None)
    assert len(graph.modules) > 500
    files = {module: HOUSE.joinpath(*module.split(".")[1:]) for module in graph.modules}
    modules = {module for module, file in files.items() if not file.is_dir()}  # a package may be named for its data
    imports = {}
    for module, file in files.items():
        source = (file.with_suffix(".py") if module in modules else file / "__init__.py").read_text()
        by_name = named_modules(source) & modules - {module}
        imports[module] = sorted(graph.find_modules_directly_imported_by(module) | by_name)
    assert imports["hedgehog.cli.main"].count("hedgehog.cli.arena.match") == 1
    assert circle(imports) == []
