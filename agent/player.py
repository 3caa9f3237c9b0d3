"""What a player is: something that answers parsed match states with actions. Sockets are none of its business."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

if TYPE_CHECKING:
    from agent.explanation import Explanation
    from agent.shadow import Options
    from poker.acpc.gamedef import GameDef
    from poker.acpc.matchstate import MatchState
    from poker.state import Action


class Player(ABC):
    """One seat's decision maker.

    :mod:`agent.client` calls, in this order and never concurrently: :meth:`warm_up` once before it connects,
    :meth:`new_match` once, then for every state line either :meth:`act` (our turn) or :meth:`observe` (not our turn,
    finished hands included), and :meth:`report` once at the end. Hands follow each other without further notice: a new
    hand is a state with another ``hand_id``. All calls come from one thread, which need not be the main thread.

    The client times every decision and checks that the action is legal. If :meth:`act` or :meth:`observe` raises, the
    error is logged with the state, counted in the report, and the match goes on (an :meth:`act` that failed calls).
    """

    name: str = "player"
    draws_one_stream: ClassVar[bool] = False
    """True for a player without memory whose random numbers come from one stream over the whole match: one that joins
    a match late is asked its earlier decisions again (:mod:`agent.catch_up`)."""

    def warm_up(self) -> None:  # noqa: B027  (an optional hook: trivial players have nothing to load)
        """Loads and compiles everything, so that the first decision costs no more than the others."""

    def new_match(self, gamedef: GameDef, seed: int) -> None:  # noqa: B027  (optional hook)
        """Starts a match with fresh memory.

        :param gamedef: the game all following states belong to.
        :param seed: seeds the player's own randomness; the same seed and the same states give the same actions.
        :raises InputError: if the player cannot play this game.
        """

    @abstractmethod
    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Chooses a legal action in a state in which it is our turn.

        :param deadline: instant of :func:`time.monotonic` by which the method must have returned. Players with a
            thinking budget of their own stop well before it; ``math.inf`` means that there is no limit.
        """

    def observe(self, matchstate: MatchState) -> None:  # noqa: B027  (optional hook)
        """Takes note of a state in which it is not our turn: an opponent to act, or a finished hand."""

    def report(self) -> Mapping[str, object]:
        """Returns the player's own statistics for the match report, as JSON-serialisable values.

        ``layers`` (if present) maps each layer that gave decisions, as ``<street> <layer>``, to its number of
        decisions; the match report prints shares per street. Decision times need not be in it, the client adds them.
        """
        return {}


@runtime_checkable
class ReportsStrategy(Protocol):
    """A player that can say how it would act with every hand, which local best response and AIVAT need."""

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns what :meth:`Player.act` samples from in a state in which this player is to act.

        The result depends on nothing but the public part of the state: the betting and the board. Of the hole cards
        only their owner matters, so they may be missing.

        :returns: legal real actions and float64 (actions, 1326) probabilities, one column for each hand the player
            might hold; columns of combos that miss the board sum to one.
        """
        ...


@runtime_checkable
class ExplainsStrategy(ReportsStrategy, Protocol):
    """A player that can also say where its strategy comes from, which ``hedgehog ask`` and ``play-here`` show."""

    def explain(self, matchstate: MatchState) -> Explanation:
        """Returns :meth:`strategy` of a state in which this player is to act, and how it came about.

        As with :meth:`strategy` the result depends on nothing but the public part of the state.

        :raises MatchStateError: if the hand is over.
        """
        ...
