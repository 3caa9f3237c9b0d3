"""Whole files: conversion there and back, verification, and what a watch hears of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.analysis.histories.conversion import all_in_lines, convert_logs, verify_logs
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.watch import Watch
from tests.golden import FOLDER

LOG = FOLDER / "log_hunl2p_s0.log.gz"


class Heard(Watch):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.works: list[tuple[str, float | None]] = []
        self.done = 0.0
        self.notes: list[str] = []

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        self.works.append((what, total))

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self.done = done

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.mark.slow
def test_conversion_there_and_back(tmp_path: Path) -> None:
    hands, back, watch = tmp_path / "hands.phhs", tmp_path / "back.log", Heard()
    assert convert_logs([LOG], "phh", hands, watch=watch) == 500
    assert (watch.works, watch.notes) == ([(LOG.name, 500)], [])
    assert watch.done >= 500  # headers and scores count, too
    with pytest.raises(InputError, match="exists"):
        convert_logs([LOG], "phh", hands)
    assert convert_logs([hands], "acpc", back) == 500
    ((file, report),) = verify_logs([back])
    assert (file.path, report.hands, report.faults) == (back, 500, ())
    assert sum(line.startswith("STATE:") for line in all_in_lines(back)) == 500


def test_one_file_per_hand(tmp_path: Path) -> None:
    assert convert_logs([LOG], "acpc", tmp_path / "split", split=True) == 500
    watch = Heard()
    assert sum(report.hands for _, report in verify_logs([tmp_path / "split"], watch=watch)) == 500
    assert watch.notes == []  # of the game definition beside every log, for example


def test_a_watch_hears_of_hands_left_out() -> None:
    def add(file: object, entry: object) -> None:
        seen.append(entry)
        if len(seen) % 2:
            raise LeftOutError("an odd hand")

    seen: list[object] = []
    watch = Heard()
    hands = HandInput([LOG])
    hands.visit(add, watch, hidden_cards=True)
    assert (watch.works, watch.done, hands.hands) == ([("reading", 500)], 500, 250)
    assert [note.partition(":")[0] for note in watch.notes] == ["250 hands left out, an odd hand"]

    def refuse(file: object, entry: object) -> None:
        raise InputError("not this one")

    with pytest.raises(LogError, match=r"log\.gz:\d+: not this one"):
        HandInput([LOG]).visit(refuse)
