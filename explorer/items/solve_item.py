"""Saved solves in the explorer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from hedgehog.explorer.items.item import HAND_NAMES, Item, Params, Question, disk_state, number_asked
from hedgehog.explorer.items.nodes import describe_cards, describe_equities, describe_place, node_range
from hedgehog.explorer.numbers import shown_range
from hedgehog.poker.cards import format_card, format_cards, parse_cards
from hedgehog.poker.ranges import format_range
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.runtime.files import real_path
from hedgehog.solver.postflop.node_answers import HasRanges
from hedgehog.solver.postflop.responses.as_if import AsIf, solve_as_if
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import SavedSolve, open_solution, read_saved_solve, verify_solution
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest

_MOST_CARDS = 52


class Solution:
    """The answers about one solution, shared by all kinds of items that have solutions."""

    def __init__(self, solution: PostflopSolution, spot: HasRanges | None = None) -> None:
        """
        :param spot: the ranges as the spot has them, combos that hit its board included; None takes the solution's.
        """
        self.solution = solution
        self.spot = spot
        self._assumed: AsIf | None = None

    def node(self, params: Params) -> dict[str, Any]:
        """Returns the place at the end of ``line``; ``as_if=1`` answers as if a part of the range took it."""
        return describe_place(self.solution, params.get("line", ""), self.spot, self._assume(params))

    def equity(self, params: Params) -> dict[str, Any]:
        """Returns the equities at the decision at the end of ``line``; ``as_if`` as for :meth:`node`."""
        assumed = self._assume(params)
        if assumed is None:
            return describe_equities(self.solution, params.get("line", ""))
        line = " ".join(params.get("line", "").split())
        return {**describe_equities(assumed.solution, assumed.line), "line": line}

    def _assume(self, params: Params) -> AsIf | None:
        """Returns the game in which a part of the range takes the line, if it is asked for; the last one is kept.

        :raises InputError: if ``as_if`` is neither 0 nor 1.
        :raises SpotError: if the line is taken often enough.
        """
        asked = params.get("as_if", "0")
        if asked not in ("0", "1"):
            raise InputError(f"expected as_if=0 or as_if=1, got {asked!r}")
        if asked == "0":
            return None
        line = params.get("line", "")
        known = self._assumed
        self._assumed = (
            known.towards(line) if known is not None and known.leads_to(line) else solve_as_if(self.solution, line)
        )
        return self._assumed

    def cards(self, params: Params) -> dict[str, Any]:
        """Returns figures for ``cards`` that can be dealt after ``line``; ``what`` names figures such as ``ev``."""
        cards = parse_cards(params.get("cards", ""))
        if len(cards) > _MOST_CARDS:
            raise InputError("too many cards")
        what = set(filter(None, params.get("what", "").split(",")))
        if what - {"ev", "equity"}:
            raise InputError(f"unknown figure {sorted(what - {'ev', 'equity'})[0]!r}: expected ev or equity")
        return describe_cards(self.solution, params.get("line", ""), cards, what)

    def range_text(self, params: Params) -> dict[str, Any]:
        """Returns the range of ``player`` at the end of ``line`` as text; ``action`` counts hands that take it."""
        player, action = parse_player(params.get("player", "")), number_asked(params, "action", "an action")
        return {"range": shown_range(node_range(self.solution, params.get("line", ""), player, action))}


def solution_questions(find: Callable[[Any, Params], Solution]) -> dict[str, Question]:
    """Returns the questions about one solution.

    :param find: (item, parameters) -> the solution that is asked about.
    """

    def question(answer: Callable[[Solution, Params], dict[str, Any]]) -> Question:
        return lambda item, params: answer(find(item, params), params)

    answers = {"node": Solution.node, "equity": Solution.equity, "cards": Solution.cards, "range": Solution.range_text}
    return {name: question(answer) for name, answer in answers.items()}


def parse_player(text: str) -> int:
    """Returns 0 for ``oop`` and 1 for ``ip``.

    :raises InputError: for any other text.
    """
    if text not in PLAYERS:
        raise InputError(f"expected oop or ip, got {text!r}")
    return PLAYERS.index(text)


class SolveItem(Item):
    """A folder that ``hedgehog solve --save`` or ``--save-strategy`` has written."""

    kind = "solve"

    def __init__(self, folder: Path) -> None:
        """
        :raises PackError: if the folder holds no saved solve.
        """
        saved = read_saved_solve(folder)
        super().__init__(real_path(folder), real_path(folder).name)
        self._saved = saved
        self._state: tuple[object, ...] = ()
        self._opened: Solution | None = None
        self._damage: tuple[tuple[object, ...], str] | None = None
        self._lock = threading.Lock()

    @property
    def spot_text(self) -> str:
        """Text of the spot file that was solved."""
        return self._saved.spot.text

    def describe(self) -> dict[str, Any]:
        self._open()
        return describe_saved_solve(self._saved)

    def verify(self) -> dict[str, Any]:
        """Reads every byte of the solve and compares the checksums; call it outside the thread of the questions.

        :raises PackError: if a file is damaged.
        """
        state = self._disk_state()
        try:
            verify_solution(self._saved)
        except PackError as error:
            self._damage = (state, str(error))
            raise
        return {"verified": True}

    def _disk_state(self) -> tuple[object, ...]:
        return disk_state([self.path / MANIFEST_NAME, *sorted(self.path.glob("*.npy"))], self.path)

    def _open(self) -> Solution:
        with self._lock:
            state = self._disk_state()
            if self._damage is not None and self._damage[0] == state:
                raise PackError(self._damage[1])
            if self._opened is None or state != self._state:
                self._opened = None
                self._saved = read_saved_solve(self.path)
                self._opened = Solution(open_solution(self._saved, checksums=False), self._saved.spot)
                self._state = state
            return self._opened

    questions: ClassVar[Mapping[str, Question]] = solution_questions(lambda item, params: item._open())


def describe_saved_solve(saved: SavedSolve) -> dict[str, Any]:
    """Returns the JSON of a saved solve's spot, settings and quality."""
    spot, made = saved.spot, saved.made_by
    return {
        "name": spot.name,
        "board": [format_card(card) for card in spot.board],
        "board_text": format_cards(spot.board, " "),
        "pot": spot.pot,
        "stack": spot.stack,
        "ranges": [format_range(spot.live_range(player)) for player in (0, 1)],
        "algorithm": saved.algorithm,
        "storage": "8 bits" if saved.kind == "strategy" else saved.storage,
        "iterations": saved.iterations,
        "seconds": round(saved.seconds, 2),
        "pct_pot": round(saved.found.pct_pot, 5),
        "made": {"date": made.date, "machine": made.machine, "version": made.hedgehog_version},
        "spot": spot.text,
        **HAND_NAMES,
        "bytes": sum(entry.stat().st_size for entry in saved.folder.glob("*.npy")),
        "locks": len(spot.locks),
        "kind_of_pack": read_manifest(saved.folder).kind,
    }
