"""The HTTP games of Slumbot and of the GTO Wizard benchmark: our player behind them, and as their client.

:func:`serve_games` lets programs that were written for these games play against any player of ours. :func:`play_online`
plays our player at a server of either game. Both write every hand to an ACPC log, and go on after a crash.

The games call a check ``k``, and the size of a bet is the total on its street:

>>> from hedgehog.interop import http
>>> from hedgehog.poker.acpc import load_gamedef
>>> state = http.parse_tokens("b200c/kb400", load_gamedef())
>>> state.betting_string()
'r200c/cr600'
>>> http.format_tokens(state)
'b200c/kb400'

``interop/http`` knows HTTP in two modules alone: :mod:`hedgehog.interop.http.app` and
:mod:`hedgehog.interop.http.client.connection`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.interop.http.client.play import PlaySettings, play_online
    from hedgehog.interop.http.serve import ServeSettings, serve_games
    from hedgehog.interop.http.tokens import format_tokens, parse_tokens
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = ["PlaySettings", "ServeSettings", "format_tokens", "parse_tokens", "play_online", "serve_games"]
