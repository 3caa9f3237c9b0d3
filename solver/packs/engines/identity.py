"""What the results of a worker depend on besides its task: sources, kernels, and the versions of libraries.

A build that is spread over machines is only sound if all of them run the same program. Every worker compares its own
:class:`Identity` with that of the client before its first task.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from hedgehog.runtime.jit import kernel_sources
from hedgehog.runtime.packages import ROOT

_PACKAGES: Final = ("runtime", "poker", "strategies", "solver")
"""The packages whose code decides what a solve returns."""
_SHOWN: Final = 12
"""Number of characters of a digest that a message shows."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The program of one process."""

    hedgehog: str
    """Version of Hedgehog."""
    code: str
    """SHA-256 of the sources of the packages up to the solver."""
    kernels: str
    """SHA-256 of the sources of all kernels."""
    python: str
    numpy: str
    numba: str
    llvmlite: str

    def difference(self, other: Identity) -> str | None:
        """Returns a few words on the first part in which another process differs; None if it runs the same program."""
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            if mine != theirs:
                return f"{field.name} {theirs[:_SHOWN]}, not {mine[:_SHOWN]}"
        return None


@cache
def own_identity() -> Identity:
    """Returns the identity of this process."""
    code = sorted(path for package in _PACKAGES for path in (ROOT / package).rglob("*.py"))
    return Identity(
        hedgehog=version("hedgehog-poker"),
        code=_digest(code),
        kernels=_digest(kernel_sources()),
        python=platform.python_version(),
        numpy=version("numpy"),
        numba=version("numba"),
        llvmlite=version("llvmlite"),
    )


def _digest(paths: Iterable[Path]) -> str:
    """Returns the SHA-256 of the names and contents of source files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
