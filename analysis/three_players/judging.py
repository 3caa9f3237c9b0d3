"""Judges hands of three-player limit hold'em: luck of the cards, and what every decision gained against a baseline.

The measures are those of two players (Billings and Kan, A tool for the direct assessment of poker decisions, ICGA
Journal 2006), for three. All-in equity is the share of the pot that a player wins on average if nobody bets any more,
among those who have not folded. For every player result = luck + baseline + own decisions + decisions of the others.
With three players a mistake pays one of the others more than the other, so that the two parts are told apart.

All values are in small bets, one for each position, and the values of the three positions add up to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.bots.run_outs import RunOuts
from hedgehog.analysis.judging.hands import chip_unit
from hedgehog.analysis.judging.settings import PUBLISHED, DivatSettings
from hedgehog.analysis.three_players._share_kernels import GROUPS, PLAYERS, share_kernel
from hedgehog.analysis.three_players.baseline import (
    Rules,
    Strengths,
    action_letter,
    baseline_action,
    baseline_line,
    players_left,
    settle,
)
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import NUM_CARDS
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.evaluation.strength import hand_strength
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import InputError

RANDOM_BOARDS: Final = 10_000
"""Random boards whose mean is the all-in equity before the flop. Later it is exact."""

_WORDS: Final = {"f": "folds", "k": "checks", "c": "calls", "b": "bets", "r": "raises"}

Array = NDArray[np.float64]


class JudgedDecision(NamedTuple):
    """One decision of a judged hand."""

    street: int
    position: int
    before: str
    """Betting of the street before it: ``f k c b r`` for fold, check, call, bet and raise, by whoever is to act."""
    action: str
    baseline: str
    """What the baseline does there."""
    gains: Array
    """(3,) what the action gains for every position against that of the baseline, if the baseline goes on after it."""

    def text(self) -> str:
        """Returns in words what the player does, and what the baseline does there."""
        after = f"after {self.before}" if self.before else "first to act"
        return f"{after}: {_WORDS[self.action]} where the baseline {_WORDS[self.baseline]}"


@dataclass(frozen=True, slots=True)
class JudgedStreet:
    """One street of a judged hand."""

    street: int
    shares: Array
    """(3,) all-in equity of every position, among those who have not folded when the street starts."""
    luck: Array
    """(3,) what the cards dealt on the street have changed (LFAT)."""
    before: Array
    """(3,) pot equity before the betting."""
    line: str
    """The betting of the street."""
    after: Array
    """(3,) pot equity after the betting."""
    baseline_line: str
    baseline: Array
    """(3,) pot equity after the betting of the baseline."""

    @property
    def divat(self) -> Array:
        """(3,) what the betting gained against the baseline (DIVAT), which is the sum over its decisions."""
        return self.after - self.baseline


@dataclass(frozen=True, slots=True)
class JudgedHand:
    """The judgement of a hand."""

    streets: tuple[JudgedStreet, ...]
    decisions: tuple[JudgedDecision, ...]
    result: Array
    """(3,) what every position won."""

    def parts(self) -> Array:
        """Returns (streets, 4, 3) luck, baseline, own decisions and decisions of the others of every position."""
        found = np.zeros((len(self.streets), 4, PLAYERS))
        for number, street in enumerate(self.streets):
            found[number, 0] = street.luck
            found[number, 1] = street.baseline - street.before
        for one in self.decisions:
            own = np.arange(PLAYERS) == one.position
            found[one.street, 2] += np.where(own, one.gains, 0.0)
            found[one.street, 3] += np.where(own, 0.0, one.gains)
        return found


def verify_judged_game(gamedef: GameDef) -> None:
    """Checks that hands of a game can be judged.

    :raises InputError: unless it is limit hold'em for three players.
    """
    if not gamedef.is_holdem or gamedef.num_players != PLAYERS or gamedef.no_limit:
        raise InputError("three players are judged in limit hold'em alone")


class ThreePlayerJudge:
    """Judges hands of three-player limit hold'em.

    :param settings: the policies of the baseline (:mod:`hedgehog.analysis.three_players.baseline`).
    """

    def __init__(self, settings: DivatSettings = PUBLISHED) -> None:
        self.settings = settings

    @cached_property
    def run_outs(self) -> RunOuts:
        """Equities against two random hands."""
        return RunOuts()

    def judge(self, hand: LoggedHand) -> JudgedHand:
        """Returns the judgement of a finished hand.

        :raises InputError: if the game is another one, hole cards are hidden, or a player was all-in.
        """
        gamedef = hand.state.gamedef
        verify_judged_game(gamedef)
        if not all(len(cards) == 2 for cards in hand.hole_cards):
            raise InputError("expected the hole cards of all players")
        if any(spent >= stack for spent, stack in zip(hand.state.spent, gamedef.stacks, strict=True)):
            raise InputError("hands with an all-in of three players are not judged")
        unit = chip_unit(gamedef)
        rules = Rules(unit, self.settings)
        # Nobody was all-in, so the baseline shall not be either.
        state = HandState(replace(gamedef, stacks=(UNLIMITED_STACK,) * PLAYERS))
        streets, decisions = [], []
        known = np.full((GROUPS, PLAYERS), 1 / PLAYERS)  # before the cards are dealt
        for street, actions in enumerate(hand.state.actions):
            board = tuple(hand.board[: BOARD_CARDS[street]])
            shares = all_in_shares(hand.hole_cards, board)
            left, invested = players_left(state), np.array(state.spent) / unit
            # Before the flop the pot counts as one big blind of each player.
            staked = np.full(PLAYERS, invested.max()) if street == 0 else invested
            strengths = self._strengths(hand.hole_cards, board, shares)
            line, end = baseline_line(state, street, strengths, rules)
            value = baseline = settle(end, shares, rules)
            done = ""
            for position, action in actions:
                letter = action_letter(action.kind, state)
                planned = baseline_action(state, strengths, rules)
                state.perform(action)
                worth = settle(baseline_line(state, street, strengths, rules)[1], shares, rules)
                decisions.append(JudgedDecision(street, position, done, letter, planned, worth - value))
                value, done = worth, done + letter
            streets.append(
                JudgedStreet(
                    street,
                    shares[left],
                    staked.sum() * (shares[left] - known[left]),
                    staked.sum() * shares[left] - staked,
                    done,
                    settle(state, shares, rules),
                    line,
                    baseline,
                )
            )
            known = shares
        return JudgedHand(tuple(streets), tuple(decisions), np.array(hand.values, dtype=np.float64) / unit)

    def _strengths(self, hole_cards: Sequence[Sequence[int]], board: tuple[int, ...], shares: Array) -> Strengths:
        ranks = [hand_strength(cards, board) for cards in hole_cards]
        against_two = [self.run_outs.equity(tuple(sorted(cards)), board, 2) for cards in hole_cards]
        equities = [(one.seven_card, two) for one, two in zip(ranks, against_two, strict=True)]
        return Strengths([one.ihr for one in ranks], equities, shares)


@cache
def _samples() -> NDArray[np.int64]:
    """Returns (N, 5) places of random boards in a shuffled deck without the cards of three players."""
    rng = np.random.default_rng(0)
    return np.argsort(rng.random((RANDOM_BOARDS, NUM_CARDS - 2 * PLAYERS)), axis=1)[:, :5]


def all_in_shares(hole_cards: Sequence[Sequence[int]], board: Sequence[int]) -> Array:
    """Returns the all-in equities of three players: float64 (8, 3), a row for every set of players as a bit mask.

    They are exact on flop, turn and river. Before the flop they are the mean over :data:`RANDOM_BOARDS` boards, which
    are the same for the same cards.

    :param hole_cards: two card ids of every player, those who have folded included: their cards do not come.
    :param board: none or three to five card ids.
    """
    shares = np.empty((GROUPS, PLAYERS))
    hands = np.array(hole_cards, dtype=np.uint8)
    boards = np.zeros((0, 5), dtype=np.uint8)
    if not board:
        deck = np.setdiff1d(np.arange(NUM_CARDS), hands)
        boards = np.random.default_rng(hands.ravel().tolist()).permutation(deck)[_samples()].astype(np.uint8)
    share_kernel(shares, hands, np.array(board, dtype=np.uint8), boards, evaluator_tables())
    return shares
