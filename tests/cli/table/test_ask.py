"""``hedgehog ask``: the strategy the player samples from, on the screen and as JSON."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_index, combo_mask, format_combo, parse_cards
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.ranges import parse_range
from hedgehog.strategies.pack import default_packs
from tests.cli.command import Run

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
FLOP = ("--hand", "AhKd", "--line", "R250 C X B300", "--board", "Qs Jh 2h", "--think-ms", "0")


@pytest.fixture(scope="module")
def player() -> PackPlayer:
    player = PackPlayer(think_ms=0)
    player.warm_up()
    player.new_match(GAME, 0)
    return player


def state_of(betting: str, board: str) -> MatchState:
    state = parse_betting(betting, GAME)
    return MatchState(state.acting_position, 0, ((), ()), tuple(parse_cards(board)), state)


def ask_json(run: Run, *arguments: str) -> dict[str, Any]:
    code, output, _ = run("ask", *arguments, "--json")
    assert code == 0
    document: dict[str, Any] = json.loads(output)
    return document


@pytest.mark.parametrize(
    ("line", "betting", "board", "hand"),
    [
        ("", "", "", "AhKd"),
        ("r230", "r230", "", "7c2d"),
        ("r250c/kr300", "r250c/cr550", "Qs Jh 2h", "AhKd"),
        ("r250c/cr550", "r250c/cr550", "Qs Jh 2h", "9h8h"),
        ("R250 C X B300", "r250c/cr550", "Qs Jh 2h", "AhKd"),
        ("ck/kk", "cc/cc/", "Qs Jh 2h 5c", "QdQc"),
        ("r250c/kr165c/kk/r400", "r250c/cr415c/cc/r815", "Qs Jh 2h 5c 9d", "TsTd"),
    ],
)
def test_the_probabilities_are_those_the_player_samples_from(
    run: Run, player: PackPlayer, line: str, betting: str, board: str, hand: str
) -> None:
    found = ask_json(run, "--line", line, "--board", board, "--hand", hand, "--think-ms", "0")
    asked = state_of(betting, board)
    options = player.strategy(asked)
    column = options.probabilities[:, combo_index(*parse_cards(hand))]
    assert [action["action"] for action in found["actions"]] == [str(action) for action in options.actions]
    assert [action["probability"] for action in found["actions"]] == pytest.approx(column.tolist(), abs=0)
    assert sum(action["range_frequency"] for action in found["actions"]) == pytest.approx(1)
    assert (found["betting"], found["position"]) == (betting, asked.position)
    assert found["pot"] == sum(asked.state.spent)
    assert found["to_call"] == asked.state.max_spent - asked.state.spent[asked.position]
    assert found["stack"] == 20000 - asked.state.spent[asked.position]
    assert found["layer"] == player.explain(asked).layer
    assert (found["format"], found["game"], found["players"]) == ("hedgehog.ask", GAME_NAME, ["default"])


GAME_NAME = "holdem.nolimit.2p.reverse_blinds"


def test_the_player_plays_what_was_told(run: Run, player: PackPlayer) -> None:
    found = ask_json(run, *FLOP[2:], "--hand", "9h8h")
    asked = state_of("r250c/cr550", "Qs Jh 2h")
    hole_cards = (tuple(parse_cards("9h8h")), ())
    hands = 2000
    played = Counter(
        str(player.act(asked._replace(hand_id=hand, hole_cards=hole_cards), math.inf)) for hand in range(hands)
    )
    shares = {action["action"]: action["probability"] for action in found["actions"]}
    assert max(shares.values()) < 0.97  # a mixed decision, or this would show nothing
    for action, share in shares.items():
        assert played[action] / hands == pytest.approx(share, abs=4 * math.sqrt(0.25 / hands))
    assert set(played) <= {action for action, share in shares.items() if share > 0}


def test_what_a_person_reads(run: Run) -> None:
    code, output, _ = run("ask", *FLOP)
    assert code == 0
    assert "Preflop  button raises to 250, big blind calls 150" in output
    assert "Flop     Q♠ J♥ 2♥  big blind checks, button bets 300" in output
    assert "Pot 800. The big blind is to act: 300 to call, 19,750 left (197.5 bb)." in output
    assert "In ACPC text: r250c/cr550" in output
    assert "Line: R250 C / X B300 (sizes read as totals on their street)" in output
    assert "A♥ K♦ (AKo)" in output
    assert "Layer quick" in output
    assert "bet 300 (60 % of the pot) is read as" in output
    assert "for this hand" in output
    assert all(len(line) <= 80 for line in output.splitlines())


def test_a_hand_that_left_the_tree_and_a_tiny_bet(run: Run) -> None:
    raises = "r200r300r400r500r600r700r800r900r1000r1100"
    _, output, _ = run("ask", "--think-ms", "0", "--line", raises)
    words = " ".join(output.split())
    assert "The betting left the strategy's tree after r200r300" in words
    assert "The bet is smaller than any that the strategy knows" in words
    assert "Preflop: raise to 200 (50 % of the pot) is read as raise to 250 (75 %)." in words
    _, output, _ = run("ask", "--think-ms", "0", "--line", "r250")
    assert "All bets before this decision have sizes that the strategy knows." in output


def test_equities_are_against_the_opponents_range(run: Run, player: PackPlayer) -> None:
    found = ask_json(run, *FLOP)
    ranges = player.explain(state_of("r250c/cr550", "Qs Jh 2h")).ranges.astype("f4")
    board = parse_cards("Qs Jh 2h")
    assert found["hand_equity"] == pytest.approx(range_equity(parse_range("AhKd"), ranges[1], board).equity, abs=1e-6)
    assert found["range_equity"] == pytest.approx(range_equity(ranges[0], ranges[1], board).equity, abs=1e-6)


def test_the_whole_range(run: Run, player: PackPlayer) -> None:
    found = ask_json(run, *FLOP[2:], "--grid")
    explanation = player.explain(state_of("r250c/cr550", "Qs Jh 2h"))
    live = combo_mask(parse_cards("QsJh2h"))
    assert len(found["hands"]) == live.sum()
    by_name = {hand["hand"]: hand for hand in found["hands"]}
    for combo in live.nonzero()[0].tolist():
        hand = by_name[format_combo(combo)]
        assert hand["weight"] == explanation.ranges[0, combo]
        assert hand["probabilities"] == explanation.options.probabilities[:, combo].tolist()
    total = sum(hand["weight"] for hand in found["hands"])
    for number, action in enumerate(found["actions"]):
        average = sum(hand["weight"] * hand["probabilities"][number] for hand in found["hands"]) / total
        assert action["range_frequency"] == pytest.approx(average)
        assert action["probability"] is None


def test_a_grid(run: Run, player: PackPlayer) -> None:
    _, output, _ = run("ask", "--think-ms", "0", "--grid", "f")
    rows = output[output.index("f in %") :].splitlines()[1:]
    assert rows[0].split() == list("AKQJT98765432")
    options = player.strategy(state_of("", ""))
    assert len(rows) == 14
    aces = rows[1].split()
    assert aces[:2] == ["A", "0"]
    offsuit_72 = options.probabilities[0, combo_index(*parse_cards("7c2d"))]
    assert rows[13].split()[8 - 2] == f"{100 * offsuit_72:.0f}"  # the last row: A2o K2o Q2o J2o T2o 92o 82o 72o ...
    _, output, _ = run("ask", *FLOP, "--grid")
    assert "most frequent action" in output
    assert "c100" in output
    assert "…" not in output
    assert all(len(line) <= 80 for line in output.splitlines())


def test_a_turn_is_solved_for_it(run: Run) -> None:
    code, output, _ = run(
        "ask", "--line", "r250c/kk/r400", "--board", "Qs Jh 2h 5c", "--hand", "AhKd", "--think-ms", "500"
    )
    assert code == 0
    assert "Layer live: this street solved now" in output
    assert "iterations" in output


def test_a_bot_tells_its_strategy_without_reasons(run: Run) -> None:
    found = ask_json(run, "--player", "minbet", "--hand", "AhKd")
    assert [(action["action"], action["probability"]) for action in found["actions"]] == [("r200", 1.0)]
    assert found["layer"] is None


@pytest.mark.process
def test_a_first_launch_is_announced(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "first launch" not in run("ask", "--think-ms", "0")[2]
    monkeypatch.setattr("hedgehog.runtime.jit.NUMBA_CACHE", tmp_path / "numba")
    assert "first launch" in run("ask", "--think-ms", "0")[2]


def test_nothing_of_the_users_is_replaced(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text("mine")
    assert run("ask", "--think-ms", "0", "--json", file)[0] == 2
    assert file.read_text() == "mine"
    assert run("ask", "--think-ms", "0", "--json", file, "--overwrite")[0] == 0
    assert json.loads(file.read_text())["format"] == "hedgehog.ask"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--hand", "Ah"], "--hand: expected two cards"),
        (["--hand", "AhKdQs"], "--hand: expected two cards"),
        (["--hand", "AhAh"], "--hand: a card is repeated"),
        (["--hand", "XxYy"], "--hand: expected a card"),
        (["--hand", "QsAd", "--line", "r250c", "--board", "QsJh2h"], "Qs is both in the hand and on the board"),
        (["--line", "r250c"], "expected 3 cards on the flop"),
        (["--line", "r250c/kk", "--board", "QsJh2h"], "expected 4 cards on the turn"),
        (["--board", "QsJh2h"], "expected no cards before the flop"),
        (["--line", "r250c", "--board", "QsJhQs"], "--board: a card is repeated"),
        (["--line", "r250c/r300", "--board", "QsJh2h"], "--sizes street"),
        (["--line", "r50"], "expected a raise to 200..20000"),
        (["--line", "hello"], "--line: expected an action"),
        (["--line", "f"], "the hand is over"),
        (["--line", "r20000c", "--board", "QsJh2h5c9d"], "the hand is over"),
        (["--game", "kuhn.limit.2p"], "two players with two hole cards"),
        (["--game", "holdem.nolimit.3p"], "two players with two hole cards"),
        (["--stack", "10b"], "in chips or in big blinds"),
        (["--stack", "20bb", "--game", "kuhn.limit.2p"], "does not go with --stack"),
        (
            ["--player", f"pack:{default_packs()}", "--game", "holdem.limit.2p.reverse_blinds"],
            "heads-up no-limit hold'em, and the game has limit betting",
        ),
        (["--game", "/nosuch"], "nosuch"),
        (["--player", "random"], "does not tell how it would act"),
        (["--player", "cmd:./bot"], "program of its own"),
        (["--player", "pack:/nosuch"], "no strategy pack"),
        (["--grid", "r123"], "no action 'r123' here"),
        (["--sizes", "both"], "--sizes"),
        (["--json", "/etc/passwd/x"], "not a folder"),
    ],
)
def test_bad_input_is_one_line(run: Run, arguments: list[str], message: str) -> None:
    code, output, errors = run("ask", *arguments, "--think-ms", "0")
    assert code == 2
    assert output == ""
    assert message in errors
    assert len([line for line in errors.splitlines() if line.startswith("error")]) <= 1
    assert "Traceback" not in errors


def test_chips_and_sizes_that_a_limit_game_lacks_are_not_told(run: Run) -> None:
    limit = ("--player", "call", "--game", "holdem.limit.2p.reverse_blinds")
    asked = ("ask", *limit, "--line", "rc/", "--board", "Qs Jh 2h")
    code, output, _ = run(*asked)
    assert code == 0
    assert "is to act: 0 to call." in output
    assert "left" not in output
    assert "Line: R C\n" in output
    code, output, _ = run(*asked, "--json")
    assert code == 0
    assert json.loads(output)["stack"] is None


def test_default_answers_in_limit_too(run: Run) -> None:
    """The limit player is asked: with the best hand it never folds before the flop."""
    code, output, _ = run("ask", "--game", "holdem.limit.2p.reverse_blinds", "--hand", "AhAs", "--json", "-")
    assert code == 0
    answer = json.loads(output)
    assert {action["action"] for action in answer["actions"]} == {"f", "c", "r"}


def test_the_depth_of_the_strategy_is_named(run: Run) -> None:
    at = ("--line", "r250c/", "--board", "Qs Jh 2h", "--think-ms", "0")
    own = ask_json(run, *at)
    assert (own["strategy_bb"], own["game_bb"]) == (200, 200)
    assert (ask_json(run, "--stack", "400", "--blinds", "1/2", "--line", "r5", "--think-ms", "0")["game_bb"]) == 200
    _, text, _ = run("ask", *at)
    assert "nearest depth" not in text
    other = ask_json(run, *at, "--stack", "7500,9000")
    assert other["game_bb"] == 75
    if other["strategy_bb"] != 75:
        _, text, _ = run("ask", *at, "--stack", "75bb")
        assert f"is that for {other['strategy_bb']:g} big blinds, the nearest depth to the 75 of this" in text.replace(
            "\n", " "
        )


def test_a_mapping_says_which_decisions_answer(run: Run) -> None:
    three = ("--game", "holdem.limit.3p", "--hand", "AhKh", "--line", "rcc/rr", "--board", "Qs Jh 2h")
    code, output, _ = run("ask", *three, "--player", "limit3p:hbb2?x=2")
    assert code == 0
    text = " ".join(output.split())
    assert "button raises to 20, small blind calls 15" in text
    assert "Against the small blind: 70 candidates" in text
    assert "rc/r from the small blind, distance 0, weight 50.0 %" in text
    assert "The strategy trained for three players: fold" in text
    found = ask_json(run, *three, "--player", "limit3p:hbb2?x=2")["limit"]
    assert [one["opponent"] for one in found["opponents"]] == [0, 1]
    assert [round(used["weight"], 3) for used in found["opponents"][0]["used"]] == [0.5, 0.5]
    trained = ask_json(run, *three, "--player", "limit")
    assert trained["limit"]["history"].endswith("rcc/rr")  # the pack keeps lines that it merges once
    assert 0 <= found["distance"] <= 1


def test_the_base_player_answers_before_a_fold(run: Run) -> None:
    three = ("--game", "holdem.limit.3p", "--hand", "AhKh", "--line", "r")
    assert ask_json(run, *three, "--player", "limit3")["limit"]["source"] == "three-player strategy"
    assert ask_json(run, *three, "--player", "limit3p:hbb2?mode=one_folded")["limit"]["source"] == "potodds"
    folded = (*three[:-1], "rf")
    assert ask_json(run, *folded, "--player", "limit3")["limit"]["source"] == "mapping"
    assert ask_json(run, *three[:2], "--line", "r", "--player", "limit3")["limit"] is None
