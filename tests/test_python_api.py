"""The packages as a Python user meets them: public names, cheap imports, examples that run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hedgehog

ROOT = Path(__file__).parents[1]
PUBLIC = ("poker", "strategies", "solver", "gametheory", "agent", "dealer", "arena", "analysis", "interop")
INITS = [
    ROOT / "hedgehog" / "__init__.py",
    *sorted(
        file
        for package in PUBLIC
        for file in (ROOT / package).rglob("__init__.py")
        if "lazy_exports" in file.read_text()
    ),
]
PACKAGES = ["hedgehog", *(".".join(("hedgehog", *file.parent.relative_to(ROOT).parts)) for file in INITS[1:])]
OPTIONAL = {"hedgehog.interop.environments": ("gymnasium", "pettingzoo")}
"""Packages whose classes derive from those of libraries that need not be installed."""
HEAVY = {"numba", "scipy", "matplotlib", "numpy", "pydantic", "asyncio"}


def public_names(package: str) -> list[str]:
    names: list[str] = importlib.import_module(package).__all__
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there_and_documented(package: str) -> None:
    for library in OPTIONAL.get(package, ()):
        pytest.importorskip(library)
    module = importlib.import_module(package)
    modules = {file.stem for file in Path(str(module.__file__)).parent.iterdir()}
    for name in public_names(package):
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            assert (value.__doc__ or "").strip(), f"{package}.{name} has no docstring"
        assert name not in modules, f"{package}.{name} is also a module, which would hide it"


def documented_callables(name: str) -> dict[str, object]:
    """Returns a public name of ``hedgehog``, or the class, its public methods and what creates it."""
    value = getattr(hedgehog, name)
    if not inspect.isclass(value):
        return {name: value}
    own = [member for member, kind in vars(value).items() if inspect.isfunction(kind) and not member.startswith("_")]
    return {name: value, **{f"{name}.{member}": getattr(value, member) for member in own}}


@pytest.mark.parametrize("name", hedgehog.__all__)
def test_the_docstrings_of_every_day_name_every_parameter_and_the_result(name: str) -> None:
    """They are the reference of the site. What a derived class says is what its base class says, if it is silent."""
    for place, value in documented_callables(name).items():
        text = inspect.getdoc(value) or ""
        assert len(text.split()) > 3, place
        if inspect.isclass(value) and not inspect.isfunction(value.__init__):
            continue
        signature = inspect.signature(value)
        asked = set(signature.parameters) - {"self"}
        said = set(re.findall(r"^:param (\w+):", text, flags=re.MULTILINE))
        assert said == asked, f"{place} documents {sorted(said)}, takes {sorted(asked)}"
        if inspect.isfunction(value) and signature.return_annotation != "None":
            assert re.search(r"\b[Rr]eturns?\b|\b[Yy]ields\b|^:returns:", text, flags=re.MULTILINE), place


@pytest.mark.parametrize(("package", "file"), zip(PACKAGES, INITS, strict=True), ids=PACKAGES)
def test_the_names_of_a_package_are_those_that_type_checkers_see(package: str, file: Path) -> None:
    block = next(node for node in ast.parse(file.read_text()).body if isinstance(node, ast.If))
    imported = [alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(public_names(package)) == sorted(imported)


def test_packages_show_every_name_once_to_dir_and_refuse_others() -> None:
    from hedgehog import poker

    scope: dict[str, object] = {}
    exec("from hedgehog.poker import *", scope)
    assert scope["parse_cards"] is poker.parse_cards
    with pytest.raises(AttributeError, match=r"module 'hedgehog\.poker' has no attribute 'parse_crads'"):
        poker.parse_crads  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_packages_loads_nothing_heavy() -> None:
    code = f"import sys, {', '.join(PACKAGES)}; print(*sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.fixture
def folder_of_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with the files that the examples name."""
    for name in ("docs", "strategies", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


PAGES = [ROOT / "docs/python.md", ROOT / "docs/python-play.md", ROOT / "docs/games.md", ROOT / "docs/openspiel.md"]


@pytest.mark.parametrize(
    "file",
    [
        *(pytest.param(file, id=package) for file, package in zip(INITS, PACKAGES, strict=True)),
        # Our player plays matches in one of them, which takes ten seconds.
        *(pytest.param(page, id=page.name, marks=[pytest.mark.slow] * (page.stem == "python-play")) for page in PAGES),
    ],
)
def test_examples_give_what_they_say(file: Path, folder_of_a_reader: Path) -> None:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    text = text.replace("```python\n", "\n").replace("```\n", "\n")
    test = doctest.DocTestParser().get_doctest(text, {}, str(file.relative_to(ROOT)), str(file), 0)
    said: list[str] = []
    results = doctest.DocTestRunner().run(test, out=said.append)
    assert results.failed == 0, "".join(said)


def test_every_package_and_page_has_examples() -> None:
    for file in [*INITS, *PAGES]:
        assert ">>>" in file.read_text(encoding="utf-8"), f"no example in {file}"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in ("duplicate_match", "solve_river")))
        for path in sorted((ROOT / "docs/examples").glob("*.py"))
    ],
)
def test_example_scripts_draw_their_pictures_in_any_folder(script: Path, tmp_path: Path) -> None:
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    picture = tmp_path / f"{script.stem}.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000  # an empty axes frame is smaller
    assert script.stem in (ROOT / "docs/python.md").read_text()
