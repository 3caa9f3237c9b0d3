"""hedgehog.agent.questions: a decision is read from text, and a player says what it would do there."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.agent.options import Options
from hedgehog.agent.player import Player
from hedgehog.agent.questions import ask_player, parse_decision
from hedgehog.agent.reported_strategy import reported_ranges
from hedgehog.agent.specs import make_player, ready_player
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards, parse_combo
from hedgehog.poker.state import CALL, LIMIT_RAISE, Action
from hedgehog.runtime.errors import CardError, GamedefError, InputError, MatchStateError

GAME = load_gamedef()


def test_a_decision_is_what_the_rules_say() -> None:
    decision = parse_decision("r250c/kr300", "Qs Jh 2h", "AhKd")
    assert decision.state.betting_string() == "r250c/cr550"
    assert (decision.pot, decision.to_call, decision.stack) == (800, 300, 19750)
    assert decision.combo == parse_combo("AhKd")
    assert parse_decision("r250c/cr550", "Qs Jh 2h").combo is None
    in_totals = parse_decision("r250c/kr550", "Qs Jh 2h", by_street=False)
    assert in_totals.state.betting_string() == "r250c/cr550"


@pytest.mark.parametrize(
    ("line", "board", "hand", "error", "message"),
    [
        ("r25", "", None, MatchStateError, "line: illegal raise 'r25'"),
        ("f", "", None, MatchStateError, "line: the hand is over"),
        ("r250c/", "Qs Jh", None, CardError, "board: expected 3 cards on the flop"),
        ("", "Qs", None, CardError, "board: expected no cards before the flop"),
        ("r250c/", "Qs Jh Xh", None, CardError, "board: expected a card"),
        ("r250c/", "Qs Jh 2h", "Jh Ac", CardError, "hand: Jh is both in the hand and on the board"),
        ("", "", "Ah", CardError, "hand: expected two cards"),
    ],
)
def test_errors_say_what_they_are_from(
    line: str, board: str, hand: str | None, error: type[InputError], message: str
) -> None:
    with pytest.raises(error) as caught:
        parse_decision(line, board, hand)
    assert str(caught.value).startswith(message)


def test_only_two_player_holdem_is_asked_about() -> None:
    with pytest.raises(GamedefError, match="two hole cards from 52"):
        parse_decision("", gamedef=load_gamedef("leduc.limit.2p"))


def test_a_bot_tells_its_strategy_but_not_why() -> None:
    answer = ask_player(ready_player("call", GAME), parse_decision("r300", hand="7c2d"))
    assert answer.strategy() == {"c": 1.0}
    assert answer.explanation is None
    assert answer.equities() is None
    np.testing.assert_array_equal(answer.weights, combo_mask(()))


def test_our_player_explains_a_hand_and_its_range() -> None:
    player = ready_player("default", GAME)
    decision = parse_decision("r250c/kr300", "Qs Jh 2h", "QcQd")
    answer = ask_player(player, decision)
    assert sum(answer.strategy().values()) == pytest.approx(1)
    column = answer.options.probabilities[:, parse_combo("QcQd")]
    assert list(answer.strategy().values()) == column.tolist()
    whole = ask_player(player, parse_decision("r250c/kr300", "Qs Jh 2h"))
    expected = whole.options.probabilities @ whole.weights / whole.weights.sum()
    np.testing.assert_allclose(list(whole.strategy().values()), expected)
    equities, of_range = answer.equities(), whole.equities()
    assert equities is not None
    assert of_range is not None
    assert equities[0] is not None
    assert equities[0] > equities[1] == of_range[1]
    assert of_range[0] is None


def test_a_player_that_does_not_tell_is_refused() -> None:
    with pytest.raises(InputError, match="the player 'random' does not tell how it would act"):
        ask_player(ready_player("random", GAME), parse_decision(""))


def test_a_player_is_made_from_the_text_of_its_specification() -> None:
    assert make_player("call").name == "call"
    with pytest.raises(InputError, match="unknown player 'nobody'"):
        make_player("nobody")


class _ByCombo(Player):
    """Raises the more often the higher the combo is, and knows nothing else."""

    name = "by combo"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        raise NotImplementedError

    def strategy(self, matchstate: MatchState) -> Options:
        assert len(matchstate.board) == matchstate.state.gamedef.board_cards_by(matchstate.state.round)
        assert matchstate.position == matchstate.state.acting_position
        raising = np.arange(NUM_COMBOS) / NUM_COMBOS
        return Options([CALL, LIMIT_RAISE], np.stack([1 - raising, raising]))


def test_the_range_of_a_player_is_what_it_reports_along_the_line() -> None:
    gamedef = load_gamedef("holdem.limit.2p.reverse_blinds")
    raising = np.arange(NUM_COMBOS) / NUM_COMBOS
    answer = ask_player(_ByCombo(), parse_decision("rc/crc/", "Qs Jh 2h 3c", gamedef=gamedef))
    free = combo_mask(parse_cards("Qs Jh 2h 3c"))
    assert answer.decision.state.acting_position == 0
    np.testing.assert_allclose(answer.weights, free * (1 - raising) ** 3)
    answer = ask_player(_ByCombo(), parse_decision("rc/crc/c", "Qs Jh 2h 3c", gamedef=gamedef))
    np.testing.assert_allclose(answer.weights, free * raising**2)
    assert answer.own_range
    folded = ask_player(_ByCombo(), parse_decision("rfr", "", gamedef=load_gamedef("holdem.limit.3p")))
    assert not reported_ranges(_ByCombo(), MatchState(1, 0, ((),) * 3, (), folded.decision.state))[0].any()
    np.testing.assert_allclose(folded.weights, raising)  # of the button, whose raise was raised


def test_a_player_that_never_gets_there_answers_for_all_hands() -> None:
    answer = ask_player(ready_player("call", GAME), parse_decision("r250r750"))
    assert not answer.own_range
    assert answer.weights.all()
    assert answer.strategy() == {"c": 1.0}
    assert ask_player(ready_player("call", GAME), parse_decision("cr300")).own_range
