"""Trees from rules: published counts, information sets, and the errors of bad rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgehog.gametheory.examples import EXAMPLES
from hedgehog.gametheory.rules import ALL, RuleGame, amounts, chance, choose, game, outcome, reveal
from hedgehog.gametheory.tree import decision, extensive_game, leaf, nature
from hedgehog.runtime.errors import GameError, PerfectRecallError

COUNTS = [
    ("matching-pennies", {}, 7, 0, 3, 4, (1, 1), (3, 3)),
    ("three-coins", {}, 15, 0, 7, 8, (1, 1, 1), (3, 3, 3)),
    ("rock-paper-scissors", {}, 13, 0, 4, 9, (1, 1), (4, 4)),
    ("jqk", {}, 34, 4, 12, 18, (3, 3), (7, 7)),
    ("jqk", {"n": 4}, 65, 5, 24, 36, (4, 4), (9, 9)),
    ("jqk", {"n": 5}, 106, 6, 40, 60, (5, 5), (11, 11)),
    ("jqk", {"n": 13}, 794, 14, 312, 468, (13, 13), (27, 27)),
    ("kuhn", {}, 58, 4, 24, 30, (6, 6), (13, 13)),
    ("kuhn", {"n": 4}, 113, 5, 48, 60, (8, 8), (17, 17)),
    ("kuhn", {"n": 8}, 513, 9, 224, 280, (16, 16), (33, 33)),
    ("kuhn", {"n": 13}, 1418, 14, 624, 780, (26, 26), (53, 53)),
    ("leduc", {}, 1939, 49, 774, 1116, (144, 144), (337, 337)),
    ("nim", {"heaps": (1, 2)}, 8, 0, 3, 5, (1, 2), (4, 5)),
    ("nim", {"heaps": (2, 2)}, 23, 0, 9, 14, (5, 4), (13, 11)),
    ("nim", {}, 300, 0, 118, 182, (63, 55), (157, 144)),
    ("backward", {}, 10, 1, 3, 6, (2, 1), (5, 4)),
]


@pytest.mark.parametrize(("name", "parameters", "nodes", "chances", "decisions", "leaves", "infosets", "seqs"), COUNTS)
def test_counts_of_the_shipped_games(
    name: str,
    parameters: dict[str, Any],
    nodes: int,
    chances: int,
    decisions: int,
    leaves: int,
    infosets: Any,
    seqs: Any,
) -> None:
    found = EXAMPLES[name].build(**parameters).counts
    assert found == (nodes, chances, decisions, leaves, infosets, seqs)
    assert nodes == chances + decisions + leaves


def test_every_shipped_game_is_counted_or_has_a_parameter() -> None:
    assert {name for name, *_ in COUNTS} | {"one-street"} == EXAMPLES.keys()


def test_probabilities_stay_exact() -> None:
    kuhn = EXAMPLES["kuhn"].build()
    assert {p for p in kuhn.probabilities if p != 1} == {Fraction(1, 3), Fraction(1, 2)}


def build(rules: Any, players: tuple[str, ...] = ("a", "b")) -> Any:
    return game(players=players)(rules).build()


def test_reveal_splits_information_sets_and_makes_no_node() -> None:
    def hidden() -> Any:
        coin = yield chance(["h", "t"])
        yield choose("a", ["x", "y"])
        return outcome(1 if coin == "h" else -1)

    def shown() -> Any:
        coin = yield chance(["h", "t"])
        yield reveal("a", coin)
        yield choose("a", ["x", "y"])
        return outcome(1 if coin == "h" else -1)

    assert build(hidden).counts.infosets == (1, 0)
    assert build(shown).counts.infosets == (2, 0)
    assert build(shown).counts.nodes == build(hidden).counts.nodes == 7


def test_single_options_and_outcomes_make_no_node() -> None:
    def rules() -> Any:
        card = yield chance({"only": 1}, to=ALL)
        yield choose("a", ["must"])
        answer = yield choose("b", amounts(0, 1, Fraction(1, 2)))
        assert card == "only"
        return outcome(answer)

    found = build(rules)
    assert (found.counts.nodes, found.counts.chance, found.counts.decisions) == (4, 0, 1)
    assert found.infosets[0].actions == ("0", "1/2", "1")
    assert [payoffs[0] for payoffs in found.exact_payoffs] == [0, Fraction(1, 2), 1]


def test_three_players_have_a_payoff_each() -> None:
    def rules() -> Any:
        for name in ("a", "b", "c"):
            yield choose(name, ["0", "1"], seen_by=())
        return outcome(1, 2, 3)

    assert build(rules, ("a", "b", "c")).payoffs.tolist() == [[1, 2, 3]] * 8


def answers_change() -> Any:
    answers_change.calls += 1  # type: ignore[attr-defined]
    yield choose("a", ["x", "y"] if answers_change.calls == 1 else ["x", "z"])  # type: ignore[attr-defined]
    return outcome(0)


answers_change.calls = 0  # type: ignore[attr-defined]


def other_options() -> Any:
    coin = yield chance(["h", "t"])
    yield choose("a", ["x", "y"] if coin == "h" else ["x", "z"])
    return outcome(0)


def unknown_player() -> Any:
    yield choose("c", ["x", "y"])
    return outcome(0)


def unknown_audience() -> Any:
    yield chance(["x", "y"], to="c")
    return outcome(0)


def wrong_sum() -> Any:
    yield chance({"x": 0.5, "y": 0.4})
    return outcome(0)


def negative() -> Any:
    yield chance({"x": 1.5, "y": -0.5})
    return outcome(0)


def repeated() -> Any:
    yield choose("a", ["x", "x"])
    return outcome(0)


def no_outcome() -> Any:
    yield choose("a", ["x", "y"])


def wrong_statement() -> Any:
    yield "choose"
    return outcome(0)


def no_generator() -> Any:
    return outcome(0)


def infinite_payoff() -> Any:
    yield choose("a", ["x", "y"])
    return outcome(float("inf"))


def too_few_payoffs() -> Any:
    yield choose("a", ["x", "y"])
    return outcome(1, 2, 3)


def endless() -> Any:
    for _ in range(40):
        yield choose("a", ["x", "y"])
    return outcome(0)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (answers_change, "with the same answers the rules said"),
        (other_options, "information set 'start' of 'a' has the actions"),
        (unknown_player, "no player 'c'"),
        (unknown_audience, "no player 'c'"),
        (wrong_sum, "add up to 1, got 0.9"),
        (negative, "expected a probability above 0"),
        (repeated, "expected different options"),
        (no_outcome, "expected return outcome"),
        (wrong_statement, "expected yield of chance"),
        (no_generator, "expected a generator function"),
        (infinite_payoff, "expected finite payoffs"),
        (too_few_payoffs, "expected 2 payoffs"),
    ],
)
def test_bad_rules_are_refused(rules: Any, message: str) -> None:
    with pytest.raises(GameError, match=message):
        build(rules)


def test_games_are_not_larger_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgehog.gametheory.tree.MAX_NODES", 1000)
    with pytest.raises(GameError, match="more than 1,000 nodes"):
        build(endless)


def test_parameters_are_checked() -> None:
    with pytest.raises(GameError, match="its parameters are n=3"):
        EXAMPLES["kuhn"].build(m=4)
    with pytest.raises(GameError, match="at least 2 cards"):
        EXAMPLES["kuhn"].build(n=1)
    assert isinstance(EXAMPLES["kuhn"], RuleGame)


def test_a_game_without_perfect_recall_is_refused_by_name() -> None:
    late = {side: decision("a", "late", {"x": leaf(1), "y": leaf(0)}) for side in "lr"}
    root = decision("a", "early", {"left": late["l"], "right": late["r"]})
    with pytest.raises(PerfectRecallError, match=r"at information set 'late' the player 'a' cannot tell whether"):
        extensive_game("forgetful", ("a", "b"), root)


def test_a_path_never_meets_an_information_set_twice() -> None:
    inner = decision("a", "exit", {"go": leaf(4), "on": leaf(1)})
    with pytest.raises(PerfectRecallError, match="'exit'"):
        extensive_game("absent-minded driver", ("a", "b"), decision("a", "exit", {"go": leaf(0), "on": inner}))


def test_nested_nodes_are_checked() -> None:
    with pytest.raises(GameError, match="no player 'c'"):
        extensive_game("g", ("a", "b"), decision("c", "s", {"x": leaf(1)}))
    with pytest.raises(GameError, match="add up to 1"):
        extensive_game("g", ("a", "b"), nature({"x": (Fraction(1, 3), leaf(1)), "y": (Fraction(1, 3), leaf(0))}))
    with pytest.raises(GameError, match="players with different names"):
        extensive_game("g", ("a", "a"), leaf(1, 2))
    with pytest.raises(GameError, match="neither payoffs nor children"):
        extensive_game("g", ("a", "b"), nature({}))
