"""Limit hold'em in the explorer: what the limit packs do at any line, and which decisions answer for three players."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from hedgehog.explorer.items.item import HAND_NAMES, Item, Params, Question, number_asked
from hedgehog.explorer.work.limit_asked import MOST_NEAREST, TRAINED, Asked, answerers
from hedgehog.runtime.errors import HedgehogError, InputError, PackError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.serving.worker import Worker
from hedgehog.strategies.limit_pack import limit_packs
from hedgehog.strategies.manifest import read_manifest

_SEATS = {2: ("BB", "BTN"), 3: ("SB", "BB", "BTN")}
"""Players -> short names of the positions."""


class LimitItem(Item):
    """The limit packs at a path, for two players, three, or both."""

    kind = "limit"

    def __init__(self, path: Path, title: str) -> None:
        """
        :param path: a limit pack, or a folder of packs.
        """
        super().__init__(real_path(path), title)
        with contextlib.suppress(HedgehogError):  # the first question says what is wrong
            self.note = f"for {' and '.join(map(str, self._tables()))} players"
        self._worker = Worker("hedgehog.explorer.work.limit_work")

    def lane(self, question: str, params: Params) -> str:
        return f"limit {self.path}"

    def close(self) -> None:
        self._worker.close()

    def _tables(self) -> list[int]:
        """Returns the numbers of players of the tables at which the packs answer.

        :raises PackError: if there is no limit pack, or a manifest is damaged.
        """
        found = [players for players in _SEATS if answerers(str(self.path), players)]
        if not found:
            raise PackError("there is no limit pack", source=str(self.path))
        return found

    def _asked(self, params: Params) -> Asked:
        """Returns who is asked; by default the strategy trained for the table of most players.

        :raises InputError: if a parameter is wrong.
        """
        tables = self._tables()
        trained = [players for players in tables if TRAINED in answerers(str(self.path), players)]
        players = number_asked(params, "players", "players") or max(trained or tables)
        if players not in tables:
            raise InputError(f"expected a table of {' or '.join(map(str, tables))} players, got {players}")
        choices = answerers(str(self.path), players)
        by = params.get("by") or choices[0]
        if by not in choices:
            raise InputError(f"expected an answer by {', '.join(choices)}, got {by!r}")
        nearest = number_asked(params, "nearest", "candidates") or 1
        if nearest > MOST_NEAREST:
            raise InputError(f"expected 1 to {MOST_NEAREST} candidates, got {nearest}")
        if (weights := params.get("weights", "")) not in ("", "d"):
            raise InputError(f"expected weights d or none, got {weights!r}")
        return Asked(str(self.path), players, by, nearest, bool(weights))

    def describe(self) -> dict[str, Any]:
        packs = [(folder, read_manifest(folder)) for folder in limit_packs(self.path).values()]
        return {
            "tables": [
                {"players": players, "seats": _SEATS[players], "by": answerers(str(self.path), players)}
                for players in self._tables()
            ],
            "players": self._asked({}).players,
            "most_nearest": MOST_NEAREST,
            "packs": [
                {
                    "name": each.name,
                    "folder": str(folder),
                    "date": each.provenance.date,
                    "machine": each.provenance.machine,
                    "config": each.config,
                    "quality": each.quality,
                }
                for folder, each in packs
            ],
            **HAND_NAMES,
        }

    def _ask(self, function: str, params: Params, *more: object) -> Any:
        """Returns what a function of the process says about the place ``line``."""
        return self._worker.call(function, self._asked(params), " ".join(params.get("line", "").split()), *more)

    def _node(self, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("node", params)
        return found

    def _hand(self, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("hand", params, params.get("cards", ""))
        return found

    def _buckets(self, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("buckets", params)
        return found

    def _equity(self, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("equity", params)
        return found

    def _range(self, params: Params) -> dict[str, Any]:
        action, player = number_asked(params, "action", "an action"), number_asked(params, "player", "a player")
        return {"range": self._ask("range_text", params, player or 0, action)}

    def _parse(self, params: Params) -> dict[str, Any]:
        return {
            "line": self._worker.call("parse", self._asked(params), params.get("line", ""), params.get("board", ""))
        }

    questions: ClassVar[Mapping[str, Question]] = {
        "node": _node, "hand": _hand, "buckets": _buckets, "equity": _equity, "range": _range, "parse": _parse
    }  # fmt: skip
