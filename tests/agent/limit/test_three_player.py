"""The players limit3p: modes, bias, drawing, reported strategies, and the games they play."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.bots import CallBot
from hedgehog.agent.limit.hand_buckets import HandBuckets
from hedgehog.agent.limit.mapped_strategy import MappedStrategy
from hedgehog.agent.limit.nearest import Way
from hedgehog.agent.limit.options import Mode
from hedgehog.agent.limit.preflop_bias import apply_bias, read_bias
from hedgehog.agent.limit.three_player import LimitMappingPlayer
from hedgehog.agent.player import observes
from hedgehog.agent.specs import make_player
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.limit_betting import ACTIONS
from hedgehog.poker.state import CALL, HandState
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from tests.agent.limit_fixtures import made_up_table, random_betting

GAME = load_gamedef("holdem.limit.3p")


def player(way: Way = Way.HBB2, **options: Any) -> LimitMappingPlayer:
    made = LimitMappingPlayer(lambda: MappedStrategy(way, made_up_table(), nearest=3), **options)
    made.warm_up()
    made.new_match(GAME, 1)
    return made


def seen(betting: str, rng: random.Random, hand_id: int = 0) -> MatchState:
    state = parse_betting(betting, GAME)
    cards = rng.sample(range(52), 7)
    board = tuple(cards[2 : 2 + GAME.board_cards_by(state.round)])
    hole_cards: list[tuple[int, ...]] = [(), (), ()]
    hole_cards[state.acting_position] = (cards[0], cards[1])
    return MatchState(state.acting_position, hand_id, tuple(hole_cards), board, state)


def legal_betting(rng: random.Random) -> str:
    while True:
        text = random_betting(rng)
        try:
            parse_betting(text, GAME)
        except InputError:  # a fold where checking is free
            continue
        return text


@pytest.mark.parametrize(
    ("mode", "answered"),
    [
        (Mode.ALWAYS, ["", "f", "rfc/c", "rcc/rfc/", "rcc/"]),
        (Mode.ONE_FOLDED_PREFLOP, ["f", "rfc/c"]),
        (Mode.ONE_FOLDED, ["f", "rfc/c", "rcc/rfc/"]),
        (Mode.NEVER, []),
    ],
)
def test_modes_say_who_answers(mode: Mode, answered: list[str]) -> None:
    made = player(mode=mode, base=CallBot())
    lines = ["", "f", "rfc/c", "rcc/rfc/", "rcc/"]
    assert [line for line in lines if made.answers(parse_betting(line, GAME))] == answered
    rng = random.Random(3)
    for line in lines:
        if line not in answered:
            assert all(made.act(seen(line, rng, hand), math.inf) == CALL for hand in range(20))


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), way=st.sampled_from(list(Way)), argmax=st.booleans())
def test_reported_strategies_are_what_actions_are_drawn_from(seed: int, way: Way, argmax: bool) -> None:
    rng = random.Random(seed)
    bias = np.linspace(-0.5, 0.5, 169)
    made = player(way, argmax=argmax, bias=bias)
    state = seen(legal_betting(rng), rng)
    options = made.strategy(state)
    combo = combo_index(*sorted(state.hole_cards[state.position]))
    reported = dict(zip(options.actions, options.probabilities[:, combo].tolist(), strict=True))
    assert all(state.state.can(action) for action in options.actions)
    free = options.probabilities.sum(axis=0) > 0
    assert options.probabilities.sum(axis=0)[free] == pytest.approx(1)
    if argmax:
        assert reported[made.act(state, math.inf)] == 1
    else:
        assert made.triple(state) == pytest.approx([reported.get(action, 0.0) for action in ACTIONS])


def test_actions_are_drawn_with_the_reported_probabilities() -> None:
    made = player()
    rng = random.Random(5)
    state = seen("r", rng)
    expected = made.triple(state)
    drawn = Counter(made.act(state._replace(hand_id=hand), math.inf) for hand in range(4000))
    for action, probability in zip(ACTIONS, expected, strict=True):
        assert drawn[action] / 4000 == pytest.approx(probability, abs=0.03)


def test_bias_keeps_the_proportion_of_call_and_raise() -> None:
    assert apply_bias((0.2, 0.6, 0.2), 0.3) == pytest.approx((0.5, 0.375, 0.125))
    assert apply_bias((0.2, 0.6, 0.2), -0.5) == pytest.approx((0, 0.75, 0.25))
    assert apply_bias((0.2, 0.6, 0.2), 1) == pytest.approx((1, 0, 0))
    assert apply_bias((1.0, 0.0, 0.0), -0.5) == (1, 0, 0)


def test_bias_counts_against_a_bet_of_three_players_before_the_flop_only(tmp_path: Path) -> None:
    file = tmp_path / "bias.json"
    file.write_text(json.dumps({"bias": {"72o": 1.0}}))
    made = player(bias=read_bias(file))
    hand = tuple(sorted(parse_cards("7h2c")))
    folded = []
    for line in ("", "cc", "f", "r"):
        state = parse_betting(line, GAME)
        hole_cards = tuple(hand if position == state.acting_position else () for position in range(3))
        folded.append(made.triple(MatchState(state.acting_position, 0, hole_cards, (), state))[0] == 1)
    assert folded == [True, False, False, True]
    assert HAND_CLASS_NAMES[HAND_CLASS[combo_index(*hand)]] == "72o"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "not valid JSON"),
        ("[]", "expected a JSON object with the key 'bias'"),
        ('{"bias": {"AA": 2}}', "expected a number from -1 to 1 for AA, got 2"),
        ('{"bias": {"AA": true}}', "expected a number from -1 to 1 for AA, got True"),
        ('{"bias": {"A": 0}}', "no hand class is called 'A'"),
    ],
)
def test_other_bias_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bias.json"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_bias(file)
    with pytest.raises(InputError, match="cannot read it"):
        read_bias(tmp_path / "none.json")


@pytest.mark.parametrize("name", ["holdem.limit.2p.reverse_blinds", "holdem.nolimit.3p", "kuhn.limit.3p"])
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="plays three-player limit hold'em only"):
        player().new_match(load_gamedef(name), 0)


def test_players_observe_only_for_their_base() -> None:
    assert not observes(make_player("limit3p:hbb2"))
    assert not observes(make_player("limit3p:hbb2?mode=one_folded&base=call"))
    assert observes(make_player("hybrid"))


def test_single_hands_have_the_buckets_of_the_card_tables() -> None:
    cards = CardAbstraction.load_or_build({})
    buckets = HandBuckets(cards)
    rng = random.Random(1)
    for street, size in enumerate((0, 3, 4, 5)):
        for _ in range(60):
            low, high = sorted(rng.sample(range(52), 2))
            board = tuple(rng.sample([card for card in range(52) if card not in (low, high)], size))
            expected = cards.bucket(street, board, combo_index(low, high))
            assert buckets.bucket(street, (low, high), board) == expected


def test_unfinished_hands_only() -> None:
    state = HandState(GAME)
    assert player().answers(state)
