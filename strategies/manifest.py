"""The manifest of a strategy pack: what it holds, what made it, and the checksum of every array."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from poker.errors import PackError

FORMAT: Final = "hedgehog-strategy-pack"
FORMAT_VERSION: Final = 1
MANIFEST_NAME: Final = "manifest.yaml"
MAX_MANIFEST_BYTES: Final = 4 << 20
_ARRAY_DTYPES: Final = ("|u1", "|i1", "<i2", "<u2", "<i4", "<i8", "<f2", "<f4")

# pyyaml's C loader is ten times faster and as safe; it is missing in some builds.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_SafeDumper):  # type: ignore[misc]
    """Writes text of several lines as such where YAML can."""


def _represent_text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ArrayEntry(_Strict):
    """One ``.npy`` file of the pack."""

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
    """Chips behind, each player."""


class Provenance(_Strict):
    """What made the pack; enough to make it again."""

    command: str
    hedgehog_version: str
    commit: str
    date: str
    machine: str


class PackManifest(_Strict):
    """The whole ``manifest.yaml``."""

    format: Literal["hedgehog-strategy-pack"]
    format_version: int
    kind: Literal["blueprint", "flops", "solve", "strategy"]
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    tier: str = Field(pattern="^[a-z0-9_-]{1,40}$")
    gamedef: str = Field(max_length=4000)
    """The ACPC game definition the strategies are for; empty for a single spot."""
    provenance: Provenance
    config: dict[str, Any]
    """The exact configuration that made the pack (menus, abstraction, seed, targets)."""
    quality: dict[str, Any]
    """Measured quality, with units in the key names."""
    lines: list[FlopLineEntry] = Field(default_factory=list, max_length=1000)
    arrays: dict[str, ArrayEntry] = Field(max_length=10000)


def read_manifest(folder: Path) -> PackManifest:
    """Reads and checks ``manifest.yaml`` of a pack folder.

    :raises PackError: if it is missing, too large, not YAML, of another version, or does not fit the schema.
    """
    path = folder / MANIFEST_NAME
    try:
        size = path.stat().st_size
        if size > MAX_MANIFEST_BYTES:
            raise PackError(f"manifest of {size} bytes, expected at most {MAX_MANIFEST_BYTES}", source=str(path))
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PackError(f"no strategy pack here: {MANIFEST_NAME} is missing", source=str(folder)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(f"cannot be read: {error}", source=str(path)) from None
    try:
        data = yaml.load(text, Loader=_SafeLoader)  # a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        raise PackError(str(problem), source=str(path), line=mark.line + 1 if mark else None) from None
    except RecursionError:
        raise PackError("nested too deeply", source=str(path)) from None
    except ValueError as error:  # such as an integer of thousands of digits
        raise PackError(f"not a manifest: {error}", source=str(path)) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PackError(f"not a strategy pack: expected 'format: {FORMAT}'", source=str(path))
    if data.get("format_version") != FORMAT_VERSION:
        raise PackError(
            f"format version {data.get('format_version')!r}, this program reads version {FORMAT_VERSION}",
            source=str(path),
        )
    try:
        return PackManifest.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PackError(f"{where}: {first['msg']}", source=str(path)) from None


def format_manifest(manifest: PackManifest) -> str:
    """Formats a manifest as YAML."""
    text: str = yaml.dump(manifest.model_dump(), Dumper=_Dumper, sort_keys=False, width=120)
    return text
