"""Building a quick flop pack: nothing is lost or done twice, whatever dies; the pack says what the refiner said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.isomorphism import flop_class, flop_pattern, flop_representative
from hedgehog.runtime.engines.local import Engine, LocalEngine
from hedgehog.runtime.engines.running import RunProgress, run_jobs
from hedgehog.runtime.errors import InputError, PackError, ResourceError
from hedgehog.solver.packs.jobs import Job
from hedgehog.solver.packs.quick_flops import (
    QuickBuild,
    QuickFlopConfig,
    assemble,
    open_build,
    plan_classes,
    read_quick_flop_config,
)
from hedgehog.strategies.betting_tree import NodeKind
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.quantize import quantize_rows
from hedgehog.strategies.quick_flop_streams import canonical_hands, own_hands
from hedgehog.strategies.quick_flops import read_quick_flops
from tests.solver.blueprint_fixtures import made_up_abstraction
from tests.solver.quick_flop_fixtures import AlwaysDies, DiesOnce, DrawnRows, LacksMemory, Refuses
from tests.strategies.provenance import PROVENANCE

CONFIG = f"""\
kind: quick-flops
name: tiny
blueprint: {default_packs() / "blueprint"}
classes: [Qh Jh 2c, 7d 7c 7h, As Kd 7c]
refine: {{boards: 3}}
lines:
  - betting: r250r850c
  - betting: r250r850r2125c
    refine: {{boards: 2}}
