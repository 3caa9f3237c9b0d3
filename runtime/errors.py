"""The exception tree of Hedgehog.

::

    HedgehogError                  every error we raise on purpose
    ├── InputError (ValueError)    bad input from outside: one message, CLI exit code 2
    │   ├── CardError              card, board or hole-card text
    │   ├── RangeError             range notation
    │   ├── GamedefError           ACPC game definition
    │   ├── MatchStateError        ACPC MATCHSTATE line
    │   ├── LogError               ACPC log file
    │   ├── SpotError              solver spot file or configuration
    │   ├── GameError              game of the toolkit: rules, tree or file
    │   │   └── PerfectRecallError a player forgets what it did or knew
    │   └── PackError              strategy pack: missing, damaged, wrong version
    ├── ResourceError              the machine lacks memory, disk space or a permission: CLI exit code 2
    │   └── MemoryShortageError    not enough memory; nothing was allocated
    ├── MatchError                 a match could not be completed: CLI exit code 1
    └── StoppedError               the caller has stopped a task: CLI exit code 130, as after Ctrl-C
"""

from __future__ import annotations

import re
from typing import Final

_CONTROLS: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class HedgehogError(Exception):
    """Base of every error Hedgehog raises on purpose; as text it is one line."""

    def __str__(self) -> str:
        return one_line(super().__str__())


def one_line(text: str) -> str:
    """Returns a text with escapes in place of line ends, control characters and code points that cannot be printed.

    Error messages repeat file names and words of the user, which may contain any of these.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode("ascii")
        for letter in text
    )


def escape_controls(text: str) -> str:
    """Returns a text with escapes in place of control characters other than line ends, and of marks of direction.

    Names of players and files are data, which no terminal or page may obey.
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


class InputError(HedgehogError, ValueError):
    """Bad input from outside the program.

    :param message: what is wrong and what was expected, lower case, offending text as ``{text!r}``.
    :param source: file name or other origin, if known.
    :param line: 1-based line number in ``source``, if known.
    """

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None) -> None:
        self.message = message
        self.source = source
        self.line = line
        super().__init__(message)

    def __str__(self) -> str:
        where = self.source or ""
        if self.line is not None:
            where = f"{where}:{self.line}" if where else f"line {self.line}"
        return one_line(f"{where}: {self.message}" if where else self.message)


class CardError(InputError):
    """A card, board or hole-card text is malformed, or a card is repeated."""


class RangeError(InputError):
    """A range string such as ``66+,A8s+,76s:0.5`` is malformed or empty."""


class GamedefError(InputError):
    """An ACPC game definition is malformed or asks for an impossible game."""


class MatchStateError(InputError):
    """A MATCHSTATE line is malformed or describes an impossible hand."""


class LogError(InputError):
    """An ACPC log file is malformed or contradicts its game definition."""


class SpotError(InputError):
    """A solver spot file or configuration is malformed."""


class GameError(InputError):
    """A game of the game-theory toolkit is malformed, or is not of the kind that a method needs."""


class PerfectRecallError(GameError):
    """A player of an extensive game forgets at an information set what it did or knew before."""


class PackError(InputError):
    """A strategy pack is missing, damaged, or of a version this program does not read."""


class ResourceError(HedgehogError):
    """The machine lacks memory, disk space or a permission that the job needs; the message says which."""


class MemoryShortageError(ResourceError):
    """More memory is needed than is free; nothing was allocated.

    :param needed: bytes that the job needs.
    :param free: bytes that can be allocated.
    """

    def __init__(self, needed: float, free: float) -> None:
        self.needed = needed
        self.free = free
        super().__init__(f"the solve needs {needed / 1e9:.2f} GB of memory, {free / 1e9:.2f} GB are free")


class MatchError(HedgehogError):
    """A match could not be completed (player died, time ran out)."""


class StoppedError(HedgehogError):
    """The watch of a task has asked it to stop (:mod:`hedgehog.runtime.watch`). What is saved can be gone on with."""
