"""The SIMD vocabulary of the solver kernels: sixteen float32 lanes as one numba value.

:data:`vec` is a numba type whose data model is LLVM's ``<16 x float>``: one register with AVX-512, two with AVX2,
four with NEON; LLVM splits the vectors by itself, nothing here names an instruction. Values of this type exist only
inside compiled code. ``+ - * /`` work on two vectors; everything else is one of the functions below.

A vector lives in memory as 16 consecutive elements of a one-dimensional array, addressed by the index of its
first element. Arrays may be float32 or uint16. Arrays of uint16 hold IEEE half floats, which are converted when they
are loaded and stored; an overflow saturates at the largest finite half instead of turning into infinity. Sums that take
thousands of small steps are stored by :func:`store_dithered`: rounding to the nearest half would swallow every step
below 1/2048 of the sum. No function checks bounds.
"""

# mypy: allow-untyped-calls, allow-untyped-decorators

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import hedgehog.runtime.jit  # noqa: F401  (sets what numba reads when it is imported)

# isort: split
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

LANES = 16

_F32 = ir.FloatType()
_VECTOR = ir.VectorType(_F32, LANES)
_HALVES = ir.VectorType(ir.HalfType(), LANES)
_INDEX = ir.VectorType(ir.IntType(32), LANES)
_HALF_MAX = 65504.0
# Bits of a float32 fraction that a half has no room for.
_SPARE_BITS = 13
# Offsets into the table of random numbers; a power of two.
_NOISE_ROWS = 1024


