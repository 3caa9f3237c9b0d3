"""The transaction log: one line per action, from which an interrupted match can be resumed."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hedgehog.poker.state import Action
from hedgehog.runtime.errors import MatchError, one_line

SHOWN: Final = 200
"""Number of characters of a bad line that a message shows."""
_STAMP = re.compile(
    r"(?P<kind>[fcr])(?P<size>[0-9]{0,10})"
    r" (?P<hand>[0-9]{1,10}) (?P<sent>[0-9]{1,15}\.[0-9]{6}) (?P<received>[0-9]{1,15}\.[0-9]{6})"
)


class Transaction(NamedTuple):
    """One action of a match, with the times of question and answer."""

    action: Action
    """The legal action that was performed."""
    hand_id: int
    """Number of the hand, from 0."""
    sent_us: int
    """When the state was sent to the actor, in microseconds since the epoch."""
    received_us: int
    """When the answer arrived, in microseconds since the epoch."""


def format_timestamp(time_us: int) -> str:
    """Returns a time in microseconds as a text in seconds with six decimals."""
    return f"{time_us // 1_000_000}.{time_us % 1_000_000:06d}"


def format_transaction(transaction: Transaction) -> str:
    """Returns an action as a line of the transaction log, without line end."""
    sent, received = format_timestamp(transaction.sent_us), format_timestamp(transaction.received_us)
    return f"{transaction.action} {transaction.hand_id} {sent} {received}"


def is_transaction(line: str) -> bool:
    """Tells whether :func:`parse_transaction` accepts a line."""
    return _STAMP.fullmatch(line) is not None


def parse_transaction(line: str) -> Transaction:
    """Returns the action in a line of the transaction log.

    :raises MatchError: if the line is malformed.
    """
    match = _STAMP.fullmatch(line)
    if match is None:
        raise MatchError(f"could not parse transaction stamp {one_line(line[:SHOWN])}")
    return Transaction(
        Action(match["kind"], int(match["size"] or 0)),
        int(match["hand"]),
        int(match["sent"].replace(".", "")),
        int(match["received"].replace(".", "")),
    )
