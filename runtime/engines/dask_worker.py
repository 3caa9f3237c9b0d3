"""What runs inside a dask worker: it hands every task to a process of its own.

So a job that dies does not take the dask worker along, which says what has happened, and kernels that hold Python's
lock do not keep the dask worker from answering its scheduler.
"""

from __future__ import annotations

from hedgehog.runtime.engines.processes import ChildProcess, resident_bytes

_child = ChildProcess()


def do_in_child(limit: float | None, task: bytes, data: bytes | None) -> bytes:
    """Returns the result of a task (:func:`hedgehog.runtime.engines.processes.run_task`).

    :param limit: bytes of memory that the dask worker and its process may have together; None for no limit.
    :raises WorkerDiedError: if the process dies.
    """
    _child.limit = None if limit is None else limit - resident_bytes()
    return _child.call(task, data)
