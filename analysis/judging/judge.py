"""Judges hands of heads-up hold'em: how much of a result was luck, and how much the decisions were worth.

Limit games: LFAT, EVAT and DIVAT, which compare the betting of every street with what both players would have done
knowing all cards (EVAT), or by a realistic baseline (DIVAT) (Billings and Kan, A tool for the direct assessment of
poker decisions, ICGA Journal 2006). No-limit games: luck and pot equity alone, because the baseline is tuned for bets
of fixed size.

All values are those of player A, in small bets or, in no-limit games, in big blinds. Those of B are their negatives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.judging import _judge_kernels as kernels
from analysis.judging.hands import (
    SeatedHand,
    chip_unit,
    empty_judged,
    hand_arrays,
    limit_betting,
    playing_cards,
    verify_game,
    work_space,
)
from analysis.judging.settings import PUBLISHED, DivatSettings
from poker.evaluator import evaluator_tables
from poker.streets import STREETS
from runtime.errors import InputError

_LETTERS: Final = "fkcbr"


@dataclass(frozen=True, slots=True)
class StreetJudgement:
    """One street of a judged hand. Values are those of A, in small bets or big blinds."""

    street: str
    ihr: tuple[float, float]
    """Immediate hand rank of A and of B."""
    seven_card: tuple[float, float]
    """Seven-card hand rank of A and of B."""
    aie: float
    """All-in equity of A."""
    lfat: float
    """Luck of the cards that were dealt at the start of the street."""
    net_before: float
    """Pot equity before the betting of the street."""
    actual: str
    """The betting: ``f k c b r`` for fold, check, call, bet and raise, B's in capitals."""
    actual_equity: float
    """Pot equity after the betting; after a fold what it costs."""
    baseline: str | None
    """The betting of the baseline; None in no-limit games."""
    baseline_equity: float | None
    """Pot equity after the betting of the baseline; None in no-limit games."""
    baseline_folds: bool
    """Whether the baseline ends in a fold."""
    open_line: str | None
    """The betting if both players knew all cards; None in no-limit games."""
    open_equity: float | None
    actual_roe: float | None
    """Roll-out equity after the betting; None if it was not computed."""
    baseline_roe: float | None

    @property
    def betting(self) -> float:
        """What the betting of the street changed of A's pot equity."""
        return self.actual_equity - self.net_before

    @property
    def baseline_betting(self) -> float | None:
        """What the betting of the baseline changes of A's pot equity."""
        return None if self.baseline_equity is None else self.baseline_equity - self.net_before

    @property
    def round_ev(self) -> float | None:
        """What the bets of the baseline are worth to A: 0 if it ends in a fold."""
        return 0.0 if self.baseline_folds else self.baseline_betting

    @property
    def fold_equity(self) -> float | None:
        """What A gains because the baseline of B folds (or loses because A's folds); None if nobody folds."""
        return self.baseline_betting if self.baseline_folds else None

    @property
    def divat(self) -> float | None:
        """What A's decisions gained against the baseline, by all-in equity."""
        return None if self.baseline_equity is None else self.actual_equity - self.baseline_equity

    @property
    def divat_roe(self) -> float | None:
        """What A's decisions gained against the baseline, by roll-out equity where it was computed."""
        if self.actual_roe is None or self.baseline_roe is None:
            return self.divat
        return self.actual_roe - self.baseline_roe

    @property
    def evat(self) -> float | None:
        """What A's decisions gained against the betting with open cards."""
        return None if self.open_equity is None else self.actual_equity - self.open_equity


