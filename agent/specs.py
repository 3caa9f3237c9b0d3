"""Player specifications: the ``SPEC`` arguments of ``hedgehog play`` and ``hedgehog match``.

==================  =====================================================================
``fold``            folds whenever it may, else checks
``call``            always calls or checks
``raise``           always raises the pot, or calls when no raise is left
``allin``           always raises all-in, or calls when no raise is left
``random``          folds, calls or raises at random (6 %, 47 %, 47 %)
``checkraise``      raises every bet on the flop by the pot, else checks and calls
``minbet``          always bets and raises the least it may, at most 4 times in a betting round
``offtree``         bets and raises 0.05 * 1.15^k pots with k drawn from 0 .. 55, else calls and folds
``pack:PATH``       our player with the strategy packs under PATH
``default``         our player with the shipped strategy packs
``cmd:COMMAND``     an external ACPC client; HOST and PORT are appended to its arguments
==================  =====================================================================
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.bots import BOTS
from agent.foils import FOILS
from agent.player import Player
from poker.errors import InputError

ALL_BOTS: Final = BOTS | FOILS
"""Players that need no strategy, by the name they have in a specification."""

MAX_LENGTH: Final = 10_000
"""Characters of a specification."""
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.+-]+")


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A parsed player specification."""

    text: str
    """The specification as given."""
    kind: str
    """The part before the colon: a bot's name, ``pack``, ``default`` or ``cmd``."""
    argument: str
    """The part after the colon: a path or a command; empty for the other kinds."""

    @property
    def external(self) -> bool:
        """True for a client that is not ours."""
        return self.kind == "cmd"

    @property
    def forgets(self) -> bool:
        """True for a player that remembers nothing from hand to hand, so that it may join a match late."""
        return self.kind in ALL_BOTS or self.kind in {"pack", "default"}

    @property
    def compiles(self) -> bool:
        """True for a player whose kernels must be compiled on the first launch on a machine."""
        return self.kind in {"pack", "default"}

    @property
    def label(self) -> str:
        """A short name that is safe in ACPC log lines, where ``:`` and ``|`` separate fields."""
        if self.kind == "pack":
            return "pack_" + _NOT_IN_A_NAME.sub("_", Path(self.argument).resolve().name)
        if self.external:
            return "cmd_" + _NOT_IN_A_NAME.sub("_", Path(shlex.split(self.argument)[0]).name)
        return self.kind


def parse_player_spec(text: str) -> PlayerSpec:
    """Parses a player specification.

    :raises InputError: if it is none of the forms in the table above.
    """
    kind, colon, argument = text.partition(":")
    if len(text) > MAX_LENGTH:
        raise InputError(f"a player has at most {MAX_LENGTH} characters, got {len(text)}")
    try:
        if b"\0" in os.fsencode(argument):
            raise InputError(f"a player cannot contain a NUL character, got {text!r}")
    except UnicodeEncodeError:
        raise InputError(f"no file or command can have this name: {text!r}") from None
    if not colon and (kind in ALL_BOTS or kind == "default"):
        return PlayerSpec(text, kind, "")
    if colon and kind == "pack" and argument:
        return PlayerSpec(text, kind, argument)
    if colon and kind == "cmd":
        try:
            words = shlex.split(argument)
        except ValueError as error:
            raise InputError(f"cannot split the command of player {text!r}: {error}") from error
        if words:
            return PlayerSpec(text, kind, argument)
    names = ", ".join(ALL_BOTS)
    raise InputError(f"unknown player {text!r}: expected {names}, default, pack:PATH or cmd:COMMAND")


def unique_names(specs: list[PlayerSpec]) -> list[str]:
    """Returns the labels of the specs in order, made unique by a number: ``call``, ``call_2``, ..."""
    names: dict[str, None] = {}
    counts: dict[str, int] = {}
    for spec in specs:
        name = label = spec.label
        while name in names:
            counts[label] = counts.get(label, 1) + 1
            name = f"{label}_{counts[label]}"
        names[name] = None
    return list(names)


def make_player(spec: PlayerSpec, *, seed: int, think_ms: int, threads: int | None) -> Player:
    """Creates the player of a specification; nothing is loaded or compiled before its ``warm_up``.

    :param think_ms: thinking budget per decision of our player in milliseconds; benchmark bots do not think.
    :param threads: threads our player may use, None for its default.
    :raises InputError: if the specification names an external command, which is no player of ours.
    """
    if spec.external:
        raise InputError(f"{spec.text!r} is a program of its own: start it directly, or use it in a match")
    if spec.kind in ALL_BOTS:
        return ALL_BOTS[spec.kind]()
    from agent.pack_player import PackPlayer  # imports numba, which the benchmark bots do not need

    paths = [Path(spec.argument)] if spec.kind == "pack" else None
    return PackPlayer(paths, seed=seed, think_ms=think_ms, threads=threads)


PLAY_COMMAND: Final = (sys.executable, "-P", "-m", "cli", "play")
"""Starts our client in a process of its own, whatever the current folder holds."""


def launch_command(
    spec: PlayerSpec,
    *,
    game: Path,
    seed: int,
    think_ms: int,
    threads: int | None,
    report: Path,
) -> list[str]:
    """Returns the command that plays a specification once HOST and PORT are appended.

    :param game: game definition file.
    :param report: file our client writes its JSON report to; an external command writes none.
    """
    if spec.external:
        return shlex.split(spec.argument)
    command = [*PLAY_COMMAND, "--player", spec.text, "--game", str(game), "--seed", str(seed)]
    command += ["--think-ms", str(think_ms), "--report", str(report)]
    if threads is not None:
        command += ["--threads", str(threads)]
    return command
