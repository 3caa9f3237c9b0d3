"""A player that plays many hands at once: the functions of one process of :mod:`hedgehog.interop.http.pool`.

A player that remembers nothing from hand to hand plays all hands as one object. Of any other player every hand at a
time has an object of its own, which sees one whole hand after the other.
"""

from __future__ import annotations

import logging
import math
import random
from dataclasses import dataclass, field
from typing import NamedTuple

from hedgehog.agent.decision_record import RecordedDecision, RecordedHand
from hedgehog.agent.options import Options
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.recorded_player import agrees
from hedgehog.agent.reported_strategy import reported_strategy
from hedgehog.agent.specs import PlayerSpec, ready_player
from hedgehog.arena.in_process import Seat, decide, show, show_earlier
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, parse_log_line
from hedgehog.poker.acpc.matchstate import MatchState, parse_matchstate
from hedgehog.poker.cards import combo_index
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import HedgehogError

logger = logging.getLogger(__name__)


class Setting(NamedTuple):
    """What the processes of a pool play."""

    spec: PlayerSpec
    gamedef: GameDef
    seed: int
    """Seed of the player's random numbers."""
    think_ms: int
    """Most milliseconds of thinking time per decision; 0: from packs alone."""
    threads: int | None
    score: bool
    """Compute the AIVAT value of every hand."""
    record: bool
    """Return what the player sampled from, for records of its decisions."""


class FinishedHand(NamedTuple):
    """What the player's process says about a hand that is over."""

    aivat: float | None
    """AIVAT value for the opponent of the player, in chips; None if it was not computed."""
    recorded: RecordedHand | None
    """The player's decisions, with the number of the hand in the log; None if nothing is recorded."""


@dataclass(slots=True)
class _Playing:
    """One hand that is played."""

    seat: Seat
    seen: int = 0
    """Number of actions that the player has been shown."""
    options: dict[int, tuple[Action, Options]] = field(default_factory=dict)
    """Number of actions before a decision -> what was played, and what it was sampled from."""


