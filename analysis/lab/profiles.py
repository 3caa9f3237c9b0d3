"""Two strategy profiles against each other in both seats, exactly and by simulation with real cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.solves.played_lines import play_lines
from hedgehog.analysis.solves.simulation import TOLERANCE, SimulatedValue, make_seats, simulate
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PLAYERS

_CHUNKS = 15


@dataclass(frozen=True, slots=True)
class Profile:
    """The average strategies of both seats that an algorithm reached."""

    name: str
    averages: tuple[NDArray[np.float32], NDArray[np.float32]]
    guarantee: tuple[float, float]
    """Per seat the EV against a best response, in chips per deal less half the pot."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One profile in one seat against another in the other seat."""

    first: str
    second: str
    seat: str
    """Seat of the first profile."""
    guarantee: float
    """The first profile's EV against a best response, in chips per deal less half the pot."""
    ev: float
    """Its exact EV against the second profile."""
    ceiling: float
    """What the second profile lets anybody win at most: minus its guarantee in the other seat."""
    simulated: SimulatedValue

    @property
    def holds(self) -> bool:
        """Whether the EV lies between guarantee and ceiling and the simulation agrees with it."""
        slack = 1e-3
        within = self.guarantee - slack <= self.ev <= self.ceiling + slack
        return within and abs(self.simulated.mean - self.ev) <= TOLERANCE * self.simulated.standard_error + slack


@dataclass(frozen=True, slots=True)
class Matchup:
    """All meetings of some profiles, and what they win over a number of deals."""

    profiles: tuple[Profile, ...]
    meetings: tuple[Meeting, ...]
    winnings: Mapping[str, tuple[tuple[int, float], ...]]
    """Pairing -> deals in each seat, and chips that its first profile has won in both seats together."""


def meet(
    spot: PreparedSpot,
    algorithms: tuple[str, ...],
    iterations: int,
    *,
    deals: int,
    shown_deals: int,
    seed: int,
    threads: int | None,
    tick: Callable[[str], None],
) -> Matchup:
    """Returns what profiles guarantee and what they win from each other.

    :param spot: a spot without rake.
    :param algorithms: algorithms that make the profiles, each with ``iterations`` iterations.
    :param deals: deals per pairing and seat for the simulated EV.
    :param shown_deals: deals per seat of the winnings over time.
    :param tick: called with a note after each step.
    :raises SpotError: if the spot has a rake: then a guarantee does not follow from the other player's best response.
    """
    if spot.rake.of(spot.tree.root_pot) > 0:
        raise SpotError("profiles are compared without rake: expected a spot without rake")
    profiles = []
    for algorithm in algorithms:
        solver = PostflopSolver(spot, threads=threads, algorithm=algorithm)
        solver.run(iterations)
        best = solver.exploitability().best_response_ev_minus_half_pot
        stored = solver.state()
        averages = stored["average_oop"].copy(), stored["average_ip"].copy()
        profiles.append(Profile(algorithm, averages, (-best[1], -best[0])))
        tick(f"profile {algorithm}")
    # A solver with one array serves as the board on which any two strategies meet.
    board = PostflopSolver(spot, threads=threads, algorithm="cgh")
    lines = play_lines(spot.tree, spot.rake)
    meetings: list[Meeting] = []
    winnings: dict[str, tuple[tuple[int, float], ...]] = {}
    for number, (first, second) in enumerate(combinations(profiles, 2)):
        chunk = max(shown_deals // _CHUNKS, 2)
        won = np.zeros(_CHUNKS)
        for seat in (0, 1):
            oop, ip = (first, second) if seat == 0 else (second, first)
            board.restore(0, {"average_oop": oop.averages[0], "average_ip": ip.averages[1]})
            ev = board.exploitability().ev_minus_half_pot[seat]
            seats = make_seats([board.strategy_table(player) for player in (0, 1)], board)
            play = partial(simulate, lines, seats, spot.ranges, spot.board, threads=threads)
            drawn = seed + 1000 * (2 * number + seat)
            values = play(num_hands=deals, seed=drawn)
            meetings.append(
                Meeting(
                    first.name,
                    second.name,
                    PLAYERS[seat],
                    first.guarantee[seat],
                    ev,
                    -second.guarantee[1 - seat],
                    values[seat],
                )
            )
            for part in range(_CHUNKS):
                shown = play(num_hands=chunk, seed=drawn + 1 + part)
                won[part] += chunk * shown[seat].mean
            tick(f"{first.name} against {second.name}, {PLAYERS[seat]}")
        totals = np.cumsum(won)
        winnings[f"{first.name} against {second.name}"] = tuple(
            ((part + 1) * chunk, float(totals[part])) for part in range(_CHUNKS)
        )
    return Matchup(tuple(profiles), tuple(meetings), winnings)
