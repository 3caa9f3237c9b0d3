"""What chips are worth in a tournament with several prizes, and jam or fold for two and three players in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgehog.analysis.games.jam_chart import JamGrid, probability_grid
from hedgehog.arena.jam_tables import find_jam_tables, holdem_tables, structure_of
from hedgehog.gametheory.tournaments.icm import place_chances, prizes, verify_payouts
from hedgehog.gametheory.tournaments.jam_stages import HandTables, solve_small_blind
from hedgehog.gametheory.tournaments.three_hands import (
    DECISIONS,
    PLAYERS,
    Deals,
    ThreeHands,
    order_codes,
    solve_three_hands,
)
from hedgehog.gametheory.tree import Floats
from hedgehog.poker.cards import ordered_combo
from hedgehog.poker.evaluation.evaluator import rank_hands
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GameError
from hedgehog.runtime.table import Column, Table
from hedgehog.runtime.watch import SILENT, Watch

USUAL_DEALS: Final = 200_000
MOST_DEALS: Final = 2_000_000
_ITERATIONS: Final = 1000
_TARGET: Final = 1e-5
"""Largest gain by deviating, as a share of all prizes, at which three players are solved."""
_BATCHES: Final = 10
_T95: Final = 2.262
"""97.5 % quantile of Student's t with 9 degrees of freedom."""
_CHUNK: Final = 20_000
_MOST_MIXED: Final = 6


@dataclass(frozen=True, slots=True)
class PayoutAnswer:
    """What chips are worth, and what to jam and to call with."""

    money: Table
    """Chips, chances of the places and prizes by ICM."""
    sentences: tuple[str, ...]
    """How the hand was solved, and how good the answer is."""
    decisions: Table | None
    """How often each decision is taken; None if no hand was asked for."""
    grids: tuple[JamGrid, ...]
    """Charts for :func:`hedgehog.analysis.games.jam_chart.jam_chart`."""
    document: dict[str, Any]
    """All results, as ``hedgehog game icm --json`` writes them."""


def answer_payouts(
    stacks: Sequence[int],
    payouts: Sequence[float],
    blinds: tuple[int, int] | None = None,
    *,
    deals: int = USUAL_DEALS,
    seed: int = 1,
    watch: Watch = SILENT,
) -> PayoutAnswer:
    """Returns what chips are worth by ICM, and with blinds an equilibrium of one hand of jam or fold for these prizes.

    :param stacks: chips of the players before the blinds: with blinds those of button (small blind) and big blind, or
        of button, small blind and big blind.
    :param payouts: prizes from the first place on.
    :param deals: with three players: dealt hands to learn from; as many again say what the strategies win.
    :param watch: hears of iterations, with three players.
    :raises GameError: if chips, prizes or blinds are impossible, or a hand of more than three players is asked for.
    """
    verify_payouts(payouts, len(stacks))
    chances, worth = place_chances(stacks), prizes(stacks, payouts)
    names = _names(len(stacks), blinds is not None)
    document: dict[str, Any] = {
        "stacks": list(stacks), "payouts": list(payouts), "players": names, "places": chances.tolist(),
        "prizes": worth.tolist(),
    }  # fmt: skip
    sentences: tuple[str, ...] = ()
    decisions: Table | None = None
    grids: tuple[JamGrid, ...] = ()
    if blinds is not None:
        if len(stacks) == len(PLAYERS):
            hand = _three(stacks, payouts, blinds, deals, seed, watch)
        elif len(stacks) == 2:
            hand = _two((stacks[0], stacks[1]), payouts, blinds)
        else:
            raise GameError(f"jam or fold is solved for two and three players, got {len(stacks)} stacks")
        sentences, found, more = hand
        decisions = _decisions(found, more.get("reached"))
        grids = tuple(probability_grid(f"{name}: {_share(row):.1%}", row) for name, row in found.items())
        strategies = [
            {"decision": name, "share": _share(row),
             "probabilities": dict(zip(HAND_CLASS_NAMES, row.tolist(), strict=True))}
            for name, row in found.items()
        ]  # fmt: skip
        document |= {"blinds": list(blinds), **more, "strategies": strategies}
    return PayoutAnswer(
        _money(names, stacks, chances, worth), sentences, decisions, grids,
        json_document("jam-fold-payouts", game="hold'em", **document),
    )  # fmt: skip


