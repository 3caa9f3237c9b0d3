"""Finds the processes a test has started, however they were started."""

from __future__ import annotations

import os
from pathlib import Path

TOKEN_NAME = "HEDGEHOG_TEST_TOKEN"
"""Environment variable that marks a process and everything it starts."""


def processes_marked(token: str) -> list[int]:
    """Returns the ids of the processes, other than this one, that inherited :data:`TOKEN_NAME` = ``token``."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:  # it has just ended
            continue
        if f"{TOKEN_NAME}={token}".encode() in environment.split(b"\0"):
            found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]
