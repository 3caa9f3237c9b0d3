"""Rankings against a published tournament, a direct re-implementation, and a normal approximation."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.analysis.tournament.ranking import (
    Crosstable,
    bankroll_ranks,
    bankrolls,
    bootstrap_ranks,
    instant_runoff,
    is_complete,
)

DATA = Path(__file__).parent.parent.parent / "data" / "tournament" / "limit3p_2013.json.gz"


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    tournament: dict[str, Any] = json.loads(gzip.decompress(DATA.read_bytes()))
    return tournament


def as_printed(published: dict[str, Any]) -> dict[frozenset[str], dict[str, float]]:
    return {frozenset(result): dict(result) for result in published["matches"]}


def corrected(published: dict[str, Any]) -> dict[frozenset[str], dict[str, float]]:
    """The one match that does not add up to zero as printed has two digits of HBB3's result exchanged."""
    table = as_printed(published)
    wrong = [players for players, chips in table.items() if sum(chips.values()) != 0]
    assert wrong == [frozenset({"HBB", "HBB3", "ownbot"})]
    assert table[wrong[0]]["HBB3"] == -20936
    table[wrong[0]]["HBB3"] = -20963
    return table


def test_published_runoff(published: dict[str, Any]) -> None:
    """All five rows, the order of elimination, and the final ranks."""
    rounds, ranks = instant_runoff(published["bots"], corrected(published))
    assert [dict(row.bankroll_chips) for row in rounds] == published["runoff_printed"]
    assert [row.eliminated for row in rounds] == [("HBB3",), ("CallBot",), ("HBB",), ("HBB2",), ()]
    assert sorted(ranks, key=ranks.__getitem__) == ["Akuma", "ownbot", "RaiseBot", "HBB2", "HBB", "CallBot", "HBB3"]
    assert sorted(ranks.values()) == [1, 2, 3, 4, 5, 6, 7]


def test_published_total_bankroll_has_another_winner(published: dict[str, Any]) -> None:
    totals = bankrolls(published["bots"], corrected(published))
    ranks = bankroll_ranks(totals)
    assert [agent for agent, rank in ranks.items() if rank <= 3] == ["RaiseBot", "Akuma", "ownbot"]
    assert ranks["ownbot"] == 1


def test_the_misprint_changes_one_number_only(published: dict[str, Any]) -> None:
    rounds, ranks = instant_runoff(published["bots"], as_printed(published))
    assert ranks == instant_runoff(published["bots"], corrected(published))[1]
    row, printed = rounds[0].bankroll_chips, published["runoff_printed"][0]
    assert {agent: row[agent] - printed[agent] for agent in row if row[agent] != printed[agent]} == {"HBB3": 27}


def two_player(results: dict[str, float]) -> Crosstable:
    """``{"ab": 5}``: a wins 5 from b."""
    return {frozenset(pair): {pair[0]: chips, pair[1]: -chips} for pair, chips in results.items()}


def test_two_player_runoff_ends_with_a_match() -> None:
    """a beats c by more than b does, but loses to b: without c, b is first."""
    table = two_player({"ab": -5, "ac": 100, "bc": 10})
    assert bankroll_ranks(bankrolls("abc", table)) == {"a": 1, "b": 2, "c": 3}
    rounds, ranks = instant_runoff("abc", table)
    assert [row.eliminated for row in rounds] == [("c",), ()]
    assert ranks == {"a": 2, "b": 1, "c": 3}


def test_ties_are_eliminated_together() -> None:
    table = two_player({"ab": 1, "ac": 10, "ad": 10, "bc": 5, "bd": 5, "cd": 0})
    rounds, ranks = instant_runoff("abcd", table)
    assert [row.eliminated for row in rounds] == [("c", "d"), ()]
    assert ranks == {"a": 1, "b": 2, "c": 3, "d": 3}


def test_a_tie_that_would_leave_too_few_is_the_last_round() -> None:
    """Three left, two of them last with the same bankroll: one agent cannot play a match."""
    rounds, ranks = instant_runoff("abc", two_player({"ab": 5, "ac": 5, "bc": 0}))
    assert (len(rounds), rounds[0].eliminated, ranks) == (1, (), {"a": 1, "b": 2, "c": 2})


def test_all_equal_share_the_first_rank() -> None:
    rounds, ranks = instant_runoff("abc", two_player({"ab": 5, "bc": 5, "ca": 5}))
    assert (len(rounds), ranks) == (1, {"a": 1, "b": 1, "c": 1})


def test_fractions_that_are_printed_rounded_are_ties() -> None:
    """1/3 of a chip is printed as 0.333333; three of them are one chip."""
    table = {frozenset("abc"): {"a": 3 * 0.333333, "b": 1.0, "c": -2.0}}
    assert instant_runoff("abc", table)[1] == {"a": 1, "b": 1, "c": 3}


