"""``hedgehog study`` from the command line: tables, outputs, stores and messages."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from hedgehog.analysis.study.menu_files import read_menu
from hedgehog.solver.blueprint.config import menu_of, read_blueprint_pack_config
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
        (["{folder}"], "expected hand histories (ACPC, LBR, PHH, PokerStars, GGPoker, ACR), got none"),
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


SPOT = """\
spot: small
board: Qh Jh 2c 7d 5s
pot: 1000
stack: 4500
range: {oop: "QQ+,AKs,T9s", ip: "JJ+,AQs,T8s"}
sizes: {river: {oop: "50%,100%,a / 100%,a", ip: "50%,100%,a / 100%,a"}}
"""


def test_a_model_of_a_spot_is_answered(run: Run, tmp_path: Path) -> None:
    spot, model = tmp_path / "spot.yaml", tmp_path / "model.yaml"
    spot.write_text(SPOT)
    log = tmp_path / "hands.log"
    log.write_text(random_log(4, 400))
    code, out, error = run("study", "model", str(spot), str(log), "--of", "ip", "--min-count", "5", "--model",
                           str(model))  # fmt: skip
    assert (code, messages(error)) == (0, [])
    assert "hands come to the spot" in out
    assert max(map(len, out.splitlines())) <= 80
    assert model.read_text().startswith("# What ip does in small: 400 hands of 2 players")
    code, out, _ = run("study", "model", str(spot), str(log), "--of", "oop", "--player", "Alice", "--json")
    assert code == 0
    assert json.loads(out)["format"] == "hedgehog.study-model"
    code, out, error = run("solve", str(spot), "--respond", "oop", "--model", str(model), "--p", "1,0,0.5", "--json",
                           str(tmp_path / "r.json"), "--svg", str(tmp_path / "r.svg"), "--threads", "1")  # fmt: skip
    assert code == 0, error
    assert max(map(len, out.splitlines())) <= 80
    document = json.loads((tmp_path / "r.json").read_text())
    points = document["points"]
    assert [point["p"] for point in points] == [0, 0.5, 1]
    assert document["responds"] == "oop"
    slack = 0.01 * 1000
    for one, other in pairwise(points):
        assert one["gain"] <= other["gain"] + slack
        assert one["price"] <= other["price"] + slack
    assert abs(points[0]["price"]) < slack
    assert "gain against the model" in (tmp_path / "r.svg").read_text()
    for words, message in (
        (["--of", "ip", "--line", "x"], "expected actions of f, c, r and /"),
        (["--of", "ip", "--line", "rrrrrrrrrr"], "no decision of ip has 30 hands"),
    ):
        code, _, error = run("study", "model", str(spot), str(log), *words)
        assert code == 2
        assert message in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--respond oop", "--respond and --model go together"),
        ("--svg -", "--svg goes with --respond"),
        ("--respond oop --model {model} --save x", "--save does not go with --respond"),
        ("--respond oop --model {model} --p 2", "probabilities from 0 to 1"),
        ("--respond oop --model {model} --p a", "probabilities separated by commas"),
        ("--respond oop --model {model} --save-strategy x", "needs a single probability"),
        ("--respond oop --model {model} --algorithm pcfr+", "discounted CFR in f32"),
        ("--respond oop --model {model}x", "cannot read"),
    ],
)
def test_mistakes_in_responses(run: Run, tmp_path: Path, words: str, message: str) -> None:
    spot, model = tmp_path / "spot.yaml", tmp_path / "model.yaml"
    spot.write_text(SPOT)
    model.write_text("locks:\n  - {line: X, strategy: {X: 1}}\n")
    code, _, error = run("solve", spot, "--iterations", "1", *words.format(model=model).split())
    assert code == 2
    assert message in error
    assert "Traceback" not in error


def test_a_menu_file_is_taken_as_it_is(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "hands.log"
    log.write_text(random_log(4, 400))
    menu, spot, config = (tmp_path / name for name in ("menu.yaml", "spot.yaml", "blueprint.yaml"))
    assert run("study", "hands", log, "--menu", menu, "--sizes", "1")[0] == 0
    spot.write_text(
        "".join(line for line in SPOT.splitlines(True) if "sizes" not in line) + "sizes: menu.yaml  # mine\n"
    )
    code, out, error = run("solve", spot, "--iterations", "2", "--save", tmp_path / "solve", "--json")
    assert code == 0, error
    written = yaml.safe_load(menu.read_text())
    assert json.loads(out)["sizes"]["oop"][2].replace(" ", "") == written["sizes"]["river"]["oop"].replace(" ", "")
    # The saved solve has the sizes themselves.
    menu.rename(tmp_path / "gone.yaml")
    assert run("query", tmp_path / "solve")[0] == 0
    code, _, error = run("solve", spot, "--iterations", "2")
    assert (code, "menu.yaml: cannot read a menu file" in error) == (2, True)
    (tmp_path / "menu.yaml").write_text("menu: {}\n")
    code, _, error = run("solve", spot, "--iterations", "2")
    assert (code, "menu.yaml: expected the key 'sizes'" in error) == (2, True)
    (tmp_path / "gone.yaml").rename(menu)
    config.write_text("kind: blueprint\nname: mine\nmenu: menu.yaml\niterations: 1\n")
    read = menu_of(read_blueprint_pack_config(config))
    preset = tmp_path / "inline.yaml"
    preset.write_text(config.read_text().replace("menu.yaml", json.dumps(written["menu"])))
    assert read == menu_of(read_blueprint_pack_config(preset))


def test_profiles_by_line(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "lines.csv"
    code, out, _ = run("study", "profile", LOG, "--seats", "--lines", "5", "--lines-csv", table)
    assert code == 0
    assert "After betting lines (all players)" in out
    assert max(map(len, out.splitlines())) <= 80
    rows = list(csv.DictReader(table.open()))
    assert rows[0]["seat"] == "small blind"
    assert (rows[0]["line"], rows[0]["hands"]) == ("", "500")
    for row in rows:
        assert int(row["hands"]) >= 30
        assert float(row["fold"]) + float(row["call"]) + float(row["raise"]) == pytest.approx(1)
        assert float(row["raise low"]) <= float(row["raise"]) <= float(row["raise high"])
    code, _, error = run("study", "profile", LOG, "--player", "nobody", "--lines", "5")
    assert (code, "no player 'nobody'" in error) == (2, True)
