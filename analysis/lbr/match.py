"""Plays many hands of local best response against one player, on any engine, and estimates what it wins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.spec_files import spec_digest
from hedgehog.agent.specs import make_player, parse_player_spec, start_player
from hedgehog.analysis.lbr.lookahead import LookaheadResponse, verify_lookahead
from hedgehog.analysis.lbr.opponents import ReportingOpponent
from hedgehog.analysis.lbr.packs import PackOpponent
from hedgehog.analysis.lbr.response import HandResult, LocalBestResponse, verify_lbr_game
from hedgehog.analysis.lbr.settings import LbrSetting
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.evaluation.equity import class_equities
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.translation import SizeMapping

_PAIRS_PER_TASK: Final = 25

Base = Literal["call", "self"]
"""How local best response expects a hand to go on after one decision: everybody checks and calls, or both play by the
strategy of the player under test."""

DEFAULT_SETTINGS: Final[dict[Base, str]] = {"call": "fcpa", "self": "fcpa:2-4"}
"""The setting that is measured if none is named."""


class Responder(Protocol):
    """Plays pairs of hands against one player."""

    def play_pair(self, pair: int, seed: int) -> tuple[HandResult, HandResult]:
        """Plays the same cards once in either position and returns both results.

        :param pair: number of the pair, which with the seed decides the cards.
        """
        ...


@dataclass(frozen=True, slots=True)
class LbrJob:
    """Describes a measurement with local best response."""

    spec: str
    """Specification of the player under test."""
    gamedef: GameDef
    setting: LbrSetting
    seed: int
    think_ms: int = 0
    threads: int | None = None
    base: Base = "call"


class LbrEstimate(NamedTuple):
    """What local best response won, in mbb per hand. An observation of the intervals is a pair of hands."""

    chips: Estimate
    """From the chips that were really won."""
    integrated: Estimate
    """From the chips won on average over the hands that the player could have held."""
    adjusted: Estimate
    """From the same averages, with the luck of cards and of the player's choices removed. It has the least variance."""


class LbrBlock(NamedTuple):
    """The results of consecutive pairs of hands."""

    first: int
    """Number of the first pair of the block."""
    pairs: NDArray[np.float64]
    """(P, 2, 3) chips by pair, position of local best response, and kind (won, integrated, adjusted)."""
    cpu_seconds: float | None = None
    """Processor time for playing the pairs in seconds, without warm-up; None if it is not known any more."""


def estimate_winnings(blocks: Iterable[LbrBlock], big_blind: int) -> LbrEstimate:
    """Returns what local best response won, estimated from at least one pair of hands.

    :param blocks: results of pairs. The same order gives the same result to the last bit.
    :param big_blind: the big blind in chips.
    """
    mbb = np.concatenate([block.pairs for block in blocks]).mean(axis=1) * (1000 / big_blind)
    return LbrEstimate(*map(mean_estimate, mbb.T))


def make_lbr(job: LbrJob, equities: NDArray[np.float64] | None = None) -> Responder:
    """Returns local best response against the player of a job. The player is created for this.

    :param equities: (169, 169) result of :func:`hedgehog.poker.evaluation.equity.class_equities`; computed if left out.
    :raises InputError: if the player does not report its strategy, or cannot play the game, or the setting is for
        another one.
    """
    verify_job(job)
    player = open_player(job.spec, job.gamedef, job.seed, job.think_ms, job.threads)
    if job.base == "self":
        return LookaheadResponse(job.gamedef, job.setting, make_opponent(player))
    if equities is None:
        equities = class_equities()
    return LocalBestResponse(job.gamedef, job.setting, make_opponent(player), equities)


def verify_job(job: LbrJob) -> None:
    """Verifies that a measurement can be made, before the player is opened.

    :raises InputError: if the game or the setting does not fit.
    """
    if job.base == "self":
        verify_lookahead(job.gamedef, job.setting)
    else:
        verify_lbr_game(job.gamedef)
        job.setting.verify_game(job.gamedef)


def open_player(
    spec: str, gamedef: GameDef, seed: int, think_ms: int = 0, threads: int | None = None
) -> ReportsStrategy:
    """Returns a player that reports its strategy, warmed up and at the start of a match.

    :raises InputError: if the player does not report its strategy, or cannot play the game.
    """
    parsed = parse_player_spec(spec)
    if parsed.external:
        raise InputError(f"{spec!r} is a program of its own, which does not report its strategy for all hands")
    player = make_player(parsed, gamedef, seed=seed, think_ms=think_ms, threads=threads)
    if not isinstance(player, ReportsStrategy):
        raise InputError(
            f"{spec!r} does not report its strategy for all hands, which the measurement needs: expected "
            "a player with strategy packs or a bot with a strategy"
        )
    start_player(player, gamedef, seed)
    return player


def make_opponent(player: ReportsStrategy) -> ReportingOpponent:
    """Returns the fastest available opponent for measuring a player that has been warmed up."""
    if (
        isinstance(player, PackPlayer)
        and player.packs_alone is not None
        and isinstance(player.packs_alone.blueprint.lines.mapping, SizeMapping)  # kernels know our mappings only
    ):
        return PackOpponent(player, player.packs_alone)
    return ReportingOpponent(player)


def play_pairs(lbr: Responder, seed: int, first: int, last: int) -> LbrBlock:
    """Plays the pairs of hands ``first`` to ``last - 1`` and returns their results."""
    start = time.process_time()
    results = np.empty((last - first, 2, 3))
    for pair in range(first, last):
        for position, hand in enumerate(lbr.play_pair(pair, seed)):
            results[pair - first, position] = hand.chips, hand.integrated, hand.adjusted
    return LbrBlock(first, results, time.process_time() - start)


def play_lbr(
    job: LbrJob,
    pairs: Sequence[int],
    engine: Engine | None = None,
    note: Callable[[str], None] = lambda _: None,
    status: Path | None = None,
) -> Iterator[LbrBlock]:
    """Plays pairs of hands and yields their results in blocks, in any order.

    No result depends on the engine or on the number of its workers, unless the player thinks for a time.

    :param job: the measurement.
    :param pairs: numbers of the pairs, ascending.
    :param engine: plays the blocks and stays open; None for this process.
    :param note: called with what a user wants to know of the workers.
    :param status: file of the status for other shells; None for none.
    :raises InputError: if the player does not report its strategy, or cannot play the game.
    :raises MatchError: if a class of the user fails.
    :raises ResourceError: if workers keep dying or cannot be reached.
    """
    size = 1 if job.think_ms else _PAIRS_PER_TASK
    blocks: list[tuple[int, int]] = []
    for pair in pairs:
        if blocks and pair == blocks[-1][1] and pair - blocks[-1][0] < size and pair % size:
            blocks[-1] = blocks[-1][0], pair + 1
        else:
            blocks.append((pair, pair + 1))
    pieces = tuple(
        Piece((first, end), f"pairs {first} to {end - 1}", job.setting.name, float(end - first))
        for first, end in blocks
    )
    equities = class_equities() if pieces and job.base == "call" else None
    work = Pieces(pieces, _open_pairs, _player_digest, (job, equities), "block")
    yield from do_pieces(work, engine, note, status=status)


def _open_pairs(job: LbrJob, equities: NDArray[np.float64] | None) -> Callable[[tuple[int, int]], LbrBlock]:
    lbr = make_lbr(job, equities)
    return lambda pairs: play_pairs(lbr, job.seed, *pairs)


def _player_digest(job: LbrJob, _: object) -> str:
    return spec_digest(parse_player_spec(job.spec).for_game(job.gamedef))
