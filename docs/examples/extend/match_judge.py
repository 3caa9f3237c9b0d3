"""A match judge of your own: what was won, with every hand cut off at 20 big blinds, so that few hands decide less.

Run it as a script, or install it with a package, and ``hedgehog judge LOG --judge cut`` knows it::

    [project.entry-points."hedgehog.judges"]
    cut = "my_package.match_judge:CUT"
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

import hedgehog as hh
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import JudgedHands
from hedgehog.analysis.judging.judges import JUDGES, MatchJudge
from hedgehog.analysis.judging.logs import judge_logs
from hedgehog.analysis.judging.sessions import JudgeOptions

MOST = 20.0


def cut(hands: Sequence[SeatedHand], judged: JudgedHands) -> NDArray[np.float64]:
    """Returns a value for each hand, in small bets or big blinds."""
    return np.clip(judged.results, -MOST, MOST)


CUT = MatchJudge("result, hands cut at 20", "cut", cut)

if __name__ == "__main__":
    JUDGES.register("cut", CUT)
    with TemporaryDirectory() as folder:
        match = hh.play_match(["random", "call"], hands=300, duplicate=False, out=Path(folder) / "match")
        for report in judge_logs(match.logs, JudgeOptions(judges=["cut"])).reports:
            for name in ("result", "cut"):
                found = report.measure(name).per_hand
                print(f"{name:<7} {found.mean:+.3f} ± {found.half_width:.3f} {report.unit} a hand")
