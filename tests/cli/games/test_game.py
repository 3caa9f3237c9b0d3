"""``hedgehog game``: what people and programs get from every command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hedgehog.analysis.games.chart_files import read_chart
from hedgehog.analysis.games.freeze_outs import measure_freeze_outs
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.gametheory.tournaments.jam_fold import Structure
from hedgehog.poker.hand_classes import HAND_CLASS_SIZES
from hedgehog.runtime.watch import Watch
from tests.cli.command import Run

CHARTS = Path(__file__).parents[3] / "docs" / "examples" / "charts"

OWN = """
from hedgehog.gametheory import choose, game, outcome

@game(players=("a", "b"))
def mine(high: int = 3):
    one = yield choose("a", ["x", "y"], seen_by=())
    other = yield choose("b", ["x", "y"])
    return outcome(high if one == other else -1)

@game(players=("a", "b"))
def broken():
    yield choose("a", ["x", "y"])
    raise ZeroDivisionError("oops")

number = 3
"""


def test_list(run: Run) -> None:
    code, out, _ = run("game", "list", "--json")
    assert code == 0
    names = [row["name"] for row in json.loads(out)["games"]]
    assert {"kuhn", "leduc", "jam-fold-hand"} <= set(names)


def test_show_writes_every_file(run: Run, tmp_path: Path) -> None:
    files = {kind: tmp_path / f"jqk.{kind}" for kind in ("svg", "efg", "csv", "json")}
    code, out, _ = run("game", "show", "jqk", *(w for kind, file in files.items() for w in (f"--{kind}", file)))
    assert code == 0
    assert "34 nodes (4 chance, 12 decisions, 18 leaves)" in out
    assert "J 1/3: chance" in out
    assert ElementTree.fromstring(files["svg"].read_text()).tag.endswith("svg")
    assert files["svg"].read_text().count("<circle") == 3 + 16  # the legend, and all nodes but leaves
    for kind in ("json", "csv"):
        code, out, _ = run("game", "solve", files[kind], "--json")
        assert code == 0
        assert json.loads(out)["value"] == pytest.approx(1 / 18)


def test_matrices_are_shown_solved_and_rated(run: Run, tmp_path: Path) -> None:
    table, mixed = tmp_path / "jqk.csv", tmp_path / "mixed.json"
    assert run("game", "show", "jqk", "--csv", table)[0] == 0
    assert run("game", "solve", table, "--json", mixed)[0] == 0
    code, out, _ = run("game", "evaluate", table, mixed)
    assert code == 0
    assert "p1: payoff 0.0555555" in out
    assert "Nothing is lost" in out
    dilemma, silent = tmp_path / "dilemma.csv", tmp_path / "silent.json"
    dilemma.write_text(",silent,confess\nsilent,-1;-1,-3;0\nconfess,0;-3,-2;-2\n")
    one = {"silent": 1}
    silent.write_text(json.dumps({"strategies": [{"player": name, "actions": one} for name in ("p1", "p2")]}))
    code, out, _ = run("game", "show", dilemma)
    assert code == 0
    assert "-3; 0" in out
    code, out, _ = run("game", "show", dilemma, "--csv")
    assert code == 0
    code, out, _ = run("game", "evaluate", dilemma, silent, "--json")
    assert (code, json.loads(out)["gains"]) == (0, [1, 1])
    code, out, err = run("game", "solve", dilemma)
    assert (code, out) == (2, "")
    assert "expected a zero-sum game" in err


def test_solve_by_every_method(run: Run) -> None:
    code, out, _ = run("game", "solve", "kuhn", "--json")
    document = json.loads(out)
    assert (code, document["format"], document["players"]) == (0, "hedgehog.game-solution", ["p1", "p2"])
    assert document["value"] == pytest.approx(-1 / 18)
    assert len(document["strategies"]) == 12
    code, out, _ = run("game", "solve", "kuhn", "--method", "cfr", "--target", "0.001", "--json")
    low, high = json.loads(out)["bracket"]
    assert low <= -1 / 18 <= high
    assert high - low <= 0.002
    code, out, _ = run("game", "solve", "nim", "-p", "heaps=1,2", "--method", "induction")
    assert (code, "value 1 for p1" in out) == (0, True)
    code, out, _ = run("game", "solve", "kuhn", "--tremble", "0.01")
    assert (code, "*" in out) == (0, False)
    code, out, _ = run("game", "solve", "jqk", "-p", "noraise_pays_zero=yes")
    assert "value 0.3333333333 for p1" in out


def test_dominance(run: Run) -> None:
    code, out, _ = run("game", "dominance", "jqk", "--json")
    document = json.loads(out)
    assert code == 0
    assert [(s["round"], s["action"]) for s in document["steps"]][-1] == (2, "Q: raise")
    assert document["left"] == {"p1: J": ["raise", "not"], "p1: K": ["raise", "not"], "p2: Q raise": ["fold", "call"]}
    code, out, _ = run("game", "dominance", "jqk", "--kind", "weak")
    assert "8 x 8 pure strategies, 2 x 2 left; value 0.05555555556" in out
    code, out, _ = run("game", "dominance", "matching-pennies")
    assert "No action is dominated." in out


def test_a_game_of_the_users(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    code, out, _ = run("game", "solve", f"{file}:mine", "-p", "high=1", "--json")
    assert (code, json.loads(out)["value"]) == (0, pytest.approx(0))
    for name, message in (
        ("broken", f"{file}:13: the rules of 'broken' failed: ZeroDivisionError: oops"),
        ("number", "expected a function 'number' with the decorator"),
        ("nosuch", "expected a function 'nosuch'"),
    ):
        code, _, error = run("game", "solve", f"{file}:{name}")
        assert code == 2
        assert message in error
        assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("solve nosuch", "no game 'nosuch': expected matching-pennies"),
        ("solve kuhn -p n=one", "parameter 'n': expected a value such as 3"),
        ("solve kuhn -p m=1", "no parameter 'm=1': expected some of n=3"),
        ("solve kuhn --method induction", "no perfect information"),
        ("solve kuhn --method cfr --algorithm outcome", "does not solve extensive games"),
        ("show missing.json", "missing.json: cannot read"),
        ("show missing.efg", "missing.efg: there is no such file"),
        ("show leduc --svg", "pictures show at most 200"),
        ("jamfold --stack 3610", "expected a stack of 50 to 7950"),
        ("jamfold --model chip --all-stacks", "--all-stacks needs the model"),
        ("jamfold --model chip --stack 500", "all-in with the blind"),
        ("jamfold --rate missing.yaml", "missing.yaml: cannot read"),
        (f"jamfold --stack 3610 --rate {CHARTS / 'system.yaml'}", "expected a stack of 50 to 7950"),
        ("freezeout jamfold nosuch", "unknown player 'nosuch'"),
        ("freezeout call cmd:x", "is a program of its own"),
        ("freezeout call fold --stacks 0 100", "stacks and blinds above 0"),
        ("freezeout jamfold call --stacks 20001 5", "solved for 500 at most"),
        ("freezeout jamfold call --stack 1500 --levels 10/20x5,50/100", "half of all chips, 1,500, both players would"),
        ("freezeout call fold --levels 10/20x5,50/100x5", "goes on to the end: expected 50/100"),
        ("freezeout call fold --stack 10.5bb --blinds 1 3", "expected whole chips"),
    ],
)
def test_mistakes_are_one_line(run: Run, words: str, message: str) -> None:
    code, _, error = run("game", *words.split())
    assert code == 2
    assert message in error
    assert len(error.splitlines()) == 1


def test_jam_or_fold_for_chips(run: Run, tmp_path: Path) -> None:
    chart = tmp_path / "jam.svg"
    code, out, _ = run("game", "jamfold", "--stack", "3600", "--model", "chip", "--chart", chart, "--json")
    assert code == 0
    document = json.loads(out)
    assert document["value"] == pytest.approx(22.895, abs=1e-3)
    assert document["strategies"][0]["probabilities"]["86o"] == pytest.approx(0.9904, abs=5e-5)
    picture = ElementTree.fromstring(chart.read_text())
    texts = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("86o") == 2
    assert "99.0%" in texts


@pytest.mark.parametrize(("model", "value"), [("alternating", 0.452007), ("bound", 0.447387)])
def test_the_shipped_tournament_is_not_solved_again(
    run: Run, monkeypatch: pytest.MonkeyPatch, model: str, value: float
) -> None:
    monkeypatch.setattr("hedgehog.gametheory.tournaments.jam_fold.small_blind_stage", None)
    code, out, errors = run("game", "jamfold", "--stack", "3600", "--model", model, "--json")
    assert (code, "solving" in errors) == (0, False)
    document = json.loads(out)
    assert document["value"] == pytest.approx(value, abs=5e-7)
    assert len(document["values"]) == 159


@pytest.mark.slow
def test_a_chart_is_rated_in_the_shipped_tournament(run: Run, tmp_path: Path) -> None:
    """Always all-in: published losses of 3.04 and 3.56 points at most against a perfect player."""
    (tmp_path / "allin.yaml").write_text("jam: random\ncall: random\n")
    picture = tmp_path / "chart.svg"
    words = ["--rate", tmp_path / "allin.yaml", "--json", tmp_path / "rating.json", "--chart", picture]
    code, out, _ = run("game", "jamfold", *words)
    assert code == 0
    assert "allin: wins 0.480124 of the tournaments" in out
    document = json.loads((tmp_path / "rating.json").read_text())
    losses = [most - least for most, least in zip(document["perfect"], document["guaranteed"], strict=True)]
    assert losses == pytest.approx([0.0304, 0.0356], abs=5e-5)
    assert sum(row["lost"] for row in document["hands"]) == pytest.approx(document["lost"], abs=1e-9)
    assert "small blind jams: 100.00 %" in picture.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jam: AA\n", "call"),
        ("jam: AAA\ncall: AA\n", ":1: 'jam': range entry"),
        ("jam: AA\ncall: AhKh\n", "those of AKs differ"),
        ("jam:\n  - {until: 5, hands: AA}\ncall: AA\n", "expected a last row without 'until'"),
        ("jam:\n  - {hands: AA}\n  - {until: 5, hands: KK}\ncall: AA\n", "ascending 'until'"),
        ("jam: AA\ncall: AA\nunit: metres\n", "unit"),
    ],
)
def test_bad_charts(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "chart.yaml").write_text(text)
    code, _, error = run("game", "jamfold", "--rate", tmp_path / "chart.yaml")
    assert code == 2
    assert f"{tmp_path / 'chart.yaml'}" in error
    assert message in error


def test_rows_of_a_chart() -> None:
    rows = read_chart(CHARTS / "revised-system.yaml")
    chart = rows.chart(Structure(30_000, 300, 600))
    share = chart.jam @ (HAND_CLASS_SIZES / 1326)
    assert share[Structure(30_000).stacks.index(18_000)] == pytest.approx(1)  # 20 times the blinds
    assert share[Structure(30_000).stacks.index(18_050)] < 0.2
    effective = replace(rows, own_stack=False).chart(Structure(30_000, 300, 600))
    assert (effective.jam == 1).all()


def test_freeze_outs(run: Run) -> None:
    code, out, _ = run("game", "freezeout", "me=allin", "jamfold", "--games", "199", "--seed", "5", "--json")
    document = json.loads(out)
    assert (code, document["format"], document["games"]) == (0, "hedgehog.freeze-out", 200)
    assert document["players"] == ["me", "jamfold"]
    exact = document["exact"]
    assert exact["with the first button"] == pytest.approx(1 - 0.514282, abs=5e-7)
    assert exact["without it"] == pytest.approx(1 - 0.525470, abs=5e-7)
    low, high = document["wins"]["all games"]["ci95"]
    assert low < exact["all games"] < high
    code, out, _ = run(
        "game", "freezeout", "call", "raise", "--games", "20", "--stacks", "500", "900", "--blinds", "10", "20"
    )
    assert code == 0
    assert "20 freeze-outs in 10 pairs, 500 and 900 chips, blinds 10/20" in out
    assert "exactly" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_our_player_plays_freeze_outs_with_levels(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["game", "freezeout", "default", "jamfold", "--stack", "10bb", "--levels", "100/200x4,150/300"]
    code, table, error = run(*words, "--games", "6", "--out", out, "--json", tmp_path / "first.json")
    assert code == 0, error
    assert "default wins" in table
    assert "default wins per hand" in table
    assert "failed or were illegal" not in table
    assert "6 freeze-outs in 3 pairs, 2,000 and 2,000 chips, levels 100/200x4,150/300" in table.replace("\n", "")
    assert max(len(line) for line in table.splitlines() if str(tmp_path) not in line) <= 80
    logs = sorted(out.glob("*.log"))
    assert len(logs) == 6
    code, verified, _ = run("log", "verify", *logs)
    first = json.loads((tmp_path / "first.json").read_text())
    assert (code, verified) == (0, f"{round(6 * first['hands_per_game'])} hands, 0 faults\n")
    before = {path: path.stat().st_mtime_ns for path in logs}
    code, _, error = run(*words, "--games", "10", "--out", out, "--json", tmp_path / "refused.json")
    assert (code, "--resume goes on with it" in error) == (2, True)
    assert run(*words, "--games", "10", "--out", out, "--resume", "--json", tmp_path / "more.json")[0] == 0
    assert {path: path.stat().st_mtime_ns for path in logs} == before
    assert run(*words, "--games", "10", "--json", tmp_path / "whole.json")[0] == 0
    assert (tmp_path / "more.json").read_text() == (tmp_path / "whole.json").read_text()


def test_chips_per_hand_are_those_of_log_stats(run: Run, tmp_path: Path) -> None:
    """With blinds that nobody has too few chips for, both count the same big blinds."""
    words = ["game", "freezeout", "allin", "call", "--games", "40", "--stack", "300", "--levels", "10/20x1,50/100"]
    code, _, _ = run(*words, "--out", tmp_path / "out", "--json", tmp_path / "result.json")
    assert code == 0
    logs = sorted((tmp_path / "out").glob("*.log"))
    assert run("log", "stats", *logs, "--all-in-ev", "--json", tmp_path / "stats.json")[0] == 0
    ours = json.loads((tmp_path / "result.json").read_text())["mbb_per_hand"]
    theirs = json.loads((tmp_path / "stats.json").read_text())
    player = next(one for one in theirs["matches"][0]["players"] if one["name"] == "allin")
    assert ours["chips"]["mean"] == pytest.approx(player["mbb_per_hand"]["mean"])
    assert ours["all-in adjusted"]["mean"] == pytest.approx(player["adjusted"]["mean"])


def test_a_stopped_run_shows_what_is_done() -> None:
    class Stop(Watch):
        done = 0.0

        def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
            self.done = done

        @property
        def stopped(self) -> bool:
            return self.done >= 6

    found = measure_freeze_outs("call", "random", FreezeOutRules(), games=100, watch=Stop())
    assert (found.games, found.interrupted) == (6, True)


def test_a_small_tournament(run: Run, tmp_path: Path) -> None:
    words = ["game", "jamfold", "--stack", "900", "--total", "1800"]
    chart = tmp_path / "all.svg"
    code, out, errors = run(*words, "--all-stacks", "--chart", chart, "--json", tmp_path / "v.json")
    assert code == 0
    assert errors.startswith("no strategies for 1800 chips and blinds of 300/600 are shipped or kept: solving all 35 ")
    assert "wins the tournament with probability" in out
    assert "AA" in chart.read_text()
    document = json.loads((tmp_path / "v.json").read_text())
    assert len(document["values"]) == 35
    code, out, _ = run(*words, "--model", "bound")
    assert "a perfect player wins" in out


def test_chips_as_prizes(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("game", "icm", "5000", "2000", "1000", "--payouts", "50,30,20", "--json")
    assert code == 0
    assert json.loads(out)["prizes"] == pytest.approx([41.726190, 32.023810, 26.25], abs=1e-6)
    words = ["3000", "3000", "2000", "--payouts", "50,30,20", "--blinds", "100", "200", "--deals", "20000"]
    chart = tmp_path / "three.svg"
    code, out, _ = run("game", "icm", *words, "--json", tmp_path / "three.json", "--chart", chart)
    assert code == 0
    assert "equilibria may differ" in out
    document = json.loads((tmp_path / "three.json").read_text())
    assert max(document["gains"]) <= 1e-5 * 100
    assert sum(document["expected_prizes"]) == pytest.approx(100)
    shares = {one["decision"]: one["share"] for one in document["strategies"]}
    assert shares["big blind calls both"] < 0.2 < shares["big blind calls the small blind"] < shares["small blind jams"]
    assert "small blind calls the button" in chart.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("5000 2000 --payouts 50,30,20", "1 to 2 payouts for 2 players"),
        ("5000 2000 --payouts 30,50", "do not grow"),
        ("5000 2000 --payouts x", "expected payouts such as 50,30,20"),
        ("500 200 900 --payouts 5,3 --blinds 100 200", "three stacks above the big blind"),
        ("500 600 900 800 --payouts 5,3 --blinds 100 200", "solved for two and three players, got 4"),
        ("500 200 --payouts 5,3 --blinds 100 200", "stacks above the big blind"),
    ],
)
def test_impossible_prizes(run: Run, words: str, message: str) -> None:
    code, _, error = run("game", "icm", *words.split())
    assert code == 2
    assert message in error
    assert len(error.splitlines()) == 1


def test_games_without_a_constant_sum_name_what_remains(run: Run) -> None:
    code, _, error = run("game", "solve", "three-coins")
    assert code == 2
    assert "--method cfr" in error
    code, out, _ = run("game", "solve", "three-coins", "--method", "cfr")
    assert code == 0
    assert "equilibria may differ" in out
    code, out, _ = run("game", "solve", "jqk", "--method", "cfr")
    assert "differ" not in out
