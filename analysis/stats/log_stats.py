"""Statistics of hand-history files: what each player won, with confidence intervals, and how often it does what.

Hands are independent observations unless :class:`LogStatistics` is told to pair them: a duplicate group is a set of
hands with the same cards, the same seed and number, and the same players in every possible seating (2 with two
players, 6 with three). The mean of a group is then one observation (:mod:`hedgehog.analysis.stats.estimate`).

Beside the chips won, every hand may have an *adjusted* value, which has the same mean and less variance. In logs of
local best response it is the imaginary-observation value; otherwise it is the expectation of all-in showdowns.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hedgehog.analysis.histories.hand_files import FileHand, HandFile
from hedgehog.analysis.histories.hand_words import position_names
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.real_hands import told_results, with_dead
from hedgehog.analysis.stats.action_counts import ActionCounts, CountedAction, counted_actions
from hedgehog.analysis.stats.anytime import anytime_estimate
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.frequencies import Frequencies, HandTally, count_frequencies, tally_hand
from hedgehog.analysis.stats.match_report import Adjust, largest_result
from hedgehog.arena.match import seat_orders
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import LogError

_MBB: Final = 1000
"""Milli-big-blinds in a big blind."""


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
    """Mean winnings in mbb per hand with the anytime-valid interval (:mod:`hedgehog.analysis.stats.anytime`)."""
    adjusted: Estimate | None
    """Mean of the adjusted values in mbb per hand; None if there are none."""
    sd_big_blinds: float
    """Standard deviation of one hand, in big blinds; NaN for a single hand."""
    showdown_share: float
    """Share of the hands in which the player came to a showdown."""
    frequencies: Frequencies
    positions: tuple[PositionStats, ...]
    actions: ActionCounts | None = None
    """Its actions by street, players left and class of hands; None if they were not counted."""


@dataclass(frozen=True, slots=True)
class MatchStats:
    """Statistics over all files of one match."""

    label: str
    """Name that the files of the match share, :attr:`hedgehog.analysis.histories.hand_files.HandFile.label`."""
    hands: int
    """Number of hands counted."""
    groups: int | None
    """Number of complete duplicate groups; None if hands were not paired."""
    left_out: int
    """Number of hands not counted: beyond the limit of hands, or in incomplete duplicate groups."""
    players: tuple[PlayerStats, ...]
    """The players, in the order in which they first appear."""


class _Player:
    """The values of one player in mbb, one per hand counted."""

    def __init__(self) -> None:
        self.chips = array("d")
        self.adjusted = array("d")
        self.positions = array("b")
        self.showdowns = 0
        self.tallies = Counter[HandTally]()
        self.actions = ActionCounts()
        self.group_chips = array("d")
        self.group_adjusted = array("d")


@dataclass(frozen=True, slots=True)
class _Hand:
    """The data of a hand that are kept until its duplicate group is complete. Tuples are in position order, values in
    mbb."""

    names: tuple[str, ...]
    chips: tuple[float, ...]
    adjusted: tuple[float, ...] | None
    tallies: list[HandTally]
    actions: list[list[CountedAction]] | None
    """None if actions are not counted."""


class LogStatistics:
    """Collects the hands of any number of files and computes statistics of their players.

    :param pairs: count only complete duplicate groups, each as one observation.
    :param first: largest number of hands to count between the same players; None counts all.
    :param adjust: computes the adjusted values of a hand; None takes the values in the file, if it has any.
    :param actions: also count the actions by street, players left and class of hands.
    """

    def __init__(
        self, *, pairs: bool = False, first: int | None = None, adjust: Adjust | None = None, actions: bool = False
    ) -> None:
        self._pairs = pairs
        self._first = first
        self._adjust = adjust
        self._actions = actions
        self._matches: dict[str, _Match] = {}

    def add(self, file: HandFile, entry: FileHand) -> None:
        """Adds a hand.

        :param file: the file of the hand.
        :param entry: the hand.
        :raises LeftOutError: if the hand cannot be counted: the names cannot be told apart, what was won is not known,
            it is of another game than those before it under this label, or, with pairs, it was there before.
        """
        hand = entry.hand
        names, chips = told_results(hand)
        match = self._matches.get(file.label)
        if match is not None and _structure(match.gamedef) != _structure(entry.gamedef):
            raise LeftOutError("another game than the first hand")
        between = frozenset(names)
        if match is not None and self._first is not None and match.seen[between] >= self._first:
            match.left_out += 1  # before its adjusted value, which may take long, is asked for
            return
        adjusted: tuple[float, ...] | None = None
        if self._adjust is not None and (all(hand.hole_cards) or not hand.state.is_showdown):
            adjusted = tuple(self._adjust(hand))
            if any(entry.dead):
                adjusted = with_dead(adjusted, hand.state, entry.dead)
        elif self._adjust is not None:
            adjusted = chips  # a showdown with hidden cards
        elif entry.imaginary_value is not None:
            adjusted = (entry.imaginary_value, -entry.imaginary_value)
        if match is None:
            match = self._matches[file.label] = _Match(entry.gamedef)
        match.seen[between] += 1
        scale = _MBB / max(1, entry.big_blind)
        staked = chips
        if any(entry.dead):  # what was won with the chips of the betting
            staked = tuple(value + dead for value, dead in zip(chips, entry.dead, strict=True))
        kept = _Hand(
            names,
            tuple(scale * value for value in chips),
            None if adjusted is None else tuple(scale * value for value in adjusted),
            tally_hand(hand, staked),
            counted_actions(hand) if self._actions else None,
        )
        match.add_bound(entry.gamedef, scale)
        if not self._pairs:
            match.count([kept])
            return
        cards = bytes(card for cards in hand.hole_cards for card in cards)
        key = (file.seed, hand.hand_id, cards, frozenset(names))
        group = match.open_groups.setdefault(key, [])
        if any(other.names == names for other in group):
            raise LeftOutError("a hand that was there before with these cards and seats")
        group.append(kept)
        if len(group) == len(seat_orders(len(names), duplicate=True)):
            match.count(group)
            del match.open_groups[key]

    def results(self) -> list[MatchStats]:
        """Returns one entry per label, in the order of their first hands.

        :raises LogError: if there are no hands, or no complete duplicate group under a label.
        """
        if not self._matches:
            raise LogError("expected at least one hand")
        return [match.result(label, pairs=self._pairs, actions=self._actions) for label, match in self._matches.items()]


def _structure(gamedef: GameDef) -> GameDef:
    """Returns a game in which all no-limit games are equal that differ in stacks and blinds alone."""
    if not gamedef.no_limit:
        return gamedef
    nothing = (0,) * gamedef.num_players
    return replace(gamedef, stacks=nothing, blinds=tuple(map(int, map(bool, gamedef.blinds))))


class _Match:
    """Everything that was counted for the files of one label."""

    def __init__(self, gamedef: GameDef) -> None:
        self.gamedef = gamedef
        self.bound = 0.0
        """Most that a player can win in one of the hands, in mbb."""
        self.players: dict[str, _Player] = {}
        self.hands = 0
        self.groups = 0
        self.left_out = 0
        self.seen: Counter[frozenset[str]] = Counter()
        self.open_groups: dict[tuple[int | None, int, bytes, frozenset[str]], list[_Hand]] = {}

    def add_bound(self, gamedef: GameDef, scale: float) -> None:
        """Makes sure that the bound is not below the largest result of a game."""
        largest = largest_result(gamedef)
        self.bound = max(self.bound, math.inf if largest is None else largest * scale)

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
                player.tallies[hand.tallies[position]] += 1
                if hand.actions is not None:
                    player.actions.add(hand.actions[position])
                if hand.adjusted is not None:
                    player.adjusted.append(hand.adjusted[position])
            player.group_chips.append(sum(player.chips[-len(group) :]) / len(group))
            if len(player.adjusted) == len(player.chips):
                player.group_adjusted.append(sum(player.adjusted[-len(group) :]) / len(group))

    def result(self, label: str, *, pairs: bool, actions: bool) -> MatchStats:
        if pairs and not self.groups:
            where = f" under {label}" if label else ""
            raise LogError(f"expected duplicate hands{where} (same seed, number, cards and players), found none")
        return MatchStats(
            label=label,
            hands=self.hands,
            groups=self.groups if pairs else None,
            left_out=self.left_out + sum(map(len, self.open_groups.values())),
            players=tuple(self._player(name, player, actions=actions) for name, player in self.players.items()),
        )

    def _player(self, name: str, player: _Player, *, actions: bool) -> PlayerStats:
        chips, positions = np.array(player.chips), np.array(player.positions)
        groups, adjusted = np.array(player.group_chips), np.array(player.group_adjusted)
        return PlayerStats(
            name=name,
            hands=len(chips),
            mbb_per_hand=mean_estimate(groups),
            anytime=anytime_estimate(groups, bound=self.bound if math.isfinite(self.bound) else None),
            adjusted=mean_estimate(adjusted) if len(adjusted) == len(groups) else None,
            sd_big_blinds=mean_estimate(chips).sd / _MBB,
            showdown_share=player.showdowns / len(chips),
            frequencies=count_frequencies(player.tallies),
            positions=tuple(
                PositionStats(title, int(np.count_nonzero(positions == position)), mean_estimate(chips[at]))
                for position, title in enumerate(position_names(self.gamedef))
                if (at := positions == position).any()
            ),
            actions=player.actions if actions else None,
        )
