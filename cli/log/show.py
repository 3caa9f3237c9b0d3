"""``hedgehog log show``: prints hands in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from analysis.histories.hand_files import FileHand, HandFile, open_hand_file
from cli.log.common import file_argument, game_option, given_game
from poker.acpc.gamedef import shipped_name
from runtime.errors import InputError


@click.command(short_help="Show hands in words.")
@file_argument
@click.option(
    "--hand", "hands", type=click.IntRange(0), multiple=True, metavar="N", help="Number of a hand. May be repeated."
)
@click.option("--from", "first", type=click.IntRange(0), metavar="N", help="From this hand on.")
@click.option("--to", "last", type=click.IntRange(0), metavar="N", help="Up to this hand, included.")
@click.option("--player", metavar="NAME", help="Only hands in which this player took part.")
@game_option
def show(
    file: Path, hands: tuple[int, ...], first: int | None, last: int | None, player: str | None, game: str | None
) -> None:
    """Show hands of a log in words: players, cards, betting street by street, result.

    Hands are numbered as in the log, from 0. Without --hand, --from and --to all hands are shown. Bets and raises are
    totals of the street; what an ACPC log writes are totals of the hand.
    """
    from analysis.histories.hand_text import describe_hand

    opened = open_hand_file(file, gamedef=given_game(game))
    shown = 0
    for entry in _chosen(opened, hands, first, last, player):
        if shown:
            click.echo()
        for line in describe_hand(entry.hand, _title(opened, entry)):
            click.echo(line)
        if entry.imaginary_value is not None:
            name = entry.hand.names.split("|")[0]
            click.echo(f"  imaginary value of {name}: {entry.imaginary_value:+g}")
        shown += 1
    if not shown:
        raise InputError(_nothing_found(opened, player), source=str(file))


def _chosen(
    file: HandFile, hands: tuple[int, ...], first: int | None, last: int | None, player: str | None
) -> Iterator[FileHand]:
    """Yields the hands that the options of the command choose, in the order of the file."""
    ranged = first is not None or last is not None
    wanted = set(hands)
    for entry in file.hands():
        number = entry.hand.hand_id
        inside = ranged and (first is None or number >= first) and (last is None or number <= last)
        if (wanted or ranged) and number not in wanted and not inside:
            continue
        if player is None or player in entry.hand.names.split("|"):
            yield entry


def _title(file: HandFile, entry: FileHand) -> str:
    gamedef = entry.hand.state.gamedef
    parts = [shipped_name(gamedef) or f"a game for {gamedef.num_players} players"]
    if file.seed is not None:
        parts.append(f"seed {file.seed}")
    return f"Hand {entry.hand.hand_id} ({', '.join(parts)}), line {entry.line} of {file.path.name}"


def _nothing_found(file: HandFile, player: str | None) -> str:
    """Returns the message that no hand was chosen, with the hands and players of the file."""
    numbers, names = set[int](), set[str]()
    for entry in file.hands():
        numbers.add(entry.hand.hand_id)
        names.update(entry.hand.names.split("|"))
    if not numbers:
        return "expected at least one hand, found none"
    if player is not None and player not in names:
        return f"no player {player!r}: expected {', '.join(sorted(names))}"
    return f"no such hand: the log has {len(numbers)} hands, numbered {min(numbers)} to {max(numbers)}"
