"""Commands need nothing of the system that Linux has and macOS lacks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
LACKING: Final = """
import os, signal, socket
for module, names in (
    (os, "sched_getaffinity sched_setaffinity sched_getscheduler posix_fadvise posix_fallocate pidfd_open memfd_create"
    " eventfd copy_file_range splice fdatasync pipe2 getresuid getrandom O_TMPFILE O_DIRECT O_PATH"),
    (signal, "pidfd_send_signal sigtimedwait sigwaitinfo SIGPWR SIGSTKFLT"),
    (socket, "MSG_NOSIGNAL SOCK_CLOEXEC SOCK_NONBLOCK SO_BINDTODEVICE TCP_QUICKACK"),
):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
"""
"""A module that every Python process imports as it starts."""


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("match call raise --hands 20 --out {folder}/match", "Winnings over 40 hands"),
        ("lbr call --setting fc:3-4 --hands 20 --jobs 2 --results {folder}/lbr.jsonl", "call"),
        ("solve docs/examples/spots/river.yaml --iterations 20", "exploitability"),
    ],
)
def test_commands_run_without_what_only_linux_has(command: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LACKING)
    done = subprocess.run(
        [sys.executable, "-m", "hedgehog.cli", *command.format(folder=tmp_path).split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert shown in done.stdout
