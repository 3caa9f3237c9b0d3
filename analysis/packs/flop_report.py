"""A report on a flop pack: EV, equity and the frequency of every action, per flop and over all flops by weight.

Flops count with the probability that they are dealt after the preflop line: the number of flops in the class times the
mass of the flop (:mod:`hedgehog.analysis.packs.flop_figures`). A weight in the pack or in a subset takes the place of
the number of flops.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.packs.flop_figures import DEFAULT_RUNOUTS, FlopEvaluator, LineFigures
from hedgehog.analysis.packs.flop_lines import FIRST, Decision, FlopPack, ReportLine, flop_pack_of
from hedgehog.poker.acpc.gamedef import parse_gamedef, shipped_name
from hedgehog.poker.isomorphism import class_name, flop_representative
from hedgehog.poker.textures import KINDS, TextureTerm, flop_textures, parse_textures
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GamedefError, InputError
from hedgehog.runtime.table import Table
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.strategies.flop_subsets import FlopSubset, find_flop_subset
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.pack_games import depth_of_pack, pack_of_depth

PLAYERS: Final = ("oop", "ip")
ALL_DECISIONS: Final = "all"
DEFAULT_TERMS: Final = (
    *(TextureTerm(name, (name,)) for name in (*KINDS["suits"], *KINDS["pairs"], *KINDS["high card"])),
    TextureTerm("connected", ("connected",)),
)
"""Groups of flops that are reported if the user names no texture."""


@dataclass(frozen=True, slots=True)
class Average:
    """Figures over a group of flops of one line, by weight."""

    name: str
    flops: int
    """Number of flop classes."""
    share: float
    """Probability that the flop is of the group, given the preflop line."""
    equity: float
    """Equity of OOP, 0 to 1."""
    ev: float
    """EV of OOP in pots; NaN if it is not known."""
    ev_error: float
    """Standard error of ``ev``; 0 if it is exact."""
    exploitability: float
    """Percent of the pot; NaN if it is not known."""
    reach: tuple[float, ...]
    """Probability that the hand comes to each reported decision."""
    frequencies: tuple[tuple[float, ...], ...]
    """Frequency of every action at each reported decision; NaN where the decision is never reached."""

    @property
    def realised(self) -> float:
        """EV divided by equity; NaN without equity."""
        return self.ev / self.equity if self.equity else float("nan")


@dataclass(frozen=True)
class LineReport:
    """The report on one preflop line."""

    figures: LineFigures
    """Figures of all flops that the averages count."""
    counts: NDArray[np.float64]
    """(C,) number of flops in each class, or its weight in a subset."""
    chosen: tuple[int, ...]
    """Places of the reported decisions among those of the line."""
    terms: tuple[TextureTerm, ...]
    """Groups of flops."""
    filtered: bool
    """Whether only flops that fit one of the terms are listed."""

    @property
    def line(self) -> ReportLine:
        """The preflop line that is reported on."""
        return self.figures.line

    @property
    def decisions(self) -> list[Decision]:
        """The decisions on the flop that are reported on, in the order of the line's nodes."""
        return [self.line.decisions[place] for place in self.chosen]

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """(C,) probability of each flop class given the line; they add up to 1."""
        found = self.counts * self.figures.mass
        return found / max(float(found.sum()), 1e-300)

    @cached_property
    def frequencies(self) -> list[NDArray[np.float64]]:
        """(C, actions) frequency of every action at each reported decision; NaN where it is never reached."""
        return [_rows(self.figures.shares[:, self.figures.columns(place)]) for place in self.chosen]

    @cached_property
    def reach(self) -> list[NDArray[np.float64]]:
        """(C,) probability that the hand comes to each reported decision."""
        return [self.figures.shares[:, self.figures.columns(place)].sum(axis=1) for place in self.chosen]

    @cached_property
    def listed(self) -> NDArray[np.bool_]:
        """(C,) the flops that fit one of the terms, or all flops if the user names no texture."""
        if not self.filtered:
            return np.ones(len(self.counts), dtype=np.bool_)
        return np.asarray(np.any([self._fits(term) for term in self.terms], axis=0))

    def _fits(self, term: TextureTerm) -> NDArray[np.bool_]:
        return term.classes()[self.figures.classes]

    def average(self, name: str, chosen: NDArray[np.bool_] | None = None) -> Average:
        """Returns the figures over a group of flops.

        :param name: name of the group.
        :param chosen: (C,) the group; None for all flops.
        """
        figures = self.figures
        inside = np.ones(len(self.counts), dtype=np.bool_) if chosen is None else chosen
        inside = inside & (figures.mass > 0)
        weights = self.weights[inside]
        share = float(weights.sum())
        part = weights / share if share > 0 else weights

        def mean(values: NDArray[np.float64]) -> float:
            return float(part @ values[inside]) if share > 0 else float("nan")

        of_actions = [part @ figures.shares[inside][:, figures.columns(place)] for place in self.chosen]
        return Average(
            name,
            int(np.count_nonzero(inside)),
            share,
            mean(figures.equity),
            mean(figures.ev),
            float(np.sqrt((part**2) @ (figures.ev_error[inside] ** 2))),
            mean(figures.exploitability),
            tuple(float(shares.sum()) for shares in of_actions),
            tuple(tuple(_rows(shares[None])[0].tolist()) for shares in of_actions),
        )

    @cached_property
    def over_all(self) -> Average:
        """The figures over all flops."""
        return self.average("all")

    @cached_property
    def groups(self) -> list[Average]:
        """The figures of every term that a flop of the pack fits, then of all listed flops if there are several."""
        found = [self.average(term.text, self._fits(term)) for term in self.terms if self._fits(term).any()]
        if self.filtered and len(self.terms) > 1:
            found.append(self.average("any of these", self.listed))
        return found


