"""The strategies of jam/fold tournaments in hold'em: from the shipped file, from the cache, or solved.

The file of the tournament with 8,000 chips and blinds of 300/600 is shipped. ``python -m hedgehog.arena.jam_tables``
solves it again in a minute or two and writes it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from importlib import resources
from math import gcd
from pathlib import Path
from typing import Final

from hedgehog.gametheory.tournaments.jam_fold import Structure
from hedgehog.gametheory.tournaments.jam_stages import HandTables, hand_tables
from hedgehog.gametheory.tournaments.jam_tables import JamTables, read_jam_tables, solve_jam_tables, write_jam_tables
from hedgehog.runtime.errors import GameError, ResourceError
from hedgehog.runtime.files import replacing

STEP: Final = 50
"""Stacks are multiples of 50 chips if all amounts are, as in the tournament with 8,000 chips."""
MOST_STACKS: Final = 500
Report = Callable[[str, int, int, int], None]


def holdem_tables() -> HandTables:
    """Returns how often every class of hole cards wins against every other one."""
    from hedgehog.poker.evaluation.equity import class_outcomes
    from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS
    from hedgehog.poker.hand_classes import HAND_CLASS_NAMES

    counts = class_outcomes()
    return hand_tables(HAND_CLASS_NAMES, counts.wins, counts.pairs, MATCHUP_BOARDS)


def structure_of(total: int, blinds: tuple[int, int]) -> Structure:
    """Returns the structure of a tournament, whose stacks are multiples of 50 or of what all amounts are multiples of.

    :param total: chips of both players.
    :param blinds: small and big blind.
    :raises GameError: if the amounts are impossible, or there are more than 500 stacks.
    """
    step = gcd(total, *blinds)
    structure = Structure(total, *blinds, step=STEP if step and step % STEP == 0 else step)
    if len(structure.stacks) > MOST_STACKS:
        raise GameError(
            f"{total} chips with blinds of {blinds[0]}/{blinds[1]} have {len(structure.stacks)} stacks:"
            f" jam or fold is solved for {MOST_STACKS} at most"
        )
    return structure


def find_jam_tables(structure: Structure, *, folder: Path | None = None) -> JamTables | None:
    """Returns the strategies of a tournament, shipped or from the cache; None if they are in neither.

    :param folder: folder of the cache; None for ``cache_home()/jamfold``.
    """
    for path in (shipped_folder() / _name(structure), (folder or _cache_folder()) / _name(structure)):
        with contextlib.suppress(GameError):
            found = read_jam_tables(path)
            if found.structure == structure:
                return found
    return None


def load_jam_tables(structure: Structure, *, folder: Path | None = None, report: Report | None = None) -> JamTables:
    """Returns the strategies of a tournament: shipped, else from the cache, else solved and kept in the cache.

    :param folder: folder of the cache; None for ``cache_home()/jamfold``.
    :param report: called as :func:`hedgehog.gametheory.tournaments.jam_tables.solve_jam_tables` does.
    :raises GameError: if the tournament cannot be solved.
    """
    found = find_jam_tables(structure, folder=folder)
    if found is not None:
        return found
    tables = solve_jam_tables(holdem_tables(), structure, report=report)
    cached = (folder or _cache_folder()) / _name(structure)
    with contextlib.suppress(ResourceError), replacing(cached, make_folder=True) as file:
        write_jam_tables(file, tables)
    return tables


def _name(structure: Structure) -> str:
    return f"jamfold_{structure.total}_{structure.small}_{structure.big}_{structure.step}.npz"


def _cache_folder() -> Path:
    from hedgehog.runtime.jit import cache_home

    return cache_home() / "jamfold"


def shipped_folder() -> Path:
    """Returns the folder of the shipped strategies."""
    return Path(str(resources.files("hedgehog.gametheory"))) / "tables"


if __name__ == "__main__":
    with replacing(shipped_folder() / "jamfold_8000_300_600_50.npz", make_folder=True) as shipped:
        write_jam_tables(shipped, solve_jam_tables(holdem_tables(), Structure()))
