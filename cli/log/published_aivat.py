"""The part of ``hedgehog log aivat`` that reads tables of AIVAT values which others have published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from hedgehog.cli.console import output_console
from hedgehog.cli.log.common import given_game
from hedgehog.cli.log.tables import add_adjusted_row, adjusted_columns
from hedgehog.cli.outputs import write_json
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, load_gamedef, shipped_name
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.analysis.aivat.published import PublishedTable
    from hedgehog.analysis.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class _Score:
    """What the player won against one opponent, or against all."""

    against: str
    hands: int
    mbb_per_hand: Estimate
    adjusted: Estimate


def score_published(files: Sequence[Path], game: str | None, first: int | None, json_file: Path | None) -> None:
    """Prints and writes the winnings in published tables: real and by AIVAT, against each opponent and against all.

    :param files: the tables, one per opponent.
    :param game: the game, which gives the size of the big blind; None: heads-up no-limit with 100 chips.
    :param first: number of hands of each table that count; None: all.
    :param json_file: file for the same numbers as JSON.
    :raises LogError: if a table is malformed.
    :raises InputError: if the tables are of different players.
    """
    from hedgehog.analysis.aivat.published import read_published_table

    gamedef = given_game(game) or load_gamedef(DEFAULT_GAME)
    scale = 1000 / max(1, gamedef.big_blind)
    tables = [read_published_table(path) for path in files]
    players = sorted({table.player for table in tables})
    if len(players) > 1:
        raise InputError(f"expected tables of one player, got {', '.join(players)}")
    scores = [_score([table], table.opponent, first, scale) for table in tables]
    total = _score(tables, "all", first, scale)
    shown = [total] if len(tables) == 1 else [*scores, total]
    title = f"{total.hands:,} hands of {players[0]}, AIVAT as published"
    table = Table(title=title, title_justify="left")
    adjusted_columns(table, "against", "hand")
    for one in shown:
        if one is total:
            table.add_section()
        add_adjusted_row(table, one.against, one.mbb_per_hand, one.adjusted)
    output_console().print(table)
    if json_file is not None:
        write_json(json_file, _document(players[0], shipped_name(gamedef), [*scores, total]))


def _score(tables: Sequence[PublishedTable], against: str, first: int | None, scale: float) -> _Score:
    from hedgehog.analysis.stats.estimate import mean_estimate

    chips = np.concatenate([table.chips[:first] for table in tables]) * scale
    aivat = np.concatenate([table.aivat[:first] for table in tables]) * scale
    return _Score(against, len(chips), mean_estimate(chips), mean_estimate(aivat))


def _document(player: str, game: str | None, scores: Sequence[_Score]) -> dict[str, Any]:
    return json_document("published-aivat", game=game, players=[player], matches=[asdict(score) for score in scores])
