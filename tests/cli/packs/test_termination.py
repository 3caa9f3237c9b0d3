"""A build that is told to end by a signal says how it is gone on with, whichever signal it is."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from hedgehog.cli.main import main
from hedgehog.cli.termination import ended_as_by_ctrl_c
from hedgehog.solver.packs import build as pack_build
from tests.agent.pack_fixtures import tiny_build

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def end_myself(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)
    time.sleep(60)  # the signal ends it


@pytest.mark.parametrize("number", SIGNALS)
def test_a_build_ends_with_a_word_on_how_to_go_on(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cleaned = []

    def build(*_: object, **__: object) -> None:
        try:
            end_myself(number)
        finally:
            cleaned.append(number)

    monkeypatch.setattr(pack_build, "build_pack", build)
    config = tmp_path / "tiny.yaml"
    config.write_text(tiny_build("7d 7c 7h"))
    with pytest.raises(SystemExit) as ended:
        main(["pack", "build", str(config), "--out", str(tmp_path / "out")])
    assert ended.value.code == 130
    assert cleaned == [number]
    assert f"the same command goes on from what is in {tmp_path / 'out.work'}" in capsys.readouterr().err


def test_handlers_are_as_they_were() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(KeyboardInterrupt), ended_as_by_ctrl_c():
        end_myself(signal.SIGTERM)
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_an_ignored_signal_stays_ignored() -> None:
    """As under nohup, where the terminal may be closed."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_as_by_ctrl_c():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
