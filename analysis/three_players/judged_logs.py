"""Judges the hands of logs of three-player limit hold'em: a report per table of three, and single hands in full."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.specs import PlayerSpec
from hedgehog.analysis.aivat.scorers import AivatScorers, aivat_scorers
from hedgehog.analysis.histories.hand_files import FileHand, HandFile
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.histories.hand_words import position_names
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.real_hands import told_results
from hedgehog.analysis.judging.hands import chip_unit
from hedgehog.analysis.judging.records import judge_document
from hedgehog.analysis.judging.session import HIDDEN_SHARE, Measure
from hedgehog.analysis.judging.settings import PUBLISHED, DivatSettings
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.three_players._share_kernels import PLAYERS
from hedgehog.analysis.three_players.judging import JudgedHand, ThreePlayerJudge, verify_judged_game
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import format_cards
from hedgehog.poker.streets import BOARD_CARDS, STREETS
from hedgehog.runtime.documents import csv_rows, csv_text
from hedgehog.runtime.errors import InputError, one_line
from hedgehog.runtime.table import Table, Value
from hedgehog.runtime.watch import SILENT, Watch

_PARTS: Final = ("luck", "baseline", "own", "others")
"""What the result of a player is made of, as in :meth:`JudgedHand.parts`."""
_STREET_COLUMNS: Final = (
    *("source", "hand", "player", "position", "cards", "street", "board", "betting", "baseline_betting", "aie"),
    *("pot_equity_before", "pot_equity_after", "baseline_equity", *_PARTS),
)
_DECISION_COLUMNS: Final = ("source", "hand", "street", "actor", "before", "action", "baseline", "player", "gain")

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Which hands are judged, and how."""

    player: str | None = None
    """Report on this player alone, and judge hands with it; None: on all three players."""
    numbers: Collection[int] = ()
    """Numbers of hands to return in full."""
    sessions: bool = True
    """Whether to judge all hands and report on them; False judges the hands in :attr:`numbers` alone."""
    first: int | None = None
    """Largest number of hands to judge of each three players."""
    num_costly: int = 5
    """Number of costly decisions to keep for each table of three."""
    settings: DivatSettings = PUBLISHED


ALL_HANDS: Final = TableOptions()
"""All hands, judged by the published policies."""


class FullHand(NamedTuple):
    """A judged hand with the log it comes from."""

    hand: LoggedHand
    judged: JudgedHand
    source: str
    """File and line."""


class CostlyDecision(NamedTuple):
    """A decision that lost its player much."""

    gain: float
    """What it gained against the baseline, below 0."""
    player: str
    source: str
    hand: int
    text: str


@dataclass(frozen=True, slots=True)
class TableReport:
    """What the hands of three players say about them."""

    players: tuple[str, ...]
    hands: int
    hidden: int
    """Number of hands left out because hole cards are unknown."""
    measures: Mapping[tuple[str], tuple[Measure, ...]]
    """(player,) -> its measures."""
    positions: Mapping[tuple[str, str], tuple[Measure, ...]]
    """(player, position) -> its measures there."""
    streets: Mapping[tuple[str, str], tuple[Measure, ...]]
    """(player, street) -> the parts of its result that belong to a street, over all hands."""
    costly: tuple[CostlyDecision, ...]

    @property
    def biased(self) -> bool:
        """True if so many hands have hidden cards that the totals do not stand for all hands."""
        return self.hidden > HIDDEN_SHARE * (self.hands + self.hidden)

    def table(self) -> Table:
        """Returns a row for every measure of every player, in all, at every position and on every street."""
        rows: list[tuple[Value, ...]] = []
        for scope in (self.measures, self.positions, self.streets):
            for key, measures in scope.items():
                player, part = key[0], key[1] if len(key) > 1 else None
                for one in measures:
                    mean = one.per_hand
                    ends = (None,) * 3 if self.biased else (mean.low, mean.high, one.hands_needed)
                    rows.append((player, part, one.name, mean.n, one.total, mean.mean, *ends))
        names = ("player", "part", "measure", "hands", "total", "per_hand", "ci95_low", "ci95_high", "hands_needed")
        return Table("measures", f"{', '.join(self.players)}, in small bets", names, tuple(rows))

    def document(self) -> dict[str, Any]:
        """Returns the report as JSON values."""
        return {
            "players": list(self.players), "unit": "SB", "hands": self.hands, "hidden": self.hidden,
            "biased": self.biased, "measures": self.table().records(),
            "costly": [one._asdict() for one in self.costly],
        }  # fmt: skip


