"""``hedgehog bench solver --peer``: the protocol, with the slow solver of the tests as the peer."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.speed import solver as bench
from hedgehog.analysis.speed.peer import Peer, PeerRefusalError, running_peer
from hedgehog.analysis.speed.solver_spots import SPOTS, BenchSpot
from hedgehog.cli.main import main
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree

PEER = shlex.join([sys.executable, "-m", "tests.verification.slow_peer"])
RIVER = BenchSpot("R river", "QhJh2c7d5s", 100, 200, ("AA,KK,QJ", "TT,AQ"), "50%", 2, (1.0, None), (1, 1))


@pytest.fixture
def river(tmp_path: Path) -> Path:
    path = tmp_path / "river.yaml"
    path.write_text(RIVER.text(), encoding="utf-8")
    return path


@pytest.fixture
def peer() -> Iterator[Peer]:
    with running_peer(PEER) as found:
        yield found


def same(tree: BettingTree, other: BettingTree) -> bool:
    return all(np.array_equal(getattr(tree, name), getattr(other, name)) for name in ("kind", "amount", "first_child"))


@pytest.mark.parametrize("spot", SPOTS, ids=lambda spot: spot.name)
def test_the_peer_gets_the_spot_that_we_solve(spot: BenchSpot, tmp_path: Path) -> None:
    (tmp_path / "spot.yaml").write_text(spot.text(), encoding="utf-8")
    read = read_spot(tmp_path / "spot.yaml")
    ours = spot.solver(1, "f32") if spot.street == 3 else None
    assert same(build_postflop_tree(read.tree), build_postflop_tree(spot.spot().tree))
    if ours is not None:
        for player in (0, 1):
            np.testing.assert_array_equal(read.live_range(player), ours.spot.ranges[player])


@pytest.mark.process
def test_a_peer_reports_iterations_and_targets(peer: Peer, river: Path) -> None:
    found = peer.iterations(river, "f32", 1, 3)
    assert found.seconds > 0
    assert found.memory_bytes
    loose, tight = peer.targets(river, "f32", 1, (20.0, 2.0), 500).reached
    assert 0 < loose.iterations <= tight.iterations <= 500
    assert tight.exploitability_pct <= 2


@pytest.mark.process
def test_a_peer_may_refuse_and_goes_on(peer: Peer, river: Path) -> None:
    with pytest.raises(PeerRefusalError, match="64 bits"):
        peer.iterations(river, "f16", 1, 1)
    assert peer.iterations(river, "f32", 1, 1).seconds > 0


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("nonsense", "the answer is no JSON"),
        ("[1]", "valid dictionary"),
        ('{"seconds": -1}', "greater than 0"),
        ('{"memory_bytes": 5}', "seconds"),
        ('{"reached": []}', "seconds"),
    ],
)
def test_a_wrong_answer_is_shown(answer: str, complaint: str, river: Path) -> None:
    program = f"import sys\nfor line in sys.stdin: print({answer!r}, flush=True)"
    with running_peer(shlex.join([sys.executable, "-c", program])) as peer, pytest.raises(InputError) as raised:
        peer.iterations(river, "f32", 1, 1)
    assert complaint in str(raised.value)


def test_a_peer_that_ends_or_cannot_start_is_named(river: Path) -> None:
    with running_peer(shlex.join([sys.executable, "-c", "pass"])) as peer, pytest.raises(InputError, match="ended"):
        peer.iterations(river, "f32", 1, 1)
    with pytest.raises(InputError, match="cannot start the peer"), running_peer("/nowhere/solver"):
        pass


@pytest.mark.slow
@pytest.mark.process
def test_both_programs_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SPOTS", (RIVER,))
    monkeypatch.setattr(bench, "_ROUNDS", 2)
    asked: list[int] = []
    ask = Peer.iterations
    monkeypatch.setattr(Peer, "iterations", lambda *given: (asked.append(given[-1]), ask(*given))[1])
    table = bench.measure_iterations(PEER, ("R",))
    rows = {row.what: row for row in table.rows}
    for what in ("R river, f32: iteration", "R river, f32: memory", "R river, f32, two threads: iteration"):
        assert rows[what].peer == "the peer"
        assert rows[what].ratio == pytest.approx(rows[what].value / rows[what].peer_value)
    assert rows["R river, f16: iteration"].peer_value is None
    assert any("64 bits" in note for note in table.notes)
    assert asked.count(2) == 2 * 3 + 1  # two rows of three rounds, and one refusal


@pytest.mark.slow
@pytest.mark.process
def test_targets_beside_a_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SPOTS", (RIVER,))
    monkeypatch.setattr(bench, "RECORDED_TO_TARGET", {RIVER.name: ((1.0, 2.0), (10, 20))})
    monkeypatch.setattr(bench, "_TARGETS", (20.0, 5.0))
    rows = bench.measure_targets(PEER).rows
    assert [row.peer for row in rows] == ["the peer"] * 2
    assert all("(peer " in row.what for row in rows)


def test_an_unknown_spot_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["bench", "solver", "--spot", "Z"])
    assert raised.value.code == 2
    assert "expected D2, D1, D4, D3, C3, C, A" in capsys.readouterr().err


def test_what_a_peer_is_asked(river: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program = f"import sys; open({str(seen)!r}, 'w').write(sys.stdin.readline())"
    with running_peer(shlex.join([sys.executable, "-c", program])) as peer, pytest.raises(InputError):
        peer.targets(river, "f16", 2, (1.0, 0.5), 30)
    assert json.loads(seen.read_text()) == {
        "task": "targets",
        "targets_pct": [1.0, 0.5],
        "most_iterations": 30,
        "check_every": 10,
        "spot": str(river),
        "storage": "f16",
        "threads": 2,
    }
