"""A player that writes down what it sampled from, so that AIVAT can score a match in which it had time to think."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hedgehog.agent.decision_record import RecordedDecision, RecordedHand, RecordWriter
from hedgehog.agent.options import Options
from hedgehog.agent.player import Player, ReportsStrategy
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import combo_index
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError

logger = logging.getLogger(__name__)

_TOLERANCE = 1e-9


class _Decision(NamedTuple):
    actions_before: int
    action: Action
    options: Options


def verify_recordable(player: Player) -> None:
    """Verifies that the decisions of a player can be recorded.

    :raises InputError: if the player does not report its strategy.
    """
    if not isinstance(player, ReportsStrategy):
        raise InputError(f"the player {player.name!r} does not tell its strategy, so it cannot be recorded")


class RecordedPlayer(Player):
    """Plays as another player does, and records its strategy at every decision.

    A decision is left out of the record if nobody can say what the player has sampled from: if its report fails or does
    not agree with what it has sampled, or if another action was played in place of its answer. A fault of the record
    never changes the play. If the file cannot be written any more, the further hands are missing.
    """

    def __init__(self, player: Player, writer: RecordWriter) -> None:
        """Makes a player.

        :param player: the player that decides. It must report its strategy.
        :param writer: the record.
        :raises InputError: if the player does not report its strategy.
        """
        verify_recordable(player)
        assert isinstance(player, ReportsStrategy)
        self.name = player.name
        self.draws_one_stream = player.draws_one_stream
        self._player: Player = player
        self._reporter: ReportsStrategy = player
        self._writer: RecordWriter | None = writer
        self._hand_id = -1
        self._decisions: list[_Decision] = []

    def warm_up(self) -> None:
        """Loads and compiles all that the player needs."""
        self._player.warm_up()

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Starts a match; the record goes on."""
        self._player.new_match(gamedef, seed)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Returns the action of the player, and keeps what it was sampled from until the end of the hand."""
        action = self._player.act(matchstate, deadline)
        if self._writer is not None:
            if matchstate.hand_id != self._hand_id:
                self._hand_id = matchstate.hand_id
                self._decisions.clear()
            try:
                self._note(matchstate, action)
            except Exception:
                logger.exception("a decision of hand %d is missing in the record", matchstate.hand_id)
        return action

    def _note(self, matchstate: MatchState, action: Action) -> None:
        options = self._reporter.strategy(matchstate)
        if not agrees(self._player, options, combo_index(*matchstate.hole_cards[matchstate.position])):
            logger.warning(
                "hand %d: the player has not sampled from the strategy that it reports; the decision is not recorded",
                matchstate.hand_id,
            )
            return
        self._decisions.append(_Decision(sum(map(len, matchstate.state.actions)), action, options))

    def observe(self, matchstate: MatchState) -> None:
        """Shows the player a state, and writes the hand to the record when it is finished."""
        self._player.observe(matchstate)
        if not matchstate.state.finished or self._writer is None or not self._decisions:
            return
        try:
            if matchstate.hand_id == self._hand_id:
                self._writer.write(self._finished(matchstate))
        except Exception as error:
            logger.error("no further hand is recorded: %s", error)
            self.close()
        self._decisions.clear()

    def _finished(self, matchstate: MatchState) -> RecordedHand:
        """Returns the recorded hand, without the decisions in which another action was played than the player's."""
        played = [action for actions in matchstate.state.actions for _, action in actions]
        return RecordedHand(
            matchstate.hand_id,
            matchstate.position,
            tuple(matchstate.hole_cards[matchstate.position]),
            matchstate.state.betting_string(),
            tuple(
                RecordedDecision(one.actions_before, one.options)
                for one in self._decisions
                if one.actions_before < len(played) and played[one.actions_before] == one.action
            ),
        )

    def report(self) -> Mapping[str, object]:
        """Returns the player's own statistics."""
        return self._player.report()

    def close(self) -> None:
        """Closes the record."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def agrees(player: Player, options: Options, combo: int) -> bool:
    """Tells whether a reported strategy is what the player has sampled its last action from, as far as it tells.

    :param options: what the player reports for the decision.
    :param combo: the combo (0 to 1325) that it held.
    """
    sampled = getattr(player, "sampled", None)
    if sampled is None:
        return True
    reported = dict(zip(options.actions, options.probabilities[:, combo].tolist(), strict=True))
    return reported.keys() == set(sampled.actions) and all(
        bool(np.isclose(reported[action], probability, rtol=0, atol=_TOLERANCE))
        for action, probability in zip(sampled.actions, sampled.probabilities, strict=True)
    )
