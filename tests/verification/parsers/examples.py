"""Valid input that parsers of several kinds get."""

from __future__ import annotations

from tests.golden import HUNL, game

GAMES = [game(name) for name in (HUNL, "custom.nolimit.6p.sidepots", "leduc.limit.2p", "custom.limit.4p.shortstacks")]
