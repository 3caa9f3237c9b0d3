"""A console configuration of TexasSolver: one command per line, ``NAME`` or ``NAME ARGUMENT``.

::

    set_pot 50
    set_effective_stack 200
    set_board Qs,Jh,2h,7c
    set_range_oop AA,KK:0.5,AKs,AKo:0.25
    set_range_ip 22,33,AQ
    set_bet_sizes oop,turn,bet,50,100
    set_bet_sizes oop,river,allin
    build_tree
    start_solve

Sizes are percent. A later line replaces an earlier one. There are no comments: TexasSolver
reports an unknown command and goes on, but ends at a line with two blanks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError

PLAYERS: Final = ("oop", "ip")
LEAST_WEIGHT: Final = 0.005
"""Weight up to which TexasSolver leaves a hand out."""
DEFAULT_THRESHOLD: Final = 0.67
_RUN: Final = {
    "set_thread_num": "threads", "set_accuracy": "accuracy", "set_max_iteration": "iterations",
    "set_print_interval": "", "set_use_isomorphism": "", "set_dump_rounds": "dump_rounds",
}  # fmt: skip
_PLAIN: Final = ("build_tree", "start_solve")
_KINDS: Final = ("bet", "raise", "donk")
Key = tuple[str, str]
"""A player and a street."""


@dataclass(frozen=True, slots=True)
class StreetMenu:
    """The bet sizes of one player on one street, in percent of the pot."""

    bet: tuple[float, ...] = ()
    raise_: tuple[float, ...] = ()
    donk: tuple[float, ...] = ()
    """OOP's first bets after it called on the street before; it has no others there."""
    allin: bool = False


@dataclass(frozen=True, slots=True)
class TexasConfig:
    """What a configuration says about the game."""

    board: tuple[int, ...]
    pot: int
    stack: int
    ranges: tuple[NDArray[np.float32], NDArray[np.float32]]
    """float32[1326] weights of OOP and IP."""
    menus: dict[Key, StreetMenu] = field(default_factory=dict)
    allin_threshold: float = DEFAULT_THRESHOLD
    run: dict[str, float] = field(default_factory=dict)
    """How to solve: ``threads``, ``accuracy`` in percent of the pot, ``iterations``, ``dump_rounds``."""
    unknown: tuple[str, ...] = ()
    """Commands that TexasSolver does not know and passes over."""

    def menu(self, player: int, street: int) -> StreetMenu:
        """Returns the sizes of a player on a street, 1 flop to 3 river; none if the configuration has none."""
        return self.menus.get((PLAYERS[player], STREETS[street]), StreetMenu())


def is_texas_config(text: str) -> bool:
    """Returns whether a text looks like a configuration of TexasSolver."""
    names = {line.split(" ")[0] for line in text.splitlines()}
    return bool(names & {"set_effective_stack", "set_range_oop", "set_range_ip", "set_bet_sizes", "start_solve"})


def parse_texas_config(text: str, source: str | None = None) -> TexasConfig:
    """Returns the game that a console configuration describes.

    :param source: name of the file, for messages.
    :raises InputError: if a command is malformed or one that the game needs is missing; the message has the line.
    """
    state = _Reader(source)
    for number, line in enumerate(text.splitlines(), 1):
        try:
            state.take(line)
        except InputError as error:
            raise InputError(error.message, source=source, line=number) from None
    return state.finish()


