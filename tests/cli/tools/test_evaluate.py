"""``hedgehog eval`` and ``hedgehog equity`` as a user calls them."""

from __future__ import annotations

import pytest

from hedgehog.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exit_info:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(exit_info.value.code or 0), captured.out, captured.err


def test_eval_on_a_flop(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "eval", "AhKh", "--board", "Qh Jh 2c")
    assert code == 0
    assert "Ah Kh  (AKs)" in out
    assert "high card" in out
    assert "76.330 % against random" in out


def test_eval_before_the_flop_takes_separate_cards(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "eval", "Ah", "Ks", "--against", "QdQc")
    assert code == 0
    assert "42.835 % against QdQc" in out
    assert "made hand" not in out


def test_eval_of_seven_cards(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "eval", "2c 2d 2h 9s 9c Ah Kd")
    assert code == 0
    assert "full house" in out
    assert "equity" not in out


def test_equity_of_two_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "equity", "AhKs", "QdQc")
    assert code == 0
    assert "42.835 %" in out
    assert "57.165 %" in out


def test_equity_counts_live_weighted_combos(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "equity", "QQ:0.5", "KK", "--board", "QhJh2c")
    assert code == 0
    row = next(line for line in out.splitlines() if "QQ:0.5" in line)
    assert "1.5" in row.split()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["eval", "AhAh"], "repeated"),
        (["eval", "AhK"], "two characters each"),
        (["eval", "AhKx"], "'Kx'"),
        (["eval", "AhKh", "--board", "AhQhJc"], "Ah is both in the hand and on the board"),
        (["eval", "AhKh", "--board", "Qh"], "a board of 1"),
        (["eval", "AhKhQh"], "got 3"),
        (["eval", "AhKh", "--against", "99-"], "--against: range entry"),
        (["equity", "AKx", "22"], "first range: range entry 'AKx'"),
        (["equity", "22", "AA:2"], "second range: range entry 'AA:2'"),
        (["equity", "AhKh", "AhQh"], "no two hands"),
        (["equity", "AA", "KK", "--board", "Qh2c"], "board"),
        (["equity", "AA"], "Missing argument"),
    ],
)
def test_bad_input_is_one_message(capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert complaint in err
    assert "Traceback" not in err
