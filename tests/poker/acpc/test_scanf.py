"""Integers as C reads them."""

from __future__ import annotations

import ctypes
import ctypes.util

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hedgehog.poker.acpc.scanf import scan_integer

LIBC = ctypes.CDLL(ctypes.util.find_library("c"))


@given(st.text(alphabet="0123456789+- \tx", max_size=30), st.sampled_from([8, 32]), st.booleans())
@example("99999999999999999999999", 32, True)
@example("-99999999999999999999999", 32, True)
@example("-9223372036854775809", 32, True)
@example("9223372036854775808", 32, True)
@example("18446744073709551616", 32, False)
@example("-18446744073709551615", 8, False)
@example("00000000000000000000000000000000007", 8, False)
@example("", 32, True)
@example("-", 32, True)
def test_same_as_the_c_library(text: str, bits: int, signed: bool) -> None:
    signed = signed and bits == 32
    conversion = {(8, False): b"%hhu%n", (32, False): b"%u%n", (32, True): b"%d%n"}[bits, signed]
    value, length = ctypes.c_int32(0), ctypes.c_int(0)
    read = LIBC.sscanf(text.encode(), conversion, ctypes.byref(value), ctypes.byref(length))
    stored = value.value if signed else value.value % (1 << bits)
    assert scan_integer(text, 0, bits, signed=signed) == ((stored, length.value) if read == 1 else None)


def test_numbers_longer_than_python_converts() -> None:
    assert scan_integer("x" + "9" * 10_000, 1, 32, signed=True) == (-1, 10_001)
    assert scan_integer("0" * 10_000 + "7", 0, 32) == (7, 10_001)


@pytest.mark.parametrize("text", ["", " ", "x1", "+ 1", "--1", "\u0661"])
def test_no_integer(text: str) -> None:
    assert scan_integer(text, 0, 32) is None
