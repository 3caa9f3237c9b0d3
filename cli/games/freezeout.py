"""``hedgehog game freezeout``: freeze-outs between two players, winner takes all, inside one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.table import Table

from hedgehog.agent.play_record import describe_failures, starting
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from hedgehog.cli.tools.completion import complete_players
from hedgehog.runtime.documents import json_document

if TYPE_CHECKING:
    from hedgehog.agent.player import Player
    from hedgehog.agent.specs import PlayerSpec
    from hedgehog.analysis.stats.estimate import Estimate
    from hedgehog.arena.freeze_out import FreezeOutPair, FreezeOutRules
    from hedgehog.arena.in_process import Seat
    from hedgehog.gametheory.jam_tables import JamTables

_SEATS: Final = ("all games", "with the first button", "without it")


@click.command()
@click.argument("first", metavar="A", shell_complete=complete_players)
@click.argument("second", metavar="B", shell_complete=complete_players)
@click.option(
    "--games",
    type=click.IntRange(2),
    default=1000,
    show_default=True,
    help="Number of games; they come in pairs with equal cards, so an odd number is rounded up.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of cards and players.")
@click.option(
    "--stacks", type=(int, int), default=(4000, 4000), show_default=True, help="Chips of A and B before the first hand."
)
@click.option("--blinds", type=(int, int), default=(300, 600), show_default=True, help="Small and big blind.")
@click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Most thinking time of our player per decision; 0 plays from the packs alone.",
)
@json_option("the result")
@overwrite_option
def freezeout(
    first: str,
    second: str,
    games: int,
    seed: int,
    stacks: tuple[int, int],
    blinds: tuple[int, int],
    think_ms: int,
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Play freeze-outs between the players A and B: stacks go on from hand to hand, the winner takes all.

    A and B are players as in `hedgehog match`, except programs of their own (cmd:). The player jamfold plays the
    equilibrium of the tournament here. The players default and pack:PATH see every hand in the chips of their own game,
    200 big blinds deep, and do not know how short the stacks are. Every hand is a match of its own for a player.

    The button alternates. After 1,000 hands a game ends, and the share of the chips counts.
    """
    from hedgehog.agent.specs import JAM_FOLD, parse_entrant, unique_names
    from hedgehog.arena.freeze_out import FreezeOutRules, play_freeze_outs
    from hedgehog.cli.progress import show_progress

    claim_outputs(json_file, overwrite=overwrite)
    rules = FreezeOutRules(stacks, blinds)
    specs = [parse_entrant(text) for text in (first, second)]
    names = unique_names(specs)
    tables = _tables(rules) if any(spec.kind == JAM_FOLD for spec in specs) else None
    seats = [_seat(spec, rules, think_ms, tables) for spec in specs]
    pairs = (games + 1) // 2
    with show_progress("playing", 2 * pairs, "games") as progress:
        played = play_freeze_outs(rules, seats, pairs, seed, lambda done: progress.update(2 * done))
    wins = _wins(played)
    hands = [game.hands for pair in played for game in pair]
    exact = _exact(specs, rules, tables)
    console = output_console()
    console.print(
        f"{2 * pairs:,} freeze-outs in {pairs:,} pairs, {stacks[0]:,} and {stacks[1]:,} chips, blinds"
        f" {blinds[0]}/{blinds[1]}; {sum(hands) / len(hands):.2f} hands per game",
        markup=False,
    )
    table = Table(f"{names[0]} wins", "share", "95 % interval", *(["exactly"] if exact else []))
    for label, estimate in wins.items():
        known = [f"{exact[label]:.6f}"] if exact else []
        table.add_row(label, f"{estimate.mean:.4f}", _interval(estimate), *known)
    console.print(table)
    for name, seat in zip(names, seats, strict=True):
        faults = seat.record.player_errors + seat.record.illegal_actions
        if faults:
            console.print(f"{name}: {faults:,} decisions failed or were illegal, and a call was played", markup=False)
            console.print(f"{name}: {describe_failures(seat.record.failures)}", markup=False, soft_wrap=True)
    if json_file is not None:
        content: dict[str, Any] = {
            "games": 2 * pairs, "stacks": list(stacks), "blinds": list(blinds),
            "wins": {label: {"share": e.mean, "ci95": [e.low, e.high]} for label, e in wins.items()},
            "exact": exact or None,
            "hands_per_game": sum(hands) / len(hands),
        }  # fmt: skip
        write_json(json_file, json_document("freeze-out", game="hold'em", seed=seed, players=names, **content))


def _wins(played: Sequence[FreezeOutPair]) -> dict[str, Estimate]:
    """Returns what the first player wins: on average over each pair, with and without the first button."""
    from hedgehog.analysis.stats.estimate import mean_estimate

    with_button = [pair.first.share for pair in played]
    without = [pair.second.share for pair in played]
    both = [(one + other) / 2 for one, other in zip(with_button, without, strict=True)]
    return {label: mean_estimate(shares) for label, shares in zip(_SEATS, (both, with_button, without), strict=True)}


def _tables(rules: FreezeOutRules) -> JamTables:
    """Returns the strategies of the tournament, and shows the progress if they have to be solved."""
    from hedgehog.arena.jam_tables import load_jam_tables, structure_of
    from hedgehog.cli.games.jamfold import show_rounds

    structure = structure_of(rules.total, rules.blinds)
    for stack in rules.stacks:
        structure.kind(stack)  # checks the stack
    with show_rounds(len(structure.stacks), ["alternating", "bound"]) as report:
        return load_jam_tables(structure, report=report)


def _exact(specs: Sequence[PlayerSpec], rules: FreezeOutRules, tables: JamTables | None) -> dict[str, float]:
    """Returns the exact chances of the first player; nothing if they are not known."""
    from hedgehog.agent.specs import JAM_FOLD

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
    from hedgehog.agent.play_record import PlayRecord
    from hedgehog.agent.specs import JAM_FOLD
    from hedgehog.arena.in_process import Seat
    from hedgehog.arena.table_process import verify_in_process

    verify_in_process(spec)
    if spec.kind == JAM_FOLD:
        from hedgehog.agent.jam_player import JamFoldPlayer

        return Seat(JamFoldPlayer(tables), PlayRecord())
    return Seat(_other_player(replace(spec, name=""), rules, think_ms), PlayRecord())


def _other_player(spec: PlayerSpec, rules: FreezeOutRules, think_ms: int) -> Player:
    from hedgehog.agent.deep_player import DeepPlayer
    from hedgehog.agent.specs import make_player
    from hedgehog.poker.acpc.gamedef import load_gamedef

    player = make_player(spec, think_ms=think_ms)
    with starting():
        player.warm_up()
    return DeepPlayer(player, load_gamedef(), rules.blinds[1]) if spec.compiles else player


def _interval(estimate: Estimate) -> str:
    if estimate.has_interval:
        return f"{estimate.low:.4f} .. {estimate.high:.4f}"
    return "one value gives none" if estimate.n == 1 else "equal values give none"
