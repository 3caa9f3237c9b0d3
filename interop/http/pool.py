"""A pool of processes, each with a player of the same kind, that play many hands at the same time.

A hand stays with the process that played its first decision: the player may have solved its streets, or remember it.
Decisions of one process wait in a queue. The thinking time of a decision begins when the process takes it up.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from hedgehog.interop.http.player_hands import FinishedHand, Setting
from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.machine import num_processors
from hedgehog.runtime.serving.worker import Worker

MOST_BY_DEFAULT: Final = 4
_MODULE: Final = "hedgehog.interop.http.player_hands"


def default_workers() -> int:
    """Returns the number of processes of a pool if nobody says: as many as processors, at most four."""
    return min(MOST_BY_DEFAULT, num_processors())


class _Lane:
    """One process, and the thread that asks it."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._worker = Worker(_MODULE)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="player")
        self._started = False
        self._count_lock = threading.Lock()
        self.hands = 0
        """Hands that are played here."""
        self.waiting = 0
        """Decisions that are asked for and not answered."""

    def start(self) -> Future[bool]:
        return self._thread.submit(self._start)

    def _start(self) -> bool:
        reports = bool(self._worker.call("start", self._setting))
        self._started = True
        return reports

    def ask(self, function: str, *args: object) -> Future[Any]:
        self._count(1)
        try:
            future = self._thread.submit(self._call, function, args)
        except RuntimeError:  # the pool is closed
            self._count(-1)
            raise ResourceError("the player has ended") from None
        future.add_done_callback(lambda done: self._count(-1))
        return future

    def _count(self, by: int) -> None:
        with self._count_lock:
            self.waiting += by

    def _call(self, function: str, args: tuple[object, ...]) -> Any:
        try:
            if not self._started:
                self._start()
            return self._worker.call(function, *args)
        except ResourceError:  # the process was killed: a new one knows the hand from the line that it is asked about
            self._started = False
            self._start()
            return self._worker.call(function, *args)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._worker.close()


class PlayerPool:
    """Processes that play, a context manager that ends them."""

    def __init__(self, setting: Setting, workers: int) -> None:
        """Makes a pool; :meth:`start` starts its processes.

        :param workers: number of processes.
        """
        self.setting = setting
        self.reports = False
        """Whether the player tells its strategy; known after :meth:`start`."""
        self._lanes = [_Lane(setting) for _ in range(workers)]
        self._lane_of: dict[int, _Lane] = {}

    def __enter__(self) -> PlayerPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> None:
        """Loads the player in every process, and waits for all of them.

        :raises HedgehogError: if the player cannot be loaded, or not play the game.
        """
        waiting = [lane.start() for lane in self._lanes]
        self.reports, *_ = [future.result() for future in waiting]

    def act(self, number: int, line: str) -> Future[str]:
        """Returns the action of the player as ACPC text, in time.

        :param number: number of the deal, as in the line.
        :param line: MATCHSTATE line in which the player is to act.
        """
        return self._lane(number).ask("act", line)

    def finish(self, number: int, line: str, log_line: str) -> Future[FinishedHand]:
        """Ends a hand (:meth:`hedgehog.interop.http.player_hands.PlayerHands.finish`)."""
        lane = self._lane(number)
        self._leave(number)
        return lane.ask("finish", line, log_line)

    def forget(self, number: int) -> None:
        """Ends a hand that will have no result."""
        if number in self._lane_of:
            lane = self._lane_of[number]
            self._leave(number)
            lane.ask("forget", number)

    def expected_wait_s(self, number: int | None = None) -> float:
        """Returns the longest time in seconds until the process of a hand begins with the next decision.

        :param number: number of the deal; None for a new one.
        """
        lane = self._lane_of.get(number) if number is not None else None
        waiting = lane.waiting if lane is not None else min(lane.waiting for lane in self._lanes)
        return waiting * self.setting.think_ms / 1000

    def _lane(self, number: int) -> _Lane:
        if number not in self._lane_of:
            lane = min(self._lanes, key=lambda lane: (lane.hands, lane.waiting))
            lane.hands += 1
            self._lane_of[number] = lane
        return self._lane_of[number]

    def _leave(self, number: int) -> None:
        self._lane_of.pop(number).hands -= 1

    def close(self) -> None:
        """Ends the processes."""
        for lane in self._lanes:
            lane.close()
