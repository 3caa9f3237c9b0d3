"""Strategies of jam/fold tournaments as arrays and files; the shipped ones have the published figures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from hedgehog.arena.jam_tables import find_jam_tables, holdem_tables, load_jam_tables, shipped_folder, structure_of
from hedgehog.gametheory.tournaments.freeze_out import OPPONENTS, exact_freeze_out
from hedgehog.gametheory.tournaments.jam_fold import Structure, solve_bound, solve_tournament
from hedgehog.gametheory.tournaments.jam_tables import JamTables, read_jam_tables, solve_jam_tables, write_jam_tables
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, HAND_CLASS_SIZES
from hedgehog.runtime.errors import GameError

SHIPPED = shipped_folder() / "jamfold_8000_300_600_50.npz"


@pytest.fixture(scope="module")
def tables() -> JamTables:
    return read_jam_tables(SHIPPED)


def mixed(row: np.ndarray) -> dict[str, float]:
    return {HAND_CLASS_NAMES[i]: round(float(p), 4) for i, p in enumerate(row) if 1e-6 < p < 1 - 1e-6}


def test_the_shipped_tournament(tables: JamTables) -> None:
    stacks = tables.structure.stacks
    assert (tables.structure, len(stacks)) == (Structure(), 159)
    published = {50: 0.0062, 600: 0.0753, 1800: 0.2276, 3600: 0.4520, 4000: 0.500311, 6000: 0.7536}
    for stack, value in published.items():
        found = float(tables.values[stacks.index(stack)])
        assert found == pytest.approx(value, abs=5e-7 if stack == 4000 else 5.1e-5)
    jam, call, over_limp = tables.rows(4000, 4000)
    assert mixed(jam) == {"65o": 0.1332}
    assert mixed(call) == {"T8o": 0.2881}
    assert mixed(over_limp) == {"J4o": 0.2368, "96o": 0.9035}
    weights = HAND_CLASS_SIZES / 1326
    assert weights @ jam == pytest.approx(0.6694, abs=5e-5)
    assert weights @ call == pytest.approx(0.5019, abs=5e-5)
    for hand, low, high in (("J2o", 1800, 3600), ("43s", 3600, 1800)):
        number = HAND_CLASS_NAMES.index(hand)
        assert (tables.rows(low, 8000 - low)[0][number], tables.rows(high, 8000 - high)[0][number]) == (1, 0)
    exact = {opponent: tables.exact_wins(opponent, 4000) for opponent in OPPONENTS}
    assert exact["jamfold"] == pytest.approx((0.500311, 0.499689), abs=5e-7)
    assert exact["allin"] == pytest.approx((0.525470, 0.514282), abs=5e-7)
    assert exact["call"] == pytest.approx((0.533506, 0.535047), abs=5e-7)
    assert tables.exact_wins("random", 4000) is tables.exact_wins("call", 4010) is None


def test_stacks_between_two_of_the_table_take_the_nearest_with_a_decision(tables: JamTables) -> None:
    np.testing.assert_array_equal(tables.rows(3990, 4010)[0], tables.rows(4000, 4000)[0])
    np.testing.assert_array_equal(tables.rows(20, 7980)[0], tables.jam[tables.structure.stacks.index(350)])
    np.testing.assert_array_equal(tables.rows(7400, 600)[1], tables.call[tables.structure.stacks.index(650)])


def test_a_solved_tournament_is_kept_in_the_cache(tmp_path: Path) -> None:
    structure = structure_of(1800, (300, 600))
    assert (structure.step, structure_of(20, (1, 2)).step) == (50, 1)
    coarse = Structure(1800, 300, 600, 300)
    seen: list[str] = []
    first = load_jam_tables(coarse, folder=tmp_path, report=lambda model, *_: seen.append(model))
    assert set(seen) == {"alternating", "bound"}
    seen.clear()
    again = load_jam_tables(coarse, folder=tmp_path, report=lambda model, *_: seen.append(model))
    assert not seen
    for name in ("values", "jam", "call", "over_limp", "exact", "bound_jam", "bound_values"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"damaged")
    np.testing.assert_array_equal(load_jam_tables(coarse, folder=tmp_path).values, first.values)
    with pytest.raises(GameError, match="solved for 500 at most"):
        structure_of(20_001, (50, 100))


def test_tables_stand_for_the_models_that_were_solved(tmp_path: Path) -> None:
    """What is computed from a file of strategies is what is computed from the solved models, to the last bit."""
    coarse, hands = Structure(3000, 300, 600, 300), holdem_tables()
    found = load_jam_tables(coarse, folder=tmp_path)
    assert find_jam_tables(coarse, folder=tmp_path / "none") is None
    tournament, again = solve_tournament(hands, coarse), found.tournament(hands)
    assert {stack: (one.value, one.after) for stack, one in again.stages.items()} == {
        stack: (one.value, one.after) for stack, one in tournament.stages.items()
    }
    for stack, stage in tournament.stages.items():
        for name in ("jam", "reply"):
            np.testing.assert_array_equal(getattr(again.stages[stack], name), getattr(stage, name))
    assert exact_freeze_out(hands, again, "allin", 900) == exact_freeze_out(hands, tournament, "allin", 900)
    bound, known = solve_bound(hands, coarse), found.bound()
    assert known.greatest_loss() == bound.greatest_loss()
    for stack in coarse.stacks:
        np.testing.assert_array_equal(known.small[stack].jam, bound.small[stack].jam)
        np.testing.assert_array_equal(known.big[stack].jam, bound.big[stack].jam)


def test_damaged_files_are_refused(tables: JamTables, tmp_path: Path) -> None:
    file = tmp_path / "jam.npz"
    with pytest.raises(GameError, match="no table of jam/fold strategies"):
        read_jam_tables(file)
    text = io.BytesIO()
    np.savez_compressed(text, structure=np.arange(3))
    for data in (b"", b"PK\x03\x04", SHIPPED.read_bytes()[:-9], text.getvalue()):
        file.write_bytes(data)
        with pytest.raises(GameError, match="no table of jam/fold strategies"):
            read_jam_tables(file)
    for name, wrong in (("jam", tables.jam + 1), ("values", tables.values[:5]), ("exact", tables.exact * np.nan)):
        with file.open("wb") as opened:
            write_jam_tables(opened, JamTables(**{f: getattr(tables, f) for f in tables.__slots__} | {name: wrong}))
        with pytest.raises(GameError, match=f"'{name}' is damaged"):
            read_jam_tables(file)


@pytest.mark.slow
def test_the_shipped_tournament_is_what_is_solved(tables: JamTables) -> None:
    solved = solve_jam_tables(holdem_tables(), Structure())
    for name in ("values", "exact", "bound_values"):
        np.testing.assert_allclose(getattr(solved, name), getattr(tables, name), atol=1e-9)
    for name in ("jam", "call", "over_limp", "bound_jam"):
        np.testing.assert_allclose(getattr(solved, name), getattr(tables, name), atol=1e-6)
