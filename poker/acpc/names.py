"""Names of players: they must fit in ACPC logs, where ``:`` and ``|`` separate fields, and in names of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hedgehog.runtime.errors import InputError

_NAME: Final = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,63}")


def verify_player_names(names: Sequence[str]) -> None:
    """Checks that names of players can be used in logs and file names, and that no name is repeated.

    :raises InputError: if a name contains other characters than letters, digits and ``_ . + -``, is longer than 64
        characters, starts with a dot, or differs from another name only in upper and lower case.
    """
    seen: set[str] = set()
    for name in names:
        if not _NAME.fullmatch(name):
            raise InputError(f"expected a player name of up to 64 letters, digits and _ . + -, got {name!r}")
        if name.lower() in seen:
            raise InputError(f"the player name {name!r} is repeated")
        seen.add(name.lower())
