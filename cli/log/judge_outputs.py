"""The files of ``hedgehog judge``: JSON, a CSV row per hand and street, and the picture of the curves."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from hedgehog.cli.log.judge_view import report_names
from hedgehog.cli.outputs import open_output
from hedgehog.poker.acpc.gamedef import shipped_name
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import csv_rows, csv_text, json_document

if TYPE_CHECKING:
    from hedgehog.analysis.histories.hand_files import HandFile
    from hedgehog.analysis.histories.left_out import LeftOutHands
    from hedgehog.analysis.judging.hands import SeatedHand
    from hedgehog.analysis.judging.judge import JudgedHands
    from hedgehog.analysis.judging.judgement import HandJudgement, StreetJudgement
    from hedgehog.analysis.judging.session import CostlyStreet, Measure, SessionReport
    from hedgehog.analysis.judging.sessions import Batch
    from hedgehog.analysis.judging.settings import DivatSettings

_MAX_CURVE_POINTS: Final = 2_000
"""Most points of a curve in the JSON document."""
_HAND_COLUMNS: Final = ("source", "hand", "player", "opponent", "position", "cards", "opponent_cards", "result")
_STREET_COLUMNS: Final = (
    "street", "board", "ihr", "seven_card", "opponent_ihr", "opponent_seven_card", "aie", "net_before", "lfat",
    "actual", "actual_equity", "baseline", "baseline_equity", "round_ev", "fold_equity", "divat", "open_line", "evat",
    "actual_roe", "baseline_roe", "divat_roe",
)  # fmt: skip
_COLUMNS: Final = (*_HAND_COLUMNS, *_STREET_COLUMNS)


class HandRows(AbstractContextManager["HandRows"]):
    """Writes a CSV row for every street of every judged hand. The file appears when the block ends without an error.

    :param path: the file, claimed; None writes nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stack = contextlib.ExitStack()
        self._stream: BinaryIO | None = None

    def __enter__(self) -> HandRows:
        if self._path is not None:
            self._stream = self._stack.enter_context(open_output(self._path))
            self._write(csv_text(_COLUMNS, []))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)

    def add(self, batch: Batch, judged: JudgedHands) -> None:
        """Writes the rows of a batch."""
        if self._stream is None:
            return
        from hedgehog.analysis.judging.judgement import hand_judgement

        rows: list[Sequence[object]] = []
        for index, seated in enumerate(batch.hands):
            judgement = hand_judgement(judged, index, seated)
            head = [*_hand_record(seated, judgement, batch.sources[index]).values()]
            rows += [
                [*head, *_street_record(seated, place, street).values()]
                for place, street in enumerate(judgement.streets)
            ]
        self._write(csv_rows(rows, len(_COLUMNS)))

    def _write(self, text: str) -> None:
        assert self._stream is not None
        self._stream.write(text.encode(errors="backslashreplace"))


def _hand_record(seated: SeatedHand, judgement: HandJudgement, source: str) -> dict[str, object]:
    from hedgehog.analysis.histories.hand_words import heads_up_position

    hand = seated.hand
    names = hand.names.split("|")
    other = 1 - seated.position
    values = (
        source,
        hand.hand_id,
        names[seated.position],
        names[other],
        heads_up_position(hand.state.gamedef, seated.position),
        format_cards(hand.hole_cards[seated.position]),
        format_cards(hand.hole_cards[other]),
        judgement.result,
    )
    return dict(zip(_HAND_COLUMNS, values, strict=True))


def _street_record(seated: SeatedHand, index: int, street: StreetJudgement) -> dict[str, object]:
    from hedgehog.poker.streets import BOARD_CARDS

    values = (
        street.street, format_cards(seated.hand.board[: BOARD_CARDS[index]]), street.ihr[0], street.seven_card[0],
        street.ihr[1], street.seven_card[1], street.aie, street.net_before, street.lfat, street.actual,
        street.actual_equity, street.baseline, street.baseline_equity, street.round_ev, street.fold_equity,
        street.divat, street.open_line, street.evat, street.actual_roe, street.baseline_roe, street.divat_roe,
    )  # fmt: skip
    return dict(zip(_STREET_COLUMNS, values, strict=True))


def judge_document(
    files: Sequence[HandFile],
    reports: Sequence[SessionReport],
    hands: Sequence[tuple[SeatedHand, HandJudgement, str]],
    settings: DivatSettings,
    left_out: LeftOutHands,
) -> dict[str, Any]:
    """Returns the reports, and the hands asked for in full, as a JSON document.

    ``game`` and ``seed`` are null unless all files agree on them.
    """
    games = {None if file.gamedef is None else shipped_name(file.gamedef) for file in files}
    seeds = {file.seed for file in files}
    return json_document(
        "judge",
        game=games.pop() if len(games) == 1 else None,
        seed=seeds.pop() if len(seeds) == 1 else None,
        players=report_names(reports),
        settings=asdict(settings),
        sessions=[_session_record(report) for report in reports],
        hands=[_full_hand(*chosen) for chosen in hands],
        left_out=left_out.document(),
    )


def _session_record(report: SessionReport) -> dict[str, Any]:
    step = math.ceil(report.hands / _MAX_CURVE_POINTS)
    shown = [*range(step - 1, report.hands, step)]
    if shown[-1:] != [report.hands - 1]:
        shown.append(report.hands - 1)
    return {
        "player": report.player,
        "opponent": report.opponent,
        "unit": report.unit,
        "hands": report.hands,
        "hidden": report.hidden,
        "hidden_result": report.hidden_result,
        "biased": report.biased,
        "measures": _measures(report.measures, report.biased),
        "positions": {name: _measures(measures, report.biased) for name, measures in report.positions.items()},
        "streets": {name: _measures(measures, report.biased) for name, measures in report.streets.items()},
        "curves": {
            "hands": [index + 1 for index in shown],
            **{name: curve[shown].tolist() for name, curve in report.curves.items()},
        },
        "costly_streets": [_costly_record(costly) for costly in report.costly],
    }


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


def _full_hand(seated: SeatedHand, judgement: HandJudgement, source: str) -> dict[str, Any]:
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


def write_plot(path: Path, reports: Sequence[SessionReport]) -> None:
    """Writes the curves of all sessions as one picture, SVG or PNG by the name of the file."""
    from hedgehog.analysis.judging.plots import draw_sessions

    svg, png = draw_sessions(reports)
    with open_output(path) as stream:
        stream.write(png if path.suffix.lower() == ".png" else svg)
