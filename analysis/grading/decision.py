"""One decision of a graded player."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Any, Final

from hedgehog.analysis.grading.options import NOT_GRADED, RARE
from hedgehog.analysis.histories.hand_words import amount_text
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.textures import flop_textures

_SIZED: Final = {"r": "raise to", "B": "bet", "R": "raise to", "A": "all-in to"}

_SPRS: Final = ((1, "below 1"), (3, "1 to 3"), (6, "3 to 6"), (13, "6 to 13"))


@dataclass(slots=True)
class Decision:
    """One decision: where it was, what was done, and what that cost. Chips are in big blinds; None: not known."""

    source: str
    """Name of the file."""
    line: int
    hand: int
    player: str
    opponent: str
    position: str
    """``BB`` or ``SB``."""
    street: str
    ordinal: int
    """Number of the player's decisions in the hand before this one."""
    betting: str
    """ACPC betting before the decision."""
    board: str
    cards: str
    pot_bb: float
    """The pot before the action."""
    stack_bb: float
    """Chips that the player has behind."""
    to_call_bb: float
    pot_type: str
    """``unopened``, ``limped``, ``single-raised``, ``3-bet`` or ``4-bet+``."""
    role: str
    """``aggressor`` or ``caller`` before the flop, ``none`` without a raise."""
    facing: str
    """What the player faces: ``first``, ``limp``, ``checked to``, or a bet by its size in percent of the pot."""
    hand_kind: str
    """What the cards make with the board; empty before the flop and on streets without values."""
    action: str
    """``fold``, ``check``, ``call``, ``bet``, ``raise`` or ``all-in``."""
    size_pct: float | None
    """A bet or raise beyond the call, in percent of the pot after calling."""
    translated: bool = False
    """Whether the size is none of the preflop table and was read as a mix of those next to it."""
    translation_bb: float | None = None
    """What that leaves open of the loss: half the difference between the EVs of the two sizes, a part of the error."""
    verdict: str = NOT_GRADED
    reason: str = ""
    """Why it is not graded."""
    best_action: str = ""
    loss_bb: float | None = None
    error_bb: float | None = None
    """Half-width of the loss."""
    loss_pct_pot: float | None = None
    versus_bb: float | None = None
    """What the action wins more than our player's own mixture, if both then follow it."""
    baseline_bb: float | None = None
    """Mean loss of our player's own mixture: what the grader charges a sound player here."""
    freq: float | None = None
    """How often our player takes the action with this hand."""
    range_freq: float | None = None
    """How often our player takes the action with its whole range here; None before the flop."""
    best_freq: float | None = None
    ev_best_bb: float | None = None
    """Chips that the best action wins, counted from the decision on."""
    ev_taken_bb: float | None = None
    share: float | None = None
    """The part of our player's range on this street that gets here."""
    source_of_values: str = ""
    target_pct: float | None = None
    """Exploitability of the solve, in percent of its pot."""
    trivial: bool = False
    """Whether no action loses anything to speak of."""
    actions: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By action: its EV from the decision on, and how often our player takes it."""

    big_blind: int = 0
    """Chips of the big blind in ``betting``; 0 in stores that were made before it was kept."""
    date: str = ""
    """The day on which the hand was played, as ``2024-05-06``; empty if the file does not tell it."""
    grid: list[list[float | None]] = field(default_factory=list)
    """By hand class: the loss of the action taken in big blinds, and how often our player takes it; None for classes
    that do not get here. Only of decisions that are no good, and before the flop of costly ones."""

    def forget(self) -> None:
        """Takes away what a grade wrote: the decision is not graded. What it was and where stays."""
        self.hand_kind = ""
        for each in dataclasses.fields(self):
            if each.name in ("big_blind", "date"):
                continue
            if each.default is not dataclasses.MISSING:
                setattr(self, each.name, each.default)
            elif each.default_factory is not dataclasses.MISSING:
                setattr(self, each.name, each.default_factory())

    @property
    def texture(self) -> str:
        """The suits and pairs of the flop, such as ``two-tone, unpaired``; empty before the flop."""
        return ", ".join(flop_textures(parse_cards(self.board)[:3])[:2]) if self.board else ""

    @property
    def spr(self) -> str:
        """The chips behind in pots before the action, as a range such as ``1 to 3``."""
        ratio = self.stack_bb / self.pot_bb if self.pot_bb > 0 else 0.0
        return next((text for below, text in _SPRS if ratio < below), "13 and more")

    @property
    def month(self) -> str:
        """The month in which the hand was played, as ``2024-05``; empty if the file does not tell it."""
        return self.date[:7]

    @property
    def graded(self) -> bool:
        """Whether the loss is known and counts."""
        return self.verdict != NOT_GRADED

    @property
    def best(self) -> str:
        """The best action in words; empty if it is not known."""
        return self.named(self.best_action) if self.best_action else ""

    @property
    def caution(self) -> str:
        """What is to be known of the loss beside its error; empty if nothing is."""
        if not self.loss_bb or self.range_freq is None or self.range_freq >= RARE:
            return ""
        return (
            f"our player does this with less than {100 * RARE:g} % of its range here: the loss may be another third "
            "larger or smaller"
        )

    def named(self, action: str) -> str:
        """Returns one of :attr:`actions` in words; sizes are totals on the street, in big blinds if these are known."""
        kind, size = action[:1], re.sub(r"^[A-Za-z]+", "", action)
        if kind in _SIZED:
            return f"{_SIZED[kind]} {amount_text(int(size), self.big_blind)}" if size else "all-in"
        return {"f": "fold", "F": "fold", "X": "check"}.get(kind, "call" if self.to_call_bb else "check")

    def kind_of(self, action: str) -> str:
        """Returns which kind one of :attr:`actions` is, one of those of :attr:`action`."""
        kind, size = action[:1], re.sub(r"^[A-Za-z]+", "", action)
        stack = self.stack_bb + (self.pot_bb - self.to_call_bb) / 2  # all that the player can put in over the hand
        if kind == "A" or (kind == "r" and 0 < stack * self.big_blind <= int(size) + 0.5):
            return "all-in"
        if kind in ("c", "C") and 0 < self.stack_bb <= self.to_call_bb + 1e-9:
            return "all-in"
        return "bet" if kind == "B" else "raise" if kind in ("r", "R") else self.named(action)

    def row(self) -> dict[str, Any]:
        """Returns the decision as a row of a CSV file."""
        found = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name not in ("actions", "grid")}
        return {**found, "texture": self.texture}

    def document(self) -> dict[str, Any]:
        """Returns the decision for a JSON document."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
