"""Match judges: the measures of a session by name, ours and those of other packages (entry points ``hedgehog.judges``).

A judge gives every hand of two players a value for one of them, player A. The session adds the values up, and reports
their mean with a 95 % interval beside what A won.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import JudgedHands
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.extending.registry import OURS, Registry
from hedgehog.runtime.extending.user_code import user_code_error

RESULT: Final = "result"
LUCK: Final = "luck"
BASELINE: Final = "baseline"
BETTING: Final = "betting"
DIVAT: Final = "divat"
DIVAT_ROE: Final = "divat_roe"
EVAT: Final = "evat"
ALL_IN: Final = "all_in_adjusted"
AIVAT: Final = "aivat"
"""The measure that needs a strategy, so that no judge gives it."""
_AIVAT_TITLE: Final = "AIVAT"

Values = Callable[[Sequence[SeatedHand], JudgedHands], NDArray[np.float64]]
"""Returns for N hands of A and B and their judgement float[N], or float[N, 4] by street: values of A, in small bets in
limit games and else in big blinds (:attr:`~hedgehog.analysis.judging.hands.SeatedHand.unit`). Those of B are their
negatives."""


@dataclass(frozen=True, slots=True)
class MatchJudge:
    """A measure of hands, and when it is shown."""

    title: str
    """Its name for people."""
    short_title: str
    """Its name as the heading of a column."""
    values: Values
    limit: bool = True
    """Whether it judges hands of limit games."""
    no_limit: bool = True
    """Whether it judges hands of no-limit games."""
    roll_out: bool = False
    """Whether it needs roll-out equity, which takes time."""

    def suits(self, *, limit: bool, roll_out: bool) -> bool:
        """Returns whether it judges hands of a session."""
        return (self.limit if limit else self.no_limit) and (roll_out or not self.roll_out)


def _verify(name: str, part: Any) -> None:
    if not isinstance(part, MatchJudge):
        raise InputError(f"expected a MatchJudge, got {type(part).__name__}")


JUDGES: Final = Registry(
    "hedgehog.judges",
    "judge",
    {
        RESULT: MatchJudge("result", "result", lambda hands, judged: judged.results),
        LUCK: MatchJudge("luck of the cards (LFAT)", "luck", lambda hands, judged: judged.lfat),
        BASELINE: MatchJudge(
            "baseline play", "baseline", lambda hands, judged: judged.betting - judged.divat, no_limit=False
        ),
        DIVAT: MatchJudge("skill (DIVAT)", "DIVAT", lambda hands, judged: judged.divat, no_limit=False),
        DIVAT_ROE: MatchJudge(
            "skill (DIVAT by ROE)", "by ROE", lambda hands, judged: judged.divat_roe, no_limit=False, roll_out=True
        ),
        EVAT: MatchJudge("against open cards (EVAT)", "EVAT", lambda hands, judged: judged.evat, no_limit=False),
        BETTING: MatchJudge("betting (result - luck)", "betting", lambda hands, judged: judged.betting, limit=False),
        ALL_IN: MatchJudge(
            "result, all-ins averaged", "all-in adj.", lambda hands, judged: judged.all_in_adjusted, limit=False
        ),
    },
    verify=_verify,
    reserved=(AIVAT,),
)
"""All judges by name, in the order in which their measures are shown."""


def own_values(
    hands: Sequence[SeatedHand], judged: JudgedHands, *, limit: bool, roll_out: bool
) -> dict[str, NDArray[np.float64]]:
    """Returns the values of our judges that suit a session, by name."""
    suitable = {name: JUDGES[name] for name in JUDGES.own_names if JUDGES[name].suits(limit=limit, roll_out=roll_out)}
    return {name: judge.values(hands, judged) for name, judge in suitable.items()}


def further_values(
    names: Sequence[str], hands: Sequence[SeatedHand], judged: JudgedHands, *, roll_out: bool
) -> dict[str, NDArray[np.float64]]:
    """Returns the values of judges of other packages, by name; ours that suit are left out.

    :raises InputError: if a judge fails, does not suit the hands, or returns anything but a number for each hand.
    """
    found: dict[str, NDArray[np.float64]] = {}
    for name in names:
        judge, what = JUDGES.find(name), f"judge {name!r} of {JUDGES.owner(name) or OURS}"
        if not judge.suits(limit=judged.limit, roll_out=roll_out):
            kind = "limit" if judged.limit else "no-limit"
            raise InputError(f"{what} does not judge {kind} hands{' without roll-outs' if judge.roll_out else ''}")
        if name in JUDGES.own_names:
            continue  # own_values has it
        try:
            values = np.asarray(judge.values(hands, judged), dtype=np.float64)
        except Exception as error:
            raise user_code_error(f"{what} failed", error, None) from error
        if values.shape not in ((len(hands),), (len(hands), 4)) or not np.isfinite(values).all():
            raise InputError(f"{what}: expected a finite number for each of {len(hands)} hands, got {values.shape}")
        found[name] = values
    return found


def measure_title(name: str) -> str:
    """Returns the name of a measure for people."""
    return _AIVAT_TITLE if name == AIVAT else JUDGES[name].title


def short_title(name: str) -> str:
    """Returns the name of a measure as the heading of a column."""
    return _AIVAT_TITLE if name == AIVAT else JUDGES[name].short_title
