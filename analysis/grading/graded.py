"""The graded hands of a player: totals, streets, leaks, and the documents they are written to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.hand import GradedHand
from hedgehog.analysis.grading.leaks import MIN_DECISIONS, Leak, find_leaks, leak_table
from hedgehog.analysis.grading.options import ACCUSED, LEAST_SHARE, UNSURE, VERDICTS, GradeOptions
from hedgehog.analysis.grading.reasons import HIDDEN
from hedgehog.analysis.grading.spots import at_spot, verify_spot
from hedgehog.analysis.grading.terms import Terms
from hedgehog.analysis.grading.words import betting_text, taken_text
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import MISSING, Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_HIDDEN: Final = 0.005
"""If the cards of more hands than this are unknown, the others are no random sample, and there are no totals."""
GROUPS: Final = (
    "street", "position", "pot_type", "role", "facing", "action", "hand_kind", "opponent", "verdict", "source",
    "betting", "texture", "spr", "month",
)  # fmt: skip
"""What losses can be added up by."""
_MEANS: Final = ("loss_bb", "versus_bb", "baseline_bb")
_MBB: Final = 1000
_SHORT: Final = {"inaccuracy": "inacc.", "mistake": "mist.", "blunder": "blund."}
"""Headings of verdicts."""


@dataclass(frozen=True, slots=True)
class GradedHands(Shown):
    """All hands of a player, graded against our player."""

    options: GradeOptions
    hands: tuple[GradedHand, ...]
    left_out: tuple[str, ...]
    """A line for each kind of hands that were not graded at all."""

    @property
    def counted(self) -> tuple[GradedHand, ...]:
        """The hands whose cards are known, with ranges of their own stacks, which totals are made of."""
        return tuple(hand for hand in self.own if hand.known)

    @property
    def own(self) -> tuple[GradedHand, ...]:
        """The hands whose stacks the packs have."""
        return tuple(hand for hand in self.hands if not hand.borrowed)

    @property
    def has_totals(self) -> bool:
        """Whether the hands with known cards are all but a few."""
        return bool(self.counted) and len(self.own) - len(self.counted) <= MOST_HIDDEN * len(self.own)

    @property
    def why_no_totals(self) -> str:
        """Why there are no totals, as a sentence; empty if there are."""
        if self.has_totals:
            return ""
        return (
            "the cards of too many hands are unknown: no totals" if self.own else "all ranges are borrowed: no totals"
        )

    def decisions(self, street: str | None = None, *, own: bool = False) -> list[Decision]:
        """Returns the decisions of all hands, or those of one street.

        :param own: of hands whose stacks the packs have alone.
        """
        hands = self.own if own else self.hands
        return [d for hand in hands for d in hand.decisions if street in (None, d.street)]

    def worst(self, number: int) -> list[Decision]:
        """Returns the decisions that surely cost most: by the loss less its error. Those that are fine are left out."""
        graded = [d for d in self.decisions() if d.verdict in (*ACCUSED, UNSURE)]
        graded.sort(key=lambda d: (-((d.loss_bb or 0) - (d.error_bb or 0)), d.source, d.line, d.ordinal))
        return graded[:number]

    def leaks(self, min_decisions: int = MIN_DECISIONS) -> list[Leak]:
        """Returns the kinds of decisions by what they cost; none without totals.

        :param min_decisions: kinds with fewer decisions are left out.
        """
        return find_leaks(self.counted, min_decisions) if self.has_totals else []

    def mean(self, name: str, street: str | None = None) -> Estimate:
        """Returns the mean per hand, in mbb, of a column of the decisions, over all hands with known cards.

        :param name: ``loss_bb``, ``versus_bb`` or ``baseline_bb``.
        :param street: decisions of this street alone.
        """
        return mean_estimate([_MBB * _total(hand.decisions, name, street) for hand in self.counted])

    def terms(self) -> Terms:
        """Returns the means of the terms of all hands with known cards, in big blinds per hand."""
        total = Terms()
        for hand in self.counted:
            total.add(hand.terms)
        return Terms(*(value / len(self.counted) for value in total.document().values()))

    def not_graded(self) -> list[tuple[str, int, float]]:
        """Returns each reason for which decisions are not graded: how many, and the mbb per hand that they would be.

        Where a loss was computed that does not count, it is in the last number.
        """
        found: Counter[str] = Counter()
        naive: dict[str, float] = {}
        for decision in self.decisions():
            if not decision.graded:
                found[decision.reason] += 1
        for decision in self.decisions(own=True):
            if not decision.graded:
                naive[decision.reason] = naive.get(decision.reason, 0.0) + (decision.loss_bb or 0.0)
        hands = max(1, len(self.own))
        return [(reason, n, _MBB * naive.get(reason, 0.0) / hands) for reason, n in found.most_common()]

    def translated(self) -> tuple[int, int, float]:
        """Returns what real sizes before the flop leave open: how many raises the preflop table lacks, of how many, and
        half the difference between the EVs of the two sizes next to them, added up, in mbb per hand."""
        raises = [d for d in self.decisions("preflop", own=True) if d.graded and d.size_pct is not None]
        left_open = sum(d.translation_bb or 0.0 for d in raises)
        return sum(d.translated for d in raises), len(raises), _MBB * left_open / max(1, len(self.own))

    def summary(self) -> str:
        """Returns whose hands they are, how many, and what was lost."""
        head = f"{self.options.player}, {_hands(len(self.own))} graded against our player"
        if self.options.spot:
            head += f", spot {self.options.spot!r} alone"
        if self.options.since is not None:
            head += f", since {self.options.since.isoformat()}"
        if not self.has_totals or not any(d.graded for d in self.decisions(own=True)):
            return head
        loss = self.mean("loss_bb")
        return f"{head}, loss {loss.mean:,.1f} mbb/hand"

    def table(self) -> Table:
        """Returns a row for all decisions and one for each street: losses, *versus*, what our player is charged."""
        rows = []
        for street in (None, *STREETS):
            graded = [d for d in self.decisions(street, own=True) if d.graded]
            if not graded:
                continue
            counts = Counter(d.verdict for d in graded)
            means = [self.mean(name, street) for name in _MEANS] if self.has_totals else [None] * len(_MEANS)
            ends = [None if one is None or not one.has_interval else one.half_width for one in means]
            mean, versus, charge = (None if one is None else one.mean for one in means)
            shares = [100 * counts[verdict] / len(graded) for verdict in VERDICTS]
            trivial = sum(d.trivial for d in graded)
            telling = [d.loss_bb or 0.0 for d in graded if not d.trivial]
            each = _MBB * sum(telling) / len(telling) if telling else None
            compared = (versus, ends[1], charge)
            rows.append((street or "all", mean, ends[0], *compared, len(graded), trivial, each, *shares))

        def one(value: float | None) -> str:
            return MISSING if value is None else f"{value:,.0f}" if abs(value) >= _MBB else f"{value:.1f}"

        columns = [
            Column("street", ""), Column("mbb_per_hand", "mbb/hand", text=one), Column("ci95", "± 95 %", text=one),
            Column("versus", shown=False), Column("versus_ci95", shown=False), Column("our_player", shown=False),
            Column("decisions", "graded"), Column("trivial", shown=False), Column("mbb_per_decision", shown=False),
            *(Column(name, _SHORT.get(name, name), text=lambda value: f"{value:.0f} %") for name in VERDICTS),
        ]  # fmt: skip
        return Table("losses", self.summary(), columns, tuple(rows))

    def borrowed_line(self) -> str:
        """Returns what hands with borrowed ranges lost, which are not in the totals; empty without such hands."""
        hands = [hand for hand in self.hands if hand.borrowed]
        if not hands:
            return ""
        graded = [d for hand in hands for d in hand.decisions if d.graded]
        accused = sum(d.verdict in ACCUSED for d in graded)
        lost = _MBB * sum(d.loss_bb or 0.0 for d in graded) / len(hands)
        return (
            f"borrowed ranges, not in the totals: {_hands(len(hands))}, {len(graded):,} decisions graded, "
            f"{accused:,} of them accused, {lost:,.1f} mbb/hand"
        )

    def at_spot(self, spot: str) -> GradedHands:
        """Returns the same hands with the decisions at a spot alone; others are not graded.

        :param spot: words of the kind of a decision, such as ``river BB 3-bet``.
        :raises InputError: if no decision is at such a spot.
        """
        verify_spot(self.decisions(), spot)
        hands = []
        for hand in self.hands:
            terms = replace(hand.terms)
            hands.append(replace(hand, terms=terms, decisions=at_spot(hand.decisions, terms, spot)))
        return replace(self, options=replace(self.options, spot=spot), hands=tuple(hands))

    def since_day(self, since: date) -> GradedHands:
        """Returns the hands that were played on a day or later.

        :raises InputError: if there are none.
        """
        day = since.isoformat()
        hands = tuple(hand for hand in self.hands if hand.date >= day)
        if not hands:
            told = any(hand.date for hand in self.hands)
            why = f"no hand was played on {day} or later" if told else "no hand tells the day on which it was played"
            raise InputError(why, source="--since")
        return replace(self, options=replace(self.options, since=since), hands=hands)

    def by(self, fields: Sequence[str], min_decisions: int = MIN_DECISIONS) -> Table:
        """Returns the losses of graded decisions by what they have in common, the largest first.

        :param fields: columns of the decisions, some of :data:`GROUPS`.
        :param min_decisions: groups with fewer decisions are left out.
        """
        groups: dict[tuple[str, ...], list[Decision]] = {}
        for hand in self.counted:
            for d in hand.decisions:
                if d.graded:
                    groups.setdefault(tuple(str(getattr(d, name)) or MISSING for name in fields), []).append(d)
        rows = []
        for key, found in groups.items():
            if len(found) >= min_decisions:
                lost, ours = (sum(getattr(d, name) or 0.0 for d in found) for name in ("loss_bb", "baseline_bb"))
                per_hand = [_MBB * total / len(self.counted) for total in (lost, lost - ours)]
                rows.append((*key, len(found), *per_hand, lost / len(found)))
        rows.sort(key=lambda row: (-float(row[-3]), row))
        columns = [
            *(Column(name) for name in fields), Column("decisions"),
            Column("mbb_per_hand", "mbb/hand", text=lambda value: f"{value:.1f}"),
            Column("beyond_ours", "beyond ours", text=lambda value: f"{value:+.1f}"),
            Column("bb_per_decision", "BB each", text=lambda value: f"{value:.2f}"),
        ]  # fmt: skip
        return Table("groups", f"Losses by {', '.join(fields)}", columns, tuple(rows))

    def terms_line(self) -> str:
        """Returns the line that adds up, in mbb per hand."""
        return terms_text(self.terms(), _MBB, 0)

    def versus_lines(self) -> tuple[str, str]:
        """Returns what the player wins more than our player's mixture, and what that is charged, in mbb per hand."""
        versus, charge = self.mean("versus_bb"), self.mean("baseline_bb")
        interval = f" ± {versus.half_width:,.1f}" if versus.has_interval else ""
        return (
            f"versus our player {versus.mean:+,.1f}{interval} mbb/hand",
            f"our player, same decisions: {charge.mean:,.1f} mbb/hand (what the grader charges a sound player)",
        )

    def worst_table(self, number: int) -> Table:
        """Returns the costliest decisions as a table."""
        columns = [
            Column("hand"), Column("street"), Column("betting", shown=False), Column("board"), Column("cards"),
            Column("action"), Column("best"), Column("loss_bb", "BB", text=lambda value: f"{value:.2f}"),
            Column("error_bb", "±", text=lambda value: f"{value:.2f}"), Column("verdict"),
        ]  # fmt: skip
        rows = tuple(
            (
                d.hand,
                d.street,
                d.betting,
                d.board,
                d.cards,
                _bare(taken_text(d)),
                _bare(d.best),
                d.loss_bb,
                d.error_bb,
                d.verdict,
            )
            for d in self.worst(number)
        )
        return Table("worst", "Costliest decisions, amounts in big blinds", columns, rows)

    def document(
        self, *, worst: int = 20, numbers: Sequence[int] = (), min_decisions: int = MIN_DECISIONS
    ) -> dict[str, Any]:
        """Returns everything as a JSON document.

        :param worst: number of costliest decisions.
        :param numbers: hands whose decisions are in the document in full.
        :param min_decisions: least decisions of a leak.
        """
        totals = {}
        if self.has_totals:
            for name in _MEANS:
                found = self.mean(name)
                totals[name.removesuffix("_bb")] = {"mbb_per_hand": found.mean, "low": found.low, "high": found.high}
        return json_document(
            "grading",
            players=[self.options.player],
            depth=self.options.depth,
            since=None if self.options.since is None else self.options.since.isoformat(),
            spot=self.options.spot,
            hands=len(self.own),
            hidden=len(self.own) - len(self.counted),
            borrowed=len(self.hands) - len(self.own),
            totals=totals,
            terms_bb_per_hand=self.terms().document() if self.has_totals else None,
            streets=self.table().records(),
            leaks=leak_table(self.leaks(min_decisions)).records(),
            translated=dict(
                zip(("raises_translated", "raises", "left_open_mbb_per_hand"), self.translated(), strict=True)
            ),
            not_graded=[{"reason": r, "decisions": n, "naive_mbb_per_hand": x} for r, n, x in self.not_graded()],
            left_out=list(self.left_out),
            worst=[decision.document() for decision in self.worst(worst)],
            per_hand=[
                {"source": hand.source, "line": hand.line, "hand": hand.hand, **hand.terms.document()}
                for hand in self.hands
            ],
            shown=[
                {"hand": hand.hand, "decisions": [d.document() for d in hand.decisions]}
                for hand in self.hands
                if hand.hand in numbers
            ],
        )

    def rows(self) -> list[dict[str, Any]]:
        """Returns a row per decision, for CSV."""
        return [decision.row() for decision in self.decisions()]

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the losses by street as bars and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed; the message says what to install.
        """
        return self.table().plot(axes, column="mbb_per_hand")


def _hands(number: int) -> str:
    return f"{number:,} hand" + "s" * (number != 1)


def _bare(action: str) -> str:
    """Returns an action in words without its unit, for tables in big blinds."""
    return action.removesuffix(" BB")


def _share_text(share: float | None) -> str:
    """Returns a share in percent, short enough for a table."""
    if share is None:
        return MISSING
    return "<0.1 %" if 0 < share < LEAST_SHARE else f"{100 * share:.{0 if share >= 0.1 else 1}f} %"


def terms_text(terms: Terms, scale: float = 1, decimals: int = 2) -> str:
    """Returns the line that adds up as text."""

    def shown(value: float) -> str:
        return f"{scale * value:+,.{decimals}f}"

    return (
        f"result {shown(terms.result)} = value {shown(terms.value)} + not graded {shown(terms.ungraded)}"
        f" + luck cards {shown(terms.luck_cards)} + luck opponent {shown(terms.luck_opponent)}"
        f" + seam {shown(terms.seam)} - losses {scale * terms.losses:,.{decimals}f}"
    )


def _total(decisions: Iterable[Decision], name: str, street: str | None) -> float:
    return sum(
        getattr(d, name) or 0.0 for d in decisions if d.graded and d.reason != HIDDEN and street in (None, d.street)
    )


def hand_table(hand: GradedHand) -> Table:
    """Returns the decisions of one hand as a table; :func:`action_lines` has the EVs."""
    columns = [
        Column("number", "#"), Column("street"), Column("pot", text=lambda value: f"{value:.1f}"), Column("action"),
        Column("loss"), Column("best"), Column("freq", "we do"), Column("share"), Column("verdict"),
    ]  # fmt: skip
    rows = []
    for d in hand.decisions:
        loss = MISSING if d.loss_bb is None else f"{d.loss_bb:.2f} ± {d.error_bb:.2f}"
        freq, share = _share_text(d.freq), _share_text(d.share)
        best = _bare(d.best) or MISSING
        rows.append((d.ordinal + 1, d.street, d.pot_bb, _bare(taken_text(d)), loss, best, freq, share, d.verdict))
    cards = next((f" with {d.cards}" for d in hand.decisions if d.cards), "")
    place = f"hand {hand.hand} ({hand.source}:{hand.line})"
    title = f"{place}, {('big blind', 'button')[hand.position]}{cards} against {hand.opponent}, amounts in big blinds"
    return Table("hand", title, columns, tuple(rows))


def action_lines(hand: GradedHand) -> list[str]:
    """Returns lines for each decision: what was done before it on its street, and EV and our frequency of every action.

    Amounts are in big blinds.
    """
    lines = []
    for d in hand.decisions:
        lines.append(f"{d.ordinal + 1}. {betting_text(d, street_only=True)}")
        if not d.graded:
            lines.append(f"   not graded: {d.reason}")
        if d.actions:
            evs = ", ".join(f"{d.named(name)} {ev:+.2f} ({100 * freq:.0f} %)" for name, (ev, freq) in d.actions.items())
            lines.append(f"   {d.source_of_values}: {evs}")
        if d.caution:
            lines.append(f"   {d.caution}")
    return lines
