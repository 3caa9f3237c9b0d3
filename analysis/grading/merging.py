"""Makes of the stores of several machines, which graded a part of the hands each, the store of one machine."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from hedgehog.analysis.grading.hand import GradedHand
from hedgehog.analysis.grading.parts import (
    StoreSettings,
    open_store,
    part_path,
    part_text,
    read_settings,
    stored_hands,
)
from hedgehog.analysis.grading.store_files import SETTINGS
from hedgehog.analysis.parts import Part
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MergedStore:
    """All hands of one grading, read from the stores of its parts."""

    settings: StoreSettings
    """Those of the store that one machine would have written."""
    hands: tuple[GradedHand, ...]
    size: int
    """Most hands in a file of it."""

    @classmethod
    def of(cls, sources: Sequence[Path]) -> Self:
        """Returns the hands of all parts.

        :param sources: stores of parts, in any order, at least one.
        :raises InputError: if one is no store of a part, is damaged or not finished, or they do not go together: other
            hands, settings, packs or number of parts, a part that is there twice, or one that is missing.
        """
        first = read_settings(sources[0])
        holders: dict[int, tuple[Path, StoreSettings]] = {}
        for source in sources:
            settings = read_settings(source)
            part = _part_of(settings, source, first, sources[0])
            if part.number in holders:
                raise InputError(f"holds part {part} as {holders[part.number][0]} does", source=str(source))
            holders[part.number] = source, settings
        missing = [number for number in range(1, part.parts + 1) if number not in holders]
        if missing:
            more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
            raise InputError(f"part {part._replace(number=missing[0])}{more} missing: expected all parts")
        found: list[GradedHand] = []
        for _, (source, settings) in sorted(holders.items()):
            hands = stored_hands(source)
            if len(hands) != settings.hands:
                raise InputError(
                    f"holds {len(hands):,} of {settings.hands:,} hands: expected a part that is finished",
                    source=str(source),
                )
            found += hands
        whole = dataclasses.replace(first, hands=first.of, part=None, of=0, size=0)
        return cls(whole, tuple(found), first.size)

    def write(self, store: Path, *, overwrite: bool = False) -> None:
        """Writes the store that one machine would have written, or the rest of it.

        :param overwrite: what the folder holds of other hands, settings or parts is removed.
        :raises InputError: if the folder holds something else, which may not be removed; also ResourceError.
        """
        open_store(store, self.settings, overwrite=overwrite)
        files = {
            part_path(store, number): part_text(self.hands[start : start + self.size])
            for number, start in enumerate(range(0, len(self.hands), self.size))
        }
        for path, text in files.items():
            if not overwrite and path.exists() and path.read_bytes() != text.encode():
                raise InputError("has other grades than the parts: expected another folder", source=str(path))
        for path, text in files.items():
            write_text_file(path, text)


def _part_of(settings: StoreSettings, store: Path, first: StoreSettings, of_first: Path) -> Part:
    """Returns the part that a store holds, which must go with that of the first one."""
    if settings.part is None:
        raise InputError("holds no part of hands: expected a store of hedgehog grade --part", source=str(store))
    for name in ("version", "player", "depth", "spot", "since", "size"):
        mine, others = (getattr(one, name) for one in (settings, first))
        if mine != others:
            shown = [str(value) if value else "none" for value in (mine, others)]
            raise InputError(f"{name} is {shown[0]} there and {shown[1]} in {of_first}", source=str(store))
    if settings.digest != first.digest:
        raise InputError(f"is a part of other hands, settings or packs than {of_first}", source=str(store))
    if first.part is not None and settings.part.parts != first.part.parts:
        raise InputError(f"part {settings.part} does not go with part {first.part} in {of_first}", source=str(store))
    return settings.part


def stores_in(folder: Path) -> list[Path]:
    """Returns the stores that one command wrote into a folder, by their names in it: a store for each player, or one.

    :returns: ``[Path()]`` for a folder that is a store itself, or holds none.
    """
    if not os.path.isdir(folder) or os.path.exists(folder / SETTINGS):  # no error for names that cannot be
        return [Path()]
    return sorted(Path(path.parent.name) for path in folder.glob(f"*/{SETTINGS}")) or [Path()]
