"""The probabilities of a player's actions with its own cards, in OpenSpiel's numbers."""

from __future__ import annotations

from hedgehog.agent.openspiel.games import number_of_action
from hedgehog.agent.player import Player, ReportsStrategy
from hedgehog.agent.reported_strategy import reported_strategy
from hedgehog.agent.solved_player import SolvedPlayer
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_CARDS, combo_index
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError


def reports_mixture(player: Player, gamedef: GameDef) -> bool:
    """Tells whether a player reports the probabilities of its actions in a game."""
    if isinstance(player, SolvedPlayer):
        return True
    pairs = gamedef.num_hole_cards == 2 and len(gamedef.deck()) == NUM_CARDS
    return pairs and isinstance(player, ReportsStrategy)


def mixture(player: Player, seen: MatchState) -> dict[int, float]:
    """Returns the probability of each action that a player may take with its cards; they sum to one.

    :param seen: a state in which the player is to act.
    :returns: OpenSpiel's number of an action -> its probability. Actions of probability zero are left out.
    :raises InputError: if the player does not report its strategy in this game.
    :raises MatchError: if what it reports is no strategy.
    """
    if not reports_mixture(player, seen.state.gamedef):
        raise InputError(f"the player {player.name} does not report its strategy in this game")
    if isinstance(player, SolvedPlayer):
        row = {number_of_action(Action(kind)): share for kind, share in player.row(seen).items()}
    else:
        assert isinstance(player, ReportsStrategy)
        low, high = seen.hole_cards[seen.position]
        options = reported_strategy(player, seen)
        shares = options.probabilities[:, combo_index(low, high)].tolist()
        row = dict(zip(map(number_of_action, options.actions), shares, strict=True))
    total = sum(row.values())
    return {number: share / total for number, share in sorted(row.items()) if share > 0}
