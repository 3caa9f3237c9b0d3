"""Names for the arrays that the kernels of the CFR family share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Stored = NDArray[Any]
"""Regrets or averages: float32, or uint16 that holds half floats."""
