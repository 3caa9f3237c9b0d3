"""Plays many pairs of freeze-outs, on any engine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from hedgehog.agent.play_record import PlayRecord, starting
from hedgehog.agent.spec_files import spec_digest
from hedgehog.agent.specs import PlayerSpec
from hedgehog.arena.freeze_out.game import PlayedHand, card_seed, play_pair
from hedgehog.arena.freeze_out.logs import FreezeOutFolder, GameLog, log_name
from hedgehog.arena.freeze_out.players import make_freeze_out_player
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.arena.freeze_out.tally import PairResult, Tally, expected_value
from hedgehog.arena.in_process import Seat
from hedgehog.dealer.journal import encode
from hedgehog.gametheory.tournaments.jam_tables import JamTables
from hedgehog.runtime.engines.local import Engine, SerialEngine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.engines.status import status_file

_PAIRS_PER_TASK: Final = 25


@dataclass(frozen=True, slots=True)
class FreezeOutTask:
    """Freeze-outs between two players; the pairs of games are numbered from 0."""

    specs: tuple[PlayerSpec, PlayerSpec]
    names: tuple[str, str]
    """Names of the players in the logs."""
    rules: FreezeOutRules
    seed: int
    think_ms: int = 0
    """Most milliseconds of thinking of our player per decision; 0 plays from the packs alone."""
    tables: JamTables | None = None
    """Strategies of the player ``jamfold``; None: it plays every hand for chips."""
    folder: FreezeOutFolder | None = None
    """Where the logs go; None: none are written."""

    def seats(self) -> list[Seat]:
        """Returns the players, loaded and compiled.

        :raises InputError: if a player cannot be made.
        :raises PackError: if a strategy pack is missing or damaged.
        """
        made = [make_freeze_out_player(spec, self.rules, self.tables, think_ms=self.think_ms) for spec in self.specs]
        for player in made:
            with starting():
                player.warm_up()
        return [Seat(player, PlayRecord()) for player in made]


@dataclass(slots=True)
class Faults:
    """Decisions of a player that failed."""

    count: int = 0
    """Errors and illegal actions; a call was played instead."""
    failures: dict[str, int] = field(default_factory=dict)
    """What went wrong -> how often (:attr:`hedgehog.agent.play_record.PlayRecord.failures`)."""

    def add(self, other: Faults) -> None:
        """Adds the faults of other games."""
        self.count += other.count
        for text, times in other.failures.items():
            self.failures[text] = self.failures.get(text, 0) + times


class Block(NamedTuple):
    """The results of some pairs."""

    pairs: list[PairResult]
    faults: tuple[Faults, Faults]
    """What went wrong inside each player."""


class _Played(NamedTuple):
    """What a worker returns."""

    block: Block
    logs: list[tuple[int, int, bytes]]
    """Pair, game and content of every log; empty if no logs are wanted."""


def play_freeze_outs(
    task: FreezeOutTask,
    pairs: Sequence[int],
    engine: Engine | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> Iterator[Block]:
    """Plays pairs of games and yields their results in blocks, in any order.

    No result depends on the engine or on the number of its workers. The logs of a block are written before it is
    yielded, and its status is in the folder of the logs.

    :param pairs: numbers of the pairs.
    :param engine: plays the blocks and stays open; None for this process.
    :param note: called with what a user wants to know of the workers.
    :raises InputError: if a player cannot play, or a strategy pack is missing or damaged.
    :raises MatchError: if a class of the user fails.
    :raises ResourceError: if a log cannot be written, or workers keep dying or cannot be reached.
    """
    quiet = not isinstance(engine, SerialEngine | None)  # every process would warn of the depth
    size = _PAIRS_PER_TASK if quiet and not task.think_ms else 1
    parts = [tuple(pairs[at : at + size]) for at in range(0, len(pairs), size)]
    pieces = tuple(Piece(part, f"pairs {part[0] + 1} to {part[-1] + 1}", cost=float(len(part))) for part in parts)
    folder = task.folder
    arguments = replace(task, folder=None), folder is not None, quiet
    work = Pieces(pieces, _open_pairs, _players_digest, arguments, "block")
    status = None if folder is None else status_file(folder.path)
    for played in do_pieces(work, engine, note, status=status):
        if folder is not None:
            for pair, game, content in played.logs:
                folder.write(pair, game, content)
        yield played.block


def _players_digest(task: FreezeOutTask, *_: object) -> str:
    return "\0".join(map(spec_digest, task.specs))


def _open_pairs(task: FreezeOutTask, wants_logs: bool, quiet: bool) -> Callable[[Sequence[int]], _Played]:
    if quiet:
        logging.getLogger("hedgehog.agent.pack_player").setLevel(logging.ERROR)
    seats = task.seats()
    return lambda pairs: _play_block(task, seats, pairs, wants_logs)


def _play_block(task: FreezeOutTask, seats: Sequence[Seat], pairs: Sequence[int], wants_logs: bool) -> _Played:
    """Plays pairs of games with players that are ready."""
    fresh = [Seat(seat.player, PlayRecord()) for seat in seats]
    logs: list[tuple[int, int, bytes]] = []
    results = [_play_pair(task, fresh, pair, logs if wants_logs else None) for pair in pairs]
    first, second = (
        Faults(seat.record.player_errors + seat.record.illegal_actions, seat.record.failures) for seat in fresh
    )
    return _Played(Block(results, (first, second)), logs)


def _play_pair(
    task: FreezeOutTask, seats: Sequence[Seat], pair: int, contents: list[tuple[int, int, bytes]] | None
) -> PairResult:
    """Plays a pair of games, and adds its logs to ``contents``."""
    tally = Tally(task.rules)
    logs = [GameLog(task.rules, task.names) for _ in range(2)]

    def on_hand(game: int, hand: PlayedHand) -> None:
        position = hand.order.index(0)
        won = hand.values[position]
        tally.add(hand.number, won, expected_value(hand.state, hand.deal.hole_cards, hand.deal.board, won, position))
        if contents is not None:
            logs[game].add(hand)

    games = play_pair(task.rules, seats, task.seed, pair, on_hand)
    if contents is not None:
        seed = card_seed(task.seed, pair)
        contents += [(pair, game, encode(log.text(log_name(pair, game), seed))) for game, log in enumerate(logs)]
    return PairResult(pair, games, tally.big_blinds, tally.adjusted)
