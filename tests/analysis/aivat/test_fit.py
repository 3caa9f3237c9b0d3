"""The fit of AIVAT's value function: known values are found again, and least squares by numpy agrees."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.aivat.fit import GROUP_RIDGE, ROW_RIDGE, ValueFit, main, states_of
from hedgehog.analysis.aivat.values import EQUITY_FEATURE, NUM_FEATURES, NUM_ROWS, Kind, ValueTable, group_of, row_of
from hedgehog.poker.acpc.handlog import LoggedHand, parse_log_line
from hedgehog.poker.evaluation.allin import expected_values
from hedgehog.runtime.errors import InputError
from tests.golden import HUNL, game, read_golden_log

GROUPS = np.array([group_of(row) for row in range(NUM_ROWS)])
NO_DATA = np.zeros(NUM_FEATURES)
NO_DATA[[0, EQUITY_FEATURE]] = -1, 2
"""Values where nothing is known: 2 e - 1."""


@pytest.fixture(scope="module")
def hands() -> list[LoggedHand]:
    lines = [line for line in read_golden_log("log_hunl2p_s0") if line.startswith("STATE:")]
    # The expectation of an all-in before the flop takes a second of the pure reference in pure Python.
    return [parse_log_line(line, game(HUNL)) for line in lines[:150] if "///:" not in line]


def test_known_values_are_found_again() -> None:
    """Rows with many noisy observations of coefficients of their own."""
    rng = np.random.default_rng(1)
    rows = np.flatnonzero(GROUPS[40] == GROUPS)[:2]
    truth = rng.normal(size=(2, NUM_FEATURES))
    fit = ValueFit()
    for row, wanted in zip(rows, truth, strict=True):
        features = rng.normal(size=(20_000, NUM_FEATURES))
        for seen, value in zip(features, features @ wanted + rng.normal(size=len(features)), strict=True):
            fit.observe(int(row), seen, value)
    # The standard error is 1 / sqrt(20,000) = 0.007; the ridge draws by 30 / 20,000 of the difference of the rows.
    assert fit.solve()[rows] == pytest.approx(truth, abs=0.04)


def test_few_observations_count_little() -> None:
    """A row with as many observations as the ridge counts for lies half-way between its own data and its group's."""
    rng = np.random.default_rng(2)
    many, few, none = (int(row) for row in np.flatnonzero(GROUPS[40] == GROUPS)[:3])
    fit = ValueFit()
    unit = np.eye(NUM_FEATURES)[3]
    for _ in range(10_000):
        fit.observe(many, unit, 1.0)
    for _ in range(int(ROW_RIDGE)):
        fit.observe(few, unit, 3.0)
    found = fit.solve()
    shared = (10_000 + 3 * ROW_RIDGE) / (10_000 + ROW_RIDGE + GROUP_RIDGE)
    assert found[few, 3] == pytest.approx((shared + 3) / 2)
    assert found[none, 3] == pytest.approx(shared)
    other_group = int(rng.choice(np.flatnonzero(GROUPS[40] != GROUPS)))
    assert found[other_group].tolist() == NO_DATA.tolist()
    assert found[many, [0, EQUITY_FEATURE]].tolist() == [-1, 2]  # features that no state of the group had


def test_real_hands_as_least_squares_by_numpy(hands: list[LoggedHand]) -> None:
    """Ridge regression is least squares with one more observation per feature; every hand, every row."""
    fit = ValueFit()
    seen: dict[int, list[np.ndarray]] = {row: [] for row in range(NUM_ROWS)}
    values: dict[int, list[float]] = {row: [] for row in range(NUM_ROWS)}
    for hand in hands:
        fit.add(hand)
        won = expected_values(hand)
        for spot, features in states_of(hand):
            seen[spot.row].append(features)
            values[spot.row].append(won[spot.actor] / spot.scale)
    assert fit.hands == len(hands)

    def least_squares(rows: list[int], prior: np.ndarray, weight: float, used: np.ndarray) -> np.ndarray:
        extra = np.sqrt(weight) * np.eye(NUM_FEATURES)
        matrix = np.array([*(features for row in rows for features in seen[row]), *extra])
        targets = np.array([*(value for row in rows for value in values[row]), *(extra @ prior)])
        found = prior.copy()
        found[used] = np.linalg.lstsq(matrix[:, used], targets, rcond=None)[0]
        return found

    fitted = fit.solve()
    data = 0
    for group in range(GROUPS.max() + 1):
        rows = np.flatnonzero(group == GROUPS).tolist()
        observed = np.array([features for row in rows for features in seen[row]]).reshape(-1, NUM_FEATURES)
        used = observed.any(axis=0)
        shared = least_squares(rows, NO_DATA, GROUP_RIDGE, used)
        for row in rows:
            data += bool(seen[row])
            assert fitted[row] == pytest.approx(least_squares([row], shared, ROW_RIDGE, used), rel=1e-6, abs=1e-8)
    assert data > 30  # rows with observations


def test_states_of_a_hand() -> None:
    """Before and after every action, and after every deal, with the flop's linear state before its first action."""
    line = "STATE:0:r300c/cr600f:2c3d|AsKs/4c5c6c:-300|300:A|B"
    found = list(states_of(parse_log_line(line, game(HUNL))))
    stack = 20_000
    assert [(spot.row, spot.actor) for spot, _ in found] == [
        (row_of(0, Kind.FACING, 100, 50, stack), 1),
        (row_of(0, Kind.FACING, 300, 100, stack), 0),
        (row_of(0, Kind.CLOSED, 300, 300, stack), 0),
        (row_of(1, Kind.DEALT, 300, 300, stack), 0),
        (row_of(1, Kind.FIRST, 300, 300, stack), 0),
        (row_of(1, Kind.SECOND, 300, 300, stack), 1),
        (row_of(1, Kind.FACING, 600, 300, stack), 0),
    ]
    dealt = found[3][1]
    assert np.flatnonzero(dealt).tolist() == [0, EQUITY_FEATURE]
    assert dealt[EQUITY_FEATURE] == pytest.approx(found[4][1][EQUITY_FEATURE])
    # The equity of one player is what the other one's leaves.
    assert found[4][1][EQUITY_FEATURE] + found[5][1][EQUITY_FEATURE] == pytest.approx(1)


def test_the_file_is_what_aivat_reads(tmp_path: Path, hands: list[LoggedHand]) -> None:
    lines = [line for line in read_golden_log("log_hunl2p_s0") if line.startswith("STATE:") and "///:" not in line][:20]
    log, out = tmp_path / "self-play.log", tmp_path / "values.json"
    log.write_text("\n".join(["# name/game/hands/seed x holdem.nolimit.2p.reverse_blinds.game 20 0", *lines]) + "\n")
    main([str(out), str(log)])
    fit = ValueFit()
    for hand in hands[:20]:
        fit.add(hand)
    written = json.loads(out.read_text())
    assert "20 hands" in written["about"]
    table = ValueTable(np.array(written["coefficients"]))
    assert table.coefficients == pytest.approx(fit.solve(), rel=1e-3, abs=1e-12)


def test_logs_of_other_games_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "leduc.log"
    log.write_text("\n".join(read_golden_log("log_leduc2p_s1471220049")) + "\n")
    with pytest.raises(InputError):
        main([str(tmp_path / "values.json"), str(log)])
    assert not (tmp_path / "values.json").exists()
