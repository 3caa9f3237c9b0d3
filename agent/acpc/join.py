"""A player takes a seat at a dealer that listens on a port."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgehog.agent.acpc.catch_up import catch_up
from hedgehog.agent.acpc.client import Client
from hedgehog.agent.player import Player
from hedgehog.agent.specs import PlayerSpec, make_player
from hedgehog.agent.time_manager import HandTime
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, find_gamedef, load_gamedef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.socket_stream import LINGER_S

if TYPE_CHECKING:
    from hedgehog.agent.recorded_player import RecordedPlayer


@dataclass(slots=True)
class DealerGuest:
    """A player that is about to take a seat at a dealer."""

    player: Player
    client: Client
    game: str
    seed: int
    recorded: RecordedPlayer | None

    def play(self, host: str, port: int) -> None:
        """Plays until the dealer closes the connection. :meth:`close` is to be called however it ends.

        :raises MatchError: if the match breaks off.
        """
        asyncio.run(self.client.play(host, port))

    def close(self) -> None:
        """Ends the record of the decisions.

        :raises ResourceError: if it cannot be written.
        """
        if self.recorded is not None:
            self.recorded.close()

    def report(self) -> dict[str, Any]:
        """Returns the statistics of the match as the values of a JSON document."""
        head = json_document("play", game=find_gamedef(self.game).stem, seed=self.seed, players=[self.player.name])
        return head | self.client.report()


def ready_guest(
    spec: PlayerSpec,
    *,
    game: str = DEFAULT_GAME,
    seed: int = 0,
    think_ms: int = 0,
    threads: int | None = None,
    hand_time: HandTime | None = None,
    hard_limit_ms: int | None = None,
    patience_s: float = 0,
    record: Path | None = None,
    after_log: tuple[Sequence[str], str] | None = None,
) -> DealerGuest:
    """Makes a player that can take a seat at a dealer. It is loaded and compiled when it plays.

    :param game: a game definition file or the name of a shipped game.
    :param seed: seed of the player's randomness.
    :param think_ms: milliseconds that Hedgehog's own player may think per decision; 0: it plays from its packs alone.
    :param threads: number of threads of Hedgehog's own player; None for its default.
    :param hand_time: limits of the thinking time of Hedgehog's own player in its hands; None: no such limits.
    :param hard_limit_ms: give a decision up after this time and call; None: no limit.
    :param patience_s: seconds to wait for a dealer that does not listen yet.
    :param record: file for what the player samples from at its decisions; None: nothing is recorded.
    :param after_log: the lines of a match log and the player's name in it: the match is joined late, after the hands of
        the log, and ``record`` goes on if it exists. None: the match is joined at its beginning.
    :raises InputError: if the player cannot be made or cannot be recorded.
    :raises ResourceError: if the record cannot be written.
    """
    gamedef = load_gamedef(game)
    player = make_player(spec, gamedef, seed=seed, think_ms=think_ms, threads=threads, hand_time=hand_time)
    recorded = None
    if record is not None:
        from hedgehog.agent.decision_record import RecordHeader, RecordWriter  # numpy, which bots do not need
        from hedgehog.agent.recorded_player import RecordedPlayer, verify_recordable

        verify_recordable(player)
        header = RecordHeader.of(gamedef, spec.text, seed, spec.thinking(think_ms))
        goes_on = after_log is not None and record.is_file()
        recorded = RecordedPlayer(player, RecordWriter(record, header, go_on=goes_on))
    at_table = recorded or player
    client = Client(at_table, gamedef, seed=seed, hard_limit_ms=hard_limit_ms, linger_s=LINGER_S, patience_s=patience_s)
    if after_log is not None:
        played, name = after_log
        client.prepare = lambda: catch_up(at_table, played, name, gamedef)
    return DealerGuest(player, client, game, seed, recorded)
