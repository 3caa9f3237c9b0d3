"""Figures of every flop of a preflop line: equity, EV, and how often every action on the flop is taken.

* The *mass* of a flop is the weight of all pairs of hands of the two ranges that miss it. The number of flops in a
  class times the mass is proportional to the probability that the flop is dealt after the line.
* The *equity* is the exact all-in equity of the ranges on the flop.
* The *EV* is in pots: chips received at the end of the hand less chips put in from the flop on, divided by the pot at
  the flop. The EVs of both players add up to 1. An exact pack holds them. In a quick pack both players follow the pack
  on the flop and the blueprint on turn and river, and the EV is estimated from sampled run-outs (:func:`estimate_evs`).
* An action's *share* is the probability, given the ranges and the flop, that the hand takes it on the flop: all
  actions before it are taken, and then it is. The frequency of the action is its share divided by the sum of the shares
  at its decision.

The figures of a flop depend on the pack alone, so they are kept in the cache folder, and an interrupted computation
continues.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.packs.flop_lines import FlopPack, ReportLine, flop_pack_of
from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, combo_mask
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.isomorphism import flop_representative
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.runtime.errors import InputError, RangeError, ResourceError
from hedgehog.runtime.jit import cache_home
from hedgehog.runtime.machine import num_processors
from hedgehog.runtime.npy_files import header_array, read_npz, write_npz
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.flops.play import LinePlay, pair_shares
from hedgehog.solver.flops.refine import sample_runouts
from hedgehog.solver.packs.blueprint import blueprint_of_pack
from hedgehog.strategies.betting_tree import IP, OOP
from hedgehog.strategies.manifest import MANIFEST_NAME
from hedgehog.strategies.pack import open_pack

DEFAULT_RUNOUTS: Final = 12
_FORMAT: Final = "hedgehog-flop-figures-1"
_SAVE_EVERY_S: Final = 20.0
_Values = dict[str, float | NDArray[np.float64]]
"""Figures of a flop class by the name of their array."""
_AHEAD: Final = 4
"""Flops that are prepared for each thread before their results are awaited."""


@dataclass(frozen=True, slots=True)
class LineFigures:
    """Figures of some flop classes of one preflop line."""

    line: ReportLine
    classes: NDArray[np.int64]
    """(C,) flop classes, ascending."""
    mass: NDArray[np.float64]
    """(C,) weight of all pairs of hands that miss the flop."""
    equity: NDArray[np.float64]
    """(C,) equity of OOP, 0 to 1; NaN where no pair of hands misses the flop."""
    ev: NDArray[np.float64]
    """(C,) EV of OOP in pots; NaN if it is not known."""
    ev_error: NDArray[np.float64]
    """(C,) standard error of ``ev``; 0 if it is exact, NaN if it is not known."""
    exploitability: NDArray[np.float64]
    """(C,) percent of the pot; NaN if the pack does not hold it."""
    shares: NDArray[np.float64]
    """(C, actions of all decisions) probability that the hand takes the action, given ranges and flop."""

    def columns(self, decision: int) -> slice:
        """Returns the columns of ``shares`` of a decision, by its place among the line's decisions."""
        counts = [len(each.actions) for each in self.line.decisions[: decision + 1]]
        return slice(sum(counts[:-1]), sum(counts))


