"""``hedgehog play-here`` as a person meets it, in a pseudo-terminal and with piped input."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.analysis.histories.hand_files import open_hand_file
from hedgehog.analysis.histories.hand_words import action_text
from hedgehog.arena.seatings.session_log import SessionLog
from hedgehog.dealer.cards import CardDealer
from hedgehog.dealer.journal import LineFile
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand, LogHeader, parse_header, parse_log_line, read_log, verify_log
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_index, format_cards
from hedgehog.poker.evaluation.allin import expected_values
from hedgehog.runtime.errors import ResourceError
from tests.cli.command import Run
from tests.terminal import PATIENCE_S, Terminal

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
PLAY = [sys.executable, "-m", "hedgehog.cli", "play-here"]


def hands_of(path: Path) -> list[LoggedHand]:
    """Returns the hands of a log that must be without fault."""
    report = verify_log(path)
    assert report.faults == ()
    hands = [parse_log_line(line, GAME) for line in read_log(path) if line.startswith("STATE:")]
    assert report.hands == len(hands)
    return hands


def has_score(path: Path) -> bool:
    return read_log(path)[-1].startswith("SCORE:")


def symbols(text: str) -> str:
    """Returns cards with the symbols of the suits, as the screen shows them."""
    return text.translate(str.maketrans("cdhs", "♣♦♥♠"))


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path) -> Run:
    """Runs the command line with text as piped input (the first argument), in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(str(arguments[0])))
        return run("play-here", *arguments[1:])

    return call


# -- in a terminal -----------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_session_in_a_terminal(tmp_path: Path) -> None:
    log = tmp_path / "new" / "session.log"
    with Terminal([*PLAY, "--against", "call", "--seed", "3", "--log", str(log)], cwd=str(tmp_path)) as terminal:
        opening = terminal.wait_for("> ")
        deal = CardDealer(GAME, 3).deal()
        assert "Hand 0, your position: big blind" in opening
        assert "call calls 50" in opening
        assert "pot 200" in opening
        for card in deal.hole_cards[0]:
            assert symbols(format_cards([card])) in re.sub(r"\x1b\[[0-9;]*m", "", opening)
        for wrong, answer in (
            ("f", "nothing to fold to"),
            ("r", "needs its size"),
            ("r 150", "from 200 to 20,000"),
            ("20001", "from 200 to 20,000"),
            ("banana", "none of the keys"),
            ("", "nothing was typed"),
            ("l", "no hand is finished yet"),
        ):
            terminal.type(wrong)
            terminal.wait_for(answer)
            terminal.wait_for("> ")
        terminal.type("r 400")
        assert "pot 800" in terminal.wait_for("> ")
        terminal.type("h")
        assert "call calls 400" in terminal.wait_for("> ")
        terminal.type("500")
        assert "call calls 500" in terminal.wait_for("> ")
        terminal.type("p")
        terminal.wait_for("call shows")
        assert "1 hand: " in terminal.wait_for("Hand 1, your position: button")
        terminal.wait_for("> ")
        terminal.type("f")
        second = terminal.wait_for("Hand 2, your position: big blind")
        assert "shows" not in second
        assert "You lose 50 (-0.50 bb)." in second
        terminal.wait_for("> ")
        terminal.type("l")
        listed = terminal.wait_for("> ")
        assert "C R400 C / B400 C / B500 C / B2600 C" in listed
        terminal.type("q")
        assert terminal.wait() == 0
        assert "You against call: 2 hands: " in terminal.output
    first, second_hand = hands_of(log)
    assert first.state.betting_string() == "cr400c/r800c/r1300c/r3900c"
    assert first.hole_cards == deal.hole_cards
    assert second_hand.state.betting_string() == "f"
    assert [first.names, second_hand.names] == ["you|call", "call|you"]
    assert has_score(log)
    # The opponent's cards of the hand that was folded are in the log and nowhere on the screen.
    hidden = symbols(format_cards(sorted(second_hand.hole_cards[0], reverse=True), " "))
    assert hidden not in re.sub(r"\x1b\[[0-9;]*m", "", terminal.output)


