"""Workers of a dask.distributed cluster as the engine of a run.

The cluster is an ordinary one: ``dask scheduler`` and ``dask worker --nthreads 1``, or whatever starts these two. Dask
is installed by ``make setup``.

The client gives every task to a worker of its choice, so that it knows where each one is. It waits for nothing without
a bound: a scheduler that does not answer ends the run, and a worker that is not heard of loses its tasks to others.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import re
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, ClassVar, Final, TypeVar
from urllib.request import ProxyHandler, build_opener

from hedgehog.runtime.engines.identity import Identity, own_identity
from hedgehog.runtime.engines.local import BASE_BYTES, Engine, verify_local_memory
from hedgehog.runtime.engines.processes import STILL_S, as_task
from hedgehog.runtime.engines.status import RunStatus, parse_status
from hedgehog.runtime.engines.tasks import report_identity
from hedgehog.runtime.errors import HedgehogError, InputError, ResourceError
from hedgehog.runtime.machine import available_memory, format_bytes
from hedgehog.runtime.packages import require

T = TypeVar("T")
CONNECT_S: Final = 10.0
"""Seconds to wait for a scheduler at the start."""
FROZEN_S: Final = 20.0
"""Seconds without an answer of the scheduler after which the run ends."""
SILENT_S: Final = 15.0
"""Seconds without a word of a worker after which it is named; after :data:`STILL_S` it loses its tasks."""
CHECK_S: Final = 600.0
"""Seconds for a worker to load Hedgehog and say which program it runs, after what it does for others."""
HOST_BYTES: Final = 250_000_000
"""Bytes of memory of a dask worker besides the process that does its jobs."""
_GATHER_S: Final = 10.0
"""Seconds that the first worker waits for the others to be checked, which decides for which processor the run is."""
_START_S: Final = 120.0
_MAX_STARTS: Final = 3
_CLOSE_S: Final = 5.0
_LOCAL: Final = re.compile(r"local:([1-9][0-9]{0,2})")
_RESOURCE: Final = "MEMORY"
"""The resource, in bytes, that workers may offer (``dask worker --resources MEMORY=8e9``) and tasks then ask for."""
_NOTICED_LIMIT: Final = 0.95
"""Share of its memory limit at which a worker's process is ended."""
_LARGE: Final = 100_000
"""Bytes from which on data is stored in the cluster once, and workers pass it on to each other."""
_DASHBOARD_S: Final = 10.0
_NO_BOKEH: Final = b"needs bokeh"
"""What a scheduler without bokeh says in place of its dashboard."""
_CARRIER: Final = """
def do_in_child(limit, task, data):
    from hedgehog.runtime.engines import dask_worker
    return dask_worker.do_in_child(limit, task, data)
"""
"""Travels by value, because a dask worker ends if it cannot read what is sent to it, as without Hedgehog."""
_PAGE_BYTES: Final = 10_000
_METADATA: Final = "hedgehog"
"""Under this name the scheduler keeps the status of every run."""
_LOOK_EVERY_S: Final = 2.0
_POLL_S: Final = 0.1
_TALKERS: Final = ("distributed", "tornado", "asyncio")
"""Libraries that write to standard error by themselves."""
_SCHEMES: Final = ("tcp", "tls")
_TLS: Final = ("ca-file", "client.cert", "client.key")


