"""Computes the result of a match from its logs: winnings with confidence intervals."""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.stats.anytime import anytime_estimate
from hedgehog.analysis.stats.estimate import Estimate, interval_cells, mean_estimate, mean_p_value
from hedgehog.analysis.stats.estimate_plot import plot_estimates
from hedgehog.analysis.stats.luck import AdjustedWinnings, LuckSplit, adjusted_winnings, split_luck
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, ScannedHand, parse_log_line, read_log, scan_log_line
from hedgehog.poker.state import MAX_ACTIONS_PER_ROUND
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class MatchWinnings:
    """What every player won in every hand of a match, in chips."""

    names: tuple[str, ...]
    chips: NDArray[np.float64]
    """(seatings, groups, players) chips won in each hand, as in the logs; the hands of a group have the same cards."""
    expected: NDArray[np.float64]
    """(seatings, groups, players) chips, with all-in showdowns replaced by their expectation over all boards."""
    aivat: NDArray[np.float64] | None = None
    """(seatings, groups, players) AIVAT values in chips (:mod:`hedgehog.analysis.aivat.definition`); None if not asked
    for."""

    @property
    def hands(self) -> int:
        """Number of hands in all seatings together."""
        seatings, groups, _ = self.chips.shape
        return int(seatings * groups)


@dataclass(frozen=True, slots=True, repr=False)
class MatchResult(Shown):
    """What every player won, in milli-big-blinds per hand (1/1000 of the largest blind).

    Tuples hold one element per player, in the order of the names.
    """

    hands: int
    """Number of hands in all seatings together."""
    groups: int
    """Number of independent groups of hands with the same cards: pairs in a two-player duplicate match."""
    mbb_per_hand: tuple[Estimate, ...]
    """Mean winnings. One observation is the mean over the hands of one group."""
    anytime: tuple[Estimate, ...] = ()
    """Mean winnings with intervals that stay valid if the match is stopped or prolonged because of them
    (:func:`hedgehog.analysis.stats.anytime.anytime_estimate`)."""
    luck: tuple[LuckSplit, ...] = ()
    """Spread and luck, in mbb."""
    p_value: float = math.nan
    """Two-sided p-value of a difference between two players; NaN with more players."""
    aivat: tuple[AdjustedWinnings, ...] = ()
    """Winnings by AIVAT (:mod:`hedgehog.analysis.aivat.definition`); empty if not asked for."""
    names: tuple[str, ...] = ()
    """Names of the players; empty if they are not known, and the players are shown as ``player 1`` and so on."""

    def summary(self) -> str:
        """Returns the number of hands, and what every player won."""
        kind = "pairs" if len(self.mbb_per_hand) == 2 else "groups"
        won = ", ".join(
            f"{name} {format_estimate(one)}" for name, one in zip(self._names(), self.mbb_per_hand, strict=True)
        )
        return f"{self.hands:,} hands, {self.groups:,} {kind}; mbb per hand: {won}"

    def table(self) -> Table:
        """Returns a row per player: mean winnings in mbb per hand with both intervals, deviation, luck, and AIVAT.

        Columns of figures that were not computed are left out. An interval that does not exist has infinite ends.
        """
        rows = []
        for player, (name, won) in enumerate(zip(self._names(), self.mbb_per_hand, strict=True)):
            row: dict[str, Any] = {"player": name, "hands": self.hands, "groups": self.groups}
            row |= interval_cells("", won)
            if self.anytime:
                row |= interval_cells("anytime_", self.anytime[player])
            if self.luck:
                luck = self.luck[player]
                row |= {"sd_hand_mbb": luck.sd_hand, "sd_group_mbb": luck.sd_group}
                row |= {"effective_hands": luck.effective_hands}
                row |= {"card_luck_mbb": luck.card_luck, "all_in_luck_mbb": luck.all_in_luck}
                row |= interval_cells("all_in_adjusted_", luck.all_in_adjusted)
            if self.aivat:
                row |= interval_cells("aivat_", self.aivat[player].estimate)
            rows.append(row | {"p_value": self.p_value})
        return Table("match", "", list(rows[0]), tuple(tuple(row.values()) for row in rows))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the mean winnings of the players with their 95 % intervals, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        return plot_estimates(self._names(), self.mbb_per_hand, "mbb per hand, with 95 % interval", axes)

    def _names(self) -> list[str]:
        return [*self.names] or [f"player {number}" for number in range(1, len(self.mbb_per_hand) + 1)]


Adjust = Callable[[LoggedHand], Sequence[float]]
"""Returns for a hand the adjusted value of every position, in chips."""


