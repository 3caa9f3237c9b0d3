"""What runs inside a dask worker: it hands every task to a process of its own.

So a job that dies does not take the dask worker along, which says what has happened, and kernels that hold Python's
lock do not keep the dask worker from answering its scheduler.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from hedgehog.runtime.engines.processes import ChildProcess, resident_bytes

_child = ChildProcess()


def do_in_child(limit: float | None, task: bytes, data: bytes | None) -> bytes:
    """Returns the result of a task (:func:`hedgehog.runtime.engines.processes.run_task`).

    :param limit: bytes of memory that the dask worker and its process may have together; None for no limit.
    :raises WorkerDiedError: if the process dies.
    """
    _child.limit = None if limit is None else limit - resident_bytes()
    return _child.call(task, data, _is_wanted())


def _is_wanted() -> Callable[[], bool]:
    """Returns a function that tells whether the scheduler still wants the result of the task that runs here.

    It does not if the client has ended. Then the worker is free for the next client at once.
    """
    distributed_worker: Any = import_module("distributed.worker")
    key, tasks = distributed_worker.thread_state.key, distributed_worker.get_worker().state.tasks
    return lambda: key in tasks and tasks[key].state == "executing"
