"""Faulty lines of a client, by name; ``docs/dealer-faults.md`` lists them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hedgehog.dealer.response import BAD_ACTION_FORMAT, BAD_STATE, INVALID_ACTION, UNREQUESTED

MEGABYTE = 1 << 20


class LineFault(NamedTuple):
    """What a client sends instead of its first answer, and what must become of it."""

    sends: Callable[[bytes], bytes | Sequence[bytes]]
    """From the line received (without line end) to the bytes sent; several pieces are sent one after the other."""
    warnings: Sequence[str] = ()
    betting: str = "cc/cc/cc/cc"
    """Of the first hand, in which everybody else calls."""


LINE_FAULTS = {
    "half lines": LineFault(lambda line: [line[:9], line[9:], b":c", b"\r\n"]),
    "single bytes": LineFault(lambda line: [bytes([byte]) for byte in line + b":c\r\n"]),
    "LF": LineFault(lambda line: line + b":c\n"),
    "CR CR LF": LineFault(lambda line: line + b":c\r\r\n"),
    "lone CR": LineFault(lambda line: [line + b":c\r", line + b":f\r", b"\n"]),
    "several lines at once": LineFault(
        lambda line: b"# hello\r\njunk\r\n\r\n" + line + b":c\r\nmore junk\r\n", [BAD_STATE] * 3
    ),
    "comment lines": LineFault(lambda line: b"# one\r\n;two\n" + line + b":c\r\n"),
    "10 MB without line end": LineFault(
        lambda line: b"x" * (10 * MEGABYTE) + b"\n" + line + b":c\r\n", [BAD_STATE] * (10 * MEGABYTE // 4095 + 1)
    ),
    "NUL in the state": LineFault(lambda line: line[:15] + b"\0:c\r\n" + line + b":c\r\n", [BAD_STATE]),
    "NUL after the action": LineFault(lambda line: line + b":c\0\0\r\n"),
    "binary bytes": LineFault(lambda line: bytes(range(256)) + b"\r\n" + line + b":c\r\n", [BAD_STATE] * 2),
    "not UTF-8": LineFault(lambda line: b"\xff\xfe\xe4\r\n" + line + b":c\xc3\r\n", [BAD_STATE]),
    "wrong hand id": LineFault(
        lambda line: line.replace(b":0:c", b":1:c") + b":c\r\n" + line + b":c\r\n", [UNREQUESTED]
    ),
    "wrong position": LineFault(
        lambda line: line.replace(b":0:0:", b":1:0:") + b":c\r\n" + line + b":c\r\n", [UNREQUESTED]
    ),
    "impossible position": LineFault(
        lambda line: line.replace(b":0:0:", b":2:0:") + b":c\r\n" + line + b":c\r\n", [BAD_STATE]
    ),
    "stale state": LineFault(lambda line: line.replace(b":c:", b"::") + b":r400\r\n" + line + b":c\r\n", [UNREQUESTED]),
    "duplicate answer": LineFault(lambda line: (line + b":c\r\n") * 2, [UNREQUESTED]),
    "answer after fold": LineFault(
        lambda line: line + b":r1000\r\n" + line.replace(b":c:", b":cr1000c/:") + b":f\r\n",
        [BAD_STATE],
        "cr1000c/cc/cc/cc",
    ),
    "missing action": LineFault(lambda line: line + b":\r\n", [INVALID_ACTION]),
    "missing colon": LineFault(lambda line: line + b"\r\n", [BAD_ACTION_FORMAT]),
    "unknown action": LineFault(lambda line: line + b":x\r\n", [INVALID_ACTION]),
    "illegal fold": LineFault(lambda line: line + b":f\r\n", [INVALID_ACTION]),
    "raise without size": LineFault(lambda line: line + b":r\r\n", [BAD_ACTION_FORMAT]),
    "raise too small": LineFault(
        lambda line: line + b":r199\r\n", ["raise of 199 increased to 200"], "cr200c/cc/cc/cc"
    ),
    "raise too large": LineFault(
        lambda line: line + b":r20001\r\n", ["raise of 20001 decreased to 20000"], "cr20000c///"
    ),
    "raise overflow": LineFault(
        lambda line: line + b":r2147483648\r\n", ["raise of -2147483648 increased to 200"], "cr200c/cc/cc/cc"
    ),
    "raise negative": LineFault(lambda line: line + b":r-1\r\n", ["raise of -1 increased to 200"], "cr200c/cc/cc/cc"),
}
