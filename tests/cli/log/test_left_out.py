"""Every hand of a file is read or left out under a kind, by one rule for all commands; copies count once."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import xml.dom.minidom
import zipfile
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import Run
from tests.golden import read_golden_log
from tests.machines import MACHINES, written_on
from tests.poker.lbr_fixtures import lbr_log

LOG: Final = read_golden_log("log_hunl2p_s1471220049")[:10]


def stars(number: int, *, header: str = "PokerStars Hand", ante: int = 0, stack: int = 8000, name: str = "Ada") -> str:
    """Returns a hand in which both players show their cards: the winner has a pair of kings."""
    posts = f"{name}: posts the ante {ante}\nBjörn: posts the ante {ante}\n" if ante else ""
    pot = 2 * (200 + ante)
    return f"""{header} #{number}:  Hold'em No Limit (50/100) - 2024/03/05 20:11:12 ET
Table 'T' 2-max Seat #1 is the button
Seat 1: {name} ({stack} in chips)
Seat 2: Björn (9000 in chips)
{posts}{name}: posts small blind 50
Björn: posts big blind 100
*** HOLE CARDS ***
{name}: raises 100 to 200
Björn: calls 100
*** FLOP *** [2c 7d 9h]
Björn: checks
{name}: checks
*** TURN *** [2c 7d 9h] [Jc]
Björn: checks
{name}: checks
*** RIVER *** [2c 7d 9h Jc] [3s]
Björn: checks
{name}: checks
*** SHOW DOWN ***
Björn: shows [Qs Qh] (a pair of Queens)
{name}: shows [Kh Kd] (a pair of Kings)
{name} collected {pot} from pot
*** SUMMARY ***
Total pot {pot} | Rake 0


"""


THREE: Final = stars(5).replace("\nAda: posts", "\nSeat 3: Eve (100 in chips)\nAda: posts", 1)
TWICE: Final = stars(6).replace("*** SHOW", "*** SECOND RIVER *** [2c 7d 9h Jc] [4s]\n*** SHOW")
OTHER_SITE: Final = """***** Hand History for Game 13550421324 *****
$100 USD NL Texas Hold'em - Thursday, March 05, 10:11:12 EDT 2024
Ada posts small blind [$0.50].

