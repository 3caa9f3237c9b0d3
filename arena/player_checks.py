"""Checks before anything is started whether the players of a match can play."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path

from hedgehog.agent.registered import JAM_FOLD, LIMIT_BOTS, SOLVED
from hedgehog.agent.specs import PlayerSpec, make_player, verify_loadable
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import InputError


def verify_player(spec: PlayerSpec, gamedef: GameDef) -> None:
    """Verifies that the program or class of a player exists, and that the packs of our player are for the game.

    :raises InputError: if the program or class is not found, the packs are for another game, or the game is too deep
        for the player ``jamfold``.
    :raises PackError: if a pack is missing or damaged.
    """
    if spec.external:
        command = shlex.split(spec.argument)[0]
        if shutil.which(command) is None:
            raise InputError(f"there is no command {command!r}")
    verify_loadable(spec)
    spec = spec.for_game(gamedef)
    if spec.kind == JAM_FOLD:
        from hedgehog.agent.jam_player import verify_short_stacks  # imports numba

        verify_short_stacks(gamedef)
    if spec.compiles:
        from hedgehog.agent.strategy.player_packs import open_player_packs, packs_for  # imports numba
        from hedgehog.strategies.pack import default_packs
        from hedgehog.strategies.pack_games import find_game_packs

        paths = [Path(spec.argument)] if spec.kind == "pack" else [default_packs()]
        open_player_packs(packs_for(find_game_packs(paths), gamedef))
    if spec.kind in ("limit", SOLVED) or spec.carried is not None or spec.kind in LIMIT_BOTS:
        player = make_player(spec, gamedef)
        player.warm_up()
        player.new_match(gamedef, 0)


def verify_players(specs: Iterable[PlayerSpec], gamedef: GameDef) -> None:
    """Verifies with :func:`verify_player` that all players of a match can play.

    :raises InputError: if one cannot play; the message names the player.
    :raises PackError: if a pack is missing or damaged.
    """
    for spec in dict.fromkeys(specs):
        try:
            verify_player(spec, gamedef)
        except InputError as error:
            error.message = f"player {spec.text!r}: {error.message}"
            raise
