"""Parsers of small games: trees, matrices and parameters."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from hedgehog.analysis.games.chart_files import read_chart
from hedgehog.analysis.games.sources import find_game, parse_parameters
from hedgehog.gametheory.examples import EXAMPLES
from hedgehog.gametheory.files import format_matrix, game_document, parse_game, parse_matrix
from hedgehog.gametheory.normal_games import matrix_game, normal_form
from hedgehog.gametheory.profiles import parse_mixtures, parse_profile, rate_mixtures, rate_profile
from hedgehog.gametheory.tournaments.jam_fold import Structure
from hedgehog.gametheory.tournaments.jam_tables import JamTables, read_jam_tables, write_jam_tables
from hedgehog.runtime.errors import GameError, InputError
from tests.verification.parsers.entry import DATA, Parser, in_file

TREES = tuple(json.dumps(game_document(EXAMPLES[name].build())) for name in ("matching-pennies", "jqk", "backward"))
_JQK = EXAMPLES["jqk"].build()
_PENNIES = matrix_game([[1, -1], [-1, 1]], ("h", "t"), ("h", "t"))
MIXTURES = json.dumps({"strategies": [{"player": name, "actions": {"h": 0.5, "t": 0.5}} for name in ("p1", "p2")]})
MATRIX = format_matrix(normal_form(EXAMPLES["jqk"].build()))


def jam_tables_text() -> str:
    """Returns the bytes of a small table of jam/fold strategies as text."""
    structure = Structure(1200, 300, 600, 300)
    rows, values = np.full((3, 2), 0.5), np.full((2, 3), 0.5)
    tables = JamTables(structure, values[0], rows, rows, rows, np.full((3, 2, 3), 0.5), rows, values)
    file = io.BytesIO()
    write_jam_tables(file, tables)
    return file.getvalue().decode("utf-8", "surrogateescape")


JAM_TABLES = jam_tables_text()
CHART = (
    'name: x\nunit: blinds\nstack: own\njam:\n  - {until: 2, hands: random}\n  - {hands: "22+,A2s+:0.5"}\ncall: none\n'
)


def check_tree(_: str, game: Any) -> None:
    """A game that is read is written and read again as the same game."""
    document = game_document(game)
    assert game_document(parse_game(json.dumps(document))) == document


def check_matrix(_: str, form: Any) -> None:
    """A matrix that is read is written and read again as the same matrix."""
    again = parse_matrix(format_matrix(form))
    assert again.actions == form.actions
    assert (again.matrix == form.matrix).all()


PARSERS = (
    Parser("hedgehog.gametheory.files.parse_game", parse_game, TREES, (GameError,), check_tree),
    Parser(
        "hedgehog.gametheory.profiles.parse_profile",
        lambda text: rate_profile(_JQK, parse_profile(text, _JQK)),
        ((DATA / "games" / "jqk.json").read_text(),),
        (GameError,),
    ),
    Parser(
        "hedgehog.gametheory.profiles.parse_mixtures",
        lambda text: rate_mixtures(_PENNIES, parse_mixtures(text, _PENNIES), "pennies"),
        (MIXTURES,),
        (GameError,),
    ),
    Parser("hedgehog.gametheory.files.parse_matrix", parse_matrix, (MATRIX, ",a\nx,1/2\n"), (GameError,), check_matrix),
    Parser(
        "hedgehog.analysis.games.sources.parse_parameters",
        lambda text: parse_parameters({"n": 3, "x": 0.5, "flag": False, "heaps": (1, 2)}, [text]),
        ("n=4", "x=1.5", "flag=yes", "heaps=3,4,5"),
        (GameError,),
    ),
    Parser(
        "hedgehog.gametheory.tournaments.jam_tables.read_jam_tables",
        in_file(read_jam_tables),
        (JAM_TABLES,),
        (GameError,),
        lambda _, tables: tables.rows(600, 600),
    ),
    Parser(
        "hedgehog.analysis.games.chart_files.read_chart",
        in_file(read_chart),
        (CHART,),
        (GameError,),
        lambda _, rows: rows.chart(Structure(1800)),
    ),
    Parser(
        "hedgehog.analysis.games.sources.find_game",
        lambda text: find_game(text, ()),
        ("matching-pennies", "no"),
        (InputError,),
    ),
)
KEPT: tuple[tuple[str, str], ...] = (
    ("hedgehog.gametheory.files.parse_game", "[" * 100_000),
    ("hedgehog.gametheory.files.parse_game", TREES[0].replace('"payoffs": [1,', '"payoffs": [1e400,', 1)),
    ("hedgehog.gametheory.files.parse_game", TREES[0].replace('"payoffs": [1,', '"payoffs": ["1/0",', 1)),
    ("hedgehog.gametheory.files.parse_matrix", ",a\nx,1e999\n"),
)
