"""The commands ``hedgehog pack values`` and ``hedgehog pack evs``, and the EVs of ``hedgehog ask``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.packs.build import build_pack
from tests.cli.command import Run
from tests.solver.blueprint_fixtures import TINY_CONFIG, made_up_abstraction


def test_a_table_is_built_listed_shown_and_verified(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config, progress: made_up_abstraction())
    (tmp_path / "tiny.yaml").write_text(TINY_CONFIG)
    packs = tmp_path / "packs"
    build_pack(tmp_path / "tiny.yaml", packs / "tiny")
    words = ["pack", "values", packs, "--out", packs / "values", "--work", tmp_path / "work", "--boards", "150"]
    code, out, _ = run(*words)
    assert (code, out.split(",")[0]) == (0, f"wrote {packs / 'values'}: 200 boards")
    code, _, error = run(*words)
    assert code == 2
    assert "overwrite" in error
    code, _, error = run(*words, "--overwrite")
    assert (code, "going on from 200 boards" in error) == (0, True)
    assert "decisions from 200 boards" in " ".join(run("pack", "show", packs)[1].split())
    assert "2 packs, 0 faults" in run("pack", "verify", packs)[1]
    code, out, _ = run("pack", "evs", packs, "--hand", "AA", "--json", "-")
    found = json.loads(out[out.index("{") :])
    assert found["format"] == "hedgehog.preflop-evs"
    assert found["evs"][0]["ev_f"] == pytest.approx(0, abs=1e-3)


def test_what_the_command_prints(run: Run) -> None:
    words = ["pack", "evs", "--stack", "5bb", "--line", "r500", "--hand", "AA", "--hand", "72o"]
    code, out, _ = run(*words)
    assert code == 0
    assert "blueprint-5bb, 5 BB, " in out
    assert "4.50" in out
    assert "Line: A500, read from ACPC text, sizes over the hand." in out
    code, out, _ = run(*words, "--csv", "-")
    assert out.splitlines()[-1].startswith("72o,0.0,")


@pytest.mark.parametrize(
    ("line", "hand", "message"),
    [
        ("r500c", "AA", "before the flop"),
        ("r1", "AA", "r1"),
        ("", "AK", "expected a hand class such as AA, AKs or 72o, got 'AK'"),
    ],
)
def test_what_is_no_decision_or_hand_is_refused(run: Run, line: str, hand: str, message: str) -> None:
    code, _, error = run("pack", "evs", "--stack", "5bb", "--line", line, "--hand", hand)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


def test_ask_shows_the_evs(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    code, out, _ = run("ask", "--stack", "5bb", "--think-ms", "0", "--hand", "9h9d", "--json", file)
    assert code == 0
    assert "EV in BB" in out
    found = {each["action"]: each for each in json.loads(file.read_text())["actions"]}
    assert found["f"]["ev_bb"] == pytest.approx(0, abs=1e-3)
    assert found["r500"]["ev_bb"] > 0.5
    assert found["r500"]["ev_error_bb"] < 0.05
    code, out, _ = run("ask", "--stack", "5bb", "--think-ms", "0")
    assert (code, "EV in BB" in out) == (0, False)
