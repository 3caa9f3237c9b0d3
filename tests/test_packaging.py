"""What the wheel holds, and the one name under which everything is imported."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from hedgehog.runtime.packages import PACKAGES

ROOT = Path(__file__).parents[1]
LINKS = ROOT / "hedgehog"


def test_one_link_leads_to_every_package() -> None:
    """``py.typed`` tells type checkers that our annotations count."""
    assert {path.name for path in LINKS.iterdir()} - {"__pycache__"} == {"__init__.py", "py.typed", *PACKAGES}
    for package in PACKAGES:
        assert (LINKS / package).readlink() == Path("..") / package
        assert (ROOT / package / "__init__.py").is_file()


def test_the_wheel_holds_one_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["hedgehog"]


def test_nothing_imports_the_benchmarks_which_are_not_installed() -> None:
    imports = re.compile(r"^\s*(?:from|import)\s+benchmarks\b", re.MULTILINE)
    assert imports.search((ROOT / "benchmarks" / "algorithms.py").read_text())
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert [path for path in modules if imports.search(path.read_text())] == []
    for target in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"].values():
        assert not {name for names in target.values() for name in names if name.startswith("benchmarks")}


def test_no_module_is_imported_by_the_name_of_its_folder() -> None:
    """A folder of the user's, such as ``agent/``, must never be taken for ours."""
    code = "import sys, hedgehog.cli.main, hedgehog.explorer, hedgehog.analysis.stats.match_report\n"
    code += f"print(*sorted({set(PACKAGES)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_one_module_starts_dealers_and_players_as_processes() -> None:
    """import-linter sees imports alone: no other module below the command line may depend on it by its name."""
    modules = [path for package in PACKAGES if package != "cli" for path in (ROOT / package).rglob("*.py")]
    assert len(modules) > 100
    launches = re.compile(r"""["']-m["'],\s*["']hedgehog\.cli""")
    assert [path for path in modules if launches.search(path.read_text())] == [ROOT / "arena" / "launch.py"]


@pytest.mark.slow
def test_a_wheel_works_beside_packages_of_the_same_folder_names(tmp_path: Path) -> None:
    """The package index has a ``poker``; the user's own folder has an ``agent/`` and an ``analysis.py``."""
    wheels = tmp_path / "wheels"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    subprocess.run(command, check=True)
    (wheel,) = wheels.iterdir()
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"hedgehog"}
    site, home = tmp_path / "site", tmp_path / "home"
    zipfile.ZipFile(wheel).extractall(site)
    for folder in (site / "poker", home / "agent"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise ImportError('not Hedgehog')\n")
    (home / "river.yaml").write_bytes((ROOT / "docs" / "examples" / "spots" / "river.yaml").read_bytes())
    (home / "analysis.py").write_text("raise ImportError('not Hedgehog')\n")
    code = (
        f"import sys; sys.path = [{str(home)!r}, {str(site)!r}, *(p for p in sys.path if {str(ROOT)!r} != p)]\n"
        "import hedgehog\n"
        f"assert hedgehog.__file__.startswith({str(site)!r})\n"
        "from hedgehog.cli.main import cli\n"
        "cli(['solve', '--example', 'river', '--iterations', '20'], standalone_mode=False)\n"
        "cli(['match', 'call', 'random', '--hands', '10', '--in-process', '--out', 'match'], standalone_mode=False)\n"
        "cli(['pack', 'list'], standalone_mode=False)\n"
        "solution = hedgehog.solve(hedgehog.parse_spot(open('river.yaml').read()), 5.0, save='solve')\n"
        "from hedgehog.explorer import Library, create_app\n"
        "from pathlib import Path\n"
        "from starlette.testclient import TestClient\n"
        "library = Library()\n"
        "library.add(Path('solve'))\n"
        "client = TestClient(create_app(library, token='0123456789abcdef', hosts=['h:1']), base_url='http://h:1')\n"
        "with client:\n"
        "    page = client.get('/0123456789abcdef/')\n"
        "    assert page.status_code == 200 and '<script' in page.text, page.text\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "blueprint" in done.stdout