def score_match(
    logs: Sequence[Path | Sequence[Path]],
    names: Sequence[str],
    gamedef: GameDef,
    aivat: Adjust | None = None,
    *,
    hands: Sequence[int] | None = None,
) -> MatchResult:
    """Returns the result of a match from the logs of its seatings, which must have the same cards.

    :param logs: one finished log per seating, or the logs of its parts in order; several are a duplicate match.
    :param names: the players' names as they stand in the logs.
    :param gamedef: the game; it must have a blind.
    :param aivat: computes the AIVAT values of a hand (:meth:`hedgehog.analysis.aivat.scorers.SpreadAivat.score`).
    :param hands: numbers of the hands to read of every seating, in order, as of a match that is not over
        (:func:`hedgehog.arena.match.common_hands`); None reads all.
    :raises LogError: if a log is malformed, or the logs differ in their hands, cards or players.
    """
    return score_winnings(read_winnings(logs, names, gamedef, aivat, hands=hands), gamedef)


def score_winnings(winnings: MatchWinnings, gamedef: GameDef) -> MatchResult:
    """Returns the result of a match from the winnings of every hand.

    :param winnings: what every player won in every hand.
    :param gamedef: the game; it must have a blind.
    """
    scale = 1000 / gamedef.big_blind
    won, expected = winnings.chips * scale, winnings.expected * scale
    groups = list(won.mean(axis=0).T)
    estimates = tuple(map(mean_estimate, groups))
    largest = largest_result(gamedef)
    bound = None if largest is None else largest * scale
    return MatchResult(
        names=winnings.names,
        hands=winnings.hands,
        groups=won.shape[1],
        mbb_per_hand=estimates,
        anytime=tuple(anytime_estimate(values, bound=bound) for values in groups),
        luck=tuple(split_luck(won[:, :, player], expected[:, :, player]) for player in range(len(groups))),
        p_value=mean_p_value(estimates[0]) if len(groups) == 2 else math.nan,
        aivat=()
        if winnings.aivat is None
        else tuple(
            adjusted_winnings(won[:, :, player], winnings.aivat[:, :, player] * scale) for player in range(len(groups))
        ),
    )


def group_winnings(logs: Sequence[Path], names: Sequence[str], gamedef: GameDef) -> NDArray[np.float64]:
    """Returns (groups, players) mean winnings in mbb over each group of hands with the same cards.

    :param logs: one finished log per seating.
    :param names: the players' names as they stand in the logs; they give the order of the columns.
    :param gamedef: the game; it must have a blind.
    :raises LogError: if a log is malformed, or the logs differ in their hands, cards or players.
    """
    return np.asarray(read_winnings(logs, names, gamedef).chips.mean(axis=0) * (1000 / gamedef.big_blind))


def largest_result(gamedef: GameDef) -> int | None:
    """Returns the largest number of chips that a player can win or lose in a hand; None if the game has no limit."""
    limits = list(gamedef.stacks)
    if not gamedef.no_limit:
        raises = (min(count, MAX_ACTIONS_PER_ROUND) for count in gamedef.max_raises)
        most = gamedef.big_blind + sum(map(operator.mul, raises, gamedef.raise_sizes))
        limits = [min(stack, most) for stack in limits]
    if max(limits) >= UNLIMITED_STACK:
        return None
    # A player wins from each opponent at most the smaller of both limits. No loss is larger than the largest such win.
    return max(sum(min(own, other) for j, other in enumerate(limits) if j != i) for i, own in enumerate(limits))


def read_winnings(
    logs: Sequence[Path | Sequence[Path]],
    names: Sequence[str],
    gamedef: GameDef,
    aivat: Adjust | None = None,
    *,
    hands: Sequence[int] | None = None,
) -> MatchWinnings:
    """Returns what every player won in every hand of a match.

    The winnings are taken as they stand in the logs. Only all-ins are replayed, for their expectation
    (``hedgehog log verify`` replays all hands).

    :param logs: one finished log per seating, or the logs of its parts in order.
    :param names: the players' names as they stand in the logs; they give the order of players in the result.
    :param gamedef: the game.
    :param aivat: computes the AIVAT values of a hand; None: they are left out.
    :param hands: numbers of the hands to read of every seating, in order; None reads all.
    :raises LogError: if a log is malformed, or the logs differ in their hands, cards or players.
    """
    reader = _Reader(names, gamedef, aivat, hands)
    tables = [reader.read([log] if isinstance(log, Path) else log) for log in logs]
    chips, expected, adjusted = (np.array(part) for part in zip(*tables, strict=True))
    return MatchWinnings(tuple(names), chips, expected, adjusted if aivat is not None else None)