@pytest.mark.process
@pytest.mark.parametrize(("end", "code"), [("interrupt", 130), ("hang_up", 128 + signal.SIGHUP)])
@pytest.mark.slow_cases("hang_up-129")
def test_the_log_holds_whole_hands_when_the_session_breaks_off(tmp_path: Path, end: str, code: int) -> None:
    log = tmp_path / "session.log"
    with Terminal([*PLAY, "--against", "call", "--seed", "5", "--log", str(log)]) as terminal:
        for _ in range(3):
            terminal.wait_for("> ")
            terminal.type("a")
            terminal.wait_for("bb, all-in adjusted")
        terminal.wait_for("> ")
        terminal.type("c")
        terminal.wait_for("> ")
        assert getattr(terminal, end)() == code
    assert len(hands_of(log)) == 3
    assert has_score(log)
    header = parse_header(read_log(log)[0])
    assert header is not None
    assert (header.hands, header.seed) == (3, 5)


@pytest.mark.process
def test_a_session_that_is_killed_leaves_a_log_that_breaks_off(tmp_path: Path) -> None:
    log = tmp_path / "session.log"
    with Terminal([*PLAY, "--against", "call", "--log", str(log)]) as terminal:
        for number in (1, 2, 3):
            terminal.wait_for("> ")
            terminal.type("a")
            terminal.wait_for(f"{number} hand")
        terminal.wait_for("> ")
        terminal.process.kill()
        terminal.wait()
    assert len(hands_of(log)) == 3
    assert not has_score(log)


@pytest.mark.process
def test_keys_typed_ahead_act_on_nothing(tmp_path: Path) -> None:
    """Eight quick calls at one question are one call: the next question shows cards that they were not meant for."""
    log = tmp_path / "session.log"
    with Terminal([*PLAY, "--against", "call", "--seed", "5", "--log", str(log)]) as terminal:
        terminal.wait_for("> ")
        terminal.type("\r".join("c" * 8))
        terminal.wait_for("Flop:")
        terminal.wait_for("> ")
        terminal.type("banana\rc\rc\rc")
        terminal.wait_for("> ")
        terminal.type("r 300")
        terminal.wait_for("Turn:")
        terminal.wait_for("> ")
        terminal.type("a")
        terminal.wait_for("bb, all-in adjusted")
        terminal.wait_for("> ")
        terminal.type("q")
        assert terminal.wait() == 0
    assert [hand.state.betting_string() for hand in hands_of(log)] == ["cc/r400c/r20000c/"]


# -- with piped input --------------------------------------------------------------------------------------------


@pytest.mark.process
def test_the_same_cards_as_a_match_and_the_same_log(typed: Run, run: Run, tmp_path: Path) -> None:
    code, output, _ = typed("c\n" * 40, "--against", "call", "--seed", "11", "--hands", "6", "--log", "a.log")
    assert code == 0
    assert "You against call: 6 hands: " in output
    options = ("--in-process", "--hands", "6", "--seed", "11", "--no-duplicate", "--out", "m")
    assert run("match", "call", "call", *options)[0] == 0
    (match_log,) = Path("m").glob("*.log")
    expected = [re.sub(r"call(_2)?", lambda found: "call" if found[1] else "you", line) for line in read_log(match_log)]
    mine = read_log(Path("a.log"))
    assert [line for line in mine if line[0] == "S"] == [line for line in expected if line[0] == "S"]
    assert mine[0].split(" ")[-2:] == ["6", "11"]
    hands_of(Path("a.log"))


