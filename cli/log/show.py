"""``hedgehog log show``: prints hands in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hedgehog.analysis.histories.hand_files import FileHand, HandFile
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.cli.log.common import file_argument, game_option, given_game
from hedgehog.poker.acpc.gamedef import shipped_name
from hedgehog.runtime.errors import InputError, one_line


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
    from hedgehog.analysis.histories.hand_text import describe_hand

    found = HandInput([file], None, given_game(game))
    seen: list[FileHand] = []
    shown = 0
    for opened in found.files:
        for entry in found.read(opened, hidden_cards=True):
            seen.append(entry)
            if not _is_chosen(entry, hands, first, last, player):
                continue
            if shown:
                click.echo()
            for line in describe_hand(entry.hand, _title(opened, entry)):
                click.echo(one_line(line))
            if any(entry.dead):
                click.echo(f"  with antes or dead posts of {entry.dead[0]} and {entry.dead[1]} in the pot")
            if entry.imaginary_value is not None:
                name = one_line(entry.hand.names.split("|")[0])
                click.echo(f"  imaginary value of {name}: {entry.imaginary_value:+g}")
            shown += 1
    found.verify_read()
    for note in found.notes():
        click.echo(one_line(note), err=True)
    if not shown:
        raise InputError(_nothing_found(seen, player), source=str(file))


def _is_chosen(
    entry: FileHand, hands: tuple[int, ...], first: int | None, last: int | None, player: str | None
) -> bool:
    """Tells whether the options of the command choose a hand."""
    ranged = first is not None or last is not None
    number = entry.hand.hand_id
    inside = ranged and (first is None or number >= first) and (last is None or number <= last)
    if (hands or ranged) and number not in hands and not inside:
        return False
    return player is None or player in entry.hand.names.split("|")


def _title(file: HandFile, entry: FileHand) -> str:
    gamedef = entry.hand.state.gamedef
    parts = [shipped_name(gamedef) or f"a game for {gamedef.num_players} players"]
    if file.seed is not None:
        parts.append(f"seed {file.seed}")
    return f"Hand {entry.hand.hand_id} ({', '.join(parts)}), line {entry.line} of {file.path.name}"


def _nothing_found(seen: Sequence[FileHand], player: str | None) -> str:
    """Returns the message that no hand was chosen, with the hands and players of the file."""
    numbers = {entry.hand.hand_id for entry in seen}
    names = {name for entry in seen for name in entry.hand.names.split("|")}
    if player is not None and player not in names:
        return f"no player {player!r}: expected {', '.join(sorted(names))}"
    return f"no such hand: the log has {len(numbers)} hands, numbered {min(numbers)} to {max(numbers)}"
