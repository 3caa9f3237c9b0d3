"""Blueprint configurations: the bet-size grammar, the game they describe, and one message for every fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.solver.blueprint.config import (
    BlueprintPackConfig,
    gamedef_of,
    menu_of,
    read_blueprint_pack_config,
    tree_of,
)
from hedgehog.solver.blueprint.estimate import estimate_blueprint
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import MENUS, STANDARD
from hedgehog.strategies.betting_tree import NodeKind

CONFIG = """\
kind: blueprint
name: mine
menu:
  preflop: 2.5x,7x / 3.4x,7x / 2.5x
  limped: 3.75x,10x
  flop: 33%,75%,200%,600% / 100%,300% / 100%
  turn: 50%,125% / 100%
  river: 50%,100%,200% / 100%
  caps: [4, 3, 2, 2]
stack: 20000
seconds: 60
"""


FLOP = "flop: 33%,75%,200%,600% / 100%,300% / 100%"


def read(tmp_path: Path, text: str) -> BlueprintPackConfig:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return read_blueprint_pack_config(path)


def test_the_grammar_spells_a_preset(tmp_path: Path) -> None:
    assert menu_of(read(tmp_path, CONFIG)) == STANDARD


def test_shipped_configurations() -> None:
    configs = Path(__file__).parents[3] / "strategies" / "configs"
    shipped = read_blueprint_pack_config(configs / "default-blueprint.yaml")
    quick = read_blueprint_pack_config(configs / "quick-blueprint.yaml")
    assert (menu_of(shipped), shipped.stack, shipped.blinds) == (STANDARD, 20_000, (50, 100))
    assert (menu_of(quick), quick.seconds) == (MENUS["small"], 600)


def test_a_preset_with_changes(tmp_path: Path) -> None:
    menu = menu_of(read(tmp_path, "kind: blueprint\nname: a\nmenu: {preset: standard, river: 75%}\niterations: 20\n"))
    assert (menu.opens, menu.bets[1]) == (STANDARD.opens, STANDARD.bets[1])
    assert (menu.bets[2], menu.raises[2]) == ((0.75,), ((0.75,),))


def test_tokens_become_chips(tmp_path: Path) -> None:
    text = CONFIG.replace(f"{FLOP}\n  turn", "flop: 130c,e / 3x,200c1r\n  turn").replace("2.5x,7x /", "2.5x,100% /")
    tree = tree_of(read(tmp_path, text))
    # Pot-sized first raise: 100 to call make the pot 200.
    assert [int(tree.amount[c]) for c in tree.children(0)] == [0, 100, 250, 300, 20_000]
    limp = tree.children(0)[1]
    flop = int(tree.first_child[tree.children(limp)[0]])
    assert tree.kind[flop] == NodeKind.DECISION
    # Geometric over three streets: ((2 * 19900 / 200 + 1) ** (1 / 3) - 1) / 2 = 2.424 pots of 200.
    amounts = {int(tree.amount[c]): c for c in tree.children(flop)}
    assert list(amounts) == [0, 130, 485, 19_900]
    raised = [int(tree.amount[c]) for c in tree.children(amounts[130])]
    assert raised == [0, 130, 330, 390, 19_900]  # 130 + 200, 3 * 130
    again = tree.children(amounts[130])[3]
    assert [int(tree.amount[c]) for c in tree.children(again)] == [0, 390, 1_170, 19_900]  # one 200c raise only


def test_the_pack_says_which_game(tmp_path: Path) -> None:
    config = read(tmp_path, CONFIG.replace("stack: 20000", "stack: 1500\nblinds: [10, 20]"))
    gamedef = gamedef_of(config)
    assert (gamedef.blinds, gamedef.stacks) == ((20, 10), (1_500, 1_500))
    tree = tree_of(config)
    assert tree.committed[0].tolist() == [20, 10]
    assert tree.stack == 1_500


# Entries and infosets at 200 buckets on every later street: spec of the menus, rounded there.
@pytest.mark.parametrize(
    ("name", "decisions", "megabytes", "entries", "infosets"),
    [
        ("small", 5_134, 22, 2.7, 1.03),
        ("medium", 12_282, 51, 6.4, 2.5),
        pytest.param("large", 40_938, 173, 21.6, 8.2, marks=pytest.mark.slow),
        ("standard", 9_677, 40, 4.97, 1.93),
    ],
)
def test_estimates_of_the_presets(name: str, decisions: int, megabytes: int, entries: float, infosets: float) -> None:
    found = estimate_blueprint(build_blueprint_tree(MENUS[name]), (169, 200, 200, 200))
    assert sum(found.decisions) == decisions
    assert found.plain_table_bytes / 1e6 == pytest.approx(megabytes, abs=0.5)
    assert found.entries / 1e6 == pytest.approx(entries, abs=0.05)
    assert found.infosets / 1e6 == pytest.approx(infosets, abs=0.05)
    # 200 buckets are padded to 208.
    assert found.table_bytes == pytest.approx(found.plain_table_bytes * 208 / 200, rel=1e-3)
    assert found.training_bytes(2) - found.training_bytes(1) == found.scratch_bytes > 0


def test_a_tree_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgehog.solver.blueprint.tree.MAX_NODES", 1_000)
    with pytest.raises(ResourceError, match="exceeds 1,000 nodes"):
        tree_of(read(tmp_path, CONFIG))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (FLOP, "flop: 50%,wide", 6, "'menu.flop': expected a bet size"),
        (FLOP, "flop: 2x", 6, "'menu.flop': '2x' is a multiple of a bet and cannot open"),
        (FLOP, "flop: [50%]", 6, "'menu.flop': input should be a valid string"),
        ("limped: 3.75x,10x", "limped: 3x / 4x", 5, "expected one menu"),
        ("  turn: 50%,125% / 100%\n", "", 3, "the key 'menu.turn' is missing"),
        ("caps: [4, 3, 2, 2]", "caps: [4, 3, 2]", 9, "'menu.caps"),
        ("caps: [4, 3, 2, 2]", "colour: red", 9, "unknown key 'menu.colour'"),
        ("caps: [4, 3, 2, 2]", "preset: huge", 9, "unknown menu 'huge', expected small, medium, large, standard"),
        ("stack: 20000", "stack: 90", 10, "expected a stack above the big blind of 100, got 90"),
        ("stack: 20000", "blinds: [100, 50]", 10, "expected 0 < small blind <= big blind, got 100 and 50"),
        ("stack: 20000", "average_power: 3", 10, "'average_power'"),
        ("stack: 20000", "algorithm: magic", 10, "'algorithm'"),
        ("stack: 20000", "turn_buckets: 4001", 10, "turn buckets"),
        ("stack: 20000", "turn_features: potent", 10, "unknown turn features 'potent'"),
        ("stack: 20000", "river_features: no", 10, "unknown river features 'no', expected equity, ochs, blockers"),
        ("seconds: 60\n", "", 1, "expected a limit: 'seconds', 'iterations' or 'stop'"),
        ("stack: 20000", "stack: 1000\nstop: {mbb: 20, gate: yes}", 11, "the frequency gate holds at 200 big blinds"),
        ("stack: 20000", "stop: {mbb: 20}\nsnapshots: no", 11, "the stop rule compares snapshots"),
        ("stack: 20000", "stop: {mbb: 0}", 10, "'stop.mbb'"),
    ],
)
def test_faults_have_file_and_line(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in CONFIG
    with pytest.raises(InputError) as error:
        read(tmp_path, CONFIG.replace(old, new, 1))
    assert str(error.value).startswith(f"{tmp_path / 'mine.yaml'}:{line}: ")
    assert message in str(error.value)
