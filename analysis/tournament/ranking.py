"""Ranks the agents of a tournament by total bankroll and by instant run-off, and says how sure both rankings are.

All matches have the same number of players. Ranks are competition ranks: 1 is best, equal agents share the better rank,
and the ranks that they would otherwise fill stay empty (1, 2, 2, 4).

An agent that ended a match by a crash or by silence, and an agent without a finished match, stand outside the ranking,
and matches with them count for nobody: otherwise an agent could crash instead of losing (:func:`outside_ranking`,
:func:`counts`). If no match would be left then, because all agents have met the one that crashed alone, all count.

The bankroll instant run-off of the Annual Computer Poker Competition weakens the influence of agents that lose much to
some agents and little to others. Again and again, the agent with the lowest total bankroll is removed together with all
its matches, until as many agents are left as a match has players.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.stats.estimate import all_equal
from hedgehog.analysis.tournament.result import FailedMatch, RankConfidence, RunoffRound

FEWEST_GROUPS: Final = 6
"""Fewer groups of hands in a match all favour the same player by chance in more than 5 % of all matches between equal
players. Every bootstrap sample would then agree."""

Crosstable = Mapping[frozenset[str], Mapping[str, float]]
"""Players of a match -> player -> chips that the player won in the match."""

# Logs print chips with six decimals. Sums of thirds that should be equal can differ by a little more than that.
_CHIP_DIGITS: Final = 3
_RESAMPLED_AT_ONCE: Final = 2_000_000


def outside_ranking(
    agents: Sequence[str], played: Sequence[Sequence[str]], failed: Sequence[FailedMatch]
) -> dict[str, str]:
    """Returns the agents that stand outside the ranking, and why.

    :param agents: names of the agents.
    :param played: players of every finished match.
    :param failed: the other matches.
    """
    found: dict[str, str] = {}
    for agent in agents:
        ended = sum(agent in match.culprits for match in failed)
        if ended:
            of = ended + sum(agent in players for players in played)
            found[agent] = f"crashed or went silent in {ended} of {of} matches"
    met = {agent for players, good in zip(played, counts(played, found), strict=True) if good for agent in players}
    for agent in agents:
        if agent not in met and agent not in found:
            found[agent] = "has no finished match" + (" with an agent of the ranking" if found else "")
    return {agent: found[agent] for agent in agents if agent in found}


def counts(played: Sequence[Sequence[str]], outside: Collection[str]) -> list[bool]:
    """Returns whether each finished match counts: those without agents outside the ranking, or all if there is none.

    :param played: players of every finished match.
    """
    found = [not any(player in outside for player in players) for players in played]
    return found if any(found) else [True] * len(played)


def bankrolls(agents: Sequence[str], crosstable: Crosstable) -> dict[str, float]:
    """Returns the chips that every agent won in the matches among these agents.

    :param agents: names of the agents.
    :param crosstable: results of matches. Matches with players other than these agents do not count.
    """
    totals = dict.fromkeys(agents, 0.0)
    for players, chips in crosstable.items():
        if players <= totals.keys():
            for agent in players:
                totals[agent] += chips[agent]
    return totals


def bankroll_ranks(totals: Mapping[str, float]) -> dict[str, int]:
    """Returns the rank of every agent by its bankroll; 1 is best, and equal agents share a rank."""
    if not totals:
        return {}
    ranks = _ranks(np.array([list(totals.values())]))[0]
    return {agent: int(rank) for agent, rank in zip(totals, ranks, strict=True)}


def instant_runoff(agents: Sequence[str], crosstable: Crosstable) -> tuple[list[RunoffRound], dict[str, int]]:
    """Returns the rounds of the bankroll instant run-off and the rank of every agent.

    In every round the bankrolls over the matches among the remaining agents are computed. All agents with the lowest
    bankroll are removed together and share a rank. If as many agents remain as a match has players, or if the removal
    would leave fewer, the remaining agents are ranked by their bankrolls in this round. Equal agents share a rank.

    :param agents: the participants, at least as many as a match has players.
    :param crosstable: the result of one match for every set of agents that can meet.
    :raises ValueError: if a match is missing.
    """
    if not is_complete(agents, crosstable):
        raise ValueError("expected one match of every set of agents that can meet")
    seats = len(next(iter(crosstable)))
    ranks: dict[str, int] = {}
    rounds = []
    left = list(agents)
    while True:
        totals = bankrolls(left, crosstable)
        lowest = min(round(total, _CHIP_DIGITS) for total in totals.values())
        out = tuple(agent for agent in left if round(totals[agent], _CHIP_DIGITS) == lowest)
        if len(left) == seats or len(left) - len(out) < seats:
            rounds.append(RunoffRound(totals, ()))
            ranks |= bankroll_ranks(totals)
            return rounds, {agent: ranks[agent] for agent in agents}
        rounds.append(RunoffRound(totals, out))
        left = [agent for agent in left if agent not in out]
        ranks |= dict.fromkeys(out, len(left) + 1)


def is_complete(agents: Sequence[str], crosstable: Crosstable) -> bool:
    """Tells whether a run-off is possible: all matches have the same number of players, and no match is missing."""
    sizes = {len(players) for players in crosstable}
    return len(sizes) == 1 and not missing_matches(agents, crosstable, sizes.pop())


def missing_matches(agents: Sequence[str], crosstable: Crosstable, seats: int) -> list[tuple[str, ...]]:
    """Returns the players of every match among these agents that has no result; all agents if they are too few."""
    if len(agents) < seats:
        return [tuple(agents)]
    return [players for players in combinations(agents, seats) if frozenset(players) not in crosstable]


def bootstrap_ranks(
    agents: Sequence[str],
    match_players: Sequence[Sequence[str]],
    group_chips: Sequence[NDArray[np.float64]],
    *,
    samples: int,
    seed: int,
) -> tuple[RankConfidence, RankConfidence | None]:
    """Returns how often each agent took each rank in a bootstrap: for total bankroll, and for the run-off.

    In every sample the groups of hands of every match are drawn anew, with replacement. The second result is None if a
    match is missing.

    :param agents: names of the agents.
    :param match_players: names of the players of every match.
    :param group_chips: for every match, (groups, players) chips won in all hands of a group. The players are in the
        order of ``match_players``.
    :param samples: number of bootstrap samples.
    :param seed: seed of the random numbers.
    """
    rng = np.random.default_rng(seed)
    index = {agent: i for i, agent in enumerate(agents)}
    won = np.zeros((samples, len(match_players), len(agents)))
    for match, (players, chips) in enumerate(zip(match_players, group_chips, strict=True)):
        won[:, match, [index[player] for player in players]] = _resampled_totals(chips, samples, rng)
    takes_part = np.array([[agent in players for agent in agents] for players in match_players], dtype=np.bool_)
    takes_part = takes_part.reshape(len(match_players), len(agents))
    bankroll = _rank_confidence(agents, _ranks(won.sum(axis=1)))
    if not is_complete(agents, {frozenset(players): {} for players in match_players}):
        return bankroll, None
    return bankroll, _rank_confidence(agents, _runoff_ranks(won, takes_part))


def can_resample(group_chips: Sequence[NDArray[np.float64]]) -> bool:
    """Returns whether :func:`bootstrap_ranks` can say anything.

    It cannot if a match has fewer than :data:`FEWEST_GROUPS` groups of hands, or if the groups of all matches are
    equal.

    :param group_chips: for every match, (groups, players) chips won in all hands of a group.
    """
    if min(map(len, group_chips), default=0) < FEWEST_GROUPS:
        return False
    return not all(all_equal(column) for chips in group_chips for column in chips.T)


def _ranks(totals: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns competition ranks along the last axis, 1 for the largest total."""
    rounded = np.round(totals, _CHIP_DIGITS)
    better = rounded[..., np.newaxis, :] > rounded[..., :, np.newaxis]
    return np.asarray(better.sum(axis=-1) + 1)


