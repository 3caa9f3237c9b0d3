"""Players of ours as bots of OpenSpiel, for ``universal_poker`` and ``repeated_poker``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgehog.agent.openspiel.games import number_of_action, spiel
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.specs import PlayerSpec, parse_player_spec, ready_player
from hedgehog.arena.in_process import Seat, decide, show_earlier
from hedgehog.interop.openspiel.hands import game_of, seen_by
from hedgehog.interop.openspiel.mixtures import mixture, reports_mixture
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.runtime.errors import InputError

_Bot: Any = object if TYPE_CHECKING else spiel().Bot


class PlayerBot(_Bot):  # type: ignore[misc]
    """A player of ours as a ``pyspiel.Bot``. :func:`spiel_bot` makes it.

    It acts for whichever player is to act in the state that it is given. Of the state it looks at the player's own
    cards, the board and the betting. States of the hand in which others act are shown to players that observe; the end
    of a hand, with the cards shown there, is not.
    """

    def __init__(self, spec: PlayerSpec, game: Any, *, seed: int, think_ms: int) -> None:
        super().__init__()
        self.gamedef = game_of(game)
        self.record = PlayRecord()
        """The player's decisions, and what went wrong in them."""
        player = ready_player(spec, self.gamedef, seed=seed, think_ms=think_ms)
        self._seat = Seat(player, self.record)
        self._hand = 0
        self._shown = (0, 0, 0)  # position and hand of the last decision, and the number of actions shown by then

    def __repr__(self) -> str:
        return f"<PlayerBot {self._seat.player.name}>"

    def _seen(self, state: Any) -> MatchState:
        return seen_by(state, state.current_player(), self._hand)

    def step(self, state: Any) -> int:
        """Returns the player's action in a state in which a player is to act, as OpenSpiel's number.

        :param state: a ``pyspiel.State`` of the game.
        :raises InputError: if the state is of another game.
        """
        seen = self._seen(state)
        position, hand, shown = self._shown
        if (position, hand) != (seen.position, seen.hand_id):
            shown = 0
        shown = show_earlier(self._seat, seen, shown)
        self._shown = seen.position, seen.hand_id, shown
        self.record.decisions += 1
        action = decide(self._seat, seen._replace(state=seen.state.copy()), seen.state)
        return number_of_action(action)

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Returns the probabilities of the player's actions, and the action that it takes.

        :raises InputError: if the player does not report its strategy.
        """
        return self.get_policy(state), self.step(state)

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Returns pairs of an action and its probability, for all legal actions that the player may take.

        :raises InputError: if the player does not report its strategy.
        """
        return list(mixture(self._seat.player, self._seen(state)).items())

    def provides_policy(self) -> bool:
        """Tells whether the player reports its strategy in this game."""
        return reports_mixture(self._seat.player, self.gamedef)

    def restart(self) -> None:
        """Begins a new hand of ``universal_poker``; the player keeps what it remembers."""
        self._hand += 1

    def restart_at(self, state: Any) -> None:
        """Begins a new hand in any state of it."""
        self.restart()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Does nothing: every state tells its whole history."""

    def inform_actions(self, state: Any, actions: list[int]) -> None:
        """Does nothing: every state tells its whole history."""


def spiel_bot(spec: str | PlayerSpec, game: Any, *, seed: int = 0, think_ms: int = 0) -> PlayerBot:
    """Returns a player of ours as a ``pyspiel.Bot``.

    :param spec: the player, such as ``default``, ``pack:PATH`` or ``call``.
    :param game: the ``pyspiel.Game``: ``universal_poker`` with ``bettingAbstraction=fullgame`` or limit betting, or
        ``repeated_poker`` over such a game.
    :param seed: seed of the player's random numbers.
    :param think_ms: most milliseconds of thinking per decision; 0: from packs alone.
    :raises InputError: if OpenSpiel is not installed, the game is another one, or the player cannot play it.
    """
    parsed = parse_player_spec(spec) if isinstance(spec, str) else spec
    if parsed.kind == "openspiel":
        raise InputError(f"{parsed.text!r} is a bot of OpenSpiel already")
    return PlayerBot(parsed, game, seed=seed, think_ms=think_ms)