class DaskEngine(Engine):
    """The workers of a dask scheduler, or of a cluster of processes on this machine."""

    ahead: ClassVar[int] = 2
    alike: ClassVar[bool] = False

    def __init__(self, address: str, wait_s: float = 60.0) -> None:
        """Connects to a scheduler, or starts a cluster, and waits for the first worker.

        :param address: address of a scheduler such as ``tcp://10.0.0.1:8786``, or ``local:N`` for N processes here.
        :param wait_s: seconds to wait for the first worker.
        :raises InputError: if distributed is not installed or the address is malformed.
        :raises ResourceError: if no scheduler answers, or it has no worker.
        """
        distributed = require("distributed", "--dask needs")
        self.identity = own_identity()
        self._distributed: Any = distributed
        self._cluster: Any = None
        self._address = address
        local = _verify_address(address)
        with _quiet():
            if local is not None:
                self._cluster = self._start(local)
            try:
                self.client = _connect(address, self._cluster or address)
            except ResourceError:
                self._close_cluster()
                raise
        super().__init__(self.client.get_executor(), 0, f"dask {address}")
        space: dict[str, Any] = {"__name__": "__main__"}
        exec(_CARRIER, space)
        self._carrier = space["do_in_child"]
        self._asked: Future[Any] | None = None
        self._look_due = 0.0
        self._looked = time.monotonic()
        self._unanswered = 0.0
        self._trouble = False
        self._facts: dict[str, dict[str, Any]] = {}
        self._heard: dict[str, tuple[float, float]] = {}
        self._silent: set[str] = set()
        self._needed = 0
        self._processor: str | None = None
        self._checks: dict[str, tuple[Future[bytes], float]] = {}
        self._sound: dict[str, Identity] = {}
        self._wrong: dict[str, HedgehogError] = {}
        self._news: list[str] = []
        self._stored: tuple[bytes, Any] | None = None
        try:
            self._wait(wait_s)
            self._check_workers()  # their processes start while the client prepares its work
        except BaseException:
            self.close()
            raise
        self.dashboard = self._dashboard()

    def _start(self, workers: int) -> Any:
        verify_local_memory(0, workers)

        def start() -> Any:
            return self._distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=int(available_memory() / workers),
                silence_logs=logging.CRITICAL,
            )

        for tries in range(1, _MAX_STARTS + 1):
            try:
                return _bounded(start, _START_S)
            except (RuntimeError, OSError, TimeoutError) as error:
                if isinstance(error, RuntimeError) and tries < _MAX_STARTS:
                    continue  # a process was killed while it started
                text = f"{workers} dask workers could not be started here: {_first_line(error)}"
                raise ResourceError(text) from error
        raise AssertionError

    def _wait(self, wait_s: float) -> None:
        deadline = time.monotonic() + wait_s
        while not self._facts:
            self._ask()
            if time.monotonic() > deadline:
                raise ResourceError(
                    f"the dask scheduler at {self._address} has no worker: start `dask worker {self._address}`"
                )
            time.sleep(_POLL_S)

    def _dashboard(self) -> str | None:
        """Returns the address of the scheduler's dashboard, None if there is none (it needs bokeh)."""
        try:
            link: str = self.client.dashboard_link
            with build_opener(ProxyHandler({})).open(link, timeout=_DASHBOARD_S) as page:
                found = page.status == HTTPStatus.OK and _NO_BOKEH not in page.read(_PAGE_BYTES)
                return link if found else None
        except (OSError, ValueError, KeyError, AttributeError):
            return None

    def _ask(self) -> None:
        """Asks the scheduler for its workers every two seconds, without waiting for the answer.

        While this process did something else for longer, or was stopped, nobody was asked, and nobody was silent.

        :raises ResourceError: if it has not answered for a while, or has gone.
        """
        now = time.monotonic()
        if self.client.status != "running":
            raise ResourceError(f"{self.name}: the scheduler has gone")
        passed, self._looked = now - self._looked, now
        if (away := passed - _LOOK_EVERY_S) > 0:
            self._heard = {address: (seen, since + away) for address, (seen, since) in self._heard.items()}
        if self._asked is not None and self._asked.done():
            asked, self._asked = self._asked, None
            try:
                self._facts = dict(asked.result()["workers"])
                self._unanswered, self._trouble = 0.0, False
                self._hear(now)
            except (OSError, KeyError, ValueError, RuntimeError, CancelledError):
                self._trouble = True
        if self._asked is not None or self._trouble:
            self._unanswered += min(passed, _LOOK_EVERY_S)
        if self._unanswered > FROZEN_S:
            raise ResourceError(f"{self.name}: the scheduler has not answered for {FROZEN_S:.0f} seconds")
        if self._asked is None and now >= self._look_due:
            self._look_due = now + (_LOOK_EVERY_S if self._facts else _POLL_S)
            question = self.client.scheduler.identity(n_workers=-1)
            self._asked = asyncio.run_coroutine_threadsafe(question, self.client.loop.asyncio_loop)

    def _hear(self, now: float) -> None:
        """Notes which workers have been heard of since the last time."""
        for address, facts in self._facts.items():
            before = self._heard.get(address)
            if before is None or before[0] != facts["last_seen"]:
                self._heard[address] = facts["last_seen"], now
                if address in self._silent:
                    self._silent.discard(address)
                    self._news.append(f"the dask worker {address} is heard of again")
            elif now - before[1] > SILENT_S and address not in self._silent:
                self._silent.add(address)
                self._news.append(
                    f"the dask worker {address} has not been heard of for {SILENT_S:.0f} seconds; after {STILL_S:.0f} "
                    "others do its jobs"
                )
        for address in [address for address in self._heard if address not in self._facts]:
            del self._heard[address]
            self._silent.discard(address)
            self._checks.pop(address, None)
            self._wrong.pop(address, None)
            if self._sound.pop(address, None) is not None:
                self._news.append(f"the dask worker {address} has gone")

    def publish(self, key: str, status: str) -> None:
        """Puts the status into the metadata of the scheduler (:func:`published_statuses`), without waiting."""
        telling = self.client.scheduler.set_metadata(keys=[_METADATA, key], value=status)
        try:
            asyncio.run_coroutine_threadsafe(telling, self.client.loop.asyncio_loop)
        except RuntimeError:  # the client has been closed, because the scheduler has gone
            telling.close()

    def places(self) -> Sequence[str]:
        now = time.monotonic()
        return [address for address in self._sound if now - self._heard[address][1] <= STILL_S]

    @property
    def waiting(self) -> str:
        silent = self._unanswered > 3 * _LOOK_EVERY_S
        return f"no answer of the scheduler for {self._unanswered:.0f} s" if silent else ""

    def verify(self, needed: int) -> None:
        self._needed = needed
        self._processor = None
        self._sound, self._wrong, self._news = {}, {}, []
        for address in list(self._checks):  # of before, when it was not known what the tasks need
            fault = self._misfit(address, self._facts[address]) if address in self._facts else None
            if fault is not None:
                self._checks.pop(address)[0].cancel()
                self._refuse(address, fault)
        deadline = time.monotonic() + CHECK_S
        gather = deadline
        while True:
            self._ask()
            self._check_workers()
            now = time.monotonic()
            if self._sound:
                gather = min(gather, now + _GATHER_S)
                if not self._checks or now > gather:
                    break
            elif self._facts and not self._checks:
                raise next(iter(self._wrong.values()))
            elif now > deadline:
                raise ResourceError(f"{self.name}: no worker has answered for {CHECK_S:.0f} seconds")
            time.sleep(_POLL_S)
        self._choose_processor()

    def _choose_processor(self) -> None:
        """Decides for which processor the run is: that of the client, otherwise the one that most workers have."""
        found = Counter(identity.processor for identity in self._sound.values())
        mine = self.identity.processor
        self._processor = mine if mine in found else min(found, key=lambda name: (-found[name], name))
        for address, identity in list(self._sound.items()):
            if identity.processor != self._processor:
                del self._sound[address]
                self._refuse(address, self._other_processor(address, identity))

    def look(self) -> list[str]:
        self._ask()
        self._check_workers()
        news, self._news = self._news, []
        return news

    def _check_workers(self) -> None:
        """Checks workers that have joined, without waiting for their answers."""
        for address, facts in self._facts.items():
            if address in self._sound or address in self._wrong or address in self._checks:
                continue
            fault = self._misfit(address, facts)
            if fault is None:
                future = self._send(address, as_task(report_identity), None, 0)
                self._checks[address] = future, time.monotonic()
            else:
                self._refuse(address, fault)
        for address, (future, since) in list(self._checks.items()):
            if future.done():
                del self._checks[address]
                self._take_identity(address, future)
            elif time.monotonic() - since > CHECK_S:
                del self._checks[address]
                future.cancel()
                self._refuse(
                    address, ResourceError(f"the dask worker {address} has not answered for {CHECK_S:.0f} seconds")
                )

    def _misfit(self, address: str, facts: dict[str, Any]) -> HedgehogError | None:
        """Returns why a worker cannot do the jobs, as far as the scheduler knows."""
        if facts["nthreads"] != 1:
            return InputError(
                f"the dask worker {address} does {facts['nthreads']} tasks at a time, which share its kernels: "
                "start it with --nthreads 1"
            )
        limit = facts["memory_limit"] * _NOTICED_LIMIT if facts["memory_limit"] else available_memory()
        offered = facts.get("resources", {}).get(_RESOURCE)
        if self._needed + BASE_BYTES + HOST_BYTES > limit or (offered is not None and self._needed > offered):
            least = min(limit, limit if offered is None else offered)
            return ResourceError(
                f"the largest job needs {format_bytes(self._needed)} of memory and its process "
                f"{format_bytes(BASE_BYTES + HOST_BYTES)}, the dask worker {address} has {format_bytes(least)}"
            )
        return None

    def _take_identity(self, address: str, future: Future[bytes]) -> None:
        try:
            theirs: Identity = pickle.loads(future.result())
        except CancelledError:
            return  # it has gone, or is asked again
        except Exception as error:  # whatever a worker without Hedgehog raises
            self._refuse(address, InputError(f"the dask worker {address} cannot run Hedgehog: {_first_line(error)}"))
            return
        difference = self.identity.difference(theirs)
        if difference is not None:
            text = f"the dask worker {address} runs another program than the client: {difference}"
            self._refuse(address, InputError(text))
        elif self._processor is not None and theirs.processor != self._processor:
            self._refuse(address, self._other_processor(address, theirs))
        else:
            self._sound[address] = theirs
            if self._processor is not None:
                self._news.append(f"the dask worker {address} joins")

    def _other_processor(self, address: str, theirs: Identity) -> HedgehogError:
        return InputError(
            f"the dask worker {address} compiles for the processor {theirs.processor}, the others for "
            f"{self._processor}: set NUMBA_CPU_NAME and NUMBA_CPU_FEATURES to the same everywhere"
        )

    def _refuse(self, address: str, error: HedgehogError) -> None:
        self._wrong[address] = error
        self._news.append(f"left out: {error}")

    def leave_out(self, place: str, reason: str) -> str:
        self._sound.pop(place, None)
        error = ResourceError(f"the dask worker {place}: {reason}")
        self._wrong[place] = error
        return f"left out: {error}"

    def submit(
        self, place: str, function: Callable[..., Any], *arguments: object, data: bytes | None, needed: int
    ) -> Future[bytes]:
        stored: Any = data
        if data is not None and len(data) > _LARGE:
            try:
                stored = self._store(data, place)
            except Exception as error:  # of a worker that has just gone, of sockets, of time
                self._news.append(f"the dask worker {place} cannot be sent the inputs: {_first_line(error)}")
                self._sound.pop(place, None)  # it is checked again, if it is still there
                lost: Future[bytes] = Future()
                lost.cancel()
                lost.set_running_or_notify_cancel()
                return lost
        return self._send(place, as_task(function, *arguments), stored, needed)

    def _store(self, data: bytes, place: str) -> Any:
        """Returns data as a future of the cluster: it leaves the client once, and workers pass it on to each other.

        Whatever dask raises if they cannot be sent is raised.
        """
        if self._stored is None or self._stored[0] is not data or self._stored[1].status != "finished":
            with _quiet():
                future = _bounded(lambda: self.client.scatter(data, workers=[place], hash=False), FROZEN_S)
            self._stored = data, future
        return self._stored[1]

    def _send(self, address: str, task: bytes, data: Any, needed: int) -> Future[bytes]:
        facts = self._facts.get(address, {})
        limit = facts["memory_limit"] * _NOTICED_LIMIT if facts.get("memory_limit") else None
        more: dict[str, Any] = {"resources": {_RESOURCE: needed}} if _RESOURCE in facts.get("resources", {}) else {}
        executor: Any = self.executor
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large arguments
            future: Future[bytes] = executor.submit(
                self._carrier, limit, task, data, workers=[address], allow_other_workers=False, pure=False, **more
            )
        return future

    def died(self, error: BaseException) -> str:
        if isinstance(error, self._distributed.KilledWorker):
            return "its dask worker has died"
        return super().died(error)

    def close(self) -> None:
        with _quiet():
            if hasattr(self, "client"):
                _try_bounded(lambda: self.client.close(timeout=_CLOSE_S), 2 * _CLOSE_S)
            self._close_cluster()

    def _close_cluster(self) -> None:
        if self._cluster is not None:
            _try_bounded(lambda: self._cluster.close(timeout=4 * _CLOSE_S), 5 * _CLOSE_S)