def _resampled_totals(chips: NDArray[np.float64], samples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Returns the sums over as many groups drawn with replacement as there are, (samples, players)."""
    groups = len(chips)
    totals = np.empty((samples, chips.shape[1]))
    columns = [np.ascontiguousarray(column) for column in chips.T]
    step = max(1, _RESAMPLED_AT_ONCE // groups)
    for start in range(0, samples, step):
        drawn = rng.integers(groups, size=(min(step, samples - start), groups), dtype=np.int32)
        for player, column in enumerate(columns):
            totals[start : start + step, player] = column[drawn].sum(axis=1)
    return totals


def _runoff_ranks(won: NDArray[np.float64], takes_part: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Runs :func:`instant_runoff` on many samples at once.

    :param won: (samples, matches, agents) chips; 0 for agents that do not take part in a match.
    :param takes_part: (matches, agents).
    :returns: (samples, agents) ranks.
    """
    samples, _, num_agents = won.shape
    seats = int(takes_part[0].sum())
    left = np.ones((samples, num_agents), dtype=np.bool_)
    ranks = np.zeros((samples, num_agents), dtype=np.int64)
    undecided = np.arange(samples)
    while undecided.size:
        still_in = left[undecided]
        counts = (still_in @ takes_part.T.astype(np.int64)) == seats  # (samples, matches): all its players are in
        totals = np.round(np.einsum("sma,sm->sa", won[undecided], counts), _CHIP_DIGITS)
        totals[~still_in] = np.inf
        out = totals == totals.min(axis=1, keepdims=True)
        num_left = still_in.sum(axis=1)
        final = (num_left == seats) | (num_left - out.sum(axis=1) < seats)
        last = undecided[final]
        final_ranks = _ranks(np.where(still_in[final], totals[final], -np.inf))
        ranks[last] = np.where(still_in[final], final_ranks, ranks[last])
        going_on = undecided[~final]
        left[going_on] &= ~out[~final]
        ranks[going_on] = np.where(out[~final], left[going_on].sum(axis=1)[:, np.newaxis] + 1, ranks[going_on])
        undecided = going_on
    return ranks


def _rank_confidence(agents: Sequence[str], ranks: NDArray[np.int64]) -> RankConfidence:
    """Counts the ranks, (samples, agents)."""
    share = np.array([np.bincount(column - 1, minlength=len(agents)) for column in ranks.T]) / len(ranks)
    return RankConfidence(tuple(agents), share, len(ranks))
