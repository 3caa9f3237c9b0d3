"""The count of words of the guide and of the share that speaks of the past."""

from __future__ import annotations

import pytest

from benchmarks.site.history import compare, count_words
from hedgehog.runtime.table import MISSING


@pytest.mark.parametrize(
    ("text", "words", "past"),
    [
        ("Three words here.\n\nTwo more.", 5, 0),
        ("Three words here.\n\nMeasured on 2026-11-20.", 6, 3),
        ("See the [notebook](notebook/2026-11-20-x.md).", 3, 0),
        ("It used to fold.\n\nIt is used too.", 8, 4),
        ("Figures of earlier packs.\n\nThe earlier street.", 7, 4),
        ("Four words on 2026-11-20:\n\n| a | b |\n|---|---|\n| c | d |\n\nOver.", 9, 8),
        ("Blueprints before the flop.\n\nThe blueprint before lost.", 8, 4),
    ],
)
def test_words_and_history(text: str, words: int, past: int) -> None:
    assert count_words(text) == (words, past)


def test_pages_that_only_one_side_has_are_left_empty() -> None:
    table = compare(
        {"a.md": "One two. On 2026-11-20.", "b.md": "One."}, {"a.md": "One two.", "c.md": "Three more words."}
    )
    assert table.texts() == [
        ["a.md", "4", "100 %", "2", "0 %"],
        ["b.md", "1", "0 %", "", ""],
        ["c.md", "", "", "3", "0 %"],
        ["all pages", "5", "80 %", "5", "0 %"],
    ]
    assert MISSING not in str(table)
