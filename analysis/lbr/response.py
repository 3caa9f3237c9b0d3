"""Local best response: a lower bound on how much a player can be exploited, found by playing against it.

Local best response knows the strategy of the player under test for every hand, so it knows exactly with which
probability the player holds each hand. At each of its own decisions it takes the action that would be best if both
players checked and called from there to the showdown. The utilities of its actions are, in chips::

    U(fold)  = 0
    U(call)  = wp pot - (1 - wp) ask
    U(raise) = fp pot + (1 - fp) [wp' (pot + a) - (1 - wp') (ask + a)]

``ask`` is what a call costs, and ``wp`` is the share of the pot that the hand wins on average over the player's range
and all run-outs. ``a`` is the size of a raise beyond the call, and ``fp`` is the probability that the player folds to
it. ``wp'`` is the share of the pot that the hand wins against the part of the range that does not fold.

The winnings of local best response are a lower bound on those of a best response (V. Lisý and M. Bowling, "Equilibrium
Approximation Quality of Current No-Limit Poker Bots", AAAI-17 workshop).

Hands are played in pairs with the same cards, with local best response once in either position. Every hand has three
results. They have the same mean, and each has less variance than the one before:

* the chips won;
* the chips won on average over all hands that the player could hold at the end ("imaginary observations", Bowling et
  al. 2008) and, after an all-in, over the cards to come;
* this average without luck, as in AIVAT (Burch et al., AAAI 2018): for every card dealt and every action of the player,
  its worth less the average worth of all possible cards or actions is subtracted. The worth of an action is what a hand
  wins without further bets. The worth of a card is this times a factor, because good cards also win more bets. The
  average is exact, because the player's strategy is known for all hands.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.lbr._kernels import hand_equity_kernel
from hedgehog.analysis.lbr.settings import LbrSetting, raise_to
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.limit_betting import limit_tree
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import InputError

_RIVER: Final = 3
_EQUALLY_LIKELY: Final = 1e-9
"""Combos of a class count as equally likely if they differ by less than this share of the likeliest combo."""
_TIE: Final = 1e-9
"""Actions are equally good if they differ by less than this share of the pot. The first of equally good actions is
taken, where a call comes before the smallest raise, so that rounding decides nothing."""

WORTH_OF_HOLE_CARDS: Final = 4.5
WORTH_OF_CARDS: Final = (0.0, 2.3, 1.6, 1.2)
"""By street: how many times as much as without further bets the cards dealt on it are worth.

Round values near those that leave the least variance against the shipped packs, in 4,000 hands each of ``fc``, ``fcpa``
and ``2r56bets`` and 20,000 of ``56bets``. The mean is right with any values."""

SEARCH_STEP: Final = 8
"""A search for the best bet first looks at every bet whose place is a multiple of this power of two."""


class LbrDecision(NamedTuple):
    """A betting situation with the cards of the player under test."""

    hand_id: int
    position: int
    """Position of the player under test."""
    hole_cards: tuple[int, ...]
    """Hole cards of the player under test, or none. The strategy that it reports must not depend on them."""
    board: tuple[int, ...]
    """All five board cards, those still to come included."""
    state: HandState

    @property
    def visible_board(self) -> tuple[int, ...]:
        """The board cards that are on the table."""
        return self.board[: BOARD_CARDS[self.state.round]]


class Reply(NamedTuple):
    """The player's strategy at one of its decisions."""

    actions: Sequence[Action]
    probabilities: NDArray[np.float64]
    """(actions, 1326) probability of each action for each combo."""


