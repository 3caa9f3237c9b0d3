"""Measures freeze-outs between two players, winner takes all, inside this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final

from hedgehog.agent.deep_player import DeepPlayer
from hedgehog.agent.jam_player import JamFoldPlayer
from hedgehog.agent.play_record import PlayRecord, describe_failures, starting
from hedgehog.agent.player import Player
from hedgehog.agent.specs import JAM_FOLD, PlayerSpec, make_player, parse_entrant, unique_names
from hedgehog.analysis.games.jam_fold import tell_rounds
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.arena.freeze_out import FreezeOutPair, FreezeOutRules, play_pair
from hedgehog.arena.in_process import Seat
from hedgehog.arena.jam_tables import load_jam_tables, structure_of
from hedgehog.arena.table_process import verify_in_process
from hedgehog.gametheory.jam_tables import JamTables
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import Table
from hedgehog.runtime.watch import SILENT, Watch

_SEATS: Final = ("all games", "with the first button", "without it")


@dataclass(frozen=True, slots=True)
class FreezeOutResult:
    """What a player has won in freeze-outs."""

    games: int
    """Number of games; every two have equal cards."""
    hands_per_game: float
    wins: Table
    """What the first player wins: in all games, with and without the first button."""
    remarks: tuple[str, ...]
    """Sentences about decisions that failed."""
    document: dict[str, Any]
    """All results, as ``hedgehog game freezeout --json`` writes them."""


def measure_freeze_outs(
    first: str,
    second: str,
    rules: FreezeOutRules,
    *,
    games: int = 1000,
    seed: int = 1,
    think_ms: int = 0,
    watch: Watch = SILENT,
) -> FreezeOutResult:
    """Plays freeze-outs in pairs with equal cards, and returns what the first player wins.

    :param first: specification of a player that plays in process, with or without ``NAME=``.
    :param second: specification of the other player.
    :param games: number of games; an odd number is rounded up.
    :param seed: seed of cards and players.
    :param think_ms: most thinking time of our player per decision.
    :param watch: hears of games.
    :raises InputError: if a player is a separate program or cannot be made.
    :raises GameError: if jam or fold cannot be solved for the chips and blinds.
    """
    specs = [parse_entrant(text) for text in (first, second)]
    names = unique_names(specs)
    tables = _tables(rules, watch) if any(spec.kind == JAM_FOLD for spec in specs) else None
    seats = [_seat(spec, rules, think_ms, tables) for spec in specs]
    pairs = (games + 1) // 2
    watch.begin("playing", 2 * pairs, "games")
    played = []
    for pair in range(pairs):
        played.append(play_pair(rules, seats, seed, pair))
        watch.update(2 * len(played))
    wins = _wins(played)
    hands = [game.hands for pair in played for game in pair]
    exact = _exact(specs, rules, tables)
    rows = [
        (label, f"{one.mean:.4f}", _interval(one), *([f"{exact[label]:.6f}"] if exact else []))
        for label, one in wins.items()
    ]
    columns = (f"{names[0]} wins", "share", "95 % interval", *(["exactly"] if exact else []))
    remarks = []
    for name, seat in zip(names, seats, strict=True):
        faults = seat.record.player_errors + seat.record.illegal_actions
        if faults:
            remarks.append(f"{name}: {faults:,} decisions failed or were illegal, and a call was played")
            remarks.append(f"{name}: {describe_failures(seat.record.failures)}")
    content: dict[str, Any] = {
        "games": 2 * pairs, "stacks": list(rules.stacks), "blinds": list(rules.blinds),
        "wins": {label: {"share": e.mean, "ci95": [e.low, e.high]} for label, e in wins.items()},
        "exact": exact or None,
        "hands_per_game": sum(hands) / len(hands),
    }  # fmt: skip
    return FreezeOutResult(
        2 * pairs,
        sum(hands) / len(hands),
        Table("wins", "", columns, tuple(rows)),
        tuple(remarks),
        json_document("freeze-out", game="hold'em", seed=seed, players=names, **content),
    )


def _wins(played: Sequence[FreezeOutPair]) -> dict[str, Estimate]:
    """Returns what the first player wins: on average over each pair, with and without the first button."""
    with_button = [pair.first.share for pair in played]
    without = [pair.second.share for pair in played]
    both = [(one + other) / 2 for one, other in zip(with_button, without, strict=True)]
    return {label: mean_estimate(shares) for label, shares in zip(_SEATS, (both, with_button, without), strict=True)}


def _tables(rules: FreezeOutRules, watch: Watch) -> JamTables:
    """Returns the strategies of the tournament, and tells the watch if they have to be solved."""
    structure = structure_of(rules.total, rules.blinds)
    for stack in rules.stacks:
        structure.kind(stack)  # checks the stack
    begun = cache(partial(tell_rounds, watch, len(structure.stacks), ("alternating", "bound")))

    def report(model: str, number: int, done: int, count: int) -> None:
        begun()(model, number, done, count)  # only now, because tables that are there need no work

    return load_jam_tables(structure, report=report)


def _exact(specs: Sequence[PlayerSpec], rules: FreezeOutRules, tables: JamTables | None) -> dict[str, float]:
    """Returns the exact chances of the first player; nothing if they are not known."""
    if tables is None:
        return {}
    swapped = specs[0].kind != JAM_FOLD
    hero, opponent = reversed(specs) if swapped else specs
    found = tables.exact_wins(opponent.kind, rules.stacks[1] if swapped else rules.stacks[0])
    if found is None or hero.kind != JAM_FOLD:
        return {}
    first, second = (1 - found[1], 1 - found[0]) if swapped else found
    return dict(zip(_SEATS, ((first + second) / 2, first, second), strict=True))


def _seat(spec: PlayerSpec, rules: FreezeOutRules, think_ms: int, tables: JamTables | None) -> Seat:
    """Returns a player that is ready to play hands with changing stacks.

    :raises InputError: if the player is a separate program or cannot be made.
    """
    verify_in_process(spec)
    if spec.kind == JAM_FOLD:
        return Seat(JamFoldPlayer(tables), PlayRecord())
    return Seat(_other_player(replace(spec, name=""), rules, think_ms), PlayRecord())


def _other_player(spec: PlayerSpec, rules: FreezeOutRules, think_ms: int) -> Player:
    player = make_player(spec, think_ms=think_ms)
    with starting():
        player.warm_up()
    return DeepPlayer(player, load_gamedef(), rules.blinds[1]) if spec.compiles else player


def _interval(estimate: Estimate) -> str:
    if estimate.has_interval:
        return f"{estimate.low:.4f} .. {estimate.high:.4f}"
    return "one value gives none" if estimate.n == 1 else "equal values give none"
