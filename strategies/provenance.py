"""What made a file: command, version, commit, date and machine."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from strategies.manifest import Provenance


def provenance() -> Provenance:
    """Returns the command, version, commit, date and machine of this process, to be stored in the files it makes."""
    root = Path(__file__).resolve().parent.parent
    git = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False
    )
    return Provenance(
        command="hedgehog " + " ".join(sys.argv[1:]),
        hedgehog_version=version("hedgehog-poker"),
        commit=git.stdout.strip() or "unknown",
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        machine=f"{_processor()}, {os.cpu_count()} threads, Python {platform.python_version()}",
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
