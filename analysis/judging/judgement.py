"""What is said about one hand: every street with luck, equities and lines of play, and how they add up to the result.

All values are those of player A, in small bets or, in no-limit games, in big blinds. Those of B are their negatives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hedgehog.analysis.judging import _judge_kernels as kernels
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import JudgedHands
from hedgehog.poker.streets import STREETS

_LETTERS: Final = "fkcbr"


@dataclass(frozen=True, slots=True)
class StreetJudgement:
    """One street of a judged hand. Values are those of A, in small bets or big blinds."""

    street: str
    ihr: tuple[float, float]
    """Immediate hand rank of A and of B."""
    seven_card: tuple[float, float]
    """Seven-card hand rank of A and of B."""
    aie: float
    """All-in equity of A."""
    lfat: float
    """Luck of the cards that were dealt at the start of the street."""
    net_before: float
    """Pot equity before the betting of the street."""
    actual: str
    """The betting: ``f k c b r`` for fold, check, call, bet and raise, B's in capitals."""
    actual_equity: float
    """Pot equity after the betting; after a fold what it costs."""
    baseline: str | None
    """The betting of the baseline; None in no-limit games."""
    baseline_equity: float | None
    """Pot equity after the betting of the baseline; None in no-limit games."""
    baseline_folds: bool
    """Whether the baseline ends in a fold."""
    open_line: str | None
    """The betting if both players knew all cards; None in no-limit games."""
    open_equity: float | None
    actual_roe: float | None
    """Roll-out equity after the betting; None if it was not computed."""
    baseline_roe: float | None

    @property
    def betting(self) -> float:
        """What the betting of the street changed of A's pot equity."""
        return self.actual_equity - self.net_before

    @property
    def baseline_betting(self) -> float | None:
        """What the betting of the baseline changes of A's pot equity."""
        return None if self.baseline_equity is None else self.baseline_equity - self.net_before

    @property
    def round_ev(self) -> float | None:
        """What the bets of the baseline are worth to A: 0 if it ends in a fold."""
        return 0.0 if self.baseline_folds else self.baseline_betting

    @property
    def fold_equity(self) -> float | None:
        """What A gains because the baseline of B folds (or loses because A's folds); None if nobody folds."""
        return self.baseline_betting if self.baseline_folds else None

    @property
    def divat(self) -> float | None:
        """What A's decisions gained against the baseline, by all-in equity."""
        return None if self.baseline_equity is None else self.actual_equity - self.baseline_equity

    @property
    def divat_roe(self) -> float | None:
        """What A's decisions gained against the baseline, by roll-out equity where it was computed."""
        if self.actual_roe is None or self.baseline_roe is None:
            return self.divat
        return self.actual_roe - self.baseline_roe

    @property
    def evat(self) -> float | None:
        """What A's decisions gained against the betting with open cards."""
        return None if self.open_equity is None else self.actual_equity - self.open_equity


@dataclass(frozen=True, slots=True)
class HandJudgement:
    """A judged hand: result = luck + baseline + skill, or luck + betting in no-limit games."""

    streets: tuple[StreetJudgement, ...]
    result: float
    """What A won."""

    @property
    def luck(self) -> float:
        """The sum of LFAT over the streets."""
        return sum(street.lfat for street in self.streets)

    @property
    def betting(self) -> float:
        """What the betting changed of A's pot equity: the result less the luck."""
        return sum(street.betting for street in self.streets)

    @property
    def baseline(self) -> float | None:
        """What the betting of the baseline would have changed of A's pot equity; None in no-limit games."""
        return _sum([street.baseline_betting for street in self.streets])

    @property
    def divat(self) -> float | None:
        """The sum of the DIVAT differences, which measure skill; None in no-limit games."""
        return _sum([street.divat for street in self.streets])

    @property
    def divat_roe(self) -> float | None:
        """The sum of the DIVAT differences by roll-out equity; None in no-limit games."""
        return _sum([street.divat_roe for street in self.streets])

    @property
    def evat(self) -> float | None:
        """The sum of the EVAT differences; None in no-limit games."""
        return _sum([street.evat for street in self.streets])


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def hand_judgement(judged: JudgedHands, index: int, seated: SeatedHand) -> HandJudgement:
    """Returns the judgement of one hand in full.

    :param judged: a batch of judged hands.
    :param index: number of the hand in the batch.
    :param seated: the hand.
    """
    streets = []
    for street, actual in enumerate(actual_lines(seated)):
        values = [None if math.isnan(value) else float(value) for value in judged.judged.values[index, street]]
        strengths = judged.judged.strengths[index, street].tolist()
        aie, lfat, before, after = (float(value) for value in judged.judged.values[index, street, :4])
        first = int(judged.hands.first[index, street])
        lines = [format_line(line, first) for line in judged.judged.lines[index, street].tolist()]
        streets.append(
            StreetJudgement(
                street=STREETS[street],
                ihr=(strengths[0][0], strengths[1][0]),
                seven_card=(strengths[0][1], strengths[1][1]),
                aie=aie,
                lfat=lfat,
                net_before=before,
                actual=actual,
                actual_equity=after,
                baseline=lines[0] if judged.limit else None,
                baseline_equity=values[kernels.BASELINE],
                baseline_folds=int(judged.judged.folders[index, street]) >= 0,
                open_line=lines[1] if judged.limit else None,
                open_equity=values[kernels.OPEN],
                actual_roe=values[kernels.ACTUAL_ROE],
                baseline_roe=values[kernels.BASELINE_ROE],
            )
        )
    return HandJudgement(tuple(streets), float(judged.results[index]))


def format_line(line: Sequence[int], first: int) -> str:
    """Returns the actions of a betting round as letters ``f k c b r``, those of player 1 (B) in capitals.

    :param line: actions as the kernels number them; -1 ends the line.
    :param first: the player who acts first.
    """
    letters = [_LETTERS[action] for action in line if action >= 0]
    return "".join(letter.upper() if (first + place) % 2 else letter for place, letter in enumerate(letters))


def actual_lines(seated: SeatedHand) -> list[str]:
    """Returns the betting of every street that was dealt, in letters as :func:`format_line` does."""
    state = seated.hand.state
    gamedef = state.gamedef
    lines = []
    for street, actions in enumerate(state.actions):
        line = ""
        spent = list(gamedef.blinds) if street == 0 else [0, 0]
        bets = street == 0
        facing = spent[0] != spent[1]
        for position, (kind, _) in actions:
            letter = kind
            if kind == "r":
                letter, bets, facing = "r" if bets else "b", True, True
            elif kind == "c":
                letter, facing = ("c", False) if facing else ("k", False)
            line += letter if position == seated.position else letter.upper()
        lines.append(line)
    return lines
