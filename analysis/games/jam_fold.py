"""Answers a question about jam or fold: what a model of it says at one stack, with charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from hedgehog.analysis.games.jam_chart import PURE, JamGrid, probability_grid, stacks_grid
from hedgehog.arena.jam_tables import find_jam_tables, holdem_tables
from hedgehog.gametheory.tournaments.freeze_out import exact_freeze_out
from hedgehog.gametheory.tournaments.jam_fold import (
    Bound,
    Stage,
    Structure,
    Tournament,
    chip_stage,
    solve_bound,
    solve_tournament,
    verify_chip_stage,
)
from hedgehog.gametheory.tournaments.jam_stages import HandTables
from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GameError
from hedgehog.runtime.table import Table
from hedgehog.runtime.watch import SILENT, Watch

Model = Literal["alternating", "chip", "bound"]
_STAGES_PER_STACK: Final = {"alternating": 1, "bound": 2}
"""Number of linear programs that each stack takes in a round."""
_USUAL_ROUNDS: Final = 4
"""Rounds until the values of a tournament have converged, as a rule."""
_JAMS: Final = "small blind jams"
_CALLS: Final = "big blind calls"
_REJAMS: Final = "big blind jams over a limp or raise"


@dataclass(frozen=True, slots=True)
class JamAnswer:
    """What a model of jam or fold says."""

    sentences: tuple[str, ...]
    """The values, in words."""
    decisions: Table
    """How often each decision is taken; without rows if both players are all-in with the blinds."""
    grids: tuple[JamGrid, ...]
    """Charts for :func:`hedgehog.analysis.games.jam_chart.jam_chart`."""
    document: dict[str, Any]
    """All results, as ``hedgehog game jamfold --json`` writes them."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What one model says about jamming and calling at a depth, for people and as data."""

    sentences: tuple[str, ...]
    values: dict[str, Any]
    decisions: Mapping[str, Floats | None]
    """Decision -> probability of each hand class; None if there is nothing to decide."""
    stages: Mapping[str, Mapping[int, Stage]]
    """Decision -> the stages of all stacks of the small blind."""


def answer_jam_fold(
    structure: Structure, stack: int, model: Model = "alternating", *, all_stacks: bool = False, watch: Watch = SILENT
) -> JamAnswer:
    """Solves jam or fold, unless its strategies are shipped or kept.

    :param stack: chips of the player in the small blind.
    :param model: ``alternating``: the tournament with an alternating button; ``chip``: one hand for chips; ``bound``:
        the strategy that guarantees most against an opponent who may do anything.
    :param all_stacks: the charts show the largest stack that jams or calls.
    :param watch: hears of linear programs that are solved.
    :raises GameError: if the stack is impossible, or the model has no chart of all stacks.
    """
    structure.kind(stack)  # checks the stack
    if model == "chip":
        if all_stacks:
            raise GameError("--all-stacks needs the model alternating or bound")
        verify_chip_stage(structure, stack)
    tables = holdem_tables()
    if model == "chip":
        found = _chips(tables, structure, stack)
    else:
        known = find_jam_tables(structure)
        if known is None:
            watch.note(
                f"no strategies for {structure.total} chips and blinds of {structure.small}/{structure.big} are "
                f"shipped or kept: solving all {len(structure.stacks)} stacks"
            )
            report = partial(tell_rounds(watch, len(structure.stacks), [model]), model)
        if model == "alternating":
            tournament = known.tournament(tables) if known else solve_tournament(tables, structure, report=report)
            found = _alternating(tables, structure, stack, tournament)
        else:
            bound = known.bound() if known else solve_bound(tables, structure, report=report)
            found = _bound(structure, stack, bound)
    rows, strategies, grids = [], [], []
    for name, chances in found.decisions.items():
        if chances is not None:
            share = float(tables.weights @ chances)
            mixed = ", ".join(
                f"{tables.names[i]} {p:.4f}" for i, p in enumerate(chances.tolist()) if PURE < p < 1 - PURE
            )
            rows.append((name, f"{100 * share:.2f} %", mixed or "none"))
            probabilities = dict(zip(tables.names, chances.tolist(), strict=True))
            strategies.append({"decision": name, "share": share, "probabilities": probabilities})
            grids.append(probability_grid(f"{name}: {100 * share:.2f} %", chances))
    if all_stacks:
        grids = [_grid_of_stacks(structure, name, stages) for name, stages in found.stages.items()]
    document = json_document(
        "jam-fold",
        game="hold'em",
        model=model,
        total=structure.total,
        blinds=[structure.small, structure.big],
        stack=stack,
        **found.values,
        strategies=strategies,
    )
    decisions = Table("decisions", "", ("decision", "share of hands", "mixed hands"), tuple(rows))
    return JamAnswer(found.sentences, decisions, tuple(grids), document)


