"""Measures matches, players, solves and packs: statistics with error bars, pages and pictures.

>>> import analysis
>>> report = analysis.verify_hand_file(analysis.open_hand_file("tests/data/acpc/log_kuhn2p_s1471220049.log.gz"))
>>> report.hands, report.faults
(300, ())

Each subject has a package: :mod:`analysis.stats`, :mod:`analysis.histories`, :mod:`analysis.aivat`,
:mod:`analysis.lbr`, :mod:`analysis.judging`, :mod:`analysis.tournament`, :mod:`analysis.solves`,
:mod:`analysis.packs` and :mod:`analysis.games`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.exports import lazy_exports

if TYPE_CHECKING:
    from analysis.fold_audit import AuditedBet, audit_folds
    from analysis.histories.hand_files import open_hand_file, verify_hand_file
    from analysis.stats.estimate import Estimate, mean_estimate
    from analysis.stats.match_report import MatchResult, score_match
else:
    __getattr__ = lazy_exports(__name__)

__all__ = [
    "AuditedBet", "Estimate", "MatchResult", "audit_folds", "mean_estimate", "open_hand_file", "score_match",
    "verify_hand_file",
]  # fmt: skip
