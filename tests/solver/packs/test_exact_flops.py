"""Building a flop pack: every solve is kept, damaged or missing ones are redone, the pack says what the solver said."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import combo_mask
from hedgehog.poker.isomorphism import board_classes
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import FLOP
from hedgehog.runtime.engines.jobs import hold_work
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.running import RunProgress, run_jobs
from hedgehog.runtime.errors import InputError, PackError, ResourceError
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.blueprint.table import PreflopLine
from hedgehog.solver.cfr.stopping import run_until
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.packs import exact_assembly, exact_flops
from hedgehog.solver.packs.blueprint import normalised_ranges
from hedgehog.solver.packs.exact_config import FlopPackConfig, described_config, read_flop_pack_config
from hedgehog.solver.packs.exact_flops import ExactBuild, config_digest, with_multiplicities
from hedgehog.solver.packs.jobs import flop_classes
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.strategies.blueprint_pack import recorded_blueprint
from hedgehog.strategies.flop_pack import read_flop_lines, row_faults
from hedgehog.strategies.flop_turns import decisions_on
from hedgehog.strategies.pack import open_pack
from tests.strategies.provenance import PROVENANCE

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
def config(tmp_path: Path) -> FlopPackConfig:
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    return read_flop_pack_config(path)


@pytest.fixture
def build(config: FlopPackConfig, tmp_path: Path) -> ExactBuild:
    ranges = np.stack([parse_range("QQ+,AKs"), parse_range("JJ,TT,AQs,KQs:0.5")])
    start = PreflopLine(0, "r250r850c", 1700, 3000, 0.1, ranges)
    return ExactBuild(
        config,
        {"three_bet": start},
        "GAMEDEF\n",
        "ab" * 32,
        tmp_path / "work",
        tuple(with_multiplicities(flop_classes(config.flops))),
    )


def run(build: ExactBuild) -> list[str]:
    """Returns the solves that had to be done."""
    solved: list[str] = []

    def progress(now: RunProgress) -> None:
        if now.job is not None:
            solved.append(str(now.job))

    with Engine(ThreadPoolExecutor(1), 1) as engine:
        run_jobs(build, engine, progress)
    return solved


def test_build_resume_and_assemble(build: ExactBuild, tmp_path: Path) -> None:
    work, out = tmp_path / "work", tmp_path / "pack"
    assert run(build) == ["three_bet Qs Js 2h", "three_bet 7s 7h 7d"]
    assert run(build) == []

    first, second = sorted(work.glob("*.npz"))
    first.write_bytes(first.read_bytes()[:100])
    second.unlink()
    with pytest.raises(PackError, match="2 of 2 flops are missing"):
        exact_assembly.assemble(build, PROVENANCE, out)
    assert not out.exists()
    assert len(run(build)) == 2

    exact_assembly.assemble(build, PROVENANCE, out)
    assert recorded_blueprint(open_pack(out)) == "ab" * 32
    (line,) = read_flop_lines(open_pack(out))
    assert row_faults(line) == 0
    assert np.all(line.quality[:, 0] <= 5)
    index = int(line.classes[0])
    board = tuple(int(card) for card in board_classes(3).representatives[index])
    solution = line.solution(index, board)
    assert solution is not None
    tree = build.tree("three_bet")
    ranges = list(normalised_ranges(build.starts["three_bet"].ranges))
    solver = PostflopSolver(prepare_tree(tree, board, ranges), threads=1)
    solver.run(int(line.quality[0, 1]))
    live = combo_mask(board)
    for node in decisions_on(tree, FLOP):
        stored = solution.strategy(int(node))[:, live]
        np.testing.assert_allclose(stored, solver.node_strategy(int(node))[:, live], atol=2 / 255)


@pytest.mark.slow
def test_a_build_on_groups_of_hands(build: ExactBuild, tmp_path: Path) -> None:
    config = build.config.model_copy(update={"abstraction": "rank-river", "flops": ["Qh Jh 2c"], "max_iterations": 40})
    grouped = replace(
        build,
        config=config,
        work=tmp_path / "grouped",
        classes=tuple(with_multiplicities(flop_classes(config.flops))),
        sizes={},
    )
    assert config_digest(config, build.starts) != config_digest(build.config, build.starts)
    job = grouped.jobs()[0]
    assert grouped.needed_bytes(job) > 0
    assert grouped.try_job(job, 0.1).seconds > 0
    assert len(run(grouped)) == 1
    exact_assembly.assemble(grouped, PROVENANCE, tmp_path / "pack")
    opened = open_pack(tmp_path / "pack")
    (line,) = read_flop_lines(opened)
    assert row_faults(line) == 0

    spot = grouped.spot(job)
    groups = SpotValues(spot).group("rank-river")
    solver = GroupSolver(spot, groups, threads=1)
    reached = run_until(solver, 5, 40, check_every=exact_flops.CHECK_EVERY)
    assert line.quality[0].tolist() == pytest.approx([reached.pct_pot, solver.iterations], rel=1e-5)
    loss = opened.manifest.quality["three_bet"]["abstraction_loss_pct_pot_mean"]
    assert loss == pytest.approx(solver.loss_pct(), abs=5e-4)
    solution = line.solution(int(line.classes[0]), spot.board)
    assert solution is not None
    strategy, live = solution.strategy(0), combo_mask(spot.board)
    combos, numbers = spot.combos[0], groups.players[0][0].number_of[0]
    for group in range(int(groups.players[0][0].count[0])):
        rows = strategy[:, combos[numbers == group]]
        assert np.ptp(rows, axis=1).max() == 0  # hands of a group play alike
    np.testing.assert_allclose(strategy[:, live], solver.written_out().node_strategy(0)[:, live], atol=2 / 255)


def test_lines_may_leave_their_sizes_to_a_menu_file(config: FlopPackConfig, tmp_path: Path) -> None:
    keys = '    flop: {oop: "75% / a", ip: "75% / a"}\n    turn: {oop: "a", ip: "a"}\n    river: {oop: "a", ip: "a"}\n'
    (tmp_path / "menu.yaml").write_text(
        'sizes:\n  flop:\n    oop: "75% / a"\n    ip: "75% / a"\n'
        '  turn: {oop: "a", ip: "a"}\n  river: {oop: "a", ip: "a"}\nmenu: {flop: "50%"}\n'
    )
    path = tmp_path / "short.yaml"
    path.write_text(CONFIG.replace(keys, "") + "sizes: menu.yaml\n")
    assert read_flop_pack_config(path) == config
    path.write_text(CONFIG.replace(keys, keys.splitlines(keepends=True)[0]) + "sizes: menu.yaml\n")
    assert read_flop_pack_config(path) == config
    path.write_text(CONFIG.replace(keys, "") + "sizes: {flop: {oop: x, ip: a}}\n")
    with pytest.raises(InputError, match=r"short\.yaml:10: 'sizes.flop.oop': expected a bet size"):
        read_flop_pack_config(path)
    path.write_text(CONFIG.replace(keys, ""))
    with pytest.raises(InputError, match=r"short\.yaml:7: the key 'lines.0.flop' is missing, and so are flop sizes"):
        read_flop_pack_config(path)


def test_one_build_per_work_folder(build: ExactBuild) -> None:
    with hold_work(build.work), pytest.raises(ResourceError, match="another process is working"):
        run(build)
    assert not list(build.work.iterdir())


def test_the_work_folder_depends_on_what_is_solved(build: ExactBuild) -> None:
    config, starts = build.config, build.starts
    digest = config_digest(config, starts)
    assert digest == config_digest(config.model_copy(update={"flops": ["2c 3c 4c"], "name": "x"}), starts)
    assert digest != config_digest(config.model_copy(update={"target_pct": 1.0}), starts)
    start = starts["three_bet"]
    for other in (replace(start, stack=2999), replace(start, ranges=start.ranges[::-1])):
        assert digest != config_digest(config, {"three_bet": other})


def test_trembles_of_a_build(build: ExactBuild, tmp_path: Path) -> None:
    path = tmp_path / "trembling.yaml"
    path.write_text(CONFIG + "tremble: {share: 0.01, temperature: 5%}\n")
    config = read_flop_pack_config(path)
    job = build.jobs()[0]
    assert build.spot(job).tremble is None
    assert "tremble" not in described_config(build.config)
    assert config_digest(config, build.starts) != config_digest(build.config, build.starts)
    trembling = replace(build, config=config, sizes={})
    assert trembling.spot(job).tremble == Tremble(0.01, 0.05 * 1700)
    assert trembling.needed_bytes(job) > build.needed_bytes(job)
    assert described_config(config)["tremble"] == {"share": 0.01, "temperature": "5%"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: flops", "kind: flops\ntremble: {share: 0.01, temperature: 5}", r"tiny\.yaml:2: 'tremble.temperature'"),
        ("kind: flops", "kind: flops\ntremble: {share: 0, temperature: 5%}", r"tiny\.yaml:2: 'tremble.share'"),
        (
            "kind: flops",
            "kind: flops\nabstraction: opp-river\ntremble: {share: 0.01, temperature: 5%}",
            r"tiny\.yaml:3: groups of hands are solved without trembles",
        ),
        ("Qh Jh 2c", "Qh Jh", r"tiny\.yaml:12: 'flops.0': expected a flop of three cards"),
        ("7d 7c 7h", "Qd Jd 2s", r"tiny\.yaml:12: flops 'Qh Jh 2c' and 'Qd Jd 2s' are of the same class"),
        ('turn: {oop: "a"', 'turn: {oop: "b"', r"tiny\.yaml:10: 'lines.0.turn.oop': expected a bet size"),
        ("target_pct: 5", "target_pct: -5", r"tiny\.yaml:4: 'target_pct'"),
        ("kind: flops", "kind: flops\nkinds: 1", r"tiny\.yaml:2: unknown key 'kinds'"),
        ("    flop: {", "    add_allin_threshold: 150\n    flop: {", r"add_allin_threshold': expected .* in pots"),
        ("kind: flops", "kind: flops\nabstraction: suits", r"tiny\.yaml:2: unknown abstraction 'suits'"),
        ("kind: flops", "kind: flops\nabstraction: opp-river\nstorage: f16", r"tiny\.yaml:3: groups of hands"),
    ],
)
def test_bad_configuration(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_flop_pack_config(path)
