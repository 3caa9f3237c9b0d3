"""Reads the transaction log and the unfinished match log of an interrupted match, from which it can be resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from hedgehog.dealer.cards import Deal
from hedgehog.dealer.transactions import SHOWN, Transaction, is_transaction, parse_transaction
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import format_log_line, scan_log_line
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.runtime.errors import InputError, MatchError, ResourceError
from hedgehog.runtime.input_files import MOST_LOG_BYTES, read_file, read_input

_HAND_ID: Final = re.compile("[0-9]{1,10}")


def read_transactions(path: Path) -> Iterator[Transaction]:
    """Returns an iterator over the actions in a transaction log; the file is read at once, but parsed line by line.

    If only the line end of the last line is missing, it is added to the file. A missing file has no actions.

    :raises InputError: if the file cannot be read, or its last line end cannot be added.
    :raises MatchError: when the iterator comes to a malformed or incomplete line.
    """
    try:
        text = read_input(path, MOST_LOG_BYTES).decode("latin-1") if path.exists() else ""
        *lines, rest = text.split("\n")
        if is_transaction(rest):
            with path.open("ab") as file:
                file.write(b"\n")
            lines.append(rest)
            rest = ""
    except OSError as error:
        raise InputError(f"could not read {path} ({error.strerror})") from error
    return _parse(path, lines, rest)


def _parse(path: Path, lines: list[str], rest: str) -> Iterator[Transaction]:
    yield from map(parse_transaction, lines)
    if rest:
        raise MatchError(
            f"could not parse transaction stamp {rest[:SHOWN]!r}: the last line of {path} is incomplete; without that "
            "line the match can be resumed"
        )


class UnfinishedLog:
    """The match log of an interrupted match. Its last line may be incomplete."""

    def __init__(self, path: Path) -> None:
        """Reads the log.

        :raises InputError: if the log cannot be read.
        """
        data = read_file(path, MOST_LOG_BYTES)
        self._path = path
        *self.lines, self.rest = data.decode("utf-8", "surrogateescape").split("\n")
        """``lines``: the whole lines, without line ends. ``rest``: the incomplete last line, empty if there is none."""
        self._size = data.rfind(b"\n") + 1

    def cut(self) -> None:
        """Cuts an incomplete last line off the file.

        :raises ResourceError: if the file cannot be shortened.
        """
        if self.rest:
            try:
                os.truncate(self._path, self._size)
            except OSError as error:
                raise ResourceError(f"cannot write {self._path}: {error.strerror}") from error


def count_logged_hands(path: Path, header: str) -> int | None:
    """Returns the number of hands in the log of an interrupted match, and cuts an incomplete last line off the file.

    :param path: the match log.
    :param header: first header line of the match.
    :returns: number of hands; None if the file does not exist or is not the log of this match.
    :raises InputError: if the file cannot be read.
    :raises ResourceError: if the file cannot be shortened.
    """
    if not path.exists():
        return None
    log = UnfinishedLog(path)
    if header not in [*log.lines, log.rest][0]:
        return None
    log.cut()
    states = [line for line in log.lines if line.startswith("STATE:")]
    if not states:
        return 0
    hand_id = states[-1].split(":", 2)[1]
    return int(hand_id) + 1 if _HAND_ID.fullmatch(hand_id) else None


def read_logged_hands(path: Path, head: str) -> list[str]:
    """Returns the ``STATE:`` lines in the log of an interrupted match, and cuts an incomplete last line off the file.

    :param path: the match log.
    :param head: all header lines of the match, each with its line end.
    :raises InputError: if the file cannot be read, or is not the unfinished log of this match.
    :raises ResourceError: if the file cannot be shortened.
    """
    log = UnfinishedLog(path)
    first = head.count("\n")
    if log.lines[:first] != head.split("\n")[:-1]:
        raise InputError("not the log of this match", source=str(path))
    for number, line in enumerate(log.lines[first:], first + 1):
        if not line.startswith("STATE:"):
            raise InputError(f"expected a hand, got {line[:80]!r}", source=str(path), line=number)
    log.cut()
    return log.lines[first:]


def logged_values(gamedef: GameDef, hand_id: int, line: str, deal: Deal, names: str) -> Sequence[float]:
    """Returns the chips that every position won in a hand which stands in the log of an interrupted match.

    :param gamedef: the game.
    :param hand_id: number of the hand, from 0.
    :param line: the ``STATE:`` line of the hand, without line end.
    :param deal: the cards of the hand in this match.
    :param names: names of the players in position order, separated by ``|``.
    :raises MatchError: if the line is not a finished hand with this number, these cards and these names.
    """
    try:
        state = parse_betting(scan_log_line(line).betting, gamedef)
        if not state.finished:
            raise InputError("the hand is not finished")
    except InputError as error:
        raise MatchError(f"hand {hand_id} in the match log: {error.message}") from error
    values = payoffs(state, *deal)
    board = deal.board[: gamedef.board_cards_by(state.round)]
    if format_log_line(hand_id, state, deal.hole_cards, board, values, [names]) != line:
        raise MatchError(f"hand {hand_id} in the match log is not a hand of this match")
    return values