def published_statuses(address: str) -> dict[str, RunStatus]:
    """Asks a scheduler for the runs that work on its cluster, or were broken off, the first one first.

    Their keys are host and status file of the client.

    :param address: address of the scheduler.
    :raises InputError: if distributed is not installed, the address is malformed or ``local:N``, or the scheduler holds
        something that is no status.
    :raises ResourceError: if no scheduler answers.
    """
    require("distributed", "--dask needs")
    if _verify_address(address) is not None:
        raise InputError(
            f"--dask {address}: only a scheduler can be asked, expected tcp://HOST:PORT or tls://HOST:PORT"
        )
    with _quiet():
        client = _connect(address, address)
        try:
            found = _bounded(lambda: client.get_metadata([_METADATA], default={}), CONNECT_S)
        except Exception as error:
            raise ResourceError(f"dask {address}: no answer ({_first_line(error)})") from None
        finally:
            _try_bounded(lambda: client.close(timeout=_CLOSE_S), 2 * _CLOSE_S)
    texts = found if isinstance(found, dict) else {"": found}
    statuses = {str(key): parse_status(str(text).encode(), f"dask {address}") for key, text in texts.items() if text}
    return dict(sorted(statuses.items(), key=lambda item: item[1].started))


def _connect(address: str, target: object) -> Any:
    """Returns a client of a scheduler.

    :param target: the address, or a cluster that was started here.
    :raises ResourceError: if no scheduler answers.
    """
    distributed: Any = require("distributed", "--dask needs")
    try:
        return _bounded(lambda: distributed.Client(target, timeout=CONNECT_S, set_as_default=False), 2 * CONNECT_S)
    except Exception as error:  # of sockets, of protocols, of what the other side says
        reason = "it takes no notice of us" if isinstance(error, TimeoutError) else _first_line(error)
        raise ResourceError(f"no dask scheduler answers at {address} ({reason})") from None


