"""The packages of Hedgehog, and packages of others that few tasks need and that are not installed with it."""

from __future__ import annotations

import importlib
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

from hedgehog.runtime.errors import InputError

ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder that holds the packages."""
PACKAGES: Final = (
    "runtime", "poker", "strategies", "solver", "gametheory", "agent", "dealer", "arena", "analysis", "interop",
    "explorer", "cli",
)  # fmt: skip
"""Names of all packages, from the lowest to the highest: a package imports only from packages before it."""
REQUIREMENTS: Final = {
    "pokerkit": "pokerkit",
    "distributed": "distributed",
    "bokeh": "bokeh",
    "pyarrow": "pyarrow",
    "pygambit": "pygambit>=16.7,<17",
    "pandas": "pandas",
    "polars": "polars",
    "open_spiel": "open_spiel",
    "pettingzoo": "pettingzoo",
    "gymnasium": "gymnasium",
}
"""What pip installs for each optional package."""
_PACKAGES_OF_MODULES: Final = {"pyspiel": "open_spiel"}
"""Modules that do not have the name of their package."""


def require(module: str, what: str, error: type[InputError] = InputError) -> ModuleType:
    """Returns a module of a package that may be missing, such as those of :data:`REQUIREMENTS`.

    :param module: name of the module, such as ``pyarrow.parquet``.
    :param what: what needs the package, with its verb, for the message: ``PHH files need``.
    :param error: the class of the exception that is raised.
    :raises InputError: an exception of class ``error``, if the package is not installed; the message ends with the
        command that installs it.
    """
    package = module.partition(".")[0]
    package = _PACKAGES_OF_MODULES.get(package, package)
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        command = shlex.join([sys.executable, "-m", "pip", "install", REQUIREMENTS.get(package, package)])
        raise error(f"{what} {package}, which is not installed here: {command}") from problem
