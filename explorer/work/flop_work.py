"""What the process of a flop pack does: the figures of all flops of a preflop line, a few seconds of work at a time."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any, Final

import numpy as np

from hedgehog.analysis.packs.flop_figures import DEFAULT_RUNOUTS, FlopEvaluator
from hedgehog.analysis.packs.flop_lines import FlopPack, flop_pack_of
from hedgehog.analysis.packs.flop_report import LineReport
from hedgehog.explorer.numbers import number, numbers
from hedgehog.poker.isomorphism import class_name, flop_representative
from hedgehog.poker.textures import flop_textures
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.pack import open_pack

_AT_ONCE: Final = 24


@lru_cache(maxsize=2)
def _pack(folder: str, state: tuple[object, ...]) -> FlopPack:
    return flop_pack_of(open_pack(folder))


def describe(folder: str, state: tuple[object, ...]) -> dict[str, Any]:
    """Returns the preflop lines of a flop pack with the names of their decisions and actions.

    :param state: anything that changes when the pack changes.
    :raises PackError: if the pack is damaged, or its blueprint is missing.
    """
    pack = _pack(folder, state)
    return {
        "lines": [
            {
                "name": line.name,
                "betting": line.betting,
                "pot": line.pot,
                "stack": line.stack,
                "flops": len(line.classes),
                "decisions": [
                    {"name": each.name, "player": each.player, "actions": list(each.actions)} for each in line.decisions
                ],
            }
            for line in pack.lines
        ]
    }


def flops(folder: str, state: tuple[object, ...], line: str, decision: int, seconds: float) -> dict[str, Any]:
    """Returns a row for every flop of a preflop line, after computing lacking figures for some seconds.

    :param line: betting or name of the line.
    :param decision: place of the decision whose frequencies are returned.
    :raises InputError: if the pack has no such line or decision.
    """
    pack = _pack(folder, state)
    found = pack.line(line)
    if not 0 <= decision < len(found.decisions):
        raise InputError(f"expected the number of a decision below {len(found.decisions)}, got {decision}")
    every = np.ones(len(found.classes), dtype=np.bool_)
    sampled = FlopEvaluator(pack, runouts=DEFAULT_RUNOUTS)
    evaluator = sampled if not sampled.missing(found, every) else FlopEvaluator(pack, runouts=0)
    exact, _ = evaluator.stores(found)
    todo = [place for place in range(len(every)) if not exact.known(place)]
    started = time.monotonic()
    while todo and time.monotonic() - started < seconds:
        chosen = np.zeros_like(every)
        chosen[todo[:_AT_ONCE]] = True
        evaluator.figures(found, chosen)
        todo = todo[_AT_ONCE:]
    known = every.copy()
    known[todo] = False
    report = LineReport(evaluator.figures(found, known), found.weights[known], (decision,), (), False)
    figures = report.figures
    places = {int(number_of_class): place for place, number_of_class in enumerate(figures.classes)}
    rows = []
    for flop_class, count in zip(found.classes.tolist(), found.weights.tolist(), strict=True):
        flop = flop_representative(flop_class)
        row: dict[str, Any] = {"flop": class_name(3, flop_class), "count": number(count, 3)}
        row["textures"] = list(flop_textures(flop))
        place = places.get(flop_class)
        if place is not None:
            row |= {
                # Shares of all flops: they are known when every flop is.
                "weight": number(float(report.weights[place]), 8) if known.all() else None,
                "equity": number(float(figures.equity[place]), 5),
                "ev": number(float(figures.ev[place]), 5),
                "pct_pot": number(float(figures.exploitability[place]), 4),
                "reach": number(float(report.reach[0][place]), 5),
                "freq": numbers(report.frequencies[0][place], 5),
            }
        rows.append(row)
    over_all = None
    if known.all():
        average = report.over_all
        over_all = {
            "equity": number(average.equity, 5),
            "ev": number(average.ev, 5),
            "pct_pot": number(average.exploitability, 4),
            "reach": number(average.reach[0], 5),
            "freq": [number(share, 5) for share in average.frequencies[0]],
        }
    return {"rows": rows, "done": int(known.sum()), "all": over_all}
