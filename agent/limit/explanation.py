"""What a limit player tells of an answer: the decisions that stand for the real one, and what they say.

A player that maps three-player decisions to a two-player strategy names the candidates that answered, those that were
nearer and passed over, and their distances. A player of limit packs names the decision of its strategy. Both compare
themselves with the strategy that was trained for three players.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hedgehog.agent.limit.mapped_strategy import Triple
    from hedgehog.poker.acpc.matchstate import MatchState


class AskedCandidate(NamedTuple):
    """A two-player decision that was looked at for a three-player decision."""

    history: str
    """Its betting in ACPC text."""
    seat: str
    """Seat of the hero in it: ``small blind`` or ``big blind``."""
    distance: int
    weight: float
    """Its weight in the mean of the opponent's candidates; 0 if it was passed over."""
    reached: bool
    """Whether the two-player strategy plays towards the row; a row that it does not reach is passed over (NaN)."""
    triple: Triple
    """What its row says: probabilities of fold, call and raise."""


class OpponentAnswer(NamedTuple):
    """The answer for one opponent."""

    opponent: int
    """Position of the opponent."""
    candidates: int
    """Number of candidates that the way's filter let through."""
    unreached: int
    """Number of those whose rows are not reached."""
    step: int
    """Step that found an answer (:mod:`hedgehog.agent.limit.mapped_strategy`); 1: the other opponent's counts."""
    used: tuple[AskedCandidate, ...]
    """The candidates that were averaged, nearest first; none at step 1."""
    passed_over: tuple[AskedCandidate, ...]
    """Candidates of the filter that are nearer than the last one used and not reached."""


@dataclass(frozen=True, slots=True)
class LimitExplanation:
    """Where the answer of a limit player with certain hole cards comes from."""

    source: str
    """Who answers: ``mapping``, ``three-player strategy``, ``two-player strategy`` or the name of a base player."""
    history: str | None
    """The decision of the pack that answers, in ACPC text; None for mappings and base players."""
    bucket: int | None
    """The hand's bucket in the pack that answers; None for base players."""
    reached: bool | None
    """Whether the pack's strategy reaches the row; None for mappings and base players."""
    opponents: tuple[OpponentAnswer, ...]
    """The mappings, one for each opponent."""
    answer: Triple
    """Probabilities of fold, call and raise with which the player acts."""
    trained: Triple | None
    """Those of the strategy trained for three players; None if it is not there or is the one that answers."""

    @property
    def distance(self) -> float | None:
        """Half the sum of the absolute differences to the trained strategy: 0 for equal rows, 1 at most."""
        if self.trained is None:
            return None
        return sum(abs(one - other) for one, other in zip(self.answer, self.trained, strict=True)) / 2


@dataclass(frozen=True, slots=True)
class LimitHands:
    """What a limit player does with every combo at a decision, and how well its answers are founded."""

    source: str
    """As in :class:`LimitExplanation`."""
    history: str | None
    """As in :class:`LimitExplanation`."""
    answer: NDArray[np.float64]
    """(3, 1326) probabilities of fold, call and raise with which the player acts; 0 where the board blocks."""
    buckets: NDArray[np.int64] | None
    """(1326,) bucket of each combo in the pack that answers, -1 where the board blocks; None for base players."""
    reached: NDArray[np.bool_] | None
    """(1326,) whether the pack's strategy reaches the row of the combo; None for mappings and base players."""
    unreached: NDArray[np.float64] | None
    """(1326,) share of the candidates of a mapping that are unreached, over both opponents; None without a mapping."""
    steps: NDArray[np.int64] | None
    """(1326,) the largest step that found an answer for an opponent; None without a mapping."""
    trained: NDArray[np.float64] | None
    """(3, 1326) the strategy trained for three players; None if it is not there or is the one that answers."""

    @property
    def distance(self) -> NDArray[np.float64] | None:
        """(1326,) :attr:`LimitExplanation.distance` of each combo; None without the trained strategy."""
        return None if self.trained is None else abs(self.answer - self.trained).sum(axis=0) / 2


@runtime_checkable
class ExplainsLimit(Protocol):
    """A player that tells where its answers come from."""

    def explain_limit_hands(self, matchstate: MatchState) -> LimitHands:
        """Returns what the player does with every combo; hole cards do not matter."""

    def explain_limit(self, matchstate: MatchState) -> LimitExplanation:
        """Returns where the answer comes from, with the hole cards of the player to act."""
