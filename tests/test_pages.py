"""The pages for readers: links, anchors, paths, commands and options exist, and every page is in the index."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from benchmarks.pictures import draw_rooms
from hedgehog.cli.log.grade import show
from hedgehog.cli.main import cli
from hedgehog.runtime.packages import PACKAGES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GUIDE = (DOCS, DOCS / "validation")
"""The folders of the pages for users; the notebook is apart."""
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
SOURCE = re.compile(rf"`((?:{'|'.join([*PACKAGES, 'benchmarks', 'docs', 'tests'])})/[\w./-]+)(?:::\w+)?`")


FILE = re.compile(r"(?<![\w./])(?:benchmarks|tests|docs|strategies)/[\w./-]+\.(?:py|yaml)")
MODULE = re.compile(rf"`(hedgehog\.(?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?:\(.*\))?`")
COMMAND = re.compile(r"(?:\$ )?(?:\.venv/bin/)?hedgehog (\w[^|&;>#]*)")
BENCHMARK = re.compile(r"python -m\s(benchmarks\.[\w.]+)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def prose(page: Path) -> str:
    """Returns the text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    return [target for target in LINK.findall(prose(page)) if "://" not in target]


def linked_files(page: Path) -> set[Path]:
    return {(page.parent / target.partition("#")[0]).resolve() for target in links(page)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_exist(page: Path) -> None:
    names = SOURCE.findall(prose(page)) + FILE.findall(page.read_text())
    assert [name for name in names if not (ROOT / name).exists()] == []


def commands(page: Path) -> Iterator[str]:
    """Yields what follows ``hedgehog`` in the code of a page, up to the end of the command."""
    blocks = re.findall(r"^```.*?\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    code = [" ".join(part.split()) for part in re.findall(r"`([^`]+)`", prose(page))]
    for line in (*code, *"".join(blocks).splitlines()):
        if found := COMMAND.match(line):
            yield found[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_and_functions_that_a_page_names_exist(page: Path) -> None:
    if page.name != "CHANGELOG.md":  # names modules that have moved
        for name in MODULE.findall(prose(page)):
            pkgutil.resolve_name(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_options_exist(page: Path) -> None:
    for text in commands(page):
        command: click.Command = cli
        for word in text.split():
            if not isinstance(command, click.Group):
                break
            context = click.Context(command)
            begins = any(name.startswith(word) for name in command.list_commands(context))
            assert begins or word.startswith("-") or word.isupper(), text
            command = command.get_command(context, word) or command
        if text.startswith("grade show"):  # reads like a subcommand of a command that is no group
            command = show
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert set(OPTION.findall(text)) <= known | {"--help"}, text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_benchmarks_that_a_page_runs_exist(page: Path) -> None:
    for name in BENCHMARK.findall(page.read_text()):
        assert name == "benchmarks.NAME" or isinstance(pkgutil.resolve_name(f"{name}:main"), click.Command)


def test_the_commands_of_the_pages_are_found() -> None:
    assert 'query my-solve --line "X B150 C 6d" --tree' in commands(DOCS / "commands.md")
    assert "log show log_limit3p.log --hand 2" in commands(DOCS / "hand-histories.md")


def test_the_index_has_every_page_and_no_file_is_an_orphan() -> None:
    listed = linked_files(DOCS / "README.md")
    guide = {page for page in PAGES if page.parent in GUIDE}
    assert guide - {DOCS / "README.md"} <= listed
    used = set().union(*(linked_files(page) for page in PAGES))
    assert [path.name for path in DOCS.glob("*.*") if path not in used] == []
    assert DOCS / "README.md" in linked_files(ROOT / "README.md")


MOST_WORDS = 1600
LONGER = {
    "commands.md": "one table of every command, for looking up",
    "bot-authors.md": "the whole protocol on one page, for authors without a network",
}
"""Pages that are longer, and why."""


def test_pages_of_the_guide_are_short() -> None:
    words = {page.name: len(page.read_text().split()) for page in PAGES if page.parent in GUIDE}
    assert {name: count for name, count in words.items() if count > MOST_WORDS and name not in LONGER} == {}
    assert [name for name in LONGER if words[name] <= MOST_WORDS] == [], "no longer an exception"
    assert max(words.values()) < 2600


def test_every_page_of_the_notebook_is_dated_and_linked_from_the_guide() -> None:
    notebook = DOCS / "notebook"
    pages = set(notebook.glob("*.md")) - {notebook / "README.md"}
    assert pages <= linked_files(notebook / "README.md")
    assert pages <= set().union(*(linked_files(page) for page in PAGES if page.parent == DOCS))
    for page in pages:
        date = re.match(r"\d{4}-\d{2}-\d{2}(?=-[a-z])", page.name)
        assert date, page.name
        assert page.read_text().startswith(f"# {date[0]}: "), page.name


def test_the_picture_of_the_rooms_shows_what_is_there() -> None:
    assert draw_rooms.PICTURE.read_text() == draw_rooms.draw(), "run python -m benchmarks.pictures.draw_rooms"
    drawn = {package: set(draw_rooms.ROOMS.get(package, ())) for package in draw_rooms.PACKAGES}
    assert sorted(package for layer in draw_rooms.layers() for package in layer) == sorted(drawn) == sorted(PACKAGES)
    for package, rooms in drawn.items():
        here = {folder.parent.name for folder in (ROOT / package).glob("*/__init__.py")}
        assert here <= rooms, package
        assert all((ROOT / package / room).is_dir() for room in rooms), package
