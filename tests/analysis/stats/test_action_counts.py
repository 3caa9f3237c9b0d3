"""Counted actions by street, players left and class of hands, alone and in ``hedgehog log stats``."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from hedgehog.analysis.stats.action_counts import ActionCounts, counted_actions
from hedgehog.analysis.stats.figures import log_figures
from hedgehog.cli.main import cli
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError

GAME = load_gamedef("holdem.limit.3p")
LINES = (
    "STATE:0:rcc/rrcc/crfc/crc:AhKh|7c7d|2s3s/Qs7h2h/3c/9d:-80|120|-40:a|b|c",
    "STATE:1:rff:2c7d|8h3s|AsAd:-5|-10|15:b|c|a",
)


def counts_of(name: str) -> ActionCounts:
    counts = ActionCounts()
    for line in LINES:
        hand = parse_log_line(line, GAME)
        counts.add(counted_actions(hand)[hand.names.split("|").index(name)])
    return counts


def test_every_action_is_counted_where_it_was_made() -> None:
    counts = counts_of("a")
    assert counts.by_street(3, 0).tolist() == [0, 1, 1]  # a call of the small blind, a raise on the button
    assert counts.by_street(3, 1).tolist() == [0, 1, 1]
    assert counts.by_street(3, 2).tolist() == [0, 1, 0]
    assert counts.by_street(2, 2).tolist() == [0, 1, 0]  # after the button's fold
    assert counts.by_street(2, 3).tolist() == [0, 2, 0]
    assert sum(row[2] for row in counts.street_rows() if isinstance(row[2], int)) == 8
    assert list(counts.class_rows()) == [(3, "AKs", 1, 0.0, 1.0, 0.0), (3, "AA", 1, 0.0, 0.0, 1.0)]


def test_checks_of_the_big_blind_have_no_class() -> None:
    line = "STATE:0:ccc/ccc/ccc/ccc:AhKh|7c7d|2s3s/Qs7h2h/3c/9d:-10|20|-10:a|b|c"
    found = counted_actions(parse_log_line(line, GAME))
    assert [actions[0].hand_class == -1 for actions in found] == [False, True, False]
    hidden = counted_actions(parse_log_line(line.replace("AhKh|", "|"), GAME, hidden_cards=True))
    assert hidden[0][0].hand_class == -1
    assert hidden[0][0]._replace(hand_class=0) == found[0][0]._replace(hand_class=0)


@pytest.mark.parametrize("game", ["holdem.limit.3p", "holdem.limit.2p.reverse_blinds"])
def test_log_stats_counts_the_actions_of_random_hands(tmp_path: Path, game: str) -> None:
    rng, gamedef = random.Random(4), load_gamedef(game)
    names = "abc"[: gamedef.num_players]
    expected: Counter[tuple[str, int, str, str]] = Counter()
    lines = []
    for number in range(40):
        state = HandState(gamedef)
        betting = ""
        while not state.finished:
            letters = ["c"] + ["f"] * state.can_fold() + ["r"] * (state.raise_range() is not None)
            letter, seat, street = rng.choice(letters), state.acting_position, state.round
            expected[names[seat], gamedef.num_players - state.num_folded, STREETS[street], letter] += 1
            state.apply(next(action for action in _actions() if str(action) == letter))
            betting += letter + ("/" if state.round > street and not state.finished else "")
        deck = rng.sample([rank + suit for rank in "23456789TJQKA" for suit in "cdhs"], 11)
        board = [deck[6] + deck[7] + deck[8], deck[9], deck[10]][: state.round]
        cards = "/".join(["|".join(deck[2 * i] + deck[2 * i + 1] for i in range(gamedef.num_players)), *board])
        chips = [-spent for spent in state.spent]
        chips[state.folded.index(False)] += sum(state.spent)
        lines.append(f"STATE:{number}:{betting}:{cards}:{'|'.join(map(str, chips))}:{'|'.join(names)}")
    log = tmp_path / "some.log"
    log.write_text(f"# name/game/hands/seed x {game}.game 40 1\n" + "\n".join(lines) + "\n")
    args = ["log", "stats", str(log), "--game", game, "--actions", "--json", str(tmp_path / "a.json")]
    result = CliRunner().invoke(cli, [*args, "--classes-csv", str(tmp_path / "c.csv")])
    assert result.exit_code == 0, result.output
    assert "How often each player folds, calls or checks, and raises" in result.output
    found: Counter[tuple[str, int, str, str]] = Counter()
    (match,) = json.loads((tmp_path / "a.json").read_text())["matches"]
    for player in match["players"]:
        for row in player["actions"]["by_street"]:
            for letter, word in (("f", "fold"), ("c", "call"), ("r", "raise")):
                found[player["name"], row["players"], row["street"], letter] += round(row[word] * row["decisions"])
    assert +found == +expected
    rows = list(csv.DictReader((tmp_path / "c.csv").open()))
    preflop = sum(n for key, n in expected.items() if key[2] == "preflop")
    assert preflop - 40 <= sum(int(row["decisions"]) for row in rows) <= preflop  # the big blind may check once a hand
    assert {row["hand"] for row in rows} <= set(HAND_CLASS_NAMES)


def _actions() -> list[Action]:
    return [FOLD, CALL, LIMIT_RAISE]


def test_classes_of_a_game_without_them_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "kuhn.log"
    log.write_text("STATE:0:cc:Ks|Qs:1|-1:a|b\n")
    result = CliRunner().invoke(cli, ["log", "stats", str(log), "--game", "kuhn.limit.2p", "--classes-csv", "-"])
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("--classes-csv: no hold'em hands with known cards")
    shown = CliRunner().invoke(cli, ["log", "stats", str(log), "--game", "kuhn.limit.2p", "--actions"])
    assert shown.exit_code == 0, shown.output
    assert "How often each player folds" in shown.output


def test_actions_are_counted_if_asked(tmp_path: Path) -> None:
    log = tmp_path / "one.log"
    log.write_text("\n".join(LINES) + "\n")
    without = log_figures([log], gamedef=GAME)
    assert (without.actions(), without.class_records()) == ([], [])
    assert "actions" not in without.document()["matches"][0]["players"][0]
    one = log_figures([log], gamedef=GAME, player="a", first=1, actions=True)
    assert [row[:3] for row in one.actions()[0].rows] == [
        ("a", 3, "preflop"),
        ("a", 3, "flop"),
        ("a", 3, "turn"),
        ("a", 2, "turn"),
        ("a", 2, "river"),
    ]
    assert [row["hand"] for row in one.class_records()] == ["AKs"]  # the second hand is beyond the first one
