"""What carries single decisions to the two-player game: a log of all mappings, and two statistics of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.mapped_strategy import MappedAnswer
from hedgehog.agent.limit.options import parse_limit_options
from hedgehog.agent.limit.players import make_limit_player
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.specs import ready_player
from hedgehog.analysis.three_players.experiments import GAME, NUM_SEATINGS
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.arena.match import player_seed, seat_orders
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import Action
from hedgehog.runtime.files import replacing
from hedgehog.runtime.npy_files import read_npz_arrays
from hedgehog.runtime.table import Table, Value

WAYS: Final = ("hbb2", "hbb3", "hbb4")
NEAREST: Final = (10, 15)
RAISE_SHARE: Final = 0.7
NEAR: Final = 0.1
"""Mappings whose mean raise share is within this of :data:`RAISE_SHARE` count for the analysis of distances."""
BOOTSTRAPS: Final = 1000
_ACTIONS: Final = ("fold", "call", "raise")


@dataclass(frozen=True, slots=True)
class MappingLog:
    """All mappings of a match, ``M`` of them, and the ``U`` candidates that they used."""

    columns: NDArray[np.int32]
    """(M, 8) hand, seat, street, active players, opponent, candidates, unreached ones, step."""
    means: NDArray[np.float64]
    """(M, 3) mean triple."""
    variances: NDArray[np.float64]
    """(M, 3) population variance of each action over the candidates used; 0 where none was."""
    mapping: NDArray[np.int64]
    """(U,) the mapping that used each candidate."""
    distances: NDArray[np.int64]
    """(U,) distance of each."""
    triples: NDArray[np.float64]
    """(U, 3) triple of each."""

    @property
    def used(self) -> NDArray[np.int64]:
        """(M,) number of candidates that each mapping used."""
        return np.bincount(self.mapping, minlength=len(self.means))

    def write(self, path: Path) -> None:
        """Writes the log as a file of numpy arrays.

        :raises ResourceError: if the file cannot be written.
        """
        with replacing(path, make_folder=True) as file:
            np.savez_compressed(file, **{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def read(cls, path: Path) -> MappingLog:
        """Returns the log of a file.

        :raises InputError: if the file is damaged, or no such log.
        """
        arrays = read_npz_arrays(path, [field.name for field in fields(cls)])
        return cls(*(arrays[field.name] for field in fields(cls)))


class _Logger(Player):
    """Plays as another player and knows which hand its mappings belong to."""

    def __init__(self, way: str, nearest: int, pack: str) -> None:
        options = parse_limit_options(f"{way}?x={nearest}" + (f"&pack={pack}" if pack else ""), ())
        self._player = make_limit_player(options, None, options.label, on_mapping=self._note)
        self._hand = 0
        self.mappings: list[tuple[int, MappedAnswer]] = []

    def _note(self, mapping: MappedAnswer) -> None:
        self.mappings.append((self._hand, mapping))

    def warm_up(self) -> None:
        self._player.warm_up()
        self.mappings.clear()

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        self._player.new_match(gamedef, seed)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        self._hand = matchstate.hand_id
        return self._player.act(matchstate, deadline)


def log_mappings(
    way: str, nearest: int, *, hands: int, seed: int, pack: str = "", on_hands: Callable[[int], None] | None = None
) -> MappingLog:
    """Plays a duplicate match against two ``random`` and returns all mappings of the player.

    :param way: ``hbb1`` to ``hbb5``.
    :param nearest: number of candidates that are averaged.
    :param hands: hands of the match; each of the six seatings has a sixth of them, rounded up.
    :param pack: path of the two-player pack; empty for the shipped one.
    :param on_hands: called after every hand with the number of hands played.
    """
    gamedef = load_gamedef(GAME)
    each = -(-hands // NUM_SEATINGS)
    found: list[tuple[int, MappedAnswer]] = []
    for number, order in enumerate(seat_orders(3, duplicate=True)):
        logger = _Logger(way, nearest, pack)
        logger.warm_up()
        logger.new_match(gamedef, player_seed(seed, 0, number + 1))
        players = [logger] + [
            ready_player("random", gamedef, seed=player_seed(seed, entrant, number + 1)) for entrant in (1, 2)
        ]
        play_seating(
            gamedef,
            [Seat(players[entrant], PlayRecord()) for entrant in order],
            [str(entrant) for entrant in order],
            num_hands=each,
            seed=seed,
            on_progress=None if on_hands is None else partial(_report, on_hands, number * each),
        )
        found += logger.mappings
    return collect(found)


def _report(on_hands: Callable[[int], None], before: int, done: int, _: Sequence[float]) -> None:
    on_hands(before + done)


def collect(found: list[tuple[int, MappedAnswer]]) -> MappingLog:
    """Returns mappings, each with the number of its hand, as arrays."""
    columns = [
        (
            *(hand, one.situation.hero, one.situation.street, one.situation.players),
            *(one.opponent, one.candidates, one.unreached, one.step),
        )
        for hand, one in found
    ]
    triples = [np.array([used.triple for used in one.used]).reshape(-1, 3) for _, one in found]
    return MappingLog(
        np.array(columns, dtype=np.int32).reshape(-1, 8),
        np.array([one.mean for _, one in found]).reshape(-1, 3),
        np.array([part.var(axis=0) if len(part) else np.zeros(3) for part in triples]).reshape(-1, 3),
        np.repeat(np.arange(len(found)), [len(part) for part in triples]),
        np.array([used.distance for _, one in found for used in one.used], dtype=np.int64),
        np.concatenate(triples) if triples else np.empty((0, 3)),
    )


def variance_table(name: str, log: MappingLog) -> Table:
    """Returns the mean variance of each action by the number of candidates that a mapping used."""
    rows: list[tuple[Value, ...]] = []
    used = log.used
    for k in np.unique(used[used > 0]).tolist():
        alike = used == k
        means = log.variances[alike].mean(axis=0).tolist()
        rows.append((k, int(alike.sum()), *means))
    return Table(
        f"variance-{name}",
        f"Variance of the candidates' probabilities, {name}",
        ("k used", "mappings", *_ACTIONS),
        tuple(rows),
    )


def distance_table(name: str, log: MappingLog, *, seed: int = 0) -> Table:
    """Returns how far candidates' raise shares are off the mean of their mapping, by their distance.

    Only mappings count whose mean raise share is within 0.1 of 0.7. The note has the slope over distance, with a 95 %
    interval by drawing mappings anew.
    """
    near = np.abs(log.means[:, 2] - RAISE_SHARE) <= NEAR
    chosen = near[log.mapping]
    mapping, distances = log.mapping[chosen], log.distances[chosen]
    off = np.abs(log.triples[chosen, 2] - log.means[mapping, 2])
    rows: list[tuple[Value, ...]] = [
        (d, int(np.count_nonzero(distances == d)), float(off[distances == d].mean()))
        for d in np.unique(distances).tolist()
    ]
    slope, low, high = slope_interval(mapping, distances, off, seed)
    return Table(
        f"distance-{name}",
        f"Candidates by distance, {name}",
        ("distance", "candidates", "mean |raise share - mean|"),
        tuple(rows),
        f"Slope {slope:+.4f} per unit of distance, 95 % interval {low:+.4f} to {high:+.4f} (bootstrap over mappings).",
    )


def slope_interval(
    mapping: NDArray[np.int64], distances: NDArray[np.int64], values: NDArray[np.float64], seed: int
) -> tuple[float, float, float]:
    """Returns the least-squares slope of values over distances, and the ends of its bootstrap 95 % interval.

    :param mapping: group of each value; whole groups are drawn anew.
    """
    _, groups = np.unique(mapping, return_inverse=True)
    x, y = distances.astype(np.float64), values
    sums = (
        np.stack([np.bincount(groups, weights=part) for part in (np.ones_like(x), x, y, x * x, x * y)], axis=1)
        if len(x)
        else np.zeros((0, 5))
    )
    if len(sums) == 0:
        return np.nan, np.nan, np.nan
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=BOOTSTRAPS)
    drawn = _slopes(weights.astype(np.float64) @ sums)
    low, high = np.nanquantile(drawn, (0.025, 0.975)) if np.isfinite(drawn).any() else (np.nan, np.nan)
    return float(_slopes(sums.sum(axis=0, keepdims=True))[0]), float(low), float(high)


def _slopes(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    n, x, y, xx, xy = sums.T
    spread = n * xx - x * x
    slopes: NDArray[np.float64] = np.full(len(sums), np.nan)
    np.divide(n * xy - x * y, spread, out=slopes, where=spread > 0)
    return slopes
