"""A program that kills the processes of a match runner if the runner dies.

It is run as ``python -I -S guardian.py`` with the read end of a stream on standard input. A line ``+GROUP`` says that a
process group has been started. A line ``-GROUP`` says that the group has ended; its number may belong to another
program from now on. A line ``.`` says that all groups have ended. The stream ends however the runner dies. Then the
guardian kills all groups that are left, and ends.

The program imports very little, so that it runs within milliseconds.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Reads standard input to its end and kills the process groups that have not ended."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    try:
        _follow(groups)
    finally:
        for group in groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except OSError:
                continue  # it has ended in the meantime


def _follow(groups: set[int]) -> None:
    pending = b""
    while data := os.read(0, 4096):
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            if line.startswith(b"+"):
                groups.add(int(line[1:]))
            elif line == b".":
                groups.clear()
            else:
                groups.discard(int(line[1:]))


if __name__ == "__main__":
    main()