def test_the_result_counts_all_ins_as_their_average(typed: Run) -> None:
    _, output, _ = typed(
        "a\nr 300\nf\na\nr 300\n" + "c\n" * 9, "--against", "call", "--seed", "21", "--hands", "3", "--log", "a.log"
    )
    hands = hands_of(Path("a.log"))
    assert len(hands) == 3
    seats = [hand.names.split("|").index("you") for hand in hands]
    won = sum(float(hand.values[seat]) for hand, seat in zip(hands, seats, strict=True)) / 100
    adjusted = sum(expected_values(hand)[seat] for hand, seat in zip(hands, seats, strict=True)) / 100
    assert abs(won - adjusted) > 1
    assert f"3 hands: {won:+,.2f} bb, all-in adjusted {adjusted:+,.2f} bb" in output


def test_hints_are_what_our_player_samples_from(typed: Run) -> None:
    player = PackPlayer(think_ms=0)
    player.warm_up()
    player.new_match(GAME, 0)
    _, output, _ = typed("?\nc\n?\nq\n", "--against", "call", "--think-ms", "0", "--seed", "8", "--log", "a.log")
    deal = CardDealer(GAME, 8).deal()
    told = re.findall(r"Our player would (.*?)\.\n", re.sub(r"\n(?!Layer)", " ", output.replace("\nLayer", ".\nLayer")))
    assert len(told) == 2
    for betting, board, text in zip(("c", "cc/"), ((), deal.board[:3]), told, strict=True):
        state = parse_betting(betting, GAME)
        options = player.strategy(MatchState(0, 0, (deal.hole_cards[0], ()), board, state))
        column = options.probabilities[:, combo_index(*deal.hole_cards[0])]
        for action, share in zip(options.actions, column, strict=True):
            assert (f"{action_text(action, state)} ({100 * share:.0f} %)" in text) == (share > 0)
    assert "Layer blueprint" in output


def test_hints_at_every_decision(typed: Run) -> None:
    options = ("--against", "default", "--think-ms", "0", "--hints", "--seed", "2", "--hands", "2", "--log", "a.log")
    code, output, _ = typed("c\n" * 40, *options)
    assert code == 0
    assert output.count("Our player would") == output.count("\n> ")
    assert len(hands_of(Path("a.log"))) == 2


def test_evs_stand_beside_hints_where_they_are_known(typed: Run) -> None:
    """The table of preflop values has them, and live solves; packs have none."""
    _, output, _ = typed("?\nc\n?\nq\n", "--against", "call", "--think-ms", "0", "--seed", "8", "--log", "a.log")
    player = PackPlayer(think_ms=0)
    player.warm_up()
    player.new_match(GAME, 0)
    deal = CardDealer(GAME, 8).deal()
    state = parse_betting("c", GAME)
    evs = player.action_evs(MatchState(0, 0, (deal.hole_cards[0], ()), (), state), combo_index(*deal.hole_cards[0]))
    told = re.findall(r"EV in BB: (.*?)\.\n", re.sub(r"\n(?!Layer)", " ", output.replace("\nLayer", ".\nLayer")))
    assert len(told) == 1
    for action, ev in evs.items():
        assert f"{action_text(action, state)} {ev / 100:+.2f}" in told[0]


def test_grades_after_every_hand(typed: Run) -> None:
    options = ("--against", "call", "--grades", "--seed", "5", "--hands", "1", "--log", "a.log")
    code, output, _ = typed("c\n" * 4, *options)
    assert code == 0
    text = " ".join(output.split())
    assert re.search(r"Turn, check: \w+, loses \d+\.\d\d ± \d+\.\d\d BB .*solved to [0-9.]+ % of the pot\)", text)
    assert re.search(r"River, check: \w+, loses", text)
    assert "Flop, check: not graded" in text


def test_a_log_of_its_own_under_runs(typed: Run) -> None:
    for _ in range(2):
        code, output, _ = typed("r 300\nr 300\nq\n", "--against", "fold")
        assert code == 0
        assert re.search(r"Log: runs/play-here-[0-9-]+\.log", output)
    logs = list(Path("runs").iterdir())
    assert len(logs) == 2
    seeds = set()
    for log in logs:
        assert len(hands_of(log)) >= 2
        header = parse_header(read_log(log)[0])
        assert header is not None
        seeds.add(header.seed)
    assert len(seeds) == 2  # fresh cards every time


