"""Statistics of hand-history files: what each player won, with confidence intervals, and how often it does what.

Hands are independent observations unless :class:`LogStatistics` is told to pair them: a duplicate group is a set of
hands with the same cards, the same seed and number, and the same players in every possible seating (2 with two
players, 6 with three). The mean of a group is then one observation (:mod:`analysis.stats.estimate`).

Beside the chips won, every hand may have an *adjusted* value, which has the same mean and less variance. In logs of
local best response it is the imaginary-observation value; otherwise it is the expectation of all-in showdowns.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.histories.hand_files import FileHand, HandFile
from analysis.histories.hand_words import position_names
from analysis.stats.anytime import anytime_estimate
from analysis.stats.estimate import Estimate, mean_estimate
from analysis.stats.frequencies import Frequencies, FrequencyCount, HandTallier, HandTally
from analysis.stats.match_report import largest_result
from arena.match import seat_orders
from poker.acpc.gamedef import GameDef
from poker.acpc.handlog import LoggedHand
from runtime.errors import LogError

_MBB: Final = 1000
"""Milli-big-blinds in a big blind."""

Adjust = Callable[[LoggedHand], Sequence[float]]
"""Returns for a hand the adjusted value of every position, in chips."""


@dataclass(frozen=True, slots=True)
class PositionStats:
    """What one player won in one position. Every hand is one observation, also in duplicate matches."""

    position: str
    hands: int
    mbb_per_hand: Estimate


@dataclass(frozen=True, slots=True)
class PlayerStats:
    """What one player won, and how often it does what."""

    name: str
    hands: int
    mbb_per_hand: Estimate
    """Mean winnings. An observation is a hand, or the mean of a duplicate group."""
    anytime: Estimate
    """Mean winnings in mbb per hand with the anytime-valid interval (:mod:`analysis.stats.anytime`)."""
    adjusted: Estimate | None
    """Mean of the adjusted values in mbb per hand; None if there are none."""
    sd_big_blinds: float
    """Standard deviation of one hand, in big blinds; NaN for a single hand."""
    showdown_share: float
    """Share of the hands in which the player came to a showdown."""
    frequencies: Frequencies
    positions: tuple[PositionStats, ...]


@dataclass(frozen=True, slots=True)
class MatchStats:
    """Statistics over all files of one match."""

    label: str
    """Name that the files of the match share, :attr:`analysis.histories.hand_files.HandFile.label`."""
    hands: int
    """Number of hands counted."""
    groups: int | None
    """Number of complete duplicate groups; None if hands were not paired."""
    left_out: int
    """Number of hands not counted: beyond the limit of hands, or in incomplete duplicate groups."""
    players: tuple[PlayerStats, ...]
    """The players, in the order in which they first appear."""


class _Player:
    """The values of one player, one per hand counted."""

    def __init__(self) -> None:
        self.chips = array("d")
        self.adjusted = array("d")
        self.positions = array("b")
        self.showdowns = 0
        self.frequencies = FrequencyCount()
        self.group_chips = array("d")
        self.group_adjusted = array("d")


@dataclass(frozen=True, slots=True)
class _Hand:
    """The data of a hand that are kept until its duplicate group is complete. Tuples are in position order."""

    names: tuple[str, ...]
    chips: tuple[float, ...]
    adjusted: tuple[float, ...] | None
    tallies: list[HandTally]


class LogStatistics:
    """Collects the hands of any number of files and computes statistics of their players.

    :param pairs: count only complete duplicate groups, each as one observation.
    :param first: largest number of hands to count between the same players; None counts all.
    :param adjust: computes the adjusted values of a hand; None takes the values in the file, if it has any.
    """

    def __init__(self, *, pairs: bool = False, first: int | None = None, adjust: Adjust | None = None) -> None:
        self._pairs = pairs
        self._first = first
        self._adjust = adjust
        self._matches: dict[str, _Match] = {}

    def add(self, file: HandFile, entry: FileHand) -> None:
        """Adds a hand.

        :param file: the file of the hand.
        :param entry: the hand.
        :raises LogError: if the names cannot be told apart, files of one label have different games, or, with pairs, a
            hand occurs twice.
        """
        hand = entry.hand
        gamedef = hand.state.gamedef
        names = tuple(hand.names.split("|"))
        if len(set(names)) != gamedef.num_players or len(names) != gamedef.num_players:
            raise _error(file, entry, f"expected {gamedef.num_players} different names without |, got {hand.names!r}")
        adjusted: tuple[float, ...] | None = None
        if self._adjust is not None:
            adjusted = tuple(self._adjust(hand))
        elif entry.imaginary_value is not None:
            adjusted = (entry.imaginary_value, -entry.imaginary_value)
        match = self._matches.setdefault(file.label, _Match(gamedef))
        if match.gamedef != gamedef:
            raise _error(file, entry, "this hand is of another game than those before; score one game at a time")
        if self._first is not None:
            match.seen[frozenset(names)] += 1
            if match.seen[frozenset(names)] > self._first:
                match.left_out += 1
                return
        chips = tuple(map(float, hand.values))
        kept = _Hand(names, chips, adjusted, match.tallier.tally(hand, chips))
        if not self._pairs:
            match.count([kept])
            return
        cards = bytes(card for cards in hand.hole_cards for card in cards)
        key = (file.seed, hand.hand_id, cards, frozenset(names))
        group = match.open_groups.setdefault(key, [])
        if any(other.names == names for other in group):
            raise _error(file, entry, f"hand {hand.hand_id} with these cards and seats was there before")
        group.append(kept)
        if len(group) == len(seat_orders(gamedef.num_players, duplicate=True)):
            match.count(group)
            del match.open_groups[key]

    def results(self) -> list[MatchStats]:
        """Returns one entry per label, in the order of their first hands.

        :raises LogError: if there are no hands, or no complete duplicate group under a label.
        """
        if not self._matches:
            raise LogError("expected at least one hand")
        return [match.result(label, self._pairs) for label, match in self._matches.items()]


def _error(file: HandFile, entry: FileHand, message: str) -> LogError:
    return LogError(message, source=str(file.path), line=entry.line)


class _Match:
    """Everything that was counted for the files of one label."""

    def __init__(self, gamedef: GameDef) -> None:
        self.gamedef = gamedef
        self.players: dict[str, _Player] = {}
        self.tallier = HandTallier()
        self.hands = 0
        self.groups = 0
        self.left_out = 0
        self.seen: Counter[frozenset[str]] = Counter()
        self.open_groups: dict[tuple[int | None, int, bytes, frozenset[str]], list[_Hand]] = {}

    def count(self, group: Sequence[_Hand]) -> None:
        """Counts the hands of a group, which together are one observation."""
        self.groups += 1
        self.hands += len(group)
        for name in group[0].names:
            player = self.players.setdefault(name, _Player())
            for hand in group:
                position = hand.names.index(name)
                player.chips.append(hand.chips[position])
                player.positions.append(position)
                player.showdowns += hand.tallies[position].showdown
                player.frequencies.add(hand.tallies[position])
                if hand.adjusted is not None:
                    player.adjusted.append(hand.adjusted[position])
            player.group_chips.append(sum(player.chips[-len(group) :]) / len(group))
            if len(player.adjusted) == len(player.chips):
                player.group_adjusted.append(sum(player.adjusted[-len(group) :]) / len(group))

    def result(self, label: str, pairs: bool) -> MatchStats:
        if pairs and not self.groups:
            where = f" under {label}" if label else ""
            raise LogError(f"expected duplicate hands{where} (same seed, number, cards and players), found none")
        return MatchStats(
            label=label,
            hands=self.hands,
            groups=self.groups if pairs else None,
            left_out=self.left_out + sum(map(len, self.open_groups.values())),
            players=tuple(self._player(name, player) for name, player in self.players.items()),
        )

    def _player(self, name: str, player: _Player) -> PlayerStats:
        scale = _MBB / max(1, self.gamedef.big_blind)
        chips, positions = np.array(player.chips) * scale, np.array(player.positions)
        groups, adjusted = np.array(player.group_chips) * scale, np.array(player.group_adjusted) * scale
        largest = largest_result(self.gamedef)
        return PlayerStats(
            name=name,
            hands=len(chips),
            mbb_per_hand=mean_estimate(groups),
            anytime=anytime_estimate(groups, bound=None if largest is None else largest * scale),
            adjusted=mean_estimate(adjusted) if len(adjusted) == len(groups) else None,
            sd_big_blinds=mean_estimate(chips).sd / _MBB,
            showdown_share=player.showdowns / len(chips),
            frequencies=player.frequencies.result(),
            positions=tuple(
                PositionStats(title, int(np.count_nonzero(positions == position)), mean_estimate(chips[at]))
                for position, title in enumerate(position_names(self.gamedef))
                if (at := positions == position).any()
            ),
        )
