"""A question of a drill: a decision with one hand, and what every action is worth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

RIGHT_PCT: Final = 0.5
"""An answer is right if its loss, less the error of the loss, is below this percentage of the pot before the action."""
TRIVIAL_PCT: Final = 0.1
"""A decision whose worst action loses less than this, in percent of the pot, is not asked about."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One action that may be chosen."""

    text: str
    """In words, with street totals in chips: ``raise to 600``."""
    ev: float
    """EV in chips, counted from the decision on: a fold is worth 0."""
    frequency: float
    """How often the strategy takes it with this hand."""
    error: float = 0.0
    """Half-width of what it loses, in chips."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One street of the hand before a question."""

    street: str
    cards: str
    """The cards dealt on this street; empty before the flop."""
    text: str
    """What was done, in words."""


@dataclass(frozen=True, slots=True)
class Question:
    """A decision with one hand. Chips are those of the hand."""

    key: str
    """Tells the questions of a source apart."""
    place: dict[str, Any]
    """What the source needs to find the decision again."""
    title: str
    """Where it is from: the hand of a log, a random hand, a solve."""
    street: str
    position: str
    story: tuple[Scene, ...]
    board: str
    cards: str
    pot: int
    """Chips in the pot before the action."""
    to_call: int
    stack: int
    """Chips that the player has behind."""
    opponent_stack: int
    big_blind: int
    """Chips of the big blind; 0 if there are no blinds, as in a saved solve."""
    choices: tuple[Choice, ...]
    values: str
    """What the EVs come from."""
    played: str = ""
    """The action that was taken at the table; empty if it was not played."""
    played_loss: float | None = None
    """What that action lost, in chips."""

    @property
    def best(self) -> int:
        """Number of the choice with the highest EV."""
        return max(range(len(self.choices)), key=lambda number: self.choices[number].ev)

    @property
    def unit(self) -> str:
        """The unit in which amounts are shown."""
        return "BB" if self.big_blind else "chips"

    def amount(self, chips: float) -> float:
        """Returns chips in the unit of :attr:`unit`."""
        return chips / self.big_blind if self.big_blind else chips

    def loss(self, number: int) -> float:
        """Returns the chips that a choice loses, never below 0."""
        return self.choices[self.best].ev - self.choices[number].ev

    def loss_pct(self, number: int) -> float:
        """Returns what a choice loses, in percent of the pot."""
        return 100 * self.loss(number) / self.pot

    def is_right(self, number: int) -> bool:
        """Tells whether a choice surely loses nothing to speak of: by its loss less the error of the loss.

        How often the strategy takes it does not count.
        """
        return self.loss_pct(number) - 100 * self.choices[number].error / self.pot < RIGHT_PCT

    @property
    def is_trivial(self) -> bool:
        """Whether no choice loses anything to speak of."""
        return max(self.loss_pct(number) for number in range(len(self.choices))) < TRIVIAL_PCT

    def document(self) -> dict[str, Any]:
        """Returns the question for a JSON document."""
        return asdict(self)

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> Question:
        """Returns the question of a JSON document.

        :raises TypeError: if a field is missing or unknown; also KeyError.
        """
        scenes = tuple(Scene(**scene) for scene in document["story"])
        choices = tuple(Choice(**choice) for choice in document["choices"])
        return cls(**{**document, "story": scenes, "choices": choices})


@dataclass(frozen=True, slots=True)
class Grid:
    """A decision by hand class: how often each action is taken, or what one action loses."""

    title: str
    names: tuple[str, ...]
    """What the numbers of a cell are: the actions, whose frequencies they are; or one name for a loss."""
    is_strategy: bool
    """The numbers of a cell are frequencies of actions, which sum to one."""
    cells: tuple[tuple[float, ...] | None, ...]
    """By hand class, 169; None for classes that do not get here."""

    def document(self) -> dict[str, Any]:
        """Returns the grid for a JSON document."""
        return asdict(self)