"""
JOBS = 6


@pytest.fixture
def config(tmp_path: Path) -> QuickFlopConfig:
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    return read_quick_flop_config(path)


@pytest.fixture
def build(config: QuickFlopConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QuickBuild:
    monkeypatch.setenv("QUICK_FLOP_TEST_FOLDER", str(tmp_path))
    return open_build(config, tmp_path, tmp_path / "work")


def serial() -> Engine:
    """Returns an engine that does the jobs one after the other in this process."""
    return Engine(ThreadPoolExecutor(1), 1)


def run(build: QuickBuild, refiner: type[DrawnRows] = DrawnRows, *, only: Iterable[Job] | None = None) -> list[Job]:
    """Returns the jobs that had to be done, in worker processes if the refiner is a bad one."""
    done: list[Job] = []

    def progress(now: RunProgress) -> None:
        assert 0 <= now.done <= now.total == JOBS
        if now.job is not None:
            done.append(now.job)

    with serial() if refiner is DrawnRows else LocalEngine(1) as engine:
        run_jobs(replace(build, open_refiner=refiner), engine, progress, only=only)
    return done


def test_build_resume_and_assemble(build: QuickBuild, tmp_path: Path) -> None:
    out = tmp_path / "pack"
    first = run(build, only=build.jobs()[:2])
    assert [job.line for job in first] == ["r250r850c", "r250r850r2125c"]
    cards = made_up_abstraction()
    with pytest.raises(PackError, match="2 of 3 flops are missing"):
        assemble(build, cards, PROVENANCE, out)
    assemble(build, cards, PROVENANCE, out, partial=True)
    quick = read_quick_flops(open_pack(out), build.table)
    assert [line.classes.tolist() for line in quick.lines] == [[first[0].flop_class]] * 2

    assert len(run(build)) == JOBS - 2
    assert run(build) == []
    damaged, shortened, missing = build.jobs()[1:4]
    damaged.path.write_bytes(damaged.path.read_bytes().replace(b"PK", b"PX"))
    shortened.path.write_bytes(shortened.path.read_bytes()[:200])
    missing.path.unlink()
    assert set(run(build)) == {damaged, shortened, missing}

    with pytest.raises(InputError, match="holds a strategy pack already"):
        assemble(build, cards, PROVENANCE, out)
    manifest = assemble(build, cards, PROVENANCE, out, overwrite=True)
    quick = read_quick_flops(open_pack(out), build.table)
    assert quick.row_faults() == 0
    assert manifest.quality["r250r850c"]["flops"] == 3
    assert manifest.config["settings"]["r250r850r2125c"]["boards"] == 2
    refined = DrawnRows(build.config, build.table)
    for job in build.jobs():
        rows, figures = refined.draw(job.line, job.flop_class)
        node = build.starts[job.line].node
        line = next(line for line in quick.lines if line.betting == job.line)
        np.testing.assert_allclose(line.quality[line.class_at[job.flop_class]], [figures[0], figures[2]])
        live = np.flatnonzero(canonical_hands(job.flop_class) >= 0)
        own = np.searchsorted(live, own_hands(job.flop_class))
        found = quick.block(node, job.flop_class)[own] / 255
        given = quantize_rows(rows[0][own]) / 255
        prior = build.table.block(node) / 255
        from_blueprint = (np.abs(found[:, None] - prior[None]).max(axis=2) == 0).any(axis=1)
        assert np.all(from_blueprint | (np.abs(found - given).max(axis=1) <= 1 / 16 + 1 / 255))


@pytest.mark.slow
@pytest.mark.process
def test_a_killed_worker_is_replaced_and_its_flop_done_again(build: QuickBuild, tmp_path: Path) -> None:
    done = run(build, DiesOnce)
    assert (tmp_path / "died").exists()
    assert Counter(done) == Counter(build.jobs())
    assert run(build) == []


@pytest.mark.slow
@pytest.mark.process
def test_a_flop_that_kills_every_worker_ends_the_build(build: QuickBuild) -> None:
    with pytest.raises(ResourceError, match=r"3 workers have died on it .*SIGKILL.*; 1 flop failed, 0 of 6 are done"):
        run(build, AlwaysDies, only=build.jobs()[:1])


@pytest.mark.process
def test_an_error_of_the_refiner_is_one_message(build: QuickBuild) -> None:
    with pytest.raises(InputError, match=r"^r250r850c .*: no such flop$"):
        run(build, Refuses)


@pytest.mark.process
def test_a_lack_of_memory_in_a_worker_is_one_message(build: QuickBuild) -> None:
    with pytest.raises(ResourceError, match=r"^r250r850c .*: the solve needs 3\.00 GB of memory, 1\.00 GB are free$"):
        run(build, LacksMemory)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_workers_end_with_a_killed_parent_and_the_build_goes_on(build: QuickBuild, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.solver.quick_flop_fixtures", tmp_path, build.config.model_dump_json()]
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(command, cwd=root, env=dict(os.environ)) as parent:
        deadline = time.monotonic() + 600
        while not (tmp_path / "slow").exists() and time.monotonic() < deadline and parent.poll() is None:
            time.sleep(0.05)
        parent.send_signal(signal.SIGKILL)
    workers = [int(path.name.split("-")[1]) for path in tmp_path.glob("worker-*")]
    assert workers
    deadline = time.monotonic() + 120
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, workers))
    before = {job: job.path.stat().st_mtime_ns for job in build.jobs() if job.path.exists()}
    assert 0 < len(before) < len(build.jobs())
    assert set(run(build)) == set(build.jobs()) - set(before)
    assert {job: job.path.stat().st_mtime_ns for job in before} == before


@pytest.mark.slow
def test_one_build_at_a_time(build: QuickBuild) -> None:
    def build_again(now: RunProgress) -> None:
        with pytest.raises(ResourceError, match="another process is working"):
            run_jobs(build, engine)

    build = replace(build, open_refiner=DrawnRows)
    with serial() as engine:
        run_jobs(build, engine, build_again, only=build.jobs()[:1])


def test_every_beginning_of_the_order_is_an_even_sample(config: QuickFlopConfig) -> None:
    order = plan_classes(config.model_copy(update={"classes": "all"}))
    assert sorted(order) == list(range(1755))
    kinds = [flop_pattern(flop_representative(index)) for index in order]
    shares = Counter(kinds)
    for count in (100, 300, 800):
        sample = Counter(kinds[:count])
        assert all(abs(sample[kind] / count - shares[kind] / 1755) < 2 / count**0.5 / 10 for kind in shares)


def test_a_line_is_done_again_only_if_its_own_settings_change(build: QuickBuild, tmp_path: Path) -> None:
    def folders(**changes: object) -> list[Path]:
        config = QuickFlopConfig.model_validate({**build.config.model_dump(), **changes})
        changed = open_build(config, tmp_path, tmp_path / "work")
        return [changed.line_folder(line) for line in config.lines]

    before = folders()
    assert before == folders(name="other", classes="all")
    other = folders(lines=[{"betting": "r250r850c"}, {"betting": "r250r850r2125c", "refine": {"boards": 4}}])
    assert (before[0] == other[0], before[1] == other[1]) == (True, False)
    assert not set(before) & set(folders(seed=2))


def test_the_stored_hands_follow_the_decisions(build: QuickBuild) -> None:
    """Every decision on the flop, found by a walk through the tree here, has a row for each hand."""
    # Hands that no permutation of suits makes equal, by Burnside's lemma.
    hands = {"Qh Jh 2c": (1176 + 266) // 2, "7d 7c 7h": (1176 + 3 * 312 + 2 * 78) // 6, "As Kd 7c": 1176}
    of_class = {flop_class(parse_cards(flop))[0]: count for flop, count in hands.items()}
    tree = build.table.tree
    jobs = run(build, only=build.jobs()[:2])
    assert len(jobs) == 2
    for job in jobs:
        open_nodes, actions = [build.starts[job.line].node], []
        while open_nodes:
            node = open_nodes.pop(0)
            if tree.street[node] == 1 and tree.kind[node] == NodeKind.DECISION:
                actions.append((node, int(tree.num_children[node])))
                open_nodes += tree.children(node)
        assert len(actions) > 3
        rows, _ = build.read_job(job)
        assert [block.shape for block in rows] == [(of_class[job.flop_class], count) for _, count in sorted(actions)]


def test_lines_of_the_blueprint_only(config: QuickFlopConfig, tmp_path: Path) -> None:
    lines = [{"betting": "r333c"}]
    with pytest.raises(PackError, match="has no line 'r333c', it has"):
        open_build(QuickFlopConfig.model_validate({**config.model_dump(), "lines": lines}), tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("7d 7c 7h", "Qd Jd 2s", r"tiny\.yaml:4: flops 'Qh Jh 2c' and 'Qd Jd 2s' are of the same class"),
        ("7d 7c 7h", "7d 7c", r"tiny\.yaml:4: 'classes.1': expected a flop of three cards"),
        (
            "classes: [Qh Jh 2c, 7d 7c 7h, As Kd 7c]",
            "classes: some",
            r"tiny\.yaml:4: 'classes': expected 'all' or a list",
        ),
        ("refine: {boards: 3}", "refine: {board: 3}", r"tiny\.yaml:5: 'refine': unknown setting 'board'"),
        ("refine: {boards: 3}", "refine: {boards: 3.5}", r"tiny\.yaml:5: 'refine': expected a whole number"),
        ("refine: {boards: 2}", "refine: {boards: -2}", r"tiny\.yaml:9: 'lines.1.refine': expected boards"),
        ("r250r850r2125c", "r250r850c", r"tiny\.yaml:8: the line 'r250r850c' is repeated"),
        ("kind: quick-flops", "kind: flops", r"tiny\.yaml:1: 'kind'"),
    ],
)
def test_bad_configuration(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_quick_flop_config(path)
