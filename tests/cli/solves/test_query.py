"""``hedgehog query``, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from hedgehog.cli.main import main
from hedgehog.cli.solves import query as query_module
from hedgehog.cli.solves.lines import expand_lines
from hedgehog.poker.cards import RANKS
from hedgehog.runtime.errors import SpotError
from tests.cli.command import Run

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


SMALL = """\
spot: small weights
board: Kh 8d 5s 3c 2h
pot: 1000
stack: 2000
range: {oop: "AA:0.0003,77:0.0004,QJs:0.0002", ip: "KQ:0.0004,66,A5s:0.00003"}
sizes: {river: {oop: "50%", ip: "75%"}}
"""


def test_a_tree_of_two_hands_is_drawn(run: Run, folders: Path, tmp_path: Path) -> None:
    file = tmp_path / "tree.svg"
    options = ("query", folders / "solve", "--line", "X X 7d")
    code, output, _ = run(*options, "--hand", "AhAs,KdJd", "--svg", file)
    assert code == 0
    assert f"wrote {file}" in output
    picture = file.read_text()
    assert "KdJd and AsAh on Td 9d 6h Qc 7d" in picture
    file.unlink()
    for wrong, message in (
        (("--hand", "AK"), "1 to 4 hands, got 16"),
        ((), "hands by --hand"),
        (("--hand", "AhAs", "--line", "X"), "one --line at most"),
    ):
        code, _, errors = run(*options, *wrong, "--svg", file)
        assert code == 2
        assert message in errors
        assert not file.exists()


def test_small_weights_are_not_zero(run: Run, tmp_path: Path) -> None:
    solve, page = tmp_path / "solve", tmp_path / "page.html"
    (tmp_path / "spot.yaml").write_text(SMALL)
    assert run("solve", tmp_path / "spot.yaml", "--iterations", "20", "--save", solve)[0] == 0
    code, table, _ = run("query", solve, "--combos")
    assert code == 0
    rows = rows_of(table)
    assert [(rows[hand][0], rows[hand][-1]) for hand in ("AhAd", "7d7c", "QsJs")] == [
        ("0.0003", "0.00006"),
        ("0.0004", "0.0"),
        ("0.0002", "0.0012"),
    ]
    assert rows_of(run("query", solve)[1])["AA"][0] == "0.0018"
    assert rows_of(run("query", solve, "--line", "X")[1])["A5s"][0] == "0.00009"
    assert run("query", solve, "--html", page)[0] == 0
    text = page.read_text()
    assert "0.005 here by weight, against\n6.0.</p>" in text
    assert re.search(r'\["AsAh", "[^"]+", 0\.0003, ', text)
    code, out, _ = run("query", solve, "--json")
    (line,) = json.loads(out)["lines"]
    assert line["range"]["weight"] == pytest.approx(0.005)
    assert line["pair_weight"] > 0


def rows_of(table: str) -> dict[str, list[str]]:
    """Returns the cells of the rows of a table by the first of them; EVs of actions are left out."""
    return {name: lines[0] for name, lines in lines_of(table).items()}


def lines_of(table: str) -> dict[str, list[list[str]]]:
    """Returns the lines of the rows of a table, each as a list of cells, by the first cell."""
    found: dict[str, list[list[str]]] = {}
    name = ""
    for row in table.splitlines():
        if row.startswith("│"):
            first, *cells = (cell.strip() for cell in row.strip("│").split("│"))
            name = first or name
            found.setdefault(name, []).append(cells)
    return found


def test_small_letters_in_lines(run: Run, folders: Path) -> None:
    solve = folders / "solve"
    for small, capital in (("x b50", "X B50"), ("x x 7D", "X X 7d"), ("x b50 c ?", "X B50 C ?")):
        assert run("query", solve, "--line", small) == run("query", solve, "--line", capital)
    _, table, _ = run("query", solve, "--line", "x x 7D", "--csv", "-")
    assert table.splitlines()[1].startswith("X X 7d,")


@pytest.mark.parametrize(
    ("kind", "line", "board"), [("solve", "X X 7d", "Td 9d 6h Qc 7d"), ("strategy", "", "Td 9d 6h Qc")]
)
def test_a_table_of_hand_classes(run: Run, folders: Path, kind: str, line: str, board: str) -> None:
    code, output, _ = run("query", folders / kind, "--line", line)
    assert code == 0
    assert f"oop to act on {board}, pot 100" in output
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
    for lines in lines_of(output).values():
        shares, evs = ([float(cell) for cell in line[3:5]] for line in lines)
        assert shares[0] * evs[0] + shares[1] * evs[1] == pytest.approx(100 * float(lines[0][2]), abs=30)
    # Two of IP's hands hold a jack of diamonds or a king of diamonds: KJ in four combos each, less KdJd counted twice.
    assert float(rows_of(output)["KdJd"][-1]) == 7


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


def grid_of(output: str) -> dict[str, list[str]]:
    """Returns the cells of the rows of a grid."""
    rows = [line.split() for line in output.splitlines()]
    return {row[0]: row[1:] for row in rows if len(row) == 14 and row[0] in RANKS}


def test_a_grid(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--grid", "B50")
    rows = grid_of(output)
    assert list(rows) == list("AKQJT98765432")
    filled = {(row, column) for row, cells in rows.items() for column, cell in enumerate(cells) if cell != "·"}
    assert filled == {("A", 0), ("A", 1), ("K", 0), ("K", 3), ("T", 5), ("7", 8)}
    code, _, errors = run("query", folders / "solve", "--grid", "B51")
    assert (code, "expected one of X B50, one of them after 'ev:', 'ev' or 'equity'" in errors) == (2, True)


def test_csv_and_json(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--line", "X, X X 7d X", "--csv")
    assert output == (folders / "lines.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(output)))
    assert {row["line"] for row in rows} == {"X", "X X 7d X"}
    _, output, _ = run("query", folders / "solve", "--line", "X, X X 7d X", "--json", "--tree", "--hand", "KJ,QQ")
    data = json.loads(output)
    assert (data["spot"], data["iterations"]) == ("my spot", 60)
    assert [line["line"] for line in data["lines"]] == ["X", "X X 7d X"]
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
        (("--json", "-", "--csv", "-"), "named twice"),
        (("--json", "--grid", "X"), "--grid is a table"),
        (("--csv", "--tree"), "--csv writes hands"),
        (("--filter", "top pear"), "did you mean 'top pair'"),
        (("--round", "33"), "--round"),
        (("--grid", "ev:B51"), "no grid 'ev:B51'"),
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


def test_evs_in_a_grid(run: Run, folders: Path) -> None:
    for wanted, column in (("X", "strategy"), ("ev:B50", "action_evs"), ("ev", "ev"), ("equity", "equity")):
        _, output, _ = run("query", folders / "solve", "--grid", wanted)
        cell = float(grid_of(output)["K"][3])  # KJs, which is KdJd alone
        _, output, _ = run("query", folders / "solve", "--hand", "KdJd", "--json")
        hand = json.loads(output)["lines"][0]["hands"][0]
        figure = hand[column] if column in ("ev", "equity") else hand[column][1 if wanted == "ev:B50" else 0]
        assert cell == pytest.approx(figure * (100 if column in ("strategy", "equity") else 1), abs=0.51)


def test_hands_by_what_they_make(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--filter", "overpair, straight & flush draw")
    assert list(rows_of(output)) == ["AA", "KJs", "all"]
    _, output, _ = run("query", folders / "solve", "--filter", "quads")
    assert "no hand that gets here is 'quads'" in output
    assert rows_of(output) == {}


def test_hands_that_are_not_there_say_why(run: Run, folders: Path) -> None:
    code, output, _ = run("query", folders / "solve", "--hand", "TdTc,QQ", "--hand", "KdJd", "--line", "X X Kd")
    assert code == 0
    assert "TdTc cannot be held: the board Td 9d 6h Qc Kd takes it" in output
    assert "QQ is not in the range of oop" in output
    assert "KdJd cannot be held: the board Td 9d 6h Qc Kd takes it" in output
    assert "range of oop: 31 combos, " in output
    _, output, errors = run("query", folders / "solve", "--hand", "QQ", "--json")
    assert json.loads(output)["lines"][0]["hands"] == []
    assert errors == "root: QQ is not in the range of oop\n"


def test_combos_that_the_board_removes(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--line", "X X Ah", "--json")
    found = json.loads(output)["lines"][0]["range"]
    # Half of AA's six combos, four of AK's sixteen; of T9s the ten and the nine of diamonds were gone before.
    assert found["combos"] == 6 + 4 + 4 + 1 + 16
    assert found["removed_by_board"] == 3 + 4 + 1 + 1


def test_rounded_strategies_say_what_they_cost(run: Run, folders: Path) -> None:
    _, output, _ = run("query", folders / "solve", "--round", "100", "--json")
    line = json.loads(output)["lines"][0]
    lost = []
    for hand in line["hands"]:
        assert sorted(hand["rounded"]) == [0, 1]
        cost = sum((a - b) * ev for a, b, ev in zip(hand["strategy"], hand["rounded"], hand["action_evs"], strict=True))
        assert hand["rounding_cost"] == pytest.approx(cost, abs=2e-2)
        lost.append(hand["rounding_cost"])
    assert min(lost) - 1e-6 <= line["rounding"]["cost"] <= max(lost) + 1e-6
    _, output, _ = run("query", folders / "solve", "--round", "100")
    assert f"it loses {line['rounding']['cost']:,.3f} chips" in output
    assert {cell for cells in rows_of(output).values() for cell in cells[3:5]} >= {"0.0", "100.0"}


def test_a_page(run: Run, folders: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    code, output, _ = run("query", folders / "solve", "--line", ",X", "--html", page)
    assert (code, output) == (0, f"wrote {page}\n")
    text = page.read_text()
    assert text.count("<section ") == 2
    assert not re.search(r"(?:src|href)=\"(?!data:)|https?://(?!www\.w3\.org)|@import", text)
    code, _, errors = run("query", folders / "solve", "--html", page)
    assert (code, "exists already" in errors) == (2, True)
    assert page.read_text() == text


def test_outputs_never_replace_the_solve(run: Run, folders: Path) -> None:
    before = {path.name: path.read_bytes() for path in (folders / "solve").iterdir()}
    for name in ("manifest.yaml", "average_oop-a.npy"):
        for option in ("--json", "--csv", "--html"):
            code, _, errors = run("query", folders / "solve", option, folders / "solve" / name, "--overwrite")
            assert (code, "belongs to the input" in errors) == (2, True)
    assert {path.name: path.read_bytes() for path in (folders / "solve").iterdir()} == before


def test_an_output_option_before_the_folder(run: Run, folders: Path) -> None:
    _, expected, _ = run("query", folders / "solve", "--json")
    assert run("query", "--json", folders / "solve") == (0, expected, "")
    _, expected, _ = run("query", folders / "solve", "--csv", "--line", "X")
    assert run("query", "--line", "X", "--csv", folders / "solve") == (0, expected, "")
    code, _, errors = run("query", "--json")
    assert (code, "Missing argument 'DIR'" in errors) == (2, True)


@pytest.mark.parametrize(
    "options", [(), ("--hand", "AA", "--round", "25"), ("--line", "X X ?"), ("--grid", "ev:X"), ("--tree",)]
)
def test_eighty_columns_are_enough(
    run: Run, folders: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr(query_module, "_WIDTH_OF_FILES", 80)
    _, output, _ = run("query", folders / "solve", *options)
    assert len(output.splitlines()) > 5
    assert max(map(len, output.splitlines())) <= 80
    assert "…" not in output


def test_more_actions_than_fit_are_in_more_tables(run: Run, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_module, "_WIDTH_OF_FILES", 36)
    _, output, _ = run("query", folders / "solve", "--hand", "AsAh")
    tables = [line for line in output.splitlines() if line.startswith("┃")]
    assert len(tables) == 2
    assert ("X" in tables[0], "B50" in tables[0], "B50" in tables[1]) == (True, False, True)
