"""Winnings by position and by opponent, from logs of a real tournament and from made-up winnings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.stats.match_report import MatchWinnings
from hedgehog.analysis.tournament.breakdown import position_names, winnings_by_position, winnings_with_opponents
from hedgehog.analysis.tournament.scoring import analyse_tournament
from hedgehog.arena.match import seat_orders
from hedgehog.arena.play import play_tournament
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import parse_log_line

GAME = load_gamedef("holdem.limit.3p")


def test_positions_have_the_names_of_holdem() -> None:
    assert position_names(GAME) == ("small blind", "big blind", "button")
    assert position_names(load_gamedef("holdem.limit.2p.reverse_blinds")) == ("big blind", "button")
    assert position_names(load_gamedef("kuhn.limit.3p")) == ("position 1", "position 2", "position 3")


@pytest.mark.process
def test_winnings_by_position_are_those_of_the_logs(tmp_path: Path) -> None:
    """The names in a log line are in the order of the positions."""
    play_tournament(["call", "raise", "fold", "random"], hands=30, out=tmp_path / "t", seed=3, game="holdem.limit.3p")
    result = analyse_tournament(tmp_path / "t", samples=10)
    won: dict[tuple[str, int], list[float]] = {}
    for log in sorted((tmp_path / "t").glob("matches/*/seating_*.log")):
        for line in log.read_text().splitlines():
            if line.startswith("STATE:"):
                hand = parse_log_line(line, GAME)
                for position, (name, value) in enumerate(zip(hand.names.split("|"), hand.values, strict=True)):
                    won.setdefault((name, position), []).append(float(value) * 100)
    for agent, estimates in result.by_position.items():
        for position, estimate in enumerate(estimates):
            assert estimate.mean == pytest.approx(np.mean(won[agent, position]))
            assert estimate.n == 3 * 30
    assert set(result.with_opponent) == {"call", "raise", "fold", "random"}
    assert result.with_opponent["fold"]["call"].n == 60


def test_winnings_with_an_opponent_are_means_over_the_matches_with_it() -> None:
    orders = len(seat_orders(3, duplicate=True))
    first = MatchWinnings(("a", "b", "c"), np.full((orders, 4, 3), (10.0, -10.0, 0.0)), np.zeros((orders, 4, 3)))
    second = MatchWinnings(("a", "b", "d"), np.full((orders, 2, 3), (40.0, 0.0, -40.0)), np.zeros((orders, 2, 3)))
    found = winnings_with_opponents([first, second], "a", GAME)
    assert {name: (one.mean, one.n) for name, one in found.items()} == {
        "b": (2000.0, 6),
        "c": (1000.0, 4),
        "d": (4000.0, 2),
    }
    assert winnings_by_position([first], "b", GAME, duplicate=True)[1].mean == -1000.0
    assert winnings_by_position([], "b", GAME, duplicate=True)[0].n == 0
