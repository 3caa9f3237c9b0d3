"""Tree scripts of PioViewer: header lines ``#Key#Value``, and the commands ``set_...`` and ``add_line``.

The lines of ``add_line`` are the tree, exactly. A script without them has the tree of its header: bets in percent of
the pot, raises of the bet faced and percent of the pot after a call, rounded half up. A bet that brings a player's
chips to ``AllinThreshold`` percent of the stack is all-in. ``AddAllin`` adds all-in where what is left beyond the bet
faced is at most ``AddAllinOnlyIfLessThanThisTimesThePot`` percent of the pot. After a call on the
street before, the player out of position has the bets of ``DonkBetSize`` alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.interop.upi.betting_lines import Line, line_tokens
from hedgehog.interop.upi.settings import Settings
from hedgehog.interop.upi.spots import line_spot
from hedgehog.interop.upi.vectors import parse_weights
from hedgehog.interop.upi.words import parse_chips
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.streets import RIVER, STREETS
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.spot import PostflopSpot

MOST_LINES: Final = 100_000
"""Most betting lines that a header may stand for."""
_COMMANDS: Final = {"set_pot", "set_eff_stack", "set_rake", "set_isomorphism", "set_accuracy", "set_recalc_accuracy"}
_PASSED_OVER: Final = {
    "set_threads", "set_always_recalc", "set_info_freq", "build_tree", "go", "wait_for_solver",
    "set_end_string", "is_ready", "stop", "dump_tree", "exit", "load_all_nodes", "free_tree", "add_info_line",
}  # fmt: skip


def is_pio_script(text: str) -> bool:
    """Returns whether a text looks like a tree script of PioViewer."""
    lines = [line.strip() for line in text.splitlines()]
    return any(
        line.startswith(("add_line ", "set_eff_stack ")) or _header_key(line) == "EffectiveStacks" for line in lines
    )


def parse_pio_script(text: str, name: str, source: str | None = None) -> PostflopSpot:
    """Returns the spot of a tree script, with the text of its spot file.

    :param name: name of the spot.
    :param source: name of the file, for messages.
    :raises InputError: if the script is malformed or lacks something; the message has the line where there is one.
    """
    script = _Script()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            script.take(line.strip())
        except InputError as error:
            raise InputError(error.message, source=source, line=number) from None
    try:
        return script.spot(name)
    except InputError as error:
        raise InputError(error.message, source=source) from None


class _Script:
    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.settings = Settings()
        self.board: tuple[int, ...] = ()
        self.ranges: dict[int, NDArray[np.float32]] = {}

    def take(self, line: str) -> None:
        key = _header_key(line)
        if key is not None:
            self.header[key] = line.split("#", 2)[2].strip()
            return
        if not line or line.startswith("#"):
            return
        name, *words = line.split()
        if name == "add_line":
            self.settings.lines.append(tuple(parse_chips(word) for word in words))
        elif name == "clear_lines":
            self.settings.lines.clear()
        elif name == "set_board":
            self.board = tuple(parse_cards(" ".join(words)))
        elif name == "set_range":
            player = {"OOP": 0, "0": 0, "IP": 1, "1": 1}.get(words[0].upper() if words else "")
            if player is None:
                raise InputError(f"expected set_range OOP or set_range IP, got {line[:40]!r}")
            self.ranges[player] = parse_weights(" ".join(words[1:]))
        elif name in _COMMANDS:
            getattr(self.settings, name)(words)
        elif name not in _PASSED_OVER:
            raise InputError(f"expected a command of a tree script such as set_board or add_line, got {name!r}")

    def spot(self, name: str) -> PostflopSpot:
        for player in (0, 1):
            if player not in self.ranges and self.header.get(f"Range{player}"):
                self.ranges[player] = parse_weights(self.header[f"Range{player}"])
        board = self.board or tuple(parse_cards(self.header.get("Board", "")))
        pot = self.settings.pot or _whole(self.header, "Pot")
        stack = self.settings.stack or _whole(self.header, "EffectiveStacks")
        if not 3 <= len(board) <= 5:
            raise InputError(f"the tree starts with a board of 3, 4 or 5 cards, got {len(board)}")
        if not pot or not stack or len(self.ranges) < 2:
            missing = "set_pot" if not pot else "set_eff_stack" if not stack else "set_range for both players"
            raise InputError(f"the script lacks {missing}")
        for key in ("ICM.Enabled", "RemovedLines", "ExtraLines"):
            if self.header.get(key, "") not in ("", "False") and not self.settings.lines:
                raise InputError(f"the header has {key}, which only the lines of add_line can say: export them, too")
        street = len(board) - 2
        lines = self.settings.lines or sorted(_header_lines(self.header, street, pot, stack))
        return line_spot(
            name, board, pot, stack, (self.ranges[0], self.ranges[1]),
            [line_tokens(line, street, stack) for line in lines], self._rake(),
        )  # fmt: skip

    def _rake(self) -> tuple[float, float]:
        if self.settings.rake[0] or self.header.get("Rake.Enabled") != "True":
            return self.settings.rake
        return _number(self.header, "Rake.Fraction"), _number(self.header, "Rake.Cap")


def _header_lines(header: dict[str, str], first: int, pot: int, stack: int) -> Iterator[Line]:
    """Yields the longest lines of the tree of a header, as ``add_line`` says them."""
    share = _number(header, "AllinThreshold", 100.0) / 100
    limit = _number(header, "AddAllinOnlyIfLessThanThisTimesThePot", math.inf) / 100
    # Line so far, street, player, chips put in since the root, chips when the street began, bets, checked, OOP called.
    todo: list[tuple[Line, int, int, tuple[int, int], int, int, bool, bool]]
    todo = [((), first, 0, (0, 0), 0, 0, False, False)]
    found = 0
    while todo:
        line, street, player, put_in, start, bets, checked, called = todo.pop()
        theirs, mine = put_in[1 - player], put_in[player]
        full = pot + 2 * theirs
        amounts: set[int] = set()
        if theirs < stack and not (player == 1 and bets >= 2 and _flag(header, street, 1, "Dont3bet")):
            kind = "RaiseSize" if theirs > mine else "BetSize"
            if player == 0 and called and bets == 0:
                kind = "DonkBetSize"
            for size in _sizes(header, street, player, kind):
                total = stack if size == "a" else theirs + math.floor(float(size) / 100 * full + 0.5)
                amounts.add(stack if total >= share * stack else total)
            if _flag(header, street, player, "AddAllin") and stack - theirs <= limit * full:
                amounts.add(stack)
        smallest = min(max(2 * theirs - mine, theirs + 1), stack)
        amounts = {min(max(amount, smallest), stack) for amount in amounts}
        ends = theirs > mine or checked
        for amount in amounts:
            after = (amount, theirs) if player == 0 else (theirs, amount)
            todo.append(((*line, amount), street, 1 - player, after, start, bets + 1, False, False))
        passive = (*line, theirs)
        if not ends:
            todo.append((passive, street, 1, put_in, start, bets, True, called))
        elif street < RIVER and theirs < stack:
            caller = player == 0 and theirs > mine
            todo.append((passive, street + 1, 0, (theirs, theirs), theirs, 0, False, caller))
        elif not amounts:
            found += 1
            if found > MOST_LINES:
                raise InputError(f"the header stands for more than {MOST_LINES:,} lines: use fewer sizes")
            # A call after the last bet goes without saying.
            yield line if theirs > mine else passive


def _sizes(header: dict[str, str], street: int, player: int, kind: str) -> list[str]:
    key = _key(street, player, kind)
    sizes = header.get(key, "").replace(",", " ").replace("%", "").split()
    for size in sizes:
        if size != "a" and not _is_number(size):
            raise InputError(
                f"{key}: expected percent of the pot or a, got {size!r}; export the lines of add_line, too"
            )
    return sizes


def _flag(header: dict[str, str], street: int, player: int, kind: str) -> bool:
    return header.get(_key(street, player, kind)) == "True"


def _key(street: int, player: int, kind: str) -> str:
    return f"{STREETS[street].capitalize()}Config{'IP' if player else ''}.{kind}"


def _header_key(line: str) -> str | None:
    parts = line.split("#", 2)
    return parts[1] if len(parts) == 3 and not parts[0] and parts[1] else None


def _is_number(text: str) -> bool:
    try:
        return 0 < float(text) < 1e6
    except ValueError:
        return False


def _number(header: dict[str, str], key: str, default: float = 0.0) -> float:
    text = header.get(key, "")
    if not text:
        return default
    if not _is_number(text) and text not in ("0", "0.0"):
        raise InputError(f"{key}: expected a number, got {text!r}")
    return float(text)


def _whole(header: dict[str, str], key: str) -> int:
    value = _number(header, key)
    if not value.is_integer():
        raise InputError(f"{key}: chips are whole, got {header[key]!r}: choose a smaller unit")
    return int(value)
