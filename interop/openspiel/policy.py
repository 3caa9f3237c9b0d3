"""Strategies of ours as policies of OpenSpiel: of any player that reports its strategy, and of small games solved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgehog.agent.specs import PlayerSpec, ready_player
from hedgehog.gametheory.cfr import GameCfr
from hedgehog.gametheory.sequence_form import solve_sequence_form
from hedgehog.gametheory.strategies import describe, gains
from hedgehog.gametheory.tree import MAX_NODES, ExtensiveGame, Floats, TreeBuilder
from hedgehog.interop.openspiel.hands import game_of, seen_by
from hedgehog.interop.openspiel.mixtures import mixture, reports_mixture
from hedgehog.runtime.errors import GameError, InputError
from hedgehog.runtime.packages import require

_Policy: Any = object if TYPE_CHECKING else require("open_spiel.python.policy", "policies need").Policy

ALGORITHM: Final = "pcfr+"
STEP: Final = 500
MOST_ITERATIONS: Final = 20_000
MOST_GAIN: Final = 1e-4
"""Most that a player may gain by deviating, where no linear program solves a game; in units of its payoffs."""


class PlayerPolicy(_Policy):  # type: ignore[misc]
    """The strategy that a player of ours reports. :func:`player_policy` makes it."""

    def __init__(self, game: Any, spec: str | PlayerSpec, *, think_ms: int) -> None:
        super().__init__(game, list(range(game.num_players())))
        gamedef = game_of(game)
        self._player = ready_player(spec, gamedef, think_ms=think_ms)
        if not reports_mixture(self._player, gamedef):
            raise InputError(f"the player {self._player.name} does not report its strategy in this game")

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Returns the probability of each legal action that the player may take.

        :param state: a ``pyspiel.State`` in which a player is to act.
        :param player_id: ignored: it is the player to act.
        """
        return mixture(self._player, seen_by(state, state.current_player()))


class SolvedPolicy(_Policy):  # type: ignore[misc]
    """An equilibrium of a small game. :func:`solved_policy` makes it."""

    def __init__(self, game: Any, tree: ExtensiveGame, profile: tuple[Floats, ...]) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.tree = tree
        """The game as an extensive game of ours; information sets have the names that OpenSpiel gives them."""
        self.profile = profile
        """The equilibrium, as :mod:`hedgehog.gametheory` has it."""
        rows = describe(tree, profile)
        self._rows = {
            (row.player, row.infoset): {int(name): share for name, share in row.actions.items()} for row in rows
        }

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Returns the probability of each legal action.

        :param state: a ``pyspiel.State`` in which a player is to act.
        :param player_id: ignored: it is the player to act.
        """
        player = state.current_player()
        return dict(self._rows[str(player), state.information_state_string(player)])


def player_policy(spec: str | PlayerSpec, game: Any, *, think_ms: int = 0) -> PlayerPolicy:
    """Returns the strategy of a player of ours as an OpenSpiel ``Policy``.

    :param spec: a player that reports its strategy, such as ``default``, ``pack:PATH`` or ``solved``.
    :param game: the ``pyspiel.Game``, ``universal_poker`` or ``repeated_poker``.
    :param think_ms: most milliseconds of thinking per decision; 0: from packs alone.
    :raises InputError: if OpenSpiel is not installed, the game is another one, or the player cannot play it or does not
        report its strategy.
    """
    return PlayerPolicy(game, spec, think_ms=think_ms)


def extensive_game(game: Any) -> ExtensiveGame:
    """Returns a small game of OpenSpiel as an extensive game of ours.

    Players and actions have OpenSpiel's numbers as names, information sets its information state strings.

    :param game: a ``pyspiel.Game`` in which players move in turn, such as ``kuhn_poker``.
    :raises InputError: if players move at once, or the game has too many nodes.
    :raises GameError: if a player forgets what it knew.
    """
    builder = TreeBuilder(game.get_type().short_name, [str(player) for player in range(game.num_players())])
    added = 0

    def add(state: Any, parent: int, label: str, probability: float) -> None:
        nonlocal added
        added += 1
        if added > MAX_NODES:
            raise InputError(f"the game has more than {MAX_NODES:,} nodes")
        if state.is_terminal():
            builder.add_leaf(parent, label, probability, state.returns())
        elif state.is_chance_node():
            node = builder.add_chance(parent, label, probability)
            for outcome, chance in state.chance_outcomes():
                add(state.child(outcome), node, str(outcome), chance)
        elif state.is_simultaneous_node():
            raise InputError("expected a game in which players move in turn")
        else:
            player, actions = state.current_player(), state.legal_actions()
            name = state.information_state_string(player)
            names = [str(action) for action in actions]
            node = builder.add_decision(parent, label, probability, player, name, name=name, actions=names)
            for action in actions:
                add(state.child(action), node, str(action), 1)

    add(game.new_initial_state(), -1, "", 1)
    return builder.finish()


def solved_policy(game: Any) -> SolvedPolicy:
    """Returns an equilibrium of a small game of OpenSpiel as a ``Policy``.

    Games of two players with a constant sum are solved by linear programs. Any other game is learned until no player
    gains :data:`MOST_GAIN` by deviating alone.

    :param game: a ``pyspiel.Game`` in which players move in turn, such as ``kuhn_poker``, ``leduc_poker``, or
        ``universal_poker`` with a small deck.
    :raises InputError: if OpenSpiel is not installed, players move at once, or the game has too many nodes.
    :raises GameError: if no equilibrium of a game was found.
    """
    tree = extensive_game(game)
    if len(tree.players) == 2 and tree.constant_sum() is not None:
        return SolvedPolicy(game, tree, solve_sequence_form(tree).profile)
    solver = GameCfr(tree, ALGORITHM)
    while solver.iteration < MOST_ITERATIONS:
        solver.step(STEP)
        profile = tuple(solver.profile())
        if float(np.max(gains(tree, profile))) < MOST_GAIN:
            return SolvedPolicy(game, tree, profile)
    raise GameError(f"no equilibrium was found in {MOST_ITERATIONS:,} iterations")
