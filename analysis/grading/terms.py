"""The line that adds up: result = value + not graded + luck of cards + luck of the opponent + seam - losses."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class Terms:
    """What a result is made of, in big blinds. Along the streets that were solved it is all luck, seam or loss.

    A street that is solved says what the player's cards are worth at its start, after every action, and at its end.
    What they are worth changes by the player's own actions (the losses), by what the opponent does and holds, and by
    cards. Each street is solved anew, and what it is worth then is not what the solve before expected: that is the
    seam. What changes on streets that are not solved is not told apart.
    """

    result: float = 0.0
    value: float = 0.0
    """What the hand is worth to our player before the cards are dealt; 0 where no table says so."""
    ungraded: float = 0.0
    """What changed on streets that are not graded."""
    luck_cards: float = 0.0
    luck_opponent: float = 0.0
    """What the opponent's actions changed, and what it held at the showdown."""
    seam: float = 0.0
    losses: float = 0.0

    @property
    def remainder(self) -> float:
        """What is left if the other terms are taken off the result: 0 but for rounding."""
        luck = self.luck_cards + self.luck_opponent
        return self.result - (self.value + self.ungraded + luck + self.seam - self.losses)

    def document(self) -> dict[str, float]:
        """Returns the terms for a JSON document."""
        return asdict(self)

    def add(self, other: Terms) -> None:
        """Adds the terms of another hand."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)
