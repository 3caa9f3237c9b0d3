"""Saved solves: going on from one is as if there had been no break, and a damaged one is refused with one message."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from hedgehog.runtime.errors import PackError, SpotError
from hedgehog.solver.cfr.own_rules import ALGORITHMS
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution import met_weight
from hedgehog.solver.postflop.solution_files import (
    load_state,
    open_solution,
    read_saved_solve,
    save_solve,
    save_strategy,
    verify_same_spot,
)
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.strategies.betting_tree import NodeKind
from hedgehog.strategies.manifest import MANIFEST_NAME, seal_manifest
from tests.solver.postflop_fixtures import SMALL_FLOP
from tests.strategies.provenance import PROVENANCE

SPOT = parse_spot(SMALL_FLOP)


def make_solver(**options: Any) -> PostflopSolver:
    return PostflopSolver(prepare(parse_spot(SMALL_FLOP)), threads=1, **options)


def save(folder: Path, solver: PostflopSolver, how: Callable[..., None] = save_solve) -> None:
    how(folder, solver, SPOT, solver.exploitability(), 1.5, PROVENANCE)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    solver = make_solver()
    solver.run(10)
    save(folder / "solve", solver)
    save(folder / "strategy", solver, save_strategy)
    return folder


@pytest.mark.parametrize(("algorithm", "storage"), [*((name, "f32") for name in ALGORITHMS), ("dcfr", "f16")])
@pytest.mark.quick_cases("dcfr-f32", "dcfr-f16", "cfr+-f32", "pcfr+-f32", "cgh-f32")
def test_going_on_is_as_without_a_break(tmp_path: Path, algorithm: str, storage: Any) -> None:
    first, whole, second = (make_solver(algorithm=algorithm, storage=storage) for _ in range(3))
    whole.run(21)
    first.run(9)
    save(tmp_path, first)
    load_state(read_saved_solve(tmp_path), second)
    assert second.iterations == 9
    second.run(12)
    assert second.iterations == 21
    for name, array in whole.state().items():
        np.testing.assert_array_equal(second.state()[name], array, err_msg=name)
    assert second.exploitability() == whole.exploitability()


def test_what_a_saved_solve_says(saved: Path) -> None:
    solver = make_solver()
    solver.run(10)
    for kind in ("solve", "strategy"):
        found = read_saved_solve(saved / kind)
        assert (found.kind, found.iterations, found.seconds) == (kind, 10, 1.5)
        assert (found.algorithm, found.storage, found.spot.text) == ("dcfr", "f32", SMALL_FLOP)
        assert found.found == solver.exploitability()


@pytest.mark.parametrize(
    ("storage", "kind", "tolerance"),
    [("f32", "solve", 0), ("f16", "solve", 0), ("f32", "strategy", 1 / 255)],
)
@pytest.mark.quick_cases("f32-solve-0", "f16-solve-0")
def test_questions_to_the_disk(tmp_path: Path, storage: Any, kind: str, tolerance: float) -> None:
    solver = make_solver(storage=storage)
    solver.run(40)
    save(tmp_path, solver, save_solve if kind == "solve" else save_strategy)
    stored = open_solution(read_saved_solve(tmp_path))
    tree = solver.tree
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        dealt = (3, 18, 51)[: int(tree.street[node]) - 1]
        np.testing.assert_allclose(
            stored.node_strategy(node, dealt), solver.node_strategy(node, dealt), atol=tolerance, rtol=0
        )
        found, expected = stored.node_values(node, dealt), solver.node_values(node, dealt)
        reaches = [solver.node_reach(player, node, dealt) for player in (0, 1)]
        for player in (0, 1):
            weight = reaches[player] * met_weight(reaches[1 - player], (*solver.board, *dealt))
            counted = weight > 3 * tolerance  # less may round to zero
            error = np.abs(found[player] - expected[player])[counted] * weight[counted]
            assert error.sum() <= 500 * tolerance * weight[counted].sum()
    assert stored.iterations == 40
    with pytest.raises(SpotError, match="average"):
        stored.node_strategy(0, current=True)


def test_questions_about_a_river_on_disk(tmp_path: Path) -> None:
    text = SMALL_FLOP.replace("Qh Jh 2c", "Qh Jh 2c 5d 5s")
    solver = PostflopSolver(prepare(parse_spot(text)), threads=1)
    solver.run(30)
    save_solve(tmp_path, solver, parse_spot(text), solver.exploitability(), 1.5, PROVENANCE)
    stored = open_solution(read_saved_solve(tmp_path))
    for node in range(solver.tree.num_nodes):
        np.testing.assert_allclose(stored.node_values(node), solver.node_values(node), atol=1e-3)


def test_strategies_alone_are_an_eighth(saved: Path) -> None:
    whole, strategy = (
        sum(file.stat().st_size for file in (saved / kind).glob("[ar]*.npy")) for kind in ("solve", "strategy")
    )
    assert strategy < whole / 7


def test_a_save_replaces_the_one_before(tmp_path: Path) -> None:
    solver = make_solver()
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".regret_ip-b.npy.123.tmp").write_text("what a kill left")
    for iterations in (3, 4, 5):
        solver.run(iterations)
        save(tmp_path, solver)
        assert read_saved_solve(tmp_path).iterations == solver.iterations
        assert len(list(tmp_path.iterdir())) == 6 + 1 + 1  # arrays, manifest, notes
    load_state(read_saved_solve(tmp_path), make_solver())


def test_a_save_that_breaks_off_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with kill -9: nothing after the point of the break is done."""
    from hedgehog.strategies import pack

    solver = make_solver()
    solver.run(3)
    save(tmp_path, solver)
    before = {name: array.copy() for name, array in solver.state().items()}
    solver.run(2)
    for broken in ("_write_manifest", "_write_array"):
        with monkeypatch.context() as patch:
            patch.setattr(pack, broken, lambda *_: (_ for _ in ()).throw(RuntimeError("killed")))
            with pytest.raises(RuntimeError, match="killed"):
                save(tmp_path, solver)
        again = make_solver()
        load_state(read_saved_solve(tmp_path), again)
        assert again.iterations == 3
        for name, array in before.items():
            np.testing.assert_array_equal(again.state()[name], array)


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = folder / MANIFEST_NAME
    data = yaml.safe_load(file.read_text())
    del data["manifest_sha256"]
    change(data)
    file.write_text(seal_manifest(yaml.safe_dump(data)))


