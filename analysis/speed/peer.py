"""A peer: another solver, which ``hedgehog bench solver`` and ``bench targets`` run beside ours (docs/speed.md)."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.runtime.errors import HedgehogError, InputError
from hedgehog.runtime.validation import first_complaint
from hedgehog.solver.cfr.memory import Storage

_END_SECONDS: Final = 10.0
"""A peer that has not ended this long after its input is killed."""


class PeerRefusalError(HedgehogError):
    """The peer has answered that it cannot do what it was asked."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class PeerIterations(_Reply):
    """The peer's answer to the task ``iterations``."""

    seconds: float = Field(gt=0)
    """Wall-clock time of all the iterations asked for."""
    cpu_seconds: float | None = Field(default=None, gt=0)
    """CPU time of the same iterations, if the peer measures it."""
    memory_bytes: int | None = Field(default=None, gt=0)
    """Memory that the peer holds for the spot."""


class PeerLevel(_Reply):
    """One target that the peer has reached, or has given up."""

    iterations: int = Field(ge=0)
    seconds: float = Field(ge=0)
    cpu_seconds: float | None = Field(default=None, ge=0)
    exploitability_pct: float
    """Exploitability in % of the pot after these iterations."""


class PeerTargets(_Reply):
    """The peer's answer to the task ``targets``."""

    reached: list[PeerLevel]
    """One per target, in the order of the targets."""
    memory_bytes: int | None = Field(default=None, gt=0)


Reply = TypeVar("Reply", bound=_Reply)


class Peer:
    """A running peer, which answers one JSON line on its standard output to each JSON line on its standard input."""

    def __init__(self, command: str, process: subprocess.Popen[str]) -> None:
        self._command = command
        self._process = process

    def iterations(self, spot: Path, storage: Storage, threads: int, count: int) -> PeerIterations:
        """Lets the peer run iterations of a spot.

        :raises PeerRefusalError: if the peer says that it cannot.
        :raises InputError: if it ends or answers something else than the protocol says.
        """
        request = {"task": "iterations", "iterations": count}
        return self._ask(PeerIterations, spot, storage, threads, request)

    def targets(
        self, spot: Path, storage: Storage, threads: int, targets_pct: tuple[float, ...], most_iterations: int
    ) -> PeerTargets:
        """Lets the peer solve a spot to one target after the other.

        :param targets_pct: exploitabilities in % of the pot, falling.
        :raises PeerRefusalError: if the peer says that it cannot.
        :raises InputError: if it ends or answers something else than the protocol says.
        """
        request = {"task": "targets", "targets_pct": targets_pct, "most_iterations": most_iterations, "check_every": 10}
        found = self._ask(PeerTargets, spot, storage, threads, request)
        if len(found.reached) != len(targets_pct):
            message = f"the peer reported {len(found.reached)} targets, expected {len(targets_pct)}"
            raise InputError(message, source=self._command)
        return found

    def _ask(self, kind: type[Reply], spot: Path, storage: Storage, threads: int, request: Mapping[str, Any]) -> Reply:
        text = json.dumps({**request, "spot": str(spot), "storage": storage, "threads": threads})
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise InputError(f"the peer ended before it answered {text}", source=self._command)
        try:
            found = json.loads(line)
            if isinstance(found, dict) and "error" in found:
                raise PeerRefusalError(str(found["error"]))
            return kind.model_validate(found)
        except ValidationError as error:
            complaint = first_complaint(error, "the answer")
        except ValueError as error:
            complaint = f"the answer is no JSON: {error}"
        raise InputError(f"{complaint} in {line.strip()[:200]!r}", source=self._command)


@contextmanager
def running_peer(command: str) -> Iterator[Peer]:
    """Starts a peer and ends it after the ``with`` block.

    :param command: command line, split as a shell would.
    :raises InputError: if it cannot be started.
    """
    try:
        words = shlex.split(command)
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    except (OSError, ValueError, IndexError) as error:
        raise InputError(f"cannot start the peer: {error}", source=command) from error
    try:
        yield Peer(command, process)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
