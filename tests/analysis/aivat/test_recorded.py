"""AIVAT from records of decisions is AIVAT from the players themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.decision_record import DecisionRecord, RecordHeader, RecordWriter
from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.aivat.match import MatchAivat, strategies_of
from hedgehog.analysis.aivat.recorded import RecordedStrategy, missing_note, recorded_strategies, records_of
from hedgehog.analysis.stats.match_report import read_winnings
from hedgehog.arena.match import record_path
from hedgehog.arena.play import PlayedMatch, play_match
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.runtime.errors import InputError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> PlayedMatch:
    """Our player from packs alone, recorded, against bets of odd sizes."""
    out = tmp_path_factory.mktemp("match") / "m"
    return play_match(["me=default", "offtree"], hands=40, seed=4, out=out, record=True)


def values(played: PlayedMatch, scorer: MatchAivat) -> np.ndarray:
    found = read_winnings(played.logs, played.names, HUNL, scorer.score).aivat
    assert found is not None
    return found


def test_by_record_is_by_asking(played: PlayedMatch) -> None:
    asked = MatchAivat(strategies_of({"me": parse_player_spec("default")}, HUNL), HUNL)
    recorded = MatchAivat({}, HUNL, recorded=recorded_strategies(played.logs, ["me"], HUNL))
    by_asking, by_record = values(played, asked), values(played, recorded)
    assert np.abs(by_asking - by_record).max() < 0.01  # chips in one hand: no digit of a mean in mbb that is shown
    assert np.abs(by_asking.mean(axis=(0, 1)) - by_record.mean(axis=(0, 1))).max() < 1e-4
    assert by_asking.std() > 100
    assert recorded.missing_note() == ""


def test_missing_hands_are_counted(played: PlayedMatch, tmp_path: Path) -> None:
    """Half a record gives half of the values, and says so."""
    logs = [tmp_path / log.name for log in played.logs]
    asked = 0
    for log, copy in zip(played.logs, logs, strict=True):
        copy.write_bytes(log.read_bytes())
        record = DecisionRecord(record_path(log, "me"))
        writer = RecordWriter(record_path(copy, "me"), record.header)
        for hand in record.hands():
            if hand.hand_id < 20:
                writer.write(hand)
            else:
                asked += len(hand.decisions)
        writer.close()
    assert records_of(logs, ["me", "offtree"]) == {"me": [record_path(log, "me") for log in logs]}
    half = MatchAivat({}, HUNL, recorded=recorded_strategies(logs, ["me"], HUNL))
    whole = MatchAivat({}, HUNL, recorded=recorded_strategies(played.logs, ["me"], HUNL))
    difference = np.abs(values(played, whole) - np.asarray(read_winnings(logs, played.names, HUNL, half.score).aivat))
    assert difference[:, :20].max() == 0
    assert difference[:, 20:].max() > 100
    hands = sum(len(DecisionRecord(record_path(log, "me"))) for log in played.logs) - sum(
        len(DecisionRecord(record_path(log, "me"))) for log in logs
    )
    assert half.missing_note().startswith(f"missing in the records (me: {asked} decisions in {hands} hands)")


def test_other_records_are_refused(played: PlayedMatch, tmp_path: Path) -> None:
    limit = read_gamedef(find_gamedef("holdem.limit.2p.reverse_blinds"))
    with pytest.raises(InputError, match=r"seating_1\.me\.decisions: was recorded in another game"):
        recorded_strategies(played.logs, ["me"], limit)
    other = play_match(["me=default", "offtree"], hands=2, seed=5, out=tmp_path / "m", record=True)
    record = record_path(other.logs[0], "me")
    scorer = MatchAivat({}, HUNL, recorded={"me": RecordedStrategy([record], HUNL)})
    with pytest.raises(InputError, match=r"seating_1\.me\.decisions: hand [01] has other cards than in the log"):
        values(played, scorer)


def test_a_player_without_records_lacks_all(played: PlayedMatch, tmp_path: Path) -> None:
    strategies = recorded_strategies([tmp_path / "seating_1.log"], ["me"], HUNL)
    scorer = MatchAivat({}, HUNL, recorded=strategies)
    assert np.isfinite(values(played, scorer)).all()
    assert "me: " in scorer.missing_note()
    assert missing_note([]) == ""


def test_header(played: PlayedMatch) -> None:
    header = DecisionRecord(record_path(played.logs[0], "me")).header
    assert header == RecordHeader.of(HUNL, "default", header.seed, 0)
