"""Judges the hands of logs: one report per pair of players, and single hands in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgehog.agent.specs import PlayerSpec, parse_player_spec
from hedgehog.analysis.aivat.scorers import aivat_scorers
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import Judge, JudgedHands
from hedgehog.analysis.judging.judgement import HandJudgement, hand_judgement
from hedgehog.analysis.judging.records import full_hand, judge_document, session_record
from hedgehog.analysis.judging.session import Session, SessionReport
from hedgehog.analysis.judging.sessions import ALL_HANDS, AivatScout, JudgeOptions, SessionBatch, Sessions
from hedgehog.analysis.judging.settings import DivatSettings
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import InputError, one_line
from hedgehog.runtime.watch import SILENT, Watch

OnBatch = Callable[[SessionBatch, JudgedHands], None]


@dataclass(frozen=True, slots=True, repr=False)
class JudgedLogs:
    """What was judged in some logs."""

    input: HandInput
    """The files, and what was left out."""
    settings: DivatSettings
    reports: Sequence[SessionReport]
    """One per pair of players."""
    hands: Sequence[tuple[SeatedHand, HandJudgement, str]]
    """The hands asked for by their numbers, each with its file and line."""

    def __repr__(self) -> str:
        """Returns the number of sessions and of hands in one line."""
        hands = sum(report.hands for report in self.reports)
        return f"<JudgedLogs: {len(self.reports)} sessions, {hands:,} hands>"

    def document(self) -> dict[str, Any]:
        """Returns the reports, and the hands asked for in full, as a JSON document."""
        return judge_document(
            self.input,
            self.settings,
            (name for one in self.reports for name in (one.player, one.opponent)),
            [session_record(report) for report in self.reports],
            [full_hand(*chosen) for chosen in self.hands],
        )

    def page(self) -> str:
        """Returns the reports and the hands asked for as an HTML page."""
        from hedgehog.analysis.judging.page import render_judge_page

        return render_judge_page(self.reports, self.hands, [file.path.name for file in self.input.files])


def judge_logs(
    paths: Iterable[str | Path] | HandInput,
    options: JudgeOptions = ALL_HANDS,
    *,
    file_format: str | None = None,
    gamedef: GameDef | None = None,
    strategies: Mapping[str, PlayerSpec | str] | None = None,
    records: Mapping[str, Path] | None = None,
    on_batch: OnBatch = lambda batch, judged: None,
    watch: Watch = SILENT,
) -> JudgedLogs:
    """Judges heads-up hold'em hands of logs.

    :param paths: files, folders and zip archives, of which a file that is named twice counts once; or what has opened
        them, without ``file_format`` and ``gamedef``.
    :param file_format: one of :func:`~hedgehog.analysis.histories.hand_files.formats`; None detects it per file.
    :param gamedef: game of the hands; None takes the game from each file.
    :param strategies: specifications of players by name, for AIVAT.
    :param records: records of players' decisions by name, for AIVAT of a single log; empty: those beside the logs.
    :param on_batch: called with every batch of hands and its judgement.
    :param watch: hears of the progress, of hands left out and of what the records lack.
    :raises LogError: if a file cannot be read, or no hand can be judged.
    :raises InputError: if a hand or player that is asked for is not there, or an engine is given and no strategy for
        AIVAT is known.
    """
    found = paths if isinstance(paths, HandInput) else HandInput(map(Path, paths), file_format, gamedef)
    specs = {name: parse_player_spec(one) if isinstance(one, str) else one for name, one in (strategies or {}).items()}
    scorers = aivat_scorers(found.files, specs, records or {})
    if options.engine is not None and scorers is None:
        raise InputError(
            "no strategy is known for AIVAT, the only work for several processes: expected --strategy or --record, or "
            "neither --jobs nor --dask"
        )
    wanted = set(options.numbers)
    chosen: list[tuple[SeatedHand, HandJudgement, str]] = []

    def keep(batch: SessionBatch, judged: JudgedHands) -> None:
        on_batch(batch, judged)
        for index, seated in enumerate(batch.hands):
            if seated.hand.hand_id in wanted:
                chosen.append((seated, hand_judgement(judged, index, seated), batch.sources[index]))

    heroes = [name for file in found.files for name in file.dealt_players]
    if scorers is not None:
        scout = AivatScout(options, heroes, scorers.score)
        found.afresh().visit(scout.add, begin=scorers.open, hidden_cards=True)
        with nullcontext() if options.engine is None else options.engine() as engine:
            scorers.run(engine, watch)
    collected = Sessions(
        Judge(options.settings, roll_out=options.roll_out, preflop_boards=options.preflop_boards, seed=options.seed),
        options,
        heroes=heroes,
        score=None if scorers is None else scorers.score,
        on_batch=keep,
    )
    found.visit(
        collected.add,
        watch,
        what="judging" if options.sessions else "reading",
        begin=(lambda file: None) if scorers is None else scorers.open,
        hidden_cards=True,
    )
    finished = collected.finish()
    reports = _reports(finished, watch) if options.sessions else []
    if missing := sorted(wanted - {seated.hand.hand_id for seated, _, _ in chosen}):
        raise InputError(f"no such hand: {', '.join(map(str, missing))}")
    if scorers is not None and (note := scorers.missing_note()):
        watch.note(one_line(note))
    return JudgedLogs(found, options.settings, reports, chosen)


def _reports(sessions: Iterable[Session], watch: Watch) -> list[SessionReport]:
    """Returns the reports on all pairs with a judged hand; the watch hears of the others.

    :raises InputError: if no hand was judged.
    """
    reports: list[SessionReport] = []
    unknown: list[InputError] = []
    for session in sessions:
        try:
            reports.append(session.report())
        except InputError as error:
            unknown.append(error)
    if not reports:
        raise unknown[0]
    for one in unknown:
        watch.note(f"left out: {one.message}")
    return reports
