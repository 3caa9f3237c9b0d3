"""``hedgehog judge`` and ``hedgehog eval --metrics`` as a user calls them."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.agent.limit.bots.run_outs import RunOuts
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import Judge, JudgedHands
from tests.analysis.judging.judging_fixtures import SESSIONS, WORKED
from tests.cli.command import Run
from tests.golden import read_golden_log

DATA = Path(__file__).parents[2] / "data"
HEADER = "# name/game/hands/seed demo holdem.limit.2p.reverse_blinds.game 20 4\n"
YAML = "river: {fold_offset: 0.0, make: [2, 2, 2, 2]}\n"


@pytest.fixture
def worked(tmp_path: Path) -> Path:
    path = tmp_path / "worked.log"
    path.write_text(f"{HEADER}{WORKED['line']}\n")
    return path


def session_lines(name: str) -> list[str]:
    return [entry["line"] for entry in SESSIONS[name]["hands"]]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The reference session of random bots, gzipped."""
    path = tmp_path / "session.log.gz"
    path.write_bytes(gzip.compress((HEADER + "\n".join(session_lines("random_vs_random")) + "\n").encode()))
    return path


def judged(run: Run, *arguments: str | Path) -> dict[str, Any]:
    code, out, error = run("judge", *arguments, "--json")
    assert code == 0, error
    document: dict[str, Any] = json.loads(out)
    assert document["format"] == "hedgehog.judge"
    return document


def test_a_hand_in_full(run: Run, worked: Path) -> None:
    code, out, _ = run("judge", worked, "--hand", "0", "--roe")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    rows = [line.split() for line in out.splitlines()]
    flop, turn = ([row for row in rows if row[:1] == [street]] for street in ("flop", "turn"))
    assert flop[0][1:] == ["0.9685", "0.8687", "0.9685", "0.0634", "0.3798", "0.3798", "0.7636", "+0.9601"]
    assert turn[1][1:] == ["+4.0909", "bC", "+5.7273", "bF", "+5.0000", "+0.0000", "+0.9091"]
    assert flop[2][1:] == ["+0.5273", "bC", "+0.5273", "+2.7626", "+2.2394", "+0.5232"]
    assert "SlRrC" in out
    assert "turn: B calls where the baseline folds (+0.73 SB for A)" in out
    assert "A: -11.00 SB = luck -10.11, baseline -2.36, skill +1.46" in out


