"""``hedgehog drill``: a session from standard input, its report, its file, and what it refuses."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hedgehog.analysis.drills.progress import load_progress
from tests.analysis.drills.drilled import write_solve, write_store
from tests.cli.command import Run


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Returns a function that puts lines into standard input."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_the_keys_of_a_session_give_the_stored_evs(run: Run, typed: Callable[[str], None], tmp_path: Path) -> None:
    store = write_store(tmp_path / "store")
    words = ["drill", str(store), "--progress", str(tmp_path / "p.txt"), "--json", str(tmp_path / "s.json")]
    typed("nonsense\nc\ng\nr 500\n")
    code, output, errors = run(*words)
    assert (code, errors) == (0, ""), errors
    assert "'nonsense' is no answer" in output
    assert "Wrong: loses 3.00 BB (30.0 % of the pot)" in output
    assert "At the table: check, which lost 3.00" in output
    assert "BB that check loses" in output
    assert "Right: loses 0.00 BB" in output
    assert "1 of 2 right" in output
    report = json.loads((tmp_path / "s.json").read_text())
    assert report["format"] == "hedgehog.drill-session"
    assert [answer["loss_pct_pot"] for answer in report["answers"]] == [30.0, 0.0]
    assert [[c["ev"] for c in answer["choices"]] for answer in report["answers"]] == [[200.0, 500.0], [400.0, 500.0]]
    assert report["progress"]["boxes"] == [1, 1, 0, 0, 0]
    cards = load_progress(tmp_path / "p.txt").cards()
    assert [(card.question.key, card.box) for card in cards] == [("a.log:1:0", 2), ("a.log:2:0", 1)]

    assert not (tmp_path / "p.txt.lock").exists()
    typed("c\n")
    code, output, _ = run(*words, "--overwrite")
    assert code == 0
    assert "No question was answered." in output
    code, output, errors = run("drill", str(store), "--progress", str(tmp_path / "p.txt"), "--due")
    assert (code, errors) == (0, "")
    assert "0 due" in output


def test_a_grid_is_offered_where_there_is_one(run: Run, typed: Callable[[str], None], tmp_path: Path) -> None:
    store = write_store(tmp_path / "store", gridless=(0, 1, 2))
    typed("c\ng\nr 500\n")
    code, output, errors = run("drill", str(store))
    assert (code, errors) == (0, "")
    assert "the store keeps no grid of the last question" in output
    assert "BB that check loses" not in output


def test_a_store_keeps_its_answers_and_the_clock_counts(
    run: Run, typed: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = write_store(tmp_path / "store")
    typed("r 500\n")
    code, output, errors = run("drill", str(store), "--count", "1", "--against-clock", "1e-6")
    assert (code, errors) == (0, ""), errors
    assert "1e-06 s for each answer" in output
    assert re.search(r"Late, after \d+\.\d s: loses 0\.00 BB", output)
    assert "0 of 1 right" in output
    assert "1 of 1 came after 1e-06 s." in output
    [card] = load_progress(store / "drill.json").cards()
    assert (card.box, card.answers[0].right, card.answers[0].loss_pct) == (1, False, 0.0)
    typed("r 500\n")
    code, output, _ = run("drill", str(store), "--count", "1", "--against-clock", "600")
    assert code == 0
    assert "Right: loses 0.00 BB" in output
    assert sorted(one.box for one in load_progress(store / "drill.json").cards()) == [1, 2]
    assert run("drill", str(store), "--due")[0] == 0
    assert run("grade", "show", str(store))[0] == 0  # the answers are part of the store


def test_a_solve_is_drilled_with_a_seed(run: Run, typed: Callable[[str], None], tmp_path: Path) -> None:
    solve = write_solve(tmp_path / "solve")
    answers = ["1\n2\n1\n", "1\n1\n2\n"]
    found = []
    for number, keys in enumerate(answers):
        report = tmp_path / f"{number}.json"
        typed(keys)
        code, output, errors = run("drill", str(solve), "--seed", "7", "--count", "3", "--json", str(report))
        assert (code, errors) == (0, ""), errors
        assert output.count("EVs: the saved solve") == 3
        found.append([answer["key"] for answer in json.loads(report.read_text())["answers"]])
    assert found[0] == found[1]
    typed("q\n")
    code, output, _ = run("drill", str(solve), "--seed", "7", "--count", "3")
    assert code == 0
    assert "No question was answered." in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing", "nothing: no such folder"),
        (".", "expected a store of hedgehog grade, a saved solve, or a folder of packs"),
        ("store --spot turn", "nothing to drill"),
        ("store --progress diary.txt", "diary.txt:1: no results of hedgehog drill"),
        ("store --progress -", "--progress needs a file"),
        ("store --progress a.json --json a.json", "a.json is named twice"),
        ("--stack 300,200", "random hands have equal stacks"),
        ("--stack 1bb", "above the big blind"),
    ],
)
def test_bad_input_is_one_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_store(tmp_path / "store")
    (tmp_path / "diary.txt").write_text("dear diary\n")
    code, output, errors = run("drill", *words.split())
    assert (code, output) == (2, "")
    assert message in errors
    assert len(errors.strip().splitlines()) == 1
    assert (tmp_path / "diary.txt").read_text() == "dear diary\n"