_Hand = tuple[tuple[str, ...], dict[str, Floats], dict[str, Any]]


def _names(count: int, hand: bool) -> list[str]:
    if hand and count == len(PLAYERS):
        return list(PLAYERS)
    return ["small blind", "big blind"] if hand and count == 2 else [f"player {i + 1}" for i in range(count)]


def _two(stacks: tuple[int, int], payouts: Sequence[float], blinds: tuple[int, int]) -> _Hand:
    """One hand of two players. ICM is linear in chips, so it is the hand for chips."""
    if not 0 < blinds[0] <= blinds[1] < min(stacks):
        raise GameError(f"expected stacks above the big blind and blinds above 0, got {stacks} and {blinds}")
    risk = float(min(stacks))
    hands: HandTables = holdem_tables()
    stage = solve_small_blind(
        hands, fold=-float(blinds[0]), steal=float(blinds[1]), showdown=hands.showdown(risk, 0.0, -risk)
    )
    low = float(payouts[1]) if len(payouts) > 1 else 0.0
    unit = (float(payouts[0]) - low) / sum(stacks)
    worth = [low + unit * (stacks[0] + stage.value), low + unit * (stacks[1] - stage.value)]
    sentences = [
        "Two players: prizes are linear in chips, so that this is a game with a constant sum, solved by a linear"
        " program; all its equilibria pay the same.",
        f"expected prizes {worth[0]:.6g} and {worth[1]:.6g} by ICM after the hand",
    ]
    more: dict[str, Any] = {"method": "lp", "expected_prizes": worth}
    known = _tournament_value(stacks, blinds)
    if known is not None:
        first = low + (float(payouts[0]) - low) * known
        more["tournament_prizes"] = [first, low + float(payouts[0]) - first]
        sentences.append(
            f"in the whole tournament, with an alternating button: {first:.6g} and {more['tournament_prizes'][1]:.6g}"
        )
    found = {"small blind jams": np.asarray(stage.jam), "big blind calls": np.asarray(stage.call)}
    return tuple(sentences), found, more


def _tournament_value(stacks: tuple[int, int], blinds: tuple[int, int]) -> float | None:
    """Returns the small blind's chance to win the tournament; None if its strategies are neither shipped nor kept."""
    try:
        structure = structure_of(sum(stacks), blinds)
    except GameError:
        return None
    known = find_jam_tables(structure)
    if known is None or stacks[0] not in structure.stacks:
        return None
    return float(known.values[structure.stacks.index(stacks[0])])


