"""A two-player strategy at the three-player table: each decision is answered by decisions of the two-player game.

A row of the two-player strategy that it hardly ever reaches says nothing and is passed over. If no candidate is left,
the next of these steps with one is taken:

1. the answer for the other opponent, if there are two and it is valid,
2. the next nearest class of pots or pot odds,
3. all candidates of the street,
4. the nearest candidate, whatever its row says.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.candidates import SEAT_NAMES, TWO_PLAYER_GAME, candidates
from hedgehog.agent.limit.nearest import Ranking, Way, class_differences, class_members, rank_candidates
from hedgehog.agent.limit.situation import ThreePlayerSituation, read_situation
from hedgehog.agent.limit.street_mapping import map_street
from hedgehog.agent.limit.triples import FULL, TripleTable
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.limit_betting import limit_histories

Triple: TypeAlias = tuple[float, float, float]
"""Probabilities of fold, call and raise."""
STEPS: Final = 5
"""Number of steps, the usual case included."""
_LOOKED_AT: Final = 64
"""Candidates that are ranked beforehand; more are ranked where all these are unreached."""
_ALL: Final = 1 << 13
"""More than all candidates of a street."""
_MOST_LINES: Final = 50_000
"""Betting lines that are kept."""


class Used(NamedTuple):
    """A candidate that took part in an answer."""

    distance: int
    triple: Triple
    row: int
    """Row of the two-player strategy."""


class MappedAnswer(NamedTuple):
    """How one opponent's answer came about."""

    situation: ThreePlayerSituation
    opponent: int
    candidates: int
    """Number of candidates that the filter let through."""
    unreached: int
    """Number of those whose rows are passed over."""
    used: tuple[Used, ...]
    mean: Triple
    step: int
    """0 in the usual case, else the step of the module's description."""


class _Answer(NamedTuple):
    triple: Triple
    step: int
    used: tuple[tuple[int, int], ...]
    """Distance and row of each candidate that took part."""


class _Line(NamedTuple):
    situation: ThreePlayerSituation
    members: int
    """Number of candidates that the filter let through."""
    rankings: tuple[Ranking, ...]
    """The nearest of them, for each opponent; HBB1 has one for the opponent who acts first after the hero."""


class _Ranked(NamedTuple):
    """An opponent's candidates, which are ranked before the cards are known."""

    opponent: int
    members: int
    """Number of candidates that the filter let through, of which the nearest are ranked."""
    distances: NDArray[np.int64]
    """(K,) distance of each, nearest first."""
    starts: NDArray[np.int64]
    """(K,) row of the first bucket of each."""
    start_list: list[int]


