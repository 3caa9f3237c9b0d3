"""Finds the players of a match whose strategies are known, and what computes AIVAT values of a game's hands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from hedgehog.agent.limit.three_player import LimitMappingPlayer
from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.reported_strategy import reported_strategy
from hedgehog.agent.specs import PlayerSpec, make_player, ready_player
from hedgehog.analysis.aivat.holdem import HoldemAivat, verify_game
from hedgehog.analysis.aivat.replay import Strategy
from hedgehog.analysis.three_players.aivat import ThreePlayerAivat, is_three_player_limit
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.runtime.errors import InputError


def verify_aivat_game(gamedef: GameDef) -> None:
    """Verifies that AIVAT supports a game.

    :raises InputError: unless it is heads-up hold'em with equal stacks, or limit hold'em for three players.
    """
    if not is_three_player_limit(gamedef):
        verify_game(gamedef)


def hand_scorer(gamedef: GameDef) -> HoldemAivat | ThreePlayerAivat:
    """Returns what computes the AIVAT values of hands of a game.

    :raises InputError: if AIVAT does not support the game.
    :raises PackError: if the game is for three players, and the strategy that gives their values is missing.
    """
    verify_aivat_game(gamedef)
    return ThreePlayerAivat(gamedef) if is_three_player_limit(gamedef) else HoldemAivat(gamedef)


def can_report(spec: PlayerSpec, gamedef: GameDef, think_ms: int) -> bool:
    """Tells whether the strategy of a player can be computed after the match.

    It cannot for external programs, nor for Hedgehog's own player with time to think: how far it solves depends on the
    clock, so it does not play the same twice.

    :param gamedef: the game of the match.
    :param think_ms: milliseconds that Hedgehog's own player may think per decision.
    """
    spec = spec.for_game(gamedef)
    if spec.external or spec.solves(think_ms):
        return False
    player = make_player(spec, gamedef)
    return isinstance(player, ReportsStrategy) and (not isinstance(player, LimitMappingPlayer) or player.tells_all)


def known_players(
    names: Sequence[str],
    specs: Sequence[PlayerSpec],
    gamedef: GameDef,
    think_ms: int,
    recorded: Collection[str] = (),
) -> dict[str, PlayerSpec]:
    """Returns the players of a match whose strategies can be computed afterwards: name -> specification.

    :param names: names of the players in the match.
    :param specs: specifications of the players, in the order of the names.
    :param gamedef: the game.
    :param think_ms: milliseconds that Hedgehog's own player could think per decision in the match.
    :param recorded: names of players whose decisions are recorded. They are left out.
    :raises InputError: if AIVAT does not support the game, or no strategy can be computed or is recorded.
    """
    verify_aivat_game(gamedef)
    known = {
        name: spec
        for name, spec in zip(names, specs, strict=True)
        if name not in recorded and can_report(spec, gamedef, think_ms)
    }
    if not known and not recorded:
        raise InputError(
            "AIVAT needs a player that can tell its strategy: ours (with --think-ms 0, or with a record of its "
            "decisions), or a bot other than random"
        )
    return known


def strategies_of(players: Mapping[str, PlayerSpec], gamedef: GameDef) -> dict[str, Strategy]:
    """Returns the strategies of players by name. The players are loaded for this.

    :param players: name -> specification.
    :param gamedef: the game.
    :raises InputError: if a player cannot report its strategy, or is for another game.
    :raises PackError: if the packs of a player are missing or damaged.
    """
    verify_can_report(players.values(), gamedef)
    strategies: dict[str, Strategy] = {}
    loaded: dict[str, Strategy] = {}
    for name, spec in players.items():
        if spec.text not in loaded:
            player = ready_player(spec, gamedef)
            assert isinstance(player, ReportsStrategy)
            loaded[spec.text] = partial(reported_strategy, player)
        strategies[name] = loaded[spec.text]
    return strategies


def verify_can_report(players: Iterable[PlayerSpec], gamedef: GameDef) -> None:
    """Checks that players can be asked for their strategies, without loading them.

    :raises InputError: if one cannot report its strategy, or is for another game.
    """
    for spec in players:
        if not can_report(spec, gamedef, 0):
            raise InputError(f"player {spec.text!r} cannot tell its strategy")
