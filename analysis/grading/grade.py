"""Grades a player's decisions in hand-history files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.analysis.grading.graded import GradedHands
from hedgehog.analysis.grading.hand import GradedHand, HandGrader, HandToGrade, decisions_of, hand_to_grade
from hedgehog.analysis.grading.options import GradeOptions
from hedgehog.analysis.grading.parts import grade_parts, open_our_player, part_line
from hedgehog.analysis.grading.spots import is_at, verify_spot
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.streets import FLOP, STREETS
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.watch import SILENT, Watch


def grade_files(
    files: Sequence[str | os.PathLike[str]],
    options: GradeOptions,
    *,
    file_format: str | None = None,
    gamedef: GameDef | None = None,
    watch: Watch = SILENT,
) -> GradedHands:
    """Returns a player's hands, graded.

    :param files: hand histories of any format that is read, folders and zip archives too. Their order does not count.
    :param file_format: format of the files; None: each is recognised.
    :param gamedef: the game; None: that of the files.
    :param watch: hears of the progress, and what was left out.
    :raises InputError: if no hand can be read or the player is in none; also LogError, PackError.
    :raises StoppedError: if the watch says to stop; finished parts are in the store.
    """
    player = open_our_player(options.packs, options.think_ms)
    hands, left_out = read_hands(files, options, player, file_format=file_format, gamedef=gamedef, watch=watch)
    mine = hands if options.part is None else options.part.pick(hands)
    if options.part is not None:
        left_out.append(part_line(options.part, len(mine), len(hands)))
        watch.note(left_out[-1])
    spots = sum(1 for given in mine if given.hand.state.round >= 2)
    watch.begin("grading", len(mine), "hands")
    done, lost = 0, 0.0

    def tell(graded: list[GradedHand]) -> None:
        nonlocal done, lost
        done += len(graded)
        lost += sum(hand.terms.losses for hand in graded)
        watch.update(done, f"{1000 * lost / done:.0f} mbb lost per hand so far, {spots:,} hands with a turn")
        if watch.stopped:
            raise StoppedError

    found = grade_parts(hands, options, tell, watch.warn)
    return GradedHands(options, tuple(found), tuple(left_out))


def read_hands(
    files: Sequence[str | os.PathLike[str]],
    options: GradeOptions,
    player: PackPlayer,
    *,
    file_format: str | None = None,
    gamedef: GameDef | None = None,
    watch: Watch = SILENT,
) -> tuple[list[HandToGrade], list[str]]:
    """Returns the hands of a player that can be graded, and a line for each kind of hands that cannot.

    :param player: our player, who says for which stacks there are packs.
    :raises InputError: if the player is in no hand; also LogError.
    """
    inputs = HandInput([Path(file) for file in sorted(os.fspath(file) for file in files)], file_format, gamedef)
    grader = HandGrader(player, {})
    names: set[str] = set()
    earlier = undated = 0
    since = "" if options.since is None else options.since.isoformat()
    found: list[HandToGrade] = []
    watch.begin("reading", inputs.num_hands, "hands")
    for file in inputs.files:
        for entry in inputs.read(file, hidden_cards=True):
            watch.update(inputs.hands)
            names.update(entry.hand.names.split("|"))
            if options.numbers and entry.hand.hand_id not in options.numbers:
                continue
            try:
                given = hand_to_grade(file.path.name, entry, options.player)
                if given is None or len(found) == options.first:
                    continue
                if since and not given.date:
                    undated += 1
                    raise LeftOutError("no day is told, which --since needs")
                if given.date < since:
                    earlier += 1
                    continue
                if options.borrow_ranges:
                    given = given._replace(borrowed=grader.lending_depth(given))
                else:
                    grader.verify_depth(given)
                found.append(given)
            except LeftOutError as error:
                inputs.leave_out(file, entry, error)
    left_out = inputs.notes()
    if earlier:
        left_out.append(f"{earlier:,} hand{'s' * (earlier != 1)} before {since}: not graded")
    for line in left_out:
        watch.note(line)
    if names and options.player not in names:
        raise InputError(f"no player {options.player!r}: expected {', '.join(sorted(names))}")
    if undated and not found and not earlier:
        raise InputError("no hand tells the day on which it was played: logs of the ACPC never do", source="--since")
    if options.spot:
        verify_spot((d for given in found for d in decisions_of(given)), options.spot)
    if options.worst_flops is not None:
        found = _with_worst_flops(found, options)
    return found, left_out


def _with_worst_flops(hands: Sequence[HandToGrade], options: GradeOptions) -> list[HandToGrade]:
    """Returns hands of which so many flops are solved as the options say: those with the largest pots at their end."""
    pots = []
    for number, given in enumerate(hands):
        acts = any(d.street == STREETS[FLOP] and is_at(d, options.spot) for d in decisions_of(given))
        if acts and given.hand.hole_cards[given.position] and not given.borrowed:
            end = next((state for state, _ in given.hand.state.replay() if state.round > FLOP), given.hand.state)
            pots.append((-sum(end.spent) / given.big_blind, given.source, given.line, number))
    chosen = {number for *_, number in sorted(pots)[: options.worst_flops]}
    return [given._replace(flop=number in chosen) for number, given in enumerate(hands)]
