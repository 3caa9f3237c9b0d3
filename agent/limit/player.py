"""The player of limit hold'em that plays a trained strategy, and with three players may change to a two-player one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from hedgehog.agent.limit.explaining import three_columns, trained_columns, trained_triple
from hedgehog.agent.limit.explanation import LimitExplanation, LimitHands
from hedgehog.agent.limit.grafting import Grafting
from hedgehog.agent.limit.situation import NUM_PLAYERS
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.options import Options
from hedgehog.agent.player import Player
from hedgehog.agent.random_numbers import drawn, uniform
from hedgehog.agent.strategy.pack_strategy import purified, purified_list
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.limit_betting import ACTIONS, same_limit_game
from hedgehog.poker.state import Action, HandState
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.limit_pack import limit_packs

LIMIT: Final = "limit"
GRAFTED: Final = "two players"
_REHEARSAL_BOARD: Final = (39, 34, 0, 21, 15)
_REHEARSAL_HAND: Final = (50, 51)


class LimitPlayer(Player):
    """Plays limit hold'em for two or three players from packs of the kind ``limit-blueprint``.

    It has no memory: the same seed, cards and betting give the same actions, in whatever order the hands come.
    """

    name = "limit"

    def __init__(self, pack: Path, heads_up: Path | None = None, *, seed: int = 0) -> None:
        """Makes a player without loading anything; :meth:`warm_up` opens the packs.

        :param pack: a limit pack, or a folder with one for each number of players.
        :param heads_up: a two-player limit pack that decides from the first street on that two of three players start;
            None: the three-player pack decides to the end of the hand.
        :param seed: seed of the player's random numbers.
        """
        self._path = pack
        self._heads_up = heads_up
        self._seed = seed
        self._strategies: dict[int, LimitStrategy] = {}
        self._strategy: LimitStrategy | None = None
        self._grafting: Grafting | None = None
        self._layers: Counter[tuple[int, str]] = Counter()

    def warm_up(self) -> None:
        """Opens and verifies the packs, loads the card tables and compiles or loads every kernel.

        :raises PackError: if there is no limit pack, or a pack is damaged.
        """
        if self._heads_up is not None:
            self._strategies = {3: LimitStrategy.open(self._path, 3)}
            two = LimitStrategy.open(self._heads_up, 2)
            self._grafting = Grafting(self._strategies[3].tree.gamedef, two)
        else:
            found = limit_packs(self._path)
            if not found:
                raise PackError("there is no limit pack", source=str(self._path))
            self._strategies = {players: LimitStrategy.open(folder) for players, folder in found.items()}
        for strategy in self._strategies.values():
            self._rehearse(strategy.tree.gamedef)

    def _rehearse(self, gamedef: GameDef) -> None:
        """Plays a hand in which everybody checks and calls, so that nothing is compiled or loaded during the match."""
        self._strategy = self._strategies[gamedef.num_players]
        state = HandState(gamedef)
        while not state.finished:
            board = _REHEARSAL_BOARD[: gamedef.board_cards_by(state.round)]
            self._row(state, _REHEARSAL_HAND, board)
            state.perform(ACTIONS[1])
        self._layers.clear()

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Starts a match.

        :raises InputError: if no pack is for this game.
        """
        strategy = self._strategies.get(gamedef.num_players)
        if strategy is None:
            raise InputError(
                f"the limit packs are for {' and '.join(map(str, sorted(self._strategies)))} players, and the game has "
                f"{gamedef.num_players}"
            )
        if not same_limit_game(strategy.tree.gamedef, gamedef):
            raise InputError(
                f"the limit packs are for {_stakes(strategy.tree.gamedef)}, and the game has {_stakes(gamedef)}"
            )
        self._strategy = strategy
        self._seed = seed
        self._layers.clear()

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Returns a legal action, drawn at random from the mixed strategy that :meth:`strategy` reports."""
        state = matchstate.state
        hole = matchstate.hole_cards[matchstate.position]
        row = purified_list(self._row(state, hole, matchstate.board))
        return drawn(ACTIONS, row, uniform(self._seed, matchstate.hand_id, len(state.betting_string())))

    def _row(self, state: HandState, hole: tuple[int, ...], board: tuple[int, ...]) -> tuple[float, float, float]:
        strategy, node, layer = self._place(state)
        self._layers[state.round, layer] += 1
        return strategy.row(node, strategy.bucket_of(node, hole, board))

    def _place(self, state: HandState) -> tuple[LimitStrategy, int, str]:
        """Returns the strategy that decides in a state, its decision, and the name of the layer."""
        history = state.betting_string()
        if self._grafting is not None and (node := self._grafting.node(history)) is not None:
            return self._grafting.strategy, node, GRAFTED
        strategy = self._strategy
        assert strategy is not None
        return strategy, strategy.index(history), LIMIT

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the legal actions and the probabilities with which :meth:`act` takes them, for every combo.

        :raises MatchStateError: if the hand is over.
        """
        strategy, node, _ = self._place(matchstate.state)
        rows = purified(strategy.rows(node, matchstate.board)) * combo_mask(matchstate.board)
        legal = [number for number, action in enumerate(ACTIONS) if matchstate.state.can(action)]
        return Options([ACTIONS[number] for number in legal], rows[legal])

    def explain_limit(self, matchstate: MatchState) -> LimitExplanation:
        """Returns which decision of which pack answers, with the hole cards of the player to act.

        :raises MatchStateError: if the hand is over.
        """
        state, board = matchstate.state, matchstate.board
        hole = matchstate.hole_cards[matchstate.position]
        strategy, node, layer = self._place(state)
        bucket = strategy.bucket_of(node, hole, board)
        fold, call, raising = purified_list(strategy.row(node, bucket))
        three = state.gamedef.num_players == NUM_PLAYERS
        trained = trained_triple(self._strategies[NUM_PLAYERS], state.betting_string(), hole, board) if three else None
        return LimitExplanation(
            _source(three=three, layer=layer),
            strategy.tree.histories[node],
            bucket,
            strategy.reached(node, bucket),
            (),
            (fold, call, raising),
            trained if layer == GRAFTED else None,
        )

    def explain_limit_hands(self, matchstate: MatchState) -> LimitHands:
        """Returns what the player does with every combo, and which rows its strategy reaches.

        :raises MatchStateError: if the hand is over.
        """
        state, board = matchstate.state, matchstate.board
        strategy, node, layer = self._place(state)
        live = combo_mask(board)
        buckets = np.where(live, strategy.cards.buckets(state.round, board).astype(np.int64), -1)
        first = int(strategy.table.first_rows[node])
        three = state.gamedef.num_players == NUM_PLAYERS
        grafted = three and layer == GRAFTED
        return LimitHands(
            _source(three=three, layer=layer),
            strategy.tree.histories[node],
            three_columns(self.strategy(matchstate)),
            buckets,
            live & strategy.table.reached[first + np.maximum(buckets, 0)],
            None,
            None,
            trained_columns(self._strategies[NUM_PLAYERS], state.betting_string(), board) if grafted else None,
        )

    def report(self) -> Mapping[str, object]:
        """Returns under the key ``layers`` the number of decisions that each strategy gave."""
        return {"layers": {f"{STREETS[street]} {layer}": n for (street, layer), n in sorted(self._layers.items())}}


def _source(*, three: bool, layer: str) -> str:
    return f"{'three' if three and layer == LIMIT else 'two'}-player strategy"


def _stakes(game: GameDef) -> str:
    """Returns what distinguishes limit games: blinds, sizes and numbers of raises, and stacks."""
    raises = " ".join(map(str, game.raise_sizes)) or "any size"
    stacks = "unlimited" if max(game.stacks) == UNLIMITED_STACK else " ".join(map(str, game.stacks))
    return (
        f"blinds {' '.join(map(str, game.blinds))}, raises of {raises} at most "
        f"{' '.join(map(str, game.max_raises))} times, stacks {stacks}, and {len(game.deck())} cards"
    )
