"""The match runner: starts a dealer and its players as processes and plays every seating over loopback TCP.

A duplicate match plays the same cards in every order of the seats (two players: 2, three players: 6). Cards go to
positions and positions rotate in the same way in every seating, so every player once holds the cards every other
player held. All processes are restarted between seatings: no player remembers the cards it has already seen.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import math
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dealer.processes import ChildProcess, ProcessPool
from poker.errors import MatchError

HOST: Final = "127.0.0.1"
DEALER_COMMAND: Final = (sys.executable, "-P", "-m", "cli", "dealer")

_POLL_S = 0.25
# The dealer prints its ports as soon as it listens; generous for a machine under load.
_PORTS_TIMEOUT_S = 60.0
# After a player has gone: how long the dealer may take to notice before we stop it.
_DEALER_GRACE_S = 5.0
# Before the first hand it may still wait for connections and notice nothing.
_DEALER_GRACE_BEFORE_PLAY_S = 0.5
# After the dealer has gone: how long players may take to write their reports before they are killed.
_PLAYER_GRACE_S = 10.0


@dataclass(frozen=True, slots=True)
class Entrant:
    """One participant of a match."""

    name: str
    """Unique in the match, without ``:`` and ``|``; it stands in logs and file names."""
    command: Callable[[int, Path], Sequence[str]]
    """(seed, report file) -> the command that plays one seating once HOST and PORT are appended."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything a match depends on."""

    entrants: tuple[Entrant, ...]
    game: Path
    """Game definition file; its number of players is the number of entrants."""
    hands: int
    """Hands per seating."""
    seed: int
    """Seed of the cards (0 .. 2**32 - 1); the players' seeds are derived from it."""
    duplicate: bool
    out: Path
    """Existing folder for logs, outputs and reports."""
    dealer_options: tuple[str, ...] = ()
    """Further options of the dealer, for example ``("--t_response", "5000")``."""

    def seatings(self) -> list[tuple[int, ...]]:
        """Returns the seatings to play; ``seating[s]`` is the index of the entrant in seat ``s``."""
        order = range(len(self.entrants))
        return list(itertools.permutations(order)) if self.duplicate else [tuple(order)]


@dataclass(slots=True)
class Progress:
    """How far a running match is."""

    hands: int = 0
    """Hands finished in all seatings."""
    chips: dict[str, float] = field(default_factory=dict)
    """Chips won so far by every entrant name."""


@dataclass(frozen=True, slots=True)
class PlayedSeating:
    """The files one seating has left."""

    log: Path
    """The dealer's log."""
    reports: tuple[Path, ...]
    """Report file per entrant, in the order of the plan; an external player writes none."""


async def run_match(plan: MatchPlan, on_progress: Callable[[Progress], None] | None = None) -> list[PlayedSeating]:
    """Plays all seatings of a match one after the other. Whatever happens, no process is left running.

    :param on_progress: called a few times per second; the object is updated in place.
    :raises MatchError: if the dealer or a player fails; the message says which and why.
    :raises InputError: if a player's command cannot be started.
    """
    progress = Progress(chips={entrant.name: 0.0 for entrant in plan.entrants})
    return [
        await _play_seating(plan, index, seating, progress, on_progress or (lambda _: None))
        for index, seating in enumerate(plan.seatings(), 1)
    ]


