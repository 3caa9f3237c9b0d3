"""Questions about random hands that our player plays against itself: preflop, turn and river."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Final

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.preflop_evs import PreflopEvs, preflop_evs
from hedgehog.analysis.drills.question import Choice, Grid, Question
from hedgehog.analysis.drills.sources import MOST_TRIES, PLAYER_STREETS, SourceOptions, files_digest
from hedgehog.analysis.drills.spots import Place, PlaceSolver, draw_combo, question_at, strategy_grid
from hedgehog.analysis.histories.hand_words import action_text
from hedgehog.poker.acpc.chosen_game import DEFAULT_BLINDS, chosen_game
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.cards import combo_index, format_cards
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import BOARD_CARDS, FLOP, PREFLOP, STREETS
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.strategies.manifest import MANIFEST_NAME
from hedgehog.strategies.pack import default_packs, find_packs

HALF_WIDTH: Final = 1.96
"""Half-width of a 95 % interval, in standard errors."""
HANDS_PER_FLOP: Final = 10
"""Questions about one flop."""
LEAST_SHARE: Final = 0.001
"""A preflop decision to which less of the opponent's range leads is not asked about."""


def our_packs(packs: Path | None, gamedef: GameDef) -> PackStrategy:
    """Returns what our player's packs say in a game.

    :param packs: packs, or a folder of packs; None: the shipped ones.
    :raises PackError: if there is no blueprint, or a pack is damaged.
    """
    player = PackPlayer(None if packs is None else [packs], think_ms=0, game=gamedef)
    player.warm_up()
    return player.packs_for_game(gamedef)


class PlayerSource:
    """Deals hands to our player, in both seats, and asks about one of its decisions."""

    def __init__(self, options: SourceOptions) -> None:
        """
        :raises InputError: if stacks or streets are none that can be asked about; also PackError.
        """
        streets = options.streets or PLAYER_STREETS
        self._streets = streets
        self._paths = [default_packs() if options.packs is None else options.packs]
        self._gamedef = load_gamedef(chosen_game(options.stack, None))
        if len(set(self._gamedef.stacks)) > 1:
            raise InputError(f"random hands have equal stacks, got {options.stack!r}")
        self._packs = our_packs(options.packs, self._gamedef)
        self._table: PreflopEvs | None = preflop_evs(self._paths, self._gamedef)
        if self._table is None:
            if tuple(streets) == (PREFLOP,):
                raise InputError("the packs have no table of preflop values", source=str(self._paths[0]))
            self._streets = tuple(street for street in streets if street != PREFLOP)
        self._solver = PlaceSolver(self._packs)
        manifests = sorted(folder / MANIFEST_NAME for folder in find_packs(self._paths[0]))
        self.identity = f"player {files_digest(*manifests)} {self._gamedef.stacks[0]}"
        depth = self._gamedef.stacks[0] / DEFAULT_BLINDS[1]
        self.title = f"random hands of our player, {depth:g} big blinds"

    def questions(self, random: random.Random) -> Iterator[Question]:
        """Yields questions without end."""
        failed = 0
        while failed <= MOST_TRIES:
            made = self._deal(random.choice(self._streets), random)
            failed = failed + 1 if made is None else 0
            if made is None:
                continue
            yield made
            if made.street == STREETS[FLOP]:
                yield from self._others(made, random)

    def _others(self, asked: Question, random: random.Random) -> Iterator[Question]:
        """Yields questions about other hands at a flop that is solved: a solve takes minutes."""
        place = Place(**asked.place)
        solved, keys = self._solver.solve(place), {asked.key}
        for _ in range(HANDS_PER_FLOP * 4):
            combo = draw_combo(solved.weights(), place.cards, random)
            choices = () if combo is None else solved.choices(place.state, combo)
            if combo is None or not choices:
                continue
            made = question_at(place, combo, choices, title="another hand on this flop", values=solved.text)
            if made.key not in keys:
                keys.add(made.key)
                yield made
            if len(keys) == HANDS_PER_FLOP:
                return

    def _deal(self, street: int, random: random.Random) -> Question | None:
        """Deals a hand and returns the question about a decision on a street; None if it has none there."""
        cards = random.sample(range(52), 9)
        hands = [combo_index(*sorted(cards[:2])), combo_index(*sorted(cards[2:4]))]
        board = tuple(cards[4:])
        state, found = HandState(self._gamedef), []
        while not state.finished and state.round <= street:
            if state.round == street:
                found.append(state.copy())
            actions, rows = self._packs.options(state.betting_string(), board[: BOARD_CARDS[state.round]])[1]
            weights = rows[:, hands[state.acting_position]].tolist()
            if sum(weights) <= 0:
                return None
            state.perform(random.choices(actions, weights)[0])
        if not found:
            return None
        state = random.choice(found)
        combo = hands[state.acting_position]
        place = Place(
            self._gamedef.big_blind,
            self._gamedef.stacks[0],
            state.betting_string(),
            format_cards(board[: BOARD_CARDS[street]]),
        )
        return self._preflop(place, state, combo) if street == PREFLOP else self._solved(place, state, combo)

    def _preflop(self, place: Place, state: HandState, combo: int) -> Question | None:
        assert self._table is not None
        found = self._table.at(place.betting, combo)
        if isnan(found.best) or found.share < LEAST_SHARE:
            return None
        unit = place.big_blind
        choices = tuple(
            Choice(action_text(each.action, state), each.ev * unit, each.frequency, HALF_WIDTH * each.error * unit)
            for each in found.actions
        )
        error = HALF_WIDTH * max(each.error for each in found.actions)
        values = f"table of preflop values, losses known to ± {error:.2f} BB"
        return question_at(place, combo, choices, title="a random hand", values=values)

    def _solved(self, place: Place, state: HandState, combo: int) -> Question | None:
        try:
            solved = self._solver.solve(place)
        except SpotError:
            return None
        choices = solved.choices(state, combo)
        return question_at(place, combo, choices, title="a random hand", values=solved.text) if choices else None

    def has_grid(self, question: Question) -> bool:
        """Tells whether a question has a grid: every one has."""
        return True

    def grid(self, question: Question) -> Grid | None:
        """Returns the strategy of the whole range at the decision of a question."""
        place = Place(**question.place)
        state = place.state
        if state.round != PREFLOP:
            return self._solver.solve(place).grid(state)
        actions, rows = self._packs.options(place.betting, ())[1]
        return strategy_grid(tuple(action_text(action, state) for action in actions), rows, rows.sum(axis=0))
