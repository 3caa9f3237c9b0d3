"""``hedgehog study`` from the command line: tables, outputs, stores and messages."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from analysis.study.menu_files import read_menu
from tests.analysis.study.hand_fixtures import random_log
from tests.cli.command import Run
from tests.golden import FOLDER

LOG = str(FOLDER / "log_hunl2p_s0.log.gz")
POKERSTARS = str(FOLDER.parent / "pokerstars" / "heads-up.txt")


def messages(error: str) -> list[str]:
    """Returns the lines on stderr without those of the progress, which a slow machine shows."""
    return [line for line in error.splitlines() if not line.startswith("reading hands")]


def test_hands_show_trees_sizes_and_a_menu(run: Run, tmp_path: Path) -> None:
    menu, document = tmp_path / "menu.yaml", tmp_path / "study.json"
    code, out, error = run("study", "hands", LOG, POKERSTARS, "--min-count", "5", "--menu", str(menu), "--json",
                           str(document))  # fmt: skip
    assert (code, messages(error)) == (0, [])
    assert out.startswith("503 hands of 4 players, 3,098 actions")
    for words in ("4-4-4", "preflop first BET", "limped", "this study", "fchpda"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 80
    found = json.loads(document.read_text())
    assert found["format"] == "hedgehog.hand-study"
    assert found["hands"] == 503
    assert len(found["coverage"]) == 43
    assert [one["menu"] for one in found["distances"]] == ["this study", "own", "fcpa", "fcpta", "fchpda"]
    assert (
        sum(found["histograms"]["preflop"][0].values()) == found["size_statistics"]["first"]["preflop"]["BET"]["total"]
    )
    assert read_menu(str(menu)).sizes(1, 0, 0)
    code, out, _ = run("study", "hands", LOG, "--compare", str(menu), "--compare", "standard", "--choose", "medoids")
    assert code == 0
    assert "standard" in out


def test_a_store_is_filled_once_and_goes_on(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(random_log(1, 40))
    store = str(tmp_path / "store")
    first = run("study", "hands", str(tmp_path / "logs"), "--store", store)
    assert first[0] == 0
    assert first[1].startswith("40 hands")
    (tmp_path / "logs" / "b.log").write_text(random_log(2, 50) + "STATE:1:oops\n")
    code, out, error = run("study", "hands", str(tmp_path / "logs"), "--store", store)
    assert (code, out.split(" hands")[0]) == (0, "90")
    assert f"left out: {tmp_path / 'logs' / 'b.log'}:51: " in error
    for words in (["--store", store], [store]):
        assert run("study", "hands", *words)[1].startswith("90 hands of 2 players")
    assert run("study", "trees", "4-4-4", "--store", store)[1].startswith("90 hands")
    assert run("study", "profile", store)[1].startswith("90 hands")


def test_problems_go_to_a_file(run: Run, tmp_path: Path) -> None:
    log, problems = tmp_path / "a.log", tmp_path / "problems.txt"
    log.write_text(random_log(1, 5) + "STATE:1:oops\n" * 30)
    code, out, error = run("study", "hands", str(log), "--problems", str(problems))
    assert (code, messages(error)) == (0, [])
    assert "30 bad" in out
    assert len(problems.read_text().splitlines()) == 30
    assert run("study", "hands", str(log))[2].count("left out: ") == 11


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "expected hand histories"),
        (["{folder}"], "expected hand histories (ACPC, LBR, PHH, PokerStars), got none"),
        (["{folder}/nowhere"], "could not read it"),
        ([str(FOLDER / "log_limit2p_s1471220049.log.gz")], "got other hands only"),
        ([LOG, "--player", "nobody"], "no player 'nobody'"),
        ([LOG, "--compare", "nothing"], "no menu 'nothing'"),
    ],
)
def test_mistakes_are_one_line(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "readme.txt").write_text("no hands here\n")
    code, _, error = run("study", "hands", *(word.format(folder=tmp_path) for word in words))
    assert code == 2
    assert message in error
    assert len(messages(error)) == 1


def test_trees(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("study", "trees", "--json", str(tmp_path / "t.json"), "--csv", str(tmp_path / "t.csv"))
    assert code == 0
    assert "3,570,946" in out
    assert "4-4-9: the published table prints" in out
    rows = json.loads((tmp_path / "t.json").read_text())["trees"]
    assert len(rows) == 43
    assert len(list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))) == 43
    code, out, _ = run("study", "trees", "4-4-8", "3-inf-2", "--hands", LOG, "--png", str(tmp_path / "t.png"))
    assert code == 0
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    assert run("study", "trees", "4-inf-inf")[0] == 2


def test_a_tree_is_shown_written_and_shown_again(run: Run, tmp_path: Path) -> None:
    folder = str(tmp_path / "tree")
    code, out, _ = run("study", "tree", "--hands", LOG, "--out", folder, "--jsonl", str(tmp_path / "t.jsonl"))
    assert code == 0
    assert "preflop: SB raises" in out
    again = run("study", "tree", folder)
    assert again[0] == 0
    assert again[1] == out
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert f"{len(lines):,} nodes" in out
    assert lines[0]["hands"] == 500
    assert run("study", "tree", folder, "--line", "zz")[0] == 2
    assert run("study", "tree")[0] == 2
    assert "whole" not in run("study", "tree", "2-2-2", "--hands", LOG)[1]


def test_profiles(run: Run, tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("p.json", "p.csv", "p.html")]
    code, out, _ = run("study", "profile", LOG, "--json", files[0], "--csv", files[1], "--html", files[2])
    assert code == 0
    assert "P2_ex" in out
    assert max(map(len, out.splitlines())) <= 80
    profiles = json.loads(Path(files[0]).read_text())["profiles"]
    assert [one["seat"] for one in profiles[:3]] == ["", "big blind", "small blind"]
    rows = list(csv.DictReader(Path(files[1]).read_text().splitlines()))
    assert len(rows) == 6
    assert "<svg" in Path(files[2]).read_text()
    assert "P1_ex" not in run("study", "profile", LOG, "--player", "P2_ex")[1]
    assert run("study", "profile", LOG, "--player", "nobody")[0] == 2
