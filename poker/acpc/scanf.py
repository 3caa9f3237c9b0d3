"""Integers read the way C's ``scanf`` reads them, as the official ACPC programs do.

Leading white space and a sign are accepted, reading stops at the first non-digit, and a number too large saturates
at 64 bits before it is cut to the width of the variable it is stored in.
"""

from __future__ import annotations

import re

_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?)(?=[0-9])0*([0-9]*)")
_SMALL = re.compile(r"[1-9][0-9]{0,8}(?![0-9])")
_SATURATING_DIGITS = 25
"""A number of digits that no 64-bit number has; further digits cannot matter."""


def scan_integer(text: str, at: int, bits: int, *, signed: bool = False) -> tuple[int, int] | None:
    """Reads an integer from ``text`` at index ``at`` as C's ``scanf`` reads it into a variable of ``bits`` bits.

    :returns: the stored value and the index after the last digit, or None if there is no integer.
    """
    if bits >= 32 and (match := _SMALL.match(text, at)):  # the common case, for speed
        return int(match.group()), match.end()
    match = _INTEGER.match(text, at)
    if match is None:
        return None
    value = int(match.group(1) + (match.group(2)[:_SATURATING_DIGITS] or "0"))
    modulus = 1 << bits
    if signed:
        value = max(-(1 << 63), min((1 << 63) - 1, value)) % modulus
        return (value - modulus if value >= modulus // 2 else value), match.end()
    return (value if abs(value) < 1 << 64 else -1) % modulus, match.end()
