"""Types of options that the laboratories share."""

from __future__ import annotations

import re
from typing import Any, Final

import click

_UNITS: Final = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "KIB": 2.0**10, "MIB": 2.0**20, "GIB": 2.0**30}
_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMG]I?B)\s*", re.IGNORECASE)


class ByteSize(click.ParamType[int]):
    """The click type of a memory size such as ``1GB`` or ``64 MB``, in bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(value)
        if match is None or float(match[1]) <= 0:
            self.fail(f"expected a size such as 64MB or 1GB, got {value!r}", param, ctx)
        return round(float(match[1]) * _UNITS[match[2].upper()])


class NameList(click.ParamType[tuple[str, ...]]):
    """The click type of one or more names, separated by commas.

    :param names: the names that there are.
    """

    name = "names"

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        chosen = [name.strip().lower() for name in value.split(",")]
        for name in chosen:
            if name not in self.names:
                self.fail(f"unknown name {name!r}: expected some of {', '.join(self.names)}", param, ctx)
        return tuple(name for name in self.names if name in chosen)
