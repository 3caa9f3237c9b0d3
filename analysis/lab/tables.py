"""The tables of the hand-abstraction laboratory, as plain values for the terminal, the report and CSV files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from hedgehog.analysis.lab.experiments import Overfit, percent_per_iteration
from hedgehog.analysis.lab.profiles import Matchup, Meeting
from hedgehog.analysis.lab.rows import NONE, Advice, Look, Plan, Row
from hedgehog.runtime.table import Table, Value, table_of
from hedgehog.solver.abstraction.counts import GroupCounts, SampleMeans
from hedgehog.solver.postflop.prepared import PreparedSpot

_CARDS: Final = 52


@dataclass(frozen=True, slots=True)
class Units:
    """How gains in chips are shown."""

    mbb: float
    """mbb per chip."""
    all_hands: float
    """Share of all pairs of hands that are in range: it turns gains per deal in range into gains per any deal."""
    pct_pot: float
    """Percent of the pot of half a chip: the exploitability is half of what both players gain."""


def make_units(spot: PreparedSpot, big_blind: float) -> Units:
    """Returns the units of a spot.

    :param big_blind: chips of a big blind.
    """
    left = _CARDS - len(spot.board)
    pairs = comb(left, 2) * comb(left - 2, 2)
    return Units(1000 / big_blind, spot.pair_weight / pairs, 50 / spot.tree.root_pot)


def groups_table(rows: Sequence[Row], same: bool) -> Table:
    """Returns the numbers of groups per street.

    :param same: both players have the same groups, so that those of OOP are enough.
    """
    cells: list[tuple[Value, ...]] = []
    for row in rows:
        for street in row.streets:
            if not same or street.player == "oop":
                seat = () if same else (street.player,)
                cells.append(
                    (row.name, *seat, street.street, street.mean, street.least, street.most, 100 * street.alone)
                )
    columns = ("abstraction", *(() if same else ("player",)), "street", "mean", "min", "max", "alone %")
    note = "Groups per board; alone: hands that share their group with no other hand."
    return Table("groups", "Groups", columns, tuple(cells), note)


def size_table(rows: Sequence[Row | Plan]) -> Table:
    """Returns the sizes of the rows beside the one without abstraction."""
    without = next((row.size.entries for row in rows if row.name == NONE), None)
    columns: dict[str, Callable[[Row | Plan], Value]] = {
        "abstraction": lambda row: row.name,
        "infosets": lambda row: row.size.infosets,
        "entries": lambda row: row.size.entries,
        "states": lambda row: row.size.states,
        "f32 MB": lambda row: row.size.bytes_f32 / 1e6,
        "f16 MB": lambda row: None if row.size.bytes_f16 is None else row.size.bytes_f16 / 1e6,
        "all MB": lambda row: row.size.memory / 1e6,
        "share": lambda row: None if without is None else row.size.entries / without,
    }
    note = "Entries: one number each per array of the algorithm. All: with tables and buffers."
    return table_of("size", "Size", rows, columns, note)


def quality_table(rows: Sequence[Row], units: Units, checkpoints: Sequence[int]) -> Table:
    """Returns both epsilons of the rows after some iterations.

    :param checkpoints: iterations to show.
    """
    cells: list[tuple[Value, ...]] = []
    for row in rows:
        found: list[Value] = [row.name]
        for checkpoint in checkpoints:
            look = row.at(checkpoint)
            found += (
                [None] * 3
                if look is None
                else [units.mbb * look.abstract, units.mbb * look.real, units.mbb * (look.real - look.abstract)]
            )
        cells.append(tuple(found))
    columns = ["abstraction"]
    for checkpoint in checkpoints:
        columns += [f"inside {checkpoint}", f"real {checkpoint}", f"gap {checkpoint}"]
    note = (
        "Epsilon in mbb per deal of two hands in range, both players together. Inside: gained by greedy responses "
        "that treat a group alike. Real: gained by best responses. Gap: what the abstraction hides."
    )
    return Table("quality", "Quality", tuple(columns), tuple(cells), note)


def pace_table(rows: Sequence[Row], units: Units) -> Table:
    """Returns the last real epsilon of the rows in other units, and what equal times give."""
    seconds = min((row.final.seconds for row in rows), default=0.0)
    columns: dict[str, Callable[[Row], Value]] = {
        "abstraction": lambda row: row.name,
        "mbb all hands": lambda row: units.mbb * units.all_hands * row.final.real,
        "% pot": lambda row: units.pct_pot * row.final.real,
        "ms per iteration": lambda row: row.ms_per_iteration,
        f"mbb in {seconds:.3g} s": lambda row: None if (equal := row.real_at(seconds)) is None else units.mbb * equal,
    }
    note = (
        "Real epsilon per deal of any two hands; as exploitability in % of the pot; and per deal in range after equal "
        "time for all rows."
    )
    return table_of("pace", "Units and time", rows, columns, note)


def advice_table(advice: Sequence[Advice], units: Units) -> Table:
    """Returns what to take with how much memory."""
    columns: dict[str, Callable[[Advice], Value]] = {
        "memory": lambda one: f"{one.budget / 1e6:,.0f} MB",
        "take": lambda one: "nothing fits" if one.best is None else one.best.name,
        "real mbb": lambda one: None if one.best is None else units.mbb * one.best.final.real,
        "loss to none": lambda one: None if one.loss is None else units.mbb * one.loss,
        "next better": lambda one: None if one.next_better is None else one.next_better.name,
        "its MB": lambda one: None if one.next_better is None else one.next_better.size.memory / 1e6,
    }
    note = (
        "What loses nothing, if it fits; else the smallest row whose real epsilon exceeds the least by no more than "
        "rows that lose nothing have still to converge. No loss is shown where the row without abstraction is not "
        "better yet."
    )
    return table_of("advice", "Advice", advice, columns, note)


def curves_table(rows: Sequence[tuple[str, Sequence[Look]]], units: Units, name: str = "curves") -> Table:
    """Returns every look of some rows."""
    cells = tuple(
        (row, look.iteration, look.seconds, units.mbb * look.abstract, units.mbb * look.real)
        for row, looks in rows
        for look in looks
    )
    return Table(name, "Curves", ("abstraction", "iteration", "seconds", "abstract mbb", "real mbb"), cells)


def overfit_table(found: Sequence[Overfit], units: Units) -> Table:
    """Returns the table of experiment E1: how strategies wear out outside their abstraction."""
    columns: dict[str, Callable[[Overfit], Value]] = {
        "abstraction": lambda one: one.name,
        "floor mbb": lambda one: units.mbb * one.floor,
        "plateau": lambda one: one.plateau,
        "overfit %": lambda one: 100 * one.overfit,
        "last abstract": lambda one: units.mbb * one.last_abstract,
        "last real": lambda one: units.mbb * one.last_real,
    }
    note = (
        "Floor: least real epsilon. Plateau: first iteration within 5 % of it. Overfit: last real epsilon above the "
        "floor."
    )
    return table_of("e1", "E1 Overfitting", found, columns, note)


def speed_table(curves: Mapping[str, Sequence[Look]], arrays: Mapping[str, float], units: Units) -> Table:
    """Returns experiments E2 and E3."""
    cells = tuple(
        (
            name,
            units.mbb * looks[0].real,
            units.mbb * looks[-1].real,
            percent_per_iteration(looks),
            1000 * looks[-1].seconds / looks[-1].iteration,
            arrays[name],
        )
        for name, looks in curves.items()
    )
    first = next(iter(curves.values()), ())
    start, end = (first[0].iteration, first[-1].iteration) if first else (0, 0)
    last = f"eps {end}" if end != start else f"last eps {end}"
    columns = ("algorithm", f"eps {start}", last, "% per it.", "ms per it.", "arrays")
    note = "Without abstraction. % per it.: how much epsilon falls per iteration, at a constant rate between the two."
    return Table("e2", "E2 Speed and E3 Cost", columns, cells, note)


def matchup_table(matchup: Matchup, units: Units) -> Table:
    """Returns the table of experiment E4: what profiles of algorithms win from each other."""
    columns: dict[str, Callable[[Meeting], Value]] = {
        "profile": lambda one: one.first,
        "against": lambda one: one.second,
        "seat": lambda one: one.seat,
        "guarantee": lambda one: units.mbb * one.guarantee,
        "EV": lambda one: units.mbb * one.ev,
        "ceiling": lambda one: units.mbb * one.ceiling,
        "played": lambda one: units.mbb * one.simulated.mean,
        "±95 %": lambda one: units.mbb * 1.96 * one.simulated.standard_error or None,
        "ok": lambda one: "yes" if one.holds else "NO",
    }
    note = (
        "mbb per deal less half the pot. Guarantee: EV against a best response. Ceiling: what the other one allows. "
        "Played: simulated deals. ok: EV lies between them, and what was played within four standard errors of it."
    )
    return table_of("e4", "E4 Profiles against each other", matchup.meetings, columns, note)


def counts_table(counts: Sequence[GroupCounts], boards: Sequence[str]) -> Table:
    """Returns the numbers of groups below some boards."""
    cells: list[tuple[Value, ...]] = []
    for name, found in zip(boards, counts, strict=True):
        for measure, numbers in found.measures.items():
            turn = numbers.turn
            cells.append(
                (
                    name,
                    measure,
                    *(numbers.flop.get(test) for test in ("river", "hier", "global")),
                    *((turn[test].mean if test in turn else None) for test in ("river", "global")),
                    numbers.river.mean,
                    numbers.river.least,
                    numbers.river.most,
                )
            )
    columns = (
        "board", "measure", "flop river", "flop hier", "flop global", "turn river", "turn global",
        "river mean", "river min", "river max",
    )  # fmt: skip
    note = (
        "Numbers of groups; means over the turn and river nodes. River, hier and global are the identity tests of a "
        "flop or turn."
    )
    return Table("counts", "Groups", columns, tuple(cells), note)


def sample_table(means: Mapping[str, SampleMeans], *, formula: bool) -> Table:
    """Returns the means over a sample of flops and the sizes of the thesis's tree that follow from them.

    :param formula: add the sizes by the thesis's formula, which holds for its flops.
    """
    columns: dict[str, Callable[[str], Value]] = {
        "abstraction": lambda name: name,
        "flop": lambda name: means[name].flop,
        "turn": lambda name: means[name].turn,
        "river": lambda name: means[name].river,
    }
    if formula:
        columns |= {
            "infosets M*": lambda name: means[name].thesis.infosets / 1e6,
            "actions M*": lambda name: means[name].thesis.actions / 1e6,
            "states G*": lambda name: means[name].thesis.states / 1e9,
        }
    columns |= {
        "infosets M": lambda name: means[name].size.infosets / 1e6,
        "actions M": lambda name: means[name].size.actions / 1e6,
    }
    note = "Infosets and actions: of the thesis's betting tree, counted node by node."
    if formula:
        note += " *: by the formula behind the thesis's table 5."
    return table_of("sample", "Means over the sample", means, columns, note)
