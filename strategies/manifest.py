"""The manifest of a strategy pack: what the pack holds, what made it, and the checksum of every array.

The last line of ``manifest.yaml`` is the SHA-256 of all bytes before it, so that no byte of a manifest can change
unnoticed.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import PackError
from hedgehog.runtime.input_files import read_input
from hedgehog.runtime.table import Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT: Final = "hedgehog-strategy-pack"
FORMAT_VERSION: Final = 2
MANIFEST_NAME: Final = "manifest.yaml"
MAX_MANIFEST_BYTES: Final = 4 << 20
_SEAL: Final = "manifest_sha256: {}\n"
_SEAL_LINE: Final = re.compile(rb"manifest_sha256: [0-9a-f]{64}\n")
_SEAL_BYTES: Final = len(_SEAL.format("0" * 64))
_ARRAY_DTYPES: Final = ("|u1", "|i1", "<i2", "<u2", "<i4", "<u4", "<i8", "<f2", "<f4", "<f8")

# pyyaml's C loader is ten times faster and as safe; it is missing in some builds.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_SafeDumper):  # type: ignore[misc]
    """Writes texts of several lines in YAML's block style where YAML allows it."""


def _represent_text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ArrayEntry(_Strict):
    """One array of a pack: its ``.npy`` file, dtype, shape and SHA-256."""

    file: str
    dtype: Literal[_ARRAY_DTYPES]  # type: ignore[valid-type]
    shape: list[int] = Field(max_length=4)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")

    @field_validator("file")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,80}\.npy", value):
            raise ValueError("expected a plain file name ending in .npy")
        return value

    @field_validator("shape")
    @classmethod
    def _plausible(cls, value: list[int]) -> list[int]:
        if any(not 0 <= size <= 1 << 33 for size in value):
            raise ValueError("expected sizes between 0 and 2**33")
        return value


class FlopLineEntry(_Strict):
    """One preflop line of a flop pack; its arrays are named ``<name>_<array>``."""

    name: str = Field(pattern="^[a-z0-9_]{1,40}$")
    betting: str = Field(pattern="^[crf0-9/]{1,80}$")
    """Preflop betting in ACPC notation, for example ``r250c``."""
    pot: int = Field(gt=0, lt=1 << 31)
    stack: int = Field(gt=0, lt=1 << 31)
    """Chips that each player has left at the flop."""


class Provenance(_Strict):
    """What made a pack: command, version, commit, date and machine."""

    command: str
    hedgehog_version: str
    commit: str
    date: str
    machine: str


class PackManifest(Shown, _Strict):
    """The content of a pack's ``manifest.yaml``."""

    format: Literal["hedgehog-strategy-pack"] = FORMAT
    format_version: int = FORMAT_VERSION
    kind: Literal["blueprint", "flops", "limit-blueprint", "solve", "strategy", "tree", "values"]
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    tier: str = Field(pattern="^[a-z0-9_-]{1,40}$")
    gamedef: str = Field(max_length=4000)
    """Text of the ACPC game definition that the strategies are for; empty for a single spot."""
    provenance: Provenance
    config: dict[str, Any]
    """The exact configuration that made the pack (menus, abstraction, seed, targets)."""
    quality: dict[str, Any]
    """Measured figures of quality; the names of the keys contain the units."""
    lines: list[FlopLineEntry] = Field(default_factory=list, max_length=1000)
    arrays: dict[str, ArrayEntry] = Field(max_length=10000)

    def summary(self) -> str:
        """Returns the name, the kind, the number of arrays, and the date."""
        size = f"{len(self.arrays)} arrays, {self.num_bytes / 1e6:,.1f} MB"
        return f"{self.name}, {self.kind}, {size}, {self.provenance.date}"

    @property
    def num_bytes(self) -> int:
        """Number of bytes of all arrays."""
        return sum(np.dtype(entry.dtype).itemsize * math.prod(entry.shape) for entry in self.arrays.values())

    def table(self) -> Table:
        """Returns one row with a column per figure: name, kind, size, provenance, configuration and quality.

        The names of nested figures are joined by dots, and elements of lists have their number as name. So the tables
        of several packs can be put below each other.
        """
        plain = self.model_dump(include={"name", "kind", "tier", "provenance", "config", "quality"})
        figures = {"bytes": self.num_bytes, **dict(_flat("", plain))}
        ordered = {name: figures.pop(name) for name in ("name", "kind", "tier", "bytes")} | figures
        return Table("pack", self.name, list(ordered), (tuple(ordered.values()),))

    def details(self) -> str:
        """Returns the figures as HTML, one per row."""
        [row] = self.table().records()
        return Table("pack", "", ["figure", "value"], tuple(row.items())).html()

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the size of every array in MB, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        sizes = (
            (name, np.dtype(entry.dtype).itemsize * math.prod(entry.shape) / 1e6) for name, entry in self.arrays.items()
        )
        return Table("arrays", self.name, ["array", "MB"], tuple(sizes)).plot(axes)


