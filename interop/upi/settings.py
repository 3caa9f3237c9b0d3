"""What the commands ``set_...``, ``add_line`` and ``add_info_line`` have set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hedgehog.interop.upi.betting_lines import Line, remove_line
from hedgehog.interop.upi.words import parse_chips, parse_number
from hedgehog.runtime.errors import InputError

_BLANK: Final = (
    "set_range OOP", "set_range IP", "set_board", "set_pot", "set_eff_stack"
)  # fmt: skip


@dataclass
class Settings:
    """The settings of a dialogue. :class:`~hedgehog.interop.upi.desk.Desk` checks the texts of ranges and board."""

    ranges: list[str] = field(default_factory=lambda: ["", ""])
    """Per player the arguments of ``set_range``: 1,326 numbers or range notation; empty before it is set."""
    board: str = ""
    pot: int = 0
    stack: int = 0
    rake: tuple[float, float] = (0.0, 0.0)
    """Share of the pot that the house takes, and most chips that it takes."""
    lines: list[Line] = field(default_factory=list)
    info: list[str] = field(default_factory=list)
    """The lines ``#Key#Value`` of ``add_info_line``."""
    accuracy: float = 0.0
    accuracy_mode: str = "chips"
    threads: int = 0
    """Threads of a solve; 0 takes all."""
    info_freq: int = 0
    """Iterations between two reports of a solve; 0 lets the solver choose."""
    isomorphism: tuple[bool, bool] = (True, True)
    recalc_accuracy: tuple[float, float, float] = (0.0025, 0.001, 0.0005)

    def missing(self) -> str | None:
        """Returns the first command that a tree needs and that has not been sent; None if there is none."""
        given = (*self.ranges, self.board, self.pot, self.stack)
        return next((name for name, value in zip(_BLANK, given, strict=True) if not value), None)

    def set_pot(self, words: Sequence[str]) -> None:
        """``set_pot 0 0 POT``."""
        oop, ip, pot = (parse_chips(word) for word in _exactly(words, 3, "the chips of OOP, of IP and the pot"))
        if oop or ip:
            raise InputError(f"the tree starts before anybody bets: expected 0 0 and the pot, got {oop} {ip} {pot}")
        self.pot = parse_chips(words[2], 1)

    def set_eff_stack(self, words: Sequence[str]) -> None:
        """``set_eff_stack CHIPS``."""
        self.stack = parse_chips(_exactly(words, 1, "the chips behind")[0], 1)

    def set_rake(self, words: Sequence[str]) -> None:
        """``set_rake FRACTION CAP``."""
        share, cap = _exactly(words, 2, "a share of the pot and the largest rake")
        if parse_number(share) > 1:
            raise InputError(f"expected a share of the pot such as 0.05, got {share!r}")
        self.rake = (parse_number(share), parse_number(cap))

    def set_isomorphism(self, words: Sequence[str]) -> None:
        """``set_isomorphism FLOP_TREES TURN_TREES``."""
        names = {"0": False, "1": True, "false": False, "true": True}
        flop, turn = (names.get(word.lower()) for word in _exactly(words, 2, "0 or 1 for flop trees and turn trees"))
        if flop is None or turn is None:
            raise InputError(f"expected 0 or 1 for flop trees and turn trees, got {' '.join(words)!r}")
        self.isomorphism = (flop, turn)

    def set_accuracy(self, words: Sequence[str]) -> None:
        """``set_accuracy NUMBER [chips|fraction]``."""
        mode = words[1] if len(words) > 1 else "chips"
        if not 1 <= len(words) <= 2 or mode not in ("chips", "fraction"):
            raise InputError("expected a number, then nothing, chips or fraction")
        self.accuracy, self.accuracy_mode = parse_number(words[0]), mode

    def set_recalc_accuracy(self, words: Sequence[str]) -> None:
        """``set_recalc_accuracy FLOP TURN RIVER``. Nothing is ever recalculated: saves hold every street."""
        flop, turn, river = (parse_number(word) for word in _exactly(words, 3, "three numbers"))
        self.recalc_accuracy = (flop, turn, river)

    def set_always_recalc(self, words: Sequence[str]) -> None:
        """``set_always_recalc A B``. Nothing is ever recalculated."""
        for word in _exactly(words, 2, "two numbers"):
            parse_number(word)

    def set_threads(self, words: Sequence[str]) -> None:
        """``set_threads N``."""
        self.threads = parse_chips(_exactly(words, 1, "a number of threads, 0 for all")[0])

    def set_info_freq(self, words: Sequence[str]) -> None:
        """``set_info_freq N``."""
        self.info_freq = parse_chips(_exactly(words, 1, "a number of iterations, 0 for the solver's choice")[0])

    def add_line(self, words: Sequence[str]) -> None:
        """``add_line N N ...``."""
        line = _line(words)
        if line not in self.lines:
            self.lines.append(line)

    def remove_line(self, words: Sequence[str]) -> None:
        """``remove_line N N ...``."""
        self.lines = remove_line(self.lines, _line(words))

    def clear_lines(self, words: Sequence[str]) -> None:
        """``clear_lines``."""
        _exactly(words, 0, "nothing")
        self.lines = []

    def add_info_line(self, words: Sequence[str]) -> None:
        """``add_info_line #Key#Value``."""
        text = " ".join(words)
        if text.count("#") != 2 or not text.startswith("#"):
            raise InputError("expected #Key#Value")
        self.info.append(text)

    def reset_tree_info(self, words: Sequence[str]) -> None:
        """``reset_tree_info``."""
        _exactly(words, 0, "nothing")
        self.info = []

    def describe(self) -> list[str]:
        """Returns the lines of ``show_settings``, spelt as PioSOLVER spells them."""
        recalc = " ".join(f"{value:f}" for value in self.recalc_accuracy)
        return [
            f"accuracy: {self.accuracy:f}",
            f"accuracy mode: {self.accuracy_mode}",
            f"thread_no: {self.threads}",
            f"info_freq: {self.info_freq}",
            f"recalc_accuracy: {recalc}",
            f"isomorphism: {self.isomorphism[0]:d} {self.isomorphism[1]:d}",
        ]


SETTERS: Final[dict[str, Callable[[Settings, Sequence[str]], None]]] = {
    name: getattr(Settings, name)
    for name in (
        "set_pot", "set_eff_stack", "set_rake", "set_isomorphism", "set_accuracy",
        "set_recalc_accuracy", "set_always_recalc", "set_threads", "set_info_freq", "add_line", "remove_line",
        "clear_lines", "add_info_line", "reset_tree_info",
    )
}  # fmt: skip
"""Name -> method of the commands that only set something and answer ``NAME ok!``."""


def _exactly(words: Sequence[str], count: int, what: str) -> Sequence[str]:
    if len(words) != count:
        raise InputError(f"expected {what}, got {len(words)} arguments")
    return words


def _line(words: Sequence[str]) -> Line:
    if not words:
        raise InputError("expected a number for each action: the chips that its player has put in after it")
    return tuple(parse_chips(word) for word in words)
