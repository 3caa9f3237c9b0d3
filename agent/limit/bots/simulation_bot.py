"""The player ``mcsim``: it weighs the opponents' hands by their actions and simulates the rest of the hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.bots import _simulation_kernels as kernels
from hedgehog.agent.limit.bots.pot_odds import verify_holdem
from hedgehog.agent.limit.bots.run_outs import RunOuts
from hedgehog.agent.player import Player
from hedgehog.agent.random_numbers import uniform
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.poker.acpc.gamedef import GameDef
    from hedgehog.poker.acpc.matchstate import MatchState

SAMPLES: Final = 200
PRIOR: Final = (1, 5, 4)
"""Folds, calls and raises with which the counts of an opponent's actions on a street begin."""
_LETTERS: Final = "fcr"


class SimulationBot(Player):
    """Plays limit hold'em for two or three players by Monte Carlo simulation.

    Each opponent has counts of its folds, calls and raises on each street, which the bot keeps over the match. They
    give its shares of folds and raises. In a hand its actions weigh the 1,326 hands that it may hold: a raise is likely
    for the strongest share of hands, a call for those below it but above the folds, all by their equity against a
    random hand. The bot's share of the pot at the showdown is the mean over samples of the opponents' hands and the
    run-out. It takes the action with the highest value; a raise also wins the pot if all opponents fold.
    """

    name = "mcsim"

    def __init__(self) -> None:
        self._run_outs: RunOuts
        self._seed = 0
        self._counts: NDArray[np.int64]
        self._percentiles: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def warm_up(self) -> None:
        self._run_outs = RunOuts()
        self._weigh(np.ones(NUM_COMBOS), (), "r", 0.1, 0.4)
        self._pot_share(np.ones((1, NUM_COMBOS)), (0, 5), (), 0.0)

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        verify_holdem(gamedef, self.name)
        if gamedef.no_limit:
            raise InputError(f"the player {self.name} plays limit games only")
        self._seed = seed
        self._counts = np.tile(np.array(PRIOR), (gamedef.num_players, gamedef.num_rounds, 1))

    def observe(self, matchstate: MatchState) -> None:
        """Counts the actions of a finished hand."""
        state = matchstate.state
        if state.finished:
            for street, actions in enumerate(state.actions):
                for position, action in actions:
                    self._counts[self._seat(matchstate, position), street, _LETTERS.index(action.kind)] += 1

    def _seat(self, matchstate: MatchState, position: int) -> int:
        """Returns a number that a player keeps from hand to hand, while positions move on by one."""
        return (position + matchstate.hand_id) % matchstate.state.gamedef.num_players

    def _shares(self, matchstate: MatchState, position: int, street: int) -> tuple[float, float]:
        """Returns how often a player folds and raises on a street."""
        counts = self._counts[self._seat(matchstate, position), street]
        total = counts.sum()
        return float(counts[0] / total), float(counts[2] / total)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        position, hand_id, hole_cards, board, state = matchstate
        opponents = [p for p, folded in enumerate(state.folded) if not folded and p != position]
        free = combo_mask([*board, *hole_cards[position]]).astype(np.float64)
        weights = np.tile(free, (len(opponents), 1))
        for row, opponent in enumerate(opponents):
            for street, actions in enumerate(state.actions):
                seen = board[: state.gamedef.board_cards_by(street)]
                shares = self._shares(matchstate, opponent, street)
                for actor, action in actions:
                    if actor == opponent:
                        self._weigh(weights[row], seen, action.kind, *shares)
        draw = uniform(self._seed, hand_id, sum(map(len, state.actions)))
        equity = self._pot_share(weights, hole_cards[position], board, draw)
        folds = [self._shares(matchstate, opponent, state.round)[0] for opponent in opponents]
        return best_action(state, position, equity, folds)

    def _weigh(
        self, weights: NDArray[np.float64], board: tuple[int, ...], kind: str, fold_share: float, raise_share: float
    ) -> None:
        places = self._percentiles.get(board)
        if places is None:
            if len(self._percentiles) >= 4:
                self._percentiles.clear()
            places = self._percentiles[board] = np.empty(NUM_COMBOS)
            kernels.percentiles_kernel(places, self._run_outs.equities(board, 1))
        kernels.weigh_kernel(weights, places, kind == "r", fold_share, raise_share)

    def _pot_share(
        self, weights: NDArray[np.float64], hole_cards: tuple[int, ...], board: tuple[int, ...], draw: float
    ) -> float:
        cards = np.zeros(5, dtype=np.uint8)
        cards[: len(board)] = board
        hand = np.array(hole_cards, dtype=np.uint8)
        rng_state = np.array([int(draw * 2.0**53)], dtype=np.uint64)
        return float(
            kernels.pot_share_kernel(
                weights, hand, cards, len(board), SAMPLES, rng_state, COMBO_CARDS, evaluator_tables()
            )
        )


def best_action(state: HandState, position: int, equity: float, fold_shares: list[float]) -> Action:
    """Returns the action with the highest value in chips; a call wins ties.

    :param state: a state of a limit game in which ``position`` is to act.
    :param equity: mean share of the pot at the showdown.
    :param fold_shares: how often each opponent folds.
    """
    pot = sum(state.spent)
    to_call = state.max_spent - state.spent[position]
    best, value = CALL, equity * (pot + to_call) - to_call
    if to_call and value < 0:
        best, value = FOLD, 0.0
    if state.raise_range() is not None:
        size = state.gamedef.raise_sizes[state.round]
        all_fold = float(np.prod(fold_shares))
        callers = sum(1 - share for share in fold_shares) / (1 - all_fold)
        showdown = equity * (pot + to_call + size + callers * size) - to_call - size
        if all_fold * pot + (1 - all_fold) * showdown > value:
            best = LIMIT_RAISE
    return best
