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
        holders: dict[int, Path] = {}
        found: dict[int, tuple[GradedHand, ...]] = {}
        first = read_settings(sources[0])
        for source in sources:
            settings = read_settings(source)
            _verify(settings, source, first, sources[0])
            assert settings.part is not None
            number = settings.part.number
            if number in holders:
                raise InputError(f"holds part {settings.part} as {holders[number]} does", source=str(source))
            holders[number] = source
            found[number] = stored_hands(source)
            if len(found[number]) != settings.hands:
                raise InputError(
                    f"holds {len(found[number]):,} of {settings.hands:,} hands: expected a part that is finished",
                    source=str(source),
                )
        assert first.part is not None
        missing = [number for number in range(1, first.part.parts + 1) if number not in found]
        if missing:
            more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
            raise InputError(f"part {first.part._replace(number=missing[0])}{more} missing: expected all parts")
        whole = dataclasses.replace(first, hands=first.of, part=None, of=0, size=0)
        return cls(whole, tuple(hand for number in sorted(found) for hand in found[number]), first.size)

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


def _verify(settings: StoreSettings, store: Path, first: StoreSettings, of_first: Path) -> None:
    """Checks that a store holds a part that goes with the first one."""
    if settings.part is None:
        raise InputError("holds no part of hands: expected a store of hedgehog grade --part", source=str(store))
    for name in ("player", "depth", "spot", "since"):
        mine, others = (getattr(one, name) for one in (settings, first))
        if mine != others:
            shown = [str(value) if value else "none" for value in (mine, others)]
            raise InputError(f"{name} is {shown[0]} there and {shown[1]} in {of_first}", source=str(store))
    if settings.digest != first.digest:
        raise InputError(f"is a part of other hands, settings or packs than {of_first}", source=str(store))
    if first.part is not None and settings.part.parts != first.part.parts:
        raise InputError(f"part {settings.part} does not go with part {first.part} in {of_first}", source=str(store))
    if settings.size != first.size:
        raise InputError(f"was made by another version than {of_first}", source=str(store))


def stores_in(folder: Path) -> list[Path]:
    """Returns the stores that one command wrote into a folder, by their names in it: a store for each player, or one.

    :returns: ``[Path()]`` for a folder that is a store itself, or holds none.
    """
    if not os.path.isdir(folder) or os.path.exists(folder / SETTINGS):  # no error for names that cannot be
        return [Path()]
    return sorted(Path(path.parent.name) for path in folder.glob(f"*/{SETTINGS}")) or [Path()]
