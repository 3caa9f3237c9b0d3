"""A dialogue in UPI without input and output: one line of the client in, one answer out.

Every command is answered in the order in which it comes. A command without data is answered ``NAME ok!``, a fault in
one line that begins with ``ERROR``. Empty lines and lines that begin with ``#`` have no answer. After
``set_end_string S`` each answer ends with the line ``S``.

Nothing here is slow to import: the desk with numpy and the solver comes with the first command that needs it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from hedgehog.interop.upi.settings import SETTERS, Settings
from hedgehog.interop.upi.words import parse_path, parse_words
from hedgehog.runtime.errors import HedgehogError, InputError, one_line

if TYPE_CHECKING:
    from hedgehog.interop.upi.desk import Desk

VERSION: Final = "3.0.0"
"""Answer to ``show_version``: clients read three whole numbers and choose their commands by the first one."""
BANNER: Final = "Hedgehog (UPI)\n(c) The Hedgehog developers, MIT licence\nregistered to Hedgehog\n"
"""What is said before the first command: some clients wait for exactly three lines."""
MOST_SCRIPT_BYTES: Final = 1 << 26
"""Largest file that ``load_script`` reads."""
_SLOW: Final = "the solver is running: send stop or wait_for_solver first"


class Dialogue:
    """One client's dialogue.

    :param say: takes text that the client is to read, whole lines; it may be called from two threads.
    :param blank_lines: end each child of ``show_children`` with an empty line, as PioSOLVER does and jesolver does not.
    """

    def __init__(self, say: Callable[[str], None], *, blank_lines: bool = True) -> None:
        self._say = say
        self._blank_lines = blank_lines
        self._end = ""
        self.settings = Settings()
        self._desk: Desk | None = None
        self._in_script = False

    def greet(self) -> None:
        """Says the banner."""
        self._say(BANNER)

    def answer(self, line: str) -> bool:
        """Answers a line of the client. Returns False after ``exit``, which has no answer.

        :param line: a command, with or without its line end.
        """
        text = line.strip()
        if not text or text.startswith("#"):
            return True
        name, rest = _command(text)
        if name == "exit":
            self.close()
            return False
        self._reply(self._result(name, rest))
        if self._desk is not None:
            self._desk.after_answer()
        return True

    def overhear(self, line: str) -> None:
        """Hears a line before it is its turn to be answered: ``stop`` and ``exit`` end a solve at once.

        It may be called from another thread than :meth:`answer`.
        """
        if line.split()[:1] in (["stop"], ["exit"]):
            self.interrupt()

    def interrupt(self) -> None:
        """Asks a solve that is running to end; any thread may call it."""
        if self._desk is not None:
            self._desk.ask_to_stop()

    def close(self) -> None:
        """Ends a solve that is running and waits for its end."""
        self.interrupt()
        if self._desk is not None:
            self._desk.wait_for_solver("")

    def _result(self, name: str, rest: str) -> list[str]:
        """Returns the lines of an answer."""
        try:
            if name in ("load_script", "load_script_silent"):
                return self._load_script(name, rest)
            found = self._run(name, rest)
        except HedgehogError as problem:
            return [_error(name, str(problem))]
        except MemoryError:
            return [_error(name, "not enough memory")]
        except Exception as problem:  # a client that gets no answer waits for ever
            return [_error(name, f"internal fault, {type(problem).__name__}: {problem}")]
        return [f"{name} ok!"] if found is None else found

    def _run(self, name: str, rest: str) -> list[str] | None:
        own = _OWN.get(name)
        if own is not None:
            return own(self, rest)
        if name in SETTERS:
            SETTERS[name](self.settings, parse_words(rest))
            return None
        # Imported here: a client waits a second for the first answer, and numpy and numba take as long.
        desk = importlib.import_module("hedgehog.interop.upi.desk")
        command = desk.COMMANDS.get(name)
        if command is None:
            raise InputError("Hedgehog does not know this command")
        if self._desk is None:
            self._desk = desk.Desk(self.settings, self._announce, self._blank_lines)
        if self._desk.runs and name not in desk.WHILE_RUNNING:
            raise InputError(_SLOW)
        found: list[str] | None = command(self._desk, rest)
        return found

    def _reply(self, lines: list[str]) -> None:
        self._announce(lines, True)

    def _announce(self, lines: list[str], ended: bool) -> None:
        closing = [self._end] if ended and self._end else []
        self._say("".join([f"{line}\n" for line in [*lines, *closing]]))

    def _load_script(self, name: str, rest: str) -> list[str]:
        """Runs the commands of a file: ``load_script`` says every answer, ``load_script_silent`` the first fault."""
        path, _ = parse_path(rest, ())
        if self._in_script:
            raise InputError("a script runs no other script")
        self._in_script = True
        try:
            for number, line in enumerate(_script(path), 1):
                text = line.strip()
                if not text or text.startswith("#"):
                    continue
                command, arguments = _command(text)
                if command == "exit":
                    raise InputError("exit ends no script: send it yourself", source=path, line=number)
                found = self._result(command, arguments)
                if name == "load_script":
                    self._reply(found)
                elif found and found[0].startswith("ERROR"):
                    raise InputError(found[0].removeprefix("ERROR: "), source=path, line=number)
                if self._desk is not None:
                    self._desk.after_answer()
        finally:
            self._in_script = False
        return [f"{name} ok!"]

    # Commands that need no tree.

    def _set_end_string(self, rest: str) -> list[str]:
        words = parse_words(rest)
        if len(words) != 1 or not words[0].strip():
            raise InputError("expected one word, with which every answer shall end")
        self._end = words[0]
        return ["set_end_string ok!"]

    def _reset_end_string(self, rest: str) -> None:
        self._end = ""

    def _echo(self, rest: str) -> list[str]:
        return [rest]

    def _show_version(self, rest: str) -> list[str]:
        return [VERSION]

    def _show_build_version(self, rest: str) -> list[str]:
        from importlib.metadata import version

        return [f"hedgehog-{version('hedgehog-poker')}"]

    def _show_settings(self, rest: str) -> list[str]:
        return self.settings.describe()

    def _is_ready(self, rest: str) -> None:
        pass


_OWN: Final[dict[str, Callable[[Dialogue, str], list[str] | None]]] = {
    "set_end_string": Dialogue._set_end_string,
    "reset_end_string": Dialogue._reset_end_string,
    "echo": Dialogue._echo,
    "show_version": Dialogue._show_version,
    "show_build_version": Dialogue._show_build_version,
    "show_settings": Dialogue._show_settings,
    "is_ready": Dialogue._is_ready,
    "clear_cache": Dialogue._is_ready,
}


def _command(text: str) -> tuple[str, str]:
    """Returns the name of a command and the text after it."""
    name, *rest = text.split(maxsplit=1)
    return name, rest[0] if rest else ""


def _script(path: str) -> list[str]:
    from hedgehog.runtime.input_files import read_input

    try:
        data = read_input(path, MOST_SCRIPT_BYTES)
    except OSError as problem:
        raise InputError(f"cannot read it: {problem.strerror}", source=path) from None
    return data.decode("utf-8", "surrogateescape").split("\n")


def _error(name: str, message: str) -> str:
    """Returns the line of a fault. It ends with a full stop, so that no client takes it for the end string."""
    return one_line(f"ERROR: {name[:40]}: {message.rstrip('.')}.")
