"""The texts of the Annual Computer Poker Competition: game definitions, match states, logs.

>>> from hedgehog.poker import acpc
>>> game = acpc.load_gamedef("holdem.nolimit.2p.reverse_blinds")
>>> game.blinds, game.stacks
((100, 50), (20000, 20000))

A betting line is read as a person types it, and written as a log has it.

>>> state = acpc.parse_betting_line("r250c/kr300", game)
>>> state.betting_string(), state.acting_position, state.raise_range()
('r250c/cr550', 0, (850, 20000))

A match state is what one position sees of a hand.

>>> seen = acpc.parse_matchstate("MATCHSTATE:0:30:r250c/cr550:AhKd|/QsJh2h", game)
>>> seen.hand_id, seen.state.can_fold()
(30, True)

Logs are verified by :func:`verify_log`, and files of any format by
:func:`hedgehog.analysis.histories.verify_hand_file`.

>>> report = acpc.verify_log("tests/data/acpc/log_hunl2p_s0.log.gz")
>>> report.hands, report.faults
(500, ())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.poker.acpc.betting_line import format_betting_line, format_spot_actions, parse_betting_line
    from hedgehog.poker.acpc.gamedef import (
        DEFAULT_GAME,
        GameDef,
        find_gamedef,
        format_gamedef,
        load_gamedef,
        parse_gamedef,
        read_gamedef,
        shipped_gamedefs,
    )
    from hedgehog.poker.acpc.handlog import (
        Fault,
        LoggedHand,
        LogHeader,
        LogReport,
        find_log_gamedef,
        format_log_line,
        parse_log_line,
        read_log,
        verify_log,
        verify_log_lines,
    )
    from hedgehog.poker.acpc.lbr_log import parse_lbr_hand, read_lbr_hands, verify_lbr_lines
    from hedgehog.poker.acpc.matchstate import MatchState, format_matchstate, parse_betting, parse_matchstate
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "DEFAULT_GAME", "Fault", "GameDef", "LogHeader", "LogReport", "LoggedHand", "MatchState", "find_gamedef",
    "find_log_gamedef", "format_betting_line", "format_gamedef", "format_log_line", "format_matchstate",
    "format_spot_actions", "load_gamedef", "parse_betting", "parse_betting_line", "parse_gamedef", "parse_lbr_hand",
    "parse_log_line", "parse_matchstate", "read_gamedef", "read_lbr_hands", "read_log", "shipped_gamedefs",
    "verify_lbr_lines",
    "verify_log", "verify_log_lines",
]  # fmt: skip
