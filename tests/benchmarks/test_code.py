"""What counts as code and as a duplicate, and that a revision is read without a checkout."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import click
import pytest
from click.testing import CliRunner

from benchmarks import measure_code
from benchmarks.find_duplicates import count_duplicates, find_duplicates
from benchmarks.find_duplicates import main as duplicates_command
from benchmarks.measure_code import code_lines, count_totals, imports_terminal, make_tables
from benchmarks.sources import Sources, read_sources

MODULE = '''\
"""A docstring
over two lines."""

import click  # a comment

# A comment.
LIMIT = 3
"""The docstring of a constant."""
TEXT = """a text
over two lines"""


def f() -> int:
    """Returns a number."""

    return (
        1
    )
'''


def sources(**files: str) -> Sources:
    return {PurePosixPath(name.replace("__", "/") + ".py"): text for name, text in files.items()}


def test_blank_lines_comments_and_docstrings_are_no_code() -> None:
    assert code_lines(MODULE) == 1 + 1 + 2 + 1 + 3
    assert code_lines("") == 0


def test_imports_of_the_terminal_are_found_wherever_they_stand() -> None:
    assert imports_terminal(MODULE)
    assert imports_terminal("def f() -> None:\n    from rich.table import Table\n")
    assert not imports_terminal("import richer\nfrom . import click\nfrom .rich import x\n")


def test_totals_tell_packages_from_tests() -> None:
    totals = dict(
        count_totals(sources(cli__a=MODULE, solver__b=MODULE, tests__test_x="def test_x() -> None:\n    pass\n"))
    )
    assert totals["files of the packages"] == 2
    assert totals["code lines of the packages"] == 16
    assert totals["code lines of cli"] == 8
    assert totals["code lines of the tests"] == 2
    assert totals["test functions"] == totals["test files"] == 1
    assert totals["modules outside cli that import rich or click"] == 1
    assert totals["folders of more than 20 files"] == 0


def test_two_revisions_give_the_change() -> None:
    before, after = sources(cli__x__a=MODULE), sources(cli__x__a=MODULE, cli__y__b="a = 1\n", poker__c="")
    rooms, totals = make_tables({"old": before, ".": after}, depth=2)
    assert rooms.rows == (("cli/x", 1, 8, 1, 8, 0), ("cli/y", 0, 0, 1, 1, 1), ("poker", 0, 0, 1, 0, 0))
    assert totals.records()[1] == {"what": "code lines of the packages", "value old": 8, "value here": 9, "change": 1}
    (one, _) = make_tables({".": after}, depth=1)
    assert one.rows == (("cli", 2, 9), ("poker", 1, 0))


RUN = "".join(f"    a{number} = b + {number}\n" for number in range(10))


def test_duplicates_are_found_at_their_full_length_whatever_their_layout() -> None:
    first = f'def f(b: int) -> None:\n    """Text."""\n{RUN}    first = 1\n'
    second = "import os\n\n\ndef g(b: int) -> None:\n" + RUN.replace(" = ", "  =  ")
    (found,) = find_duplicates(sources(a=first, b=second.replace("\n    a5", "\n\n    # Why.\n    a5")))
    assert (found.lines, found.first, found.second) == (10, (PurePosixPath("a.py"), 3), (PurePosixPath("b.py"), 5))
    assert count_duplicates(sources(a=first, b=first.replace("b + 5", "c + 5"))) == (0, 0)
    assert count_duplicates(sources(a=first, b=first.replace("b + 5", "c + 5")), 5) == (2, 6 + 5)


def test_a_module_repeats_itself_once() -> None:
    assert count_duplicates(sources(a=f"if b:\n{RUN}else:\n{RUN}")) == (1, 10)
    assert count_duplicates(sources(a="x = 1\n" * 12)) == (0, 0)  # a run does not overlap itself
    imports = "".join(f"import m{number}\n" for number in range(12))
    assert count_duplicates(sources(a=imports, b=imports)) == (0, 0)


def test_revisions_are_read_out_of_git() -> None:
    found = read_sources("HEAD")
    assert PurePosixPath("cli/main.py") in found
    assert not any(path.parts[:2] == ("hedgehog", "cli") for path in found)
    assert PurePosixPath("benchmarks/measure_code.py") in read_sources()
    with pytest.raises(click.BadParameter, match="no-such-revision"):
        read_sources("no-such-revision")


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_code, "read_sources", lambda revision: sources(cli__a=MODULE))
    data = tmp_path / "code.json"
    result = CliRunner().invoke(measure_code.main, ["old", ".", "--json", str(data)])
    assert result.exit_code == 0, result.output
    assert "files old" in result.output
    (row,) = json.loads(data.read_text())["rooms"]
    assert row == {"room": "cli", "files old": 1, "lines old": 8, "files here": 1, "lines here": 8, "change": 0}
    result = CliRunner().invoke(duplicates_command, ["runtime"])
    assert result.output.endswith("duplicates, 0 lines\n") or " lines: runtime/" in result.output
