"""Flop packs in the explorer: a table of their flops and, for exact packs, the solved flops."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from hedgehog.explorer.items.item import HAND_NAMES, Item, Params, Question, disk_state, number_asked
from hedgehog.explorer.items.solve_item import Solution, solution_questions
from hedgehog.poker.cards import format_card, format_cards
from hedgehog.poker.ranges import format_range
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.serving.worker import Worker
from hedgehog.solver.packs.pack_solution import PackFlop, PackFlops, open_pack_flops
from hedgehog.strategies.flop_pack import QUICK_TIER
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest
from hedgehog.strategies.pack_games import depth_of_pack

_SECONDS = 1.5
_KEPT = 6


class FlopsItem(Item):
    """A flop pack of either tier."""

    kind = "flops"

    def __init__(self, folder: Path) -> None:
        """
        :raises PackError: if the folder holds no pack.
        """
        manifest = read_manifest(folder)
        super().__init__(real_path(folder), manifest.name)
        depth = depth_of_pack(manifest)
        self.note = "" if depth is None else f"{depth:.4g} big blinds"
        self._worker = Worker("hedgehog.explorer.work.flop_work")
        self._state: tuple[object, ...] = ()
        self._flops: PackFlops | None = None
        self._open: dict[str, tuple[PackFlop, Solution]] = {}

    def lane(self, question: str, params: Params) -> str:
        return f"flops {self.path}" if question in ("", "flops") else "questions"

    def close(self) -> None:
        self._worker.close()

    def _disk_state(self) -> tuple[object, ...]:
        state = disk_state([self.path / MANIFEST_NAME, *sorted(self.path.glob("*.npy"))], self.path)
        if state != self._state:
            self._flops, self._state = None, state
            self._open.clear()
        return state

    def describe(self) -> dict[str, Any]:
        state = self._disk_state()
        manifest = read_manifest(self.path)
        made = manifest.provenance
        return {
            "name": manifest.name,
            "tier": manifest.tier,
            "depth": depth_of_pack(manifest),
            "config": manifest.config,
            "quality": manifest.quality,
            "made": {"date": made.date, "machine": made.machine, "version": made.hedgehog_version},
            **HAND_NAMES,
            **self._worker.call("describe", str(self.path), state),
        }

    def _table(self, params: Params) -> dict[str, Any]:
        """Returns the flops of ``line`` with the frequencies at ``decision``, after computing lacking figures a while.

        With ``now`` nothing is computed: flops that were never looked at have no figures.
        """
        decision = number_asked(params, "decision", "a decision") or 0
        asked = (params.get("line", ""), decision, 0.0 if params.get("now") else _SECONDS)
        found: dict[str, Any] = self._worker.call("flops", str(self.path), self._disk_state(), *asked)
        return found

    def _find(self, params: Params) -> tuple[PackFlop, Solution]:
        """Returns the flop of the parameter ``flop``, such as ``r250c Qs Jh 2h``.

        :raises InputError: if the pack is no exact pack, or lacks the flop.
        """
        self._disk_state()
        name = params.get("flop", "")
        if name not in self._open:
            if self._flops is None:
                if read_manifest(self.path).tier == QUICK_TIER:
                    raise InputError("the flops of a quick pack are shown by the player")
                self._flops = open_pack_flops(self.path)
            found, rest = self._flops.find(name)
            if rest:
                raise InputError(f"expected a preflop line and a flop alone, got {name!r}")
            while len(self._open) >= _KEPT:
                del self._open[next(iter(self._open))]
            self._open[name] = found, Solution(found.solution, found)
        return self._open[name]

    def _flop(self, params: Params) -> dict[str, Any]:
        flop, _ = self._find(params)
        return {
            "name": flop.name,
            "board": [format_card(card) for card in flop.board],
            "board_text": format_cards(flop.board, " "),
            "pot": flop.pot,
            "stack": flop.stack,
            "ranges": [format_range(weights) for weights in flop.ranges],
            "pct_pot": round(flop.pct_pot, 5),
            "iterations": flop.iterations,
        }

    questions: ClassVar[Mapping[str, Question]] = {
        "flops": _table,
        "flop": _flop,
        **solution_questions(lambda item, params: item._find(params)[1]),
    }
