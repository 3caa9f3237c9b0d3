"""Workers of a dask.distributed cluster as the engine of a build.

The cluster is an ordinary one: ``dask scheduler`` and ``dask worker --nthreads 1``, or whatever starts these two. Dask
is installed by ``make setup``.
"""

from __future__ import annotations

import logging
import re
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any, Final
from urllib.request import ProxyHandler, build_opener

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.memory import available_memory, format_bytes
from hedgehog.runtime.packages import require
from hedgehog.solver.packs.engines.identity import Identity, own_identity
from hedgehog.solver.packs.engines.local import BASE_BYTES, Engine, verify_local_memory

CONNECT_S: Final = 10.0
"""Seconds to wait for a scheduler."""
_LOCAL: Final = re.compile(r"local:([1-9][0-9]{0,2})")
_RESOURCE: Final = "MEMORY"
"""The resource, in bytes, that workers may offer (``dask worker --resources MEMORY=8e9``) and tasks then ask for."""
_NOTICED_LIMIT: Final = 0.95
"""Share of its memory limit at which dask ends a worker."""
_AHEAD: Final = 2
"""Tasks per worker that are submitted at any moment, so that no worker waits for the client."""
_DASHBOARD_S: Final = 2.0
_NO_BOKEH: Final = b"needs bokeh"
"""What a scheduler without bokeh says in place of its dashboard."""
_PAGE_BYTES: Final = 10_000
_LOOK_EVERY_S: Final = 2.0


class DaskEngine(Engine):
    """The workers of a dask scheduler, or of a cluster of processes on this machine."""

    def __init__(self, address: str, wait_s: float = 60.0) -> None:
        """Connects to a scheduler, or starts a cluster, and waits for the first worker.

        :param address: address of a scheduler such as ``tcp://10.0.0.1:8786``, or ``local:N`` for N processes here.
        :param wait_s: seconds to wait for the first worker.
        :raises InputError: if distributed is not installed or the address is malformed.
        :raises ResourceError: if no scheduler answers, or it has no worker.
        """
        distributed = require("distributed", "--dask needs")
        import dask

        self.identity = own_identity()
        self._distributed: Any = distributed
        self._cluster: Any = None
        for library in ("distributed", "distributed.nanny", "distributed.core", "tornado", "asyncio"):
            logging.getLogger(library).setLevel(logging.CRITICAL)  # one line of ours says what is wrong
        local = _LOCAL.fullmatch(address)
        if local is None and address.startswith("local"):
            raise InputError(f"--dask {address}: expected local:N with 1 to 999 processes")
        settings = {"logging.distributed": "critical", "distributed.admin.log-format": "%(message)s"}
        with dask.config.set(settings), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if local is not None:
                self._cluster = self._start(int(local[1]))
            try:
                self.client: Any = self._distributed.Client(
                    self._cluster or address, timeout=CONNECT_S, set_as_default=False
                )
            except (OSError, ValueError, TypeError, ImportError) as error:
                raise ResourceError(f"no dask scheduler answers at {address} ({_first_line(error)})") from None
        super().__init__(self.client.get_executor(), 0, f"dask {address}")
        self._looked = -1e9
        self._facts: dict[str, dict[str, Any]] = {}
        try:
            self._wait(address, wait_s)
        except BaseException:
            self.close()
            raise
        self.dashboard = self._dashboard()

    def _start(self, workers: int) -> Any:
        verify_local_memory(0, workers)
        try:
            return self._distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=int(available_memory() / workers),
                silence_logs=logging.CRITICAL,
            )
        except (RuntimeError, OSError, TimeoutError) as error:
            raise ResourceError(f"{workers} dask workers could not be started here: {_first_line(error)}") from error

    def _wait(self, address: str, wait_s: float) -> None:
        deadline = time.monotonic() + wait_s
        while not self._look():
            if time.monotonic() > deadline:
                raise ResourceError(f"the dask scheduler at {address} has no worker: start `dask worker {address}`")
            time.sleep(0.1)
            self._looked = -1e9

    def _dashboard(self) -> str | None:
        """Returns the address of the scheduler's dashboard, None if there is none (it needs bokeh)."""
        link: str = self.client.dashboard_link
        try:
            with build_opener(ProxyHandler({})).open(link, timeout=_DASHBOARD_S) as page:
                found = page.status == HTTPStatus.OK and _NO_BOKEH not in page.read(_PAGE_BYTES)
                return link if found else None
        except (OSError, ValueError):
            return None

    def _look(self) -> dict[str, dict[str, Any]]:
        """Returns what the scheduler knows about every worker, by address; asks it every two seconds at most."""
        now = time.monotonic()
        if now - self._looked > _LOOK_EVERY_S:
            self._looked = now
            try:
                self._facts = dict(self.client.scheduler_info(n_workers=-1)["workers"])
            except (OSError, KeyError, ValueError, RuntimeError):
                self._facts = {}
        return self._facts

    @property
    def workers(self) -> int:
        return len(self._look())

    @property
    def slots(self) -> int:
        return max(_AHEAD * self.workers, 1)

    def verify(self, needed: int) -> None:
        for address, facts in self._look().items():
            if facts["nthreads"] != 1:
                raise InputError(
                    f"the dask worker {address} does {facts['nthreads']} tasks at a time, which share its kernels: "
                    "start it with --nthreads 1"
                )
            limit = facts["memory_limit"] * _NOTICED_LIMIT if facts["memory_limit"] else available_memory()
            offered = facts.get("resources", {}).get(_RESOURCE)
            if needed + BASE_BYTES > limit or (offered is not None and needed > offered):
                least = min(limit, limit if offered is None else offered)
                raise ResourceError(
                    f"the largest solve needs {format_bytes(needed)} of memory and its process "
                    f"{format_bytes(BASE_BYTES)}, the dask worker {address} has {format_bytes(least)}"
                )
        self._verify_identities()

    def _verify_identities(self) -> None:
        try:
            found = self.client.run(own_identity, on_error="return")
        except Exception as error:  # whatever the workers raise while they unpickle our function
            raise InputError(f"the dask workers cannot run Hedgehog: {_first_line(error)}") from None
        for address, theirs in found.items():
            if not isinstance(theirs, Identity):
                raise InputError(f"the dask worker {address} cannot run Hedgehog: {_first_line(theirs)}")
            difference = self.identity.difference(theirs)
            if difference is not None:
                raise InputError(f"the dask worker {address} runs another program than the client: {difference}")

    def verify_alive(self) -> None:
        if self.client.status != "running":
            raise ResourceError(f"{self.name}: the scheduler has gone")

    def submit(self, function: Callable[..., Any], *arguments: object, needed: int) -> Future[Any]:
        found = self._look().values()
        offering = bool(found) and all(_RESOURCE in facts.get("resources", {}) for facts in found)
        more = {"resources": {_RESOURCE: needed}} if offering else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large arguments: the order goes to every worker once
            future: Future[Any] = self.executor.submit(function, *arguments, **more)
        return future

    def deaths(self, error: BaseException) -> int:
        # Dask has tried a task several times before it gives up.
        return 2 if isinstance(error, self._distributed.KilledWorker) else 0

    def close(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.client.close(timeout=5)
            if self._cluster is not None:
                self._cluster.close(timeout=20)


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
