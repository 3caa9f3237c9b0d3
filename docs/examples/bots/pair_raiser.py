"""The player of client.py as a class: py:docs/examples/bots/pair_raiser.py:PairRaiser. It plays every hold'em game."""

from __future__ import annotations

from collections.abc import Mapping

from hedgehog.agent.bots import raise_action
from hedgehog.agent.player import Player
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, Action

ACE = 12


class PairRaiser(Player):
    """Raises pairs and aces once per street, to three times what there is to match, and calls everything else."""

    name = "pair-raiser"

    def __init__(self) -> None:
        self.hands_seen = 0

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        ranks = [card // 4 for card in matchstate.hole_cards[matchstate.position]]
        strong = len(set(ranks)) == 1 or ACE in ranks
        raised_already = any(action.kind == "r" for _, action in state.actions[-1])
        if strong and not raised_already:
            return raise_action(state, 3 * state.max_spent) or CALL  # the legal raise nearest to it, if there is one
        return CALL

    def observe(self, matchstate: MatchState) -> None:
        self.hands_seen += matchstate.state.finished

    def report(self) -> Mapping[str, object]:
        return {"hands_seen": self.hands_seen}
