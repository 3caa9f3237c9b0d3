"""The commands of UPI about a tree, one method each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.interop.upi.betting_lines import line_tokens
from hedgehog.interop.upi.held import HeldTree, new_solver
from hedgehog.interop.upi.places import ROOT, Place
from hedgehog.interop.upi.saves import dump_tree, find_tree
from hedgehog.interop.upi.settings import Settings
from hedgehog.interop.upi.spots import line_spot
from hedgehog.interop.upi.task import Limits, Task, format_results
from hedgehog.interop.upi.vectors import format_hand_order, format_vector, parse_weights
from hedgehog.interop.upi.words import parse_chips, parse_number, parse_path, parse_player
from hedgehog.poker.cards import NUM_COMBOS, format_cards, parse_cards
from hedgehog.poker.range_texts.vectors import PIO_ORDER, parse_vector
from hedgehog.poker.ranges import format_range
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.machine import available_memory
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve
from hedgehog.solver.postflop.spot import PostflopSpot

Say = Callable[[list[str], bool], None]
"""Says lines that no command asked for; True closes them with the end string."""
Words = Sequence[str]
_MB: Final = 1 << 20
_NAME: Final = "upi"
_MOST: Final = 1.001


@dataclass
class Desk:
    """The tree of a dialogue and what can be asked about it.

    Each method takes the text after the name of its command and returns the lines of the answer; None stands for
    ``NAME ok!``. An :class:`InputError` or another :class:`~hedgehog.runtime.errors.HedgehogError` that it raises is
    the answer ``ERROR: ...``.
    """

    settings: Settings
    say: Say
    blank_lines: bool = True
    """Whether an empty line ends each child of ``show_children``."""
    tree: HeldTree | None = None
    task: Task | None = None
    waiting: Task | None = None
    """A solve that begins when the answer to ``go`` has been said."""

    # The solve in the background.

    @property
    def runs(self) -> bool:
        """Whether a solve is running."""
        return self.task is not None and self.task.runs

    def after_answer(self) -> None:
        """Begins the solve that the last command has ordered."""
        if self.waiting is not None:
            self.task, self.waiting = self.waiting, None
            self.task.start()

    def ask_to_stop(self) -> None:
        """Asks the solve to end, from any thread."""
        if self.task is not None:
            self.task.stop()

    def go(self, text: str) -> list[str]:
        """``go [N [seconds|steps|minutes]]``."""
        held = self._held()
        limits = self._limits(text.split())
        solver = held.solver(self.settings.threads or None)
        held.start(solver)
        self.waiting = Task(solver, limits, self.say, held.end)
        return ["SOLVER: started", "go ok!"]

    def _limits(self, words: Words) -> Limits:
        accuracy = self.settings.accuracy
        pot = self._held().places.tree.root_pot
        limits = Limits(
            target_pct=100 * (accuracy if self.settings.accuracy_mode == "fraction" else accuracy / pot),
            report_every=self.settings.info_freq or None,
        )
        unit = words[1] if len(words) == 2 else "steps"
        if len(words) > 2 or unit not in ("seconds", "steps", "minutes"):
            raise InputError("expected nothing, a number of steps, or a number and seconds, minutes or steps")
        if not words:
            return limits
        if unit == "steps":
            return replace(limits, iterations=parse_chips(words[0], 1))
        return replace(limits, seconds=parse_number(words[0]) * (60 if unit == "minutes" else 1))

    def stop(self, text: str) -> None:
        """``stop``."""
        _nothing(text)
        self.ask_to_stop()
        self.wait_for_solver("")

    def wait_for_solver(self, text: str) -> None:
        """``wait_for_solver``."""
        _nothing(text)
        if self.task is not None:
            self.task.wait()

    def calc_results(self, text: str) -> list[str]:
        """``calc_results``."""
        _nothing(text)
        held = self._held()
        if self.runs:
            if held.found is None:
                raise InputError("the solver is running: send stop or wait_for_solver first")
            return format_results(held.found, held.places.tree.root_pot)
        return format_results(held.results(), held.places.tree.root_pot)

    # Trees.

    def set_range(self, text: str) -> None:
        """``set_range OOP|IP WEIGHTS``: 1,326 numbers, or a range such as ``AA,KK``."""
        player, _, weights = text.partition(" ")
        number = parse_player(player)
        parse_weights(weights)
        self.settings.ranges[number] = weights

    def set_board(self, text: str) -> None:
        """``set_board CARDS``."""
        if not 3 <= len(parse_cards(text)) <= 5:
            raise InputError(f"expected a board of 3, 4 or 5 cards, got {len(parse_cards(text))}")
        self.settings.board = text

    def load_tree(self, text: str) -> None:
        """``load_tree PATH [full|fast|auto]``."""
        path, _ = parse_path(text)
        found = find_tree(path)
        saved = read_saved_solve(found.folder)
        solution = open_solution(saved)
        self.tree = HeldTree(saved.spot, solution, saved.found, saved, found.info)
        settings = self.settings
        settings.board = format_cards(saved.spot.board)
        settings.pot, settings.stack = saved.spot.pot, saved.spot.stack
        settings.ranges = [format_range(weights) for weights in saved.spot.ranges]
        settings.rake = (saved.spot.rake_rate, saved.spot.rake_cap if saved.spot.rake_rate else 0.0)
        settings.lines, settings.info = [], list(found.info)

    def free_tree(self, text: str) -> None:
        """``free_tree``."""
        _nothing(text)
        self.tree = self.task = None

    def is_tree_present(self, text: str) -> list[str]:
        """``is_tree_present``."""
        _nothing(text)
        return ["false" if self.tree is None else "true"]

    def load_all_nodes(self, text: str) -> None:
        """``load_all_nodes`` and ``rebuild_forgotten_streets``: a saved solve has all its streets."""
        _nothing(text)
        self._held()

    def estimate_rebuild_forgotten_streets(self, text: str) -> list[str]:
        """``estimate_rebuild_forgotten_streets``."""
        self.load_all_nodes(text)
        return ["nothing to rebuild: every street is stored"]

    def build_tree(self, text: str) -> None:
        """``build_tree``."""
        _nothing(text)
        spot = self._spot()
        solver = new_solver(spot, self.settings.threads or None)
        self.tree = HeldTree(spot, solver, info=tuple(self.settings.info))
        self.task = None

    def estimate_tree(self, text: str) -> list[str]:
        """``estimate_tree``."""
        _nothing(text)
        found = estimate(prepare(self._spot()))
        return [f"nodes: {sum(found.counts.nodes)}", f"estimated tree size: {found.memory_bytes / _MB:.1f} MB"]

    def _spot(self) -> PostflopSpot:
        """Returns the spot that the settings describe."""
        settings = self.settings
        missing = settings.missing()
        if missing is not None:
            raise InputError(f"send {missing} first")
        if not settings.lines:
            raise InputError("send add_line first")
        board = parse_cards(settings.board)
        lines = [line_tokens(line, len(board) - 2, settings.stack) for line in settings.lines]
        ranges = [parse_weights(range_text) for range_text in settings.ranges]
        return line_spot(_NAME, board, settings.pot, settings.stack, ranges, lines, settings.rake)

    def dump_tree(self, text: str) -> None:
        """``dump_tree PATH [full|no_rivers|no_turns]``: every save holds the whole tree."""
        path, _ = parse_path(text, ("full", "no_rivers", "no_turns"))
        held = self._held()
        solver, found = held.to_save()
        dump_tree(Path(path), solver, held.solved_spot(), found, held.info)

    def show_metadata(self, text: str) -> list[str]:
        """``show_metadata PATH``."""
        path, _ = parse_path(text)
        found = find_tree(path)
        spot = read_saved_solve(found.folder).spot
        cards = "".join(f"{card} " for card in format_cards(spot.board, " ").split())
        root = [ROOT, "ROOT", cards, f"0 0 {spot.pot}", "1 children", "flags: "]
        return [*root, *_tree_info(spot, found.info)]

    def show_tree_info(self, text: str) -> list[str]:
        """``show_tree_info``."""
        _nothing(text)
        held = self._held()
        return _tree_info(held.spot, held.info)

    # Questions about the whole tree.

    def show_hand_order(self, text: str) -> list[str]:
        """``show_hand_order``."""
        _nothing(text)
        return [format_hand_order()]

    def show_all_lines(self, text: str) -> list[str]:
        """``show_all_lines``."""
        _nothing(text)
        return list(self._held().places.all_lines())

    def show_effective_stack(self, text: str) -> list[str]:
        """``show_effective_stack``."""
        _nothing(text)
        return [str(self._held().spot.stack)]

    def show_board(self, text: str) -> list[str]:
        """``show_board_no_iso``."""
        _nothing(text)
        return [format_cards(self._held().spot.board, " ")]

    def show_memory(self, text: str) -> list[str]:
        """``show_memory``."""
        _nothing(text)
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        free = min(available_memory(), total)
        return [f"Total Physical Memory: {total // _MB} MB", f"Available Phys Memory: {int(free) // _MB} MB"]

    # Questions about a place.

    def show_node(self, text: str) -> list[str]:
        """``show_node ID``."""
        held, place = self._place(text)
        return [*held.places.describe(place), ""]

    def show_children(self, text: str) -> list[str]:
        """``show_children ID``."""
        held, place = self._place(text)
        answer = []
        for number, (_, child) in enumerate(held.places.children(place)):
            answer += [f"child {number}:", *held.places.describe(child), *([""] if self.blank_lines else [])]
        return answer

    def show_strategy(self, text: str) -> list[str]:
        """``show_strategy ID``."""
        held, place = self._place(text)
        return [format_vector(row) for row in held.strategy(place)]

    def show_range(self, text: str) -> list[str]:
        """``show_range OOP|IP [ID]``."""
        words = text.split()
        if not 1 <= len(words) <= 2:
            raise InputError("expected OOP or IP, and perhaps a node")
        player = parse_player(words[0])
        if len(words) == 2:
            held, place = self._place(words[1])
            return [format_vector(held.reach(player, place))]
        if not self.settings.ranges[player]:
            raise InputError("send set_range first")
        return [format_vector(parse_weights(self.settings.ranges[player]))]

    def calc_ev(self, text: str) -> list[str]:
        """``calc_ev OOP|IP ID``."""
        held, player, place = self._player_and_place(text)
        return [format_vector(held.evs(player, place)), format_vector(held.matchups(player, place))]

    def calc_eq_node(self, text: str) -> list[str]:
        """``calc_eq_node OOP|IP ID``."""
        held, player, place = self._player_and_place(text)
        equities, mean = held.equity(player, place)
        return [format_vector(equities), format_vector(held.matchups(player, place)), f"{np.float32(mean):.9g}"]

    def calc_eq(self, text: str) -> list[str]:
        """``calc_eq OOP|IP``."""
        return self.calc_eq_node(f"{text} {ROOT}")[:2]

    def calc_frequency(self, text: str) -> list[str]:
        """``calc_global_freq ID`` and ``calc_line_freq ID``."""
        held, place = self._place(text)
        return [f"{np.float32(held.frequency(place)):.9g}"]

    # Strategies that a client sets.

    def set_strategy(self, text: str) -> None:
        """``set_strategy ID NUMBERS``."""
        name, *numbers = text.split()
        held, place = self._place(name)
        count = len(held.places.children(place)) if held.places.decides(place) else 0
        if len(numbers) != count * NUM_COMBOS or not count:
            what = f"{count} x {NUM_COMBOS} numbers" if count else "a node at which somebody acts"
            raise InputError(f"expected {what}, got {len(numbers)} numbers for {place.name}")
        held.set_strategy(place, _rows(numbers))

    def lock_node(self, text: str) -> None:
        """``lock_node ID``."""
        held, place = self._place(text)
        held.lock(place)

    def unlock_node(self, text: str) -> None:
        """``unlock_node ID``."""
        held, place = self._place(text)
        held.unlock(place)

    def combo_lock_node(self, text: str) -> None:
        """``combo_lock_node ID FLAGS``."""
        name, *numbers = text.split()
        held, place = self._place(name)
        flags = parse_vector(numbers, PIO_ORDER)
        if not np.isin(flags, (0, 1)).all():
            raise InputError("expected a 0 or 1 for each combo")
        held.lock(place, flags > 0)

    def _held(self) -> HeldTree:
        if self.tree is None:
            raise InputError("no tree: send load_tree or build_tree first")
        return self.tree

    def _place(self, text: str) -> tuple[HeldTree, Place]:
        held = self._held()
        words = text.split()
        if len(words) != 1:
            raise InputError(f"expected one node such as r:0, got {len(words)} arguments")
        return held, held.places.find(words[0])

    def _player_and_place(self, text: str) -> tuple[HeldTree, int, Place]:
        words = text.split()
        if len(words) != 2:
            raise InputError("expected OOP or IP and a node")
        held, place = self._place(words[1])
        return held, parse_player(words[0]), place


COMMANDS: Final[dict[str, Callable[[Desk, str], list[str] | None]]] = {
    **{
        name: getattr(Desk, name)
        for name in (
            "go", "stop", "wait_for_solver", "calc_results", "load_tree", "free_tree", "is_tree_present",
            "load_all_nodes", "estimate_rebuild_forgotten_streets", "build_tree", "estimate_tree", "dump_tree",
            "show_metadata", "show_tree_info", "show_hand_order", "show_all_lines", "show_effective_stack",
            "show_memory", "show_node", "show_children", "show_strategy", "show_range", "calc_ev", "calc_eq_node",
            "calc_eq", "set_range", "set_board", "set_strategy", "lock_node", "unlock_node", "combo_lock_node",
        )
    },
    "rebuild_forgotten_streets": Desk.load_all_nodes,
    "show_board_no_iso": Desk.show_board,
    "calc_global_freq": Desk.calc_frequency,
    "calc_line_freq": Desk.calc_frequency,
}  # fmt: skip
"""Name -> method."""
WHILE_RUNNING: Final = frozenset({
    "stop", "wait_for_solver", "calc_results", "is_tree_present", "show_hand_order", "show_memory", "show_metadata",
    "set_range", "set_board",
})  # fmt: skip
"""The commands that are answered while a solve is running."""


def _nothing(text: str) -> None:
    if text.strip():
        raise InputError(f"expected no arguments, got {text.strip()[:40]!r}")


def _rows(numbers: Words) -> NDArray[np.float32]:
    # A client that adds probabilities up may get a little more than 1.
    rows = [parse_vector(numbers[at : at + NUM_COMBOS], PIO_ORDER, _MOST) for at in range(0, len(numbers), NUM_COMBOS)]
    return np.minimum(np.stack(rows), np.float32(1))


def _tree_info(spot: PostflopSpot, given: Sequence[str]) -> list[str]:
    """Returns the lines ``#Key#Value`` of a tree; those that the client has given replace ours."""
    found: dict[str, Any] = {
        "Type": "NoLimit",
        "Range0": format_range(spot.ranges[0]),
        "Range1": format_range(spot.ranges[1]),
        "Board": format_cards(spot.board, " "),
        "Pot": spot.pot,
        "EffectiveStacks": spot.stack,
    }
    if spot.rake_rate:
        found |= {"Rake.Enabled": "True", "Rake.Fraction": f"{spot.rake_rate:g}", "Rake.Cap": f"{spot.rake_cap:g}"}
    for line in given:
        _, key, value = line.split("#")
        found[key] = value
    return [f"#{key}#{value}" for key, value in found.items()]
