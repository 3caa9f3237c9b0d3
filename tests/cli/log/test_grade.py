"""``hedgehog grade`` and ``hedgehog grade show``, with decisions before the flop, for which nothing is solved."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.analysis.grading.hand_logs import RIVERS, write_log
from tests.cli.command import Run

OPTIONS = ("--player", "alice", "--street", "preflop", "--depth", "quick")


@pytest.fixture
def store(run: Run, tmp_path: Path) -> Path:
    log = write_log(tmp_path, RIVERS)
    code, out, _ = run("grade", log, *OPTIONS, "--store", tmp_path / "store", "--json", tmp_path / "made.json")
    assert code == 0
    assert max(map(len, out.splitlines()[:8])) <= 80
    assert "preflop" in out
    return tmp_path / "store"


def test_a_store_shows_what_grading_showed(run: Run, store: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    files = [tmp_path / name for name in ("again.json", "again.csv", "again.parquet", "again.html")]
    options = ("--json", "--csv", "--parquet", "--html")
    code, out, _ = run("grade", "show", store, *(word for pair in zip(options, files, strict=True) for word in pair))
    assert code == 0
    assert "Costliest decisions" in out
    made, again = (json.loads((tmp_path / name).read_text()) for name in ("made.json", "again.json"))
    assert {**again, "left_out": made["left_out"]} == made
    rows = parquet.read_table(files[2]).to_pylist()
    assert len(rows) == len(files[1].read_text().splitlines()) - 1
    assert [row["loss_bb"] for row in rows if row["verdict"] != "not graded"]
    assert "alice, graded" in files[3].read_text()
    assert again["leaks"] == []
    few = ("--min-decisions", "1")
    code, out, _ = run("grade", "show", store, *few, "--json", tmp_path / "few.json")
    assert len(json.loads((tmp_path / "few.json").read_text())["leaks"]) > 2
    code, out, _ = run("grade", "show", store, "--by", "street,action", *few)
    assert code == 0
    assert "Losses by street, action" in out


def test_a_store_that_is_not_finished_says_so(run: Run, store: Path) -> None:
    settings = json.loads((store / "grading.json").read_text())
    (store / "grading.json").write_text(json.dumps({**settings, "hands": settings["hands"] + 7}))
    code, out, error = run("grade", "show", store)
    assert (code, error.strip()) == (0, "7 hands are still to be graded")
    assert "5 hands graded" in out


def test_bad_input_is_one_line(run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("grade", "show", tmp_path)[::2] == (
        2,
        f"error: {tmp_path}: expected a store of hedgehog grade --store, with a file grading.json\n",
    )
    code, _, error = run("grade", "show", store, "--by", "street,colour")
    assert (code, error.startswith("error: --by: expected some of street, "), "'colour'" in error) == (2, True, True)
    assert run("grade", "show", store, "--by", "street", "--worst", "3")[0] == 2
    for rake in ("x", "0", "60", "5,0", "5,3,1", "nan"):
        code, _, error = run("grade", tmp_path / "a.log", "--player", "alice", "--rake", rake)
        assert (code, error.startswith("error: --rake: expected up to 50 percent of the pot"), rake in error) == (
            2,
            True,
            True,
        )
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    code, _, error = run("grade", "show", store, "--parquet", tmp_path / "x.parquet")
    assert (code, len(error.strip().splitlines()), "--parquet needs pyarrow" in error) == (2, 1, True)


def test_a_store_is_shown_by_spot(run: Run, store: Path, tmp_path: Path) -> None:
    whole = json.loads((tmp_path / "made.json").read_text())
    code, out, errors = run("grade", "show", store, "--spot", "BB  call", "--json", tmp_path / "spot.json")
    assert (code, errors) == (0, "")
    assert "alice, 5 hands graded against our player, spot 'BB call' alone" in out
    found = json.loads((tmp_path / "spot.json").read_text())
    assert 0 < found["totals"]["loss"]["mbb_per_hand"] <= whole["totals"]["loss"]["mbb_per_hand"]
    assert (found["spot"], found["hands"]) == ("BB call", whole["hands"])
    assert {one["action"] for one in found["worst"]} == {"call"}
    code, _, error = run("grade", "show", store, "--spot", "rivr")
    assert (code, error.startswith("error: --spot: no decision is at such a spot: 'rivr'; a kind reads '")) == (2, True)
    code, _, error = run("grade", "show", store, "--since", "2024-05-06")
    assert (code, error) == (2, "error: --since: no hand tells the day on which it was played\n")
    # A store that was graded for a spot says so.
    log = tmp_path / "a.log"
    for name, spot in (("one", ("--spot", "BB call")), ("two", ("--spot", "SB"))):
        assert run("grade", log, *OPTIONS, *spot, "--store", tmp_path / "spotted")[0] == (0 if name == "one" else 2)
    assert "spot 'BB call' alone" in run("grade", "show", tmp_path / "spotted")[1]


def test_days_are_read_from_the_text_of_sites(run: Run, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "data" / "pokerstars" / "heads-up.txt").read_text()
    second = text.index("PokerStars Hand #210000000012")
    (tmp_path / "stars.txt").write_text(text[:second] + text[second:].replace("2024/05/06", "2024/05/07"))
    words = ("grade", tmp_path / "stars.txt", "--player", "Nora K.", "--street", "preflop", "--csv", "-")
    code, out, errors = run(*words, "--since", "2024-05-07")
    assert code == 0
    assert "1 hand before 2024-05-07: not graded" in errors
    head, *rows = out[out.index("source,line,") :].strip().splitlines()
    assert {row.split(",")[head.split(",").index("date")] for row in rows} == {"2024-05-07"}
    assert {row.split(",")[1] for row in rows} == {str(text[:second].count("\n") + 1)}
    code, _, error = run(*words[:-2], "--since", "7.5.2024")
    assert (code, "does not match the format" in error) == (2, True)
    log = write_log(tmp_path, RIVERS)
    code, _, error = run("grade", log, *OPTIONS, "--since", "2024-05-06")
    assert (code, error.splitlines()[-1].startswith("error: --since: no hand tells the day")) == (2, True)


def test_a_hand_is_shown_in_one_unit(run: Run, store: Path, tmp_path: Path) -> None:
    code, out, _ = run("grade", tmp_path / "a.log", *OPTIONS, "--hand", "0")
    assert code == 0
    assert "hand 0 (a.log:2), big blind with AhKd against bob, amounts in big blinds" in out
    assert "1. preflop: button raises to 3 BB\n" in out
    assert "call +2.13 (0 %), raise to 10.2 BB" in out
    assert "300" not in out


def test_both_players_in_one_run(run: Run, store: Path, tmp_path: Path) -> None:
    """Each is graded as alone; the folder has a store for each."""
    both = ("--player", "alice", "--player", "bob", "--street", "preflop", "--depth", "quick")
    files = ("--json", tmp_path / "both.json", "--csv", tmp_path / "both.csv", "--store", tmp_path / "both")
    code, out, _ = run("grade", tmp_path / "a.log", *both, *files)
    assert code == 0
    assert out.index("alice, 5 hands graded") < out.index("bob, 5 hands graded")
    document = json.loads((tmp_path / "both.json").read_text())
    assert [one["players"] for one in document["gradings"]] == [["alice"], ["bob"]]
    assert document["gradings"][0] == json.loads((tmp_path / "made.json").read_text())
    rows = (tmp_path / "both.csv").read_text().splitlines()
    assert {row.split(",")[3] for row in rows[1:]} == {"alice", "bob"}
    parts = [next(folder.glob("part-*.json")).read_text() for folder in (store, tmp_path / "both" / "alice")]
    assert parts[0] == parts[1]
    code, _, error = run("grade", tmp_path / "a.log", *both, "--html", tmp_path / "x.html")
    assert (code, "--html shows one player" in error) == (2, True)
    assert run("grade", tmp_path / "a.log", "--player", "bob", "--player", "bob")[0] == 2


def test_sizes_that_the_table_lacks_are_counted(run: Run, store: Path, tmp_path: Path) -> None:
    document = json.loads((tmp_path / "made.json").read_text())["translated"]
    assert 0 < document["raises_translated"] <= document["raises"]
    assert document["left_open_mbb_per_hand"] > 0
    code, out, _ = run("grade", "show", store)
    assert code == 0
    assert f"sizes before the flop: {document['raises_translated']} of {document['raises']} raises" in out
