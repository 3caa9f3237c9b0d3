"""Work without poker for tests of the engine: its worker processes import it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hedgehog.runtime.engines.dask_engine import DaskEngine
from hedgehog.runtime.engines.local import LocalEngine
from hedgehog.runtime.engines.running import run_jobs
from hedgehog.runtime.errors import InputError


@dataclass(frozen=True, slots=True)
class Square:
    """A job: the square of a number."""

    number: int
    folder: Path | None
    group: str = "squares"

    @property
    def path(self) -> Path | None:
        return None if self.folder is None else self.folder / f"{self.number}.txt"

    def __str__(self) -> str:
        return f"square {self.number}"


Do = Callable[["Squares", int], None]


def nothing(work: Squares, number: int) -> None:
    """What a job does besides its result."""


def short(work: Squares, number: int) -> None:
    time.sleep(0.05)


def slow(work: Squares, number: int) -> None:
    time.sleep(0.4)


def aborts_with_words(work: Squares, number: int) -> None:
    """What LLVM does about a symbol that a processor lacks."""
    os.write(2, b"LLVM ERROR: Symbol not found: __truncsfhf2\n")
    os.abort()


def poisoned_worker(work: Squares, number: int) -> None:
    """Aborts on the worker that the environment names."""
    if os.environ.get("ENGINE_TEST_POISON"):
        aborts_with_words(work, number)
    time.sleep(0.1)


def greedy(work: Squares, number: int) -> None:
    taken = b"x" * 1_500_000_000
    time.sleep(60)
    raise AssertionError(len(taken))


def stands_still_once(work: Squares, number: int) -> None:
    """Stops its process at the third number, once."""
    marker = Path(work.exchange) / "stopped"
    if number == 3 and not marker.exists():
        marker.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGSTOP)


def waits(work: Squares, number: int) -> None:
    """Waits for a file ``go`` from the fourth number on."""
    if number >= 4:
        (Path(work.exchange) / "waiting").touch()
        deadline = time.monotonic() + 120
        while not (Path(work.exchange) / "go").exists() and time.monotonic() < deadline:
            time.sleep(0.05)


def refuses(work: Squares, number: int) -> None:
    raise InputError("no such number")


def burns(work: Squares, number: int) -> None:
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass


@dataclass(frozen=True)
class Squares:
    """The squares of some numbers."""

    work: Path | None
    count: int = 8
    do: Do = nothing
    exchange: str = ""
    """Folder of the files that jobs and tests exchange."""
    ballast: bytes = field(default=b"", repr=False)
    opening: Do = nothing
    unit: ClassVar[str] = "number"

    def open_worker(self) -> Callable[[Square], bytes]:
        self.opening(self, 0)

        def do(job: Square) -> bytes:
            self.do(self, job.number)
            return f"{job.number**2}\n".encode()

        return do

    def jobs(self) -> list[Square]:
        return [Square(number, self.work) for number in range(self.count)]

    def seconds(self, job: Square) -> float | None:
        return 1.0 if job.path is not None and job.path.exists() else None

    def needed_bytes(self, job: Square) -> int:
        return 0

    def cost(self, job: Square) -> float:
        return 1.0

    @property
    def inputs_digest(self) -> str:
        return str(len(self.ballast))

    def results(self) -> dict[str, str]:
        """Returns the contents of the finished files by name."""
        assert self.work is not None
        return {path.name: path.read_text() for path in sorted(self.work.glob("*.txt"))}


def expected(count: int = 8) -> dict[str, str]:
    """Returns the files of all squares."""
    return {f"{number}.txt": f"{number**2}\n" for number in sorted(range(count), key=str)}


def main() -> None:
    """Does the squares in a process of its own. Arguments: folder, name of what jobs do, perhaps a cluster."""
    import click

    from hedgehog.cli.main import main as run
    from tests import engine_work

    @click.command()
    @click.argument("folder", type=click.Path(path_type=Path))
    @click.argument("do")
    @click.argument("dask", required=False)
    def squares(folder: Path, do: str, dask: str | None) -> None:
        work = engine_work.Squares(folder / "work", do=getattr(engine_work, do), exchange=str(folder))
        with DaskEngine(dask) if dask else LocalEngine(2) as engine:
            run_jobs(work, engine, note=lambda text: click.echo(text, err=True))

    run(sys.argv[1:], squares, None)


if __name__ == "__main__":
    main()
