"""A decision of three-player limit hold'em, read from its betting text.

Positions are those of ACPC texts: 0 is the small blind, 1 the big blind, 2 the button. Chips are counted in small
blinds, of which a raise costs 2 before the turn and 4 from then on.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hedgehog.runtime.errors import InputError

SMALL_BLIND: Final = 0
BIG_BLIND: Final = 1
BUTTON: Final = 2
NUM_PLAYERS: Final = 3
RAISE_CAPS: Final = (3, 4, 4, 4)
"""Most raises on each street; the big blind does not count."""
RAISE_SIZES: Final = (2, 2, 4, 4)
"""Small blinds of a raise on each street."""


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

    spent = [1, 2, 0]
    folded = [False] * NUM_PLAYERS
    texts = betting.split("/")
    own: list[list[str]] = [[] for _ in range(NUM_PLAYERS)]
    at_start = []
    if len(texts) > len(RAISE_CAPS):
        raise wrong("too many streets")
    hero, raises = NUM_PLAYERS, 0
    for street, text in enumerate(texts):
        left = NUM_PLAYERS - sum(folded)
        at_start.append(left)
        waiting, raises = left, 0
        seat = BUTTON if street == 0 else SMALL_BLIND
        mine = ["", "", ""]
        for letter in text:
            if waiting == 0:
                raise wrong("a missing slash")
            while folded[seat]:
                seat = (seat + 1) % NUM_PLAYERS
            if letter == "f":
                folded[seat] = True
                left -= 1
                waiting -= 1
                if left < 2:
                    raise wrong("a hand that is over")
            elif letter == "c":
                spent[seat] = max(spent)
                waiting -= 1
            elif letter == "r" and raises < RAISE_CAPS[street]:
                spent[seat] = max(spent) + RAISE_SIZES[street]
                raises += 1
                waiting = left - 1
            else:
                raise wrong(f"the action {letter!r}")
            mine[seat] += letter
            seat = (seat + 1) % NUM_PLAYERS
        if (waiting == 0) != (street + 1 < len(texts)):
            raise wrong("a superfluous slash" if waiting else "a missing slash")
        for position, actions in enumerate(mine):
            own[position].append(actions)
        while folded[seat]:
            seat = (seat + 1) % NUM_PLAYERS
        hero = seat
    return ThreePlayerSituation(
        street=len(texts) - 1,
        hero=hero,
        opponents=tuple(
            position for position in ((hero + 1) % NUM_PLAYERS, (hero + 2) % NUM_PLAYERS) if not folded[position]
        ),
        streets=tuple(texts),
        at_start=tuple(at_start),
        own=tuple(map(tuple, own)),
        pot=sum(spent),
        to_call=max(spent) - spent[hero],
        can_raise=raises < RAISE_CAPS[len(texts) - 1],
    )
