"""Public names of a package that are imported when they are first used.

``import hedgehog.poker`` must cost next to nothing, yet ``hedgehog.poker.range_equity`` needs numba. A package
therefore lists its public names once, in imports that type checkers read and Python does not run::

    if TYPE_CHECKING:
        from hedgehog.poker.cards import parse_cards
    else:
        __getattr__, __dir__ = lazy_exports(__name__)

    __all__ = ["parse_cards"]
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any


def lazy_exports(package: str, also: Sequence[str] = ()) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns a module's ``__getattr__`` and ``__dir__`` (PEP 562), which import and list a package's public names.

    A name is imported when it is first used.

    :param package: ``__name__`` of the package. Its ``__init__`` imports its public names below
        ``if TYPE_CHECKING:``.
    :param also: further names to list.
    """

    def find(name: str) -> Any:
        module = None if name.startswith("_") else _modules_of_names(package).get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(module), name)
        setattr(sys.modules[package], name, value)  # later uses find the name in the package
        return value

    return find, lambda: sorted([*_modules_of_names(package), *also])


@cache
def _modules_of_names(package: str) -> dict[str, str]:
    """Returns public name -> module, read from the imports below ``if TYPE_CHECKING:`` of the package's source."""
    file = sys.modules[package].__file__
    assert file is not None
    statements = ast.parse(Path(file).read_text(encoding="utf-8")).body
    block = next(statement for statement in statements if isinstance(statement, ast.If))
    return {
        alias.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module is not None
        for alias in statement.names
    }
