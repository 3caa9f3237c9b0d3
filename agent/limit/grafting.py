"""The change from a three-player strategy to a two-player one, at the first street that two of three players start.

The two-player strategy goes on from a street of its own game: that with the pot nearest to the real one, among these
one on which the same side made the last raise (the player who acts first or the one who acts last), among these the
smaller pot, among these the first. From there on the betting is the same in both games, because the caps on raises are
the same.
"""

from __future__ import annotations

from functools import lru_cache

from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.limit_betting import LimitTree
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import PackError


class Grafting:
    """Finds the decision of a two-player strategy that stands for a decision of the three-player game."""

    def __init__(self, gamedef: GameDef, strategy: LimitStrategy) -> None:
        """:param gamedef: the three-player game.

        :param strategy: the two-player strategy.
        :raises PackError: if the games have different raises, or the strategy is not for two players.
        """
        two = strategy.tree.gamedef
        if two.num_players != 2 or gamedef.num_players != 3:
            raise PackError("expected a two-player strategy for a three-player game")
        if _structure(gamedef) != _structure(two):
            raise PackError("the two-player strategy is for other blinds or raises than the three-player game")
        self.gamedef = gamedef
        self.strategy = strategy
        self._starts = street_starts(strategy.tree)
        self.node = lru_cache(1 << 17)(self._find_node)
        """Returns the decision that stands for a history of the three-player game; None before the change."""

    def _find_node(self, history: str) -> int | None:
        found = graft_street(history, self.gamedef)
        if found is None:
            return None
        street, pot, side = found
        _, _, _, start = min(
            (abs(pot - other), side != own, other, start) for other, own, start in self._starts[street]
        )
        tree = self.strategy.tree
        return tree.index(tree.histories[start] + history.split("/", street)[street])


def _structure(gamedef: GameDef) -> tuple[object, ...]:
    return gamedef.big_blind, gamedef.raise_sizes, gamedef.max_raises


def graft_street(history: str, gamedef: GameDef) -> tuple[int, int, int] | None:
    """Returns the first street of a history that two of three players start; None if there is none.

    :returns: the street, the pot in chips at its start, and who made the last raise before it (:func:`last_raiser`).
    """
    streets = history.split("/")
    for street in range(1, len(streets)):
        state = parse_betting("/".join(streets[:street]) + "/", gamedef)
        if gamedef.num_players - state.num_folded == 2:
            return street, sum(state.spent), last_raiser(state)
    return None


def last_raiser(state: HandState) -> int:
    """Returns who made the last raise before the current street of a hand with two players left.

    0 is the player who acts first on the street, 1 the one who acts last, -1 another player or nobody.
    """
    left = [position for position, folded in enumerate(state.folded) if not folded]
    for actions in reversed(state.actions):
        for position, action in reversed(actions):
            if action.kind == "r":
                return left.index(position) if position in left else -1
    return -1


def street_starts(tree: LimitTree) -> list[list[tuple[int, int, int]]]:
    """Returns for each street of a two-player game its starts as triples (pot, last raiser, decision)."""
    starts: list[list[tuple[int, int, int]]] = [[] for _ in range(tree.gamedef.num_rounds)]
    for node, history in enumerate(tree.histories):
        if history.endswith("/"):
            state = parse_betting(history, tree.gamedef)
            starts[state.round].append((int(tree.pot[node]), last_raiser(state), node))
    return starts