class VecType(types.Type):
    """Numba type of sixteen float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name="vec16f32")


vec = VecType()


@register_model(VecType)
class _VecModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def _register_operator(function: Any, instruction: str) -> None:
    class Template(ConcreteTemplate):
        cases = (signature(vec, vec, vec),)

    infer_global(function)(Template)

    @lower_builtin(function, vec, vec)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _function, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _register_operator(_function, _instruction)


def _operation(function: Callable[..., Any]) -> Any:
    """Returns ``numba.extending.intrinsic(function)``, whose callers are typed by numba and not by mypy."""
    return intrinsic(function)


def _splat(value: float) -> Any:
    return ir.Constant(_VECTOR, [ir.Constant(_F32, value)] * LANES)


def _in_all_lanes(builder: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(_INDEX, [0] * LANES))


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


def _typed_pointer(builder: Any, pointer: Any, element: Any) -> Any:
    return builder.bitcast(pointer, element.as_pointer())


def _load_vector(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    pointer = _address(context, builder, array_type, array, index)
    if array_type.dtype == types.uint16:
        halves = builder.load(_typed_pointer(builder, pointer, _HALVES), align=2)
        # Without the fence LLVM would move later comparisons and selections before the conversion, where most
        # processors have no instructions for them.
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        fence = cgutils.get_or_insert_function(builder.module, kind, "llvm.arithmetic.fence.v16f32")
        return builder.call(fence, [builder.fpext(halves, _VECTOR)])
    return builder.load(_typed_pointer(builder, pointer, _VECTOR), align=4)


def _store_vector(context: Any, builder: Any, array_type: Any, array: Any, index: Any, value: Any) -> None:
    pointer = _address(context, builder, array_type, array, index)
    if array_type.dtype == types.uint16:
        high, low = _splat(_HALF_MAX), _splat(-_HALF_MAX)
        value = builder.select(builder.fcmp_ordered("<", value, high), value, high)
        value = builder.select(builder.fcmp_ordered(">", value, low), value, low)
        halves = builder.fptrunc(value, _HALVES)
        builder.store(halves, _typed_pointer(builder, pointer, _HALVES), align=2)
    else:
        builder.store(value, _typed_pointer(builder, pointer, _VECTOR), align=4)


def _noise_table() -> list[int]:
    """Returns evenly spaced 13-bit numbers in random order (ranks of Park and Miller's generator, 1988); it wraps."""
    states = [1]
    while len(states) < _NOISE_ROWS:
        states.append(states[-1] * 48271 % 0x7FFFFFFF)
    step = 2**_SPARE_BITS // _NOISE_ROWS
    numbers = [step * rank + step // 2 for rank in sorted(range(_NOISE_ROWS), key=states.__getitem__)]
    return numbers + numbers[:LANES]


def _dithered(context: Any, builder: Any, value: Any, word: Any) -> Any:
    """Rounds to a neighbour that a half can hold, up or down at random, such that the expectation is ``value``.

    The spare bits get a random number added and are cut off. Of numbers below 2^-14 (subnormal halves) only
    zero is treated so: the others have more spare bits.

    :param word: random int64; its low bits choose where in the table the sixteen random numbers start.
    """
    numbers = ir.ArrayType(ir.IntType(32), _NOISE_ROWS + LANES)
    table = cgutils.global_constant(builder.module, "dither_noise", ir.Constant(numbers, _noise_table()))
    row = builder.and_(word, ir.Constant(word.type, _NOISE_ROWS - 1))
    noise = builder.load(_typed_pointer(builder, builder.gep(table, [row.type(0), row]), _INDEX), align=4)
    bits = builder.add(builder.bitcast(value, _INDEX), noise)
    kept = builder.and_(bits, ir.Constant(_INDEX, [2**32 - 2**_SPARE_BITS] * LANES))
    return builder.bitcast(kept, _VECTOR)


def _is_vector_array(array: Any) -> bool:
    return isinstance(array, types.Array) and array.ndim == 1 and array.dtype in (types.float32, types.uint16)


@_operation
def load(typingctx: Any, array: Any, index: Any) -> Any:
    """Returns the vector that starts at ``array[index]``."""
    if not _is_vector_array(array):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _load_vector(context, builder, sig.args[0], args[0], args[1])

    return vec(array, types.intp), codegen


@_operation
def peek(typingctx: Any, array: Any, index: Any) -> Any:
    """Returns ``array[index]`` of an int32 or int16 array as an address-sized integer; negative indices do not wrap."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _offset(context, builder, sig.args[0], args[0], args[1], 0)

    return types.intp(array, types.intp), codegen


@_operation
def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Writes a vector to ``array[index : index + 16]``."""
    if not _is_vector_array(array):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _store_vector(context, builder, sig.args[0], args[0], args[1], args[2])
        return context.get_dummy_value()

    return types.void(array, types.intp, vec), codegen


@_operation
def store_dithered(typingctx: Any, array: Any, index: Any, value: Any, word: Any) -> Any:
    """Writes a vector to ``array[index : index + 16]``; half floats are rounded up or down at random, without bias.

    :param word: int64 with ten random low bits, from :func:`dither_word`.
    """
    if not _is_vector_array(array):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target, at, number, random = args
        if sig.args[0].dtype == types.uint16:
            number = _dithered(context, builder, number, random)
        _store_vector(context, builder, sig.args[0], target, at, number)
        return context.get_dummy_value()

    return types.void(array, types.intp, vec, types.int64), codegen


@_operation
def dither_word(typingctx: Any, index: Any, iteration: Any) -> Any:
    """Returns an int64 whose low 32 bits are a hash of both numbers; :func:`store_dithered` uses ten of the bits."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        int64 = ir.IntType(64)
        word = builder.add(args[0], builder.mul(args[1], int64(0x9E3779B97F4A7C15)))
        word = builder.mul(builder.xor(word, builder.lshr(word, int64(32))), int64(0xD6E8FEB86659FD93))
        return builder.lshr(word, int64(32))

    return types.int64(types.int64, types.int64), codegen


@_operation
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Requests the cache line of ``array[index]`` for the second-level cache. Any address is harmless.

    In the first-level cache it would evict the data of the current block.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _typed_pointer(builder, _address(context, builder, sig.args[0], args[0], args[1]), ir.IntType(8))
        int32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, int32, int32, int32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # read, keep from the second level on, data cache
        builder.call(function, [pointer, int32(0), int32(2), int32(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


@_operation
def splat(typingctx: Any, value: Any) -> Any:
    """Returns a vector with ``value`` in every lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _in_all_lanes(builder, args[0])

    return vec(types.float32), codegen


@_operation
def splat_at(typingctx: Any, array: Any, index: Any) -> Any:
    """Returns a vector with ``array[index]`` of a float32 array in every lane; negative indices do not wrap."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _in_all_lanes(builder, builder.load(_address(context, builder, sig.args[0], args[0], args[1])))

    return vec(array, types.intp), codegen


@_operation
def zeros(typingctx: Any) -> Any:
    """Returns the zero vector."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(0.0)

    return vec(), codegen


@_operation
def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """Returns ``a * b + c``, rounded once."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.fma.v16f32"), args)

    return vec(vec, vec, vec), codegen


@_operation
def maximum(typingctx: Any, a: Any, b: Any) -> Any:
    """Returns the larger value of every lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return vec(vec, vec), codegen


@_operation
def positive(typingctx: Any, a: Any) -> Any:
    """Returns ``max(a, 0)`` of every lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 2)
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.maxnum.v16f32")
        return builder.call(function, [args[0], _splat(0.0)])

    return vec(vec), codegen


@_operation
def where_positive(typingctx: Any, condition: Any, a: Any, b: Any) -> Any:
    """Returns ``a`` in the lanes where ``condition > 0`` and ``b`` elsewhere."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], _splat(0.0)), args[1], args[2])

    return vec(vec, vec, vec), codegen


_QUAD = ir.VectorType(_F32, 4)
_OCTET = ir.VectorType(_F32, 8)


def _transpose(builder: Any, source: Callable[[int], Any], target: Callable[[int], Any]) -> None:
    """Transposes 16 rows of 16 float32 from memory to memory.

    Four columns of eight rows at a time, so that nothing is spilled where a vector takes two registers of sixteen::

        rows    a0 a1 a2 a3      joined   a0 a1 a2 a3 | e0 e1 e2 e3      written   a0 b0 c0 d0 e0 f0 g0 h0
                b0 b1 b2 b3               b0 b1 b2 b3 | f0 f1 f2 f3                a1 b1 c1 d1 e1 f1 g1 h1
                 ..  to h3                c ...       | g ...                      a2 ...
                                          d ...       | h ...                      a3 ...

    Joining is a load from memory; both halves of a register are then transposed by the same eight shuffles.

    :param source: returns a pointer to a row; the same for ``target``. Called where the pointer is used: there are
        not enough registers for all of them.
    """

    def shuffle(a: Any, b: Any, mask: list[int]) -> Any:
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), 8), mask))

    def quad(row: Any, column: int) -> Any:
        pointer = builder.gep(row, [ir.IntType(64)(column)])
        return builder.load(_typed_pointer(builder, pointer, _QUAD), align=4)

    low32, high32 = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]
    low64, high64 = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
    for first in range(0, LANES, 8):
        rows = [source(row) for row in range(first, first + 8)]
        for column in range(0, LANES, 4):
            joined = [shuffle(quad(rows[i], column), quad(rows[i + 4], column), list(range(8))) for i in range(4)]
            written = []
            for mask in (low32, high32):
                upper, lower = shuffle(joined[0], joined[1], mask), shuffle(joined[2], joined[3], mask)
                written += [shuffle(upper, lower, low64), shuffle(upper, lower, high64)]
            for i, octet in enumerate(written):
                pointer = builder.gep(target(column + i), [ir.IntType(64)(first)])
                builder.store(octet, _typed_pointer(builder, pointer, _OCTET), align=4)


