"""The kinds of betting actions, by number, as tables of real hands and their kernels hold them."""

from __future__ import annotations

from typing import Final

KINDS: Final = ("fold", "check", "call", "raise")
"""Names of the kinds of actions, by number."""
FOLD, CHECK, CALL, RAISE = range(4)
