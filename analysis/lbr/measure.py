"""Measures local best response against a player: one setting after the other, and goes on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hedgehog.analysis.lbr.match import LbrBlock, LbrJob, estimate_winnings, play_lbr
from hedgehog.analysis.lbr.results import LbrResults
from hedgehog.analysis.parts import WHOLE, Part
from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.status import status_file
from hedgehog.runtime.watch import SILENT, Watch


class LbrMeasurement(NamedTuple):
    """What is known of a setting."""

    blocks: list[LbrBlock]
    """The blocks of all pairs that were played, in order."""
    interrupted: bool
    """Whether the watch, or Ctrl-C, ended it early."""


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
    return LbrMeasurement(sorted(blocks, key=lambda block: block.first), interrupted)


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
