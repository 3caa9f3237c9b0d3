"""The player ``solved``: small games of the dealer, such as Kuhn poker and Leduc hold'em, in equilibrium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.agent.dealt_games import objection_to_small_game, seen_by_player, solve_small_game
from hedgehog.agent.player import Player
from hedgehog.agent.random_numbers import drawn, uniform
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.agent.dealt_games import SolvedGame
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState


class SolvedPlayer(Player):
    """Plays an equilibrium of a small game, which it computes when the match begins; it takes less than a second."""

    name = "solved"

    def __init__(self) -> None:
        self._seed = 0
        self._solved: SolvedGame | None = None

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Solves the game, unless it has been solved before.

        :raises InputError: if the game is too large, or of another kind.
        :raises GameError: if no equilibrium was found for more than two players.
        """
        objection = objection_to_small_game(gamedef)
        if objection is not None:
            raise InputError(f"only small limit games with one hole card are solved at the table: the game {objection}")
        self._solved = solve_small_game(gamedef)
        self._seed = seed

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Returns an action drawn from the equilibrium."""
        state = matchstate.state
        row = self.row(matchstate)
        number = uniform(self._seed, matchstate.hand_id, len(state.betting_string()))
        return drawn([Action(kind) for kind in row], list(row.values()), number)

    def row(self, matchstate: MatchState) -> dict[str, float]:
        """Returns the probabilities of ``f``, ``c`` and ``r`` with the cards of a state in which the player acts."""
        assert self._solved is not None
        hole = matchstate.hole_cards[matchstate.position]
        found = self._solved.rows.get(seen_by_player(matchstate.state, hole, matchstate.board))
        return found if found is not None else {"c": 1.0}  # the only legal action is no decision of the solved game
