"""The example spots: printed by ``solve --example``, part of a wheel, and right in what they say."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from hedgehog.solver.examples import PACKAGED, example_spots
from hedgehog.solver.postflop.spot import parse_spot, read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.betting_tree import NodeKind
from tests.cli.command import Run

ROOT = Path(__file__).parents[3]


def test_the_examples_are_the_files_of_the_docs() -> None:
    assert {file.parent for file in example_spots().values()} == {ROOT / "docs" / "examples" / "spots"}
    of_thesis = {"thesis-blocker", "thesis-convergence", "thesis-flop"}
    assert set(example_spots()) == {"flop", "locks", "river", "short-flop", "turn"} | of_thesis


def test_a_wheel_has_the_examples() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"docs/examples/spots": f"hedgehog/{PACKAGED}"}


@pytest.mark.parametrize("name", example_spots())
def test_an_example_is_printed_as_it_is(name: str, run: Run) -> None:
    code, out, err = run("solve", "--example", name)
    assert code == 0, err
    assert out == example_spots()[name].read_text()
    parse_spot(out)


def test_the_help_names_the_examples(run: Run) -> None:
    assert "flop, locks, river, short-flop, thesis-blocker, thesis-convergence, thesis-flop, turn" in " ".join(
        run("solve", "--help")[1].split()
    )


def test_an_unknown_example_is_one_line(run: Run) -> None:
    assert run("solve", "--example", "rivr") == (2, "", "error: there is no example 'rivr', did you mean 'river'?\n")


def test_the_games_of_the_thesis_have_its_sizes() -> None:
    """Player nodes of one flop, turn and river sequence, and of the game for its algorithms."""
    spots = {name: read_spot(example_spots()[name]) for name in ("thesis-flop", "thesis-convergence", "thesis-blocker")}
    decisions = {}
    for name, spot in spots.items():
        tree = build_postflop_tree(spot.tree)
        decisions[name] = np.bincount(tree.street[tree.kind == NodeKind.DECISION], minlength=4).tolist()
    assert decisions["thesis-flop"] == [0, 20, 132, 564]
    assert decisions["thesis-convergence"] == [0, 12, 36, 76]
    for name in ("thesis-convergence", "thesis-blocker"):
        assert [int((weights > 0).sum()) for weights in spots[name].ranges] == [276, 276]


def test_the_blocker_of_the_thesis_calls_more(run: Run, tmp_path: Path) -> None:
    """Prototype of the specification: AcAs folds 11.9 %, AcAd 61.1 %. A rare line, whose figures come early."""
    csv = tmp_path / "blocker.csv"
    spot = example_spots()["thesis-blocker"]
    assert run("solve", spot, "--target-pct", 0.3, "--csv", csv, "--lines", "X B300 C 5s A4400")[0] == 0
    rows = [line.split(",") for line in csv.read_text().splitlines()]
    combo, fold = rows[0].index("hand"), rows[0].index("F")
    folds = {row[combo]: float(row[fold]) for row in rows[1:] if row[combo] in ("AsAc", "AdAc")}
    assert folds["AdAc"] - folds["AsAc"] > 0.3


def test_the_locks_example_does_what_it_says(run: Run, tmp_path: Path) -> None:
    """Against a player who never bluffs nearly everything folds; in the same spot without locks less than half does."""
    spots = {name: read_spot(example_spots()[name]) for name in ("river", "locks")}
    assert spots["river"].tree == spots["locks"].tree
    folded = {}
    for name, spot in example_spots().items():
        if name in spots:
            csv = tmp_path / f"{name}.csv"
            assert run("solve", spot, "--csv", csv, "--lines", "X B500")[0] == 0
            rows = [line.split(",") for line in csv.read_text().splitlines()]
            fold, weight = rows[0].index("F"), rows[0].index("weight")
            total = sum(float(row[weight]) for row in rows[1:])
            folded[name] = sum(float(row[weight]) * float(row[fold]) for row in rows[1:]) / total
    assert 0.40 < folded["river"] < 0.48
    assert folded["locks"] > 0.99
