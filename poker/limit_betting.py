"""The betting of limit hold'em for two or more players: every decision and every end of a hand, numbered.

A *history* is the ACPC betting text at which somebody is to act, such as ``rc/cr``. The decisions of a tree are
numbered by street, and within a street depth-first with fold before call before raise. The two-player game has 6,378
histories.

The three-player game has 9,711,806 histories. A *merged* tree of 7,168 decisions stands for them: streets that start
with the same players and the same pot are one and the same street, whatever was bet before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, HandState
from hedgehog.runtime.errors import InputError, MatchStateError, ResourceError

ACTIONS: Final = (FOLD, CALL, LIMIT_RAISE)
"""The actions in the order of their columns: fold, check or call, bet or raise."""
ACTION_LETTERS: Final = "fcr"
NO_CHILD: Final = -1
"""Child of an action that is not legal."""
MAX_NODES: Final = 1_000_000
"""Most nodes of a tree; trees of more players than two must be merged."""


def same_limit_game(one: GameDef, other: GameDef) -> bool:
    """Tells whether two limit games differ at most in what a chip is worth.

    Stacks count only where they can run out, which in limit games is rare: both must have the same depth.
    """
    return _in_blinds(one) == _in_blinds(other)


def _in_blinds(game: GameDef) -> tuple[object, ...]:
    """Returns the rules of a game with all amounts counted in big blinds."""
    unit = game.big_blind or 1
    amounts = (game.blinds, game.raise_sizes, [stack for stack in game.stacks if stack != UNLIMITED_STACK])
    return (
        *(game.no_limit, game.num_players, game.num_rounds, game.max_raises, game.first_positions),
        *(game.num_hole_cards, game.num_board_cards, game.deck()),
        *([amount / unit for amount in each] for each in amounts),
    )


@dataclass(frozen=True, slots=True)
class LimitTree:
    """The betting of a limit game. ``D`` decisions come first among its ``N`` nodes, the ends of hands follow them."""

    gamedef: GameDef
    merged: bool
    """Whether streets with the same players and the same pot are merged."""
    histories: tuple[str, ...]
    """(D,) history of each decision; in a merged tree the first of those that lead to it."""
    street: NDArray[np.int8]
    """(N,) street, 0 preflop to 3 river."""
    player: NDArray[np.int8]
    """(N,) position that acts, -1 at the end of a hand."""
    child: NDArray[np.int32]
    """(N, 3) node after a fold, call or raise, :data:`NO_CHILD` where the action is not legal."""
    pot: NDArray[np.int32]
    """(N,) chips of all players in the pot."""
    to_call: NDArray[np.int32]
    """(N,) chips that the acting player needs to call, 0 at the end of a hand."""
    active: NDArray[np.int32]
    """(N,) players still in the hand, the bit ``1 << position`` for each. One bit at an end is a fold, more are a
    showdown."""
    num_actions: NDArray[np.int64] = field(init=False)
    """(N,) number of legal actions, 0 at the end of a hand."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_actions", np.sum(self.child >= 0, axis=1, dtype=np.int64))

    @property
    def num_decisions(self) -> int:
        """Number of decisions."""
        return len(self.histories)

    def index(self, history: str) -> int:
        """Returns the number of the decision after a history.

        :param history: ACPC betting text; slashes may be missing.
        :raises MatchStateError: if an action is not legal, or nobody is to act.
        """
        node = 0
        for letter in history:
            if letter != "/":
                action = ACTION_LETTERS.find(letter)
                node = int(self.child[node, action]) if action >= 0 and node < self.num_decisions else NO_CHILD
                if node < 0:
                    raise MatchStateError(f"no betting of this limit game: {history!r}")
        if node >= self.num_decisions:
            raise MatchStateError(f"expected betting after which somebody is to act, got {history!r}")
        return node


