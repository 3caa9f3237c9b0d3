"""Exit codes of the command line; 0 is success."""

from __future__ import annotations

from typing import Final

EXIT_FAULT: Final = 1
"""Something that was asked for failed, such as a match, or a check found a fault."""
EXIT_USAGE: Final = 2
"""Bad input."""
EXIT_INTERRUPTED: Final = 130
"""Ctrl-C, or a signal that ends a process."""
