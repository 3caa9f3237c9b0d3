"""Our player in the explorer: the preflop charts of its blueprint, its flops, and what it does at any line, and why."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from hedgehog.explorer.items.item import HAND_NAMES, Item, Params, Question, number_asked
from hedgehog.explorer.items.solve_item import parse_player
from hedgehog.poker.acpc.chosen_game import chosen_game, text_of_chosen_game
from hedgehog.runtime.errors import HedgehogError, InputError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.serving.worker import Worker
from hedgehog.strategies.limit_pack import KIND as LIMIT
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import find_packs
from hedgehog.strategies.pack_games import DEFAULT_DEPTH, depth_of_pack, find_blueprints

THINK_MS: Final = (0, 500, 1500, 5000)
"""Thinking times that the page offers, in milliseconds."""


class PlayerItem(Item):
    """The player that plays the packs at a path; the shipped packs are ``default``."""

    kind = "player"

    def __init__(self, path: Path, spec: str, title: str) -> None:
        """
        :param path: folder of the packs.
        :param spec: the player (:mod:`hedgehog.agent.specs`).
        """
        super().__init__(real_path(path), title)
        self.spec = spec
        with contextlib.suppress(HedgehogError):  # the first question says what is wrong
            self.note = f"{_depths_text(self._depths())} big blinds"
        self._packs = Worker("hedgehog.explorer.work.player_work")
        self._live = Worker("hedgehog.explorer.work.player_work")

    def lane(self, question: str, params: Params) -> str:
        return f"{'live' if _think_ms(params) else 'packs'} {self.path}"

    def warm_up(self) -> None:
        with contextlib.suppress(HedgehogError):  # the first question says what is wrong
            self._packs.call("warm_up", self.spec, self._game({}))

    def close(self) -> None:
        self._packs.close()
        self._live.close()

    def _depths(self) -> list[float]:
        """Returns the depths of the blueprints, in big blinds.

        :raises PackError: if there is none, or a manifest is damaged.
        """
        return sorted({game.depth for game in find_blueprints(self.path)})

    def _game(self, params: Params) -> str:
        """Returns the name of the game that is asked for.

        ``game`` is a name of :mod:`hedgehog.poker.acpc.chosen_game`; else ``stack`` is a stack such as ``37.5bb`` with
        blinds of 50/100. Without both, the stack is the depth of the packs that is nearest to that of the default game.

        :raises InputError: if the game is another one, or the stack is malformed.
        """
        if game := params.get("game"):
            if text_of_chosen_game(game) is None:
                raise InputError(f"expected heads-up no-limit hold'em with its blinds and stacks, got {game!r}")
            return game
        return chosen_game(params.get("stack") or _own_stack(self._depths()), None)

    def describe(self) -> dict[str, Any]:
        packs = {folder: read_manifest(folder) for folder in find_packs(self.path)}
        depths = self._depths()
        return {
            "player": self.spec,
            "stacks": [{"stack": _stack_text(depth), "depth": depth} for depth in depths],
            "stack": _own_stack(depths),
            "packs": [
                {
                    "name": each.name,
                    "folder": str(real_path(folder)),
                    "depth": depth_of_pack(each),
                    "kind": each.kind,
                    "tier": each.tier,
                    "date": each.provenance.date,
                    "machine": each.provenance.machine,
                    "lines": [line.name for line in each.lines],
                    "config": each.config,
                    "quality": each.quality,
                }
                for folder, each in packs.items()
                if each.kind != LIMIT  # this player has no use for it
            ],
            "think_ms": list(THINK_MS),
            **HAND_NAMES,
        }

    def _ask(self, function: str, params: Params, *more: object) -> Any:
        """Returns what a function of the process says about the place ``line``."""
        think_ms = _think_ms(params)
        worker = self._live if think_ms else self._packs
        return worker.call(function, self.spec, think_ms, params.get("line", ""), self._game(params), *more)

    def _node(self, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("node", params)
        return found

    def _equity(self, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("equity", params)
        return found

    def _buckets(self, params: Params) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("buckets", params)
        return found

    def _range(self, params: Params) -> dict[str, Any]:
        action, player = number_asked(params, "action", "an action"), parse_player(params.get("player", ""))
        return {"range": self._ask("range_text", params, player, action)}

    def _parse(self, params: Params) -> dict[str, Any]:
        asked = (params.get("line", ""), params.get("board", ""), self._game(params))
        return {"line": self._packs.call("parse", *asked)}

    questions: ClassVar[Mapping[str, Question]] = {
        "node": _node, "buckets": _buckets, "equity": _equity, "range": _range, "parse": _parse
    }  # fmt: skip


def _stack_text(depth: float) -> str:
    """Returns a depth in big blinds as a stack of whole chips."""
    return f"{round(depth, 2):g}bb"


def _own_stack(depths: Sequence[float]) -> str:
    """Returns the stack of the depth that is nearest to that of the default game."""
    return _stack_text(min(depths, key=lambda depth: abs(math.log(depth / DEFAULT_DEPTH))))


def _depths_text(depths: Sequence[float]) -> str:
    return ", ".join(f"{depth:.4g}" for depth in depths)


def _think_ms(params: Params) -> int:
    """Returns the thinking time that is asked for.

    :raises InputError: if it is none of :data:`THINK_MS`.
    """
    text = params.get("think", "0") or "0"
    if text not in map(str, THINK_MS):
        raise InputError(f"expected a thinking time of {', '.join(map(str, THINK_MS))} ms, got {text!r}")
    return int(text)