def verify_limit_game(gamedef: GameDef) -> None:
    """Checks that a game is one that limit strategies are trained for.

    :raises InputError: unless it is limit hold'em for two or three players in which no stack runs out.
    """
    if gamedef.no_limit or not gamedef.is_holdem or gamedef.num_players not in (2, 3):
        raise InputError("expected limit hold'em for two or three players")
    if gamedef.num_players == 2 and not (gamedef.blinds[0] > gamedef.blinds[1] > 0):
        raise InputError("expected a two-player game in which the button has the small blind")


@lru_cache(8)
def limit_tree(gamedef: GameDef, *, merged: bool = False) -> LimitTree:
    """Returns the betting of a limit game.

    :param merged: whether streets that start with the same players and pot become one. Raises have fixed sizes, so that
        everything that follows is the same.
    :raises InputError: if the game is no-limit, or a stack could run out.
    :raises ResourceError: if the tree has more than :data:`MAX_NODES` nodes.
    """
    if gamedef.no_limit:
        raise InputError("expected a limit game, got a no-limit game")
    raises = zip(gamedef.max_raises, gamedef.raise_sizes, strict=True)
    if min(gamedef.stacks) <= gamedef.big_blind + sum(most * size for most, size in raises):
        raise InputError("expected a limit game in which no stack runs out")
    return _Builder(gamedef, merged).build()


class _Builder:
    """Visits all states of a game depth-first."""

    def __init__(self, gamedef: GameDef, merged: bool) -> None:
        self.gamedef = gamedef
        self.merged = merged
        self.states: list[HandState] = []
        self.children: list[list[int]] = []
        self.starts: dict[tuple[int, int, int], int] = {}
        """The node of each start of a street by street, active players and pot; empty unless streets are merged."""

    def build(self) -> LimitTree:
        self.visit(HandState(self.gamedef))
        states = self.states
        old = sorted(
            range(len(states)), key=lambda i: (states[i].finished, 0 if states[i].finished else states[i].round)
        )
        new = np.full(len(old) + 1, NO_CHILD, dtype=np.int32)  # the last entry is that of NO_CHILD
        new[old] = np.arange(len(old))
        states = [states[i] for i in old]
        decisions = [state for state in states if not state.finished]
        spent = np.array([state.spent for state in states], dtype=np.int32)
        return LimitTree(
            gamedef=self.gamedef,
            merged=self.merged,
            histories=tuple(state.betting_string() for state in decisions),
            street=np.array([state.round for state in states], dtype=np.int8),
            player=np.array([state.acting_position for state in states], dtype=np.int8),
            child=new[np.array([self.children[i] for i in old], dtype=np.int32)],
            pot=spent.sum(axis=1, dtype=np.int32),
            to_call=np.array(
                [0 if s.finished else s.max_spent - s.spent[s.acting_position] for s in states], dtype=np.int32
            ),
            active=np.array([_active(state) for state in states], dtype=np.int32),
        )

    def visit(self, state: HandState) -> int:
        """Adds a state and all that follow, and returns its node."""
        key = (state.round, _active(state), sum(state.spent))
        starts_street = self.merged and not state.finished and state.round > 0 and not state.actions[-1]
        if starts_street and key in self.starts:
            return self.starts[key]
        node = len(self.states)
        if node >= MAX_NODES:
            raise ResourceError(f"the betting has more than {MAX_NODES:,} nodes: merge its streets")
        if starts_street:
            self.starts[key] = node
        self.states.append(state)
        children = [NO_CHILD] * len(ACTIONS)
        self.children.append(children)
        if not state.finished:
            for number, action in enumerate(ACTIONS):
                if state.can(action):
                    children[number] = self.visit(state.after(action))
        return node


def _active(state: HandState) -> int:
    return sum(1 << position for position, folded in enumerate(state.folded) if not folded)


@cache
def limit_histories(gamedef: GameDef) -> dict[str, int]:
    """Returns the number of each decision by its history, in order, for a game of two players."""
    return {history: number for number, history in enumerate(limit_tree(gamedef).histories)}