class Opponent(Protocol):
    """The interface through which local best response asks the player under test."""

    def reply(self, spot: LbrDecision) -> Reply:
        """Returns the player's strategy in a spot in which it is to act."""
        ...

    def fold_masses(
        self, spot: LbrDecision, raise_totals: Sequence[int], reach: NDArray[np.float64], equity: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Returns how much of the player's range folds to each of several bets.

        :param spot: a spot in which local best response is to act.
        :param raise_totals: K bets or raises of local best response as totals over the hand, ascending.
        :param reach: (1326,) weight of every combo in the player's range.
        :param equity: (1326,) equity of local best response's hand against every combo, 0..1.
        :returns: float64 (K, 2): the sum of ``reach`` and of ``reach * equity`` over the part that folds.
        """
        ...


class Choice(NamedTuple):
    """A decision of local best response."""

    action: Action
    raise_totals: list[int]
    """The bets and raises that were considered, as totals over the hand, ascending."""
    utilities: NDArray[np.float64]
    """(1 + raises,) utility of a call and of every raise in chips, where a fold has 0; empty if there was no choice."""


class HandResult(NamedTuple):
    """What local best response won in one hand, in chips. All three results have the same mean."""

    chips: float
    """The chips that were really won."""
    integrated: float
    """The chips won on average over the hands that the player could have held and over the cards after an all-in."""
    adjusted: float
    """:attr:`integrated` without the luck of the cards dealt and of the actions that the player drew."""
    betting: str


class LocalBestResponse:
    """Plays hands of local best response against one player."""

    def __init__(
        self,
        gamedef: GameDef,
        setting: LbrSetting,
        opponent: Opponent,
        class_equities: NDArray[np.float64],
    ) -> None:
        """Prepares the play against a player.

        :param class_equities: (169, 169) result of :func:`hedgehog.poker.evaluation.equity.class_equities`.
        :raises InputError: if the game is not heads-up hold'em with equal stacks, or the setting does not fit it.
        """
        verify_lbr_game(gamedef)
        setting.verify_game(gamedef)
        self._gamedef = gamedef
        self._setting = setting
        self._opponent = opponent
        self._class_equities = class_equities
        self._wins = np.empty(NUM_COMBOS, dtype=np.int32)
        self._ranks = np.empty(NUM_COMBOS, dtype=np.int32)
        self._hand_equity((0, 1), (2, 3, 4, 5, 6))  # compiles, if need be, before any time is taken

    def play_pair(self, pair: int, seed: int) -> tuple[HandResult, HandResult]:
        """Plays the same cards twice and returns both results.

        Local best response is in position 0 (big blind) in the first hand and in position 1 in the second.

        :param pair: number of the pair, which with the seed decides the cards.
        """
        rng, hands, board = deal_pair(pair, seed)
        first = self.play_hand(2 * pair, 0, hands, board, rng)
        return first, self.play_hand(2 * pair + 1, 1, hands, board, rng)

    def play_hand(
        self,
        hand_id: int,
        position: int,
        hands: tuple[tuple[int, int], tuple[int, int]],
        board: tuple[int, ...],
        rng: random.Random,
    ) -> HandResult:
        """Plays one hand and returns its results.

        :param position: position of local best response.
        :param hands: hole cards of each position.
        :param board: all five board cards.
        :param rng: random generator from which the player's actions are drawn.
        """
        own, theirs = hands[position], hands[1 - position]
        combo = combo_index(*theirs)
        reach = combo_mask(own).astype(np.float64)
        equities: dict[int, NDArray[np.float64]] = {}
        state = HandState(self._gamedef)
        street = 0
        luck = self._luck_of_hole_cards(own, state.max_spent)
        while not state.finished:
            if state.round != street:
                before = self._average_over_cards(street, own, board, reach, equities)
                street = state.round
                reach *= combo_mask(board[: BOARD_CARDS[street]])
                if before is not None:
                    after = _share(reach, self._equity(street, own, board, equities))
                    luck += WORTH_OF_CARDS[street] * 2 * state.max_spent * (after - before)
            spot = LbrDecision(hand_id, 1 - position, theirs, board, state)
            if state.acting_position == position:
                action = self.choose(spot, own, reach, equities).action
            else:
                reply = self._opponent.reply(spot)
                chosen = draw_action(reply.probabilities[:, combo], rng.random())
                luck += self._luck_of_reply(spot, reach, self._equity(street, own, board, equities), reply, chosen)
                action = reply.actions[chosen]
                reach *= reply.probabilities[chosen]
            state.perform(action)
        spent = float(min(state.spent))
        betting = state.betting_string()
        if state.num_folded:
            won = -spent if state.folded[position] else spent
            return HandResult(won, won, won - luck, betting)
        river = self._equity(_RIVER, own, board, equities)
        share = self._average_over_cards(street, own, board, reach, equities)
        if share is None:
            share = _share(reach * combo_mask(board), river)
        integrated = spent * (2 * share - 1)
        return HandResult(spent * (2 * float(river[combo]) - 1), integrated, integrated - luck, betting)

    def _average_over_cards(
        self,
        street: int,
        own: tuple[int, int],
        board: tuple[int, ...],
        reach: NDArray[np.float64],
        equities: dict[int, NDArray[np.float64]],
    ) -> float | None:
        """Returns the share of the pot that the hand wins on average over the cards to come; None if it is not known.

        Preflop equities are known for hand classes. So before the flop the share is known only if all combos of a class
        are equally likely.
        """
        if street == 0:
            free = np.flatnonzero(combo_mask(own))
            classes = HAND_CLASS[free]
            highest = np.zeros(NUM_HAND_CLASSES)
            np.maximum.at(highest, classes, reach[free])
            if np.any(highest[classes] - reach[free] > _EQUALLY_LIKELY * highest.max()):
                return None
        return _share(reach, self._equity(street, own, board, equities))

    def _luck_of_hole_cards(self, own: tuple[int, int], blind: int) -> float:
        """Returns the worth of local best response's hole cards, in chips. Its average over all of them is 0.

        :param blind: the big blind in chips.
        """
        others = combo_mask(own).astype(np.float64)
        return WORTH_OF_HOLE_CARDS * 2 * blind * (_share(others, self._equity(0, own, (), {})) - 0.5)

    def _luck_of_reply(
        self, spot: LbrDecision, reach: NDArray[np.float64], equity: NDArray[np.float64], reply: Reply, chosen: int
    ) -> float:
        """Returns the worth of the drawn action less the average worth of the player's actions, in chips.

        The worth of an action is estimated as what is won if there are no more bets, or by a fold if a fold is better.
        """
        mass = float(reach.sum())
        mean = actual = 0.0
        for number, action in enumerate(reply.actions):
            left = reach * reply.probabilities[number]
            probability = float(left.sum()) / mass
            if probability > 0:
                worth = self._worth(spot.state.after(action), 1 - spot.position, left, equity)
                mean += probability * worth
                if number == chosen:
                    actual = worth
        return actual - mean

    def _worth(self, state: HandState, position: int, reach: NDArray[np.float64], equity: NDArray[np.float64]) -> float:
        """Returns what local best response in ``position`` wins if there are no more bets, in chips."""
        if state.num_folded:
            return float(state.spent[1 - position])
        called = state.max_spent * (2 * _share(reach, equity) - 1)
        faces_bet = state.spent[position] < state.max_spent
        may_fold = faces_bet and self._setting.rounds[state.round].fold
        return max(called, -float(state.spent[position])) if may_fold else called

    def choose(
        self,
        spot: LbrDecision,
        own: tuple[int, int],
        reach: NDArray[np.float64],
        equities: dict[int, NDArray[np.float64]] | None = None,
    ) -> Choice:
        """Returns the action that local best response takes, with the utilities of its actions.

        :param spot: a spot in which local best response is to act.
        :param own: hole cards of local best response.
        :param reach: (1326,) weight of every combo in the player's range; 0 for combos that share a card with ``own``
            or the board.
        :param equities: cache of the equities of ``own`` by street, updated in place.
        """
        state = spot.state
        round_actions = self._setting.rounds[state.round]
        if round_actions.passive:
            return Choice(CALL, [], np.empty(0))
        equity = self._equity(state.round, own, spot.board, equities if equities is not None else {})
        pot = sum(state.spent)
        ask = state.max_spent - state.spent[state.acting_position]
        mass, won = float(reach.sum()), float(reach @ equity)
        wp = won / mass
        utilities = np.array([wp * pot - (1 - wp) * ask])
        totals = round_actions.raise_totals(state)

        def utilities_of(raises: Sequence[int]) -> NDArray[np.float64]:
            folds = self._opponent.fold_masses(spot, raises, reach, equity)
            added = np.array(raises) - state.max_spent
            # With fp the first column over the mass, (1 - fp) wp' is what stays of the winning mass over the mass.
            stay = np.maximum(mass - folds[:, 0], 0.0)
            stay_won = np.clip(won - folds[:, 1], 0.0, stay)
            raising = folds[:, 0] * pot + stay_won * (pot + added) - (stay - stay_won) * (ask + added)
            return np.asarray(raising / mass)

        if totals and round_actions.stepwise:
            found = search_bets(totals, utilities_of)
            totals = sorted(found)
            utilities = np.concatenate((utilities, [found[total] for total in totals]))
        elif totals:
            utilities = np.concatenate((utilities, utilities_of(totals)))
        highest = float(utilities.max())
        best = int(np.argmax(utilities >= highest - _TIE * pot))
        action = raise_to(state, totals[best - 1]) if best else CALL
        if round_actions.fold and state.can_fold() and highest <= _TIE * pot:
            action = FOLD
        return Choice(action, totals, utilities)

    def _equity(
        self, street: int, own: tuple[int, int], board: tuple[int, ...], equities: dict[int, NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Returns (1326,) the share of the pot that the hand wins against every combo if the betting is over."""
        if street not in equities:
            if street == 0:
                equities[0] = self._class_equities[HAND_CLASS[combo_index(*own)]][HAND_CLASS]
            else:
                equities[street] = self._hand_equity(own, board[: BOARD_CARDS[street]])
        return equities[street]

    def _hand_equity(self, own: tuple[int, int], board: tuple[int, ...]) -> NDArray[np.float64]:
        equity = np.empty(NUM_COMBOS)
        full_board = np.zeros(5, dtype=np.uint8)
        full_board[: len(board)] = board
        low, high = min(own), max(own)
        hand_equity_kernel(equity, self._wins, self._ranks, full_board, len(board), low, high, evaluator_tables())
        return equity


def deal_pair(pair: int, seed: int) -> tuple[random.Random, tuple[tuple[int, int], tuple[int, int]], tuple[int, ...]]:
    """Returns a random generator, the hole cards of each position, and all five board cards of a pair of hands.

    :param pair: number of the pair, which with the seed decides the cards.
    """
    rng = random.Random(f"{seed}/{pair}")
    cards = rng.sample(range(NUM_CARDS), 9)
    return rng, ((cards[0], cards[1]), (cards[2], cards[3])), tuple(cards[4:])


def search_bets(
    totals: Sequence[int], utilities_of: Callable[[Sequence[int]], NDArray[np.float64]]
) -> dict[int, float]:
    """Returns the utilities of the bets at which a search for the best bet looks.

    The search looks at every eighth bet and the largest one. Then it looks at the bets 4, 2 and 1 places below and
    above the best bet so far. It finds the best bet if the utilities rise up to it and fall after it.

    :param totals: the bets in ascending order, at least one.
    :param utilities_of: function of some of the bets, ascending, that returns their utilities.
    """
    known: dict[int, float] = {}

    def look(places: Iterable[int]) -> None:
        new = sorted({place for place in places if 0 <= place < len(totals)} - known.keys())
        if new:
            known.update(zip(new, utilities_of([totals[place] for place in new]).tolist(), strict=True))

    look([*range(0, len(totals), SEARCH_STEP), len(totals) - 1])
    step = SEARCH_STEP // 2
    while step:
        best = max(known, key=lambda place: (known[place], -place))
        look((best - step, best + step))
        step //= 2
    return {totals[place]: utility for place, utility in known.items()}


def _share(reach: NDArray[np.float64], equity: NDArray[np.float64]) -> float:
    """Returns the share of the pot a hand wins against a range."""
    return float(reach @ equity) / float(reach.sum())


def draw_action(probabilities: NDArray[np.float64], number: float) -> int:
    """Returns the index that a uniform number in [0, 1) draws."""
    values = probabilities.tolist()
    left = number * sum(values)
    for index, value in enumerate(values):
        left -= value
        if left < 0:
            return index
    return max(range(len(values)), key=values.__getitem__)


def verify_lbr_game(gamedef: GameDef) -> None:
    """Verifies that local best response can be played in a game.

    :raises InputError: unless it is heads-up hold'em with equal stacks, which in a limit game cannot run out.
    """
    heads_up = gamedef.num_players == 2 and len(set(gamedef.stacks)) == 1
    if not (gamedef.is_holdem and heads_up):
        raise InputError("local best response plays heads-up hold'em with equal stacks only")
    if not gamedef.no_limit:
        limit_tree(gamedef)
