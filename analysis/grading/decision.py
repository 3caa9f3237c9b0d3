"""One decision of a graded player."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from hedgehog.analysis.grading.options import NOT_GRADED


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
    """``limped``, ``single-raised``, ``3-bet`` or ``4-bet+``."""
    role: str
    """``aggressor`` or ``caller`` before the flop, ``none`` in a limped pot."""
    facing: str
    """What the player faces: ``first``, ``checked to``, or a bet by its size in percent of the pot."""
    hand_kind: str
    """What the cards make with the board; empty before the flop."""
    action: str
    """``fold``, ``check``, ``call``, ``bet``, ``raise`` or ``all-in``."""
    size_pct: float | None
    """A bet or raise beyond the call, in percent of the pot after calling."""
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
    grid: list[list[float | None]] = field(default_factory=list)
    """By hand class: the loss of the action taken in big blinds, and how often our player takes it; None for classes
    that do not get here. Only of decisions that are no good."""

    @property
    def graded(self) -> bool:
        """Whether the loss is known and counts."""
        return self.verdict != NOT_GRADED

    def row(self) -> dict[str, Any]:
        """Returns the decision as a row of a CSV file."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name not in ("actions", "grid")}

    def document(self) -> dict[str, Any]:
        """Returns the decision for a JSON document."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
