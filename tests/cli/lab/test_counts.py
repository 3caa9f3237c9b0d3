"""``hedgehog lab counts``: the sizes that a thesis prints, flops of one's own, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.cli.command import Run
from tests.cli.lab.river_spot import SPOT

THESIS = Path(__file__).parents[3] / "docs" / "examples" / "spots" / "thesis-flop.yaml"
SMALL_FLOP = """\
spot: small flop
board: Qh Jh 2c
pot: 2
stack: 2
range: {oop: "AA,KK", ip: "AK,TT"}
sizes:
  flop: {oop: "a", ip: "a"}
  turn: {oop: "a", ip: "a"}
  river: {oop: "a", ip: "a"}
"""


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "lab", "counts")


@pytest.fixture
def flop_file(tmp_path: Path) -> Path:
    path = tmp_path / "flop.yaml"
    path.write_text(SMALL_FLOP)
    return path


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text())))


def numbers(folder: Path, name: str, dealt: str, street: str) -> list[int]:
    """Returns the rounded numbers of a row."""
    (row,) = (row for row in table(folder, name) if (row["dealt"], row["street"]) == (dealt, street))
    return [round(float(text)) for text in list(row.values())[2:]]


def test_the_tree_that_a_thesis_prints(run: Run, tmp_path: Path) -> None:
    """Voelkel's tables 2 and 3: one flop, and the means over seven flops in his board classes."""
    one, means = tmp_path / "one", tmp_path / "means"
    assert run(THESIS, "--tree", "--out", one)[0] == 0
    assert numbers(one, "nodes", "all", "flop") == [1, 57, 20, 28, 9]
    assert numbers(one, "nodes", "all", "turn")[:2] == [49, 18_081]
    assert numbers(one, "nodes", "all", "river")[:2] == [2352, 3_577_392]
    assert numbers(one, "nodes", "all", "total")[1:] == [3_595_530, 1_333_016, 2_259_712, 2_802]
    assert numbers(one, "infosets", "all", "total") == [1_567_626_816, 4_070_164_224]
    assert [numbers(one, "nodes", "exact", street)[0] for street in ("turn", "river")] == [36, 1429]

    code, shown, _ = run(THESIS, "--tree", "--flops", "r7", "--classes", "relaxed", "--out", means)
    assert code == 0
    assert "means over 7 flops" in shown
    assert "Numbers of groups" not in shown
    assert numbers(means, "nodes", "relaxed", "total")[1:] == [1_544_871, 572_650, 969_843, 2_379]
    assert numbers(means, "infosets", "relaxed", "total") == [673_436_064, 1_748_921_664]
    assert [int(row["rivers"]) for row in table(means, "flops")] == [1033] * 3 + [985] * 4


def test_sizes_of_a_small_flop_counted_by_hand(run: Run, flop_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(flop_file, "--tree", "--out", out)[0] == 0
    # A street: X or all-in; after X the same; after an all-in fold or call. 4 decisions, 4 leaves, and check-check.
    assert numbers(out, "nodes", "all", "flop") == [1, 9, 4, 4, 1]
    assert numbers(out, "nodes", "all", "turn") == [49, 49 * 9, 49 * 4, 49 * 4, 49]
    # AA and KK: 6 combos each; AK 16 and TT 6. Each player has two decisions on a street, with two actions each.
    hands = 12 + 22
    assert numbers(out, "infosets", "all", "flop") == [2 * hands, 4 * hands]
    assert numbers(out, "infosets", "all", "river") == [2352 * 2 * hands, 2352 * 4 * hands]
    assert numbers(out, "infosets", "exact", "river") == [1429 * 2 * hands, 1429 * 4 * hands]


def test_flops_of_ones_own(run: Run, flop_file: Path, tmp_path: Path) -> None:
    flops, out = tmp_path / "flops.txt", tmp_path / "out"
    flops.write_text("Qs Js 2h 3\n9c 7c 6c 1\n")
    code, _, _ = run(flop_file, "--flops", flops, "--measures", "rank", "--out", out)
    assert code == 0
    rows = table(out, "flops")
    assert [(row["weight"], row["turns"], row["rivers"]) for row in rows] == [
        ("0.75", "36", "1429"), ("0.25", "23", "675")
    ]  # fmt: skip
    mean = np.average([float(row["infosets"]) for row in rows], weights=[3, 1])
    assert numbers(out, "infosets", "exact", "total")[0] == round(mean)
    assert [row["board"].split()[1] for row in table(out, "counts")] == ["oop", "ip"] * 2
    # The same command again needs --overwrite.
    code, _, errors = run(flop_file, "--flops", flops, "--tree", "--out", out)
    assert (code, len(errors.splitlines())) == (2, 1)
    assert run(flop_file, "--flops", flops, "--tree", "--out", out, "--overwrite")[0] == 0
    assert not (out / "counts.csv").exists()


def test_all_hands_on_flops_of_ones_own(run: Run, tmp_path: Path) -> None:
    flops, out = tmp_path / "flops.txt", tmp_path / "out"
    flops.write_text("Qs Js 2h 1\nAs Kd 7c 3\n")
    options = ("--measures", "rank", "--tests", "river", "--classes", "relaxed")
    assert run("--flops", flops, *options, "--out", out)[0] == 0
    groups = [float(row["flop river"]) for row in table(out, "counts")]
    (mean,) = table(out, "sample")
    assert float(mean["flop"]) == pytest.approx((groups[0] + 3 * groups[1]) / 4)
    # The thesis's formula holds for its own flops.
    assert "states G*" not in mean
    document = json.loads((out / "results.json").read_text())
    assert (document["format"], document["game"]) == ("hedgehog.lab-counts", "flops.txt")


def test_groups_of_a_river(run: Run, tmp_path: Path) -> None:
    spot, out = tmp_path / "spot.yaml", tmp_path / "out"
    spot.write_text(SPOT)
    code, output, _ = run(spot, "--measures", "strength,opp", "--out", out)
    assert code == 0
    assert "Numbers of groups" in output
    rows = table(out, "counts")
    assert [(row["board"], row["measure"]) for row in rows] == [
        ("oop", "strength"), ("oop", "opp"), ("ip", "strength"), ("ip", "opp")
    ]  # fmt: skip
    assert all(int(row["river min"]) == int(row["river max"]) for row in rows)
    assert all(float(a["river mean"]) <= float(b["river mean"]) for a, b in zip(rows[::2], rows[1::2], strict=True))
    assert [row["street"] for row in table(out, "nodes")] == ["river", "total"] * 2


@pytest.mark.parametrize(
    ("spot", "options", "message"),
    [
        (None, [], "expected SPOT.yaml, --flops or both"),
        (SPOT, ["--classes", "relaxed"], "below a flop"),
        (SPOT, ["--flops", "r7"], "the spot's board has 5 cards"),
        (SMALL_FLOP + "locks: [{line: '', strategy: {X: 1}}]\n", [], "without the key locks"),
        (SMALL_FLOP, ["--flops", "24"], "there is no subset of 24 flop classes"),
        (SMALL_FLOP, ["--flops", "missing.txt"], "missing.txt"),
    ],
)
def test_refusals(run: Run, tmp_path: Path, spot: str | None, options: list[str], message: str) -> None:
    path = tmp_path / "spot.yaml"
    path.write_text(spot or "")
    code, output, errors = run(*([] if spot is None else [path]), *options)
    assert (code, output) == (2, "")
    assert message in errors
    assert "Traceback" not in errors
