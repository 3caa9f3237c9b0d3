"""A hand abstraction of another package: in solves, in the laboratory, in spot files and player specifications."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.specs import parse_player_spec
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.abstraction.identity import group_hands
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.spot import ABSTRACTIONS, IDENTITIES, parse_spot
from tests.cli.command import Run
from tests.extend.packages import EXAMPLES, SPOT, Install, run_example

GROUP = "hedgehog.abstractions"
SOURCE = (EXAMPLES / "hand_abstraction.py").read_text()


@pytest.fixture
def spot() -> PreparedSpot:
    return prepare(parse_spot(SPOT), merge_cards=False)


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT + "abstraction: tenths\n")
    return path


@pytest.fixture
def tenths(install: Install) -> None:
    install("tenth-groups", {GROUP: {"tenths": "tenth_groups:tenths"}}, {"tenth_groups": SOURCE})


def test_ours_are_in_the_registry() -> None:
    assert dict(ABSTRACTIONS) == IDENTITIES


@pytest.mark.usefixtures("tenths")
def test_groups_hold_hands_of_like_strength(spot: PreparedSpot) -> None:
    values = SpotValues(spot)
    groups = values.group("tenths")
    for player in (0, 1):
        (street,) = groups.players[player]
        numbers, strength = street.number_of[0], values.values[player].strength[0]
        assert street.count[0] == numbers.max() + 1 <= 10
        assert ((numbers < 0) == (strength < 0)).all()
        spans = [(strength[numbers == one].min(), strength[numbers == one].max()) for one in range(street.count[0])]
        spans.sort()
        assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
    solver = GroupSolver(spot, groups, threads=1)
    solver.run(200)
    found = solver.exploitability()
    assert found.reached_pct_pot < 0.5 <= found.pct_pot  # ten groups lose something


@pytest.mark.usefixtures("tenths")
def test_commands_take_it(run: Run, spot_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "saved"
    code, shown, err = run("solve", spot_file, "--iterations", "20", "--save-strategy", out)
    assert code == 0, err
    code, shown, err = run("lab", "abstractions", "--help")
    assert "tenths: Ten groups of equally many hands by their mean strength on the boards to come. (tenth-g" in shown
    folder = tmp_path / "lab"
    options = ("--measures", "rank", "--tests", "river", "--iterations", "5", "--out", folder)
    code, _, err = run("lab", "abstractions", spot_file, *options)
    assert code == 0, err
    rows = json.loads((folder / "row-tenths.json").read_text())
    assert rows
    assert parse_player_spec("default?abstraction=tenths").abstraction == "tenths"


def test_without_the_package_its_name_is_one_error(run: Run, spot_file: Path) -> None:
    with pytest.raises(SpotError, match="unknown abstraction 'tenths': expected one of rank-river, "):
        parse_spot(spot_file.read_text())
    code, _, err = run("solve", spot_file)
    assert (code, "unknown abstraction 'tenths'" in err, "Traceback" in err) == (2, True, False)
    with pytest.raises(InputError, match="unknown abstraction 'tenths'"):
        parse_player_spec("default?abstraction=tenths")


def test_abstractions_that_fail_are_one_error(spot: PreparedSpot) -> None:
    hands = len(spot.combos[0])
    cases = {
        lambda values, boards: np.zeros(hands): f"expected {hands} integers, one for each hand, got float64",
        lambda values, boards: np.zeros(3, int): rf"expected {hands} integers, one for each hand, got int64\(3,\)",
        lambda values, boards: 1 // 0: "failed: ZeroDivisionError",
    }
    for part, message in cases.items():
        ABSTRACTIONS.register("mine", part)
        with pytest.raises(SpotError, match=f"abstraction 'mine' of this process:? {message}"):
            SpotValues(spot).group("mine")
    ABSTRACTIONS.unregister("mine")
    with pytest.raises(SpotError, match="abstraction 'mine' of this process: expected a function of hand values"):
        ABSTRACTIONS.register("mine", 3)  # type: ignore[arg-type]
    with pytest.raises(SpotError, match="'kmeans' of this process has a name that means something else"):
        ABSTRACTIONS.register("kmeans", lambda values, boards: None)


def test_labels_of_an_own_abstraction_make_the_same_groups(spot: PreparedSpot) -> None:
    """Labels of hands, in any order, are numbered as the groups of our own abstractions are."""
    ABSTRACTIONS.register(
        "mine", lambda values, boards: 1000 - 7 * group_hands(values, boards, "strength", "river").number_of
    )
    try:
        values = SpotValues(spot)
        assert values.group("mine").equals(values.group("strength-river"))
    finally:
        ABSTRACTIONS.unregister("mine")


@pytest.mark.slow
@pytest.mark.process
def test_the_example_runs_in_any_folder(tmp_path: Path) -> None:
    lines = run_example("hand_abstraction", tmp_path / "anywhere")
    assert [line.split()[0] for line in lines] == ["abstraction", "every", "rank-river", "tenths"]
