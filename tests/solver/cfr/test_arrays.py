"""Memory of solvers: used again once nothing refers to it, never before, and always as zeros."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.solver.cfr import arrays
from hedgehog.solver.cfr.arrays import zero_arrays


@pytest.fixture
def unused(monkeypatch: pytest.MonkeyPatch) -> dict[int, NDArray[np.uint8]]:
    """Memory that no array uses, without that of other tests."""
    found: dict[int, NDArray[np.uint8]] = {}
    monkeypatch.setattr(arrays, "_unused", found)
    monkeypatch.setattr(arrays, "_LEAST", 2**12)
    return found


def test_zeros_of_the_wanted_types_at_different_places_of_a_page() -> None:
    found = zero_arrays((1000, np.float32), (33, np.uint16), (1, np.float32), (70_000, np.float32))

    assert [array.size for array in found] == [1000, 33, 1, 70_000]
    assert [array.dtype.name for array in found] == ["float32", "uint16", "float32", "float32"]
    assert not any(array.any() for array in found)
    assert all(array.flags.writeable and array.flags.c_contiguous for array in found)
    addresses = [array.ctypes.data for array in found]
    assert all(address % 64 == 0 for address in addresses)
    assert len({address % 4096 for address in addresses}) == len(found)
    found[0][:] = 1
    assert not any(array.any() for array in found[1:])


def test_memory_is_used_again_as_zeros(unused: dict[int, NDArray[np.uint8]]) -> None:
    (array,) = zero_arrays((5000, np.float32))
    array[:] = 7
    assert not unused
    del array
    (address,) = unused

    (again,) = zero_arrays((4000, np.float32))

    assert not unused
    assert address <= again.ctypes.data < address + 4 * 5000
    assert not again.any()


def test_memory_with_a_view_left_is_not_used_again(unused: dict[int, NDArray[np.uint8]]) -> None:
    first, second = zero_arrays((5000, np.float32), (100, np.float32))
    second[:] = 3
    view = second.reshape(10, 10)[2:4]
    del first, second
    assert not unused

    (other,) = zero_arrays((5000, np.float32))
    other[:] = 9

    assert np.all(view == 3)
    del view
    assert len(unused) == 1


def test_memory_that_does_not_fit_is_given_to_the_system(unused: dict[int, NDArray[np.uint8]]) -> None:
    (array,) = zero_arrays((5000, np.float32))
    del array
    (address,) = unused

    (larger,) = zero_arrays((500_000, np.float32))

    assert not unused
    del larger
    assert address not in unused
    assert len(unused) == 1


def test_only_so_much_is_kept(unused: dict[int, NDArray[np.uint8]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_MOST_KEPT", 2**16)
    held = [zero_arrays((5000, np.float32)) for _ in range(8)]  # 2^15 bytes each
    held.clear()
    assert len(unused) == 2

    (large,) = zero_arrays((20_000, np.float32))
    assert large.size == 20_000
    assert not large.any()
    assert len(unused) == 2
    del large
    assert len(unused) == 2
