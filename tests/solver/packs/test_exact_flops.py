"""Building a flop pack: every solve is kept, damaged or missing ones are redone, the pack says what the solver said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poker.cards import combo_mask
from poker.isomorphism import board_classes
from poker.ranges import parse_range
from runtime.errors import InputError, PackError
from solver.packs import exact_flops as build
from solver.postflop.prepared import prepare_tree
from solver.postflop.solver import PostflopSolver
from strategies.blueprint_pack import recorded_blueprint
from strategies.flop_pack import flop_decisions, read_flop_lines, row_faults
from strategies.manifest import Provenance
from strategies.pack import open_pack

CONFIG = """\
kind: flops
name: tiny
blueprint: none
target_pct: 5
max_iterations: 60
lines:
  - name: three_bet
    betting: r250r850c
    flop: {oop: "75% / a", ip: "75% / a"}
    turn: {oop: "a", ip: "a"}
    river: {oop: "a", ip: "a"}
flops: [Qh Jh 2c, 7d 7c 7h]
"""


@pytest.fixture
def config(tmp_path: Path) -> build.FlopPackConfig:
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    return build.read_flop_pack_config(path)


@pytest.fixture
def starts() -> dict[str, build.PreflopLine]:
    ranges = np.stack([parse_range("QQ+,AKs"), parse_range("JJ,TT,AQs,KQs:0.5")])
    return {"three_bet": build.PreflopLine(pot=1700, stack=3000, ranges=ranges)}


PROVENANCE = Provenance(command="pytest", hedgehog_version="0", commit="none", date="2026-11-21", machine="none")


def run(config: build.FlopPackConfig, starts: dict[str, build.PreflopLine], work: Path) -> list[str]:
    solved: list[str] = []

    def progress(done: int, total: int, job: build.Job, iterations: int, pct: float) -> None:
        if iterations == 0 and done < total:
            solved.append(str(job))

    build.solve_all(config, starts, work, 1, progress)
    return solved


def test_build_resume_and_assemble(
    config: build.FlopPackConfig, starts: dict[str, build.PreflopLine], tmp_path: Path
) -> None:
    work, out = tmp_path / "work", tmp_path / "pack"
    assert len(run(config, starts, work)) == 2
    assert run(config, starts, work) == []

    first, second = sorted(work.iterdir())
    first.write_bytes(first.read_bytes()[:100])
    assert len(run(config, starts, work)) == 1
    second.unlink()
    with pytest.raises(PackError, match="1 solves are missing"):
        build.assemble(config, starts, "GAMEDEF\n", "ab" * 32, PROVENANCE, work, out)
    assert not out.exists()
    assert len(run(config, starts, work)) == 1

    build.assemble(config, starts, "GAMEDEF\n", "ab" * 32, PROVENANCE, work, out)
    assert recorded_blueprint(open_pack(out)) == "ab" * 32
    (line,) = read_flop_lines(open_pack(out))
    assert row_faults(line) == 0
    assert np.all(line.quality[:, 0] <= 5)
    index = int(line.classes[0])
    board = tuple(int(card) for card in board_classes(3).representatives[index])
    solution = line.solution(index, board)
    assert solution is not None
    tree = build.line_tree(config.lines[0], starts["three_bet"])
    solver = PostflopSolver(prepare_tree(tree, board, list(starts["three_bet"].ranges)), threads=1)
    solver.run(int(line.quality[0, 1]))
    live = combo_mask(board)
    for node in flop_decisions(tree):
        stored = solution.strategy(int(node))[:, live]
        np.testing.assert_allclose(stored, solver.node_strategy(int(node))[:, live], atol=2 / 255)


def test_the_work_folder_depends_on_what_is_solved(
    config: build.FlopPackConfig, starts: dict[str, build.PreflopLine]
) -> None:
    digest = build.config_digest(config, starts)
    assert digest == build.config_digest(config.model_copy(update={"flops": ["2c 3c 4c"], "name": "x"}), starts)
    assert digest != build.config_digest(config.model_copy(update={"target_pct": 1.0}), starts)
    other = {"three_bet": build.PreflopLine(1700, 3000, starts["three_bet"].ranges / 2)}
    assert digest != build.config_digest(config, other)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Qh Jh 2c", "Qh Jh", r"tiny\.yaml:12: 'flops.0': expected a flop of three cards"),
        ("7d 7c 7h", "Qd Jd 2s", r"tiny\.yaml:12: flops 'Qh Jh 2c' and 'Qd Jd 2s' are of the same class"),
        ('turn: {oop: "a"', 'turn: {oop: "b"', r"tiny\.yaml:10: 'lines.0.turn.oop': expected a bet size"),
        ("target_pct: 5", "target_pct: -5", r"tiny\.yaml:4: 'target_pct'"),
        ("kind: flops", "kind: flops\nkinds: 1", r"tiny\.yaml:2: unknown key 'kinds'"),
    ],
)
def test_bad_configuration(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG.replace(old, new))
    with pytest.raises(InputError, match=message):
        build.read_flop_pack_config(path)
