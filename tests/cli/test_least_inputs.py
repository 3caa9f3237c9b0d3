"""Commands with the least input that they take, such as one hand: no table or file holds a number that is none."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Final, NoReturn

import pytest

from tests.cli.command import Run

HANDS: Final = {
    "shown": "STATE:0:r20000c///:AhAd|KhKd/2c7dTs/3c/4s:20000|-20000:Ada|Bob",
    "folded": "STATE:0:f:9h9d|AsKs:50|-50:Ada|Bob",
    "bet": "STATE:0:cr9352c/r15096r20000f:5d5c|9hQd/8dAs8s:-15096|15096:Ada|Bob",
}
NO_NUMBER: Final = re.compile(r"(?i)(?<![\w./])[-+±]?(nan|inf|infinity)(?!\w)|∞")
SPOT: Final = """\
spot: least
board: Kh 8d 5s 3c 2h
pot: 1000
stack: 100
range: {oop: AhAd, ip: KdKc}
sizes: {river: {oop: "50%", ip: "50%"}}
"""
OF_A_LOG: Final = [
    "log stats {log} --json {json} --csv {csv}",
    "log stats {log} --all-in-ev --json {json} --csv {csv}",
    "log stats {log} --first 1 --player Ada --json {json} --csv {csv}",
    "log show {log}",
    "judge {log} --json {json} --csv {csv}",
    "study hands {log} --json {json}",
    "study profile {log} --json {json} --csv {csv} --html {html}",
    "study trees 4-4-8 --hands {log} --json {json} --csv {csv}",
]
OTHERS: Final = [
    "log aivat {log} --player Ada=call --json {json}",
    "match fold fold --hands 1 --no-duplicate --seed 1 --out {out} --json {json}",
    "match call allin --hands 1 --seed 1 --aivat --out {out} --json {json}",
    "lbr fold --hands 2 --json {json}",
    "endgame call --stack 10bb --turns 1 --turn-sizes a/ --river-sizes a/ --value-iterations 0 --json {json}",
    "audit fold --boards 1 --json {json} --csv {csv}",
    "solve {spot} --iterations 1 --json {json} --csv {csv}",
    "simulate {spot} --hands 1000 --json {json}",
    "equity AhAd KhKd --board 2c7dTs3c4s --json {json}",
]


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("command", OF_A_LOG)
def test_one_hand(run: Run, tmp_path: Path, command: str, hand: str) -> None:
    log = tmp_path / "one.log"
    log.write_text(HANDS[hand] + "\n")
    verify_numbers(run, tmp_path, command, log)


@pytest.mark.process
@pytest.mark.parametrize("command", OTHERS)
def test_least_work(run: Run, tmp_path: Path, command: str) -> None:
    log = tmp_path / "one.log"
    log.write_text(HANDS["shown"] + "\n")
    verify_numbers(run, tmp_path, command, log)


@pytest.mark.process
@pytest.mark.slow
def test_a_tournament_of_one_hand(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "least.yaml"
    config.write_text(
        "game: kuhn.limit.2p\nhands: 1\nin_process: true\nduplicate: false\nagents: [call, fold, raise]\n"
    )
    code, out, error = run("tournament", "run", config, "--out", tmp_path / "out")
    assert code == 0, error
    assert not NO_NUMBER.search(out), out
    tables = [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".csv", ".json", ".md")]
    assert {path.suffix for path in tables} >= {".csv", ".json"}
    for path in tables:
        assert not NO_NUMBER.search(path.read_text()), path


def verify_numbers(run: Run, folder: Path, command: str, log: Path) -> None:
    spot, names = folder / "spot.yaml", ("json", "csv", "html", "out")
    spot.write_text(SPOT)
    files = {name: folder / f"out.{name}" for name in names}
    code, out, error = run(*command.format(log=log, spot=spot, **files).split())
    assert code == 0, error
    for text in (out, error):
        assert not NO_NUMBER.search(text), text
    if "{json}" in command:
        json.loads(files["json"].read_text(), parse_constant=refuse)
    if "{csv}" in command:
        head, *rows = csv.reader(io.StringIO(files["csv"].read_text()))
        assert len(set(head)) == len(head)
        assert not {"nan", "inf", "-inf"} & {cell.lower() for row in rows for cell in row}
    if "{html}" in command:
        assert not re.search(r">\s*[-+±]?(nan|inf|∞)\s*<", files["html"].read_text())


def refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} in JSON")
