"""Counts the words of every guide page, and the share of them that speaks of the past, in a commit and in the checkout.

    python -m benchmarks.site.history [REVISION]

A passage is a paragraph, a list or a table (with the paragraph before it). It speaks of the past if it has a date, as
figures of a day have, or words such as "used to" or "earlier version". The count is mechanical: it does not see history
that has neither, and takes dated figures of the present version for history. Pages of the notebook do not count.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from typing import Final

import click
from rich.console import Console

from benchmarks.common import run
from benchmarks.release.refusals import DATE, passages
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.packages import ROOT
from hedgehog.runtime.table import Column, Table

BEFORE: Final = "75ecdf0c^"
"""The last commit before the guide and the notebook were separated."""
PAST: Final = re.compile(
    r"\b(?:used to|until now|formerly|previously|at that time"
    r"|(?:earlier|previous|old|older) (?:versions?|packs?|blueprints?|figures?|trainings?|selves|self)"
    r"|(?:packs|blueprints?|versions?) before(?! the flop))\b",
    re.IGNORECASE,
)
_GUIDE: Final = re.compile(r"docs/(?:validation/)?[\w-]+\.md")
_WORD: Final = re.compile(r"\w[\w.,'%-]*")


def count_words(text: str) -> tuple[int, int]:
    """Returns the number of words of a page, and of those in passages that speak of the past."""
    total = past = 0
    for _, passage in passages(text):
        words = len(_WORD.findall(re.sub(r"\]\([^)]*\)", "]", passage)))
        total += words
        # The name of a page of the notebook is no date: it stands in the target of a link.
        if DATE.search(re.sub(r"\]\([^)]*\)", "]", passage)) or PAST.search(passage):
            past += words
    return total, past


def guide_at(revision: str) -> Iterator[tuple[str, str]]:
    """Yields name and text of the guide pages in a commit.

    :raises InputError: if there is no such commit.
    """
    for path in _git("ls-tree", "-r", "--name-only", revision, "docs").split():
        if _GUIDE.fullmatch(path):
            yield path.removeprefix("docs/"), _git("show", f"{revision}:{path}")


def _git(*words: str) -> str:
    found = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    if found.returncode:
        raise InputError(found.stderr.strip().splitlines()[-1])
    return found.stdout


def compare(before: dict[str, str], after: dict[str, str]) -> Table:
    """Returns a row for each page, by name, with its words and the share of history before and after."""
    rows = []
    for name in sorted(before.keys() | after.keys()):
        counts = [count_words(pages[name]) if name in pages else (None, None) for pages in (before, after)]
        rows.append((name, *_cells(*counts[0]), *_cells(*counts[1])))
    sums = [[sum(each) for each in zip(*map(count_words, pages.values()), strict=True)] for pages in (before, after)]
    rows.append(("all pages", *_cells(*sums[0]), *_cells(*sums[1])))

    def percent(share: float | None) -> str:
        return "" if share is None else f"{100 * share:.0f} %"

    def number(words: int | None) -> str:
        return "" if words is None else f"{words:,}"

    columns = [
        Column("page"),
        Column("words_before", "words before", number), Column("history_before", "history", percent),
        Column("words_after", "words after", number), Column("history_after", "history", percent),
    ]  # fmt: skip
    return Table("words", "Words of the guide, and the share that speaks of the past", columns, tuple(rows))


def _cells(words: int | None, past: int | None) -> tuple[int | None, float | None]:
    return words, past / words if words and past is not None else None


@click.command()
@click.argument("revision", default=BEFORE)
def main(revision: str) -> None:
    """Print the table, in Markdown, for a REVISION and the checkout."""
    docs = ROOT / "docs"
    pages = sorted([*docs.glob("*.md"), *docs.glob("validation/*.md")])
    after = {str(path.relative_to(docs)): path.read_text(encoding="utf-8") for path in pages}
    table = compare(dict(guide_at(revision)), after)
    console = Console(soft_wrap=True, highlight=False)
    for row in (table.headings(), ["---"] * len(table.columns), *table.texts()):
        console.print(f"| {' | '.join(row)} |", markup=False)


if __name__ == "__main__":
    run(main)
