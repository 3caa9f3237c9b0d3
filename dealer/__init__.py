"""The dealer of the Annual Computer Poker Competition (ACPC): cards, the state of a match, and a TCP server.

A :class:`CardDealer` deals the cards that belong to a seed.

>>> import dealer, poker
>>> from hedgehog.poker.acpc import load_gamedef
>>> game = load_gamedef()
>>> deal = dealer.CardDealer(game, seed=1).deal()
>>> [poker.format_cards(cards) for cards in deal.hole_cards], poker.format_cards(deal.board)
(['8s2h', 'Kd5c'], '7hAdTd4sKc')

A :class:`Table` takes the lines that players send. It returns events: lines to send, lines to log, and messages.

>>> limits = dealer.TimeLimits(10**9, 10**9, 10**12)
>>> table = dealer.Table(game, ["Alice", "Bob"], num_hands=1, seed=1, limits=limits)
>>> for event in table.start(now_us=0):
...     print(event.seat, event.line.strip())
0 MATCHSTATE:0:0::8s2h|
1 MATCHSTATE:1:0::|Kd5c
>>> events = table.receive("MATCHSTATE:1:0::|Kd5c:f", now_us=1)
>>> events[-1]
MatchOver(score_line='SCORE:50|-50:Alice|Bob')

A :class:`MatchServer` runs a :class:`Table` behind one TCP port per seat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.dealer.answers import AnswerBook, AnswerRecord, read_answers
    from hedgehog.dealer.cards import CardDealer, Deal
    from hedgehog.dealer.clock import TimeLimits, time_limits
    from hedgehog.dealer.journal import Journal, LineFile, MessageStream
    from hedgehog.dealer.server import MatchServer, ServerOptions
    from hedgehog.dealer.table import Table
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "AnswerBook", "AnswerRecord", "CardDealer", "Deal", "Journal", "LineFile", "MatchServer", "MessageStream",
    "ServerOptions", "Table", "TimeLimits", "read_answers", "time_limits",
]  # fmt: skip