class _Reader:
    def __init__(self, source: str | None) -> None:
        self.source = source
        self.game: dict[str, int] = {}
        self.board: tuple[int, ...] = ()
        self.ranges: dict[str, NDArray[np.float32]] = {}
        self.menus: dict[Key, StreetMenu] = {}
        self.threshold = DEFAULT_THRESHOLD
        self.run: dict[str, float] = {}
        self.unknown: list[str] = []

    def take(self, line: str) -> None:
        words = line.split(" ")
        if len(words) > 2:
            raise InputError("TexasSolver ends at a line with two blanks: expected NAME or NAME ARGUMENT")
        name, argument = words[0], words[1] if len(words) == 2 else ""
        if name == "set_pot":
            self.game["pot"] = _chips(argument, "the pot")
        elif name == "set_effective_stack":
            if "pot" not in self.game:
                raise InputError("set_effective_stack comes before set_pot: TexasSolver would take another stack")
            self.game["stack"] = _chips(argument, "the chips behind")
        elif name == "set_board":
            self.board = tuple(parse_cards(argument.replace(",", " ")))
            if not 3 <= len(self.board) <= 5 or len(set(self.board)) < len(self.board):
                raise InputError(f"expected a board of 3, 4 or 5 cards such as Qs,Jh,2h, got {argument!r}")
        elif name in ("set_range_oop", "set_range_ip"):
            self.ranges[name.removeprefix("set_range_")] = _parse_texas_range(argument)
        elif name == "set_bet_sizes":
            self.take_sizes(argument.split(","))
        elif name == "set_allin_threshold":
            self.threshold = _number(argument, "a share of the stack")
        elif name in _RUN:
            if value := _RUN[name]:
                self.run[value] = _number(argument, "a number")
        elif name not in (*_PLAIN, "dump_result") and name:
            self.unknown.append(name)

    def take_sizes(self, words: Sequence[str]) -> None:
        if len(words) < 3 or words[0] not in PLAYERS or words[1] not in STREETS[1:]:
            raise InputError("expected sizes such as oop,turn,bet,50,100 or ip,river,allin")
        key, kind = (words[0], words[1]), words[2]
        old = self.menus.get(key, StreetMenu())
        if kind == "allin":
            self.menus[key] = StreetMenu(old.bet, old.raise_, old.donk, True)
            return
        if kind not in _KINDS:
            raise InputError(f"expected bet, raise, donk or allin, got {kind!r}")
        sizes = tuple(_number(word, "a percentage of the pot") for word in words[3:])
        bet, raise_, donk = (
            sizes if kind == one else kept for one, kept in zip(_KINDS, (old.bet, old.raise_, old.donk), strict=True)
        )
        self.menus[key] = StreetMenu(bet, raise_, donk, old.allin)

    def finish(self) -> TexasConfig:
        for given, command in (
            ("pot" in self.game, "set_pot"), ("stack" in self.game, "set_effective_stack"),
            (self.board, "set_board"), ("oop" in self.ranges, "set_range_oop"), ("ip" in self.ranges, "set_range_ip"),
        ):  # fmt: skip
            if not given:
                raise InputError(f"the command {command} is missing", source=self.source)
        return TexasConfig(
            self.board, self.game["pot"], self.game["stack"], (self.ranges["oop"], self.ranges["ip"]), self.menus,
            self.threshold, self.run, tuple(self.unknown),
        )  # fmt: skip


def format_texas_config(config: TexasConfig, ranges: Sequence[str], dump: str) -> str:
    """Returns the text of a configuration that builds, solves and dumps a game.

    :param ranges: the ranges of OOP and IP in TexasSolver's notation.
    :param dump: name of the dump that TexasSolver shall write, without blanks.
    """
    streets = range(len(config.board) - 2, len(STREETS))
    lines = [
        f"set_pot {config.pot}",
        f"set_effective_stack {config.stack}",
        f"set_board {format_cards(config.board, ',')}",
        f"set_range_oop {ranges[0]}",
        f"set_range_ip {ranges[1]}",
    ]
    for street in streets:
        for player, name in enumerate(PLAYERS):
            menu, place = config.menu(player, street), f"set_bet_sizes {name},{STREETS[street]}"
            for kind, sizes in zip(_KINDS, (menu.bet, menu.raise_, menu.donk), strict=True):
                if sizes:
                    lines.append(f"{place},{kind},{','.join(f'{size:.9g}' for size in sizes)}")
            if menu.allin:
                lines.append(f"{place},allin")
    run = {"threads": 1.0, "accuracy": 0.3, "iterations": 1000.0, "dump_rounds": float(len(streets)), **config.run}
    lines += [
        f"set_allin_threshold {config.allin_threshold:.9g}", "build_tree",
        f"set_thread_num {run['threads']:.0f}", f"set_accuracy {run['accuracy']:g}",
        f"set_max_iteration {run['iterations']:.0f}", "set_print_interval 10", "set_use_isomorphism 1",
        "start_solve", f"set_dump_rounds {run['dump_rounds']:.0f}", f"dump_result {dump}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _parse_texas_range(text: str) -> NDArray[np.float32]:
    """Returns a range. TexasSolver knows pairs, ``AK``, ``AKs`` and ``AKo``, each with a weight, and no others."""
    kept = []
    for entry in text.split(","):
        name, colon, weight = entry.partition(":")
        if len(name) not in (2, 3) or (len(name) == 3 and name[2] not in "so"):
            raise InputError(f"TexasSolver knows hands such as AA, AK, AKs and AKo:0.5 alone, got {entry!r}")
        if not colon or _number(weight, "a weight") > LEAST_WEIGHT:
            kept.append(entry)
    if not kept:
        raise InputError(f"the range is empty: no hand has a weight above {LEAST_WEIGHT}")
    once = [parse_range(entry) > 0 for entry in kept]
    if (np.sum(once, axis=0) > 1).any():
        raise InputError("a hand is named twice, which TexasSolver refuses")
    return parse_range(",".join(kept))


def _chips(text: str, what: str) -> int:
    value = _number(text, what)
    if not value.is_integer() or not 1 <= value < 2**30:
        raise InputError(f"expected {what} in whole chips, got {text!r}: choose a smaller unit in the whole file")
    return int(value)


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (value >= 0 and math.isfinite(value)):
        raise InputError(f"expected {what}, got {text!r}")
    return value
