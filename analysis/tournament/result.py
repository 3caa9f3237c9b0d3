"""The result of a tournament as plain values, from which tables, JSON and CSV files and the HTML report are made.

All winnings are in milli-big-blinds per hand (mbb/h, 1/1000 of the largest blind) unless a name says chips. Agents are
identified by name. Mappings from agents to values are in the order of the tournament's plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.estimate_plot import plot_estimates
from hedgehog.analysis.stats.luck import AdjustedWinnings
from hedgehog.analysis.stats.play_statistics import AnswerSummary
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.table import Column, Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED: Final = 3
"""Number of agents that the short text of a tournament names."""


@dataclass(frozen=True, slots=True)
class MatchScore:
    """One match that was played to its end."""

    folder: str
    players: tuple[str, ...]
    seed: int
    hands: int
    """Number of hands in all seatings together."""
    mbb_per_hand: Mapping[str, Estimate]
    anytime: Mapping[str, Estimate]
    """Agent -> mean winnings with the anytime-valid 95 % interval."""
    p_value: float
    """Two-sided p-value of a difference between two players, 1 for a single group; NaN with more players."""
    significant: bool
    """With two players: whether their difference is significant at 5 % after Holm's correction over all matches."""
    chips: Mapping[str, float]
    """Agent -> total chips won in this match."""

    def significant_for(self, player: str) -> bool:
        """Tells whether the winnings of a player differ from zero.

        With two players this is :attr:`significant`. With more players, the interval of this player alone decides.
        """
        return self.significant if len(self.players) == 2 else self.mbb_per_hand[player].excludes_zero


@dataclass(frozen=True, slots=True)
class MatchSide:
    """A match from the point of view of one of its players."""

    match: MatchScore
    player: str
    opponents: tuple[str, ...]
    """The other players, in the order of the standings."""


@dataclass(frozen=True, slots=True)
class FailedMatch:
    """One match that is not scored: it has failed, or it has not been played yet."""

    folder: str
    players: tuple[str, ...]
    reason: str
    """Why the match failed; empty if it has not been played yet."""
    culprits: tuple[str, ...]
    """Names of the agents whose crash or silence ended the match, as far as known."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of one agent over its finished matches.

    For an agent in the ranking these are the matches among agents of the ranking, for any other all its matches.
    """

    rank: int | None
    """Rank by total bankroll. 1 is best, and agents with the same total share a rank. In an unfinished tournament,
    totals over different numbers of matches are compared as they are. None for an agent outside the ranking."""
    agent: str
    spec: str
    matches: int
    hands: int
    bankroll_chips: float
    """Total bankroll: the chips won in the matches among agents of the ranking; NaN outside the ranking."""
    mbb_per_hand: Estimate
    """Mean winnings over the hands of all matches; an observation is a group of hands. For an agent without a match the
    mean is NaN and ``n`` is 0. All other statistics but ``hands`` and ``bankroll_chips`` are then NaN, too."""
    sd_hand_mbb: float
    """Standard deviation of a single hand."""
    sd_group_mbb: float
    """Standard deviation of the mean of a group of hands with the same cards."""
    effective_hands: float
    """Number of hands without duplicate that would give the same standard error: (SD of a hand / standard error)².
    NaN for a single group, or if all groups have the same mean."""
    card_luck_mbb: float
    """Luck that duplicate play has cancelled: root mean square over the groups of half the difference (two players) or
    of the deviations (more) between the seatings."""
    all_in_luck_mbb: float
    """Mean winnings minus winnings with all-in showdowns replaced by their expectation over the remaining board."""
    all_in_adjusted: Estimate
    """Mean winnings with all-in showdowns replaced by their expectation."""
    curve_hands: NDArray[np.int64]
    """(points,) number of hands played, for the bankroll curve; at most a few hundred points."""
    curve_chips: NDArray[np.float64]
    """(points,) bankroll after the hands of :attr:`curve_hands`, one match after the other in the plan's order."""
    aivat: AdjustedWinnings | None = None
    """Winnings by AIVAT. None if AIVAT was not asked for, or if a match of the agent has no player with a known
    strategy."""


@dataclass(frozen=True, slots=True)
class RunoffRound:
    """One round of the bankroll instant run-off."""

    bankroll_chips: Mapping[str, float]
    """Agent -> chips won in the matches among the remaining agents."""
    eliminated: tuple[str, ...]
    """The agents that are removed, all those with the lowest bankroll. Empty in the last round."""


@dataclass(frozen=True, slots=True)
class RankConfidence:
    """How often each agent took each rank in a bootstrap, in which the groups of hands are drawn anew."""

    agents: tuple[str, ...]
    """Names of the agents, one per row of :attr:`share`."""
    share: NDArray[np.float64]
    """(agents, ranks) share of the samples in which the agent took the rank; every row sums to 1."""
    samples: int
    """Number of bootstrap samples."""


