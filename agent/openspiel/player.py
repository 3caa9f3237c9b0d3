"""Bots and policies of OpenSpiel as players of our matches: the specification ``openspiel:NAME``.

NAME is a bot that OpenSpiel registers, such as ``uniform_random``, with its parameters behind a question mark:
``uniform_restricted_actions?policy_name=AlwaysCall``. Or it is ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``: a function
or class of the user's that is called with the ``pyspiel.Game`` and the number of the player, and returns a
``pyspiel.Bot`` or a ``Policy``.

A bot is given a whole state of OpenSpiel. In it the player's own cards and the board are those of the table. The cards
of the others, which nobody at the table knows, are drawn at random from the rest of the deck, anew for each decision:
a bot that looks at them sees nothing.
"""

from __future__ import annotations

import random
from typing import Any, Final

from hedgehog.agent.openspiel.games import action_of_number, number_of_action, number_of_card, spiel, spiel_game
from hedgehog.agent.player import Player
from hedgehog.agent.plugins import import_source, split_source
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError

_SEEDS: Final = 1 << 31
"""OpenSpiel's parameters are 32-bit numbers."""


class SpielPlayer(Player):
    """A bot or a policy of OpenSpiel. Each position has a bot of its own, which is restarted for every decision."""

    def __init__(self, source: str, label: str = "openspiel") -> None:
        """Takes note of what is to play; nothing is loaded.

        :param source: the part of the specification after ``openspiel:``.
        :param label: the player's name.
        """
        self.name = label
        self._source = source
        self._gamedef: GameDef | None = None
        self._game: Any = None
        self._bots: list[Any] = []
        self._seed = 0
        self._random = random.Random(0)

    def warm_up(self) -> None:
        """Imports OpenSpiel and the user's module.

        :raises InputError: if there is no such bot, or OpenSpiel is not installed.
        """
        verify_spiel_source(self._source)

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Loads the game in OpenSpiel, and a bot for each position.

        :raises InputError: if OpenSpiel cannot play the game by its rules, or what the user's function returns is no
            bot.
        """
        self._random = random.Random(seed)
        self._seed = seed
        self._load(gamedef)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Returns the action of the bot in the state that the player sees."""
        position = matchstate.position
        if matchstate.state.gamedef != self._gamedef:  # other stacks than in the hand before
            self._load(matchstate.state.gamedef)
        bot = self._bots[position]
        played = self._history(matchstate)
        state = self._game.new_initial_state()
        if hasattr(bot, "action_probabilities"):
            for number in played:
                state.apply_action(number)
            return self._drawn(bot.action_probabilities(state, position), matchstate)
        bot.restart()  # the unknown cards differ from those of the last decision
        for number in played:
            mover = state.current_player()
            if mover != position:
                bot.inform_action(state, mover, number)
            state.apply_action(number)
        return action_of_number(int(bot.step(state)), matchstate.state.gamedef)

    def _load(self, gamedef: GameDef) -> None:
        self._gamedef, self._game = gamedef, spiel_game(gamedef)
        self._bots = [self._new_bot(position) for position in range(gamedef.num_players)]

    def _new_bot(self, position: int) -> Any:
        parts = split_source(self._source)
        if parts is None:
            name, parameters = _split_parameters(self._source)
            seeded = {"seed": self._seed % _SEEDS, **parameters}  # bots without random numbers ignore it
            return spiel().load_bot(name, self._game, position, seeded)
        made = getattr(import_source(parts[0]), parts[1])(self._game, position)
        if not hasattr(made, "step") and not hasattr(made, "action_probabilities"):
            raise InputError(f"expected a pyspiel.Bot or a Policy from {self._source}, got {type(made).__name__}")
        return made

    def _history(self, seen: MatchState) -> list[int]:
        """Returns the chance outcomes and actions that lead to a state, with cards drawn for the other players."""
        gamedef = seen.state.gamedef
        own = seen.hole_cards[seen.position]
        rest = sorted(gamedef.deck_set.difference(own, seen.board))
        drawn = self._random.sample(rest, gamedef.num_hole_cards * (gamedef.num_players - 1))
        history: list[int] = []
        for position in range(gamedef.num_players):
            hand = own if position == seen.position else [drawn.pop() for _ in range(gamedef.num_hole_cards)]
            history += [number_of_card(card, gamedef) for card in hand]
        dealt = 0
        for street, actions in enumerate(seen.state.actions):
            by_now = gamedef.board_cards_by(street)
            history += [number_of_card(card, gamedef) for card in seen.board[dealt:by_now]]
            history += [number_of_action(action) for _, action in actions]
            dealt = by_now
        return history

    def _drawn(self, shares: dict[int, float], seen: MatchState) -> Action:
        numbers, weights = list(shares), list(shares.values())
        return action_of_number(int(self._random.choices(numbers, weights)[0]), seen.state.gamedef)


def _split_parameters(source: str) -> tuple[str, dict[str, str]]:
    """Returns the name of a registered bot and its parameters.

    :raises InputError: if a parameter is not of the form ``key=value``.
    """
    name, _, text = source.partition("?")
    pairs = [option.partition("=") for option in text.split("&")] if text else []
    for key, equals, value in pairs:
        if not key or not equals or not value:
            raise InputError(f"expected openspiel:NAME?KEY=VALUE, got {source!r}")
    return name, {key: value for key, _, value in pairs}


def verify_spiel_source(source: str) -> None:
    """Checks that a bot of a specification ``openspiel:...`` exists.

    :param source: the part after ``openspiel:``.
    :raises InputError: if OpenSpiel is not installed or has no such bot, or the user's module cannot be imported or has
        no such function.
    """
    names = spiel().registered_bots()
    parts = split_source(source)
    if parts is None:
        name = _split_parameters(source)[0]
        if name not in names:
            known = f"{', '.join(sorted(names))}, MODULE:FUNCTION or FILE.py:FUNCTION"
            raise InputError(f"OpenSpiel has no bot {name!r}: expected {known}")
        return
    module = import_source(parts[0])
    made = getattr(module, parts[1], None)
    if not callable(made):
        what = "has no function" if made is None else "expected a function or a class,"
        raise InputError(f"{what} {parts[1]!r}", source=getattr(module, "__file__", None) or parts[0])
