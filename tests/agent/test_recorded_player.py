"""A recorded player plays as before, and its record holds what it has sampled from, or nothing."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.bots import BOTS
from hedgehog.agent.decision_record import DecisionRecord, RecordHeader, RecordWriter
from hedgehog.agent.options import Options
from hedgehog.agent.player import Player
from hedgehog.agent.recorded_player import RecordedPlayer
from hedgehog.agent.strategy.pack_strategy import Column
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import NUM_COMBOS, combo_index
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.runtime.errors import InputError, ResourceError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
HEADER = RecordHeader.of(HUNL, "mixer", 7, 300)


class Mixer(Player):
    """Calls or makes the smallest raise, at random."""

    name = "mixer"

    def __init__(self, *, honest: bool = True) -> None:
        self._honest = honest
        self._rng = random.Random(1)
        self.sampled: Column | None = None

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        options = self.strategy(matchstate)
        combo = combo_index(*matchstate.hole_cards[matchstate.position])
        column = options.probabilities[:, combo].tolist()
        self.sampled = Column("mixer", options.actions, column if self._honest else column[::-1])
        return self._rng.choices(options.actions, column)[0]

    def strategy(self, matchstate: MatchState) -> Options:
        limits = matchstate.state.raise_range()
        if limits is None:
            return Options([CALL], np.ones((1, NUM_COMBOS)))
        rows = np.random.default_rng(sum(map(len, matchstate.state.actions))).random(NUM_COMBOS)
        return Options([CALL, Action("r", limits[0])], np.array([rows, 1 - rows]))


def play(player: Player, hands: int = 8, *, broken: int = -1) -> list[str]:
    """Plays against calls, and returns the betting of all hands. In hand ``broken`` calls replace its answers."""
    rng, lines = random.Random(2), []
    for hand_id in range(hands):
        us, deck = hand_id % 2, rng.sample(range(52), 7)
        hole_cards = tuple((deck[0], deck[1]) if position == us else () for position in (0, 1))
        state = HandState(HUNL)
        while not state.finished:
            board = tuple(deck[2:])[: (0, 3, 4, 5)[state.round]]
            view = MatchState(us, hand_id, hole_cards, board, state.copy())
            if state.acting_position == us:
                action = player.act(view, math.inf)
                state.apply(CALL if hand_id == broken else action)
            else:
                player.observe(view)
                state.apply(CALL)
        player.observe(MatchState(us, hand_id, hole_cards, tuple(deck[2:]), state.copy()))
        lines.append(state.betting_string())
    return lines


def recorded(path: Path, player: Player) -> RecordedPlayer:
    return RecordedPlayer(player, RecordWriter(path, HEADER))


def test_record_holds_every_decision(tmp_path: Path) -> None:
    path = tmp_path / "x.decisions"
    player = recorded(path, Mixer())
    lines = play(player)
    player.close()
    assert lines == play(Mixer())
    hands = list(DecisionRecord(path).hands())
    assert [hand.betting for hand in hands] == lines
    for hand in hands:
        assert hand.position == hand.hand_id % 2
        state = HandState(HUNL)
        asked = 0
        for action in [one for text in _actions(hand.betting) for one in text]:
            if state.acting_position == hand.position:
                found = hand.options(sum(map(len, state.actions)))
                expected = Mixer().strategy(MatchState(hand.position, 0, ((), ()), (), state))
                assert found is not None
                assert found.actions == expected.actions
                assert np.abs(found.probabilities - expected.probabilities).max() < 1e-7
                asked += 1
            state.apply(action)
        assert asked == len(hand.decisions) > 0


def _actions(betting: str) -> list[list[Action]]:
    state = parse_betting(betting, HUNL)
    return [[action for _, action in actions] for actions in state.actions]


def test_decisions_that_were_not_sampled_are_left_out(tmp_path: Path) -> None:
    """The strategy that the player reports is not the one that it has sampled from: nothing is guessed."""
    path = tmp_path / "x.decisions"
    player = recorded(path, Mixer(honest=False))
    assert play(player) == play(Mixer())
    player.close()
    # Where there is one action alone, both agree.
    assert all(len(one.options.actions) == 1 for hand in DecisionRecord(path).hands() for one in hand.decisions)


def test_decisions_that_were_not_played_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.decisions"
    player = recorded(path, Mixer())
    play(player, broken=3)
    player.close()
    hand = DecisionRecord(path).hand(3)
    assert hand is not None
    assert len(hand.decisions) < 4  # one decision on every street, some of them with a raise as the answer
    assert hand.betting == "cc/cc/cc/cc"


def test_a_failing_record_does_not_change_the_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "x.decisions"
    player = recorded(path, Mixer())

    def fail(self: RecordWriter, hand: object) -> None:
        raise ResourceError("cannot write x.decisions: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(RecordWriter, "write", fail)
        lines = play(player)
    assert lines == play(Mixer())
    assert caplog.text.count("no further hand is recorded: cannot write x.decisions") == 1
    assert len(DecisionRecord(path)) == 0


def test_only_players_that_report_are_recorded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'random' does not tell its strategy, so it cannot be recorded"):
        recorded(tmp_path / "x.decisions", BOTS["random"]())
