"""hedgehog.dealer.resume: what the log of an interrupted match holds, and that an incomplete last line is cut off
it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.dealer.resume import count_logged_hands, read_logged_hands, read_transactions
from hedgehog.runtime.errors import InputError

HEADER = "# name/game/hands/seed é kuhn.limit.2p 9 1"
HEAD = f"{HEADER}\n#--t_hand 5\n"
HANDS = ["STATE:0:cc:Qs|Ks:-1|1:A|B", "STATE:1:cc:Qs|Ks:-1|1:B|A"]


@pytest.mark.parametrize("rest", ["", "STATE:2:c", "STATE:2:cc:Qs|Ks:-1|1:A|B"])
def test_whole_hands_are_kept_and_the_rest_is_cut(tmp_path: Path, rest: str) -> None:
    """... whatever the bytes of the name of the match are."""
    log, whole = tmp_path / "é.log", HEAD + "".join(f"{hand}\n" for hand in HANDS)
    log.write_text(whole + rest)
    assert read_logged_hands(log, HEAD) == HANDS
    assert log.read_text() == whole
    log.write_text(whole + rest)
    assert count_logged_hands(log, HEADER) == 2
    assert log.read_text() == whole


def test_a_log_that_broke_off_in_its_header_has_no_hand(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text(HEADER)
    assert count_logged_hands(log, HEADER) == 0
    assert log.read_text() == ""


def test_another_log_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    assert count_logged_hands(log, HEADER) is None
    log.write_text("notes\nof mine")
    assert count_logged_hands(log, HEADER) is None
    with pytest.raises(InputError, match="not the log of this match"):
        read_logged_hands(log, HEAD)
    log.write_text(f"{HEAD}SCORE:0|0:A|B\nSTATE")
    with pytest.raises(InputError, match="expected a hand, got 'SCORE:") as raised:
        read_logged_hands(log, HEAD)
    assert raised.value.line == 3
    assert log.read_text().endswith("STATE")


def test_a_transaction_log_that_cannot_be_completed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "m.tlog"
    log.write_text("c 0 1.000000 2.000000")
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: "c 0 1.000000 2.000000")

    def read_only(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", read_only)
    with pytest.raises(InputError, match=r"could not read .*m\.tlog \(Permission denied\)"):
        read_transactions(log)
