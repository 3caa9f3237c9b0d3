"""Every key of a spot file at every command that solves one: it changes the result, or the command refuses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from benchmarks.algorithms import main as algorithms
from hedgehog import solver
from hedgehog.explorer.work.solve_work import SolveOrder, run_solve
from hedgehog.runtime.errors import HedgehogError
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from tests.cli.command import Run

BASE: Final = """\
spot: keys
board: Td 9d 6h Qc
pot: 100
stack: 250
range:
  oop: "AA,KJ,76s"
  ip: "QQ,87s,AJ"
sizes:
  turn:
    oop: "50%,55% / a"
    ip: "50% / a"
  river:
    oop: "50% / a"
    ip: "60%"
"""
_LOCK: Final = 'locks: [{line: "", strategy: {X: 0.5, B55: 0.5}}]\n'
# Name of the key -> text to replace, its replacement; an empty text to replace stands for the end of the file.
KEYS: Final[dict[str, tuple[str, str]]] = {
    "spot": ("spot: keys", "spot: other"),
    "board": ("Td 9d 6h Qc", "Td 9d 6h Qd"),
    "pot": ("pot: 100", "pot: 120"),
    "stack": ("stack: 250", "stack: 240"),
    "range.oop": ("AA,KJ,76s", "AA,KJ:0.5,76s"),
    "range.ip": ("QQ,87s,AJ", "QQ,87s"),
    "sizes.turn.oop": ("50%,55% / a", "75% / a"),
    "sizes.turn.ip": ('ip: "50% / a"', 'ip: "40% / a"'),
    "sizes.river.oop": ('oop: "50% / a"\n    ip: "60%"', 'oop: "40% / a"\n    ip: "60%"'),
    "sizes.river.ip": ('ip: "60%"', 'ip: "75%"'),
    "sizes.river.donk": ('ip: "60%"', 'ip: "60%"\n    donk: "33%"'),
    "lines": (BASE[BASE.index("sizes:") :], 'lines: ["B55 R125 A250", "X B50 C X X", "X X B60"]\n'),
    "add_allin_threshold": ("", "add_allin_threshold: 3\n"),
    "force_allin_threshold": ("", "force_allin_threshold: 0.9\n"),
    "merging_threshold": ("", "merging_threshold: 0.1\n"),
    "max_bets": ("", "max_bets: 1\n"),
    "rake.rate": ("", "rake: {rate: 0.05}\n"),
    "rake.cap": ("", "rake: {rate: 0.05, cap: 2}\n"),
    "abstraction": ("", "abstraction: strength-global\n"),
    "tremble.share": ("", "tremble: {share: 0.01, temperature: 5%}\n"),
    "tremble.temperature": ("", "tremble: {share: 0.01, temperature: 20%}\n"),
    "locks.line": ("", _LOCK),
    "locks.strategy": ("", _LOCK.replace("X: 0.5, B55: 0.5", "X: 0.25, B55: 0.75")),
    "locks.hands": ("", _LOCK.replace('line: ""', 'line: "", hands: AA')),
}
# What a variant is compared with, where that is not the base.
COMPARED: Final = {
    "rake.cap": "rake.rate",
    "tremble.temperature": "tremble.share",
    "locks.strategy": "locks.line",
    "locks.hands": "locks.line",
}


class _RefusedError(Exception):
    """A command has refused a spot; the text is the one line that it has written."""


def _variant(key: str) -> str:
    old, new = KEYS[key]
    assert old in BASE
    return BASE.replace(old, new, 1) if old else BASE + new


def _checked(code: int, errors: str) -> None:
    if code:
        lines = [line for line in errors.splitlines() if line.startswith(("error:", "Error:"))]
        assert (code, len(lines)) == (2, 1)
        raise _RefusedError(lines[0])


def _solve(run: Run, file: Path, folder: Path) -> Any:
    code, _, errors = run("solve", file, "--iterations", "20", "--threads", "1", "--json", folder / "a.json")
    _checked(code, errors)
    found = json.loads((folder / "a.json").read_text())
    return [found[key] for key in ("game", "ev", "exploitability_pct_pot", "nodes_data")]


def _simulate(run: Run, file: Path, folder: Path) -> Any:
    options = ("--iterations", "20", "--hands", "100", "--threads", "1", "--json", folder / "a.json")
    code, _, errors = run("simulate", file, *options)
    _checked(code, errors)
    found = json.loads((folder / "a.json").read_text())
    return [found["spot"], [row["computed"] for row in found["checks"]]]


def _compare(run: Run, file: Path, folder: Path) -> Any:
    done = CliRunner().invoke(algorithms, [str(file), "--algorithms", "dcfr", "--iterations", "20"])
    _checked(2 if isinstance(done.exception, HedgehogError) else done.exit_code, f"error: {done.exception}")
    output = done.output
    rows = [line.split("│")[2:4] for line in output.splitlines() if line.startswith("│ dcfr")]
    return [output.partition(":")[0], rows[-1]]  # the name of the spot; exploitability and iterations at the end


def _in_python(run: Run, file: Path, folder: Path) -> Any:
    spot = solver.read_spot(file)
    solution = solver.solve(solver.prepare(spot), 0.0, 20, threads=1)
    return [spot.name, solution.exploitability(), solution.node_strategy(0).tolist()]


def _explore(run: Run, file: Path, folder: Path) -> Any:
    server, worker = Pipe()
    with server, worker:
        run_solve(worker, SolveOrder(file.read_text(), folder / "saved", "f32", 0.0, 20))
        last: dict[str, Any] = {}
        while server.poll():
            last = server.recv()
    if last["state"] == "failed":
        raise _RefusedError(last["error"])
    saved = solver.read_saved_solve(folder / "saved")
    return [saved.spot.name, saved.found]


COMMANDS: Final[dict[str, Callable[[Run, Path, Path], Any]]] = {
    "solve": _solve,
    "simulate": _simulate,
    "benchmarks.algorithms": _compare,
    "hedgehog.solver.solve": _in_python,
    "explore": _explore,
}
REFUSED: Final = {("abstraction", "explore")}
_found: dict[tuple[str, str], Any] = {}


def _result(run: Run, command: str, key: str, folder: Path) -> Any:
    """Returns what a command makes of a variant, once for all tests."""
    if (command, key) not in _found:
        place = folder / f"{command}-{key}".replace(" ", "-")
        place.mkdir()
        file = place / "spot.yaml"
        file.write_text(_variant(key) if key else BASE)
        _found[command, key] = COMMANDS[command](run, file, place)
    return _found[command, key]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("key", KEYS)
def test_every_key_changes_the_result_or_is_refused(run: Run, tmp_path: Path, key: str, command: str) -> None:
    if (key, command) in REFUSED:
        with pytest.raises(_RefusedError, match=key):
            _result(run, command, key, tmp_path)
        return
    assert _result(run, command, key, tmp_path) != _result(run, command, COMPARED.get(key, ""), tmp_path)


def test_the_table_has_all_keys() -> None:
    page = (Path(__file__).parents[3] / "docs" / "spot-files.md").read_text()
    keys = {row.split("`")[1] for row in page.splitlines() if row.startswith("| `") and row.count("|") == 4}
    # A turn spot: sizes of the flop, and bets after a call on it, are allowed and not used.
    unused = {"sizes.flop.oop", "sizes.flop.ip", "sizes.turn.donk"}
    assert keys - unused == set(KEYS)
    more = BASE.replace("  turn:", '  flop: {oop: "a", ip: "a"}\n  turn:\n    donk: "33%"')
    plain, other = (build_postflop_tree(parse_spot(text).tree) for text in (BASE, more))
    assert plain.amount.tolist() == other.amount.tolist()
