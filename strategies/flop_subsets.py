"""Weighted subsets of the 1,755 flop classes, which stand for all flops.

A subset is a text file. Every line has a flop and its weight, such as ``Qs Js 2h 31.5``. A flop without a weight has
the number of flops in its class as its weight. ``#`` starts a comment. The order of the lines is the order in which a
pack is built. Weights have any unit: only their ratios count.

Subsets of 23, 49, 95 and 184 flop classes and the order of all 1,755 are shipped in ``strategies/subsets``. The command
``hedgehog pack subset`` makes these files, by :mod:`hedgehog.analysis.packs.choose_flops`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.isomorphism import board_classes, class_name, flop_class
from hedgehog.runtime.config_file import read_text
from hedgehog.runtime.errors import InputError

SUBSET_SIZES: Final = (23, 49, 95, 184, 1755)
"""Numbers of flop classes of the shipped subsets."""
NUM_FLOPS: Final = 22_100
"""Number of flops in all classes."""
_LINE: Final = re.compile(r"((?:[2-9TJQKA][cdhs]\s*){1,9})(?:(?:(?<=\s)|\s*[:=]\s*)(\S+))?", re.IGNORECASE)
_SHOWN: Final = 40
"""Number of characters of a bad line that an error message shows."""


@dataclass(frozen=True, slots=True)
class FlopSubset:
    """Some flop classes with their weights, in the order in which a pack is built."""

    name: str
    """File name or number of classes, for messages and tables."""
    classes: NDArray[np.int64]
    """(N,) different flop classes (:mod:`hedgehog.poker.isomorphism`)."""
    weights: NDArray[np.float64]
    """(N,) positive weights, which add up to 1."""

    def __len__(self) -> int:
        return len(self.classes)

    def flops(self) -> list[str]:
        """Returns the representative of every class as text, such as ``Qs Js 2h``."""
        return [class_name(3, index) for index in self.classes.tolist()]

    def pairs(self) -> list[tuple[int, float]]:
        """Returns (flop class, number of flops that it stands for) for every class, in order: what a builder takes."""
        return list(zip(self.classes.tolist(), (self.weights * NUM_FLOPS).tolist(), strict=True))


def subset_folder() -> Path:
    """Returns the folder of the shipped subsets."""
    return Path(__file__).resolve().parent / "subsets"


def find_flop_subset(text: str) -> FlopSubset:
    """Returns a subset by what a user writes for it.

    :param text: the number of classes of a shipped subset, or the path of a file.
    :raises InputError: if there is neither, or the file is wrong; the message has file and line.
    """
    if text in map(str, SUBSET_SIZES):
        return read_flop_subset(subset_folder() / f"{text}.txt", text)
    if text.isascii() and text.isdigit():
        known = ", ".join(map(str, SUBSET_SIZES))
        raise InputError(f"there is no subset of {text[:_SHOWN]} flop classes: expected {known}, or a file of flops")
    return read_flop_subset(Path(text))


def read_flop_subset(path: Path, name: str | None = None) -> FlopSubset:
    """Returns the subset in a file.

    :param name: name of the subset; None takes the name of the file.
    :raises InputError: if the file cannot be read or is wrong; the message has file and line.
    """
    return parse_flop_subset(read_text(path, InputError, "a flop subset"), str(path), name or path.name)


def parse_flop_subset(text: str, source: str | None = None, name: str = "") -> FlopSubset:
    """Returns the subset that a text describes, one flop with its weight per line.

    :param source: file name, for messages.
    :param name: name of the subset.
    :raises InputError: if a line is wrong, a class is repeated or there is none; the message has file and line.
    """
    lines: dict[int, int] = {}
    weights: list[float] = []

    def fail(message: str) -> InputError:
        return InputError(message, source=source, line=number)

    number = 1
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        match = _LINE.fullmatch(content)
        if match is None:
            raise fail(f"expected a flop and a weight such as 'Qs Js 2h 31.5', got {content[:_SHOWN]!r}")
        try:
            index, _ = flop_class(parse_cards(match[1]))
        except InputError as error:
            raise fail(error.message) from None
        if index in lines:
            raise fail(f"the flop {match[1].strip()!r} is of the same class as that in line {lines[index]}")
        weight = float(board_classes(3).multiplicities[index]) if match[2] is None else _weight(match[2])
        if not 0 < weight <= 1e12:
            raise fail(f"expected a weight above 0 after the flop, got {match[2][:_SHOWN]!r}")
        lines[index] = number
        weights.append(weight)
    if not lines:
        raise InputError("has no flop, expected lines such as 'Qs Js 2h 31.5'", source=source)
    shares = np.array(weights) / math.fsum(weights)
    return FlopSubset(name, np.array(list(lines), dtype=np.int64), shares)


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def format_flop_subset(
    classes: Sequence[int] | NDArray[np.int64],
    weights: Sequence[float] | NDArray[np.float64],
    comments: Sequence[str] = (),
) -> str:
    """Returns the text of a subset file; :func:`parse_flop_subset` reads it.

    :param classes: flop classes in the order in which a pack is to be built.
    :param weights: weight of each class; the file has them with three decimals.
    :param comments: lines for the head of the file.
    """
    lines = [f"# {comment}" for comment in comments]
    lines += [f"{class_name(3, int(index))} {weight:.3f}" for index, weight in zip(classes, weights, strict=True)]
    return "\n".join(lines) + "\n"
