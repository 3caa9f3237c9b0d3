"""The result of a tournament as plain values: what the tables, the JSON and CSV files and the HTML report show.

All winnings are in milli-big-blinds per hand (mbb/h, 1/1000 of the largest blind) unless a name says chips. Agents are
named; every mapping from agents to values holds all agents it is about, in the order of the tournament's plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.estimate import Estimate
from analysis.stats.luck import AdjustedWinnings
from analysis.stats.play_statistics import AnswerSummary


@dataclass(frozen=True, slots=True)
class MatchScore:
    """One match that was played to its end."""

    folder: str
    players: tuple[str, ...]
    seed: int
    hands: int
    """All seatings together."""
    group_mbb: NDArray[np.float64]
    """(groups, players): mean winnings over the hands of each group of hands with the same cards."""
    mbb_per_hand: Mapping[str, Estimate]
    anytime: Mapping[str, Estimate]
    """The same means with anytime-valid 95 % intervals."""
    p_value: float
    """Two players: two-sided p-value of a difference, 1 for a single group; with more players NaN."""
    significant: bool
    """Two players: the difference is significant at 5 % after Holm's correction over all matches."""
    chips: Mapping[str, float]
    """Total chips won: the bankroll of this match."""

    def significant_for(self, player: str) -> bool:
        """Two players: see :attr:`significant`. More: the interval of this player, taken alone, excludes zero."""
        return self.significant if len(self.players) == 2 else self.mbb_per_hand[player].excludes_zero


@dataclass(frozen=True, slots=True)
class MatchSide:
    """A match as one of its players saw it."""

    match: MatchScore
    player: str
    opponents: tuple[str, ...]
    """In the order of the standings."""


@dataclass(frozen=True, slots=True)
class FailedMatch:
    """One match that nobody is scored for."""

    folder: str
    players: tuple[str, ...]
    reason: str
    """Empty if the match has not been played yet."""
    culprits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """One agent over all its finished matches."""

    rank: int
    """1 is best; agents with the same total share a rank. Totals over different numbers of matches, in an unfinished
    tournament, are compared as they are; an agent without a match has won 0 chips."""
    agent: str
    spec: str
    matches: int
    hands: int
    bankroll_chips: float
    """Total bankroll: chips won in all matches."""
    mbb_per_hand: Estimate
    """Mean over the hands of all matches; groups of all matches are the independent values. Without a match the mean
    is NaN and ``n`` is 0, as all other statistics but ``hands`` and ``bankroll_chips`` are NaN."""
    sd_hand_mbb: float
    """Standard deviation of a single hand."""
    sd_group_mbb: float
    """Standard deviation of the mean of a group of hands with the same cards."""
    effective_hands: float
    """Number of hands without duplicate that would give the same standard error: (SD of a hand / standard error)².
    Infinity if all groups have the same mean, NaN for a single group."""
    card_luck_mbb: float
    """Luck that duplicate play has cancelled: root mean square over the groups of half the difference (two players) or
    of the deviations (more) between the seatings."""
    all_in_luck_mbb: float
    """Mean winnings minus winnings with all-in showdowns replaced by their expectation over the remaining board."""
    all_in_adjusted: Estimate
    """Mean with all-in showdowns replaced by their expectation."""
    curve_hands: NDArray[np.int64]
    """(points,): hands played, for the bankroll curve; at most a few hundred points."""
    curve_chips: NDArray[np.float64]
    """(points,): bankroll after that many hands, matches one after the other in the order of the plan."""
    aivat: AdjustedWinnings | None = None
    """Winnings by AIVAT, if that was asked for and every match of the agent has a player whose strategy is known."""


@dataclass(frozen=True, slots=True)
class RunoffRound:
    """One round of the bankroll instant run-off."""

    bankroll_chips: Mapping[str, float]
    """Chips won in the matches among those still in."""
    eliminated: tuple[str, ...]
    """Who leaves; all with the lowest bankroll leave together. Empty in the last round."""


@dataclass(frozen=True, slots=True)
class RankConfidence:
    """How often each agent took each rank when the groups of all matches were drawn anew."""

    agents: tuple[str, ...]
    share: NDArray[np.float64]
    """(agents, agents): share of the bootstrap samples in which the agent had the rank; every row sums to one."""
    samples: int


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """Everything a tournament report shows."""

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
    """Best first."""
    matches: tuple[MatchScore, ...]
    failed: tuple[FailedMatch, ...]
    runoff: tuple[RunoffRound, ...]
    runoff_ranks: Mapping[str, int]
    """Rank of every agent in the run-off; ties share a rank. Empty if a match among the agents is missing."""
    bankroll_confidence: RankConfidence
    runoff_confidence: RankConfidence | None
    answers: tuple[AnswerSummary, ...] = ()
    """How the agents answered in their finished matches, in the order of the plan."""

    def match_sides(self) -> Iterator[MatchSide]:
        """Yields every finished match of two players as the better placed agent saw it, larger ones once per player."""
        order = [standing.agent for standing in self.standings]
        for match in self.matches:
            players = sorted(match.players, key=order.index)
            for player in players[:1] if len(players) == 2 else players:
                yield MatchSide(match, player, tuple(name for name in players if name != player))
