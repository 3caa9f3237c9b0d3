"""The strategy packs of Hedgehog's player: which of them a game needs, opened and checked before a kernel is compiled.

A player has blueprints for some stack depths (:mod:`hedgehog.strategies.pack_games`). It plays any heads-up no-limit
hold'em with the blueprint whose depth has the smallest ratio to that of the game: bets are read and made as shares of
the pot, and all-in stays all-in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.flop_pack import QUICK_TIER, FlopLine, read_flop_lines
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.pack_games import GamePacks, big_blinds, nearest_depth
from hedgehog.strategies.quick_flops import QuickFlops, read_quick_flops


@dataclass(frozen=True, slots=True)
class PlayerPacks:
    """The strategy packs that Hedgehog's player plays from at one depth."""

    gamedef: GameDef
    """The game that the packs were made for."""
    blueprint: BlueprintTable
    quick: Sequence[QuickFlops]
    lines: Sequence[FlopLine]
    """Preflop lines with exact flop strategies."""


def open_player_packs(game: GamePacks) -> PlayerPacks:
    """Returns the verified packs of a game.

    :raises PackError: if a pack is damaged or belongs to another blueprint.
    """
    blueprint = read_blueprint(open_pack(game.blueprint))
    flops = [open_pack(folder) for folder in game.flops]
    quick = [read_quick_flops(pack, blueprint) for pack in flops if pack.manifest.tier == QUICK_TIER]
    tables = [read_flop_lines(pack, blueprint) for pack in flops if pack.manifest.tier != QUICK_TIER]
    exact = list(chain.from_iterable(tables))
    for line in exact:
        for at in range(len(line.classes)):  # at the table nothing may fail any more
            line.verify_class(at)
    return PlayerPacks(game.gamedef, blueprint, quick, exact)


def packs_for(games: Sequence[GamePacks], played: GameDef) -> GamePacks:
    """Returns the packs with which a game is played: those of the nearest depth.

    :param games: the games of the packs.
    :param played: the game to be played.
    :raises InputError: if the game is no heads-up no-limit hold'em in which position 0 has the big blind.
    """
    objection = _objection(played)
    if objection is not None:
        raise InputError(f"the strategy packs are for heads-up no-limit hold'em, and the game {objection}")
    return nearest_depth(games, big_blinds(played))


def _objection(game: GameDef) -> str | None:
    """Returns what makes a game another one than heads-up no-limit hold'em with any chips; None if nothing does."""
    if game.num_players != 2:
        return f"has {game.num_players} players"
    if not game.no_limit:
        return "has limit betting"
    if not game.is_holdem:
        board = "+".join(map(str, game.num_board_cards))
        return (
            f"is dealt from {game.num_suits} suits of {game.num_ranks} ranks with {game.num_hole_cards} hole cards "
            f"and {board} board cards"
        )
    big, small = game.blinds
    if not 0 < small <= big:
        return (
            f"has blinds of {big} for position 1 and {small} for position 2, where position 1 should have the big one"
        )
    if game.first_positions != (1, 0, 0, 0):
        first = " ".join(str(position + 1) for position in game.first_positions)
        return f"lets position {first} act first in its rounds instead of 2 1 1 1"
    return None