def _verify_address(address: str) -> int | None:
    """Returns the number of processes of ``local:N``, and None for the address of a scheduler.

    :raises InputError: if the address is malformed, or of a protocol other than TCP and TLS.
    """
    import dask

    local = _LOCAL.fullmatch(address)
    if local is not None:
        return int(local[1])
    if address.startswith("local"):
        raise InputError(f"--dask {address}: expected local:N with 1 to 999 processes")
    scheme, separator, rest = address.partition("://")
    if not separator:
        scheme, rest = "tcp", address
    host, colon, port = rest.rpartition(":")
    if scheme not in _SCHEMES or not host or not colon or not re.fullmatch("[0-9]{1,5}", port):
        raise InputError(f"--dask {address}: expected tcp://HOST:PORT, tls://HOST:PORT or local:N")
    for key in _TLS if scheme == "tls" else ():
        variable = "DASK_DISTRIBUTED__COMM__TLS__" + key.upper().replace(".", "__").replace("-", "_")
        file = dask.config.get(f"distributed.comm.tls.{key}", None)
        if not file:
            raise InputError(f"--dask {address}: TLS needs certificates: set {variable} to a file (docs/slurm.md)")
        if not os.access(str(file), os.R_OK):
            raise InputError(f"--dask {address}: {variable} names a file that cannot be read", source=str(file))
    return None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps dask from saying things of its own: one line of ours says what is wrong."""
    import dask

    ours = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _TALKERS]
    for name in {*ours, *_TALKERS}:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    settings = {"logging.distributed": "critical", "distributed.admin.log-format": "%(message)s"}
    with dask.config.set(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _bounded(call: Callable[[], T], seconds: float) -> T:
    """Returns what a call returns, or raises TimeoutError if it takes longer; Ctrl-C ends the wait at once."""
    found: Future[T] = Future()

    def run() -> None:
        try:
            found.set_result(call())
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=run, daemon=True, name="dask call").start()
    return found.result(seconds)


def _try_bounded(call: Callable[[], Any], seconds: float) -> None:
    try:
        _bounded(call, seconds)
    except Exception:  # it is about to be forgotten
        logging.getLogger(__name__).debug("closing failed", exc_info=True)


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
