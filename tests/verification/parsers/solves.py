"""Parsers of spots, solves, trainings and packs."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.convergence_files import read_curve
from hedgehog.analysis.lab.row_files import read_row
from hedgehog.analysis.solves.meetings.sources import parse_source
from hedgehog.runtime.engines.status import RunningJob, RunStatus, parse_status
from hedgehog.runtime.errors import InputError, PackError, SpotError
from hedgehog.runtime.npy_files import map_npy, read_npz, read_npz_arrays
from hedgehog.solver.abstraction.abstraction import parse_abstraction
from hedgehog.solver.blueprint.cards.card_config import CardConfig, parse_card_config
from hedgehog.solver.blueprint.config import BlueprintPackConfig, parse_sizes, read_blueprint_pack_config
from hedgehog.solver.blueprint.family_config import BlueprintFamilyConfig, read_blueprint_family_config
from hedgehog.solver.blueprint.limit_config import read_limit_pack_config
from hedgehog.solver.blueprint.table import FORMAT, load_blueprint
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.packs.build import read_pack_config
from hedgehog.solver.packs.build_status import parse_depths
from hedgehog.solver.packs.exact_config import read_flop_pack_config
from hedgehog.solver.packs.quick_flops import read_quick_flop_config
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.responses.opponent_model import read_model
from hedgehog.solver.postflop.solution_files import read_saved_solve, save_solve
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot, parse_temperature, read_spot
from hedgehog.solver.postflop.tree import format_line, parse_action, parse_line
from hedgehog.strategies import bet_menus
from hedgehog.strategies.bet_menus import BlueprintMenu
from hedgehog.strategies.blueprint_pack import row_offsets
from hedgehog.strategies.flop_subsets import (
    FlopSubset,
    find_flop_subset,
    format_flop_subset,
    parse_flop_subset,
    read_flop_subset,
    subset_folder,
)
from hedgehog.strategies.manifest import (
    MANIFEST_NAME,
    format_manifest,
    parse_manifest,
    read_manifest,
    seal_line,
)
from hedgehog.strategies.pack import find_packs
from tests.strategies.provenance import PROVENANCE
from tests.verification.parsers.entry import DATA, ROOT, Parser, as_bytes, back, in_file, in_folder, mapping

SPOTS = tuple(path.read_text() for path in sorted((DATA / "solver" / "spots").glob("*.yaml")))
LOCKED_SPOT = """\
spot: locked
board: Td 9d 6h Qc
pot: 100
stack: 50
range: {oop: "AA,KdJd", ip: "QQ,AQs"}
sizes: {turn: {oop: "50%", ip: "50%"}, river: {oop: "a", ip: "a"}}
locks:
  - {line: X A50, hands: "AA", strategy: {F: 0.25, C: 0.75}}
  - {line: X X 7c, strategy: {X: 1}}
"""
LINES_SPOT = """\
spot: lines
board: Td 9d 6h Qc
pot: 100
stack: 250
range: {oop: "AA,KdJd:0.25", ip: "QQ,AQs"}
lines: [B55 R125 A250, X B50 C X B60]
rake: {rate: 0.05, cap: 3}
locks:
  - {line: X B50, strategy: {F: "AA:0.25", C: "AA:0.75,KdJd"}}
"""
MODEL = """\
player: oop
locks:
  - {line: "", strategy: {X: 0.5, A50: 0.5}}
  - {line: X A50, hands: "AA", strategy: {F: 0.25, C: 0.75}}
"""
CONFIGS = ROOT / "strategies" / "configs"
_KINDS = ("quick-flops", "exact-flops", "limit-blueprint", "blueprint-depths")
BUILD_STATUS = json.dumps(
    RunStatus(
        token="x", state="running", message="", host="here", process=1, started=1e9, updated=1e9, engine="an executor",
        workers=2, dashboard=None, done=1, total=3, running=[RunningJob("r250c Qs Js 2h", 1e9)], failed={"cc": "died"},
        per_hour=3.5, cpu_seconds={"r250c": 1.5}, remaining_seconds=None, worker_bytes=1 << 30,
    ).to_json()
)  # fmt: skip
QUICK_FLOPS_YAML = """\
kind: quick-flops
name: few
blueprint: ../packs/blueprint
classes: [Qh Jh 2c, 7d 7c 7h]
seed: 2
refine: {boards: 10}
lines:
  - betting: r250c
    refine: {boards: 5}