@_operation
def transpose(typingctx: Any, out: Any, out_base: Any, out_at: Any, out_first: Any, a: Any, at: Any, first: Any) -> Any:
    """Transposes sixteen scattered rows into sixteen scattered rows of another float32 array.

    Row ``i`` is read at ``a[at[first + i]]``. Lane ``i`` of all rows is written at
    ``out[out_base + out_at[out_first + i]]``. :func:`transpose_from` has the base offset on the reading side instead.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array, base, targets, target, source, origins, origin = args
        zero = ir.Constant(base.type, 0)
        rows = _scattered_rows(context, builder, sig.args[4], source, zero, sig.args[5], origins, origin)
        out_rows = _scattered_rows(context, builder, sig.args[0], array, base, sig.args[2], targets, target)
        _transpose(builder, rows, out_rows)
        return context.get_dummy_value()

    intp = types.intp
    return types.void(out, intp, out_at, intp, a, at, intp), codegen


@_operation
def transpose_from(
    typingctx: Any, out: Any, out_at: Any, out_first: Any, a: Any, base: Any, at: Any, first: Any
) -> Any:
    """Transposes sixteen scattered rows into sixteen scattered rows of another float32 array.

    Row ``i`` is read at ``a[base + at[first + i]]``. Lane ``i`` of all rows is written at
    ``out[out_at[out_first + i]]``.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array, targets, target, source, base, origins, origin = args
        zero = ir.Constant(base.type, 0)
        rows = _scattered_rows(context, builder, sig.args[3], source, base, sig.args[5], origins, origin)
        out_rows = _scattered_rows(context, builder, sig.args[0], array, zero, sig.args[1], targets, target)
        _transpose(builder, rows, out_rows)
        return context.get_dummy_value()

    intp = types.intp
    return types.void(out, out_at, intp, a, intp, at, intp), codegen


