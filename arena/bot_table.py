"""Plays a whole match between the benchmark bots of :mod:`hedgehog.agent.bots` in compiled code.

Cards, actions and log are equal to those of a match over TCP. The match needs no Python call per hand, no sockets and
no parsing. It releases Python's global lock, so matches in several threads use several cores.

It is for matches of millions of hands, which show that a dealer, a log and a report are right and how fast they are. On
one core of a cloud machine it plays 1.2 to 1.4 million hands per second, logs included, and
:mod:`hedgehog.arena.in_process` 12,000 between the same bots: 97 to 120 times as fast (``hedgehog bench dealer``
measures both). It is also a second implementation of the rules, and tests compare the logs of both byte for byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.arena import _table_kernels as kernels
from hedgehog.dealer.cards import skip_hands
from hedgehog.dealer.journal import LineWriter, encode
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import format_score_line
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.state import MAX_ACTIONS_PER_ROUND
from hedgehog.runtime.errors import MatchError

BOT_KINDS: Final = {
    "fold": kernels.FOLD_BOT,
    "call": kernels.CALL_BOT,
    "raise": kernels.RAISE_BOT,
    "allin": kernels.ALL_IN_BOT,
    "random": kernels.RANDOM_BOT,
}
"""The bots that can play in compiled code: name in a player specification -> number in the kernels."""

HANDS_PER_CALL: Final = 50_000
"""Number of hands between two reports of progress."""
_TEXT_BYTES: Final = 1 << 20
_ACTION_BYTES: Final = 1 + len("2147483647")
_VALUE_BYTES: Final = 1 + len("-21474836470.123456")
_RNG_WORDS: Final = 625


@dataclass(frozen=True, slots=True)
class BotMatch:
    """The result of a match between benchmark bots."""

    totals: tuple[float, ...]
    """Chips that each seat has won or lost."""
    score_line: str
    """The ``SCORE:`` line, without line end."""
    decisions: NDArray[np.int64]
    """(N, R) number of decisions per seat and betting round."""


def play_bots(
    gamedef: GameDef,
    bots: Sequence[str],
    *,
    num_hands: int,
    seed: int,
    bot_seeds: Sequence[int],
    names: Sequence[str] | None = None,
    log: LineWriter | None = None,
    fixed_seats: bool = False,
    on_progress: Callable[[int, Sequence[float]], None] | None = None,
    logged: Sequence[str] = (),
    first_hand: int = 0,
) -> BotMatch:
    """Plays a match between benchmark bots and returns its result.

    :param gamedef: the game.
    :param bots: one name of :data:`BOT_KINDS` per seat.
    :param num_hands: number of hands in the match.
    :param seed: seed of the cards, 0 .. 2**32 - 1.
    :param bot_seeds: seed of the bot in every seat; only a random bot uses it.
    :param names: names in the log, one per seat; by default the names of the bots.
    :param log: file for the ``STATE:`` lines and the ``SCORE:`` line. The caller writes the header.
    :param fixed_seats: every seat keeps its position instead of moving on by one from hand to hand.
    :param on_progress: called every :data:`HANDS_PER_CALL` hands or more often, with the number of hands played and the
        chips won so far per seat.
    :param logged: ``STATE:`` lines of the first hands if they are in the log already. These hands are played again and
        compared, which is quick, and not written.
    :param first_hand: number of the first hand. Cards and positions are those of a match that began at hand 0.
    :raises MatchError: if nobody has put in a chip before a showdown (the log then ends before this hand), or if the
        logged hands are not the first hands of this match.
    """
    players = gamedef.num_players
    names = bots if names is None else names
    assert len(bots) == len(bot_seeds) == len(names) == players
    totals = np.zeros(players)
    decisions = np.zeros((players, gamedef.num_rounds), dtype=np.int64)
    log_names = _log_names(names, rotates=not fixed_seats)
    line_bytes = _longest_line(gamedef, log_names)
    text = np.empty(0 if log is None else max(_TEXT_BYTES, line_bytes), dtype=np.uint8)
    rngs = np.zeros((players + 1, _RNG_WORDS), dtype=np.uint32)
    for seat, bot in enumerate(bots):
        if bot == "random":
            rngs[seat] = random.Random(bot_seeds[seat]).getstate()[1]
    generator = np.random.RandomState(seed)
    skip_hands(generator, first_hand, players * gamedef.num_hole_cards + gamedef.total_board_cards)
    _, key, index, *_ = generator.get_state(legacy=True)
    rngs[-1, :-1] = key
    rngs[-1, -1] = index
    game = _table_game(gamedef)
    kinds = np.array([BOT_KINDS[bot] for bot in bots], dtype=np.int8)
    tables = evaluator_tables()
    next_hand, last = first_hand, first_hand + num_hands
    before = memoryview(b"".join(encode(line + "\n") for line in logged))
    while next_hand < last:
        writes = next_hand >= first_hand + len(logged)
        end = last if writes else first_hand + len(logged)
        next_hand, written = kernels.play_hands(
            totals,
            decisions,
            text,
            game,
            kinds,
            log_names,
            tables,
            next_hand,
            min(end, next_hand + HANDS_PER_CALL),
            line_bytes,
            not fixed_seats,
            rngs,
        )
        if log is not None and writes:
            log.write(text[:written].data)
        elif log is not None:
            if text[:written].data != before[:written]:
                raise MatchError("the hands in the match log are not those of this match")
            before = before[written:]
        if next_hand < 0:
            raise MatchError("nobody has put in a chip before the showdown: the game has no pot to play for")
        if on_progress is not None:
            on_progress(next_hand - first_hand, totals.tolist())
    score_line = format_score_line(totals.tolist(), names)
    if log is not None:
        log.write(encode(score_line + "\n"))
    return BotMatch(tuple(totals.tolist()), score_line, decisions)


def _table_game(gamedef: GameDef) -> kernels.TableGame:
    def numbers(values: Sequence[int]) -> NDArray[np.int64]:
        return np.array(values, dtype=np.int64)

    return kernels.TableGame(
        stacks=numbers(gamedef.stacks),
        blinds=numbers(gamedef.blinds),
        raise_sizes=numbers(gamedef.raise_sizes or [0] * gamedef.num_rounds),
        first_positions=numbers(gamedef.first_positions),
        max_raises=numbers(gamedef.max_raises),
        board_ends=numbers([gamedef.board_cards_by(index) for index in range(gamedef.num_rounds)]),
        deck=np.array(gamedef.deck(), dtype=np.uint8),
        num_hole_cards=gamedef.num_hole_cards,
        no_limit=gamedef.no_limit,
    )


def _log_names(names: Sequence[str], *, rotates: bool) -> kernels.LogNames:
    """Returns the names in position order, for every rotation of the seats or, without rotation, for one."""
    count = len(names)
    rotations = [
        encode("|".join(names[(position + rotation) % count] for position in range(count)))
        for rotation in range(count if rotates else 1)
    ]
    starts = np.cumsum([0, *map(len, rotations)])
    return kernels.LogNames(np.frombuffer(b"".join(rotations), dtype=np.uint8), starts.astype(np.int64))


def _longest_line(gamedef: GameDef, names: kernels.LogNames) -> int:
    """Returns an upper bound for the bytes of a log line."""
    players = gamedef.num_players
    betting = gamedef.num_rounds * (1 + (MAX_ACTIONS_PER_ROUND + players) * _ACTION_BYTES)
    cards = players * (1 + 2 * gamedef.num_hole_cards) + gamedef.num_rounds + 2 * gamedef.total_board_cards
    fixed = len("STATE:4294967295:::::\n")
    return fixed + betting + cards + players * _VALUE_BYTES + int(names.starts[-1])
