"""Blueprints for several depths: built one after the other, gone on with after any end, refused before any work."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.runtime.engines.jobs import hold_work
from hedgehog.runtime.errors import InputError, MemoryShortageError, ResourceError, StoppedError
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.packs import trainings
from hedgehog.solver.packs.build import build_pack, estimate_pack
from hedgehog.solver.packs.build_status import CHECKPOINT, DEPTHS_FILE, DepthStatus, find_builds
from hedgehog.strategies.manifest import MANIFEST_NAME, PackManifest, format_manifest, read_manifest
from hedgehog.strategies.pack import find_packs, open_pack
from hedgehog.strategies.pack_games import find_game_packs
from tests.solver.blueprint_fixtures import made_up_abstraction

CONFIG = """\
kind: blueprint
name: tiny
menu: {preset: small, flop: 100%, turn: 100%, river: 100%}
flop_buckets: 20
turn_buckets: 30
river_buckets: 40
threads: 1
iterations: 20
depths:
  - {bb: 4}
  - {bb: 6, iterations: 40, menu: {preflop: 2x}}
"""
NAMES = ["tiny-4bb", "tiny-6bb"]
DEPTHS_WORK = "the unfinished work of blueprints for several depths"


class Heard(Watch):
    """Keeps what it hears, and says to stop after some reports."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.notes: list[str] = []
        self.reports: list[tuple[float, str | None]] = []
        self.totals: list[float | None] = []
        self._stop_after = stop_after

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        self.totals.append(total)

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self.reports.append((done, text))

    def note(self, text: str) -> None:
        self.notes.append(text)

    @property
    def stopped(self) -> bool:
        return self._stop_after is not None and len(self.reports) >= self._stop_after


@pytest.fixture(autouse=True)
def cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config, progress: made_up_abstraction())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    return path


def changed(config: Path, old: str, new: str) -> Path:
    assert old in config.read_text()
    config.write_text(config.read_text().replace(old, new))
    return config


def content(out: Path) -> dict[str, dict[str, Any]]:
    """Returns all arrays of the packs in a folder."""
    return {
        folder.name: {key: np.array(array) for key, array in open_pack(folder).arrays.items()}
        for folder in find_packs(out)
    }


def assert_same(found: dict[str, dict[str, Any]], wanted: dict[str, dict[str, Any]]) -> None:
    assert list(found) == list(wanted)
    for name, arrays in wanted.items():
        assert all(np.array_equal(found[name][key], array) for key, array in arrays.items())


def states(folder: Path) -> list[tuple[str, str, int | None]]:
    (found,) = find_builds(folder)
    assert isinstance(found.status, tuple)
    return [
        (each.depth.name, each.state, None if each.training is None else each.training.iterations)
        for each in found.status
        if isinstance(each, DepthStatus)
    ]


def test_every_depth_is_a_pack_of_its_own(config: Path, tmp_path: Path) -> None:
    out, heard = tmp_path / "out", Heard()
    made = build_pack(config, out, watch=heard)
    assert [manifest.name for manifest in made] == [folder.name for folder in find_packs(out)] == NAMES
    assert [manifest.config["training"]["iterations"] for manifest in made] == [20, 40]
    assert [game.depth for game in find_game_packs([out])] == [4, 6]
    assert heard.notes == [f"wrote {out}/tiny-4bb (1 of 2)", f"wrote {out}/tiny-6bb (2 of 2)"]
    assert states(out) == states(tmp_path / "out.work") == [("tiny-4bb", "finished", 20), ("tiny-6bb", "finished", 40)]


def test_a_depth_is_what_a_build_of_its_own_makes(config: Path, tmp_path: Path) -> None:
    """Nothing of a depth comes from the depth before."""
    build_pack(config, tmp_path / "out")
    alone = tmp_path / "alone.yaml"
    menu = "menu: {preset: small, flop: 100%, turn: 100%, river: 100%, preflop: 2x}"
    head = CONFIG.split("depths:", maxsplit=1)[0].replace("iterations: 20", "iterations: 40").splitlines()
    head[2] = menu
    alone.write_text("\n".join([*head, "stack: 600", ""]))
    (manifest,) = build_pack(alone, tmp_path / "alone")
    assert_same({"alone": content(tmp_path / "out")["tiny-6bb"]}, content(tmp_path / "alone"))
    assert manifest.gamedef == read_manifest(tmp_path / "out/tiny-6bb").gamedef


