"""Specifications of limit hold'em players, such as ``limit3p:hbb2?x=5&weights=d&mode=one_folded&base=potodds``.

==============  =======================================================================================================
option          meaning
==============  =======================================================================================================
``x=N``         number of nearest two-player decisions that are averaged, 1 by default; HBB1 always uses one
``weights=d``   weigh them by 1 / (1 + distance)
``argmax``      take the most likely action instead of drawing one
``bias=FILE``   correct the probability of folding before the flop by the numbers of a JSON file
``mode=MODE``   decisions that the two-player strategy answers: ``always``, ``one_folded_preflop`` (those after a fold
                before the flop), ``one_folded`` (those with two players left) or ``never``
``base=NAME``   the player for the other decisions, ``potodds`` by default; ``cfr3`` plays a three-player pack
``pack=PATH``   the pack of the two-player strategy, or a folder with it and the pack of ``cfr3``; by default the
                shipped packs
==============  =======================================================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from hedgehog.runtime.errors import InputError

KIND: Final = "limit3p"
WAYS: Final = ("hbb1", "hbb2", "hbb3", "hbb4", "hbb5")
MOST_NEAREST: Final = 1000
_KEYS: Final = ("x", "weights", "argmax", "bias", "mode", "base", "pack")


class Mode(StrEnum):
    """Says in which decisions the two-player strategy answers; in the others the base player does."""

    ALWAYS = "always"
    """In all."""
    ONE_FOLDED_PREFLOP = "one_folded_preflop"
    """In those after a fold before the flop."""
    ONE_FOLDED = "one_folded"
    """In those with two players left."""
    NEVER = "never"
    """In none."""


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """A parsed specification of a player that carries a two-player strategy to the three-player table."""

    way: str
    nearest: int = 1
    by_distance: bool = False
    argmax: bool = False
    bias: str = ""
    """Path of a file; empty for no bias."""
    mode: Mode = Mode.ALWAYS
    base: str = "potodds"
    pack: str = ""
    """Path of the packs; empty for the shipped ones."""

    @property
    def label(self) -> str:
        """A short name in which only the options that are not the default stand."""
        parts = [self.way]
        parts += [f"x{self.nearest}"] if self.nearest > 1 else []
        parts += ["d"] if self.by_distance else []
        parts += ["argmax"] if self.argmax else []
        parts += ["bias"] if self.bias else []
        if self.mode != Mode.ALWAYS:
            parts += [self.mode, self.base]
        return "_".join(parts)


def parse_limit_options(argument: str, bases: tuple[str, ...]) -> LimitOptions:
    """Parses the part of a specification after ``limit3p:``.

    :param argument: a way, and after a question mark options joined by ``&``.
    :param bases: players that may be the base.
    :raises InputError: if the way is unknown, or an option is unknown, malformed or given twice.
    """
    way, _, text = argument.partition("?")
    if way not in WAYS:
        raise InputError(f"unknown player '{KIND}:{way}': expected {', '.join(f'{KIND}:{name}' for name in WAYS)}")
    given: dict[str, str] = {}
    for option in text.split("&") if text else ():
        key, equals, value = option.partition("=")
        if key not in _KEYS or bool(equals) == (key == "argmax"):
            raise InputError(f"unknown option {option!r} of {KIND}: expected some of {', '.join(_KEYS)}")
        if key in given:
            raise InputError(f"the option {key!r} is given twice: '{KIND}:{argument}'")
        given[key] = value
    found: dict[str, Any] = {}
    if "x" in given:
        if not (re.fullmatch("[0-9]{1,9}", given["x"]) and 1 <= int(given["x"]) <= MOST_NEAREST):
            raise InputError(f"expected x from 1 to {MOST_NEAREST}, got {given['x']!r}")
        found["nearest"] = int(given["x"])
    for key, values in (("weights", ("d",)), ("mode", tuple(Mode)), ("base", bases)):
        if key in given and given[key] not in values:
            raise InputError(f"unknown {key} {given[key]!r}: expected {', '.join(values)}")
    for key in ("bias", "pack"):
        if key in given and not given[key]:
            raise InputError(f"expected a path after {key}=")
    if "mode" in given:
        found["mode"] = Mode(given["mode"])
    found |= {key: given[key] for key in ("base", "bias", "pack") if key in given}
    return LimitOptions(way, by_distance="weights" in given, argmax="argmax" in given, **found)
