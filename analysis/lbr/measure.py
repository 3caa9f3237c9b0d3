"""Measures local best response against a player: one setting after the other, and goes on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hedgehog.analysis.lbr.match import LbrBlock, LbrEstimate, LbrJob, estimate_winnings, play_lbr
from hedgehog.analysis.lbr.results import LbrResults
from hedgehog.analysis.parts import WHOLE, Part
from hedgehog.analysis.stats.estimate import Estimate, interval_cells
from hedgehog.analysis.stats.estimate_plot import plot_estimates
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.status import status_file
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Table
from hedgehog.runtime.watch import SILENT, Watch

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LbrMeasurement(Shown):
    """What is known of a setting: what local best response wins from a player."""

    job: LbrJob
    """What was measured."""
    blocks: list[LbrBlock]
    """The blocks of all pairs that were played, in order."""
    interrupted: bool
    """Whether the watch, or Ctrl-C, ended it early."""

    @property
    def pairs(self) -> int:
        """Number of pairs of hands that were played."""
        return sum(len(block.pairs) for block in self.blocks)

    def estimate(self) -> LbrEstimate:
        """Returns what local best response wins, in mbb per hand.

        :raises InputError: if no hand was played.
        """
        if not self.blocks:
            raise InputError("expected a measurement with at least one pair of hands, got one without any")
        return estimate_winnings(self.blocks, self.job.gamedef.big_blind)

    def summary(self) -> str:
        """Returns the player, the setting, the hands, and what is won with the luck removed."""
        head = f"{self.job.setting.name} against {self.job.spec}, {2 * self.pairs:,} hands"
        if not self.blocks:
            return head
        return f"{head}, wins {format_estimate(self.estimate().adjusted)} mbb/hand"

    def table(self) -> Table:
        """Returns a row for each way to count the winnings: as chips, with hands integrated out, with luck removed."""
        rows = [
            {
                "player": self.job.spec,
                "setting": self.job.setting.name,
                "counted": name,
                "hands": 2 * self.pairs,
                **interval_cells("", one),
                "bb_per_100": one.mean / 10,
                "sd_pair": one.sd,
            }
            for name, one in (self.estimate()._asdict() if self.blocks else {}).items()
        ]
        names = ("player", "setting", "counted", "hands", *interval_cells("", None), "bb_per_100", "sd_pair")
        note = "Won by local best response; the intervals are of 95 %. bb_per_100: big blinds per 100 hands."
        return Table("lbr", "Local best response", names, tuple(tuple(row.values()) for row in rows), note)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the winnings, counted in three ways, with their 95 % intervals, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if no hand was played, or matplotlib is not installed.
        """
        won = self.estimate()
        return plot_estimates(won._fields, won, "won by local best response, mbb per hand, with 95 % interval", axes)


def measure_lbr(
    job: LbrJob,
    hands: int,
    *,
    engine: Engine | None = None,
    part: Part = WHOLE,
    kept: LbrResults | None = None,
    watch: Watch = SILENT,
) -> LbrMeasurement:
    """Plays the pairs of hands of a setting that have no result yet.

    :param hands: hands of the setting; an odd number is rounded up.
    :param engine: plays the pairs (:func:`hedgehog.runtime.engines.opening.open_engine`); None for this process.
    :param part: the part of the pairs that is played here.
    :param kept: file with results, to which new ones are added; its pairs are not played again. In the end it holds
        what it would hold if they had been played one after the other.
    :param watch: hears of hands, and can stop the measurement; so can Ctrl-C, which is not raised again.
    """
    blocks = [] if kept is None else kept.blocks(job.setting.name)
    done = {block.first + i for block in blocks for i in range(len(block.pairs))}
    missing = [pair for pair in part.of((hands + 1) // 2) if pair not in done]
    interrupted = False
    played = len(done)
    watch.begin(job.setting.name, 2 * (len(done) + len(missing)), "hands", "starting")
    if played:
        watch.update(2 * played)
    status = None if kept is None else status_file(kept.path)
    try:
        for block in play_lbr(job, missing, engine, watch.warn, status):
            blocks.append(block)
            if kept is not None:
                kept.add(job.setting.name, block)
            played += len(block.pairs)
            watch.update(2 * played, "")
            if watch.stopped:
                interrupted = True
                break
    except KeyboardInterrupt:
        interrupted = True
    if kept is not None:
        kept.settle()
    return LbrMeasurement(job, sorted(blocks, key=lambda block: block.first), interrupted)


def describe_lbr(blocks: Sequence[LbrBlock], setting: str, big_blind: int) -> dict[str, Any]:
    """Returns the winnings of a setting as plain data. A figure that the pairs of hands cannot give is None."""
    estimate = estimate_winnings(blocks, big_blind)
    pairs = sum(len(block.pairs) for block in blocks)
    return {
        "setting": setting,
        "hands": 2 * pairs,
        "pairs": pairs,
        **{name: _numbers(one) for name, one in estimate._asdict().items()},
        "cpu_ms_per_hand": _cpu_ms(blocks),
    }


def _cpu_ms(blocks: Sequence[LbrBlock]) -> float | None:
    """Returns the mean CPU time of a hand in ms over the blocks whose time is known; None if there are none."""
    timed = [(block.cpu_seconds, len(block.pairs)) for block in blocks if block.cpu_seconds is not None]
    hands = 2 * sum(count for _, count in timed)
    return 1000 * sum(seconds for seconds, _ in timed) / hands if hands else None


def _numbers(estimate: Estimate) -> dict[str, float | None]:
    return {
        "mbb_per_hand": estimate.mean,
        "ci95": estimate.half_width if estimate.has_interval else None,
        "sd_pair": estimate.sd if estimate.n > 1 else None,
    }
