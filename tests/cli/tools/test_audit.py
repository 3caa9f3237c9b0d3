"""``hedgehog audit`` as a user calls it."""

from __future__ import annotations

import json
import logging
from importlib.util import find_spec
from pathlib import Path

import pytest

from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.specs import make_player, parse_player_spec, start_player
from hedgehog.analysis import fold_audit
from hedgehog.analysis.audit_bets import AuditJob
from hedgehog.analysis.fold_audit import BIG_BLIND_SEAT, Probe
from hedgehog.poker.acpc.gamedef import load_gamedef
from tests.cli.command import Run


def test_a_caller_does_not_leak(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    code, out, _ = run("audit", "call", "--boards", "1", "--tolerance", "0", "--top", "3", "--json", file)
    assert code == 0
    assert "0 of " in out
    result = json.loads(file.read_text())
    assert "Infinity" not in file.read_text()  # from one board there is no standard error
    assert (result["player"], result["boards"], result["seed"]) == ("call", 1, 0)
    assert {bet["street"] for bet in result["bets"]} == {"preflop", "flop", "turn", "river"}
    first = result["bets"][0]
    assert f"{first['profit_mbb']:+,.0f}" in out
    assert all(bet["fold"] == 0 < bet["alpha"] for bet in result["bets"])


@pytest.mark.process
@pytest.mark.parametrize("cluster", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_same_bytes_on_any_engine(run: Run, tmp_path: Path, cluster: bool) -> None:
    """Board by board; what is audited without an engine is the same, too."""
    ways: dict[str, tuple[object, ...]] = {"one": (), "two": ("--jobs", 2)}
    if cluster and find_spec("distributed") is not None:
        ways["dask"] = ("--dask", "local:2")
    found = {}
    for name, options in ways.items():
        file = tmp_path / f"{name}.json"
        kept = tmp_path / f"{name}.jsonl"
        words = ("audit", "checkraise", "--boards", 3, "--seed", 2, *options)
        code, out, error = run(*words, "--json", file, "--results", kept)
        assert code == 0, error
        found[name] = out.replace(str(file), "FILE"), file.read_bytes(), kept.read_bytes()
    assert set(found.values()) == {found["one"]}
    player = make_player("checkraise")
    assert isinstance(player, ReportsStrategy)
    start_player(player, load_gamedef(), 0)
    bets = fold_audit.audit_folds(player, load_gamedef(), boards=3, seed=2)
    assert bets == fold_audit.audit_player(AuditJob(parse_player_spec("checkraise"), load_gamedef(), seed=2), 3)
    rows = json.loads(found["one"][1])["bets"]
    assert len(rows) == sum(bet.reach >= 0.005 for bet in bets)


def test_boards_that_are_kept_are_not_audited_again(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Broken off in the middle of a line, then with more boards: the same figures as in one go."""
    results, whole = tmp_path / "audit.jsonl", tmp_path / "whole.json"
    command = ("audit", "checkraise", "--seed", 2)
    assert run(*command, "--boards", 4, "--json", whole)[0] == 0
    assert run(*command, "--boards", 3, "--results", results)[0] == 0
    lines = results.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 3
    results.write_bytes(lines[0] + lines[2] + lines[1][:-20])
    audited: list[int] = []
    on_board = fold_audit._Lines.on_board

    def watched(self: fold_audit._Lines, player: ReportsStrategy, number: int, board: tuple[int, ...]) -> object:
        audited.append(number)
        return on_board(self, player, number, board)

    monkeypatch.setattr(fold_audit._Lines, "on_board", watched)
    for name in ("first.json", "second.json"):
        assert run(*command, "--boards", 4, "--results", results, "--json", tmp_path / name)[0] == 0
        assert (tmp_path / name).read_bytes() == whole.read_bytes()
    assert audited == [0, 2, 3]
    assert results.read_bytes().startswith(b"".join(lines))
    code, _, error = run("audit", "checkraise", "--seed", 3, "--results", results)
    assert (code, "seed is 2 there and 3 here" in error) == (2, True)
    results.write_bytes(b"".join([lines[0], lines[1], lines[1]]))
    assert "a board whose result stands above" in run(*command, "--results", results)[2]


def test_files_of_several_machines_make_that_of_one(run: Run, tmp_path: Path) -> None:
    """In either order; the tables are those of one machine. Files that do not go together are refused."""
    command = ("audit", "checkraise", "--seed", 2, "--boards", 3)
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    text = run(*command, "--results", whole)[1]
    one, two, three = parts = [tmp_path / f"part-{part}.jsonl" for part in (1, 2, 3)]
    for part, file in enumerate(parts, 1):
        code, output, _ = run(*command, "--part", f"{part}/3", "--results", file)
        assert (code, output) == (0, "1 of 3 boards are audited: the other parts are missing\n")
    kept = [file.read_bytes() for file in parts]
    for order in (parts, parts[::-1], parts):  # the last time there is nothing new
        merged = tmp_path / f"merged-{parts.index(order[0])}.jsonl"
        assert run("audit", "--merge", *order, "--results", merged)[:2] == (0, "3 boards are audited\n")
        assert merged.read_bytes() == whole.read_bytes()
    assert run(*command, "--results", merged)[1] == text
    before = merged.read_bytes()

    def refused(*words: object) -> str:
        code, output, error = run("audit", *words)
        assert (code, output, out.exists(), error.lower().count("error: ")) == (2, "", False, 1)
        return error

    assert "--merge: needs --results FILE" in refused("--merge", *parts)
    assert "--part: needs --results FILE" in refused("call", "--part", "1/2")
    assert "expected a part such as 1/2" in refused("call", "--part", "3/2", "--results", out)
    assert "expected one player" in refused("call", "fold", "--results", out)
    assert "--tolerance does not go with --merge" in refused("--merge", one, "--results", out, "--tolerance", 3)
    assert f"{one}: belongs to the input" in refused("--merge", *parts, "--results", one)
    assert "board 1 is in none of the files" in refused("--merge", one, three, "--results", out)
    assert f"{whole}: holds board 1 as {two} does" in refused("--merge", two, whole, "--results", out)
    assert "holds board 0 as" in refused("--merge", one, one, "--results", out)
    other = tmp_path / "other.jsonl"
    other.write_text(two.read_text().replace('"seed": 2', '"seed": 3'))
    assert "another measurement: seed is 3 there and 2 here" in refused("--merge", one, other, "--results", out)
    other.write_text(one.read_text().replace("[[0, ", "[[1, ", 1))
    assert f"board 0 has another result than in {merged}" in refused("--merge", other, "--results", merged)
    other.write_text("")
    assert "holds no results yet" in refused("--merge", one, other, "--results", out)
    assert ([file.read_bytes() for file in parts], merged.read_bytes()) == (kept, before)


def test_a_tolerance_is_for_the_exit_code(run: Run) -> None:
    """Who always folds gives up 750 mbb to an open-jam, every time."""
    code, out, _ = run("audit", "fold", "--boards", "2")
    assert (code, "earn a bluff" in out) == (0, False)
    code, out, _ = run("audit", "fold", "--boards", "2", "--tolerance", "100")
    assert code == 1
    assert "earn a bluff more than 100 mbb" in out


def test_a_player_that_thinks_solves_the_river(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    probe = Probe(BIG_BLIND_SEAT, ("r250", *"cccccc", "0.6"))  # a size that the packs lack
    monkeypatch.setattr(fold_audit, "default_probes", lambda: [probe])
    found = []
    for think_ms in (0, 100):
        file = tmp_path / f"{think_ms}.json"
        with caplog.at_level(logging.DEBUG, "hedgehog.agent.strategy.live"):
            assert run("audit", "default", "--boards", "1", "--think-ms", str(think_ms), "--json", file)[0] == 0
        document = json.loads(file.read_text())
        assert document["think_ms"] == think_ms
        (bet,) = document["bets"]
        assert (bet["street"], bet["line"], bet["bet"]) == ("river", "r250 c/c c/c c/c", "0.6")
        assert 0 < bet["fold"] < 1
        found.append(bet)
        solved = [record.args[0] for record in caplog.records if isinstance(record.args, tuple)]
        assert ("r250c/cc/cc/cr550" in solved) == (think_ms > 0)
    assert found[0]["alpha"] == found[1]["alpha"]
    assert found[0]["fold"] != found[1]["fold"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "the player 'random' does not report its strategy"),
        (["cmd:./bot"], "is a program of its own"),
        (["nobody"], "unknown player 'nobody'"),
        (["call", "--json", "/dev/null/x.json"], "/dev/null is not a folder"),
    ],
)
def test_bad_input(run: Run, arguments: list[str], message: str) -> None:
    code, _, err = run("audit", *arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
