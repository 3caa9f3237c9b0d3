"""``hedgehog bench flops`` on the shipped quick pack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.bench.group import bench
from runtime.errors import InputError
from solver.blueprint.card_abstraction import CardAbstraction
from tests.solver.blueprint_fixtures import made_up_abstraction

LINE = "r250r850r2125c"


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(bench, ["flops", *map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_the_shipped_pack_plays_its_blueprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = made_up_abstraction(200, 200, 200)
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config: made_up)
    data = tmp_path / "gain.json"
    output = run("--line", LINE, "--flops", "2", "--runouts", "6", "--json", data)
    assert "6 run-outs" in output
    assert LINE in output
    found = json.loads(data.read_text())["flops"]
    assert [flop["line"] for flop in found] == [LINE, LINE]
    assert all(flop["won"] != 0 and flop["before"] is None for flop in found)


def test_unknown_lines_are_refused() -> None:
    with pytest.raises(InputError, match=r"the pack has no line 'r999c', it has cc, "):
        run("--line", "r999c")
