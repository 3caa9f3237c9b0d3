"""Hand histories, matches and tournaments in the explorer."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from hedgehog.analysis.tournament.report import result_values
from hedgehog.analysis.tournament.scoring import analyse_tournament
from hedgehog.arena.records import MATCHES_FOLDER, TOURNAMENT_FILE
from hedgehog.explorer.items.item import Item, Params, Question, disk_state
from hedgehog.explorer.items.log_index import HandRow, LogIndex, describe_logged_hand
from hedgehog.poker.acpc.gamedef import shipped_name
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.serving.worker import Worker

PAGE: Final = 100
"""Number of hands on one page of the list."""
_POINTS: Final = 400
_KEPT: Final = 4
_SAMPLES: Final = 500
_SORTS: Final[dict[str, Callable[[int, HandRow, float | None], float]]] = {
    "number": lambda place, row, value: place,
    "won": lambda place, row, value: math.inf if value is None else -value,
    "lost": lambda place, row, value: math.inf if value is None else value,
    "pot": lambda place, row, value: -max(map(abs, row.values)),
}
"""How the hands of a list are sorted: (place in the file, hand, winnings) -> the key."""
_LINE: Final = re.compile(r"[fckr0-9/*]*")


class LogItem(Item):
    """One hand-history file, or the logs of a match or tournament."""

    kind = "log"

    def __init__(self, path: Path, logs: list[Path]) -> None:
        """
        :param path: the file, or the folder that holds the logs.
        :param logs: the files.
        """
        super().__init__(real_path(path), real_path(path).name)
        self._logs = [real_path(log) for log in logs]
        self._open: dict[Path, tuple[tuple[object, ...], LogIndex]] = {}
        self._lock = threading.Lock()
        self._grader = Worker("hedgehog.explorer.work.grade_work")

    def lane(self, question: str, params: Params) -> str:
        return f"{'grades of' if question == 'grades' else 'log'} {self.path}"

    def close(self) -> None:
        self._grader.close()

    def describe(self) -> dict[str, Any]:
        first = self._index(self._logs[0])
        return {
            "logs": [str(log.relative_to(self.path)) if log != self.path else log.name for log in self._logs],
            "format": first.format,
            "game": shipped_name(first.gamedef),
            "big_blind": first.gamedef.big_blind,
            "players": first.players[:50],
            "player": first.player,
            "streets": list(STREETS),
            "result": self._result(),
        }

    def _result(self) -> dict[str, Any] | None:
        """Returns the values of the tournament's report; None for other logs."""
        return None

    def _index(self, log: Path) -> LogIndex:
        with self._lock:
            return self._indexed(log)

    def _indexed(self, log: Path) -> LogIndex:
        state = disk_state([log], log, LogError)
        if log not in self._open or self._open[log][0] != state:
            while len(self._open) >= _KEPT:
                del self._open[next(iter(self._open))]
            self._open[log] = state, LogIndex(log)
        return self._open[log][1]

    def _asked(self, params: Params) -> LogIndex:
        return self._index(self._logs[_number(params, "log", len(self._logs))])

    def _hands(self, params: Params) -> dict[str, Any]:
        """Returns a page of the hands of ``log`` that pass the filters, and what one player won in all of them.

        ``left_out`` has a line of text for each kind of hands that the file has and no list shows.

        Filters are ``player``, ``line`` (the betting begins so; ``*`` is any raise), ``street`` (the last street at
        least), ``end`` (``showdown`` or ``fold``). ``sort`` is ``number``, ``won``, ``lost`` or ``pot``. Without
        ``player``, winnings are those of the player of most hands, and hands without it are listed, too.
        """
        index = self._asked(params)
        player = params.get("player", "")
        whose = player or index.player
        sort = params.get("sort", "number") or "number"
        if sort not in _SORTS:
            raise InputError(f"expected sort to be one of {', '.join(_SORTS)}, got {sort!r}")
        found = [
            (place, row, _value(row, whose)) for place, row in enumerate(index.rows) if _passes(row, player, params)
        ]
        found.sort(key=lambda each: _SORTS[sort](*each))
        values = [value for _, _, value in found if value is not None]
        page = _number(params, "page", 1 + len(found) // PAGE)
        return {
            "count": len(found),
            "of": len(index.rows),
            "cut": index.cut,
            "left_out": index.left_out,
            "player": whose,
            "played": len(values),
            "won": round(sum(values), 4),
            "page": page,
            "pages": max(1, -(-len(found) // PAGE)),
            "rows": [
                {
                    "place": place,
                    "number": row.number,
                    "betting": row.betting,
                    "board": [row.board[i : i + 2] for i in range(0, len(row.board), 2)],
                    "names": list(row.names),
                    "values": list(row.values),
                    "value": value,
                    "showdown": row.showdown,
                }
                for place, row, value in found[PAGE * page : PAGE * (page + 1)]
            ],
        }

    def _hand(self, params: Params) -> dict[str, Any]:
        """Returns one hand of ``log`` by its place ``hand`` in the file."""
        index = self._asked(params)
        place = _number(params, "hand", len(index.rows))
        return describe_logged_hand(index.hand(place)) | {"place": place, "hands": len(index.rows)}

    def _grades(self, params: Params) -> dict[str, Any]:
        """Returns what the decisions of both players of a hand cost against our player, solved now.

        :raises InputError: if the hand is of a game that is not graded.
        """
        index = self._asked(params)
        entry = index.hand(_number(params, "hand", len(index.rows)))
        if any(entry.dead):
            raise InputError("not graded: antes or dead posts")
        found: dict[str, Any] = self._grader.call("grade", entry.hand)
        return found

    def _curves(self, params: Params) -> dict[str, Any]:
        """Returns the chips won by every player over the hands of ``log``, at no more than some hundred points."""
        index = self._asked(params)
        players = index.players[:8]
        totals = dict.fromkeys(players, 0.0)
        step = max(1, len(index.rows) // _POINTS)
        points: dict[str, list[list[float]]] = {name: [[0, 0]] for name in players}
        for count, row in enumerate(index.rows, 1):
            for name, value in zip(row.names, row.values, strict=False):
                if name in totals:
                    totals[name] += value
            if count % step == 0 or count == len(index.rows):
                for name in players:
                    points[name].append([count, round(totals[name], 3)])
        return {"curves": [{"name": name, "points": points[name]} for name in players]}

    questions: ClassVar[Mapping[str, Question]] = {
        "hands": _hands,
        "hand": _hand,
        "curves": _curves,
        "grades": _grades,
    }


class TournamentItem(LogItem):
    """The folder of a tournament: its result, and its logs."""

    kind = "tournament"

    def _result(self) -> dict[str, Any] | None:
        return result_values(analyse_tournament(self.path, samples=_SAMPLES))


def _number(params: Params, name: str, below: int) -> int:
    """Returns a parameter that is a whole number from 0 on; 0 if it is missing.

    :raises InputError: if it is not a number below ``below``.
    """
    text = params.get(name, "") or "0"
    if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) >= max(below, 1):
        raise InputError(f"expected {name} to be a number below {max(below, 1)}, got {text!r}")
    return int(text)


def _value(row: HandRow, player: str) -> float | None:
    """Returns the chips that a player won in a hand; None if it was not at the table."""
    return dict(zip(row.names, row.values, strict=False)).get(player)


def _passes(row: HandRow, player: str, params: Params) -> bool:
    if player and player not in row.names:
        return False
    street = params.get("street", "")
    if street and (street not in STREETS or row.streets < STREETS.index(street)):
        return False
    end = params.get("end", "")
    if end and row.showdown != (end == "showdown"):
        return False
    line = params.get("line", "").replace(" ", "")
    return not line or _line_pattern(line).match(row.betting) is not None


def _line_pattern(line: str) -> re.Pattern[str]:
    if not _LINE.fullmatch(line) or len(line) > 200:
        raise InputError(f"expected a line of f, c, r with a size or *, and /, got {line[:40]!r}")
    return re.compile(line.replace("k", "c").replace("*", "[0-9]*"))


def logs_in(folder: Path) -> Iterator[Path]:
    """Yields the logs of a match or tournament folder, in order."""
    matches = folder / MATCHES_FOLDER
    for each in [folder, *(sorted(matches.iterdir()) if matches.is_dir() else [])]:
        yield from sorted(each.glob("*.log"), key=lambda path: (len(path.name), path.name))


def is_tournament(folder: Path) -> bool:
    """Returns whether a folder holds a tournament."""
    return (folder / TOURNAMENT_FILE).is_file()