@dataclass(frozen=True, slots=True)
class FlopReport:
    """The report on a flop pack."""

    pack: FlopPack
    lines: tuple[LineReport, ...]
    runouts: int
    """Sampled run-outs behind the EV of each flop; 0 if no EV is estimated."""
    subset: str | None
    """Name of the subset whose weights are used; None if classes count by their flops."""
    seed: int | None = None
    """Seed of the run-outs; None without run-outs."""


def report_pack(  # noqa: PLR0913
    path: str | os.PathLike[str],
    lines: Sequence[str] = (),
    textures: Sequence[str] = (),
    flops: str | None = None,
    *,
    depth: float | None = None,
    runouts: int = DEFAULT_RUNOUTS,
    threads: int | None = None,
    seed: int = 1,
    watch: Watch = SILENT,
) -> FlopReport:
    """Returns the report on the flop pack at a path, which may be a folder of packs with a flop pack among them.

    :param lines: lines and decisions as :func:`choose_lines` reads them; empty for the first decisions of all lines.
    :param textures: texture filters, such as ``paired,ace-high+rainbow``.
    :param flops: size or file of a subset of flops; None for all flops of the pack.
    :param depth: which of several flop packs, by its depth in big blinds; None for the one whose depth is nearest to
        that of the default game.
    :param runouts: sampled run-outs behind the EV of each flop of a quick pack; 0 for no EV.
    :param threads: number of threads; None for all processors.
    :param seed: seed of the run-outs.
    :raises InputError: if it is no flop pack or lacks what is asked for, or a filter or subset is wrong.
    """
    terms = texture_terms(textures)
    subset = None if flops is None else find_flop_subset(flops)
    pack = flop_pack_of(open_pack(pack_of_depth(path, "flops", depth)))
    chosen = choose_lines(pack, lines)
    evaluator = FlopEvaluator(pack, runouts=runouts, threads=threads, seed=seed)
    reports = report_lines(evaluator, chosen, terms, subset, watch)
    used = runouts if pack.quick is not None else 0
    return FlopReport(pack, reports, used, None if subset is None else subset.name, seed if used else None)


