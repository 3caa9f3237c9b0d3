"""Reads tables of AIVAT values that the authors of a player have published, one line for each hand.

The format is that of the DeepStack study (Moravcik et al., Science 356, 2017): comma-separated values, with a first
line ``AIVAT, Chips, All Hands Chips, Chance Correction, Action Correction, Your Hand, Deepstack Hand, ...``. One file
holds the hands of one opponent, and all values are chips that this opponent won.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.log_tables import adjusted_table
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, GameDef, load_gamedef, shipped_name
from hedgehog.poker.acpc.handlog import read_log
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.input_files import open_input
from hedgehog.runtime.table import Table
from hedgehog.runtime.text_files import READ_ERRORS, decompressed, plain_text, split_lines

COLUMNS: Final = ("AIVAT", "Chips", "All Hands Chips", "Chance Correction", "Action Correction")
_NUMBER: Final = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,20})?(e-[0-9]{1,2})?")
_TOLERANCE: Final = 1e-3
"""Largest difference in chips between a published AIVAT value and the sum of its published parts."""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The hands of one opponent of the player that was measured."""

    player: str
    """Name of the player that was measured."""
    opponent: str
    """Name of the opponent: the name of the file."""
    chips: NDArray[np.float64]
    """(hands,) chips that the player won."""
    aivat: NDArray[np.float64]
    """(hands,) the published AIVAT values of the player, in chips."""


def is_published_table(path: Path) -> bool:
    """Tells whether a file is a table of published AIVAT values. A file that cannot be read is none."""
    try:
        with open_input(path) as raw, decompressed(raw) as file:
            return _header(split_lines(plain_text(file.read(1000)))[0]) is not None
    except (*READ_ERRORS, IndexError):
        return False


def read_published_table(path: Path) -> PublishedTable:
    """Returns a table of published AIVAT values.

    :raises LogError: if the file cannot be read, or a line is malformed, or its AIVAT value is not the sum of
        its parts.
    """
    lines = read_log(path)
    player = _header(lines[0]) if lines else None
    if player is None:
        raise LogError(f"expected the columns {', '.join(COLUMNS)}", source=str(path), line=1)
    rows = []
    for number, line in enumerate(lines[1:], 2):
        try:
            rows.append(_values(line))
        except LogError as error:
            raise LogError(error.message, source=str(path), line=number) from error
    if not rows:
        raise LogError("expected at least one hand", source=str(path))
    table = -np.array(rows)
    opponent = re.sub(r"^results\.|\.csv(\.gz)?$", "", path.name)
    return PublishedTable(player, opponent, table[:, 1], table[:, 0])


def _header(line: str) -> str | None:
    """Returns the name of the player that was measured, from the first line of a table; None for any other line."""
    fields = [field.strip() for field in line.split(",")]
    if tuple(fields[: len(COLUMNS)]) != COLUMNS:
        return None
    hands = [field.removesuffix(" Hand") for field in fields[len(COLUMNS) :] if field.endswith(" Hand")]
    return next((name for name in hands if name and name != "Your"), None)


def _values(line: str) -> Sequence[float]:
    try:
        fields = next(csv.reader([line], skipinitialspace=True), [])
    except csv.Error as error:
        raise LogError(f"expected comma-separated values ({error})") from error
    texts = [field.strip() for field in fields[: len(COLUMNS)]]
    if len(texts) < len(COLUMNS) or not all(map(_NUMBER.fullmatch, texts)):
        raise LogError(f"expected five numbers at the start of the line, got {line[:80]!r}")
    aivat, chips, all_hands, chance, action = map(float, texts)
    if not math.isclose(all_hands - chance - action, aivat, rel_tol=0, abs_tol=_TOLERANCE):
        raise LogError(f"the AIVAT value {aivat} is not the all-hands value less both corrections")
    return aivat, chips


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """What the player that was measured won against one opponent, or against all."""

    against: str
    """Name of the opponent, or ``all``."""
    hands: int
    mbb_per_hand: Estimate
    adjusted: Estimate
    """Winnings by AIVAT in mbb per hand."""


@dataclass(frozen=True, slots=True)
class PublishedScores:
    """The winnings in published tables: real and by AIVAT."""

    player: str
    game: str | None
    """Name of the game; None if it is not shipped."""
    scores: tuple[PublishedScore, ...]
    """One per opponent, and last the one against all."""

    def table(self) -> Table:
        """Returns the winnings against each opponent, and against all if there are several."""
        shown = self.scores[-1:] if len(self.scores) == 2 else self.scores
        return adjusted_table(
            f"{self.scores[-1].hands:,} hands of {self.player}, AIVAT as published",
            "against",
            "hand",
            [(one.against, one.mbb_per_hand, one.adjusted) for one in shown],
            sections=[len(shown) - 1],
        )

    def document(self) -> dict[str, Any]:
        """Returns the winnings as a JSON document."""
        return json_document(
            "published-aivat",
            game=self.game,
            players=[self.player],
            matches=[asdict(score) for score in self.scores],
        )


def are_published_tables(paths: Sequence[Path]) -> bool:
    """Tells whether files are tables of published AIVAT values.

    :raises InputError: if only some are.
    """
    published = [is_published_table(path) for path in paths]
    if any(published) and not all(published):
        other = paths[published.index(False)]
        raise InputError("is no table of AIVAT values like the others: score it alone", source=str(other))
    return all(published)


def score_published(
    paths: Sequence[str | Path], gamedef: GameDef | None = None, first: int | None = None
) -> PublishedScores:
    """Returns the winnings in published tables, against each opponent and against all.

    :param paths: the tables, one per opponent.
    :param gamedef: the game, which gives the size of the big blind; None: heads-up no-limit with 100 chips.
    :param first: number of hands of each table that count; None: all.
    :raises LogError: if a table is malformed.
    :raises InputError: if the tables are of different players.
    """
    gamedef = gamedef or load_gamedef(DEFAULT_GAME)
    scale = 1000 / max(1, gamedef.big_blind)
    tables = [read_published_table(Path(path)) for path in paths]
    players = sorted({table.player for table in tables})
    if len(players) > 1:
        raise InputError(f"expected tables of one player, got {', '.join(players)}")

    def score(tables: Sequence[PublishedTable], against: str) -> PublishedScore:
        chips = np.concatenate([table.chips[:first] for table in tables]) * scale
        aivat = np.concatenate([table.aivat[:first] for table in tables]) * scale
        return PublishedScore(against, len(chips), mean_estimate(chips), mean_estimate(aivat))

    scores = [score([table], table.opponent) for table in tables]
    return PublishedScores(players[0], shipped_name(gamedef), (*scores, score(tables, "all")))
