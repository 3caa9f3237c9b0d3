"""The log of a match whose number of hands is not known before it ends.

During the match the file is a valid log that breaks off after a whole hand. At the end it is replaced by a log like
that of any finished match, with the number of hands in the header and the ``SCORE:`` line.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from hedgehog.dealer.journal import LineFile, encode
from hedgehog.poker.acpc.handlog import LogHeader, format_header, format_score_line, scan_log_line
from hedgehog.runtime.errors import InputError, MatchError, ResourceError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.folder_lock import try_lock
from hedgehog.runtime.outputs import make_folder


class SessionLog:
    """A log file for the lines that :func:`hedgehog.arena.in_process.play_seating` writes."""

    def __init__(self, path: Path, header: LogHeader) -> None:
        """Creates the log, and its folder if needed.

        :param path: a file that does not exist or is empty.
        :param header: header whose number of hands is the most that may be played.
        :raises InputError: if another process writes to the log.
        :raises ResourceError: if the log cannot be written.
        """
        self.path = path
        self._header = header
        self._hands: list[tuple[str, str]] = []
        self._scored = False
        make_folder(path.parent)
        try:
            self._file: BinaryIO = path.open("ab", buffering=0)
        except OSError as error:
            raise ResourceError(f"cannot write {path}: {error.strerror}") from error
        if not try_lock(self._file.fileno()):
            self._file.close()
            raise InputError("another match is writing this log", source=str(path))
        self._lines = LineFile(self._file, str(path))
        self._write(encode(format_header(header) + "\n"))

    def write(self, lines: bytes | memoryview, /) -> None:
        """Adds the line of a finished hand, or the score line of a match that was played to its end.

        :raises ResourceError: if it cannot be written; the log is then as it was.
        """
        self._write(lines)
        line = bytes(lines).decode()
        if line.startswith("STATE:"):
            self._hands.append((self._header.game, line))
        self._scored = self._scored or line.startswith("SCORE:")

    def change_game(self, game: str) -> None:
        """Says which game the hands that follow have, if it is another one than before.

        :param game: name of the game definition.
        :raises ResourceError: if it cannot be written; the log is then as it was.
        """
        if game != self._header.game:
            self._header = replace(self._header, game=game)
            self._write(encode(format_header(self._header) + "\n"))

    def _write(self, lines: bytes | memoryview) -> None:
        try:
            self._lines.write(lines)
        except MatchError as error:
            raise ResourceError(str(error)) from error

    @property
    def num_hands(self) -> int:
        """Number of hands in the log."""
        return len(self._hands)

    def finish(self, names: list[str]) -> None:
        """Ends the log with the score of its hands, or removes the file if it has none.

        :param names: names of the players in seat order.
        :raises ResourceError: if the log cannot be written.
        """
        self._file.close()
        if self._scored:
            return
        if not self._hands:
            with contextlib.suppress(OSError):
                if self.path.is_file():
                    self.path.unlink()
            return
        totals = [0.0] * len(names)
        lines = []
        before = ""
        for game, line in self._hands:
            if game != before:
                lines.append(format_header(replace(self._header, game=game, hands=len(self._hands))) + "\n")
            before = game
            lines.append(line)
            hand = scan_log_line(line.rstrip("\n"))
            for position, value in enumerate(hand.values):
                totals[(position + hand.hand_id) % len(names)] += value
        lines.append(format_score_line(totals, names) + "\n")
        with replacing(self.path) as file:
            file.write(encode("".join(lines)))