@dataclass(slots=True)
class _Session:
    """Collects the judged hands of three players."""

    players: tuple[str, ...]
    options: TableOptions
    seen: int = 0
    hidden: int = 0
    _parts: list[Array] = field(default_factory=list)
    _results: list[Array] = field(default_factory=list)
    _aivat: list[Array] = field(default_factory=list)
    _positions: list[list[str]] = field(default_factory=list)
    _costly: list[tuple[float, int, CostlyDecision]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)

    def add(self, one: FullHand) -> None:
        names = one.hand.names.split("|")
        order = self._places(one)
        parts = np.zeros((len(STREETS), len(_PARTS), PLAYERS))
        found = one.judged.parts()
        parts[: len(found)] = found[:, :, order]
        self._parts.append(parts)
        self._results.append(one.judged.result[order])
        titles = position_names(one.hand.state.gamedef)
        self._positions.append([titles[position] for position in order])
        for decision in one.judged.decisions:
            player, gain = names[decision.position], float(decision.gains[decision.position])
            if gain > -1e-9 or self.options.player not in (None, player) or not self.options.num_costly:
                continue
            entry = (-gain, -next(self._order))
            if len(self._costly) >= self.options.num_costly and entry <= self._costly[0][:2]:
                continue
            cards = format_cards(one.hand.hole_cards[decision.position])
            board = format_cards(one.hand.board[: BOARD_CARDS[decision.street]])
            text = f"{STREETS[decision.street]}, {cards}{' on ' + board if board else ''}, {decision.text()}"
            costly = CostlyDecision(gain, player, one.source, one.hand.hand_id, text)
            heapq.heappush(self._costly, (*entry, costly))
            if len(self._costly) > self.options.num_costly:
                heapq.heappop(self._costly)

    def add_aivat(self, one: FullHand, chips: Sequence[float]) -> None:
        """Adds the AIVAT values of a hand by position; the hands come in the order of :meth:`add`."""
        self._aivat.append(np.array(chips)[self._places(one)] / chip_unit(one.hand.state.gamedef))

    def _places(self, one: FullHand) -> list[int]:
        """Returns the position of each player of the session in a hand."""
        names = one.hand.names.split("|")
        return [names.index(player) for player in self.players]

    def report(self) -> TableReport:
        """Returns the report on the hands added so far.

        :raises InputError: if the cards of no hand are known.
        """
        if not self._parts:
            hands = f"{self.hidden:,} hands of {', '.join(self.players)}"
            raise InputError(f"the hole cards of all players are known in none of the {hands}")
        parts, results, positions = np.stack(self._parts), np.stack(self._results), np.array(self._positions)
        values = {"result": results, **{name: parts[:, :, i].sum(axis=1) for i, name in enumerate(_PARTS)}}
        if self._aivat:
            values["aivat"] = np.stack(self._aivat)
        measures, by_position, by_street = {}, {}, {}
        for number, player in enumerate(self.players):
            if self.options.player not in (None, player):
                continue
            measures[player,] = tuple(_measure(name, one[:, number]) for name, one in values.items())
            for title in dict.fromkeys(positions[:, number].tolist()):
                at = positions[:, number] == title
                by_position[player, title] = tuple(_measure(name, one[at, number]) for name, one in values.items())
            for street, name in enumerate(STREETS):
                by_street[player, name] = tuple(
                    _measure(part, parts[:, street, i, number]) for i, part in enumerate(_PARTS)
                )
        costly = tuple(one for *_, one in sorted(self._costly, key=lambda entry: entry[:2], reverse=True))
        return TableReport(self.players, len(results), self.hidden, measures, by_position, by_street, costly)


def _measure(name: str, values: Array) -> Measure:
    return Measure(name, math.fsum(values), mean_estimate(values))


@dataclass(frozen=True, slots=True, repr=False)
class JudgedTables:
    """What was judged in logs of three players."""

    input: HandInput
    settings: DivatSettings
    reports: Sequence[TableReport]
    """One for every three players."""
    hands: Sequence[FullHand]
    """The hands asked for by their numbers."""

    def __repr__(self) -> str:
        """Returns the number of tables and of hands in one line."""
        hands = sum(report.hands for report in self.reports)
        return f"<JudgedTables: {len(self.reports)} tables of three, {hands:,} hands>"

    def document(self) -> dict[str, Any]:
        """Returns the reports, and the hands asked for in full, as a JSON document."""
        return judge_document(
            self.input,
            self.settings,
            (name for one in self.reports for name in one.players),
            [report.document() for report in self.reports],
            [
                {"source": one.source, "hand": one.hand.hand_id, "streets": _street_records(one)}
                | {"decisions": _decision_records(one)}
                for one in self.hands
            ],
        )


