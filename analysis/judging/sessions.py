"""Judges the hands of logs in batches, and collects one session for each pair of players."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hedgehog.analysis.histories.hand_files import FileHand, HandFile
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.real_hands import told_results
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judge import Judge, JudgedHands
from hedgehog.analysis.judging.judges import AIVAT, JUDGES, further_values
from hedgehog.analysis.judging.session import Session
from hedgehog.analysis.judging.settings import PUBLISHED, DivatSettings
from hedgehog.analysis.stats.match_report import Adjust
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.errors import InputError

BATCH: Final = 500
"""Number of hands that are judged in one call of the kernels."""


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


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which hands are judged, and how."""

    player: str | None = None
    """Whom to judge; None: whom a file deals cards to, or else the first name of the first hand."""
    numbers: Collection[int] = ()
    """Numbers of hands to return in full."""
    sessions: bool = True
    """Whether to judge all hands and report on them; False judges the hands in :attr:`numbers` alone."""
    first: int | None = None
    """Largest number of hands to judge of each pair of players."""
    num_costly: int = 5
    """Number of costly streets to keep per session of a limit game."""
    roll_out: bool = False
    """Whether to judge by roll-out equity, too."""
    preflop_boards: int = 0
    """Random boards of the roll-out before the flop; 0: all-in equity takes its place."""
    seed: int = 0
    """Seed of the random boards."""
    settings: DivatSettings = PUBLISHED
    """Policies of the baseline."""
    judges: Sequence[str] = ()
    """Names of further judges, of other packages (:data:`hedgehog.analysis.judging.judges.JUDGES`)."""
    engine: Callable[[], AbstractContextManager[Engine]] | None = None
    """Opens what computes AIVAT values (:func:`hedgehog.runtime.engines.opening.open_engine`); None: this process."""


ALL_HANDS: Final = JudgeOptions()
"""All hands, judged by the published policies."""


class Sessions:
    """Judges hands and sorts them by pairs of players.

    :param judge: judges the hands.
    :param options: which hands are judged. With a player, it is A in all sessions, and hands without it are not
        judged; without, A is the first of ``heroes`` in the pair, or else the player who comes first in the first hand.
    :param heroes: players who are A in their sessions, for example those to whom a file deals cards.
    :param score: computes AIVAT values; None for none.
    :param on_batch: called with every batch and its judgement.
    :raises InputError: if there is no such further judge, or it cannot be used.
    """

    def __init__(
        self,
        judge: Judge,
        options: JudgeOptions = ALL_HANDS,
        *,
        heroes: Sequence[str] = (),
        score: Adjust | None = None,
        on_batch: Callable[[SessionBatch, JudgedHands], None] = lambda batch, judged: None,
    ) -> None:
        self._judge = judge
        self._judges = options.judges
        for name in options.judges:
            JUDGES.find(name)
        self._options = options
        self._player = options.player
        self._heroes = heroes
        self._only = None if options.sessions else set(options.numbers)
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
        names, _ = told_results(hand)
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
            roll_out = self._options.roll_out and limit
            self._batches[pair] = SessionBatch(Session(player, opponent, limit, roll_out, self._options.num_costly))
        batch = self._batches[pair]
        if batch.seen == self._options.first:
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
        extra = {AIVAT: np.array(batch.aivat)} if batch.aivat else {}
        extra |= further_values(self._judges, batch.hands, judged, roll_out=batch.session.roll_out)
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


class AivatScout(Sessions):
    """Asks for the AIVAT values of the same hands in the same order as :class:`Sessions`, and judges nothing."""

    def __init__(self, options: JudgeOptions, heroes: Sequence[str], score: Adjust) -> None:
        super().__init__(Judge(), options, heroes=heroes, score=score)

    def _flush(self, batch: SessionBatch) -> None:
        batch.hands, batch.sources, batch.aivat = [], [], []
