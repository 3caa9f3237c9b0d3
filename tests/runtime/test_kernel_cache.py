"""Damaged, missing and unwritable caches of compiled kernels, and two processes that need the same kernel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.jit import cache_home, cache_is_cold, kernel_sources, njit
from hedgehog.runtime.kernel_cache import KernelCache

ROOT = Path(__file__).parents[2]


def damage_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def damage_bytes(data: bytes) -> bytes:
    return np.random.default_rng(1).bytes(len(data))


def damage_one_bit(at: float) -> Callable[[bytes], bytes]:
    def damage(data: bytes) -> bytes:
        place = int(at * (len(data) - 1))
        return data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]

    return damage


def tripled(value: int) -> int:
    return 3 * value


def fresh() -> Any:
    """Returns a kernel as a new process has it."""
    return njit(tripled)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that holds one kernel."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    kernel = fresh()
    assert kernel(5) == 15
    assert kernel.stats.cache_misses
    return tmp_path / "cache"


def files(folder: Path, suffix: str) -> list[Path]:
    found = list(folder.rglob(f"*{suffix}"))
    assert found
    return found


def test_a_kernel_is_compiled_once(folder: Path) -> None:
    kernel = fresh()
    assert kernel(5) == 15
    assert not kernel.stats.cache_misses
    assert kernel.stats.cache_hits


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        damage_half,
        lambda data: data[:-1],
        lambda data: data + b"x",
        damage_bytes,
        *map(damage_one_bit, (0, 0.001, 0.1, 0.5, 0.9, 1)),
    ],
)
@pytest.mark.quick_cases(every=3)
def test_a_damaged_kernel_is_compiled_anew(folder: Path, suffix: str, damage: Callable[[bytes], bytes]) -> None:
    for path in files(folder, suffix):
        path.write_bytes(damage(path.read_bytes()))
    kernel = fresh()
    assert kernel(5) == 15
    assert kernel.stats.cache_misses
    again = fresh()
    assert again(5) == 15
    assert not again.stats.cache_misses


def test_files_of_other_kernels_do_not_pass_for_ones_own(folder: Path) -> None:
    """Two kernels, for whole numbers and for fractions: neither may run what the other has compiled."""
    assert fresh()(0.5) == 1.5
    first, second = sorted(files(folder, ".nbc"))
    first.write_bytes(second.read_bytes())
    kernel = fresh()
    assert (kernel(5), kernel(0.5)) == (15, 1.5)


def test_every_bit_of_an_index_counts(folder: Path) -> None:
    (path,) = files(folder, ".nbi")
    data = path.read_bytes()
    stored = fresh()._cache._cache_file
    assert stored._load_index()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        assert not stored._load_index()


def test_a_cache_that_has_everything_is_not_written_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it may be read-only."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    for name in ("replace", "makedirs", "mkdir", "open"):
        monkeypatch.setattr(os, name, refuse)
    assert fresh()(5) == 15


@pytest.mark.parametrize("place", ["file/cache", "a" * 300, "/proc/none/cache"])
def test_a_cache_that_cannot_be_made(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / place))
    monkeypatch.setattr(KernelCache, "_complained", False)
    kernel = fresh()
    assert (kernel(5), kernel(0.5), fresh()(7)) == (15, 1.5, 21)
    (record,) = caplog.records
    assert "HEDGEHOG_CACHE" in record.message


FALLBACK = """
import subprocess, sys
import tiny
assert tiny.tripled(5) == 15
print(sum(tiny.tripled.stats.cache_misses.values()))
if len(sys.argv) > 1:
    subprocess.run([sys.executable, "-c", "import tiny; tiny.tripled(5)"], check=True)
"""


@pytest.mark.parametrize("place", ["file/cache", pytest.param("a" * 300, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_kernels_that_cannot_be_kept_in_the_cache_go_to_the_temporary_folder(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "tiny.py").write_text(
        "from hedgehog.runtime.jit import njit\n@njit\ndef tripled(x):\n    return 3 * x\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | {
        "PYTHONPATH": f"{ROOT}:{tmp_path}",
        "HEDGEHOG_CACHE": str(tmp_path / place),
        "TMPDIR": str(tmp_path),
    }
    ours = tmp_path / f"hedgehog-{os.geteuid()}"
    for misses, arguments in ((1, ["and a child"]), (0, [])):
        command = [sys.executable, "-c", FALLBACK, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
        assert int(done.stdout) == misses
        (line,) = done.stderr.splitlines()
        assert "cannot be written" in line
        assert str(ours) in line
    assert ours.stat().st_mode & 0o777 == 0o700
    ours.chmod(0o755)  # somebody else might have put code there
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    assert int(done.stdout) == 1
    assert "every start compiles them anew" in done.stderr


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEDGEHOG_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    with pytest.raises(ResourceError, match="HEDGEHOG_CACHE"):
        cache_home()


@pytest.mark.parametrize("place", ["none", "a" * 300])
def test_an_empty_cache_is_cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setattr("hedgehog.runtime.jit.NUMBA_CACHE", tmp_path / place)
    assert cache_is_cold()


def test_what_kernels_take_from_other_modules_keys_the_cache() -> None:
    sources = kernel_sources()
    imported = {
        ROOT / f"{module.replace('.', '/')}.py"
        for path in sources
        if path.name.endswith("kernels.py")
        for module in re.findall(r"^(?:from|import) hedgehog\.([\w.]+)", path.read_text(), re.M)
    }
    assert len(imported) > 10
    assert imported <= set(sources)


PROGRAM = """
import sys, time
from pathlib import Path
import tiny

here = Path(sys.argv[1])
def wait_for(name):
    until = time.monotonic() + 60
    while not (here / name).exists():
        assert time.monotonic() < until, name
        time.sleep(0.01)

if sys.argv[2] == "first":
    compiler = tiny.tripled._compiler
    really = compiler.compile
    def compile_slowly(*arguments):
        (here / "compiling").touch()
        wait_for("second")
        time.sleep(0.3)  # lets the second one reach the kernel; if it does not, it finds it compiled
        return really(*arguments)
    compiler.compile = compile_slowly
else:
    wait_for("compiling")
    (here / "second").touch()
assert tiny.tripled(5) == 15
print(sum(tiny.tripled.stats.cache_misses.values()))
"""


def test_of_two_processes_one_compiles(tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(
        "from hedgehog.runtime.jit import njit\n@njit\ndef tripled(x):\n    return 3 * x\n"
    )
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}:{tmp_path}",
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path), name], env=environment, stdout=subprocess.PIPE, text=True
        )
        for name in ("first", "second")
    ]
    try:
        outputs = [process.communicate(timeout=120)[0].strip() for process in started]
    finally:
        for process in started:
            process.kill()
    assert outputs == ["1", "0"]
