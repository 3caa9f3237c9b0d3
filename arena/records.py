"""The files of a tournament: one plan, one folder per match, and one record for each match that is over.

::

    OUT/
      tournament.json          TournamentRecord: the plan, written before the first match
      game.game                the game definition as text
      matches/
        001_call_vs_raise/
          seating_1.log ...    the dealer's logs, and reports and outputs of the players
          match.json           MatchRecord, written when the match is over; without it the match counts as not played

Both JSON files are replaced as a whole, so that a reader never sees half a file.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from hedgehog.arena.match import MATCH_FOLDER
from hedgehog.arena.plans import read_json_object
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.outputs import FolderKind

FORMAT: Final = 1
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,119}")
"""Names that folders of matches, and files in them, may have. No such name leads to another folder."""
_SHOWN: Final = 120
TOURNAMENT_FILE: Final = "tournament.json"
GAME_FILE: Final = "game.game"
MATCH_FILE: Final = "match.json"
MATCHES_FOLDER: Final = "matches"
REPORT_FILES: Final = (
    "report.html",
    "results.json",
    "standings.csv",
    "crosstable.csv",
    "matches.csv",
    "runoff.csv",
    "answers.csv",
    "positions.csv",
    "opponents.csv",
)
"""Files that the analysis of a tournament writes into its folder: a page, all figures, and tables, in this order."""
TOURNAMENT_FOLDER: Final = FolderKind(
    "a tournament",
    (
        TOURNAMENT_FILE,
        GAME_FILE,
        STATUS_FILE,
        *REPORT_FILES,
        f"{MATCHES_FOLDER}/*/{MATCH_FILE}",
        *(f"{MATCHES_FOLDER}/*/{pattern}" for pattern in MATCH_FOLDER.files),
    ),
)
"""The files that a tournament and its analysis leave in its folder."""


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """One participant of a tournament."""

    name: str
    """Name in the logs, unique in the tournament."""
    spec: str
    """Player specification, for example ``default`` or ``cmd:./mybot``."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match of a tournament."""

    folder: str
    """Name of the folder of the match under ``matches/``, unique in the tournament."""
    players: tuple[str, ...]
    """Names of the agents, in the order of the plan."""
    seed: int
    """Seed of the cards, different in every match."""


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """The plan of a tournament: everything that its results depend on."""

    name: str
    game: str
    """File name of the game definition."""
    hands: int
    """Hands per seating."""
    duplicate: bool
    seed: int
    agents: tuple[AgentRecord, ...]
    matches: tuple[PlannedMatch, ...]
    settings: dict[str, Any]
    """Further settings that decide the play (thinking time, time limits, in process or over TCP)."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """The outcome of one match: its logs, or why it failed."""

    logs: tuple[str, ...]
    """File names of the logs in the folder of the match, one per seating; empty if the match failed."""
    failure: str = ""
    """Why the match could not be completed, empty if it was. A failed match is not scored."""
    culprits: tuple[str, ...] = ()
    """Names of the agents whose crash or silence ended the match, as far as known."""
    seconds: float = 0.0
    """Seconds that the match took, without the seatings kept from an interrupted run."""


def write_tournament_record(folder: Path, record: TournamentRecord) -> None:
    """Writes the plan of a tournament into the folder of the tournament.

    :raises ResourceError: if the file cannot be written.
    """
    _write(folder / TOURNAMENT_FILE, asdict(record))


def read_tournament_record(folder: Path) -> TournamentRecord:
    """Returns the plan of the tournament in ``folder``.

    :raises InputError: if there is no plan, or it is damaged.
    """
    path = folder / TOURNAMENT_FILE
    values = _read(path)
    try:
        record = TournamentRecord(
            name=str(values["name"]),
            game=str(values["game"]),
            hands=int(values["hands"]),
            duplicate=bool(values["duplicate"]),
            seed=int(values["seed"]),
            agents=tuple(AgentRecord(str(agent["name"]), str(agent["spec"])) for agent in values["agents"]),
            matches=tuple(
                PlannedMatch(str(match["folder"]), tuple(map(str, match["players"])), int(match["seed"]))
                for match in values["matches"]
            ),
            settings=dict(values["settings"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"not a tournament record: {error!r}", source=str(path)) from error
    names = {agent.name for agent in record.agents}
    for match in record.matches:
        _verify_plain_name(match.folder, path)
        unknown = [name for name in match.players if name not in names]
        if unknown:
            raise InputError(f"match {match.folder!r} has the unknown agent {unknown[0]!r}", source=str(path))
    return record


def write_match_record(folder: Path, record: MatchRecord) -> None:
    """Writes the outcome of a match into the folder of the match.

    :raises ResourceError: if the file cannot be written.
    """
    _write(folder / MATCH_FILE, asdict(record))


def read_match_record(folder: Path) -> MatchRecord | None:
    """Returns the outcome of the match in ``folder``, or None if the match is not over.

    :raises InputError: if the record is damaged.
    """
    path = folder / MATCH_FILE
    try:
        path.stat()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read it: {error}", source=str(folder)) from error
    values = _read(path)
    try:
        record = MatchRecord(
            logs=tuple(map(str, values["logs"])),
            failure=str(values["failure"]),
            culprits=tuple(map(str, values["culprits"])),
            seconds=float(values["seconds"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"not a match record: {error!r}", source=str(path)) from error
    for log in record.logs:
        _verify_plain_name(log, path)
    return record


def _verify_plain_name(name: str, source: Path) -> None:
    if not _PLAIN_NAME.fullmatch(name):
        raise InputError(f"expected the name of a file or folder, got {name[:_SHOWN]!r}", source=str(source))


def _write(path: Path, values: dict[str, Any]) -> None:
    write_text_file(path, json.dumps({"format": FORMAT, **values}, indent=2) + "\n")


def _read(path: Path) -> dict[str, Any]:
    values = read_json_object(path)
    if values.get("format") != FORMAT:
        raise InputError(f"expected a record of format {FORMAT}", source=str(path))
    return values
