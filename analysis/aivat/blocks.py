"""Scores many hands by AIVAT in blocks, on any engine.

A block holds its hands and what the records say about them, so a worker needs no file of a log or record. Only the
packs of a player that is asked for its strategy must lie on the worker's machine.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from hedgehog.agent.decision_record import DecisionRecord
from hedgehog.agent.spec_files import spec_digest
from hedgehog.agent.specs import PlayerSpec
from hedgehog.analysis.aivat.match import hand_scorer, strategies_of
from hedgehog.analysis.aivat.recorded import RecordedStrategy
from hedgehog.analysis.aivat.replay import Strategy
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.errors import InputError

BLOCK_HANDS: Final = 25
"""Hands in a block that begins at a multiple of this number: a third of a second of work."""


@dataclass(frozen=True, slots=True)
class HandToScore:
    """A hand, and the records of the match that it belongs to."""

    hand: LoggedHand
    records: Mapping[str, tuple[DecisionRecord, ...]]
    """Records of the decisions of players by name; the same object for all hands of a match."""


class ScoredHand(NamedTuple):
    """The AIVAT value of a hand."""

    chips: float
    """The value of position 0 in chips."""
    missing: dict[str, int]
    """Number of decisions that the record of a player lacks, by its name; those who lack none are left out."""
    others: tuple[float, ...] = ()
    """The values of the further positions in games for more than two players; empty for two."""

    @property
    def values(self) -> tuple[float, ...]:
        """The values of all positions in chips."""
        return (self.chips, *self.others) if self.others else (self.chips, -self.chips)


class HandFaultError(InputError):
    """A hand cannot be scored, because a player did not play the strategy given for it."""

    def __init__(self, error: InputError, number: int) -> None:
        """:param number: number of the hand, from 0."""
        super().__init__(error.message, source=error.source, line=error.line)
        self.number = number


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is the same for all hands of a measurement."""

    asked: Mapping[str, PlayerSpec]
    """Players that are asked for their strategies, by name."""
    gamedef: GameDef


@dataclass(slots=True)
class _Scored:
    """The result of a block."""

    first: int
    hands: list[ScoredHand] = field(default_factory=list)
    fault: tuple[str, str | None] | None = None
    """What is wrong with the hand after the last of ``hands``, and the file to blame if it is not the log."""


def score_hands(
    scoring: Scoring,
    hands: Sequence[HandToScore],
    wanted: Sequence[int],
    engine: Engine | None = None,
    *,
    note: Callable[[str], None] = lambda _: None,
    status: Path | None = None,
) -> Iterator[tuple[int, list[ScoredHand]]]:
    """Scores hands, and yields the number of the first hand of a block and its values, block by block in any order.

    No value depends on the engine or on the number of its workers.

    :param hands: all hands of the measurement.
    :param wanted: numbers of the hands to score, ascending.
    :param engine: scores the blocks and stays open; None for this process.
    :param note: called with what a user wants to know of the workers.
    :param status: file of the status for other shells; None for none.
    :raises HandFaultError: if a player did not play its strategy.
    :raises InputError: if a record is damaged, or a player cannot be asked.
    :raises PackError: if the packs of a player are missing or damaged.
    :raises ResourceError: if workers keep dying or cannot be reached.
    """
    pieces = tuple(
        Piece((first, _packed(hands[first:end])), f"hands {first} to {end - 1}", cost=float(end - first))
        for first, end in blocks_of(wanted)
    )
    work = Pieces(pieces, _open_scoring, _players_digest, (scoring,), "block")
    for done in do_pieces(work, engine, note, status=status):
        yield done.first, done.hands
        if done.fault is not None:
            message, source = done.fault
            raise HandFaultError(InputError(message, source=source), done.first + len(done.hands))


def blocks_of(wanted: Sequence[int]) -> list[tuple[int, int]]:
    """Returns runs of numbers, which neither leave out a number nor contain a multiple of the size of a block.

    :param wanted: the numbers, ascending.
    :returns: the first number of every run, and the number after its last.
    """
    blocks: list[tuple[int, int]] = []
    for number in wanted:
        if blocks and number == blocks[-1][1] and number % BLOCK_HANDS:
            blocks[-1] = blocks[-1][0], number + 1
        else:
            blocks.append((number, number + 1))
    return blocks


def _packed(hands: Sequence[HandToScore]) -> bytes:
    """Returns hands and their parts of the records, pickled: as bytes they can be hashed."""
    records: dict[tuple[int, str], list[tuple[Path, bytes]]] = {}
    ids: dict[int, list[int]] = {}
    for one in hands:
        ids.setdefault(id(one.records), []).append(one.hand.hand_id)
    for one in hands:
        match = id(one.records)
        for name, found in one.records.items():
            if (match, name) not in records:
                records[match, name] = [(record.path, record.part(ids[match])) for record in found]
    order = {match: number for number, match in enumerate(ids)}
    return pickle.dumps(
        (
            [(order[id(one.records)], one.hand) for one in hands],
            {(order[match], name): found for (match, name), found in records.items()},
        )
    )


def _open_scoring(scoring: Scoring) -> Callable[[tuple[int, bytes]], _Scored]:
    asked = strategies_of(scoring.asked, scoring.gamedef)
    aivat = hand_scorer(scoring.gamedef)

    def score(block: tuple[int, bytes]) -> _Scored:
        first, data = block
        hands, records = pickle.loads(data)
        recorded: dict[int, dict[str, RecordedStrategy]] = {}
        for (match, name), files in records.items():
            opened = [DecisionRecord(path, content) for path, content in files]
            recorded.setdefault(match, {})[name] = RecordedStrategy(opened, scoring.gamedef)
        done = _Scored(first)
        for match, hand in hands:
            told = recorded.get(match, {})
            before = {name: one.missing_decisions for name, one in told.items()}
            strategies: dict[str, Strategy] = {**asked, **told}
            try:
                values = aivat.score(hand, [strategies.get(name) for name in hand.names.split("|")])
            except InputError as error:
                done.fault = error.message, error.source
                break
            missing = {name: told[name].missing_decisions - count for name, count in before.items()}
            chips, *others = map(float, values if isinstance(values, tuple) else (values,))
            lacked = {name: count for name, count in missing.items() if count}
            done.hands.append(ScoredHand(chips, lacked, tuple(others)))
        return done

    return score


def _players_digest(scoring: Scoring) -> str:
    digest = hashlib.sha256()
    for name, found in players_digests(scoring).items():
        digest.update(f"{name}\0{found}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def players_digests(scoring: Scoring) -> dict[str, str]:
    """Returns a digest of the specification and the packs of every player that is asked, by its name."""
    return {name: spec_digest(spec.for_game(scoring.gamedef)) for name, spec in sorted(scoring.asked.items())}
