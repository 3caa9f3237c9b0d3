"""``hedgehog log``: verify, show, convert, stats, all-in-ev."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest

from hedgehog.cli.main import main
from tests.golden import FOLDER, read_golden_log
from tests.poker.lbr_fixtures import CONFIG, lbr_log

HUNL_LOG = "log_hunl2p_s1471220049"


def run(command: str, *arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["log", command, *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def verify(*arguments: str) -> int:
    return run("verify", *arguments)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "m.log"
    path.write_bytes(gzip.decompress((FOLDER / "log_leduc2p_s1471220049.log.gz").read_bytes()))
    return path


def short_log(folder: Path, name: str = HUNL_LOG, hands: int = 6) -> Path:
    """The start of a golden log, with a comment, without its score."""
    path = folder / f"{name}.log"
    path.write_text("\n".join([*read_golden_log(name)[: 4 + hands], "# and so on"]) + "\n")
    return path


def lbr_file(folder: Path, hands: int = 40, name: str = "lbr_fc4_X_r1.out", br: str = "P1_ex") -> Path:
    acpc = [line for line in read_golden_log(HUNL_LOG) if line.startswith("STATE:")][:hands]
    players = {"P1_ex": "Player", "P2_mix": "Player"} | {br: "BR"}
    path = folder / name
    path.write_text("\n".join(lbr_log(acpc, players)) + "\n")
    return path


def test_good_logs(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(str(log), str(log)) == 0
    shown = capsys.readouterr()
    assert shown.out == "300 hands, 0 faults\n"
    assert shown.err == f"{log} holds the same text as {log}: counted once\n"


def test_faults_are_listed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = log.read_text().splitlines()
    lines[10] = lines[10].replace(":P", "0:P")
    log.write_text("\n".join(lines))
    assert verify(str(log)) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(f"{log}:11: expected values ")
    assert out[1] == "300 hands, 1 faults"


def test_another_game(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--game", "kuhn.limit.2p", str(log)) == 1
    assert "300 hands" in capsys.readouterr().out
    assert verify("--game", "nosuch", str(log)) == 2


def test_unreadable_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(str(tmp_path / "none.log")) == 2
    assert (
        capsys.readouterr().err == f"error: {tmp_path}/none.log: could not read log file (No such file or directory)\n"
    )
    assert verify() == 2
    damaged = tmp_path / "m.log.gz"
    damaged.write_bytes((FOLDER / f"{HUNL_LOG}.log.gz").read_bytes()[:100])
    assert verify(str(damaged)) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"error: {damaged}: could not read log file (")


def test_all_formats_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zipped = FOLDER / f"{HUNL_LOG}.log.gz"
    lbr = lbr_file(tmp_path)
    phh = tmp_path / "m.phhs"
    assert run("convert", str(short_log(tmp_path)), "--to", "phh", "--out", str(phh)) == 0
    capsys.readouterr()
    assert verify(str(zipped), str(lbr), str(phh)) == 0
    assert capsys.readouterr().out == "346 hands, 0 faults\n"


def test_faults_of_other_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lbr = lbr_file(tmp_path)
    lbr.write_text(lbr.read_text().replace("r20000", "r20001", 1).replace(":-20000,20000(", ":20000,-20000(", 1))
    phh = tmp_path / "m.phhs"
    run("convert", str(short_log(tmp_path)), "--to", "phh", "--out", str(phh))
    phh.write_text(phh.read_text().replace("finishing_stacks = [0, 40000]", "finishing_stacks = [10, 39990]", 1))
    capsys.readouterr()
    assert verify(str(lbr), str(phh)) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"{lbr}:{len(CONFIG) + 1}: expected values -20000,20000, got 20000,-20000"
    assert re.fullmatch(
        re.escape(str(phh)) + r":\d+: expected winnings -20000 20000, got -19990 19990 by the finishing_stacks", out[1]
    )
    assert out[2] == "46 hands, 2 faults"


@pytest.mark.parametrize("name", [HUNL_LOG, "log_limit3p_s1471220049"])
def test_acpc_to_phh_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    source = short_log(tmp_path, name)
    phh, back = tmp_path / "sub" / "m.phhs", tmp_path / "back.log"
    assert run("convert", str(source), "--to", "phh", "--out", str(phh)) == 0
    assert run("convert", str(phh), "--to", "acpc", "--out", str(back)) == 0
    assert back.read_text() == source.read_text()
    assert capsys.readouterr().err == "6 hands converted\n" * 2


def test_convert_to_standard_output(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    source = short_log(tmp_path)
    assert run("convert", str(source), "--to", "acpc") == 0
    assert capfdbinary.readouterr() == (source.read_bytes(), b"")


def test_one_file_per_hand(tmp_path: Path) -> None:
    assert run("convert", str(short_log(tmp_path)), "--to", "phh", "--split", "--out", str(tmp_path / "hands")) == 0
    files = sorted(path.name for path in (tmp_path / "hands").iterdir())
    assert files == [f"{HUNL_LOG}-{number}.phh" for number in range(1, 7)]
    one = tmp_path / "one.log"
    assert run("convert", str(tmp_path / "hands" / files[2]), "--to", "acpc", "--out", str(one)) == 0
    assert one.read_text().splitlines() == [read_golden_log(HUNL_LOG)[6]]


def test_lbr_to_a_log_that_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = lbr_file(tmp_path)
    out = tmp_path / "br.log"
    assert run("convert", str(source), "--to", "acpc", "--out", str(out)) == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "# name/game/hands/seed lbr_fc4_X_r1 holdem.nolimit.2p.reverse_blinds.game 40 7"
    golden = [line for line in read_golden_log(HUNL_LOG) if line.startswith("STATE:")][:40]
    assert [line.rpartition(":")[0] for line in lines[1:-1]] == [line.rpartition(":")[0] for line in golden]
    assert lines[1].endswith(":BR|Player")
    assert lines[-1].startswith("SCORE:")
    assert verify(str(out)) == 0
    assert capsys.readouterr().out == "40 hands, 0 faults\n"


def test_a_game_that_is_not_shipped_is_written_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "lbr_fcpa_CARDS_hard_r1.out"
    game_line = "In config file: GAME_DEF=holdem/game_def.holdem.2p.no_limit.100BB.reverse_blinds"
    # Both play the two pairs on the board.
    hand = "1:BR,Player:0cr4c/cr12c/r182c/cc:2c2d,3c3d|/4c4d5c/9h/9s:0,-0(0.5)"
    source.write_text("\n".join([game_line, *CONFIG[1:], hand]))
    out = tmp_path / "br.log"
    assert run("convert", str(source), "--to", "acpc", "--out", str(out)) == 0
    assert "holdem.nolimit.2p.100bb.reverse_blinds.game" in capsys.readouterr().err
    assert out.read_text().splitlines()[1] == "STATE:0:cr6c/cr18c/r200c/:2c2d|3c3d/4c4d5c/9h/9s:0|0:BR|Player"
    assert verify(str(out)) == 0


def test_hands_that_cannot_be_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "m.log"
    golden = read_golden_log("log_c_shortstacks3p_s1471220049")
    source.write_text("\n".join(golden[:1] + golden[4:9]) + "\n")
    out = tmp_path / "m.phhs"
    assert run("convert", str(source), "--to", "phh", "--out", str(out)) == 0
    *_, left_out, converted = capsys.readouterr().err.splitlines()
    assert left_out.startswith(f"1 hand left out, not to be expressed in phh: {source}:5: 'STATE:3:")
    assert "(hand 3: PHH cannot express it" in left_out
    assert converted == "4 hands converted, 1 left out"
    assert out.read_text().count("variant = 'NT'") == 4
    assert run("convert", str(source), "--to", "phh", "--out", str(out), "--skip", "--overwrite") == 0
    assert f"left out: {source}:5: hand 3: PHH cannot express it" in capsys.readouterr().err


def test_games_that_cannot_be_converted(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("convert", str(log), "--to", "phh", "--skip") == 2
    assert capsys.readouterr().err.startswith(f"error: {log}: PHH has no variant for this game: expected the full deck")


def test_hands_of_different_games_are_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phh = tmp_path / "m.phhs"
    run("convert", str(short_log(tmp_path)), "--to", "phh", "--out", str(phh))
    text = phh.read_text()
    at = text.index("[3]")
    phh.write_text(
        text[:at] + text[at:].replace("starting_stacks = [20000, 20000]", "starting_stacks = [30000, 20000]", 1)
    )
    capsys.readouterr()
    assert run("convert", str(phh), "--to", "acpc") == 0
    shown = capsys.readouterr()
    assert shown.out.count("STATE:") == 5
    assert re.search(r"1 hand left out, unreadable: .*m\.phhs:\d+: .*expected winnings", shown.err)


def test_usage_of_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(short_log(tmp_path))
    other = tmp_path / "other.log"
    other.write_text("STATE:0:f:2c3d|AsKs:50|-50:A|B\n")
    assert run("convert", source, str(other), "--to", "phh") == 2
    assert run("convert", source, "--to", "acpc", "--split") == 2
    assert run("convert", source, "--to", "acpc", "--out", source) == 2
    assert "expected another file to write" in capsys.readouterr().err
    broken = tmp_path / "broken.log"
    broken.write_text("STATE:1:f\n")
    assert run("convert", str(broken), "--to", "acpc", "--out", str(tmp_path / "x")) == 2
    assert f"unreadable: {broken}:1: 'STATE:1:f' (expected STATE:" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
    empty = tmp_path / "empty.log"
    empty.write_text("")
    assert run("stats", str(empty)) == 2


def test_stats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = read_golden_log(HUNL_LOG)
    numbers = tmp_path / "stats.json"
    assert run("stats", str(FOLDER / f"{HUNL_LOG}.log.gz"), "--json", str(numbers), "--all-in-ev") == 0
    out = capsys.readouterr().out
    total = float(lines[-1].split(":")[1].split("|")[0])
    assert f"{total * 10 / 300:+.1f} ± " in out
    assert "300 hands" in out
    assert re.search(r"│   all-in +│ +│ +[+-]\d+\.\d ± ", out)
    document = json.loads(numbers.read_text())
    assert document["format"] == "hedgehog.log-stats"
    assert (document["game"], document["seed"]) == ("holdem.nolimit.2p.reverse_blinds", 1471220049)
    assert document["players"] == ["P1_ex", "P2_mix"]
    (match,) = document["matches"]
    assert match["players"][0]["name"] == "P1_ex"
    assert match["players"][0]["mbb_per_hand"]["mean"] == pytest.approx(total * 10 / 300)
    assert match["players"][0]["adjusted"]["n"] == 300


def test_stats_of_one_player(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(short_log(tmp_path))
    files = ("--json", str(tmp_path / "s.json"), "--csv", str(tmp_path / "s.csv"))
    assert run("stats", log, "--player", "P1_ex", "--first", "1", *files) == 0
    out = capsys.readouterr().out
    assert "P1_ex" in out
    assert "P2_mix" not in out
    assert "5 hands left out" in out
    document = json.loads((tmp_path / "s.json").read_text())
    (player,) = document["matches"][0]["players"]
    assert (document["players"], player["name"], player["mbb_per_hand"]["low"]) == (["P1_ex"], "P1_ex", None)
    assert "P2_mix" not in (tmp_path / "s.csv").read_text()
    assert run("stats", log, "--player", "Nobody") == 2
    assert "expected one of the players P1_ex, P2_mix" in capsys.readouterr().err


def test_stats_of_lbr_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [lbr_file(tmp_path, 20, f"lbr_fc4_X_{side}1.out", br) for side, br in (("r", "P1_ex"), ("s", "P2_mix"))]
    assert run("stats", "--pairs", *map(str, sides)) == 0
    out = capsys.readouterr().out
    assert "lbr_fc4_X: 40 hands, 20 duplicate pairs" in out
    assert "  imaginary " in out


def test_all_in_expectation(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    source = short_log(tmp_path)
    assert run("all-in-ev", str(source)) == 0
    before = [line for line in source.read_text().splitlines() if line.startswith("STATE:")]
    after = capfdbinary.readouterr().out.decode().splitlines()
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        is_all_in = "f" not in old.split(":")[2] and old.split(":")[2].endswith("/")
        assert (old != new) == is_all_in
        assert old.split(":")[:4] == new.split(":")[:4]
    assert run("all-in-ev", str(lbr_file(tmp_path))) == 2
    source.write_text("# a comment\nSTATE:0:f:2c3d|AsKs:50|-50:A|B\nSTATE:1:f\nSTATE:2:f:|AsKs:50|-50:B|A\nHello\n")
    assert run("all-in-ev", str(source), "--out", str(tmp_path / "ev.log")) == 0
    assert f"3 hands left out, unreadable: first {source}:3: 'STATE:1:f' (".encode() in capfdbinary.readouterr().err
    assert (tmp_path / "ev.log").read_text() == "STATE:0:f:2c3d|AsKs:50|-50:A|B\n"


def test_junk_is_no_log_for_all_in_ev(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    junk = tmp_path / "junk.log"
    junk.write_text("# a comment\nonce upon a time\n")
    assert run("all-in-ev", str(junk), "--out", str(tmp_path / "ev.log")) == 2
    assert f"error: expected at least one hand; 1 hand left out, unreadable: {junk}:2: " in capsys.readouterr().err
    assert not (tmp_path / "ev.log").exists()


def _actions(betting: str) -> str:
    """Returns the letters of the first betting round."""
    return re.sub("[0-9]", "", betting.split("/", maxsplit=1)[0])


def test_statistics_say_how_often(capsys: pytest.CaptureFixture[str]) -> None:
    """The frequencies of the golden log, recounted by a search in its lines where that is easy."""
    log = FOLDER / f"{HUNL_LOG}.log.gz"
    assert run("stats", str(log), "--json") == 0
    shown = capsys.readouterr()
    (match,) = json.loads(shown.out)["matches"]
    hands = [line.split(":") for line in read_golden_log(HUNL_LOG) if line.startswith("STATE:")]
    for player in match["players"]:
        often = player["frequencies"]
        buttons = [hand[2] for hand in hands if hand[5].endswith(f"|{player['name']}")]
        blinds = [hand[2] for hand in hands if hand[5].startswith(f"{player['name']}|") and hand[2] != "f"]
        assert often["pfr"]["opportunities"] == len(buttons) + len(blinds)
        # In turn: the button acts first, third, ...; the big blind second, fourth, ...
        raised = sum("r" in _actions(betting)[::2] for betting in buttons)
        raised += sum("r" in _actions(betting)[1::2] for betting in blinds)
        assert often["pfr"]["times"] == raised
        showdowns = sum("f" not in hand[2] for hand in hands)
        assert often["won_at_showdown"]["opportunities"] == showdowns
    assert "How often, % (below: opportunities)" in shown.err
    assert max(map(len, shown.err.splitlines())) <= 80


@pytest.mark.parametrize("name", ["log_limit3p_s1471220049", "log_c_sidepots6p_s1471220049", "log_kuhn2p_s1471220049"])
def test_statistics_fit_into_80_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("stats", str(FOLDER / f"{name}.log.gz"), "--all-in-ev") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if "…" in line]


def test_one_hand_as_csv_has_no_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ends at infinity and standard deviations that are not known are empty cells."""
    log = tmp_path / "one.log"
    log.write_text("STATE:0:f:2c3d|AsKs:50|-50:big|small\n")
    assert run("stats", str(log), "--csv") == 0
    row = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert (row["mbb_per_hand"], row["ci95_low"], row["ci95_high"], row["sd_big_blinds"]) == ("500.0", "", "", "")


