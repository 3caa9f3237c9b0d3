"""Packs of every kind whose files are whole but whose numbers are no strategies: named, and never played or shown."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.strategies.pack import default_packs, open_pack, update_pack
from tests.agent.pack_fixtures import shipped_digest, write_exact_pack
from tests.cli.command import Run

SPOT: Final = """\
spot: tiny
board: Td 9d 6h Qc
pot: 100
stack: 300
range: {oop: "AA,T9s", ip: "QQ,AQs"}
sizes:
  turn: {oop: "75%/a", ip: "75%/a"}
  river: {oop: "75%/a", ip: "75%/a"}
"""
Change = Callable[[NDArray[Any]], None]


def change_byte(array: NDArray[Any]) -> None:
    array.reshape(-1)[17] ^= 1


def put(value: float) -> Change:
    def change(array: NDArray[Any]) -> None:
        flat = array.reshape(-1)
        flat = flat.view(np.float16) if flat.dtype == np.uint16 else flat
        flat[7] = value

    return change


class Unsound(NamedTuple):
    """A pack with a number that has no meaning."""

    kind: str
    array: str
    change: Change
    message: str
    uses: tuple[str, ...]
    """Commands that read the array; `{pack}` and `{folder}` stand for the pack and the folder around it."""


NOT_ONE: Final = "1 strategy rows do not sum to one"
NO_WEIGHT: Final = "holds a number that is negative or not finite"
ASK: Final = "ask --player pack:{folder} --hand AhKd --think-ms 0"
SHOW: Final = "pack show {pack}"
QUERY: Final = "query {pack}"
RESUME: Final = "solve {spot} --iterations 9 --threads 1 --save {pack}"

UNSOUND: Final = (
    Unsound("blueprint", "blueprint_rows", change_byte, NOT_ONE, (ASK, SHOW, "pack chart {pack} --out {new}")),
    Unsound("limit-2p", "limit_rows", change_byte, NOT_ONE, ("ask --player limit:{pack} --hand AhKd", SHOW)),
    Unsound("limit-3p", "limit_rows", change_byte, NOT_ONE, ("match limit:{pack} call call --game holdem.limit.3p",)),
    Unsound("quick-flops", "cc_rows", change_byte, "a row does not sum to 255", (ASK, "pack report {pack}")),
    Unsound("quick-flops", "cc_ranges", put(np.nan), NO_WEIGHT, (ASK, "pack report {pack}")),
    Unsound("exact", "single_raised_rows", change_byte, NOT_ONE, (ASK, "pack report {pack}")),
    Unsound("exact", "single_raised_ranges", put(-0.5), NO_WEIGHT, (ASK, SHOW, "pack report {pack}")),
    Unsound("exact", "single_raised_quality", put(np.inf), NO_WEIGHT, (ASK, SHOW)),
    Unsound("solve", "average_oop", put(np.nan), NO_WEIGHT, (QUERY, "simulate {pack} --hands 10")),
    Unsound("solve", "average_ip", put(-1.0), NO_WEIGHT, (QUERY,)),
    Unsound("solve", "regret_ip", put(np.nan), "holds a number that is not finite", (RESUME,)),
    Unsound("half", "average_oop", put(np.nan), NO_WEIGHT, (QUERY,)),
    Unsound("half", "average_oop", put(-2.0), NO_WEIGHT, (QUERY,)),
    Unsound("strategy", "average_oop", change_byte, NOT_ONE, (QUERY,)),
)


@pytest.fixture(scope="module")
def solves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved solves of one spot: the whole state in two precisions, and the strategies in bytes."""
    from hedgehog.cli.main import main

    folder = tmp_path_factory.mktemp("solves")
    (folder / "spot.yaml").write_text(SPOT)
    solve = f"solve {folder}/spot.yaml --iterations 5 --threads 1"
    for options in (f"--save {folder}/solve --save-strategy {folder}/strategy", f"--save {folder}/half --storage f16"):
        with pytest.raises(SystemExit) as ended:
            main(f"{solve} {options}".split())
        assert ended.value.code == 0
    return folder


def make_pack(kind: str, folder: Path, solves: Path) -> Path:
    """Makes a sound pack of a kind, and a blueprint beside it where it needs one."""
    if kind in ("quick-flops", "exact"):
        shutil.copytree(default_packs() / "blueprint", folder / "blueprint")
    if kind == "exact":
        return write_exact_pack(folder / "exact", shipped_digest())
    source = solves / kind if kind in ("solve", "half", "strategy") else default_packs() / kind
    shutil.copytree(source, folder / kind)
    return folder / kind


@pytest.mark.parametrize("unsound", UNSOUND, ids=lambda one: f"{one.kind}-{one.array}-{one.message[-12:]}")
@pytest.mark.quick_cases(every=2)
def test_what_is_no_strategy_is_refused(run: Run, tmp_path: Path, solves: Path, unsound: Unsound) -> None:
    pack = make_pack(unsound.kind, tmp_path / "packs", solves)
    opened = open_pack(pack)
    arrays = {name: np.array(array) for name, array in opened.arrays.items()}
    unsound.change(arrays[unsound.array])
    update_pack(pack, opened.manifest, arrays)

    code, out, _ = run("pack", "verify", pack)
    assert (code, "1 packs, 1 faults" in out) == (1, True), out
    assert unsound.message in out
    assert str(pack) in out
    words = {"pack": pack, "folder": tmp_path / "packs", "spot": solves / "spot.yaml", "new": tmp_path / "new"}
    for use in unsound.uses:
        code, out, error = run(*(word.format(**words) for word in use.split()))
        assert code == 2, (use, out, error)
        assert unsound.message in error
        assert str(pack) in error
        assert "Traceback" not in error


def test_a_pipe_in_the_place_of_an_array_is_no_pack(run: Run, tmp_path: Path, solves: Path) -> None:
    for kind in ("blueprint", "limit-2p", "solve", "strategy"):
        pack = make_pack(kind, tmp_path / "packs", solves)
        array = max(pack.glob("*.npy"), key=lambda path: path.stat().st_size)
        array.unlink()
        os.mkfifo(array)
        code, out, _ = run("pack", "verify", pack)
        assert (code, "1 packs, 1 faults" in out) == (1, True)
        assert f"{array.name}: not a readable npy file" in out
        assert "expected a file, got a pipe" in out
