"""The interface of a player, which answers parsed match states with actions and knows nothing about sockets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hedgehog.agent.options import Options
    from hedgehog.agent.strategy.explanation import Explanation
    from hedgehog.agent.strategy.preflop_evs import DecisionEvs
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState
    from hedgehog.poker.state import Action


class Player(ABC):
    """The base class of players: an object that decides for one seat of a match.

    :mod:`hedgehog.agent.acpc.client` calls its methods in this order, one at a time: :meth:`warm_up` once before it
    connects,
    :meth:`new_match` once, then for every state line either :meth:`act` (the player is to act) or :meth:`observe` (any
    other state, finished hands included), and :meth:`report` once at the end. Nothing announces a new hand: it is a
    state with another ``hand_id``. All calls come from one thread, which need not be the main thread.

    The client times every decision and checks that the action is legal. If :meth:`act` or :meth:`observe` raises an
    exception, the client logs it with the state, counts it in the report, and goes on with the match. In place of the
    result of a failed :meth:`act` it calls.
    """

    name: str = "player"
    draws_one_stream: bool = False
    """True for a player without memory whose random numbers come from one stream over the whole match.

    Such a player is asked all its earlier decisions again if it joins a match late
    (:mod:`hedgehog.agent.acpc.catch_up`)."""

    def warm_up(self) -> None:  # noqa: B027  (an optional hook: trivial players have nothing to load)
        """Loads and compiles all that the player needs, so that the first decision takes no longer than the others."""

    def new_match(self, gamedef: GameDef, seed: int) -> None:  # noqa: B027  (optional hook)
        """Starts a match with fresh memory.

        :param gamedef: the game all following states belong to.
        :param seed: seeds the player's own randomness; the same seed and the same states give the same actions.
        :raises InputError: if the player cannot play this game.
        """

    @abstractmethod
    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Returns a legal action in a state in which the player is to act.

        :param matchstate: the state as the player's position sees it.
        :param deadline: instant of :func:`time.monotonic` by which the method must have returned; ``math.inf`` means
            that there is no limit. Players with a thinking budget of their own stop well before it.
        """

    def observe(self, matchstate: MatchState) -> None:  # noqa: B027  (optional hook)
        """Takes note of a state in which the player is not to act: an opponent is, or the hand is finished.

        :param matchstate: the state as the player's position sees it.
        """

    def report(self) -> Mapping[str, object]:
        """Returns the player's own statistics for the match report, as JSON-serialisable values.

        The key ``layers`` is optional. It maps ``<street> <layer>`` to the number of decisions that this layer gave on
        this street; the match report prints their shares. The client adds the decision times.
        """
        return {}


def observes(player: Player) -> bool:
    """Tells whether a player does anything with the states that :meth:`Player.observe` shows it."""
    return type(player).observe is not Player.observe


@runtime_checkable
class ReportsStrategy(Protocol):
    """A player that can report its strategy for every hand, which local best response and AIVAT need."""

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the mixed strategy for every hand from which :meth:`Player.act` draws its action.

        The result depends only on the betting, the board and the position. The hole cards do not matter and may be
        missing.

        :param matchstate: a state in which this player is to act.
        :returns: legal actions and float64 (actions, 1326) probabilities, one column for each combo the player might
            hold; columns of combos that share no card with the board sum to one.
        """
        ...


@runtime_checkable
class ExplainsStrategy(ReportsStrategy, Protocol):
    """A player that can also say where its strategy comes from, which ``hedgehog ask`` and ``play-here`` show."""

    def explain(self, matchstate: MatchState) -> Explanation:
        """Returns the player's strategy for every hand, and how the player arrived at it.

        The result depends only on the betting, the board and the position; hole cards do not matter.

        :param matchstate: a state in which this player is to act.
        :raises MatchStateError: if the hand is over.
        """
        ...


@runtime_checkable
class GroupsHands(Protocol):
    """A player with a strategy over card buckets, which the explorer shows as the branches of a betting tree."""

    def hand_buckets(self, matchstate: MatchState) -> NDArray[np.int64]:
        """Returns the bucket in which the strategy keeps each combo.

        :param matchstate: a state in which this player is to act; hole cards do not matter.
        :returns: int64 (1326,), -1 where the board blocks the combo.
        """
        ...


@runtime_checkable
class ValuesPreflop(Protocol):
    """A player that can say what its actions before the flop are worth, which ``hedgehog ask`` shows."""

    def preflop_evs(self, matchstate: MatchState, combo: int) -> DecisionEvs | None:
        """Returns what the actions are worth to two hole cards; None if the player does not know.

        :param matchstate: a state before the flop in which this player is to act.
        :param combo: the hole cards, 0 to 1325.
        """
        ...


@runtime_checkable
class ValuesActions(Protocol):
    """A player that can say what its actions are worth, which the hints of ``hedgehog play-here`` show."""

    def keep_values(self) -> None:
        """Makes live solves keep what actions are worth; call it before the player is started."""
        ...

    def action_evs(self, matchstate: MatchState, combo: int) -> dict[Action, float]:
        """Returns what actions are worth to two hole cards, in chips from the decision on; unknown ones are missing.

        :param matchstate: a state in which this player is to act.
        :param combo: the hole cards, 0 to 1325.
        """
        ...

    def range_evs(self, matchstate: MatchState) -> dict[Action, NDArray[np.float32]]:
        """Returns (1326,) chips by action: what each is worth to every hand from the decision on; empty if not known.

        :param matchstate: a state in which this player is to act.
        """
        ...
