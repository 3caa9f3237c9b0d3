"""Judged hands and sessions in the form of JSON, and as CSV with a row per hand and street."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.histories.hand_words import position_name
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import JudgedHands
from hedgehog.analysis.judging.judgement import HandJudgement, StreetJudgement, hand_judgement
from hedgehog.analysis.judging.session import CostlyStreet, Measure, SessionReport
from hedgehog.analysis.judging.sessions import SessionBatch
from hedgehog.analysis.judging.settings import DivatSettings
from hedgehog.poker.cards import format_cards
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.documents import csv_rows, csv_text, json_document

_MAX_CURVE_POINTS: Final = 2_000
"""Most points of a curve in the JSON document."""
_HAND_COLUMNS: Final = ("source", "hand", "player", "opponent", "position", "cards", "opponent_cards", "result")
_STREET_COLUMNS: Final = (
    "street", "board", "ihr", "seven_card", "opponent_ihr", "opponent_seven_card", "aie", "net_before", "lfat",
    "actual", "actual_equity", "baseline", "baseline_equity", "round_ev", "fold_equity", "divat", "open_line", "evat",
    "actual_roe", "baseline_roe", "divat_roe",
)  # fmt: skip
_SESSION_FIELDS: Final = ("player", "opponent", "unit", "hands", "hidden", "hidden_result", "biased")
_COLUMNS: Final = (*_HAND_COLUMNS, *_STREET_COLUMNS)


def judge_csv(batch: SessionBatch | None = None, judged: JudgedHands | None = None) -> str:
    """Returns a CSV row for every street of a batch of judged hands, without a header; without a batch the header."""
    if batch is None or judged is None:
        return csv_text(_COLUMNS, [])
    rows: list[Sequence[object]] = []
    for index, seated in enumerate(batch.hands):
        judgement = hand_judgement(judged, index, seated)
        head = [*_hand_record(seated, judgement, batch.sources[index]).values()]
        rows += [
            [*head, *_street_record(seated, place, street).values()] for place, street in enumerate(judgement.streets)
        ]
    return csv_rows(rows, len(_COLUMNS))


def _hand_record(seated: SeatedHand, judgement: HandJudgement, source: str) -> dict[str, object]:
    hand = seated.hand
    names = hand.names.split("|")
    other = 1 - seated.position
    values = (
        source,
        hand.hand_id,
        names[seated.position],
        names[other],
        position_name(hand.state.gamedef, seated.position),
        format_cards(hand.hole_cards[seated.position]),
        format_cards(hand.hole_cards[other]),
        judgement.result,
    )
    return dict(zip(_HAND_COLUMNS, values, strict=True))


def _street_record(seated: SeatedHand, index: int, street: StreetJudgement) -> dict[str, object]:
    values = (
        street.street, format_cards(seated.hand.board[: BOARD_CARDS[index]]), street.ihr[0], street.seven_card[0],
        street.ihr[1], street.seven_card[1], street.aie, street.net_before, street.lfat, street.actual,
        street.actual_equity, street.baseline, street.baseline_equity, street.round_ev, street.fold_equity,
        street.divat, street.open_line, street.evat, street.actual_roe, street.baseline_roe, street.divat_roe,
    )  # fmt: skip
    return dict(zip(_STREET_COLUMNS, values, strict=True))


def judge_document(
    found: HandInput,
    settings: DivatSettings,
    players: Iterable[str],
    sessions: Sequence[dict[str, Any]],
    hands: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Returns what was judged in some logs as a JSON document.

    :param players: all players of the sessions; one may come again.
    :param sessions: a record per report.
    :param hands: the hands asked for, in full.
    """
    return json_document(
        "judge",
        **found.game_and_seed,
        players=list(dict.fromkeys(players)),
        settings=asdict(settings),
        sessions=sessions,
        hands=hands,
        left_out=found.left_out.document(),
    )


def session_record(report: SessionReport) -> dict[str, Any]:
    """Returns the report on a session in the form of JSON."""
    step = math.ceil(report.hands / _MAX_CURVE_POINTS)
    shown = [*range(step - 1, report.hands, step)]
    if shown[-1:] != [report.hands - 1]:
        shown.append(report.hands - 1)
    return {
        **{name: getattr(report, name) for name in _SESSION_FIELDS},
        "measures": _measures(report.measures, report.biased),
        "positions": {name: _measures(measures, report.biased) for name, measures in report.positions.items()},
        "streets": {name: _measures(measures, report.biased) for name, measures in report.streets.items()},
        "curves": {
            "hands": [index + 1 for index in shown],
            **{name: curve[shown].tolist() for name, curve in report.curves.items()},
        },
        "curves_ci95": {} if report.biased else {name: _numbers(report.margins(name)[shown]) for name in report.curves},
        "costly_streets": [_costly_record(costly) for costly in report.costly],
    }


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _measures(measures: Sequence[Measure], biased: bool) -> dict[str, dict[str, float | int | None]]:
    return {
        measure.name: {
            "total": measure.total,
            "total_ci95": None if biased else measure.margin,
            "per_hand": measure.per_hand.mean,
            "per_hand_ci95": None if biased else measure.per_hand.half_width,
            "sd": measure.per_hand.sd,
            "hands": measure.per_hand.n,
            "hands_needed": measure.hands_needed,
        }
        for measure in measures
    }


def _costly_record(costly: CostlyStreet) -> dict[str, Any]:
    street = costly.judgement.streets[costly.street]
    return {
        "loss": costly.loss,
        **_hand_record(costly.seated, costly.judgement, costly.source),
        **_street_record(costly.seated, costly.street, street),
    }


def full_hand(seated: SeatedHand, judgement: HandJudgement, source: str) -> dict[str, Any]:
    """Returns a judged hand with all its streets in the form of JSON."""
    return {
        **_hand_record(seated, judgement, source),
        "luck": judgement.luck,
        "baseline_betting": judgement.baseline,
        "betting": judgement.betting,
        "divat": judgement.divat,
        "divat_roe": judgement.divat_roe,
        "evat": judgement.evat,
        "streets": [_street_record(seated, index, street) for index, street in enumerate(judgement.streets)],
    }
