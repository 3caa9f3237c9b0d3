"""Reading and adding sixteen float32 at scattered places: the SIMD vocabulary that groups of hands need.

:mod:`hedgehog.solver.cfr.kernels._simd_kernels` has the rest. No function checks bounds.
"""

# mypy: allow-untyped-calls, allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hedgehog.runtime.jit  # noqa: F401  (sets what numba reads when it is imported)

# isort: split
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from hedgehog.solver.cfr.kernels._simd_kernels import LANES, vec

_F32 = ir.FloatType()
_INT32 = ir.IntType(32)


def _places(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    """Returns pointers to ``array[base + indices[at + lane]]``, one per lane."""
    array, base, indices, at = args[:4]
    data = context.make_array(sig.args[0])(context, builder, array).data
    numbers = context.make_array(sig.args[2])(context, builder, indices).data
    first = builder.gep(data, [base])
    found = []
    for lane in range(LANES):
        place = builder.gep(numbers, [builder.add(at, at.type(lane))])
        found.append(builder.gep(first, [builder.zext(builder.load(place), ir.IntType(64))]))
    return found


def _operation(function: Callable[..., Any]) -> Any:
    """Returns ``numba.extending.intrinsic(function)``, whose callers are typed by numba and not by mypy."""
    return intrinsic(function)


@_operation
def gather(typingctx: Any, array: Any, base: Any, indices: Any, at: Any) -> Any:
    """Returns the vector of ``array[base + indices[at + lane]]``; the indices are int32 of at least 0."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = ir.Constant(ir.VectorType(_F32, LANES), ir.Undefined)
        for lane, place in enumerate(_places(context, builder, sig, args)):
            vector = builder.insert_element(vector, builder.load(place), _INT32(lane))
        return vector

    return vec(array, types.intp, indices, types.intp), codegen


@_operation
def scatter_add(typingctx: Any, array: Any, base: Any, indices: Any, at: Any, value: Any) -> Any:
    """Adds lane after lane of a vector to ``array[base + indices[at + lane]]``; indices may be equal."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for lane, place in enumerate(_places(context, builder, sig, args)):
            part = builder.extract_element(args[4], _INT32(lane))
            builder.store(builder.fadd(builder.load(place), part), place)
        return context.get_dummy_value()

    return types.void(array, types.intp, indices, types.intp, vec), codegen