def player_seed(match_seed: int, entrant: int, seating: int) -> int:
    """Derives a player's seed (32 bits), different for every entrant and seating.

    With one seed for all, two equal players would draw the same random numbers, and a player the same ones in every
    seating: the seatings would no longer be independent of each other given the cards.
    """
    digest = hashlib.sha256(f"{match_seed}/{entrant}/{seating}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


async def _play_seating(
    plan: MatchPlan,
    index: int,
    seating: tuple[int, ...],
    progress: Progress,
    on_progress: Callable[[Progress], None],
) -> PlayedSeating:
    label = f"seating_{index}"
    log = plan.out / f"{label}.log"
    reports = tuple(plan.out / f"{label}.{entrant.name}.json" for entrant in plan.entrants)
    for stale in (log, *reports):
        stale.unlink(missing_ok=True)
    seated = [plan.entrants[entrant] for entrant in seating]
    command = [*DEALER_COMMAND, label, str(plan.game.resolve()), str(plan.hands), str(plan.seed)]
    command += [*(entrant.name for entrant in seated), "-q", *plan.dealer_options]
    async with ProcessPool() as pool:
        dealer = await pool.start(
            "the dealer", command, plan.out / f"{label}.dealer.err", cwd=plan.out, pipe_stdout=True
        )
        ports = await _read_ports(dealer, len(seated))
        players = []
        for entrant_index, entrant, port in zip(seating, seated, ports, strict=True):
            start = entrant.command(player_seed(plan.seed, entrant_index, index), reports[entrant_index])
            players.append(
                await pool.start(
                    f"player {entrant.name}", [*start, HOST, str(port)], plan.out / f"{label}.{entrant.name}.out"
                )
            )
        follower = _LogFollower(log, progress)

        def read_log() -> int:
            follower.read()
            on_progress(progress)
            return follower.hands

        await _watch(dealer, players, read_log)
        await asyncio.wait([player.ended for player in players], timeout=_PLAYER_GRACE_S)
    if follower.hands != plan.hands:
        raise MatchError(f"the dealer ended after {follower.hands} of {plan.hands} hands (see {log})")
    return PlayedSeating(log, reports)


async def _read_ports(dealer: ChildProcess, num_players: int) -> list[int]:
    """Reads the line of ports the dealer prints when it listens."""
    assert dealer.process.stdout is not None
    try:
        line = await asyncio.wait_for(dealer.process.stdout.readline(), _PORTS_TIMEOUT_S)
    except TimeoutError:
        raise MatchError(f"the dealer has printed no ports for {_PORTS_TIMEOUT_S:.0f} s") from None
    ports = line.split()
    if len(ports) == num_players and all(port.isdigit() for port in ports):
        return [int(port) for port in ports]
    await asyncio.wait([dealer.ended], timeout=_DEALER_GRACE_S)
    raise MatchError(dealer.obituary() if dealer.ended.done() else f"the dealer printed no ports but {line!r}")


async def _watch(dealer: ChildProcess, players: Sequence[ChildProcess], read_log: Callable[[], int]) -> None:
    """Waits for the dealer to end the match.

    :param read_log: takes in what the log has grown by and returns the number of hands in it.
    :raises MatchError: if the dealer fails, or still runs a while after a player has ended.
    """
    running = {dealer.ended, *(player.ended for player in players)}
    gone: list[ChildProcess] = []
    """Players that have ended, in that order."""
    stop_at = math.inf
    while not dealer.ended.done() and time.monotonic() < stop_at:
        done, running = await asyncio.wait(running, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
        hands = read_log()
        gone += [player for player in players if player.ended in done]
        if gone and stop_at == math.inf:
            stop_at = time.monotonic() + (_DEALER_GRACE_S if hands else _DEALER_GRACE_BEFORE_PLAY_S)
    if not dealer.ended.done():
        raise MatchError(gone[0].obituary())
    if dealer.exit_code != 0:
        reasons = [dealer.obituary()]
        for seat in re.findall(r"seat ([0-9]+)", dealer.last_words()):
            player = players[int(seat) - 1]
            await asyncio.wait([player.ended], timeout=_POLL_S)
            reasons.append(f"seat {seat}: {player.obituary() if player.ended.done() else player.name}")
        raise MatchError("; ".join(reasons))


class _LogFollower:
    """Reads a growing log and adds its hands to the progress of the match."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._path = path
        self._progress = progress
        self._offset = 0
        self.hands = 0
        """Hands read from this log."""

    def read(self) -> None:
        """Takes in the lines that have been completed since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:  # the dealer writes it once all players are there
            return
        complete = data[: data.rfind(b"\n") + 1]
        self._offset += len(complete)
        for line in complete.decode("latin-1").splitlines():
            if line.startswith("STATE:"):
                values, names = line.split(":", 5)[4:6]
                for name, value in zip(names.split("|"), values.split("|"), strict=True):
                    self._progress.chips[name] += float(value)
                self._progress.hands += 1
                self.hands += 1
