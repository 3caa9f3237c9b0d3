"""``hedgehog lbr``, run as a user runs it."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from hedgehog.analysis.lbr import measure as lbr_module
from tests.cli.command import Run


def test_several_settings_in_one_table(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "lbr.json"
    code, output, _ = run("lbr", "fold", "--setting", "fcpa", "--setting", "56bets:4", "--hands", 11, "--json", file)
    assert code == 0
    rows = [line.split() for line in output.splitlines()[4:]]
    assert [[*row[:2], *row[5:]][:8] for row in rows] == [
        ["fcpa", "12", "750.0", "±", "none", "750.0", "±", "none"],
        ["56bets:4", "12", "750.0", "±", "none", "750.0", "±", "none"],
    ]
    document = json.loads(file.read_text())
    assert (document["player"], document["seed"], document["think_ms"]) == ("fold", 1, 0)
    assert document["provenance"]["command"].startswith("hedgehog")
    row = document["settings"][0]
    assert (row["hands"], row["pairs"]) == (12, 6)
    assert row["chips"] == row["integrated"] == {"mbb_per_hand": 750.0, "ci95": None, "sd_pair": 0.0}


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("cluster", [False, True])
def test_the_same_bytes_on_any_engine_and_from_several_machines(run: Run, tmp_path: Path, cluster: bool) -> None:
    """One process, two processes, a cluster of two, and three machines whose files are merged."""
    command = ("lbr", "call", "--hands", 102, "--seed", 4, "--setting", "fcpa:4", "--setting", "fc")
    ways: dict[str, tuple[object, ...]] = {"one": (), "two": ("--jobs", 2)}
    if cluster and find_spec("distributed") is not None:
        ways["dask"] = ("--dask", "local:2")
    found = {}
    for name, options in ways.items():
        found[name] = tmp_path / f"{name}.jsonl"
        assert run(*command, *options, "--results", found[name])[0] == 0
    parts = [tmp_path / f"part-{part}.jsonl" for part in (1, 2, 3)]
    tables = []
    for part, file in enumerate(parts, 1):
        assert run(*command, "--part", f"{part}/3", "--results", file)[0] == 0
    for order in (parts, parts[::-1]):
        found[str(order)] = tmp_path / f"merged-{len(found)}.jsonl"
        code, output, _ = run("lbr", "--merge", *order, "--results", found[str(order)], "--json", "-")
        assert code == 0
        tables.append(json.loads(output)["settings"])
    whole = found["one"].read_bytes()
    assert {name: file.read_bytes() for name, file in found.items()} == dict.fromkeys(found, whole)
    assert tables[0] == tables[1]
    assert [(row["setting"], row["hands"], row["cpu_ms_per_hand"]) for row in tables[0]] == [
        ("fc", 102, None),
        ("fcpa:4", 102, None),
    ]
    assert tables[0][1]["chips"]["mbb_per_hand"] > 5_000
    # What was merged goes on like any other file, and so does a merge into it.
    assert run(*command[:3], 104, *command[4:], "--results", found["one"])[0] == 0
    assert run("lbr", "--merge", found["two"], "--results", found["one"])[0] == 0
    assert found["one"].read_bytes() != whole


def test_files_that_do_not_go_together_are_not_merged(run: Run, tmp_path: Path) -> None:
    first, other, out = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    for file, seed in ((first, 1), (other, 2)):
        assert run("lbr", "call", "--hands", 4, "--seed", seed, "--results", file)[0] == 0

    def refused(*words: object) -> str:
        code, output, error = run("lbr", *words)
        assert (code, output, out.exists()) == (2, "", False)
        return error

    message = f"{other}:1: these are results of another measurement: seed is 2 there and 1 here"
    assert message in refused("--merge", first, other, "--results", out)
    assert "--merge: needs --results FILE" in refused("--merge", first, other)
    assert "--hands does not go with --merge" in refused("--merge", first, "--results", out, "--hands", 4)
    assert f"{tmp_path / 'd'}: cannot read it" in refused("--merge", first, tmp_path / "d", "--results", out)
    assert "expected one player" in refused("call", "fold", "--results", out)
    assert "expected a part such as 1/2" in refused("call", "--part", "3/2", "--results", out)
    assert "--jobs does not go with --dask" in refused("call", "--jobs", 2, "--dask", "local:2", "--results", out)
    head, line = first.read_text().splitlines()
    block = json.loads(line)
    block["pairs"][0][0][0] += 1
    other.write_text(f"{head}\n{json.dumps(block)}\n")
    assert "pair 0 of fcpa has another result than in a file before it" in refused(
        "--merge", first, other, "--results", out
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",), "'random' does not report its strategy"),
        (("nobody",), "unknown player 'nobody'"),
        (("fold", "--setting", "fcpa:9"), "unknown setting 'fcpa:9'"),
        (("fold", "--hands", 1), "--hands"),
        (("fold", "--base", "self", "--setting", "fc"), "the setting 'fc' begins before the flop"),
        (("fold", "--base", "self", "--game", "holdem.limit.2p.reverse_blinds"), "no-limit games only"),
        (("random", "--base", "self"), "'random' does not report its strategy"),
        (("fold", "--game", "kuhn.limit.2p"), "heads-up hold'em with equal stacks"),
        (("fold", "--json", "/dev/null/x.json"), "/dev/null is not a folder"),
    ],
)
def test_bad_input_is_one_message(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, output, error = run("lbr", *arguments)
    assert code == 2
    assert output == ""
    assert message in error
    assert "Traceback" not in error


def test_an_interruption_prints_what_is_known(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play = lbr_module.play_lbr

    def interrupted(*arguments: object) -> object:
        blocks = play(*arguments)  # type: ignore[arg-type]
        yield next(blocks)
        raise KeyboardInterrupt

    monkeypatch.setattr(lbr_module, "play_lbr", interrupted)
    file = tmp_path / "lbr.json"
    code, output, error = run("lbr", "fold", "--hands", 1000, "--setting", "fcpa", "--json", file)
    assert code == 130
    assert output.splitlines()[-1].split()[:2] == ["fcpa", "50"]
    assert error.strip().splitlines()[-1] == "interrupted"
    assert json.loads(file.read_text())["settings"][0]["hands"] == 50


def test_results_that_are_kept_are_not_played_again(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Broken off twice, once in the middle of a line, then with more hands: the same numbers as in one go."""
    results = tmp_path / "lbr.jsonl"
    command = ("lbr", "call", "--setting", "fcpa", "--setting", "fcpa:4", "--seed", 4)
    assert run(*command, "--hands", 60, "--results", results)[0] == 0
    whole = results.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 2
    results.write_bytes(b"".join(lines[:2]) + lines[2][:-20])
    played: list[int] = []
    play = lbr_module.play_lbr

    def watched(job: object, pairs: list[int], *others: object) -> object:
        played.extend(pairs)
        return play(job, pairs, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(lbr_module, "play_lbr", watched)
    documents = []
    for keep in (("--results", results), ()):
        file = tmp_path / "lbr.json"
        assert run(*command, "--hands", 100, *keep, "--json", file, "--overwrite")[0] == 0
        document = json.loads(file.read_text())["settings"]
        for row in document:
            del row["cpu_ms_per_hand"]
        documents.append(document)
    assert documents[0] == documents[1]
    assert [row["hands"] for row in documents[0]] == [100, 100]
    assert played == [*range(25, 50), *range(50), *range(50), *range(50)]
    assert results.read_bytes().startswith(b"".join(lines[:2]))


@pytest.mark.slow
@pytest.mark.process
def test_over_the_own_strategy_it_goes_on_where_it_stopped(run: Run, tmp_path: Path) -> None:
    """Two processes, broken off after two hands and gone on with, give the numbers of one process in one go."""
    results, documents = tmp_path / "lbr.jsonl", []
    command = ("lbr", "call", "--base", "self", "--setting", "fcpa:4", "--seed", 4)
    assert run(*command, "--hands", 2, "--results", results)[0] == 0
    for options in (("--results", results, "--jobs", 2), ()):
        file = tmp_path / "lbr.json"
        code, output, _ = run(*command, "--hands", 6, *options, "--json", file, "--overwrite")
        assert code == 0
        assert output.startswith("local best response over its own strategy against call, seed 4")
        documents.append(json.loads(file.read_text()))
        del documents[-1]["provenance"], documents[-1]["settings"][0]["cpu_ms_per_hand"]
    assert documents[0] == documents[1]
    assert documents[0]["base"] == "self"
    assert documents[0]["settings"][0]["integrated"]["mbb_per_hand"] > 10_000
    code, _, error = run("lbr", "call", "--setting", "fcpa:4", "--seed", 4, "--hands", 2, "--results", results)
    assert code == 2
    assert "another measurement: base is 'self' there and 'call' here" in error


def test_a_setting_given_twice_is_played_once(run: Run, tmp_path: Path) -> None:
    command = ("lbr", "fold", "--hands", 2, "--setting", "fcpa", "--setting", "fcpa", "--results", tmp_path / "r.jsonl")
    outputs = [run(*command) for _ in range(2)]
    assert [(code, len(output.splitlines())) for code, output, _ in outputs] == [(0, 5), (0, 5)]


def test_results_of_something_else_are_refused(run: Run, tmp_path: Path) -> None:
    results = tmp_path / "lbr.jsonl"
    assert run("lbr", "fold", "--hands", 2, "--results", results)[0] == 0
    text = results.read_text()
    code, _, error = run("lbr", "fold", "--hands", 2, "--seed", 2, "--results", results)
    assert (code, results.read_text()) == (2, text)
    assert "lbr.jsonl:1: these are results of another measurement: seed is 1 there and 2 here" in error
    results.write_text(text + "{}\n")
    code, _, error = run("lbr", "fold", "--hands", 2, "--results", results)
    assert code == 2
    assert "lbr.jsonl:3: no results of local best response: setting: field required" in error
    results.write_text("notes without a line end")
    code, _, error = run("lbr", "fold", "--hands", 2, "--results", results)
    assert (code, results.read_text()) == (2, "notes without a line end")
    assert "expected a line that says what is measured" in error
    code, _, error = run("lbr", "fold", "--hands", 2, "--results", "/dev/null/x")
    assert code == 2
    assert "/dev/null is not a folder" in error