def _chips(tables: HandTables, structure: Structure, stack: int) -> _Found:
    stage = chip_stage(tables, structure, stack)
    sentence = f"value {stage.value:+.6f} chips for the small blind"
    return _Found((sentence,), {"value": stage.value}, {_JAMS: stage.jam, _CALLS: stage.call}, {})


def _alternating(tables: HandTables, structure: Structure, stack: int, tournament: Tournament) -> _Found:
    stage = tournament.stages[stack]
    against = exact_freeze_out(tables, tournament, "allin", stack)
    first, second = against.wins
    return _Found(
        (
            f"the small blind wins the tournament with probability {stage.value:.6f}",
            f"against a player who is always all-in {first:.6f}, or {second:.6f} without the first button",
        ),
        {
            "value": stage.value,
            "values": {str(s): tournament.value(s) for s in structure.stacks},
            "against_allin": against._asdict(),
        },
        {_JAMS: stage.jam, _CALLS: stage.reply},
        {_JAMS: tournament.stages, _CALLS: tournament.stages},
    )


def _bound(structure: Structure, stack: int, bound: Bound) -> _Found:
    stage, other = bound.small[stack], bound.big[stack]
    worst, loss = bound.greatest_loss()
    return _Found(
        (
            f"in the small blind the strategy wins with probability {stage.value:.6f} at least",
            f"in the big blind with the same stack {other.value:.6f}",
            f"a perfect player wins {bound.loss(stack):.6f} more at most, {loss:.6f} at {worst}, the worst stack",
        ),
        {
            "value": stage.value,
            "value_big_blind": other.value,
            "loss": bound.loss(stack),
            "greatest_loss": loss,
            "greatest_loss_stack": worst,
            "values": {str(s): [bound.small[s].value, bound.big[s].value] for s in structure.stacks},
        },
        {_JAMS: stage.jam, _REJAMS: other.jam},
        {_JAMS: bound.small, _REJAMS: bound.big},
    )


def _grid_of_stacks(structure: Structure, name: str, stages: Mapping[int, Stage]) -> JamGrid:
    calls = name == _CALLS
    # The caller's own stack is what the small blind does not have.
    own = {structure.total - s if calls else s: one for s, one in stages.items()}
    chosen = {s: one.reply if calls else one.jam for s, one in sorted(own.items())}
    rows = {s: chances for s, chances in chosen.items() if chances is not None}
    return stacks_grid(f"{name}, by own stack", list(rows), np.array(list(rows.values())))


def tell_rounds(watch: Watch, stacks: int, models: Sequence[str]) -> Callable[[str, int, int, int], None]:
    """Tells a watch of the work on all stacks of a tournament.

    A model needs four rounds as a rule; the work grows if it needs more.

    :param stacks: number of stacks.
    :param models: the models that are solved, in order.
    :returns: the function that :func:`hedgehog.gametheory.tournaments.jam_tables.solve_jam_tables` reports to.
    """
    work = {model: _STAGES_PER_STACK[model] * _USUAL_ROUNDS * stacks for model in models}
    watch.begin("solving", sum(work.values()), "stages")
    watch.update(0)

    def report(model: str, number: int, done: int, count: int) -> None:
        work[model] = max(work[model], _STAGES_PER_STACK[model] * number * count)
        before = sum(work[one] for one in models[: models.index(model)])
        watch.update(
            before + _STAGES_PER_STACK[model] * ((number - 1) * count + done),
            f"{model} model, round {number}",
            total=sum(work.values()),
        )

    return report