@dataclass(frozen=True, slots=True, repr=False)
class TournamentResult(Shown):
    """Everything that a tournament report shows."""

    name: str
    game: str
    hands: int
    """Hands per seating."""
    duplicate: bool
    seed: int
    settings: Mapping[str, object]
    players_per_match: int
    big_blind: int
    standings: tuple[Standing, ...]
    """The agents, best first."""
    matches: tuple[MatchScore, ...]
    failed: tuple[FailedMatch, ...]
    runoff: tuple[RunoffRound, ...]
    runoff_ranks: Mapping[str, int]
    """Rank of every agent of the ranking in the run-off; equal agents share a rank. Empty if a match among them is
    missing."""
    bankroll_confidence: RankConfidence | None
    """None if a match has too few groups of hands, or all groups are equal: drawing them anew says nothing then."""
    runoff_confidence: RankConfidence | None
    outside: Mapping[str, str] = field(default_factory=dict)
    """Agent that stands outside the ranking -> why."""
    runoff_note: str = ""
    """Why there is no run-off; empty if there is one."""
    answers: tuple[AnswerSummary, ...] = ()
    """How the agents answered in their finished matches, in the order of the plan."""
    positions: tuple[str, ...] = ()
    """Names of the positions at the table, in the order of the protocol."""
    by_position: Mapping[str, tuple[Estimate, ...]] = field(default_factory=dict)
    """Agent -> winnings in each position, over the hands of all its matches in which it had this position."""
    with_opponent: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    """Agent -> opponent -> winnings over all matches of the agent in which the opponent was at the table. Empty in
    games for two, where a match says the same."""
    aivat_note: str = ""
    """What the records of decisions lack for AIVAT; empty if they lack nothing."""

    def summary(self) -> str:
        """Returns the name, the number of agents and matches, and the first ranks."""
        first = ", ".join(f"{one.rank}. {one.agent}" for one in self.standings[:_NAMED] if one.rank is not None)
        return f"{self.name}, {len(self.standings)} agents, {len(self.matches)} matches; {first}"

    def table(self) -> Table:
        """Returns the standings as ``standings.csv`` has them: a row per agent, the best first."""
        header, *rows = map(tuple, standing_rows(self))
        people = {"rank", "agent", "matches", "hands", "bankroll_chips", "mbb_per_hand", "ci95_low", "ci95_high"}
        columns = [Column(str(name), shown=name in people) for name in header]
        return Table("standings", self.name, columns, tuple(rows))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the mean winnings of the agents with their 95 % intervals, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        played = [one for one in self.standings if one.matches]
        means = [one.mbb_per_hand for one in played]
        return plot_estimates([one.agent for one in played], means, "mbb per hand, with 95 % interval", axes)

    def match_sides(self) -> Iterator[MatchSide]:
        """Yields every finished match: of two players from the side of the better placed, of more from all sides."""
        order = [standing.agent for standing in self.standings]
        for match in self.matches:
            players = sorted(match.players, key=order.index)
            for player in players[:1] if len(players) == 2 else players:
                yield MatchSide(match, player, tuple(name for name in players if name != player))


def standing_rows(result: TournamentResult) -> Iterable[Sequence[Value]]:
    """Yields the names of the columns of the standings, then a row per agent, the best first."""
    yield (
        *("rank", "runoff_rank", "agent", "spec", "matches", "hands", "bankroll_chips"),
        *("mbb_per_hand", "ci95_low", "ci95_high", "groups", "sd_hand_mbb", "sd_group_mbb", "effective_hands"),
        *("card_luck_mbb", "all_in_luck_mbb", "all_in_adjusted_mbb", "all_in_adjusted_low", "all_in_adjusted_high"),
        *("aivat_mbb", "aivat_low", "aivat_high", "aivat_sd_hand_mbb", "aivat_sd_reduction", "outside"),
    )
    for one in result.standings:
        mean, adjusted = one.mbb_per_hand, one.all_in_adjusted
        yield (
            *(one.rank, result.runoff_ranks.get(one.agent), one.agent, one.spec, one.matches, one.hands),
            *(one.bankroll_chips, mean.mean, mean.low, mean.high, mean.n, one.sd_hand_mbb, one.sd_group_mbb),
            *(one.effective_hands, one.card_luck_mbb, one.all_in_luck_mbb),
            *(adjusted.mean, adjusted.low, adjusted.high),
            *_aivat_cells(one.aivat),
            result.outside.get(one.agent),
        )


def _aivat_cells(aivat: AdjustedWinnings | None) -> Sequence[Value]:
    if aivat is None:
        return (None,) * 5
    return (aivat.estimate.mean, aivat.estimate.low, aivat.estimate.high, aivat.sd_hand, aivat.reduction)
