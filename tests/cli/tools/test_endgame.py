"""``hedgehog endgame``, run as a user runs it."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from hedgehog.analysis.endgame import summary
from tests.cli.command import Run

QUICK = ("endgame", "call", "--stack", "10bb", "--turn-sizes", "a/", "--river-sizes", "a/", "--value-iterations", 5)


def test_a_caller_is_measured(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "endgame.json"
    code, output, _ = run(*QUICK, "--turns", 2, "--json", file)
    assert code == 0
    lines = output.splitlines()
    assert lines[0] == "perfect play on turn and river against call, seed 1, 300 ms per decision"
    assert lines[1] == "2 of 2 turns from 2,000 hands of self-play; 1 % of the pot is 20.0 mbb per hand"
    assert lines[-1].startswith("CPU time: ")
    document = json.loads(file.read_text())
    assert (document["format"], document["seed"], document["player"]) == ("hedgehog.endgame", 1, "call")
    assert document["provenance"]["command"].startswith("hedgehog")
    # Betting all-in on every river with the better half of all hands wins more than the pot.
    assert 100 < document["percent_of_pot"]["mean"] < 500
    assert document["mbb_per_hand"]["mean"] == pytest.approx(20 * document["percent_of_pot"]["mean"])
    for row in document["results"]:
        assert row["pot"] == 200
        assert min(row["over_self_play"]) > 0
        for seat, lines in zip(row["over_self_play"], row["lines"], strict=True):
            assert sum(lines.values()) == pytest.approx(seat, abs=0.1)
        # What the two seats win beyond exact play is what they win beyond self-play.
        assert sum(row["over_exact_value"]) == pytest.approx(sum(row["over_self_play"]))


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("cluster", [False, True])
def test_the_same_result_on_any_engine(run: Run, tmp_path: Path, cluster: bool) -> None:
    """One process, two processes, and a cluster of two: the same figures and the same bytes of the results file."""
    results, files = [], set()
    ways: list[tuple[object, ...]] = [("--jobs", 1), ("--jobs", 2)]
    if cluster and find_spec("distributed") is not None:
        ways.append(("--dask", "local:2"))
    for number, way in enumerate(ways):
        file, kept = tmp_path / f"{number}.json", tmp_path / f"{number}.jsonl"
        assert run(*QUICK, "--turns", 3, *way, "--json", file, "--results", kept)[0] == 0
        files.add(kept.read_bytes())
        document = json.loads(file.read_text())
        for key in ("provenance", "cpu_s_per_turn_and_seat"):
            del document[key]
        for row in document["results"]:
            del row["cpu_s"]
        results.append(document)
    assert results == [results[0]] * len(ways)
    assert len(files) == 1


def test_files_of_several_machines_make_that_of_one(run: Run, tmp_path: Path) -> None:
    """In either order; files that do not go together are refused."""
    command = (*QUICK, "--turns", 3)
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    text = run(*command, "--results", whole)[1]
    parts = [tmp_path / f"part-{part}.jsonl" for part in (1, 2)]
    for part, (file, turns) in enumerate(zip(parts, (1, 2), strict=True), 1):
        code, output, _ = run(*command, "--part", f"{part}/2", "--results", file)
        assert (code, f"{turns} of 3 turns from" in output) == (0, True)
    for number, order in enumerate((parts, parts[::-1], [whole, *parts])):
        merged = tmp_path / f"merged-{number}.jsonl"
        code, output, _ = run("endgame", "--merge", *order, "--results", merged)
        assert (code, output) == (0, "3 turns are measured\n")
        assert merged.read_bytes() == whole.read_bytes()
    again = run(*command, "--results", tmp_path / "merged-0.jsonl")[1]
    assert again.splitlines()[:4] == text.splitlines()[:4]

    def refused(*words: object) -> str:
        code, output, error = run("endgame", *words)
        assert (code, output, out.exists()) == (2, "", False)
        return error

    assert "--merge: needs --results FILE" in refused("--merge", *parts)
    assert f"{tmp_path / 'none'}: cannot read it" in refused("--merge", parts[0], tmp_path / "none", "--results", out)
    assert "expected one player" in refused("call", "fold", "--results", out)
    other = tmp_path / "other.jsonl"
    other.write_text(parts[0].read_text().replace('"seed": 1', '"seed": 2'))
    message = f"{other}:1: these are results of another measurement: seed is 2 there and 1 here"
    assert message in refused("--merge", parts[1], other, "--results", out)
    other.write_text(parts[0].read_text().replace('"questions": ', '"questions": 1'))
    assert "has another result than in a file before it" in refused("--merge", whole, other, "--results", out)
    other.write_text("")
    assert "holds no results yet" in refused("--merge", other, parts[0], "--results", out)


def test_turns_that_are_kept_are_not_measured_again(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Broken off in the middle of a line, then with more turns: each turn is measured once."""
    results = tmp_path / "turns.jsonl"
    command = (*QUICK, "--results", results)
    assert run(*command, "--turns", 2)[0] == 0
    lines = results.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    results.write_bytes(lines[0] + lines[1] + lines[2][:-20])
    measured: list[int] = []
    measure = summary.measure_turns

    def watched(job: object, turns: list[object], *others: object) -> object:
        measured.append(len(turns))
        return measure(job, turns, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(summary, "measure_turns", watched)
    assert run(*command, "--turns", 2)[0] == 0
    assert run(*command, "--turns", 2)[0] == 0
    assert measured == [1, 0]
    assert len(results.read_bytes().splitlines()) == 3


def test_an_interruption_prints_what_is_known(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    measure = summary.measure_turns

    def interrupted(*arguments: object) -> object:
        yield next(iter(measure(*arguments)))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(summary, "measure_turns", interrupted)
    file = tmp_path / "endgame.json"
    code, output, error = run(*QUICK, "--turns", 2, "--json", file)
    assert code == 130
    assert "1 of 2 turns" in output
    assert error.strip().splitlines()[-1] == "interrupted"
    assert json.loads(file.read_text())["percent_of_pot"]["ci95"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",), "'random' does not report its strategy"),
        (("nobody",), "unknown player 'nobody'"),
        (("call", "--turns", 0), "--turns"),
        (("call", "--turn-sizes", "33"), "expected a bet size"),
        (("call", "--game", "kuhn.limit.2p"), "heads-up no-limit hold'em only"),
        (("fold",), "in none of 4000 hands"),
        (("call", "--json", "/dev/null/x.json"), "/dev/null is not a folder"),
    ],
)
def test_bad_input_is_one_message(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, output, error = run("endgame", *arguments)
    assert code == 2
    assert output == ""
    assert message in error
    assert "Traceback" not in error


def test_results_of_something_else_are_refused(run: Run, tmp_path: Path) -> None:
    results = tmp_path / "turns.jsonl"
    command = (*QUICK, "--turns", 1, "--results", results)
    assert run(*command)[0] == 0
    text = results.read_text()
    code, _, error = run(*command, "--seed", 7)
    assert (code, "seed is 1 there and 7 here" in error) == (2, True)
    lines = text.splitlines(keepends=True)
    results.write_text(lines[0] + lines[1] + lines[1])
    assert "a turn whose result stands above" in run(*command)[2]
    results.write_text(lines[0] + lines[1].replace("cc/cc/", "cc/r200c/"))
    assert "of another turn" in run(*command)[2]
    results.write_text("something else")
    assert "no results of turns" in run(*command)[2]
