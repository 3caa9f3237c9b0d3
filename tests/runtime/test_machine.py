"""Free memory and processors from files as Linux writes them, and without Linux."""

from __future__ import annotations

import gc
import math
import os
import weakref
from pathlib import Path

import pytest

from hedgehog.runtime.machine import RESERVE, available_memory, num_processors, settle_garbage

GB = 10**9


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


MEMINFO = "MemTotal:       40000000 kB\nMemFree:         9000000 kB\nMemAvailable:   20000000 kB\n"
MACHINE = 20_000_000 * 1024


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, math.inf),
        ({"proc/meminfo": "MemTotal: 5 kB\nnonsense\n"}, math.inf),
        ({"proc/meminfo": MEMINFO}, MACHINE),
        # Version 2: the limit may stand further up.
        (
            {
                "proc/meminfo": MEMINFO,
                "proc/self/cgroup": "0::/user/job\n",
                "sys/fs/cgroup/user/memory.max": f"{8 * GB}\n",
                "sys/fs/cgroup/user/memory.current": f"{3 * GB}\n",
                "sys/fs/cgroup/user/memory.stat": f"anon 1\nactive_file 7\ninactive_file {GB}\n",
                "sys/fs/cgroup/user/job/memory.max": "max\n",
                "sys/fs/cgroup/user/job/memory.current": "5\n",
            },
            6 * GB,
        ),
        # Version 1, in a container that cannot see the host's path.
        (
            {
                "proc/meminfo": MEMINFO,
                "proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{4 * GB}\n",
                "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{3 * GB}\n",
                "sys/fs/cgroup/memory/memory.stat": f"inactive_file 1\ntotal_inactive_file {GB // 2}\n",
            },
            GB + GB // 2,
        ),
        # Version 1 without a limit.
        (
            {
                "proc/meminfo": MEMINFO,
                "proc/self/cgroup": "4:memory:/\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                "sys/fs/cgroup/memory/memory.usage_in_bytes": "5\n",
            },
            MACHINE,
        ),
        # Used up.
        (
            {
                "proc/meminfo": MEMINFO,
                "proc/self/cgroup": "0::/\n",
                "sys/fs/cgroup/memory.max": "1000\n",
                "sys/fs/cgroup/memory.current": "2000\n",
            },
            0,
        ),
    ],
)
def test_the_least_of_machine_and_control_groups(tmp_path: Path, files: dict[str, str], free: float) -> None:
    assert available_memory(write(tmp_path, files)) == (
        free if free in (0, math.inf) else free - min(RESERVE, free / 10)
    )


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="the system does not tell")
def test_this_machine_has_less_free_than_it_has() -> None:
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert physical / 10_000 < available_memory() < physical


def test_processors_are_those_of_this_process_where_the_system_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5, 77, 78}, raising=False)
    assert num_processors(tmp_path) == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert num_processors(tmp_path) == 128
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert num_processors(tmp_path) == 1


@pytest.mark.parametrize(
    ("files", "processors"),
    [
        ({"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/cpu.max": "max 100000\n"}, 64),
        ({"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/cpu.max": "200000 100000\n"}, 2),
        ({"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 2),
        ({"proc/self/cgroup": "0::/not-seen\n", "sys/fs/cgroup/cpu.max": "10000 100000\n"}, 1),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "nonsense\n"}, 64),
        (
            {
                "proc/self/cgroup": "5:memory:/\n4:cpu,cpuacct:/\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "300000\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            },
            3,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            64,
        ),
    ],
)
def test_a_container_has_the_processors_whose_time_it_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], processors: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert num_processors(write(tmp_path, files)) == processors


class Cycle:
    """An object that refers to itself, so that only the garbage collector frees it."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_settled_is_not_searched_until_it_is_settled_again() -> None:
    kept = Cycle()
    gone = weakref.ref(Cycle())
    settled = None
    try:
        settle_garbage()
        assert gone() is None
        assert not any(found is kept for found in gc.get_objects())
        settled = weakref.ref(kept)
        del kept
        gc.collect()
        assert settled() is not None
        settle_garbage()
        assert settled() is None
    finally:
        gc.freeze()  # as tests/conftest.py left it
