"""The site's pages, links and reference, without building it (`make docs` does)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.site import check, sources


def test_links_of_pages_are_moved_to_their_places_on_the_site() -> None:
    text = "[a](solver.md#x) [b](../README.md) [c](../poker/cards.py) ![d](tree.svg) [e](https://x.org)\n"
    assert sources.with_site_links("docs/games.md", text) == (
        "[a](solver.md#x) [b](index.md) [c](source/poker/cards.py.md) ![d](tree.svg) [e](https://x.org)\n"
    )
    notebook = sources.with_site_links("docs/notebook/one.md", "[a](../README.md) [b](../examples/foils.yaml)")
    assert notebook == "[a](../pages.md) [b](../source/docs/examples/foils.yaml.md)"
    assert sources.with_site_links("README.md", "[a](docs/aivat.md)") == "[a](aivat.md)"
    code = "```\n[a](../README.md)\n```\n"
    assert sources.with_site_links("docs/games.md", code) == code


def test_files_and_folders_that_pages_link_to_are_shown() -> None:
    pages = {"docs/games.md": "[a](../poker/cards.py) [b](../strategies/configs) [c](solver.md)"}
    assert sources.source_files(pages) == ["poker/cards.py", "strategies/configs"]
    assert "def parse_cards" in sources.source_page("poker/cards.py")
    assert "- `default-blueprint.yaml`" in sources.source_page("strategies/configs")


def test_docstrings_become_markdown() -> None:
    text = "Uses :func:`~hedgehog.a.solve` on ``x``::\n\n    code\n\n>>> 1 + 1\n2\n\nEnd."
    assert sources.as_markdown(text, {"hedgehog.a.solve": "hedgehog.a.solve"}) == (
        "Uses [`solve`][hedgehog.a.solve] on `x`:\n\n    code\n\n```pycon\n>>> 1 + 1\n2\n```\n\nEnd."
    )
    assert sources.as_markdown(":mod:`hedgehog.poker`", {}) == "`hedgehog.poker`"


def test_the_reference_has_a_page_for_every_public_name() -> None:
    import hedgehog

    pages = sources.reference_pages()
    for name in hedgehog.__all__:
        assert f"::: {sources.exported('hedgehog')[name]}" in pages[f"reference/{name}.md"]
        assert f"]({name}.md): " in pages["reference/index.md"]
    assert "::: hedgehog.poker.cards.parse_card\n" in pages["reference/hedgehog.poker.md"]
    assert "[`parse_cards`](parse_cards.md)" in pages["reference/hedgehog.poker.md"]


def test_the_navigation_has_every_page_once() -> None:
    listed = [page for group in sources.navigation() for pages in group.values() for page in list(pages)]  # type: ignore[call-overload]
    assert len(listed) == len(set(listed))
    pages = {str(page.relative_to(sources.DOCS)) for page in sources.DOCS.rglob("*.md")} - {"README.md"}
    assert pages <= set(listed)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "search").mkdir()
    (tmp_path / "index.html").write_text('<a href="b.html#there">b</a> <a href="https://x.org">x</a>')
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1><script src="index.html"></script>')
    found = {"docs": [{"location": "index.html"}, {"location": "b.html#there"}]}
    (tmp_path / "search" / "search_index.json").write_text(json.dumps(found))
    return tmp_path


def test_a_whole_site_has_no_faults(site: Path) -> None:
    assert list(check.faults(site)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="c.html">c</a>', "links to c.html, which is not there"),
        ('<a href="index.html#gone">c</a>', "links to index.html#gone, where there is no such heading"),
        ('<a class="x" href=".">home</a>', "links to ., which is not there"),
        ('<script src="https://x.org/a.js"></script>', "loads from elsewhere"),
        ('<link rel="stylesheet" href="//x.org/a.css">', "loads from elsewhere"),
    ],
)
def test_faults_of_a_site_are_found(site: Path, text: str, fault: str) -> None:
    (site / "b.html").write_text('<h1 id="there">B</h1>' + text)
    (found,) = check.faults(site)
    assert fault in found


def test_a_page_that_the_search_does_not_know_is_found(site: Path) -> None:
    (site / "new.html").write_text("")
    assert list(check.faults(site)) == ["the search does not know new.html"]
