"""The status of a task that does not run on the engine, made of what the task tells its watch."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hedgehog.runtime.engines.status import RunStatus, verify_status_place, write_status
from hedgehog.runtime.errors import StoppedError
from hedgehog.runtime.watch import Watch

_WRITE_EVERY_S: Final = 2.0
_KEPT_NOTES: Final = 20


class WatchedStatus(Watch):
    """Passes on what it hears, and keeps it in a status file.

    Nothing is written before the task holds its folder or file and says so by :meth:`open`: until then another process
    may work there, whose status it is.
    """

    def __init__(
        self, watch: Watch, path: Path | None, *, engine: str = "this process", workers: int = 1, unit: str = ""
    ) -> None:
        """
        :param watch: hears everything, and decides when to stop.
        :param path: the status file (:func:`hedgehog.runtime.engines.status.status_file`); None: there is none.
        :param engine: what does the work, for the status.
        :param workers: number of processes that work at the same time.
        :param unit: what the task counts, if it does not tell its watch.
        """
        self._watch = watch
        self._path = path
        self._engine, self._workers, self._named = engine, workers, unit
        self._token = secrets.token_hex(8)
        self._began = time.time()
        self._opened = False
        self._due = 0.0
        self._done, self._total, self._unit, self._text = 0.0, 0.0, "", ""
        self._first: tuple[float, float] | None = None
        self._notes: deque[str] = deque(maxlen=_KEPT_NOTES)

    def open(self) -> None:
        """Begins to write; further calls do nothing.

        :raises InputError: if the file holds anything but a status.
        """
        if self._path is not None and not self._opened:
            verify_status_place(self._path)
            self._opened = True
            self._say("starting")

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        self._watch.begin(what, total, unit, text)
        self._done, self._total, self._unit, self._text = 0.0, total or 0.0, unit.removesuffix("s"), text
        self._first = None
        self._due = 0.0

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self._watch.update(done, text, total=total)
        now = time.monotonic()
        self._first = self._first or (now, done)
        self._done = done
        self._text = self._text if text is None else text
        self._total = self._total if total is None else total
        if now >= self._due:
            self._due = now + _WRITE_EVERY_S
            self._say("running")

    def note(self, text: str) -> None:
        self._notes.append(text)
        self._watch.note(text)

    def warn(self, text: str) -> None:
        self._notes.append(text)
        self._watch.warn(text)

    @property
    def stopped(self) -> bool:
        return self._watch.stopped

    def end(self, error: BaseException | None) -> None:
        """Removes the status of a finished task, or says how the task ended.

        :param error: what ended the task early; None if it is finished.
        """
        if error is None:
            if self._path is not None and self._opened:
                self._path.unlink(missing_ok=True)
        elif isinstance(error, KeyboardInterrupt | GeneratorExit | StoppedError):
            self._say("interrupted")
        else:
            self._say("stopped", str(error))

    def _say(self, state: str, message: str = "") -> None:
        if self._path is None or not self._opened:
            return
        rate, left = 0.0, None
        if self._first is not None and self._done > self._first[1]:
            rate = (self._done - self._first[1]) / max(time.monotonic() - self._first[0], 1e-3)
            left = max(self._total - self._done, 0) / rate
        status = RunStatus.of_this_process(
            self._token,
            state,
            message,
            started=self._began,
            engine=self._engine,
            workers=self._workers,
            dashboard=None,
            done=int(self._done),
            total=int(self._total),
            running=[],
            failed={},
            per_hour=3600 * rate,
            cpu_seconds={},
            remaining_seconds=left,
            worker_bytes=0,
            notes=[*self._notes, *filter(None, [self._text])],
            unit=self._unit or self._named or "part",
        )
        write_status(self._path, status)


@contextmanager
def watched_status(
    watch: Watch, path: Path | None, *, engine: str = "this process", workers: int = 1, unit: str = ""
) -> Iterator[WatchedStatus]:
    """Yields a watch that keeps the status of the task in the block; the parameters are those of the class.

    The status is removed when the block ends without an error.
    """
    status = WatchedStatus(watch, path, engine=engine, workers=workers, unit=unit)
    try:
        yield status
    except BaseException as error:
        status.end(error)
        raise
    status.end(None)
