"""Hedgehog's own player: a blueprint preflop, flop packs on the flop, live re-solving after it."""

from __future__ import annotations

import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache, partial
from math import isnan
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.player import Player
from hedgehog.agent.random_numbers import drawn, uniform
from hedgehog.agent.strategy.explanation import Explanation
from hedgehog.agent.strategy.folds import DEFAULT_FOLDS, Folds
from hedgehog.agent.strategy.hand_view import view_of_state
from hedgehog.agent.strategy.live import PostflopLiveSolver
from hedgehog.agent.strategy.live_flop import FlopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import Column, PackStrategy
from hedgehog.agent.strategy.player_packs import open_player_packs, packs_for
from hedgehog.agent.strategy.preflop_evs import DecisionEvs, PreflopEvs
from hedgehog.agent.strategy.resolving import DEFAULT_RESOLVING, Resolving
from hedgehog.agent.strategy.sources import BlueprintSource, ExactFlops
from hedgehog.agent.strategy.think_time import DecisionTime
from hedgehog.agent.time_manager import HandTime, TimeManager
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.poker.streets import BOARD_CARDS, FLOP, PREFLOP, RIVER, STREETS, TURN
from hedgehog.runtime.errors import MatchStateError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.pack_games import GamePacks, big_blinds, find_game_packs
from hedgehog.strategies.preflop_values import preflop_values_beside
from hedgehog.strategies.translation import DEFAULT_MAPPING, Translation

logger = logging.getLogger(__name__)

REHEARSAL_HANDS: Final = 6
REHEARSAL_THINK_MS: Final = 1
SHARE_FOR_SOLVING: Final = 0.9
"""Share of the planned time of a decision after which solving stops. The rest is for reading the strategies from the
solver."""
RESERVE_MS: Final = 20
"""Milliseconds of the longest decision in which nothing is solved: other processes may hold the processor so long just
when solving stops."""
MOST_RESERVE: Final = 0.2
"""Largest share of the longest decision that is kept in reserve."""
REHEARSAL_BOARD: Final = (39, 34, 0, 20, 15)
KEPT_GAMES: Final = 1024
"""Games whose lines are kept in memory: in a freeze-out every hand has other stacks."""
FAR: Final = 1.25
"""Ratio of the depths of a game and of its packs from which on a warning names both."""
SHARE_OF_HARD_LIMIT: Final = 0.8
"""Share of the time until the deadline of a decision that may be planned for thinking."""


class _Depth(NamedTuple):
    """The opened packs of one depth."""

    packs: PackStrategy
    """The strategy for the game that the packs were made for."""
    abstraction: CardAbstraction


class _Table(NamedTuple):
    """The strategies of one game."""

    packs: PackStrategy
    live: LiveStrategy | None
    """None if the player plays from packs alone."""


