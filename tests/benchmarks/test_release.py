"""Reasons not to release, on small checkouts; `make release-check` itself builds and installs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.release import refusals
from hedgehog.runtime.packages import ROOT

MANIFEST = "kind: blueprint\nprovenance:\n  date: '2026-11-20'\nconfig:\n  menu: [1\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is ready to be released."""
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2026-12-01)\n\n- News.\n")
    (tmp_path / "README.md").write_text("# Hedgehog\n")
    for name in ("blueprint", "blueprint-10bb"):
        pack = tmp_path / "strategies" / "packs" / name
        pack.mkdir(parents=True)
        (pack / "manifest.yaml").write_text(MANIFEST)
    (tmp_path / "docs").mkdir()
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "all"], check=True)
    return tmp_path


def test_a_clean_checkout_of_a_release_is_ready(checkout: Path) -> None:
    assert refusals.refusals(checkout) == []


def test_a_dirty_tree_is_refused(checkout: Path) -> None:
    (checkout / "new.txt").write_text("")
    (found,) = refusals.refusals(checkout)
    assert "1 changes that are not committed, such as ?? new.txt" in found


@pytest.mark.parametrize("heading", ["Unreleased", "1.2.2 (2026-12-01)", "1.2.3"])
def test_an_unreleased_section_is_refused(checkout: Path, heading: str) -> None:
    (checkout / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n\n## 1.2.3 (2026-12-01)\n")
    assert list(refusals.unreleased(checkout)) == [
        f"CHANGELOG.md: the first section is {heading!r}, expected '1.2.3 (YYYY-MM-DD)'"
    ]


def test_a_version_of_no_release_is_refused(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_text('[project]\nversion = "1.2.3.dev0"\n')
    assert "1.2.3.dev0 is none of a release" in next(refusals.unreleased(checkout))


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("`hedgehog lbr default`, 2026-11-19:\n\n| a |\n|---|\n", True),
        ("`hedgehog lbr\ndefault`, 2026-11-21.", False),
        ("`hedgehog solve spot.yaml`, 2026-11-19.", False),
        ("`hedgehog lbr default` ([then](notebook/2026-11-19-lbr.md))", False),
        ("`hedgehog lbr default` says it.\n\nMeasured on 2026-11-19.", False),
        ("Of 2026-11-19, `hedgehog match a b`:\n\n| a |\n|---|\n| 2026-11-21 |", False),
    ],
)
def test_figures_older_than_their_packs_are_refused(checkout: Path, text: str, stale: bool) -> None:
    (checkout / "docs" / "page.md").write_text(f"# Page\n\n{text}\n")
    found = list(refusals.stale_figures(checkout))
    expected = ["docs/page.md:3: figures of 2026-11-19, but the packs are of 2026-11-20"]
    assert found == (expected if stale else [])


def test_a_figure_is_compared_with_the_packs_that_it_names(checkout: Path) -> None:
    pack = checkout / "strategies" / "packs" / "blueprint-10bb" / "manifest.yaml"
    pack.write_text(MANIFEST.replace("20'", "22'"))
    for name, stale in (("blueprint", 0), ("blueprint-10bb", 1)):
        (checkout / "docs" / "page.md").write_text(f"`hedgehog lbr pack:strategies/packs/{name}`, 2026-11-21\n")
        assert len(list(refusals.stale_figures(checkout))) == stale


def test_a_figure_of_a_limit_game_is_compared_with_the_limit_packs(checkout: Path) -> None:
    limit = checkout / "strategies" / "packs" / "limit-3p" / "manifest.yaml"
    limit.parent.mkdir()
    limit.write_text(MANIFEST.replace("20'", "18'"))
    (checkout / "docs" / "page.md").write_text("`hedgehog match a b c --game holdem.limit.3p`, 2026-11-19\n")
    assert list(refusals.stale_figures(checkout)) == []
    limit.write_text(MANIFEST.replace("20'", "22'"))
    assert len(list(refusals.stale_figures(checkout))) == 1


def test_the_guide_has_no_stale_figure() -> None:
    assert list(refusals.stale_figures(ROOT)) == []


def test_every_shipped_pack_has_a_date() -> None:
    dates = refusals.pack_dates(ROOT / "strategies" / "packs")
    assert {*refusals.OURS, *refusals.OURS_IN_LIMIT} <= set(dates)
    assert all(refusals.DATE.fullmatch(date) for date in dates.values())
