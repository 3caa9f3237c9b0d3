"""A decision of three-player limit hold'em, read from its betting text.

Positions are those of ACPC texts: 0 is the small blind, 1 the big blind, 2 the button. Chips are counted in small
blinds, of which a raise costs 2 before the turn and 4 from then on.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.limit_betting import ACTION_LETTERS
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import InputError

SMALL_BLIND: Final = 0
BIG_BLIND: Final = 1
BUTTON: Final = 2
NUM_PLAYERS: Final = 3
THREE_PLAYER_GAME: Final = "holdem.limit.3p"


class ThreePlayerSituation(NamedTuple):
    """A decision at the three-player table."""

    street: int
    hero: int
    """The position that is to act."""
    opponents: tuple[int, ...]
    """Positions of the others who are still in the hand, the one who acts next first."""
    streets: tuple[str, ...]
    """The actions of each street, all players together."""
    at_start: tuple[int, ...]
    """Number of players at the beginning of each street."""
    own: tuple[tuple[str, ...], ...]
    """Position -> street -> the actions of this position."""
    pot: int
    """Small blinds in the pot."""
    to_call: int
    """Small blinds that the hero needs to call."""
    can_raise: bool

    @property
    def players(self) -> int:
        """Number of players still in the hand."""
        return 1 + len(self.opponents)


def read_situation(betting: str) -> ThreePlayerSituation:
    """Returns the decision after a betting text such as ``rcc/rr``.

    A player may fold where checking is free, which the ACPC dealer does not allow.

    :param betting: the actions of all players; streets are separated by slashes.
    :raises InputError: if an action or a slash is not possible, or the hand is over.
    """

    def wrong(what: str) -> InputError:
        return InputError(f"no decision of three-player limit hold'em: {what} in {betting!r}")

    gamedef = _game()
    state = HandState(gamedef)
    texts = betting.split("/")
    own = [[""] * len(texts) for _ in range(NUM_PLAYERS)]
    at_start = []
    for street, text in enumerate(texts):
        if state.round < street:
            raise wrong("a superfluous slash")
        at_start.append(NUM_PLAYERS - state.num_folded)
        for letter in text:
            if state.round > street:
                raise wrong("a missing slash")
            if letter not in ACTION_LETTERS or (letter == "r" and state.raise_range() is None):
                raise wrong(f"the action {letter!r}")
            own[state.acting_position][street] += letter
            state.perform(Action(letter))
            if state.finished:
                raise wrong("a hand that is over")
    if state.round >= len(texts):
        raise wrong("a missing slash")
    hero, small_blind = state.acting_position, gamedef.blinds[SMALL_BLIND]
    others = (hero + 1) % NUM_PLAYERS, (hero + 2) % NUM_PLAYERS
    return ThreePlayerSituation(
        street=state.round,
        hero=hero,
        opponents=tuple(position for position in others if not state.folded[position]),
        streets=tuple(texts),
        at_start=tuple(at_start),
        own=tuple(map(tuple, own)),
        pot=sum(state.spent) // small_blind,
        to_call=(state.max_spent - state.spent[hero]) // small_blind,
        can_raise=state.raise_range() is not None,
    )


@cache
def _game() -> GameDef:
    return load_gamedef(THREE_PLAYER_GAME)