@dataclass(frozen=True, slots=True)
class HandJudgement:
    """A judged hand: result = luck + baseline + skill, or luck + betting in no-limit games."""

    streets: tuple[StreetJudgement, ...]
    result: float
    """What A won."""

    @property
    def luck(self) -> float:
        """The sum of LFAT over the streets."""
        return sum(street.lfat for street in self.streets)

    @property
    def betting(self) -> float:
        """What the betting changed of A's pot equity: the result less the luck."""
        return sum(street.betting for street in self.streets)

    @property
    def baseline(self) -> float | None:
        """What the betting of the baseline would have changed of A's pot equity; None in no-limit games."""
        return _sum([street.baseline_betting for street in self.streets])

    @property
    def divat(self) -> float | None:
        """The sum of the DIVAT differences, which measure skill; None in no-limit games."""
        return _sum([street.divat for street in self.streets])

    @property
    def divat_roe(self) -> float | None:
        """The sum of the DIVAT differences by roll-out equity; None in no-limit games."""
        return _sum([street.divat_roe for street in self.streets])

    @property
    def evat(self) -> float | None:
        """The sum of the EVAT differences; None in no-limit games."""
        return _sum([street.evat for street in self.streets])


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class JudgedHands:
    """The judgement of N hands as arrays; :meth:`hand` gives one of them in full."""

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
        self._random = np.random.default_rng(seed)
        self._work = work_space()

    def judge(self, hands: Sequence[SeatedHand]) -> JudgedHands:
        """Returns the judgement of hands, which must be of limit or of no-limit games, not of both.

        :param hands: at least one hand with the hole cards of both players.
        :raises InputError: if a hand is not of heads-up hold'em, lacks hole cards, or is of another kind of game.
        """
        parts = [self._judge_game(list(group)) for _, group in groupby(hands, lambda one: one.hand.state.gamedef)]
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
        unit = chip_unit(gamedef)
        results = np.array([float(one.hand.values[one.position]) / unit for one in hands])
        return JudgedHands(arrays, judged, results, limit)

    def _roll_out_preflop(
        self, judged: kernels.Judged, arrays: kernels.Hands, index: int, betting: kernels.Betting
    ) -> None:
        """Computes the roll-out equities before the flop on random boards, the same for both lines."""
        values = judged.values[index, 0]
        line = np.empty(kernels.MAX_LINE, dtype=np.int8)
        chips = arrays.invested[index, 0].copy()
        kernels.play_baseline(line, chips, judged.strengths[index, 0], 0, int(arrays.first[index, 0]), betting)
        ends = (float(arrays.invested[index, 1].min()), float(chips.min()))
        rolled = roll_out_boards(
            arrays.cards[index], ends, arrays.first[index], betting, self._preflop_boards, self._random
        ).mean(axis=0)
        folded = arrays.num_streets[index] == 1 and arrays.folder[index] >= 0
        values[kernels.ACTUAL_ROE] = values[kernels.ACTUAL] if folded else rolled[0]
        values[kernels.BASELINE_ROE] = values[kernels.BASELINE] if judged.folders[index, 0] >= 0 else rolled[1]


def roll_out_boards(
    hole_cards: Sequence[Sequence[int]] | NDArray[np.uint8],
    invested: Sequence[float],
    first: Sequence[int] | NDArray[np.int64],
    betting: kernels.Betting,
    count: int,
    random: np.random.Generator,
) -> NDArray[np.float64]:
    """Plays a hand from the flop on by the baseline on random boards; returns what A wins, (boards, amounts).

    :param hole_cards: two card ids of A and of B.
    :param invested: amounts that each player may have put in before the flop, in small bets.
    :param first: (4,) the player, 0 for A and 1 for B, who acts first on each street.
    :param betting: the betting structure and the policies.
    :param count: number of boards.
    :param random: source of the boards.
    """
    cards = playing_cards(hole_cards)
    deck = np.setdiff1d(np.arange(52, dtype=np.uint8), cards[:, :2])
    boards = random.permuted(np.tile(deck, (count, 1)), axis=1)[:, :5].copy()
    values = np.empty((count, len(invested)))
    order = np.asarray(first, dtype=np.int64)
    kernels.play_boards(
        values, np.asarray(invested, dtype=np.float64), cards, boards, order, betting, work_space(), evaluator_tables()
    )
    return values