_Deal = tuple[int, str, str]
"""Hand id, hole cards and board as far as dealt, as in the log."""
_Table = list[list[float]]
"""Chips per hand and player."""


class _Reader:
    """Reads the logs of one match, seating by seating."""

    def __init__(
        self, names: Sequence[str], gamedef: GameDef, aivat: Adjust | None, hands: Sequence[int] | None
    ) -> None:
        self._names = names
        self._hands = hands
        self._gamedef = gamedef
        self._aivat = aivat
        self._orders: dict[str, list[int]] = {}
        """Names as in a log line -> position of every player."""
        self._deals: list[_Deal] = []
        """What was dealt in the first log."""
        self._all_ins: dict[object, list[float]] = {}
        """Expectations, because the seatings of a match often share their all-ins."""

    def read(self, paths: Sequence[Path]) -> tuple[_Table, _Table, _Table]:
        """Returns the chips won in a seating, their expectation and their AIVAT values (empty if not asked for)."""
        first = not self._deals
        chips: _Table = []
        expected: _Table = []
        adjusted: _Table = []
        for path, number, line in self._lines(paths):
            try:
                hand = scan_log_line(line)
                order = self._order(hand.names)
                averages = self._expected(line) if hand.betting.endswith("/") else None
                if self._aivat is not None:
                    by_position = self._aivat(parse_log_line(line, self._gamedef))
                    adjusted.append([by_position[position] for position in order])
            except InputError as error:
                if error.source is not None:  # a record of decisions, not the log
                    raise
                raise LogError(error.message, source=str(path), line=number) from error
            values = hand.values
            if len(values) != len(order):
                raise LogError(f"expected {len(order)} values, got {len(values)}", source=str(path), line=number)
            if first:
                self._deals.append((hand.hand_id, hand.hole_cards, hand.board))
            elif len(chips) < len(self._deals):
                self._verify_deal(hand, self._deals[len(chips)], path)
            chips.append([values[position] for position in order])
            expected.append([averages[position] for position in order] if averages else chips[-1])
        last = str(paths[-1])
        if not chips:
            raise LogError("expected a log with at least one hand", source=last)
        if len(chips) != len(self._deals):
            raise LogError(f"expected {len(self._deals)} hands as in the first seating, got {len(chips)}", source=last)
        return chips, expected, adjusted

    def _lines(self, paths: Sequence[Path]) -> Iterator[tuple[Path, int, str]]:
        """Yields the lines of hands to read, with log and line number.

        The next hand to read is sought by its number, so that a last line that broke off is passed over.
        """
        wanted = None if self._hands is None else deque(self._hands)
        for path in paths:
            if wanted is not None and not wanted:
                return
            for number, line in enumerate(read_log(path), 1):
                if not line.startswith("STATE:"):
                    continue
                if wanted is None:
                    yield path, number, line
                elif wanted and line.startswith(f"STATE:{wanted[0]}:"):
                    wanted.popleft()
                    yield path, number, line

    def _order(self, names: str) -> list[int]:
        order = self._orders.get(names)
        if order is None:
            positions = names.split("|")
            if sorted(positions) != sorted(self._names):
                raise LogError(f"expected the players {', '.join(self._names)}, got {names!r}")
            order = self._orders[names] = [positions.index(name) for name in self._names]
        return order

    def _expected(self, line: str) -> list[float] | None:
        """Returns the expectation of a hand in which nobody acted in the last round; None if it is no all-in."""
        from hedgehog.poker.evaluation.allin import expected_values, is_all_in, num_known_board_cards  # imports numba

        hand = parse_log_line(line, self._gamedef)
        if not is_all_in(hand.state):
            return None
        board = hand.board[: num_known_board_cards(hand.state)]
        key = (hand.hole_cards, board, tuple(hand.state.spent), tuple(hand.state.folded))
        if key not in self._all_ins:
            self._all_ins[key] = expected_values(hand)
        return self._all_ins[key]

    def _verify_deal(self, hand: ScannedHand, deal: _Deal, path: Path) -> None:
        hand_id, hole_cards, board = deal
        same_board = hand.board.startswith(board) or board.startswith(hand.board)
        if hand.hand_id != hand_id or hand.hole_cards != hole_cards or not same_board:
            raise LogError(f"hand {hand.hand_id} was not dealt as in the first seating", source=str(path))