def test_progress_counts_all_depths(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One piece of work, in which a depth counts as its iterations times the size of its tree."""
    plain = trainings.train_blueprint
    monkeypatch.setattr(
        trainings, "train_blueprint", lambda *given, progress: plain(*given, progress=progress, progress_seconds=0)
    )
    heard = Heard()
    build_pack(config, tmp_path / "out", watch=heard)
    estimates = estimate_pack(config)
    assert isinstance(estimates, list)
    weights = [sum(one.tables.decisions) + 100 for one in estimates]
    assert heard.totals == [20 * weights[0] + 40 * weights[1]]
    done = [amount for amount, _ in heard.reports]
    after_first = 20 * weights[0]
    assert done == [0, after_first, after_first, after_first + 20 * weights[1], heard.totals[0]]
    texts = [text or "" for _, text in heard.reports]
    assert [text.split(":")[0] for text in texts] == [f"{NAMES[0]} (1 of 2)"] * 2 + [f"{NAMES[1]} (2 of 2)"] * 3
    assert "40 boards, " in texts[-1]


@pytest.mark.parametrize(
    ("limits", "total"),
    [(("seconds: 0.5", "seconds: 0.25"), 0.75), (("seconds: 0.5", "iterations: 20"), None)],
)
def test_progress_of_depths_that_are_limited_by_time(
    config: Path, tmp_path: Path, limits: tuple[str, str], total: float | None
) -> None:
    changed(config, "threads: 1\niterations: 20", f"threads: 1\n{limits[0]}")
    changed(config, "iterations: 40", limits[1])
    heard = Heard()
    (first, _) = build_pack(config, tmp_path / "out", watch=heard)
    assert heard.totals == [total]
    assert first.config["training"]["seconds"] >= 0.5
    assert [note.split()[-3] for note in heard.notes] == ["(1", "(2"]
    heard = Heard()
    build_pack(config, tmp_path / "out", watch=heard)
    assert heard.notes == ["all 2 blueprints are finished already"]


def test_finished_depths_are_left_as_they_are(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build_pack(config, out)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.npy")}
    changed(config, "  - {bb: 4}\n", "  - {bb: 4}\n  - {bb: 5}\n")
    for overwrite in (False, True):
        heard = Heard()
        made = build_pack(config, out, overwrite=overwrite, watch=heard)
        assert [manifest.name for manifest in made] == ["tiny-4bb", "tiny-5bb", "tiny-6bb"]
        assert {path: path.stat().st_mtime_ns for path in before} == before
        if not overwrite:
            assert heard.notes == [
                "tiny-4bb (1 of 3) is finished already",
                f"wrote {out}/tiny-5bb (2 of 3)",
                "tiny-6bb (3 of 3) is finished already",
            ]
    # Neither the number of threads nor less training makes another pack of it.
    changed(config, "threads: 1\niterations: 20", "threads: 2\niterations: 10")
    build_pack(config, out)
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{preset: small, flop: 100%,", "{preset: small, flop: 50%,", "menu: not the same"),
        ("river_buckets: 40", "river_buckets: 41", "card buckets: not the same"),
        ("threads: 1", "threads: 1\ncard_seed: 7", "card buckets: not the same"),
        ("threads: 1", "threads: 1\nblinds: [100, 200]", "game: not the same"),
        ("threads: 1", "threads: 1\nblinds: [25, 100]", "game: not the same"),
        ("threads: 1", "threads: 1\nseed: 7", "seed: 1, not 7"),
        ("threads: 1", "threads: 1\nalgorithm: external", "algorithm: pcs, not external"),
        ("threads: 1", "threads: 1\naverage_power: 1", "average_power: 2, not 1"),
        ("1\niterations: 20", "1\niterations: 60", r"training: ended after 20 iterations and [0-9.]+ s"),
        ("1\niterations: 20", "1\nseconds: 1000", r"training: ended after 20 iterations and [0-9.]+ s"),
        ("1\niterations: 20", "1\nstop: {mbb: 9, gate: no}", r"training: ended after 20 iterations and [0-9.]+ s"),
    ],
)
@pytest.mark.quick_cases(every=2)
def test_a_depth_that_is_something_else_is_refused_before_any_work(
    config: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    out, work = tmp_path / "out", tmp_path / "out.work"
    build_pack(config, out, work=work)
    changed(config, old, new)
    changed(config, "  - {bb: 4}\n", "  - {bb: 3}\n  - {bb: 4}\n")
    before = {path: path.stat().st_mtime_ns for path in (*out.rglob("*"), *work.rglob("*"))}
    with pytest.raises(InputError, match=rf"tiny-4bb: holds another pack than 'tiny-4bb' of the .*\({message}\): exp"):
        build_pack(config, out, work=work)
    assert {path: path.stat().st_mtime_ns for path in (*out.rglob("*"), *work.rglob("*"))} == before


def test_overwrite_replaces_what_differs_alone(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build_pack(config, out)
    kept = (out / "tiny-6bb" / MANIFEST_NAME).stat().st_mtime_ns
    changed(config, "  - {bb: 4}\n", "  - {bb: 4, iterations: 60}\n")
    heard = Heard()
    made = build_pack(config, out, overwrite=True, watch=heard)
    assert [manifest.config["training"]["iterations"] for manifest in made] == [60, 40]
    assert heard.reports[0][1] == "tiny-4bb (1 of 2)"
    estimates = estimate_pack(config)
    assert isinstance(estimates, list)
    assert heard.reports[0][0] == 20 * (sum(estimates[0].tables.decisions) + 100)  # goes on from 20 iterations
    assert (out / "tiny-6bb" / MANIFEST_NAME).stat().st_mtime_ns == kept


def test_work_of_another_training_is_refused_before_any_work(config: Path, tmp_path: Path) -> None:
    """With --overwrite the packs may be replaced, but the checkpoint of the second depth cannot be gone on with."""
    out = tmp_path / "out"
    build_pack(config, out)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    changed(config, "  - {bb: 4}\n", "  - {bb: 3}\n")
    changed(config, "preflop: 2x", "preflop: 2.2x")
    with pytest.raises(InputError, match=r"tiny-6bb/checkpoint.npz: checkpoint of another training: menu is "):
        build_pack(config, out, overwrite=True)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def break_rows(folder: Path) -> None:
    rows = folder / "blueprint_rows.npy"
    data = bytearray(rows.read_bytes())
    data[-1] ^= 1
    rows.write_bytes(data)


def seal_without_training(folder: Path) -> None:
    manifest = read_manifest(folder)
    less = {key: value for key, value in manifest.config.items() if key != "training"}
    (folder / MANIFEST_NAME).write_text(format_manifest(manifest.model_copy(update={"config": less})))


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (break_rows, r"damaged: checksum differs"),
        (lambda folder: (folder / "blueprint_tree.npy").unlink(), r"damaged: array 'blueprint_tree' is missing"),
        (lambda folder: (folder / MANIFEST_NAME).write_text("mine"), r"not part of"),
        (seal_without_training, r"damaged: its configuration is incomplete"),
    ],
)
def test_a_damaged_pack_is_not_taken_for_finished(
    config: Path, tmp_path: Path, harm: Callable[[Path], None], message: str
) -> None:
    out = tmp_path / "out"
    build_pack(config, out)
    wanted = content(out)
    harm(out / "tiny-6bb")
    with pytest.raises(InputError, match=message):
        build_pack(config, out)
    if "not part" not in message:  # a manifest that names no files leaves files that may be anybody's
        build_pack(config, out, overwrite=True)
        assert_same(content(out), wanted)


def foreign_file(out: Path) -> None:
    out.mkdir()
    (out / "thesis.txt").write_text("precious")


def foreign_folder(out: Path) -> None:
    (out / "photos").mkdir(parents=True)
    (out / "photos/cat.png").write_text("precious")


def foreign_file_in_a_pack(out: Path) -> None:
    (out / "tiny-6bb").mkdir(parents=True)
    (out / "tiny-6bb/thesis.txt").write_text("precious")


def foreign_link(out: Path) -> None:
    out.mkdir()
    (out / "tiny-6bb").symlink_to(out.parent)


def a_pack(out: Path) -> None:
    single = out.parent / "single.yaml"
    single.write_text(CONFIG.split("depths:", maxsplit=1)[0])
    build_pack(single, out)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (foreign_file, "holds 'thesis.txt', which is not part of a folder of strategy packs"),
        (foreign_folder, "holds 'photos/cat.png', which is not part of a folder of strategy packs"),
        (foreign_file_in_a_pack, "holds 'tiny-6bb/thesis.txt', which is not part of a folder of strategy packs"),
        (foreign_link, "holds 'tiny-6bb', which is not part of a folder of strategy packs"),
        (a_pack, "which is not part of a folder of strategy packs"),
        (lambda out: out.write_text("precious"), "is a file"),
    ],
)
def test_a_folder_with_anything_else_is_refused_before_any_work(
    config: Path, tmp_path: Path, place: Callable[[Path], None], message: str
) -> None:
    out = tmp_path / "out"
    place(out)
    before = sorted(tmp_path.rglob("*"))
    for overwrite in (False, True):
        with pytest.raises(InputError, match=message):
            build_pack(config, out, work=tmp_path / "work", overwrite=overwrite)
    assert sorted(tmp_path.rglob("*")) == before


def test_other_packs_may_lie_beside_the_depths(config: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    single = tmp_path / "single.yaml"
    single.write_text(CONFIG.split("depths:", maxsplit=1)[0])
    build_pack(single, tmp_path / "out" / "deep", work=tmp_path / "single.work")
    build_pack(config, tmp_path / "out", work=tmp_path / "work")
    assert [folder.name for folder in find_packs(tmp_path / "out")] == ["deep", *NAMES]


def test_the_folder_of_work_is_not_anybodys(config: Path, tmp_path: Path) -> None:
    cases = [
        ("out/work", "lie in each other"),
        ("configs", r"holds an input of this command \(.*tiny.yaml\)"),
        ("documents", f"holds 'thesis.txt', which is not part of {DEPTHS_WORK}"),
        ("single", f"holds 'checkpoint.npz', which is not part of {DEPTHS_WORK}"),
    ]
    foreign_file(tmp_path / "documents")
    (tmp_path / "configs").mkdir()
    config = config.rename(tmp_path / "configs" / "tiny.yaml")
    (tmp_path / "single").mkdir()
    (tmp_path / "single" / CHECKPOINT).write_text("of a single training")
    for work, message in cases:
        with pytest.raises(InputError, match=message):
            build_pack(config, tmp_path / "out", work=tmp_path / work)
    build_pack(config, tmp_path / "out", work=tmp_path / "work")
    single = tmp_path / "single.yaml"
    single.write_text(CONFIG.split("depths:", maxsplit=1)[0])
    with pytest.raises(InputError, match="which is not part of the unfinished work of a pack"):
        build_pack(single, tmp_path / "other", work=tmp_path / "work")


def test_one_build_per_folder_of_work(config: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    with hold_work(work), pytest.raises(ResourceError, match=f"another process is working in {work}"):
        build_pack(config, tmp_path / "out", work=work)
    assert not (tmp_path / "out").exists()
    (work / "tiny-6bb").mkdir()
    with hold_work(work / "tiny-6bb"), pytest.raises(ResourceError, match=r"another process is working in .*tiny-6bb"):
        build_pack(config, tmp_path / "out", work=work)


def test_memory_is_looked_at_before_any_work(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgehog.solver.blueprint.estimate.available_memory", lambda: 1_000)
    with pytest.raises(MemoryShortageError):
        build_pack(config, tmp_path / "out")
    assert list(tmp_path.iterdir()) == [config]


def test_stopped_by_a_watch_it_goes_on(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(StoppedError):
        build_pack(config, out, watch=Heard(stop_after=1))
    assert states(out) == [("tiny-4bb", "finished", 20), ("tiny-6bb", "not begun", None)]
    heard = Heard()
    build_pack(config, out, watch=heard)
    assert heard.notes[0] == "tiny-4bb (1 of 2) is finished already"
    assert states(out) == [("tiny-4bb", "finished", 20), ("tiny-6bb", "finished", 40)]


def killed_at(number: int, build: Callable[[], object]) -> bool:
    """Runs a build in a child process that is killed as by kill -9 at some change of the disk.

    :param number: number of the change, before which the child is killed.
    :returns: whether the child has got so far.
    """
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
        return os.WIFSIGNALED(status)
    left = number

    def dying(plain: Callable[..., Any]) -> Callable[..., Any]:
        def change(*given: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return plain(*given, **named)

        return change

    try:
        with pytest.MonkeyPatch.context() as patch:
            for owner, name in ((os, "replace"), (os, "rename"), (os, "rmdir"), (os, "unlink"), (tempfile, "mkdtemp")):
                patch.setattr(owner, name, dying(getattr(owner, name)))
            build()
    except BaseException:
        os._exit(1)
    os._exit(0)


@pytest.mark.process
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_before_any_change_of_the_disk_it_goes_on(config: Path, tmp_path: Path, step: int) -> None:
    """To the same packs, with nothing left over: a new one, and one in place of another. Quickly: every fifth."""
    build_pack(config, tmp_path / "wanted")
    wanted = content(tmp_path / "wanted")
    old = config.with_name("old.yaml")
    old.write_text(CONFIG.replace("iterations: 40", "iterations: 20").replace("  - {bb: 4}\n", ""))
    number, got_so_far = 0, True
    while got_so_far:
        number += step
        out = tmp_path / f"{number}" / "out"
        build_pack(old, out)
        got_so_far = killed_at(number, partial(build_pack, config, out, overwrite=True))
        build_pack(config, out, overwrite=True)
        assert_same(content(out), wanted)
        assert sorted(path.name for path in out.iterdir()) == NAMES
        assert {state for _, state, _ in states(out)} == {"finished"}
    assert number > 15


def test_the_file_of_the_depths_is_an_open_format(config: Path, tmp_path: Path) -> None:
    build_pack(config, tmp_path / "out")
    found = json.loads((tmp_path / "out.work" / DEPTHS_FILE).read_text())
    assert found["format"] == "hedgehog.pack-depths"
    assert found["depths"][1] == {"name": "tiny-6bb", "finished": True, "iterations": 40, "seconds": None}


def test_a_training_that_its_stop_rule_has_ended_is_finished(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest says so, because the length of the training says nothing."""
    monkeypatch.setattr("hedgehog.solver.blueprint.snapshots.STOP_BOARDS", 2)
    plain = trainings.TrainingFiles
    monkeypatch.setattr(
        trainings, "TrainingFiles", lambda *given, **named: plain(*given, **named, snapshot_seconds=0.05)
    )
    changed(config, "1\niterations: 20", "1\nstop: {mbb: 1000000, gate: no}")
    made = build_pack(config, tmp_path / "out")
    assert made[0].config["training"]["stop"] == {"mbb": 1_000_000, "gate": False}
    assert "stop" not in made[1].config["training"]
    heard = Heard()
    assert isinstance(build_pack(config, tmp_path / "out", watch=heard)[0], PackManifest)
    assert heard.notes == ["all 2 blueprints are finished already"]
    changed(config, "mbb: 1000000", "mbb: 5")
    with pytest.raises(InputError, match="training: ended after"):
        build_pack(config, tmp_path / "out", watch=SILENT)
