"""``hedgehog query`` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cli.lines import expand_lines
from cli.main import main
from poker.errors import SpotError
from tests.cli.conftest import Run

SPOT = """\
spot: my spot
board: Td 9d 6h Qc
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd,AK", ip: "QQ,AQs,87s,Ad2d:0.25,KJ"}
sizes:
  turn:  {oop: "50%/a", ip: "50%/a"}
  river: {oop: "75%/a", ip: "75%/a"}
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("query")
    (base / "spot.yaml").write_text(SPOT)
    saved = ["--save", str(base / "solve"), "--save-strategy", str(base / "strategy")]
    lines = ["--lines", "X,X X 7d X", "--csv", str(base / "lines.csv")]
    with pytest.raises(SystemExit) as raised:
        main(["solve", str(base / "spot.yaml"), "--iterations", "60", "--threads", "1", *saved, *lines])
    assert raised.value.code == 0
    return base


def rows_of(table: str) -> dict[str, list[str]]:
    """Returns the cells of the rows of a table by the first of them."""
    rows = [[cell.strip() for cell in row.strip("│").split("│")] for row in table.splitlines() if row.startswith("│")]
    return {row[0]: row[1:] for row in rows}


@pytest.mark.parametrize("kind", ["solve", "strategy"])
def test_a_table_of_hand_classes(run: Run, folders: Path, kind: str) -> None:
    code, output, _ = run("query", folders / kind, "--line", "X X 7d")
    assert code == 0
    assert "oop to act on Td 9d 6h Qc 7d, pot 100" in output
    rows = rows_of(output)
    assert list(rows) == ["AA", "AKs", "AKo", "KJs", "T9s", "76s", "all"]
    for cells in rows.values():
        assert sum(float(cell) for cell in cells[3:]) == pytest.approx(100, abs=0.3)
    assert sum(float(cells[0]) for name, cells in rows.items() if name != "all") == pytest.approx(
        float(rows["all"][0]), abs=0.05
    )


def test_hands_one_by_one(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--hand", "KdJd", "--hand", "AA")
    assert list(rows_of(output)) == ["AsAh", "AsAd", "AhAd", "AsAc", "AhAc", "AdAc", "KdJd", "all"]


def test_a_tree_and_every_card(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--tree")
    rows = rows_of(output)
    assert list(rows) == ["X", "B50"]
    assert rows["X"][-1] == "X"
    assert float(rows["X"][1]) + float(rows["X"][2]) == pytest.approx(100, abs=0.02)
    _, output, _ = run("query", folders / "solve", "--line", "X", "--tree")
    assert rows_of(output)["X"][-1] == "X X ?"
    _, output, _ = run("query", folders / "solve", "--line", "X X ?")
    rows = rows_of(output)
    assert len(rows) == 48
    assert sum(float(cells[0]) for cells in rows.values()) == pytest.approx(100, abs=0.3)


def test_a_grid(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--grid", "B50")
    rows = rows_of(output)
    assert list(rows) == list("AKQJT98765432")
    filled = {(row, column) for row, cells in rows.items() for column, cell in enumerate(cells) if cell}
    assert filled == {("A", 0), ("A", 1), ("K", 0), ("K", 3), ("T", 5), ("7", 8)}
    code, _, errors = run("query", folders / "solve", "--grid", "B51")
    assert (code, "offered: X B50" in errors) == (2, True)


def test_csv_and_json(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--line", "X, X X 7d X", "--csv")
    assert output == (folders / "lines.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(output)))
    assert {row["line"] for row in rows} == {"X", "X X 7d X"}
    _, output, _ = run("query", folders / "solve", "--line", "X, X X 7d X", "--json", "--tree", "--hand", "KJ,QQ")
    data = json.loads(output)
    assert (data["spot"], data["iterations"]) == ("my spot", 60)
    for line in data["lines"]:
        asked = {hand["hand"] for hand in line["hands"]}
        expected = [row for row in rows if row["line"] == line["line"] and row["hand"] in asked]
        assert len(expected) == len(line["hands"]) > 5
        for row, hand in zip(expected, line["hands"], strict=True):
            assert float(row["ev"]) == pytest.approx(hand["ev"], rel=1e-4, abs=1e-3)
            assert [float(row[a]) for a in line["actions"]] == pytest.approx(hand["strategy"], abs=1e-4)
        assert [child["action"] for child in line["children"]] == line["actions"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--line", "X B51"), "no action 'B51'"),
        (("--line", "X X"), "lacks 1 dealt card"),
        (("--line", "X X Td"), "already on the board"),
        (("--line", "X ?"), "no card is dealt"),
        (("--hand", "AhAh"), "'AhAh'"),
        (("--json", "--csv"), "exclude"),
        (("--line", "@absent.txt"), "absent.txt"),
    ],
)
def test_bad_input_is_one_message(run: Run, folders: Path, options: tuple[str, ...], message: str) -> None:
    code, _, errors = run("query", folders / "solve", *options)
    assert code == 2
    assert message in errors
    assert "Traceback" not in errors


def test_a_folder_without_a_solve(run: Run, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        code, _, errors = run("query", folder)
        assert code == 2
        assert str(folder) in errors


def test_lines_from_files(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("# the flop\nX  B200\n\nX B200 C 7d # turn\n")
    assert expand_lines(["X, B200", f"@{file}", "X"]) == ["X", "B200", "X B200", "X B200 C 7d"]
    with pytest.raises(SpotError, match="absent"):
        expand_lines(["@absent"])