def estimate_evs(
    samples: NDArray[np.float64], equity: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns OOP's EV on every flop from sampled run-outs, and its standard error.

    The mean over the sampled run-outs is corrected by two control variates whose means over all run-outs are known:
    what a showdown on the run-out would give, and the weight of the hands that miss it. How much the values follow them
    is estimated from all flops together, by regression within flops.

    :param samples: (C, n, 3) on n run-outs of every flop, scaled to the flop: OOP's share of the pot, whose mean over
        all run-outs is OOP's EV; OOP's share in a showdown of the ranges, whose mean is OOP's equity; and the weight of
        the pairs of hands that miss the run-out, whose mean is 1.
    :param equity: (C,) OOP's exact equity.
    :returns: float64 (C,) and (C,); the errors are NaN with fewer than two run-outs.
    """
    means = samples.mean(axis=1)
    apart = samples - means[:, None]
    value, controls = apart[..., 0].ravel(), apart[..., 1:].reshape(-1, 2)
    slopes = np.linalg.lstsq(controls, value, rcond=None)[0] if len(value) else np.zeros(2)
    known = np.stack([equity, np.ones_like(equity)], axis=1)
    evs = means[:, 0] - (means[:, 1:] - known) @ slopes
    count = samples.shape[1]
    if count < 2:
        return evs, np.full(len(evs), np.nan)
    left = apart[..., 0] - apart[..., 1:] @ slopes
    return evs, np.sqrt((left**2).sum(axis=1) / (count - 1) / count)


class _Store:
    """Arrays by flop class in one file of the cache folder; NaN stands for what is not known yet."""

    def __init__(self, key: Sequence[object], shapes: dict[str, tuple[int, ...]], folder: Path | None) -> None:
        """
        :param key: everything that the figures depend on.
        :param shapes: shape of every array; the first axis is the flop class.
        :param folder: folder of the file; None keeps nothing on disk.
        """
        digest = hashlib.sha256(repr([_FORMAT, *key]).encode()).hexdigest()[:32]
        self._path = None if folder is None else folder / f"{digest}.npz"
        self.arrays = {name: np.full(shape, np.nan, dtype=np.float32) for name, shape in shapes.items()}
        self._saved = time.monotonic()
        self._changed = False
        if self._path is None or not self._path.exists():
            return
        try:
            _, found = read_npz(self._path, _FORMAT, tuple(shapes))
        except InputError:
            return  # damaged: made anew
        if all(found[name].shape == shape and found[name].dtype == np.float32 for name, shape in shapes.items()):
            self.arrays = {name: found[name].copy() for name in shapes}

    def known(self, place: int) -> bool:
        """Tells whether the figures of the flop class at a place are known."""
        return not np.isnan(self.arrays["done"][place])

    def put(self, place: int, **values: float | NDArray[np.float64]) -> None:
        """Notes the figures of the flop class at a place, and writes the file now and then."""
        for name, value in values.items():
            self.arrays[name][place] = value
        self.arrays["done"][place] = 1.0
        self._changed = True
        if time.monotonic() - self._saved > _SAVE_EVERY_S:
            self.save()

    def save(self) -> None:
        """Writes the file if there is something new. A cache folder that cannot be written is no error."""
        self._saved = time.monotonic()
        if self._path is None or not self._changed:
            return
        try:
            write_npz(self._path, {"header": header_array({"format": _FORMAT}), **self.arrays}, compressed=True)
            self._changed = False
        except ResourceError:
            self._path = None


class FlopEvaluator:
    """Computes the figures of the flops of one pack.

    :param pack: the pack.
    :param runouts: sampled run-outs for each flop of a quick pack; 0 leaves the EVs out.
    :param threads: number of threads; None for all processors.
    :param seed: seed of the run-outs.
    :param folder: folder of the figures that are kept; None takes a folder of the cache.
    """

    def __init__(
        self,
        pack: FlopPack,
        *,
        runouts: int = DEFAULT_RUNOUTS,
        threads: int | None = 1,
        seed: int = 1,
        folder: Path | None = None,
    ) -> None:
        self.pack = pack
        self._runouts = runouts if pack.quick is not None else 0
        self._threads, self._seed = threads or num_processors(), seed
        self._folder = folder if folder is not None else cache_home() / "flop-figures"
        self._digest = hashlib.sha256((pack.pack.folder / MANIFEST_NAME).read_bytes()).hexdigest()

    def stores(self, line: ReportLine) -> tuple[_Store, _Store | None]:
        """Returns the stores of a line's exact figures and of its sampled run-outs."""
        count, actions = len(line.classes), sum(len(decision.actions) for decision in line.decisions)
        shapes: dict[str, tuple[int, ...]] = {"mass": (count,), "equity": (count,), "shares": (count, actions)}
        exact = _Store([self._digest, line.name], {**shapes, "done": (count,)}, self._folder)
        if not self._runouts:
            return exact, None
        key = [self._digest, line.name, self._runouts, self._seed]
        return exact, _Store(key, {"samples": (count, self._runouts, 3), "done": (count,)}, self._folder)

    def missing(self, line: ReportLine, chosen: NDArray[np.bool_]) -> int:
        """Returns the number of chosen flop classes of a line whose figures are not known yet."""
        stores = [store for store in self.stores(line) if store is not None]
        return sum(not all(store.known(int(place)) for store in stores) for place in np.flatnonzero(chosen))

    def figures(
        self, line: ReportLine, chosen: NDArray[np.bool_], on_flop: Callable[[], None] = lambda: None
    ) -> LineFigures:
        """Returns the figures of some flop classes of a line.

        :param chosen: (classes of the line,) which of them.
        :param on_flop: called after every flop class whose figures were not known.
        """
        exact, sampled = self.stores(line)
        places = np.flatnonzero(chosen)
        stores = [store for store in (exact, sampled) if store is not None]
        todo = [int(place) for place in places if not all(store.known(int(place)) for store in stores)]
        if todo:
            try:
                self._compute(line, todo, stores, on_flop)
            finally:
                for store in stores:
                    store.save()
        found = {name: array[places].astype(np.float64) for name, array in exact.arrays.items()}
        ev = np.full(len(places), np.nan)
        error = np.full(len(places), np.nan)
        if line.evs is not None:
            ev, error = _stored_evs(line, places), np.zeros(len(places))
        elif sampled is not None:
            ev, error = estimate_evs(sampled.arrays["samples"][places].astype(np.float64), found["equity"])
        exploitability = np.full(len(places), np.nan) if line.exploitability is None else line.exploitability[places]
        return LineFigures(
            line, line.classes[places], found["mass"], found["equity"], ev, error, exploitability, found["shares"]
        )

    def all_figures(
        self, wanted: Sequence[tuple[ReportLine, NDArray[np.bool_]]], watch: Watch = SILENT
    ) -> list[LineFigures]:
        """Returns the figures of some flop classes of each line.

        :param wanted: the lines, each with (classes of the line,) which of its classes.
        """
        watch.begin("computing", sum(self.missing(line, chosen) for line, chosen in wanted), "flops")
        watch.update(0)
        done = itertools.count(1)
        return [self.figures(line, chosen, lambda: watch.update(next(done))) for line, chosen in wanted]

    def _compute(
        self, line: ReportLine, todo: Sequence[int], stores: Sequence[_Store], on_flop: Callable[[], None]
    ) -> None:
        """Fills the stores of the exact figures and, if there are any, of the sampled run-outs."""
        plays: queue.SimpleQueue[LinePlay] = queue.SimpleQueue()
        if len(stores) > 1:
            quick = self.pack.quick
            assert quick is not None
            blueprint = blueprint_of_pack(quick.blueprint)
            cards = CardAbstraction.load_or_build(blueprint.cards)
            for _ in range(self._threads):
                plays.put(LinePlay(blueprint.tree, line.first, cards, blueprint.block))
        waiting: list[tuple[int, Future[list[_Values]]]] = []

        def collect(place: int, future: Future[list[_Values]]) -> None:
            for store, values in zip(stores, future.result(), strict=True):
                if values:
                    store.put(place, **values)
            on_flop()

        with ThreadPoolExecutor(self._threads) as pool:
            try:
                for place in todo:
                    flop_class = int(line.classes[place])
                    rows = line.rows(flop_class)  # a pack is read by one thread
                    wanted = [not store.known(place) for store in stores]
                    waiting.append((place, pool.submit(self._answer, line, flop_class, rows, wanted, plays)))
                    while len(waiting) > _AHEAD * self._threads:
                        collect(*waiting.pop(0))
                for each in waiting:
                    collect(*each)
            except BaseException:
                for _, future in waiting:
                    future.cancel()
                raise

    def _answer(
        self,
        line: ReportLine,
        flop_class: int,
        rows: list[NDArray[np.float32]],
        wanted: Sequence[bool],
        plays: queue.SimpleQueue[LinePlay],
    ) -> list[_Values]:
        """Returns the values for each store that wants them, else no values."""
        flop = flop_representative(flop_class)
        mass = pair_mass(line.ranges, flop)
        found: list[_Values] = [{} for _ in wanted]
        if wanted[0]:
            shares = action_shares(line, flop, rows, mass)
            found[0] = {"mass": mass, "equity": _equity(line.ranges, flop), "shares": shares}
        if any(wanted[1:]):
            samples = np.full((self._runouts, 3), np.nan)
            if mass > 0:
                boards = sample_runouts(flop, self._runouts, self._seed * 2_000 + flop_class)
                play = plays.get()
                try:
                    value = play.values(flop, line.ranges, rows, boards)
                finally:
                    plays.put(play)
                samples = np.stack([value, *_controls(line.ranges, flop, boards)], axis=1)
            found[1] = {"samples": samples}
        return found


def pack_figures(
    path: str | os.PathLike[str],
    lines: Sequence[str] = (),
    *,
    runouts: int = DEFAULT_RUNOUTS,
    threads: int | None = None,
    watch: Watch = SILENT,
) -> list[LineFigures]:
    """Returns the figures of all flops of some lines of a pack.

    :param path: folder of the pack.
    :param lines: bettings of the lines; empty for all lines.
    :param runouts: sampled run-outs behind each EV of a quick pack; 0 for no EVs.
    :param threads: number of threads; None for all processors.
    :raises InputError: if the pack lacks a line, or its lines have different flops.
    """
    pack = flop_pack_of(open_pack(path))
    chosen = [pack.line(text) for text in lines] or list(pack.lines)
    if not all(np.array_equal(line.classes, chosen[0].classes) for line in chosen):
        raise InputError("its lines have different flops: name one by --line", source=str(path))
    evaluator = FlopEvaluator(pack, runouts=runouts, threads=threads)
    return evaluator.all_figures([(line, np.ones(len(line.classes), dtype=np.bool_)) for line in chosen], watch)


def pair_mass(ranges: NDArray[np.float32], flop: Sequence[int]) -> float:
    """Returns the weight of all pairs of hands of two ranges that miss a flop.

    :param ranges: (2, 1326) weights of OOP and IP.
    """
    live = ranges.astype(np.float64) * combo_mask(flop)
    return float(disjoint_weight(live[IP]) @ live[OOP])


def _equity(ranges: NDArray[np.float32], flop: Sequence[int]) -> float:
    try:
        return range_equity(ranges[OOP], ranges[IP], flop).equity
    except RangeError:
        return float("nan")


def _controls(
    ranges: NDArray[np.float32], flop: Sequence[int], boards: NDArray[np.uint8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    live = ranges * combo_mask(flop)
    weights = pair_shares(live, boards)
    equities = [
        _equity(live, board.tolist()) if weight > 0 else 0.0 for board, weight in zip(boards, weights, strict=True)
    ]
    return weights * equities, weights


def action_shares(
    line: ReportLine, flop: Sequence[int], rows: Sequence[NDArray[np.float32]], mass: float
) -> NDArray[np.float64]:
    """Returns the probability that a hand takes each action on the flop, given the ranges and the flop.

    :param rows: probabilities (1176, actions) of the live combos at every decision of the line.
    :param mass: weight of all pairs of hands (:func:`pair_mass`).
    :returns: float64 (actions of all decisions,).
    """
    live = combo_mask(flop)
    cards = COMBO_CARDS[live].astype(np.int64)
    holds = np.zeros((len(cards), NUM_CARDS))
    holds[np.arange(len(cards))[:, None], cards] = 1.0
    ranges = line.ranges[:, live].astype(np.float64)
    reach = {0: (ranges[OOP], ranges[IP])}
    found = []
    for decision, block in zip(line.decisions, rows, strict=True):
        here = reach.pop(decision.node)
        mine, other = here[decision.player], here[1 - decision.player]
        by_card = other @ holds
        disjoint = other.sum() - by_card[cards].sum(axis=1) + other
        after = mine[:, None] * block
        found.append(disjoint @ after / mass if mass > 0 else np.full(after.shape[1], np.nan))
        for action, child in enumerate(line.tree.children(decision.node)):
            own = np.ascontiguousarray(after[:, action])
            reach[child] = (own, other) if decision.player == OOP else (other, own)
    return np.concatenate(found)


def _stored_evs(line: ReportLine, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns OOP's EV in pots on flop classes whose EVs by combo are in the pack."""
    assert line.evs is not None
    found = np.full(len(places), np.nan)
    for i, place in enumerate(places.tolist()):
        live = combo_mask(flop_representative(int(line.classes[place])))
        ranges = line.ranges.astype(np.float64) * live
        evs = line.evs[place, OOP]
        # Combos that a solve leaves out, because they hardly ever get there, have no EV.
        weights = np.where(np.isfinite(evs), (ranges[OOP] * disjoint_weight(ranges[IP]))[live], 0.0)
        if weights.sum() > 0:
            found[i] = float(weights @ np.nan_to_num(evs) / weights.sum())
    return found