def _three(
    stacks: Sequence[int], payouts: Sequence[float], blinds: tuple[int, int], deals: int, seed: int, watch: Watch
) -> _Hand:
    if not 1000 <= deals <= MOST_DEALS:
        raise GameError(f"expected 1000 to {MOST_DEALS} deals, got {deals}")
    generator = np.random.default_rng(seed)
    game = ThreeHands(stacks, blinds, payouts, deal_hands(generator, deals), NUM_HAND_CLASSES)
    scale = float(sum(payouts))
    watch.begin("solving", _ITERATIONS, "iterations")

    def report(done: int, gain: float) -> bool:
        watch.update(done, f"a player gains {gain / scale:.5%} of the prizes at most")
        return watch.stopped

    solved = solve_three_hands(game, _ITERATIONS, target=_TARGET * scale, report=report)
    batches = np.array(
        [
            ThreeHands(stacks, blinds, payouts, deal_hands(generator, max(deals // _BATCHES, 100)), NUM_HAND_CLASSES)
            .values(solved.strategy)[2]
            for _ in range(_BATCHES)
        ]
    )  # fmt: skip
    worth, margin = batches.mean(axis=0), _T95 * batches.std(axis=0, ddof=1) / np.sqrt(_BATCHES)
    gains = [f"{gain / scale:.4%}" for gain in solved.gains]
    sentences = (
        f"Three players: no linear program solves the game, and equilibria may differ in what they pay. Found by CFR+"
        f" on {deals:,} dealt hands, {solved.iterations} iterations.",
        f"A deviation gains at most {gains[0]} (button), {gains[1]} (small blind), {gains[2]} (big blind) of all prizes"
        " on these hands.",
        "expected prizes by ICM after the hand, on new hands: "
        + ", ".join(f"{name} {one:.6g} ± {error:.2g}" for name, one, error in zip(PLAYERS, worth, margin, strict=True)),
    )
    more = {
        "method": "cfr+", "deals": deals, "seed": seed, "iterations": solved.iterations,
        "gains": solved.gains.tolist(), "reached": game.reached(solved.strategy).tolist(),
        "expected_prizes": worth.tolist(), "expected_prizes_ci95": margin.tolist(),
        "unique_value": False,
    }  # fmt: skip
    return sentences, dict(zip(DECISIONS, solved.strategy, strict=True)), more


def deal_hands(generator: np.random.Generator, count: int) -> Deals:
    """Returns hands of hold'em dealt to three players.

    :param generator: source of the cards.
    :param count: number of deals.
    """
    classes, orders = np.empty((3, count), np.int64), np.empty(count, np.int64)
    for start in range(0, count, _CHUNK):
        size = min(_CHUNK, count - start)
        cards = np.argsort(generator.random((size, 52)), axis=1)[:, :11].astype(np.uint8)
        ranks = []
        for player in range(3):
            own = cards[:, 2 * player : 2 * player + 2].astype(np.int64)
            classes[player, start : start + size] = HAND_CLASS[ordered_combo(own.min(axis=1), own.max(axis=1))]
            ranks.append(rank_hands(cards[:, [2 * player, 2 * player + 1, *range(6, 11)]]))
        orders[start : start + size] = order_codes(np.stack(ranks))
    return Deals(classes, orders)


def _share(row: Floats) -> float:
    return float(row @ HAND_CLASS_SIZES) / 1326


def _money(names: Sequence[str], stacks: Sequence[int], chances: Floats, worth: Floats) -> Table:
    places = [Column(f"place {i + 1}", text="{:.2%}".format) for i in range(len(stacks))]
    columns: tuple[Column | str, ...] = (
        "player",
        Column("chips", text="{:,}".format),
        *places,
        Column("prize", text="{:.6g}".format),
    )
    rows = [
        (name, chips, *row.tolist(), float(prize))
        for name, chips, row, prize in zip(names, stacks, chances, worth, strict=True)
    ]
    return Table("icm", "Before the hand, by the independent chip model", columns, tuple(rows))


def _decisions(found: dict[str, Floats], reached: Sequence[float] | None) -> Table:
    rows = []
    for number, (name, row) in enumerate(found.items()):
        mixed = [(HAND_CLASS_NAMES[i], p) for i, p in enumerate(row.tolist()) if 0.05 < p < 0.95]
        shown = ", ".join(f"{hand} {p:.2f}" for hand, p in mixed[:_MOST_MIXED])
        more = f" and {len(mixed) - _MOST_MIXED} more" if len(mixed) > _MOST_MIXED else ""
        comes = "" if reached is None else f"{reached[number]:.1%}"
        rows.append((name, comes, f"{100 * _share(row):.1f} %", (shown or "none") + more))
    columns: tuple[Column | str, ...] = (
        "decision",
        Column("reached", "comes up", shown=reached is not None),
        "share of hands",
        "mixed hands",
    )
    return Table("decisions", "", columns, tuple(rows))