"""
MIX: Final = stars(1) + THREE + OTHER_SITE + stars(2, stack=3000) + TWICE + "Hello\n\n\n" + stars(3, name="Eve [b]/x")
"""Three hands, and four that are left out, each under its kind."""
KINDS: Final = {
    "3 players dealt in": 1,
    "a hand of another format": 1,
    "a second board": 1,
    "text that is no hand": 1,
}


@pytest.fixture
def mix(tmp_path: Path) -> Path:
    path = tmp_path / "mix.txt"
    path.write_text(MIX)
    return path


def test_all_commands_count_by_one_rule(run: Run, mix: Path, tmp_path: Path) -> None:
    out = tmp_path / "j.json"
    code, text, error = run("log", "verify", mix)
    assert (code, text.splitlines()[-1]) == (1, "4 hands, 1 faults")  # a hand that nobody reads is a fault
    assert f"{mix}:{MIX[: MIX.index('*****')].count(chr(10)) + 1}: a hand of another format" in text
    assert error.count("hand left out") == 3
    notes = set()
    for command in (("log", "stats"), ("judge",), ("study", "hands")):
        code, _, error = run(*command, mix, "--json", out, "--overwrite")
        assert code == 0, error
        notes.add(tuple(line for line in error.splitlines() if "left out" in line))
        document = json.loads(out.read_text())
        left_out = document["tally"]["left_out"] if command[0] == "study" else document["left_out"]
        assert {kind: one["hands"] for kind, one in left_out.items()} == KINDS
        if command == ("log", "stats"):
            assert document["matches"][0]["hands"] == 3
        elif command[0] == "judge":
            assert sum(session["hands"] for session in document["sessions"]) == 3
    (lines,) = notes
    for kind, line in zip(("3 players dealt in", "a hand of another format"), lines, strict=False):
        assert re.fullmatch(rf"1 hand left out, {kind}: {re.escape(str(mix))}:\d+: ['\"].*['\"].*", line)
    code, text, error = run("log", "convert", mix, "--to", "acpc", "--split", "--out", tmp_path / "split")
    assert code == 0
    assert error.splitlines()[-1] == "3 hands converted, 4 left out"
    code, text, error = run("log", "convert", mix, "--to", "acpc")
    assert (code, text.count("STATE:")) == (0, 2)
    assert "1 hand left out, other stacks or blinds than the first hand: " in error


@pytest.mark.parametrize("machine", MACHINES)
def test_foreign_hands_are_found_on_every_machine(run: Run, tmp_path: Path, machine: str) -> None:
    path = tmp_path / "mix.txt"
    path.write_bytes(written_on(machine, MIX))
    code, out, error = run("log", "stats", path, "--json")
    assert code == 0, error
    document = json.loads(out)
    assert document["matches"][0]["hands"] == 3
    assert {kind: one["hands"] for kind, one in document["left_out"].items()} == KINDS


def test_foreign_hands_in_every_format(run: Run, tmp_path: Path) -> None:
    foreign = stars(7)
    phh = "".join(
        f"[{number}]\nvariant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\nmin_bet = 100\n"
        f"starting_stacks = [20000, 20000]\nactions = ['p2 f']\nhand = {number}\n\n{foreign if number == 1 else ''}"
        for number in (1, 2)
    )
    lbr = lbr_log(LOG, {"P1_ex": "BR", "P2_mix": "Player"})
    lbr.insert(-4, foreign.split("\n")[0])
    for name, text, hands in (("m.phhs", phh, 2), ("m.out", "\n".join(lbr), len(LOG) - 4)):
        path = tmp_path / name
        path.write_text(text)
        for command in (("log", "stats"), ("study", "hands")):
            code, _, error = run(*command, path, "--json", tmp_path / "j.json", "--overwrite")
            assert code == 0, error
            document = json.loads((tmp_path / "j.json").read_text())
            left_out = document["tally"]["left_out"] if command[0] == "study" else document["left_out"]
            assert {kind: one["hands"] for kind, one in left_out.items()} == {"a hand of another format": 1}
            if command[0] == "log":
                assert document["matches"][0]["hands"] == hands


def test_a_damaged_hand_loses_only_itself(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.log"
    path.write_text("\n".join([*LOG[:6], "STATE:9:x", *LOG[6:]]) + "\n")
    for command in ("log stats", "judge", "log show"):
        code, _, error = run(*command.split(), path)
        assert code == 0, error
        assert f"1 hand left out, unreadable: {path}:7: 'STATE:9:x' (expected STATE:" in error
    assert run("log", "verify", path)[0] == 1


@pytest.mark.parametrize(
    "command",
    [
        "log stats {log}",
        "log stats --all-in-ev {log}",
        "log show {log}",
        "log convert {log} --to phh --out {out}",
        "log aivat {log} --player P1_ex=fold --player P2_mix=fold",
        "log all-in-ev {log}",
        "judge {log}",
        "study hands {log}",
        "study profile {log}",
        "study tree 4-4-8 --hands {log}",
        "study trees 4-4-8 --hands {log}",
    ],
)
def test_no_command_ends_at_a_hand_that_cannot_be_counted(run: Run, tmp_path: Path, command: str) -> None:
    log = tmp_path / "m.log"
    hands = ["STATE:0:f:9h9d|AsKs:50|-50:P1_ex|P2_mix", "STATE:1:f:5c5d|8h8d:50|-50:P2_mix|P1_ex"]
    log.write_text("\n".join([hands[0], "STATE:7:x:5c5d|8h8d:50|-50:P1_ex|P2_mix", "Hello", hands[1]]) + "\n")
    code, _, error = run(*command.format(log=log, out=tmp_path / "out").split())
    assert code == 0, error
    if command.startswith("study"):  # names each hand
        assert error.count(f"left out: {log}:") == 2, error
    else:
        assert f"2 hands left out, unreadable: first {log}:2: " in error


def test_aivat_leaves_out_hands_of_other_players(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text("STATE:0:f:9h9d|AsKs:50|-50:Ada|Bob\nSTATE:1:f:5c5d|8h8d:50|-50:Eve|Dan\n")
    code, text, error = run("log", "aivat", log, "--player", "Ada=call")
    assert code == 0, error
    assert "1 hands" in text
    assert "Eve" not in text
    assert f"1 hand left out, players whose strategies are not known: {log}:2: " in error


def test_copies_count_once_and_are_said(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text("\n".join(LOG) + "\n")
    zipped, other, archive = tmp_path / "m.log.gz", tmp_path / "windows.log", tmp_path / "all.zip"
    zipped.write_bytes(gzip.compress(log.read_bytes()))
    other.write_text(log.read_text(), newline="\r\n")
    longer = tmp_path / "longer.log"
    longer.write_text("\n".join([*LOG, "STATE:900:f:2c3d|AsKs:50|-50:P1_ex|P2_mix"]) + "\n")
    with zipfile.ZipFile(archive, "w") as members:
        members.write(zipped, "m.log.gz")
        members.writestr("notes.md", "no hands")
    once = json.loads(run("log", "stats", log, "--json")[1])["matches"]
    for command in ("log stats", "judge"):
        for copies in ((log, log), (log, zipped), (log, other), (other, archive)):
            code, out, error = run(*command.split(), *copies, "--json")
            assert code == 0, error
            assert "holds the same text as" in error
            if command == "log stats":
                assert json.loads(out)["matches"] == once
    code, out, error = run("log", "stats", log, longer, "--json")
    assert json.loads(out)["matches"][0]["hands"] == len(LOG) - 3
    assert f"{len(LOG) - 4} hands were read before: counted once" in error
    assert "all.zip!notes.md is no hand history" in run("log", "verify", archive)[2]
    code, _, error = run("log", "convert", log, zipped, "--to", "phh")
    assert code == 0
    assert "counted once" in error


def test_antes_short_blinds_and_changing_stacks_are_counted(run: Run, tmp_path: Path) -> None:
    """The winnings of each hand are those of its text; luck and betting add up to them."""
    short = (
        stars(3).replace("Björn (9000", "Björn (60").replace("posts big blind 100", "posts big blind 60 and is all-in")
    )
    short = re.sub(r"(?m)^(Ada: raises|Björn: calls|Björn: checks|Ada: checks).*\n", "", short)
    short = short.replace("*** HOLE CARDS ***\n", "*** HOLE CARDS ***\nAda: calls 10\n")
    short = short.replace("collected 400", "collected 120").replace("Total pot 400", "Total pot 120")
    path = tmp_path / "m.txt"
    path.write_text(stars(1, ante=10) + stars(2, stack=700) + short)
    code, out, error = run("log", "stats", path, "--all-in-ev", "--json")
    assert code == 0, error
    (match,) = json.loads(out)["matches"]
    ada = next(player for player in match["players"] if player["name"] == "Ada")
    assert ada["mbb_per_hand"]["n"] == 3
    assert ada["mbb_per_hand"]["mean"] == pytest.approx(10 * (210 + 200 + 60) / 3)
    assert [position["position"] for position in ada["positions"]] == ["small blind"]
    code, out, error = run("judge", path, "--player", "Ada", "--json", "--hand", "1", "--hand", "2", "--hand", "3")
    assert code == 0, error
    hands = json.loads(out)["hands"]
    assert [hand["result"] for hand in hands] == pytest.approx([2.1, 2.0, 0.6])
    for hand in hands:
        assert hand["luck"] + hand["betting"] == pytest.approx(hand["result"])
    assert hands[2]["betting"] == pytest.approx(0)  # nobody had a choice


def test_dead_money_of_one_player_is_lost_by_him_and_no_luck(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    dead = stars(1).replace("Björn: posts big blind 100", "Björn: posts small & big blinds 150")
    path.write_text(dead.replace("collected 400", "collected 450").replace("Total pot 400", "Total pot 450"))
    code, out, error = run("judge", path, "--player", "Björn", "--json", "--hand", "1")
    assert code == 0, error
    (hand,) = json.loads(out)["hands"]
    assert hand["result"] == pytest.approx(-2.5)
    assert hand["luck"] + hand["betting"] == pytest.approx(-2.5)
    assert (
        json.loads(run("log", "stats", path, "--json")[1])["matches"][0]["players"][0]["mbb_per_hand"]["mean"] == -2500
    )


NAMES: Final = ("a/../../b", "x" * 300, "\x1b[31mred", "[/bold]", "..", "tab\there", "$\\frac$", "<b>&")


@pytest.mark.parametrize("name", NAMES)
def test_names_are_data(run: Run, tmp_path: Path, name: str) -> None:
    log = tmp_path / "m.log"
    log.write_text("\n".join(LOG).replace("P1_ex", name) + "\n")
    for command in ("judge", "log stats", "log show", "log verify"):
        code, out, error = run(*command.split(), log)
        assert code == 0, error
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", out + error)
    code, out, _ = run("log", "stats", log, "--json")
    assert json.loads(out)["players"] == [name, "P2_mix"]


@pytest.mark.parametrize("name", ["\x1b[31mred", "$\\frac$", "<b>&"])
@pytest.mark.quick_cases("\\x1b[31mred")
def test_names_are_data_in_pages_and_pictures(run: Run, tmp_path: Path, name: str) -> None:
    log, page, picture = tmp_path / "m.log", tmp_path / "m.html", tmp_path / "m.svg"
    log.write_text("\n".join(LOG).replace("P1_ex", name) + "\n")
    code, _, error = run("judge", log, "--html", page, "--plot", picture)
    assert code == 0, error
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]|<b>&", page.read_text() + picture.read_text())
    xml.dom.minidom.parse(str(picture))


def test_the_dealers_log_of_two_players_of_one_name(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text("\n".join(LOG).replace("P2_mix", "P1_ex") + "\n")
    totals = [0.0, 0.0]
    for line in LOG:
        if line.startswith("STATE:"):
            number, values = int(line.split(":")[1]), line.split(":")[4].split("|")
            for position, value in enumerate(values):
                totals[(position + number) % 2] += float(value)
    header = LOG[0].replace(" 300 ", f" {len(LOG) - 4} ")
    score = "|".join(f"{value:g}" for value in totals)
    log.write_text(
        "\n".join([header, *LOG[1:], f"SCORE:{score}:x|x"]).replace("P1_ex", "x").replace("P2_mix", "x") + "\n"
    )
    assert run("log", "verify", log)[:2] == (0, f"{len(LOG) - 4} hands, 0 faults\n")
    log.write_text(log.read_text().replace(f"SCORE:{score}", "SCORE:7|-7"))
    assert run("log", "verify", log)[0] == 1
    code, _, error = run("log", "stats", log)
    assert code == 2
    assert "players of the same name" in error


def test_shared_folder_of_histories(run: Run, tmp_path: Path, mix: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    shutil.copy(mix, folder / "a.txt")
    (folder / "b.log").write_text("\n".join(LOG) + "\n")
    (folder / "readme.md").write_text("nothing\n")
    code, out, error = run("log", "verify", folder)
    assert (code, out.splitlines()[-1]) == (1, f"{4 + len(LOG) - 4} hands, 1 faults")
    assert "readme.md is no hand history" in error


def test_logs_of_two_games_joined(run: Run, tmp_path: Path) -> None:
    """Every hand is read by the rules of the game that the header before it names."""
    kuhn = read_golden_log("log_kuhn2p_s1471220049")[:9]
    joined = tmp_path / "m.log"
    joined.write_text("\n".join([*LOG, *kuhn]) + "\n")
    code, out, _ = run("log", "verify", joined)
    assert (code, out) == (0, f"{len(LOG) - 4 + len(kuhn) - 4} hands, 0 faults\n")
    code, out, error = run("log", "stats", joined, "--json")
    assert json.loads(out)["matches"][0]["hands"] == len(LOG) - 4
    assert f"{len(kuhn) - 4} hands left out, another game than the first hand: first {joined}:{len(LOG) + 5}: " in error
    assert run("log", "verify", joined, "--game", "kuhn.limit.2p")[0] == 1