def test_a_missing_match_is_refused() -> None:
    table = two_player({"ab": 1, "ac": 2})
    assert not is_complete("abc", table)
    with pytest.raises(ValueError, match="one match of every set"):
        instant_runoff("abc", table)


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[str, Crosstable]:
    seats = draw(st.integers(2, 3))
    agents = "abcdef"[: draw(st.integers(seats, 6))]
    table = {}
    for players in itertools.combinations(agents, seats):
        chips = [float(draw(st.integers(-3, 3))) for _ in players[1:]]
        table[frozenset(players)] = dict(zip(players, [*chips, -sum(chips)], strict=True))
    return agents, table


@given(tournaments())
def test_runoff_invariants(tournament: tuple[str, Crosstable]) -> None:
    agents, table = tournament
    seats = len(next(iter(table)))
    rounds, ranks = instant_runoff(agents, table)
    left = set(agents)
    for row in rounds:
        assert set(row.bankroll_chips) == left
        assert sum(row.bankroll_chips.values()) == 0
        out = set(row.eliminated)
        if out:
            lowest = min(row.bankroll_chips.values())
            assert out == {agent for agent in left if row.bankroll_chips[agent] == lowest}
            assert {ranks[agent] for agent in out} == {len(left) - len(out) + 1}
        left -= out
    assert len(left) >= seats
    assert not rounds[-1].eliminated
    assert all(row.eliminated for row in rounds[:-1])
    # Competition ranks: as many agents are ahead as the rank says.
    for rank in ranks.values():
        assert sum(other < rank for other in ranks.values()) == rank - 1


@given(tournaments(), st.integers(1, 4))
def test_bootstrap_of_certain_results_gives_the_ranks_themselves(
    tournament: tuple[str, Crosstable], groups: int
) -> None:
    """Groups without variance: every sample is the tournament, so the vectorised run-off must agree with the plain."""
    agents, table = tournament
    players = [tuple(sorted(match)) for match in table]
    chips = [np.tile([table[frozenset(match)][agent] for agent in match], (groups, 1)) for match in players]
    bankroll, runoff = bootstrap_ranks(agents, players, chips, samples=3, seed=1)
    assert runoff is not None
    for confidence, ranks in (
        (bankroll, bankroll_ranks(bankrolls(agents, table))),
        (runoff, instant_runoff(agents, table)[1]),
    ):
        expected = np.zeros((len(agents), len(agents)))
        for i, agent in enumerate(agents):
            expected[i, ranks[agent] - 1] = 1
        assert confidence.agents == tuple(agents)
        np.testing.assert_array_equal(confidence.share, expected)


def test_bootstrap_of_random_samples_equals_the_plain_runoff() -> None:
    """Draws that differ from each other: the same random numbers, one sample at a time."""
    rng = np.random.default_rng(8)
    agents = "abcde"
    players = list(itertools.combinations(agents, 3))
    chips = []
    for _ in players:
        two = rng.integers(-6, 7, size=(30, 2)).astype(float)
        chips.append(np.column_stack([two, -two.sum(axis=1)]))
    samples = 200
    _, runoff = bootstrap_ranks(agents, players, chips, samples=samples, seed=5)
    draws = np.random.default_rng(5)
    totals = [match[draws.integers(30, size=(samples, 30), dtype=np.int32)].sum(axis=1) for match in chips]
    counts = np.zeros((5, 5))
    for sample in range(samples):
        table = {
            frozenset(match): dict(zip(match, total[sample], strict=True))
            for match, total in zip(players, totals, strict=True)
        }
        for agent, rank in instant_runoff(agents, table)[1].items():
            counts[agents.index(agent), rank - 1] += 1
    assert runoff is not None
    np.testing.assert_allclose(runoff.share, counts / samples)


def test_bootstrap_of_two_agents_equals_the_normal_approximation() -> None:
    """P(a is first) = Phi(mean / standard error); 4,000 samples are good to 0.03 (four standard errors)."""
    rng = np.random.default_rng(2)
    won = rng.normal(0.03, 1, size=2500)
    bankroll, runoff = bootstrap_ranks("ab", ["ab"], [np.column_stack([won, -won])], samples=4000, seed=3)
    expected = NormalDist().cdf(won.mean() / (won.std() / math.sqrt(len(won))))
    assert 0.1 < expected < 0.9
    assert bankroll.share[0, 0] == pytest.approx(expected, abs=0.03)
    assert bankroll.share.sum(axis=1) == pytest.approx([1, 1])
    assert bankroll.share[0, 0] == pytest.approx(bankroll.share[1, 1], abs=1e-12)
    assert runoff is not None
    np.testing.assert_array_equal(runoff.share, bankroll.share)


def test_without_a_match_there_is_no_runoff() -> None:
    chips = [np.array([[1.0, -1.0]])] * 2
    bankroll, runoff = bootstrap_ranks("abc", ["ab", "ac"], chips, samples=2, seed=0)
    assert runoff is None
    assert bankroll.share[0, 0] == 1
    no_match, no_runoff = bootstrap_ranks("abc", [], [], samples=2, seed=0)
    assert no_runoff is None
    assert no_match.share[:, 0].tolist() == [1, 1, 1]
