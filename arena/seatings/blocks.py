"""Blocks of hands within a seating: when all of them are played, their files become those of the seating."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hedgehog.arena.match import MatchPlan
from hedgehog.arena.plans import read_json_object
from hedgehog.arena.seating_log import LogFollower, Progress, read_finished_log
from hedgehog.dealer.answers import MOST_WARNINGS, AnswerBook, AnswerRecord, read_answers
from hedgehog.dealer.journal import encode
from hedgehog.poker.acpc.handlog import format_header, format_score_line, parse_header, read_log, scan_log_line
from hedgehog.poker.decision_times import DecisionTimes
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path, replacing, write_text_file
from hedgehog.runtime.outputs import make_folder

_SETTINGS: Final = ("average_ms", "decision_ms", "strategy_bb")
"""What players report of themselves that is no count."""


def begin_blocks(plan: MatchPlan, index: int, progress: Progress) -> list[MatchPlan]:
    """Returns the blocks of a seating that are not joined yet, with their folders, or the match if it has no blocks.

    :param progress: the progress of the match. Hands that are joined already are added to it.
    """
    parts = plan.parts(index)
    for part in parts:
        make_folder(part.out)
    if parts[0].first_hand:
        LogFollower(plan.expected_log(index).path, progress).read()
    return parts


def join_blocks(plan: MatchPlan) -> None:
    """Makes the files of every seating that was played in blocks out of those of its blocks, and removes those.

    If the process is killed, the same call completes the change.

    :param plan: a match whose seatings or blocks are all finished.
    :raises InputError: if a file of a block is damaged.
    :raises ResourceError: if a file cannot be written.
    """
    if plan.block_hands is not None:
        for index in range(1, len(plan.seatings()) + 1):
            join_seating(plan, index)


def join_seating(plan: MatchPlan, index: int) -> None:
    """Does for one seating (number ``index``, from 1) what :func:`join_blocks` does for all."""
    if read_finished_log(plan.expected_log(index)) is None:
        blocks = plan.parts(index)
        _join_records(plan, index, blocks)
        for number, report in enumerate(plan.reports(index)):
            _join_reports(_existing(block.reports(index)[number] for block in blocks), report)
        _join_answers(plan, index, blocks)
        for output in sorted({path.name for block in blocks for path in _outputs(block, index)}):
            with replacing(plan.out / output) as file:
                for path in _existing(block.out / output for block in blocks):
                    file.write(path.read_bytes())
        _join_logs(plan, index, blocks)  # the last: a seating with a finished log is finished
    remove_blocks(plan, index)


def remove_blocks(plan: MatchPlan, index: int) -> None:
    """Removes the blocks of a finished seating, if a process that was killed has left any."""
    folder = plan.blocks_folder(index)
    if folder.is_dir():
        for block in list(folder.iterdir()):
            for path in (*block.glob(f"seating_{index}.*"), *block.glob(".seating_*.tmp")):
                path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # it holds something that is not ours
                block.rmdir()
        with contextlib.suppress(OSError):
            folder.rmdir()


def _existing(paths: Iterator[Path]) -> list[Path]:
    return [path for path in paths if path.is_file()]


def _outputs(block: MatchPlan, index: int) -> list[Path]:
    return [path for path in block.out.glob(f"seating_{index}.*") if path.suffix in (".err", ".out")]


def _join_logs(plan: MatchPlan, index: int, blocks: Sequence[MatchPlan]) -> None:
    expected = plan.expected_log(index)
    earlier = [expected.path] if blocks[0].first_hand else []
    logs = [read_log(path) for path in (*earlier, *(block.expected_log(index).path for block in blocks))]
    header = parse_header(logs[0][0])
    assert header is not None  # the log was counted
    lines = [format_header(replace(header, hands=plan.hands))]
    lines += [line for line in logs[0][1:] if line.startswith("#")]
    totals = dict.fromkeys(expected.names, 0.0)
    for line in (line for log in logs for line in log if line.startswith("STATE:")):
        hand = scan_log_line(line)
        for name, value in zip(hand.names.split("|"), hand.values, strict=True):
            totals[name] += value
        lines.append(line)
    lines.append(format_score_line(totals.values(), expected.names))
    with replacing(expected.path) as file:
        file.write(encode("".join(f"{line}\n" for line in lines)))


def _join_records(plan: MatchPlan, index: int, blocks: Sequence[MatchPlan]) -> None:
    first = blocks[0].first_hand
    for number, whole in enumerate(plan.records(index)):
        found = [
            (path, range(block.first_hand, block.first_hand + block.hands))
            for block in blocks
            if (path := block.records(index)[number]).is_file()
        ]
        if not found:
            continue
        from hedgehog.agent.decision_record import DecisionRecord  # numpy, which bots do not need

        if first and whole.is_file():
            found.insert(0, (whole, range(first)))
        parts = [(record := DecisionRecord(path), record.part(hands)) for path, hands in found]
        with replacing(whole) as file:
            file.write(parts[0][0].header.line())
            for record, part in parts:
                file.write(part[len(record.header.line()) :])


def _join_reports(reports: Sequence[Path], whole: Path) -> None:
    """Adds up what a player or its client has counted in the blocks."""
    if not reports:
        return
    found = [read_json_object(path) for path in reports]
    try:
        times = DecisionTimes()
        for values in found:
            times.merge(DecisionTimes.from_dict(values["decision_ms"]))
        joined = {**found[0], "decision_ms": times.as_dict()}
        for key in ("hands", "decisions", "player_errors", "illegal_actions", "late_actions", "failures", "player"):
            for values in found[1:]:
                joined[key] = _added(joined[key], values[key])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(f"not a match report: {error!r}", source=str(reports[0])) from error
    write_text_file(whole, json.dumps(joined, indent=2) + "\n")


def _added(one: Any, other: Any) -> Any:
    """Returns the sum of two counts, or of the counts in two tables; anything else is taken from the first."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        keys = [*one, *(key for key in other if key not in one)]
        return {
            key: one[key]
            if key not in other or (key in one and key in _SETTINGS)
            else _added(one[key], other[key])
            if key in one
            else other[key]
            for key in keys
        }
    if type(one) in (int, float) and type(other) in (int, float):
        return one + other
    return one


def _join_answers(plan: MatchPlan, index: int, blocks: Sequence[MatchPlan]) -> None:
    whole, first = plan.answers(index), blocks[0].first_hand
    records = [read_answers(path) for path in _existing(block.answers(index) for block in blocks)]
    if not records:
        return
    if first and whole.is_file():
        earlier = read_answers(whole)
        if earlier.hands == plan.hands:  # a process that was killed had joined them already
            return
        records.insert(0, earlier)
    names = plan.expected_log(index).names
    head = {"game": str(real_path(plan.game)), "seed": plan.seed, "players": list(names), "match": whole.stem}
    book = AnswerBook(whole, names, slow_ms=records[0].slow_ms, head=head)
    book.record = AnswerRecord(
        hands=sum(record.hands for record in records),
        slow_ms=records[0].slow_ms,
        seats=book.record.seats,
        warnings=[warning for record in records for warning in record.warnings][:MOST_WARNINGS],
    )
    for record in records:
        for seat, other in zip(book.record.seats, record.seats, strict=True):
            seat.add(other)
    book.save()