class MappedStrategy:
    """Answers decisions of three-player limit hold'em from a two-player strategy.

    :param way: how decisions are carried over.
    :param table: the two-player strategy.
    :param nearest: number of candidates that are averaged. HBB1 always uses one.
    :param by_distance: weight the candidates by 1 / (1 + distance); else all count the same.
    :param on_mapping: called with each opponent's mapping, which takes time; None: nobody listens.
    """

    def __init__(
        self,
        way: Way,
        table: TripleTable,
        *,
        nearest: int = 1,
        by_distance: bool = False,
        on_mapping: Callable[[MappedAnswer], None] | None = None,
    ) -> None:
        self.way = way
        self.table = table
        self.nearest = 1 if way is Way.HBB1 else nearest
        self.by_distance = by_distance
        self.on_mapping = on_mapping
        self.steps = [0] * STEPS
        """Number of mappings by the step that gave the answer."""
        self._prepared = lru_cache(_MOST_LINES)(self._prepare)

    def answer(self, betting: str, hole_cards: tuple[int, ...], board: tuple[int, ...]) -> Triple:
        """Returns the probabilities of fold, call and raise at a decision; an action that is not legal has 0.

        :param betting: ACPC betting text of the three-player game.
        :param hole_cards: two card ids.
        :param board: card ids of the board.
        :raises InputError: if the betting is no decision of three-player limit hold'em.
        """
        street = self._prepared(betting)[0].street
        return self.answer_bucket(betting, self.table.bucket(street, hole_cards, board))

    def answer_bucket(self, betting: str, bucket: int) -> Triple:
        """Returns what :meth:`answer` returns, for a bucket of the two-player strategy."""
        situation, opponents = self._prepared(betting)
        answers = [self._usual(situation, ranked, bucket) for ranked in opponents]
        found = [answer for answer in answers if answer is not None]
        if not found:
            found = [self._unusual(situation, ranked, bucket) for ranked in opponents]
            answers = list(found)
        for ranked, answer in zip(opponents, answers, strict=True):
            self.steps[1 if answer is None else answer.step] += 1
            if self.on_mapping is not None:
                self.on_mapping(self._describe(situation, ranked, bucket, answer, found[0]))
        fold, call, raising = found[0].triple
        if len(found) == 2:
            other = found[1].triple
            fold, call, raising = (fold + other[0]) / 2, (call + other[1]) / 2, (raising + other[2]) / 2
        if situation.to_call == 0:
            fold, call = 0.0, call + fold
        if not situation.can_raise:
            call, raising = call + raising, 0.0
        return fold, call, raising

    def explain_bucket(self, betting: str, bucket: int) -> tuple[Triple, list[MappedAnswer]]:
        """Returns the answer of :meth:`answer_bucket` with the mapping of each opponent; it is not counted."""
        heard: list[MappedAnswer] = []
        before, steps = self.on_mapping, self.steps.copy()
        self.on_mapping = heard.append
        try:
            return self.answer_bucket(betting, bucket), heard
        finally:
            self.on_mapping = before
            self.steps[:] = steps

    def first_candidate(self, street: int) -> int:
        """Returns the number of the first candidate of a street in the two-player game."""
        return candidates(street).first

    def candidate_of(self, row: int) -> tuple[str, str]:
        """Returns the betting of the candidate that a row of the two-player strategy belongs to, and the hero's seat.

        :returns: the history, and ``small blind`` or ``big blind``.
        """
        node = int(np.searchsorted(self.table.first, row, side="right")) - 1
        street = int(np.searchsorted([candidates(street).first for street in range(4)], node, side="right")) - 1
        found = candidates(street)
        return found.histories[node - found.first], SEAT_NAMES[int(found.seat[node - found.first])]

    def _prepare(self, betting: str) -> tuple[ThreePlayerSituation, tuple[_Ranked, ...]]:
        situation, members, rankings = _rank_line(self.way, betting)
        opponents = zip(situation.opponents, rankings, strict=False)  # HBB1 keeps one opponent
        return situation, tuple(self._ranked(situation, *opponent, members) for opponent in opponents)

    def _rank(
        self, situation: ThreePlayerSituation, opponent: int, *, difference: int | None = None, whole: bool = False
    ) -> _Ranked:
        """Returns all candidates of a class in order."""
        ranking, count = rank_candidates(self.way, situation, opponent, _ALL, difference=difference, whole_street=whole)
        return self._ranked(situation, opponent, ranking, count)

    def _ranked(self, situation: ThreePlayerSituation, opponent: int, ranking: Ranking, count: int) -> _Ranked:
        starts = self.table.first[ranking.indices + candidates(situation.street).first]
        return _Ranked(opponent, count, ranking.distances, starts, starts.tolist())

    def _usual(self, situation: ThreePlayerSituation, ranked: _Ranked, bucket: int) -> _Answer | None:
        """Returns the mean of the nearest reached candidates of the filter; None if there is none."""
        reached = self.table.reached
        if self.nearest == 1:
            for place, start in enumerate(ranked.start_list):
                if reached[start + bucket]:
                    row = start + bucket
                    return _Answer(self.triple_of(row), 0, ((int(ranked.distances[place]), row),))
        else:
            rows = ranked.starts + bucket
            places = np.flatnonzero(reached[rows])[: self.nearest]
            if len(places) == self.nearest or (len(places) and ranked.members == len(rows)):
                return self._mean(rows[places], ranked.distances[places], 0)
        if ranked.members == len(ranked.starts):
            return None
        return self._usual(situation, self._rank(situation, ranked.opponent), bucket)

    def _unusual(self, situation: ThreePlayerSituation, ranked: _Ranked, bucket: int) -> _Answer:
        """Returns the answer of the steps 2 to 4."""
        opponent = ranked.opponent
        for difference in class_differences(self.way, situation)[1:]:
            answer = self._usual(situation, self._rank(situation, opponent, difference=difference), bucket)
            if answer is not None:
                return answer._replace(step=2)
        if self.way in (Way.HBB3, Way.HBB4):
            answer = self._usual(situation, self._rank(situation, opponent, whole=True), bucket)
            if answer is not None:
                return answer._replace(step=3)
        row = ranked.start_list[0] + bucket
        return _Answer(self.triple_of(row), 4, ((int(ranked.distances[0]), row),))

    def triple_of(self, row: int) -> Triple:
        """Returns what a row of the two-player strategy says, uniform if it is empty."""
        fold, call, raising = self.table.rows[row].tolist()
        if fold + call + raising == 0:
            return 1 / 3, 1 / 3, 1 / 3
        return fold / FULL, call / FULL, raising / FULL

    def _mean(self, rows: NDArray[np.int64], distances: NDArray[np.int64], step: int) -> _Answer:
        triples = self.table.rows[rows]
        if self.by_distance:
            weights = 1.0 / (1.0 + distances)
            mean = weights @ triples / (FULL * weights.sum())
        else:
            mean = triples.sum(axis=0) / (FULL * len(rows))
        fold, call, raising = mean.tolist()
        used = () if self.on_mapping is None else tuple(zip(distances.tolist(), rows.tolist(), strict=True))
        return _Answer((fold, call, raising), step, used)

    def _describe(
        self, situation: ThreePlayerSituation, ranked: _Ranked, bucket: int, answer: _Answer | None, instead: _Answer
    ) -> MappedAnswer:
        starts = ranked.starts
        if ranked.members > len(starts):
            starts = self.table.first[class_members(self.way, situation) + candidates(situation.street).first]
        unreached = int(np.count_nonzero(~self.table.reached[starts + bucket]))
        if answer is None:
            return MappedAnswer(situation, ranked.opponent, ranked.members, unreached, (), instead.triple, 1)
        used = tuple(Used(distance, self.triple_of(row), row) for distance, row in answer.used)
        return MappedAnswer(situation, ranked.opponent, ranked.members, unreached, used, answer.triple, answer.step)


@lru_cache(len(Way) * _MOST_LINES)
def _rank_line(way: Way, betting: str) -> _Line:
    """Returns what a line has in common for all strategies of this process: its candidates, ranked for each opponent.

    :raises InputError: if the betting is no decision of three-player limit hold'em.
    """
    situation = read_situation(betting)
    if way is Way.HBB1:
        index = mapped_candidate(situation)
        return _Line(situation, 1, (Ranking(np.array([index]), np.zeros(1, dtype=np.int64)),))
    ranked = [rank_candidates(way, situation, opponent, _LOOKED_AT) for opponent in situation.opponents]
    return _Line(situation, ranked[0][1], tuple(ranking for ranking, _ in ranked))


def mapped_candidate(situation: ThreePlayerSituation) -> int:
    """Returns the candidate of HBB1, which deletes actions of each street: its index among those of the street.

    The hero takes the seat of the player who is to act in the two-player game.
    """
    streets = (map_street(*street) for street in zip(situation.streets, situation.at_start, strict=True))
    return limit_histories(load_gamedef(TWO_PLAYER_GAME))["/".join(streets)] - candidates(situation.street).first