def _offset(context: Any, builder: Any, array_type: Any, array: Any, first: Any, i: int) -> Any:
    index = builder.add(first, ir.Constant(first.type, i))
    return builder.sext(builder.load(_address(context, builder, array_type, array, index)), first.type)


def _scattered_rows(
    context: Any, builder: Any, array_type: Any, array: Any, base: Any, at_type: Any, at: Any, first: Any
) -> Callable[[int], Any]:
    """Returns a function that gives the pointer to row ``i``, which starts at ``array[base + at[first + i]]``."""

    def row(i: int) -> Any:
        index = builder.add(base, _offset(context, builder, at_type, at, first, i))
        return _address(context, builder, array_type, array, index)

    return row


def _exchange(operation: str) -> Any:
    """Returns the code of an atomic operation on an element of an int64 array that returns what stood there."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _address(context, builder, sig.args[0], args[0], args[1])
        return builder.atomic_rmw(operation, pointer, args[2], "seq_cst")

    return codegen


@_operation
def add_to_word(typingctx: Any, words: Any, index: Any, value: Any) -> Any:
    """Atomically adds to ``words[index]`` of an int64 array, after all earlier writes, and returns the old value."""
    return types.int64(words, types.intp, types.int64), _exchange("add")


@_operation
def swap_word(typingctx: Any, words: Any, index: Any, value: Any) -> Any:
    """Atomically writes ``words[index]`` of an int64 array and returns what stood there."""
    return types.int64(words, types.intp, types.int64), _exchange("xchg")


@_operation
def word_at(typingctx: Any, words: Any, index: Any) -> Any:
    """Returns ``words[index]`` of an int64 array that another thread may write. No later read comes before it."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _address(context, builder, sig.args[0], args[0], args[1])
        return builder.load_atomic(pointer, "seq_cst", 8)

    return types.int64(words, types.intp), codegen


@_operation
def store_word(typingctx: Any, words: Any, index: Any, value: Any) -> Any:
    """Writes ``words[index]`` of an int64 array for other threads to read, after all earlier writes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _address(context, builder, sig.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), codegen


def _semaphore_call(name: str, *more: int) -> Any:
    """Returns the code of a call of a POSIX function on the semaphore at an element of an int64 array."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        int32 = ir.IntType(32)
        pointer = _typed_pointer(builder, _address(context, builder, sig.args[0], *args), ir.IntType(8))
        kind = ir.FunctionType(int32, [pointer.type, *[int32] * len(more)])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [pointer, *map(int32, more)])
        return context.get_dummy_value()

    return codegen


@_operation
def start_semaphore(typingctx: Any, words: Any, index: Any) -> Any:
    """Makes a semaphore of ``words[index : index + 4]`` of an int64 array, with the count 0 (``sem_init``)."""
    return types.void(words, types.intp), _semaphore_call("sem_init", 0, 0)


@_operation
def await_semaphore(typingctx: Any, words: Any, index: Any) -> Any:
    """Sleeps until the count of the semaphore at ``words[index]`` is above 0, and takes one off (``sem_wait``).

    A signal of the system may wake the thread before.
    """
    return types.void(words, types.intp), _semaphore_call("sem_wait")


@_operation
def post_semaphore(typingctx: Any, words: Any, index: Any) -> Any:
    """Adds one to the count of the semaphore at ``words[index]`` (``sem_post``)."""
    return types.void(words, types.intp), _semaphore_call("sem_post")


@_operation
def keep_out_of_line(typingctx: Any) -> Any:
    """Forbids LLVM to inline the calling function, so that a large function with many callers is compiled once."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


@_operation
def unroll_here(typingctx: Any) -> Any:
    """Copies the calling function into each of its callers, so that loops over a constant argument are unrolled."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.function.attributes.add("alwaysinline")
        return context.get_dummy_value()

    return types.void(), codegen