def _rows(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns rows scaled to a sum of 1; NaN where the sum is 0."""
    total = shares.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(shares, total, out=np.full_like(shares, np.nan), where=total > 1e-12))


def choose_lines(pack: FlopPack, texts: Sequence[str]) -> list[tuple[ReportLine, tuple[int, ...]]]:
    """Returns the lines to report on, each with the places of the decisions to report on.

    :param texts: lines as a user writes them: ``R250 C`` for the first decision of OOP and that of IP after a check,
        ``R250 C / X B165`` for one decision, ``R250 C / all`` for all; or ``r250c``, ``r250c/kr165``, ``r250c/all``.
        Empty for all lines.
    :raises InputError: if the pack has no such line or decision.
    """
    chosen: dict[str, set[int]] = {}
    for text in texts or [line.betting for line in pack.lines]:
        head, slash, flop = text.partition("/")
        if flop.strip().lower() == ALL_DECISIONS:
            line, flop = pack.line(head.strip()), ALL_DECISIONS
        else:
            preflop, flop = pack.split(text.strip())
            slash = slash or flop
            line = pack.line(preflop)
        names = [decision.name for decision in line.decisions]
        wanted: list[str]
        if not slash:
            wanted = [name for name in (FIRST, "k") if name in names]
        elif flop == ALL_DECISIONS:
            wanted = names
        elif (flop or FIRST) in names:
            wanted = [flop or FIRST]
        else:
            shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            source = str(pack.pack.folder)
            raise InputError(
                f"line {line.betting}: there is no decision {flop!r} on the flop, it has {shown}", source=source
            )
        chosen.setdefault(line.betting, set()).update(names.index(name) for name in wanted)
    return [(line, tuple(sorted(chosen[line.betting]))) for line in pack.lines if line.betting in chosen]


def class_weights(line: ReportLine, subset: FlopSubset | None) -> NDArray[np.float64]:
    """Returns the weight of every class of a line: the pack's, or that in a subset, 0 if the subset lacks the class.

    :raises InputError: if the subset has a class that the line lacks.
    """
    if subset is None:
        return line.weights
    lacking = np.setdiff1d(subset.classes, line.classes)
    if len(lacking):
        first = class_name(3, int(lacking[0]))
        what = f"the pack lacks {len(lacking)} of its flops in the line {line.betting}, such as {first}"
        raise InputError(what, source=subset.name)
    weights = np.zeros(len(line.classes))
    weights[np.searchsorted(line.classes, subset.classes)] = subset.weights
    return weights


def report_lines(
    evaluator: FlopEvaluator,
    chosen: Sequence[tuple[ReportLine, tuple[int, ...]]],
    terms: Sequence[TextureTerm] = (),
    subset: FlopSubset | None = None,
    watch: Watch = SILENT,
) -> tuple[LineReport, ...]:
    """Returns the reports on some lines.

    :param chosen: the lines with the places of the decisions (:func:`choose_lines`).
    :param terms: flops to list and to compare with all; empty lists all.
    :param subset: classes and weights; None takes all classes of the pack.
    :raises InputError: if the subset has a flop that a line lacks, or a line has no flop that fits a term.
    """
    counts = [class_weights(line, subset) for line, _ in chosen]
    for (line, _), weights in zip(chosen, counts, strict=True):
        if terms and not any((term.classes()[line.classes] & (weights > 0)).any() for term in terms):
            named = " or ".join(term.text for term in terms)
            raise InputError(f"no flop of the pack is {named}", source=str(evaluator.pack.pack.folder))
    wanted = [(line, weights > 0) for (line, _), weights in zip(chosen, counts, strict=True)]
    return tuple(
        LineReport(figures, weights[weights > 0], places, tuple(terms) or DEFAULT_TERMS, bool(terms))
        for figures, weights, (_, places) in zip(evaluator.all_figures(wanted, watch), counts, chosen, strict=True)
    )


def texture_terms(texts: Sequence[str]) -> list[TextureTerm]:
    """Returns the different terms of several texture filters, in order.

    :raises InputError: if a filter is wrong.
    """
    return list({term.text: term for text in texts for term in parse_textures(text)}.values())


def flop_rows(report: FlopReport) -> Table:
    """Returns one row for each line, reported decision and listed flop.

    Every action that any of the decisions has gets a column with its frequency.
    """
    actions = sorted(
        {action for each in report.lines for decision in each.decisions for action in decision.actions},
        key=action_order,
    )
    named = ("line", "decision", "player", "flop", "class", "weight", *(kind.replace(" ", "_") for kind in KINDS))
    figures_of = ("oop_equity", "ip_equity", "oop_ev_pots", "ip_ev_pots", "ev_error_pots", "exploitability_pct_pot")
    rows: list[tuple[object, ...]] = []
    for each in report.lines:
        figures = each.figures
        for decision, reach, frequencies in zip(each.decisions, each.reach, each.frequencies, strict=True):
            for place in np.flatnonzero(each.listed).tolist():
                flop_class = int(figures.classes[place])
                by_action = dict(zip(decision.actions, frequencies[place].tolist(), strict=True))
                equity, ev = float(figures.equity[place]), float(figures.ev[place])
                row = (
                    *(each.line.betting, decision.name, PLAYERS[decision.player]),
                    *(class_name(3, flop_class), flop_class, float(each.weights[place])),
                    *_textures(flop_class).values(),
                    *(equity, 1 - equity, ev, 1 - ev, float(figures.ev_error[place])),
                    *(float(figures.exploitability[place]), float(reach[place])),
                )
                rows.append((*row, *map(by_action.get, actions)))
    return Table("flops", "", (*named, *figures_of, "reach", *actions), tuple(rows))


def _textures(flop_class: int) -> dict[str, str]:
    names = flop_textures(flop_representative(flop_class))
    return {kind.replace(" ", "_"): name for kind, name in zip(KINDS, names, strict=True)}


def action_order(action: str) -> tuple[int, float]:
    """Returns the key by which actions are sorted: fold, check, call, bets, raises, all-in, the smaller size first."""
    word, _, size = action.partition(" ")
    digits = size.removeprefix("to ").rstrip("%")
    kinds = ("fold", "check", "call", "bet", "raise", "all-in")
    return kinds.index(word), (float(digits) if digits else 0.0) + (1e6 if size.startswith("to ") else 0.0)


def report_document(report: FlopReport) -> dict[str, Any]:
    """Returns the report as a JSON document."""
    manifest = report.pack.pack.manifest
    try:
        game = shipped_name(parse_gamedef(manifest.gamedef))
    except GamedefError:
        game = None
    return json_document(
        "flop-report",
        game=game,
        seed=report.seed,
        pack=manifest.name,
        tier=manifest.tier,
        depth_bb=depth_of_pack(manifest),
        runouts=report.runouts,
        subset=report.subset,
        lines=[_line_content(each) for each in report.lines],
    )


def _line_content(each: LineReport) -> dict[str, Any]:
    figures = each.figures
    return {
        "line": each.line.betting,
        "pot": each.line.pot,
        "stack": each.line.stack,
        "decisions": [
            {
                "decision": decision.name,
                "player": PLAYERS[decision.player],
                "actions": list(decision.actions),
                "totals": list(decision.totals),
            }
            for decision in each.decisions
        ],
        "all": _average_content(each.over_all),
        "groups": [_average_content(group) for group in each.groups],
        "flops": [
            {
                "flop": class_name(3, int(figures.classes[place])),
                "class": int(figures.classes[place]),
                "weight": float(each.weights[place]),
                **_textures(int(figures.classes[place])),
                "oop_equity": float(figures.equity[place]),
                "oop_ev_pots": float(figures.ev[place]),
                "ev_error_pots": float(figures.ev_error[place]),
                "exploitability_pct_pot": float(figures.exploitability[place]),
                "reach": [float(reach[place]) for reach in each.reach],
                "frequencies": [frequencies[place].tolist() for frequencies in each.frequencies],
            }
            for place in np.flatnonzero(each.listed).tolist()
        ],
    }


def _average_content(average: Average) -> Mapping[str, object]:
    return {
        "flops": average.name,
        "classes": average.flops,
        "weight": average.share,
        "oop_equity": average.equity,
        "oop_ev_pots": average.ev,
        "ev_error_pots": average.ev_error,
        "exploitability_pct_pot": average.exploitability,
        "reach": list(average.reach),
        "frequencies": [list(frequencies) for frequencies in average.frequencies],
    }
