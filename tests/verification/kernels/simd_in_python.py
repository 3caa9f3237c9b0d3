"""The SIMD operations of the CFR kernels in numpy, because the compiled ones need numba's compiler.

Every operation raises an error for an address outside its array. The compiled operations do not check addresses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.abstraction import _gather_kernels as gathers
from hedgehog.solver.cfr.kernels import _simd_kernels as simd
from hedgehog.solver.cfr.kernels._simd_kernels import LANES

Vector = NDArray[np.float32]
HALF_MAX = np.float32(65504)
_NOISE = np.array(simd._noise_table(), dtype=np.uint32)


def install() -> None:
    """Replaces the compiled operations. Call it before any module imports them."""
    for name, function in OPERATIONS.items():
        getattr(simd, name)  # a name that the kernels no longer have is an error here
        setattr(simd, name, function)
    for name, function in GATHERS.items():
        getattr(gathers, name)
        setattr(gathers, name, function)


def _check(array: NDArray[Any], index: int, count: int) -> None:
    if not 0 <= index <= array.size - count:
        raise IndexError(f"elements {index} .. {index + count - 1} of an array of {array.size}")


def load(array: NDArray[Any], index: int) -> Vector:
    _check(array, index, LANES)
    values = array[index : index + LANES]
    return values.view(np.float16).astype(np.float32) if array.dtype == np.uint16 else values.copy()


def store(array: NDArray[Any], index: int, value: Vector) -> None:
    _check(array, index, LANES)
    if array.dtype == np.uint16:
        value = np.clip(value, -HALF_MAX, HALF_MAX).astype(np.float16).view(np.uint16)
    array[index : index + LANES] = value


def store_dithered(array: NDArray[Any], index: int, value: Vector, word: int) -> None:
    if array.dtype == np.uint16:
        row = word % simd._NOISE_ROWS
        bits = value.view(np.uint32) + _NOISE[row : row + LANES]
        value = (bits & np.uint32(2**32 - 2**simd._SPARE_BITS)).view(np.float32)
    store(array, index, value)


def dither_word(index: int, iteration: int) -> int:
    word = (int(index) + int(iteration) * 0x9E3779B97F4A7C15) % 2**64
    return (word ^ word >> 32) * 0xD6E8FEB86659FD93 % 2**64 >> 32


def peek(array: NDArray[np.int32], index: int) -> int:
    _check(array, index, 1)
    return int(array[index])


def splat(value: float) -> Vector:
    return np.full(LANES, value, dtype=np.float32)


def splat_at(array: Vector, index: int) -> Vector:
    _check(array, index, 1)
    return splat(array[index])


def zeros() -> Vector:
    return np.zeros(LANES, dtype=np.float32)


def fma(a: Vector, b: Vector, c: Vector) -> Vector:
    return (a.astype(np.float64) * b + c).astype(np.float32)


def maximum(a: Vector, b: Vector) -> Vector:
    return np.where(a > b, a, b)


def positive(a: Vector) -> Vector:
    return np.fmax(a, np.float32(0))


def where_positive(condition: Vector, a: Vector, b: Vector) -> Vector:
    return np.where(condition > 0, a, b)


def transpose(
    out: Vector, out_base: int, out_at: NDArray[Any], out_first: int, a: Vector, at: NDArray[Any], first: int
) -> None:
    _transpose(out, out_base, out_at, out_first, a, 0, at, first)


def transpose_from(
    out: Vector, out_at: NDArray[Any], out_first: int, a: Vector, base: int, at: NDArray[Any], first: int
) -> None:
    _transpose(out, 0, out_at, out_first, a, base, at, first)


def _transpose(
    out: Vector, out_base: int, out_at: NDArray[Any], out_first: int, a: Vector, base: int, at: NDArray[Any], first: int
) -> None:
    block = np.stack([load(a, base + peek(at, first + i)) for i in range(LANES)])
    for i in range(LANES):
        store(out, out_base + peek(out_at, out_first + i), block[:, i])


def add_to_word(words: NDArray[np.int64], index: int, value: int) -> int:
    words[index] += value
    return int(words[index]) - value


def word_at(words: NDArray[np.int64], index: int) -> int:
    return int(words[index])


def store_word(words: NDArray[np.int64], index: int, value: int) -> None:
    words[index] = value


def swap_word(words: NDArray[np.int64], index: int, value: int) -> int:
    old, words[index] = int(words[index]), value
    return old


def gather(array: Vector, base: int, indices: NDArray[np.int32], at: int) -> Vector:
    return np.array([array[place] for place in _places(array, base, indices, at)], dtype=np.float32)


def scatter_add(array: Vector, base: int, indices: NDArray[np.int32], at: int, value: Vector) -> None:
    for place, part in zip(_places(array, base, indices, at), value, strict=True):
        array[place] += part


def _places(array: Vector, base: int, indices: NDArray[np.int32], at: int) -> list[int]:
    places = [base + peek(indices, at + lane) for lane in range(LANES)]
    for place in places:
        _check(array, place, 1)
    return places


def _nothing(*arguments: object) -> None:
    pass


OPERATIONS = {
    "load": load,
    "store": store,
    "store_dithered": store_dithered,
    "dither_word": dither_word,
    "peek": peek,
    "splat": splat,
    "splat_at": splat_at,
    "zeros": zeros,
    "fma": fma,
    "maximum": maximum,
    "positive": positive,
    "where_positive": where_positive,
    "transpose": transpose,
    "transpose_from": transpose_from,
    "add_to_word": add_to_word,
    "word_at": word_at,
    "store_word": store_word,
    "swap_word": swap_word,
    # Hints to the compiler and the processor.
    "start_semaphore": _nothing,
    "await_semaphore": _nothing,
    "post_semaphore": _nothing,
    "prefetch": _nothing,
    "keep_out_of_line": _nothing,
    "unroll_here": _nothing,
}
GATHERS = {"gather": gather, "scatter_add": scatter_add}