class PackPlayer(Player):
    """Plays heads-up no-limit hold'em of any stacks and blinds from strategy packs of the nearest depth."""

    name = "hedgehog"

    def __init__(  # noqa: PLR0913
        self,
        pack_paths: list[Path] | None = None,
        *,
        game: GameDef | None = None,
        seed: int = 0,
        think_ms: int = 1500,
        threads: int | None = None,
        hand_time: HandTime | None = None,
        mapping: Translation = DEFAULT_MAPPING,
        resolving: Resolving = DEFAULT_RESOLVING,
        abstraction: str = "",
        tremble: float = 0.0,
        folds: Folds = DEFAULT_FOLDS,
    ) -> None:
        """Makes a player without loading anything; :meth:`warm_up` opens the packs.

        :param pack_paths: packs, or folders of packs; None for the shipped packs.
        :param game: the game that :meth:`warm_up` prepares for; None for that of the deepest packs. Other games are
            prepared when their match begins.
        :param seed: seed of the player's random numbers.
        :param think_ms: most milliseconds of live re-solving per decision; 0: the player plays from the packs alone.
        :param threads: number of solver threads; None: one.
        :param hand_time: limits of the thinking time in hands, which :meth:`act` keeps; None: no such limits. Reported
            strategies always have the full time for each decision.
        :param mapping: how the packs read a bet between two sizes of their trees.
        :param resolving: how turns and rivers are solved at the table.
        :param abstraction: name of the hand abstraction on which they are solved; empty: every hand for itself.
        :param tremble: how often opponents tremble in these solves; 0: as
            :class:`~hedgehog.agent.strategy.live.PostflopLiveSolver` has it.
        :param folds: which hands fold to bets on the river from the packs alone.
        """
        self._resolving = resolving
        self._abstraction = abstraction
        self._tremble = tremble
        self._folds = folds
        self._values = False
        self._mapping = mapping
        self._pack_paths = pack_paths if pack_paths is not None else [default_packs()]
        self._seed = seed
        self._think_ms = think_ms
        self._threads = threads or 1
        self._hand_time = hand_time
        self._manager: TimeManager | None = None
        self._layers: Counter[tuple[int, str]] = Counter()
        self._game = game
        self._games: list[GamePacks] = []
        self._depths: dict[Path, _Depth] = {}
        self._preflop: dict[Path, PreflopEvs | None] = {}
        self._preflop_of = lru_cache(KEPT_GAMES)(self._find_preflop)
        self._table_of = lru_cache(KEPT_GAMES)(self._make_table)
        self._table: _Table
        self.sampled: Column | None = None
        """What :meth:`act` has sampled its last action from; a record of the decisions is checked with it."""

    def keep_values(self) -> None:
        """Makes live solves keep what actions are worth, for :meth:`action_evs`; call it before :meth:`warm_up`."""
        self._values = True

    def warm_up(self) -> None:
        """Opens and verifies the packs of a depth, loads the card tables and compiles or loads every kernel.

        :raises PackError: if there is no blueprint, or a pack is damaged or belongs to another blueprint.
        :raises InputError: if the player cannot play the game that it was made for.
        """
        self._games = find_game_packs(self._pack_paths)
        game = self._game or self._games[-1].gamedef
        mine, asked = packs_for(self._games, game).depth, big_blinds(game)
        if not 1 / FAR < mine / asked < FAR:
            logger.warning("the nearest strategy packs are for %.4g big blinds, the game has %.4g", mine, asked)
        self._table = self._table_of(game)
        self._rehearse(game)

    def _make_table(self, gamedef: GameDef) -> _Table:
        """Returns the strategies of a game."""
        depth = self._open(packs_for(self._games, gamedef))
        packs = depth.packs.for_game(gamedef)
        return _Table(packs, self._live_strategy(packs, depth.abstraction))

    def _open(self, game: GamePacks) -> _Depth:
        """Returns the opened packs of a depth, which stay open."""
        if game.blueprint not in self._depths:
            packs = open_player_packs(game)
            blueprint = packs.blueprint
            abstraction = CardAbstraction.load_or_build(
                blueprint.config["cards"], progress=partial(print, file=sys.stderr, flush=True)
            )
            if blueprint.config.get("card_digest") != abstraction.digest:
                logger.warning("the card tables of this machine differ from those the blueprint was trained with")
            source = BlueprintSource(packs.gamedef, blueprint, abstraction, packs.quick, self._mapping)
            exact = ExactFlops(packs.gamedef, blueprint.tree, packs.lines, self._mapping)
            self._depths[game.blueprint] = _Depth(PackStrategy(source, exact, self._folds), abstraction)
        return self._depths[game.blueprint]

    def _live_strategy(self, packs: PackStrategy, abstraction: CardAbstraction) -> LiveStrategy | None:
        if self._think_ms <= 0:
            return None
        flop = FlopLiveSolver(packs, abstraction)
        later = PostflopLiveSolver(
            self._threads, packs, resolving=self._resolving, abstraction=self._abstraction, tremble=self._tremble
        )
        later.keeps_values = self._values
        return LiveStrategy(packs, [flop, later], planned_ms(self._think_ms))

    def _rehearse(self, gamedef: GameDef) -> None:
        """Plays a few hands against random raises, so that nothing is compiled or loaded during the match."""
        packs, live = self._table
        if live is not None:
            FlopLiveSolver(packs, self._open(packs_for(self._games, gamedef)).abstraction).warm_up()
            none = dict.fromkeys((TURN, RIVER), 0)
            later = PostflopLiveSolver(
                self._threads, packs, none, self._resolving, self._abstraction, tremble=self._tremble
            )
            later.warm_up(REHEARSAL_BOARD[: BOARD_CARDS[TURN]])
            live = LiveStrategy(packs, [later], REHEARSAL_THINK_MS)
        rank_combos(REHEARSAL_BOARD)  # for answers to bets on the river
        rng = random.Random(0)
        for hand_id in range(REHEARSAL_HANDS):
            position = hand_id % 2
            state = HandState(gamedef)
            while not state.finished:
                limits = state.raise_range()
                if state.acting_position == position:
                    board = REHEARSAL_BOARD[: BOARD_CARDS[state.round]]
                    packs.column(state.betting_string(), board, combo_index(50, 51))
                    packs.options(state.betting_string(), board)
                    if live is not None:
                        live.options(view_of_state(state, board))
                    state.apply(CALL)
                elif limits is not None and rng.random() < 0.4:
                    state.apply(Action("r", min(limits[1], round(limits[0] * rng.uniform(1, 2)))))
                else:
                    state.apply(CALL)

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Starts a match; packs of a depth that has not been played yet are opened.

        :param gamedef: the game of the match.
        :param seed: seed of the player's random numbers.
        :raises InputError: if the packs are for another kind of game.
        :raises PackError: if a pack of the depth is damaged.
        """
        self._table = self._table_of(gamedef)
        self._seed = seed
        if self._table.live is not None:
            self._table.live.clear()
            self._manager = None if self._hand_time is None else TimeManager(self._think_ms, self._hand_time)
        self._layers.clear()

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Returns a legal action, drawn at random from the mixed strategy that :meth:`strategy` reports.

        :param deadline: instant of :func:`time.monotonic` by which the method must have returned.
        """
        started = time.monotonic()
        if self._manager is None:
            return self._act(matchstate, started, deadline)
        self._manager.begin(matchstate.hand_id)
        try:
            return self._act(matchstate, started, deadline)
        finally:
            self._manager.charge(1000 * (time.monotonic() - started))

    def _act(self, matchstate: MatchState, started: float, deadline: float) -> Action:
        """Returns the action of :meth:`act`, which was called at the instant ``started``."""
        position, hand_id, hole_cards, board, state = matchstate
        if state.acting_position != position:
            raise MatchStateError(f"expected a state in which position {position} is to act")
        low, high = hole_cards[position]
        combo = combo_index(low, high)
        if self._table.live is None or state.round < FLOP:
            found = self._table.packs.column(state.betting_string(), board, combo)
        else:
            time_to_think = self._decision_time(matchstate, started, deadline)
            layer, options = self._table.live.options(view_of_state(state, board), time_to_think)
            found = Column(layer, options.actions, options.probabilities[:, combo].tolist())
        self.sampled = found
        # Each decision has a random number of its own, so a lost or repeated request does not change other decisions.
        number = uniform(self._seed, hand_id, sum(map(len, state.actions)))
        action = drawn(found.actions, found.probabilities, number)
        self._layers[state.round, found.layer] += 1
        if logger.isEnabledFor(logging.DEBUG):
            mixed = ", ".join(f"{a} {p:.3f}" for a, p in zip(found.actions, found.probabilities, strict=True))
            logger.debug(
                "hand %d after %s: %s -> %s [%s]",
                hand_id,
                state.betting_string() or "the blinds",
                found.layer,
                action,
                mixed,
            )
        return action

    def _decision_time(self, matchstate: MatchState, started: float, deadline: float) -> DecisionTime:
        """Returns the thinking time of a decision, which began at ``started`` and must have ended at ``deadline``."""
        state, think_ms = matchstate.state, float(self._think_ms)
        if self._manager is not None:
            pot_bb = sum(state.spent) / state.gamedef.big_blind
            think_ms = self._manager.budget_ms(state.round, pot_bb, lambda: self._closeness(matchstate))
        hard_limit_ms = 1000 * SHARE_OF_HARD_LIMIT * max(0.0, deadline - started)
        if hard_limit_ms < think_ms:
            think_ms = _rounded_down(hard_limit_ms)
        think_ms = min(think_ms, planned_ms(self._think_ms))
        return DecisionTime(think_ms, started + SHARE_FOR_SOLVING * think_ms / 1000)

    def _closeness(self, matchstate: MatchState) -> float:
        """Returns how often the packs do not take the most frequent action of a hand, averaged over all hands."""
        chosen = self._table.packs.options(matchstate.state.betting_string(), matchstate.board)[1].probabilities
        return 1 - float(chosen.max(axis=0)[combo_mask(matchstate.board)].mean())

    @property
    def packs_alone(self) -> PackStrategy | None:
        """The player's whole strategy if it plays from packs alone; None if it re-solves live.

        It is known after :meth:`warm_up`.
        """
        return self._table.packs if self._table.live is None else None

    def packs_for_game(self, gamedef: GameDef) -> PackStrategy:
        """Returns what the packs alone say in the hands of a game; :meth:`warm_up` comes before it.

        :raises InputError: if the packs are not for such a game.
        """
        return self._table_of(gamedef).packs

    def live_for_game(self, gamedef: GameDef) -> LiveStrategy | None:
        """Returns the strategy with live re-solving in the hands of a game, with the solves of the last hands that were
        played; None if the player plays from packs alone. :meth:`warm_up` comes before it.

        :raises InputError: if the packs are not for such a game.
        """
        return self._table_of(gamedef).live

    @property
    def think_ms(self) -> int:
        """Most milliseconds of live re-solving per decision; 0: the player plays from the packs alone."""
        return self._think_ms

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the legal actions and the probabilities with which :meth:`act` takes them, for every combo.

        :raises MatchStateError: if the hand is over.
        """
        state, board = matchstate.state, matchstate.board
        if self._table.live is None:
            return self._table.packs.options(state.betting_string(), board)[1]
        return self._table.live.options(view_of_state(state, board))[1]

    def explain(self, matchstate: MatchState) -> Explanation:
        """Returns the strategy for every combo, and how the player arrived at it.

        :raises MatchStateError: if the hand is over.
        """
        strategy = self._table.live or LiveStrategy(self._table.packs)
        return strategy.explain(view_of_state(matchstate.state, matchstate.board))

    def hand_buckets(self, matchstate: MatchState) -> NDArray[np.int64]:
        """Returns int64 (1326,): the bucket of each combo in the blueprint, -1 where the board blocks it."""
        buckets, live = self._table.packs.blueprint.buckets(matchstate.board)
        return np.where(live, buckets, -1)

    def preflop_evs(self, matchstate: MatchState, combo: int) -> DecisionEvs | None:
        """Returns what the actions before the flop are worth to two hole cards, against the blueprint.

        :returns: None if there is no table of preflop values beside the blueprint.
        :raises PackError: if the table is damaged.
        """
        state = matchstate.state
        table = self.preflop_table(state.gamedef)
        return None if table is None else table.at(state.betting_string(), combo)

    def preflop_table(self, gamedef: GameDef) -> PreflopEvs | None:
        """Returns what actions before the flop are worth in the hands of a game; :meth:`warm_up` comes before it.

        :returns: None if there is no table of preflop values beside the blueprint.
        :raises InputError: if the packs are not for such a game.
        :raises PackError: if the table is damaged.
        """
        return self._preflop_of(gamedef)

    def _find_preflop(self, gamedef: GameDef) -> PreflopEvs | None:
        game = packs_for(self._games, gamedef)
        if game.blueprint not in self._preflop:
            values = preflop_values_beside(game.blueprint, self._open(game).packs.blueprint.table)
            made = None if values is None else PreflopEvs(values, game.gamedef, self._mapping)
            self._preflop[game.blueprint] = made
        table = self._preflop[game.blueprint]
        return None if table is None else table.for_game(gamedef)

    def action_evs(self, matchstate: MatchState, combo: int) -> dict[Action, float]:
        """Returns what the actions at a decision are worth to two hole cards, in chips from the decision on.

        Actions without a known EV are missing.

        :param matchstate: a state in which this player is to act.
        :param combo: the hole cards, 0 to 1325.
        :raises PackError: if the table of preflop values is damaged.
        """
        if matchstate.state.round == PREFLOP:
            table, unit = self.preflop_evs(matchstate, combo), matchstate.state.gamedef.big_blind
            found = {} if table is None else {each.action: each.ev * unit for each in table.actions}
        else:
            found = {action: float(evs[combo]) for action, evs in self.range_evs(matchstate).items()}
        return {action: ev for action, ev in found.items() if not isnan(ev)}

    def range_evs(self, matchstate: MatchState) -> dict[Action, NDArray[np.float32]]:
        """Returns (1326,) chips by action: what each is worth to every hand from the decision on; NaN if not known.

        They come from the table of preflop values, or from the live solve of the street if :meth:`keep_values` was
        called. Packs have none: the result is empty.

        :param matchstate: a state in which this player is to act.
        :raises PackError: if the table is damaged.
        """
        if matchstate.state.round > PREFLOP:
            live = self._table.live
            return {} if live is None else live.action_evs(view_of_state(matchstate.state, matchstate.board))
        found: dict[Action, NDArray[np.float32]] = {}
        for hand_class in range(NUM_HAND_CLASSES):
            members = np.flatnonzero(hand_class == HAND_CLASS)
            for action, ev in self.action_evs(matchstate, int(members[0])).items():
                found.setdefault(action, np.full(NUM_COMBOS, np.nan, dtype=np.float32))[members] = ev
        return found

    def report(self) -> Mapping[str, object]:
        """Returns how the player decided.

        Under the key ``layers`` is the number of decisions that each layer gave, under ``strategy_bb`` the depth of the
        packs in big blinds. With limits for hands, the use of the thinking time is under ``think_time``.
        """
        layers = {f"{STREETS[street]} {layer}": n for (street, layer), n in sorted(self._layers.items())}
        found: dict[str, object] = {"layers": layers, "strategy_bb": self._table.packs.depth}
        return found if self._manager is None else {**found, "think_time": self._manager.report()}


def planned_ms(think_ms: float) -> float:
    """Returns the milliseconds for which a decision is planned that may take ``think_ms`` at most.

    Solving stops after :data:`SHARE_FOR_SOLVING` of them, and :data:`RESERVE_MS` before the limit, unless that is more
    than :data:`MOST_RESERVE` of it.
    """
    reserve = min(RESERVE_MS, MOST_RESERVE * think_ms)
    return min(think_ms, (think_ms - reserve) / SHARE_FOR_SOLVING)


def _rounded_down(ms: float) -> int:
    """Returns a time with its two leading digits, so that tiny differences between measured times do not count."""
    unit: int = 10 ** max(0, len(str(int(ms))) - 2)
    return int(ms) // unit * unit
