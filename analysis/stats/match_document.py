"""The result of a match as values for JSON, which ``hedgehog match --json`` writes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.runtime.documents import json_document

if TYPE_CHECKING:
    from hedgehog.analysis.stats.match_report import MatchResult
    from hedgehog.analysis.stats.play_statistics import AnswerSummary


def match_document(
    spec_texts: Sequence[str],
    names: Sequence[str],
    result: MatchResult,
    answers: Sequence[AnswerSummary],
    logs: Sequence[Path],
    *,
    game: str,
    seed: int,
    duplicate: bool,
) -> dict[str, Any]:
    """Returns the result of a match as the JSON document of ``hedgehog match --json``.

    A figure that the hands cannot give is not finite here; JSON files have null in its place.
    """
    return json_document(
        "match",
        game=game,
        seed=seed,
        players=spec_texts,
        names=list(names),
        hands=result.hands,
        pairs=result.groups if duplicate else 0,
        mbb_per_hand=[won.mean for won in result.mbb_per_hand],
        ci95=list(map(_interval, result.mbb_per_hand)),
        logs=[str(log) for log in logs],
        answers=[asdict(one) for one in answers],
        statistics={
            "p_value": result.p_value,
            "anytime95": list(map(_interval, result.anytime)),
            "all_in_adjusted": [luck.all_in_adjusted.mean for luck in result.luck],
            "all_in_adjusted_ci95": [_interval(luck.all_in_adjusted) for luck in result.luck],
            "sd_per_hand": [luck.sd_hand for luck in result.luck],
            "sd_per_group": [luck.sd_group for luck in result.luck],
            "effective_hands": [luck.effective_hands for luck in result.luck],
            "aivat": [adjusted.estimate.mean for adjusted in result.aivat],
            "aivat_ci95": [_interval(adjusted.estimate) for adjusted in result.aivat],
            "aivat_sd_per_hand": [adjusted.sd_hand for adjusted in result.aivat],
            "aivat_sd_reduction": [adjusted.reduction for adjusted in result.aivat],
        },
    )


def _interval(estimate: Estimate) -> list[float] | None:
    return [estimate.low, estimate.high] if math.isfinite(estimate.low) else None
