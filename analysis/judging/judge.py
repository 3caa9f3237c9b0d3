"""Judges hands of heads-up hold'em: how much of a result was luck, and how much the decisions were worth.

Limit games: LFAT, EVAT and DIVAT, which compare the betting of every street with what both players would have done
knowing all cards (EVAT), or by a realistic baseline (DIVAT) (Billings and Kan, A tool for the direct assessment of
poker decisions, ICGA Journal 2006). No-limit games: luck and pot equity alone, because the baseline is tuned for bets
of fixed size.

All values are those of player A, in small bets or, in no-limit games, in big blinds. Those of B are their negatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging import _judge_kernels as kernels
from hedgehog.analysis.judging._betting_kernels import MAX_LINE, Betting, play_baseline
from hedgehog.analysis.judging.hands import (
    SeatedHand,
    empty_judged,
    hand_arrays,
    limit_betting,
    verify_game,
    work_space,
)
from hedgehog.analysis.judging.roll_out import roll_out_boards
from hedgehog.analysis.judging.settings import PUBLISHED, DivatSettings
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.runtime.errors import InputError


@dataclass(frozen=True, slots=True)
class JudgedHands:
    """The judgement of N hands as arrays. :mod:`hedgehog.analysis.judging.judgement` gives one hand in full."""

    hands: kernels.Hands
    judged: kernels.Judged
    results: NDArray[np.float64]
    """(N,) what A won."""
    limit: bool

    def __len__(self) -> int:
        return len(self.results)

    def column(self, value: int) -> NDArray[np.float64]:
        """Returns (N, 4) one of the values of the kernels per street, 0 for streets that were not dealt."""
        return np.nan_to_num(self.judged.values[:, :, value])

    @property
    def lfat(self) -> NDArray[np.float64]:
        """(N, 4) luck per street."""
        return self.column(kernels.LFAT)

    @property
    def betting(self) -> NDArray[np.float64]:
        """(N, 4) change of A's pot equity by the betting per street."""
        return self.column(kernels.ACTUAL) - self.column(kernels.BEFORE)

    @property
    def all_in_adjusted(self) -> NDArray[np.float64]:
        """(N,) what A won, with showdowns after an all-in replaced by their mean over the boards to come."""
        acted = self.hands.acted
        last = np.where(acted.any(axis=1), acted.shape[1] - 1 - np.argmax(acted[:, ::-1], axis=1), 0)
        equity = np.take_along_axis(self.column(kernels.ACTUAL), last[:, np.newaxis], axis=1)[:, 0]
        return np.where((self.hands.folder < 0) & (last < self.hands.num_streets - 1), equity, self.results)

    @property
    def divat(self) -> NDArray[np.float64]:
        """(N, 4) DIVAT difference per street by all-in equity."""
        return self.column(kernels.ACTUAL) - self.column(kernels.BASELINE)

    @property
    def divat_roe(self) -> NDArray[np.float64]:
        """(N, 4) DIVAT difference per street by roll-out equity, by all-in equity where it was not computed."""
        rolled = self.judged.values[:, :, kernels.ACTUAL_ROE] - self.judged.values[:, :, kernels.BASELINE_ROE]
        return np.where(np.isnan(rolled), self.divat, rolled)

    @property
    def evat(self) -> NDArray[np.float64]:
        """(N, 4) EVAT difference per street."""
        return self.column(kernels.ACTUAL) - self.column(kernels.OPEN)


class Judge:
    """Judges hands of one kind of game, limit or no-limit.

    :param settings: the policies of the baseline.
    :param roll_out: also compute roll-out equities after the flop, turn and river (limit games).
    :param preflop_boards: number of random boards for the roll-out equity before the flop; 0: all-in equity takes its
        place.
    :param seed: seed of the random boards.
    """

    def __init__(
        self,
        settings: DivatSettings = PUBLISHED,
        *,
        roll_out: bool = False,
        preflop_boards: int = 0,
        seed: int = 0,
    ) -> None:
        self._settings = settings
        self._roll_out = roll_out
        self._preflop_boards = preflop_boards
        self._seed = seed
        self._work = work_space()

    def judge(self, hands: Sequence[SeatedHand]) -> JudgedHands:
        """Returns the judgement of hands, which must be of limit or of no-limit games, not of both.

        :param hands: at least one hand with the hole cards of both players.
        :raises InputError: if a hand is not of heads-up hold'em, lacks hole cards, or is of another kind of game.
        """
        parts = [self._judge_game(list(group)) for _, group in groupby(hands, _table)]
        if len({part.limit for part in parts}) > 1:
            raise InputError("expected hands of limit or of no-limit games, got both")
        return join_judged(parts)

    def _judge_game(self, hands: Sequence[SeatedHand]) -> JudgedHands:
        gamedef = hands[0].hand.state.gamedef
        verify_game(gamedef)
        if not all(len(cards) == 2 for one in hands for cards in one.hand.hole_cards):
            raise InputError("expected the hole cards of both players")
        arrays = hand_arrays(hands)
        judged = empty_judged(len(hands))
        betting = limit_betting(gamedef, self._settings)
        limit = not gamedef.no_limit
        kernels.judge_kernel(judged, arrays, betting, self._work, limit, self._roll_out, evaluator_tables())
        if limit and self._roll_out and self._preflop_boards:
            for index in range(len(hands)):
                self._roll_out_preflop(judged, arrays, index, betting)
        results = np.array([float(one.hand.values[one.position]) / one.unit for one in hands])
        # Who has posted more dead money than the other has lost it by the betting before the flop.
        differences = np.array([one.dead_difference / one.unit for one in hands])[:, np.newaxis]
        judged.values[:, :, kernels.ACTUAL] += differences
        judged.values[:, 1:, kernels.BEFORE] += differences
        return JudgedHands(arrays, judged, results, limit)

    def _roll_out_preflop(self, judged: kernels.Judged, arrays: kernels.Hands, index: int, betting: Betting) -> None:
        """Computes the roll-out equities before the flop on random boards, the same for both lines."""
        values = judged.values[index, 0]
        # Random boards of its own, so that a hand has the same judgement whatever is judged before it.
        rng = np.random.default_rng((self._seed, *arrays.cards[index].ravel().tolist()))
        line = np.empty(MAX_LINE, dtype=np.int8)
        chips = arrays.invested[index, 0].copy()
        play_baseline(line, chips, judged.strengths[index, 0], 0, int(arrays.first[index, 0]), betting)
        ends = (float(arrays.invested[index, 1].min()), float(chips.min()))
        rolled = roll_out_boards(
            arrays.cards[index], ends, arrays.first[index], betting, self._preflop_boards, rng
        ).mean(axis=0)
        folded = arrays.num_streets[index] == 1 and arrays.folder[index] >= 0
        values[kernels.ACTUAL_ROE] = values[kernels.ACTUAL] if folded else rolled[0]
        values[kernels.BASELINE_ROE] = values[kernels.BASELINE] if judged.folders[index, 0] >= 0 else rolled[1]


def _table(seated: SeatedHand) -> tuple[GameDef, int]:
    return seated.hand.state.gamedef, seated.unit


def join_judged(parts: Sequence[JudgedHands]) -> JudgedHands:
    """Returns several batches of judged hands of one kind of game as one."""
    if len(parts) == 1:
        return parts[0]
    return JudgedHands(
        kernels.Hands(*map(np.concatenate, zip(*(part.hands for part in parts), strict=True))),
        kernels.Judged(*map(np.concatenate, zip(*(part.judged for part in parts), strict=True))),
        np.concatenate([part.results for part in parts]),
        parts[0].limit,
    )
