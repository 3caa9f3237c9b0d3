"""benchmarks.mutate: which changes it makes of a piece of code."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.mutate import mutants_of


@pytest.mark.parametrize(
    ("code", "mutants"),
    [
        ("x = a < b\n", ["x = (a <= b)\n"]),
        ("x = a is None\n", ["x = (a is not None)\n"]),
        ("x = a - 1\n", ["x = (a + 1)\n", "x = a - (2)\n"]),
        ("x = a and b\n", ["x = (a or b)\n"]),
        ("x = not a\n", ["x = (a)\n"]),
        ("x = True\n", ["x = (False)\n"]),
        ("x = 'é', 'SCORE:'\n", ["x = ('é~'), 'SCORE:'\n", "x = 'é', ('SCORE:~')\n"]),
        ("def f(a):\n    if a:\n        return\n    g()\n", ["def f(a):\n    pass\n    g()\n"]),
        ("'''Text.'''\nx: Literal['a']\n", []),
        ("raise ValueError('text')\n", []),
    ],
)
def test_mutants(tmp_path: Path, code: str, mutants: list[str]) -> None:
    file = tmp_path / "code.py"
    file.write_text(code)
    assert sorted(mutant.text() for mutant in mutants_of(file)) == sorted(mutants)
