"""AIVAT from records of decisions is AIVAT from the players themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.decision_record import DecisionRecord, RecordHeader, RecordWriter
from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.aivat.recorded import records_of
from hedgehog.analysis.aivat.scorers import SpreadAivat, match_records
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


def values(
    logs: Sequence[Path], asked: Mapping[str, str], records: Mapping[str, tuple[DecisionRecord, ...]] | None = None
) -> tuple[np.ndarray, str]:
    """Returns the values of all hands, and what the records lacked."""
    scorer = SpreadAivat({name: parse_player_spec(spec) for name, spec in asked.items()}, HUNL)
    scorer.use_records(records or {})
    read_winnings(logs, ("me", "offtree"), HUNL, scorer.score)
    scorer.run()
    found = read_winnings(logs, ("me", "offtree"), HUNL, scorer.score).aivat
    assert found is not None
    return found, scorer.missing_note()


def test_by_record_is_by_asking(played: PlayedMatch) -> None:
    by_asking, _ = values(played.logs, {"me": "default"})
    by_record, note = values(played.logs, {}, match_records(played.logs, ["me"], HUNL))
    assert np.abs(by_asking - by_record).max() < 0.01  # chips in one hand: no digit of a mean in mbb that is shown
    assert np.abs(by_asking.mean(axis=(0, 1)) - by_record.mean(axis=(0, 1))).max() < 1e-4
    assert by_asking.std() > 100
    assert note == ""


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
    half, note = values(logs, {}, match_records(logs, ["me"], HUNL))
    whole, _ = values(played.logs, {}, match_records(played.logs, ["me"], HUNL))
    difference = np.abs(whole - half)
    assert difference[:, :20].max() == 0
    assert difference[:, 20:].max() > 100
    hands = sum(len(DecisionRecord(record_path(log, "me"))) for log in played.logs) - sum(
        len(DecisionRecord(record_path(log, "me"))) for log in logs
    )
    assert note.startswith(f"missing in the records (me: {asked} decisions in {hands} hands)")


def test_other_records_are_refused(played: PlayedMatch, tmp_path: Path) -> None:
    limit = read_gamedef(find_gamedef("holdem.limit.2p.reverse_blinds"))
    with pytest.raises(InputError, match=r"seating_1\.me\.decisions: was recorded in another game"):
        match_records(played.logs, ["me"], limit)
    other = play_match(["me=default", "offtree"], hands=2, seed=5, out=tmp_path / "m", record=True)
    record = record_path(other.logs[0], "me")
    with pytest.raises(InputError, match=r"seating_1\.me\.decisions: hand [01] has other cards than in the log"):
        values(played.logs, {}, {"me": (DecisionRecord(record),)})


def test_a_player_without_records_lacks_all(played: PlayedMatch, tmp_path: Path) -> None:
    found, note = values(played.logs, {}, match_records([tmp_path / "seating_1.log"], ["me"], HUNL))
    assert np.isfinite(found).all()
    assert "me: " in note


def test_header(played: PlayedMatch) -> None:
    header = DecisionRecord(record_path(played.logs[0], "me")).header
    assert header == RecordHeader.of(HUNL, "default", header.seed, 0)
