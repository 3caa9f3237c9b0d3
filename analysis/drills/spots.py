"""Decisions of real betting, solved for a question: what each action is worth to one hand, and the whole grid."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import merged_options
from hedgehog.agent.strategy.hand_view import view_of_state
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.shadow import exact_action
from hedgehog.agent.strategy.solved_street import street_tokens
from hedgehog.analysis.drills.question import Choice, Grid, Question, Scene
from hedgehog.analysis.grading.options import LEAST_SHARE, PASSES, Pass
from hedgehog.analysis.grading.street import Street, StreetSolver, check_points, nodes_of
from hedgehog.analysis.histories.hand_words import action_text, hand_story, position_name
from hedgehog.poker.acpc.chosen_game import name_of_stacks
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import COMBO_CARDS, combo_mask, format_cards, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.state import Action, HandState
from hedgehog.poker.streets import FLOP, STREETS
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.responses.decisions import StreetDecisions
from hedgehog.strategies.betting_tree import BettingTree

KEPT: Final = 8
"""Solved decisions that are kept for grids and other hands."""
WAYS: Final[dict[int, Pass]] = {FLOP: PASSES["full"][FLOP][-1], **{s: ways[-1] for s, ways in PASSES["quick"].items()}}
"""How finely questions are solved, by street."""


def heads_up_game(big_blind: int, stack: int) -> GameDef:
    """Returns heads-up no-limit hold'em with equal stacks, and a small blind of half the big one."""
    return load_gamedef(name_of_stacks(max(1, big_blind // 2), big_blind, (stack, stack)))


@dataclass(frozen=True, slots=True)
class Place:
    """A decision of a hand without hole cards."""

    big_blind: int
    stack: int
    betting: str
    """ACPC betting before the decision."""
    board: str

    @property
    def state(self) -> HandState:
        """The state of the hand before the decision.

        :raises MatchStateError: if the betting is not legal.
        """
        return parse_betting(self.betting, heads_up_game(self.big_blind, self.stack))

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards of the board."""
        return tuple(parse_cards(self.board))


@dataclass(frozen=True, slots=True)
class SolvedPlace:
    """A decision after the flop is dealt, solved from the start of its street with the real bets."""

    values: StreetDecisions
    tree: BettingTree
    node: int
    actions: tuple[Action, ...]
    """The real action of each child."""
    pct_pot: float
    way: Pass

    def choices(self, state: HandState, combo: int) -> tuple[Choice, ...]:
        """Returns what each action is worth to a hand; empty if our player never gets here, or the hand cannot be."""
        found = self.values.at(self.node, combo)
        if found.share < LEAST_SHARE or np.isnan(found.values).any():
            return ()
        put_in = int(self.tree.committed[self.node, state.acting_position])
        kept: dict[Action, tuple[float, float]] = {}
        for action, value, often in zip(self.actions, found.values, found.strategy, strict=True):
            ev, before = kept.get(action, (float(value) + put_in, 0.0))
            kept[action] = ev, before + float(often)
        error = self.way.systematic_pct / 100 * sum(state.spent)
        return tuple(Choice(action_text(action, state), ev, often, error) for action, (ev, often) in kept.items())

    def weights(self) -> NDArray[np.float32]:
        """Returns (1326,): the range of the player to act, as our player has it."""
        return self.values.range_at(self.node)

    def grid(self, state: HandState) -> Grid:
        """Returns how often every hand class takes each action."""
        merged = merged_options(self.actions, self.values.strategy_at(self.node).astype(np.float64))
        names = tuple(action_text(action, state) for action in merged.actions)
        return strategy_grid(names, merged.probabilities, self.weights())

    @property
    def text(self) -> str:
        """What was solved, and how well."""
        return f"{self.way.name}, solved to {self.pct_pot:.2g} % of the pot"


class PlaceSolver:
    """Solves decisions after the flop is dealt against our player; the last ones are kept.

    :param packs: what our player's packs say, for stacks near those of the decisions.
    """

    def __init__(self, packs: PackStrategy) -> None:
        self._packs = packs
        self.solve = lru_cache(maxsize=KEPT)(self._solve)

    def _solve(self, place: Place) -> SolvedPlace:
        """Returns a solved decision.

        :raises SpotError: if a bet is none that the tree can hold, or the ranges cannot be dealt together.
        """
        state = place.state
        view = view_of_state(state, place.cards)
        number, position = view.situation.street, view.situation.position
        if number not in WAYS:
            raise SpotError(f"the {STREETS[number]} is not solved for a question")
        live = LiveStrategy(self._packs.for_game(state.gamedef))
        beginning = view.street_start()
        start, stack = beginning.situation.max_spent, beginning.situation.stack
        tokens = tuple(street_tokens(view.events_on(number), start, stack))
        actors = tuple(event.situation.position for event in view.events_on(number))
        ranges = live.ranges_now(beginning, 1 - position)
        street = Street(view, number, tokens, actors, start, stack, place.big_blind, ranges)
        way = WAYS[number]
        solver = StreetSolver(street, way, position)
        pct_pot = np.inf
        for iterations in check_points(way.most_iterations):
            solver.run_to(iterations)
            pct_pot = solver.pct_pot()
            if pct_pot <= way.target_pct:
                break
        tree = solver.single.tree
        node = nodes_of(tree, tokens)[-1]
        actions = tuple(exact_action(tree, child, view.situation) for child in tree.children(node))
        return SolvedPlace(StreetDecisions(solver.single, position), tree, node, actions, pct_pot, way)


def strategy_grid(names: tuple[str, ...], rows: NDArray[np.floating[Any]], weights: NDArray[np.floating[Any]]) -> Grid:
    """Returns the grid of a strategy.

    :param names: the actions.
    :param rows: (actions, 1326) probabilities; those of hands without weight do not count.
    :param weights: (1326,) weights of the hands.
    """
    held = np.bincount(HAND_CLASS, weights, NUM_HAND_CLASSES)
    taken = [np.bincount(HAND_CLASS, np.where(weights > 0, row, 0) * weights, NUM_HAND_CLASSES) for row in rows]
    least = 1e-4 * held.max()
    cells = tuple(
        tuple(round(float(row[number] / held[number]), 4) for row in taken) if held[number] > least else None
        for number in range(NUM_HAND_CLASSES)
    )
    return Grid("how often each action is taken", names, True, cells)


def draw_combo(weights: NDArray[np.floating[Any]], board: tuple[int, ...], random: random.Random) -> int | None:
    """Returns a combo drawn in proportion to weights; None if none is left.

    :param weights: (1326,) weights.
    """
    left = np.where(combo_mask(board), weights, 0).astype(np.float64)
    sums = np.cumsum(left)
    if sums[-1] <= 0:
        return None
    return int(np.searchsorted(sums, random.random() * sums[-1], side="right"))


def question_at(
    place: Place, combo: int, choices: tuple[Choice, ...], *, title: str, values: str, key: str | None = None
) -> Question:
    """Returns the question about a hand at a decision.

    :param title: where the question is from.
    :param values: what the EVs come from.
    :param key: tells the questions of a source apart; None: the decision and the hand do.
    """
    state = place.state
    gamedef, position = state.gamedef, state.acting_position
    cards = format_cards(sorted(map(int, COMBO_CARDS[combo]), reverse=True))
    behind = [stack - spent for stack, spent in zip(gamedef.stacks, state.spent, strict=True)]
    return Question(
        key=key or f"{place.big_blind} {place.stack} {place.betting} {place.board or '-'} {cards}",
        place={"big_blind": place.big_blind, "stack": place.stack, "betting": place.betting, "board": place.board},
        title=title,
        street=STREETS[state.round],
        position=position_name(gamedef, position),
        story=tuple(Scene(street, format_cards(dealt), text) for street, dealt, text in hand_story(state, place.cards)),
        board=format_cards(place.cards),
        cards=cards,
        pot=sum(state.spent),
        to_call=state.max_spent - state.spent[position],
        stack=behind[position],
        opponent_stack=behind[1 - position],
        big_blind=place.big_blind,
        choices=choices,
        values=values,
    )