def _flat(name: str, value: Any) -> Iterator[tuple[str, Value]]:
    """Yields the texts, numbers and booleans inside a value, with the names that lead to them joined by dots."""
    if isinstance(value, dict | list | tuple):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _flat(f"{name}.{key}" if name else str(key), inner)
    else:
        yield name, value if value is None or isinstance(value, str | int | float | bool) else str(value)


def read_manifest(folder: Path) -> PackManifest:
    """Returns the manifest of a pack folder after checking it.

    :raises PackError: if ``manifest.yaml`` is missing, too large, damaged, edited, of another version, or does not fit
        the schema.
    """
    path = folder / MANIFEST_NAME
    try:
        data = read_input(path, MAX_MANIFEST_BYTES)
    except FileNotFoundError:
        raise PackError(f"no strategy pack here: {MANIFEST_NAME} is missing", source=str(folder)) from None
    except OSError as error:
        raise PackError(f"cannot be read: {error.strerror}", source=str(path)) from None
    return parse_manifest(data, str(path))


def parse_manifest(data: bytes, source: str) -> PackManifest:
    """Returns the manifest that the bytes of a file ``manifest.yaml`` hold, after checking it.

    :param source: file name, for messages.
    :raises PackError: if the bytes are damaged, edited, of another version, or do not fit the schema.
    """
    body, seal = data[:-_SEAL_BYTES], data[-_SEAL_BYTES:]
    sealed = _SEAL_LINE.fullmatch(seal) is not None
    if sealed and seal != seal_line(body):
        raise PackError("the manifest is damaged or was edited: its digest differs", source=source)
    values = deepcopy(_load_sealed(body, source)) if sealed else _load(data, source)
    version = values.get("format_version")
    if version != FORMAT_VERSION:
        raise PackError(f"format version {version!r}, this program reads version {FORMAT_VERSION}", source=source)
    if not sealed:
        raise PackError("the manifest is damaged or was edited: its last line is not its digest", source=source)
    try:
        return PackManifest.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PackError(f"{where}: {first['msg']}", source=source) from None


@lru_cache(maxsize=128)
def _load_sealed(body: bytes, source: str) -> dict[str, Any]:
    """Returns what :func:`_load` does, and remembers it: commands read the manifests of a folder again and again."""
    return _load(body, source)


def _load(data: bytes, source: str) -> dict[str, Any]:
    try:
        values = yaml.load(data.decode(), Loader=_SafeLoader)  # a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        raise PackError(str(problem), source=source, line=mark.line + 1 if mark else None) from None
    except RecursionError:
        raise PackError("nested too deeply", source=source) from None
    except ValueError as error:  # not UTF-8, or an integer of thousands of digits
        raise PackError(f"not a manifest: {error}", source=source) from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise PackError(f"not a strategy pack: expected 'format: {FORMAT}'", source=source)
    return values


def format_manifest(manifest: PackManifest) -> str:
    """Formats a manifest as YAML whose last line is the SHA-256 of all bytes before it."""
    text: str = yaml.dump(manifest.model_dump(), Dumper=_Dumper, sort_keys=False, width=120)
    return seal_manifest(text)


def seal_manifest(text: str) -> str:
    """Returns the YAML text of a manifest with the SHA-256 of all its bytes appended as the last line."""
    return text + seal_line(text.encode()).decode()


def seal_line(body: bytes) -> bytes:
    """Returns the last line of a manifest, which holds the SHA-256 of ``body``, all bytes before this line."""
    return _SEAL.format(hashlib.sha256(body).hexdigest()).encode()