@pytest.mark.process
@pytest.mark.parametrize("spec", ["call", pytest.param("default", marks=pytest.mark.slow)])
def test_a_first_launch_is_announced(typed: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    assert "first launch" not in typed("q\n", "--against", spec, "--think-ms", "0")[2]
    monkeypatch.setattr("hedgehog.runtime.jit.cache_is_cold", lambda: True)
    monkeypatch.setattr("hedgehog.runtime.jit.NUMBA_CACHE", tmp_path / "numba")
    assert typed("q\n", "--against", spec, "--think-ms", "0")[2].count("first launch") == 1


def test_nothing_played_leaves_no_log(typed: Run) -> None:
    code, output, _ = typed("", "--against", "call", "--log", "sub/a.log")
    assert code == 0
    assert "No hand was finished" in output
    assert list(Path("sub").iterdir()) == []


def test_a_file_of_the_users_is_never_overwritten(typed: Run, tmp_path: Path) -> None:
    Path("thesis.txt").write_text("chapter 1")
    code, _, errors = typed("a\n", "--against", "call", "--log", "thesis.txt")
    assert code == 2
    assert "exists already" in errors
    assert Path("thesis.txt").read_text() == "chapter 1"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "cmd:./bot"], "program of its own"),
        (["--against", "nobody"], "unknown player"),
        (["--against", "pack:/nosuch"], "no strategy pack"),
        (["--against", "call", "--game", "holdem.nolimit.3p"], "two players"),
        (["--against", "pack:.", "--think-ms", "0", "--game", "leduc.limit.2p"], "no strategy pack"),
        (["--against", "call", "--hints", "--think-ms", "0", "--game", "leduc.limit.2p"], "no-limit hold'em alone"),
        (["--against", "call", "--log", "-"], "needs a file"),
        (["--against", "call", "--log", "/etc/passwd/x"], "not a folder"),
        (["--against", "call", "--hands", "0"], "--hands"),
        (["--against", "call", "--seed", "-1"], "--seed"),
    ],
)
def test_bad_options(typed: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    code, output, errors = typed("q\n", *arguments)
    assert code == 2
    assert output == ""
    assert message in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("game", ["leduc.limit.2p", "kuhn.limit.2p", "holdem.limit.2p.reverse_blinds"])
def test_other_games(typed: Run, game: str) -> None:
    code, output, _ = typed(
        "r\n?\nc\n7\nh\n" * 40, "--against", "random", "--game", game, "--hands", "5", "--log", "a.log"
    )
    assert code == 0
    assert "no hint: our player explains its strategy in heads-up no-limit hold'em alone" in output
    assert verify_log("a.log").faults == ()
    assert has_score(Path("a.log"))


def test_an_encoding_without_suits(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PLAY, "--against", "call", "--seed", "3", "--hands", "1", "--log", str(tmp_path / "a.log")],
        input=b"c\nl\xff\nc\n" + b"c\n" * 5,  # bytes that are no text are no reason to end, either
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    output = done.stdout.decode("ascii")
    cards = format_cards(CardDealer(GAME, 3).deal().hole_cards[0])
    assert f"| {cards[2:]} || {cards[:2]} |" in output or f"| {cards[:2]} || {cards[2:]} |" in output
    assert "none of the keys" in output
    assert all(len(line) <= 80 for line in output.splitlines() if str(tmp_path) not in line)


def test_a_full_disk_keeps_whole_lines(tmp_path: Path) -> None:
    log = SessionLog(tmp_path / "a.log", LogHeader("m", "holdem.nolimit.2p.reverse_blinds.game", 9, 0))
    line = b"STATE:0:r300f:2c3c|4c5c:-100|100:you|call\n"
    log.write(line)
    before = log.path.read_bytes()

    class FullDisk(io.BytesIO):
        def write(self, data: object) -> int:
            if log.path.read_bytes() != before:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            with log.path.open("ab") as file:
                file.write(line[:7])
            return 7

        def truncate(self, size: int | None = None) -> int:
            os.truncate(log.path, size or 0)
            return size or 0

    log._lines = LineFile(FullDisk(before), "a.log")
    with pytest.raises(ResourceError, match=r"could not write a\.log \(No space left"):
        log.write(line)
    assert log.path.read_bytes() == before
    assert log.num_hands == 1


# -- freeze-outs -------------------------------------------------------------------------------------------------

FREEZE_OUT = ("--freezeout", "--against", "raise", "--seed", "1", "--log", "a.log")


def test_a_whole_freeze_out(typed: Run) -> None:
    """Stacks and levels on the screen are those that follow from the log, whose last hand leaves one player nothing."""
    levels = ("--stack", "600", "--levels", "10/20x2,20/40x2,100/200")
    code, output, _ = typed("f\nc\n" * 100, *FREEZE_OUT, *levels)
    assert code == 0
    assert verify_log(Path("a.log")).faults == ()
    hands = list(open_hand_file(Path("a.log")).hands())
    text = " ".join(output.split())
    stacks = {"you": 600, "raise": 600}
    for number, entry in enumerate(hands):
        names = entry.hand.names.split("|")
        assert entry.gamedef.stacks == tuple(stacks[name] for name in names)
        level = ["Level 1 of 3: blinds 10/20", "Level 2 of 3: blinds 20/40", "Level 3 of 3: blinds 100/200"][
            min(number // 2, 2)
        ]
        assert re.search(
            rf"Hand {number}, your position: [a-z ]+ ─+ {level}[^.]*\. You have {stacks['you']:,}, "
            rf"raise has {stacks['raise']:,}\.",
            text,
        )
        for name, value in zip(names, entry.hand.values, strict=True):
            stacks[name] += int(value)
    assert sorted(stacks.values()) == [0, 1200]
    winner = "you have" if stacks["you"] else "raise has"
    assert f"You against raise: {winner} won the freeze-out after {len(hands)} hand" in text
    assert has_score(Path("a.log"))


def test_leaving_a_freeze_out_keeps_its_finished_hands(typed: Run) -> None:
    code, output, _ = typed("f\nf\nf\nq\n", *FREEZE_OUT, "--stack", "100bb", "--blinds", "1/2")
    assert code == 0
    report = verify_log(Path("a.log"))
    assert (report.hands, report.faults) == (3, ())
    header = parse_header(read_log(Path("a.log"))[0])
    assert header is not None
    assert (header.hands, header.game) == (3, "holdem.nolimit.2p.1-2.200")
    assert re.search(r"You against raise: after 3 hands you have [0-9]+ chips and raise has [0-9]+\.", output)


def test_hints_in_a_freeze_out_know_the_stacks(typed: Run) -> None:
    code, output, _ = typed(
        "?\nf\n" * 3 + "q\n", *FREEZE_OUT, "--stack", "4bb", "--blinds", "50/100", "--think-ms", "0"
    )
    assert code == 0
    assert output.count("Our player would") == 3
    assert "no hint" not in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--freezeout --hands 3", "--hands does not go with --freezeout"),
        ("--levels 1/2", "--levels goes with --freezeout"),
        ("--freezeout --levels 1/2 --blinds 1/2", "--blinds does not go with --levels"),
        ("--freezeout --levels 1/2x3", "the last blind level goes on"),
        ("--freezeout --game kuhn.limit.2p", "a freeze-out is heads-up no-limit hold'em"),
        ("--freezeout --game holdem.limit.2p.reverse_blinds", "a freeze-out is heads-up no-limit hold'em"),
        ("--freezeout --against jamfold --levels 10/20x5,50/100", "jamfold with blind levels needs at most 15"),
    ],
)
def test_freeze_outs_that_cannot_be_played(typed: Run, arguments: str, message: str) -> None:
    code, output, error = typed("", *arguments.split())
    assert (code, output) == (2, "")
    assert message in error
    assert not Path("runs").exists()
