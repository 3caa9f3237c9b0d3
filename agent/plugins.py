"""Players written by the user as Python classes: the specification ``py:MODULE:CLASS``.

The module is imported by its name, with the current folder at the end of the search path, so that no file in the folder
replaces another module. If MODULE is the path of a file (``py:bots/mine.py:Mine``), that file is imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

from hedgehog.agent.player import Player
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.extending.user_code import user_code_error
from hedgehog.runtime.files import real_path

_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_OPTIONS: Final = ("seed", "think_ms")
"""Keyword arguments that are passed to a player's class if it accepts them."""


def split_source(argument: str) -> tuple[str, str] | None:
    """Returns the two parts of ``MODULE:CLASS`` or ``FILE.py:CLASS``; None if the text has neither form."""
    source, colon, name = argument.rpartition(":")
    if not colon or not name.isidentifier():
        return None
    return (source, name) if _is_path(source) or _MODULE.fullmatch(source) else None


def _is_path(source: str) -> bool:
    return source.endswith(".py")


def load_player_class(argument: str) -> type[Player]:
    """Returns the class of a ``py:`` player after importing its module.

    :param argument: the part of the specification after ``py:``, which :func:`split_source` can split.
    :raises InputError: if the module cannot be imported or has no such class, or if the class is not derived from
        :class:`hedgehog.agent.player.Player` or needs arguments; the message is one line.
    """
    parts = split_source(argument)
    assert parts is not None
    source, name = parts
    module = import_source(source)
    found = getattr(module, name, None)
    where = getattr(module, "__file__", None) or source
    if found is None:
        classes = [key for key, value in vars(module).items() if _is_player(value)]
        raise InputError(f"has no class {name!r}" + (f", but {', '.join(classes)}" if classes else ""), source=where)
    if not isinstance(found, type):
        raise InputError(f"expected {name} to be a class derived from hedgehog.agent.player.Player", source=where)
    return verify_player_class(found, where)


def verify_player_class(found: type, where: str) -> type[Player]:
    """Returns a class of the user's, checked.

    :param where: the file of the class, for messages.
    :raises InputError: if it is not derived from :class:`hedgehog.agent.player.Player`, lacks methods, or needs
        arguments.
    """
    name = found.__name__
    if not issubclass(found, Player):
        raise InputError(f"expected {name} to be a class derived from hedgehog.agent.player.Player", source=where)
    if inspect.isabstract(found):
        missing = ", ".join(sorted(f"{method}()" for method in found.__abstractmethods__))
        raise InputError(f"the player {name} does not define {missing}", source=where)
    _options(found, where)
    return found


def _is_player(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Player) and not inspect.isabstract(value)


def make_plugin(made: type[Player], label: str, *, seed: int, think_ms: int) -> Player:
    """Returns a new player of a class of the user's.

    :param made: the class, of :func:`load_player_class` or another package.
    :param label: name of the player if its class does not set one.
    :param seed: passed to the class if it accepts the keyword ``seed``.
    :param think_ms: milliseconds per decision, passed to the class if it accepts the keyword ``think_ms``.
    :raises InputError: if creating the player fails.
    """
    where = inspect.getfile(made)
    given = {"seed": seed, "think_ms": think_ms}
    try:
        player = made(**{option: given[option] for option in _options(made, where)})
    except (Exception, SystemExit) as error:
        raise user_code_error(f"the player {made.__name__} cannot be made", error, where) from error
    if player.name == Player.name:
        player.name = label
    return player


def _options(made: type[Player], where: str) -> list[str]:
    """Returns which of the keywords a class takes.

    :raises InputError: if it needs other arguments.
    """
    try:
        parameters = list(inspect.signature(made).parameters.values())
    except (TypeError, ValueError):  # a class written in C may have no signature
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)
    named = {parameter.name for parameter in parameters if parameter.kind not in positional}
    for parameter in parameters:
        variable = parameter.kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        if parameter.default is inspect.Parameter.empty and not variable and parameter.name not in _OPTIONS:
            raise InputError(
                f"the player {made.__name__} needs the argument {parameter.name!r}: "
                "expected none, or seed and think_ms",
                source=where,
            )
    return [option for option in _OPTIONS if takes_all or option in named]


def import_source(source: str) -> ModuleType:
    """Imports a module by name or from a file.

    :raises InputError: naming the line of the user's file that failed, where there is one.
    """
    try:
        return _import_file(Path(source)) if _is_path(source) else _import_module(source)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise user_code_error(f"cannot import {source!r}", error, None) from error


def _import_module(name: str) -> ModuleType:
    _append_to_path(os.getcwd())
    importlib.invalidate_caches()
    return importlib.import_module(name)


def _import_file(path: Path) -> ModuleType:
    resolved = real_path(path)
    name = f"{resolved.stem} ({resolved})"  # a name that no other module has
    if name in sys.modules:
        return sys.modules[name]
    if not resolved.is_file():
        raise InputError("there is no such file to import", source=str(path))
    _append_to_path(str(resolved.parent))
    spec = importlib.util.spec_from_file_location(name, resolved)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _append_to_path(folder: str) -> None:
    if folder not in sys.path:
        sys.path.append(folder)
