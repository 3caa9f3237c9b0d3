"""Exact flop packs in the API: the table of flops as ``hedgehog pack report`` has it, and the flops themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from hedgehog.cli.main import cli
from hedgehog.explorer.work import flop_work
from hedgehog.poker.cards import format_combo
from tests.explorer.explored import BASE, explored, get
from tests.tiny_flop_pack import write_tiny_flop_pack


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_flop_pack(tmp_path_factory.mktemp("packs"))


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with explored(folder) as (found, names):
        assert names == ["tiny"]
        yield found


def test_the_table_is_that_of_the_report(client: TestClient, folder: Path, tmp_path: Path) -> None:
    (line,) = get(client, "items/tiny")["content"]["lines"]
    report = tmp_path / "report.json"
    asked = ["pack", "report", str(folder), "--line", f"{line['betting']}/all", "--json", str(report)]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 0, result.output
    (expected,) = json.loads(report.read_text())["lines"]
    for decision in range(len(line["decisions"])):
        table = get(client, "items/tiny/flops", line=line["betting"], decision=decision)
        assert table["done"] == len(table["rows"]) == 4
        rows = {row["flop"]: row for row in table["rows"]}
        for flop in expected["flops"]:
            row = rows[flop["flop"]]
            assert row["weight"] == pytest.approx(flop["weight"], abs=1e-6)
            assert row["equity"] == pytest.approx(flop["oop_equity"], abs=1e-5)
            assert row["ev"] == pytest.approx(flop["oop_ev_pots"], abs=1e-5)
            assert row["pct_pot"] == pytest.approx(flop["exploitability_pct_pot"], abs=1e-4)
            assert row["freq"] == pytest.approx(flop["frequencies"][decision], abs=1e-5)
        assert table["all"]["freq"] == pytest.approx(expected["all"]["frequencies"][decision], abs=1e-5)


def test_a_flop_has_the_numbers_of_query(client: TestClient, folder: Path) -> None:
    (line,) = get(client, "items/tiny")["content"]["lines"]
    flop = f"{line['betting']} Qc Jc 2d"  # other suits than the class's own
    result = CliRunner().invoke(cli, ["query", str(folder), "--line", flop, "--json"])
    assert result.exit_code == 0, result.output
    expected = json.loads(result.stdout.replace("NaN", "null"))["lines"][0]
    assert get(client, "items/tiny/flop", flop=flop)["board"] == ["Qc", "Jc", "2d"]
    node = get(client, "items/tiny/node", flop=flop, line="")
    assert [action["freq"] for action in node["actions"]] == pytest.approx(expected["freq"], abs=2e-6)
    own = node["players"][node["player"]]
    assert list(map(format_combo, own["combos"])) == [hand["hand"] for hand in expected["hands"]]
    for index, hand in enumerate(expected["hands"]):
        assert [row[index] for row in node["strategy"]] == pytest.approx(hand["strategy"], abs=2e-5)
        assert own["ev"][index] == pytest.approx(hand["ev"], abs=2e-3)
    equity = get(client, "items/tiny/equity", flop=flop, line="")
    assert equity["avg_equity"] == pytest.approx(expected["avg_equity"], abs=2e-6)


@pytest.mark.parametrize(
    ("question", "params"),
    [
        ("flops", {"line": "nothing"}),
        ("flops", {"line": "r250c", "decision": "99"}),
        ("flops", {"line": "r250c", "decision": "x"}),
        ("node", {"flop": "As Kd 3c"}),
        ("node", {"flop": ""}),
        ("node", {"flop": "r250c Qc Jc 2d X"}),
    ],
)
def test_wrong_questions(client: TestClient, question: str, params: dict[str, str]) -> None:
    response = client.get(f"{BASE}/api/1/items/tiny/{question}", params=params)
    assert response.status_code in (400, 409)
    assert set(response.json()) == {"error"}


@pytest.mark.process
def test_figures_come_bit_by_bit(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDGEHOG_CACHE", str(tmp_path))  # nothing is known
    state = (1,)
    (line,) = flop_work.describe(str(folder), state)["lines"]
    nothing = flop_work.flops(str(folder), state, line["betting"], 0, 0.0)
    assert nothing["done"] == 0
    assert [set(row) for row in nothing["rows"]] == 4 * [{"flop", "count", "textures"}]
    clock = iter([0.0, 0.0, 100.0])
    monkeypatch.setattr(flop_work, "_AT_ONCE", 1)
    with monkeypatch.context() as patch:
        patch.setattr(flop_work, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        some = flop_work.flops(str(folder), state, line["betting"], 0, 1.0)
    assert (some["done"], some["all"]) == (1, None)
    (known,) = (row for row in some["rows"] if "equity" in row)
    assert known["weight"] is None  # a share of all flops
    assert known["freq"]
    first = flop_work.flops(str(folder), state, flop_work.describe(str(folder), state)["lines"][0]["betting"], 0, 30.0)
    assert first["done"] == 4
    assert first["all"] is not None
