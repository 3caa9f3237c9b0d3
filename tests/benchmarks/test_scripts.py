"""Every benchmark starts, is told as a module of the repository, and is used by a page."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.cli.command import Run

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "benchmarks").rglob("*.py")
    if "__main__" in path.read_text()
)
ABOUT_THE_CODE = {
    "benchmarks.measure_code",
    "benchmarks.find_duplicates",
    "benchmarks.mutate",
    "benchmarks.release.check",
}
PAGES = " ".join(" ".join(page.read_text().split()) for page in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_explains_itself(script: str, run: Run) -> None:
    code, output, errors = run(importlib.import_module(script).main, "--help")
    assert (code, errors) == (0, "")
    assert output.startswith("Usage: ")


@pytest.mark.parametrize("script", sorted(set(SCRIPTS) - ABOUT_THE_CODE))
def test_a_page_tells_how_its_figures_are_measured(script: str) -> None:
    assert f"-m {script}" in PAGES or f"{script.rpartition('.')[2]}.py" in PAGES
