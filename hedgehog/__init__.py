"""Hedgehog, an open heads-up poker system: solves poker games, plays the solutions, and measures how good that is.

>>> import hedgehog as hh
>>> spot = hh.read_spot(hh.example_spots()["river"])
>>> solution = hh.solve(spot, target_pct=0.5)
>>> solution.exploitability().pct_pot < 0.5
True
>>> hh.Range("QQ+,AKs:0.5")
<Range: 20 combos, 1.5 %: QQ+,AKs:0.5>

The names here are those of every day. Each belongs to one of the packages, which have many more:
:mod:`hedgehog.poker`, :mod:`hedgehog.solver`, :mod:`hedgehog.strategies`, :mod:`hedgehog.agent`,
:mod:`hedgehog.dealer`, :mod:`hedgehog.arena`, :mod:`hedgehog.analysis`, :mod:`hedgehog.interop` and
:mod:`hedgehog.gametheory`. A name or a
package is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hedgehog.runtime.exports import lazy_exports
from hedgehog.runtime.packages import PACKAGES

if TYPE_CHECKING:
    from hedgehog.agent.player import Player
    from hedgehog.agent.questions import ask_player, parse_decision
    from hedgehog.agent.specs import ready_player
    from hedgehog.analysis.histories import open_hand_file
    from hedgehog.analysis.solves.meetings.sources import versus
    from hedgehog.analysis.stats import score_match
    from hedgehog.arena.play import play_match, play_tournament
    from hedgehog.poker.acpc.gamedef import load_gamedef
    from hedgehog.poker.cards import parse_cards
    from hedgehog.poker.evaluation.equity import range_equity
    from hedgehog.poker.range_view import Range
    from hedgehog.poker.ranges import format_range, parse_range
    from hedgehog.runtime.watch import ProgressLine, Watch
    from hedgehog.solver.abstraction.solving import solve
    from hedgehog.solver.examples import example_spots
    from hedgehog.solver.packs.build import build_pack
    from hedgehog.solver.postflop.estimate import estimate
    from hedgehog.solver.postflop.node_answers import answer_line, hand_rows
    from hedgehog.solver.postflop.prepared import prepare
    from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve, save_solve
    from hedgehog.solver.postflop.spot import parse_spot, read_spot
    from hedgehog.strategies.pack import default_packs, open_pack

    __version__: str

__all__ = [
    "Player", "ProgressLine", "Range", "Watch", "answer_line", "ask_player", "build_pack", "default_packs", "estimate",
    "example_spots", "format_range", "hand_rows", "load_gamedef", "open_hand_file", "open_pack", "open_solution",
    "parse_cards", "parse_decision", "parse_range", "parse_spot", "play_match", "play_tournament", "prepare",
    "range_equity", "read_saved_solve", "read_spot", "ready_player", "save_solve", "score_match", "solve",
    "versus",
]  # fmt: skip

if not TYPE_CHECKING:
    _name_of, __dir__ = lazy_exports(__name__, also=("__version__", *PACKAGES))

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return import_module("importlib.metadata").version("hedgehog-poker")
        return import_module(f"{__name__}.{name}") if name in PACKAGES else _name_of(name)