def edit_by_hand(folder: Path, old: str, new: str) -> None:
    file = folder / MANIFEST_NAME
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def truncate(folder: Path) -> None:
    file = next(folder.glob("average_oop*.npy"))
    file.write_bytes(file.read_bytes()[:-4])


def flip(folder: Path) -> None:
    file = next(folder.glob("average_ip*.npy"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def reshape(folder: Path) -> None:
    """Damages the shape consistently, so that only the spot can tell."""
    from hedgehog.strategies.pack import open_pack, update_pack

    pack = open_pack(folder)
    arrays = {name: np.array(array) for name, array in pack.arrays.items()}
    arrays["average_oop"] = arrays["average_oop"][:-16]
    update_pack(folder, pack.manifest, arrays)


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "truncated": (truncate, "truncated"),
    "one bit": (flip, "checksum"),
    "wrong shape": (reshape, "average_oop"),
    "missing array": (lambda folder: next(folder.glob("average_oop*.npy")).unlink(), "missing"),
    "no manifest": (lambda folder: (folder / MANIFEST_NAME).unlink(), "manifest.yaml is missing"),
    "iterations edited": (lambda f: edit_by_hand(f, "iterations: ", "iterations: 1"), "edited"),
    "spot edited": (lambda f: edit_by_hand(f, "pot: 100", "pot: 101"), "edited"),
    "quality edited": (lambda f: edit_by_hand(f, "_pct_pot: ", "_pct_pot: 1"), "edited"),
    "array forgotten": (lambda f: edit_manifest(f, lambda d: d["arrays"].pop("average_oop")), "average_oop"),
    "arrays swapped": (
        lambda f: edit_manifest(f, lambda d: d["arrays"].update(average_oop=d["arrays"]["average_ip"])),
        "average_oop",
    ),
    "shape edited": (
        lambda f: edit_manifest(f, lambda d: d["arrays"]["average_oop"].update(shape=[1 << 33])), "expected"
    ),
    "kind edited": (lambda f: edit_manifest(f, lambda d: d.update(kind="flops")), "flops"),
    "of another version": (lambda f: edit_manifest(f, lambda d: d.update(format_version=9)), "version"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["solve", "strategy"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_save_is_refused(saved: Path, tmp_path: Path, damage: str, kind: str) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    for file in (saved / kind).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    change, message = DAMAGES[damage]
    change(folder)
    with pytest.raises(PackError, match=re.escape(message)) as raised:
        open_solution(read_saved_solve(folder))
    assert str(folder) in str(raised.value)
    if kind == "solve":
        with pytest.raises(PackError, match=re.escape(message)):
            load_state(read_saved_solve(folder), make_solver())


def test_a_changed_spot_is_named(saved: Path) -> None:
    found = read_saved_solve(saved / "solve")
    verify_same_spot(
        found, parse_spot(SMALL_FLOP.replace("# two", "# 2").replace("pot: 100", "pot:    100")), "spot.yaml"
    )
    for change, key in ((("pot: 100", "pot: 101"), "pot"), (('"100%"', '"90%"'), "sizes.flop.oop")):
        with pytest.raises(SpotError, match=f"'{key}' differs"):
            verify_same_spot(found, parse_spot(SMALL_FLOP.replace(*change)), "spot.yaml")
    with pytest.raises(SpotError, match="'max_bets' differs"):
        verify_same_spot(found, parse_spot(SMALL_FLOP + "max_bets: 4\n"), "spot.yaml")


def test_only_a_spot_from_a_file_is_saved(tmp_path: Path) -> None:
    solver = make_solver()
    solver.run(2)
    with pytest.raises(SpotError, match="only a spot that was read from a spot file"):
        save_solve(tmp_path, solver, replace(SPOT, text=""))
    save_solve(str(tmp_path), solver, SPOT)
    saved = read_saved_solve(str(tmp_path))
    assert (saved.spot.text, saved.iterations, saved.found) == (SMALL_FLOP, 2, solver.exploitability())


def test_a_solve_from_which_nothing_was_taken_is_read_without_rake(tmp_path: Path) -> None:
    spot = parse_spot(SMALL_FLOP.replace(", cap: 9", ""))
    for name, made in (("raked", spot), ("not", replace(spot, rake_rate=0.0))):
        solver = PostflopSolver(prepare(made), threads=1)
        solver.run(3)
        save_solve(tmp_path / name, solver, made)
    assert [read_saved_solve(tmp_path / name).spot.rake_rate for name in ("raked", "not")] == [0.05, 0]
