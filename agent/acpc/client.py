"""The ACPC client: connects a :class:`~hedgehog.agent.player.Player` to a dealer over TCP and plays one match.

The client is a thin asyncio shell around :mod:`hedgehog.agent.acpc.protocol`. A match ends when the dealer closes the
connection; the client never reconnects.
"""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from hedgehog.agent.acpc.connection import DealerConnection
from hedgehog.agent.acpc.protocol import HANDSHAKE, ClientProtocol, StateEvent, format_answer
from hedgehog.agent.play_record import PlayRecord, is_legal, left_error, starting
from hedgehog.agent.player import Player, observes
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import CALL, Action
from hedgehog.runtime.machine import settle_garbage

logger = logging.getLogger(__name__)

T = TypeVar("T")

# A player stuck in its last decision must not keep the report from being written.
_REPORT_TIMEOUT_S = 5.0


class Client:
    """Plays one match with one player.

    :param seed: seed of the player's random numbers.
    :param hard_limit_ms: milliseconds after which the client gives up waiting for a decision and calls. The player then
        runs in a thread of its own. The limit works only while the player lets other threads run, which numba code
        compiled without ``nogil`` does not. None: no limit, and the player runs in the caller's thread.
    :param linger_s: seconds for which reading may block the process;
        :class:`hedgehog.runtime.socket_stream.SocketStream` explains it.
    :param patience_s: seconds to wait for a dealer that cannot be reached yet, once the player is ready.
    """

    def __init__(
        self,
        player: Player,
        gamedef: GameDef,
        *,
        seed: int = 0,
        hard_limit_ms: int | None = None,
        linger_s: float = 0.0,
        patience_s: float = 0.0,
    ) -> None:
        self.player = player
        self.record = PlayRecord()
        self.prepare: Callable[[], None] = lambda: None
        """Called when the player has been told of the match, before it connects."""
        self._seed = seed
        self._gamedef = gamedef
        self._protocol = ClientProtocol(gamedef)
        self._linger_s = linger_s
        self._patience_s = patience_s
        self._observes = observes(player)
        self._limit_s = math.inf if hard_limit_ms is None else hard_limit_ms / 1000
        self._thread = None if hard_limit_ms is None else _PlayerThread()

    async def play(self, host: str, port: int) -> None:
        """Prepares the player, connects, and plays until the dealer closes the connection.

        :raises MatchError: if the dealer cannot be reached, breaks the protocol, or leaves in the middle of a hand; or
            if the player answers with something that is not an action, ends the program, or fails before the match.
        :raises InputError: if the player cannot be loaded or cannot play this game.
        """
        with starting():
            await self._run(self.player.warm_up)
            await self._run(lambda: self.player.new_match(self._gamedef, self._seed))
            await self._run(self.prepare)
        settle_garbage()
        dealer = await DealerConnection.open(host, port, self._linger_s, self._patience_s)
        logger.info("connected to %s port %d as %s", host, port, self.player.name)
        try:
            await dealer.write(HANDSHAKE)
            verbose = logger.isEnabledFor(logging.DEBUG)
            while data := await dealer.read():
                for event in self._protocol.receive(data):
                    if verbose:
                        logger.debug("<< %s", event.line)
                    if event.our_turn:
                        answer = format_answer(event, await self._decide(event))
                        if verbose:
                            logger.debug(">> %s", answer)
                        await dealer.write(answer)
                    else:
                        self.record.hands += event.matchstate.state.finished
                        if self._observes:
                            self._show(event)
            self._protocol.end_of_stream()
        finally:
            dealer.close()

    async def _run(self, call: Callable[[], T]) -> T:
        """Returns the result of a method of the player, without a time limit."""
        return call() if self._thread is None else await asyncio.wrap_future(self._thread.submit(call))

    def report(self) -> dict[str, object]:
        """Returns the client's counts and, under the key ``player``, the player's statistics, as values for JSON."""
        thread, ask = self._thread, self.player.report
        if thread is None:
            return self.record.report(self.player.name, ask)
        return self.record.report(self.player.name, lambda: thread.submit(ask).result(_REPORT_TIMEOUT_S))

    def _show(self, event: StateEvent) -> None:
        """Shows the player a state in which it is not its turn."""
        if self._thread is None:
            try:
                self.player.observe(event.matchstate)
            except SystemExit as error:
                raise left_error(error) from error
            except Exception as error:
                self._count_error("observe", event, error)
        else:
            # Not awaited: a player that is stuck in an earlier decision must not stop the client.
            noted = self._thread.submit(lambda: self.player.observe(event.matchstate))
            noted.add_done_callback(lambda future: self._check_observed(future, event))

    def _check_observed(self, future: Future[None], event: StateEvent) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            self._count_error("observe", event, error)

    async def _decide(self, event: StateEvent) -> Action:
        """Returns the player's action, or a call if the player fails, is too late, or gives an illegal action."""
        matchstate = event.matchstate
        start = time.monotonic()
        action = CALL
        try:
            if self._thread is None:
                action = self.player.act(matchstate, math.inf)
            else:
                decision = self._thread.submit(lambda: self.player.act(matchstate, start + self._limit_s))
                action = await asyncio.wait_for(asyncio.wrap_future(decision), self._limit_s)
        except TimeoutError:
            self.record.late_actions += 1
            logger.error("no action after %.1f s at %r, calling", self._limit_s, event.line)
        except SystemExit as error:
            raise left_error(error) from error
        except Exception as error:
            self._count_error("act", event, error)
        else:
            if not is_legal(action, matchstate.state, self.player.name):
                self.record.count_illegal(action)
                logger.error("illegal action %r at %r, calling", str(action), event.line)
                action = CALL
        self.record.decisions += 1
        self.record.times.add(matchstate.state.round, (time.monotonic() - start) * 1000)
        return action

    def _count_error(self, method: str, event: StateEvent, error: BaseException) -> None:
        self.record.count_error(method, error)
        logger.error("%s() of player %s failed at %r", method, self.player.name, event.line, exc_info=error)


class _PlayerThread:
    """Runs a player's methods one after the other in one thread, so that waiting for them can be given up.

    A daemon thread, because a player that never returns must not keep the process alive after the match.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[object], Callable[[], object]]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="player", daemon=True).start()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._jobs.put((future, call))  # type: ignore[arg-type]  # the queue holds calls of every type
        return future

    def _work(self) -> None:
        while True:
            future, call = self._jobs.get()
            if future.set_running_or_notify_cancel():
                _run(future, call)


def _run(future: Future[T], call: Callable[[], T]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
