"""Small games of the ACPC dealer as extensive games, from their game definitions: Kuhn poker, Leduc hold'em and kin.

Cards are dealt by rank where suits cannot matter, that is where a hand has fewer than five cards.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from hedgehog.gametheory.cfr import GameCfr
from hedgehog.gametheory.rules import ALL, Outcome, RuleGame, Statement, chance, choose, outcome
from hedgehog.gametheory.sequence_form import solve_sequence_form
from hedgehog.gametheory.strategies import describe, gains
from hedgehog.gametheory.tree import ExtensiveGame, Floats
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import RANKS, format_card
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import GameError

MOST_DEALS: Final = 2000
"""Largest number of different deals of a game that is solved here."""
MOST_HANDS: Final = 100_000
"""Largest number of deals times betting lines."""
ALGORITHM: Final = "pcfr+"
STEP: Final = 500
MOST_ITERATIONS: Final = 100_000
MOST_GAIN: Final = 1e-4
"""Chips by which no player may improve by deviating, in games for which no equilibrium is computed exactly."""


class SolvedGame(NamedTuple):
    """An equilibrium of a small game of the dealer."""

    tree: ExtensiveGame
    profile: tuple[Floats, ...]
    rows: dict[str, dict[str, float]]
    """Probability of each action (``f``, ``c``, ``r``) by the text of :func:`seen_by_player`."""
    gains: tuple[float, ...]
    """Chips that each player could gain by deviating alone."""


def objection_to_small_game(gamedef: GameDef) -> str | None:
    """Returns why a game is none of the small games that are solved here; None if it is one."""
    if gamedef.no_limit:
        return "has no-limit betting"
    if gamedef.num_hole_cards != 1:
        return f"deals {gamedef.num_hole_cards} hole cards"
    cards = gamedef.num_suits * gamedef.num_ranks
    deals = 1
    for dealt in range(gamedef.num_players + gamedef.total_board_cards):
        deals *= cards - dealt
    if deals > MOST_DEALS or deals * _count_lines(HandState(gamedef)) > MOST_HANDS:
        return "is too large to be solved at the table"
    return None


def _count_lines(state: HandState, most: int = MOST_HANDS) -> int:
    """Returns the number of betting lines of a game, or a larger number than ``most`` if there are more."""
    if state.finished:
        return 1
    count = 0
    for action in _legal(state):
        count += _count_lines(state.after(Action(action)), most - count)
        if count > most:
            break
    return count


def _legal(state: HandState) -> list[str]:
    return [kind for kind in "fcr" if state.can(Action(kind))]


def game_of_dealer(gamedef: GameDef) -> RuleGame:
    """Returns the rules of a small game; the players are ``1``, ``2`` and so on, by position.

    :raises GameError: if the game is none of the small ones.
    """
    objection = objection_to_small_game(gamedef)
    if objection is not None:
        raise GameError(f"the game {objection}")
    players = tuple(str(position + 1) for position in range(gamedef.num_players))

    def rules() -> Generator[Statement, Any, Outcome]:
        left = gamedef.deck()
        hole: list[tuple[int, ...]] = []
        for player in players:
            card = yield from _deal(gamedef, left, player)
            hole.append((card,))
        board: list[int] = []
        state = HandState(gamedef)
        while not state.finished:
            while len(board) < gamedef.board_cards_by(state.round):
                board.append((yield from _deal(gamedef, left, ALL)))
            action = yield choose(players[state.acting_position], _legal(state))
            state.perform(Action(action))
        while state.is_showdown and len(board) < gamedef.total_board_cards:
            board.append((yield from _deal(gamedef, left, ())))
        return outcome(*payoffs(state, hole, board))

    return RuleGame("dealt", players, rules)


def _deal(gamedef: GameDef, left: list[int], to: str | tuple[str, ...]) -> Generator[Statement, Any, int]:
    """Deals one of the cards that are left and returns it; of several with one label the last one."""
    by_label: dict[str, list[int]] = {}
    for card in left:
        by_label.setdefault(_label(gamedef, card), []).append(card)
    shares = {label: Fraction(len(cards), len(left)) for label, cards in by_label.items()}
    card = by_label[(yield chance(shares, to=to))][-1]
    left.remove(card)
    return card


def _label(gamedef: GameDef, card: int) -> str:
    """Returns the rank of a card; the card if a hand may have a flush."""
    rank = RANKS[card >> 2]
    return rank if gamedef.num_hole_cards + gamedef.total_board_cards < 5 else format_card(card)


def seen_by_player(state: HandState, hole: Sequence[int], board: Sequence[int]) -> str:
    """Returns all that a player to act has seen, in order: its card, actions, and the cards of the board."""
    words = [_label(state.gamedef, card) for card in hole]
    shown = 0
    for number, actions in enumerate(state.actions):
        dealt = state.gamedef.board_cards_by(number)
        words += [_label(state.gamedef, card) for card in board[shown:dealt]]
        words += [action.kind for _, action in actions]
        shown = dealt
    return " ".join(words)


@lru_cache(maxsize=8)
def solve_small_game(gamedef: GameDef) -> SolvedGame:
    """Returns an equilibrium of a small game of the dealer.

    Games for two players are solved by linear programs. For more players, no algorithm is sure to find an equilibrium;
    counterfactual regret minimisation runs until no player can gain :data:`MOST_GAIN` chips by deviating.

    :raises GameError: if the game is none of the small ones, or no equilibrium of more than two players was found.
    """
    tree = game_of_dealer(gamedef).build()
    profile = solve_sequence_form(tree).profile if gamedef.num_players == 2 else _learn(tree)
    rows = {row.infoset: row.actions for row in describe(tree, profile)}
    return SolvedGame(tree, profile, rows, tuple(gains(tree, profile).tolist()))


def _learn(tree: ExtensiveGame) -> tuple[Floats, ...]:
    solver = GameCfr(tree, ALGORITHM)
    while solver.iteration < MOST_ITERATIONS:
        solver.step(STEP)
        profile = solver.profile()
        if float(np.max(gains(tree, profile))) < MOST_GAIN:
            return tuple(profile)
    raise GameError(f"no equilibrium was found in {MOST_ITERATIONS:,} iterations")
