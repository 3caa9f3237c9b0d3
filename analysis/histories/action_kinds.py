"""The kinds of betting actions, by number, as tables of real hands and their kernels hold them."""

from __future__ import annotations

FOLD, CHECK, CALL, RAISE = range(4)