def roll_out(
    hole_cards: Sequence[Sequence[int]] | NDArray[np.uint8],
    board: Sequence[int],
    invested: Sequence[float],
    first: Sequence[int] | NDArray[np.int64],
    betting: kernels.Betting,
) -> NDArray[np.float64]:
    """Returns the roll-out equity of A for several amounts in the pot: exact, over all cards that can still come.

    The betting rounds after the last card of the board are played by the baseline. Before the flop this takes about a
    minute.

    :param hole_cards: two card ids of A and of B.
    :param board: card ids of none, three or four board cards.
    :param invested: amounts that each player may have put in, in small bets.
    :param first: (4,) the player, 0 for A and 1 for B, who acts first on each street.
    :param betting: the betting structure and the policies.
    """
    cards = playing_cards(hole_cards)
    chips, order = np.asarray(invested, dtype=np.float64), np.asarray(first, dtype=np.int64)
    values = np.zeros(len(chips))
    places = np.zeros(5, dtype=np.uint8)
    places[: len(board)] = board
    work, tables = work_space(), evaluator_tables()
    if len(board) == 0:
        kernels.roll_out_preflop(values, chips, cards, order, betting, work, tables)
    elif len(board) == 3:
        kernels.roll_out_flop(values, chips, cards, places, order, betting, work, tables)
    else:
        kernels.turn_strengths(work, cards, places, tables)
        kernels.roll_out_turn(values, chips, cards, places, order, betting, work.on_river[:, 0], tables)
    return values


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


def hand_judgement(judged: JudgedHands, index: int, seated: SeatedHand) -> HandJudgement:
    """Returns the judgement of one hand in full.

    :param judged: a batch of judged hands.
    :param index: number of the hand in the batch.
    :param seated: the hand.
    """
    streets = []
    for street, actual in enumerate(actual_lines(seated)):
        values = [None if math.isnan(value) else float(value) for value in judged.judged.values[index, street]]
        strengths = judged.judged.strengths[index, street].tolist()
        aie, lfat, before, after = (float(value) for value in judged.judged.values[index, street, :4])
        first = int(judged.hands.first[index, street])
        lines = [format_line(line, first) for line in judged.judged.lines[index, street].tolist()]
        streets.append(
            StreetJudgement(
                street=STREETS[street],
                ihr=(strengths[0][0], strengths[1][0]),
                seven_card=(strengths[0][1], strengths[1][1]),
                aie=aie,
                lfat=lfat,
                net_before=before,
                actual=actual,
                actual_equity=after,
                baseline=lines[0] if judged.limit else None,
                baseline_equity=values[kernels.BASELINE],
                baseline_folds=int(judged.judged.folders[index, street]) >= 0,
                open_line=lines[1] if judged.limit else None,
                open_equity=values[kernels.OPEN],
                actual_roe=values[kernels.ACTUAL_ROE],
                baseline_roe=values[kernels.BASELINE_ROE],
            )
        )
    return HandJudgement(tuple(streets), float(judged.results[index]))


def format_line(line: Sequence[int], first: int) -> str:
    """Returns the actions of a betting round as letters ``f k c b r``, those of player 1 (B) in capitals.

    :param line: actions as the kernels number them; -1 ends the line.
    :param first: the player who acts first.
    """
    letters = [_LETTERS[action] for action in line if action >= 0]
    return "".join(letter.upper() if (first + place) % 2 else letter for place, letter in enumerate(letters))


def actual_lines(seated: SeatedHand) -> list[str]:
    """Returns the betting of every street that was dealt, in letters as :func:`format_line` does."""
    state = seated.hand.state
    gamedef = state.gamedef
    lines = []
    for street, actions in enumerate(state.actions):
        line = ""
        spent = list(gamedef.blinds) if street == 0 else [0, 0]
        bets = street == 0
        facing = spent[0] != spent[1]
        for position, (kind, _) in actions:
            letter = kind
            if kind == "r":
                letter, bets, facing = "r" if bets else "b", True, True
            elif kind == "c":
                letter, facing = ("c", False) if facing else ("k", False)
            line += letter if position == seated.position else letter.upper()
        lines.append(line)
    return lines
