"""Judges the hands of logs in batches, and collects one session for each pair of players."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hedgehog.analysis.histories.hand_files import FileHand, HandFile
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.real_hands import UNKNOWN_WINNINGS
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import Judge, JudgedHands
from hedgehog.analysis.judging.session import AIVAT, Session
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.runtime.errors import InputError

BATCH: Final = 500
"""Number of hands that are judged in one call of the kernels."""

Score = Callable[[LoggedHand], Sequence[float]]
"""Returns the AIVAT value of a hand for both positions, in chips."""


@dataclass(slots=True)
class SessionBatch:
    """Hands of one session that are judged together."""

    session: Session
    hands: list[SeatedHand] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    """File and line of each hand."""
    aivat: list[float] = field(default_factory=list)
    seen: int = 0
    """Number of hands of the session so far, those with hidden cards included."""


class Sessions:
    """Judges hands and sorts them by pairs of players.

    :param judge: judges the hands.
    :param player: name of the player who is A in all sessions; hands without it are not judged. None: the first of
        ``heroes`` in the pair, or else the player who comes first in the first hand of the pair.
    :param heroes: players who are A in their sessions, for example those to whom a file deals cards.
    :param only: numbers of the hands to judge, the others are passed over; None judges all.
    :param first: largest number of hands to judge of each pair, those with hidden cards included; None judges all.
    :param num_costly: number of costly streets to keep per session.
    :param roll_out: whether the judge computes roll-out equities.
    :param score: computes AIVAT values; None for none.
    :param on_batch: called with every batch and its judgement.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        player: str | None = None,
        heroes: Sequence[str] = (),
        only: Collection[int] | None = None,
        first: int | None = None,
        num_costly: int = 5,
        roll_out: bool = False,
        score: Score | None = None,
        on_batch: Callable[[SessionBatch, JudgedHands], None] = lambda batch, judged: None,
    ) -> None:
        self._judge = judge
        self._player = player
        self._heroes = heroes
        self._only = only
        self._first = first
        self._num_costly = num_costly
        self._roll_out = roll_out
        self._score = score
        self._on_batch = on_batch
        self._batches: dict[frozenset[str], SessionBatch] = {}
        self._limit: bool | None = None
        self.names: set[str] = set()
        """Names of all players seen."""

    def add(self, file: HandFile, entry: FileHand) -> None:
        """Adds a hand.

        :raises LeftOutError: if the hand cannot be judged: it is not of heads-up hold'em, the names of the players
            cannot be told apart, what was won is not known, or it is of a limit game and the others are not.
        """
        hand = entry.hand
        gamedef = hand.state.gamedef
        if not gamedef.is_holdem or gamedef.num_players != 2:
            raise LeftOutError("another game than heads-up hold'em")
        names = hand.names.split("|")
        if len(names) != 2 or names[0] == names[1]:
            raise LeftOutError("names that contain |" if len(names) != 2 else "players of the same name")
        if not all(map(math.isfinite, map(float, hand.values))):
            raise LeftOutError(UNKNOWN_WINNINGS)
        self.names.update(names)
        if self._player is not None and self._player not in names:
            return
        limit = not gamedef.no_limit
        if self._limit is None:
            self._limit = limit
        elif self._limit != limit:
            raise LeftOutError("a limit game beside no-limit games" if limit else "a no-limit game beside limit games")
        pair = frozenset(names)
        if pair not in self._batches:
            hero = next((name for name in self._heroes if name in names), names[0])
            player = hero if self._player is None else self._player
            opponent = names[1 - names.index(player)]
            self._batches[pair] = SessionBatch(
                Session(player, opponent, limit, self._roll_out and limit, self._num_costly)
            )
        batch = self._batches[pair]
        if batch.seen == self._first:
            return
        batch.seen += 1
        if self._only is not None and hand.hand_id not in self._only:
            return
        position = names.index(batch.session.player)
        seated = SeatedHand(hand, position, entry.dead, 0 if entry.real is None else entry.big_blind)
        if not all(hand.hole_cards):
            batch.session.leave_out(float(hand.values[position]) / seated.unit)
            return
        batch.hands.append(seated)
        batch.sources.append(f"{file.path.name}:{entry.line}")
        if self._score is not None:
            batch.aivat.append(self._score(hand)[position] / seated.unit)
        if len(batch.hands) >= BATCH:
            self._flush(batch)

    def _flush(self, batch: SessionBatch) -> None:
        judged = self._judge.judge(batch.hands)
        extra = {AIVAT: np.array(batch.aivat)} if batch.aivat else None
        batch.session.add(batch.hands, batch.sources, judged, extra)
        self._on_batch(batch, judged)
        batch.hands, batch.sources, batch.aivat = [], [], []

    def finish(self) -> list[Session]:
        """Judges the hands that wait; returns all sessions in the order of their first hands.

        :raises InputError: if no hand was judged; the message says why.
        """
        for batch in self._batches.values():
            if batch.hands:
                self._flush(batch)
        if not self.names:
            raise InputError("expected at least one hand")
        if not self._batches:
            raise InputError(f"no player {self._player!r}: expected {', '.join(sorted(self.names))}")
        return [batch.session for batch in self._batches.values()]
