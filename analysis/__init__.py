"""Measures matches, players, solves and packs: statistics with error bars, pages and pictures.

>>> from hedgehog import analysis
>>> report = analysis.verify_hand_file(analysis.open_hand_file("tests/data/acpc/log_kuhn2p_s1471220049.log.gz"))
>>> report.hands, report.faults
(300, ())

Each subject has a package: :mod:`hedgehog.analysis.stats`, :mod:`hedgehog.analysis.histories`,
:mod:`hedgehog.analysis.aivat`,
:mod:`hedgehog.analysis.lbr`, :mod:`hedgehog.analysis.endgame`, :mod:`hedgehog.analysis.judging`,
:mod:`hedgehog.analysis.tournament`, :mod:`hedgehog.analysis.solves`,
:mod:`hedgehog.analysis.packs` and :mod:`hedgehog.analysis.games`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.fold_audit import audit_folds
    from hedgehog.analysis.histories.hand_files import open_hand_file, verify_hand_file
    from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
    from hedgehog.analysis.stats.match_report import MatchResult, score_match
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "Estimate", "MatchResult", "audit_folds", "mean_estimate", "open_hand_file", "score_match", "verify_hand_file",
]  # fmt: skip