"""
MANIFESTS = tuple(path.read_text() for path in sorted((ROOT / "strategies" / "packs").glob(f"*/{MANIFEST_NAME}")))
BLUEPRINT_YAML = """\
kind: blueprint
name: mine
menu: {preset: small, preflop: 2.5x / 3x, limped: 4x, flop: "33%,e / 100c3r", caps: [4, 3, 2, 2], all_in: yes}
blinds: [10, 20]
stack: 1000
algorithm: external
average_power: 1
stop: {mbb: 20, gate: no}
snapshots: yes
"""
FAMILY_YAML = """\
kind: blueprint
name: mine
menu: {preset: small, flop: 50%}
blinds: [10, 20]
iterations: 20
depths:
  - {bb: 12.5, menu: {preflop: 2x / 2.5x}, seconds: 5}
  - {bb: 20, menu: standard, stop: {mbb: 20, gate: no}}
"""
DEPTHS = json.dumps(
    {
        "format": "hedgehog.pack-depths",
        "depths": [
            {"name": "mine-12.5bb", "finished": True, "iterations": None, "seconds": 5.0},
            {"name": "mine-20bb", "finished": False, "iterations": 300_000, "seconds": None},
        ],
    }
)
LAB_ROW = json.dumps(
    {
        "name": "rank-river",
        "conditions": {"spot": "D2", "iterations": 8},
        "size": {"infosets": 3, "entries": 7, "states": None, "bytes_f32": 28, "bytes_f16": None, "memory": 99},
        "streets": [{"player": "oop", "street": "river", "mean": 2.5, "least": 2, "most": 3, "alone": 0.25}],
        "looks": [{"iteration": 8, "seconds": 0.5, "real": 20.0, "abstract": 19.5}],
    }
)
CURVE = json.dumps(
    {
        "algorithm": "dcfr",
        "conditions": {"spot": "D2", "threads": 1},
        "memory_bytes": 1000,
        "looks": [{"iteration": 1, "seconds": 0.5, "exploitability_pct_pot": 20.0}],
    }
)


def npz_text(header: str) -> str:
    """Returns the bytes of a blueprint file with a JSON header, as text with surrogate escapes."""
    file = io.BytesIO()
    np.savez(file, header=np.array(header), rows=_UNIFORM)
    return file.getvalue().decode("utf-8", "surrogateescape")


def npy_text() -> str:
    """Returns the bytes of an array file, as text with surrogate escapes."""
    file = io.BytesIO()
    np.save(file, np.arange(60, dtype="<f4").reshape(3, 20))
    return file.getvalue().decode("utf-8", "surrogateescape")


NPY_TEXT = npy_text()
_MENU = BlueprintMenu(
    opens=(2.5,), isolations=(3.0,), reraises=((3.0,),), bets=((), (), ()), raises=(((),), ((),), ((),))
)
_BUCKETS = CardConfig(1, 1, 1, 1)
_TREE = build_blueprint_tree(_MENU, (50, 100), 400)
_OFFSETS, BLUEPRINT_ROWS = row_offsets(_TREE, _BUCKETS.bucket_counts)
_ACTIONS = _TREE.num_children[_OFFSETS >= 0]
_ROWS = np.array(_BUCKETS.bucket_counts)[_TREE.street[_OFFSETS >= 0]]
_UNIFORM = np.repeat(1 / _ACTIONS, _ROWS * _ACTIONS).astype(np.float32)
BLUEPRINT_HEADER = json.dumps(
    {
        "format": FORMAT,
        "menu": _MENU.to_dict(),
        "cards": _BUCKETS.to_dict(),
        "blinds": [100, 50],
        "stack": 400,
        "training": {},
    }
)


def unsealed(text: str) -> str:
    """Returns the text of a manifest without the line of its digest, if it has one."""
    body, found, rest = text.rpartition("manifest_sha256: ")
    return body if found and "\n" not in rest[:-1] else text


def resealed(text: str) -> str:
    """Returns the text of a manifest with the right digest."""
    body = unsealed(text)
    return body + seal_line(as_bytes(body)).decode()


def check_manifest(_: str, manifest: Any) -> None:
    assert in_folder(read_manifest, MANIFEST_NAME)(format_manifest(manifest)) == manifest


def saved_manifest() -> str:
    """Returns the manifest of a saved solve of a river."""
    spot = parse_spot((DATA / "solver" / "spots" / "D2_river.yaml").read_text())
    solver = PostflopSolver(prepare(spot), threads=1)
    made = PROVENANCE
    with tempfile.TemporaryDirectory() as folder:
        nothing = Exploitability(0.0, 0.0, (0.0, 0.0), (0.0, 0.0))
        save_solve(Path(folder), solver, spot, nothing, 0.0, made)
        return (Path(folder) / MANIFEST_NAME).read_text()


_NPZ = npz_text(BLUEPRINT_HEADER)
_MENU_JSON = json.dumps(bet_menus.SMALL.to_dict())


SUBSET = "# a subset\nQs Js 2h 31.5\nAs Kd 7c 100\n"


def check_subset(_: str, subset: FlopSubset) -> None:
    again = parse_flop_subset(format_flop_subset(subset.classes, subset.weights * 1e6))
    assert again.classes.tolist() == subset.classes.tolist()
    assert abs(sum(weight for _, weight in subset.pairs()) - 22_100) < 1e-3


def check_family(_: str, family: BlueprintFamilyConfig) -> None:
    """What a depth is made into, past its model, is within the bounds of the model."""
    for member in family.members():
        BlueprintPackConfig.model_validate(member.model_dump())
        assert member.stack > member.blinds[1]


PARSERS = (
    Parser(
        "hedgehog.solver.abstraction.abstraction.parse_abstraction",
        parse_abstraction,
        ("strength-river", "rank-hier", "opp-global"),
        (SpotError,),
        back(parse_abstraction, str),
    ),
    Parser("hedgehog.analysis.lab.row_files.read_row", in_file(read_row), (LAB_ROW,), (InputError,)),
    Parser("benchmarks.convergence_files.read_curve", in_file(read_curve), (CURVE,), (InputError,)),
    Parser(
        "hedgehog.solver.cfr.algorithms.parse_algorithm",
        parse_algorithm,
        ("dcfr", "gamma5", "dcfr:alpha=1.5,beta=-0.25,gamma=2,reset=no,forget=no", "gamma5:gamma=4"),
        (SpotError,),
        back(parse_algorithm, str),
    ),
    Parser("hedgehog.solver.postflop.spot.parse_spot", parse_spot, (*SPOTS, LOCKED_SPOT, LINES_SPOT), (SpotError,)),
    Parser(
        "hedgehog.solver.postflop.spot.read_spot hedgehog.runtime.config_file.read_text",
        in_file(read_spot),
        SPOTS,
        (SpotError,),
    ),
    Parser(
        "hedgehog.solver.postflop.responses.opponent_model.read_model hedgehog.solver.postflop.spot.parse_locks",
        in_file(lambda path: read_model(path, parse_spot(LOCKED_SPOT), 0)),
        (MODEL,),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.postflop.tree.parse_action",
        parse_action,
        ("F", "X", "C", "B200", "R800", "A4900"),
        (SpotError,),
    ),
    Parser(
        "hedgehog.analysis.solves.meetings.sources.parse_source",
        parse_source,
        (
            "dcfr?iterations=200",
            "me=cgh:c=0.175?iterations=50&abstraction=strength-river&target=0.5",
            "my-solve",
            "old=pack:my-flops?line=r250c",
        ),
        (SpotError,),
        back(parse_source, str),
    ),
    Parser("hedgehog.solver.postflop.spot.parse_temperature", parse_temperature, ("5%", "0.5%", "100 %"), (SpotError,)),
    Parser("hedgehog.solver.postflop.tree.parse_line", parse_line, ("B200 C X", ""), (), back(parse_line, format_line)),
    Parser(
        "hedgehog.strategies.bet_menus.parse_menu",
        mapping(bet_menus.parse_menu),
        tuple(json.dumps(menu.to_dict()) for menu in bet_menus.MENUS.values()),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.blueprint.cards.card_config.parse_card_config",
        mapping(parse_card_config),
        (
            '{"flop": 200, "turn": 100, "river": 50, "seed": 1}',
            '{"turn": 1000, "turn_features": "potential", "river_features": "ochs"}',
        ),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.blueprint.config.read_blueprint_pack_config hedgehog.runtime.config_file.read_config",
        in_file(read_blueprint_pack_config),
        ((CONFIGS / "default-blueprint.yaml").read_text(), BLUEPRINT_YAML),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.blueprint.family_config.read_blueprint_family_config",
        in_file(read_blueprint_family_config),
        ((CONFIGS / "blueprint-depths.yaml").read_text(), FAMILY_YAML),
        (InputError,),
        check_family,
    ),
    Parser(
        "hedgehog.solver.blueprint.limit_config.read_limit_pack_config",
        in_file(read_limit_pack_config),
        tuple((CONFIGS / name).read_text() for name in ("limit-blueprint.yaml", "limit-blueprint-3p.yaml")),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.blueprint.config.parse_sizes",
        lambda text: [parse_sizes(text, preflop) for preflop in (True, False)],
        ("2.5x,7x / 3.4x / ", "50%,100c3r,a/2e200%"),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.packs.exact_config.read_flop_pack_config",
        in_file(read_flop_pack_config),
        ((CONFIGS / "exact-flops.yaml").read_text(),),
        (InputError,),
    ),
    Parser(
        "hedgehog.runtime.engines.status.parse_status",
        lambda data: parse_status(data.encode(errors="surrogateescape"), "build.json"),
        (BUILD_STATUS,),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.packs.build_status.parse_depths",
        lambda data: parse_depths(data.encode(errors="surrogateescape"), "depths.json"),
        (DEPTHS,),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.packs.quick_flops.read_quick_flop_config",
        in_file(read_quick_flop_config),
        ((CONFIGS / "quick-flops.yaml").read_text(), QUICK_FLOPS_YAML),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.packs.build.read_pack_config",
        in_file(read_pack_config),
        tuple((CONFIGS / f"{name}.yaml").read_text() for name in _KINDS),
        (InputError,),
    ),
    Parser(
        "hedgehog.strategies.flop_subsets.parse_flop_subset",
        parse_flop_subset,
        (SUBSET, "QsJs2h:3\n2s 2h 2d\n", (subset_folder() / "23.txt").read_text()),
        (InputError,),
        check_subset,
    ),
    Parser(
        "hedgehog.strategies.flop_subsets.read_flop_subset",
        in_file(read_flop_subset),
        (SUBSET,),
        (InputError,),
        check_subset,
    ),
    Parser(
        "hedgehog.strategies.flop_subsets.find_flop_subset",
        find_flop_subset,
        ("23", "1755"),
        (InputError,),
        check_subset,
    ),
    Parser(
        "hedgehog.runtime.npy_files.read_npz",
        in_file(lambda path: read_npz(path, FORMAT, ("rows",))),
        (npz_text(BLUEPRINT_HEADER),),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.blueprint.table.load_blueprint",
        in_file(load_blueprint),
        (npz_text(BLUEPRINT_HEADER),),
        (InputError,),
    ),
    Parser(
        "hedgehog.solver.blueprint.table.load_blueprint",
        lambda header: in_file(load_blueprint)(npz_text(header)),
        (BLUEPRINT_HEADER,),
        (InputError,),
    ),
    Parser(
        "hedgehog.runtime.npy_files.read_npy_header hedgehog.runtime.npy_files.read_npz_arrays",
        in_file(lambda path: read_npz_arrays(path, ("rows",))),
        (npz_text(BLUEPRINT_HEADER),),
        (InputError,),
    ),
    Parser("hedgehog.runtime.npy_files.read_npy_header", in_file(map_npy), (NPY_TEXT,), (InputError,)),
    Parser(
        "hedgehog.strategies.manifest.read_manifest",
        in_folder(read_manifest, MANIFEST_NAME),
        MANIFESTS,
        (PackError,),
        check_manifest,
    ),
    Parser(  # a digest that is right lets everything through to what parses it
        "hedgehog.strategies.manifest.parse_manifest",
        lambda text: parse_manifest(as_bytes(resealed(text)), MANIFEST_NAME),
        MANIFESTS,
        (PackError,),
        check_manifest,
    ),
    Parser(
        "hedgehog.solver.postflop.solution_files.read_saved_solve",
        in_folder(read_saved_solve, MANIFEST_NAME),
        (saved_manifest(),),
        (PackError,),
    ),
    Parser(
        "hedgehog.solver.postflop.solution_files.read_saved_solve",
        lambda text: in_folder(read_saved_solve, MANIFEST_NAME)(resealed(text)),
        (saved_manifest(),),
        (PackError,),
    ),
    Parser("hedgehog.strategies.pack.find_packs", find_packs, (str(ROOT / "strategies" / "packs"),), (PackError,)),
)


KEPT: tuple[tuple[str, str], ...] = (
    ("hedgehog.strategies.manifest.read_manifest", "9" * 5000),
    ("hedgehog.analysis.solves.meetings.sources.parse_source", "dcfr?iterations=" + "9" * 5000),
    ("hedgehog.strategies.pack.find_packs", "packs" * 60),
    ("benchmarks.convergence_files.read_curve", "[" * 100_000),
    ("hedgehog.analysis.lab.row_files.read_row", "[" * 100_000),
    ("hedgehog.solver.blueprint.table.load_blueprint", "[" * 100_000),
    ("hedgehog.runtime.npy_files.read_npz", _NPZ.replace(f"({BLUEPRINT_ROWS},)", f"(({BLUEPRINT_ROWS},")),
    ("hedgehog.solver.blueprint.table.load_blueprint", _NPZ.replace(f"({BLUEPRINT_ROWS},)", f"(({BLUEPRINT_ROWS},")),
    ("hedgehog.strategies.bet_menus.parse_menu", _MENU_JSON.replace("[2.5]", "[1" + "0" * 400 + "]")),
    ("hedgehog.strategies.bet_menus.parse_menu", _MENU_JSON.replace("[2.5]", "[1e400]")),
    ("hedgehog.strategies.bet_menus.parse_menu", _MENU_JSON.replace('"max_raises": 7', '"max_raises": NaN')),
    ("hedgehog.solver.blueprint.table.load_blueprint", BLUEPRINT_HEADER.replace("[2.5]", "[1e308]")),
    ("hedgehog.solver.blueprint.table.load_blueprint", BLUEPRINT_HEADER.replace('"stack": 400', '"stack": 1e400')),
)
