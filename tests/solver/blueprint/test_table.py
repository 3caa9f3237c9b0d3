"""Training, storing, comparing and reporting blueprints, on made-up cards and small trees."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, HAND_CLASS_SIZES
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.match import MatchResult, compare_blueprints
from hedgehog.solver.blueprint.report import gate_faults, preflop_spot
from hedgehog.solver.blueprint.snapshots import StopRule, next_mark, snapshots_in
from hedgehog.solver.blueprint.table import Blueprint, load_blueprint, preflop_lines
from hedgehog.solver.blueprint.trainer import TrainingFiles, TrainingProgress, read_checkpoint_status
from hedgehog.solver.blueprint.training import TrainingConfig, train_blueprint
from hedgehog.strategies.betting_tree import IP, OOP, NodeKind
from tests.reference.blueprint_foils import FOILS, foil
from tests.solver.blueprint_fixtures import PUSH_FOLD, TINY, made_up_abstraction, of_checkpoint


@pytest.fixture(scope="module")
def abstraction() -> CardAbstraction:
    return made_up_abstraction()


@pytest.fixture(scope="module")
def blueprint(abstraction: CardAbstraction) -> Blueprint:
    return train_blueprint(TrainingConfig(TINY, iterations=60), abstraction)


def test_rows_are_distributions(blueprint: Blueprint) -> None:
    assert blueprint.rows.dtype == np.float32
    for node in np.flatnonzero(blueprint.tree.kind == NodeKind.DECISION):
        block = blueprint.block(int(node))
        assert block.shape[0] == blueprint.cards.bucket_counts[int(blueprint.tree.street[node])]
        assert block.min() >= 0
        assert block.sum(axis=1) == pytest.approx(np.ones(len(block)), abs=1e-5)


def test_strategy_of_all_combos(blueprint: Blueprint, abstraction: CardAbstraction) -> None:
    tree = blueprint.tree
    node = int(np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == 2))[5])
    board = parse_cards("QhJh2c7d")
    strategy = blueprint.strategy(node, board, abstraction)
    live = combo_mask(board)
    assert strategy.shape == (tree.num_children[node], NUM_COMBOS)
    assert strategy.dtype == np.float32
    assert not strategy[:, ~live].any()
    assert strategy[:, live].sum(axis=0) == pytest.approx(np.ones(live.sum()), abs=1e-5)
    combo = int(np.flatnonzero(live)[500])
    assert (strategy[:, combo] == blueprint.block(node)[abstraction.buckets(2, board)[combo]]).all()


def test_one_thread_is_deterministic(blueprint: Blueprint, abstraction: CardAbstraction) -> None:
    again = train_blueprint(TrainingConfig(TINY, iterations=60), abstraction)
    other = train_blueprint(TrainingConfig(TINY, iterations=60, seed=2), abstraction)
    assert (again.rows == blueprint.rows).all()
    assert not (other.rows == blueprint.rows).all()


def test_resuming_equals_training_in_one_go(blueprint: Blueprint, abstraction: CardAbstraction, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.npz"
    half = train_blueprint(TrainingConfig(TINY, iterations=40), abstraction, TrainingFiles(checkpoint))
    assert (of_checkpoint(checkpoint, TrainingConfig(TINY, iterations=40), abstraction).rows == half.rows).all()
    full = train_blueprint(TrainingConfig(TINY, iterations=60), abstraction, TrainingFiles(checkpoint))
    assert (full.rows == blueprint.rows).all()
    assert full.training["iterations"] == 60
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.npz"]


def test_two_threads_deal_boards_of_their_own(abstraction: CardAbstraction, tmp_path: Path) -> None:
    """Both work, on different boards: the checkpoint says how far each has come in its own random numbers."""
    states = {}
    for threads, iterations in ((1, 40), (2, 80)):
        path = tmp_path / f"{threads}.npz"
        config = TrainingConfig(PUSH_FOLD, iterations=iterations, threads=threads, stack=1_000)
        train_blueprint(config, abstraction, TrainingFiles(checkpoint=path))
        with np.load(path) as archive:
            states[threads] = archive["rng_states"].ravel().tolist()
    # The first has done what a single thread does in half the boards; every board takes the same number of numbers.
    assert states[2][0] == states[1][0]
    assert states[2][1] - states[2][0] == 1 << 56


def test_progress_and_time_limit(abstraction: CardAbstraction) -> None:
    reports: list[TrainingProgress] = []
    result = train_blueprint(
        TrainingConfig(TINY, seconds=1.0), abstraction, progress=reports.append, progress_seconds=0.1
    )
    assert result.training["seconds"] >= 1.0
    assert reports
    assert reports[-1].iterations_per_second > 0
    assert list(reports[-1].button) == ["fold", "call", "raise 250", "all-in"]
    assert sum(reports[-1].button.values()) == pytest.approx(1.0, abs=1e-5)


def test_whoever_watches_may_end_a_training_which_then_goes_on(abstraction: CardAbstraction, tmp_path: Path) -> None:
    def stop(now: TrainingProgress) -> None:
        raise StoppedError("stopped")

    files = TrainingFiles(tmp_path / "checkpoint.npz")
    with pytest.raises(StoppedError):
        train_blueprint(TrainingConfig(TINY, iterations=60), abstraction, files, progress=stop, progress_seconds=0)
    assert read_checkpoint_status(tmp_path / "checkpoint.npz").iterations == 20
    resumed = train_blueprint(TrainingConfig(TINY, iterations=60), abstraction, files)
    assert (resumed.rows == train_blueprint(TrainingConfig(TINY, iterations=60), abstraction).rows).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({}, "iterations or seconds"), ({"iterations": 20, "threads": 0}, "at least one thread")],
)
def test_bad_arguments_are_refused(abstraction: CardAbstraction, arguments: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train_blueprint(TrainingConfig(TINY, **arguments), abstraction)


def test_checkpoint_of_another_training_is_refused(abstraction: CardAbstraction, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.npz"
    train_blueprint(TrainingConfig(PUSH_FOLD, iterations=20, stack=1_000), abstraction, TrainingFiles(checkpoint))
    with pytest.raises(InputError, match="another training: menu"):
        train_blueprint(TrainingConfig(TINY, iterations=20, stack=1_000), abstraction, TrainingFiles(checkpoint))
    with pytest.raises(InputError, match="another training: seed is 1, expected 2"):
        train_blueprint(
            TrainingConfig(PUSH_FOLD, iterations=20, stack=1_000, seed=2), abstraction, TrainingFiles(checkpoint)
        )
    content = checkpoint.read_bytes()
    checkpoint.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        train_blueprint(TrainingConfig(PUSH_FOLD, iterations=20, stack=1_000), abstraction, TrainingFiles(checkpoint))


def test_killed_training_resumes(abstraction: CardAbstraction, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.npz"
    script = (
        "import sys; from pathlib import Path\n"
        "from hedgehog.solver.blueprint.trainer import TrainingFiles\n"
        "from hedgehog.solver.blueprint.training import TrainingConfig, train_blueprint\n"
        "from tests.solver.blueprint_fixtures import made_up_abstraction\n"
        "from tests.solver.blueprint_fixtures import TINY\n"
        "checkpoint = Path(sys.argv[1])\n"
        "config, files = TrainingConfig(TINY, seconds=120), TrainingFiles(checkpoint, checkpoint_seconds=0)\n"
        "train_blueprint(config, made_up_abstraction(), files)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(checkpoint)])
    try:
        deadline = time.monotonic() + 300
        while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
    finally:
        process.kill()
        process.wait(timeout=30)
    before = of_checkpoint(checkpoint, TrainingConfig(TINY, seconds=120), abstraction).training["iterations"]
    after = train_blueprint(TrainingConfig(TINY, iterations=before + 20), abstraction, TrainingFiles(checkpoint))
    assert after.training["iterations"] == before + 20
    straight = train_blueprint(TrainingConfig(TINY, iterations=before + 20), abstraction)
    assert (after.rows == straight.rows).all()


def test_snapshots_double_and_the_stop_rule_ends_training(
    abstraction: CardAbstraction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: next(ticks) / 64)  # an epoch of 20 boards takes a 64th of a second
    monkeypatch.setattr("hedgehog.solver.blueprint.trainer.time", clock)
    checkpoint = tmp_path / "checkpoint.npz"
    reports: list[TrainingProgress] = []

    def train(stop: StopRule, seconds: float | None = None) -> Blueprint:
        return train_blueprint(
            TrainingConfig(PUSH_FOLD, seconds=seconds, stack=1_000, stop=stop),
            abstraction,
            TrainingFiles(checkpoint, snapshots=tmp_path, snapshot_seconds=5 / 64),
            progress=reports.append,
            progress_seconds=0,
        )

    first = train(StopRule(mbb=-1e9, gate=False), seconds=15 / 64)
    assert list(snapshots_in(tmp_path)) == [1, 2]
    assert reports[0].head_to_head is None
    assert train(StopRule(mbb=-1e9, gate=False), seconds=15 / 64).training == first.training
    result = train(StopRule(mbb=1e9, gate=False))
    snapshots = {number: load_blueprint(path) for number, path in snapshots_in(tmp_path).items()}
    assert {n: b.training["iterations"] for n, b in snapshots.items()} == {1: 100, 2: 200, 4: 400}
    assert (snapshots[4].rows == result.rows).all()
    # The same command once more trains no further; a stricter rule does.
    again = train(StopRule(mbb=1e9, gate=False))
    assert again.training == result.training
    stricter = train(StopRule(mbb=-1e9, gate=False), seconds=result.training["seconds"] + 0.5)
    assert stricter.training["iterations"] > result.training["iterations"]
    assert reports[-1].head_to_head is not None


def test_stop_rule(blueprint: Blueprint) -> None:
    result = MatchResult(mbb_per_hand=15.0, standard_error=2.0, boards=100)
    assert StopRule(20.0, gate=False).is_met(result, blueprint)
    assert not StopRule(10.0, gate=False).is_met(result, blueprint)
    assert not StopRule(20.0, gate=True).is_met(result, foil("fold", blueprint))


def test_next_mark() -> None:
    assert [next_mark(seconds) for seconds in (0.0, 59.9, 60.0, 119.0, 120.0, 4_000.0)] == [1, 1, 2, 2, 4, 128]


def test_checkpoint_from_before_there_were_two_trainers(abstraction: CardAbstraction, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    train_blueprint(TrainingConfig(PUSH_FOLD, iterations=40, stack=1_000), abstraction, TrainingFiles(path))
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays["header"]))
    for key in ("algorithm", "average_power"):
        del header["identity"][key]
    for key in ("head_to_head", "compared_at"):
        del header[key]
    np.savez(path, **(arrays | {"header": np.array(json.dumps(header))}))
    resumed = train_blueprint(TrainingConfig(PUSH_FOLD, iterations=80, stack=1_000), abstraction, TrainingFiles(path))
    assert (
        resumed.rows == train_blueprint(TrainingConfig(PUSH_FOLD, iterations=80, stack=1_000), abstraction).rows
    ).all()
    other = train_blueprint(TrainingConfig(PUSH_FOLD, iterations=80, stack=1_000, average_power=1), abstraction)
    assert not (other.rows == resumed.rows).all()
    with pytest.raises(InputError, match="average_power is 2, expected 1"):
        train_blueprint(
            TrainingConfig(PUSH_FOLD, iterations=80, stack=1_000, average_power=1), abstraction, TrainingFiles(path)
        )


def test_save_and_load(blueprint: Blueprint, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.npz"
    blueprint.save(path)
    loaded = load_blueprint(path)
    assert (loaded.rows == blueprint.rows).all()
    assert (loaded.menu, loaded.cards, loaded.training) == (blueprint.menu, blueprint.cards, blueprint.training)
    assert (loaded.tree.committed == blueprint.tree.committed).all()


def test_damaged_files_are_refused(blueprint: Blueprint, abstraction: CardAbstraction, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.npz"
    with pytest.raises(InputError, match="cannot be read"):
        load_blueprint(path)
    blueprint.save(path)
    content = bytearray(path.read_bytes())
    for damaged in (content[:-500], b"no archive", content[:2000] + b"\x55" + content[2001:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="cannot be read"):
            load_blueprint(path)
    train_blueprint(
        TrainingConfig(PUSH_FOLD, iterations=20, stack=1_000), abstraction, TrainingFiles(path.with_name("c.npz"))
    )
    with pytest.raises(InputError, match="expected a file of format"):
        load_blueprint(path.with_name("c.npz"))


def test_flop_lines(blueprint: Blueprint) -> None:
    lines = {line.betting: line for line in preflop_lines(blueprint)}
    assert list(lines) == ["cc", "cr350c", "cr350r1050c", "cr350r1050r2625c", "r250c", "r250r750c", "r250r750r1875c"]
    tree = blueprint.tree
    for line in lines.values():
        assert (tree.street[line.node], tree.player[line.node]) == (1, OOP)
        assert line.pot == tree.pot(line.node)
        assert line.stack == 20_000 - line.pot // 2
    opened = lines["r250c"]
    raised = tree.children(0)[2]
    button = blueprint.block(0)[HAND_CLASS, 2]
    assert opened.ranges[IP] == pytest.approx(button, abs=1e-6)
    assert opened.ranges[OOP] == pytest.approx(blueprint.block(raised)[HAND_CLASS, 1], abs=1e-6)
    # The probability by brute force over all pairs of disjoint combos.
    shared = (COMBO_CARDS[:, None, :, None] == COMBO_CARDS[None, :, None, :]).any(axis=(2, 3))
    expected = opened.ranges[OOP] @ ~shared @ opened.ranges[IP] / (1326 * 1225)
    assert opened.probability == pytest.approx(expected, rel=1e-5)


def test_comparison_is_antisymmetric(blueprint: Blueprint, abstraction: CardAbstraction) -> None:
    other = train_blueprint(TrainingConfig(TINY, iterations=20, seed=9), abstraction)
    there = compare_blueprints(blueprint, other, abstraction, 3)
    back = compare_blueprints(other, blueprint, abstraction, 3)
    assert there.mbb_per_hand == pytest.approx(-back.mbb_per_hand, abs=0.5)
    assert there.boards == 3
    assert abs(compare_blueprints(blueprint, blueprint, abstraction, 3).mbb_per_hand) < 0.5


def test_folding_costs_half_a_small_blind(blueprint: Blueprint, abstraction: CardAbstraction) -> None:
    # The folder loses 50 on the button; the caller limps and both check down, which is fair.
    result = compare_blueprints(foil("call", blueprint), foil("fold", blueprint), abstraction, 5)
    assert result.mbb_per_hand == pytest.approx(250.0, abs=0.1)
    assert result.standard_error < 0.1


@pytest.mark.parametrize("name", list(FOILS))
def test_blueprint_beats_simple_opponents(blueprint: Blueprint, abstraction: CardAbstraction, name: str) -> None:
    result = compare_blueprints(blueprint, foil(name, blueprint), abstraction, 60)
    assert result.mbb_per_hand > 2 * result.standard_error


def test_comparing_different_games_is_refused(blueprint: Blueprint, abstraction: CardAbstraction) -> None:
    other = train_blueprint(TrainingConfig(PUSH_FOLD, iterations=20), abstraction)
    with pytest.raises(InputError, match="different menus"):
        compare_blueprints(blueprint, other, abstraction, 3)
    with pytest.raises(InputError, match="two boards"):
        compare_blueprints(blueprint, blueprint, abstraction, 1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.slow_cases("1")
def test_trainer_finds_push_fold_at_ten_big_blinds(abstraction: CardAbstraction, threads: int) -> None:
    config = TrainingConfig(PUSH_FOLD, iterations=12_000, stack=1_000, threads=threads)
    result = train_blueprint(config, abstraction)
    jam = float(HAND_CLASS_SIZES @ result.block(0)[:, 1] / HAND_CLASS_SIZES.sum())
    big_blind = result.tree.children(0)[1]
    call = float(HAND_CLASS_SIZES @ result.block(big_blind)[:, 1] / HAND_CLASS_SIZES.sum())
    # Exactly 58.3 % and 37.4 % (test_preflop_games); sampled boards leave some noise.
    assert jam == pytest.approx(0.583, abs=0.03)
    assert call == pytest.approx(0.374, abs=0.03)
    jams = dict(zip(HAND_CLASS_NAMES, result.block(0)[:, 1], strict=True))
    assert min(jams["AA"], jams["88"], jams["AKo"], jams["A9o"]) > 0.98
    assert max(jams["72o"], jams["32o"]) < 0.05


def test_preflop_spots(blueprint: Blueprint) -> None:
    spot = preflop_spot(blueprint)
    expected = HAND_CLASS_SIZES @ blueprint.block(0) / HAND_CLASS_SIZES.sum()
    assert list(spot.shares) == ["f", "c", "r250", "r20000"]
    assert list(spot.shares.values()) == pytest.approx(expected.tolist(), abs=1e-5)
    against_open = preflop_spot(blueprint, 2)
    assert against_open.betting == "r250"
    assert list(against_open.shares) == ["f", "c", "r750", "r20000"]
    assert sum(against_open.shares.values()) == pytest.approx(1.0)
    assert preflop_spot(blueprint, 1).fold == 0.0
    with pytest.raises(ValueError, match="preflop decision"):
        preflop_spot(blueprint, 0)


def test_release_gate(blueprint: Blueprint) -> None:
    nit = foil("fold", blueprint)
    assert [fault.split(" of hands")[0] for fault in gate_faults(nit)] == [
        "the button folds first in 100.0%",
        "the big blind folds to an open 100.0%",
        "the big blind calls an open-jam 0.0%",
    ]
    assert any("open-jams 100.0%" in fault for fault in gate_faults(foil("all-in", blueprint)))


def test_ranges_are_by_player(blueprint: Blueprint) -> None:
    limped = next(line for line in preflop_lines(blueprint) if line.betting == "cc")
    assert limped.ranges[IP] == pytest.approx(blueprint.block(0)[HAND_CLASS, 1], abs=1e-6)
    assert blueprint.tree.player[0] == IP
