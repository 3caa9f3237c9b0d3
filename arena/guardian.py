"""The program that outlives a killed match runner just long enough to kill what the runner had started.

Run as ``python -I -S guardian.py`` with the read end of a stream on standard input. Every line is ``+GROUP`` (a
process group has been started), ``-GROUP`` (it has ended; its number may belong to somebody else from now on) or ``.``
(all have ended). When the stream ends, which it does however the runner dies, all groups that are left are killed.

It imports next to nothing, so that it is there within milliseconds.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Reads the stream to its end and kills the groups that are left."""
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
