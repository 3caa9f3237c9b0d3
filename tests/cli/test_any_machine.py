"""Every reader of text takes LF, CRLF and CR, byte order marks and UTF-16 alike, and gives the same result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

from hedgehog.analysis.aivat.published import is_published_table, read_published_table
from hedgehog.analysis.games.sources import find_game
from hedgehog.analysis.histories.hand_files import open_hand_file, verify_hand_file
from hedgehog.analysis.histories.sources import find_sources
from hedgehog.analysis.judging.settings import read_divat_settings
from hedgehog.analysis.study.menu_files import read_menu
from hedgehog.analysis.study.reading import HandReader
from hedgehog.cli.solves.lines import expand_lines
from hedgehog.poker.acpc.gamedef import read_gamedef, shipped_gamedefs
from hedgehog.solver.blueprint.config import read_blueprint_pack_config
from hedgehog.solver.postflop.responses.opponent_model import read_model
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.strategies.flop_subsets import read_flop_subset
from tests.golden import read_golden_log
from tests.machines import MACHINES, written_on
from tests.poker.lbr_fixtures import lbr_log

ROOT: Final = Path(__file__).parents[2]
EXAMPLES: Final = ROOT / "docs" / "examples"
DATA: Final = ROOT / "tests" / "data"
LOG: Final = read_golden_log("log_hunl2p_s1471220049")[:12]
PHH: Final = """# a comment
[1]
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ['d dh p1 AhKd', 'd dh p2 QcQd', 'p2 cbr 300', 'p1 f']
players = ['Björn', 'Ada']
"""


class Case(NamedTuple):
    """A file and what reads it."""

    name: str
    text: str
    read: Callable[[Path], Any]


def hands_of(path: Path) -> Any:
    file = open_hand_file(path)
    return file.format, [(*entry.hand.values, entry.hand.names) for entry in file.hands()], verify_hand_file(file)


def study_of(path: Path) -> Any:
    reader = HandReader()
    batches = [batch for source in find_sources([path]) for batch in reader.read(source)]
    return (
        reader.players.texts,
        reader.tally.bad,
        reader.tally.left_out.count,
        [{name: column.tolist() for name, column in batch.hands.items()} for batch in batches],
    )


def spot_of(path: Path) -> Any:
    with np.printoptions(threshold=sys.maxsize):
        spot = read_spot(path)
        return [repr(getattr(spot, field.name)) for field in fields(spot)]


def subset_of(path: Path) -> Any:
    subset = read_flop_subset(path, "name")
    return [np.asarray(getattr(subset, name)).tolist() for name in subset.__slots__]


def table_of(path: Path) -> Any:
    assert is_published_table(path)
    table = read_published_table(path)
    return table.player, table.chips.tolist(), table.aivat.tolist()


def pages(*names: str) -> str:
    return EXAMPLES.joinpath(*names).read_text()


RIVER: Final = read_spot(EXAMPLES / "spots" / "river.yaml")
HISTORIES: Final = (
    ("acpc.log", "\n".join(LOG) + "\n"),
    ("lbr.out", "\n".join(lbr_log(LOG, {"P1_ex": "BR", "P2_mix": "Player"})) + "\n"),
    ("hands.phhs", PHH),
    ("stars.txt", (DATA / "pokerstars" / "heads-up.txt").read_text()),
)
CASES: Final = (
    *(Case(name, text, hands_of) for name, text in HISTORIES),
    *(Case(f"study-{name}", text, study_of) for name, text in HISTORIES),
    Case("a.game", shipped_gamedefs()["leduc.limit.2p"].read_text(), read_gamedef),
    Case("spot.yaml", pages("spots", "locks.yaml"), spot_of),
    Case("model.yaml", pages("river-model.yaml"), lambda path: read_model(path, RIVER, 1)),
    Case("judging.yaml", pages("judging.yaml"), read_divat_settings),
    Case("blueprint.yaml", pages("studied-blueprint.yaml"), read_blueprint_pack_config),
    Case("menu.yaml", "menu:\n  preflop: 3x\n  river: 50%\n", read_menu),
    Case("flops.txt", "Qs Js 2h 31.5\nAs Ad 2c 1  # a comment\n", subset_of),
    Case("lines.txt", "X B200\nX  # a comment\n", lambda path: expand_lines([f"@{path}"])),
    Case("matrix.csv", "1,-1\n-1,1\n", lambda path: find_game(str(path), ()).payoffs[0].tolist()),  # type: ignore[union-attr]
    Case("aivat.csv", (DATA / "aivat" / "results.phan.mike.csv").read_text(), table_of),
)


@pytest.mark.parametrize("machine", MACHINES[1:])
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_every_reader_takes_the_files_of_every_machine(case: Case, machine: str, tmp_path: Path) -> None:
    path = tmp_path / case.name.removeprefix("study-")
    path.write_bytes(written_on("LF", case.text))
    expected = case.read(path)
    path.write_bytes(written_on(machine, case.text))
    assert case.read(path) == expected
