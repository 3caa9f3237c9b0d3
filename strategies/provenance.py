"""What made a file: command, version, commit, date and machine."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from hedgehog.runtime.errors import one_line
from hedgehog.strategies.manifest import Provenance

UNKNOWN: Final = "unknown"
_ABSOLUTE: Final = re.compile(r"^/(?:.*/)?(?=[^/])|(?<=[=:,@ ])/(?!/)(?:[^/:,= ]+/)*")
"""The folders of a path that is a whole word, or stands in a word after a sign such as that of ``--out=/...``."""
_LONGEST_COMMAND: Final = 10_000
_GIT_TIMEOUT_S: Final = 10


def provenance() -> Provenance:
    """Returns the command, version, commit, date and machine of this process, to be stored in the files it makes.

    It never fails: what cannot be found out is ``unknown``.
    """
    try:
        own_version = version("hedgehog-poker")
    except PackageNotFoundError:  # a checkout that is not installed
        own_version = UNKNOWN
    return Provenance(
        command=describe_command(sys.argv[1:]),
        hedgehog_version=own_version,
        commit=_own_commit(Path(__file__).resolve().parent.parent),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        machine=f"{_processor()}, {os.cpu_count()} threads, Python {platform.python_version()}",
    )


def describe_command(words: Sequence[str]) -> str:
    """Returns a command line as one line of text, without the folders of this machine.

    Of an absolute path only the last part stays: ``--work /home/me/runs/x`` becomes ``--work x``.

    :param words: the words after ``hedgehog``.
    """
    text = one_line(shlex.join(["hedgehog", *(_ABSOLUTE.sub("", word) for word in words)]))
    return text if len(text) <= _LONGEST_COMMAND else text[:_LONGEST_COMMAND] + "..."


def _own_commit(root: Path) -> str:
    """Returns the commit of the checkout that this program runs from.

    :param root: folder of the packages. A repository around it, such as that of a project in whose environment Hedgehog
        is installed, is not ours.
    """
    # Variables such as GIT_DIR, which git sets for its hooks, would lead to another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    here = Path(__file__).resolve().relative_to(root)
    try:
        found = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "--show-toplevel", "HEAD", f"HEAD:{here}"],
            capture_output=True,
            check=True,
            timeout=_GIT_TIMEOUT_S,
            env=environment,
        )
        top, commit, _ = found.stdout.splitlines()
        return commit.decode()[:12] if Path(os.fsdecode(top)).samefile(root) else UNKNOWN
    except (OSError, ValueError, subprocess.SubprocessError):
        return UNKNOWN


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
