"""Reads the log of one seating for the match runner: follows it while it grows, and checks whether it is complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hedgehog.dealer.resume import UnfinishedLog
from hedgehog.poker.acpc.handlog import parse_header, read_log, scan_log_line
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.input_files import MOST_LOG_BYTES, open_input, read_input


@dataclass(frozen=True, slots=True)
class ExpectedLog:
    """What the log of a finished seating must say."""

    path: Path
    match: str
    """Name of the match in the header of the log."""
    game: Path
    """Game definition file."""
    hands: int
    """Number of hands in the seating."""
    seed: int
    """Seed of the cards."""
    names: tuple[str, ...]
    """Names of the players in seat order."""
    first_hand: int = 0
    """Number of its first hand."""


@dataclass(slots=True)
class Progress:
    """How far a running match has come."""

    hands: int = 0
    """Number of hands finished in all seatings."""
    chips: dict[str, float] = field(default_factory=dict)
    """Name of each player -> chips that it has won so far."""
    started: float | None = None
    """``time.monotonic()`` at which the first seating was started; None if none was."""

    def add(self, hands: int, chips: Mapping[str, float]) -> None:
        """Adds hands and the chips that each player has won in them."""
        self.hands += hands
        for name, won in chips.items():
            self.chips[name] += won

    def winnings_text(self, big_blind: int) -> str:
        """Returns one line with the winnings of every player so far; empty before the first hand."""
        scale = 1000 / big_blind / max(self.hands, 1)
        return format_winnings((name, chips * scale) for name, chips in self.chips.items() if self.hands)

    def follower(self, names: Sequence[str]) -> Callable[[int, Sequence[float]], None]:
        """Returns a function that takes the hands and the chips per seat of one seating so far, and adds what is new.

        :param names: names of the players in seat order.
        """
        hands, chips = 0, dict.fromkeys(names, 0.0)

        def follow(played: int, won: Sequence[float]) -> None:
            nonlocal hands, chips
            totals = dict(zip(names, won, strict=True))
            self.add(played - hands, {name: total - chips[name] for name, total in totals.items()})
            hands, chips = played, totals

        return follow


def format_winnings(mbb_per_hand: Iterable[tuple[str, float]]) -> str:
    """Returns the winnings of players in one line: ``call -12, raise +12 mbb/h``; empty without players.

    :param mbb_per_hand: names and winnings in thousandths of a big blind per hand.
    """
    winnings = ", ".join(f"{name} {mbb:+.0f}" for name, mbb in mbb_per_hand)
    return f"{winnings} mbb/h" if winnings else ""


class LogFollower:
    """Reads a growing log and adds its hands to the progress of the match."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._path = path
        self._progress = progress
        self._offset = 0
        self.hands = 0
        """Number of hands read from the log so far."""

    def read(self) -> None:
        """Reads the lines that were completed since the last call. Does nothing if there is no log yet.

        :raises LogError: if a line is not a hand of this match.
        """
        try:
            with open_input(self._path) as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:  # the dealer writes it once it has started
            return
        complete = data[: data.rfind(b"\n") + 1]
        self._offset += len(complete)
        self.hands += _add_hands(complete.decode("latin-1").split("\n"), self._progress, self._path)


def _add_hands(lines: Iterable[str], progress: Progress, path: Path) -> int:
    """Adds the hands among the lines of a log to the progress of the match, and returns their number.

    :param path: the log, for the error.
    :raises LogError: if a line is not a hand of this match.
    """
    hands = 0
    for line in lines:
        if line.startswith("STATE:"):
            try:
                values, names = line.split(":", 5)[4:6]
                won = map(float, values.split("|"))
                progress.add(1, dict(zip(names.split("|"), won, strict=True)))
            except (ValueError, KeyError) as error:
                raise LogError(f"expected a hand of this match, got {line!r}", source=str(path)) from error
            hands += 1
    return hands


def read_finished_log(expected: ExpectedLog) -> dict[str, float] | None:
    """Returns the chips that every player won in a seating, from its log, or None if the log is not complete.

    Header, hand numbers, names and the final score are checked, but not the play.

    :param expected: what the log must say.
    :returns: name of each player -> chips won; None if the log is missing, unfinished, damaged or of another match.
    """
    try:
        data = read_input(expected.path, MOST_LOG_BYTES)
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
    if any(not line.startswith(f"STATE:{number}:") for number, line in enumerate(states, expected.first_hand)):
        return None
    score = lines[-1].split(":", 2)
    if len(score) != 3 or score[2] != "|".join(expected.names):
        return None
    progress = Progress(chips=dict.fromkeys(expected.names, 0.0))
    try:
        _add_hands(states, progress, expected.path)
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
    """Returns the number of whole hands in the log of an interrupted seating. An incomplete last line does not count.

    Header, hand numbers and names are checked, but not the play.

    :param expected: what the log must say.
    :returns: 0 if there is no log or no hand in it; None if the file is not the beginning of the expected log.
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
    for number, line in enumerate(hands, expected.first_hand):
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
    """Returns the hole cards of every hand in a log, as text in the form of the log.

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
    """Waits until a finished log is on the disk, so that it survives a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