class PlayerHands:
    """One player in many hands."""

    def __init__(self, setting: Setting) -> None:
        """Loads the player.

        :raises HedgehogError: if it cannot be loaded, or not play the game.
        """
        self._setting = setting
        self._one_for_all = setting.spec.for_game(setting.gamedef).forgets
        self._free = [self._new_seat()]
        self._hands: dict[int, _Playing] = {}
        self._reports = isinstance(self._free[0].player, ReportsStrategy)
        self._scorer = _scorer(setting.gamedef) if setting.score and self._reports else None

    @property
    def reports(self) -> bool:
        """Whether the player tells its strategy, so that AIVAT can score its hands."""
        return self._reports

    def _new_seat(self) -> Seat:
        spec, gamedef, seed, think_ms, threads = self._setting[:5]
        player = ready_player(spec, gamedef, seed=seed, think_ms=think_ms, threads=threads)
        return Seat(player, PlayRecord())

    def _playing(self, number: int) -> _Playing:
        if number not in self._hands:
            seat = self._free[0] if self._one_for_all else self._free.pop() if self._free else self._new_seat()
            self._hands[number] = _Playing(seat)
        return self._hands[number]

    def act(self, line: str) -> str:
        """Returns the player's action as ACPC text.

        :param line: MATCHSTATE line in which the player is to act. Its hand number is that of the deal.
        :raises MatchError: if the answer of a user's player is no action.
        """
        view = parse_matchstate(line, self._setting.gamedef)
        playing = self._playing(view.hand_id)
        playing.seen = show_earlier(playing.seat, view, playing.seen)
        player = playing.seat.player
        decision = sum(map(len, view.state.actions))
        if player.draws_one_stream:
            # Its numbers must not depend on the order in which clients ask.
            numbers = random.Random(f"{self._setting.seed} {view.hand_id} {decision}")
            player.new_match(self._setting.gamedef, numbers.getrandbits(32))
        own = view._replace(state=view.state.copy())
        action = decide(playing.seat, own, view.state, math.inf)
        if self._setting.record or self._scorer is not None:
            self._note(playing, view, action, decision)
        return str(action)

    def _note(self, playing: _Playing, view: MatchState, action: Action, decision: int) -> None:
        """Keeps what the player sampled an action from, if it tells."""
        player = playing.seat.player
        if not isinstance(player, ReportsStrategy):
            return
        try:
            options = reported_strategy(player, view)
            own = view.hole_cards[view.position]
            combo = combo_index(own[0], own[1])
            if agrees(player, options, combo) and action in options.actions:
                playing.options[decision] = action, options
        except HedgehogError:
            logger.exception("a decision of hand %d is not recorded", view.hand_id)

    def finish(self, line: str, log_line: str) -> FinishedHand:
        """Shows the player the end of a hand, and returns what it says about the hand.

        :param line: MATCHSTATE line of the end.
        :param log_line: the ``STATE:`` line of the hand.
        """
        gamedef = self._setting.gamedef
        view, hand = parse_matchstate(line, gamedef), parse_log_line(log_line, gamedef, hidden_cards=True)
        playing = self._playing(view.hand_id)
        playing.seen = show_earlier(playing.seat, view, playing.seen)
        if playing.seat.observes:
            show(playing.seat, view, view.state)
        aivat = self._aivat(playing, view, hand) if all(hand.hole_cards) else None
        self.forget(view.hand_id)
        return FinishedHand(aivat, _recorded(playing, view, hand) if self._setting.record else None)

    def forget(self, number: int) -> None:
        """Ends a hand without a result."""
        playing = self._hands.pop(number, None)
        if playing is not None and not self._one_for_all:
            self._free.append(playing.seat)

    def _aivat(self, playing: _Playing, view: MatchState, hand: LoggedHand) -> float | None:
        if self._scorer is None:
            return None

        def strategy(asked: MatchState) -> Options | None:
            found = playing.options.get(sum(map(len, asked.state.actions)))
            return None if found is None else found[1]

        strategies = [strategy if position == view.position else None for position in range(2)]
        try:
            value = self._scorer.score(hand, strategies)
        except HedgehogError:
            logger.exception("no AIVAT value for hand %d", view.hand_id)
            return None
        return float(-value if view.position == 0 else value)


def _recorded(playing: _Playing, view: MatchState, hand: LoggedHand) -> RecordedHand:
    played = [action for street in view.state.actions for _, action in street]
    decisions = tuple(
        RecordedDecision(before, options)
        for before, (action, options) in sorted(playing.options.items())
        if before < len(played) and played[before] == action
    )
    own = tuple(view.hole_cards[view.position])
    return RecordedHand(hand.hand_id, view.position, own, view.state.betting_string(), decisions)


def _scorer(gamedef: GameDef):  # type: ignore[no-untyped-def]
    from hedgehog.analysis.aivat.holdem import HoldemAivat  # imports numba, which bots do not need

    scorer = HoldemAivat(gamedef)
    ends = "cc/cc/cc/cc:AsKs|QdQc/2c7d9h/Th/3s"
    hand = parse_log_line(f"STATE:0:{ends}:0|0:a|b", gamedef)
    for position in range(2):  # compiles or loads every kernel
        scorer.score(hand, [(lambda view: None) if position == known else None for known in range(2)])
    return scorer


_hands: PlayerHands | None = None


def start(setting: Setting) -> bool:
    """Loads the player of this process. Returns whether it tells its strategy.

    :raises HedgehogError: if it cannot be loaded, or not play the game.
    """
    global _hands  # noqa: PLW0603  (one player per process)
    _hands = PlayerHands(setting)
    return _hands.reports


def act(line: str) -> str:
    """Returns the player's action (:meth:`PlayerHands.act`)."""
    assert _hands is not None
    return _hands.act(line)


def finish(line: str, log_line: str) -> FinishedHand:
    """Ends a hand (:meth:`PlayerHands.finish`)."""
    assert _hands is not None
    return _hands.finish(line, log_line)


def forget(number: int) -> None:
    """Ends a hand without a result (:meth:`PlayerHands.forget`)."""
    assert _hands is not None
    _hands.forget(number)
