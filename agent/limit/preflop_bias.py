"""The bias of fold probabilities before the flop: a correction for each hand class, kept in a JSON file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.input_files import read_file

KIND = "preflop-bias"


def read_bias(path: Path) -> NDArray[np.float64]:
    """Returns the bias of a file: float64 (169,), what is added to the fold probability of each hand class.

    :param path: a JSON file whose key ``bias`` maps names of hand classes, such as ``AKs``, to numbers. Classes that
        are missing have no bias.
    :raises InputError: if the file cannot be read or has no such numbers.
    """
    values = bias_document(path)
    table = values.get("bias") if isinstance(values, Mapping) else None
    if not isinstance(table, Mapping):
        raise InputError("expected a JSON object with the key 'bias'", source=str(path))
    bias = np.zeros(len(HAND_CLASS_NAMES))
    numbers = {name: number for number, name in enumerate(HAND_CLASS_NAMES)}
    for name, value in table.items():
        if name not in numbers:
            raise InputError(f"no hand class is called {name!r}", source=str(path))
        if not isinstance(value, int | float) or isinstance(value, bool) or not -1 <= value <= 1:
            raise InputError(f"expected a number from -1 to 1 for {name}, got {value!r}", source=str(path))
        bias[numbers[name]] = value
    return bias


def bias_document(path: Path) -> Any:
    """Returns the value of a JSON file.

    :raises InputError: if the file cannot be read or is no JSON.
    """
    try:
        return json.loads(read_file(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", source=str(path)) from error


def apply_bias(triple: tuple[float, float, float], bias: float) -> tuple[float, float, float]:
    """Returns probabilities of fold, call and raise with a bias on the fold; call and raise keep their proportion.

    A hand that always folds keeps its probabilities.
    """
    fold, call, raising = triple
    if fold >= 1 or bias == 0 or math.isclose(call + raising, 0):
        return triple
    changed = min(1.0, max(0.0, fold + bias))
    scale = (1 - changed) / (call + raising)
    return changed, call * scale, raising * scale
