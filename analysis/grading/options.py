"""How finely decisions are graded, and how a loss becomes a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from hedgehog.agent.strategy.live import MENUS, Sizes
from hedgehog.analysis.parts import Part
from hedgehog.poker.streets import FLOP, PREFLOP, RIVER, TURN
from hedgehog.solver.cfr.programs import Rake

LEAST_SHARE: Final = 0.001
"""A decision to which less of our player's range leads is not graded: no solve knows what the rest holds there."""
RARE: Final = 0.001
"""Share of our player's range at a decision below which an action is so rare that no solve determines its answers."""
DEPTH_TOLERANCE: Final = 0.05
"""Hands whose stacks differ by more than this from those of the packs are not graded."""
TRIVIAL: Final = 0.1
"""A decision whose worst action loses less than this, in percent of the pot, is trivial."""


NO_RAKE: Final = Rake()


class Pass(NamedTuple):
    """One way to solve a street."""

    name: str
    """What the source of values is called."""
    sizes: Sizes
    """Bet sizes by street, beside the real bets."""
    target_pct: float
    """Exploitability at which the solve ends, in percent of the pot."""
    most_iterations: int
    systematic_pct: float
    """Part of the error of a loss that more iterations do not show, in percent of the pot before the action."""
    settled_pct: float = 0.0
    """From this exploitability on, the solve also ends when the verdicts about all decisions have settled."""
    settled_values_pct: float = 2.0
    """An accusation settles only if no action's loss has lately changed by more than this, in percent of the pot."""


_ONE_SIZE: Final = ("75%/100%/", "75%/100%/")
_FLOP_SIZES: Final = ("50%/100%/", "75%/", "75%/")
_TWO_SIZES: Final = ("50%,100%/100%/", "75%,150%/100%/")
_NORMAL: Final = {
    TURN: (Pass("turn, one size, 1 %", _ONE_SIZE, 1.0, 400, 0.5), Pass("turn", _TWO_SIZES, 0.3, 960, 0.25)),
    RIVER: (Pass("river, all sizes", MENUS[RIVER][0].sizes, 0.002, 30720, 0.05, 0.1, 1.0),),
}
PASSES: Final[dict[str, dict[int, tuple[Pass, ...]]]] = {
    # A later pass is made if a decision of the street is not fine after the one before it.
    "quick": {
        TURN: (
            Pass("turn, one size, 1 %", _ONE_SIZE, 1.0, 400, 0.5),
            Pass("turn, one size", _ONE_SIZE, 0.3, 960, 0.5, 0.5),
        ),
        RIVER: (Pass("river", MENUS[RIVER][1].sizes, 0.01, 7680, 0.05, 0.3),),
    },
    "normal": _NORMAL,
    "full": {FLOP: (Pass("flop, one size", _FLOP_SIZES, 1.0, 320, 1.0),), **_NORMAL},
}
"""By depth and street, the solves of a street, coarse first: coarse solves accuse, they hardly ever acquit."""


@dataclass(frozen=True, slots=True)
class GradeOptions:
    """Whose hands are graded, and how."""

    player: str
    depth: str = "normal"
    """A key of :data:`PASSES`."""
    packs: Path | None = None
    """Packs, or a folder of packs, of the player against whom is graded; None: the shipped ones."""
    think_ms: int = 0
    """Thinking time of the player against whom is graded: its ranges are those of the solves that it makes at the
    table, which are made again. 0: those of the packs alone."""
    rake: Rake = NO_RAKE
    """What the house takes from pots with a flop; its cap is in big blinds."""
    first: int | None = None
    """Largest number of hands to grade."""
    numbers: tuple[int, ...] = ()
    """Numbers of the hands to grade; empty: all."""
    streets: tuple[int, ...] = (PREFLOP, FLOP, TURN, RIVER)
    """Streets that are graded, as far as the depth solves them."""
    since: date | None = None
    """The first day whose hands are graded; those without a day are left out then. None: all hands."""
    spot: str = ""
    """Words that all stand in the kind of a decision that is graded (:mod:`hedgehog.analysis.grading.spots`); only
    streets with such decisions are solved. Empty: all decisions."""
    borrow_ranges: bool = False
    """Grade turn and river of hands whose stacks no packs have with the ranges of the nearest packs; they are not in
    the totals."""
    worst_flops: int | None = None
    """So many flops are solved although the depth does not: those with the largest pots when the flop ends."""
    hand_s: float | None = None
    """Most seconds that the solves of a hand may take; what is not solved by then is not graded. None: any time."""
    part: Part | None = None
    """Grade this part of the hands alone, into a store that is one of several; None: all hands."""
    jobs: int = 1
    """Number of processes. No result depends on it."""
    dask: str | None = None
    """Address of a dask scheduler whose workers grade in their place, or ``local:N``."""
    store: Path | None = None
    """Folder in which finished parts are kept, so that the same call goes on where it stopped."""
    overwrite: bool = False
    """Start anew where the store holds parts of other hands or settings."""


def verdict_of(loss: float, error: float, pot: float) -> str:
    """Returns the verdict about a loss, by its lower end. Frequencies do not count.

    :param loss: what the action loses, in big blinds.
    :param error: half-width of the loss.
    :param pot: the pot before the action.
    """
    percent, lower = 100 * loss / pot, 100 * (loss - error) / pot
    if percent <= BEST_PCT:
        return BEST
    if lower >= BLUNDER_PCT or (loss - error >= BLUNDER_BB and lower >= MISTAKE_PCT):
        return BLUNDER
    if lower >= MISTAKE_PCT:
        return MISTAKE
    if lower >= FINE_PCT:
        return INACCURACY
    return UNSURE if percent >= MISTAKE_PCT else FINE


BEST_PCT: Final = 0.1
FINE_PCT: Final = 0.5
MISTAKE_PCT: Final = 2.0
BLUNDER_PCT: Final = 10.0
BLUNDER_BB: Final = 2.0
BEST: Final = "best"
FINE: Final = "fine"
INACCURACY: Final = "inaccuracy"
MISTAKE: Final = "mistake"
BLUNDER: Final = "blunder"
UNSURE: Final = "unsure"
NOT_GRADED: Final = "not graded"
VERDICTS: Final = (BEST, FINE, INACCURACY, MISTAKE, BLUNDER, UNSURE)
ACCUSED: Final = (INACCURACY, MISTAKE, BLUNDER)
