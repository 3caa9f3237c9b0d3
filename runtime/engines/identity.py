"""What the results of a worker depend on besides its task: sources, kernels, libraries, and the processor.

Work that is spread over machines is only sound if all of them run the same program. The :class:`Identity` of every
worker is compared with that of the client before its first job. Compiled kernels may differ in their last digits
between processors, so one run uses workers of one kind of processor.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from hedgehog.runtime.jit import kernel_sources
from hedgehog.runtime.packages import PACKAGES, ROOT

_SHOWN: Final = 12
"""Number of characters of a digest that a message shows."""
_PROCESSOR: Final = "processor"


@dataclass(frozen=True, slots=True)
class Identity:
    """The program of one process, and its processor."""

    hedgehog: str
    """Version of Hedgehog."""
    code: str
    """SHA-256 of the sources of all packages."""
    kernels: str
    """SHA-256 of the sources of all kernels."""
    python: str
    numpy: str
    numba: str
    llvmlite: str
    processor: str
    """The processor that kernels are compiled for: its name and a digest of its features."""

    def difference(self, other: Identity) -> str | None:
        """Returns a few words on the first part in which another process differs; None if it runs the same program.

        Processors are left out.
        """
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            if mine != theirs and field.name != _PROCESSOR:
                return f"{field.name} {theirs[:_SHOWN]}, not {mine[:_SHOWN]}"
        return None


@cache
def own_identity() -> Identity:
    """Returns the identity of this process."""
    code = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return Identity(
        hedgehog=version("hedgehog-poker"),
        code=_digest(code),
        kernels=_digest(kernel_sources()),
        python=platform.python_version(),
        numpy=version("numpy"),
        numba=version("numba"),
        llvmlite=version("llvmlite"),
        processor=_processor(),
    )


def _processor() -> str:
    """Returns the processor as numba sees it; the variables ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES`` count."""
    config: Any = import_module("numba.core.config")
    codegen: Any = import_module("numba.core.codegen")
    name = config.CPU_NAME or codegen.ll.get_host_cpu_name()
    features = codegen.get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES
    return f"{name} ({hashlib.sha256(features.encode()).hexdigest()[:8]})"


def _digest(paths: Iterable[Path]) -> str:
    """Returns the SHA-256 of the names and contents of source files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
