"""The table of preflop values of a blueprint as figures: one row per hand class at a decision."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isnan

import numpy as np

from hedgehog.agent.strategy.preflop_evs import PreflopEvs
from hedgehog.poker.acpc.betting_line import describe_reading, parse_betting_line
from hedgehog.poker.acpc.gamedef import parse_gamedef
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.runtime.table import Column, Table, Value
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.pack_games import depth_of_pack, pack_of_depth
from hedgehog.strategies.preflop_values import preflop_values_beside


def preflop_ev_table(
    path: str | os.PathLike[str], line: str = "", hands: Sequence[str] = (), depth: float | None = None
) -> Table:
    """Returns the EV of every action at a decision before the flop, in big blinds from the decision on.

    Beside the EVs, the data have the errors and frequencies of the actions. EVs are against the blueprint.

    :param path: a blueprint with its table of preflop values beside it, or a folder of packs.
    :param line: the betting so far, as :func:`hedgehog.agent.parse_decision` takes it.
    :param hands: names of hand classes such as ``AKs``; empty: all 169.
    :param depth: which of several blueprints, in big blinds; None for the one nearest to the default game.
    :raises InputError: if the betting is no decision before the flop, or a hand is unknown.
    :raises PackError: if there is no such blueprint or table, or one is damaged.
    """
    folder = pack_of_depth(path, "blueprint", depth)
    pack = open_pack(folder)
    blueprint = read_blueprint(pack)
    values = preflop_values_beside(folder, blueprint)
    if values is None:
        raise PackError("has no table of preflop values beside it: see hedgehog pack values", source=str(folder))
    gamedef = parse_gamedef(pack.manifest.gamedef, str(folder))
    state = parse_betting_line(line, gamedef)
    betting = state.betting_string()
    lookup = PreflopEvs(values, gamedef)
    found = [(name, lookup.at(betting, _combo(name))) for name in hands or HAND_CLASS_NAMES]
    tokens = [str(each.action) for each in found[0][1].actions]
    columns: list[Column | str] = ["hand"]
    for token in tokens:
        columns += [
            Column(f"ev_{token}", token, _number),
            Column(f"error_{token}", shown=False),
            Column(f"frequency_{token}", shown=False),
        ]
    columns += [Column("best", text=_number), Column("mixed", text=_number), Column("share", text="{:.3f}".format)]
    rows = []
    for name, evs in found:
        cells: list[Value] = [name]
        for each in evs.actions:
            cells += [each.ev, each.error, each.frequency]
        rows.append((*cells, evs.best, evs.mixed, evs.share))
    depth_bb = depth_of_pack(pack.manifest)
    title = (
        f"{pack.manifest.name}, {depth_bb:g} BB, {values.boards:,} boards, after {betting or 'the blinds'}: EV in BB"
    )
    note = f"Line: {describe_reading(line, state)}." if line.strip() else ""
    return Table("evs", title, columns, tuple(rows), note)


def _combo(name: str) -> int:
    """Returns a combo of a hand class.

    :raises InputError: if there is no such class.
    """
    if name not in HAND_CLASS_NAMES:
        raise InputError(f"expected a hand class such as AA, AKs or 72o, got {name!r}", source="--hand")
    return int(np.flatnonzero(np.equal(HAND_CLASS, HAND_CLASS_NAMES.index(name)))[0])


def _number(value: float) -> str:
    return "-" if isnan(value) else f"{value:.2f}"