def test_statistics_as_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(short_log(tmp_path))
    assert run("stats", log, "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["player"], row["position"], row["hands"]) for row in rows] == [
        ("P1_ex", "", "6"),
        ("P1_ex", "big blind", "3"),
        ("P1_ex", "small blind", "3"),
        ("P2_mix", "", "6"),
        ("P2_mix", "big blind", "3"),
        ("P2_mix", "small blind", "3"),
    ]
    assert int(rows[0]["vpip_opportunities"]) <= 6
    assert (rows[1]["vpip"], rows[1]["mbb_per_hand"] != "") == ("", True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("stats", "LOG", "--json", "MINE"),
        ("stats", "LOG", "--csv", "MINE"),
        ("stats", "LOG", "--json", "LOG"),
        ("convert", "LOG", "--to", "phh", "--out", "MINE"),
        ("convert", "LOG", "--to", "acpc", "--out", "LOG", "--overwrite"),
        ("convert", "LOG", "MINE", "--to", "acpc", "--out", "FOLDER"),
        ("convert", "LOG", "--to", "phh", "--split", "--out", "FOLDER"),
        ("all-in-ev", "LOG", "--out", "MINE"),
        ("all-in-ev", "LOG", "--out", "LOG", "--overwrite"),
        ("aivat", "LOG", "--player", "P1_ex=call", "--json", "LOG", "--overwrite"),
    ],
)
def test_files_of_the_user_stay(tmp_path: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    log, mine = short_log(folder), tmp_path / "mine.txt"
    mine.write_text("my thesis\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    places = {"LOG": str(log), "MINE": str(mine), "FOLDER": str(folder)}
    assert run(*(places.get(argument, argument) for argument in arguments)) == 2
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1


def test_overwrite_replaces(tmp_path: Path) -> None:
    log, out = str(short_log(tmp_path)), tmp_path / "out.phhs"
    out.write_text("old\n")
    assert run("convert", log, "--to", "phh", "--out", str(out), "--overwrite") == 0
    assert out.read_text().startswith("# name/game/hands/seed")
    hands = tmp_path / "hands"
    assert run("convert", log, "--to", "phh", "--split", "--out", str(hands)) == 0
    assert run("convert", log, "--to", "phh", "--split", "--out", str(hands)) == 2
    assert run("convert", log, "--to", "phh", "--split", "--out", str(hands), "--overwrite") == 0


def test_a_game_definition_of_the_user_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The game file that goes with a converted log has a name of its own choosing: it must be free."""
    source = tmp_path / "lbr_fcpa_CARDS_hard_r1.out"
    game_line = "In config file: GAME_DEF=holdem/game_def.holdem.2p.no_limit.100BB.reverse_blinds"
    source.write_text(
        "\n".join([game_line, *CONFIG[1:], "1:BR,Player:0cr4c/cr12c/r182c/cc:2c2d,3c3d|/4c4d5c/9h/9s:0,-0(0.5)"])
    )
    theirs = tmp_path / "holdem.nolimit.2p.100bb.reverse_blinds.game"
    theirs.write_text("my own notes\n")
    out = tmp_path / "br.log"
    assert run("convert", str(source), "--to", "acpc", "--out", str(out)) == 2
    assert "exists already" in capsys.readouterr().err
    assert theirs.read_text() == "my own notes\n"
    assert not out.exists()


def test_one_hand_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", str(FOLDER / "log_limit3p_s1471220049.log.gz"), "--hand", "2") == 0
    out = capsys.readouterr().out
    assert "Hand 2 (holdem.limit.3p, seed 1471220049), line 7 of log_limit3p_s1471220049.log.gz\n" in out
    assert "Turn [9c Qh 9h | 2d], pot 60\n  P3_bad  checks\n" in out
    assert out.endswith(
        "Showdown, pot 140\n  P3_bad  +80  6c 2h, two pair\n  P1_ex   -60  6s Ac, pair\n  P2_mix  -20\n"
    )


def test_ranges_of_hands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def shown(*arguments: str) -> list[int]:
        assert run("show", str(FOLDER / f"{HUNL_LOG}.log.gz"), *arguments) == 0
        return [int(number) for number in re.findall(r"^Hand (\d+) \(", capsys.readouterr().out, re.MULTILINE)]

    assert shown("--hand", "17", "--hand", "3") == [3, 17]
    assert shown("--from", "297") == [297, 298, 299]
    assert shown("--to", "1", "--hand", "9") == [0, 1, 9]
    assert shown("--from", "5", "--to", "6", "--player", "P1_ex") == [5, 6]
    assert len(shown()) == 300


def test_hands_that_are_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    log = str(FOLDER / f"{HUNL_LOG}.log.gz")
    assert run("show", log, "--hand", "300") == 2
    assert "no such hand: the log has 300 hands, numbered 0 to 299" in capsys.readouterr().err
    assert run("show", log, "--player", "Nobody") == 2
    assert "no player 'Nobody': expected P1_ex, P2_mix" in capsys.readouterr().err


def test_all_formats_can_be_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same hand from an ACPC log, PHH and an LBR log differs in its first line and the imaginary value only."""
    source, phh = short_log(tmp_path), tmp_path / "m.phhs"
    assert run("convert", str(source), "--to", "phh", "--out", str(phh)) == 0
    lbr = lbr_file(tmp_path)
    texts = []
    for path in (source, phh, lbr):
        capsys.readouterr()
        assert run("show", str(path), "--hand", "1") == 0
        texts.append(capsys.readouterr().out.splitlines()[1:])
    assert texts[0] == texts[1]
    *hand, imaginary = texts[2]
    assert imaginary.startswith("  imaginary value of ")
    assert [" ".join(line.replace("BR", "P1_ex").replace("Player", "P2_mix").split()) for line in hand] == [
        " ".join(line.split()) for line in texts[0]
    ]