@pytest.mark.parametrize("options", [[], ["--roe", "--roe-preflop", "20"]])
def test_for_one_hand_no_other_is_judged(
    run: Run, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    counts: list[int] = []
    judge = Judge.judge

    def counted(self: Judge, hands: Sequence[SeatedHand]) -> JudgedHands:
        counts.append(len(hands))
        return judge(self, hands)

    monkeypatch.setattr(Judge, "judge", counted)
    alone = run("judge", session, "--hand", "7", *options)
    assert (alone[0], counts) == (0, [1])
    # Progress is shown on a slow machine, so that standard error may differ.
    assert run("judge", session, "--hand", "7", *options, "--html", tmp_path / "whole.html")[:2] == alone[:2]
    assert counts == [1, 20]
    code, _, err = run("judge", session, "--hand", "20")
    assert (code, err.splitlines()[-1]) == (2, "error: no such hand: 20")


def test_decisions_as_csv(run: Run, session: Path, tmp_path: Path) -> None:
    document = judged(run, session, "--player", "random", "--decisions-csv", tmp_path / "decisions.csv")
    rows = list(csv.DictReader((tmp_path / "decisions.csv").open()))
    total = document["sessions"][0]["measures"]["divat"]["total"]
    assert sum(float(row["divat"]) for row in rows) == pytest.approx(total, abs=1e-6)
    assert {row["actor"] for row in rows} == {"random", "random_2"}
    assert all(float(row["divat"]) == 0 for row in rows if row["action"] == row["baseline"])


def test_a_session(run: Run, session: Path) -> None:
    document = judged(run, session, "--player", "random")
    (report,) = document["sessions"]
    totals = SESSIONS["random_vs_random"]["totals"]
    assert (report["player"], report["opponent"], report["unit"]) == ("random", "random_2", "SB")
    for name in ("result", "divat", "evat"):
        assert report["measures"][name]["total"] == pytest.approx(totals[name], abs=1e-6)
        assert report["curves"][name][-1] == pytest.approx(totals[name], abs=1e-6)
        for parts in ("positions", "streets"):
            found = [part[name]["total"] for part in report[parts].values() if name in part]
            assert not found or sum(found) == pytest.approx(totals[name], abs=1e-6)
    assert report["curves"]["hands"] == list(range(1, 21))
    for name in ("result", "divat"):
        margins = report["curves_ci95"][name]
        assert margins[0] is None
        assert margins[-1] == pytest.approx(report["measures"][name]["total_ci95"], abs=0.2 * margins[-1])
        judged_hands = SESSIONS["random_vs_random"]["hands"][:10]
        hands = [hand[name] if name == "result" else sum(hand[name]) for hand in judged_hands]
        assert margins[9] == pytest.approx(1.959964 * np.std(hands, ddof=1) * 10**0.5, abs=1e-5)
    losses = [entry["loss"] for entry in report["costly_streets"]]
    streets = sorted(value for hand in SESSIONS["random_vs_random"]["hands"] for value in hand["divat"])
    assert losses == pytest.approx([-value for value in streets[:5]], abs=1e-6)
    other = judged(run, session, "--player", "random_2")["sessions"][0]
    assert other["measures"]["divat"]["total"] == pytest.approx(-totals["divat"], abs=1e-6)
    code, out, _ = run("judge", session, "--player", "random")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "-39.4 ± " in out
    assert "hand 12, turn: Kh 4s against 7h Jc" in out


@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_the_long_reference_session(run: Run, tmp_path: Path) -> None:
    """Sums after 100 and 500 hands of a match that is played anew."""
    reference = SESSIONS["reference_long"]
    words = reference["command"].split()[1:]
    words[words.index("1000")] = "500"
    assert run(*words, "--out", tmp_path / "m")[0] == 0
    document = judged(run, tmp_path / "m" / "seating_1.log", "--player", reference["A"])
    (report,) = document["sessions"]
    assert (document["game"], document["seed"]) == ("holdem.limit.2p.reverse_blinds", 5)
    for hands, sums in reference["sums_after_hands"].items():
        place = report["curves"]["hands"].index(int(hands))
        for name, curve in (("result", "result"), ("divat", "divat"), ("evat", "evat"), ("lfat", "luck")):
            assert report["curves"][curve][place] == pytest.approx(sums[name], abs=1e-6)


def test_one_report_per_pair(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "both.log"
    path.write_text(HEADER + "\n".join([*session_lines("random_vs_random"), *session_lines("call_vs_raise")]) + "\n")
    document = judged(run, path)
    assert [(one["player"], one["hands"]) for one in document["sessions"]] == [("random", 20), ("call", 20)]
    assert [one["hands"] for one in judged(run, path, "--player", "raise")["sessions"]] == [20]
    assert [one["hands"] for one in judged(run, path, "--first", "3")["sessions"]] == [3, 3]


@pytest.mark.parametrize(
    ("name", "player", "opponent"),
    [
        ("pokerstars/heads-up.txt", "Nora K.", "otto_9"),
        ("pokerstars/other-forms.txt", "Nora K.", "otto_9"),
        ("ggpoker/heads-up.txt", "Hero", "5a1f0c3e"),
        ("acr/heads-up.txt", "Nora K", "otto_9"),
    ],
)
def test_the_player_that_cards_are_dealt_to_is_judged(
    run: Run, tmp_path: Path, name: str, player: str, opponent: str
) -> None:
    path = tmp_path / "hands.txt"
    path.write_text("\n\n".join((DATA / name).read_text().split("\n\n")[:2]))
    (report,) = judged(run, path)["sessions"]
    assert (report["player"], report["opponent"]) == (player, opponent)
    assert judged(run, path, "--player", opponent)["sessions"][0]["player"] == opponent


def test_hands_with_hidden_cards_are_counted(run: Run, tmp_path: Path) -> None:
    lines = session_lines("call_vs_raise")
    lines[3] = lines[3].replace("KdJs|", "|")
    path = tmp_path / "hidden.log"
    path.write_text(HEADER + "\n".join(lines) + "\n")
    (report,) = judged(run, path)["sessions"]
    assert (report["hands"], report["hidden"], report["biased"]) == (19, 1, True)
    assert report["hidden_result"] == 7
    assert report["measures"]["result"]["total"] == -7
    assert report["measures"]["divat"]["total_ci95"] is None
    code, out, _ = run("judge", path)
    assert code == 0
    assert "1 hands left out because hole cards are unknown; call won +7.00 SB" in out.replace("\n", " ")
    assert "Warning: totals are biased" in out
    assert "±" not in out.split("hands for")[0]


def test_files(run: Run, session: Path, tmp_path: Path) -> None:
    outputs = {name: tmp_path / f"out.{name}" for name in ("csv", "html", "png", "svg")}
    code, _, error = run(
        "judge", session, "--player", "random", "--roe", "--csv", outputs["csv"], "--html", outputs["html"],
        "--plot", outputs["png"],
    )  # fmt: skip
    assert code == 0, error
    rows = list(csv.DictReader(io.StringIO(outputs["csv"].read_text())))
    assert len(rows) == sum(len(hand["divat"]) for hand in SESSIONS["random_vs_random"]["hands"])
    assert sum(float(row["divat"]) for row in rows) == pytest.approx(-39.438305, abs=1e-6)
    assert rows[0]["open_line"] == SESSIONS["random_vs_random"]["hands"][0]["evat_baseline"].split(" / ")[0]
    page = outputs["html"].read_text()
    assert "<svg" in page
    assert "random against random_2" in page
    assert "\N{MINUS SIGN}39.4" in page
    assert outputs["png"].read_bytes().startswith(b"\x89PNG")
    assert run("judge", session, "--plot", outputs["svg"])[0] == 0
    assert "<svg" in outputs["svg"].read_text()


def test_no_limit_logs_have_luck_and_aivat(run: Run, tmp_path: Path) -> None:
    lines = read_golden_log("log_hunl2p_s1471220049")[:64]
    path = tmp_path / "nl.log"
    path.write_text("\n".join(lines) + "\n")
    document = judged(run, path)
    (report,) = document["sessions"]
    assert report["unit"] == "BB"
    assert set(report["measures"]) == {"result", "luck", "betting", "all_in_adjusted"}
    totals = {name: measure["total"] for name, measure in report["measures"].items()}
    assert totals["luck"] + totals["betting"] == pytest.approx(totals["result"], abs=1e-6)
    assert report["costly_streets"] == []
    assert "hedgehog grade tells" in run("judge", path)[1]
    code, _, err = run("judge", path, "--worst", "3")
    assert (code, "--worst" in err) == (2, True)
    code, out, _ = run("judge", path, "--hand", "3")
    assert code == 0
    assert "EVAT, ROE and DIVAT are for limit games" in out
    assert "hedgehog grade tells" in out
    assert "baseline " not in out.split("EVAT, ROE")[0]


@pytest.mark.slow
@pytest.mark.usefixtures("tables_here")
@pytest.mark.process
def test_aivat_of_known_strategies(run: Run, tmp_path: Path) -> None:
    """The totals are those of ``hedgehog log aivat``."""
    match = ("call", "raise", "--hands", "30", "--seed", "2", "--no-duplicate", "--in-process", "--out", tmp_path / "m")
    assert run("match", *match)[0] == 0
    log = tmp_path / "m" / "seating_1.log"
    document = judged(run, log, "--strategy", "call=call", "--player", "call")
    assert judged(run, log, "--strategy", "call=call", "--player", "call", "--jobs", "2") == document
    for engine in (("--jobs", "2"), ("--dask", "tcp://127.0.0.1:1")):  # nobody answers there
        code, _, error = run("judge", log, *engine)
        assert (code, "no strategy is known for AIVAT" in error) == (2, True)
    (report,) = document["sessions"]
    code, out, _ = run("log", "aivat", log, "--player", "call=call", "--json")
    assert code == 0
    (statistics,) = json.loads(out)["matches"]
    (player,) = (one for one in statistics["players"] if one["name"] == "call")
    assert report["measures"]["aivat"]["per_hand"] * 1000 == pytest.approx(player["adjusted"]["mean"])


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.usefixtures("tables_here")
def test_aivat_is_the_same_on_any_engine(run: Run, tmp_path: Path) -> None:
    match = ("call", "random", "--hands", "20", "--seed", "2", "--no-duplicate", "--in-process", "--out", tmp_path)
    assert run("match", *match)[0] == 0
    log = tmp_path / "seating_1.log"
    ways = [(), ("--jobs", "2"), *([("--dask", "local:2")] if find_spec("distributed") is not None else [])]
    documents = [judged(run, log, "--strategy", "call=call", "--player", "call", *way) for way in ways]
    assert documents == [documents[0]] * len(ways)


def test_phh(run: Run, session: Path, tmp_path: Path) -> None:
    phh = tmp_path / "session.phhs"
    assert run("log", "convert", session, "--to", "phh", "--out", phh)[0] == 0
    (report,) = judged(run, phh, "--player", "random")["sessions"]
    assert report["measures"]["divat"]["total"] == pytest.approx(-39.438305, abs=1e-6)


def test_other_settings(run: Run, worked: Path, tmp_path: Path) -> None:
    """A baseline that never bets on the river leaves A's loss there as it is."""
    settings = tmp_path / "settings.yaml"
    settings.write_text(YAML)
    document = judged(run, worked, "--hand", "0", "--settings", settings)
    assert [street["baseline"] for street in document["hands"][0]["streets"]] == ["CrC", "bC", "bF", "kK"]
    assert document["settings"]["streets"][3]["make"] == [2.0] * 4
    published = Path(__file__).parents[3] / "docs" / "examples" / "judging.yaml"
    assert judged(run, worked, "--settings", published)["settings"] == judged(run, worked)["settings"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--player", "nobody"], "no player 'nobody': expected A, B"),
        (["--hand", "5"], "no such hand: 5"),
        (["--plot", "x.pdf"], "ends in .svg or .png"),
        (["--roe-preflop", "5"], "--roe-preflop needs --roe"),
        (["--strategy", "C=call"], "no player 'C'"),
        (["--game", "kuhn.limit.2p"], "worked.log:2"),
    ],
)
def test_bad_input(run: Run, worked: Path, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    words = [str(tmp_path / word) if word == "x.pdf" else word for word in arguments]
    code, _, error = run("judge", worked, *words)
    assert code == 2
    assert complaint in error


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("river: {fold_offset: 0.1}\n", "settings.yaml:1: the key 'river.make' is missing"),
        ("\nturn: {fold_offset: 0.1, make: [0.9, 0.8, 1, 1]}\n", "settings.yaml:2: 'turn.make': expected ascending"),
        ("preflop_level: 2\n", "settings.yaml:1: 'preflop_level'"),
        ("flopp: {}\n", "unknown key 'flopp'"),
    ],
)
def test_bad_settings(run: Run, worked: Path, tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(text)
    code, _, error = run("judge", worked, "--settings", path)
    assert code == 2
    assert complaint in error


def test_games_that_cannot_be_judged(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "three.log"
    head = "# name/game/hands/seed demo holdem.nolimit.3p.game 1 4"
    path.write_text(f"{head}\nSTATE:0:ff:AhKh|7c7d|2s3s:-50|50|0:a|b|c\n")
    code, _, error = run("judge", path)
    assert code == 2
    assert "1 hand left out, another game than limit hold'em for three: " in error
    assert "three.log:2: 'STATE:0:" in error


def test_metrics_of_a_hand(run: Run) -> None:
    code, out, _ = run("eval", "AcKc", "--board", "Ks5h3dTc4h", "--metrics")
    assert code == 0
    flop = next(line for line in out.splitlines() if "Ks5h3d " in line)
    assert [word for word in flop.split() if word.startswith("0.")] == ["0.9685", "0.9302", "0.8687", "0.9685"]
    code, out, _ = run("eval", "7h6h", "--board", "Ks5h3d", "--metrics", "--csv")
    rows = {row["hand"]: row for row in csv.DictReader(io.StringIO(out))}
    assert len(rows) == 1176
    assert float(rows["7h6h"]["seven_card"]) == pytest.approx(0.3798, abs=5e-5)
    assert run("eval", "7h6h", "--csv")[0] == 2
    assert run("eval", "AcKcQcJcTc", "--metrics")[0] == 2


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Three-player limit hands that end before the flop, and so need no table of equities on the flop."""
    lines = (
        "STATE:0:ff:AhKh|7c7d|2s3s:-5|5|0:a|b|c",
        "STATE:1:rff:2s3s|AhKh|7c7d:-5|-10|15:b|c|a",
        "STATE:2:frf:7c7d|2s3s|AhKh:10|-10|0:c|a|b",
    )
    path = tmp_path / "three.log"
    path.write_text("\n".join(("# name/game/hands/seed demo holdem.limit.3p.game 3 4", *lines, "")))
    return path


def test_three_players(run: Run, three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunOuts, "__init__", lambda self: None)
    monkeypatch.setattr(RunOuts, "equity", lambda self, cards, board, opponents: 0.4, raising=False)
    code, out, error = run("judge", three)
    assert code == 0, error
    assert "a, b, c: 3 hands judged" in out
    assert max(map(len, out.splitlines())) <= 80
    document = judged(run, three, "--hand", "1", "--csv", tmp_path / "s.csv", "--decisions-csv", tmp_path / "d.csv")
    (session,) = document["sessions"]
    total = {(row["player"], row["measure"]): row["total"] for row in session["measures"] if row["part"] is None}
    assert [total[player, "result"] for player in "abc"] == [0.0, 0.0, 0.0]
    for player in "abc":
        parts = sum(total[player, part] for part in ("luck", "baseline", "own", "others"))
        assert parts == pytest.approx(total[player, "result"], abs=1e-9)
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    assert len(rows) == 9
    assert {row["betting"] for row in rows} == {"ff", "rff", "frf"}
    assert len(list(csv.DictReader((tmp_path / "d.csv").open()))) == 3 * (2 + 3 + 3)
    (hand,) = document["hands"]
    assert hand["hand"] == 1
    assert [each["action"] for each in hand["decisions"][::3]] == ["r", "f", "f"]
    code, out, _ = run("judge", three, "--hand", "1")
    assert code == 0
    assert "a 7c7d: +1.50 SB" in out
    code, out, _ = run("judge", three, "--player", "b", "--worst", "0")
    assert code == 0
    assert "Costliest" not in out


def test_aivat_of_three_players(run: Run, three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The means are those of ``hedgehog log aivat``, also when it goes on from its file."""
    monkeypatch.setattr(RunOuts, "__init__", lambda self: None)
    monkeypatch.setattr(RunOuts, "equity", lambda self, cards, board, opponents: 0.4, raising=False)
    measures = judged(run, three, "--strategy", "b=fold")["sessions"][0]["measures"]
    found = {row["player"]: row["per_hand"] for row in measures if (row["measure"], row["part"]) == ("aivat", None)}
    for _ in range(2):
        code, out, error = run("log", "aivat", three, "--player", "b=fold", "--results", tmp_path / "r", "--json")
        assert code == 0, error
        (statistics,) = json.loads(out)["matches"]
        for player in statistics["players"]:
            assert found[player["name"]] * 1000 == pytest.approx(player["adjusted"]["mean"])
    assert all(found.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--roe",), "--roe is for logs of two players"),
        (("--html", "page.html"), "--html is for logs of two players"),
        (("--player", "x"), "no player 'x': expected a, b, c"),
        (("--hand", "9"), "no such hand: 9"),
    ],
)
def test_what_three_players_do_not_have_is_refused(
    run: Run, three: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, out, error = run("judge", three, *arguments)
    assert (code, out) == (2, "")
    assert message in error
