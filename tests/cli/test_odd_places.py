"""Odd bytes in paths, a working folder that was deleted, and links in a circle end in no traceback and lose no work;
a file or folder that goes on has one writer."""

from __future__ import annotations

import fcntl
import gzip
import os
from itertools import pairwise
from pathlib import Path

import pytest

from hedgehog.runtime.errors import ResourceError
from hedgehog.solver.postflop.solution_files import read_saved_solve
from tests.cli.command import Run

DATA = Path(__file__).parents[1] / "data"
ODD = os.fsdecode(b"\xff")
SPOT = """\
spot: tiny
board: Td 9d 6h Qc 2c
pot: 100
stack: 300
range: {oop: "AA,T9s", ip: "QQ,AQs"}
sizes:
  river: {oop: "75%/a", ip: "75%/a"}
"""
TOURNAMENT = "game: kuhn.limit.2p\nhands: 2\nin_process: true\nagents: [call, raise]\n"


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / ODD
    folder.mkdir()
    (folder / "spot.yaml").write_text(SPOT)
    (folder / f"t{ODD}.yaml").write_text(TOURNAMENT)
    (folder / f"{ODD}.log").write_bytes(gzip.decompress((DATA / "acpc" / "log_hunl2p_s0.log.gz").read_bytes()))
    return folder


@pytest.mark.process
@pytest.mark.parametrize(
    "words",
    [
        "solve {i}/spot.yaml --iterations 2 --threads 1 --save {i}/saved --json {i}/j --csv {i}/c",
        "simulate {i}/spot.yaml --hands 10 --iterations 2 --threads 1 --json {i}/j",
        "tournament run {i}/t{o}.yaml --out {i}/t",
        "match call fold --hands 2 --game kuhn.limit.2p --in-process --out {i}/m --json {i}/j",
        "judge {i}/{o}.log --json {i}/j --csv {i}/c --html {i}/h",
        "log stats {i}/{o}.log --json {i}/j --csv {i}/c",
        "log convert {i}/{o}.log --to phh --out {i}/x.phh",
        "study hands {i}/{o}.log --json {i}/j --problems {i}/p",
        "study profile {i}/{o}.log --json {i}/j --html {i}/h",
        "lbr fold --hands 2 --results {i}/r --json {i}/j",
        "equity AA KK --json {i}/{o}.json",
    ],
)
@pytest.mark.slow_cases(
    "log convert {i}/{o}.log --to phh --out {i}/x.phh",
    "match call fold --hands 2 --game kuhn.limit.2p --in-process --out {i}/m --json {i}/j",
)
def test_bytes_that_are_not_utf8(run: Run, inputs: Path, words: str) -> None:
    arguments = [word.format(i=inputs, o=ODD) for word in words.split()]
    code, out, err = run(*arguments)
    assert code == 0, (out, err)
    for option, word in pairwise(arguments):
        if option in ("--json", "--csv", "--html", "--problems", "--save", "--save-strategy", "--out", "--results"):
            assert Path(word).exists(), option
    if "--save" in arguments:
        assert read_saved_solve(inputs / "saved").iterations == 2


@pytest.mark.parametrize(
    "words",
    [
        "solve spot.yaml --save x",
        "equity AA KK --json x",
        "match call fold --hands 2 --game kuhn.limit.2p --in-process",
        "study tree 1-2-2 --out x",
        "lab three-players --only x4 --hands 12",
        "pack list x",
        "query x",
        "lbr fold --hands 2 --results x",
        "endgame call --turns 1 --results x",
        "audit fold --boards 1 --results x",
    ],
)
@pytest.mark.parametrize("place", ["deleted", "circle"])
def test_places_that_are_not_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, place: str
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    if place == "deleted":
        folder.rmdir()
    else:
        for name in ("spot.yaml", "x", "runs"):
            (folder / name).symlink_to(name)
    code, _, err = run(*words.split())
    assert code == 2
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) <= 2, err


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("lbr fold --hands 2 --results {t}/r", "r"),
        ("endgame call --turns 1 --results {t}/r", "r"),
        ("audit fold --boards 1 --results {t}/r", "r"),
        ("solve {t}/spot.yaml --iterations 1 --save {t}/d", "d/"),
        ("solve {t}/spot.yaml --iterations 1 --save-strategy {t}/d", "d/"),
        ("lab abstractions {t}/spot.yaml --iterations 1 --out {t}/d", "d/"),
        ("lab counts {t}/spot.yaml --out {t}/d", "d/"),
        ("lab losses {t}/spot.yaml --iterations 1 --out {t}/d", "d/"),
        ("lab menus {t}/spot.yaml --iterations 1 --out {t}/d", "d/"),
        ("lab three-players --only x4 --hands 12 --out {t}/d", "d/"),
        ("study hands {log} --store {t}/d", "d/"),
    ],
)
def test_one_writer(run: Run, tmp_path: Path, words: str, held: str) -> None:
    (tmp_path / "spot.yaml").write_text(SPOT)
    path = tmp_path / held
    if held.endswith("/"):
        path.mkdir()
    else:
        path.touch()
    descriptor = os.open(path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        log = DATA / "acpc" / "log_hunl2p_s0.log.gz"
        code, _, err = run(*(word.format(t=tmp_path, log=log) for word in words.split()))
    finally:
        os.close(descriptor)
    assert code == 2
    assert "another" in err
    assert str(path) in err
    assert not path.is_dir() or not list(path.iterdir())


def test_estimates_write_no_file(run: Run, tmp_path: Path) -> None:
    """What an estimate would not write is refused."""
    (tmp_path / "spot.yaml").write_text(SPOT)
    options = [("solve", name) for name in ("--json", "--csv", "--out", "--save", "--save-strategy")]
    for command, option in [*options, ("lab abstractions", "--out"), ("lab losses", "--out")]:
        code, _, err = run(*command.split(), tmp_path / "spot.yaml", "--estimate", option, tmp_path / "x")
        assert code == 2
        assert f"{option} does not go with --estimate" in err
    assert [path.name for path in tmp_path.iterdir()] == ["spot.yaml"]


def test_a_match_that_would_record_nothing_is_refused(run: Run, tmp_path: Path) -> None:
    words = f"match call fold --hands 2 --game kuhn.limit.2p --in-process --record --out {tmp_path}/m"
    code, _, err = run(*words.split())
    assert code == 2
    assert "--record is for our player" in err


def test_a_solve_that_cannot_be_saved_still_has_results(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise ResourceError("cannot write it: No space left on device")

    monkeypatch.setattr("hedgehog.solver.postflop.saving.save_solve", full)
    (tmp_path / "spot.yaml").write_text(SPOT)
    words = f"solve {tmp_path}/spot.yaml --iterations 2 --threads 1 --save {tmp_path}/saved --json {tmp_path}/json"
    code, out, err = run(*words.split())
    assert code == 2
    assert err.strip().splitlines()[-1] == "error: cannot write it: No space left on device"
    assert "exploitability" in out
    assert (tmp_path / "json").stat().st_size
