"""What a player is: something that answers parsed match states with actions. Sockets are none of its business."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from agent.explanation import Explanation
    from agent.shadow import Options
    from poker.gamedef import GameDef
    from poker.matchstate import MatchState
    from poker.state import Action

STREETS: Final = ("preflop", "flop", "turn", "river")


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


class DecisionTimes:
    """Decision times of one player by street, as histograms: any number of decisions, and matches can be added up.

    The buckets grow by 2 % each, so that percentiles are exact to 1 %.
    """

    _LOG_GROWTH: Final = math.log(1.02)
    _SHORTEST_MS: Final = 0.001

    def __init__(self) -> None:
        self._counts: dict[int, Counter[int]] = {}
        """Per street the number of decisions of every bucket; bucket b holds times around 1.02**b ms."""

    def add(self, street: int, ms: float) -> None:
        """Records one decision on ``street`` (0 preflop .. 3 river)."""
        bucket = round(math.log(max(ms, self._SHORTEST_MS)) / self._LOG_GROWTH)
        if street not in self._counts:
            self._counts[street] = Counter()
        self._counts[street][bucket] += 1

    def merge(self, other: DecisionTimes) -> None:
        """Adds the decisions of another match."""
        for street, counts in other._counts.items():
            self._counts.setdefault(street, Counter()).update(counts)

    def streets(self) -> list[str]:
        """Returns the names of the streets with at least one decision, in order of play."""
        return [STREETS[street] for street in sorted(self._counts)]

    def count(self, street: str) -> int:
        """Returns the number of decisions on a street."""
        return self._counts.get(STREETS.index(street), Counter()).total()

    def percentile_ms(self, street: str, share: float) -> float:
        """Returns the time in ms that the given share (0 < share <= 1) of the decisions on a street did not exceed."""
        counts = self._counts[STREETS.index(street)]
        rank = math.ceil(share * counts.total())
        for bucket in sorted(counts):
            rank -= counts[bucket]
            if rank <= 0:
                return math.exp(bucket * self._LOG_GROWTH)
        raise ValueError(f"expected a share in (0, 1], got {share}")

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Returns per street name ``n``, ``p50`` and ``p99`` in ms, and the ``histogram`` for :meth:`from_dict`."""
        return {
            street: {
                "n": self.count(street),
                "p50": float(f"{self.percentile_ms(street, 0.5):.4g}"),
                "p99": float(f"{self.percentile_ms(street, 0.99):.4g}"),
                "histogram": {str(bucket): n for bucket, n in sorted(self._counts[STREETS.index(street)].items())},
            }
            for street in self.streets()
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Mapping[str, Any]]) -> DecisionTimes:
        """Returns the times that :meth:`as_dict` described."""
        times = cls()
        for street, values in table.items():
            counts = {int(bucket): int(n) for bucket, n in values["histogram"].items()}
            times._counts[STREETS.index(street)] = Counter(counts)
        return times
