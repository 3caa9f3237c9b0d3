"""Tells luck from skill in heads-up hold'em hands: LFAT, EVAT and DIVAT of limit hands, luck and pot equity of others.

>>> from hedgehog.analysis import judging
>>> from hedgehog.poker.acpc.gamedef import load_gamedef
>>> from hedgehog.poker.acpc.handlog import parse_log_line
>>> line = "STATE:0:rrc/crrc/rc/rrc:AcKc|7h6h/Ks5h3d/Tc/4h:-110|110:alice|bob"
>>> hand = judging.SeatedHand(parse_log_line(line, load_gamedef("holdem.limit.2p.reverse_blinds")), position=0)
>>> judged = judging.hand_judgement(judging.Judge().judge([hand]), 0, hand)
>>> [street.baseline for street in judged.streets]
['CrC', 'bC', 'bF', 'bRc']
>>> judged.result, round(judged.luck, 3), round(judged.baseline, 3), round(judged.divat, 3)
(-11.0, -10.105, -2.356, 1.462)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.judging.hands import SeatedHand
    from hedgehog.analysis.judging.judge import Judge
    from hedgehog.analysis.judging.judgement import hand_judgement
    from hedgehog.analysis.judging.logs import judge_logs
    from hedgehog.analysis.judging.sessions import JudgeOptions
    from hedgehog.analysis.judging.settings import PUBLISHED, DivatSettings, read_divat_settings
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "PUBLISHED", "DivatSettings", "Judge", "JudgeOptions", "SeatedHand", "hand_judgement", "judge_logs",
    "read_divat_settings",
]  # fmt: skip
