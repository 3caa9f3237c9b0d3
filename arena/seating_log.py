"""The log of one seating as the match runner sees it: followed while it grows, judged when it has stopped growing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dealer.resume import UnfinishedLog
from poker.acpc.handlog import parse_header, read_log, scan_log_line
from runtime.errors import InputError, LogError


@dataclass(frozen=True, slots=True)
class ExpectedLog:
    """What the log of a finished seating must say."""

    path: Path
    match: str
    """Name of the match in the header."""
    game: Path
    hands: int
    seed: int
    names: tuple[str, ...]
    """Players in seat order."""


@dataclass(slots=True)
class Progress:
    """How far a running match is."""

    hands: int = 0
    """Hands finished in all seatings."""
    chips: dict[str, float] = field(default_factory=dict)
    """Chips won so far by every entrant name."""
    started: float | None = None
    """``time.monotonic()`` at which the first seating was started; None if none was."""

    def add(self, hands: int, chips: Mapping[str, float]) -> None:
        """Counts further hands and what was won in them."""
        self.hands += hands
        for name, won in chips.items():
            self.chips[name] += won


class LogFollower:
    """Reads a growing log and adds its hands to the progress of the match."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._path = path
        self._progress = progress
        self._offset = 0
        self.hands = 0
        """Hands read from this log."""

    def read(self) -> None:
        """Takes in the lines that have been completed since the last call.

        :raises LogError: if one of them is damaged.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:  # the dealer writes it once it has started
            return
        complete = data[: data.rfind(b"\n") + 1]
        self._offset += len(complete)
        for line in complete.decode("latin-1").split("\n"):
            if line.startswith("STATE:"):
                try:
                    values, names = line.split(":", 5)[4:6]
                    won = map(float, values.split("|"))
                    self._progress.add(1, dict(zip(names.split("|"), won, strict=True)))
                except (ValueError, KeyError) as error:
                    raise LogError(f"expected a hand of this match, got {line!r}", source=str(self._path)) from error
                self.hands += 1


def read_finished_log(expected: ExpectedLog) -> dict[str, float] | None:
    """Reads the log of a seating if it was played to its end, and nothing else is in it.

    Header, hand numbers and the final score are checked, not the play; the winnings of all hands are added up.

    :returns: chips won by every player, or None if the log is missing, unfinished or of another match.
    """
    try:
        data = expected.path.read_bytes()
    except OSError:
        return None
    lines = data.decode("latin-1").split("\n")
    if lines.pop():  # no line end: it broke off
        return None
    if not lines or not _is_header(lines[0], expected):
        return None
    states = [line for line in lines if line.startswith("STATE:")]
    if len(states) != expected.hands or not lines[-1].startswith("SCORE:"):
        return None
    if any(not line.startswith(f"STATE:{number}:") for number, line in enumerate(states)):
        return None
    score = lines[-1].split(":", 2)
    if len(score) != 3 or score[2] != "|".join(expected.names):
        return None
    progress = Progress(chips=dict.fromkeys(expected.names, 0.0))
    try:
        LogFollower(expected.path, progress).read()
        scored = [float(value) for value in score[1].split("|")]
    except (ValueError, KeyError):
        return None
    # The values are printed with six decimals, so that thirds of a pot may differ in the last ones.
    tolerance = 1e-5 * (expected.hands + 1)
    added_up = [progress.chips[name] for name in expected.names]
    if len(scored) != len(added_up) or any(abs(a - b) > tolerance for a, b in zip(scored, added_up, strict=True)):
        return None
    return progress.chips


def count_unfinished_hands(expected: ExpectedLog) -> int | None:
    """Counts the whole hands in the log of a seating that was interrupted; an incomplete last line is none.

    Header, hand numbers and players are checked, not the play.

    :returns: 0 if there is no log or no hand in it; None if it is not the beginning of the expected log.
    """
    if not expected.path.exists():
        return 0
    try:
        lines = UnfinishedLog(expected.path).lines
    except InputError:
        return None
    hands = [line for line in lines if not line.startswith("#")]
    if not hands:
        return 0
    if not _is_header(lines[0], expected) or len(hands) > expected.hands:
        return None
    for number, line in enumerate(hands):
        names = line.rpartition(":")[2].split("|")
        if not line.startswith(f"STATE:{number}:") or sorted(names) != sorted(expected.names):
            return None
    return len(hands)


def _is_header(line: str, expected: ExpectedLog) -> bool:
    """Tells whether the first line of a log is the expected one."""
    try:
        header = parse_header(line)
    except LogError:
        return False
    if header is None or (header.match, header.hands, header.seed) != (expected.match, expected.hands, expected.seed):
        return False
    return Path(header.game).name == expected.game.name


def read_hole_cards(path: Path) -> list[str]:
    """Reads the hole cards of every hand of a log, as they stand there.

    :raises LogError: if the log cannot be read or a hand in it is malformed.
    """
    hole_cards = []
    for number, line in enumerate(read_log(path), 1):
        if line.startswith("STATE:"):
            try:
                hole_cards.append(scan_log_line(line).hole_cards)
            except LogError as error:
                raise LogError(error.message, source=str(path), line=number) from error
    return hole_cards


def flush_to_disk(path: Path) -> None:
    """Makes sure that a finished log outlives a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
