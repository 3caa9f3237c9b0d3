"""``hedgehog grade --part`` and ``--merge``, with decisions before the flop, for which nothing is solved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgehog.analysis.grading import parts as grading_parts
from tests.analysis.grading.hand_logs import RIVERS, write_log
from tests.cli.command import Run

STREET = ("--street", "preflop", "--depth", "quick")
ALICE = ("--player", "alice", *STREET)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five hands, of which two are in a file of a store."""
    monkeypatch.setattr(grading_parts, "HANDS_PER_QUICK_PART", 2)
    return write_log(tmp_path, RIVERS)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def grade_in_parts(run: Run, log: Path, number: int, *options: object) -> list[Path]:
    """Grades all parts and returns their stores."""
    stores = [log.parent / f"part-{part}-of-{number}" for part in range(1, number + 1)]
    for part, store in enumerate(stores, 1):
        code, _, errors = run("grade", log, *options, "--part", f"{part}/{number}", "--store", store)
        assert code == 0
        assert f"part {part}/{number}: " in errors
    return stores


def test_stores_of_several_machines_make_that_of_one(run: Run, log: Path) -> None:
    """In either order; also if there are more parts than hands. Then the grading goes on with nothing left to grade."""
    folder = log.parent
    code, report, _ = run("grade", log, *ALICE, "--store", folder / "whole")
    whole = files_of(folder / "whole")
    assert (code, sorted(whole)) == (0, ["grading.json", *(f"part-00000{number}.json" for number in range(3))])
    for number in (2, 6):
        parts = grade_in_parts(run, log, number, *ALICE)
        before = [files_of(store) for store in parts]
        for order in (parts, parts[::-1]):
            merged = folder / f"{order[0].name}-merged"
            assert run("grade", "--merge", *order, "--store", merged) == (0, "alice: 5 hands are graded\n", "")
            assert files_of(merged) == whole
        assert [files_of(store) for store in parts] == before
    assert run("grade", "show", merged)[1] == report
    assert run("grade", log, *ALICE, "--store", merged)[:2] == (0, report)
    assert files_of(merged) == whole


def test_a_part_is_shown_as_one(run: Run, log: Path) -> None:
    _, second = grade_in_parts(run, log, 2, *ALICE)
    code, out, errors = run("grade", "show", second)
    assert (code, errors, "alice, 3 hands graded" in out) == (0, "part 2/2: 3 of 5 hands\n", True)
    assert [path.name for path in sorted(second.glob("part-*"))] == ["part-000000.json", "part-000001.json"]


def test_both_players_are_merged_into_a_folder_each(run: Run, log: Path) -> None:
    both, merged = ("--player", "alice", "--player", "bob", *STREET), log.parent / "merged"
    assert run("grade", log, *both, "--store", log.parent / "whole")[0] == 0
    parts = grade_in_parts(run, log, 2, *both)
    assert run("grade", "--merge", *parts, "--store", merged)[0] == 0
    assert files_of(merged) == files_of(log.parent / "whole")
    alone = log.parent / "alone"
    assert run("grade", log, *ALICE, "--part", "1/2", "--store", alone)[0] == 0
    code, _, error = run("grade", "--merge", alone, parts[1], "--store", log.parent / "new")
    assert (code, error) == (2, f"error: {parts[1]}: has stores of other players than {alone}\n")


def test_a_merge_that_was_killed_goes_on(run: Run, log: Path) -> None:
    """With its first files; a store with other grades in it stays as it is."""
    parts, merged = grade_in_parts(run, log, 2, *ALICE), log.parent / "merged"
    words = ("grade", "--merge", *parts, "--store", merged)
    assert run(*words)[0] == 0
    whole = files_of(merged)
    last = merged / "part-000002.json"
    last.unlink()
    assert run(*words)[0] == 0
    assert files_of(merged) == whole
    last.write_text(last.read_text().replace('"opponent":"bob"', '"opponent":"BOB"'))
    changed = files_of(merged)
    code, _, error = run(*words)
    assert (code, files_of(merged)) == (2, changed)
    assert error == f"error: {last}: has other grades than the parts: expected another folder\n"


def test_stores_that_do_not_go_together_are_refused(run: Run, log: Path) -> None:
    """With one line; nothing is written or replaced."""
    folder = log.parent
    new = folder / "new"
    one, two, three = grade_in_parts(run, log, 3, *ALICE)
    for name, options in {
        "bob": ("--player", "bob", *STREET, "--part", "2/3"),
        "normal": ("--player", "alice", "--street", "preflop", "--part", "2/3"),
        "first": (*ALICE, "--first", "3", "--part", "2/3"),
        "halves": (*ALICE, "--part", "2/2"),
        "whole": ALICE,
    }.items():
        assert run("grade", log, *options, "--store", folder / name)[0] == 0
    before = files_of(folder)

    def refused(*words: object) -> str:
        code, output, error = run("grade", *words)
        assert (code, output, error.lower().count("error: "), files_of(folder)) == (2, "", 1, before)
        return error

    def unmerged(*stores: Path) -> str:
        return refused("--merge", *stores, "--store", new)

    bob, normal, first, halves, whole = (folder / name for name in ("bob", "normal", "first", "halves", "whole"))
    assert unmerged(one, three) == "error: part 2/3 is missing: expected all parts\n"
    assert "part 2/3 and 1 more are missing" in unmerged(one)
    assert f"{two}: holds part 2/3 as {two} does" in unmerged(one, two, two, three)
    assert f"{bob}: player is bob there and alice in {one}" in unmerged(one, bob, three)
    assert f"{normal}: depth is normal there and quick in {one}" in unmerged(one, normal, three)
    assert f"{first}: is a part of other hands, settings or packs than {one}" in unmerged(one, first, three)
    assert f"{halves}: part 2/2 does not go with part 1/3 in {one}" in unmerged(one, halves)
    assert f"{whole}: holds no part of hands" in unmerged(whole, two)
    assert "x" * 300 in unmerged(folder / ("x" * 300), one)
    for none in (log, folder / "nothing"):
        assert f"{none}: expected a store of hedgehog grade --store" in unmerged(none, one)
        assert f"{none}: expected a store of hedgehog grade --store" in unmerged(one, none)
    assert f"{one}: holds an input" in refused("--merge", one, two, three, "--store", one)
    assert f"{bob}: holds parts of other hands" in refused("--merge", one, two, three, "--store", bob)
    assert f"{whole}: holds all of these hands" in refused(log, *ALICE, "--part", "1/3", "--store", whole)
    assert f"{one}: holds part 1/3 of these hands alone" in refused(log, *ALICE, "--store", one)
    assert f"{one}: holds part 1/3 of these hands alone" in refused(log, *ALICE, "--part", "1/2", "--store", one)
    assert "expected a part such as 1/2" in refused(log, *ALICE, "--part", "0/2", "--store", new)
    assert "Missing option '--player'" in refused(log)
    settings = json.loads((two / "grading.json").read_text())
    for part in ({"part": "2/3", "of": 500, "size": 2}, {"part": "2/3"}, None, {**settings["part"], "size": 0}):
        (two / "grading.json").write_text(json.dumps({**settings, "part": part}))
        before = files_of(folder)
        assert f"{two / 'grading.json'}: is damaged" in unmerged(one, two, three)
    (two / "grading.json").write_text(json.dumps(settings))
    (two / "part-000000.json").unlink()
    before = files_of(folder)
    assert f"{two}: holds 0 of 2 hands: expected a part that is finished" in unmerged(one, two, three)