def judge_tables(
    found: HandInput,
    options: TableOptions = ALL_HANDS,
    *,
    strategies: Mapping[str, PlayerSpec] | None = None,
    records: Mapping[str, Path] | None = None,
    on_hand: Callable[[FullHand], None] = lambda one: None,
    watch: Watch = SILENT,
) -> JudgedTables:
    """Judges the hands of logs of three-player limit hold'em.

    :param found: the logs.
    :param strategies: specifications of players by name, for AIVAT.
    :param records: records of players' decisions by name, for AIVAT of a single log; empty: those beside the logs.
    :param on_hand: called with every judged hand.
    :param watch: hears of the progress, of hands left out and of what the records lack.
    :raises LogError: if a file cannot be read, or no hand can be judged.
    :raises InputError: if a hand or player that is asked for is not there.
    """
    scorers = aivat_scorers(found.files, strategies or {}, records or {})
    collected = _Tables(options, ThreePlayerJudge(options.settings), scorers, on_hand)
    found.visit(
        collected.add,
        watch,
        what="judging" if options.sessions else "reading",
        begin=(lambda file: None) if scorers is None else scorers.open,
        hidden_cards=True,
    )
    if not collected.sessions:
        raise InputError(f"no player {options.player!r}: expected {', '.join(sorted(collected.names))}")
    if scorers is not None:
        scorers.run(watch=watch)
        for session, one in collected.scored:
            session.add_aivat(one, scorers.next_values())
    if missing := sorted(set(options.numbers) - {one.hand.hand_id for one in collected.chosen}):
        raise InputError(f"no such hand: {', '.join(map(str, missing))}")
    reports, unknown = [], []
    for session in collected.sessions.values() if options.sessions else ():
        try:
            reports.append(session.report())
        except InputError as error:
            unknown.append(error)
    if options.sessions and not reports:
        raise unknown[0]
    for fault in unknown:
        watch.note(f"left out: {fault.message}")
    if scorers is not None and (note := scorers.missing_note()):
        watch.note(one_line(note))
    return JudgedTables(found, options.settings, reports, collected.chosen)


class _Tables:
    """Judges hands and sorts them by their three players."""

    def __init__(
        self,
        options: TableOptions,
        judge: ThreePlayerJudge,
        scorers: AivatScorers | None,
        on_hand: Callable[[FullHand], None],
    ) -> None:
        self._options, self._judge, self._scorers, self._on_hand = options, judge, scorers, on_hand
        self._wanted = set(options.numbers)
        self.sessions: dict[frozenset[str], _Session] = {}
        self.chosen: list[FullHand] = []
        self.names: set[str] = set()
        self.scored: list[tuple[_Session, FullHand]] = []
        """The hands that were given to the scorers, in this order."""

    def add(self, file: HandFile, entry: FileHand) -> None:
        """Adds a hand.

        :raises LeftOutError: if it cannot be judged.
        """
        hand, options = entry.hand, self._options
        try:
            verify_judged_game(hand.state.gamedef)
        except InputError:
            raise LeftOutError("another game than limit hold'em for three") from None
        names, _ = told_results(hand)
        self.names.update(names)
        if options.player is not None and options.player not in names:
            return
        session = self.sessions.setdefault(frozenset(names), _Session(names, options))
        if session.seen == options.first:
            return
        session.seen += 1
        if not options.sessions and hand.hand_id not in self._wanted:
            return
        if not all(hand.hole_cards):
            session.hidden += 1
            return
        try:
            judged = self._judge.judge(hand)
        except InputError as error:
            raise LeftOutError(error.message) from None
        one = FullHand(hand, judged, f"{file.path.name}:{entry.line}")
        if self._scorers is not None:
            self._scorers.score(hand)  # collects it
            self.scored.append((session, one))
        session.add(one)
        if hand.hand_id in self._wanted:
            self.chosen.append(one)
        self._on_hand(one)


def _street_records(one: FullHand) -> list[dict[str, Value]]:
    """Returns a record for every street of every player."""
    names, titles = one.hand.names.split("|"), position_names(one.hand.state.gamedef)
    parts = one.judged.parts()
    found = []
    for position, name in enumerate(names):
        head = (one.source, one.hand.hand_id, name, titles[position], format_cards(one.hand.hole_cards[position]))
        for street in one.judged.streets:
            cells: tuple[Value, ...] = (
                *head, STREETS[street.street], format_cards(one.hand.board[: BOARD_CARDS[street.street]]),
                street.line, street.baseline_line,
                *(float(each[position]) for each in (street.shares, street.before, street.after, street.baseline)),
                *parts[street.street, :, position].tolist(),
            )  # fmt: skip
            found.append(dict(zip(_STREET_COLUMNS, cells, strict=True)))
    return found


def _decision_records(one: FullHand) -> list[dict[str, Value]]:
    """Returns a record for every decision and player."""
    names = one.hand.names.split("|")
    found = []
    for each in one.judged.decisions:
        head = (one.source, one.hand.hand_id, STREETS[each.street], names[each.position], each.before, each.action)
        for name, gain in zip(names, each.gains.tolist(), strict=True):
            found.append(dict(zip(_DECISION_COLUMNS, (*head, each.baseline, name, gain), strict=True)))
    return found


def street_rows(one: FullHand | None = None) -> str:
    """Returns a CSV row per street and player of a hand, without a header; without a hand the header."""
    return _csv(_STREET_COLUMNS, None if one is None else _street_records(one))


def decision_rows(one: FullHand | None = None) -> str:
    """Returns a CSV row per decision and player of a hand, without a header; without a hand the header."""
    return _csv(_DECISION_COLUMNS, None if one is None else _decision_records(one))


def _csv(columns: Sequence[str], records: Sequence[Mapping[str, Value]] | None) -> str:
    if records is None:
        return csv_text(columns, [])
    return csv_rows([tuple(record.values()) for record in records], len(columns))
