"""Standard input and output of ``hedgehog upi``, and the start that is quick enough for its clients.

Some clients end a program that has not answered within a second. The banner goes out before numpy, numba and click are
imported; program files of ``--launcher`` start :func:`main`, which never imports click.
"""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Final

from hedgehog.cli.exit_codes import EXIT_INTERRUPTED, EXIT_USAGE
from hedgehog.cli.termination import ended_as_by_ctrl_c
from hedgehog.interop.upi.dialogue import Dialogue

LONGEST_LINE: Final = 1 << 24
"""Most bytes of a command; ``set_strategy`` with ten actions has 200,000."""
CHILDREN: Final = ("8", "7")
"""Lines that ``show_children`` prints per child: PioSOLVER's eight, jesolver's seven."""
_READ: Final = 1 << 16
_TOO_LONG: Final = f"command_longer_than_{LONGEST_LINE}_bytes"
_DONE: Final = None
_LOOK_EVERY_S: Final = 0.5


def serve(*, blank_lines: bool) -> None:
    """Speaks UPI on standard input and output until the input ends or the client says ``exit``.

    :param blank_lines: end each child of ``show_children`` with an empty line.
    :raises KeyboardInterrupt: on Ctrl-C; a solve that runs has been asked to end.
    """
    said = threading.Lock()

    def say(text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        with said, contextlib.suppress(OSError):  # a client that reads no more soon closes our input, too
            while data:
                data = data[os.write(1, data) :]

    dialogue = Dialogue(say, blank_lines=blank_lines)
    dialogue.greet()
    commands: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def listen() -> None:
        for line in read_lines(0):
            dialogue.overhear(line)
            commands.put(line)
        dialogue.interrupt()
        commands.put(_DONE)

    threading.Thread(target=listen, daemon=True, name="upi input").start()
    try:
        while True:
            try:
                # Not without end: a signal that comes just before the wait begins would be handled after it only.
                line = commands.get(timeout=_LOOK_EVERY_S)
            except queue.Empty:
                continue
            if line is _DONE:
                break
            if not dialogue.answer(line):
                return
        dialogue.close()
    except KeyboardInterrupt:
        dialogue.interrupt()
        raise


def read_lines(descriptor: int) -> Iterator[str]:
    """Yields the lines of a stream, without their ends. Bytes that are not UTF-8 become surrogates.

    A line that is too long becomes a word that is no command.
    """
    held = bytearray()
    dropped = False
    while True:
        try:
            part = os.read(descriptor, _READ)
        except OSError as problem:
            if problem.errno != errno.EINTR:
                part = b""
            else:
                continue
        *ended, rest = part.split(b"\n")
        for piece in ended:
            line = bytes(held) + piece
            yield _TOO_LONG if dropped or len(line) > LONGEST_LINE else line.decode("utf-8", "surrogateescape")
            held.clear()
            dropped = False
        held += rest
        if len(held) > LONGEST_LINE:
            held.clear()
            dropped = True
        if not part:
            if held or dropped:
                yield _TOO_LONG if dropped else bytes(held).decode("utf-8", "surrogateescape")
            return


def main() -> None:
    """Runs ``hedgehog upi`` for a program file, whose arguments are ``--children N`` or nothing, and exits."""
    arguments = sys.argv[1:]
    if arguments and arguments not in [["--children", each] for each in CHILDREN]:
        os.write(2, b"error: expected no arguments\n")
        os._exit(EXIT_USAGE)
    code = 0
    with ended_as_by_ctrl_c():
        try:
            serve(blank_lines=arguments[1:2] != ["7"])
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
    os._exit(code)  # threads of a solve that was asked to end may be in a kernel
