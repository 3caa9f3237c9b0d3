"""The type of the fixture ``run``, which runs the command line."""

from __future__ import annotations

from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
"""Takes the arguments of a command; returns exit code, stdout and stderr."""
