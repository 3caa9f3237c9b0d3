"""Lets a tournament grow by agents or by hands, without playing anything again.

The matches of a further agent come behind all others, with cards of their own. More hands go on with the cards that
were dealt. So a folder that has grown holds the plan, the logs and the records of decisions of a tournament that was
played at once, unless a player depends on the clock. What players measured of themselves covers the last part alone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from hedgehog.arena.plans import verify_same_plan
from hedgehog.arena.records import (
    FORMAT,
    MATCH_FILE,
    MATCHES_FOLDER,
    TOURNAMENT_FILE,
    PlannedMatch,
    TournamentRecord,
    read_match_record,
    read_tournament_record,
    write_tournament_record,
)
from hedgehog.poker.acpc.handlog import format_header, parse_header
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.input_files import MOST_LOG_BYTES, read_file

_LOGS: Final = "seating_[0-9]*.log"


def verify_growth(folder: Path, wanted: TournamentRecord, remembering: Collection[str] = ()) -> TournamentRecord:
    """Checks that the tournament in a folder can become another one by agents or hands, and returns its plan.

    :param wanted: the plan that it shall have.
    :param remembering: names of agents that may remember the hands before, so that none can be added to theirs.
    :raises InputError: if the folder holds another tournament, or one that cannot grow.
    """
    before = read_tournament_record(folder)
    agents, matches = len(before.agents), len(before.matches)
    begun = replace(
        wanted,
        hands=min(before.hands, wanted.hands),
        agents=wanted.agents[:agents],
        matches=wanted.matches[:matches],
    )
    pairs, wanted_pairs = ([match.players for match in plan.matches] for plan in (before, begun))
    if pairs != wanted_pairs and sorted(pairs) == sorted(wanted_pairs):
        raise InputError(
            "this tournament was begun by an earlier version, which numbered matches in another order: no agent can be "
            "added",
            source=str(folder / TOURNAMENT_FILE),
        )
    verify_same_plan({"format": FORMAT, **asdict(begun)}, folder / TOURNAMENT_FILE)
    block = wanted.settings.get("block_hands")
    if wanted.hands > before.hands and block is not None and before.hands % block:
        raise InputError(
            f"no hands can be added to {before.hands} in blocks of {block}: the last block is shorter than the others",
            source=str(folder),
        )
    played = {name for match in before.matches for name in match.players}
    if wanted.hands > before.hands and (names := sorted(played.intersection(remembering))):
        raise InputError(
            f"no hands can be added to those of {', '.join(names)}, who may remember the hands before: "
            "--resume-external goes on all the same",
            source=str(folder),
        )
    return before


def grow(folder: Path, wanted: TournamentRecord, remembering: Collection[str] = ()) -> None:
    """Changes the tournament in a folder into the unfinished beginning of one with more agents or hands.

    If the process is killed, the same call completes the change. The parameters and errors are those of
    :func:`verify_growth`.

    :raises ResourceError: if a file cannot be written.
    """
    before = verify_growth(folder, wanted, remembering)
    if wanted.hands > before.hands:
        for match in before.matches:
            _add_hands(folder / MATCHES_FOLDER / match.folder, match, wanted.hands)
    if before != wanted:
        write_tournament_record(folder, wanted)


def _add_hands(folder: Path, match: PlannedMatch, hands: int) -> None:
    """Makes a match unfinished: its logs promise more hands and have no score. A match that has failed stays so."""
    record = read_match_record(folder)
    if record is not None and record.failure:
        return
    (folder / MATCH_FILE).unlink(missing_ok=True)
    for path in folder.glob(_LOGS):
        data = read_file(path, MOST_LOG_BYTES)
        first, end, rest = data.partition(b"\n")
        text = first.decode("utf-8", "surrogateescape")
        try:
            header = parse_header(text)
        except LogError:
            continue  # it is damaged, and whoever plays on says so
        if header is None or not end or header.seed != match.seed:
            continue
        lines = rest.splitlines(keepends=True)
        if lines and lines[-1].startswith(b"SCORE:"):
            lines.pop()
        grown = format_header(replace(header, hands=hands)).encode("utf-8", "surrogateescape")
        content = grown + end + b"".join(lines)
        if content != data:
            with replacing(path) as file:
                file.write(content)
